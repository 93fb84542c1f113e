/** @file
 * The order in which counter sets are rotated: events that do not fit the hardware at once are measured one
 * set per frame. Knows no graphics API, no file, no thread. See event_plan.h for which events share a set,
 * stats/rotation_stats.h for what the measured frames say about all frames. */
#ifndef PP_COUNTERS_EVENTS_ROTATION_H
#define PP_COUNTERS_EVENTS_ROTATION_H

#include <stdint.h>

/** The largest number of sets that are rotated. */
#define PP_ROTATION_SETS 64

/**
 * Find the set that a frame measures. Any `sets` frames from a multiple of `sets` on are a permutation of
 * all sets (a row). Any sets x sets frames from a multiple of that on are a Latin square: every set comes
 * once at every place of the rows. What the application does every `sets` frames therefore meets every set.
 * The squares are random.
 *
 * A pure function; any thread. Allocates, locks, logs nothing.
 *
 * @param seed  The session's seed of the random squares.
 * @param sets  1 to PP_ROTATION_SETS; further sets are never measured.
 * @param frame Number of the frame.
 * @return 0 to sets - 1.
 */
uint32_t pp_rotation_set_of_frame(uint64_t seed, uint32_t sets, uint64_t frame);

#endif
