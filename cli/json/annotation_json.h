/** @file
 * What `annotate --json` writes. docs/formats/annotate.schema.json describes it. Prints nothing. */
#ifndef PP_CLI_JSON_ANNOTATION_JSON_H
#define PP_CLI_JSON_ANNOTATION_JSON_H

#include <jansson.h>

#include "cli/analysis/annotation.h"

/** Version of the format. It rises when a member is added. */
#define PP_ANNOTATION_JSON_SCHEMA 2

/**
 * Make the JSON of an annotation.
 *
 * @param dir     Path of the session.
 * @param counter Name of the counter; NULL: none.
 * @param takes   Which rows; NULL: all.
 * @return A new reference; NULL: no memory.
 */
json_t *pp_annotation_json_make(const struct pp_annotation *annotation, const char *dir, const char *counter,
                                bool (*takes)(void *data, const struct pp_annotated *row), void *data);

#endif
