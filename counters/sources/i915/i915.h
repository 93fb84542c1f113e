/** @file
 * An Intel GPU as the kernel's i915 driver shows it: which GPU, its topology, whether its OA unit may be
 * used, and streams of reports. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_H
#define PP_COUNTERS_SOURCES_I915_I915_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/oa/oa_gpu.h"
#include "counters/sources/i915/i915_config.h"
#include "counters/sources/kernel/small_file.h"

/** Most variables of a machine: those of its kind of GPU, frequencies and revision. */
#define PP_I915_VARIABLES (PP_OA_GPU_VARIABLES + 6)

/** Longest time between two reports: the segments that the ends of a bracket divide. */
#define PP_I915_PERIOD_NS 200000

/** An Intel GPU of this machine. */
struct pp_i915 {
    char node[160];    /**< "/dev/dri/renderD128" */
    char device[200];  /**< "/sys/class/drm/renderD128/device" */
    char metrics[256]; /**< "/sys/class/drm/renderD128/device/drm/card0/metrics" */
    char proc[128];    /**< "/proc" */
    int fd;            /**< of node */
    uint32_t pci;      /**< PCI device id; 0: i915 drives no GPU */
    bool several;      /**< the machine has further Intel GPUs */
    struct pp_oa_gpu gpu;
    struct pp_metric_variable variable[PP_I915_VARIABLES];
    size_t variables;
    uint64_t timestamp_hz, max_clock_hz;
    uint32_t eus;
};

/**
 * Find the first GPU that i915 drives, and check whether its OA unit may be used. Does not use the unit yet.
 *
 * @param reason PP_REASON_BYTES: on an error, why there is nothing to measure and what would help.
 * @retval 0      *ret is the caller's, for pp_i915_close().
 * @retval -errno No such GPU, no right, no such interface.
 */
__attribute__((warn_unused_result)) int pp_i915_open(const struct pp_kernel_paths *paths, struct pp_i915 *ret,
                                                     char *reason);

/** Close a GPU; an object that is zeroed except for fd = -1 is fine. */
void pp_i915_close(struct pp_i915 *i915);

/** A stream of reports. */
struct pp_i915_stream {
    int fd; /**< -1: not open */
    struct pp_i915_config config;
};

/**
 * Let the OA unit count a metric set for all contexts of the GPU, and report at least every @p period_ns.
 *
 * @param set Index in pp_catalogue_intel.
 * @retval 0      *ret is the caller's, for pp_i915_stream_close().
 * @retval -errno EBUSY: another process uses the unit. EACCES: no right, or a rate that the kernel does not
 * allow.
 */
__attribute__((warn_unused_result)) int pp_i915_stream_open(const struct pp_i915 *i915, uint32_t set,
                                                            uint64_t period_ns, struct pp_i915_stream *ret);

/** Stop and close a stream; a closed stream is fine. */
void pp_i915_stream_close(const struct pp_i915 *i915, struct pp_i915_stream *stream);

/** Explain to the user why the GPU or a stream could not be opened. @param text PP_REASON_BYTES. */
void pp_i915_explain(const struct pp_i915 *i915, int error, char *text);

#endif
