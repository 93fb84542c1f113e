/** @file
 * `passprobe report --html`: a session as one page. See also html/html_report.h. */
#ifndef PP_CLI_COMMANDS_REPORT_HTML_H
#define PP_CLI_COMMANDS_REPORT_HTML_H

#include <stdbool.h>

#include "cli/session/saved_session.h"

/** Write the page. @param rec Read from a directory. @param dir Path of the session. @param file Name of the
 * page, which must not exist: FILE.html. @return Exit status; a message was printed if it is not 0. */
int pp_report_html(struct pp_saved_session *rec, const char *dir, const char *file);

#endif
