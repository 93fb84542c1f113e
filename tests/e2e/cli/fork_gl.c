/** @file
 * An application that draws, forks without exec in the middle, and continues to draw: the parent 6 frames
 * before and 6 after. The first argument says what the child does: "_exit", "exit" (passprobe's destructors
 * run in it) or "abort". EGL on a pbuffer; needs no display. */
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "samples/gl_context.h"

static struct gl_context context;

static void
draw_frames(int frames)
{
    for (int i = 0; i < frames; i++) {
        glClear(GL_COLOR_BUFFER_BIT);
        gl_context_end_frame(&context);
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
    const struct gl_context_want want = {.width = 64, .height = 64};
    int status = 0;
    if (gl_context_init(&context, &want)) {
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
