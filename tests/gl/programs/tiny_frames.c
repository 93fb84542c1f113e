/** @file
 * Frames of one point each, as many as fit into a short time: `tiny_frames`. Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <stdio.h>

#include "samples/egl_open.h"

#define SIZE   32
#define FRAMES 300

int
main(void)
{
    static const struct egl_open_want wanted = {.width = SIZE, .height = SIZE};
    struct egl_open egl = {.display = EGL_NO_DISPLAY};
    const char *failed = egl_open(&egl, &wanted);
    if (failed) {
        printf("%s failed\n", failed);
        return 3;
    }
    for (int i = 0; i < FRAMES; i++) {
        glDrawArrays(GL_POINTS, 0, 1);
        eglSwapBuffers(egl.display, egl.surface);
    }
    printf("%d frames\n", FRAMES);
    egl_close(&egl);
    return 0;
}
