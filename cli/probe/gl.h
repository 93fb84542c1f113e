/** @file
 * What OpenGL and GLES contexts offer. Runs in a child process (probe.c). */
#ifndef PP_CLI_PROBE_GL_H
#define PP_CLI_PROBE_GL_H

#include "cli/probe/probe.h"

/** Create a context and ask it. @param how "egl", "gles" or "glx", see gl.c. Where there is no context,
 * probe->why_not says why. */
void pp_probe_gl(struct pp_probe *probe, const char *how);

#endif
