/** @file
 * See device.h. Creation and destruction of devices, and the hooks that give queues to the application.
 * device_request.h adds to the application's request. */
#include "layer/dispatch/device.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/clock.h"
#include "core/util/log.h"
#include "counters/util/array_size.h"
#include "layer/base/chain.h"
#include "layer/base/cmdbuf.h"
#include "layer/base/device.h"
#include "layer/base/serialize.h"
#include "layer/dispatch/device_request.h"
#include "layer/dispatch/spare.h"
#include "layer/frame/frame.h"
#include "layer/frame/surface.h"
#include "layer/measure/perf_device.h"
#include "layer/objects/object.h"
#include "layer/readback/readback.h"
#include "layer/readback/retire.h"
#include "layer/record/record.h"
#include "layer/submit/rewrite.h"
#include "layer/submit/submit.h"
#include "vk_hooks.h"

static VkLayerDeviceCreateInfo *
find_node(const VkDeviceCreateInfo *info, VkLayerFunction function)
{
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        const VkLayerDeviceCreateInfo *node = (const void *)s;
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && node->function == function)
            return (VkLayerDeviceCreateInfo *)(uintptr_t)node;
    }
    return NULL;
}

static bool
has_extension(const VkDeviceCreateInfo *info, const char *name)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], name) == 0)
            return true;
    return false;
}

/* Read the properties of the physical device, and of the application's request, that hot paths need. */
static void
learn_device(struct pp_vk_device *dev, const VkDeviceCreateInfo *info)
{
    const struct pp_vk_instance *inst = dev->instance;
    VkQueueFamilyProperties props[PP_VK_MAX_FAMILIES];
    uint32_t count = 0;
    inst->next.GetPhysicalDeviceMemoryProperties(dev->gpu.physical, &dev->gpu.memory);
    inst->next.GetPhysicalDeviceQueueFamilyProperties(dev->gpu.physical, &count, NULL);
    if (count > PP_VK_MAX_FAMILIES)
        count = PP_VK_MAX_FAMILIES;
    inst->next.GetPhysicalDeviceQueueFamilyProperties(dev->gpu.physical, &count, props);
    dev->gpu.families = count;
    dev->gpu.stages = pp_vk_stages(info);
    dev->quirk.no_draw_times = pp_vk_quirk_draw_times(&dev->gpu.props);
    dev->quirk.deferred_times = pp_vk_quirk_deferred_times(&dev->gpu.props);
    dev->quirk.results_wait = pp_vk_quirk_results_wait(&dev->gpu.props);
    dev->quirk.needs_pipeline = pp_vk_quirk_needs_pipeline(&dev->gpu.props);
    for (uint32_t i = 0; i < count; i++) {
        struct pp_vk_family *family = &dev->gpu.family[i];
        family->flags = props[i].queueFlags;
        family->timestamp_bits = props[i].timestampValidBits;
        if (family->timestamp_bits == 0 || dev->gpu.props.limits.timestampPeriod <= 0)
            family->reason = PP_TEXT_VK_FAMILY_BITS;
        else if (!(family->flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)))
            family->reason = PP_TEXT_VK_FAMILY_COPY;
        family->inject = !family->reason;
    }
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *queues = &info->pQueueCreateInfos[i];
        if (queues->queueFamilyIndex < count)
            dev->gpu.family[queues->queueFamilyIndex].queues += queues->queueCount;
    }
}

/* Learn the driver's name, and what depends on it. The device keeps it, because some applications destroy the
 * instance first. */
static void
learn_driver(struct pp_vk_device *dev)
{
    const struct pp_vk_instance *inst = dev->instance;
    dev->gpu.driver =
        (VkPhysicalDeviceDriverProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 props = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &dev->gpu.driver};
    if (inst->gpdp2 && inst->next.GetPhysicalDeviceProperties2 &&
        dev->gpu.props.apiVersion >= VK_API_VERSION_1_2)
        inst->next.GetPhysicalDeviceProperties2(dev->gpu.physical, &props);
    dev->quirk.barrier_work = pp_vk_quirk_barrier_work(&dev->gpu.props, dev->gpu.driver.driverID);
    dev->quirk.chains_simultaneous =
        pp_vk_quirk_chains_simultaneous(&dev->gpu.props, dev->gpu.driver.driverID);
}

static void
init_device(struct pp_vk_device *dev)
{
    pthread_mutex_init(&dev->frames.lock, NULL);
    pthread_mutex_init(&dev->host_wait.lock, NULL);
    pp_map_init(&dev->objects.images);
    pp_map_init(&dev->objects.views);
    pp_map_init(&dev->objects.passes);
    pp_map_init(&dev->objects.framebuffers);
    pp_map_init(&dev->objects.swapchains);
    pp_map_init(&dev->objects.modules);
    pp_map_init(&dev->objects.identifiers);
    pp_map_init(&dev->objects.pipelines);
    pp_map_init(&dev->objects.pools);
    pp_map_init(&dev->objects.awaited);
    pp_map_init(&dev->objects.buffers);
    pp_map_init(&dev->objects.app_pools);
    pp_map_init(&dev->host_wait.timelines);
}

static void
free_value(void *value, void *user)
{
    (void)user;
    free(value);
}

static void
finish_device(struct pp_vk_device *dev)
{
    struct pp_map *map[] = {&dev->objects.images,       &dev->objects.views,   &dev->objects.passes,
                            &dev->objects.framebuffers, &dev->objects.modules, &dev->objects.identifiers,
                            &dev->objects.pipelines};
    for (size_t i = 0; i < PP_ARRAY_SIZE(map); i++) {
        pp_map_each(map[i], free_value, NULL);
        pp_map_finish(map[i]);
    }
    pp_map_finish(&dev->objects.pools);
    pp_map_finish(&dev->objects.awaited);
    pp_map_finish(&dev->objects.buffers);
    pp_map_finish(&dev->objects.app_pools);
    pp_map_finish(&dev->host_wait.timelines);
    pp_vk_surfaces_finish(dev);
    pp_vk_objects_finish(dev);
    pthread_mutex_destroy(&dev->frames.lock);
    pthread_mutex_destroy(&dev->host_wait.lock);
    pp_serialize.close(dev);
    free(dev->first_system_counters);
    pp_vk_device_free(dev);
}

/* Is the device a group of several physical devices? Queries would need a result for each. */
static bool
is_group(const VkDeviceCreateInfo *info)
{
    const VkDeviceGroupDeviceCreateInfo *group =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    return group && group->physicalDeviceCount > 1;
}

/* Add a device to the map, which has reserved memory for it. */
static void
add_device(struct pp_vk_instance *inst, struct pp_vk_device *dev)
{
    pthread_mutex_lock(&pp_vk_root.device_lock);
    for (size_t at = 0; at < sizeof(dev->next); at += sizeof(PFN_vkVoidFunction))
        if (!*pp_vk_device_next_of(&dev->next, at))
            *pp_vk_device_next_of(&dev->next, at) = *pp_vk_device_next_of(&inst->procs, at);
    pp_serialize.wrap(dev);
    if (inst->unknown_commands)
        pp_serialize.note_unknown(dev);
    pp_map_put_reserved(&pp_vk_root.devices, pp_vk_key(dev->handle), dev);
    pthread_mutex_unlock(&pp_vk_root.device_lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
    struct pp_vk_instance *inst = pp_vk_instance_of(physicalDevice);
    VkLayerDeviceCreateInfo *link = find_node(pCreateInfo, VK_LAYER_LINK_INFO);
    const VkLayerDeviceCreateInfo *data = find_node(pCreateInfo, VK_LOADER_DATA_CALLBACK);
    if (!inst || !link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)gipa(inst->handle, "vkCreateDevice");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    struct pp_vk_device *dev = pp_vk_device_new();
    if (!dev || pp_map_reserve(&pp_vk_root.devices) != 0) {
        if (dev)
            pp_vk_device_free(dev);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    init_device(dev);
    dev->instance = inst;
    dev->gpu.physical = physicalDevice;
    dev->gdpa = gdpa;
    dev->set_loader_data = data ? data->u.pfnSetDeviceLoaderData : NULL;
    dev->session =
        is_group(pCreateInfo) || inst->gl_below || inst->spare || dev->spare ? NULL : pp_session_get();
    dev->gpu.swapchain_enabled = has_extension(pCreateInfo, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    struct pp_vk_device_request request = {0};
    if (dev->session)
        request = pp_vk_device_request_choose(inst, physicalDevice, pCreateInfo, dev->session);
    VkResult result =
        pp_vk_device_request_create(dev, create, link, pCreateInfo, pAllocator, pDevice, &request);
    if (result != VK_SUCCESS) {
        pp_map_unreserve(&pp_vk_root.devices);
        finish_device(dev);
        return result;
    }
    dev->handle = *pDevice;
    dev->owner = inst->handle;
    inst->next.GetPhysicalDeviceProperties(physicalDevice, &dev->gpu.props);
    uint32_t version =
        dev->gpu.props.apiVersion < inst->api_version ? dev->gpu.props.apiVersion : inst->api_version;
    pp_vk_device_next_load(&dev->next, dev->handle, gdpa, version);
    if (dev->session && pp_serialize.open(dev) != 0)
        dev->session = NULL;
    learn_device(dev, pCreateInfo);
    learn_driver(dev);
    dev->created_ns = pp_now_ns();
    dev->first_system_counters = dev->session ? pp_session_take_system_counters(dev->session) : NULL;
    atomic_store(&dev->frames.bias_wanted, dev->session != NULL);
    if (dev->session) {
        const struct pp_config *config = pp_session_config(dev->session);
        pp_vk_record_init(dev->session);
        dev->measured.indirect =
            config->indirect && config->level == PP_LEVEL_DRAW && pp_staging_open(dev) == 0;
        dev->measured.serialize = config->serialize && pp_serialize.built;
        atomic_store(&dev->app_statistics, pp_vk_asks_statistics(pCreateInfo));
        dev->measured.cpu = pp_config_wants(config, "cpu", false);
        pp_perf_open(dev, &request);
    }
    dev->instance = NULL;
    add_device(inst, dev);
    if (is_group(pCreateInfo) && pp_session_get())
        pp_log(PP_MSG_DEVICE_GROUP, dev->gpu.props.deviceName);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyDevice(VkDevice device, const VkAllocationCallbacks *pAllocator)
{
    if (!device)
        return;
    struct pp_vk_device *dev = pp_map_take(&pp_vk_root.devices, pp_vk_key(device));
    if (!dev)
        return;
    if (dev->session) {
        pp_vk_frames_finish(dev);
        pp_vk_queue_destroy_all(dev);
        pp_vk_record_finish(dev);
        pp_staging_close(dev);
        pp_perf_close(dev);
        pp_serialize.finish_objects(dev);
    }
    dev->next.DestroyDevice(device, pAllocator);
    finish_device(dev);
}

/* A driver on which draws inside a pass cannot be timed. */
struct draw_time_quirk {
    uint32_t vendor;        /**< VkPhysicalDeviceProperties.vendorID */
    const char *name_begin; /**< first characters of deviceName; NULL: any device of the vendor */
    const char *reason;
};

static const char tiler[] = PP_TEXT_VK_TILER;

static const struct draw_time_quirk draw_time_quirk[] = {
    /* Measured on Mesa 22.3.6: TOP timestamps are those of the last tile; BOTTOM ones split the scene, which
     * changes the frame (67 ms became 231 ms), and are wrong by one draw. */
    {VK_VENDOR_ID_MESA, "llvmpipe", PP_TEXT_VK_LAVAPIPE_DRAWS},
    /* Vendor ids: PCI or Khronos, as in vk.xml and the drivers' VkPhysicalDeviceProperties. */
    {0x13b5, NULL, tiler}, /* Arm */
    {0x5143, NULL, tiler}, /* Qualcomm */
    {0x1010, NULL, tiler}, /* Imagination */
    {0x14e4, NULL, tiler}, /* Broadcom */
    {0x106b, NULL, tiler}, /* Apple */
    {0x19e5, NULL, tiler}, /* Huawei */
};

const char *
pp_vk_quirk_draw_times(const VkPhysicalDeviceProperties *props)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(draw_time_quirk); i++) {
        const struct draw_time_quirk *quirk = &draw_time_quirk[i];
        if (props->vendorID == quirk->vendor &&
            (!quirk->name_begin ||
             strncmp(props->deviceName, quirk->name_begin, strlen(quirk->name_begin)) == 0))
            return quirk->reason;
    }
    return NULL;
}

static bool
is_lavapipe(const VkPhysicalDeviceProperties *props)
{
    return props->vendorID == VK_VENDOR_ID_MESA && strncmp(props->deviceName, "llvmpipe", 8) == 0;
}

bool
pp_vk_quirk_needs_pipeline(const VkPhysicalDeviceProperties *props)
{
    /* lvp_execute.c: vkCmdBeginQuery emits pending state, including that of the pipeline's layout. */
    return is_lavapipe(props);
}

bool
pp_vk_quirk_deferred_times(const VkPhysicalDeviceProperties *props)
{
    /* lp_setup.c: a timestamp is a command of the scene that is being collected. lvp_execute.c flushes the
     * scene at a barrier or at the next render pass. */
    return is_lavapipe(props);
}

bool
pp_vk_quirk_results_wait(const VkPhysicalDeviceProperties *props)
{
    /* lvp_query.c: vkGetQueryPoolResults begins with vkDeviceWaitIdle. */
    return is_lavapipe(props);
}

bool
pp_vk_quirk_barrier_work(const VkPhysicalDeviceProperties *props, VkDriverId driver)
{
    /* Mesa 22.3.6: ANV and hasvk resolve colours and depth (transition_color_buffer(),
     * transition_depth_buffer()), seen in the batches of tests/lab. RADV decompresses DCC, CMASK, FMASK and
     * HTILE (radv_handle_image_transition()). AMD's own drivers have the same hardware to serve. Turnip,
     * V3DV, lavapipe and SwiftShader only wait and flush. */
    if (driver != 0)
        return driver == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA || driver == VK_DRIVER_ID_MESA_RADV ||
               driver == VK_DRIVER_ID_AMD_OPEN_SOURCE || driver == VK_DRIVER_ID_AMD_PROPRIETARY;
    return props->vendorID == 0x8086 || props->vendorID == 0x1002;
}

bool
pp_vk_quirk_chains_simultaneous(const VkPhysicalDeviceProperties *props, VkDriverId driver)
{
    /* Mesa 22.3.6, anv_queue_submit(): a submission is cut before a buffer that cannot be chained, and not
     * after it. The version that mended this is not known; the flag does no harm to later ones. */
    return driver == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA || (driver == 0 && props->vendorID == 0x8086);
}

/* Name a queue by what its family can do and by its index: "graphics 0", "compute 1", "transfer 0". */
static void
name_queue(struct pp_vk_queue *queue, uint32_t index)
{
    VkQueueFlags flags = queue->dev->gpu.family[queue->family].flags;
    char text[48];
    const char *kind = flags & VK_QUEUE_GRAPHICS_BIT   ? "graphics"
                       : flags & VK_QUEUE_COMPUTE_BIT  ? "compute"
                       : flags & VK_QUEUE_TRANSFER_BIT ? "transfer"
                                                       : "other";
    snprintf(text, sizeof(text), queue->family == 0 ? "%s %u" : "%s %u.%u", kind,
             queue->family == 0 ? index : queue->family, index);
    queue->name = pp_session_string(queue->dev->session, text);
}

static void
finish_queue(struct pp_vk_queue *queue)
{
    pp_retire_all(queue);
    pp_readback_destroy_all(queue);
    pp_rewrite_finish(queue->rewrite);
    pp_reset_only_finish(queue);
}

void
pp_vk_queue_destroy_all(struct pp_vk_device *dev)
{
    struct pp_vk_queue *queue = atomic_exchange(&dev->queues, NULL);
    while (queue) {
        struct pp_vk_queue *next = queue->next;
        pp_map_take(&pp_vk_root.queues, (uint64_t)(uintptr_t)queue->handle);
        finish_queue(queue);
        pthread_mutex_destroy(&queue->lock);
        pp_vk_queue_free(queue);
        queue = next;
    }
}

/* Note a queue that the application gets, once. */
static void
learn_queue(struct pp_vk_device *dev, VkQueue handle, uint32_t family, uint32_t index)
{
    if (!dev->session || !handle || family >= dev->gpu.families || pp_vk_queue_of(handle))
        return;
    bool spare;
    struct pp_vk_queue *queue = pp_vk_queue_new(&spare);
    if (spare)
        pp_vk_device_fail(dev);
    if (!queue)
        return;
    queue->dev = dev;
    queue->handle = handle;
    queue->family = family;
    queue->inject = dev->gpu.family[family].inject;
    pthread_mutex_init(&queue->lock, NULL);
    name_queue(queue, index);
    pp_perf_queue(queue);
    if (pp_map_put(&pp_vk_root.queues, (uint64_t)(uintptr_t)handle, queue) != 0) {
        pthread_mutex_destroy(&queue->lock);
        pp_vk_queue_free(queue);
        pp_vk_device_fail(dev);
        return;
    }
    queue->next = atomic_load(&dev->queues);
    while (!atomic_compare_exchange_weak(&dev->queues, &queue->next, queue)) {
    }
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_GetDeviceQueue(VkDevice device, uint32_t queueFamilyIndex, uint32_t queueIndex, VkQueue *pQueue)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    dev->next.GetDeviceQueue(device, queueFamilyIndex, queueIndex, pQueue);
    learn_queue(dev, *pQueue, queueFamilyIndex, queueIndex);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *pQueueInfo, VkQueue *pQueue)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    dev->next.GetDeviceQueue2(device, pQueueInfo, pQueue);
    learn_queue(dev, *pQueue, pQueueInfo->queueFamilyIndex, pQueueInfo->queueIndex);
}
