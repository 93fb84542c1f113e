/** @file
 * Finds out whether the window of --frames, --duration or --between has ended, from frames.csv and
 * session.json as they grow. */
#ifndef PP_CLI_LAUNCH_WINDOW_END_H
#define PP_CLI_LAUNCH_WINDOW_END_H

#include "cli/session/follow.h"
#include "core/config/config.h"

/** The end of a window, while CMD runs. Set config, the rest is zero at the begin. */
struct pp_window_end {
    const struct pp_config *config; /**< borrowed */
    struct pp_follow follow;
    size_t frame_at, start_at; /**< columns of frames.csv */
    bool begun;                /**< there was a row */
    double first_ns;           /**< begin of the first frame, CLOCK_MONOTONIC; only where begun is set */
    double newest_ns;          /**< the latest begin of a frame; 0: none yet */
    double known_ns;           /**< end of the window in session.json, CLOCK_MONOTONIC; 0: not there yet */
    bool passed;               /**< a frame after the window was there */
};

/** Does this window end at all? */
bool pp_window_ends(const struct pp_config *config);

/**
 * Read on. All frames of the window that are complete have rows when this returns true.
 *
 * @param dir_fd Session directory.
 * @param now_ns CLOCK_MONOTONIC: a window of --duration or --between ends also where no frame comes after it.
 * @return Whether the window has ended.
 */
bool pp_window_end_passed(struct pp_window_end *end, int dir_fd, uint64_t now_ns);

/** Free everything; another session can be read then. */
void pp_window_end_finish(struct pp_window_end *end);

#endif
