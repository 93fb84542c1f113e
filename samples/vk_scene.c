/** @file
 * Putting the Vulkan scene together; see vk_scene.h. */
#include "samples/vk_scene.h"

#include <string.h>

#include "samples/vk_open.h"
#include "samples/vk_query.h"
#include "samples/vk_renderpass.h"

static int
create_commands(struct vk_scene *it)
{
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkDevice device = it->device.device;
    if (vk_failed(vk_command_pool(device, it->device.family, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                  &it->pool),
                  "vkCreateCommandPool"))
        return -1;
    for (int i = 0; i < VK_SLOTS; i++) {
        struct vk_slot *slot = &it->slot[i];
        if (vk_failed(
                vk_command_buffers(device, it->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &slot->commands),
                "vkAllocateCommandBuffers"))
            return -1;
        if ((it->options->secondary &&
             vk_failed(
                 vk_command_buffers(device, it->pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1, &slot->secondary),
                 "vkAllocateCommandBuffers")) ||
            vk_failed(vkCreateFence(device, &fence, NULL, &slot->fence), "vkCreateFence"))
            return -1;
    }
    return 0;
}

int
vk_scene_init(struct vk_scene *it, const struct options *options, const char *program)
{
    const struct vk_device_want want = {
        .program = program,
        .labels = options->labels,
        .dynamic = options->renderpass == RENDERPASS_DYNAMIC,
        .statistics = options->query,
    };
    memset(it, 0, sizeof(*it));
    it->options = options;
    it->size = (VkExtent2D){options->width, options->height};
    if (vk_device_init(&it->device, &want) < 0 || vk_resources_init(it) < 0 || vk_renderpass_init(it) < 0 ||
        vk_pipelines_init(it) < 0 || create_commands(it) < 0)
        return -1;
    return options->query ? vk_query_init(it) : 0;
}

void
vk_scene_finish(struct vk_scene *it)
{
    if (it->device.device) {
        vkDeviceWaitIdle(it->device.device);
        vk_query_finish(it);
        for (int i = 0; i < VK_SLOTS; i++)
            vkDestroyFence(it->device.device, it->slot[i].fence, NULL);
        vkDestroyCommandPool(it->device.device, it->pool, NULL);
        vk_pipelines_finish(it);
        vk_renderpass_finish(it);
        vk_resources_finish(it);
    }
    vk_device_finish(&it->device);
}
