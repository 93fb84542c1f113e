/** @file
 * For drm.c: the text of one fdinfo file. Pure: opens no file. Source: the kernel's Documentation/gpu/drm-
 * usage-stats.rst. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_DRM_FDINFO_H
#define PP_COUNTERS_SOURCES_KERNEL_DRM_FDINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most keys that are kept of a file. */
#define PP_FDINFO_KEYS 48

/** Kinds of values. */
enum pp_fdinfo_kind {
    PP_FDINFO_NS,     /**< drm-engine-*: grows */
    PP_FDINFO_CYCLES, /**< drm-cycles-*, drm-total-cycles-*: grows */
    PP_FDINFO_HZ,     /**< drm-maxfreq-*, drm-curfreq-*: a state */
    PP_FDINFO_BYTES,  /**< drm-memory-*, drm-resident-*, amd-*-vram, ...: a state */
    PP_FDINFO_COUNT,  /**< v3d-jobs-*: grows */
};

/** One value of the file. */
struct pp_fdinfo_value {
    char name[48]; /**< the key without "drm-": "engine-render", "resident-vram0"; a key with another prefix
                    * is whole
                    */
    uint8_t kind;  /**< enum pp_fdinfo_kind */
    uint64_t value;
};

/** A client of a driver. */
struct pp_fdinfo {
    char driver[32]; /**< "amdgpu"; "" if the file is not a graphics driver's */
    char device[64]; /**< drm-pdev: "0000:03:00.0"; "" if the file has none */
    uint64_t client; /**< drm-client-id */
    bool has_client;
    size_t values;
    struct pp_fdinfo_value value[PP_FDINFO_KEYS];
};

/**
 * Read the text of an fdinfo file. Unknown keys are left out: drivers add keys.
 *
 * Allocates, locks, logs nothing; any thread.
 *
 * @param text NUL-terminated.
 * @return True: the file belongs to a graphics driver.
 */
bool pp_fdinfo_read(const char *text, struct pp_fdinfo *ret);

#endif
