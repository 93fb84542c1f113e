/** @file
 * Actions outside of render passes for the Vulkan load: small dispatches and copies. See also load_vk.c. */
#ifndef BENCH_LOAD_VK_WORK_H
#define BENCH_LOAD_VK_WORK_H

#include "samples/vk_device.h"

/** Objects of the dispatches and copies. An object that is all zero can be finished. */
struct load_work {
    VkPipelineLayout layout;
    VkPipeline pipeline;
    struct vk_buffer buffer;
};

/** Make the objects. @return 0, or -1 after a message; finish them in both cases. */
int load_work_init(const struct vk_device *device, struct load_work *ret);
void load_work_finish(const struct vk_device *device, struct load_work *it);

/** Record one copy, or one dispatch. */
void load_work_record(const struct load_work *it, VkCommandBuffer commands, bool copy);

/** Record a barrier between two dispatches or copies. */
void load_work_barrier(VkCommandBuffer commands);

#endif
