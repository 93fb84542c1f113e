/** @file
 * Application of test_privileged.py: EGL frames on a pbuffer, some OpenGL calls by link and by look-up.
 * Prints whether the kernel calls it privileged, and its results. The shim is linked, as if it were
 * preloaded. */
#include <dlfcn.h>
#include <epoxy/gl.h>
#include <passprobe/annotate.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "samples/gl_context.h"

int
main(void)
{
    const struct gl_context_want want = {.width = 64, .height = 64};
    struct gl_context context;
    unsigned char pixel[4] = {0};
    printf("privileged %d\n", getauxval(AT_SECURE) != 0);
    if (gl_context_init(&context, &want)) {
        puts("no EGL without a window system");
        return 77;
    }
    for (int i = 0; i < 6; i++) {
        pp_region_push("frame");
        glClearColor(0.0F, (float)i / 5, 1.0F, 1.0F);
        glClear(GL_COLOR_BUFFER_BIT);
        glReadPixels(1, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        pp_region_pop();
        pp_frame_end();
        printf("frame %d: %u %u %u, swapped %u, profiled %d\n", i, pixel[0], pixel[1], pixel[2],
               gl_context_end_frame(&context), pp_profiled());
    }
    printf("error %#x, renderer %s\n", glGetError(), (const char *)glGetString(GL_RENDERER));
    gl_context_finish(&context);
    return 0;
}
