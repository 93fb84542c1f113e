/** @file
 * Whether recording was stopped, as session.json says (--paused, `passprobe ctl stop`). Prints nothing. */
#ifndef PP_CLI_SESSION_SESSION_PAUSED_H
#define PP_CLI_SESSION_SESSION_PAUSED_H

#include <jansson.h>
#include <stdbool.h>

/** Is recording stopped, after all changes that session.json has? @param json session.json; NULL: false. */
bool pp_session_is_paused(const json_t *json);

/** Was recording stopped from the begin, and never started? @param json session.json; NULL: false. */
bool pp_session_never_recorded(const json_t *json);

#endif
