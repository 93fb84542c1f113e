/** @file
 * Room: the first dword of an Intel OA report, RPT_ID. In a report of the OA buffer it says why and at which
 * clocks the report was written; in one written by MI_REPORT_PERF_COUNT it is the number software gave and
 * means nothing else. Knows no graphics API, no file, no thread. Source: Kaby Lake PRM Vol 14, "RPT_ID" (its
 * two descriptions are Gen8's and Gen9's); Mesa intel_perf.c; IGT lib/i915/perf.c. */
#ifndef PP_COUNTERS_OA_OA_REPORT_H
#define PP_COUNTERS_OA_OA_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/** Why the OA unit wrote a report; several can be set. */
enum pp_oa_reason {
    PP_OA_REASON_TIMER = 1 << 0,
    PP_OA_REASON_TRIGGER1 = 1 << 1,
    PP_OA_REASON_TRIGGER2 = 1 << 2,
    PP_OA_REASON_CONTEXT_SWITCH = 1 << 3,
    PP_OA_REASON_GO_TRANSITION = 1 << 4, /**< GO 1 to 0: entering RC6 */
    PP_OA_REASON_CLOCK_RATIO = 1 << 5,   /**< Gen9 and later */
    PP_OA_REASON_MMIO_TRIGGER = 1 << 6,  /**< Gen12 */
};

/** RPT_ID of a report of the OA buffer, taken apart. */
struct pp_oa_report_id {
    uint8_t reason;         /**< the raw bits, enum pp_oa_reason and what is reserved; 0 on Haswell */
    bool context_valid;     /**< CTX_ID names the context; always true on Haswell, which has no such bit */
    bool start_trigger;     /**< start trigger event */
    bool threshold;         /**< threshold enable */
    bool timer_enabled;     /**< Gen8 only */
    bool has_ratios;        /**< Gen9 to Gen11: the ratios below mean something */
    uint16_t slice_ratio;   /**< slice clock / 16.666667 MHz */
    uint16_t unslice_ratio; /**< unslice clock / 16.666667 MHz */
};

/**
 * Take RPT_ID of an OA buffer's report apart.
 *
 * @param gen    Graphics generation times ten (PP_OA_GEN9, ...).
 * @param rpt_id The dword.
 * @param ret    Filled.
 */
void pp_oa_report_id_decode(unsigned gen, uint32_t rpt_id, struct pp_oa_report_id *ret);

/** Name of the lowest reason in @p reason that this generation defines ("timer", "context-switch"), removed
 * from *reason; NULL when none is left. */
const char *pp_oa_reason_next(unsigned gen, uint8_t *reason);

/** A clock ratio in Hz, as Mesa has it: x 16666667. */
static inline uint64_t
pp_oa_ratio_hz(uint16_t ratio)
{
    return (uint64_t)ratio * 16666667;
}

/** OA timestamp ticks in nanoseconds, rounded down. @p timestamp_hz must not be 0. */
uint64_t pp_oa_ticks_to_ns(uint64_t ticks, uint64_t timestamp_hz);

/** The ticks that pp_oa_ticks_to_ns() rounded down to @p ns: exact for clocks below 1 GHz. */
uint64_t pp_oa_ns_to_ticks(uint64_t ns, uint64_t timestamp_hz);

#endif
