/** @file
 * The parcel that crosses from the program's threads to the collector: a program of passes, and the
 * landed raw snapshots of its brackets. Ownership goes with it. See also session.h. */
#ifndef PP_CORE_MODEL_BATCH_H
#define PP_CORE_MODEL_BATCH_H

#include "core/model/action_list.h"
#include "counters/sources/source.h"

struct pp_device;
struct pp_timeline;

/** Sources whose snapshots a bracket holds, in this order. */
#define PP_MAX_SOURCES 8U

/** Beside a status: the snapshot is the sum of several, so that fields which do not add up are missing. */
#define PP_IN_PARTS 0x80U

/** What of a batch nothing ran beside, but for passes and work that say otherwise (PP_PASS_OVERLAPPED). */
enum pp_isolated {
    PP_ISOLATED_NOTHING,
    PP_ISOLATED_PASSES, /**< passes, and actions outside of render passes, or alone in one */
    PP_ISOLATED_ALL,    /**< every bracket */
};

/** A parcel. Fill it between pp_batch_get() and pp_batch_put(); the collector frees it. */
struct pp_batch {
    /* set by pp_batch_get() */
    struct pp_timeline *timeline; /**< borrowed */
    uint64_t frame;               /**< key of the frame that its work belongs to */
    uint64_t order;               /**< grows with every pp_batch_get() of the session */
    uint32_t number;              /**< its place among that frame's batches, from 0 */
    uint8_t level;                /**< enum pp_level of that frame */
    uint8_t turn;                 /**< set of events that frame measures */
    /* the front end's */
    struct pp_device *device; /**< whose layouts and clock; set by pp_batch_get() to the timeline's */
    pp_string_id queue;       /**< "graphics 0", "context 1" */
    struct pp_action_list action_list;
    uint64_t cpu_issued_ns; /**< CLOCK_MONOTONIC before the first begin was issued or submitted */
    uint64_t cpu_landed_ns; /**< CLOCK_MONOTONIC when the last snapshot was read */
    uint8_t isolated;       /**< enum pp_isolated: what had the GPU for itself (--serialize) */
    uint64_t overhead_ns;   /**< CPU time that we took on the program's thread for this batch */
    uint8_t *rows;          /**< a bracket's begin snapshots, then its end snapshots; see pp_batch_row() */
    uint8_t *status;        /**< enum pp_status of source s in bracket b at [b * PP_MAX_SOURCES + s]; may have
                               PP_IN_PARTS beside it */
    uint8_t *set; /**< the set of events that source s measured in bracket b, at the same index; 0 for a
                     source with one */
    uint32_t begin_bytes; /**< of a begin row: shorter where the last sources count from begin to end by
                             themselves, as queries do */
    uint32_t pair_bytes;  /**< of both rows */
    uint32_t bracket_cap;
};

/** Bytes of a snapshot row. @p end 0: begin, 1: end. A begin row has no place for fixed sources at its end
 * whose layout is all results (pp_layout_is_words()). */
static inline uint8_t *
pp_batch_row(const struct pp_batch *batch, uint32_t bracket, unsigned end)
{
    return batch->rows + (size_t)bracket * batch->pair_bytes + (end ? batch->begin_bytes : 0);
}

/** Set the lengths of its rows; what memory it has for others is freed. */
void pp_batch_render_target(struct pp_batch *batch, uint32_t begin_bytes, uint32_t end_bytes);

/** Make room for brackets' rows, zeroed, with every status PP_NOT_AVAILABLE. Keeps what is there. @retval 0,
 * -ENOMEM. */
__attribute__((warn_unused_result)) int pp_batch_reserve(struct pp_batch *batch, uint32_t brackets);

#endif
