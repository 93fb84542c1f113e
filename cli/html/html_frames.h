/** @file
 * The frames of a session in the page: points of plots, counters over time, marks, and the passes and draws
 * of chosen frames. A part of html_data.h. */
#ifndef PP_CLI_HTML_HTML_FRAMES_H
#define PP_CLI_HTML_HTML_FRAMES_H

#include <jansson.h>

#include "cli/session/saved_session.h"

/**
 * Add the frames of the surfaces that matter: the members `frames`, `passes` and `marks`.
 *
 * @param data Its member `report` is made already.
 * @retval 0, -ENOMEM, -errno (a file cannot be read).
 */
__attribute__((warn_unused_result)) int pp_html_frames_put(json_t *data, const struct pp_saved_session *rec);

#endif
