/** @file
 * The points of a trend: sessions, archives and summaries of builds, in order of their time. A part of
 * trend.h. */
#ifndef PP_CLI_COMPARE_TREND_POINTS_H
#define PP_CLI_COMPARE_TREND_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/diff_side.h"

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

#endif
