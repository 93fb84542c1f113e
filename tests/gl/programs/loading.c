/** @file
 * Applications that do something before they use OpenGL: `loading CASE [SHIM]`. Each draws five frames and
 * prints a digest of the last one, which must be the same with and without passprobe. plain     nothing chdir
 * changes its folder confined  sets a filter of system calls, which allows all of them open      opens the
 * library SHIM, closes it, and draws through its functions, on a new thread deepbind  the same, with
 * RTLD_DEEPBIND */
#define _GNU_SOURCE
#include <GL/gl.h>
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "samples/egl_open.h"

#define SIZE   64
#define FRAMES 5

static const struct egl_open_want wanted = {.width = SIZE, .height = SIZE};
static struct egl_open egl;
static void (*rect)(GLfloat, GLfloat, GLfloat, GLfloat) = glRectf;
static void (*bitmap)(GLsizei, GLsizei, GLfloat, GLfloat, GLfloat, GLfloat, const GLubyte *) = glBitmap;

static void *
draw(void *unused)
{
    static unsigned char pixel[SIZE * SIZE * 4];
    static const GLubyte dots[8] = {0xff, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0xff};
    GLfloat place[4];
    unsigned hash = 2166136261U;
    if (!eglMakeCurrent(egl.display, egl.surface, egl.surface, egl.context))
        return unused;
    rect(-0.5f, -0.25f, 0.75f, 0.125f); /* this thread's first call of the shim, if SHIM was opened */
    glRasterPos4f(-0.5f, 0.25f, 0, 1);
    bitmap(8, 8, 0.5f, 1.5f, 12.25f, 3.5f, dots);
    glGetFloatv(GL_CURRENT_RASTER_POSITION, place);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    for (int frame = 0; frame < FRAMES; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        rect(-0.5f, -0.25f, 0.75f, 0.125f);
        eglSwapBuffers(egl.display, egl.surface);
    }
    for (size_t i = 0; i < sizeof(pixel); i++)
        hash = (hash ^ pixel[i]) * 16777619U;
    printf("image %x, raster position %g %g, error %x\n", hash, place[0], place[1], glGetError());
    return unused;
}

static void
confine(void)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = 1, .filter = &allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(77);
}

static void
open_shim(const char *path, int flags)
{
    void *shim = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
    void *found = shim ? dlsym(shim, "glRectf") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(&rect, &found, sizeof(rect));
    found = dlsym(shim, "glBitmap");
    memcpy(&bitmap, &found, sizeof(bitmap));
    dlclose(shim);
}

int
main(int argc, char **argv)
{
    pthread_t thread;
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "chdir") == 0 && chdir("/"))
        return 1;
    if (strcmp(what, "confined") == 0)
        confine();
    if (egl_open(&egl, &wanted)) {
        puts("no EGL");
        return 77;
    }
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (argc > 2)
        open_shim(argv[2], strcmp(what, "deepbind") == 0 ? RTLD_DEEPBIND : 0);
    if (pthread_create(&thread, NULL, draw, NULL))
        return 1;
    pthread_join(thread, NULL);
    egl_close(&egl);
    return 0;
}
