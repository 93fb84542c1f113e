/** @file
 * A Mali GPU through kbase, Arm's driver. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_KBASE_H
#define PP_COUNTERS_SOURCES_MALI_MALI_KBASE_H

#include "counters/sources/mali/mali_device.h"

/** Open the GPU of Arm's driver, /dev/mali0. As pp_mali_panfrost_open(). */
__attribute__((warn_unused_result)) int pp_mali_kbase_open(const char *dev, struct pp_mali_device *ret,
                                                           char *reason);

#endif
