/** @file
 * Which rows the tables of a report show, and in which order: --by, --sort, --pass, --percent-limit. Prints
 * nothing. See also pass_table.h. */
#ifndef PP_CLI_ANALYSIS_VIEW_H
#define PP_CLI_ANALYSIS_VIEW_H

#include <stdbool.h>

#include "cli/session/saved_session.h"

/** By which figure the rows of a table are ranked, in the order of --sort in docs/options.yaml. */
enum pp_sort { PP_SORT_TOTAL, PP_SORT_MEAN, PP_SORT_P95, PP_SORT_P99, PP_SORT_MAX, PP_SORT_COUNT, PP_SORTS };

/** What a row of a table is, in the order of --by in docs/options.yaml. */
enum pp_by {
    PP_BY_USUAL, /**< tables of passes, draws and labels */
    PP_BY_PASS,
    PP_BY_LABEL,
    PP_BY_PROGRAM, /**< draws with the same shader program or pipeline */
    PP_BY_CALL,    /**< draws of the same call */
    PP_BY_QUEUE,   /**< passes of the same queue */
    PP_BY_DRAW,
    PP_BYS
};

/** Rows that tables show. All zero: all rows, by their total. */
struct pp_view {
    bool fold;            /**< passes that ran once and cost little share one row */
    enum pp_by by;        /**< what a row is */
    enum pp_sort sort;    /**< the largest first */
    const char *pass;     /**< pattern: only passes that match it; NULL: all. Borrowed */
    bool all_columns;     /**< also the columns that few need: mean, count, ids */
    double percent_limit; /**< rows with a smaller share are left out */
    bool texts;           /**< JSON for passprobe's own page: also texts, as tables print them */
};

/** The name of the sort order of a view: of a column, as struct pp_table_column.sort has it. Static. */
const char *pp_view_sort_name(const struct pp_view *view);

/** Does a name match a pattern? A pattern with `*`, `?` or `[` fits the whole name, another one a part of
 * it; the case of letters does not matter. An empty pattern matches. */
bool pp_view_matches(const char *name, const char *pattern);

/** Does a view show a pass: does its label, its name, "label: name" or its pass_id match? */
bool pp_view_takes_pass(const struct pp_view *view, const struct pp_saved_pass *pass);

/** Does any pass or label of a session match? true, if the view has no pattern. */
bool pp_view_takes_any(const struct pp_view *view, const struct pp_saved_session *rec);

/** Is a share, NaN where it is not known, large enough? */
bool pp_view_takes_share(const struct pp_view *view, double percent);

/** Compare the figures of two rows for qsort(): the larger one comes first, an unknown one (NaN) last; 0:
 * equal. */
int pp_view_order(double a, double b);

#endif
