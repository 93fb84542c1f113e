/** @file
 * See load_vk_perf.h. */
#include "bench/load_vk_perf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/load.h"

#define COUNTERS 2U

/* Intel's: gfx9_mdapi_metrics; see Mesa's intel_perf_mdapi.h. */
#define RAW_BYTES  672U
#define ADD_CONFIG 0x40486477UL
#define MDAPI_GUID "2f01b241-7014-42a7-9eb6-a925cad3daba"

static bool locked, initialized;
static VkPerformanceConfigurationINTEL configuration;

/** Two counters that fit one pass. @return Number of counters found: 0 to 2. */
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

/* The configuration that the driver expects under MDAPI's GUID. */
static int
register_set(const char *node)
{
    static const uint32_t registers[2] = {0x9888, 0x12345678};
    struct {
        char guid[36];
        uint32_t mux, boolean, flex;
        uint64_t pointer[3];
    } config = {.mux = 1, .pointer = {(uintptr_t)registers}};
    memcpy(config.guid, MDAPI_GUID, sizeof(config.guid));
    int fd = open(node, O_RDWR | O_CLOEXEC);
    int id = fd < 0 ? -1 : ioctl(fd, ADD_CONFIG, &config);
    if (id < 0)
        fprintf(stderr, "no metric set can be registered at %s\n", node);
    if (fd >= 0)
        (void)close(fd);
    return id < 0 ? -1 : 0;
}

static int
set_up_queue(const struct vk_device *device, const char *node)
{
    const VkInitializePerformanceApiInfoINTEL begin = {
        .sType = VK_STRUCTURE_TYPE_INITIALIZE_PERFORMANCE_API_INFO_INTEL};
    const VkPerformanceConfigurationAcquireInfoINTEL info = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_CONFIGURATION_ACQUIRE_INFO_INTEL,
        .type = VK_PERFORMANCE_CONFIGURATION_TYPE_COMMAND_QUEUE_METRICS_DISCOVERY_ACTIVATED_INTEL};
#define INTEL(name) ((PFN_vk##name##INTEL)vkGetDeviceProcAddr(device->device, "vk" #name "INTEL"))
    if (initialized)
        return 0;
    if (register_set(node) < 0 ||
        vk_failed(INTEL(InitializePerformanceApi)(device->device, &begin), "vkInitializePerformanceApiINTEL"))
        return -1;
    initialized = true;
    return vk_failed(INTEL(AcquirePerformanceConfiguration)(device->device, &info, &configuration),
                     "vkAcquirePerformanceConfigurationINTEL") ||
                   vk_failed(INTEL(QueueSetPerformanceConfiguration)(device->queue, configuration),
                             "vkQueueSetPerformanceConfigurationINTEL")
               ? -1
               : 0;
}

static int
create_raw(const struct vk_device *device, const char *node, VkQueryPool *ret_pool)
{
    const VkQueryPoolPerformanceQueryCreateInfoINTEL manual = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_QUERY_CREATE_INFO_INTEL,
        .performanceCountersSampling = VK_QUERY_POOL_SAMPLING_MODE_MANUAL_INTEL,
    };
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .pNext = &manual,
        .queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_INTEL,
        .queryCount = LOAD_PASSES_MAX,
    };
    if (set_up_queue(device, node) < 0)
        return -1;
    return vk_failed(vkCreateQueryPool(device->device, &info, NULL, ret_pool), "vkCreateQueryPool") ? -1 : 0;
}

int
load_vk_perf_create(const struct vk_device *device, const char *raw_node, VkQueryPool *ret_pool)
{
    if (raw_node)
        return create_raw(device, raw_node, ret_pool);
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
    static uint64_t raw[LOAD_PASSES_MAX][RAW_BYTES / 8];
    if (initialized) {
        (void)vkGetQueryPoolResults(device->device, pool, 0, passes, sizeof(raw), raw, sizeof(raw[0]),
                                    VK_QUERY_RESULT_64_BIT);
        return raw[0][0];
    }
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
    if (configuration)
        (void)INTEL(ReleasePerformanceConfiguration)(device->device, configuration);
    if (initialized)
        INTEL(UninitializePerformanceApi)(device->device);
    initialized = false;
}
