/** @file
 * Submissions; see execbuffer.h. What the kernel refuses, and what it would accept but hardware would not
 * survive, is a fault.
 */
#include "tests/lab/i915/execbuffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <i915_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/fence.h"
#include "tests/lab/i915/addresses.h"
#include "tests/lab/i915/device.h"
#include "tests/lab/i915/relocations.h"
#include "tests/lab/i915/work.h"
#include "tests/lab/memory.h"
#include "tests/lab/model.h"
#include "tests/lab/report.h"
#include "tests/lab/sync.h"

/* A submission, taken apart. */
struct submission {
    struct lab_client *client;
    struct drm_i915_gem_execbuffer2 *ask;
    struct drm_i915_gem_exec_object2 *object;
    struct i915_context *context;
    enum i915_engine engine;
    struct i915_addresses addresses;
    uint32_t batch; /* index of its object */
    bool moved;     /* a buffer is not at the address that the driver presumed */
    struct lab_fence *fence;
};

static int
refuse(const char *why, uint64_t value)
{
    LAB_FAULT("EXECBUFFER2: %s (0x%llx)", why, (unsigned long long)value);
    return -EINVAL;
}

/* What runs the batch. */
static int
find_engine(struct submission *work)
{
    uint64_t ring = work->ask->flags & I915_EXEC_RING_MASK;
    work->context = i915_context_of(work->client, (uint32_t)(work->ask->rsvd1 & I915_EXEC_CONTEXT_ID_MASK));
    if (!work->context) {
        LAB_FAULT("EXECBUFFER2: no context has the number %llu", (unsigned long long)work->ask->rsvd1);
        return -ENOENT;
    }
    if (work->context->slots) {
        if (ring >= work->context->slots)
            return refuse("the context's engine map has no such slot", ring);
        work->engine = work->context->slot[ring];
        return 0;
    }
    if (ring != I915_EXEC_DEFAULT && ring != I915_EXEC_RENDER && ring != I915_EXEC_BLT)
        return refuse("no such engine", ring);
    work->engine = ring == I915_EXEC_BLT ? I915_COPY : I915_RENDER;
    return 0;
}

static int
check_flags(const struct drm_i915_gem_execbuffer2 *ask)
{
    const uint64_t known = I915_EXEC_RING_MASK | I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT |
                           I915_EXEC_FENCE_IN | I915_EXEC_FENCE_OUT | I915_EXEC_BATCH_FIRST |
                           I915_EXEC_FENCE_ARRAY | I915_EXEC_FENCE_SUBMIT | I915_EXEC_USE_EXTENSIONS;
    if (ask->flags & ~known)
        return refuse("flags", ask->flags);
    if (ask->flags & I915_EXEC_FENCE_ARRAY && ask->flags & I915_EXEC_USE_EXTENSIONS)
        return refuse("both a fence array and extensions", ask->flags);
    if (!(ask->flags & (I915_EXEC_FENCE_ARRAY | I915_EXEC_USE_EXTENSIONS)) &&
        (ask->num_cliprects || ask->cliprects_ptr))
        return refuse("clip rectangles", ask->num_cliprects);
    if (ask->buffer_count == 0)
        return refuse("no buffers", 0);
    if (ask->batch_start_offset & 7 || ask->batch_len & 7)
        return refuse("the batch is not aligned to 8 bytes", ask->batch_start_offset | ask->batch_len);
    if (ask->DR1 || ask->DR4)
        return refuse("DR1 or DR4", ask->DR1);
    return 0;
}

/* Addresses. */

static int
place(struct submission *work, struct drm_i915_gem_exec_object2 *object)
{
    const uint64_t known = EXEC_OBJECT_NEEDS_FENCE | EXEC_OBJECT_NEEDS_GTT | EXEC_OBJECT_WRITE |
                           EXEC_OBJECT_SUPPORTS_48B_ADDRESS | EXEC_OBJECT_PINNED | EXEC_OBJECT_PAD_TO_SIZE |
                           EXEC_OBJECT_ASYNC | EXEC_OBJECT_CAPTURE;
    struct lab_memory *memory = lab_handle_find(&work->client->memory, object->handle);
    uint64_t room = UINT64_C(1) << i915.gpu->address_bits;
    if (!memory) {
        LAB_FAULT("EXECBUFFER2: no memory has the handle %u", object->handle);
        return -ENOENT;
    }
    if (object->flags & ~known || object->rsvd2)
        return refuse("flags of a buffer", object->flags);
    if (object->alignment & (object->alignment - 1))
        return refuse("a buffer's alignment is no power of 2", object->alignment);
    if (object->flags & EXEC_OBJECT_PINNED) {
        uint64_t page = i915.gpu->local_memory && i915.gpu->verx10 >= 125 ? 0xffff : 0xfff;
        if (object->offset & page)
            return refuse("a pinned buffer is not aligned", object->offset);
        if (object->offset != i915_canonical(object->offset))
            return refuse("an address is not canonical", object->offset);
        if (i915.gpu->address_bits < 48 && (object->offset > room || memory->size > room - object->offset))
            return refuse("a pinned buffer is outside of the address space", object->offset);
    } else {
        uint64_t address = i915_address_of(memory, object->alignment);
        if (!address)
            return -ENOSPC;
        work->moved |= object->offset != address;
        object->offset = address;
    }
    memory->of_model |= I915_MEMORY_USED;
    return i915_addresses_add(&work->addresses, object->offset, memory);
}

/* A buffer for which no address is left makes all others move. So each has its address before one is used. */
static void
give_addresses(const struct submission *work)
{
    for (uint32_t i = 0; i < work->ask->buffer_count; i++) {
        struct lab_memory *memory = lab_handle_find(&work->client->memory, work->object[i].handle);
        if (memory && !(work->object[i].flags & EXEC_OBJECT_PINNED))
            (void)i915_address_of(memory, work->object[i].alignment);
    }
}

static int
place_all(struct submission *work)
{
    int status = i915_addresses_init(&work->addresses, work->ask->buffer_count);
    give_addresses(work);
    for (uint32_t i = 0; i < work->ask->buffer_count && status == 0; i++)
        status = place(work, &work->object[i]);
    const struct i915_relocations relocations = {.client = work->client,
                                                 .object = work->object,
                                                 .buffers = work->ask->buffer_count,
                                                 .by_index = work->ask->flags & I915_EXEC_HANDLE_LUT,
                                                 .trusted =
                                                     work->ask->flags & I915_EXEC_NO_RELOC && !work->moved};
    if (status == 0)
        status = i915_relocate(&relocations);
    return status ? status : i915_addresses_sort(&work->addresses);
}

/* Fences. */

struct fence {
    uint32_t handle, flags;
    uint64_t point;
};

static int
use_fence(struct submission *work, const struct fence *fence, bool submitted)
{
    if (fence->flags & ~(uint32_t)(I915_EXEC_FENCE_WAIT | I915_EXEC_FENCE_SIGNAL))
        return refuse("flags of a fence", fence->flags);
    if (!submitted && fence->flags & I915_EXEC_FENCE_WAIT)
        return lab_sync_needed(work->client, fence->handle, fence->point);
    if (submitted && fence->flags & I915_EXEC_FENCE_SIGNAL)
        return lab_sync_submit_fence(work->client, fence->handle, fence->point, work->fence);
    return 0;
}

static int
use_timelines(struct submission *work, bool submitted)
{
    const struct drm_i915_gem_execbuffer_ext_timeline_fences *ext =
        (const void *)(uintptr_t)work->ask->cliprects_ptr;
    int status = 0;
    for (; ext && status == 0; ext = (const void *)(uintptr_t)ext->base.next_extension) {
        const struct drm_i915_gem_exec_fence *fence = (const void *)(uintptr_t)ext->handles_ptr;
        const uint64_t *point = (const void *)(uintptr_t)ext->values_ptr;
        if (ext->base.name != DRM_I915_GEM_EXECBUFFER_EXT_TIMELINE_FENCES)
            return refuse("an extension", ext->base.name);
        for (uint64_t i = 0; i < ext->fence_count && status == 0; i++)
            status = use_fence(work, &(struct fence){fence[i].handle, fence[i].flags, point[i]}, submitted);
    }
    return status;
}

/* Before the submission: what it waits for; after it: what it signals. */
static int
use_fences(struct submission *work, bool submitted)
{
    const struct drm_i915_gem_exec_fence *fence = (const void *)(uintptr_t)work->ask->cliprects_ptr;
    int status = 0;
    if (work->ask->flags & I915_EXEC_USE_EXTENSIONS)
        return use_timelines(work, submitted);
    if (work->ask->flags & I915_EXEC_FENCE_ARRAY)
        for (uint32_t i = 0; i < work->ask->num_cliprects && status == 0; i++)
            status = use_fence(work, &(struct fence){fence[i].handle, fence[i].flags, 0}, submitted);
    if (status == 0 && !submitted && work->ask->flags & I915_EXEC_FENCE_IN)
        status = lab_sync_file_fence((int)(uint32_t)work->ask->rsvd2) ? 0 : -EINVAL;
    if (status == 0 && submitted && work->ask->flags & I915_EXEC_FENCE_OUT) {
        int fd = lab_sync_file_of(work->fence);
        work->ask->rsvd2 = (work->ask->rsvd2 & UINT32_MAX) | (uint64_t)(uint32_t)fd << 32;
        status = fd < 0 ? fd : 0;
    }
    return status;
}

/* Takes over the addresses. */
static int
execute(struct submission *work)
{
    work->fence = lab_fence_create(lab_mode() == LAB_NOOP);
    if (lab_mode() != LAB_EXEC && lab_mode() != LAB_LATE) {
        i915_addresses_finish(&work->addresses);
        return 0;
    }
    return i915_work_submit(
        &(struct i915_work){.context = work->context,
                            .engine = work->engine,
                            .addresses = work->addresses,
                            .start = work->object[work->batch].offset + work->ask->batch_start_offset,
                            .fence = work->fence});
}

int
i915_execbuffer(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_execbuffer2 *ask = arg;
    struct submission work = {.client = client, .ask = ask, .object = (void *)(uintptr_t)ask->buffers_ptr};
    int status = check_flags(ask);
    work.batch = ask->flags & I915_EXEC_BATCH_FIRST ? 0 : ask->buffer_count - 1;
    if (status == 0)
        status = find_engine(&work);
    if (status == 0)
        status = use_fences(&work, false);
    if (status == 0)
        status = place_all(&work);
    if (status == 0)
        status = execute(&work);
    else
        i915_addresses_finish(&work.addresses);
    if (status == 0)
        status = use_fences(&work, true);
    lab_fence_unref(work.fence);
    return status;
}
