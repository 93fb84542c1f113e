/** @file
 * session.json of a merged session. */
#ifndef PP_CLI_MERGE_MERGE_JSON_H
#define PP_CLI_MERGE_MERGE_JSON_H

#include "cli/merge/merge.h"
#include "cli/merge/merge_frames.h"

/**
 * Make the content: that of the first run, with the events of all runs, and the object `runs_for`.
 *
 * @param merge    Merged, or about to be.
 * @param finished false: the rows are not written yet, and `ended` says so.
 * @return Owned by the caller; NULL: no memory.
 */
json_t *pp_merge_json_make(const struct pp_merge *merge, const struct pp_merge_request *request,
                           bool finished);

#endif
