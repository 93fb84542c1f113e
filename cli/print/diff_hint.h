/** @file
 * Prints what would make an unclear change clear, if a side has too few runs for a verdict. A part of
 * print/diff.h. */
#ifndef PP_CLI_PRINT_DIFF_HINT_H
#define PP_CLI_PRINT_DIFF_HINT_H

#include <stdio.h>

#include "cli/compare/diff.h"

/** Print why the largest change of the frame that decides cannot be judged, and how many runs would decide.
 * Prints nothing if there are enough runs, or if no such change is above the threshold. */
void pp_diff_hint_print(FILE *out, const struct pp_diff *diff);

#endif
