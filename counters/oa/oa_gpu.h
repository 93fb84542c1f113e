/** @file
 * The Intel GPUs with an OA unit that are compiled in, and pp_catalogue_intel (metric/catalogue.h), which has
 * their metric sets. Knows no graphics API, no file, no thread.
 *
 * Faults of Mesa's Intel drivers that make OA counters wrong or harmful, by Mesa's version and the GPU. All
 * front ends use this table. Knows no graphics API, no file, no thread.
 *
 * What a machine has of Intel's metric sets: whether a metric is available, and which registers program a
 * set. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_GPU_H
#define PP_COUNTERS_OA_OA_GPU_H

#include <stdbool.h>
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

/** A version of Mesa as one number: PP_MESA_VERSION(22, 3, 6). */
#define PP_MESA_VERSION(major, minor, patch) ((major)*1000000U + (minor)*1000U + (patch))

/** What a driver is asked for. */
enum pp_oa_mesa_way {
    PP_OA_MESA_METRICS, /**< metrics that Mesa computes: the sources `khr`, `intel`, `amd` */
    PP_OA_MESA_OPEN,    /**< the driver opens the OA unit itself (OpenGL's `intel`, `amd`) */
    PP_OA_MESA_REPORTS, /**< raw results (VK_INTEL_performance_query): Vulkan's source `oa` */
};

/**
 * Find the reason why counters must not be measured in this way.
 *
 * @param version PP_MESA_VERSION() of the driver.
 * @param gen     Graphics generation times ten: PP_OA_GEN9, ...; 0: not known, or a GPU without metric sets.
 * @return Static text for the user; NULL: no fault is known.
 */
const char *pp_oa_mesa_fault(enum pp_oa_mesa_way way, uint32_t version, unsigned gen);

/** Read Mesa's version from a GL_VERSION: "4.6 (Core Profile) Mesa 25.0.7-2". @return PP_MESA_VERSION(); 0:
 * the text names no version of Mesa. */
uint32_t pp_oa_mesa_version(const char *gl_version);

/** Find the generation of a GPU from Mesa's GL_RENDERER: "Mesa Intel(R) HD Graphics 620 (KBL GT2)". @return
 * The generation times ten; 0: the text names no GPU from Broadwell to Ice Lake. */
unsigned pp_oa_mesa_gen(const char *gl_renderer);

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
