/** @file
 * System counters: what frames measure in addition to the GPU's work. They count the presenting thread (perf
 * events), the process (DRM's accounting) and the machine (clocks, temperature, power). The CPU reads these
 * sources through their interface: a snapshot at each end of a frame gives the values of the frame between
 * two snapshots. The values belong to a frame and are not sums of its passes. This file knows no graphics
 * API. See also session/timeline.c. */
#ifndef PP_CORE_EVENTS_SYSTEM_COUNTERS_H
#define PP_CORE_EVENTS_SYSTEM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/device_info.h"
#include "core/engine/session_private.h"

struct pp_system_counters;
struct pp_value;

/**
 * Plan the selected events of these sources and add their columns. Call with the session's lock, before the
 * collector starts.
 *
 * @param source,sources Borrowed for the process.
 * @param ret Set on success; NULL if no event is selected. For pp_system_counters_destroy().
 * @param error    PP_EVENT_SELECTION_ERROR_MAX bytes, written on -EINVAL.
 * @retval 0       Planned; events that cannot be measured are in pp_system_counters_missing().
 * @retval -EINVAL The list contains an event that no source has.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_system_counters_create(struct pp_session *session, const struct pp_event_source *source, size_t sources,
                          struct pp_system_counters **ret, char *error);

/** Free the system counters; NULL is fine. */
void pp_system_counters_destroy(struct pp_system_counters *system_counters);

/** Why events that were asked for are not measured; a list, borrowed. */
const struct pp_missing *pp_system_counters_missing(const struct pp_system_counters *system_counters);

/** The @p i-th event that is measured, each once, as "source:name" in @p out. @retval false past the last. */
bool pp_system_counters_got(const struct pp_system_counters *system_counters, uint32_t i, char *out,
                            size_t size);

/** Number of sets in the rotation; 0 and 1: there is no rotation. */
uint32_t pp_system_counters_sets(const struct pp_system_counters *system_counters);

/** Which of the sets is measured, if not all are (--only-set). Never NULL. */
const struct pp_only_set *pp_system_counters_only_set(const struct pp_system_counters *system_counters);

/** The @p i-th event that is measured in set @p set, as pp_system_counters_got() has them. */
bool pp_system_counters_got_in(const struct pp_system_counters *system_counters, uint32_t set, uint32_t i,
                               char *out, size_t size);

/** Sources that brackets may read too (PP_READ_THREAD, PP_READ_IDLE), for devices whose brackets do. */
const struct pp_event_source *pp_system_counters_brackets(const struct pp_system_counters *system_counters,
                                                          uint32_t *ret_count);

/** Bytes of a snapshot of pp_system_counters_read(); 0 if system_counters is NULL. */
size_t pp_system_counters_bytes(const struct pp_system_counters *system_counters);

struct pp_system_counters;
struct pp_value;

/** Take a snapshot at a frame's end, on the thread that presents, or makes the window. Does not allocate
 * after its first call. */
void pp_system_counters_read(struct pp_system_counters *system_counters, uint8_t *ret_snapshot);

/** Read the sources that may block, at most ten times a second. Collector thread only. */
void pp_system_counters_poll(struct pp_system_counters *system_counters, uint64_t now_ns);

/**
 * Values of a frame.
 *
 * @param begin,end Snapshots at the ends of the frame before and of this one; NULL: none was taken.
 * @param counter   session->rows.columns values; those of the columns of system counters are set.
 */
void pp_system_counters_fill(const struct pp_system_counters *system_counters, const uint8_t *begin,
                             const uint8_t *end, struct pp_value *counter);

/** What the presenting thread did in a frame. */
struct pp_thread_times {
    bool known;        /**< the time in which it ran was measured */
    bool slept_often;  /**< it gave its processor away more often than it lost it, or delay_ns was measured;
                          false: not known, too */
    bool slept;        /**< it gave its processor away; false: not known, too */
    uint64_t ran_ns;   /**< 0: not known */
    uint64_t delay_ns; /**< it was ready to run and had no processor; 0: not known */
};

/** What the presenting thread did in a frame. @param counter The frame's values, from
 * pp_system_counters_fill(). */
struct pp_thread_times pp_system_counters_thread(const struct pp_system_counters *system_counters,
                                                 const struct pp_value *counter);

#endif
