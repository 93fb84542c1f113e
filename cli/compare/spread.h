/** @file
 * Module: what repeated runs of one command say, as plain structs: for each figure its mean, how much it
 * differs between runs, and how much it varies within a run. Prints nothing. See run.h for a run, diff.h for
 * two sides; print/runs.h and commands/stat.c write it. */
#ifndef PP_CLI_COMPARE_SPREAD_H
#define PP_CLI_COMPARE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/run.h"
#include "counters/stats/stats_spread.h"

/** What a row is about. */
enum pp_runs_spread_kind {
    PP_SPREAD_FPS,     /**< average frame rate of a run */
    PP_SPREAD_TIME,    /**< a time of frames: the run's mean, nanoseconds */
    PP_SPREAD_PASS,    /**< GPU time of a pass in a measured frame: the run's mean, nanoseconds */
    PP_SPREAD_COUNTER, /**< a counter or metric of frames: the run's mean */
    PP_SPREAD_KINDS
};

/** A figure. Texts are borrowed of the runs. */
struct pp_runs_spread_row {
    enum pp_runs_spread_kind kind;
    const char *name;             /**< "fps", "frame_time", ...; a pass's name; a counter's column */
    const char *label, *id;       /**< of a pass; else "" */
    double *value;                /**< of each run; owned; NaN: the run lacks it. A pass that its frames lack
                                     costs 0 */
    struct pp_run_spread between; /**< the runs */
    double p50, p95, p99; /**< within a run: percentiles of frames, or of one time that the pass ran; the
                             mean over the runs; NaN: not known */
};

/** Repeated runs. Owned. */
struct pp_runs_spread {
    const struct pp_run_figures *run; /**< borrowed */
    size_t runs;
    struct pp_runs_spread_row *row; /**< by kind; passes by their time, the largest first */
    size_t len, cap;
    bool other_surfaces; /**< a run has more than the surface that is described: that with most GPU time */
};

/** Describe runs of one command. @param runs 1 or more; borrowed until pp_runs_spread_finish(). @param ret
 * Set on success. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_runs_spread_make(const struct pp_run_figures *run, size_t runs,
                                                            struct pp_runs_spread *ret);

/** How well the mean of the frame is known: the larger relative half width of the 95 % intervals of frame
 * time and GPU time, as far as the runs have them. NaN: not known. */
double pp_runs_spread_of_frame(const struct pp_runs_spread *spread);

/** Free everything; the struct is all zero then. */
void pp_runs_spread_finish(struct pp_runs_spread *spread);

#endif
