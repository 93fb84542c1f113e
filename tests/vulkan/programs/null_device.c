/** @file
 * An application for a Vulkan device without hardware: fills a buffer and begins a render pass without
 * attachments, six frames of it, each recorded anew. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"
#include "tests/vulkan/programs/program.h"

/** What it makes. */
struct program {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkCommandPool pool;
    VkCommandBuffer commands;
};

static int
make_device(struct program *it, bool own)
{
    static const char *const extension[] = {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME};
    VkPhysicalDeviceHostQueryResetFeatures reset = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, .hostQueryReset = VK_TRUE};
    VkPhysicalDevicePerformanceQueryFeaturesKHR perf = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .pNext = &reset,
        .performanceCounterQueryPools = VK_TRUE};
    const struct vk_open_want want = {.version = VK_API_VERSION_1_2,
                                      .device_extension = extension,
                                      .device_extensions = own ? 1 : 0,
                                      .features = own ? &perf : NULL};
    VkPhysicalDeviceProperties props;
    struct vk_open gpu;
    VkResult opened = vk_open_instance(&gpu, &want);
    if (opened == VK_ERROR_INITIALIZATION_FAILED)
        return 77;
    DO(opened);
    vkGetPhysicalDeviceProperties(gpu.physical, &props);
    printf("device: %s\n", props.deviceName);
    DO(vk_open_device(&gpu, &want));
    it->instance = gpu.instance;
    it->physical = gpu.physical;
    it->device = gpu.device;
    it->queue = gpu.queue;
    return 0;
}

/** The application's own query, of a whole command buffer, which keeps the rules. */
static int
use_own(const struct program *it)
{
    PFN_vkAcquireProfilingLockKHR acquire =
        (PFN_vkAcquireProfilingLockKHR)vkGetDeviceProcAddr(it->device, "vkAcquireProfilingLockKHR");
    PFN_vkReleaseProfilingLockKHR release =
        (PFN_vkReleaseProfilingLockKHR)vkGetDeviceProcAddr(it->device, "vkReleaseProfilingLockKHR");
    const VkAcquireProfilingLockInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR};
    const uint32_t buffer_commands = 11; /* tests/fake/vk_perf/counters.c */
    const VkQueryPoolPerformanceCreateInfoKHR counters = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .counterIndexCount = 1,
        .pCounterIndices = &buffer_commands,
    };
    const VkQueryPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .pNext = &counters,
        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
        .queryCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &it->commands};
    VkPerformanceCounterResultKHR counted = {.uint64 = 0};
    VkQueryPool query = VK_NULL_HANDLE;
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate =
        (PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)vkGetInstanceProcAddr(
            it->instance, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
    VkPerformanceCounterKHR list[16];
    VkPerformanceCounterDescriptionKHR text[16];
    uint32_t count = 16;
    for (int i = 0; i < 16; i++) {
        list[i] = (VkPerformanceCounterKHR){.sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR};
        text[i] = (VkPerformanceCounterDescriptionKHR){
            .sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR};
    }
    DO(enumerate(it->physical, 0, &count, list, text));
    DO(acquire(it->device, &info));
    DO(vkCreateQueryPool(it->device, &pool, NULL, &query));
    vkResetQueryPool(it->device, query, 0, 1);
    DO(vkBeginCommandBuffer(it->commands, &begin));
    vkCmdBeginQuery(it->commands, query, 0, 0);
    vkCmdEndQuery(it->commands, query, 0);
    DO(vkEndCommandBuffer(it->commands));
    DO(vkQueueSubmit(it->queue, 1, &submit, VK_NULL_HANDLE));
    DO(vkQueueWaitIdle(it->queue));
    DO(vkGetQueryPoolResults(it->device, query, 0, 1, sizeof(counted), &counted, sizeof(counted), 0));
    vkDestroyQueryPool(it->device, query, NULL);
    release(it->device);
    printf("own: %u\n", (unsigned)counted.uint64);
    return 0;
}

static int
make_objects(struct program *it)
{
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
    const VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass};
    DO(vkCreateRenderPass(it->device, &pass, NULL, &it->pass));
    const VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                 .renderPass = it->pass,
                                                 .width = 64,
                                                 .height = 64,
                                                 .layers = 1};
    DO(vkCreateFramebuffer(it->device, &framebuffer, NULL, &it->framebuffer));
    DO(vk_command_pool(it->device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &it->pool));
    DO(vk_command_buffers(it->device, it->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &it->commands));
    return 0;
}

static int
frame(const struct program *it)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = it->pass,
                                        .framebuffer = it->framebuffer,
                                        .renderArea = {.extent = {64, 64}}};
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &it->commands};
    DO(vkBeginCommandBuffer(it->commands, &begin));
    for (int i = 0; i < 2; i++) {
        vkCmdBeginRenderPass(it->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdEndRenderPass(it->commands);
    }
    DO(vkEndCommandBuffer(it->commands));
    DO(vkQueueSubmit(it->queue, 1, &submit, VK_NULL_HANDLE));
    DO(vkQueueWaitIdle(it->queue));
    return 0;
}

int
main(int argc, char **argv)
{
    struct program it;
    memset(&it, 0, sizeof(it));
    bool own = argc > 1 && strcmp(argv[1], "own") == 0;
    int rc = make_device(&it, own);
    rc = rc != 0 ? rc : make_objects(&it);
    if (rc == 0 && own)
        rc = use_own(&it);
    for (int i = 0; i < 6 && rc == 0; i++)
        rc = frame(&it);
    if (rc != 0)
        return rc;
    vkDestroyCommandPool(it.device, it.pool, NULL);
    vkDestroyFramebuffer(it.device, it.framebuffer, NULL);
    vkDestroyRenderPass(it.device, it.pass, NULL);
    vkDestroyDevice(it.device, NULL);
    vkDestroyInstance(it.instance, NULL);
    return 0;
}
