/** @file
 * What commands that read a session print about it: which run of several it is, how to name it, and why a
 * window of frames is wrong. */
#ifndef PP_CLI_COMMANDS_SHOWN_SESSION_H
#define PP_CLI_COMMANDS_SHOWN_SESSION_H

#include <limits.h>

#include "cli/session/frame_window.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_open.h"

/** Print which of repeated runs is read, if the user named their folder. */
void pp_shown_run_note(const struct pp_opened_session *session);

/** Size of the text. */
#define PP_SESSION_OPERAND (PATH_MAX + 8)

/** Write what follows `passprobe report` so that it reads the session at @p dir: " DIR", quoted for a shell,
 * or "" if `passprobe report` reads this session anyway. @return @p text. */
const char *pp_session_operand(char text[PP_SESSION_OPERAND], const char *dir);

/** Print that an option's value is wrong. @param option As pp_frame_window_parse() returned it.
 * @return PP_EXIT_FAILED. */
int pp_window_error_value(const struct pp_window_given *given, const char *option);

/** Print that no frame is in the window. @param dir The session, as messages name it. @return PP_EXIT_FAILED.
 */
int pp_window_error_missed(const struct pp_saved_session *rec, const char *dir);

#endif
