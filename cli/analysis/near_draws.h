/** @file
 * Module: the draws and other actions of a few frames, row by row. Prints nothing. See also near_passes.h. */
#ifndef PP_CLI_ANALYSIS_NEAR_DRAWS_H
#define PP_CLI_ANALYSIS_NEAR_DRAWS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/session/saved_session.h"
#include "cli/symbols/text_pool.h"

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
