/** @file
 * OA reports: 256 bytes with timestamp, context and counters, in the format of the generation. The counters
 * have values that tests know: A[0] is the core clock's cycles in draws and walkers; with v the vertices so
 * far, A[n] is (n + 1) v, B[n] is (n + 2) v, C[n] is (n + 3) v. On Haswell A[41] has the place of A[0], and
 * C[2], C[7] and B[7] are the core clock's cycles. */
#ifndef LAB_I915_OA_H
#define LAB_I915_OA_H

#include <stdint.h>

#define I915_OA_BYTES      256
#define I915_OA_COUNTERS   8 /* of B and C, each */
#define I915_OA_B_FACTOR   2
#define I915_OA_C_FACTOR   3
#define I915_OA_HSW_BUSY   41          /* of A: cycles in draws and walkers */
#define I915_OA_NO_CONTEXT 0xffffffffu /* CTX_ID of a report outside of contexts */

struct i915_counts;

/**
 * Make a report.
 *
 * @param format   I915_OA_FORMAT_A32u40_A4u32_B8_C8; 12, its successor on DG2; I915_OA_FORMAT_A45_B8_C8.
 * @param head     First word: the number that MI_REPORT_PERF_COUNT gives, or reason and flags.
 * @param context  Number of the context.
 */
void i915_oa_report(uint32_t report[I915_OA_BYTES / 4], uint64_t format, uint32_t head, uint32_t context,
                    const struct i915_counts *counts);

#endif
