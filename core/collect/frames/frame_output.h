/** @file
 * From batches to written frames: takes batches and frame ends from the ring, queues them until a frame is
 * complete, has its rows made, and gives the rows to the writers. Collector thread only. This file knows no
 * graphics API. See also frame_queue.h, held_frames.h, draft.h. */
#ifndef PP_CORE_COLLECT_FRAMES_FRAME_OUTPUT_H
#define PP_CORE_COLLECT_FRAMES_FRAME_OUTPUT_H

#include "core/collect/frames/draft.h"
#include "core/collect/frames/frame_queue.h"
#include "core/collect/output/output_files.h"
#include "core/collect/rows/rows.h"

/** Above this many bytes in one sleep, the collector sleeps less, so that waiting batches are still in the
 * CPU caches. */
#define PP_SLEEP_BYTES 1048576U

/** Frames on their way to the files. Zero it first, then set session and files. */
struct pp_frame_output {
    struct pp_session *session;
    struct pp_output_files *files;
    struct pp_frame_queue queued;
    struct pp_frame_rows rows;
    struct pp_draft draft; /**< set draft.writers when the files are open */
    bool ending;           /**< the application ends: no more results will arrive */
};

/** Take items from the ring until a time limit, because an application that is faster than the collector
 * never lets the ring run empty. @return True: the ring is empty. */
bool pp_frame_output_drain(struct pp_frame_output *output, uint64_t until_ns);

/** Write all complete frames, oldest first; with streams, when these have arrived too. @param now UINT64_MAX:
 * do not wait for streams any more. */
void pp_frame_output_complete(struct pp_frame_output *output, uint64_t now);

/** Write frames whose results are lost: newer results of the same series continue to arrive. An application
 * that pauses, is stopped, or waits for long GPU work cannot deliver results and loses none. In addition,
 * ended frames may hold only half of what may wait. */
void pp_frame_output_incomplete(struct pp_frame_output *output);

/** Write draft rows of frames that are held, in case the application is killed now. */
void pp_frame_output_draft(struct pp_frame_output *output);

/** At the end, write everything that still waits: frames without all results, then rows without a frame. */
void pp_frame_output_all(struct pp_frame_output *output);

/** Free the memory. */
void pp_frame_output_finish(struct pp_frame_output *output);

#endif
