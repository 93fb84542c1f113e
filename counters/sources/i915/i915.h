/** @file
 * An Intel GPU as the kernel's i915 driver shows it: which GPU, its topology and clocks as variables of
 * formulas, whether its OA unit may be used, metric sets in the kernel, streams of reports, and the GPU's
 * timestamp. Knows no graphics API. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_H
#define PP_COUNTERS_SOURCES_I915_I915_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/oa/oa_gpu.h"
#include "counters/sources/kernel/small_file.h"

/** ioctl(2) on a node of i915, again after signals. @return What ioctl() returns, or -errno. */
int pp_i915_ioctl(int fd, unsigned long request, void *arg);

/**
 * Add a metric set to the kernel.
 *
 * @param fd       The render node, open.
 * @param set      Index in pp_catalogue_intel.
 * @param guid     36 characters: the kernel's name for the set.
 * @param variable The machine: registers of hardware that it lacks are left out.
 * @return The kernel's id of the set, for pp_i915_config_remove(); -errno: EADDRINUSE where the kernel has
 * one of this name.
 */
int64_t pp_i915_config_add(int fd, uint32_t set, const char *guid, const struct pp_metric_variable *variable,
                           size_t variables);

/** Remove a metric set from the kernel. @return 0; -errno: ENOENT where the kernel has none of this id. */
int pp_i915_config_remove(int fd, int64_t id);

/** Can metric sets be added and removed? Mesa's drivers ask in the same way,
 * kernel_has_dynamic_config_support() of intel_perf.c, and know no set if not. */
bool pp_i915_config_is_dynamic(int fd);

/** A metric set in the kernel. */
struct pp_i915_config {
    int64_t id; /**< the kernel's; -1: none */
    bool added; /**< passprobe added it, and removes it */
};

/**
 * Find a metric set in the kernel, or add it.
 *
 * Mesa's drivers add all sets of a GPU under the ids of their tables, use those that are there already, and
 * never remove them. A set that passprobe removed could be in use: ANV changes to it at each submission, and
 * loses the application's device if it is gone. So what passprobe adds has an id of its own.
 *
 * @param metrics Folder of the sets in sysfs: /sys/class/drm/cardN/metrics.
 * @retval 0 *ret is the caller's, for pp_i915_config_drop(). @retval -errno As pp_i915_config_add().
 */
__attribute__((warn_unused_result)) int pp_i915_config_use(int fd, const char *metrics, uint32_t set,
                                                           const struct pp_metric_variable *variable,
                                                           size_t variables, struct pp_i915_config *ret);

/** Remove a metric set if pp_i915_config_use() added it. */
void pp_i915_config_drop(int fd, struct pp_i915_config *config);

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

/**
 * Ask i915 for the topology of a GPU: counts and masks of its slices, subslices and execution units, as
 * variables with the names that formulas use.
 *
 * @param fd       Its render node, open. Variables that i915 does not answer keep their values.
 * @param variable The @p variables of pp_oa_gpu_variables(); an array of @p capacity elements.
 * @return The new number of variables.
 */
size_t pp_i915_variables_topology(int fd, const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable,
                                  size_t variables, size_t capacity);

/**
 * Read from sysfs which clocks a GPU may run at, as the variables GpuMinFrequency and GpuMaxFrequency, in Hz.
 *
 * @param device   Folder of the device in sysfs: "/sys/class/drm/renderD128/device". A variable whose file
 *                 cannot be read is left as it is.
 * @param variable An array of @p capacity elements, of which @p variables are set.
 * @return The new number of variables.
 */
size_t pp_i915_variables_frequencies(const char *device, struct pp_metric_variable *variable,
                                     size_t variables, size_t capacity);

/** Find the folder of a device's card: "DEVICE/drm/card0". @retval 0. @retval -ENOENT There is none. */
__attribute__((warn_unused_result)) int pp_i915_variables_find_card(const char *device,
                                                                    char card[PP_PATH_BYTES]);

/** Bits of the GPU's timestamp, and of a timestamp that Mesa's OpenGL drivers may return. */
#define PP_I915_TIMESTAMP_BITS 36

/** Read the GPU's timestamp. @param ret_ticks PP_I915_TIMESTAMP_BITS bits. @retval 0 Read. @retval -errno The
 * kernel does not read it for this process. */
__attribute__((warn_unused_result)) int pp_i915_clock_read(int fd, uint64_t *ret_ticks);

/**
 * Find the timestamp that Mesa's OpenGL drivers returned as nanoseconds.
 *
 * iris and crocus of Mesa 22.3 keep 36 bits of the nanoseconds, so that the same number comes again
 * every 68.7 seconds; Mesa 25.0 keeps all. Of all timestamps with these 36 bits, the one that is nearest to
 * @p now_ticks is returned.
 *
 * @param ns        A timestamp of OpenGL.
 * @param now_ticks The GPU's timestamp, read less than 30 seconds before or after.
 * @param hz        Ticks a second; not 0.
 * @return The low 32 bits of the ticks, as OA reports have them.
 */
uint32_t pp_i915_clock_ticks(uint64_t ns, uint64_t now_ticks, uint64_t hz);

/**
 * pp_i915_clock_ticks() for timestamps of any driver of OpenGL. Drivers other than those two (zink, for
 * example) return the nanoseconds themselves. Read as those of iris, such a timestamp is mostly seconds later
 * than now. A timestamp is never later than now, so this shows which driver it is.
 *
 * @param now_ticks The GPU's timestamp, read less than 0.1 seconds before.
 * @param whole     Does the driver return the nanoseconds themselves? Begin with false. It is set once that
 *                  is known, and stays.
 */
uint32_t pp_i915_clock_ticks_of_any(uint64_t ns, uint64_t now_ticks, uint64_t hz, bool *whole);

#endif
