/** @file
 * What a running application says: its status, as its control socket gives it (docs/formats/control.md), and
 * the lines of `stat -I`, one for each interval. */
#ifndef PP_CLI_PRINT_RUNNING_H
#define PP_CLI_PRINT_RUNNING_H

#include <jansson.h>
#include <stdio.h>

#include "cli/analysis/live_interval.h"

/** Print one line: the application, its state and its level. */
void pp_application_state_print(FILE *out, const json_t *status);

/** Print one line after a mark was set: the frame that had not ended then. @param status The answer. */
void pp_application_mark_print(FILE *out, const json_t *status);

/** Print the whole status, in four lines. */
void pp_application_status_print(FILE *out, const json_t *status);

/** Print the figures since the last line of `watch`, in one line. */
void pp_application_interval_print(FILE *out, const json_t *status);

/** Print an interval's line. @param at_s Seconds since the application's start. */
void pp_live_interval_print(FILE *out, double at_s, const struct pp_live_interval_figures *figures);

#endif
