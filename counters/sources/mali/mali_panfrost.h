/** @file
 * A Mali GPU through panfrost, the driver of the kernel itself. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_PANFROST_H
#define PP_COUNTERS_SOURCES_MALI_MALI_PANFROST_H

#include "counters/sources/mali/mali_device.h"

/**
 * Open the first GPU that panfrost drives, and check whether its counters may be used.
 *
 * @param reason PP_REASON_BYTES: on an error, what is missing and what it would cost.
 * @retval 0       *ret is for pp_mali_device_close().
 * @retval -ENODEV There is no such GPU; @p reason is untouched.
 * @retval -errno  Otherwise.
 */
__attribute__((warn_unused_result)) int pp_mali_panfrost_open(const char *sys, const char *dev,
                                                              struct pp_mali_device *ret, char *reason);

#endif
