/** @file
 * Turns the answer of a database into the figures of runs. The answer is not trusted: it becomes the JSON of
 * reports, which is checked like that of any file. Opens nothing. A part of run_open.c. */
#ifndef PP_CLI_COMPARE_FLEET_ROWS_H
#define PP_CLI_COMPARE_FLEET_ROWS_H

#include "cli/compare/run.h"

/**
 * Take the rows that run_figures.sql gives: an object in JSON on each line.
 *
 * @param address  Names the runs in messages.
 * @param ret      The caller finishes each run, and frees the array; unchanged on failure.
 * @param ret_runs At least 1.
 * @param why      PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM. @retval -EINVAL A row is something else, there is none, or they belong to several GPUs
 * or drivers. @retval -E2BIG There are too many.
 */
__attribute__((warn_unused_result)) int pp_fleet_rows_take(const char *address, const char *text,
                                                           struct pp_run_figures **ret, size_t *ret_runs,
                                                           char *why);

#endif
