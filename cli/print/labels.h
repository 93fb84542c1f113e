/** @file
 * The table of label regions. See also saved_session.h. */
#ifndef PP_CLI_PRINT_LABELS_H
#define PP_CLI_PRINT_LABELS_H

#include <stdio.h>

#include "cli/analysis/view.h"
#include "cli/session/saved_session.h"

/** Print report's table of label regions: share of the GPU time of all passes, time in a frame with and
 * without the regions inside, p95, p99, maximum with its frame, label; mean and count where the view asks for
 * them. At most @p most regions. Sorts the series. */
void pp_labels_print(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most);

#endif
