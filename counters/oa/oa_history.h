/** @file
 * The last reports of an i915-perf stream, and the sum of what one context did between two GPU timestamps.
 * Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_HISTORY_H
#define PP_COUNTERS_OA_OA_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/oa/oa_report.h"

/** One report of the history. */
struct pp_oa_kept {
    uint64_t ticks;   /**< TIME_STAMP without its wraps */
    uint32_t context; /**< the context that runs from here on; UINT32_MAX: none, or not known */
    bool entered;     /**< the report was written because the context changed */
    uint8_t lost;     /**< what was lost between the previous report and this one: 0: nothing, else enum
                             pp_oa_record_type */
    uint32_t set;     /**< the set that was measured: the argument of pp_oa_history_change() */
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
    uint32_t set;    /**< set of the next report */
    uint8_t lost;    /**< `lost` of the next report */
    bool dropped;    /**< older reports were dropped */
};

/**
 * Begin a history without reports.
 *
 * @param machine  As for pp_oa_sum_context(); its layout must outlive the history.
 * @param capacity Most reports, at least 16. When the history is full, the older half is dropped.
 * @retval 0       *history is for pp_oa_history_finish().
 * @retval -EINVAL The layout lacks RPT_ID, TIME_STAMP or CTX_ID, or has more fields than struct pp_oa_sum.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_oa_history_init(struct pp_oa_history *history, const struct pp_oa_machine *machine, uint32_t capacity);

/** Free the memory of a history; a zeroed one is fine. */
void pp_oa_history_finish(struct pp_oa_history *history);

/** From now on, reports come from another stream, which measures @p set. Reports from before stay in the
 * history.
 */
void pp_oa_history_change(struct pp_oa_history *history, uint32_t set);

/**
 * Add the bytes that a read() of the stream returned.
 *
 * @retval 0 Added. @retval -ENODATA, -EBADMSG As pp_oa_stream_next(): the records before the bad one are
 * added, the others count as a lost buffer.
 */
__attribute__((warn_unused_result)) int pp_oa_history_add(struct pp_oa_history *history, const uint8_t *bytes,
                                                          size_t size);

/**
 * Sum up what a context did between two GPU timestamps. The context is the one that ran at the first
 * timestamp: it wrote that timestamp.
 *
 * A segment is the time between two reports. A segment inside the bracket counts in full if the context ran
 * in it. A segment that an end of the bracket cuts is divided in proportion to time, and the sum is an
 * estimate (PP_PARTIAL). There are two exceptions: the context did not run in the segment; or the bracket is
 * @p serialized, and the segment begins (ends) at a switch to (from) the context: then the whole segment
 * belongs to the bracket.
 *
 * @param begin_ticks,end_ticks Low 32 bits of the GPU's timestamps, at most 2^31 ticks from the newest
 *                 report.
 * @param set      The set that must have been measured all the time.
 * @param serialized The context did nothing else between this bracket and its neighbours (--serialize).
 * @param ret      value[] and status[], both indexed by the layout's field. A value is the sum (mode WRAPS)
 * or the value of the last report (other modes). The statuses:
 *                 - PP_OK, PP_PARTIAL;
 *                 - PP_WRAPPED where a gap between two reports is too long;
 *                 - all PP_LOST: the stream lost its buffer in between, or the reports of the begin were
 *                   dropped;
 *                 - all PP_DISABLED: the begin is before the stream's, or another set was measured;
 *                 - all PP_REJECTED: no report at either end names a context, or the end is before the
 *                   begin.
 * @retval 0       *ret is set.
 * @retval -EAGAIN No report from after the end has arrived yet.
 */
__attribute__((warn_unused_result)) int pp_oa_history_between(const struct pp_oa_history *history,
                                                              uint32_t set, uint32_t begin_ticks,
                                                              uint32_t end_ticks, bool serialized,
                                                              struct pp_oa_sum *ret);

#endif
