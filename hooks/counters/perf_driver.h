/** @file
 * Measures with both extensions: objects, begin, end, results. The shim's part only; the command asks and
 * never measures. See also perf.h, perf_query.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_DRIVER_H
#define PP_HOOKS_COUNTERS_PERF_DRIVER_H

#include "hooks/base/perf.h"
#include "hooks/counters/perf_ask.h"

/** Fill in the functions of the current context, which is @p ctx. */
void pp_gl_perf_driver_api(const struct pp_gl_context *ctx, struct pp_gl_perf_api *ret);

#endif
