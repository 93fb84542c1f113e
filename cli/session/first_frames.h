/** @file
 * The first frames of a surface, which hold the application's start: statistics leave them out. Prints
 * nothing. See also saved_session.h. */
#ifndef PP_CLI_SESSION_FIRST_FRAMES_H
#define PP_CLI_SESSION_FIRST_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/schema.h"

struct pp_saved_row;

/** What is known of the first frames after all rows were read. */
struct pp_saved_first {
    uint64_t frames;   /**< how many are left out */
    double frame;      /**< number of the last one of them */
    double frame_time; /**< sum of their frame_time_ns */
};

/** Rows that may be first frames, while frames.csv is read. Zero it first. */
struct pp_first_frames {
    struct pp_first_frame *held;
    size_t count, cap;
    bool decided;       /**< frames after `last` are no first frames */
    double last;        /**< if decided: number of the last first frame */
    uint64_t passed_on; /**< rows that were given to pp_first_frames_take */
};

/** Takes a row that is not left out. @retval 0, -ENOMEM. */
typedef int pp_first_frames_take(void *data, const struct pp_saved_row *row, const double *value);

/**
 * Add the next row of a surface. The first frames are those up to and including the first one with a draw or
 * a dispatch, as far as the rows say so. If the first PP_FIRST_FRAMES_MAX frames have none, only the one with
 * the lowest number is a first frame. Rows come in the order in which frames were completed, so their numbers
 * need not rise.
 *
 * @param value  Counters of the row; copied.
 * @param values Number of counters.
 * @param take   Called with each row that is found to be no first frame.
 * @retval 0, -ENOMEM, or what @p take returned.
 */
__attribute__((warn_unused_result)) int pp_first_frames_add(struct pp_first_frames *first,
                                                            const struct pp_saved_row *row,
                                                            const double *value, size_t values,
                                                            pp_first_frames_take *take, void *data);

/**
 * All rows were added. If all frames would be left out, only the one with the lowest number is; if this is
 * the only one, none is.
 *
 * @param ret Filled.
 * @retval 0, -ENOMEM, or what @p take returned.
 */
__attribute__((warn_unused_result)) int pp_first_frames_end(struct pp_first_frames *first,
                                                            pp_first_frames_take *take, void *data,
                                                            struct pp_saved_first *ret);

/** Free the rows. The struct is all zero afterwards. */
void pp_first_frames_finish(struct pp_first_frames *first);

#endif
