/** @file
 * See reset_only.h. */
#include "layer/submit/reset_only.h"

static void
destroy(struct pp_vk_device *dev, struct pp_vk_reset_only *resets)
{
    if (resets->fence != VK_NULL_HANDLE)
        dev->next.DestroyFence(dev->handle, resets->fence, NULL);
    if (resets->pool != VK_NULL_HANDLE)
        dev->next.DestroyCommandPool(dev->handle, resets->pool, NULL);
    *resets = (struct pp_vk_reset_only){0};
}

static bool
make(struct pp_vk_queue *queue, struct pp_vk_reset_only *resets)
{
    struct pp_vk_device *dev = queue->dev;
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = queue->family};
    if (dev->next.CreateFence(dev->handle, &fence, NULL, &resets->fence) != VK_SUCCESS)
        resets->fence = VK_NULL_HANDLE;
    if (dev->next.CreateCommandPool(dev->handle, &pool, NULL, &resets->pool) != VK_SUCCESS)
        resets->pool = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = resets->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    if (resets->fence == VK_NULL_HANDLE || resets->pool == VK_NULL_HANDLE ||
        dev->next.AllocateCommandBuffers(dev->handle, &buffer, &resets->buffer) != VK_SUCCESS) {
        destroy(dev, resets);
        return false;
    }
    pp_vk_device_adopt(dev, resets->buffer);
    return true;
}

/* Can the command buffer be recorded again? Yes if its last run has ended; resets its fence. */
static bool
is_free(struct pp_vk_device *dev, struct pp_vk_reset_only *resets)
{
    if (resets->pending && dev->next.GetFenceStatus(dev->handle, resets->fence) != VK_SUCCESS)
        return false;
    if (resets->pending && dev->next.ResetFences(dev->handle, 1, &resets->fence) != VK_SUCCESS)
        return false;
    resets->pending = false;
    return true;
}

struct pp_vk_reset_only *
pp_reset_only_begin(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_reset_only *found = NULL;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    for (uint32_t i = 0; !found && i < PP_VK_RESETS_ONLY && queue->inject; i++) {
        struct pp_vk_reset_only *resets = &queue->resets[i];
        if (resets->pool != VK_NULL_HANDLE ? is_free(dev, resets) : make(queue, resets))
            found = resets;
    }
    if (!found || dev->next.ResetCommandPool(dev->handle, found->pool, 0) != VK_SUCCESS ||
        dev->next.BeginCommandBuffer(found->buffer, &begin) != VK_SUCCESS)
        return NULL;
    return found;
}

void
pp_reset_only_add(const struct pp_vk_device *dev, struct pp_vk_reset_only *resets, const struct pp_cmdbuf *cb)
{
    for (int kind = 0; cb && kind < PP_QUERY_KINDS; kind++)
        for (uint32_t i = 0; i < cb->queries[kind].runs; i++) {
            const struct pp_query_run *run = &cb->queries[kind].run[i];
            if (run->reserved > run->reset)
                dev->next.CmdResetQueryPool(resets->buffer, run->chunk->pool, run->first + run->reset,
                                            run->reserved - run->reset);
        }
    for (uint32_t i = 0; cb && i < cb->execs.count; i++)
        pp_reset_only_add(dev, resets, cb->execs.list[i].secondary);
}

void
pp_reset_only_submit(struct pp_vk_queue *queue, struct pp_vk_reset_only *resets)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &resets->buffer};
    resets->pending = next->EndCommandBuffer(resets->buffer) == VK_SUCCESS &&
                      next->QueueSubmit(queue->handle, 1, &info, resets->fence) == VK_SUCCESS;
}

void
pp_reset_only_finish(struct pp_vk_queue *queue)
{
    for (uint32_t i = 0; i < PP_VK_RESETS_ONLY; i++)
        destroy(queue->dev, &queue->resets[i]);
}
