/** @file
 * What Vulkan offers here: every device's timestamps and statistics, and the loader's list of layers. Runs in
 * a child process (probe.c). Finds the loader by dlopen(), so that `passprobe` runs where there is none. */
#include "cli/probe/probe_apis.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe/probe.h"
#include "counters/sources/registry.h"
#include "layer/counters/intel_query.h"
#include "layer/counters/khr_query.h"
#include "pp_texts.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

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
    if (!vkInitializePerformanceApiINTEL || vkInitializePerformanceApiINTEL(device, &start) != VK_SUCCESS)
        return PP_TEXT_INTEL_VK_START;
    const char *why = NULL;
    int64_t id = pp_perf_oa_register(oa, asked->minor, oa->events.event[0].set);
    if (id < 0)
        why = pp_perf_oa_register_reason(id);
    else if (vkAcquirePerformanceConfigurationINTEL(device, &want, &got) != VK_SUCCESS)
        why = PP_TEXT_INTEL_VK_LOST_SET;
    if (id >= 0)
        pp_perf_oa_unregister(asked->minor, id);
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

/* Add the hardware counters of a physical device to context @p probe (pp_probe_counter_add()). */
static void
probe_vk_counters(PFN_vkGetInstanceProcAddr get, VkInstance instance, VkPhysicalDevice physical,
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

#define LAYER_NAME_PART   "passprobe" /* of VK_LAYER_PASSPROBE_..., whatever its case */

#define COPY(field, text) snprintf(field, sizeof(field), "%s", text)

/* The functions of the instance that this file calls. */
struct vk {
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    PFN_vkEnumeratePhysicalDevices devices;
    PFN_vkGetPhysicalDeviceProperties properties;
    PFN_vkGetPhysicalDeviceFeatures features;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties families;
    PFN_vkEnumerateDeviceExtensionProperties extensions;
    PFN_vkGetPhysicalDeviceFeatures2 features2; /* NULL below 1.1 */
};

static PFN_vkGetInstanceProcAddr
open_loader(void)
{
    PFN_vkGetInstanceProcAddr get = NULL;
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (loader)
        *(void **)(void *)&get = dlsym(loader, "vkGetInstanceProcAddr");
    return get;
}

static bool
open_instance(struct vk *vk, char *why, size_t why_len)
{
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                   .pApplicationName = "passprobe",
                                   .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &app};
    vk->get = open_loader();
    if (!vk->get) {
        snprintf(why, why_len, PP_TEXT_PROBE_NO_VULKAN);
        return false;
    }
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)vk->get(NULL, "vkCreateInstance");
    VkResult result = create ? create(&info, NULL, &vk->instance) : VK_ERROR_INITIALIZATION_FAILED;
    if (result != VK_SUCCESS) {
        snprintf(why, why_len, PP_FORMAT_PROBE_NO_DRIVER, (int)result);
        return false;
    }
#define LOAD(field, name) vk->field = (PFN_##name)vk->get(vk->instance, #name)
    LOAD(devices, vkEnumeratePhysicalDevices);
    LOAD(properties, vkGetPhysicalDeviceProperties);
    LOAD(features, vkGetPhysicalDeviceFeatures);
    LOAD(families, vkGetPhysicalDeviceQueueFamilyProperties);
    LOAD(extensions, vkEnumerateDeviceExtensionProperties);
    LOAD(features2, vkGetPhysicalDeviceFeatures2);
#undef LOAD
    return true;
}

static bool
has_extension(const struct vk *vk, VkPhysicalDevice device, const char *name)
{
    uint32_t count = 0;
    bool found = false;
    vk->extensions(device, NULL, &count, NULL);
    VkExtensionProperties *list = calloc(count + 1U, sizeof(*list));
    if (list && vk->extensions(device, NULL, &count, list) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++)
            found |= strcmp(list[i].extensionName, name) == 0;
    }
    free(list);
    return found;
}

/* Valid bits of timestamps on the first queue family that draws, else computes. */
static uint32_t
timestamp_bits(const struct vk *vk, VkPhysicalDevice device)
{
    VkQueueFamilyProperties family[32];
    uint32_t count = 32;
    vk->families(device, &count, family);
    for (uint32_t i = 0; i < count; i++) {
        if (family[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)
            return family[i].timestampValidBits;
    }
    return count ? family[0].timestampValidBits : 0;
}

static void
ask_device(const struct vk *vk, VkPhysicalDevice device, struct pp_probe *probe)
{
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceFeatures features;
    vk->properties(device, &properties);
    vk->features(device, &features);
    COPY(probe->api, "Vulkan");
    COPY(probe->device, properties.deviceName);
    snprintf(probe->version, sizeof(probe->version), "%u.%u.%u", VK_API_VERSION_MAJOR(properties.apiVersion),
             VK_API_VERSION_MINOR(properties.apiVersion), VK_API_VERSION_PATCH(properties.apiVersion));
    snprintf(probe->driver, sizeof(probe->driver), PP_FORMAT_PROBE_DRIVER_VERSION, properties.driverVersion);
    snprintf(probe->driver_version, sizeof(probe->driver_version), "%u.%u.%u",
             VK_API_VERSION_MAJOR(properties.driverVersion), VK_API_VERSION_MINOR(properties.driverVersion),
             VK_API_VERSION_PATCH(properties.driverVersion));
    probe->timestamp_bits = timestamp_bits(vk, device);
    if (!probe->timestamp_bits)
        COPY(probe->why_no_time, PP_TEXT_PROBE_VK_BITS);
    if (features.pipelineStatisticsQuery) {
        probe->statistics = (1U << PP_PIPELINE_STATISTICS) - 1;
        COPY(probe->why_no_statistics, PP_TEXT_PROBE_VK_STAGE);
        if (!features.geometryShader)
            probe->statistics &= ~(3U << 3);
        if (!features.tessellationShader)
            probe->statistics &= ~(3U << 8);
    } else {
        COPY(probe->why_no_statistics, PP_TEXT_PROBE_VK_STATISTICS);
    }
    probe->inherited_queries = features.inheritedQueries;
    probe->calibrated = has_extension(vk, device, "VK_EXT_calibrated_timestamps");
    if (vk->features2 && properties.apiVersion >= VK_API_VERSION_1_2) {
        VkPhysicalDeviceHostQueryResetFeatures reset = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES};
        VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                         .pNext = &reset};
        vk->features2(device, &all);
        probe->host_reset = reset.hostQueryReset;
    }
}

void
pp_probe_vk(struct pp_probes *probes)
{
    struct vk vk = {0};
    VkPhysicalDevice device[PP_PROBES_MAX];
    uint32_t count = PP_PROBES_MAX / 2;
    memset(probes, 0, sizeof(*probes));
    probes->len = 1;
    struct pp_probe *first = &probes->probe[0];
    COPY(first->api, "Vulkan");
    if (!open_instance(&vk, first->why_not, sizeof(first->why_not)))
        return;
    if (vk.devices(vk.instance, &count, device) < VK_SUCCESS || count == 0) {
        COPY(first->why_not, PP_TEXT_PROBE_NO_DEVICES);
        return;
    }
    probes->len = count;
    for (uint32_t i = 0; i < count; i++)
        ask_device(&vk, device[i], &probes->probe[i]);
    for (uint32_t i = 0; i < count; i++)
        probe_vk_counters(vk.get, vk.instance, device[i], i);
}

int
pp_probe_vk_layers(bool *ret_found)
{
    uint32_t count = 0;
    PFN_vkGetInstanceProcAddr get = open_loader();
    if (!get)
        return -ENOENT;
    PFN_vkEnumerateInstanceLayerProperties enumerate =
        (PFN_vkEnumerateInstanceLayerProperties)get(NULL, "vkEnumerateInstanceLayerProperties");
    if (!enumerate || enumerate(&count, NULL) != VK_SUCCESS)
        return -EIO;
    VkLayerProperties *list = calloc(count + 1U, sizeof(*list));
    if (!list)
        return -ENOMEM;
    *ret_found = false;
    if (enumerate(&count, list) >= VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++)
            *ret_found |= strcasestr(list[i].layerName, LAYER_NAME_PART) != NULL;
    }
    free(list);
    return 0;
}
