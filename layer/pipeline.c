/** @file
 * Making pipelines: how many, for how long, and what they are called in draws.csv. */
#include "core/clock.h"
#include "layer/object.h"
#include "vk_hooks.h"

#include <stdlib.h>

/** Count what was made, and remember each by handle. */
static void
learn(struct pp_vk_device *dev, uint32_t count, const VkPipeline *pipelines, uint64_t begin_ns)
{
    uint32_t made = 0;
    atomic_fetch_add_explicit(&dev->pipeline_ns, pp_now_ns() - begin_ns, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        if (pipelines[i] == VK_NULL_HANDLE)
            continue;
        made++;
        struct pp_vk_pipeline *record = calloc(1, sizeof(*record));
        if (record == NULL)
            continue;
        free(pp_map_take(&dev->pipelines, (uint64_t)pipelines[i]));
        if (pp_map_put(&dev->pipelines, (uint64_t)pipelines[i], record) != 0)
            free(record);
    }
    atomic_fetch_add_explicit(&dev->pipelines_made, made, memory_order_relaxed);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateGraphicsPipelines(VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                                const VkGraphicsPipelineCreateInfo *pCreateInfos,
                                const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.CreateGraphicsPipelines(device, pipelineCache, createInfoCount, pCreateInfos,
                                                        pAllocator, pPipelines);
    if (result >= 0 && dev->session != NULL)
        learn(dev, createInfoCount, pPipelines, begin_ns);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateComputePipelines(VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                               const VkComputePipelineCreateInfo *pCreateInfos,
                               const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.CreateComputePipelines(device, pipelineCache, createInfoCount, pCreateInfos,
                                                       pAllocator, pPipelines);
    if (result >= 0 && dev->session != NULL)
        learn(dev, createInfoCount, pPipelines, begin_ns);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateRayTracingPipelinesKHR(VkDevice device, VkDeferredOperationKHR deferredOperation,
                                     VkPipelineCache pipelineCache, uint32_t createInfoCount,
                                     const VkRayTracingPipelineCreateInfoKHR *pCreateInfos,
                                     const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.CreateRayTracingPipelinesKHR(
        device, deferredOperation, pipelineCache, createInfoCount, pCreateInfos, pAllocator, pPipelines);
    /* A deferred creation has not filled in its handles yet. */
    if (result >= 0 && result != VK_OPERATION_DEFERRED_KHR && dev->session != NULL)
        learn(dev, createInfoCount, pPipelines, begin_ns);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateRayTracingPipelinesNV(VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                                    const VkRayTracingPipelineCreateInfoNV *pCreateInfos,
                                    const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.CreateRayTracingPipelinesNV(device, pipelineCache, createInfoCount,
                                                            pCreateInfos, pAllocator, pPipelines);
    if (result >= 0 && dev->session != NULL)
        learn(dev, createInfoCount, pPipelines, begin_ns);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (pipeline != VK_NULL_HANDLE)
        free(pp_map_take(&dev->pipelines, (uint64_t)pipeline));
    dev->next.DestroyPipeline(device, pipeline, pAllocator);
}
