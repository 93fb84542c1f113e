/** @file
 * A batch carries an action list and the raw snapshots of its brackets from the application's threads to the
 * collector. Ownership goes with the batch. See also core/session/timeline.h. */
#ifndef PP_CORE_MODEL_BATCH_H
#define PP_CORE_MODEL_BATCH_H

#include <assert.h>

#include "core/model/action_list.h"
#include "counters/snapshot/source.h"

struct pp_device;
struct pp_timeline;

/** Maximum number of counter sources in a bracket. Snapshots are in the order of the sources. */
#define PP_MAX_SOURCES 8U

/** Numbers of the sources that a device has without an event list. */
enum {
    PP_SOURCE_TIME = 0, /**< GPU timestamps; every device has this place, with or without timestamps */
    PP_SOURCE_STATISTICS =
        1, /**< pipeline statistics; without them the first counter source has this place */
};

/** Statuses of a cell in addition to enum pp_status: why a source did not measure a bracket. For rows and
 * files, all of them are PP_DISABLED (pp_batch_value_status()). */
enum pp_cell_status {
    PP_CELL_ELSEWHERE = PP_STATUS_COUNT, /**< measured elsewhere: in the actions of this pass, or in the pass
                                        of this action */
    PP_CELL_OTHER_SET,                   /**< the frame measures a counter set without events of the source */
    PP_CELL_NOT_READ,                    /**< the source is read at another moment, which has not come */
    PP_CELL_SUSPENDED,                   /**< the pass was suspended or resumed: one end is missing */
};

/** Flag that is added to a cell's status: the snapshot is a sum of several, so values that are not additive
 * are missing. */
#define PP_IN_PARTS 0x80U

/** Flag that is added to the status of a streaming source's cell: the GPU was idle before and after the
 * submissions with the bracket's commands, and these submissions had no others. */
#define PP_APART 0x40U

/** Which brackets of a batch were not overlapped by other work. PP_PASS_OVERLAPPED and
 * pp_action.overlapped mark exceptions. */
enum pp_isolated {
    PP_ISOLATED_NOTHING,
    PP_ISOLATED_PASSES, /**< passes, actions outside of render passes, and the only action of a render pass */
    PP_ISOLATED_ALL,    /**< every bracket */
};

/** A batch. Fill it between pp_batch_get() and pp_batch_put(). After pp_batch_put() the collector owns it. */
struct pp_batch {
    /* set by pp_batch_get() */
    struct pp_timeline *timeline; /**< borrowed */
    uint64_t frame;               /**< key of the frame that the batch belongs to */
    uint64_t order;               /**< grows with every pp_batch_get() of the session */
    uint32_t number;              /**< number of the batch in its frame, from 0 */
    uint8_t level;                /**< enum pp_level of that frame */
    uint8_t frame_set;            /**< counter set that the frame measures */
    /* filled by the front end */
    struct pp_device
        *device; /**< device with the layouts and the clock; pp_batch_get() sets the timeline's device */
    pp_string_id queue; /**< "graphics 0", "context 1" */
    struct pp_action_list action_list;
    uint64_t cpu_issued_ns;    /**< CLOCK_MONOTONIC before the first begin was issued or submitted */
    uint64_t cpu_available_ns; /**< CLOCK_MONOTONIC when the last snapshot was read */
    uint8_t isolated;          /**< enum pp_isolated: what was not overlapped (--serialize) */
    uint32_t submit_stack;     /**< number of the call stack of the submission; 0: none */
    uint64_t overhead_ns;      /**< CPU time that passprobe took on the application's thread for this batch */
    uint8_t *rows;             /**< a bracket's begin snapshots, then its end snapshots; see pp_batch_row() */
    uint8_t *status;           /**< statuses of all cells; see pp_batch_status() */
    uint8_t *set;              /**< counter sets of all cells; see pp_batch_set() */
    uint32_t begin_bytes; /**< bytes of a begin row: shorter than an end row if the last sources count from
                             begin to end by themselves, like queries */
    uint32_t pair_bytes;  /**< bytes of a begin row and an end row */
    uint32_t bracket_cap;
};

/** Address of a snapshot row of a bracket. @p end 0: begin row, 1: end row. A begin row has no bytes for
 * fixed sources at its end whose layout holds only results (pp_layout_is_words()). */
static inline uint8_t *
pp_batch_row(const struct pp_batch *batch, uint32_t bracket, unsigned end)
{
    assert(bracket < batch->bracket_cap);
    return batch->rows + (size_t)bracket * batch->pair_bytes + (end ? batch->begin_bytes : 0);
}

/** Status of the cell of a source in a bracket: enum pp_status or enum pp_cell_status; PP_IN_PARTS and
 * PP_APART may be added. @p bracket must be below bracket_cap. */
static inline uint8_t *
pp_batch_status(const struct pp_batch *batch, uint32_t bracket, uint32_t source)
{
    assert(bracket < batch->bracket_cap && source < PP_MAX_SOURCES);
    return &batch->status[(size_t)bracket * PP_MAX_SOURCES + source];
}

/** Counter set that a source measured in a bracket; 0 for a source with only one set. @p bracket must be
 * below bracket_cap. */
static inline uint8_t *
pp_batch_set(const struct pp_batch *batch, uint32_t bracket, uint32_t source)
{
    assert(bracket < batch->bracket_cap && source < PP_MAX_SOURCES);
    return &batch->set[(size_t)bracket * PP_MAX_SOURCES + source];
}

/** Status of a cell's values, as rows and files have it. @p cell A cell's status. */
static inline enum pp_status
pp_batch_value_status(uint8_t cell)
{
    uint8_t status = (uint8_t)(cell & ~(PP_IN_PARTS | PP_APART));
    return status < PP_STATUS_COUNT ? (enum pp_status)status : PP_DISABLED;
}

/** Set the lengths of the batch's rows. Memory for rows of other lengths is freed. */
void pp_batch_set_row_bytes(struct pp_batch *batch, uint32_t begin_bytes, uint32_t end_bytes);

/** Free the action list and the rows of a batch, which is empty then. */
void pp_batch_free_arrays(struct pp_batch *batch);

/** Make the batch large enough for this many brackets. New rows are zeroed and have status
 * PP_NOT_AVAILABLE; existing rows are kept. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_batch_reserve(struct pp_batch *batch, uint32_t brackets);

#endif
