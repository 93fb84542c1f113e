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

/**
 * Find the GPU with a PCI device id. The ids are data: the column pci_ids of counters/gpus/intel/devices.csv.
 *
 * @retval 0       *ret is filled.
 * @retval -ENOENT No metric sets are known for this id.
 */
__attribute__((warn_unused_result)) int pp_oa_gpu_by_pci(uint32_t pci, struct pp_oa_gpu *ret);

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

#endif
