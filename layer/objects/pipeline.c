/** @file
 * Pipelines: how many the application creates, how long that takes, and their names in draws.csv. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/clock.h"
#include "core/util/hash.h"
#include "layer/base/chain.h"
#include "layer/objects/object.h"
#include "vk_hooks.h"

static uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    for (; size >= sizeof(uint64_t); from += sizeof(uint64_t), size -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, from, sizeof(word));
        hash = pp_hash_mix(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, from, size);
    return pp_hash_mix(hash, rest ^ ((uint64_t)size << 56));
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *pCreateInfo,
                           const VkAllocationCallbacks *pAllocator, VkShaderModule *pShaderModule)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateShaderModule(device, pCreateInfo, pAllocator, pShaderModule);
    struct pp_vk_module *module = result == VK_SUCCESS && dev->session ? calloc(1, sizeof(*module)) : NULL;
    if (!module)
        return result;
    module->hash = hash_bytes(0, pCreateInfo->pCode, pCreateInfo->codeSize);
    pp_vk_object_put(dev, &dev->objects.modules, (uint64_t)*pShaderModule, module);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyShaderModule(VkDevice device, VkShaderModule shaderModule,
                            const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (shaderModule != VK_NULL_HANDLE)
        free(pp_map_take(&dev->objects.modules, (uint64_t)shaderModule));
    dev->next.DestroyShaderModule(device, shaderModule, pAllocator);
}

/* Key in the map of identifiers; 0 and 1 are no keys. */
static uint64_t
identifier_key(const uint8_t *bytes, uint32_t size)
{
    return hash_bytes(0, bytes, size) | 2;
}

/* Remember which code an identifier represents. */
static void
learn_identifier(struct pp_vk_device *dev, const VkShaderModuleIdentifierEXT *identifier, uint64_t hash)
{
    uint64_t key = identifier_key(identifier->identifier, identifier->identifierSize);
    struct pp_vk_module *module =
        !dev->session || identifier->identifierSize == 0 || pp_map_get(&dev->objects.identifiers, key)
            ? NULL
            : calloc(1, sizeof(*module));
    if (!module)
        return;
    module->hash = hash;
    pp_vk_object_put(dev, &dev->objects.identifiers, key, module);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_GetShaderModuleIdentifierEXT(VkDevice device, VkShaderModule shaderModule,
                                     VkShaderModuleIdentifierEXT *pIdentifier)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    dev->next.GetShaderModuleIdentifierEXT(device, shaderModule, pIdentifier);
    const struct pp_vk_module *module = pp_map_get(&dev->objects.modules, (uint64_t)shaderModule);
    if (module)
        learn_identifier(dev, pIdentifier, module->hash);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_GetShaderModuleCreateInfoIdentifierEXT(VkDevice device, const VkShaderModuleCreateInfo *pCreateInfo,
                                               VkShaderModuleIdentifierEXT *pIdentifier)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    dev->next.GetShaderModuleCreateInfoIdentifierEXT(device, pCreateInfo, pIdentifier);
    learn_identifier(dev, pIdentifier, hash_bytes(0, pCreateInfo->pCode, pCreateInfo->codeSize));
}

/* Hash code that is given by identifier: the code's hash if it is known, else the identifier's. */
static uint64_t
hash_identifier(struct pp_vk_device *dev, uint64_t hash, const void *chain)
{
    const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *id =
        pp_vk_find(chain, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
    if (!id || id->identifierSize == 0)
        return hash;
    const struct pp_vk_module *module =
        pp_map_get(&dev->objects.identifiers, identifier_key(id->pIdentifier, id->identifierSize));
    return module ? pp_hash_mix(hash, module->hash) : hash_bytes(hash, id->pIdentifier, id->identifierSize);
}

/* Hash a stage: its code, entry point and specialisation. */
static uint64_t
hash_stage(struct pp_vk_device *dev, const VkPipelineShaderStageCreateInfo *stage)
{
    uint64_t hash = pp_hash_mix(0, (uint64_t)stage->stage);
    if (stage->pName)
        hash = hash_bytes(hash, stage->pName, strlen(stage->pName));
    if (stage->pSpecializationInfo && stage->pSpecializationInfo->dataSize > 0)
        hash = hash_bytes(hash, stage->pSpecializationInfo->pData, stage->pSpecializationInfo->dataSize);
    const struct pp_vk_module *module =
        stage->module == VK_NULL_HANDLE ? NULL : pp_map_get(&dev->objects.modules, (uint64_t)stage->module);
    if (module)
        return pp_hash_mix(hash, module->hash);
    const VkShaderModuleCreateInfo *code =
        pp_vk_find(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (code)
        return pp_hash_mix(hash, hash_bytes(0, code->pCode, code->codeSize));
    return hash_identifier(dev, hash, stage->pNext);
}

/* Hash all stages, and those of linked libraries. The sum does not depend on their order, so pipelines of the
 * same shaders have the same name, whether or not they were made from libraries. */
static uint64_t
hash_stages(struct pp_vk_device *dev, const VkPipelineShaderStageCreateInfo *stage, uint32_t count,
            const VkPipelineLibraryCreateInfoKHR *libraries)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += hash_stage(dev, &stage[i]);
    for (uint32_t i = 0; libraries && i < libraries->libraryCount; i++) {
        const struct pp_vk_pipeline *part =
            pp_map_get(&dev->objects.pipelines, (uint64_t)libraries->pLibraries[i]);
        sum += part ? part->hash : 0;
    }
    return sum;
}

/* VkPipelineCreateFlags2CreateInfoKHR, which is younger than Debian 12's headers. Source:
 * VK_KHR_maintenance5, revision 1. */
struct create_flags2 {
    VkStructureType type;
    const void *next;
    uint64_t flags;
};

#define CREATE_FLAGS2_TYPE ((VkStructureType)1000470005)

/* Is the pipeline a library? With the newer flags, the older ones are ignored. */
static bool
is_library(const VkGraphicsPipelineCreateInfo *info)
{
    const struct create_flags2 *newer = pp_vk_find(info->pNext, CREATE_FLAGS2_TYPE);
    return ((newer ? newer->flags : info->flags) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
}

/* Hash of a graphics pipeline's shaders. The stages in its create-info are ignored if all shaders come from
 * libraries (VkGraphicsPipelineLibraryCreateInfoEXT, or what the pipeline implies without that struct). */
static uint64_t
hash_graphics(struct pp_vk_device *dev, const VkGraphicsPipelineCreateInfo *info)
{
    const VkPipelineLibraryCreateInfoKHR *libraries =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
    const VkGraphicsPipelineLibraryCreateInfoEXT *parts =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
    const VkGraphicsPipelineLibraryFlagsEXT shaders =
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
    bool whole = (!libraries || libraries->libraryCount == 0) && !is_library(info);
    bool has_stages = parts ? (parts->flags & shaders) != 0 : whole;
    return hash_stages(dev, info->pStages, has_stages ? info->stageCount : 0, libraries);
}

/* Remember a pipeline by handle. */
static void
learn(struct pp_vk_device *dev, VkPipeline handle, const char *kind, uint64_t hash)
{
    char name[32];
    struct pp_vk_pipeline *record = handle == VK_NULL_HANDLE ? NULL : calloc(1, sizeof(*record));
    if (!record)
        return;
    snprintf(name, sizeof(name), "%s %08x", kind, (unsigned)(pp_hash_mix(0, hash) >> 32));
    record->hash = hash;
    record->name = pp_session_string(dev->session, name);
    pp_vk_object_put(dev, &dev->objects.pipelines, (uint64_t)handle, record);
}

/* Count created pipelines, and the time that it took. @return Are there handles to remember? */
static bool
made_pipelines(struct pp_vk_device *dev, VkResult result, uint32_t count, const VkPipeline *pipelines,
               uint64_t begin_ns)
{
    uint32_t made = 0;
    /* A deferred creation has not filled in its handles yet. */
    if (result < 0 || result == VK_OPERATION_DEFERRED_KHR || !dev->session)
        return false;
    for (uint32_t i = 0; i < count; i++)
        made += pipelines[i] != VK_NULL_HANDLE;
    atomic_fetch_add_explicit(&dev->frames.pipelines_made, made, memory_order_relaxed);
    atomic_fetch_add_explicit(&dev->frames.pipeline_ns, pp_now_ns() - begin_ns, memory_order_relaxed);
    return true;
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
    if (made_pipelines(dev, result, createInfoCount, pPipelines, begin_ns))
        for (uint32_t i = 0; i < createInfoCount; i++)
            learn(dev, pPipelines[i], "graphics", hash_graphics(dev, &pCreateInfos[i]));
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
    if (made_pipelines(dev, result, createInfoCount, pPipelines, begin_ns))
        for (uint32_t i = 0; i < createInfoCount; i++)
            learn(dev, pPipelines[i], "compute", hash_stages(dev, &pCreateInfos[i].stage, 1, NULL));
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
    if (made_pipelines(dev, result, createInfoCount, pPipelines, begin_ns))
        for (uint32_t i = 0; i < createInfoCount; i++)
            learn(dev, pPipelines[i], "trace-rays",
                  hash_stages(dev, pCreateInfos[i].pStages, pCreateInfos[i].stageCount,
                              pCreateInfos[i].pLibraryInfo));
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
    if (made_pipelines(dev, result, createInfoCount, pPipelines, begin_ns))
        for (uint32_t i = 0; i < createInfoCount; i++)
            learn(dev, pPipelines[i], "trace-rays",
                  hash_stages(dev, pCreateInfos[i].pStages, pCreateInfos[i].stageCount, NULL));
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (pipeline != VK_NULL_HANDLE)
        free(pp_map_take(&dev->objects.pipelines, (uint64_t)pipeline));
    dev->next.DestroyPipeline(device, pipeline, pAllocator);
}
