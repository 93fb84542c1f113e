/** @file
 * A Vulkan layer that is above others and changes nothing. It gets each command of command buffers from the
 * instance's functions of the next layer (vkGetInstanceProcAddr), which the specification allows and few
 * layers do, and one more command, which ABOVE_ASKS names. Source: Vulkan-Loader, LoaderLayerInterface.md. */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

/** The one instance and device that tests make. */
static struct {
    VkInstance instance;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkGetDeviceProcAddr gdpa;
} above;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc(VkInstance handle, const char *name);

static VKAPI_ATTR VkResult VKAPI_CALL
create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *ret)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)(uintptr_t)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                    link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)(uintptr_t)link->pNext;
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    above.gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result =
        ((PFN_vkCreateInstance)above.gipa(VK_NULL_HANDLE, "vkCreateInstance"))(info, allocator, ret);
    above.instance = *ret;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
              const VkAllocationCallbacks *allocator, VkDevice *ret)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)(uintptr_t)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                    link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)(uintptr_t)link->pNext;
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    above.gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const char *asks = getenv("ABOVE_ASKS");
    if (asks && !above.gipa(above.instance, asks))
        abort();
    return ((PFN_vkCreateDevice)above.gipa(above.instance, "vkCreateDevice"))(physical, info, allocator, ret);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device_proc(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc;
    PFN_vkVoidFunction next = above.gdpa(device, name);
    if (!next || (strncmp(name, "vkCmd", 5) != 0 && !strstr(name, "CommandBuffer")))
        return next;
    PFN_vkVoidFunction other = above.gipa(above.instance, name);
    if (!other)
        abort(); /* the test would show nothing */
    return other;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_instance_proc(VkInstance handle, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_instance_proc;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc;
    if (strcmp(name, "vkCreateInstance") == 0)
        return (PFN_vkVoidFunction)create_instance;
    if (strcmp(name, "vkCreateDevice") == 0)
        return (PFN_vkVoidFunction)create_device;
    return !above.gipa ? NULL : above.gipa(handle, name);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
    pVersionStruct->loaderLayerInterfaceVersion = 2;
    pVersionStruct->pfnGetInstanceProcAddr = get_instance_proc;
    pVersionStruct->pfnGetDeviceProcAddr = get_device_proc;
    pVersionStruct->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
