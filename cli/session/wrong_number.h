/** @file
 * Finds members of JSON that must be numbers and are none: in session.json and in summaries, which others may
 * have forged. See also row_reader.h, which checks CSV. */
#ifndef PP_CLI_SESSION_WRONG_NUMBER_H
#define PP_CLI_SESSION_WRONG_NUMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * Find the first member that has a number beyond PP_CELL_MOST, or that has a text or a truth value among
 * counts and statistics.
 *
 * @param by_name Also where a member's name says that it is a number: of a unit (`..._ns`), a count, or a
 * counter (`source:name`). For summaries, whose names are all known.
 * @param key Set if true is returned: the path of the member, such as `surfaces[0].frames`; at most @p size
 * bytes. Else changed.
 */
bool pp_json_wrong_number(const json_t *json, bool by_name, char *key, size_t size);

#endif
