/** @file
 * What commands print that read one session of several. */
#ifndef PP_CLI_COMMANDS_SHOWN_RUN_H
#define PP_CLI_COMMANDS_SHOWN_RUN_H

#include "cli/session/session_open.h"

/** Print which of repeated runs is read, if the user named their folder. */
void pp_shown_run_note(const struct pp_opened_session *session);

#endif
