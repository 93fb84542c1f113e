/** @file
 * Dispatches and copies; see load_vk_work.h. */
#include "bench/load_vk_work.h"

#include <stdint.h>

#include "spirv_bench_comp.h"

enum { COPIED = 256 };

int
load_work_init(const struct vk_device *device, struct load_work *ret)
{
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = sizeof(spirv_bench_comp),
        .pCode = spirv_bench_comp,
    };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
    };
    if (vk_buffer_init(device, (VkDeviceSize)2 * COPIED,
                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                       &ret->buffer) < 0 ||
        vk_failed(vkCreatePipelineLayout(device->device, &layout, NULL, &ret->layout),
                  "vkCreatePipelineLayout") ||
        vk_failed(vkCreateShaderModule(device->device, &module, NULL, &info.stage.module),
                  "vkCreateShaderModule"))
        return -1;
    info.layout = ret->layout;
    bool failed =
        vk_failed(vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, &ret->pipeline),
                  "vkCreateComputePipelines");
    vkDestroyShaderModule(device->device, info.stage.module, NULL);
    return failed ? -1 : 0;
}

void
load_work_finish(const struct vk_device *device, struct load_work *it)
{
    vkDestroyPipeline(device->device, it->pipeline, NULL);
    vkDestroyPipelineLayout(device->device, it->layout, NULL);
    vk_buffer_finish(device, &it->buffer);
}

void
load_work_record(const struct load_work *it, VkCommandBuffer commands, bool copy)
{
    const VkBufferCopy half = {.srcOffset = 0, .dstOffset = COPIED, .size = COPIED};
    if (copy) {
        vkCmdCopyBuffer(commands, it->buffer.buffer, it->buffer.buffer, 1, &half);
        return;
    }
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, it->pipeline);
    vkCmdDispatch(commands, 1, 1, 1);
}

void
load_work_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &all, 0, NULL, 0, NULL);
}
