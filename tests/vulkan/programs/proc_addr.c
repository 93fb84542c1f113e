/** @file
 * An application that asks an instance and a device for functions by name, one a line of a file, and prints
 * which there are. usage: layer-proc-addr FILE VERSION all|none|EXTENSION...: the minor version, and what the
 * device enables; those that it does not offer are left out. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "tests/vulkan/programs/program.h"

enum { MAX = 512 };

/** A device without more than was asked for. */
static VkResult
make_device(VkPhysicalDevice physical, const char *const *names, int count, VkDevice *ret_device)
{
    static VkExtensionProperties offered[MAX];
    const char *enabled[MAX];
    uint32_t offers = MAX, enables = 0;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &offers, offered);
    for (uint32_t o = 0; o < offers; o++)
        for (int i = 0; i < count; i++)
            if (strcmp(names[i], "all") == 0 || strcmp(offered[o].extensionName, names[i]) == 0) {
                enabled[enables++] = offered[o].extensionName;
                break;
            }
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = enables,
                                     .ppEnabledExtensionNames = enabled};
    return vkCreateDevice(physical, &info, NULL, ret_device);
}

int
main(int argc, char **argv)
{
    char name[256];
    uint32_t one = 1;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    FILE *names = argc > 1 ? fopen(argv[1], "re") : NULL;
    bool utils = argc > 3 && strcmp(argv[argc - 1], VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0;
    const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    const VkApplicationInfo about = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_MAKE_API_VERSION(0, 1, (uint32_t)strtoul(argc > 2 ? argv[2] : "0", NULL, 10), 0)};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &about,
                                       .enabledExtensionCount = utils,
                                       .ppEnabledExtensionNames = &extension};
    if (!names)
        return 1;
    DO(vkCreateInstance(&info, NULL, &instance));
    if (vkEnumeratePhysicalDevices(instance, &one, &physical) < VK_SUCCESS || one == 0)
        return 1;
    DO(make_device(physical, (const char *const *)argv + 3, argc - 3, &device));
    /* All of the device's first: what its instance is asked for makes none. */
    for (int by = 0; by < 2; by++) {
        rewind(names);
        while (fgets(name, sizeof(name), names)) {
            name[strcspn(name, "\n")] = '\0';
            PFN_vkVoidFunction found =
                by == 0 ? vkGetDeviceProcAddr(device, name) : vkGetInstanceProcAddr(instance, name);
            printf("%s %s %d\n", by == 0 ? "device" : "instance", name, found != NULL);
        }
    }
    fclose(names);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
