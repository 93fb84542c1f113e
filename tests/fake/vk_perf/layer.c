/** @file
 * The layer's chain: what it offers, and what it removes from the application's requests before they reach
 * the driver. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_perf.h"

struct fp_config fp_config;
pthread_mutex_t fp_lock = PTHREAD_MUTEX_INITIALIZER;
struct fp_map fp_devices, fp_pools, fp_buffers, fp_command_pools, fp_passes, fp_queues;

struct fp_map_node {
    struct fp_map_node *next;
    uint64_t key;
    void *value;
};

/** The one instance that tests make. */
static struct {
    VkInstance handle;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkDestroyInstance DestroyInstance;
    PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
    PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties;
    PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
    PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
} instance;

static uint64_t
hash(uint64_t key)
{
    return (key ^ key >> 12 ^ key >> 6) % 64;
}

void *
fp_map_get(const struct fp_map *map, uint64_t key)
{
    for (const struct fp_map_node *node = map->bucket[hash(key)]; node; node = node->next)
        if (node->key == key)
            return node->value;
    return NULL;
}

void
fp_map_put(struct fp_map *map, uint64_t key, void *value)
{
    struct fp_map_node *node = malloc(sizeof(*node));
    if (!node)
        abort();
    *node = (struct fp_map_node){map->bucket[hash(key)], key, value};
    map->bucket[hash(key)] = node;
}

void *
fp_map_take(struct fp_map *map, uint64_t key)
{
    for (struct fp_map_node **link = &map->bucket[hash(key)]; *link; link = &(*link)->next) {
        struct fp_map_node *node = *link;
        if (node->key != key)
            continue;
        void *value = node->value;
        *link = node->next;
        free(node);
        return value;
    }
    return NULL;
}

void
fp_violation(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("fake-perf: VIOLATION: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

static bool
has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

/** Kaby Lake with a driver that has no known fault, unless the words "pci=HEX" and "version=22.3.6" say
 * otherwise. */
static void
play_intel(struct fp_config *c, const char *text)
{
    const char *pci = strstr(text, "pci="), *version = strstr(text, "version=");
    unsigned part[3] = {24, 0, 5};
    if (version && sscanf(version, "version=%u.%u.%u", &part[0], &part[1], &part[2]) != 3)
        fp_violation("FAKE_VK_PERF: %s", version);
    c->pci = pci ? (uint32_t)strtoul(pci + 4, NULL, 16) : 0x5916;
    c->version = VK_MAKE_API_VERSION(0, part[0], part[1], part[2]);
    snprintf(c->device, sizeof(c->device), "%s", "Intel(R) Graphics (any)");
}

static void
read_config(void)
{
    const char *text = getenv("FAKE_VK_PERF");
    if (!text)
        return;
    struct fp_config *c = &fp_config;
    c->khr = has_word(text, "khr");
    c->intel = has_word(text, "intel");
    c->copies = has_word(text, "copies");
    c->multiple = has_word(text, "multiple");
    c->whole = has_word(text, "whole") || has_word(text, "like=turnip");
    c->refuse = has_word(text, "refuse");
    c->null_driver = has_word(text, "null_driver");
    c->silent = has_word(text, "silent");
    c->family = has_word(text, "family=1") ? 1 : 0;
    c->lock = has_word(text, "lock=timeout")  ? VK_TIMEOUT
              : has_word(text, "lock=memory") ? VK_ERROR_OUT_OF_HOST_MEMORY
                                              : VK_SUCCESS;
    c->initialize = has_word(text, "init=fail") ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
    c->acquire = has_word(text, "acquire=incomplete") ? VK_INCOMPLETE : VK_SUCCESS;
    c->queue = has_word(text, "queue=fail") ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
    c->pool = has_word(text, "pool=memory") ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    if (has_word(text, "like=radv"))
        c->driver = VK_DRIVER_ID_MESA_RADV;
    if (has_word(text, "like=turnip"))
        c->driver = VK_DRIVER_ID_MESA_TURNIP;
    if (has_word(text, "like=v3dv"))
        c->driver = VK_DRIVER_ID_MESA_V3DV;
    if (has_word(text, "like=anv"))
        c->driver = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    if (has_word(text, "like=mali")) {
        c->driver = VK_DRIVER_ID_ARM_PROPRIETARY;
        snprintf(c->device, sizeof(c->device), "%s", "Mali-G76");
    }
    if (c->intel || has_word(text, "like=anv"))
        play_intel(c, text);
}

struct fp_device *
fp_device_of(const void *handle)
{
    pthread_mutex_lock(&fp_lock);
    struct fp_device *dev = fp_map_get(&fp_devices, (uint64_t)(uintptr_t) * (void *const *)handle);
    pthread_mutex_unlock(&fp_lock);
    return dev;
}

/* Instances. */

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *ret)
{
    VkLayerInstanceCreateInfo *link = NULL;
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        VkLayerInstanceCreateInfo *node = (VkLayerInstanceCreateInfo *)(uintptr_t)s;
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && node->function == VK_LAYER_LINK_INFO)
            link = node;
    }
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    read_config();
    VkResult result = create(info, allocator, ret);
    if (result != VK_SUCCESS)
        return result;
    instance.handle = *ret;
    instance.gipa = gipa;
#define LOAD(name) instance.name = (PFN_vk##name)gipa(*ret, "vk" #name)
    LOAD(DestroyInstance);
    LOAD(EnumerateDeviceExtensionProperties);
    LOAD(GetPhysicalDeviceProperties);
    LOAD(GetPhysicalDeviceProperties2);
    LOAD(GetPhysicalDeviceFeatures2);
    if (!instance.GetPhysicalDeviceProperties2)
        instance.GetPhysicalDeviceProperties2 =
            (PFN_vkGetPhysicalDeviceProperties2)gipa(*ret, "vkGetPhysicalDeviceProperties2KHR");
    if (!instance.GetPhysicalDeviceFeatures2)
        instance.GetPhysicalDeviceFeatures2 =
            (PFN_vkGetPhysicalDeviceFeatures2)gipa(*ret, "vkGetPhysicalDeviceFeatures2KHR");
    return result;
}

/* Features and counters of physical devices. */

static const VkExtensionProperties khr_extension = {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, 1};
static const VkExtensionProperties intel_extension = {VK_INTEL_PERFORMANCE_QUERY_EXTENSION_NAME, 2};
static const VkExtensionProperties drm_extension = {VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME, 1};

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_extensions(VkPhysicalDevice physical, const char *layer, uint32_t *count,
                     VkExtensionProperties *list)
{
    if (layer)
        return instance.EnumerateDeviceExtensionProperties(physical, layer, count, list);
    uint32_t below = 0, more = 0;
    VkExtensionProperties extra[3];
    if (fp_config.khr)
        extra[more++] = khr_extension;
    if (fp_config.intel) {
        extra[more++] = intel_extension;
        extra[more++] = drm_extension;
    }
    VkResult result = instance.EnumerateDeviceExtensionProperties(physical, NULL, &below, NULL);
    if (result != VK_SUCCESS || !list) {
        *count = below + more;
        return result;
    }
    VkExtensionProperties *all = calloc(below + more, sizeof(*all));
    if (!all)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    result = instance.EnumerateDeviceExtensionProperties(physical, NULL, &below, all);
    memcpy(all + below, extra, more * sizeof(*all));
    /* Without hardware there is no clock to read. */
    for (uint32_t i = 0; i < below && fp_config.null_driver; i++)
        if (strcmp(all[i].extensionName, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) == 0)
            all[i] = all[--below];
    if (*count < below + more)
        result = VK_INCOMPLETE;
    else
        *count = below + more;
    memcpy(list, all, *count * sizeof(*list));
    free(all);
    return result;
}

/** The struct of a type in a chain that this layer fills. */
static void *
find_out(void *chain, VkStructureType type)
{
    for (VkBaseOutStructure *s = chain; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

static VKAPI_ATTR void VKAPI_CALL
get_features2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 *features)
{
    instance.GetPhysicalDeviceFeatures2(physical, features);
    VkPhysicalDevicePerformanceQueryFeaturesKHR *perf =
        find_out(features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
    VkPhysicalDeviceHostQueryResetFeatures *reset =
        find_out(features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES);
    if (reset && fp_config.khr) /* queries of this layer are reset here, whatever the driver can do */
        reset->hostQueryReset = VK_TRUE;
    if (perf && fp_config.khr) {
        perf->performanceCounterQueryPools = fp_config.khr;
        perf->performanceCounterMultipleQueryPools = fp_config.khr && fp_config.multiple;
    }
}

static void
play(VkPhysicalDeviceProperties *properties)
{
    if (fp_config.device[0] != '\0')
        snprintf(properties->deviceName, sizeof(properties->deviceName), "%s", fp_config.device);
    if (fp_config.driver == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA || fp_config.intel)
        properties->vendorID = 0x8086;
    if (fp_config.pci != 0)
        properties->deviceID = fp_config.pci;
    if (fp_config.version != 0)
        properties->driverVersion = fp_config.version;
    if (fp_config.driver == VK_DRIVER_ID_ARM_PROPRIETARY)
        properties->vendorID = 0x13B5;
}

static VKAPI_ATTR void VKAPI_CALL
get_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties *properties)
{
    instance.GetPhysicalDeviceProperties(physical, properties);
    play(properties);
}

static VKAPI_ATTR void VKAPI_CALL
get_properties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *properties)
{
    instance.GetPhysicalDeviceProperties2(physical, properties);
    play(&properties->properties);
    VkPhysicalDevicePerformanceQueryPropertiesKHR *perf =
        find_out(properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_PROPERTIES_KHR);
    VkPhysicalDeviceDriverProperties *driver =
        find_out(properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    VkPhysicalDeviceDrmPropertiesEXT *drm =
        find_out(properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT);
    if (perf && fp_config.khr)
        perf->allowCommandBufferQueryCopies = fp_config.copies;
    if (driver && fp_config.driver != 0)
        driver->driverID = (VkDriverId)fp_config.driver;
    if (drm && fp_config.intel) {
        drm->hasRender = VK_TRUE;
        drm->renderMajor = 226;
        drm->renderMinor = 250;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_counters(VkPhysicalDevice physical, uint32_t family, uint32_t *count, VkPerformanceCounterKHR *list,
                   VkPerformanceCounterDescriptionKHR *description)
{
    uint32_t room = *count, have = family == fp_config.family ? fp_counters : 0;
    (void)physical;
    if (!list && !description) {
        *count = have;
        return VK_SUCCESS;
    }
    *count = room < have ? room : have;
    for (uint32_t i = 0; i < *count; i++) {
        const struct fp_counter *c = &fp_counter[i];
        if (list) {
            FP_DEMAND(list[i].sType == VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR, "sType of a counter");
            list[i].unit = c->unit;
            list[i].scope = fp_config.whole ? VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR : c->scope;
            list[i].storage = c->storage;
            memset(list[i].uuid, 0, sizeof(list[i].uuid));
            list[i].uuid[0] = (uint8_t)i;
        }
        if (description) {
            FP_DEMAND(description[i].sType == VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR,
                      "sType of a description");
            description[i].flags = 0;
            snprintf(description[i].name, sizeof(description[i].name), "%s", c->name);
            snprintf(description[i].category, sizeof(description[i].category), "%s", c->category);
            snprintf(description[i].description, sizeof(description[i].description), "%s", c->description);
        }
    }
    return *count < have ? VK_INCOMPLETE : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
get_passes(VkPhysicalDevice physical, const VkQueryPoolPerformanceCreateInfoKHR *info, uint32_t *passes)
{
    (void)physical;
    FP_DEMAND(info->queueFamilyIndex == fp_config.family && info->counterIndexCount > 0,
              "passes of no counters");
    for (uint32_t i = 0; i < info->counterIndexCount; i++)
        FP_DEMAND(info->pCounterIndices[i] < fp_counters, "counter %u is none", info->pCounterIndices[i]);
    *passes = fp_passes_of(info->pCounterIndices, info->counterIndexCount);
}

/* Devices. */

static bool
is_ours(const char *name)
{
    return (fp_config.khr && strcmp(name, khr_extension.extensionName) == 0) ||
           (fp_config.intel && strcmp(name, intel_extension.extensionName) == 0) ||
           (fp_config.intel && strcmp(name, drm_extension.extensionName) == 0);
}

/** The application's request as the driver sees it: a copy of its list of extensions without this layer's,
 * its chain without this layer's feature struct during the call. */
static VkResult
create_below(PFN_vkCreateDevice create, struct fp_device *dev, const VkDeviceCreateInfo *info,
             const VkAllocationCallbacks *allocator)
{
    const char *name[256];
    uint32_t names = 0;
    VkDeviceCreateInfo less = *info;
    for (uint32_t i = 0; i < info->enabledExtensionCount && names < 256; i++) {
        dev->khr |=
            fp_config.khr && strcmp(info->ppEnabledExtensionNames[i], khr_extension.extensionName) == 0;
        dev->intel |= strcmp(info->ppEnabledExtensionNames[i], intel_extension.extensionName) == 0;
        if (!is_ours(info->ppEnabledExtensionNames[i]))
            name[names++] = info->ppEnabledExtensionNames[i];
    }
    less.enabledExtensionCount = names;
    less.ppEnabledExtensionNames = name;
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES)
            dev->host_reset =
                ((const VkPhysicalDeviceHostQueryResetFeatures *)(const void *)s)->hostQueryReset;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)
            dev->host_reset = ((const VkPhysicalDeviceVulkan12Features *)(const void *)s)->hostQueryReset;
    }
    VkBaseOutStructure *before = (VkBaseOutStructure *)&less, *found = NULL;
    for (VkBaseOutStructure *s = before->pNext; s; before = s, s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR) {
            const VkPhysicalDevicePerformanceQueryFeaturesKHR *perf = (const void *)s;
            dev->pools_on = perf->performanceCounterQueryPools;
            dev->multiple_on = perf->performanceCounterMultipleQueryPools;
            FP_DEMAND(!fp_config.khr || !dev->multiple_on || fp_config.multiple,
                      "a feature that is not there was enabled");
            found = s;
            break;
        }
    if (found && dev->khr)
        before->pNext = found->pNext;
    VkResult result =
        fp_config.refuse && (dev->khr || dev->intel) ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
    if (result == VK_SUCCESS)
        result = create(dev->physical, &less, allocator, &dev->handle);
    if (found && dev->khr)
        before->pNext = found;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
              const VkAllocationCallbacks *allocator, VkDevice *ret)
{
    VkLayerDeviceCreateInfo *link = NULL;
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        VkLayerDeviceCreateInfo *node = (VkLayerDeviceCreateInfo *)(uintptr_t)s;
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && node->function == VK_LAYER_LINK_INFO)
            link = node;
    }
    struct fp_device *dev = calloc(1, sizeof(*dev));
    if (!link || !dev) {
        free(dev);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    dev->gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    dev->physical = physical;
    dev->handle = *ret;
    VkResult result =
        create_below((PFN_vkCreateDevice)gipa(instance.handle, "vkCreateDevice"), dev, info, allocator);
    if (result != VK_SUCCESS) {
        free(dev);
        return result;
    }
    *ret = dev->handle;
#define LOAD_DEVICE(name) dev->next.name = (PFN_vk##name)dev->gdpa(dev->handle, "vk" #name);
    FP_DEVICE_FUNCTIONS(LOAD_DEVICE)
    fp_load_commands(dev);
    if (fp_config.null_driver)
        fp_null_driver(dev);
    pthread_mutex_lock(&fp_lock);
    fp_map_put(&fp_devices, (uint64_t)(uintptr_t) * (void **)(void *)dev->handle, dev);
    pthread_mutex_unlock(&fp_lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_device(VkDevice device, const VkAllocationCallbacks *allocator)
{
    if (device == VK_NULL_HANDLE)
        return;
    struct fp_device *dev = fp_device_of(device);
    pthread_mutex_lock(&fp_lock);
    FP_DEMAND(!dev->locked, "the profiling lock is held at vkDestroyDevice");
    FP_DEMAND(dev->pools == 0, "%u query pools are left at vkDestroyDevice", dev->pools);
    FP_DEMAND(dev->configurations == 0, "%u configurations are left", dev->configurations);
    FP_DEMAND(!dev->initialized, "the performance API is initialized at vkDestroyDevice");
    fp_map_take(&fp_devices, (uint64_t)(uintptr_t) * (void **)(void *)device);
    pthread_mutex_unlock(&fp_lock);
    while (dev->submissions) {
        struct fp_submission *submission = dev->submissions;
        dev->submissions = submission->next;
        dev->next.DestroyFence(device, submission->fence, NULL);
        free(submission);
    }
    dev->next.DestroyDevice(device, allocator);
    free(dev);
}

/* Finding functions. */

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance handle, const char *name);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device_proc(VkDevice device, const char *name)
{
    struct fp_device *dev = fp_device_of(device);
    PFN_vkVoidFunction ours = NULL;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc;
    if (strcmp(name, "vkDestroyDevice") == 0)
        return (PFN_vkVoidFunction)destroy_device;
    ours = fp_find_query(name);
    if (!ours)
        ours = fp_find_record(name);
    if (!ours)
        ours = fp_find_null_driver(name);
    if (!ours)
        ours = fp_find_wait(name);
    if (strstr(name, "ProfilingLock") && fp_config.khr)
        return dev->khr ? ours : NULL;
    if (strstr(name, "ProfilingLock"))
        return dev->gdpa(device, name);
    if (strstr(name, "INTEL") && strstr(name, "Performance"))
        return dev->intel ? ours : NULL;
    PFN_vkVoidFunction next = dev->gdpa(device, name);
    return ours && next ? ours : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
find_instance(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance_proc},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features2},
        {"vkGetPhysicalDeviceFeatures2KHR", (PFN_vkVoidFunction)get_features2},
        {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)get_properties2},
        {"vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR",
         (PFN_vkVoidFunction)enumerate_counters},
        {"vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR", (PFN_vkVoidFunction)get_passes},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc},
        {"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}

/** A command that the registry lacks. */
static VKAPI_ATTR void VKAPI_CALL
newer_command(VkCommandBuffer commands)
{
    (void)commands;
}

/** The layers below do not say which commands devices have; answer for the only device, as other layers do.
 */
static PFN_vkVoidFunction
find_below(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction next = instance.gipa(handle, name);
    const struct fp_device *dev = NULL;
    if (strcmp(name, "vkCmdNewerFAKE") == 0)
        return (PFN_vkVoidFunction)newer_command;
    bool command = strncmp(name, "vkCmd", 5) == 0 || strstr(name, "CommandBuffer");
    for (uint32_t i = 0; i < 64 && !dev && !next && command; i++)
        if (fp_devices.bucket[i])
            dev = fp_devices.bucket[i]->value;
    return dev ? dev->gdpa(dev->handle, name) : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction ours = find_instance(name);
    if (!fp_config.khr && handle != VK_NULL_HANDLE &&
        (strstr(name, "PerformanceQuery") || strstr(name, "ProfilingLock")))
        return instance.gipa(handle, name);
    if (!ours)
        ours = fp_find_query(name);
    if (!ours)
        ours = fp_find_record(name);
    if (!ours && handle != VK_NULL_HANDLE)
        ours = fp_find_null_driver(name);
    if (!ours)
        ours = fp_find_wait(name);
    return ours || handle == VK_NULL_HANDLE ? ours : find_below(handle, name);
}

/** New functions of physical devices, which the driver lacks. */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_physical_proc(VkInstance handle, const char *name)
{
    (void)handle;
    return fp_config.khr && strstr(name, "PerformanceQuery") ? find_instance(name) : NULL;
}

FP_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version)
{
    version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = get_instance_proc;
    version->pfnGetDeviceProcAddr = get_device_proc;
    version->pfnGetPhysicalDeviceProcAddr = get_physical_proc;
    return VK_SUCCESS;
}
