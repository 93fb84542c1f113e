/** @file
 * Module: the passes, draws and other actions of a few frames, row by row, and what each pass usually takes.
 * Prints nothing. Frames are slow ones (slow_frames.h) or those that a page shows in detail. */
#ifndef PP_CLI_ANALYSIS_NEAR_ROWS_H
#define PP_CLI_ANALYSIS_NEAR_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/session/saved_session.h"
#include "cli/symbols/text_pool.h"

/** A row of passes.csv. The session owns the texts. */
struct pp_near_pass {
    double frame;
    double pass; /**< its number in the frame; NaN: the row has none */
    const char *pass_id, *name, *label, *kind;
    size_t at; /**< index of the session's pass, until the session shows another surface */
    size_t surface;
    double start_ns; /**< on the GPU, CLOCK_MONOTONIC; NaN: not measured */
    double time_ns;  /**< NaN: not measured */
    double actions;  /**< draws, dispatches and copies; NaN: not known */
    double usual_ns; /**< what it takes in the frames around; 0: few of them have it; NaN: not known */
    uint8_t level;   /**< PP_SAVED_PASS, PP_SAVED_DRAW */
};

/** A pass that fewer frames around have is rare: it usually takes no time. */
#define PP_NEAR_COMMON 0.25

/** Most rows. Only forged sessions have more in the frames that are asked for. */
#define PP_NEAR_PASSES_MOST 262144U

/** Rows by frame, then by their number in it, ascending. At most PP_NEAR_PASSES_MOST. Owned; begin with all
 * zero. */
struct pp_near_passes {
    struct pp_near_pass *pass;
    size_t len, cap;
};

/**
 * Read the rows of some frames, and find what each pass usually takes: the median over those of the 32 frames
 * around that have it, or 0 if it is rare there. Frames around count if they belong to the same surface, are
 * no first frames, and have rows of the same level; a frame without rows has no passes if all frames of the
 * surface were measured at level pass or finer. With fewer than 5 such frames, usual is the median over the
 * session. With --keep-slower-than, frames count that are not slower.
 *
 * @param rec    A session that was read.
 * @param frame  Numbers of frames, ascending.
 * @retval 0     Read, or there is no such file: level `frame`.
 * @retval -ENOMEM, or as pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_near_passes_read(const struct pp_saved_session *rec,
                                                            const double *frame, size_t frames,
                                                            struct pp_near_passes *ret);

/** The rows of one frame. @param ret_count Their number. @return The first; NULL: none. */
const struct pp_near_pass *pp_near_passes_of(const struct pp_near_passes *near, double frame,
                                             size_t *ret_count);

/** Free the rows. */
void pp_near_passes_finish(struct pp_near_passes *near);

/** A row of draws.csv; NaN: not measured. Texts belong to the pool. */
struct pp_near_draw {
    double frame, pass, draw; /**< numbers */
    const char *call, *pipeline;
    double start_ns; /**< on the GPU, CLOCK_MONOTONIC */
    double time_ns;
    double vertices;
};

/** Most rows. Only forged sessions have more in frames that were chosen by their number of draws. */
#define PP_NEAR_DRAWS_MOST 65536U

/** Rows by frame, then in the order of the file. Owned; begin with all zero. */
struct pp_near_draws {
    struct pp_near_draw *draw;
    size_t len, cap;
    bool too_many; /**< there were more rows than PP_NEAR_DRAWS_MOST: those beyond are not here */
    struct pp_text_pool texts;
};

/**
 * Read the rows of some frames.
 *
 * @param rec   Read from a directory.
 * @param frame Numbers of frames, ascending.
 * @param ret   Call pp_near_draws_finish() whatever is returned.
 * @retval 0    Read, or there is no such file: no level `draw`.
 * @retval -ENOMEM, or as pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_near_draws_read(const struct pp_saved_session *rec,
                                                           const double *frame, size_t frames,
                                                           struct pp_near_draws *ret);

/** The rows of one frame. @param ret_count Their number. @return The first; NULL: none. */
const struct pp_near_draw *pp_near_draws_of(const struct pp_near_draws *near, double frame,
                                            size_t *ret_count);

/** Free the rows. */
void pp_near_draws_finish(struct pp_near_draws *near);

#endif
