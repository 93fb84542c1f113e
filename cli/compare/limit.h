/** @file
 * A limit of `diff --fail-above`: which figures may become how much worse. This file reads the expression; it
 * knows no session. docs/options.yaml (fail-above) has the grammar. Next: limit_check.h, which applies limits
 * to a comparison. */
#ifndef PP_CLI_COMPARE_LIMIT_H
#define PP_CLI_COMPARE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/diff.h"

/** Bytes of an expression at most. */
#define PP_LIMIT_TEXT_MOST 1024U

/** What is wrong with an expression, and where. */
struct pp_limit_error {
    unsigned column; /**< from 1 */
    char message[256];
};

/** A limit. */
struct pp_limit {
    char *text;             /**< the expression, as given; owned */
    enum pp_diff_kind kind; /**< of the rows that it is about */
    enum pp_diff_stat stat; /**< of these rows; PP_DIFF_TOTAL: rows without a choice of statistics */
    bool stat_given;        /**< by the expression; else diff may choose p5 in its place */
    char *name;             /**< of frames: the name of the row; else a pattern of names
                                        (pp_view_matches()); owned */
    bool pattern;           /**< the name has *, ? or [ */
    bool relative;          /**< the limit is a share of the old value: 0.03 is 3 % */
    double most;            /**< else in the unit of the row: nanoseconds, frames per second, a count */
    const char *unit;       /**< as given: "%", "ms", ...; "": a number without a unit; static */
    double unit_size;       /**< in the unit of the row: 1e6 for ms */
};

/**
 * Read an expression: `WHAT[:STATISTIC] LIMIT`.
 *
 * @param text  Borrowed.
 * @param ret   pp_limit_finish() frees it; unchanged on failure.
 * @param error Set if the expression is wrong.
 * @retval 0, -EINVAL, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_limit_parse(const char *text, struct pp_limit *ret,
                                                       struct pp_limit_error *error);

/** Read a number of 0 or more at the begin of a text: digits and at most one '.', whatever the locale. @param
 * ret_end After the number. @return false: there is none, or it is too large. */
bool pp_limit_number(const char *text, double *ret, const char **ret_end);

/** How an expression names a row of a comparison: "frame-time:p50", "pass:scene: shadow map:mean". @return An
 * owned text; NULL: limits cannot name such rows, or no memory. */
char *pp_limit_figure_of(const struct pp_diff_row *row);

/** Free the texts of a limit. The struct is all zero then. */
void pp_limit_finish(struct pp_limit *limit);

#endif
