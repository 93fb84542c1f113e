/** @file
 * The table of label regions. See also saved_session.h. */
#ifndef PP_CLI_PRINT_LABELS_H
#define PP_CLI_PRINT_LABELS_H

#include <stdio.h>

#include "cli/session/saved_session.h"

/** Print report's table of label regions: time with and without the regions inside, share of the GPU time of
 * all passes. */
void pp_labels_print(FILE *out, const struct pp_saved_session *rec, size_t most);

#endif
