/** @file
 * Room: Intel's flexible EU events. Seven registers, EU_PERF_CNT_CTL0..6, select what A7..A20 count: two
 * selectors of 12 bits each, the low one first. Knows no graphics API, no file, no thread. Source: Kaby Lake
 * PRM Vol 14, "Flexible EU Event Counters"; the names are those of Intel's own metric descriptions. */
#ifndef PP_COUNTERS_OA_OA_FLEX_H
#define PP_COUNTERS_OA_OA_FLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What one A counter counts: an event, narrowed by two filters. */
struct pp_oa_flex {
    uint8_t event;  /**< bits 3:0: 0 FPU0, 1 FPU1, 2 SEND, 3 both FPUs, 4 any pipe, 5 stall, 8 occupancy */
    uint8_t coarse; /**< bits 7:4: 0 none, 1 VS, 2 HS, 3 DS, 4 GS, 5 PS, 6 TS, 7 and 8 rows */
    uint8_t fine;   /**< bits 11:8: 0 none, 1 hybrid, 2 ternary, 3 binary, 4 mov, 5 sends, 7..10 EU number */
};

/**
 * Decode a write to one of the registers.
 *
 * @param address MMIO address.
 * @param value   What is written.
 * @param ret     Selectors of two counters: A[returned] and A[returned + 1].
 * @return 7, 9, .. 19; -ENOENT: not one of the registers.
 */
__attribute__((warn_unused_result)) int pp_oa_flex_decode(uint32_t address, uint32_t value,
                                                          struct pp_oa_flex ret[2]);

/**
 * Name of the metric that this selection measures, as Intel's descriptions spell it: "EuActive",
 * "VsFpu0Active", "EuTernaryFpu1Instruction".
 *
 * @param gen  Graphics generation times ten: from Gen12 on the pipes are called Fpu and Em.
 * @param flex The selection.
 * @param name Buffer.
 * @param size Bytes of it, at least 1.
 * @retval 0       Written.
 * @retval -ENOENT No such event, or a combination that no metric has a name for; name is "".
 */
__attribute__((warn_unused_result)) int pp_oa_flex_name(unsigned gen, const struct pp_oa_flex *flex,
                                                        char *name, size_t size);

/** Does the PRM allow this combination of event and filters? Intel's own sets use event 3 with the PS filter,
 * which it does not: warn, don't refuse. */
bool pp_oa_flex_documented(const struct pp_oa_flex *flex);

#endif
