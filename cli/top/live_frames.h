/** @file
 * Module: the frames of the last seconds of a session that may still grow, from frames.csv. Computes nothing:
 * see live_view.h. */
#ifndef PP_CLI_TOP_LIVE_FRAMES_H
#define PP_CLI_TOP_LIVE_FRAMES_H

#include <stddef.h>

#include "cli/session/follow.h"
#include "cli/session/saved_session.h"

/** How far back the frames reach, and most frames. With more of them, they reach less far. */
#define PP_LIVE_WINDOW_NS  10e9
#define PP_LIVE_FRAMES_MAX ((size_t)1 << 17)

/** Most surfaces; further ones count as the last of them. */
#define PP_LIVE_SURFACES_MAX 16U

/** Columns of frames.csv that are read. */
#define PP_LIVE_FRAME_COLUMNS 6U

/** A frame. */
struct pp_live_frame {
    double number;
    double start_ns, time_ns; /**< CLOCK_MONOTONIC; frame time, above 0 */
    enum pp_verdict bound_by;
    size_t level;   /**< PP_SAVED_FRAME and so on */
    size_t surface; /**< from 0, as they came */
};

/** The frames of a session. Begin with all zero. */
struct pp_live_frames {
    struct pp_follow file;
    struct pp_live_frame *frame; /**< in the order of frames.csv; owned */
    size_t len, cap;
    char surface[PP_LIVE_SURFACES_MAX][64];
    size_t surfaces;
    double newest_ns;                     /**< end of the newest frame; 0: there was none */
    uint64_t total;                       /**< frames that were read so far */
    size_t column[PP_LIVE_FRAME_COLUMNS]; /* of the file that is read */
    int error;
};

/**
 * Read the frames that are new, and drop those that ended more than PP_LIVE_WINDOW_NS before the newest one.
 *
 * @retval 0       Also where there is no frames.csv yet.
 * @retval -errno  The file cannot be read, or there is no memory.
 */
__attribute__((warn_unused_result)) int pp_live_frames_read(struct pp_live_frames *frames, int dir_fd);

/** Free everything; the struct is all zero then. */
void pp_live_frames_finish(struct pp_live_frames *frames);

#endif
