/** @file
 * session.json: reads it, or its spare where that is newer, and answers what several commands ask of it: the
 * session's id, whether recording was stopped, and which of its numbers are none because others forged it.
 * Also finds the newer frames.csv. */
#ifndef PP_CLI_SESSION_SESSION_JSON_H
#define PP_CLI_SESSION_SESSION_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "counters/util/random.h"

/**
 * Read session.json, or its spare where that is newer.
 *
 * @param why         At least 256 bytes for the reason why there is none.
 * @param ret_missing There is no file of that name, and nothing newer.
 * @return Owned by the caller; NULL: missing or broken.
 */
json_t *pp_saved_load_json(int dir_fd, char *why, size_t size, bool *ret_missing);

/** The name of the file that holds frames: frames.csv, or its spare where that is newer. */
const char *pp_saved_frames_file(int dir_fd);

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

/** Bytes of a session's id as text: 32 hexadecimal digits and a NUL. */
#define PP_SESSION_ID_MAX PP_RANDOM_ID_MAX

/**
 * Find the id of a session.
 *
 * It is the member `session_id`. Sessions of older versions have none: their id is the first half of a
 * SHA-256 over what distinguishes them (docs/formats/session.md). A member that is no id is refused, because
 * it could be part of the name of a file or of a query.
 *
 * @param json session.json; NULL: it could not be read.
 * @param ret  PP_SESSION_ID_MAX bytes, 32 lower-case hexadecimal digits; unchanged on failure.
 * @retval 0
 * @retval -EINVAL  The member `session_id` is no id.
 * @retval -ENODATA There is none, and the members from which it would be made are missing.
 */
__attribute__((warn_unused_result)) int pp_session_id(const json_t *json, char *ret);

/** Is recording stopped, after all changes that session.json has? @param json session.json; NULL: false. */
bool pp_session_is_paused(const json_t *json);

/** Was recording stopped from the begin, and never started? @param json session.json; NULL: false. */
bool pp_session_never_recorded(const json_t *json);

#endif
