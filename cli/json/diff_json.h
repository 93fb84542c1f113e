/** @file
 * A comparison of sessions as JSON, for `diff --json`. docs/formats/diff.schema.json describes it. Prints
 * nothing. */
#ifndef PP_CLI_JSON_DIFF_JSON_H
#define PP_CLI_JSON_DIFF_JSON_H

#include <jansson.h>

#include "cli/compare/limit_check.h"

/** Version of the format. It rises when a member is added. */
#define PP_DIFF_JSON_SCHEMA 2

/** Make the JSON of a comparison and of its limits. @return A new reference; NULL: no memory. */
json_t *pp_diff_json_make(const struct pp_diff *diff, const struct pp_limit_checks *checks);

#endif
