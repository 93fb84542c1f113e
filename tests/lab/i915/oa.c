/** @file
 * OA reports; see oa.h. The layouts are those of docs/internals/intel-oa.md. */
#include "tests/lab/i915/oa.h"

#include <string.h>

#include <i915_drm.h>

#include "tests/lab/i915/device.h"

#define FORMAT_DG2 12 /* I915_OA_FORMAT_A24u40_A14u32_B8_C8 of newer headers */

/* What is at the place of counter A[i], i < 32, in both formats: low words from word 4 on, high bytes from
 * byte 160 on. */
static void
put_a(uint32_t *report, unsigned i, uint64_t value, bool high_byte)
{
    report[4 + i] = (uint32_t)value;
    if (high_byte)
        ((uint8_t *)report)[160 + i] = (uint8_t)(value >> 32);
}

static uint64_t
value_of_a(unsigned i, const struct i915_counts *counts)
{
    return i == 0 ? i915_core_cycles(counts->busy_units) : (i + 1) * counts->vertices;
}

/* Since generation 8: context, core clock, and A from word 4 on. */
static void
put_a38(uint32_t *report, uint32_t context, const struct i915_counts *counts, bool dg2)
{
    report[2] = context;
    report[3] = (uint32_t)i915_core_cycles(i915.units);
    for (unsigned i = 0; i < 32; i++)
        put_a(report, i, value_of_a(i, counts), !dg2 || (i >= 4 && i < 24) || i >= 28);
    for (unsigned i = 32; i < 36; i++)
        report[4 + i] = (uint32_t)value_of_a(i, counts);
    if (dg2) {
        report[40] = (uint32_t)value_of_a(36, counts);
        report[46] = (uint32_t)value_of_a(37, counts);
    }
}

/* Haswell: A from word 3 on. */
static void
put_a45(uint32_t *report, const struct i915_counts *counts)
{
    for (unsigned i = 0; i < 45; i++)
        report[3 + i] = (uint32_t)((i + 1) * counts->vertices);
    report[3 + I915_OA_HSW_BUSY] = (uint32_t)i915_core_cycles(counts->busy_units);
}

void
i915_oa_report(uint32_t report[I915_OA_BYTES / 4], uint64_t format, uint32_t head, uint32_t context,
               const struct i915_counts *counts)
{
    bool dg2 = format == FORMAT_DG2, hsw = format == I915_OA_FORMAT_A45_B8_C8;
    memset(report, 0, I915_OA_BYTES);
    report[0] = head;
    report[1] = (uint32_t)(dg2 ? i915_ticks() >> 1 : i915_ticks());
    if (hsw)
        put_a45(report, counts);
    else
        put_a38(report, context, counts, dg2);
    for (unsigned i = 0; i < I915_OA_COUNTERS; i++) {
        report[48 + i] = (uint32_t)((i + I915_OA_B_FACTOR) * counts->vertices);
        report[56 + i] = (uint32_t)((i + I915_OA_C_FACTOR) * counts->vertices);
    }
    if (hsw) /* which counter has the core clock depends on the metric set */
        report[48 + 7] = report[56 + 2] = report[56 + 7] = (uint32_t)i915_core_cycles(i915.units);
}
