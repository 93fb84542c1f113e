/** @file
 * A Vulkan layer whose functions last longer; see README.md. Enabled by VK_INSTANCE_LAYERS, it is below
 * implicit layers. For applications with one device and one thread. Source: Vulkan-Loader,
 * LoaderLayerInterface.md. */
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "tests/fake/waits/waits.h"

#define EXPORT __attribute__((visibility("default")))

static struct {
    VkInstance instance;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkGetDeviceProcAddr gdpa;
    PFN_vkQueuePresentKHR present;
    PFN_vkWaitForFences wait;
    PFN_vkAcquireNextImageKHR acquire;
} next;

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
    next.gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result =
        ((PFN_vkCreateInstance)next.gipa(VK_NULL_HANDLE, "vkCreateInstance"))(info, allocator, ret);
    next.instance = *ret;
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
    next.gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result =
        ((PFN_vkCreateDevice)next.gipa(next.instance, "vkCreateDevice"))(physical, info, allocator, ret);
    if (result != VK_SUCCESS)
        return result;
    next.present = (PFN_vkQueuePresentKHR)next.gdpa(*ret, "vkQueuePresentKHR");
    next.wait = (PFN_vkWaitForFences)next.gdpa(*ret, "vkWaitForFences");
    next.acquire = (PFN_vkAcquireNextImageKHR)next.gdpa(*ret, "vkAcquireNextImageKHR");
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
present(VkQueue queue, const VkPresentInfoKHR *info)
{
    static unsigned calls;
    fake_wait("present", &calls);
    return next.present(queue, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_for_fences(VkDevice device, uint32_t count, const VkFence *fence, VkBool32 all, uint64_t timeout)
{
    static unsigned calls;
    fake_wait("fence", &calls);
    return next.wait(device, count, fence, all, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL
acquire(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore, VkFence fence,
        uint32_t *ret_image)
{
    static unsigned calls;
    fake_wait("image", &calls);
    return next.acquire(device, swapchain, timeout, semaphore, fence, ret_image);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device_proc(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)get_device_proc;
    if (strcmp(name, "vkQueuePresentKHR") == 0 && next.present)
        return (PFN_vkVoidFunction)present;
    if (strcmp(name, "vkWaitForFences") == 0 && next.wait)
        return (PFN_vkVoidFunction)wait_for_fences;
    if (strcmp(name, "vkAcquireNextImageKHR") == 0 && next.acquire)
        return (PFN_vkVoidFunction)acquire;
    return next.gdpa(device, name);
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
    return !next.gipa ? NULL : next.gipa(handle, name);
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
