/** @file
 * Change points of a series: at which points does its level change? The series has one number for each build
 * or session, in order of their time. Pure functions, any thread, deterministic. Knows no session, no file.
 * For `passprobe diff --trend`. docs/internals/statistics.md has the definitions and measured error rates. */
#ifndef PP_COUNTERS_STATS_CHANGE_POINTS_H
#define PP_COUNTERS_STATS_CHANGE_POINTS_H

#include <stddef.h>

/** The least number of points before and after a change. */
#define PP_CHANGE_POINT_LEAST ((size_t)2)
/** pp_change_points_rule.window is at most this. */
#define PP_CHANGE_POINTS_WINDOW_MOST ((size_t)200)

/** The rule for a change point. */
struct pp_change_points_rule {
    size_t window;    /**< points that are looked at together: 4 to PP_CHANGE_POINTS_WINDOW_MOST */
    double p;         /**< p value that a change point has at most */
    double threshold; /**< relative change that it has at least: 0.03 is 3 % */
};

/** The usual rule: windows of 50 points, p <= 0.001, 3 %. */
extern const struct pp_change_points_rule pp_change_points_rule_usual;

/** A change point. */
struct pp_change_point {
    size_t index; /**< the first point after the change */
    size_t first,
        last; /**< the change came before one of these points, with 95 % confidence; index is in between */
    size_t from, to;      /**< [from, index) and [index, to) are the points with the old and the new level */
    double before, after; /**< the levels: means; geometric where all values of the series are above 0 */
    double change;        /**< after / before - 1; NaN: before is not above 0 */
    double p; /**< Student's t of these points, pooled variance, two-sided; with the correlation of
                 neighbours */
};

/**
 * Find the change points of a series, in ascending order.
 *
 * E-divisive finds candidates in windows that overlap by half: the split of a segment, and the end of the
 * part after it, that have the largest energy distance. A candidate needs p <= 10 times the rule's p; both
 * parts are searched again. Then the weakest candidate is removed until all have the rule's p and threshold:
 * first the one with the largest p, and where all p values are small, the one with the smallest change. After
 * each removal its neighbours are judged again, between their new neighbours. These p values take the
 * correlation of neighbouring points into account, as far as the series shows it between its candidates. The
 * values are compared as logarithms if all are above 0.
 *
 * @param value   @p n numbers. Values that are not finite are not allowed: leave these points out.
 * @param ret     Set on success: the change points, which the caller frees; NULL if there are none.
 * @param ret_len Set on success.
 * @retval 0       Done.
 * @retval -EINVAL A value is not finite, or the window is outside its range.
 * @retval -ENOMEM No memory: the function takes 16 bytes for each value, and 8 for each pair of points of a
 * window.
 *
 * Source: D. S. Matteson, N. A. James, J. Amer. Statist. Assoc. 109 (2014) (E-divisive); M. Fleming et al.,
 * ICPE 2023, "Hunter: Using Change Point Detection to Hunt for Performance Regressions at DataStax" (t-test,
 * windows, removal of weak points); B. E. Hansen, Econometrica 68 (2000) (the confidence set of the position:
 * points whose sum of squares exceeds the least one by 7.35 / n of it).
 */
__attribute__((warn_unused_result)) int pp_change_points(const double *value, size_t n,
                                                         const struct pp_change_points_rule *rule,
                                                         struct pp_change_point **ret, size_t *ret_len);

#endif
