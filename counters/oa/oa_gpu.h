/** @file
 * The Intel GPUs with an OA unit that are compiled in, and pp_catalogue_intel (metric/catalogue.h), which has
 * their metric sets. Knows no graphics API, no file, no thread. */
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

/** A kind of GPU: a row of counters/gpus/intel/devices.csv. */
struct pp_oa_gpu {
    const char *name;               /**< "kblgt2"; static */
    unsigned gen;                   /**< graphics generation times ten: PP_OA_GEN9, ... */
    const struct pp_layout *layout; /**< layout of its reports; static */
    uint32_t first_set;             /**< index of its first set in pp_catalogue_intel */
    uint32_t sets;                  /**< number of its sets */
    uint32_t index;                 /**< index for pp_oa_gpu_at() */
};

/** Most variables that pp_oa_gpu_variables() writes. */
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
 * List the `$Variables` of a kind of GPU with its full topology, for reports that come from another machine.
 * Variables that only the kernel knows (the timestamp frequency from Gen11 on) are left out.
 *
 * @param variable At least PP_OA_GPU_VARIABLES elements; names are static.
 * @return How many were written.
 */
size_t pp_oa_gpu_variables(const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable);

#endif
