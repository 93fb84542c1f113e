/** @file
 * One frame and what is usual around it, as JSON, for `report --json --frame N`.
 * docs/formats/frame.schema.json describes it. Prints nothing. See also print/one_frame.h. */
#ifndef PP_CLI_JSON_FRAME_JSON_H
#define PP_CLI_JSON_FRAME_JSON_H

#include <jansson.h>

#include "cli/session/saved_session.h"

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

#endif
