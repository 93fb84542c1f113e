/** @file
 * Reads a file of summaries: what `report --json` or `stat --json` wrote, for one run or for several ones. A
 * part of run_open.h, and for its file only. */
#ifndef PP_CLI_COMPARE_RUN_FILE_H
#define PP_CLI_COMPARE_RUN_FILE_H

#include <stdio.h>

#include "cli/compare/run.h"

/** Runs of one file at most. */
#define PP_RUN_FILE_RUNS_MOST 1024U

/** Open a path if it is a file in JSON. @return The caller closes it; NULL: it is none. */
FILE *pp_run_file_open(const char *path);

/**
 * Read all runs of a file. They may follow one another, or be elements of a list.
 *
 * @param path     Names the file in messages, and with a number each of several runs.
 * @param ret      The caller finishes each run, and frees the array; unchanged on failure.
 * @param ret_runs At least 1.
 * @param why      PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM, -errno. @retval -EFBIG It is too large. @retval -EINVAL It has no runs, or something
 * else.
 */
__attribute__((warn_unused_result)) int
pp_run_file_read(FILE *in, const char *path, struct pp_run_figures **ret, size_t *ret_runs, char *why);

#endif
