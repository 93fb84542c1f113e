/** @file
 * A Mali GPU through one of its two kernel drivers: kbase, Arm's, or panfrost, which is the kernel's own. */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_DEVICE_H
#define PP_COUNTERS_SOURCES_MALI_MALI_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_decode.h"
#include "counters/sources/kernel/small_file.h"

/* The list of properties that kbase's GET_GPUPROPS returns. Pure: knows no file, no thread. */

/** The properties of a GPU that its counters need. */
struct pp_kbase_properties {
    uint64_t product, l2_slices, l2_features;
    uint64_t cores; /**< mask */
};

/**
 * Read the properties from the driver's list. For each property, the list has key * 4 + code of the size,
 * then the value, little endian and unaligned. Unknown keys are skipped. A list that ends inside a property
 * is read up to there.
 *
 * @param ret Members that the list lacks stay unchanged.
 */
void pp_kbase_properties_read(const uint8_t *bytes, size_t size, struct pp_kbase_properties *ret);

struct pp_mali_device;

/** The functions of a driver. */
struct pp_mali_driver {
    /** Start counting. Called once; may block. @retval 0, -errno. */
    int (*begin)(struct pp_mali_device *device);

    /** Add what the GPU counted since the previous sample, or begin(). May block until the GPU has written
     * the sample, at most a second. @retval 0 added. @retval -errno the interval is lost. */
    int (*sample)(struct pp_mali_device *device, struct pp_mali_sums *sums);

    /** NULL: nothing to do. Stop counting, also if begin() was not called. */
    void (*end)(struct pp_mali_device *device);

    /** Explain to the user why begin() or sample() failed. @p text PP_REASON_BYTES. */
    void (*explain)(int error, char *text);

    uint8_t broken; /**< PP_MALI_*: remarks that make a sample unusable */
};

/** A GPU of this machine. */
struct pp_mali_device {
    const struct pp_mali_driver *driver;
    const struct pp_mali_gpu *gpu;
    struct pp_mali_config config;
    int fd;        /**< of the device file; -1: not open */
    int session;   /**< kbase: descriptor of the counters; -1 */
    bool enabled;  /**< panfrost: this process has the counters */
    uint8_t *dump; /**< panfrost: pp_mali_dump_bytes() */
    void *map;     /**< kbase: its samples; NULL */
    size_t map_bytes;
    uint32_t metadata_item_bytes;
    uint64_t samples; /**< kbase: asked for; each sample has its number */
};

/** Stop counting and close a GPU; an object that is zeroed except for descriptors of -1 is fine. */
void pp_mali_device_close(struct pp_mali_device *device);

/** ioctl(2), again after signals. @return What ioctl() returns, or -errno. */
int pp_mali_ioctl(int fd, unsigned long request, void *arg);

/** Open the GPU of Arm's driver, /dev/mali0. As pp_mali_panfrost_open(). */
__attribute__((warn_unused_result)) int pp_mali_kbase_open(const char *dev, struct pp_mali_device *ret,
                                                           char *reason);

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
