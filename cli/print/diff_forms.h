/** @file
 * A comparison in forms of other programs: as Markdown, for a comment in a merge request, and as JUnit XML,
 * which continuous integration shows as tests. A foreign name stays a name there, whatever it holds. See
 * compare/diff.h. */
#ifndef PP_CLI_PRINT_DIFF_FORMS_H
#define PP_CLI_PRINT_DIFF_FORMS_H

#include <stdio.h>

#include "cli/compare/limit_check.h"

/**
 * Write a comparison as Markdown: whether it is slower, a table of frames and passes, the limits, and what
 * was not compared. Names of applications are shown as code, so that they contain no markup.
 *
 * @param refused The sides are not comparable, and --force was not given.
 * @retval 0, -ENOMEM. Errors of @p out are the caller's to find.
 */
__attribute__((warn_unused_result)) int pp_diff_markdown_write(FILE *out, const struct pp_diff *diff,
                                                               const struct pp_limit_checks *checks,
                                                               bool refused);

/** Write that the sides could not be compared, and why. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_markdown_not_compared(FILE *out, const char *why);

/**
 * Write a comparison as JUnit XML.
 *
 * With limits, each row of each limit is a test: it fails above its limit, is skipped where that may be
 * chance, and has an error if nothing can be judged. Without limits, each row that decides the exit status is
 * a test: it fails if it is slower, and is skipped if that is unclear. Sides that are not comparable are one
 * test with an error. The time of a test is the new time in seconds.
 *
 * @param refused The sides are not comparable, and --force was not given.
 * @param strict  What is unclear fails.
 * @retval 0, -ENOMEM. Errors of @p out are the caller's to find.
 */
__attribute__((warn_unused_result)) int pp_diff_junit_write(FILE *out, const struct pp_diff *diff,
                                                            const struct pp_limit_checks *checks,
                                                            bool refused, bool strict);

/** Write that the sides could not be compared: one test, an error. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_junit_not_compared(FILE *out, const char *why);

#endif
