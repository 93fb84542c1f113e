/** @file
 * The scene as Vulkan draws it: images, buffers, render passes, pipelines, and one command buffer for
 * each of the frames under way. See also vk_record.h, vk_query.h. */
#ifndef SAMPLES_VK_SCENE_H
#define SAMPLES_VK_SCENE_H

#include "samples/options.h"
#include "samples/scene.h"
#include "samples/vk_device.h"

#define VK_SLOTS 2 /**< frames under way; frame N uses slot N % VK_SLOTS */

enum {
    VK_PIPELINE_SHADOW,
    VK_PIPELINE_FLOOR,
    VK_PIPELINE_SCENE,
    VK_PIPELINE_TONE,
    VK_PIPELINE_POST,
    VK_PIPELINES
};
enum {
    VK_IMAGE_SHADOW,
    VK_IMAGE_COLOUR,
    VK_IMAGE_DEPTH,
    VK_IMAGE_TONED,
    VK_IMAGE_FINAL,
    VK_IMAGE_OUTPUT,
    VK_IMAGES
};

/** A render pass' attachments, fixed from the start: what render passes and dynamic rendering are made of. */
struct vk_target {
    int colour, depth; /**< VK_IMAGE_..., -1 for none */
    bool clear;        /**< clear at its begin; else contents do not matter */
    bool keep_depth;   /**< store depth at its end */
    VkExtent2D size;
    VkRenderPass pass; /**< VK_NULL_HANDLE with dynamic rendering */
    VkFramebuffer framebuffer;
};

/** What each of the frames under way owns. */
struct vk_slot {
    VkCommandBuffer commands, secondary;
    VkFence fence;
    VkDescriptorSet set;
    struct vk_buffer uniforms, readback;
    VkQueryPool times, counts; /**< with --query */
};

/** All Vulkan objects of the scene. */
struct vk_scene {
    struct vk_device device;
    const struct options *options;
    VkExtent2D size;
    struct vk_image image[VK_IMAGES];
    struct vk_target target[SCENE_PASSES]; /**< of render passes; others unused */
    struct vk_buffer geometry;             /**< corners, then instances, then indices */
    VkSampler compare, nearest;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool sets;
    VkPipelineLayout layout;
    VkPipeline pipeline[VK_PIPELINES];
    VkCommandPool pool;
    struct vk_slot slot[VK_SLOTS];
};

#define VK_GEOMETRY_INSTANCES sizeof(scene_corner)
#define VK_GEOMETRY_INDICES   (VK_GEOMETRY_INSTANCES + SCENE_INSTANCES * sizeof(struct scene_instance))

/** Open the device and create all. @return 0, or -1 after a message; vk_scene_finish() is due in both cases.
 */
int vk_scene_init(struct vk_scene *it, const struct options *options, const char *program);

/** Wait for the device and destroy all. */
void vk_scene_finish(struct vk_scene *it);

/** Create images, buffers and descriptors (vk_resources.c). @return 0 or -1 after a message. */
int vk_resources_init(struct vk_scene *it);
void vk_resources_finish(struct vk_scene *it);

/** Create pipelines (vk_pipelines.c) for the targets of vk_renderpass.h. @return 0 or -1 after a message. */
int vk_pipelines_init(struct vk_scene *it);
void vk_pipelines_finish(struct vk_scene *it);

#endif
