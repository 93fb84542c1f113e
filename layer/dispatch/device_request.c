/** @file
 * See device_request.h. */
#include "layer/dispatch/device_request.h"

#include <stdlib.h>
#include <string.h>

#include "layer/dispatch/perf_request.h"

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
