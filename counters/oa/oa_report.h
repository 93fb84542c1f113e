/** @file
 * The first dword of an Intel OA report, RPT_ID. In a report of the OA buffer, RPT_ID has the reason and the
 * clocks of the report. In a report of MI_REPORT_PERF_COUNT, RPT_ID is only the number that software gave.
 * Knows no graphics API, no file, no thread. Source: Kaby Lake PRM Vol 14, "RPT_ID" (its
 * two descriptions are Gen8's and Gen9's); Mesa intel_perf.c; IGT lib/i915/perf.c. */
#ifndef PP_COUNTERS_OA_OA_REPORT_H
#define PP_COUNTERS_OA_OA_REPORT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
