/** @file
 * Merges runs of one workload into one session: the first run has times and texts, each other run has the
 * counters of one counter set. Rows are merged where the counts of the work are equal. */
#ifndef PP_CLI_MERGE_MERGE_H
#define PP_CLI_MERGE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/merge/merge_run.h"

/** What to merge. */
struct pp_merge_request {
    const int *dir_fd;        /**< the sessions of the runs; -1: the run left none */
    const char *const *place; /**< where each session is kept; NULL: it is deleted */
    size_t runs;              /**< 1 to PP_MERGE_RUNS */
    const char *events;       /**< `-e` and `--runs-for` together */
    const char *runs_for;     /**< value of --runs-for */
    uint32_t wanted;          /**< runs that the events need */
    const char *ended;        /**< why there are fewer runs than that; NULL: there are not */
};

/**
 * Merge sessions into a directory.
 *
 * session.json is written first, with an `ended` that says that the session is not complete, and again at the
 * end. So a session whose merge was killed says so. The sessions of the runs are not changed.
 *
 * @param out_fd An empty directory; borrowed.
 * @retval 0
 * @retval -ENODATA The session of the first run cannot be read.
 * @retval -ENOMEM
 * @retval -errno   Writing failed; what was written is a session that is not complete.
 */
__attribute__((warn_unused_result)) int pp_merge(const struct pp_merge_request *request, int out_fd);

#endif
