/** @file
 * Stable ids of passes and of actions. An id is made from the label path, else from the attachments of
 * the target (not their sizes, which a resize changes), from the pipeline, and from an ordinal among equals.
 * The alignment with the frames before (align.h) decides which ordinal it is, so that the same action
 * keeps its id when others come and go. In the first frame, and so in the next run, it is the place among
 * equals. Collector thread only. */
#ifndef PP_CORE_COLLECT_ROWS_STABLE_ID_H
#define PP_CORE_COLLECT_ROWS_STABLE_ID_H

#include "core/collect/rows/align.h"
#include "core/engine/session_private.h"
#include "core/model/row.h"

#define PP_STABLE_ID_KNOWN 1024U

/** Timelines whose last frames are kept. */
#define PP_STABLE_ID_SERIES 16U

/** A key that was computed before. Interned ids never change their meaning, so it holds for the process. */
struct pp_stable_id_known {
    uint64_t pass; /**< of an action: id of its pass; of a pass: its kind */
    uint32_t part[3];
    uint32_t kind; /**< 0: free */
    uint64_t key;
};

/** State of one timeline: its last frames. */
struct pp_stable_id_series {
    const struct pp_timeline *timeline; /**< compared by address only */
    uint64_t used;                      /**< pp_stable_ids.frames at its last frame; 0: free */
    struct pp_align passes;
    struct pp_align actions;
};

/** State of all timelines. Zero it first. */
struct pp_stable_ids {
    struct pp_stable_id_series series[PP_STABLE_ID_SERIES];
    struct pp_stable_id_series rest; /**< actions of no frame; nothing is kept of them */
    uint64_t frames;                 /**< frames with ids so far */
    struct pp_align_item *item;      /**< scratch */
    uint32_t item_cap;
    struct pp_stable_id_known *known; /**< PP_STABLE_ID_KNOWN keys; a slot has its newest one */
};

/** Give every pass and every action of the frame its id. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int
pp_stable_id_assign(struct pp_stable_ids *identity, struct pp_session *session, struct pp_frame_row *frame);

/** Free the memory of the ids. The struct is zero afterwards. */
void pp_stable_id_finish(struct pp_stable_ids *identity);

#endif
