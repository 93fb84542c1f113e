/** @file
 * Attribution: turns the batches of one frame into rows. It decodes brackets, maps times to the CPU's axis,
 * refuses impossible values, joins continued passes, adds up counts, and gives stable ids, user metrics,
 * label regions and verdicts. The rows are finished then: writers only write them. Collector thread only.
 * This file knows no graphics API. See also core/model/row.h and bracket_decode.h.
 *
 * Sums of values: passes that are the sum of their actions, and a frame as the sum of its passes. Collector
 * thread only. This file knows no graphics API.
 *
 * Says which passes and actions have estimates: values of a streaming counter source that were divided in
 * proportion to time. Collector thread only. This file knows no graphics API. */
#ifndef PP_CORE_COLLECT_ROWS_ROWS_H
#define PP_CORE_COLLECT_ROWS_ROWS_H

#include "core/collect/decode/bracket_decode.h"
#include "core/collect/rows/label_rows.h"
#include "core/collect/rows/stable_id.h"
#include "core/engine/session_private.h"
#include "core/model/row.h"
#include "core/session/timeline_private.h"

/** What is known of a pass only while its row is made. */
struct pp_pass_build {
    bool suspended;             /**< the pass waits for its resumption */
    bool conditional;           /**< a part was under conditional rendering */
    bool one_by_one;            /**< the actions of all parts ran one by one (--serialize) */
    uint8_t sums;               /**< whether the pass is the sum of its actions */
    uint32_t actions;           /**< actions of the pass whose times were added to actions_ns */
    uint64_t begin_ticks;       /**< begin of a suspended pass */
    struct pp_value actions_ns; /**< sum of the GPU times of the actions */
};

/** When the GPU worked on a part of a pass, or on one of its actions. */
struct pp_frame_span {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint32_t pass;         /**< number of the pass */
    enum pp_status status; /**< PP_DISABLED: the part was not measured */
};

/** Rows of a frame and their memory; reused from frame to frame. Zero it first. */
struct pp_frame_rows {
    struct pp_frame_row row;
    struct pp_value *values; /**< what the counters of the frame, passes and actions point to */
    uint32_t value_cap;
    size_t values_used;
    uint32_t pass_cap;
    struct pp_pass_build *build; /**< by pass */
    uint32_t build_cap;
    uint32_t action_cap;
    uint32_t actions_most;      /**< of a frame for whose rows there was memory */
    bool coarse;                /**< the frame's actions have no rows: memory was short */
    struct pp_frame_span *span; /**< of each part of a pass, or of its actions */
    uint32_t span_cap;
    uint32_t spans;
    uint32_t *map; /**< scratch: pass of an action list -> row */
    uint32_t map_cap;
    uint16_t *from_actions; /**< scratch: columns that a pass gets from its actions, session->rows.columns a
                               pass */
    uint32_t from_actions_cap;
    uint32_t *from_actions_count; /**< scratch: how many of them a pass has */
    uint32_t from_actions_count_cap;
    struct pp_stable_ids identity;
    const struct pp_row_ids *again; /**< the rows are made again, with these ids; NULL: with new ids */
    struct pp_label_rows labels;
    uint64_t unclaimed_passes;  /**< passes of the session so far that belong to no frame */
    uint64_t unclaimed_actions; /**< actions of the session so far that belong to no frame */
};

/**
 * Make the rows of one frame.
 *
 * @param session  For names and columns.
 * @param end      The frame's end; for rows without a frame, the end of its timeline.
 * @param is_frame False for rows without a frame.
 * @param complete False if batches are missing: then values for the whole GPU side stay unknown.
 * @param batches  Linked by next, in order; borrowed. rows->row points into them.
 * @param rows     Filled; valid until the next call.
 * @param notes    Counts are added.
 * @retval 0       The rows are made.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_frame_rows_build(struct pp_session *session, const struct pp_frame_item *end, bool is_frame, bool complete,
                    struct pp_batch_item *batches, struct pp_frame_rows *rows, struct pp_frame_notes *notes);

/** Free the memory of the rows. */
void pp_frame_rows_finish(struct pp_frame_rows *rows);

/** Add the values of all columns of one row to those of another. */
void pp_row_sums_add(const struct pp_session *session, struct pp_value *to, const struct pp_value *from);

/** Compute the values of passes that were measured in their actions: at level draw, sources whose brackets
 * cannot nest measure the actions only. Such a value of a pass is the sum over its actions. */
void pp_row_sums_of_passes(const struct pp_session *session, struct pp_frame_rows *rows);

/** Compute the counts and values of a frame from its passes. @param complete False: results are missing, so
 * the frame has no values. */
void pp_row_sums_of_frame(struct pp_session *session, struct pp_frame_rows *rows, bool complete);

/** Fill the columns "estimate:SOURCE" of a frame's passes and actions, whose values are final: 1 if one of
 * the source's values is an estimate, 0 if none is, empty where the source has no value. */
void pp_row_estimates_note(const struct pp_session *session, struct pp_frame_row *frame);

#endif
