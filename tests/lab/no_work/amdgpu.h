/** @file
 * What the two files of the model "amdgpu" share: which GPU is simulated, and what the kernel says about it.
 */
#ifndef LAB_AMDGPU_H
#define LAB_AMDGPU_H

#include <stdint.h>

struct drm_amdgpu_info;

/** A GPU as Mesa's drivers must know it to plan shaders, tiles and counters. */
struct lab_amdgpu {
    const char *name;          /**< of LAB_DEVICE */
    uint16_t pci;              /**< PCI device */
    uint8_t pci_revision;      /**< PCI revision */
    uint32_t family, revision; /**< AMDGPU_FAMILY_*; the revision that selects a chip in the family */
    uint32_t version;          /**< major version of the graphics engine */
    uint32_t address_config;   /**< register GB_ADDR_CONFIG: pipes, banks, interleave */
    uint32_t engines, arrays;  /**< shader engines, shader arrays in each */
    uint32_t units[4];         /**< bit mask of working compute units in an array, for each shader engine */
    uint32_t backends;         /**< bit mask of working render backends */
    uint32_t backend_count;    /**< render backends, broken ones too */
    uint32_t cache_blocks;     /**< blocks of the second-level cache */
    uint32_t tile_steering;    /**< register PA_SC_TILE_STEERING_OVERRIDE */
    uint64_t flags;            /**< AMDGPU_IDS_FLAGS_* */
};

/** The GPU with the name; NULL: none. */
const struct lab_amdgpu *lab_amdgpu_named(const char *name);

/** DRM_IOCTL_AMDGPU_INFO. @return 0, or -EINVAL with a fault: the query is not known. */
int lab_amdgpu_info(const struct lab_amdgpu *gpu, const struct drm_amdgpu_info *ask);

#endif
