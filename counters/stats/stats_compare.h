/** @file
 * Comparison of two samples: is run B slower than run A, by how much, and how sure is that? Frame times are
 * autocorrelated and have several modes. Therefore: effect sizes and a moving-block bootstrap, and a p-value
 * only together with an effect size. Pure functions as in stats.h; any thread. Knows no graphics API, no
 * file. For `passprobe diff`. */
#ifndef PP_COUNTERS_STATS_STATS_COMPARE_H
#define PP_COUNTERS_STATS_STATS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

/** Frames in a block of the bootstrap where no scene period is known: neighbouring frames depend on each
 * other. */
#define PP_BLOCK_FRAMES 10

/**
 * Hodges-Lehmann shift: median (type 7) of all differences b - a. Positive: B's values are larger, for times
 * slower. Exact, in O((na + nb) 64) time and no memory: the order statistics are found by bisection.
 *
 * @return NaN if either is empty or holds a NaN.
 */
double pp_hodges_lehmann(const double *sorted_a, size_t na, const double *sorted_b, size_t nb);

/** Result of pp_mann_whitney(). */
struct pp_mann_whitney {
    double u1;           /**< pairs with a > b, ties half */
    double z;            /**< >= 0, with continuity correction; 0 if all values are equal */
    double p_two_sided;  /**< erfc(z / sqrt 2) */
    double cliffs_delta; /**< 2 u1 / (na nb) - 1: 1 = every a above every b */
};

/** Mann-Whitney U test with midranks, tie-corrected variance, continuity 0.5 and the normal approximation;
 * equals SciPy's mannwhitneyu(method="asymptotic"). NaN everywhere if either sample is empty. */
void pp_mann_whitney(const double *sorted_a, size_t na, const double *sorted_b, size_t nb,
                     struct pp_mann_whitney *ret);

/** Parameters of the bootstrap. */
struct pp_bootstrap {
    size_t replicates; /**< 1000 */
    size_t block;      /**< frames a block; 1: independent draws; longer than a sample: the sample */
    uint64_t seed;
    double level; /**< 0.95 for a 95 % interval */
};

/** An estimate with its confidence interval. */
struct pp_interval {
    double point, low, high;
};

/**
 * Confidence interval of median(B) - median(A) by the moving-block bootstrap: in each replicate A is
 * resampled before B; blocks start uniformly below n - block + 1 and the last is cut at n; the interval is
 * the type-7 quantiles of the replicates at (1 -+ level) / 2.
 *
 * Allocates 16 bytes a value and 8 a replicate, freed before it returns. Time: O(replicates (na + nb)).
 *
 * @param a   The sample A, @p na values in the order in which they were measured.
 * @param b   The sample B, likewise.
 * @param how The parameters.
 * @param ret Set on success.
 * @retval 0       Done.
 * @retval -EINVAL An empty sample, a NaN in one, more than 2^32 - 1 values, no replicates, a block of 0, or a
 *                 level outside 0..1.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_bootstrap_median_shift(const double *a, size_t na, const double *b,
                                                                  size_t nb, const struct pp_bootstrap *how,
                                                                  struct pp_interval *ret);

#endif
