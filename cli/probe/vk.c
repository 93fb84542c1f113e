/** @file
 * What Vulkan offers here: every device's timestamps and statistics, and the loader's list of layers. Runs in
 * a child process (probe.c). Finds the loader by dlopen(), so that `passprobe` runs where there is none. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe/vk.h"
#include "cli/probe/vk_counters.h"
#include "pp_texts.h"

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
        pp_probe_vk_counters(vk.get, vk.instance, device[i], i);
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
