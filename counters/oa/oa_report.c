/** @file
 * RPT_ID and timestamps; see oa_report.h. */
#include "counters/oa/oa_report.h"

#include <stddef.h>

#include "counters/oa/oa_gpu.h"
#include "counters/util/array_size.h"
#include "counters/util/mul128.h"

static uint16_t
bits(uint32_t word, unsigned low, unsigned count)
{
    return (uint16_t)((word >> low) & ((1U << count) - 1));
}

void
pp_oa_report_id_decode(unsigned gen, uint32_t rpt_id, struct pp_oa_report_id *ret)
{
    *ret = (struct pp_oa_report_id){.context_valid = true};
    if (gen < PP_OA_GEN8)
        return;
    ret->reason = (uint8_t)bits(rpt_id, 19, gen >= PP_OA_GEN12 ? 7 : 6);
    ret->start_trigger = bits(rpt_id, 18, 1);
    ret->threshold = bits(rpt_id, 17, 1);
    if (gen < PP_OA_GEN9) {
        ret->context_valid = bits(rpt_id, 25, 1);
        ret->timer_enabled = bits(rpt_id, 16, 1);
        return;
    }
    ret->context_valid = bits(rpt_id, 16, 1);
    if (gen < PP_OA_GEN12) {
        ret->has_ratios = true;
        ret->slice_ratio = (uint16_t)(bits(rpt_id, 25, 7) | bits(rpt_id, 9, 2) << 7);
        ret->unslice_ratio = bits(rpt_id, 0, 9);
    }
}

const char *
pp_oa_reason_next(unsigned gen, uint8_t *reason)
{
    static const struct {
        const char *name;
        unsigned first_gen;
    } known[] = {
        {"timer", PP_OA_GEN8},          {"trigger1", PP_OA_GEN8},      {"trigger2", PP_OA_GEN8},
        {"context-switch", PP_OA_GEN8}, {"go-transition", PP_OA_GEN8}, {"clock-ratio-change", PP_OA_GEN9},
        {"mmio-trigger", PP_OA_GEN12},
    };
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++) {
        uint8_t bit = (uint8_t)(1U << i);
        if ((*reason & bit) && gen >= known[i].first_gen) {
            *reason = (uint8_t)(*reason & ~bit);
            return known[i].name;
        }
    }
    return NULL;
}

uint64_t
pp_oa_ticks_to_ns(uint64_t ticks, uint64_t timestamp_hz)
{
    return pp_muldiv(ticks, 1000000000, 0, timestamp_hz);
}

uint64_t
pp_oa_ns_to_ticks(uint64_t ns, uint64_t timestamp_hz)
{
    return pp_muldiv(ns, timestamp_hz, 999999999, 1000000000);
}
