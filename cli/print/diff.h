/** @file
 * Prints a comparison of sessions as tables, and what the limits of `diff --fail-above` say. See
 * compare/diff.h and compare/limit_check.h. */
#ifndef PP_CLI_PRINT_DIFF_H
#define PP_CLI_PRINT_DIFF_H

#include <stdio.h>

#include "cli/compare/diff.h"
#include "cli/compare/limit_check.h"

/** How much is printed. */
struct pp_diff_look {
    bool all;    /**< also rows that did not change, or are small */
    size_t most; /**< rows of each table at most */
};

/** Print what the sides are, what was not compared, and all tables. */
void pp_diff_print(FILE *out, const struct pp_diff *diff, const struct pp_diff_look *look);

/** Print on stderr why the sides cannot be compared, one line for each reason. */
void pp_diff_print_refusal(const struct pp_diff *diff);

/** Print one line on stderr if the frame is neither slower, faster nor the same. @return Was it printed? */
bool pp_diff_print_unclear(const struct pp_diff *diff);

/** Print each limit with the rows above it, or else with its worst row. Prints nothing without limits. */
void pp_diff_limits_print(FILE *out, const struct pp_limit_checks *checks);

/** Print on stderr which limits could not be judged, where a row above its limit may be chance, and the notes
 * of limits. */
void pp_diff_limits_warn(const struct pp_limit_checks *checks);

#endif
