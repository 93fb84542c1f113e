/** @file
 * Two contexts on two threads: `serialize CASE`. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES   1
#define EGL_EGLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE   256
#define FRAMES 12

static EGLDisplay display;
static EGLConfig config;
static pthread_barrier_t barrier;

static EGLSurface
start(void)
{
    const EGLint size[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
    eglBindAPI(EGL_OPENGL_API);
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    if (!eglMakeCurrent(display, surface, surface, context))
        exit(3);
    return surface;
}

static void
stop(void)
{
    EGLContext context = eglGetCurrentContext();
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
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
        eglSwapBuffers(display, surface);
    }
    stop();
    return NULL;
}

/* The first waits for the second in the middle of a pass, until that has ended one; then it draws on. */
static void *
waits(void *first)
{
    EGLSurface surface = start();
    if (first) {
        draw(2);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        eglSwapBuffers(display, surface);
        draw(2);
        eglSwapBuffers(display, surface);
    } else {
        pthread_barrier_wait(&barrier);
        draw(2);
        eglSwapBuffers(display, surface);
        pthread_barrier_wait(&barrier);
    }
    stop();
    return NULL;
}

/* The first has begun a frame when the second draws three, and ends it; then the second draws three more. */
static void *
leaves(void *first)
{
    EGLSurface surface = start();
    if (first)
        draw(2);
    pthread_barrier_wait(&barrier);
    for (int frame = 0; !first && frame < 3; frame++) {
        draw(2);
        eglSwapBuffers(display, surface);
    }
    pthread_barrier_wait(&barrier);
    if (first)
        eglSwapBuffers(display, surface);
    pthread_barrier_wait(&barrier);
    for (int frame = 0; !first && frame < 3; frame++) {
        draw(2);
        eglSwapBuffers(display, surface);
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
    const EGLint want[] = {
        EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8, EGL_NONE};
    EGLint count = 0;
    size_t i = 0;
    while (argc == 2 && i < sizeof(cases) / sizeof(cases[0]) && strcmp(cases[i].name, argv[1]) != 0)
        i++;
    if (argc != 2 || i == sizeof(cases) / sizeof(cases[0])) {
        fprintf(stderr, "usage: serialize both|waits|leaves\n");
        return 2;
    }
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    eglInitialize(display, NULL, NULL);
    if (!eglChooseConfig(display, want, &config, 1, &count) || !count) {
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
