/** @file
 * Inside of oa.h: an Intel GPU as the kernel's i915 driver shows it: which one, how it is fused, whether its
 * OA unit may be used; metric sets and streams. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_H
#define PP_COUNTERS_SOURCES_I915_I915_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/oa/oa_gpu.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/sources/kernel_paths.h"

/** Most variables of a machine: those of its kind, and frequencies and revision. */
#define PP_I915_VARIABLES (PP_OA_GPU_VARIABLES + 6)

/** Reports at least so often: what a bracket's edge has to share out. */
#define PP_I915_PERIOD_NS 200000

/** A GPU. */
struct pp_i915 {
    char node[160];    /**< "/dev/dri/renderD128" */
    char metrics[256]; /**< "/sys/class/drm/renderD128/device/drm/card0/metrics" */
    char proc[128];    /**< "/proc" */
    int fd;            /**< of node */
    uint32_t pci;      /**< its PCI device id; 0: i915 drives no GPU */
    bool several;      /**< there are other GPUs of Intel's */
    struct pp_oa_gpu gpu;
    struct pp_metric_variable variable[PP_I915_VARIABLES];
    size_t variables;
    uint64_t timestamp_hz, max_clock_hz;
    uint32_t eus;
};

/**
 * Find the first GPU that i915 drives and ask whether its OA unit may be used. Does not use it yet.
 *
 * @param reason PP_REASON_BYTES: on an error, why there is nothing to measure and what would help.
 * @retval 0      *ret is the caller's, for pp_i915_close().
 * @retval -errno No such GPU, no right, no such interface.
 */
__attribute__((warn_unused_result)) int pp_i915_open(const struct pp_kernel_paths *paths, struct pp_i915 *ret,
                                                     char *reason);

/** Give it back; one that is zeroed but for fd = -1 is fine. */
void pp_i915_close(struct pp_i915 *i915);

/**
 * How a GPU is fused, as i915 says: counts and masks of its slices, subslices and execution units, by the
 * names that formulas have for them.
 *
 * @param fd       Its render node, open; what it does not answer keeps its value.
 * @param variable @p variables are there, as pp_oa_gpu_variables() has them; room for @p room.
 * @return How many are there now.
 */
size_t pp_i915_topology(int fd, const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable,
                        size_t variables, size_t room);

/** A stream of reports. */
struct pp_i915_stream {
    int fd;         /**< -1: not open */
    int64_t config; /**< the kernel's id of the metric set */
    bool ours;      /**< the set is in the kernel because of us */
};

/**
 * Let the OA unit count for everybody on the GPU, with a metric set, and report at least every @p period_ns.
 *
 * @param set Index in pp_catalogue_intel.
 * @retval 0      *ret is the caller's, for pp_i915_stream_close().
 * @retval -errno EBUSY: somebody else has the unit. EACCES: no right, or faster than the kernel allows.
 */
__attribute__((warn_unused_result)) int pp_i915_stream_open(const struct pp_i915 *i915, uint32_t set,
                                                            uint64_t period_ns, struct pp_i915_stream *ret);

/** Stop and close; a closed one is fine. */
void pp_i915_stream_close(const struct pp_i915 *i915, struct pp_i915_stream *stream);

/** Why it could not be opened, for people. @param text PP_REASON_BYTES. */
void pp_i915_explain(const struct pp_i915 *i915, int error, char *text);

#endif
