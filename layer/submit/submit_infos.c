/** @file
 * See submit_infos.h. */
#include "layer/submit/submit_infos.h"

#include "layer/base/chain.h"

/* May nothing be added to a batch? A protected submission would need protected memory for results. Device
 * masks, one for each command buffer, can only be added to in a copy of the structs before them in the
 * chain. (Groups of several GPUs are not profiled: see is_group().) */
static bool
may_not_add(const void *chain)
{
    const VkProtectedSubmitInfo *is_protected = pp_vk_find(chain, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
    return (is_protected && is_protected->protectedSubmit) ||
           (pp_vk_find(chain, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO) && pp_vk_group_bytes(chain) == 0);
}

/* A batch with only resets of the layer, which waits for nothing; a closed batch follows it. The buffers of
 * the closed batch are not pending, so nothing uses their queries yet. */
static VkSubmitInfo
reset_batch(const VkCommandBuffer *before)
{
    return (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = before};
}

/* Places in a rewrite's memory for copies of chains with device masks. */
struct masks {
    char *node;     /**< for the next chain */
    uint32_t *mask; /**< for the next batch */
};

/* Give a batch a device mask for each of its items. The batch is not closed. @param item First of its @p
 * count items. */
static void
add_masks(VkSubmitInfo *batch, struct masks *masks, const struct pp_rewrite_item *item, uint32_t count)
{
    size_t bytes = pp_vk_group_bytes(batch->pNext);
    const VkDeviceGroupSubmitInfo *group;
    if (bytes == 0)
        return;
    batch->pNext = pp_vk_group_copy(batch->pNext, masks->node, count, masks->mask, &group);
    for (uint32_t i = 0; i < count; i++)
        masks->mask[i] = item[i].source != PP_REWRITE_ADDED && item[i].source < group->commandBufferCount
                             ? group->pCommandBufferDeviceMasks[item[i].source]
                             : 1;
    masks->node += bytes;
    masks->mask += count;
}

const VkSubmitInfo *
pp_submit_infos_rewrite(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, uint32_t *io_count,
                        const VkSubmitInfo *submits)
{
    uint32_t buffers = 0, count = *io_count, out = 0;
    for (uint32_t i = 0; i < count; i++)
        buffers += submits[i].commandBufferCount;
    if (buffers == 0)
        return submits;
    uint32_t *items = pp_rewrite_counts(rewrite, count);
    if (!items)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        items[i] = pp_rewrite_batch(queue, rewrite, submits[i].pCommandBuffers, submits[i].commandBufferCount,
                                    may_not_add(submits[i].pNext));
    size_t chains = 0, masks_bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        chains += pp_vk_group_bytes(submits[i].pNext);
    if (chains > 0)
        masks_bytes = rewrite->items * sizeof(uint32_t);
    size_t size = 2 * (size_t)count * sizeof(VkSubmitInfo) + chains +
                  rewrite->items * sizeof(VkCommandBuffer) + masks_bytes;
    VkSubmitInfo *copy = rewrite->failed ? NULL : pp_rewrite_memory(rewrite, size);
    if (!copy)
        return NULL;
    struct masks masks = {.node = (char *)(copy + 2 * (size_t)count)};
    VkCommandBuffer *handle = (VkCommandBuffer *)(void *)(masks.node + chains);
    masks.mask = (uint32_t *)(void *)(handle + rewrite->items);
    for (uint32_t i = 0; i < rewrite->items; i++)
        handle[i] = rewrite->item[i].handle;
    for (uint32_t i = 0, at = 0; i < count; at += items[i++]) {
        bool closed = may_not_add(submits[i].pNext);
        uint32_t apart = closed ? items[i] - submits[i].commandBufferCount : 0;
        if (apart > 0)
            copy[out++] = reset_batch(handle + at);
        copy[out] = submits[i];
        copy[out].commandBufferCount = items[i] - apart;
        copy[out].pCommandBuffers = handle + at + apart;
        if (!closed)
            add_masks(&copy[out], &masks, rewrite->item + at, items[i]);
        out++;
    }
    *io_count = out;
    return copy;
}

const VkSubmitInfo2 *
pp_submit_infos_rewrite2(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, uint32_t count,
                         const VkSubmitInfo2 *submits)
{
    uint32_t buffers = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        buffers += submits[i].commandBufferInfoCount;
        most = submits[i].commandBufferInfoCount > most ? submits[i].commandBufferInfoCount : most;
    }
    if (buffers == 0)
        return submits;
    uint32_t *items = pp_rewrite_counts(rewrite, count);
    VkCommandBuffer *list = !items ? NULL : pp_rewrite_memory(rewrite, most * sizeof(*list));
    for (uint32_t i = 0; i < count && list; i++) {
        for (uint32_t b = 0; b < submits[i].commandBufferInfoCount; b++)
            list[b] = submits[i].pCommandBufferInfos[b].commandBuffer;
        items[i] = pp_rewrite_batch(queue, rewrite, list, submits[i].commandBufferInfoCount,
                                    (submits[i].flags & VK_SUBMIT_PROTECTED_BIT) != 0);
    }
    size_t size = count * sizeof(VkSubmitInfo2) + rewrite->items * sizeof(VkCommandBufferSubmitInfo);
    VkSubmitInfo2 *copy = !list || rewrite->failed ? NULL : pp_rewrite_memory(rewrite, size);
    if (!copy)
        return NULL;
    VkCommandBufferSubmitInfo *info = (VkCommandBufferSubmitInfo *)(void *)(copy + count);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        copy[i] = submits[i];
        copy[i].commandBufferInfoCount = items[i];
        copy[i].pCommandBufferInfos = info + at;
        for (uint32_t end = at + items[i]; at < end; at++) {
            const struct pp_rewrite_item *item = &rewrite->item[at];
            if (item->source != PP_REWRITE_ADDED)
                info[at] = submits[i].pCommandBufferInfos[item->source];
            else
                info[at] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                       .commandBuffer = item->handle};
        }
    }
    return copy;
}
