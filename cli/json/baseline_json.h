/** @file
 * A baseline: the summary of a session without what a comparison does not need, for `report --baseline`.
 * Prints nothing. See report_json.h for the summary, compare/run.h for what is read. */
#ifndef PP_CLI_JSON_BASELINE_JSON_H
#define PP_CLI_JSON_BASELINE_JSON_H

#include <jansson.h>
#include <stdio.h>

/** Make the baseline of a summary. @param report As pp_report_json_make() makes it; borrowed. @return A new
 * reference; NULL: no memory. */
json_t *pp_baseline_json_make(const json_t *report);

/** Write a baseline as one line. @param baseline NULL: there was no memory. The caller keeps its reference.
 * @retval 0, -ENOMEM, -errno. */
__attribute__((warn_unused_result)) int pp_baseline_json_write(FILE *out, const json_t *baseline);

#endif
