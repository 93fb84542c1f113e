/** @file
 * Errors about the window of --frames, --time or --between, the same in each command that reads a session. */
#ifndef PP_CLI_COMMANDS_WINDOW_ERROR_H
#define PP_CLI_COMMANDS_WINDOW_ERROR_H

#include "cli/session/frame_window.h"
#include "cli/session/saved_session.h"

/** Print that an option's value is wrong. @param option As pp_frame_window_parse() returned it.
 * @return PP_EXIT_FAILED. */
int pp_window_error_value(const struct pp_window_given *given, const char *option);

/** Print that no frame is in the window. @param dir The session, as messages name it. @return PP_EXIT_FAILED.
 */
int pp_window_error_missed(const struct pp_saved_session *rec, const char *dir);

#endif
