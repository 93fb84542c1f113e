/** @file
 * The summary of a session as JSON, for `report --json` and `stat --json`. docs/formats/report.schema.json
 * describes it. Prints nothing. */
#ifndef PP_CLI_JSON_REPORT_JSON_H
#define PP_CLI_JSON_REPORT_JSON_H

#include <stdio.h>

#include "cli/analysis/view.h"
#include "cli/session/saved_session.h"

/** Version of the format. It rises when a member is added. */
#define PP_REPORT_JSON_SCHEMA 7

/**
 * Make the summary of a session: all surfaces, and their labels.
 *
 * @param rec  Its series get sorted; its tables show all surfaces afterwards.
 * @param dir  Path of the session.
 * @param view Which passes and labels, and their order; no passes share a row.
 * @return A new reference; NULL: no memory.
 */
json_t *pp_report_json_make(struct pp_saved_session *rec, const char *dir, const struct pp_view *view);

/** Write the summary of a session to a stream, one member in each line. @retval 0, -ENOMEM, -errno. */
__attribute__((warn_unused_result)) int pp_report_json_write(FILE *out, struct pp_saved_session *rec,
                                                             const char *dir, const struct pp_view *view);

#endif
