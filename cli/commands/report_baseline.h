/** @file
 * `passprobe report --baseline`: what a later comparison needs of a session, or of repeated runs. */
#ifndef PP_CLI_COMMANDS_REPORT_BASELINE_H
#define PP_CLI_COMMANDS_REPORT_BASELINE_H

#include "cli/session/frame_window.h"
#include "cli/session/session_open.h"

/** Write a baseline to stdout: one line for each run. @param session Opened; of a folder with repeated runs,
 * all runs that count are written. @return Exit status. */
int pp_report_baseline(const struct pp_opened_session *session, const struct pp_window_given *window);

#endif
