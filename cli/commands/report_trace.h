/** @file
 * `passprobe report --trace`: a session as a trace for viewers of timelines. */
#ifndef PP_CLI_COMMANDS_REPORT_TRACE_H
#define PP_CLI_COMMANDS_REPORT_TRACE_H

#include <stdbool.h>

#include "cli/session/frame_window.h"
#include "cli/session/session_open.h"

/** What --trace asks for. Texts are borrowed from the command line. */
struct pp_report_trace {
    const char *file; /**< "-": standard output; NULL: not given */
    bool chrome;      /**< Chrome's JSON instead of Perfetto's format */
    bool format;      /**< the format was named */
};

/** Take a value of --trace: the name of a format, or of the file. */
void pp_report_trace_take(struct pp_report_trace *trace, const char *value);

/** Write the trace. @param given The frames that are asked for. @return Exit status. */
int pp_report_trace(const struct pp_opened_session *session, const struct pp_report_trace *trace,
                    const struct pp_window_given *given);

#endif
