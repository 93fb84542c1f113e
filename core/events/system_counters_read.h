/** @file
 * Reads system counters: a snapshot at each end of a frame, and the values of the frame between two
 * snapshots. This file knows no graphics API. See also system_counters.h. */
#ifndef PP_CORE_EVENTS_SYSTEM_COUNTERS_READ_H
#define PP_CORE_EVENTS_SYSTEM_COUNTERS_READ_H

#include <stdbool.h>
#include <stdint.h>

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
