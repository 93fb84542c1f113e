/** @file
 * The counters and derived metrics of a session as text: means over the frames whose times are shown, with
 * units. Knows how columns name their units; knows no file. See also saved_session.h. */
#ifndef PP_CLI_PRINT_COUNTERS_H
#define PP_CLI_PRINT_COUNTERS_H

#include <stdio.h>

#include "cli/session/saved_session.h"

/** Print what frames of surface @p s have, counters first, then metrics; prints nothing if there are none.
 * @param report In report's looks: titles are lines of "# ", and no counter is left out. */
void pp_counters_print(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_surface *s,
                       bool report);

/** Print the metrics of each pass, in report's looks. @param most Passes at most. */
void pp_counters_print_passes(FILE *out, const struct pp_saved_session *rec, size_t most);

#endif
