/** @file
 * The summary of a session, 80 columns wide: what `stat` prints, and the head of `report`. Prints the figures
 * of analysis/summary.h; decides nothing. */
#ifndef PP_CLI_PRINT_SUMMARY_H
#define PP_CLI_PRINT_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** How wide the command in the first line may be. */
#define PP_SUMMARY_TITLE_COLUMNS 60U

/** What a summary says that the session's files do not have. */
struct pp_summary_look {
    const char *command; /**< as typed; NULL: the session's own */
    const char *dir;     /**< of the session */
    const char *operand; /**< what follows `passprobe report` in hints, so that it reads this session: " DIR";
                            NULL: nothing */
    const char *end;     /**< a sentence on how the recorded process ended, if not regularly; else "" */
    bool tables_follow;  /**< leave out passes, draws and counters: longer tables of them follow */
    bool verbose;        /**< details of cost, of what is missing, of definitions */
    const struct pp_window_given *window; /**< which frames were asked for; NULL: all */
    const struct pp_view *view;           /**< which passes; NULL: all */
    size_t entries;                       /**< rows of each table; 0: as many as fit a screen */
};

/**
 * Print a session: a block of tables for each surface that matters, then what concerns all surfaces.
 *
 * @param rec Its series get sorted; its tables show all surfaces afterwards.
 */
void pp_summary_print(FILE *out, struct pp_saved_session *rec, const struct pp_summary_look *look);

#endif
