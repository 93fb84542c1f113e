/** @file
 * Figures of passes and of groups of draws as JSON. A part of report_json.h. Prints nothing. */
#ifndef PP_CLI_JSON_PASS_JSON_H
#define PP_CLI_JSON_PASS_JSON_H

#include <jansson.h>

#include "cli/analysis/pass_table.h"
#include "cli/session/saved_session.h"

/** Groups of draws of a surface at most: those with the largest totals. */
#define PP_JSON_DRAW_GROUPS 128U

/** A pass with its figures and counters. @param title As tables print it; NULL: without. @return A new
 * reference. */
json_t *pp_json_pass(const struct pp_saved_session *rec, const struct pp_pass_figures *row,
                     const char *title);

/** Add the size of a surface, as its passes have it: the members `width` and `height`. They are those of the
 * last pass in the frame that renders in most frames; null: not known. */
void pp_json_put_size(json_t *surface, const struct pp_pass_table *passes);

/** Add the draws of the surface that the session shows, by shader program or pipeline: the member
 * `draw_groups`. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_json_put_draw_groups(json_t *surface,
                                                                struct pp_saved_session *rec);

#endif
