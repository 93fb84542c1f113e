/** @file
 * Comparison of two samples: is B larger than A, and by how much? A p-value only together with an effect
 * size. The Mann-Whitney test takes the values as independent, which frames of a run are not: see bootstrap.h
 * for frames, stats_runs.h for runs. Pure functions as in stats.h; any thread. Knows no graphics API, no
 * file. */
#ifndef PP_COUNTERS_STATS_STATS_COMPARE_H
#define PP_COUNTERS_STATS_STATS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

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

#endif
