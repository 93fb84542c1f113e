/** @file
 * The frames of a session for viewers of frame times: programs that read the CSV files of PresentMon or
 * MangoHud. Reads frames.csv and session.json, nothing else. Prints nothing. */
#ifndef PP_CLI_EXPORT_EXPORT_VIEWER_H
#define PP_CLI_EXPORT_EXPORT_VIEWER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/export/export_session.h"

/** Times of a frame; columns of frames.csv. */
enum pp_viewer_time {
    PP_VIEWER_CPU_START,
    PP_VIEWER_FRAME_TIME,
    PP_VIEWER_CPU_BUSY,
    PP_VIEWER_CPU_WAIT,
    PP_VIEWER_GPU_START,
    PP_VIEWER_GPU_LATENCY,
    PP_VIEWER_GPU_TIME,
    PP_VIEWER_GPU_BUSY,
    PP_VIEWER_GPU_WAIT,
    PP_VIEWER_TIMES
};

/** A time that was not measured. */
#define PP_VIEWER_NONE INT64_MIN

/** A frame. */
struct pp_viewer_frame {
    int64_t number;
    int64_t surface_number; /**< as frames.csv has it; in schema 1, where it has names, the index */
    size_t surface;         /**< index in rec->surface */
    enum pp_verdict verdict;
    int64_t ns[PP_VIEWER_TIMES]; /**< nanoseconds, or PP_VIEWER_NONE; of FRAME_TIME always more than 0 */
};

/** How many frames were left out, and why. A frame counts once, for the first reason that it has. */
struct pp_viewer_left_out {
    uint64_t first;   /**< first frames of a surface */
    uint64_t outside; /**< of the recorded window */
    uint64_t level;   /**< measured at another level than those of which `stat` shows times */
    uint64_t untimed; /**< frames without frame_time_ns */
    uint64_t surface; /**< of other surfaces, where a file takes one */
};

/** What a format writes. */
struct pp_viewer_log {
    const struct pp_saved_session *rec; /**< borrowed */
    struct pp_viewer_frame *frame;      /**< by number, ascending; owned */
    size_t frames, cap;
    char *app;        /**< name of the application, without its folder; owned; NULL: not known */
    int64_t pid;      /**< PP_VIEWER_NONE: not known */
    int64_t begin_ns; /**< CLOCK_MONOTONIC when recording began; PP_VIEWER_NONE: not known */
};

/** A format. Errors of @p out are found by the caller. */
struct pp_viewer_format {
    void (*write)(const struct pp_viewer_log *log, FILE *out); /**< log has at least one frame */
    bool one_surface; /**< a file has the frames of one surface: the one with the most */
};

/**
 * Write the frames whose times `stat` shows: a viewer computes statistics of all rows of a file.
 *
 * @param dir_fd Borrowed until pp_export_finish().
 * @param e      Without a format. e->rows is 0 if no frame is left. pp_export_finish() must be called,
 *               whatever is returned.
 * @param out    Borrowed; flushed.
 * @param ret    Filled.
 * @retval 0       Written. What cannot be read is noted in e->rec.
 * @retval -ENOENT There is neither a session.json nor a frames.csv.
 * @retval -ENOMEM No memory.
 * @retval -errno  e->error: @p out failed.
 */
__attribute__((warn_unused_result)) int pp_viewer_export(struct pp_export *e, int dir_fd,
                                                         const struct pp_viewer_format *format, FILE *out,
                                                         struct pp_viewer_left_out *ret);

#endif
