/** @file
 * Faults of OpenGL drivers in their hardware counters. See also perf.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_QUIRKS_H
#define PP_HOOKS_COUNTERS_PERF_QUIRKS_H

#include <stdbool.h>

#include "hooks/counters/perf_api.h"

/** Is the current context's driver one of Mesa's for Intel's GPUs? */
bool pp_gl_perf_is_intel(const struct pp_gl_perf_api *api);

/** Find the reason why the current context's driver must not be asked for counters. @return Static text for
 * the user; NULL: no fault is known. */
const char *pp_gl_perf_fault(const struct pp_gl_perf_api *api);

#endif
