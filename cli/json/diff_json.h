/** @file
 * A comparison of sessions as JSON, for `diff --json`. docs/formats/diff.schema.json describes it. Prints
 * nothing. */
#ifndef PP_CLI_JSON_DIFF_JSON_H
#define PP_CLI_JSON_DIFF_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/analysis/table.h"
#include "cli/compare/limit_check.h"

/** Version of the format. It rises when a member is added. */
#define PP_DIFF_JSON_SCHEMA 2

/** The columns of the rows. */
extern const struct pp_columns pp_diff_columns;

/** Make the JSON of a comparison and of its limits. @param texts Also texts, as `diff` prints them, for
 * passprobe's own page. @return A new reference; NULL: no memory. */
json_t *pp_diff_json_make(const struct pp_diff *diff, const struct pp_limit_checks *checks, bool texts);

#endif
