/** @file
 * Deterministic random numbers: equal seeds give equal sequences on every machine. Any thread, one state
 * each. */
#ifndef PP_COUNTERS_UTIL_RANDOM_H
#define PP_COUNTERS_UTIL_RANDOM_H

#include <stdint.h>

/** The next number of SplitMix64 (Steele, Lea, Flood 2014). Advances @p state. */
uint64_t pp_splitmix64(uint64_t *state);

/** A uniform index below @p n: the high 64 bits of pp_splitmix64() * n. Advances @p state. */
uint64_t pp_random_below(uint64_t *state, uint64_t n);

#endif
