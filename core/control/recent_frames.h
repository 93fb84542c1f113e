/** @file
 * The last frames of a session and their figures, while the session runs. Collector thread only. Knows no
 * socket. */
#ifndef PP_CORE_CONTROL_RECENT_FRAMES_H
#define PP_CORE_CONTROL_RECENT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/model/row.h"

/** Frames that are remembered. */
#define PP_RECENT_FRAMES ((size_t)4096)

/** Durations of a frame. */
enum pp_recent_time {
    PP_RECENT_FRAME_TIME,
    PP_RECENT_CPU_BUSY,
    PP_RECENT_GPU_TIME,
    PP_RECENT_GPU_BUSY,
    PP_RECENT_TIMES
};

/** What bounds a frame. */
enum pp_recent_verdict {
    PP_RECENT_CPU,
    PP_RECENT_GPU,
    PP_RECENT_PRESENT,
    PP_RECENT_SYNC,
    PP_RECENT_SLEEP,
    PP_RECENT_UNKNOWN,
    PP_RECENT_VERDICTS
};

/** A frame. */
struct pp_recent_frame {
    const struct pp_timeline *timeline;
    uint64_t noted_ns;                 /**< when its row was finished, CLOCK_MONOTONIC */
    uint64_t start_ns;                 /**< its begin, CLOCK_MONOTONIC */
    uint64_t time_ns[PP_RECENT_TIMES]; /**< UINT64_MAX: not measured */
    const char *bound_by;              /**< as in struct pp_frame_row */
};

/** The frames, and sums over all frames that were given to pp_recent_sum(). */
struct pp_recent {
    struct pp_recent_frame *frame; /**< PP_RECENT_FRAMES of them, used in turn; owned */
    uint64_t frames;               /**< all frames so far; the last of them are in frame[] */
    uint64_t sum_ns[PP_RECENT_TIMES];
    uint64_t measured[PP_RECENT_TIMES]; /**< frames in sum_ns[] */
    uint64_t verdicts[PP_RECENT_VERDICTS];
    uint64_t bin[24]; /**< frames by frame time; see pp_recent_bin_ns() */
    uint64_t draws, dispatches, copies;
};

/** Figures of one duration; all in nanoseconds. */
struct pp_recent_spread {
    size_t frames; /**< with a value; 0: the rest is not set */
    double mean_ns, p50_ns, p95_ns, p99_ns, max_ns;
};

/** Figures of some frames of one surface. */
struct pp_recent_figures {
    size_t frames; /**< 0: the rest is not set */
    const struct pp_timeline *timeline;
    uint64_t from_ns, to_ns; /**< begin of the first and end of the last frame */
    double fps;
    struct pp_recent_spread time[PP_RECENT_TIMES];
    uint64_t verdicts[PP_RECENT_VERDICTS];
};

/** Allocate. All zero is valid, too: then nothing is remembered. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_recent_init(struct pp_recent *recent);

/** Free. */
void pp_recent_finish(struct pp_recent *recent);

/** Note a finished row: a copy of a few numbers, because most sessions are never asked for figures. Rows
 * without a frame are left out. */
void pp_recent_note(struct pp_recent *recent, const struct pp_frame_row *row, uint64_t now_ns);

/** Add a finished row to the sums. Rows without a frame are left out. */
void pp_recent_sum(struct pp_recent *recent, const struct pp_frame_row *row);

/**
 * Compute the figures of the surface with the most frames among those that were noted late enough.
 *
 * @param seen    Number of frames (pp_recent.frames) that are not wanted any more; 0: none.
 * @param from_ns Frames that were noted earlier are not wanted.
 * @retval 0
 * @retval -ENOMEM @p ret is unchanged.
 */
__attribute__((warn_unused_result)) int pp_recent_figures(const struct pp_recent *recent, uint64_t seen,
                                                          uint64_t from_ns, struct pp_recent_figures *ret);

/** Upper bound of a bin of frame times, in nanoseconds; 0: the last bin has none. */
uint64_t pp_recent_bin_ns(size_t bin);

/** "cpu", "gpu", "present", "sync", "sleep", "unknown". */
const char *pp_recent_verdict_name(enum pp_recent_verdict verdict);

#endif
