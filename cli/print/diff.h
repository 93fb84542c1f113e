/** @file
 * Prints a comparison of sessions as tables, and what the limits of `diff --fail-above` say; writes it in
 * forms of other programs. A foreign name stays a name there, whatever it holds. See compare/diff.h and
 * compare/limit_check.h. */
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

/** A comparison for other programs. */
struct pp_diff_report {
    const struct pp_diff *diff; /**< like checks, NULL where there is none */
    const struct pp_limit_checks *checks;
    bool refused;    /**< the sides are not comparable, and --force was not given */
    bool strict;     /**< what is unclear fails */
    const char *why; /**< the sides could not be read, and there is no comparison; NULL: there is one */
};

/** Write a comparison as Markdown, for a comment in a merge request: whether it is slower, a table of frames
 * and passes, the limits, and what was not compared. Names of applications are shown as code, so that they
 * contain no markup. */
void pp_diff_markdown_write(FILE *out, const struct pp_diff_report *report);

/** Write a comparison as JUnit XML, which continuous integration shows as tests.
 *
 * With limits, each row of each limit is a test: it fails above its limit, is skipped where that may be
 * chance, and has an error if nothing can be judged. Without limits, each row that decides the exit status is
 * a test: it fails if it is slower, and is skipped if that is unclear. Sides that are not comparable are one
 * test with an error. The time of a test is the new time in seconds. */
void pp_diff_junit_write(FILE *out, const struct pp_diff_report *report);

#endif
