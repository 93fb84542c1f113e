/** @file
 * A trend as JSON: docs/formats/trend.schema.json. See compare/trend.h. */
#ifndef PP_CLI_JSON_TREND_JSON_H
#define PP_CLI_JSON_TREND_JSON_H

#include <jansson.h>

#include "cli/compare/trend.h"

/** Make the JSON. @return A new reference; NULL: no memory. */
json_t *pp_trend_json_make(const struct pp_trend *trend, const struct pp_diff_options *options);

#endif
