/** @file
 * Room: the bytes that a read() of an i915-perf stream returns, as records; and the work between two reports
 * of one context, summed over such a stream. Knows no graphics API, no file, no thread. Source: i915_drm.h
 * (struct drm_i915_perf_record_header); Mesa 22.3.6 accumulate_oa_reports(), whose choices are kept, except
 * that time is summed modulo 2^32 like every other counter. */
#ifndef PP_COUNTERS_OA_OA_STREAM_H
#define PP_COUNTERS_OA_OA_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

/** Types of records, as the kernel numbers them. Others are skipped by their size. */
enum pp_oa_record_type {
    PP_OA_RECORD_SAMPLE = 1,      /**< a report */
    PP_OA_RECORD_REPORT_LOST = 2, /**< one or more reports were dropped */
    PP_OA_RECORD_BUFFER_LOST = 3, /**< the OA buffer overflowed and was reset: what spans this is worthless */
};

/** Bytes before the report of a sample. */
#define PP_OA_RECORD_HEADER 8

/** One record. */
struct pp_oa_record {
    uint32_t type;         /**< enum pp_oa_record_type, or what the kernel may add */
    size_t offset;         /**< of the record in the stream */
    const uint8_t *report; /**< of a sample, report_size bytes inside the stream; NULL for other types */
};

/**
 * Take the next record from a stream.
 *
 * Ownership: *ret points into @p bytes. Threads: any. Allocates nothing.
 *
 * @param bytes       What read() returned.
 * @param size        Bytes of it.
 * @param report_size Bytes of a report (layout->size).
 * @param offset      Where to go on; start with 0. Moved past the record; on an error it stays at the bad
 * record.
 * @param ret         Filled when 1 is returned.
 * @retval 1         A record.
 * @retval 0         The stream is at its end.
 * @retval -ENODATA  The stream ends inside the record at *offset.
 * @retval -EBADMSG  What lies at *offset is no record: shorter than its header, or a sample of another report
 * format.
 */
__attribute__((warn_unused_result)) int pp_oa_stream_next(const uint8_t *bytes, size_t size,
                                                          uint32_t report_size, size_t *offset,
                                                          struct pp_oa_record *ret);

/** Most fields of a layout that pp_oa_sum can hold. */
#define PP_OA_FIELDS 96

/** How the reports of one machine are summed. */
struct pp_oa_machine {
    const struct pp_layout *layout; /**< of the reports; at most PP_OA_FIELDS fields */
    unsigned gen;                   /**< graphics generation times ten */
    uint64_t timestamp_hz;          /**< of GPU_TIME; not 0 */

    /** Fastest clock. With it, counters that may have wrapped twice between two reports become PP_WRAPPED:
     * those of 32 bits after 2^32 clocks, of 40 bits after 2^40 / eus clocks. 0: don't judge. */
    uint64_t max_clock_hz;
    uint32_t eus; /**< EUs: the most that one A counter counts in a clock; 0 is taken as 1 */
};

/** The work between a begin and an end report. */
struct pp_oa_sum {
    uint64_t value[PP_OA_FIELDS]; /**< per field of the layout; see pp_layout_delta() */
    uint8_t status[PP_OA_FIELDS]; /**< enum pp_status: PP_LOST for all after a lost buffer, PP_NOT_AVAILABLE
                                     for all when begin or end never arrived */
    uint32_t segments;            /**< pairs of reports that were added up */
    uint32_t reports_lost; /**< records that said so; the sums stay right unless a switch was among them */
    uint32_t context;      /**< CTX_ID of the first segment's start that is not invalid, else 0xffffffff */
    bool disjoint;         /**< other contexts ran in between; their work is not in the sums */
    bool context_mismatch; /**< begin and end name different contexts: likely nonsense */
    bool buffer_lost;      /**< the reason of PP_LOST */
};

/**
 * Sum up the work of one context between two reports.
 *
 * Reports of a stream between the two keep narrow counters from wrapping unseen and, where the OA unit counts
 * for all contexts (Gen8 to Gen11), tell whose work it was: what other contexts did is left out. A report on
 * a context switch carries the new context's id, so the time up to it is the old one's. Haswell's counters
 * stop by themselves for other contexts; Gen12's are saved with the context, so the stream is not looked at.
 *
 * Ownership: borrows all, keeps nothing. Threads: any. Allocates, locks, logs nothing.
 *
 * @param machine    What the reports mean.
 * @param begin      Report before the work (MI_REPORT_PERF_COUNT).
 * @param end        Report after it.
 * @param stream     Records in the kernel's order; may hold more than belongs here. NULL with size 0.
 * @param size       Bytes of it.
 * @param ret        Filled when 0 is returned.
 * @param ret_offset On an error, the offset in the stream that is wrong; may be NULL.
 * @retval 0        Summed; see the statuses.
 * @retval -ENODATA @retval -EBADMSG As pp_oa_stream_next().
 * @retval -EINVAL  The layout lacks GPU_TIME, CTX_ID or RPT_ID or has too many fields, or timestamp_hz is 0.
 */
__attribute__((warn_unused_result)) int pp_oa_sum_context(const struct pp_oa_machine *machine,
                                                          const uint8_t *begin, const uint8_t *end,
                                                          const uint8_t *stream, size_t size,
                                                          struct pp_oa_sum *ret, size_t *ret_offset);

/** Has this report been written at all? The kernel and passprobe clear the first two dwords beforehand. */
bool pp_oa_report_written(const struct pp_layout *layout, const uint8_t *report);

#endif
