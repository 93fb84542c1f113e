/** @file
 * An OpenGL context without display; see gl_context.h. */
#include "samples/gl_context.h"

#include <epoxy/gl.h>
#include <stdio.h>

int
gl_context_init(struct gl_context *it, const struct gl_context_want *want)
{
    const struct egl_open_want open = {
        .es = want->es,
        .major = want->es ? 3 : 4,
        .minor = want->es ? 1 : 5,
        .debug = want->labels,
        .width = want->surfaceless ? 0 : want->width,
        .height = want->height,
    };
    const char *failed = egl_open(&it->egl, &open);
    if (!failed)
        return 0;
    fprintf(stderr, "%s failed: EGL error 0x%04x\n", failed, (unsigned)eglGetError());
    egl_close(&it->egl);
    return -1;
}

EGLBoolean
gl_context_end_frame(const struct gl_context *it)
{
    if (it->egl.surface != EGL_NO_SURFACE)
        return eglSwapBuffers(it->egl.display, it->egl.surface);
    glFinish();
    return EGL_TRUE;
}

void
gl_context_finish(struct gl_context *it)
{
    egl_close(&it->egl);
}
