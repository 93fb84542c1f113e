/** @file
 * The threads that read the source "cpu": each has its own groups of perf events, made when the thread first
 * reads a set of events, and closed when the thread ends. For cpu.c only.
 *
 * The events of the source "cpu". */
#ifndef PP_COUNTERS_SOURCES_CPU_CPU_THREAD_H
#define PP_COUNTERS_SOURCES_CPU_CPU_THREAD_H

#include <pthread.h>
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

/** Most sets of events that a thread reads. */
#define PP_CPU_THREAD_SETS 16

/** The counters of one thread for one set of events. */
struct pp_cpu_set {
    uint64_t events; /**< bits */
    int rc;          /**< 0, or why there are no groups */
    struct pp_perf_group hardware, software;
    uint8_t at[PP_CPU_EVENTS]; /**< per event: its place in its group */
};

/** A thread that reads the source. */
struct pp_cpu_thread {
    unsigned generation; /**< grows at each fork(): number of the process in which the object was made */
    int schedstat;       /**< descriptor of the thread's schedstat; -1: not open */
    uint32_t sets;
    struct pp_cpu_set *set[PP_CPU_THREAD_SETS];
};

/** Prepare for threads. @param ret_key For the other functions. @retval 0, -EAGAIN, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_cpu_threads_init(pthread_key_t *ret_key);

/** Free the calling thread's object, and the key. All other threads that used the key must have ended. */
void pp_cpu_threads_finish(pthread_key_t key);

/** Find or make the object of the calling thread, which owns it. @return NULL: no memory. */
struct pp_cpu_thread *pp_cpu_thread_get(pthread_key_t key);

/** Close the groups and files of a thread. */
void pp_cpu_thread_finish(struct pp_cpu_thread *thread);

/**
 * Find or make the counters of a thread for a set of events.
 *
 * @param by     Per event: enum pp_cpu_answer.
 * @param events One bit per event.
 * @return NULL: too many sets, or no memory. If the groups cannot be opened, the set's rc says why.
 */
struct pp_cpu_set *pp_cpu_thread_set(const uint8_t *by, struct pp_cpu_thread *thread, uint64_t events);

/**
 * Open a group of those events of a set that have this type and are read from perf.
 *
 * @param by   Per event: enum pp_cpu_answer.
 * @param type PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE.
 * @return As pp_perf_group_init(); 0 also if there are no such events.
 */
__attribute__((warn_unused_result)) int pp_cpu_set_open(const uint8_t *by, struct pp_cpu_set *set,
                                                        uint32_t type, struct pp_perf_group *group);

#endif
