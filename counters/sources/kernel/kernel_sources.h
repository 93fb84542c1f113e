/** @file
 * The sources that read the kernel: how each is opened, and what they share (see also drm.h). */
#ifndef PP_COUNTERS_SOURCES_KERNEL_KERNEL_SOURCES_H
#define PP_COUNTERS_SOURCES_KERNEL_KERNEL_SOURCES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"
#include "counters/snapshot/source.h"
#include "counters/sources/kernel/small_file.h"

/* Layouts of snapshots that are lists of 64-bit numbers: one number per event, in the order of the events. */

struct pp_list_layout;

/** The layouts that a source handed out. They live as long as the source. Zeroed, except for the lock. */
struct pp_list_layouts {
    pthread_mutex_t lock;
    struct pp_list_layout *first; /**< guarded by lock */
};

/** Describe the field of an event: name, mode, unit, not_additive. @retval 0. @retval -ENOENT The event does
 * not exist, or cannot be measured. */
typedef int pp_list_layout_describe(void *self, uint32_t event, struct pp_field *ret_field);

/**
 * Find or make the layout of these events. The same list gives the same pointer.
 *
 * Threads: any. Allocates on the first call for a list.
 *
 * @param name Name of the layout; borrowed for good.
 * @return NULL: an event does not exist or is listed twice, or no memory.
 */
const struct pp_layout *pp_list_layouts_get(struct pp_list_layouts *fields, const char *name,
                                            const uint32_t *event, size_t events,
                                            pp_list_layout_describe *describe, void *self);

/** Free the layouts. */
void pp_list_layouts_finish(struct pp_list_layouts *fields);

/* The source "cpu": what the calling thread did, by perf_event_open(2). Where the kernel refuses perf, some
 * events come from getrusage(2) and other sources that need no right; the texts of other events say why, and
 * what the user can do. */

/**
 * Open the source "cpu". Tries every event once, on the calling thread.
 *
 * @param paths proc; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 * @retval -EAGAIN The process has no thread-specific key left.
 */
__attribute__((warn_unused_result)) int pp_cpu_source_open(const struct pp_kernel_paths *paths,
                                                           struct pp_event_source *ret);

/** Free the source "cpu". All other threads that read it must have ended. */
void pp_cpu_source_close(const struct pp_event_source *source);

/* The source "oa" by i915-perf: Intel's metric sets over what the OA unit reports about the whole GPU. The
 * reports of a bracket's time and context are summed. */

/**
 * Open the source "oa". If i915 drives no GPU, the source has one event, which says why.
 *
 * @param paths All members; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_oa_source_open(const struct pp_kernel_paths *paths,
                                                          struct pp_event_source *ret);

/** Free the source "oa". */
void pp_oa_source_close(const struct pp_event_source *source);

/* The source "hwmon": states of the machine's GPUs in /sys: clocks, temperatures, power, energy, fans,
 * voltages. */

/**
 * Open the source "hwmon". Finds the GPUs and their sensors.
 *
 * @param paths sys; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_hwmon_source_open(const struct pp_kernel_paths *paths,
                                                             struct pp_event_source *ret);

/** Free the source "hwmon". */
void pp_hwmon_source_close(const struct pp_event_source *source);

/* The source "mali": Arm's counters and metrics. The counters count the whole GPU, and therefore need
 * --serialize. */

/**
 * Open the source "mali". Without a Mali GPU, the source has one event, which says why.
 *
 * @param paths sys and dev; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_mali_source_open(const struct pp_kernel_paths *paths,
                                                            struct pp_event_source *ret);

/** Free the source "mali". */
void pp_mali_source_close(const struct pp_event_source *source);

#endif
