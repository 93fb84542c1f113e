/** @file
 * Commands that begin and end passes, or execute secondaries. The rules for commands of the layer: Vulkan
 * 1.3, "Queries" (VUIDs 01922, 06999, 07004, 00101) and "Dynamic rendering" (06021).
 *
 * Barriers of the application. In a barrier that changes the layout of an image, some drivers work on the
 * GPU: they resolve or decompress the image, or clear its metadata. On devices with
 * pp_vk_quirks.barrier_work, consecutive barriers of this kind are a pass of kind PP_PASS_BARRIER. A barrier
 * inside of a render pass belongs to the render pass. A barrier after an action of a compute or transfer pass
 * belongs to that pass. See also bracket.c. */
#include <errno.h>
#include <stdlib.h>

#include "core/util/log.h"
#include "layer/base/serialize.h"
#include "layer/measure/announce.h"
#include "layer/objects/render_target.h"
#include "layer/record/app_queries.h"
#include "layer/record/bracket.h"
#include "layer/record/perf_record.h"

static uint8_t
popcount_views(uint32_t mask)
{
    uint32_t views = (uint32_t)__builtin_popcount(mask);
    return (uint8_t)(views == 0 ? 1 : views);
}

/* Choose where a pass's statistics can be counted. No query may be active at vkCmdExecuteCommands or across a
 * suspended pass. A query that begins outside of the pass counts all subpasses. */
static enum pp_vk_scope
scope_of(bool inline_contents, uint32_t subpasses, bool split)
{
    if (split)
        return inline_contents ? PP_VK_SCOPE_INSIDE : PP_VK_SCOPE_NONE;
    if (subpasses > 1)
        return PP_VK_SCOPE_INSIDE;
    return inline_contents ? PP_VK_SCOPE_OUTSIDE : PP_VK_SCOPE_NONE;
}

/* Choose how statistics and counters of a pass are counted. At level draw, each draw has a query instead. */
static enum pp_vk_scope
choose_scope(struct pp_cmdbuf *cb, bool inline_contents, uint32_t subpasses, bool split)
{
    enum pp_vk_scope place = scope_of(inline_contents, subpasses, split);
    bool counters = pp_perf_passes(&cb->perf) && !(split && cb->usage.simultaneous);
    cb->perf.place = (uint8_t)(counters ? place : PP_VK_SCOPE_NONE);
    if (split || subpasses == 0)
        pp_perf_break(cb);
    else if (!inline_contents || subpasses > 1) /* a later subpass may execute secondaries */
        pp_perf_pause(cb);
    if (cb->tracker.level != PP_LEVEL_PASS || !cb->statistics.on)
        return PP_VK_SCOPE_NONE;
    /* If the application may begin a statistics query inside, passprobe's query must be able to end there
     * (app_queries.c). Otherwise outside is better: inside, lavapipe 22.3.6 takes 38,000 instructions more
     * for each query. */
    bool app = atomic_load_explicit(&cb->dev->app_statistics, memory_order_relaxed);
    return place == PP_VK_SCOPE_OUTSIDE && app ? PP_VK_SCOPE_INSIDE : place;
}

/* Call it before the API's begin. */
static void
before_begin(struct pp_cmdbuf *cb, pp_render_target_id render_target, enum pp_vk_scope scope, uint8_t flags)
{
    if (!pp_vk_has_labels(cb))
        pp_track_label(&cb->tracker, pp_annotate_label());
    cb->instance.scope = (uint8_t)scope;
    cb->instance.suspended = false;
    pp_track_pass_begin(&cb->tracker, PP_PASS_RENDER, render_target, flags);
}

/* Call it inside the instance, when a subpass begins. */
static void
inside_begin(struct pp_cmdbuf *cb, uint32_t view_mask, bool inline_contents)
{
    struct pp_pass *pass = pp_track_open_pass(&cb->tracker);
    pp_vk_enter_pass(cb);
    cb->instance.views = popcount_views(view_mask);
    if (cb->perf.place == PP_VK_SCOPE_INSIDE && inline_contents && pass)
        pp_perf_begin(cb, pass->bracket, cb->instance.views);
    if (inline_contents)
        pp_perf_resume(cb);
    if (cb->instance.scope == PP_VK_SCOPE_INSIDE && inline_contents && pass)
        pp_vk_bracket_statistics_begin(cb, pass->bracket, cb->instance.views);
}

/* A pass's statistics waited for a pipeline that was never bound: if the pass drew, it was not counted. */
static void
drop_awaiting_statistics(struct pp_cmdbuf *cb)
{
    const struct pp_pass *pass = pp_track_open_pass(&cb->tracker);
    if (pass && pass->draws > 0)
        pp_vk_app_queries_unsafe(cb->dev);
    cb->statistics.awaiting = PP_NO_BRACKET;
}

/* Call it at the end of a subpass, still inside the instance. */
static void
inside_end(struct pp_cmdbuf *cb)
{
    pp_vk_lies_between(cb);
    if (cb->statistics.awaiting != PP_NO_BRACKET)
        drop_awaiting_statistics(cb);
    if (cb->instance.scope == PP_VK_SCOPE_INSIDE)
        pp_vk_bracket_statistics_end(cb);
    if (cb->perf.place == PP_VK_SCOPE_INSIDE)
        pp_perf_end(cb, PP_NO_BRACKET);
    pp_perf_leave(cb);
}

/* Call it after the API's end. */
static void
after_end(struct pp_cmdbuf *cb, uint8_t flags)
{
    pp_serialize.end_pass(cb);
    pp_vk_leave_pass(cb);
    cb->instance.views = 1;
    cb->instance.suspended = (flags & PP_PASS_SUSPENDED) != 0;
    pp_track_pass_end(&cb->tracker, flags);
    pp_indirect_flush(cb, false);
    cb->instance.scope = cb->perf.place = PP_VK_SCOPE_NONE;
    pp_perf_resume(cb);
}

/* Render pass objects */

static void
begin_pass(struct pp_cmdbuf *cb, const VkRenderPassBeginInfo *info, VkSubpassContents contents)
{
    const struct pp_vk_pass *pass = pp_map_get(&cb->dev->objects.passes, (uint64_t)info->renderPass);
    cb->subpasses.view_masks = pass ? pass->view_mask : NULL;
    cb->subpasses.count = pass ? pass->subpasses : 0;
    cb->subpasses.open = 0;
    cb->instance.resumes = false;
    enum pp_vk_scope scope =
        choose_scope(cb, contents == VK_SUBPASS_CONTENTS_INLINE, cb->subpasses.count, !pass);
    /* The view mask of an unknown pass is not known: no query inside. */
    if (!pass)
        cb->perf.place = PP_VK_SCOPE_NONE;
    before_begin(cb, pp_vk_render_target_pass(cb, info), !pass ? PP_VK_SCOPE_NONE : scope, 0);
}

static uint32_t
current_mask(const struct pp_cmdbuf *cb)
{
    return cb->subpasses.view_masks && cb->subpasses.open < cb->subpasses.count
               ? cb->subpasses.view_masks[cb->subpasses.open]
               : 0;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginRenderPass(VkCommandBuffer commandBuffer, const VkRenderPassBeginInfo *pRenderPassBegin,
                           VkSubpassContents contents)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        begin_pass(cb, pRenderPassBegin, contents);
    pp_cmdbuf_next(cb, commandBuffer)->CmdBeginRenderPass(commandBuffer, pRenderPassBegin, contents);
    if (ready)
        inside_begin(cb, current_mask(cb), contents == VK_SUBPASS_CONTENTS_INLINE);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginRenderPass2(VkCommandBuffer commandBuffer, const VkRenderPassBeginInfo *pRenderPassBegin,
                            const VkSubpassBeginInfo *pSubpassBeginInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        begin_pass(cb, pRenderPassBegin, pSubpassBeginInfo->contents);
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdBeginRenderPass2(commandBuffer, pRenderPassBegin, pSubpassBeginInfo);
    if (ready)
        inside_begin(cb, current_mask(cb), pSubpassBeginInfo->contents == VK_SUBPASS_CONTENTS_INLINE);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdNextSubpass(VkCommandBuffer commandBuffer, VkSubpassContents contents)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        inside_end(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdNextSubpass(commandBuffer, contents);
    if (ready) {
        cb->subpasses.open++;
        inside_begin(cb, current_mask(cb), contents == VK_SUBPASS_CONTENTS_INLINE);
    }
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdNextSubpass2(VkCommandBuffer commandBuffer, const VkSubpassBeginInfo *pSubpassBeginInfo,
                        const VkSubpassEndInfo *pSubpassEndInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        inside_end(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdNextSubpass2(commandBuffer, pSubpassBeginInfo, pSubpassEndInfo);
    if (ready) {
        cb->subpasses.open++;
        inside_begin(cb, current_mask(cb), pSubpassBeginInfo->contents == VK_SUBPASS_CONTENTS_INLINE);
    }
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndRenderPass(VkCommandBuffer commandBuffer)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        inside_end(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndRenderPass(commandBuffer);
    if (ready)
        after_end(cb, 0);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndRenderPass2(VkCommandBuffer commandBuffer, const VkSubpassEndInfo *pSubpassEndInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        inside_end(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndRenderPass2(commandBuffer, pSubpassEndInfo);
    if (ready)
        after_end(cb, 0);
}

/* Dynamic rendering */

/* Inject nothing: a buffer for simultaneous use resumes a pass. It may be twice in one chain of suspended
 * passes, where queries cannot be reset. */
static void
stop_injecting(struct pp_cmdbuf *cb)
{
    cb->no_queries = cb->no_queries || cb->inject;
    cb->inject = cb->statistics.on = false;
    if (cb->no_queries)
        pp_vk_device_missing(cb->dev, PP_EVENT_VK_RESUMED, PP_MSG_VK_RESUMED);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginRendering(VkCommandBuffer commandBuffer, const VkRenderingInfo *pRenderingInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    VkRenderingFlags flags = pRenderingInfo->flags;
    bool resumes = (flags & VK_RENDERING_RESUMING_BIT) != 0;
    bool inline_contents = !(flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    if (ready) {
        cb->subpasses.view_masks = NULL;
        cb->instance.suspends = (flags & VK_RENDERING_SUSPENDING_BIT) != 0;
        cb->instance.resumes = resumes;
        if (resumes && cb->usage.simultaneous)
            stop_injecting(cb);
        if (resumes)
            pp_vk_whole_resume(cb);
        if ((resumes || cb->instance.suspends) && cb->dev->measured.perf)
            atomic_store(&cb->dev->measured.perf->suspends, true);
        before_begin(cb, pp_vk_render_target_rendering(cb, pRenderingInfo),
                     choose_scope(cb, inline_contents, 1, resumes || cb->instance.suspends),
                     resumes ? PP_PASS_CONTINUED : 0);
    }
    pp_cmdbuf_next(cb, commandBuffer)->CmdBeginRendering(commandBuffer, pRenderingInfo);
    if (ready)
        inside_begin(cb, pRenderingInfo->viewMask, inline_contents);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndRendering(VkCommandBuffer commandBuffer)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    bool ready = pp_cmdbuf_ready(cb);
    if (ready)
        inside_end(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndRendering(commandBuffer);
    if (ready)
        after_end(cb, cb->instance.suspends ? PP_PASS_SUSPENDED : 0);
}

/* Secondaries */

static int
add_exec(struct pp_cmdbuf *cb, struct pp_cmdbuf *secondary, uint32_t bracket)
{
    if (!secondary)
        return 0;
    if (cb->execs.count == cb->execs.cap) {
        uint32_t cap = cb->execs.cap == 0 ? 8 : cb->execs.cap * 2;
        struct pp_vk_exec *exec = realloc(cb->execs.list, cap * sizeof(*exec));
        if (!exec)
            return -ENOMEM;
        cb->execs.list = exec;
        cb->execs.cap = cap;
    }
    cb->statistics.bound |= secondary->statistics.bound;
    cb->statistics.early_state |= (uint8_t)(secondary->statistics.early_state & ~cb->statistics.bound);
    if (!cb->surface)
        cb->surface = secondary->surface;
    cb->labels.ends_frame = cb->labels.ends_frame || secondary->labels.ends_frame;
    bool inside = cb->instance.open && cb->tracker.open_kind != PP_PASS_NONE;
    cb->execs.list[cb->execs.count++] = (struct pp_vk_exec){
        .secondary = secondary,
        .pass = inside ? cb->tracker.open_pass : cb->action_list.passes,
        .action = cb->action_list.actions,
        .inside = inside,
        .bracket = bracket,
        .label = pp_vk_has_labels(cb) ? cb->tracker.label : pp_annotate_label(),
        .args_at = inside ? pp_indirect_execute(cb, secondary) : PP_NO_ARGS,
    };
    return 0;
}

/* Does this secondary have no times although it has actions? A submission may execute a secondary for
 * simultaneous use twice, and nothing resets its queries between the two. */
static bool
lacks_times(const struct pp_cmdbuf *secondary)
{
    if (!secondary || !secondary->usage.simultaneous || !secondary->pool->inject)
        return false;
    bool any = secondary->execs.count > 0;
    for (uint32_t p = 0; p < secondary->action_list.passes; p++) {
        if (secondary->action_list.pass[p].flags & (PP_PASS_SUSPENDED | PP_PASS_CONTINUED))
            return false;
        any = true;
    }
    return any;
}

/* Must a primary write timestamps around this secondary? Only where that is allowed. */
static bool
needs_times(const struct pp_cmdbuf *cb, const struct pp_cmdbuf *secondary)
{
    return cb->inject && !cb->instance.open && !cb->usage.inherits_pass && !cb->instance.suspended &&
           lacks_times(secondary);
}

/* Note executions. A secondary that needs times is executed by a separate call. @return Number of secondaries
 * already executed. */
static uint32_t
execute(struct pp_cmdbuf *cb, uint32_t count, const VkCommandBuffer *handles)
{
    uint32_t done = 0;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct pp_cmdbuf *secondary = pp_cmdbuf_find(handles[i]);
        if (!needs_times(cb, secondary)) {
            rc = add_exec(cb, secondary, PP_NO_BRACKET);
            continue;
        }
        if (done < i)
            cb->next->CmdExecuteCommands(cb->handle, i - done, handles + done);
        uint32_t bracket = pp_vk_bracket_execution_begin(cb);
        rc = add_exec(cb, secondary, bracket);
        cb->next->CmdExecuteCommands(cb->handle, 1, handles + i);
        pp_vk_bracket_execution_end(cb, bracket);
        done = i + 1;
    }
    if (rc != 0)
        pp_vk_device_fail(cb->dev);
    return done;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdExecuteCommands(VkCommandBuffer commandBuffer, uint32_t commandBufferCount,
                           const VkCommandBuffer *pCommandBuffers)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    uint32_t done = 0;
    if (pp_cmdbuf_ready(cb)) {
        pp_vk_close_run(cb);
        pp_perf_pause(cb);
        pp_serialize.executed(cb);
        pp_vk_lies_between(cb);
        pp_vk_whole_execute(cb, commandBufferCount, pCommandBuffers);
        done = execute(cb, commandBufferCount, pCommandBuffers);
    }
    if (done < commandBufferCount || commandBufferCount == 0)
        pp_cmdbuf_next(cb, commandBuffer)
            ->CmdExecuteCommands(commandBuffer, commandBufferCount - done, pCommandBuffers + done);
    if (!pp_cmdbuf_ready(cb))
        return;
    if (done < commandBufferCount)
        pp_vk_lies_between(cb);
    if (!cb->instance.open)
        pp_perf_resume(cb);
}

/* End the run before a command that belongs to no pass. */
static struct pp_cmdbuf *
close_run(VkCommandBuffer handle)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    if (pp_cmdbuf_ready(cb)) {
        pp_vk_close_run(cb);
        pp_vk_lies_between(cb);
    }
    return cb;
}

/* Video coding scopes: no query may be active at their begin (VUID 07232), and passprobe records nothing
 * inside. */

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginVideoCodingKHR(VkCommandBuffer commandBuffer, const VkVideoBeginCodingInfoKHR *pBeginInfo)
{
    struct pp_cmdbuf *cb = close_run(commandBuffer);
    if (pp_cmdbuf_ready(cb))
        pp_vk_lies_between(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdBeginVideoCodingKHR(commandBuffer, pBeginInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginConditionalRenderingEXT(VkCommandBuffer commandBuffer,
                                        const VkConditionalRenderingBeginInfoEXT *pConditionalRenderingBegin)
{
    struct pp_cmdbuf *cb = close_run(commandBuffer);
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdBeginConditionalRenderingEXT(commandBuffer, pConditionalRenderingBegin);
    if (pp_cmdbuf_ready(cb))
        cb->tracker.conditional = 1;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndConditionalRenderingEXT(VkCommandBuffer commandBuffer)
{
    struct pp_cmdbuf *cb = close_run(commandBuffer);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndConditionalRenderingEXT(commandBuffer);
    if (pp_cmdbuf_ready(cb))
        cb->tracker.conditional = 0;
}

/* Pipelines: rows of draws have their names. */

/* A graphics pipeline was bound: statistics that waited for it may begin, and end inside the pass. */
static void
bound(struct pp_cmdbuf *cb)
{
    cb->statistics.bound |= PP_VK_GRAPHICS;
    cb->statistics.early_state &= (uint8_t)~PP_VK_GRAPHICS;
    if (cb->statistics.awaiting == PP_NO_BRACKET || !cb->instance.open)
        return;
    cb->instance.scope = PP_VK_SCOPE_INSIDE;
    pp_vk_bracket_statistics_begin(cb, cb->statistics.awaiting, cb->instance.views);
    cb->statistics.awaiting = PP_NO_BRACKET;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBindPipeline(VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,
                        VkPipeline pipeline)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (pp_cmdbuf_ready(cb) && cb->tracker.level == PP_LEVEL_DRAW) {
        const struct pp_vk_pipeline *record = pp_map_get(&cb->dev->objects.pipelines, (uint64_t)pipeline);
        unsigned point = pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS  ? PP_PASS_RENDER
                         : pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE ? PP_PASS_COMPUTE
                                                                               : PP_PASS_TRACE_RAYS;
        cb->pipeline[point] = record ? record->name : 0;
    }
    pp_cmdbuf_next(cb, commandBuffer)->CmdBindPipeline(commandBuffer, pipelineBindPoint, pipeline);
    if (!pp_cmdbuf_ready(cb))
        return;
    pp_track_program(&cb->tracker, (uint64_t)pipeline);
    if (pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS)
        bound(cb);
    if (pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE) {
        cb->statistics.bound |= PP_VK_COMPUTE;
        cb->statistics.early_state &= (uint8_t)~PP_VK_COMPUTE;
    }
}

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
begin_barrier_pass(struct pp_cmdbuf *cb, const struct changes *changes)
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
    begin_barrier_pass(cb, changes);
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
    begin_barrier_pass(cb, changes);
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
