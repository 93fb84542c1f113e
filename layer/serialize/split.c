/** @file
 * See split.h. */
#include "layer/serialize/split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/util/heap.h"
#include "core/util/log.h"
#include "layer/base/chain.h"
#include "layer/measure/announce.h"
#include "layer/record/perf_record.h"
#include "layer/serialize/split_private.h"
#include "layer/serialize/split_state.h"

static PFN_vkVoidFunction *
function_at(struct pp_vk_device_next *next, size_t offset)
{
    return (PFN_vkVoidFunction *)(void *)((char *)next + offset);
}

/* Does this session record in parts on a GPU of this vendor? */
static bool
is_wanted(struct pp_session *session, uint32_t vendor)
{
    const struct pp_config *config = pp_session_config(session);
    return config->serialize &&
           (pp_config_wants(config, "mali", false) ||
            (vendor == PP_VENDOR_ARM && pp_session_default_events(session, "mali", vendor)));
}

/* May a device of this session record in parts? No GPU is known yet. */
static bool
may_be_wanted(struct pp_session *session)
{
    const struct pp_config *config = pp_session_config(session);
    return is_wanted(session, PP_VENDOR_ARM) || pp_config_wants(config, "khr", false) ||
           (config->serialize && pp_config_wants(config, "oa", true));
}

int
pp_split_open(struct pp_vk_device *dev)
{
    return is_wanted(dev->session, dev->gpu.props.vendorID) ? pp_split_force(dev) : 0;
}

int
pp_split_force(struct pp_vk_device *dev)
{
    if (dev->split)
        return 0;
    dev->split = calloc(1, sizeof(*dev->split));
    if (!dev->split)
        return -ENOMEM;
    const struct pp_config *config = pp_session_config(dev->session);
    dev->split->draws = is_wanted(dev->session, dev->gpu.props.vendorID) && config->level == PP_LEVEL_DRAW;
    dev->split->real = dev->next;
    pp_map_init(&dev->split->passes);
    pthread_mutex_init(&dev->split->lock, NULL);
    pp_split_wrap(dev);
    return 0;
}

void
pp_split_wrap(struct pp_vk_device *dev)
{
    for (size_t i = 0; dev->split && i < pp_split_hooks_count; i++) {
        PFN_vkVoidFunction *next = function_at(&dev->next, pp_split_hooks[i].next);
        if (!*next || *next == pp_split_hooks[i].fn)
            continue;
        *function_at(&dev->split->real, pp_split_hooks[i].next) = *next;
        *next = pp_split_hooks[i].fn;
    }
}

static int
by_name(const void *name, const void *hook)
{
    return strcmp(name, ((const struct pp_split_hook *)hook)->name);
}

static const struct pp_split_hook *
find_hook(const char *name)
{
    return bsearch(name, pp_split_hooks, pp_split_hooks_count, sizeof(pp_split_hooks[0]), by_name);
}

static bool
is_command(const char *name)
{
    return strncmp(name, "vkCmd", strlen("vkCmd")) == 0;
}

void
pp_split_unknown(struct pp_vk_device *dev)
{
    if (dev->split)
        atomic_store(&dev->split->unknown, true);
}

PFN_vkVoidFunction
pp_split_proc(struct pp_vk_device *dev, const char *name, PFN_vkVoidFunction next)
{
    if (!dev->split)
        return next;
    const struct pp_split_hook *hook = find_hook(name);
    if (hook && *function_at(&dev->split->real, hook->next))
        return hook->fn;
    if (is_command(name))
        pp_split_unknown(dev);
    return next;
}

PFN_vkVoidFunction
pp_split_instance_proc(struct pp_vk_instance *inst, const char *name, PFN_vkVoidFunction next)
{
    struct pp_session *session = pp_session_get();
    if (!session || !may_be_wanted(session))
        return next;
    const struct pp_split_hook *hook = find_hook(name);
    if (!hook) {
        if (is_command(name))
            pp_vk_device_add_unknown(inst);
        return next;
    }
    pp_vk_device_add_proc(inst, hook->next, next);
    return hook->fn;
}

void
pp_split_close(struct pp_vk_device *dev)
{
    if (dev->split) {
        pp_map_finish(&dev->split->passes);
        pthread_mutex_destroy(&dev->split->lock);
    }
    free(dev->split);
    dev->split = NULL;
}

/* Command buffers. */

void
pp_split_add(struct pp_cmdbuf *cb)
{
    if (!cb->dev->split || cb->usage.secondary)
        return;
    struct pp_split *split = calloc(1, sizeof(*split));
    if (!split)
        return;
    split->cb = cb;
    cb->split = split;
    if (!pp_split_grow(split) ||
        pp_array_grow(&split->handle, &split->handle_cap, 1, sizeof(split->handle[0])) != 0) {
        pp_split_free(cb);
        return;
    }
    split->handle[0] = cb->handle;
    split->handles = split->taken = 1;
    pp_split_next(split, cb->handle);
}

bool
pp_split_grow(struct pp_split *split)
{
    return pp_array_grow(&split->part, &split->part_cap, (size_t)split->parts + 1, sizeof(*split->part)) == 0;
}

void
pp_split_next(struct pp_split *split, VkCommandBuffer handle)
{
    split->part[split->parts++] =
        (struct pp_split_part){.handle = handle, .bracket = PP_NO_BRACKET, .around = PP_NO_BRACKET};
}

/* Reset to the first part; no other handle is in use. */
static void
start_over(struct pp_split *split)
{
    split->parts = 0;
    split->taken = 1;
    split->twin = VK_NULL_HANDLE;
    split->instance.how = PP_SPLIT_UNKNOWN;
    pp_split_next(split, split->handle[0]);
}

void
pp_split_release(struct pp_cmdbuf *cb)
{
    struct pp_split *split = cb->split;
    if (!split)
        return;
    if (split->handles > 1)
        cb->dev->split->real.FreeCommandBuffers(cb->dev->handle, cb->pool->handle, split->handles - 1,
                                                split->handle + 1);
    start_over(split);
    split->handles = 1;
}

void
pp_split_free(struct pp_cmdbuf *cb)
{
    if (!cb->split)
        return;
    pp_split_state_finish(cb->split);
    free(cb->split->part);
    free(cb->split->handle);
    free(cb->split->instance.memory);
    free(cb->split);
    cb->split = NULL;
}

const struct pp_split_part *
pp_split_parts(const struct pp_cmdbuf *cb, uint32_t *ret_count)
{
    *ret_count = cb && cb->split ? cb->split->parts : 0;
    return *ret_count > 0 ? cb->split->part : NULL;
}

struct pp_split *
pp_split_find(VkCommandBuffer handle)
{
    const struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    return cb ? cb->split : NULL;
}

const struct pp_vk_device_next *
pp_split_real(const void *handle)
{
    const struct pp_vk_device *dev = pp_vk_device_of(handle);
    return dev->split ? &dev->split->real : &dev->next;
}

VkCommandBuffer
pp_split_open_part(const struct pp_split *split)
{
    return split->part[split->parts - 1].handle;
}

void
pp_split_note_command(struct pp_split *split, int opened)
{
    if (!split)
        return;
    split->worked = true;
    split->opened += opened;
}

/* Recording. */

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_BeginCommandBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo *pBeginInfo)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    if (split) {
        pp_split_state_clear(split);
        start_over(split);
        split->usage = pBeginInfo->flags;
        split->worked = false;
        /* The chain may hold a device mask, which is for device groups, and these are not profiled. It may
         * also hold a struct that is not known here. */
        split->known = pBeginInfo->pNext ? PP_SPLIT_FORGOTTEN : PP_SPLIT_KNOWN;
        split->opened = 0;
        split->failed = VK_SUCCESS;
    }
    return pp_split_real(commandBuffer)->BeginCommandBuffer(commandBuffer, pBeginInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_EndCommandBuffer(VkCommandBuffer commandBuffer)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    const struct pp_vk_device_next *real = pp_split_real(commandBuffer);
    if (!split)
        return real->EndCommandBuffer(commandBuffer);
    split->part[split->parts - 1].glued = split->cb->instance.suspended;
    pp_split_state_clear(split);
    VkResult result = real->EndCommandBuffer(pp_split_open_part(split));
    return split->failed != VK_SUCCESS ? split->failed : result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_ResetCommandBuffer(VkCommandBuffer commandBuffer, VkCommandBufferResetFlags flags)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    const struct pp_vk_device_next *real = pp_split_real(commandBuffer);
    VkResult result = real->ResetCommandBuffer(commandBuffer, flags);
    for (uint32_t i = 1; split && i < split->handles && result == VK_SUCCESS; i++)
        result = real->ResetCommandBuffer(split->handle[i], flags);
    if (split)
        start_over(split);
    return result;
}

/* Take a command buffer that is not in use, or allocate one. @return VK_NULL_HANDLE: no memory. */
static VkCommandBuffer
take_handle(struct pp_split *split)
{
    struct pp_vk_device *dev = split->cb->dev;
    if (split->taken < split->handles)
        return split->handle[split->taken++];
    if (pp_array_grow(&split->handle, &split->handle_cap, (size_t)split->handles + 1,
                      sizeof(split->handle[0])) != 0)
        return VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = split->cb->pool->handle,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBuffer handle;
    if (dev->split->real.AllocateCommandBuffers(dev->handle, &info, &handle) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    pp_vk_device_adopt(dev, handle);
    split->handle[split->handles++] = handle;
    split->taken++;
    return handle;
}

VkCommandBuffer
pp_split_new_handle(struct pp_split *split)
{
    const struct pp_vk_device_next *real = &split->cb->dev->split->real;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = split->usage};
    VkCommandBuffer handle = take_handle(split);
    if (handle == VK_NULL_HANDLE)
        return handle;
    if (real->BeginCommandBuffer(handle, &begin) != VK_SUCCESS) {
        pp_split_drop(split, handle);
        return VK_NULL_HANDLE;
    }
    pp_split_state_repeat(split, real, handle, false);
    pp_split_labels(split, real, handle, true);
    return handle;
}

VkResult
pp_split_end(struct pp_split *split, VkCommandBuffer handle)
{
    const struct pp_vk_device_next *real = &split->cb->dev->split->real;
    pp_split_labels(split, real, handle, false);
    return real->EndCommandBuffer(handle);
}

void
pp_split_drop(struct pp_split *split, VkCommandBuffer handle)
{
    struct pp_vk_device *dev = split->cb->dev;
    uint32_t i = split->taken - 1; /* the handle is one of the last */
    while (split->handle[i] != handle)
        i--;
    /* A command buffer cannot be used again before it, or its pool, is reset. */
    dev->split->real.FreeCommandBuffers(dev->handle, split->cb->pool->handle, 1, &handle);
    split->handle[i] = split->handle[--split->taken];
    split->handle[split->taken] = split->handle[--split->handles];
}

bool
pp_split_may_cut(struct pp_split *split)
{
    struct pp_vk_device *dev = split->cb->dev;
    bool opened = split->opened > pp_perf_is_last(&split->cb->perf);
    if (opened && dev->measured.serialize)
        pp_vk_device_missing(dev, PP_EVENT_SPLIT_QUERIES, PP_MSG_SPLIT_QUERIES);
    bool unknown = split->known == PP_SPLIT_FORGOTTEN || atomic_load(&dev->split->unknown);
    bool many = split->known == PP_SPLIT_MANY;
    if (unknown && dev->measured.serialize)
        pp_vk_device_missing(dev, PP_EVENT_SPLIT_UNKNOWN, PP_MSG_SPLIT_UNKNOWN);
    if (many && dev->measured.serialize)
        pp_vk_device_missing(dev, PP_EVENT_SPLIT_STATES, PP_MSG_SPLIT_STATES, PP_SPLIT_STATES);
    return !unknown && !many && !opened && split->failed == VK_SUCCESS;
}

/* End the open part and begin another one with the same state. @return false: the open part cannot end here,
 * or no memory. */
static bool
cut(struct pp_split *split)
{
    const struct pp_vk_device_next *real = &split->cb->dev->split->real;
    VkCommandBuffer next =
        pp_split_may_cut(split) && pp_split_grow(split) ? pp_split_new_handle(split) : VK_NULL_HANDLE;
    if (next == VK_NULL_HANDLE)
        return false;
    /* If a part fails, the failure is reported at the end of the recording, as the application expects it. */
    pp_split_labels(split, real, pp_split_open_part(split), false);
    /* A query of the whole command buffer must be its last command (VUID 03227). */
    pp_perf_record_end(split->cb);
    split->failed = real->EndCommandBuffer(pp_split_open_part(split));
    pp_split_next(split, next);
    split->worked = false;
    return true;
}

bool
pp_split_cut(struct pp_cmdbuf *cb, uint32_t bracket)
{
    struct pp_split *split = cb->split;
    bool apart = !split->worked || cut(split);
    struct pp_split_part *part = &split->part[split->parts - 1];
    part->mixed = part->mixed || !apart;
    part->bracket = part->mixed ? PP_NO_BRACKET : bracket;
    return apart;
}

/* Submission. */

/* Number of command buffers that @p handle represents. */
static uint32_t
count_parts(VkCommandBuffer handle)
{
    const struct pp_split *split = pp_split_find(handle);
    return split ? split->parts : 1;
}

static VkCommandBuffer
part_of(VkCommandBuffer handle, uint32_t i)
{
    const struct pp_split *split = pp_split_find(handle);
    return split ? split->part[i].handle : handle;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_QueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits, VkFence fence)
{
    const struct pp_vk_device_next *real = pp_split_real(queue);
    size_t parts = 0, chains = 0;
    for (uint32_t i = 0; i < submitCount; i++) {
        chains += pp_vk_group_bytes(pSubmits[i].pNext);
        for (uint32_t b = 0; b < pSubmits[i].commandBufferCount; b++)
            parts += count_parts(pSubmits[i].pCommandBuffers[b]);
    }
    VkSubmitInfo *copy = malloc(submitCount * sizeof(*copy) + chains +
                                parts * (sizeof(VkCommandBuffer) + sizeof(uint32_t)) + 1);
    if (!copy)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    char *node = (char *)(copy + submitCount);
    VkCommandBuffer *handle = (VkCommandBuffer *)(void *)(node + chains);
    uint32_t *mask = (uint32_t *)(void *)(handle + parts);
    for (uint32_t i = 0; i < submitCount; i++) {
        uint32_t count = 0;
        copy[i] = pSubmits[i];
        copy[i].pCommandBuffers = handle;
        for (uint32_t b = 0; b < pSubmits[i].commandBufferCount; b++)
            for (uint32_t p = 0; p < count_parts(pSubmits[i].pCommandBuffers[b]); p++, count++) {
                handle[count] = part_of(pSubmits[i].pCommandBuffers[b], p);
                mask[count] = 1; /* the only physical device */
            }
        copy[i].commandBufferCount = count;
        size_t bytes = pp_vk_group_bytes(pSubmits[i].pNext);
        const VkDeviceGroupSubmitInfo *group;
        if (bytes > 0)
            copy[i].pNext = pp_vk_group_copy(pSubmits[i].pNext, node, count, mask, &group);
        node += bytes;
        handle += count;
        mask += count;
    }
    VkResult result = real->QueueSubmit(queue, submitCount, copy, fence);
    free(copy);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_split_QueueSubmit2(VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence)
{
    const struct pp_vk_device_next *real = pp_split_real(queue);
    size_t parts = 0;
    for (uint32_t i = 0; i < submitCount; i++)
        for (uint32_t b = 0; b < pSubmits[i].commandBufferInfoCount; b++)
            parts += count_parts(pSubmits[i].pCommandBufferInfos[b].commandBuffer);
    VkSubmitInfo2 *copy = malloc(submitCount * sizeof(*copy) + parts * sizeof(VkCommandBufferSubmitInfo) + 1);
    if (!copy)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkCommandBufferSubmitInfo *info = (VkCommandBufferSubmitInfo *)(void *)(copy + submitCount);
    for (uint32_t i = 0; i < submitCount; i++) {
        uint32_t count = 0;
        copy[i] = pSubmits[i];
        copy[i].pCommandBufferInfos = info;
        for (uint32_t b = 0; b < pSubmits[i].commandBufferInfoCount; b++)
            for (uint32_t p = 0; p < count_parts(pSubmits[i].pCommandBufferInfos[b].commandBuffer);
                 p++, count++) {
                info[count] = pSubmits[i].pCommandBufferInfos[b];
                info[count].commandBuffer = part_of(info[count].commandBuffer, p);
            }
        copy[i].commandBufferInfoCount = count;
        info += count;
    }
    VkResult result = real->QueueSubmit2(queue, submitCount, copy, fence);
    free(copy);
    return result;
}
