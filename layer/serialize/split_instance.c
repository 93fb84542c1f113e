/** @file
 * Render passes in parts, at level draw; see split.h. One instance of a pass becomes several. The
 * first instance does what the pass does when it begins. The last instance does what the pass does when it
 * ends, multisample resolves included. Between them attachments are stored and loaded. Each instance has one
 * action, and the state that was set after the action before. While a part is recorded, it is not known
 * whether the pass goes on. Therefore two command buffers get the same commands: the first ends like the
 * pass; the second, its twin, only stores. If the pass goes on, the twin becomes the part, otherwise the
 * first. The other of the two is freed. */
#include "layer/serialize/split_instance.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "layer/base/chain.h"
#include "layer/measure/announce.h"
#include "layer/serialize/split_pass.h"
#include "layer/serialize/split_private.h"
#include "layer/serialize/split_state.h"

static const struct {
    const char *what;
    enum pp_message id;
    const char *why;
} whole_reasons[PP_SPLIT_WHOLES] = {
    [PP_SPLIT_MEMORY] = {PP_EVENT_SPLIT_MEMORY, PP_MSG_SPLIT_MEMORY},
    [PP_SPLIT_SECONDARIES] = {PP_EVENT_SPLIT_SECONDARIES, PP_MSG_SPLIT_SECONDARIES},
    [PP_SPLIT_SUBPASSES] = {PP_EVENT_SPLIT_SUBPASSES, PP_MSG_SPLIT_SUBPASSES},
    [PP_SPLIT_SUSPENDED] = {PP_EVENT_SPLIT_SUSPENDED, PP_MSG_SPLIT_SUSPENDED},
    [PP_SPLIT_ATTACHMENTS] = {PP_EVENT_SPLIT_ATTACHMENTS, PP_MSG_SPLIT_ATTACHMENTS},
    [PP_SPLIT_STRUCTS] = {PP_EVENT_SPLIT_STRUCTS, PP_MSG_SPLIT_STRUCTS},
    [PP_SPLIT_OPENED] = {PP_EVENT_SPLIT_OPENED, PP_MSG_SPLIT_OPENED},
};

static void
report_unsplit(struct pp_vk_device *dev, uint8_t why)
{
    if (whole_reasons[why].what)
        pp_vk_device_missing(dev, whole_reasons[why].what, whole_reasons[why].id, "%s",
                             whole_reasons[why].why);
}

void
pp_split_begin_pass(struct pp_cmdbuf *cb)
{
    struct pp_split *split = cb->split;
    if (!split || !cb->dev->split->draws || cb->tracker.level != PP_LEVEL_DRAW)
        return;
    struct pp_split_instance *open = &split->instance;
    const struct pp_split_part *part = &split->part[split->parts - 1];
    *open = (struct pp_split_instance){.first_part = split->parts - 1,
                                       .bracket = part->bracket,
                                       .memory = open->memory,
                                       .memory_cap = open->memory_cap};
    if (part->mixed || !pp_split_may_cut(split))
        return;
    split->twin = pp_split_new_handle(split);
    open->why = split->twin == VK_NULL_HANDLE ? PP_SPLIT_MEMORY : PP_SPLIT_APART;
}

/* Do not split the pass that begins: free the twin. @param why enum pp_split_whole. */
static void
do_not_split(struct pp_split *split, uint8_t why)
{
    if (split->twin == VK_NULL_HANDLE)
        return;
    pp_split_drop(split, split->twin);
    split->twin = VK_NULL_HANDLE;
    split->instance.why = why;
}

static void *
instance_memory(struct pp_split_instance *open, size_t bytes)
{
    if (bytes > open->memory_cap) {
        void *memory = realloc(open->memory, bytes);
        if (!memory)
            return NULL;
        open->memory = memory;
        open->memory_cap = bytes;
    }
    return open->memory;
}

/* Keep the begin-info for the other parts. @return enum pp_split_whole. */
static uint8_t
keep_begin(struct pp_split_instance *open, const struct pp_split_pass *pass,
           const VkRenderPassBeginInfo *info)
{
    const VkRenderPassAttachmentBeginInfo *views = info->pNext;
    if (!pp_split_is_plain(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO, 0))
        return PP_SPLIT_STRUCTS;
    uint32_t clears = pass->last_clears < info->clearValueCount ? pass->last_clears : info->clearValueCount;
    size_t clear_bytes = clears * sizeof(*info->pClearValues);
    size_t view_bytes = views ? views->attachmentCount * sizeof(VkImageView) : 0;
    char *memory = instance_memory(open, view_bytes + clear_bytes + 1);
    if (!memory)
        return PP_SPLIT_MEMORY;
    open->info = *info;
    open->info.pNext = NULL;
    if (views) {
        open->views = *views;
        open->views.pAttachments = memcpy(memory, views->pAttachments, view_bytes);
        open->info.pNext = &open->views;
    }
    if (clears > 0)
        memcpy(memory + view_bytes, info->pClearValues, clear_bytes);
    open->info.pClearValues = (const VkClearValue *)(void *)(memory + view_bytes);
    open->last_clears = clears;
    open->views_reset = pass->views;
    open->middle = pass->middle;
    open->last = pass->last;
    return PP_SPLIT_APART;
}

/* Decide at the begin of a pass whether to split it. @param how enum pp_split_how. @return The pass with its
 * parts; NULL: do not split it. */
static const struct pp_split_pass *
begin_object(struct pp_split *split, const VkRenderPassBeginInfo *info, VkSubpassContents contents,
             uint8_t how)
{
    if (pp_split_twin(split) == VK_NULL_HANDLE)
        return NULL;
    const struct pp_split_pass *pass = pp_map_get(&split->cb->dev->split->passes, (uint64_t)info->renderPass);
    uint8_t why = !pass ? PP_SPLIT_MEMORY : pass->why;
    if (why == PP_SPLIT_APART && contents != VK_SUBPASS_CONTENTS_INLINE)
        why = PP_SPLIT_SECONDARIES;
    if (why == PP_SPLIT_APART && split->opened > 0)
        why = split->cb->perf.open ? PP_SPLIT_MEASURED : PP_SPLIT_OPENED;
    if (why == PP_SPLIT_APART)
        why = keep_begin(&split->instance, pass, info);
    if (why != PP_SPLIT_APART) {
        do_not_split(split, why);
        return NULL;
    }
    split->instance.how = how;
    return pass;
}

/* Record a barrier before each part but the first: the part sees what earlier parts wrote. */
static void
barrier_before_part(const struct pp_cmdbuf *cb, const struct pp_vk_device_next *real, VkCommandBuffer to)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    VkPipelineStageFlags all =
        pp_vk_stages_of(cb->dev->gpu.stages, cb->dev->gpu.family[cb->pool->family].flags);
    real->CmdPipelineBarrier(to, all, all, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Begin a part of the open pass that is not the first. @param last The part ends the pass. */
static void
begin_next_part(struct pp_split *split, VkCommandBuffer to, bool last)
{
    const struct pp_vk_device_next *real = &split->cb->dev->split->real;
    const struct pp_split_instance *open = &split->instance;
    const VkSubpassBeginInfo subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO,
                                        .contents = VK_SUBPASS_CONTENTS_INLINE};
    VkRenderPassBeginInfo info = open->info;
    info.renderPass = last ? open->last : open->middle;
    info.clearValueCount = last ? open->last_clears : 0;
    barrier_before_part(split->cb, real, to);
    if (open->how == PP_SPLIT_OBJECT)
        real->CmdBeginRenderPass(to, &info, VK_SUBPASS_CONTENTS_INLINE);
    else if (open->how == PP_SPLIT_OBJECT2)
        real->CmdBeginRenderPass2(to, &info, &subpass);
    else
        real->CmdBeginRendering(to, last ? &open->last_rendering : &open->middle_rendering);
    if (open->views_reset) /* Vulkan 1.3, "Multiview": all state is undefined where such a subpass begins */
        pp_split_state_repeat(split, real, to, true);
}

static void
end_instance(struct pp_split *split, VkCommandBuffer to)
{
    const struct pp_vk_device_next *real = &split->cb->dev->split->real;
    const VkSubpassEndInfo subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
    if (split->instance.how == PP_SPLIT_OBJECT)
        real->CmdEndRenderPass(to);
    else if (split->instance.how == PP_SPLIT_OBJECT2)
        real->CmdEndRenderPass2(to, &subpass);
    else
        real->CmdEndRendering(to);
}

/* More of the pass follows: the open part becomes what its twin recorded. Begin the next part. @return
 * false: no memory. */
static bool
cut_instance(struct pp_split *split)
{
    struct pp_split_instance *open = &split->instance;
    VkCommandBuffer part = VK_NULL_HANDLE, twin = VK_NULL_HANDLE, dropped = pp_split_open_part(split);
    if (pp_split_grow(split))
        part = pp_split_new_handle(split);
    if (part != VK_NULL_HANDLE)
        twin = pp_split_new_handle(split);
    if (twin == VK_NULL_HANDLE) {
        if (part != VK_NULL_HANDLE)
            pp_split_drop(split, part);
        open->why = PP_SPLIT_MEMORY;
        return false;
    }
    end_instance(split, split->twin);
    split->failed = pp_split_end(split, split->twin);
    struct pp_split_part *ended = &split->part[split->parts - 1];
    ended->handle = split->twin;
    ended->bracket = open->actions == 1 ? split->cb->action_list.action[open->action].bracket : PP_NO_BRACKET;
    if (dropped != split->cb->handle) {
        pp_split_drop(split, dropped);
    } else { /* the application's own handle stays, and is never submitted */
        end_instance(split, dropped);
        (void)pp_split_end(split, dropped);
    }
    begin_next_part(split, part, true);
    begin_next_part(split, twin, false);
    pp_split_next(split, part);
    split->twin = twin;
    open->actions = 0;
    open->cut = true;
    return true;
}

void
pp_split_keep_together(struct pp_split *split)
{
    if (pp_split_twin(split) != VK_NULL_HANDLE && split->instance.actions > 0 && split->opened == 0 &&
        split->instance.how != PP_SPLIT_UNKNOWN && pp_split_may_cut(split))
        (void)cut_instance(split);
}

void
pp_split_query(struct pp_cmdbuf *cb)
{
    if (cb->instance.open)
        pp_split_keep_together(cb->split);
}

void
pp_split_draw(struct pp_cmdbuf *cb)
{
    struct pp_split *split = cb->split;
    struct pp_split_instance *open = &split->instance;
    struct pp_action_list *action_list = &cb->action_list;
    if (split->twin == VK_NULL_HANDLE || open->how == PP_SPLIT_UNKNOWN)
        return;
    pp_split_keep_together(split);
    if (open->actions == 0) {
        open->action = action_list->actions - 1;
    } else {
        if (split->opened > 0)
            open->why = cb->perf.open ? PP_SPLIT_MEASURED : PP_SPLIT_OPENED;
        for (uint32_t w = open->action; w < action_list->actions; w++)
            action_list->action[w].overlapped = 1;
    }
    open->actions++;
}

/* The pass ends in the open part; free its twin. */
static void
end_pass(struct pp_split *split)
{
    struct pp_split_instance *open = &split->instance;
    if (pp_split_twin(split) == VK_NULL_HANDLE)
        return;
    pp_split_drop(split, split->twin);
    split->twin = VK_NULL_HANDLE;
    if (!open->cut)
        return;
    struct pp_split_part *last = &split->part[split->parts - 1];
    bool shares = false;
    last->bracket = open->actions == 1 ? split->cb->action_list.action[open->action].bracket : PP_NO_BRACKET;
    for (uint32_t i = open->first_part; i < split->parts; i++)
        shares = shares || split->part[i].bracket == PP_NO_BRACKET;
    for (uint32_t i = open->first_part; i < split->parts && shares; i++)
        split->part[i].around = open->bracket;
}

void
pp_split_pass_end(struct pp_cmdbuf *cb)
{
    const struct pp_tracker *tracker = &cb->tracker;
    struct pp_split *split = cb->split;
    if (!split || !cb->dev->split->draws || tracker->level != PP_LEVEL_DRAW ||
        tracker->open_kind != PP_PASS_RENDER)
        return;
    struct pp_pass *pass = &cb->action_list.pass[tracker->open_pass];
    if (split->instance.cut)
        pass->flags |= PP_PASS_ACTIONS_SERIALIZED;
    if (pass->actions > 1)
        report_unsplit(cb->dev, split->instance.why);
    split->instance.cut = false;
    split->instance.how = PP_SPLIT_UNKNOWN;
}

void
pp_split_executed(const struct pp_cmdbuf *cb)
{
    if (!cb->split || !cb->dev->measured.serialize)
        return;
    if (cb->instance.open && cb->dev->split->draws && cb->tracker.level == PP_LEVEL_DRAW)
        report_unsplit(cb->dev, PP_SPLIT_SECONDARIES);
    if (!cb->instance.open)
        pp_vk_device_missing(cb->dev, PP_EVENT_SPLIT_EXECUTED, PP_MSG_SPLIT_EXECUTED);
}

/* Commands. */

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdBeginRenderPass(VkCommandBuffer commandBuffer, const VkRenderPassBeginInfo *pRenderPassBegin,
                            VkSubpassContents contents)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    const struct pp_vk_device_next *real = pp_split_real(commandBuffer);
    const struct pp_split_pass *pass = begin_object(split, pRenderPassBegin, contents, PP_SPLIT_OBJECT);
    pp_split_note_command(split, 0);
    if (pass) {
        VkRenderPassBeginInfo first = *pRenderPassBegin;
        first.renderPass = pass->first;
        real->CmdBeginRenderPass(split->twin, &first, contents);
    }
    real->CmdBeginRenderPass(split ? pp_split_open_part(split) : commandBuffer, pRenderPassBegin, contents);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdBeginRenderPass2(VkCommandBuffer commandBuffer, const VkRenderPassBeginInfo *pRenderPassBegin,
                             const VkSubpassBeginInfo *pSubpassBeginInfo)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    const struct pp_vk_device_next *real = pp_split_real(commandBuffer);
    const struct pp_split_pass *pass =
        begin_object(split, pRenderPassBegin, pSubpassBeginInfo->contents, PP_SPLIT_OBJECT2);
    pp_split_note_command(split, 0);
    if (pass) {
        VkRenderPassBeginInfo first = *pRenderPassBegin;
        first.renderPass = pass->first;
        real->CmdBeginRenderPass2(split->twin, &first, pSubpassBeginInfo);
    }
    real->CmdBeginRenderPass2(split ? pp_split_open_part(split) : commandBuffer, pRenderPassBegin,
                              pSubpassBeginInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdEndRenderPass(VkCommandBuffer commandBuffer)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    end_pass(split);
    pp_split_note_command(split, 0);
    pp_split_real(commandBuffer)->CmdEndRenderPass(split ? pp_split_open_part(split) : commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdEndRenderPass2(VkCommandBuffer commandBuffer, const VkSubpassEndInfo *pSubpassEndInfo)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    end_pass(split);
    pp_split_note_command(split, 0);
    pp_split_real(commandBuffer)
        ->CmdEndRenderPass2(split ? pp_split_open_part(split) : commandBuffer, pSubpassEndInfo);
}

/* May each attachment be stored and loaded? */
static bool
may_keep_all(const VkRenderingAttachmentInfo *attachment, uint32_t count)
{
    for (uint32_t i = 0; attachment && i < count; i++)
        if (attachment[i].imageView != VK_NULL_HANDLE &&
            !pp_split_may_keep(attachment[i].loadOp, attachment[i].storeOp, attachment[i].imageLayout))
            return false;
    return true;
}

static bool
are_plain_attachments(const VkRenderingAttachmentInfo *attachment, uint32_t count)
{
    bool plain = true;
    for (uint32_t i = 0; attachment && i < count; i++)
        plain = plain && !attachment[i].pNext;
    return plain;
}

/* Copy attachments for a part that is not the first (@p follows), or not the last (@p goes_on). @return
 * Memory after the copies. */
static VkRenderingAttachmentInfo *
keep_attachments(VkRenderingAttachmentInfo *to, const VkRenderingAttachmentInfo **io_attachment,
                 uint32_t count, bool follows, bool goes_on)
{
    const VkRenderingAttachmentInfo *from = *io_attachment;
    if (!from)
        return to;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        if (follows)
            to[i].loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
        if (!goes_on)
            continue;
        to[i].storeOp = pp_split_keep(from[i].storeOp);
        to[i].resolveMode = VK_RESOLVE_MODE_NONE;
        to[i].resolveImageView = VK_NULL_HANDLE;
    }
    *io_attachment = to;
    return to + count;
}

static VkRenderingAttachmentInfo *
keep_rendering(VkRenderingInfo *to, const VkRenderingInfo *from, VkRenderingAttachmentInfo *memory,
               bool follows, bool goes_on)
{
    *to = *from;
    memory = keep_attachments(memory, &to->pColorAttachments, from->colorAttachmentCount, follows, goes_on);
    memory = keep_attachments(memory, &to->pDepthAttachment, 1, follows, goes_on);
    return keep_attachments(memory, &to->pStencilAttachment, 1, follows, goes_on);
}

/* May a dynamic render pass be split? @return enum pp_split_whole: the reason why not; PP_SPLIT_APART: it
 * may. */
static uint8_t
check_rendering(const struct pp_split *split, const VkRenderingInfo *info)
{
    uint32_t colors = info->colorAttachmentCount;
    if (info->flags & (VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT))
        return PP_SPLIT_SUSPENDED;
    if (info->flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT)
        return PP_SPLIT_SECONDARIES;
    if (info->flags != 0 || info->pNext || !are_plain_attachments(info->pColorAttachments, colors) ||
        !are_plain_attachments(info->pDepthAttachment, 1) ||
        !are_plain_attachments(info->pStencilAttachment, 1))
        return PP_SPLIT_STRUCTS;
    if (!may_keep_all(info->pColorAttachments, colors) || !may_keep_all(info->pDepthAttachment, 1) ||
        !may_keep_all(info->pStencilAttachment, 1))
        return PP_SPLIT_ATTACHMENTS;
    if (split->opened > 0)
        return split->cb->perf.open ? PP_SPLIT_MEASURED : PP_SPLIT_OPENED;
    return PP_SPLIT_APART;
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdBeginRendering(VkCommandBuffer commandBuffer, const VkRenderingInfo *pRenderingInfo)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    const struct pp_vk_device_next *real = pp_split_real(commandBuffer);
    pp_split_note_command(split, 0);
    if (pp_split_twin(split) != VK_NULL_HANDLE) {
        struct pp_split_instance *open = &split->instance;
        size_t each = (pRenderingInfo->colorAttachmentCount + (size_t)2) * sizeof(VkRenderingAttachmentInfo);
        uint8_t why = check_rendering(split, pRenderingInfo);
        VkRenderingAttachmentInfo *memory = why == PP_SPLIT_APART ? instance_memory(open, 3 * each) : NULL;
        if (memory) {
            VkRenderingInfo first;
            memory = keep_rendering(&first, pRenderingInfo, memory, false, true);
            memory = keep_rendering(&open->middle_rendering, pRenderingInfo, memory, true, true);
            keep_rendering(&open->last_rendering, pRenderingInfo, memory, true, false);
            open->how = PP_SPLIT_DYNAMIC;
            open->views_reset = pRenderingInfo->viewMask != 0;
            real->CmdBeginRendering(split->twin, &first);
        } else {
            do_not_split(split, why == PP_SPLIT_APART ? PP_SPLIT_MEMORY : why);
        }
    }
    real->CmdBeginRendering(split ? pp_split_open_part(split) : commandBuffer, pRenderingInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdEndRendering(VkCommandBuffer commandBuffer)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    end_pass(split);
    pp_split_note_command(split, 0);
    pp_split_real(commandBuffer)->CmdEndRendering(split ? pp_split_open_part(split) : commandBuffer);
}
