/** @file
 * Many comparisons at once: of 200 passes that did not change, 10 have a p value below 5 % by chance. Pure;
 * any thread. See stats_runs.h for one comparison. */
#ifndef PP_COUNTERS_STATS_FALSE_DISCOVERY_H
#define PP_COUNTERS_STATS_FALSE_DISCOVERY_H

#include <stddef.h>

/**
 * Adjust p values by Benjamini and Hochberg: of all comparisons with q <= 5 %, at most 5 % are false on
 * average. With n numbers in ascending order, q of the i-th is the least p_j n / j of all j >= i, at most 1.
 * Equals R's p.adjust(method="BH").
 *
 * @param p     @p n values; NaN is no comparison: it does not count, and its q is NaN.
 * @param ret_q Space for @p n values, set on success; may be @p p itself.
 * @retval 0       Done.
 * @retval -ENOMEM No memory: the function takes 8 bytes for each value, and frees them before it returns.
 *
 * Source: Y. Benjamini, Y. Hochberg, J. R. Statist. Soc. B 57 (1995).
 */
__attribute__((warn_unused_result)) int pp_false_discovery(const double *p, size_t n, double *ret_q);

#endif
