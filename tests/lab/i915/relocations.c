/** @file
 * Relocations; see relocations.h. The rules are those of eb_relocate_vma() and eb_relocate_entry() of the
 * kernel, Linux 6.1. */
#include "tests/lab/i915/relocations.h"

#include <errno.h>
#include <string.h>

#include <i915_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/i915/addresses.h"
#include "tests/lab/i915/device.h"
#include "tests/lab/memory.h"
#include "tests/lab/report.h"

static int
refuse(const char *why, uint64_t value)
{
    LAB_FAULT("EXECBUFFER2: %s (0x%llx)", why, (unsigned long long)value);
    return -EINVAL;
}

/* @return The index of a handle, or @p buffers. */
static uint32_t
find_target(const struct i915_relocations *all, uint32_t handle)
{
    uint32_t index = all->by_index ? handle : 0;
    while (!all->by_index && index < all->buffers && all->object[index].handle != handle)
        index++;
    return index < all->buffers ? index : all->buffers;
}

static int
check(const struct i915_relocations *all, const struct drm_i915_gem_relocation_entry *entry,
      const struct lab_memory *memory, unsigned bytes)
{
    const uint32_t known = I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER | I915_GEM_DOMAIN_COMMAND |
                           I915_GEM_DOMAIN_INSTRUCTION | I915_GEM_DOMAIN_VERTEX;
    if (find_target(all, entry->target_handle) == all->buffers)
        return refuse("no buffer is a relocation's target", entry->target_handle);
    if (entry->write_domain & (entry->write_domain - 1))
        return refuse("a relocation has several write domains", entry->write_domain);
    if ((entry->read_domains | entry->write_domain) & ~known)
        return refuse("domains of a relocation", entry->read_domains | entry->write_domain);
    if (memory->size < bytes || entry->offset > memory->size - bytes)
        return refuse("a relocation is outside of its buffer", entry->offset);
    return entry->offset & 3 ? refuse("a relocation is not aligned to 4 bytes", entry->offset) : 0;
}

/* Addresses have 4 bytes before generation 8. The kernel takes the driver's word for addresses that did not
 * change; so those must be right already. */
static int
apply(const struct i915_relocations *all, struct drm_i915_gem_relocation_entry *entry,
      const struct lab_memory *memory)
{
    unsigned bytes = i915.gpu->verx10 < 80 ? 4 : 8;
    int status = check(all, entry, memory, bytes);
    if (status)
        return status;
    uint64_t target = all->object[find_target(all, entry->target_handle)].offset;
    uint64_t address = i915_canonical(target + (uint64_t)(int32_t)entry->delta);
    uint8_t *place = memory->bytes + entry->offset;
    if (all->trusted || entry->presumed_offset == target)
        return memcmp(place, &address, bytes) == 0
                   ? 0
                   : refuse("the driver left out a relocation that is needed", entry->offset);
    memcpy(place, &address, bytes);
    entry->presumed_offset = target;
    return 0;
}

int
i915_relocate(const struct i915_relocations *all)
{
    uint32_t entries = 0, written = 0;
    for (uint32_t i = 0; i < all->buffers; i++) {
        struct drm_i915_gem_relocation_entry *entry = (void *)(uintptr_t)all->object[i].relocs_ptr;
        const struct lab_memory *memory = lab_handle_find(&all->client->memory, all->object[i].handle);
        for (uint32_t j = 0; j < all->object[i].relocation_count; j++) {
            uint64_t presumed = entry[j].presumed_offset;
            int status = apply(all, &entry[j], memory);
            if (status)
                return status;
            entries++;
            written += entry[j].presumed_offset != presumed;
        }
    }
    if (entries)
        lab_log("relocate entries=%u written=%u trusted=%d", entries, written, all->trusted);
    return 0;
}
