/** @file
 * SplitMix64; see random.h. */
#include "counters/util/random.h"

#include "counters/util/mul128.h"

uint64_t
pp_splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

uint64_t
pp_random_below(uint64_t *state, uint64_t n)
{
    return pp_mul128(pp_splitmix64(state), n).high;
}
