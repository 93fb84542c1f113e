/** @file
 * A comparison as Markdown, for a comment in a merge request. See compare/diff.h. */
#ifndef PP_CLI_PRINT_DIFF_MARKDOWN_H
#define PP_CLI_PRINT_DIFF_MARKDOWN_H

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

#endif
