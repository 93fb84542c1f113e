/** @file
 * Why the kernel refuses to count an event of the source "cpu", and what the user can do. */
#ifndef PP_COUNTERS_SOURCES_CPU_CPU_REFUSAL_H
#define PP_COUNTERS_SOURCES_CPU_CPU_REFUSAL_H

#include <stdbool.h>

#include "counters/sources/cpu/cpu_events.h"

/** Explain an error of perf_event_open().
 * @param proc     Path of /proc.
 * @param error    errno.
 * @param hardware Hardware events of this machine can be counted.
 * @param ret      PP_REASON_BYTES. */
void pp_cpu_explain(const char *proc, const struct pp_cpu_event *event, int error, bool hardware, char *ret);

#endif
