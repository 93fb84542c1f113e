/** @file
 * Prints a trend as text. See compare/trend.h. */
#ifndef PP_CLI_PRINT_TREND_H
#define PP_CLI_PRINT_TREND_H

#include <stdio.h>

#include "cli/compare/trend.h"
#include "cli/print/diff.h"

/** Print the changes of a trend, the newest one first in each figure.
 * @param threshold As a share.
 * @param look      all: all figures, also those that did not change; most: figures that changed at most. */
void pp_trend_print(FILE *out, const struct pp_trend *trend, double threshold,
                    const struct pp_diff_look *look);

#endif
