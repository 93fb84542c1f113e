/** @file
 * Prints the slow frames and their causes; see analysis/slow_frames.h. */
#ifndef PP_CLI_PRINT_SLOW_FRAMES_H
#define PP_CLI_PRINT_SLOW_FRAMES_H

#include <stddef.h>
#include <stdio.h>

#include "cli/analysis/slow_frames.h"

/** Print a table of slow frames. If there is none, print that for @p worst, else nothing.
 * @param most  At most this many rows: those of the longest frames; 0: all.
 * @param worst `--worst` asked for the table: its frames need not be slow. */
void pp_slow_frames_print(FILE *out, const struct pp_saved_session *rec, const struct pp_slow_frames *slow,
                          size_t most, bool worst);

/** Find and print the slow frames of a surface; see pp_slow_frames_find().
 * @param worst The @p most longest frames, whether or not they are slow. @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_slow_frames_show(FILE *out, const struct pp_saved_session *rec,
                                                            size_t surface, size_t most, bool worst);

/** The title of a pass, as tables have it. @return @p text. */
const char *pp_slow_pass_title(char *text, size_t size, const struct pp_saved_session *rec,
                               const struct pp_near_pass *pass, size_t columns);

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

#endif
