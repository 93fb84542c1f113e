/** @file
 * What a machine has of Intel's metric sets: whether a metric is available, and which registers program a
 * set. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_REGISTERS_H
#define PP_COUNTERS_OA_OA_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"

/** The i915 uapi's three lists of registers of a metric set (struct drm_i915_perf_oa_config). */
enum pp_oa_register_kind {
    PP_OA_REGISTER_MUX,     /**< the XML's NOA: what B and C counters see */
    PP_OA_REGISTER_BOOLEAN, /**< the XML's OA: what B and C counters count */
    PP_OA_REGISTER_FLEX,    /**< EU_PERF_CNT_CTL0..6: what A7..A20 count */
    PP_OA_REGISTER_KINDS
};

/** Registers to write, in this order. All static. */
struct pp_oa_register_config {
    enum pp_oa_register_kind kind;
    const char *availability;  /**< RPN over variables, write only where nonzero; "": always */
    const uint32_t (*pair)[2]; /**< address, value */
    uint32_t pairs;
};

/** The @p index-th register list of a set (index in pp_catalogue_intel). @retval 0 filled. @retval -ENOENT
 * past the last. */
__attribute__((warn_unused_result)) int pp_oa_register_config_at(uint32_t set, uint32_t index,
                                                                 struct pp_oa_register_config *ret);

/** Is an availability (RPN over variables; "": always) nonzero on this machine? A formula that cannot be
 * evaluated counts as zero. */
bool pp_oa_is_available(const struct pp_metric_variable *variable, size_t variables,
                        const char *availability);

/** Registers of a metric set, ready for the kernel. */
struct pp_oa_registers {
    uint32_t (*pair)[2];                  /**< address, value: kind after kind */
    uint32_t first[PP_OA_REGISTER_KINDS]; /**< per kind: index of the first pair */
    uint32_t count[PP_OA_REGISTER_KINDS]; /**< per kind: number of pairs */
};

/**
 * Collect the registers of a set that this machine has.
 *
 * @param set Index in pp_catalogue_intel.
 * @param ret For pp_oa_registers_finish().
 * @retval 0       Collected.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_oa_registers_init(struct pp_oa_registers *ret, uint32_t set,
                                                             const struct pp_metric_variable *variable,
                                                             size_t variables);

/** Free the memory of the registers. */
void pp_oa_registers_finish(struct pp_oa_registers *registers);

#endif
