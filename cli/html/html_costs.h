/** @file
 * The costs of draws, and the trees of GPU time, in the page. A part of html_data.h. */
#ifndef PP_CLI_HTML_HTML_COSTS_H
#define PP_CLI_HTML_HTML_COSTS_H

#include <jansson.h>

#include "cli/session/saved_session.h"

/** Add the tables of draws: the member `draws`. @param rec Shows all surfaces; its draws get sorted.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_html_draws_put(json_t *data, struct pp_saved_session *rec);

/** Add the GPU time as trees: the member `trees`, by label and, if there are call stacks, by stack. @param
 * rec Counts of rows in it grow. @retval 0, -ENOMEM, -errno (a file cannot be read). */
__attribute__((warn_unused_result)) int pp_html_trees_put(json_t *data, struct pp_saved_session *rec);

#endif
