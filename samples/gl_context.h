/** @file
 * An OpenGL context without display: a pbuffer, or no surface at all. See also gl_scene.h. */
#ifndef SAMPLES_GL_CONTEXT_H
#define SAMPLES_GL_CONTEXT_H

#include <stdbool.h>

#include "samples/egl_open.h"

/** What to open. */
struct gl_context_want {
    bool es;          /**< OpenGL ES 3.1; else OpenGL 4.5 core */
    bool surfaceless; /**< no surface */
    bool labels;      /**< a debug context, so that drivers keep labels */
    int width, height;
};

/** An open context, current on the thread that opened it. */
struct gl_context {
    struct egl_open egl;
};

/** Open a context and make it current. @return 0, or -1 after a message on stderr; then nothing stays open.
 */
int gl_context_init(struct gl_context *it, const struct gl_context_want *want);

/** End the frame: swap, or glFinish where there is nothing to swap. @return EGL_FALSE if the swap failed. */
EGLBoolean gl_context_end_frame(const struct gl_context *it);

/** Close what gl_context_init() opened. */
void gl_context_finish(struct gl_context *it);

#endif
