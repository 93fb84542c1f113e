/** @file
 * Module: draft rows. Frames that are held (held_frames.h) are written late, and it is open in which form. To
 * lose no more of them than of other frames when the application is killed, passprobe writes draft rows at
 * the ends of the CSV files, as if the application ended now. The rows that are written next replace the
 * draft. session.json does not count draft rows. Collector thread only. */
#ifndef PP_CORE_COLLECT_FRAMES_DRAFT_H
#define PP_CORE_COLLECT_FRAMES_DRAFT_H

#include "core/collect/frames/frame_queue.h"
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

#endif
