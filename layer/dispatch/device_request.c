/** @file
 * See device_request.h. What the layer asks of a device that will be created, so that counters can be
 * measured; */
#include "layer/dispatch/device_request.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "layer/base/device.h"

bool
pp_vk_device_request_offered(const struct pp_vk_instance *inst, VkPhysicalDevice physical, const char *name)
{
    bool found = false;
    uint32_t count = 0;
    if (inst->next.EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) != VK_SUCCESS ||
        count == 0)
        return false;
    VkExtensionProperties *list = calloc(count, sizeof(*list));
    if (list && inst->next.EnumerateDeviceExtensionProperties(physical, NULL, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found = found || strcmp(list[i].extensionName, name) == 0;
    free(list);
    return found;
}

/* Can this device read its clock and CLOCK_MONOTONIC together? */
static bool
can_calibrate(const struct pp_vk_instance *inst, VkPhysicalDevice physical)
{
    VkTimeDomainEXT domain[16];
    uint32_t count = 0;
    bool gpu = false, cpu = false;
    if (!inst->gpdp2 ||
        !pp_vk_device_request_offered(inst, physical, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME))
        return false;
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT domains =
        inst->next.GetPhysicalDeviceCalibrateableTimeDomainsEXT;
    if (!domains || domains(physical, &count, NULL) != VK_SUCCESS)
        return false;
    count = count < 16 ? count : 16;
    if (domains(physical, &count, domain) < VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        gpu = gpu || domain[i] == VK_TIME_DOMAIN_DEVICE_EXT;
        cpu = cpu || domain[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    }
    return gpu && cpu;
}

struct pp_vk_device_request
pp_vk_device_request_choose(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
                            const VkDeviceCreateInfo *info, struct pp_session *session)
{
    struct pp_vk_device_request request = {0};
    VkPhysicalDeviceFeatures features;
    inst->next.GetPhysicalDeviceFeatures(physical, &features);
    request.statistics = features.pipelineStatisticsQuery && pp_session_config(session)->pipeline_mask != 0;
    request.calibrated = can_calibrate(inst, physical);
    pp_perf_request(inst, physical, info, pp_session_config(session), &request);
    return request;
}

/* Choose the statistics to measure: those that the user asked for, if the feature is enabled. */
static void
choose_statistics(struct pp_vk_device *dev, bool enabled)
{
    uint32_t mask = pp_session_config(dev->session)->pipeline_mask & ((1U << PP_PIPELINE_STATISTICS) - 1);
    dev->measured.statistics = enabled ? mask : 0;
    dev->measured.statistic_count = (uint32_t)__builtin_popcount(dev->measured.statistics);
}

/* Create the device with a request. */
static VkResult
create_with_request(struct pp_vk_device *dev, PFN_vkCreateDevice create, const VkDeviceCreateInfo *info,
                    struct pp_vk_device_request *request, const VkAllocationCallbacks *allocator,
                    VkDevice *device)
{
    struct pp_vk_chain chain;
    pp_vk_chain_init(&chain, info, request);
    VkResult result = create(dev->gpu.physical, &chain.info, allocator, device);
    bool created = result == VK_SUCCESS;
    dev->gpu.added = created ? chain.added : 0;
    dev->measured.calibrated = created && chain.calibrated && request->calibrated;
    choose_statistics(dev, created && chain.statistics);
    if (!chain.counters)
        request->khr = request->oa = false;
    pp_vk_chain_finish(&chain);
    return result;
}

/* Drop the counters from the request. */
static void
drop_counters(struct pp_vk_device_request *request)
{
    static const char refused[] = PP_TEXT_VK_REFUSED_DEVICE;
    request->no_khr = request->no_khr ? request->no_khr : refused;
    request->no_oa = request->no_oa ? request->no_oa : refused;
    request->khr = request->oa = request->host_reset = false;
}

VkResult
pp_vk_device_request_create(struct pp_vk_device *dev, PFN_vkCreateDevice create,
                            VkLayerDeviceCreateInfo *link, const VkDeviceCreateInfo *info,
                            const VkAllocationCallbacks *allocator, VkDevice *device,
                            struct pp_vk_device_request *request)
{
    /* During the call, *device belongs to the loader. */
    VkDevice loaders = *device;
    VkLayerDeviceLink *next = link->u.pLayerInfo;
    bool counters = dev->session && request->host_reset;
    if (dev->session && create_with_request(dev, create, info, request, allocator, device) == VK_SUCCESS)
        return VK_SUCCESS;
    drop_counters(request);
    link->u.pLayerInfo = next;
    *device = loaders;
    if (counters && create_with_request(dev, create, info, request, allocator, device) == VK_SUCCESS)
        return VK_SUCCESS;
    link->u.pLayerInfo = next;
    *device = loaders;
    return create(dev->gpu.physical, info, allocator, device);
}

static const char khr_name[] = VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME;
static const char oa_name[] = VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME;

static bool
app_enables(const VkDeviceCreateInfo *info, const char *name)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], name) == 0)
            return true;
    return false;
}

/* Find out how to request that the CPU may reset queries. @return Why it may not; NULL: it may. */
static const char *
request_reset(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
              struct pp_vk_device_request *request)
{
    VkPhysicalDeviceProperties props;
    VkPhysicalDeviceHostQueryResetFeatures reset = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &reset};
    inst->next.GetPhysicalDeviceProperties(physical, &props);
    uint32_t version = props.apiVersion < inst->api_version ? props.apiVersion : inst->api_version;
    request->reset_extension = version < VK_API_VERSION_1_2;
    if (request->reset_extension &&
        !pp_vk_device_request_offered(inst, physical, VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME))
        return PP_TEXT_PERF_NO_RESET_EXTENSION;
    inst->next.GetPhysicalDeviceFeatures2(physical, &features);
    return reset.hostQueryReset ? NULL : PP_TEXT_PERF_NO_RESET;
}

static const char *
request_khr(const struct pp_vk_instance *inst, VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
            struct pp_vk_device_request *request)
{
    VkPhysicalDevicePerformanceQueryFeaturesKHR perf = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &perf};
    if (app_enables(info, khr_name))
        return PP_TEXT_KHR_APP;
    if (app_enables(info, oa_name))
        return PP_TEXT_KHR_APP_OA;
    if (!pp_vk_device_request_offered(inst, physical, khr_name))
        return PP_TEXT_KHR_NO_EXTENSION;
    inst->next.GetPhysicalDeviceFeatures2(physical, &features);
    if (!perf.performanceCounterQueryPools)
        return PP_TEXT_KHR_NO_FEATURE;
    request->multiple_pools = perf.performanceCounterMultipleQueryPools;
    return request_reset(inst, physical, request);
}

static const char *
request_oa(const struct pp_vk_instance *inst, VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
           struct pp_vk_device_request *request)
{
    if (app_enables(info, oa_name))
        return PP_TEXT_OA_APP;
    if (app_enables(info, khr_name))
        return PP_TEXT_OA_APP_KHR;
    if (!pp_vk_device_request_offered(inst, physical, oa_name))
        return PP_TEXT_OA_NO_EXTENSION;
    if (!pp_vk_device_request_offered(inst, physical, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME))
        return PP_TEXT_OA_NO_DRM;
    return request_reset(inst, physical, request);
}

/* Find the known faults of the driver, and the minor number of the GPU's render node. */
static void
learn_driver(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
             struct pp_vk_device_request *request)
{
    VkPhysicalDeviceProperties about;
    VkPhysicalDeviceDrmPropertiesEXT drm = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &drm};
    VkPhysicalDeviceProperties2 props = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &driver};
    inst->next.GetPhysicalDeviceProperties(physical, &about);
    if (!pp_vk_device_request_offered(inst, physical, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME))
        driver.pNext = NULL;
    if (inst->gpdp2 && inst->next.GetPhysicalDeviceProperties2 && about.apiVersion >= VK_API_VERSION_1_2)
        inst->next.GetPhysicalDeviceProperties2(physical, &props);
    request->quirk = pp_perf_quirk_find(driver.driverID, &about);
    request->minor = drm.hasRender ? (uint32_t)drm.renderMinor : UINT32_MAX;
}

void
pp_perf_request(const struct pp_vk_instance *inst, VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                const struct pp_config *config, struct pp_vk_device_request *request)
{
    static const char old[] = PP_TEXT_PERF_OLD_INSTANCE;
    static const char unasked[] = PP_TEXT_NOT_ASKED;
    bool can = inst->gpdp2 && inst->next.GetPhysicalDeviceFeatures2;
    learn_driver(inst, physical, request);
    request->app_measures = app_enables(info, khr_name) || app_enables(info, oa_name);
    request->no_khr = !pp_config_wants(config, "khr", true) ? unasked
                      : can                                 ? request_khr(inst, physical, info, request)
                                                            : old;
    request->no_oa = !pp_config_wants(config, "oa", true) ? unasked
                     : can                                ? request_oa(inst, physical, info, request)
                                                          : old;
    if (!request->no_khr)
        request->no_khr = request->quirk.no_khr;
    request->khr_unnamed =
        !request->no_khr && request->quirk.on_request && !pp_config_wants(config, "khr", false);
    if (request->khr_unnamed)
        request->no_khr = PP_TEXT_KHR_UNNAMED;
    if (!request->no_oa)
        request->no_oa = request->quirk.no_oa;
    request->khr = !request->no_khr;
    request->oa = !request->no_oa;
    request->host_reset = request->khr || request->oa;
}
