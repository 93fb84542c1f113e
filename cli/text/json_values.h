/** @file
 * Numbers and texts as JSON: a number that is not known is null, and a text is valid UTF-8. Also the writer,
 * and what reads them again.
 */
#ifndef PP_CLI_TEXT_JSON_VALUES_H
#define PP_CLI_TEXT_JSON_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/** A number; null where it is not finite. @return A new reference; NULL: no memory. */
json_t *pp_json_number(double value);

/** A text whose broken UTF-8 is replaced. @return A new reference; NULL: no memory. */
json_t *pp_json_text(const char *value);

/** Add a member to an object. @param value Its reference is taken; NULL: no memory. */
void pp_json_put(json_t *object, const char *name, json_t *value);

/** Append a value to an array. @param value Its reference is taken; NULL: no memory. */
void pp_json_append(json_t *array, json_t *value);

/** Add a number to an object, as pp_json_number() makes it. */
void pp_json_put_number(json_t *object, const char *name, double value);

/** Add a text to an object, as pp_json_text() makes it. @param value NULL: null. */
void pp_json_put_text(json_t *object, const char *name, const char *value);

/** Add a text that is known to an object; null where it is NULL or "". */
void pp_json_put_known(json_t *object, const char *name, const char *value);

/** Add a truth to an object. */
void pp_json_put_truth(json_t *object, const char *name, bool value);

/** A number; NaN where the value is none. @param value May be NULL. */
double pp_json_value(const json_t *value);

/** A number of an object; NaN where it has none. @param object May be NULL. */
double pp_json_get_number(const json_t *object, const char *name);

/** A text of an object, borrowed; NULL where it has none. @param object May be NULL. */
const char *pp_json_get_text(const json_t *object, const char *name);

/** Give all numbers of a value the digits with which pp_json_write() writes them. @param value May be NULL.
 */
void pp_json_round(json_t *value);

/** Write a value, one member in each line, and flush the stream. @param value NULL: there was no memory. The
 * caller keeps its reference. @retval 0, -ENOMEM, -errno. */
__attribute__((warn_unused_result)) int pp_json_write(FILE *out, const json_t *value);

#endif
