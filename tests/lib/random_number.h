/** @file
 * Random numbers of tests: the same seed gives the same numbers on each machine. */
#ifndef PP_TESTS_LIB_RANDOM_NUMBER_H
#define PP_TESTS_LIB_RANDOM_NUMBER_H

#include <stdint.h>

/** The next number of Steele and Vigna's SplitMix64. @param state The seed at first. */
static inline uint64_t
random_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
