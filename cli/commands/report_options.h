/** @file
 * The options of `passprobe report`, read from its command line. See also report.c. */
#ifndef PP_CLI_COMMANDS_REPORT_OPTIONS_H
#define PP_CLI_COMMANDS_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/analysis/view.h"
#include "cli/commands/report_trace.h"
#include "cli/session/frame_window.h"

/** What a report shows. Texts are borrowed from the command line. */
struct pp_report_options {
    size_t passes, others;   /**< rows of each table */
    size_t entries;          /**< --entries; 0: not given */
    bool all;                /**< --entries 0: no row is left out or folded */
    const char *openmetrics; /**< file; NULL: not given */
    bool help, verbose, json, csv;
    bool baseline;     /**< --baseline */
    const char *frame; /**< --frame; NULL: not given */
    const char *worst; /**< --worst; NULL: not given */
    bool folded;       /**< --folded */
    const char *flame; /**< --flame; NULL: not given */
    const char *html;  /**< --html; NULL: not given */
    struct pp_report_trace trace;
    struct pp_window_given window;
    struct pp_view view;
    const char *session; /**< NULL: the newest one */
};

/** Read the command line of `report`. @return 0; PP_EXIT_FAILED: a message was printed. */
__attribute__((warn_unused_result)) int pp_report_options_read(int argc, char **argv,
                                                               struct pp_report_options *ret);

#endif
