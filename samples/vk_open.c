/** @file
 * Opening an instance, a device and a queue; see vk_open.h. */
#include "samples/vk_open.h"

#include <string.h>

VkResult
vk_open_instance(struct vk_open *opened, const struct vk_open_want *want)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = want->application,
        .apiVersion = want->version,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
        .enabledExtensionCount = want->instance_extensions,
        .ppEnabledExtensionNames = want->instance_extension,
    };
    uint32_t count = 1;
    memset(opened, 0, sizeof(*opened));
    VkResult result = vkCreateInstance(&info, NULL, &opened->instance);
    if (result == VK_SUCCESS)
        result = vkEnumeratePhysicalDevices(opened->instance, &count, &opened->physical);
    if (result == VK_INCOMPLETE) /* there are more devices */
        result = VK_SUCCESS;
    return result == VK_SUCCESS && count == 0 ? VK_ERROR_INITIALIZATION_FAILED : result;
}

static bool
choose_family(struct vk_open *opened, VkQueueFlags wanted)
{
    VkQueueFamilyProperties family[16];
    uint32_t count = sizeof(family) / sizeof(family[0]);
    vkGetPhysicalDeviceQueueFamilyProperties(opened->physical, &count, family);
    for (opened->family = 0; opened->family < count; opened->family++)
        if ((family[opened->family].queueFlags & wanted) == wanted)
            return true;
    return false;
}

VkResult
vk_open_device(struct vk_open *opened, const struct vk_open_want *want)
{
    const float priority[VK_OPEN_QUEUES] = {1, 1};
    if (!choose_family(opened, want->queue))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = opened->family,
        .queueCount = want->queues ? want->queues : 1,
        .pQueuePriorities = priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = want->features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = want->device_extensions,
        .ppEnabledExtensionNames = want->device_extension,
        .pEnabledFeatures = want->core_features,
    };
    VkResult result = vkCreateDevice(opened->physical, &info, NULL, &opened->device);
    if (result == VK_SUCCESS)
        vkGetDeviceQueue(opened->device, opened->family, 0, &opened->queue);
    return result;
}

void
vk_close(struct vk_open *opened)
{
    if (opened->device)
        vkDestroyDevice(opened->device, NULL);
    if (opened->instance)
        vkDestroyInstance(opened->instance, NULL);
    memset(opened, 0, sizeof(*opened));
}

VkResult
vk_command_pool(VkDevice device, uint32_t family, VkCommandPoolCreateFlags flags, VkCommandPool *ret)
{
    const VkCommandPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = flags, .queueFamilyIndex = family};
    return vkCreateCommandPool(device, &info, NULL, ret);
}

VkResult
vk_command_buffers(VkDevice device, VkCommandPool pool, VkCommandBufferLevel level, uint32_t count,
                   VkCommandBuffer *ret)
{
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .level = level,
        .commandBufferCount = count,
    };
    return vkAllocateCommandBuffers(device, &info, ret);
}

bool
vk_memory_type(VkPhysicalDevice physical, uint32_t bits, VkMemoryPropertyFlags flags, uint32_t *ret)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if (bits & (1U << i) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
            return *ret = i, true;
    return false;
}
