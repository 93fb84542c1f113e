/** @file
 * See load_vk_perf.h. */
#include "bench/load_vk_perf.h"

#include <stdio.h>
#include <string.h>

#include "bench/load.h"

#define COUNTERS 2U

static bool locked;

/** Two counters that fit one pass. @return How many there are: 0 to 2. */
static uint32_t
choose(const struct vk_device *device, uint32_t counter[COUNTERS])
{
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate =
        (PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR)vkGetInstanceProcAddr(
            device->instance, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes =
        (PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR)vkGetInstanceProcAddr(
            device->instance, "vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR");
    uint32_t count = 0, chosen = 0;
    if (!enumerate || !passes ||
        enumerate(device->physical, device->family, &count, NULL, NULL) != VK_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < count && chosen < COUNTERS; i++) {
        counter[chosen] = i;
        const VkQueryPoolPerformanceCreateInfoKHR info = {
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
            .queueFamilyIndex = device->family,
            .counterIndexCount = chosen + 1,
            .pCounterIndices = counter,
        };
        uint32_t need = 0;
        passes(device->physical, &info, &need);
        chosen += need == 1;
    }
    return chosen;
}

static int
lock(const struct vk_device *device)
{
    PFN_vkAcquireProfilingLockKHR acquire =
        (PFN_vkAcquireProfilingLockKHR)vkGetDeviceProcAddr(device->device, "vkAcquireProfilingLockKHR");
    const VkAcquireProfilingLockInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                                .timeout = UINT64_MAX};
    if (!locked && vk_failed(acquire(device->device, &info), "vkAcquireProfilingLockKHR"))
        return -1;
    locked = true;
    return 0;
}

int
load_vk_perf_create(const struct vk_device *device, VkQueryPool *ret_pool)
{
    uint32_t counter[COUNTERS];
    VkQueryPoolPerformanceCreateInfoKHR counters = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .queueFamilyIndex = device->family,
        .pCounterIndices = counter,
    };
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .pNext = &counters,
        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR,
        .queryCount = LOAD_PASSES_MAX,
    };
    counters.counterIndexCount = choose(device, counter);
    if (counters.counterIndexCount < COUNTERS) {
        fprintf(stderr, "the driver has no two counters that fit together\n");
        return -1;
    }
    if (lock(device) < 0)
        return -1;
    return vk_failed(vkCreateQueryPool(device->device, &info, NULL, ret_pool), "vkCreateQueryPool") ? -1 : 0;
}

void
load_vk_perf_reset(const struct vk_device *device, VkQueryPool pool, uint32_t passes)
{
    vkResetQueryPool(device->device, pool, 0, passes);
}

uint64_t
load_vk_perf_read(const struct vk_device *device, VkQueryPool pool, uint32_t passes)
{
    static VkPerformanceCounterResultKHR result[LOAD_PASSES_MAX][COUNTERS];
    (void)vkGetQueryPoolResults(device->device, pool, 0, passes, sizeof(result), result, sizeof(result[0]),
                                0);
    return result[0][0].uint64;
}

void
load_vk_perf_finish(const struct vk_device *device)
{
    PFN_vkReleaseProfilingLockKHR release =
        (PFN_vkReleaseProfilingLockKHR)vkGetDeviceProcAddr(device->device, "vkReleaseProfilingLockKHR");
    if (locked)
        release(device->device);
    locked = false;
}
