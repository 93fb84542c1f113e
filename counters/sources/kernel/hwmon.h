/** @file
 * The source "hwmon": states of the machine's GPUs in /sys: clocks, temperatures, power, energy, fans,
 * voltages. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_HWMON_H
#define PP_COUNTERS_SOURCES_KERNEL_HWMON_H

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/small_file.h"

/**
 * Open the source. Finds the GPUs and their sensors.
 *
 * @param paths sys; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_hwmon_source_open(const struct pp_kernel_paths *paths,
                                                             struct pp_event_source *ret);

/** Free the source. */
void pp_hwmon_source_close(const struct pp_event_source *source);

#endif
