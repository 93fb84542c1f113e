/** @file
 * The layer's only exported function, and the chain's look-up of functions by name. Source:
 * Vulkan-Loader, LoaderLayerInterface.md, "Layer Interface version 2" and layer policies 18, 21 and 22.
 *
 * Shares nothing with the rest of the layer, whose functions may ask for the session. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "core/load/load.h"
#include "counters/util/array_size.h"
#include "layer/base/chain.h"
#include "layer/base/serialize.h"
#include "layer/frame/frame.h"
#include "vk_hooks.h"

/* Lend first tables to the maps that an application needs in order to run. Therefore no allocation of the
 * layer decides whether the application gets an instance, a device or a queue. */
static void
lend_tables(void)
{
    static _Alignas(16) unsigned char memory[3][PP_MAP_LENT_BYTES];
    pp_map_lend(&pp_vk_root.instances, memory[0]);
    pp_map_lend(&pp_vk_root.devices, memory[1]);
    pp_map_lend(&pp_vk_root.queues, memory[2]);
}

/* Does the command exist without an instance? */
static bool
is_global(const char *name)
{
    return strcmp(name, "vkCreateInstance") == 0 || strcmp(name, "vkGetInstanceProcAddr") == 0;
}

/* Is the command hooked only because of a quirk of another driver? */
static bool
is_for_a_quirk(const struct pp_vk_device *dev, PFN_vkVoidFunction fn)
{
    static const PFN_vkVoidFunction pipelines[] = {
        (PFN_vkVoidFunction)pp_hook_CmdPushConstants, (PFN_vkVoidFunction)pp_hook_CmdBindDescriptorSets,
        (PFN_vkVoidFunction)pp_hook_CmdPushDescriptorSetKHR,
        (PFN_vkVoidFunction)pp_hook_CmdPushDescriptorSetWithTemplateKHR};
    static const PFN_vkVoidFunction host_waits[] = {(PFN_vkVoidFunction)pp_hook_CreateEvent,
                                                    (PFN_vkVoidFunction)pp_hook_ImportSemaphoreFdKHR};
    if (fn == (PFN_vkVoidFunction)pp_hook_CreateSemaphore)
        return !dev->quirk.results_wait && !dev->measured.serialize;
    if (fn == (PFN_vkVoidFunction)pp_hook_DestroySemaphore)
        return !dev->measured.serialize;
    for (size_t i = 0; i < PP_ARRAY_SIZE(host_waits); i++)
        if (fn == host_waits[i])
            return !dev->quirk.results_wait;
    for (size_t i = 0; i < PP_ARRAY_SIZE(pipelines); i++)
        if (fn == pipelines[i])
            return !dev->quirk.needs_pipeline;
    return false;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
pp_hook_GetDeviceProcAddr(VkDevice device, const char *pName)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (!dev)
        return NULL;
    PFN_vkVoidFunction next = dev->gdpa(device, pName);
    /* A function that the device has not enabled does not exist here either. */
    if (!next || pp_vk_is_added(dev->gpu.added, pName))
        return NULL;
    const struct pp_vk_hook *hook = pp_vk_hook_find(pName);
    PFN_vkVoidFunction boundary = pp_vk_frame_boundary_proc(pName);
    if (boundary && dev->session)
        return boundary;
    if (hook && is_for_a_quirk(dev, hook->fn))
        hook = NULL;
    if (!hook || !hook->device)
        return strcmp(pName, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)pp_hook_GetDeviceProcAddr
                                                         : pp_serialize.proc(dev, pName, next);
    /* A device that is not profiled costs nothing: only its destruction is hooked. */
    if (!dev->session && strcmp(pName, "vkDestroyDevice") != 0)
        return next;
    return hook->fn;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
pp_hook_GetInstanceProcAddr(VkInstance instance, const char *pName)
{
    const struct pp_vk_hook *hook = pp_vk_hook_find(pName);
    if (hook && is_global(pName))
        return hook->fn;
    if (!instance)
        return NULL;
    struct pp_vk_instance *inst = pp_vk_instance_of(instance);
    if (!inst)
        return NULL;
    PFN_vkVoidFunction next = inst->gipa(instance, pName);
    if (!hook || !next)
        return !next ? NULL : pp_serialize.instance_proc(inst, pName, next);
    if (hook->device)
        pp_vk_device_add_proc(inst, hook->next, next);
    return hook->fn;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL pass_through_instance_proc(VkInstance instance,
                                                                           const char *pName);

/* Exported: agree on interface version 2. Calls no other layer. In a process with privileges that its caller
 * lacks, the loader gets only pass_through_instance_proc(). */
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    if (!pVersionStruct || pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        pVersionStruct->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    lend_tables();
    pVersionStruct->loaderLayerInterfaceVersion = 2;
    bool inert = !pp_core_open();
    pVersionStruct->pfnGetInstanceProcAddr = inert ? pass_through_instance_proc : pp_hook_GetInstanceProcAddr;
    pVersionStruct->pfnGetDeviceProcAddr = inert ? NULL : pp_hook_GetDeviceProcAddr;
    pVersionStruct->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}

/* An instance that lives. */
struct through {
    struct through *next;
    VkInstance instance;
    PFN_vkGetInstanceProcAddr gipa; /**< function of the next layer or of the loader */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct through *alive; /* guarded by lock */

static void
keep(struct through *through)
{
    pthread_mutex_lock(&lock);
    through->next = alive;
    alive = through;
    pthread_mutex_unlock(&lock);
}

/* Find the next function of an instance. @p take: forget the instance. @return NULL: unknown. */
static PFN_vkGetInstanceProcAddr
find(VkInstance instance, bool take)
{
    struct through *found = NULL;
    pthread_mutex_lock(&lock);
    struct through **at = &alive;
    while (*at && (*at)->instance != instance)
        at = &(*at)->next;
    found = *at;
    if (found && take)
        *at = found->next;
    PFN_vkGetInstanceProcAddr gipa = found ? found->gipa : NULL;
    pthread_mutex_unlock(&lock);
    if (take)
        free(found);
    return gipa;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
                VkInstance *pInstance)
{
    const VkLayerInstanceCreateInfo *link = NULL;
    for (const VkBaseInStructure *s = pCreateInfo->pNext; s && !link; s = s->pNext) {
        const VkLayerInstanceCreateInfo *node = (const void *)s;
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && node->function == VK_LAYER_LINK_INFO)
            link = node;
    }
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
    /* allocated before the layers below create the instance: nothing has to be undone */
    struct through *through = create ? calloc(1, sizeof(*through)) : NULL;
    if (!through)
        return create ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_INITIALIZATION_FAILED;
    ((VkLayerInstanceCreateInfo *)(uintptr_t)link)->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(pCreateInfo, pAllocator, pInstance);
    if (result != VK_SUCCESS) {
        free(through);
        return result;
    }
    through->instance = *pInstance;
    through->gipa = gipa;
    keep(through);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_instance(VkInstance instance, const VkAllocationCallbacks *pAllocator)
{
    PFN_vkGetInstanceProcAddr gipa = instance ? find(instance, true) : NULL;
    if (!gipa)
        return;
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)gipa(instance, "vkDestroyInstance");
    if (destroy)
        destroy(instance, pAllocator);
}

/* The layer in a process with privileges that its caller does not have: every call goes on to the next
 * layer. Reads no variable, opens no file, writes no message, starts no thread.
 *
 * Only vkCreateInstance and vkDestroyInstance are functions of the layer: the chain must be advanced, and
 * look-ups of an instance must reach the next layer of that instance. The layer gives the loader no
 * vkGetDeviceProcAddr, so that devices are created and used without the layer.
 *
 * Why the layer does not refuse the negotiation instead: the loader would drop the layer with an error
 * ("Failed to find 'vkGetInstanceProcAddr' in layer"), which applications with a debug messenger receive.
 * Source: Vulkan-Loader v1.3.239 and v1.4.360, loader_create_instance_chain() and
 * loader_create_device_chain(). */
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
pass_through_instance_proc(VkInstance instance, const char *pName)
{
    if (strcmp(pName, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)create_instance;
    if (strcmp(pName, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)pass_through_instance_proc;
    PFN_vkGetInstanceProcAddr gipa = instance ? find(instance, false) : NULL;
    if (!gipa)
        return NULL;
    if (strcmp(pName, "vkDestroyInstance") == 0)
        return (PFN_vkVoidFunction)destroy_instance;
    return gipa(instance, pName);
}
