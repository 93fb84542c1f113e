/** @file
 * Repeated runs as JSON, for `stat -r --json`. docs/formats/runs.schema.json describes it. Prints nothing. */
#ifndef PP_CLI_JSON_SPREAD_JSON_H
#define PP_CLI_JSON_SPREAD_JSON_H

#include <jansson.h>

#include "cli/compare/spread.h"

/** Version of the format. It rises when a member is added. */
#define PP_SPREAD_JSON_SCHEMA 1

/** Make the JSON: the figures of all runs, and the report of each run. @param folder Path of the runs.
 * @return A new reference; NULL: no memory. */
json_t *pp_runs_spread_json_make(const struct pp_runs_spread *spread, const char *folder);

#endif
