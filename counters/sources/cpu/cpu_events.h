/** @file
 * The events of the source "cpu". */
#ifndef PP_COUNTERS_SOURCES_CPU_CPU_EVENTS_H
#define PP_COUNTERS_SOURCES_CPU_CPU_EVENTS_H

#include <stdint.h>

#include "counters/snapshot/source.h"
#include "counters/sources/cpu/perf_group.h"

/** What an event is read from. */
enum pp_cpu_answer {
    PP_CPU_BY_NONE,
    PP_CPU_BY_PERF,
    PP_CPU_BY_CLOCK,       /**< CLOCK_THREAD_CPUTIME_ID */
    PP_CPU_BY_MINOR,       /**< getrusage(RUSAGE_THREAD): minor faults (without input/output) */
    PP_CPU_BY_MAJOR,       /**< getrusage(): major faults (with input/output) */
    PP_CPU_BY_FAULTS,      /**< getrusage(): all faults */
    PP_CPU_BY_SWITCHES,    /**< getrusage(): voluntary and other context switches */
    PP_CPU_BY_INVOLUNTARY, /**< getrusage(): of these, the others */
    PP_CPU_BY_DELAY,       /**< /proc/thread-self/schedstat */
};

/** One event. */
struct pp_cpu_event {
    const char *name;
    const char *description;
    struct pp_perf_what what;
    uint8_t unit;    /**< enum pp_unit */
    uint8_t instead; /**< enum pp_cpu_answer, if perf is refused */
};

enum { PP_CPU_EVENTS = 17 };

/** All events; the index is the number of the event. */
extern const struct pp_cpu_event pp_cpu_event[PP_CPU_EVENTS];

#endif
