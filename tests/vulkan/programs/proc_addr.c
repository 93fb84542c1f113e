/** @file
 * An application that asks an instance and a device for functions by name, one a line of a file, and prints
 * which there are. usage: layer-proc-addr FILE VERSION all|none|EXTENSION...: the minor version, and what the
 * device enables; those that it does not offer are left out. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "samples/vk_open.h"
#include "tests/vulkan/programs/program.h"

enum { MAX = 512 };

/** Adds those of the named extensions that the device offers; "all" names all. */
static void
find_extensions(const struct vk_open *it, const char *const *names, int count, const char *enabled[MAX],
                uint32_t *enables)
{
    static VkExtensionProperties offered[MAX];
    uint32_t offers = MAX;
    vkEnumerateDeviceExtensionProperties(it->physical, NULL, &offers, offered);
    for (uint32_t o = 0; o < offers; o++)
        for (int i = 0; i < count; i++)
            if (strcmp(names[i], "all") == 0 || strcmp(offered[o].extensionName, names[i]) == 0) {
                enabled[(*enables)++] = offered[o].extensionName;
                break;
            }
}

int
main(int argc, char **argv)
{
    char name[256];
    const char *enabled[MAX];
    FILE *names = argc > 1 ? fopen(argv[1], "re") : NULL;
    bool utils = argc > 3 && strcmp(argv[argc - 1], VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0;
    const char *const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    struct vk_open_want want = {
        .version = VK_MAKE_API_VERSION(0, 1, (uint32_t)strtoul(argc > 2 ? argv[2] : "0", NULL, 10), 0),
        .instance_extension = &extension,
        .instance_extensions = utils,
        .device_extension = enabled,
    };
    struct vk_open it;
    if (!names)
        return 1;
    DO(vk_open_instance(&it, &want));
    find_extensions(&it, (const char *const *)argv + 3, argc - 3, enabled, &want.device_extensions);
    DO(vk_open_device(&it, &want));
    /* All of the device's functions first: what the instance is asked for does not change them. */
    for (int by = 0; by < 2; by++) {
        rewind(names);
        while (fgets(name, sizeof(name), names)) {
            name[strcspn(name, "\n")] = '\0';
            PFN_vkVoidFunction found =
                by == 0 ? vkGetDeviceProcAddr(it.device, name) : vkGetInstanceProcAddr(it.instance, name);
            printf("%s %s %d\n", by == 0 ? "device" : "instance", name, found != NULL);
        }
    }
    fclose(names);
    vk_close(&it);
    return 0;
}
