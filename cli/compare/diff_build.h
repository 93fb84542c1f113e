/** @file
 * Makes rows of a comparison: asks each run for its number. A part of diff.h, for its files only. */
#ifndef PP_CLI_COMPARE_DIFF_BUILD_H
#define PP_CLI_COMPARE_DIFF_BUILD_H

#include "cli/compare/diff.h"

/** The number of a run. */
struct pp_diff_number {
    double value;        /**< NaN: the run lacks it */
    double half;         /**< half of its interval from within the run; NaN: not known */
    bool too_correlated; /**< the half is too small */
};

/** Asks a run. @param surface NULL: the run lacks the surface. @param key As given to pp_diff_add(). */
typedef struct pp_diff_number pp_diff_ask(const struct pp_run_figures *run,
                                          const struct pp_run_surface *surface, const void *key);

/** A part that is being made. */
struct pp_diff_build {
    const struct pp_diff *diff;
    struct pp_diff_part *part;
    const struct pp_run_surface **old_surface, **new_surface; /**< of each run; NULL: it lacks the surface */
    double *olds, *news;                                      /**< a number for each run */
};

/** What the runs of both sides are asked for; NULL: the runs of a side lack it, and are not asked. */
struct pp_diff_keys {
    const void *olds, *news;
};

/** Ask all runs: build->olds and build->news have their numbers then. */
void pp_diff_ask_runs(struct pp_diff_build *build, pp_diff_ask *ask, const struct pp_diff_keys *keys);

/** Append a row.
 * @param row      Kind, unit, stat, and what the values do not say; its name is copied.
 * @param old_key  For runs of the old side; NULL: these lack it, and are not asked.
 * @param new_key  Likewise of the new side.
 * @param ret      The row, until the next one is added; NULL: not wanted.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add(struct pp_diff_build *build,
                                                    const struct pp_diff_row *row, const char *name,
                                                    pp_diff_ask *ask, const void *old_key,
                                                    const void *new_key, struct pp_diff_row **ret);

/** Is this a time, count or counter that the options ask for? */
bool pp_diff_takes(const struct pp_diff_build *build, const char *name);

/** A number without an interval. */
struct pp_diff_number pp_diff_number(double value);

/** Half of the interval of a statistic from within the run; NaN: not known. */
double pp_diff_half_of(const struct pp_spread *within, enum pp_diff_stat stat);

/** The number of a statistic; NaN where the JSON has none. */
struct pp_diff_number pp_diff_stat_of(const struct pp_time_figures *times, enum pp_diff_stat stat);

#endif
