/** @file
 * Bins of log-linear histograms; see log_histogram.h. */
#include "counters/stats/log_histogram.h"

size_t
pp_log_histogram_bin(uint64_t value, unsigned k)
{
    unsigned exponent = 0;
    if (value >> k)
        exponent = 63 - (unsigned)__builtin_clzll(value) - k;
    return ((size_t)exponent << k) + (size_t)(value >> exponent);
}

uint64_t
pp_log_histogram_low(size_t bin, unsigned k)
{
    size_t octave = bin >> k;
    if (octave < 2)
        return bin;
    return (((uint64_t)1 << k) + (bin & (((size_t)1 << k) - 1))) << (octave - 1);
}
