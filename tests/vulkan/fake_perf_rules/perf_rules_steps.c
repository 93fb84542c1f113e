/** @file
 * See perf_rules.h. */
#include "tests/vulkan/fake_perf_rules/perf_rules.h"

#include <stdint.h>
#include <string.h>

struct rules_vk vk;
bool feature = true;

/* A device. */

bool
make_instance(void)
{
    const struct vk_open_want want = {.version = VK_API_VERSION_1_2};
    return vk_open_instance(&vk.gpu, &want) == VK_SUCCESS;
}

void
make_device(const char *extension, bool multiple)
{
    VkPhysicalDevicePerformanceQueryFeaturesKHR perf = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .performanceCounterQueryPools = feature,
        .performanceCounterMultipleQueryPools = multiple};
    VkPhysicalDeviceHostQueryResetFeatures reset = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
        .pNext = strstr(extension, "KHR") ? &perf : NULL,
        .hostQueryReset = VK_TRUE};
    const struct vk_open_want want = {
        .device_extension = &extension, .device_extensions = 1, .features = &reset};
    MUST(vk_open_device(&vk.gpu, &want));
}

static VkCommandBuffer
make_buffer(VkCommandBufferLevel level)
{
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    MUST(vk_command_buffers(vk.gpu.device, vk.pool, level, 1, &buffer));
    return buffer;
}

static void
make_rest(void)
{
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
    const VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass};
    VkFramebufferCreateInfo frame = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .width = 8, .height = 8, .layers = 1};
    const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    MUST(vk_command_pool(vk.gpu.device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &vk.pool));
    vk.buffer = make_buffer(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    vk.secondary = make_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    MUST(vkCreateRenderPass(vk.gpu.device, &pass, NULL, &vk.pass));
    frame.renderPass = vk.pass;
    MUST(vkCreateFramebuffer(vk.gpu.device, &frame, NULL, &vk.framebuffer));
    MUST(vkCreateEvent(vk.gpu.device, &event, NULL, &vk.event));
}

/* Steps. */

void
lock(void)
{
    const VkAcquireProfilingLockInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                                .timeout = UINT64_MAX};
    MUST(DEVICE(AcquireProfilingLockKHR)(vk.gpu.device, &info));
}

VkQueryPool
make_pool(uint32_t family, uint32_t first, uint32_t second, uint32_t third)
{
    const uint32_t counter[3] = {first, second, third};
    const VkQueryPoolPerformanceCreateInfoKHR counters = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .queueFamilyIndex = family,
        .counterIndexCount = second == NONE  ? 1
                             : third == NONE ? 2
                                             : 3,
        .pCounterIndices = counter};
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .pNext = &counters,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
                                        .queryCount = QUERIES};
    VkQueryPool pool = VK_NULL_HANDLE;
    MUST(vkCreateQueryPool(vk.gpu.device, &info, NULL, &pool));
    vkResetQueryPool(vk.gpu.device, pool, 0, QUERIES);
    return pool;
}

void
khr(void)
{
    make_device(VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, false);
    make_rest();
}

/* Ready to record. */
void
recording(uint32_t counter)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    khr();
    lock();
    vk.query = make_pool(0, counter, NONE, NONE);
    MUST(vkBeginCommandBuffer(vk.buffer, &info));
}

void
begin(uint32_t index)
{
    vkCmdBeginQuery(vk.buffer, vk.query, index, 0);
}

void
end(uint32_t index)
{
    vkCmdEndQuery(vk.buffer, vk.query, index);
}

void
begin_pass(void)
{
    const VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = vk.pass,
                                        .framebuffer = vk.framebuffer,
                                        .renderArea = {{0, 0}, {8, 8}}};
    vkCmdBeginRenderPass(vk.buffer, &info, VK_SUBPASS_CONTENTS_INLINE);
}

void
barrier(void)
{
    vkCmdPipelineBarrier(vk.buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                         0, 0, NULL, 0, NULL, 0, NULL);
}

void
submit(uint32_t counter_pass, bool wait)
{
    const VkPerformanceQuerySubmitInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR, .counterPassIndex = counter_pass};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &which,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &vk.buffer};
    MUST(vkQueueSubmit(vk.gpu.queue, 1, &info, VK_NULL_HANDLE));
    if (wait)
        MUST(vkQueueWaitIdle(vk.gpu.queue));
}

/* Make a submission that lasts until the event is set. */
void
submit_endless(void)
{
    recording(VERTICES);
    begin(0);
    end(0);
    vkCmdWaitEvents(vk.buffer, 1, &vk.event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                    0, NULL, 0, NULL, 0, NULL);
    MUST(vkEndCommandBuffer(vk.buffer));
    submit(0, false);
}

void
measured(void)
{
    recording(VERTICES);
    begin(0);
    end(0);
    MUST(vkEndCommandBuffer(vk.buffer));
    submit(0, true);
}

VkResult
results(uint32_t first, uint32_t count, size_t size, VkDeviceSize stride, VkQueryResultFlags flags)
{
    static uint64_t data[16];
    return vkGetQueryPoolResults(vk.gpu.device, vk.query, first, count, size, data, stride, flags);
}

void
intel(bool initialize)
{
    const VkInitializePerformanceApiInfoINTEL info = {
        .sType = VK_STRUCTURE_TYPE_INITIALIZE_PERFORMANCE_API_INFO_INTEL};
    make_device(VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME, false);
    make_rest();
    if (initialize)
        MUST(DEVICE(InitializePerformanceApiINTEL)(vk.gpu.device, &info));
}

VkResult
intel_acquire(VkPerformanceConfigurationTypeINTEL type)
{
    const VkPerformanceConfigurationAcquireInfoINTEL info = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_CONFIGURATION_ACQUIRE_INFO_INTEL, .type = type};
    VkPerformanceConfigurationINTEL configuration = VK_NULL_HANDLE;
    return DEVICE(AcquirePerformanceConfigurationINTEL)(vk.gpu.device, &info, &configuration);
}

void
intel_pool(void)
{
    const VkQueryPoolPerformanceQueryCreateInfoINTEL manual = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_QUERY_CREATE_INFO_INTEL,
        .performanceCountersSampling = VK_QUERY_POOL_SAMPLING_MODE_MANUAL_INTEL};
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .pNext = &manual,
                                        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_INTEL,
                                        .queryCount = QUERIES};
    MUST(vkCreateQueryPool(vk.gpu.device, &info, NULL, &vk.query));
    vkResetQueryPool(vk.gpu.device, vk.query, 0, QUERIES);
}
