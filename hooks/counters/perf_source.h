/** @file
 * The hardware counters of a context as counter sources: events, layouts, and which events fit together. See
 * also perf.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_SOURCE_H
#define PP_HOOKS_COUNTERS_PERF_SOURCE_H

#include "hooks/base/perf.h"

extern const struct pp_source_ops pp_gl_source_intel;
extern const struct pp_source_ops pp_gl_source_amd;

/** Add one zeroed group or event. @return NULL: no memory, or too many. */
struct pp_gl_perf_group *pp_gl_perf_add_group(struct pp_gl_perf *perf, const char *name);
struct pp_gl_perf_event *pp_gl_perf_add_event(struct pp_gl_perf *perf, const char *name,
                                              const char *description);

/** Give all events unique names. Call it when all events have been added. */
void pp_gl_perf_name_events(struct pp_gl_perf *perf);

/** Make a set for the driver from what core planned. @retval 0 done. @retval -ENOMEM no memory. */
__attribute__((warn_unused_result)) int pp_gl_perf_make_set(const struct pp_gl_perf *perf,
                                                            const struct pp_device_set *planned,
                                                            struct pp_gl_perf_set *ret);

/** Free everything that @p perf holds. */
void pp_gl_perf_finish(struct pp_gl_perf *perf);

#endif
