/** @file
 * Memory ioctls of i915; see gem.h. */
#include "tests/lab/i915/gem.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include <i915_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/i915/addresses.h"
#include "tests/lab/i915/device.h"
#include "tests/lab/i915/work.h"
#include "tests/lab/memory.h"
#include "tests/lab/model.h"
#include "tests/lab/report.h"

#define TILING_SHIFT 32 /* in lab_memory.of_model; see addresses.h for the rest */

static int
create(struct lab_client *client, uint64_t *size, uint32_t *handle)
{
    struct lab_memory *memory = lab_memory_create(*size);
    if (!memory) {
        LAB_FAULT("GEM_CREATE of %llu bytes", (unsigned long long)*size);
        return -EINVAL;
    }
    *size = memory->size;
    *handle = lab_handle_add(&client->memory, memory);
    return 0;
}

int
i915_gem_create(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_create *ask = arg;
    uint64_t size = ask->size;
    uint32_t handle = 0;
    int status = create(client, &size, &handle);
    ask->size = size;
    ask->handle = handle;
    return status;
}

/* Regions must be ones that DRM_I915_QUERY_MEMORY_REGIONS names. */
static int
check_regions(const struct drm_i915_gem_create_ext_memory_regions *ext)
{
    const struct drm_i915_gem_memory_class_instance *region = (const void *)(uintptr_t)ext->regions;
    if (ext->pad || ext->num_regions == 0 || ext->num_regions > 2)
        return -EINVAL;
    for (uint32_t i = 0; i < ext->num_regions; i++)
        if (region[i].memory_instance != 0 || region[i].memory_class > I915_MEMORY_CLASS_DEVICE ||
            (region[i].memory_class == I915_MEMORY_CLASS_DEVICE && !i915.gpu->local_memory))
            return -EINVAL;
    return 0;
}

int
i915_gem_create_ext(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_create_ext *ask = arg;
    const struct i915_user_extension *ext = (const void *)(uintptr_t)ask->extensions;
    uint64_t size = ask->size;
    uint32_t handle = 0;
    int status = ask->flags & ~(uint32_t)I915_GEM_CREATE_EXT_FLAG_NEEDS_CPU_ACCESS ? -EINVAL : 0;
    for (; ext && status == 0; ext = (const void *)(uintptr_t)ext->next_extension)
        if (ext->name == I915_GEM_CREATE_EXT_MEMORY_REGIONS)
            status = check_regions((const void *)ext);
        else /* protected content */
            return -ENODEV;
    if (status) {
        LAB_FAULT("GEM_CREATE_EXT: flags 0x%x or memory regions are wrong", ask->flags);
        return status;
    }
    status = create(client, &size, &handle);
    ask->size = size;
    ask->handle = handle;
    return status;
}

int
i915_gem_userptr(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_userptr *ask = arg;
    const uint32_t known = I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | I915_USERPTR_UNSYNCHRONIZED;
    if (ask->user_size == 0 && !ask->flags) /* ANV 26.2 asks so whether the kernel has this ioctl */
        return -EINVAL;
    if (ask->flags & ~known || ask->user_size == 0 || (ask->user_ptr | ask->user_size) & 4095) {
        LAB_FAULT("GEM_USERPTR: flags 0x%x, address 0x%llx, %llu bytes", ask->flags,
                  (unsigned long long)ask->user_ptr, (unsigned long long)ask->user_size);
        return -EINVAL;
    }
    if (ask->flags & I915_USERPTR_UNSYNCHRONIZED)
        return -ENODEV;
    struct lab_memory *memory = lab_memory_of_user((void *)(uintptr_t)ask->user_ptr, ask->user_size);
    if (!memory)
        return -ENOMEM;
    ask->handle = lab_handle_add(&client->memory, memory);
    return 0;
}

int
i915_gem_mmap_offset(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_mmap_offset *ask = arg;
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "GEM_MMAP_OFFSET");
    if (!memory)
        return -ENOENT;
    if (memory->from_user || ask->extensions || ask->flags > I915_MMAP_OFFSET_FIXED) {
        LAB_FAULT("GEM_MMAP_OFFSET: flags %llu", (unsigned long long)ask->flags);
        return -EINVAL;
    }
    if (i915.gpu->local_memory != (ask->flags == I915_MMAP_OFFSET_FIXED))
        return -ENODEV;
    ask->offset = memory->offset;
    return 0;
}

/* Work that never ends keeps the memory busy that it was submitted with. */
static bool
is_busy(const struct lab_memory *memory)
{
    return i915_work_uses(memory) || (lab_mode() == LAB_HANG && memory->of_model & I915_MEMORY_USED);
}

/* Wait as the kernel does when the application is about to use the memory. */
static void
wait_for_work(const struct lab_memory *memory)
{
    if (i915_work_uses(memory))
        lab_log("wait");
    while (i915_work_uses(memory))
        pthread_cond_wait(&lab_changed, &lab_lock);
}

static int
copy(struct lab_client *client, uint32_t handle, uint64_t offset, uint64_t size, void *user, bool out)
{
    struct lab_memory *memory = lab_memory_of(client, handle, out ? "GEM_PREAD" : "GEM_PWRITE");
    if (!memory)
        return -ENOENT;
    if (offset > memory->size || size > memory->size - offset)
        return -EINVAL;
    wait_for_work(memory);
    if (out)
        memcpy(user, memory->bytes + offset, size);
    else
        memcpy(memory->bytes + offset, user, size);
    return 0;
}

int
i915_gem_pread(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_pread *ask = arg;
    return copy(client, ask->handle, ask->offset, ask->size, (void *)(uintptr_t)ask->data_ptr, true);
}

int
i915_gem_pwrite(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_pwrite *ask = arg;
    return copy(client, ask->handle, ask->offset, ask->size, (void *)(uintptr_t)ask->data_ptr, false);
}

int
i915_gem_set_domain(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_set_domain *ask = arg;
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "GEM_SET_DOMAIN");
    if (!memory)
        return -ENOENT;
    if (i915.gpu->local_memory)
        return -ENODEV;
    wait_for_work(memory);
    return ask->write_domain && ask->read_domains != ask->write_domain ? -EINVAL : 0;
}

int
i915_gem_set_caching(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_caching *ask = arg;
    if (i915.gpu->local_memory)
        return -ENODEV;
    return lab_memory_of(client, ask->handle, "GEM_SET_CACHING") ? 0 : -ENOENT;
}

/* Tiling and stride only travel with the memory. GPUs from generation 12.5 and those with local memory have
 * no fences. */

int
i915_gem_set_tiling(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_set_tiling *ask = arg;
    struct lab_memory *memory = NULL;
    if (i915.gpu->local_memory)
        return -EOPNOTSUPP;
    if (!(memory = lab_memory_of(client, ask->handle, "GEM_SET_TILING")))
        return -ENOENT;
    if (ask->tiling_mode > I915_TILING_Y || ask->stride >= 1u << 24)
        return -EINVAL;
    ask->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    memory->of_model = (memory->of_model & UINT32_MAX) | (uint64_t)(ask->tiling_mode | ask->stride << 4)
                                                             << TILING_SHIFT;
    return 0;
}

int
i915_gem_get_tiling(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_get_tiling *ask = arg;
    const struct lab_memory *memory = NULL;
    if (i915.gpu->local_memory)
        return -EOPNOTSUPP;
    if (!(memory = lab_memory_of(client, ask->handle, "GEM_GET_TILING")))
        return -ENOENT;
    ask->tiling_mode = memory->of_model >> TILING_SHIFT & 15;
    ask->swizzle_mode = ask->phys_swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    return 0;
}

int
i915_gem_get_aperture(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_get_aperture *ask = arg;
    (void)client;
    ask->aper_size = ask->aper_available_size = i915.gpu->verx10 < 80 ? UINT64_C(2) << 30 : UINT64_C(4) << 30;
    return 0;
}

int
i915_gem_madvise(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_madvise *ask = arg;
    if (!lab_memory_of(client, ask->handle, "GEM_MADVISE"))
        return -ENOENT;
    if (ask->madv > I915_MADV_DONTNEED)
        return -EINVAL;
    ask->retained = 1;
    return 0;
}

int
i915_gem_busy(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_busy *ask = arg;
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "GEM_BUSY");
    if (!memory)
        return -ENOENT;
    ask->busy = is_busy(memory) ? 1u << 16 : 0;
    return 0;
}

int
i915_gem_wait(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_wait *ask = arg;
    const struct lab_memory *memory = lab_memory_of(client, ask->bo_handle, "GEM_WAIT");
    if (!memory)
        return -ENOENT;
    if (ask->flags)
        return -EINVAL;
    uint64_t now = lab_now_ns();
    uint64_t deadline = ask->timeout_ns < 0 ? UINT64_MAX : now + (uint64_t)ask->timeout_ns;
    if (is_busy(memory) && now < deadline)
        lab_log("wait");
    while (is_busy(memory) && (now = lab_now_ns()) < deadline) {
        uint64_t look = deadline - now < 1000000000 ? deadline : now + 1000000000;
        struct timespec until = {.tv_sec = (time_t)(look / 1000000000), .tv_nsec = (long)(look % 1000000000)};
        (void)pthread_cond_clockwait(&lab_changed, &lab_lock, CLOCK_MONOTONIC, &until);
    }
    if (ask->timeout_ns > 0)
        ask->timeout_ns = deadline > now ? (int64_t)(deadline - now) : 0;
    return is_busy(memory) ? -ETIME : 0;
}
