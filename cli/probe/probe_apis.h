/** @file
 * What OpenGL and GLES contexts, and what Vulkan devices offer. Runs in a child process (probe.c). */
#ifndef PP_CLI_PROBE_PROBE_APIS_H
#define PP_CLI_PROBE_PROBE_APIS_H

#include "cli/probe/probe.h"

/** Create a context and ask it. @param how "egl", "gles" or "glx", see gl.c. Where there is no context,
 * probe->why_not says why. */
void pp_probe_gl(struct pp_probe *probe, const char *how);

/** Ask every device. Where there is none, probe->why_not says why. */
void pp_probe_vk(struct pp_probes *probes);

/** Does the Vulkan loader list passprobe's layer? @retval 0 *ret_found is set. @retval -errno. */
int pp_probe_vk_layers(bool *ret_found);

#endif
