/** @file
 * Inside of oa.h: what an i915-perf stream said, kept for a while, and the work of one context between two
 * GPU timestamps out of it. Pure: knows no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_HISTORY_H
#define PP_COUNTERS_OA_OA_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/oa/oa_stream.h"

/** One report kept. */
struct pp_oa_kept {
    uint64_t ticks;   /**< TIME_STAMP without its wraps */
    uint32_t context; /**< who runs from here on; UINT32_MAX: nobody, or not known */
    bool entered;     /**< the report was written because the context changed */
    uint8_t lost; /**< what was lost between the report before and this one: 0, else enum pp_oa_record_type */
    uint32_t set; /**< what was measured, as pp_oa_history_change() said */
};

/** The last reports of a stream. */
struct pp_oa_history {
    /* immutable after init */
    struct pp_oa_machine machine;
    uint32_t capacity;
    int field_id, field_time, field_context;
    /* reports, oldest first */
    uint32_t reports;
    struct pp_oa_kept *kept;
    uint8_t *report; /**< layout->size bytes each */
    uint32_t set;    /**< of the next report */
    uint8_t lost;    /**< before the next report */
    bool dropped;    /**< older reports have gone */
};

/**
 * Begin with nothing.
 *
 * @param machine  As for pp_oa_sum_context(); its layout must outlive the history.
 * @param capacity Reports kept, at least 16: when full, the older half goes.
 * @retval 0       For pp_oa_history_finish().
 * @retval -EINVAL The layout lacks what the stream is read by, or has more fields than struct pp_oa_sum.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_oa_history_init(struct pp_oa_history *history, const struct pp_oa_machine *machine, uint32_t capacity);

/** Free what it holds; a zeroed one is fine. */
void pp_oa_history_finish(struct pp_oa_history *history);

/** Reports from now on are of another stream, which measures this. What came before can still be asked for.
 */
void pp_oa_history_change(struct pp_oa_history *history, uint32_t set);

/**
 * Add what a read() of the stream returned.
 *
 * @retval 0 Added. @retval -ENODATA, -EBADMSG As pp_oa_stream_next(); what came before is added, the rest is
 * lost like a buffer.
 */
__attribute__((warn_unused_result)) int pp_oa_history_add(struct pp_oa_history *history, const uint8_t *bytes,
                                                          size_t size);

/**
 * The work between two GPU timestamps, of the context that ran at the first: whoever wrote that timestamp.
 *
 * A segment between two reports that lies inside counts in full if the context ran in it. One that an end of
 * the bracket cuts is shared out by time, which makes the sum an estimate (PP_PARTIAL), unless it needs not
 * be: the context did not run in it; or @p alone, and the segment begins (ends) where the context was
 * switched to (from), so that all of its work is the bracket's.
 *
 * @param begin_ticks,end_ticks Low 32 bits of the GPU's timestamps, at most 2^31 ticks from the newest
 * report.
 * @param set      What must have been measured all the time.
 * @param alone    The context did nothing else between the bracket and its neighbours (--serialize).
 * @param ret      value[] by the layout's field (WRAPS: the sum; others: the last report's) and status[]:
 * PP_OK; PP_PARTIAL; PP_WRAPPED where a gap between two reports is too long; all PP_LOST if the stream lost
 * its buffer in between, or the beginning is no longer kept, PP_DISABLED if it was before the stream's, or
 * another set was measured; all PP_REJECTED if no context is named at either end, or the end lies before the
 * beginning.
 * @retval 0       *ret is set.
 * @retval -EAGAIN No report from after the end has arrived yet.
 */
__attribute__((warn_unused_result)) int pp_oa_history_between(const struct pp_oa_history *history,
                                                              uint32_t set, uint32_t begin_ticks,
                                                              uint32_t end_ticks, bool alone,
                                                              struct pp_oa_sum *ret);

#endif
