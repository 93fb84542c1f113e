/** @file
 * Room: which Intel GPUs with an OA unit are compiled in, and how each metric set is programmed. The metric
 * sets themselves are pp_catalogue_intel (catalogue.h); reports are oa_report.h, streams oa_stream.h, metrics
 * over reports oa_set.h. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_GPU_H
#define PP_COUNTERS_OA_OA_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/snapshot/layout.h"

/** Graphics generations, times ten, as far as the OA unit differs. */
enum {
    PP_OA_GEN7_5 = 75, /**< Haswell */
    PP_OA_GEN8 = 80,   /**< Broadwell, Cherryview */
    PP_OA_GEN9 = 90,   /**< Skylake to Gemini Lake */
    PP_OA_GEN11 = 110, /**< Ice Lake, Elkhart Lake */
    PP_OA_GEN12 = 120, /**< Tiger Lake to Alder Lake */
};

/** A GPU description: a row of counters/gpus/intel/devices.csv. */
struct pp_oa_gpu {
    const char *name;               /**< "kblgt2"; static */
    unsigned gen;                   /**< graphics generation times ten: PP_OA_GEN9, ... */
    const struct pp_layout *layout; /**< of its reports; static */
    uint32_t first_set;             /**< its sets in pp_catalogue_intel: first */
    uint32_t sets;                  /**< and how many */
    uint32_t index;                 /**< of pp_oa_gpu_at() */
};

/** Most variables pp_oa_gpu_variables() gives. */
#define PP_OA_GPU_VARIABLES 7

/** The @p index-th GPU. @retval 0 filled. @retval -ENOENT past the last. */
__attribute__((warn_unused_result)) int pp_oa_gpu_at(uint32_t index, struct pp_oa_gpu *ret);

/** The GPU of this name, in any case ("KBLGT2"). @retval 0 filled. @retval -ENOENT there is none. */
__attribute__((warn_unused_result)) int pp_oa_gpu_find(const char *name, struct pp_oa_gpu *ret);

/**
 * The `$Variables` that a report from this kind of GPU is read with when its machine cannot be asked: the
 * full topology of that name. What is unknown without the kernel (the timestamp frequency from Gen11 on) is
 * left out.
 *
 * @param variable At least PP_OA_GPU_VARIABLES elements; names are static.
 * @return How many were written.
 */
size_t pp_oa_gpu_variables(const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable);

/** The i915 uapi's three lists of registers of a metric set (struct drm_i915_perf_oa_config). */
enum pp_oa_register_kind {
    PP_OA_REGISTER_MUX,     /**< the XML's NOA: what B and C counters see */
    PP_OA_REGISTER_BOOLEAN, /**< the XML's OA: what B and C counters count */
    PP_OA_REGISTER_FLEX,    /**< what A7..A20 count, see oa_flex.h */
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

#endif
