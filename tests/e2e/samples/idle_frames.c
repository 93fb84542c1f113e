/** @file
 * An application that presents five frames without any action on the GPU. Exit status 77: no EGL. */
#include <stdio.h>

#include "samples/egl_open.h"

int
main(void)
{
    const struct egl_open_want want = {.width = 64, .height = 64};
    struct egl_open egl;
    if (egl_open(&egl, &want)) {
        puts("EGL has no pbuffers here");
        return 77;
    }
    for (int i = 0; i < 5; i++)
        eglSwapBuffers(egl.display, egl.surface);
    return 0;
}
