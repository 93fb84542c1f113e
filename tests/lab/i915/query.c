/** @file
 * DRM_IOCTL_I915_QUERY; see query.h. */
#include "tests/lab/i915/query.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <i915_drm.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/i915/perf_configs.h"
#include "tests/lab/report.h"

#define ANSWER_BYTES 1024

static void
set_bits(uint8_t *mask, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        mask[i / 8] |= (uint8_t)(1u << i % 8);
}

/* @return bytes */
static int
topology(void *answer)
{
    struct drm_i915_query_topology_info *info = answer;
    const struct i915_gpu *gpu = i915.gpu;
    unsigned slice_bytes = (gpu->max_slices + 7u) / 8, stride = (gpu->max_subslices + 7u) / 8,
             eu_stride = (gpu->max_eus + 7u) / 8;
    info->max_slices = gpu->max_slices;
    info->max_subslices = gpu->max_subslices;
    info->max_eus_per_subslice = gpu->max_eus;
    info->subslice_offset = (uint16_t)slice_bytes;
    info->subslice_stride = (uint16_t)stride;
    info->eu_offset = (uint16_t)(slice_bytes + gpu->max_slices * stride);
    info->eu_stride = (uint16_t)eu_stride;
    info->data[0] = 1;
    set_bits(info->data + info->subslice_offset, gpu->subslices);
    for (unsigned i = 0; i < gpu->subslices; i++)
        set_bits(info->data + info->eu_offset + i * eu_stride, gpu->eus);
    return (int)(sizeof(*info) + info->eu_offset + gpu->max_slices * gpu->max_subslices * eu_stride);
}

static int
engines(void *answer)
{
    static const uint16_t class[I915_ENGINES] = {
        [I915_RENDER] = I915_ENGINE_CLASS_RENDER, [I915_COPY] = I915_ENGINE_CLASS_COPY};
    struct drm_i915_query_engine_info *info = answer;
    info->num_engines = I915_ENGINES;
    for (unsigned i = 0; i < I915_ENGINES; i++) {
        info->engines[i].engine.engine_class = class[i];
        info->engines[i].flags = I915_ENGINE_INFO_HAS_LOGICAL_INSTANCE;
    }
    return (int)(sizeof(*info) + I915_ENGINES * sizeof(info->engines[0]));
}

static int
regions(void *answer)
{
    struct drm_i915_query_memory_regions *info = answer;
    info->num_regions = i915.gpu->local_memory ? 2 : 1;
    for (uint32_t i = 0; i < info->num_regions; i++) {
        info->regions[i].region.memory_class = i ? I915_MEMORY_CLASS_DEVICE : I915_MEMORY_CLASS_SYSTEM;
        info->regions[i].probed_size = UINT64_C(4) << 30;
        info->regions[i].unallocated_size = UINT64_C(4) << 30;
        info->regions[i].probed_cpu_visible_size = i ? UINT64_C(4) << 30 : 0;
        info->regions[i].unallocated_cpu_visible_size = i ? UINT64_C(4) << 30 : 0;
    }
    return (int)(sizeof(*info) + info->num_regions * sizeof(info->regions[0]));
}

/* An answer of fixed form: its size if none is given, and then the answer into memory that must be zero. */
static int
give(const struct drm_i915_query_item *item, int (*make)(void *))
{
    _Alignas(8) uint8_t answer[ANSWER_BYTES] = {0};
    int size = make(answer);
    const uint8_t *given = (const void *)(uintptr_t)item->data_ptr;
    if (item->length == 0)
        return size;
    if (item->length < size)
        return -EINVAL;
    for (unsigned i = 0; i < 4; i++)
        if (given[i]) {
            LAB_FAULT("QUERY %llu: memory for the answer is not zero", (unsigned long long)item->query_id);
            return -EINVAL;
        }
    memcpy((void *)(uintptr_t)item->data_ptr, answer, (size_t)size);
    return size;
}

static int
serve(struct drm_i915_query_item *item)
{
    switch (item->query_id) {
    case DRM_I915_QUERY_TOPOLOGY_INFO:
        return item->flags ? -EINVAL : give(item, topology);
    case DRM_I915_QUERY_GEOMETRY_SUBSLICES:
        return i915.gpu->verx10 < 125 ? -ENODEV : give(item, topology);
    case DRM_I915_QUERY_ENGINE_INFO:
        return item->flags ? -EINVAL : give(item, engines);
    case DRM_I915_QUERY_MEMORY_REGIONS:
        return item->flags ? -EINVAL : give(item, regions);
    case DRM_I915_QUERY_PERF_CONFIG:
        return i915_perf_query(item);
    case DRM_I915_QUERY_HWCONFIG_BLOB:
        return -ENODEV;
    default:
        return -EINVAL;
    }
}

int
i915_query(struct lab_client *client, void *arg)
{
    const struct drm_i915_query *ask = arg;
    struct drm_i915_query_item *item = (void *)(uintptr_t)ask->items_ptr;
    (void)client;
    if (ask->flags)
        return -EINVAL;
    for (uint32_t i = 0; i < ask->num_items; i++)
        item[i].length = serve(&item[i]);
    return 0;
}
