/** @file
 * The sessions of folders as JSON, for `sessions --json`. docs/formats/sessions.schema.json describes it.
 * Prints nothing. */
#ifndef PP_CLI_JSON_SESSIONS_JSON_H
#define PP_CLI_JSON_SESSIONS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/session/session_open.h"

/** Version of the format. It rises when a member is added. */
#define PP_SESSIONS_JSON_SCHEMA 2

/** Make the frame of the list, without folders. @return A new reference; NULL: no memory. */
json_t *pp_sessions_json_make(void);

/** Add a folder with its sessions. @param bounded Only its newest sessions stay there. */
void pp_sessions_json_add(json_t *sessions, const char *folder, const struct pp_session_list *list,
                          bool bounded);

#endif
