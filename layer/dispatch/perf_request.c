/** @file
 * What the layer asks of a device that will be created, so that counters can be measured; see perf_request.h.
 */
#include "layer/dispatch/perf_request.h"

#include <string.h>

#include "core/util/log.h"
#include "layer/base/device.h"
#include "layer/dispatch/device_request.h"

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
    if (!request->no_oa)
        request->no_oa = request->quirk.no_oa;
    request->khr = !request->no_khr;
    request->oa = !request->no_oa;
    request->host_reset = request->khr || request->oa;
}
