/** @file
 * Module: at which builds did figures change their level? Finds the change points of a series of sessions,
 * as plain structs, and which number of a run a trend compares where the user did not choose one: the
 * median, or on a software driver p5, if other programs disturbed the runs (as diff_steady.c for two sides).
 * Prints nothing. docs/internals/statistics.md has the method; see counters/stats/change_points.h.
 * print/runs.h and commands/diff.c write a trend. */
#ifndef PP_CLI_COMPARE_TREND_H
#define PP_CLI_COMPARE_TREND_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/diff.h"
#include "counters/stats/change_points.h"

/** Points of a trend at most. */
#define PP_TREND_POINTS_MOST 10000U

/** A point: the runs of a build. */
struct pp_trend_point {
    char *name;               /**< its path, or that of the entry in its folder; owned */
    struct pp_diff_side runs; /**< at least one */
};

/** What is not a point, and why. Texts are owned. */
struct pp_trend_left_out {
    char *name, *reason;
};

/** Points in order of their time. Begin with all zero. */
struct pp_trend_points {
    struct pp_trend_point *point; /**< owned */
    size_t len, cap;
    struct pp_trend_left_out *left_out; /**< owned */
    size_t left, left_cap;
};

/** Free a point's members. */
void pp_trend_point_finish(struct pp_trend_point *point);

/** Free everything; the struct is all zero then. */
void pp_trend_points_finish(struct pp_trend_points *points);

/** The number that is compared, and why. */
struct pp_trend_stat {
    enum pp_diff_stat stat;
    bool disturbed;               /**< by the spreads, p5 would be known better than the median */
    double p50_spread, p5_spread; /**< of neighbouring points, as shares; NaN: not known */
};

/** Choose the number. The rule is in docs/internals/statistics.md. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_trend_stat_choose(const struct pp_trend_points *points,
                                                             const struct pp_diff_options *options,
                                                             struct pp_trend_stat *ret);

/** Points that a figure needs, to be searched for changes. */
#define PP_TREND_LEAST (2 * PP_CHANGE_POINT_LEAST)

/** A figure over all points. */
struct pp_trend_series {
    enum pp_diff_kind kind; /**< PP_DIFF_FRAME, PP_DIFF_PASS, PP_DIFF_COUNTER */
    enum pp_diff_unit unit;
    enum pp_diff_stat stat;
    char *name;     /**< owned */
    const char *id; /**< of a pass; else "" */
    double *value;  /**< for each point the median of its runs; NaN: it lacks the figure. Owned */
    size_t values;  /**< points that have it */
    struct pp_change_point *change; /**< indexes are those of points; owned */
    size_t changes;
};

/** A trend. Owned; begin with all zero. */
struct pp_trend {
    struct pp_trend_points points;
    struct pp_trend_stat stat;      /**< which number of a run is compared */
    struct pp_trend_series *series; /**< frames, then passes by their last cost, then counters */
    size_t len, cap;
};

/**
 * Find the changes of the figures of the surface with the most GPU time: frame time and GPU time by the
 * options' stat, and each pass; with options->metric only those times and counters of frames that have this
 * name.
 *
 * @param options stat, choose_stat, threshold, min_ns and metric count. Passes that are always below min_ns
 * are left out.
 * @param trend   Has points; the caller calls pp_trend_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_trend_make(struct pp_trend *trend,
                                                      const struct pp_diff_options *options);

/** The point before a change: the last one that has the figure. @return Its index. */
size_t pp_trend_point_before(const struct pp_trend_series *series, const struct pp_change_point *change);

/** Free everything; the struct is all zero then. */
void pp_trend_finish(struct pp_trend *trend);

#endif
