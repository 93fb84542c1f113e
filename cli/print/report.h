/** @file
 * What `stat` and `report` print as text, 80 columns wide: the summary of a session, its counters, its draws.
 * Prints the figures of analysis/; decides nothing. */
#ifndef PP_CLI_PRINT_REPORT_H
#define PP_CLI_PRINT_REPORT_H

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

/* The counters and derived metrics of a session as text: means over the frames whose times are shown, with
 * units. Knows how columns name their units; knows no file. See also saved_session.h. */

/** Print what frames of surface @p s have, counters first, then metrics; prints nothing if there are none.
 * @param report In report's looks: titles are lines of "# ", and no counter is left out. */
void pp_counters_print(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_surface *s,
                       bool report);

/** Print the metrics of each pass, in report's looks. @param most Passes at most. */
void pp_counters_print_passes(FILE *out, const struct pp_saved_session *rec, size_t most);

/* The tables of draws. Draws with GPU time are ranked by it; those whose driver has none inside a pass, by
 * the shaders' work. See also analysis/draw_table.h. */

/** Print stat's table: share, cost in a frame, vertices, place and name; at most 80 columns, and @p most rows
 * of each kind. Sorts the series and the draws. */
void pp_draws_print_short(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most);

/** Print report's table: share, mean, p95, cost in a frame, count, vertices, id, name. Sorts the series and
 * the draws. */
void pp_draws_print_long(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most);

#endif
