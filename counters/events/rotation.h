/** @file
 * Room: counters that do not fit the hardware at once, measured in turn. Which set a frame gets, 64-bit sums
 * of narrow counters, scaling by duty cycle, and how far to trust it: duty and spread. Knows no graphics API,
 * no file, no thread. Previous room: events.h (which events share a set).
 *
 * The scheme is rpistat's and perf's, with one period = one frame and cycles instead of time as denominator:
 * frames differ in length, and a rotation in step with periodic work would be wrong by the ratio of its
 * phases. */
#ifndef PP_COUNTERS_EVENTS_ROTATION_H
#define PP_COUNTERS_EVENTS_ROTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** Most sets that are rotated. */
#define PP_MUX_SETS 64

/* Order. */

/**
 * Which set does frame @p frame measure? Any `sets` frames from a multiple of `sets` on are a permutation of
 * all sets (a row); any sets x sets frames from a multiple of that on are a Latin square: every set comes
 * once at every place of the rows, so work with a period of `sets` frames meets all of them. Squares are
 * random by @p seed.
 *
 * Any thread; a pure function. Allocates, locks, logs nothing.
 *
 * @param seed  Of the session.
 * @param sets  1 to PP_MUX_SETS; more are never measured.
 * @param frame Number of the frame.
 * @return 0 to sets - 1.
 */
uint32_t pp_mux_set_of_frame(uint64_t seed, uint32_t sets, uint64_t frame);

/* Sums. */

/** end - begin modulo 2^bits (1 to 64): one wrap is undone, a second one cannot be seen. */
uint64_t pp_counter_delta(unsigned bits, uint64_t begin, uint64_t end);

/** Nanoseconds in which a counter of @p bits wraps at the fastest, at @p per_second events; UINT64_MAX if
 * longer than that or if it counts nothing. A period must be shorter. */
uint64_t pp_counter_wrap_ns(unsigned bits, double per_second);

/** A 64-bit counter above a narrow one: read it more often than the narrow one wraps. */
struct pp_wide_counter {
    uint64_t sum;  /**< counted since pp_wide_counter_start() */
    uint64_t last; /**< what the narrow one read last */
    unsigned bits; /**< of the narrow one */
};

/** Begin at 0, with the narrow counter at @p now. */
void pp_wide_counter_start(struct pp_wide_counter *counter, unsigned bits, uint64_t now);

/** Add what the narrow counter went since the last call. @return The sum. */
uint64_t pp_wide_counter_read(struct pp_wide_counter *counter, uint64_t now);

/** One event's sums. */
struct pp_mux_event {
    /* immutable after init */
    uint64_t wrap_ns; /**< pp_counter_wrap_ns(); a longer period is PP_WRAPPED. 0: never */

    /* sums over the periods in which it ran and its result arrived */
    uint64_t raw;             /**< events */
    uint64_t running_periods; /**< periods */
    uint64_t running_cycles;  /**< always-on cycles in these */

    /* periods that asked for it in vain */
    uint64_t lost_periods;
    uint8_t worst; /**< enum pp_status: the worst of these */

    /* Welford's sums over raw / cycles of each such period */
    double rate_mean, rate_m2;
};

/** Sums of a piece of work (a pass, a draw, the frame) over many frames. */
struct pp_mux {
    struct pp_mux_event *event; /**< `events` elements; the caller's */
    size_t events;
    uint64_t enabled_periods; /**< all */
    uint64_t enabled_cycles;  /**< of the periods with a cycle count */
    uint64_t blind_periods;   /**< without one: nothing of them is used, but they count as enabled */
};

/** Start at nothing. @p wrap_ns NULL or one a event. */
void pp_mux_init(struct pp_mux *mux, struct pp_mux_event *event, size_t events, const uint64_t *wrap_ns);

/** Results of one event in one period. */
struct pp_mux_result {
    uint32_t event; /**< index in mux->event */
    uint8_t status; /**< enum pp_status; without a value: lost */
    uint64_t count; /**< what it counted */
};

/**
 * Add one period: the always-on cycle counter and the results of the set that was on.
 *
 * Threads: one a @p mux. Allocates, locks, logs nothing.
 *
 * @param cycles        Cycles of the period by the always-on counter.
 * @param cycles_status Its status; without a value the period is blind.
 * @param length_ns     Length of the period, against wrap_ns.
 * @param result        Of the events that were on; the others keep their sums.
 * @param results       Elements of result.
 */
void pp_mux_period(struct pp_mux *mux, uint64_t cycles, enum pp_status cycles_status, uint64_t length_ns,
                   const struct pp_mux_result *result, size_t results);

/* Scaled values. */

/**
 * floor(raw * enabled / running) with a 128-bit product, as perf and rpistat scale: truncated, never rounded.
 *
 * @retval 0       Done.
 * @retval -ENODATA running is 0: there is no value, which is not 0.
 * @retval -ERANGE The result exceeds 64 bits.
 */
__attribute__((warn_unused_result)) int pp_mux_scale(uint64_t raw, uint64_t enabled, uint64_t running,
                                                     uint64_t *ret);

/** An event's scaled count and what there is to say about it. */
struct pp_mux_value {
    enum pp_status
        status; /**< PP_OK, or why there is no count: what the periods said, PP_DISABLED if it never ran */
    uint64_t count;       /**< scaled by cycles */
    uint64_t by_periods;  /**< scaled by periods, as rpistat does; for comparison */
    bool by_cycles_valid; /**< false: no cycles were counted, count is by_periods */
    double duty;          /**< 0..1, by cycles where these are valid */
    double duty_periods;  /**< 0..1 */
    double
        spread_percent; /**< standard deviation of the rate between its periods, % of the mean; NaN below 2 */
};

/** The value of event @p i. */
void pp_mux_value(const struct pp_mux *mux, size_t i, struct pp_mux_value *ret);

/**
 * Ratio of two events, numerator / denominator, by the rule of the house: if both ran in the same periods
 * (one set, or both always on), of the raw counts; else of the counts scaled the same way.
 *
 * @retval 0        Done.
 * @retval -ENODATA One has no value.
 * @retval -EDOM    The denominator is 0.
 */
__attribute__((warn_unused_result)) int pp_mux_ratio(const struct pp_mux *mux, size_t numerator,
                                                     size_t denominator, bool same_set, double *ret);

#endif
