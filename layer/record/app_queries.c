/** @file
 * Application queries. Only one statistics query may be active (VUID 01922). If the application may use
 * statistics queries, passprobe's queries are inside render passes, where they can end when an application
 * query begins. Statistics that were counted only in part stay empty. The application may use statistics
 * queries if it enabled the feature (VUID 00791). Drivers do not check this, so an application that created a
 * query pool for statistics may use them, too. */
#include "layer/record/app_queries.h"

#include "core/util/compiler.h"
#include "core/util/heap.h"
#include "core/util/log.h"
#include "layer/base/serialize.h"
#include "layer/measure/announce.h"
#include "layer/record/bracket.h"
#include "layer/record/record.h"

/* Value in pp_vk_objects.app_pools: pp_map stores no NULL. */
#define APP_POOL ((void *)1)

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *pCreateInfo,
                        const VkAllocationCallbacks *pAllocator, VkQueryPool *pQueryPool)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateQueryPool(device, pCreateInfo, pAllocator, pQueryPool);
    if (result != VK_SUCCESS || pCreateInfo->queryType != VK_QUERY_TYPE_PIPELINE_STATISTICS ||
        !dev->session || dev->measured.statistics == 0)
        return result;
    atomic_store(&dev->app_statistics, true);
    if (pp_map_put(&dev->objects.app_pools, (uint64_t)*pQueryPool, APP_POOL) != 0)
        pp_vk_device_fail(dev);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyQueryPool(VkDevice device, VkQueryPool queryPool, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (queryPool != VK_NULL_HANDLE && atomic_load_explicit(&dev->app_statistics, memory_order_relaxed))
        pp_map_take(&dev->objects.app_pools, (uint64_t)queryPool);
    dev->next.DestroyQueryPool(device, queryPool, pAllocator);
}

void
pp_vk_app_queries_missing(struct pp_vk_device *dev)
{
    pp_vk_device_missing(dev, PP_EVENT_VK_APP_STATISTICS, PP_MSG_VK_APP_STATISTICS);
}

void
pp_vk_app_queries_gap(struct pp_cmdbuf *cb, uint32_t bracket)
{
    int rc = pp_array_grow(&cb->statistics.gap, &cb->statistics.gap_cap, cb->statistics.gaps + 1,
                           sizeof(*cb->statistics.gap));
    if (rc == 0)
        cb->statistics.gap[cb->statistics.gaps++] = bracket;
    else
        cb->statistics.on = false; /* no statistics rather than wrong ones */
}

void
pp_vk_app_queries_unsafe(struct pp_vk_device *dev)
{
    if (pp_session_config(dev->session)->level == PP_LEVEL_DRAW)
        pp_vk_device_missing(dev, PP_EVENT_VK_CRASH_DRAW, PP_MSG_VK_CRASH_DRAW);
    else
        pp_vk_device_missing(dev, PP_EVENT_VK_CRASH_DRAW, PP_MSG_VK_CRASH_PASS);
}

/* Note constants or descriptors for bind points that have no pipeline yet. */
static struct pp_cmdbuf *
note_early_state(VkCommandBuffer handle, bool graphics, bool compute)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    if (pp_cmdbuf_ready(cb) && PP_UNLIKELY(cb->dev->quirk.needs_pipeline)) {
        unsigned points = (graphics ? PP_VK_GRAPHICS : 0) | (compute ? PP_VK_COMPUTE : 0);
        cb->statistics.early_state |= (uint8_t)(points & ~cb->statistics.bound);
    }
    return cb;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdPushConstants(VkCommandBuffer commandBuffer, VkPipelineLayout layout,
                         VkShaderStageFlags stageFlags, uint32_t offset, uint32_t size, const void *pValues)
{
    struct pp_cmdbuf *cb = note_early_state(commandBuffer, (stageFlags & VK_SHADER_STAGE_ALL_GRAPHICS) != 0,
                                            (stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0);
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdPushConstants(commandBuffer, layout, stageFlags, offset, size, pValues);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBindDescriptorSets(VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,
                              VkPipelineLayout layout, uint32_t firstSet, uint32_t descriptorSetCount,
                              const VkDescriptorSet *pDescriptorSets, uint32_t dynamicOffsetCount,
                              const uint32_t *pDynamicOffsets)
{
    struct pp_cmdbuf *cb =
        note_early_state(commandBuffer, pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS,
                         pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE);
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdBindDescriptorSets(commandBuffer, pipelineBindPoint, layout, firstSet, descriptorSetCount,
                                pDescriptorSets, dynamicOffsetCount, pDynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdPushDescriptorSetKHR(VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,
                                VkPipelineLayout layout, uint32_t set, uint32_t descriptorWriteCount,
                                const VkWriteDescriptorSet *pDescriptorWrites)
{
    struct pp_cmdbuf *cb =
        note_early_state(commandBuffer, pipelineBindPoint == VK_PIPELINE_BIND_POINT_GRAPHICS,
                         pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE);
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdPushDescriptorSetKHR(commandBuffer, pipelineBindPoint, layout, set, descriptorWriteCount,
                                  pDescriptorWrites);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer commandBuffer,
                                            VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                            VkPipelineLayout layout, uint32_t set, const void *pData)
{
    struct pp_cmdbuf *cb =
        note_early_state(commandBuffer, true, true); /* only the template has the bind point */
    pp_cmdbuf_next(cb, commandBuffer)
        ->CmdPushDescriptorSetWithTemplateKHR(commandBuffer, descriptorUpdateTemplate, layout, set, pData);
}

/* An application query begins: end passprobe's query, unless it began outside the open pass. */
static void
end_own_statistics(struct pp_cmdbuf *cb)
{
    cb->statistics.app = true;
    if (!cb->statistics.active)
        return;
    pp_vk_app_queries_gap(cb, cb->statistics.counting->stat[cb->statistics.query.number].bracket);
    pp_vk_app_queries_missing(cb->dev);
    if (!cb->instance.open || cb->instance.scope != PP_VK_SCOPE_OUTSIDE)
        pp_vk_bracket_statistics_end(cb);
}

/* Call it before an application query begins. @return NULL: an unknown buffer. */
static struct pp_cmdbuf *
begin_app_query(VkCommandBuffer handle, VkQueryPool pool)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    if (!pp_cmdbuf_ready(cb))
        return cb;
    pp_vk_close_run(cb);
    pp_vk_lies_between(cb);
    pp_serialize.query(cb);
    if (pp_map_get(&cb->dev->objects.app_pools, (uint64_t)pool) == APP_POOL)
        end_own_statistics(cb);
    return cb;
}

static struct pp_cmdbuf *
end_app_query(VkCommandBuffer handle, VkQueryPool pool)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    if (!pp_cmdbuf_ready(cb))
        return cb;
    pp_vk_close_run(cb);
    pp_vk_lies_between(cb);
    if (pp_map_get(&cb->dev->objects.app_pools, (uint64_t)pool) == APP_POOL)
        cb->statistics.app = false;
    return cb;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t query,
                      VkQueryControlFlags flags)
{
    struct pp_cmdbuf *cb = begin_app_query(commandBuffer, queryPool);
    pp_cmdbuf_next(cb, commandBuffer)->CmdBeginQuery(commandBuffer, queryPool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t query)
{
    struct pp_cmdbuf *cb = end_app_query(commandBuffer, queryPool);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndQuery(commandBuffer, queryPool, query);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdBeginQueryIndexedEXT(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t query,
                                VkQueryControlFlags flags, uint32_t index)
{
    struct pp_cmdbuf *cb = begin_app_query(commandBuffer, queryPool);
    pp_cmdbuf_next(cb, commandBuffer)->CmdBeginQueryIndexedEXT(commandBuffer, queryPool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_CmdEndQueryIndexedEXT(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t query,
                              uint32_t index)
{
    struct pp_cmdbuf *cb = end_app_query(commandBuffer, queryPool);
    pp_cmdbuf_next(cb, commandBuffer)->CmdEndQueryIndexedEXT(commandBuffer, queryPool, query, index);
}
