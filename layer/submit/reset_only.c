/** @file
 * See reset_only.h. */
#include "layer/submit/reset_only.h"

static void
destroy(struct pp_vk_device *dev, struct pp_vk_reserve *reserve)
{
    if (reserve->fence != VK_NULL_HANDLE)
        dev->next.DestroyFence(dev->handle, reserve->fence, NULL);
    if (reserve->pool != VK_NULL_HANDLE)
        dev->next.DestroyCommandPool(dev->handle, reserve->pool, NULL);
    *reserve = (struct pp_vk_reserve){0};
}

static bool
make(struct pp_vk_queue *queue, struct pp_vk_reserve *reserve)
{
    struct pp_vk_device *dev = queue->dev;
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = queue->family};
    if (dev->next.CreateFence(dev->handle, &fence, NULL, &reserve->fence) != VK_SUCCESS)
        reserve->fence = VK_NULL_HANDLE;
    if (dev->next.CreateCommandPool(dev->handle, &pool, NULL, &reserve->pool) != VK_SUCCESS)
        reserve->pool = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = reserve->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    if (reserve->fence == VK_NULL_HANDLE || reserve->pool == VK_NULL_HANDLE ||
        dev->next.AllocateCommandBuffers(dev->handle, &buffer, &reserve->buffer) != VK_SUCCESS) {
        destroy(dev, reserve);
        return false;
    }
    pp_vk_adopt(dev, reserve->buffer);
    return true;
}

/* Can the command buffer be recorded again? Yes if its last run has ended; resets its fence. */
static bool
is_free(struct pp_vk_device *dev, struct pp_vk_reserve *reserve)
{
    if (reserve->pending && dev->next.GetFenceStatus(dev->handle, reserve->fence) != VK_SUCCESS)
        return false;
    if (reserve->pending && dev->next.ResetFences(dev->handle, 1, &reserve->fence) != VK_SUCCESS)
        return false;
    reserve->pending = false;
    return true;
}

struct pp_vk_reserve *
pp_reserve_begin(struct pp_vk_queue *queue)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_reserve *found = NULL;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    for (uint32_t i = 0; !found && i < PP_VK_RESERVES && queue->inject; i++) {
        struct pp_vk_reserve *reserve = &queue->reserve[i];
        if (reserve->pool != VK_NULL_HANDLE ? is_free(dev, reserve) : make(queue, reserve))
            found = reserve;
    }
    if (!found || dev->next.ResetCommandPool(dev->handle, found->pool, 0) != VK_SUCCESS ||
        dev->next.BeginCommandBuffer(found->buffer, &begin) != VK_SUCCESS)
        return NULL;
    return found;
}

void
pp_reserve_add(const struct pp_vk_device *dev, struct pp_vk_reserve *reserve, const struct pp_cmdbuf *cb)
{
    for (int kind = 0; cb && kind < PP_QUERY_KINDS; kind++)
        for (uint32_t i = 0; i < cb->queries[kind].runs; i++) {
            const struct pp_query_run *run = &cb->queries[kind].run[i];
            if (run->reserved > run->reset)
                dev->next.CmdResetQueryPool(reserve->buffer, run->chunk->pool, run->first + run->reset,
                                            run->reserved - run->reset);
        }
    for (uint32_t i = 0; cb && i < cb->execs.count; i++)
        pp_reserve_add(dev, reserve, cb->execs.list[i].secondary);
}

void
pp_reserve_submit(struct pp_vk_queue *queue, struct pp_vk_reserve *reserve)
{
    const struct pp_vk_device_next *next = &queue->dev->next;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &reserve->buffer};
    reserve->pending = next->EndCommandBuffer(reserve->buffer) == VK_SUCCESS &&
                       next->QueueSubmit(queue->handle, 1, &info, reserve->fence) == VK_SUCCESS;
}

void
pp_reserve_finish(struct pp_vk_queue *queue)
{
    for (uint32_t i = 0; i < PP_VK_RESERVES; i++)
        destroy(queue->dev, &queue->reserve[i]);
}
