/** @file
 * Asks a database of many sessions for the figures of runs. See run.h. */
#ifndef PP_CLI_COMPARE_RUN_FLEET_H
#define PP_CLI_COMPARE_RUN_FLEET_H

#include "cli/compare/run.h"

/**
 * Read runs from an address such as clickhouse://USER@HOST/DATABASE?build=1234&scene=town. The password is in
 * PASSPROBE_PUSH_PASSWORD. Each session is a run, in the order of their begin. `tags.build` of the JSON of a
 * run is its build.
 *
 * @param ret      The caller finishes each run, and frees the array; unchanged on failure.
 * @param ret_runs At least 1.
 * @param why      PP_RUN_WHY bytes: a whole message; set on failure.
 * @retval 0, -ENOMEM. @retval -EINVAL The address is wrong, it has no such session, or sessions of several
 * GPUs. @retval -EIO The server does not answer.
 */
__attribute__((warn_unused_result)) int pp_run_fleet_read(const char *address, struct pp_run_figures **ret,
                                                          size_t *ret_runs, char *why);

#endif
