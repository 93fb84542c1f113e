/** @file
 * The reports of an Intel OA unit: the head of one, the records in the bytes that a read() of an i915-perf
 * stream returns, and the sum of what one context did between two reports, over such a stream.
 *
 * The first dword of a report is RPT_ID. In a report of the OA buffer, RPT_ID has the reason and the clocks
 * of the report. In a report of MI_REPORT_PERF_COUNT, RPT_ID is only the number that software gave.
 *
 * Knows no graphics API, no file, no thread. Source: Kaby Lake PRM Vol 14, "RPT_ID" (its two descriptions are
 * Gen8's and Gen9's); i915_drm.h (struct drm_i915_perf_record_header); IGT lib/i915/perf.c; Mesa
 * intel_perf.c, accumulate_oa_reports() of 22.3.6. The only difference: time is summed modulo 2^32 like every
 * other counter. */
#ifndef PP_COUNTERS_OA_OA_REPORT_H
#define PP_COUNTERS_OA_OA_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

/** The reasons for which the OA unit writes a report: bits, of which several can be set. */
enum pp_oa_reason {
    PP_OA_REASON_TIMER = 1 << 0,
    PP_OA_REASON_TRIGGER1 = 1 << 1,
    PP_OA_REASON_TRIGGER2 = 1 << 2,
    PP_OA_REASON_CONTEXT_SWITCH = 1 << 3,
    PP_OA_REASON_GO_TRANSITION = 1 << 4, /**< GO 1 to 0: entering RC6 */
    PP_OA_REASON_CLOCK_RATIO = 1 << 5,   /**< Gen9 and later */
    PP_OA_REASON_MMIO_TRIGGER = 1 << 6,  /**< Gen12 */
};

/** The fields of RPT_ID in a report of the OA buffer. */
struct pp_oa_report_id {
    uint8_t reason;         /**< bits of enum pp_oa_reason, and reserved bits; 0 on Haswell */
    bool context_valid;     /**< CTX_ID is valid; always true on Haswell, which has no such bit */
    bool start_trigger;     /**< start trigger event */
    bool threshold;         /**< threshold enable */
    bool timer_enabled;     /**< Gen8 only */
    bool has_ratios;        /**< the ratios below are valid: Gen9 to Gen11 */
    uint16_t slice_ratio;   /**< slice clock / 16.666667 MHz */
    uint16_t unslice_ratio; /**< unslice clock / 16.666667 MHz */
};

/**
 * Decode RPT_ID of a report of the OA buffer.
 *
 * @param gen    Graphics generation times ten (PP_OA_GEN9, ...).
 * @param rpt_id The dword.
 * @param ret    Filled.
 */
void pp_oa_report_id_decode(unsigned gen, uint32_t rpt_id, struct pp_oa_report_id *ret);

/** Remove the lowest reason that this generation defines from *reason. @return Its name ("timer",
 * "context-switch"); NULL: no reason is left. */
const char *pp_oa_reason_next(unsigned gen, uint8_t *reason);

/** Convert a clock ratio to Hz, as Mesa does: x 16666667. */
static inline uint64_t
pp_oa_ratio_hz(uint16_t ratio)
{
    return (uint64_t)ratio * 16666667;
}

/** Convert OA timestamp ticks to nanoseconds, rounded down. @p timestamp_hz must not be 0. */
uint64_t pp_oa_ticks_to_ns(uint64_t ticks, uint64_t timestamp_hz);

/** Recover the ticks that pp_oa_ticks_to_ns() rounded down to @p ns. Exact for clocks below 1 GHz. */
uint64_t pp_oa_ns_to_ticks(uint64_t ns, uint64_t timestamp_hz);

/** Types of records, as the kernel numbers them. Records of other types are skipped. */
enum pp_oa_record_type {
    PP_OA_RECORD_SAMPLE = 1,      /**< a report */
    PP_OA_RECORD_REPORT_LOST = 2, /**< one or more reports were dropped */
    PP_OA_RECORD_BUFFER_LOST =
        3, /**< the OA buffer overflowed and was reset: sums across this record are lost */
};

/** Bytes of a sample record before its report. */
#define PP_OA_RECORD_HEADER 8

/** One record of a stream. */
struct pp_oa_record {
    uint32_t type;         /**< enum pp_oa_record_type, or another type that a later kernel adds */
    size_t offset;         /**< of the record in the stream */
    const uint8_t *report; /**< of a sample, report_size bytes inside the stream; NULL for other types */
};

/**
 * Read the next record of a stream.
 *
 * Ownership: *ret points into @p bytes. Threads: any. Allocates nothing.
 *
 * @param bytes       The bytes that read() returned.
 * @param size        Number of bytes.
 * @param report_size Bytes of a report (layout->size).
 * @param offset      Offset of the record; start with 0. Moved past the record; on an error, the offset of
 * the bad record.
 * @param ret         Filled when 1 is returned.
 * @retval 1         A record.
 * @retval 0         The stream has no more records.
 * @retval -ENODATA  The stream ends inside the record at *offset.
 * @retval -EBADMSG  The record at *offset is malformed: shorter than its header, or a sample of another
 * report format.
 */
__attribute__((warn_unused_result)) int pp_oa_stream_next(const uint8_t *bytes, size_t size,
                                                          uint32_t report_size, size_t *offset,
                                                          struct pp_oa_record *ret);

/** Most fields of a layout that pp_oa_sum can hold. */
#define PP_OA_FIELDS 96

/** The machine whose reports are summed. */
struct pp_oa_machine {
    const struct pp_layout *layout; /**< of the reports; at most PP_OA_FIELDS fields */
    unsigned gen;                   /**< graphics generation times ten */
    uint64_t timestamp_hz;          /**< of GPU_TIME; not 0 */

    /** The fastest clock. Counters that may have wrapped twice between two reports are PP_WRAPPED: those of
     * 32 bits after 2^32 clocks, those of 40 bits after 2^40 / eus clocks. 0: no counter becomes PP_WRAPPED.
     */
    uint64_t max_clock_hz;
    uint32_t eus; /**< number of EUs: the most that one A counter counts in a clock; 0 is taken as 1 */
};

/** What a context did between a begin report and an end report. */
struct pp_oa_sum {
    uint64_t value[PP_OA_FIELDS]; /**< per field of the layout; see pp_layout_delta() */
    uint8_t status[PP_OA_FIELDS]; /**< enum pp_status. All PP_LOST: the buffer was lost. All
                                     PP_NOT_AVAILABLE: begin or end never arrived */
    uint32_t segments;            /**< pairs of reports that were added up */
    uint32_t
        reports_lost; /**< records of lost reports; the sums stay right unless a context switch was lost */
    uint32_t context; /**< the first valid CTX_ID at the start of a segment, else 0xffffffff */
    bool disjoint;    /**< other contexts ran in between; the sums leave out what they did */
    bool context_mismatch; /**< begin and end name different contexts: the sums are probably wrong */
    bool buffer_lost;      /**< the reason of PP_LOST */
};

/**
 * Sum up what one context did between two reports.
 *
 * The reports of the stream between the two keep narrow counters from wrapping unseen. Where the OA unit
 * counts for all contexts (Gen8 to Gen11), they also separate the contexts: the sums leave out what other
 * contexts did. A report on a context switch has the new context's id; the time before it belongs to the old
 * context. Haswell and Gen12 do not need the stream: Haswell's counters stop for other contexts, and Gen12
 * saves its counters with the context.
 *
 * Ownership: borrows all, keeps nothing. Threads: any. Allocates, locks, logs nothing.
 *
 * @param machine    The machine of the reports.
 * @param begin      First report (MI_REPORT_PERF_COUNT).
 * @param end        Second report (MI_REPORT_PERF_COUNT).
 * @param stream     Records in the kernel's order; may have records from before and after. NULL with size 0.
 * @param size       Bytes of the stream.
 * @param ret        Filled when 0 is returned.
 * @param ret_offset On an error, the offset of the bad record in the stream; may be NULL.
 * @retval 0        Summed; see the statuses.
 * @retval -ENODATA @retval -EBADMSG As pp_oa_stream_next().
 * @retval -EINVAL  The layout lacks GPU_TIME, CTX_ID or RPT_ID or has too many fields, or timestamp_hz is 0.
 */
__attribute__((warn_unused_result)) int pp_oa_sum_context(const struct pp_oa_machine *machine,
                                                          const uint8_t *begin, const uint8_t *end,
                                                          const uint8_t *stream, size_t size,
                                                          struct pp_oa_sum *ret, size_t *ret_offset);

/** Has the GPU written this report? The kernel and passprobe clear the first two dwords beforehand. */
bool pp_oa_report_written(const struct pp_layout *layout, const uint8_t *report);

#endif
