/** @file
 * Asks the current context for its hardware counters, by both extensions, and knows the faults of drivers.
 *
 * Faults of OpenGL drivers in their hardware counters. See also perf.h.
 *
 * GL_AMD_performance_monitor: asks the driver what it has. See also perf.h.
 *
 * GL_INTEL_performance_query: asks the driver what it has. See also perf.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_ASK_H
#define PP_HOOKS_COUNTERS_PERF_ASK_H

#include <stdbool.h>

#include "hooks/base/perf.h"
#include "hooks/counters/perf_api.h"

/** Is the current context's driver one of Mesa's for Intel's GPUs? */
bool pp_gl_perf_is_intel(const struct pp_gl_perf_api *api);

/** Find the reason why the current context's driver must not be asked for counters. @return Static text for
 * the user; NULL: no fault is known. */
const char *pp_gl_perf_fault(const struct pp_gl_perf_api *api);

/** Ask the current context what it has. `perf->reason` is set if it has nothing. */
void pp_gl_perf_ask_amd(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf);

/** Ask the current context what it has. `perf->reason` is set if it has nothing. */
void pp_gl_perf_ask_intel(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf);

#endif
