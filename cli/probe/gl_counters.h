/** @file
 * Hardware counters of an OpenGL context. */
#ifndef PP_CLI_PROBE_GL_COUNTERS_H
#define PP_CLI_PROBE_GL_COUNTERS_H

/** Note the counters of the current OpenGL context, for probe 0 (pp_probe_counter_add()). */
void pp_probe_gl_counters(void);

#endif
