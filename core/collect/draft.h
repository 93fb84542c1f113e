/** @file
 * Module: draft rows. Frames that are held (held_frames.h) may be written in two ways, and late. So that a
 * kill loses no more of them than of others, their rows stand at the ends of the CSV files meanwhile, as if
 * the application ended now. The rows that are written next take the place of the draft. session.json does
 * not count it. Collector thread only. */
#ifndef PP_CORE_COLLECT_DRAFT_H
#define PP_CORE_COLLECT_DRAFT_H

#include "core/collect/frame_queue.h"
#include "core/collect/rows.h"
#include "core/util/csv_write.h"

/** The draft. Zero it first. */
struct pp_draft {
    struct pp_csv_tail tail;     /**< of the CSV files */
    struct pp_frame_rows rows;   /**< with ids of its own: the draft decides nothing of later ids */
    struct pp_frame_notes notes; /**< not used */
    uint64_t next_frame;         /**< number of the next frame that has none yet */
    bool off;                    /**< there is no room or no memory for it */
};

/** Gives the rows of a frame to all writers. @retval 0, -errno. */
typedef int (*pp_draft_writer)(void *context, const struct pp_frame_row *row);

/**
 * Add rows of held frames that have none. An error of the files stays in the files.
 *
 * @param first    Numbers of passes and work without a frame go on from these rows.
 * @param write    Gives a frame's rows to the writers. Any error ends drafts for good.
 */
void pp_draft_add(struct pp_draft *draft, struct pp_session *session, const struct pp_frame_queue *list,
                  const struct pp_frame_rows *first, pp_draft_writer write, void *context);

/** Drop the draft: other rows come. */
void pp_draft_drop(struct pp_draft *draft, const struct pp_frame_queue *list);

/** Free the memory behind it. */
void pp_draft_finish(struct pp_draft *draft);

#endif
