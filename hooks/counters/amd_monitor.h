/** @file
 * GL_AMD_performance_monitor: asks the driver what it has. See also perf.h. */
#ifndef PP_HOOKS_COUNTERS_AMD_MONITOR_H
#define PP_HOOKS_COUNTERS_AMD_MONITOR_H

#include "hooks/base/perf.h"
#include "hooks/counters/perf_api.h"

/** Ask the current context what it has. `perf->reason` is set if it has nothing. */
void pp_gl_perf_ask_amd(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf);

#endif
