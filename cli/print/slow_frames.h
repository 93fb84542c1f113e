/** @file
 * Prints the slow frames and their causes, and one frame next to what is usual (`report --frame N`). See
 * analysis/slow_frames.h. */
#ifndef PP_CLI_PRINT_SLOW_FRAMES_H
#define PP_CLI_PRINT_SLOW_FRAMES_H

#include <stddef.h>
#include <stdio.h>

#include "cli/analysis/slow_frames.h"
#include "cli/session/saved_session.h"

/** Find and print the slow frames of a surface; see pp_slow_frames_find().
 * @param worst The @p most longest frames, whether or not they are slow. @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_slow_frames_show(FILE *out, const struct pp_saved_session *rec,
                                                            size_t surface, size_t most, bool worst);

/** Size that the texts below need at most. */
#define PP_SLOW_TEXT_MAX 1000U

/** "slow frames: 2 of 299, at least 3.4x as long as the frames around them". @return @p text. */
const char *pp_slow_frames_title(char *text, size_t size, const struct pp_slow_frames *slow);

/** How many texts say why a frame was slow: at least one. */
size_t pp_slow_frame_texts(const struct pp_slow_frame *frame);

/** One of these texts: a cause, that none explains the time, or the mark. @return @p text. */
const char *pp_slow_frame_text(char *text, size_t size, const struct pp_saved_session *rec,
                               const struct pp_slow_frame *frame, size_t index);

/** A cause as text: "gpu: shadows 169 ms, usually 10.9 ms". @return @p text. */
const char *pp_slow_cause_text(char *text, size_t size, const struct pp_saved_session *rec,
                               const struct pp_slow_frame *frame, const struct pp_cause *cause);

/** Print a frame: its times, its passes, its counts and counters, each with the median of the frames around
 * it, and why it was slow. @retval 0, -ENOMEM. @retval -ENOENT There is no such frame. */
__attribute__((warn_unused_result)) int pp_one_frame_print(FILE *out, const struct pp_saved_session *rec,
                                                           double frame);

#endif
