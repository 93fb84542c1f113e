/** @file
 * Barriers of the application. In a barrier that changes the layout of an image, some drivers work on the
 * GPU: they resolve or decompress the image, or clear its metadata. On devices with
 * pp_vk_quirks.barrier_work, consecutive barriers of this kind are a pass of kind PP_PASS_BARRIER. A barrier
 * inside of a render pass belongs to the render pass. A barrier after an action of a compute or transfer pass
 * belongs to that pass. See also bracket.c. */
#include "layer/objects/render_target.h"
#include "layer/record/whole.h"

/* What the barriers of one command do to images. */
struct changes {
    uint32_t images; /* images that change their layout or their queue family */
    VkImage first, last;
    bool layout; /* some of them change their layout */
};

/* Add a barrier. Barriers of several levels or aspects of an image are together: the image counts once. */
static void
add(struct changes *changes, VkImage image, bool layout, bool family)
{
    if (!layout && !family)
        return;
    if (changes->images == 0)
        changes->first = image;
    changes->images += changes->images == 0 || changes->last != image;
    changes->last = image;
    changes->layout = changes->layout || layout;
}

static void
add_all(struct changes *changes, const VkImageMemoryBarrier *barriers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add(changes, barriers[i].image, barriers[i].oldLayout != barriers[i].newLayout,
            barriers[i].srcQueueFamilyIndex != barriers[i].dstQueueFamilyIndex);
}

static void
add_all2(struct changes *changes, const VkDependencyInfo *info)
{
    const VkImageMemoryBarrier2 *barriers = info->pImageMemoryBarriers;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
        add(changes, barriers[i].image, barriers[i].oldLayout != barriers[i].newLayout,
            barriers[i].srcQueueFamilyIndex != barriers[i].dstQueueFamilyIndex);
}

/* May barriers be a pass here? */
static bool
may_be_pass(const struct pp_cmdbuf *cb)
{
    return cb->dev->quirk.barrier_work && !cb->instance.open && !cb->usage.inherits_pass &&
           !cb->instance.suspended;
}

/* Begin a pass of barriers, or go on with the open one, if a command changes images. */
static void
begin_pass(struct pp_cmdbuf *cb, const struct changes *changes)
{
    if (changes->images == 0)
        return;
    if (!pp_vk_has_labels(cb))
        pp_vk_follow_region(cb);
    if (!pp_track_takes_barrier(&cb->tracker))
        return;
    struct pp_cmdbuf_barrier *sum = &cb->barrier;
    if (cb->tracker.open_kind != PP_PASS_BARRIER)
        *sum = (struct pp_cmdbuf_barrier){0};
    sum->images += changes->images - (sum->images > 0 && sum->last == changes->first);
    sum->last = changes->last;
    sum->layout = sum->layout || changes->layout;
    const struct pp_vk_image *image =
        sum->images == 1 ? pp_map_get(&cb->dev->objects.images, (uint64_t)sum->last) : NULL;
    pp_track_barrier(&cb->tracker, pp_vk_render_target_barrier(cb, image, sum->images, sum->layout));
}

/* A barrier of the application: no timestamp is shared across it, unless the barrier is a pass. On a device
 * with deferred_times, the driver takes the timestamp before it. */
static void
note_barrier(struct pp_cmdbuf *cb, const struct changes *changes)
{
    pp_vk_whole_begin(cb);
    cb->brackets.last.barrier = true;
    begin_pass(cb, changes);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdPipelineBarrier(VkCommandBuffer commandBuffer, VkPipelineStageFlags srcStageMask,
                           VkPipelineStageFlags dstStageMask, VkDependencyFlags dependencyFlags,
                           uint32_t memoryBarrierCount, const VkMemoryBarrier *pMemoryBarriers,
                           uint32_t bufferMemoryBarrierCount,
                           const VkBufferMemoryBarrier *pBufferMemoryBarriers,
                           uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier *pImageMemoryBarriers)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (pp_cmdbuf_ready(cb)) {
        struct changes changes = {0};
        if (may_be_pass(cb))
            add_all(&changes, pImageMemoryBarriers, imageMemoryBarrierCount);
        note_barrier(cb, &changes);
    }
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdPipelineBarrier(commandBuffer, srcStageMask, dstStageMask, dependencyFlags, memoryBarrierCount,
                             pMemoryBarriers, bufferMemoryBarrierCount, pBufferMemoryBarriers,
                             imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdPipelineBarrier2(VkCommandBuffer commandBuffer, const VkDependencyInfo *pDependencyInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (pp_cmdbuf_ready(cb)) {
        struct changes changes = {0};
        if (may_be_pass(cb))
            add_all2(&changes, pDependencyInfo);
        note_barrier(cb, &changes);
    }
    pp_cmdbuf_next(cb, commandBuffer)->CmdPipelineBarrier2(commandBuffer, pDependencyInfo);
}

/* A wait for an event may be a wait for the CPU: no timestamp is shared across it. The wait counts for the
 * pass of barriers only if its own barriers change images. */
static void
note_wait(struct pp_cmdbuf *cb, const struct changes *changes)
{
    if (changes->images == 0 && cb->tracker.open_kind == PP_PASS_BARRIER)
        pp_vk_close_run(cb);
    pp_vk_whole_begin(cb);
    pp_vk_lies_between(cb);
    begin_pass(cb, changes);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdWaitEvents(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent *pEvents,
                      VkPipelineStageFlags srcStageMask, VkPipelineStageFlags dstStageMask,
                      uint32_t memoryBarrierCount, const VkMemoryBarrier *pMemoryBarriers,
                      uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier *pBufferMemoryBarriers,
                      uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier *pImageMemoryBarriers)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (pp_cmdbuf_ready(cb)) {
        struct changes changes = {0};
        if (may_be_pass(cb))
            add_all(&changes, pImageMemoryBarriers, imageMemoryBarrierCount);
        note_wait(cb, &changes);
    }
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdWaitEvents(commandBuffer, eventCount, pEvents, srcStageMask, dstStageMask, memoryBarrierCount,
                        pMemoryBarriers, bufferMemoryBarrierCount, pBufferMemoryBarriers,
                        imageMemoryBarrierCount, pImageMemoryBarriers);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdWaitEvents2(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent *pEvents,
                       const VkDependencyInfo *pDependencyInfos)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (pp_cmdbuf_ready(cb)) {
        struct changes changes = {0};
        for (uint32_t i = 0; may_be_pass(cb) && i < eventCount; i++)
            add_all2(&changes, &pDependencyInfos[i]);
        note_wait(cb, &changes);
    }
    pp_cmdbuf_next(cb, commandBuffer)->CmdWaitEvents2(commandBuffer, eventCount, pEvents, pDependencyInfos);
}
