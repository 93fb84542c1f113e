/** @file
 * Render targets and names of the application's objects, as far as a pass needs them. The device's maps own
 * the records and find them by handle. The application synchronises creation, naming and destruction of an
 * object with its use, as Vulkan demands. */
#ifndef PP_LAYER_OBJECTS_OBJECT_H
#define PP_LAYER_OBJECTS_OBJECT_H

#include "layer/base/device.h"

#define PP_NAME_MAX 64U

/** An image, of the application or of a swapchain. */
struct pp_vk_image {
    uint64_t serial; /**< changes after every renaming */
    VkFormat format;
    VkExtent3D extent;
    uint32_t samples;
    struct pp_vk_surface *window; /**< window of a swapchain's image; NULL: none */
    uint64_t swapchain; /**< serial of its swapchain, whose handle may later belong to another one; 0: none */
    char name[PP_NAME_MAX];
};

/** A view of an image. */
struct pp_vk_view {
    uint64_t serial;
    struct pp_vk_image *image; /**< gone if the application destroyed the image: then no pass uses the view */
    VkImage image_handle;
    VkFormat format;
    uint32_t mip;
    uint32_t layers;
};

/** Purpose of an attachment in the first subpass that uses it. */
enum pp_vk_role { PP_VK_ROLE_NONE, PP_VK_ROLE_COLOR, PP_VK_ROLE_DEPTH, PP_VK_ROLE_RESOLVE, PP_VK_ROLE_INPUT };

/** An attachment as a render pass describes it. */
struct pp_vk_attachment {
    VkFormat format;
    uint32_t samples;
    VkAttachmentLoadOp load, stencil_load;
    VkAttachmentStoreOp store, stencil_store;
    uint8_t role;  /**< enum pp_vk_role */
    uint8_t index; /**< color2 -> 2 */
};

/** A render pass. */
struct pp_vk_pass {
    uint64_t serial;
    uint32_t attachments;
    uint32_t subpasses;
    struct pp_vk_attachment *attachment;
    uint32_t *view_mask; /**< one for each subpass */
    char name[PP_NAME_MAX];
};

/** A framebuffer. */
struct pp_vk_framebuffer {
    uint64_t serial;
    uint32_t width, height, layers;
    uint32_t views; /**< 0 for an imageless one */
    char name[PP_NAME_MAX];
    VkImageView view[];
};

/** A swapchain and its images. */
struct pp_vk_swapchain {
    uint64_t serial;
    VkFormat format;
    VkExtent2D extent;
    struct pp_vk_surface *surface;
    /* guarded by the device's frames.lock */
    VkImage *image; /**< images that the application has asked for */
    uint32_t images;
};

/** The code of a shader module, or the code that an identifier represents. */
struct pp_vk_module {
    uint64_t hash; /**< hash of the code */
};

/** A pipeline. */
struct pp_vk_pipeline {
    uint64_t hash;     /**< sum over the contents of its shaders: the same in every run */
    pp_string_id name; /**< the debug name, else "graphics 1a2b3c4d" from the hash */
};

/** View mask of a subpass; 0: no multiview, or unknown. */
uint32_t pp_vk_pass_view_mask(struct pp_vk_device *dev, VkRenderPass pass, uint32_t subpass);

/** Put a record into one of the device's maps, by handle. The map owns the record from now on. Without memory
 * for the map, the record is freed at once. */
void pp_vk_object_put(struct pp_vk_device *dev, struct pp_map *map, uint64_t handle, void *record);

/** Free the records that were replaced. No other thread may still read them. */
void pp_vk_objects_finish(struct pp_vk_device *dev);

/** A number that no object had before. */
uint64_t pp_vk_serial(void);

#endif
