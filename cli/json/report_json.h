/** @file
 * The JSON of `report` and `stat`: the summary of a session (docs/formats/report.schema.json), one frame and
 * what is usual around it for `report --frame N` (docs/formats/frame.schema.json), and for `report
 * --baseline` the summary without what a comparison does not read (compare/run.h). Prints nothing. See also
 * print/slow_frames.h. */
#ifndef PP_CLI_JSON_REPORT_JSON_H
#define PP_CLI_JSON_REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/analysis/slow_frames.h"
#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** Version of the format. It rises when a member is added. */
#define PP_REPORT_JSON_SCHEMA 7

/**
 * Make the summary of a session: all surfaces, and their labels.
 *
 * @param rec  Its series get sorted; its tables show all surfaces afterwards.
 * @param dir  Path of the session.
 * @param view Which passes and labels, and their order; no passes share a row.
 * @return A new reference; NULL: no memory.
 */
json_t *pp_report_json_make(struct pp_saved_session *rec, const char *dir, const struct pp_view *view);

/** Write the summary of a session to a stream, one member in each line. @retval 0, -ENOMEM, -errno. */
__attribute__((warn_unused_result)) int pp_report_json_write(FILE *out, struct pp_saved_session *rec,
                                                             const char *dir, const struct pp_view *view);

/** Version of the format. It rises when a member is added. */
#define PP_FRAME_JSON_SCHEMA 1

/**
 * Make a frame: its cells of frames.csv and its passes, each with the median of the frames around it, and its
 * causes.
 *
 * @param dir Path of the session. @param frame Number of the frame.
 * @param ret A new reference. @retval 0, -ENOMEM. @retval -ENOENT There is no such frame.
 */
__attribute__((warn_unused_result)) int pp_frame_json_make(const struct pp_saved_session *rec,
                                                           const char *dir, double frame, json_t **ret);

/** Make the baseline of a summary. @param report As pp_report_json_make() makes it; borrowed. @return A new
 * reference; NULL: no memory. */
json_t *pp_baseline_json_make(const json_t *report);

/** Write a baseline as one line. @param baseline NULL: there was no memory. The caller keeps its reference.
 * @retval 0, -ENOMEM, -errno. */
__attribute__((warn_unused_result)) int pp_baseline_json_write(FILE *out, const json_t *baseline);

/* The slow frames of a surface, with their causes, as JSON. A part of the summary. */

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
