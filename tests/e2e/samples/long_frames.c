/** @file
 * An application with two frames of many draws, then many frames of few draws. It leaves by _exit() while
 * passprobe holds its results. Argument: number of draws of the long frames. Exit status 77: no EGL. */
#include <GL/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "samples/egl_open.h"

#define SHORT_FRAMES 400

static void
draw_frame(const struct egl_open *egl, int draws)
{
    for (int i = 0; i < draws; i++)
        glDrawArrays(GL_POINTS, 0, 1);
    eglSwapBuffers(egl->display, egl->surface);
}

int
main(int argc, char **argv)
{
    const struct egl_open_want want = {.width = 64, .height = 64};
    struct egl_open egl;
    int draws = argc > 1 ? atoi(argv[1]) : 1000;
    if (egl_open(&egl, &want)) {
        puts("EGL has no pbuffers here");
        return 77;
    }
    for (int i = 0; i < 2; i++)
        draw_frame(&egl, draws);
    for (int i = 0; i < SHORT_FRAMES; i++) {
        draw_frame(&egl, 5);
        usleep(3000); /* time for the collector to run, once or more in all frames */
    }
    sleep(2); /* time for session.json, which is written once a second */
    _exit(0);
}
