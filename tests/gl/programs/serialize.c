/** @file
 * Two contexts on two threads: `serialize CASE`. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/egl_open.h"

#define SIZE   256
#define FRAMES 12

static const struct egl_open_want wanted = {.width = SIZE, .height = SIZE};
static struct egl_open egl;
static pthread_barrier_t barrier;

static EGLSurface
start(void)
{
    eglBindAPI(EGL_OPENGL_API);
    EGLSurface surface = egl_open_surface(&egl, &wanted);
    EGLContext context = egl_open_context(&egl, &wanted, EGL_NO_CONTEXT);
    if (!eglMakeCurrent(egl.display, surface, surface, context))
        exit(3);
    return surface;
}

static void
stop(void)
{
    EGLContext context = eglGetCurrentContext();
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(egl.display, context);
}

static void
draw(int draws)
{
    for (int i = 0; i < draws; i++) {
        glBegin(GL_TRIANGLES);
        glVertex2f(-1, -1);
        glVertex2f(3, -1);
        glVertex2f(-1, 3);
        glEnd();
    }
}

/* Both draw as fast as they can. */
static void *
both(void *unused)
{
    EGLSurface surface = start();
    (void)unused;
    pthread_barrier_wait(&barrier);
    for (int frame = 0; frame < FRAMES; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        draw(8);
        eglSwapBuffers(egl.display, surface);
    }
    stop();
    return NULL;
}

/* The first thread waits in the middle of a pass until the second has ended a pass; then it continues to
 * draw. */
static void *
waits(void *first)
{
    EGLSurface surface = start();
    if (first) {
        draw(2);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        eglSwapBuffers(egl.display, surface);
        draw(2);
        eglSwapBuffers(egl.display, surface);
    } else {
        pthread_barrier_wait(&barrier);
        draw(2);
        eglSwapBuffers(egl.display, surface);
        pthread_barrier_wait(&barrier);
    }
    stop();
    return NULL;
}

/* The first thread has begun a frame when the second draws three frames. It ends its frame; then the second
 * draws three more. */
static void *
leaves(void *first)
{
    EGLSurface surface = start();
    if (first)
        draw(2);
    pthread_barrier_wait(&barrier);
    for (int frame = 0; !first && frame < 3; frame++) {
        draw(2);
        eglSwapBuffers(egl.display, surface);
    }
    pthread_barrier_wait(&barrier);
    if (first)
        eglSwapBuffers(egl.display, surface);
    pthread_barrier_wait(&barrier);
    for (int frame = 0; !first && frame < 3; frame++) {
        draw(2);
        eglSwapBuffers(egl.display, surface);
    }
    pthread_barrier_wait(&barrier);
    stop();
    return NULL;
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void *(*run)(void *);
    } cases[] = {{"both", both}, {"waits", waits}, {"leaves", leaves}};
    size_t i = 0;
    while (argc == 2 && i < sizeof(cases) / sizeof(cases[0]) && strcmp(cases[i].name, argv[1]) != 0)
        i++;
    if (argc != 2 || i == sizeof(cases) / sizeof(cases[0])) {
        fprintf(stderr, "usage: serialize both|waits|leaves\n");
        return 2;
    }
    if (egl_open_display(&egl, &wanted)) {
        puts("no configuration");
        return 77;
    }
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t thread[2];
    for (uintptr_t first = 0; first < 2; first++)
        if (pthread_create(&thread[first], NULL, cases[i].run, (void *)first))
            return 3;
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    puts("done");
    return 0;
}
