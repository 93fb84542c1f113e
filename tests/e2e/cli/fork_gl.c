/** @file
 * An application that draws, forks without exec in the middle, and draws on: parent 6 frames before and 6
 * after. The child does what the first argument says: "_exit", "exit" (our destructors run in it) or "abort".
 * EGL on a pbuffer; needs no display. */
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static EGLDisplay display;
static EGLSurface surface;

/* A display without a window system, a pbuffer, a context. */
static int
open_context(void)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                    EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 64, EGL_HEIGHT, 64, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        !count)
        return -1;
    eglBindAPI(EGL_OPENGL_API);
    surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    return eglMakeCurrent(display, surface, surface, context) ? 0 : -1;
}

static void
draw_frames(int frames)
{
    for (int i = 0; i < frames; i++) {
        glClear(GL_COLOR_BUFFER_BIT);
        eglSwapBuffers(display, surface);
    }
}

__attribute__((noreturn)) static void
be_child(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "abort") == 0)
        abort();
    _exit(3);
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "_exit";
    int status = 0;
    if (open_context()) {
        puts("skipped: no EGL without a window system");
        return 77;
    }
    draw_frames(6);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        be_child(how);
    waitpid(pid, &status, 0);
    draw_frames(6);
    printf("child: %s, error: %#x\n", WIFEXITED(status) ? "exited" : "killed", glGetError());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}
