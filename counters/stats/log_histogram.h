/** @file
 * Log-linear histograms of unsigned numbers: which bin a value belongs to. The caller owns the bins. Pure. */
#ifndef PP_COUNTERS_STATS_LOG_HISTOGRAM_H
#define PP_COUNTERS_STATS_LOG_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/** Number of bins of a histogram with 2^k bins for every power of two. */
#define PP_LOG_HISTOGRAM_BINS(k) ((size_t)(65 - (k)) << (k))

/** Bin of a value. Values below 2^(k+1) have a bin each; above, a bin is no wider than value / 2^k.
 * @p k 0 to 16. */
size_t pp_log_histogram_bin(uint64_t value, unsigned k);

/** The smallest value of a bin. */
uint64_t pp_log_histogram_low(size_t bin, unsigned k);

#endif
