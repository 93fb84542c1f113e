/** @file
 * Hardware counters of a Vulkan device, by the layer's two sources (layer/counters/khr_query.h,
 * intel_query.h), so that names, sets and reasons are those that a recording has. A device is made to see
 * what the driver and the kernel permit. Runs in a child process (probe.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe/counters.h"
#include "cli/probe/vk_counters.h"
#include "counters/sources/registry.h"
#include "layer/counters/intel_query.h"
#include "layer/counters/khr_query.h"
#include "pp_texts.h"

#define COPY(field, text) snprintf(field, sizeof(field), "%s", text)

/** The device that is being asked. */
struct asked {
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    VkPhysicalDevice physical;
    uint32_t probe;
    struct pp_perf_quirk quirk;
    uint32_t minor; /**< of the render node; UINT32_MAX: unknown */
    uint32_t family;
};

#define INSTANCE(asked, name) ((PFN_##name)(asked)->get((asked)->instance, #name))

static bool
offers(const struct asked *asked, const char *name)
{
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        INSTANCE(asked, vkEnumerateDeviceExtensionProperties);
    uint32_t count = 0;
    bool found = false;
    enumerate(asked->physical, NULL, &count, NULL);
    VkExtensionProperties *list = calloc(count + 1U, sizeof(*list));
    if (list && enumerate(asked->physical, NULL, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found = found || strcmp(list[i].extensionName, name) == 0;
    free(list);
    return found;
}

/** Find out which driver the device has, and which node. */
static void
learn(struct asked *asked, const VkPhysicalDeviceProperties *properties)
{
    VkPhysicalDeviceDrmPropertiesEXT drm = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &drm};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &driver};
    PFN_vkGetPhysicalDeviceProperties2 get = INSTANCE(asked, vkGetPhysicalDeviceProperties2);
    if (!offers(asked, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME))
        driver.pNext = NULL;
    if (get && properties->apiVersion >= VK_API_VERSION_1_2)
        get(asked->physical, &all);
    asked->quirk = pp_perf_quirk_find(driver.driverID, properties);
    asked->minor = drm.hasRender ? (uint32_t)drm.renderMinor : UINT32_MAX;
}

/** Create a device with one queue of the family and one extension. @return VK_NULL_HANDLE: refused. */
static VkDevice
make_device(const struct asked *asked, const char *extension, const void *chain)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = asked->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = chain,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = &extension,
    };
    VkDevice device = VK_NULL_HANDLE;
    if (INSTANCE(asked, vkCreateDevice)(asked->physical, &info, NULL, &device) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    return device;
}

#define DEVICE(get, device, name) PFN_##name name = (PFN_##name)(get)(device, #name)

/** Does the driver give the profiling lock? @return Why not; NULL: it does. */
static const char *
try_lock(const struct asked *asked)
{
    const VkPhysicalDevicePerformanceQueryFeaturesKHR features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
        .performanceCounterQueryPools = VK_TRUE,
    };
    const VkAcquireProfilingLockInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                                .timeout = 100000000};
    VkDevice device = make_device(asked, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, &features);
    PFN_vkGetDeviceProcAddr get = INSTANCE(asked, vkGetDeviceProcAddr);
    if (device == VK_NULL_HANDLE)
        return PP_TEXT_PROBE_KHR_NO_DEVICE;
    DEVICE(get, device, vkAcquireProfilingLockKHR);
    DEVICE(get, device, vkReleaseProfilingLockKHR);
    DEVICE(get, device, vkDestroyDevice);
    bool locked = vkAcquireProfilingLockKHR && vkAcquireProfilingLockKHR(device, &info) == VK_SUCCESS;
    if (locked)
        vkReleaseProfilingLockKHR(device);
    vkDestroyDevice(device, NULL);
    return locked ? NULL : asked->quirk.refusal ? asked->quirk.refusal : PP_TEXT_PROBE_KHR_NO_LOCK;
}

/** Append to a counter's description where the counter may be measured. */
static const char *
scope_text(uint8_t scope)
{
    return scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR ? PP_TEXT_PROBE_KHR_WHOLE
           : scope == VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR  ? PP_TEXT_PROBE_KHR_PASSES
                                                                    : "";
}

static void
add_counter(const struct asked *asked, const struct pp_perf_khr *khr, uint32_t i)
{
    const struct pp_perf_counter *from = &khr->counter[i];
    const char *unit = pp_unit_suffix((enum pp_unit)from->unit);
    struct pp_probe_counter counter;
    memset(&counter, 0, sizeof(counter));
    counter.probe = asked->probe;
    COPY(counter.source, PP_SOURCE_KHR);
    snprintf(counter.group, sizeof(counter.group), "%.63s", from->category);
    snprintf(counter.name, sizeof(counter.name), "%.127s", from->name);
    COPY(counter.unit, *unit == '_' ? unit + 1 : unit);
    COPY(counter.reason, from->reason ? from->reason : "");
    snprintf(counter.description, sizeof(counter.description), "%.220s%s", from->description,
             scope_text(from->scope));
    pp_probe_counter_add(&counter);
}

/** Add the counters, one category after the other: the driver may list them in any order. */
static void
add_khr(const struct asked *asked, const struct pp_perf_khr *khr)
{
    struct pp_probe_counter source;
    memset(&source, 0, sizeof(source));
    source.probe = asked->probe;
    COPY(source.source, PP_SOURCE_KHR);
    if (asked->quirk.note)
        COPY(source.description, asked->quirk.note);
    else
        pp_probe_source_text(PP_SOURCE_KHR, source.description, sizeof(source.description));
    pp_probe_counter_add(&source);
    bool *done = calloc(khr->counters + 1U, sizeof(*done));
    for (uint32_t i = 0; done && i < khr->counters; i++)
        for (uint32_t j = i; j < khr->counters && !done[i]; j++)
            if (!done[j] && strcmp(khr->counter[j].category, khr->counter[i].category) == 0) {
                add_counter(asked, khr, j);
                done[j] = j != i;
            }
    free(done);
}

static void
ask_khr(struct asked *asked, const VkQueueFamilyProperties *family, uint32_t families)
{
    struct pp_perf_khr khr;
    bool found = false;
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate =
        INSTANCE(asked, vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR);
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes =
        INSTANCE(asked, vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
    if (!offers(asked, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME)) {
        pp_probe_absent_add(asked->probe, PP_SOURCE_KHR, PP_TEXT_PROBE_KHR_MISSING);
        return;
    }
    for (uint32_t i = 0; i < families && !found && enumerate && passes; i++) {
        asked->family = i;
        found = (family[i].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) &&
                pp_perf_khr_open(&khr, asked->physical, i, enumerate, passes, &asked->quirk) == 0;
    }
    const char *reason = asked->quirk.no_khr ? asked->quirk.no_khr
                         : found             ? try_lock(asked)
                                             : PP_TEXT_PROBE_KHR_NO_FAMILY;
    if (reason)
        pp_probe_absent_add(asked->probe, PP_SOURCE_KHR, reason);
    else
        add_khr(asked, &khr);
    if (found)
        pp_perf_khr_close(&khr);
}

/** After the device was created: does the kernel accept a metric set, and does the driver find it? */
static const char *
try_set(const struct asked *asked, const struct pp_perf_oa *oa, VkDevice device)
{
    const VkInitializePerformanceApiInfoINTEL start = {
        .sType = VK_STRUCTURE_TYPE_INITIALIZE_PERFORMANCE_API_INFO_INTEL};
    const VkPerformanceConfigurationAcquireInfoINTEL want = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_CONFIGURATION_ACQUIRE_INFO_INTEL,
        .type = VK_PERFORMANCE_CONFIGURATION_TYPE_COMMAND_QUEUE_METRICS_DISCOVERY_ACTIVATED_INTEL,
    };
    PFN_vkGetDeviceProcAddr get = INSTANCE(asked, vkGetDeviceProcAddr);
    DEVICE(get, device, vkInitializePerformanceApiINTEL);
    DEVICE(get, device, vkUninitializePerformanceApiINTEL);
    DEVICE(get, device, vkAcquirePerformanceConfigurationINTEL);
    DEVICE(get, device, vkReleasePerformanceConfigurationINTEL);
    VkPerformanceConfigurationINTEL got = VK_NULL_HANDLE;
    int fd = -1;
    if (!vkInitializePerformanceApiINTEL || vkInitializePerformanceApiINTEL(device, &start) != VK_SUCCESS)
        return PP_TEXT_INTEL_VK_START;
    const char *why = NULL;
    int64_t id = pp_perf_oa_register(oa, asked->minor, oa->events.event[0].set, &fd);
    if (id < 0)
        why = pp_perf_oa_register_reason(id);
    else if (vkAcquirePerformanceConfigurationINTEL(device, &want, &got) != VK_SUCCESS)
        why = PP_TEXT_INTEL_VK_LOST_SET;
    if (id >= 0)
        pp_perf_oa_unregister(fd, id);
    if (!why)
        (void)vkReleasePerformanceConfigurationINTEL(device, got);
    vkUninitializePerformanceApiINTEL(device);
    return why;
}

static void
ask_oa(struct asked *asked, const VkPhysicalDeviceProperties *properties)
{
    struct pp_perf_oa oa;
    const char *why = NULL;
    if (!offers(asked, VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME)) {
        pp_probe_absent_add(asked->probe, PP_SOURCE_OA, PP_TEXT_INTEL_VK_MISSING);
        return;
    }
    if (asked->quirk.no_oa) {
        pp_probe_absent_add(asked->probe, PP_SOURCE_OA, asked->quirk.no_oa);
        return;
    }
    if (asked->minor == UINT32_MAX || pp_perf_oa_open(&oa, properties, asked->minor) != 0) {
        pp_probe_absent_add(asked->probe, PP_SOURCE_OA,
                            asked->minor == UINT32_MAX ? PP_TEXT_INTEL_VK_NODE : PP_TEXT_INTEL_VK_NO_SETS);
        return;
    }
    asked->family = 0;
    VkDevice device = make_device(asked, VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME, NULL);
    if (device == VK_NULL_HANDLE) {
        why = PP_TEXT_INTEL_VK_NO_DEVICE;
    } else {
        why = try_set(asked, &oa, device);
        DEVICE(INSTANCE(asked, vkGetDeviceProcAddr), device, vkDestroyDevice);
        vkDestroyDevice(device, NULL);
    }
    if (why)
        pp_probe_absent_add(asked->probe, PP_SOURCE_OA, why);
    else
        pp_probe_source_add(asked->probe, &pp_perf_source_oa, &oa, PP_TEXT_INTEL_VK_ABOUT, NULL);
    pp_perf_oa_close(&oa);
}

void
pp_probe_vk_counters(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical,
                     uint32_t probe)
{
    struct asked asked = {.get = get, .instance = instance, .physical = physical, .probe = probe};
    VkPhysicalDeviceProperties properties;
    VkQueueFamilyProperties family[32];
    uint32_t families = 32;
    INSTANCE(&asked, vkGetPhysicalDeviceProperties)(physical, &properties);
    INSTANCE(&asked, vkGetPhysicalDeviceQueueFamilyProperties)(physical, &families, family);
    learn(&asked, &properties);
    ask_khr(&asked, family, families);
    ask_oa(&asked, &properties);
}
