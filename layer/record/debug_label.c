/** @file
 * Debug labels of command buffers and queues (VK_EXT_debug_utils, VK_EXT_debug_marker) as core's label paths.
 * A run of compute or transfer actions ends where the label changes, so that all actions of a pass have one
 * label. */
#include "layer/frame/frame.h"

/* The text of a label. Vulkan wants one, but drivers take NULL. */
static const char *
text_of(const char *text)
{
    return text ? text : "";
}

static void
push(struct pp_cmdbuf *cb, const char *text)
{
    if (!pp_cmdbuf_ready(cb))
        return;
    pp_vk_close_run(cb);
    if (!pp_vk_has_labels(cb))
        pp_track_label(&cb->tracker, pp_annotate_label());
    pp_track_label(&cb->tracker, pp_session_label(cb->dev->session, cb->tracker.label, text_of(text)));
    cb->labels.open++;
}

/* Close a label. A pop without a push closes a region that another command buffer opened. flatten.c finds
 * that region when both buffers are submitted. A secondary must not close such a region. */
static void
pop(struct pp_cmdbuf *cb)
{
    if (!pp_cmdbuf_ready(cb) || (cb->labels.open == 0 && cb->usage.secondary))
        return;
    pp_vk_close_run(cb);
    if (cb->labels.open > 0) {
        cb->labels.open--;
        pp_track_label(&cb->tracker, pp_session_label_parent(cb->dev->session, cb->tracker.label));
        return;
    }
    pp_label_id outside = cb->labels.closed_outer > 0 ? cb->tracker.label : cb->labels.region;
    pp_track_label(&cb->tracker, pp_session_label_outside(cb->dev->session, outside));
    cb->labels.closed_outer++;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commandBuffer, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    push(cb, pLabelInfo->pLabelName);
    pp_cmdbuf_next(cb, commandBuffer)->CmdBeginDebugUtilsLabelEXT(commandBuffer, pLabelInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commandBuffer)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    pop(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndDebugUtilsLabelEXT(commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdDebugMarkerBeginEXT(VkCommandBuffer commandBuffer, const VkDebugMarkerMarkerInfoEXT *pMarkerInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    push(cb, pMarkerInfo->pMarkerName);
    pp_cmdbuf_next(cb, commandBuffer)->CmdDebugMarkerBeginEXT(commandBuffer, pMarkerInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdDebugMarkerEndEXT(VkCommandBuffer commandBuffer)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    pop(cb);
    pp_cmdbuf_next(cb, commandBuffer)->CmdDebugMarkerEndEXT(commandBuffer);
}

/* An inserted label is a mark in the frame that is open when it is recorded, not when it runs. The label of
 * frame.h ends a frame. */

static void
insert(struct pp_cmdbuf *cb, const char *text)
{
    if (!pp_cmdbuf_ready(cb))
        return;
    if (!pp_vk_frame_boundary_label(text)) {
        pp_annotate_mark(text);
        return;
    }
    cb->labels.ends_frame = true;
    atomic_store_explicit(&cb->dev->frames.labels, true, memory_order_relaxed);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer commandBuffer, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    insert(cb, pLabelInfo->pLabelName);
    pp_cmdbuf_next(cb, commandBuffer)->CmdInsertDebugUtilsLabelEXT(commandBuffer, pLabelInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdDebugMarkerInsertEXT(VkCommandBuffer commandBuffer, const VkDebugMarkerMarkerInfoEXT *pMarkerInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    insert(cb, pMarkerInfo->pMarkerName);
    pp_cmdbuf_next(cb, commandBuffer)->CmdDebugMarkerInsertEXT(commandBuffer, pMarkerInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_QueueInsertDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    bool ends = pp_vk_frame_boundary_label(pLabelInfo->pLabelName);
    if (!ends && pp_vk_device_live(dev))
        pp_annotate_mark(pLabelInfo->pLabelName);
    dev->next.QueueInsertDebugUtilsLabelEXT(queue, pLabelInfo);
    if (ends)
        pp_vk_frame_boundary_behind(dev);
}

/* Queue labels enclose the submissions that are made while they are open. */

VKAPI_ATTR void VKAPI_CALL
pp_hook_QueueBeginDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (record && pp_vk_device_live(dev)) {
        struct pp_vk_labels *open = &record->open;
        pp_label_id around = open->queue + open->carried > 0 ? open->label : pp_annotate_label();
        open->label = pp_session_label(dev->session, around, text_of(pLabelInfo->pLabelName));
        open->queue++;
    }
    dev->next.QueueBeginDebugUtilsLabelEXT(queue, pLabelInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (record && record->open.queue > 0) {
        struct pp_vk_labels *open = &record->open;
        open->queue--;
        open->label =
            open->queue + open->carried > 0 ? pp_session_label_parent(dev->session, open->label) : 0;
    }
    dev->next.QueueEndDebugUtilsLabelEXT(queue);
}
