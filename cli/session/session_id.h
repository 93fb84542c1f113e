/** @file
 * The number by which a session is known wherever it is copied to. Knows session.json, no other file. */
#ifndef PP_CLI_SESSION_SESSION_ID_H
#define PP_CLI_SESSION_SESSION_ID_H

#include <jansson.h>

#include "counters/util/random.h"

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

#endif
