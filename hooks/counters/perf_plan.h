/** @file
 * Plans the hardware counters of a device: which sources the driver has, and which of the chosen counter sets
 * it accepts. perf_query.h measures them. */
#ifndef PP_HOOKS_COUNTERS_PERF_PLAN_H
#define PP_HOOKS_COUNTERS_PERF_PLAN_H

#include "hooks/base/perf.h"

/** Ask for the counter sources that the session wants. Call it before the device is announced. */
void pp_gl_perf_find(struct pp_gl_context *ctx, const struct pp_config *config, struct pp_gl_perf *perf);

/** Take over what core planned, and try each set once. Call it after the device was announced. */
void pp_gl_perf_plan(struct pp_gl_device *device);

/** Report for each event of counter set @p set why it is not measured. @p counter Index of the source among
 * those of the device. */
void pp_gl_perf_report_refused(const struct pp_gl_perf *perf, struct pp_gl_device *device, uint32_t counter,
                               uint32_t set, const char *reason);

#endif
