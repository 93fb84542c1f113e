/** @file
 * From batches to written frames: takes batches and frame ends from the ring, queues them until a frame is
 * complete, has its rows made, and gives the rows to the writers. Collector thread only. This file knows no
 * graphics API. See also frame_queue.h and held_frames.h.
 *
 * Also writes draft rows. Frames that are held (held_frames.h) are written late, and it is open in which
 * form. To lose no more of them than of other frames when the application is killed, passprobe writes draft
 * rows at the ends of the CSV files, as if the application ended now. The rows that are written next replace
 * the draft. session.json does not count draft rows. */
#ifndef PP_CORE_COLLECT_FRAMES_FRAME_OUTPUT_H
#define PP_CORE_COLLECT_FRAMES_FRAME_OUTPUT_H

#include "core/collect/frames/frame_queue.h"
#include "core/collect/output/output_files.h"
#include "core/collect/rows/rows.h"
#include "core/report/writer.h"

/** The draft. Zero it first. Set writers while it can be added to. */
struct pp_draft {
    struct pp_writers *writers;  /**< writers that hold the draft; borrowed; may be NULL between drafts */
    bool there;                  /**< the writers have draft rows */
    struct pp_frame_rows rows;   /**< rows with separate ids: the draft does not influence later ids */
    struct pp_frame_notes notes; /**< not used */
    uint64_t next_frame;         /**< number of the next frame that has no number yet */
    bool off;                    /**< drafts are off: --max-size or the memory does not allow more */
};

/** Passes the rows of a frame to all writers. @retval 0, -errno. */
typedef int (*pp_draft_writer)(void *context, const struct pp_frame_row *row);

/**
 * Add draft rows of all held frames that have none. Errors of the files stay in the files.
 *
 * @param first    Numbers of passes and actions without a frame continue from these rows.
 * @param write    Passes a frame's rows to the writers. Any error ends drafts for good.
 */
void pp_draft_add(struct pp_draft *draft, struct pp_session *session, const struct pp_frame_queue *list,
                  const struct pp_frame_rows *first, pp_draft_writer write, void *context);

/** Drop the draft because other rows will be written. */
void pp_draft_drop(struct pp_draft *draft, const struct pp_frame_queue *list);

/** Free the memory of the draft. */
void pp_draft_finish(struct pp_draft *draft);

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
