/** @file
 * Inside of mali.h: a Mali GPU behind one of its two kernel drivers. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_DEVICE_H
#define PP_COUNTERS_SOURCES_MALI_MALI_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali.h"
#include "counters/sources/kernel/small_file.h"

struct pp_mali_device;

/** A driver. */
struct pp_mali_driver {
    /** Count from now on. Once; may block. @retval 0, -errno. */
    int (*begin)(struct pp_mali_device *device);

    /** Add what the GPU counted since the sample before, or begin(). May block until the GPU has written it,
     * at most a second. @retval 0 added. @retval -errno the interval is lost. */
    int (*sample)(struct pp_mali_device *device, struct pp_mali_sums *sums);

    /** Why begin() or sample() failed so, for people. @p text PP_REASON_BYTES. */
    void (*explain)(int error, char *text);

    uint8_t broken; /**< PP_MALI_*: remarks that make a sample worthless. Blocks that are off count nothing */
};

/** A GPU. */
struct pp_mali_device {
    const struct pp_mali_driver *driver;
    const struct pp_mali_gpu *gpu;
    struct pp_mali_config config;
    int fd;        /**< of the device file; -1 */
    int session;   /**< kbase: of the counters; -1 */
    bool enabled;  /**< panfrost: the counters are ours */
    uint8_t *dump; /**< panfrost: pp_mali_dump_bytes() */
    void *map;     /**< kbase: its samples; NULL */
    size_t map_bytes;
    uint32_t metadata_item_bytes;
};

/**
 * Open the first GPU that panfrost drives, and see whether its counters may be had.
 *
 * @param reason PP_REASON_BYTES: on an error, what is missing and what it would cost.
 * @retval 0       For pp_mali_device_close().
 * @retval -ENODEV There is none; @p reason is untouched.
 * @retval -errno  Otherwise.
 */
__attribute__((warn_unused_result)) int pp_mali_panfrost_open(const char *sys, const char *dev,
                                                              struct pp_mali_device *ret, char *reason);

/** The same for Arm's driver, /dev/mali0. */
__attribute__((warn_unused_result)) int pp_mali_kbase_open(const char *dev, struct pp_mali_device *ret,
                                                           char *reason);

/** Stop counting and close; one zeroed but for descriptors of -1 is fine. */
void pp_mali_device_close(struct pp_mali_device *device);

/** ioctl(2), again after signals. @return what it returns, or -errno. */
int pp_mali_ioctl(int fd, unsigned long request, void *arg);

#endif
