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

/**
 * Read the points.
 *
 * One path that is a folder without session.json: each session, archive, summary and folder of repeated runs
 * in it is a point; what cannot be read is left out. One path that is the address of a database: each build
 * in it is a point, with all of its sessions. Otherwise each path is a point. All runs of a file of
 * summaries are one point. So are the runs of a folder that count by its runs.json; without this file all
 * sessions of the folder do. Such a folder alone is no series. The points are in order of the time at which
 * their first run began; if a point has no such time, in the order of the names or paths. Points of another
 * device, API, resolution or level than the newest point are left out.
 *
 * @param window Frames that count, as for pp_run_figures_read().
 * @param ret    The caller finishes it whatever is returned.
 * @param why    PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM, -errno. @retval -EINVAL A path cannot be read as a point, or there are too many.
 */
__attribute__((warn_unused_result)) int pp_trend_points_read(char *const *path, size_t paths,
                                                             const struct pp_window_given *window,
                                                             struct pp_trend_points *ret, char *why);

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
