/** @file
 * The slow frames of a surface, with their causes, as JSON. A part of report_json.h. */
#ifndef PP_CLI_JSON_SLOW_JSON_H
#define PP_CLI_JSON_SLOW_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/analysis/slow_frames.h"
#include "cli/session/saved_session.h"

/** Find the slow frames of a surface, as pp_slow_frames_find() does, and add them to an object: the members
 * `slow_frames` and `slow_frames_found`. Both are null if there is no memory. `slow_frames_of_ns` is the time
 * of the frames among which slow ones were looked for, where these are not the frames that give the frame
 * times.
 * @param texts Also add texts as print/slow_frames.h prints them: `slow_frames_title`, and `texts` of each
 * frame. */
void pp_json_put_slow_frames(json_t *object, const struct pp_saved_session *rec, size_t surface, bool texts);

/** A frame with its causes, as in `slow_frames`. @return A new reference. */
json_t *pp_json_slow_frame(const struct pp_slow_frame *frame);

#endif
