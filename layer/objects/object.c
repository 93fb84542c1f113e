/** @file
 * Records of the images, views, render passes and framebuffers that the application creates, and their debug
 * names. */
#include "layer/objects/object.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "vk_hooks.h"

uint64_t
pp_vk_serial(void)
{
    static _Atomic(uint64_t) last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* A replaced record, whose handle the driver gave out again: Vulkan allows that for equal objects (1.3,
 * Object Model). Another thread may still read the old record. */
struct pp_vk_parked {
    struct pp_vk_parked *next;
    void *record;
};

void
pp_vk_object_put(struct pp_vk_device *dev, struct pp_map *map, uint64_t handle, void *record)
{
    void *old = NULL;
    struct pp_vk_parked *parked;
    if (pp_map_swap(map, handle, record, &old) != 0) {
        free(record);
        return;
    }
    if (!old || !(parked = malloc(sizeof(*parked))))
        return; /* there is no memory to remember the record, so it is never freed */
    parked->record = old;
    parked->next = atomic_load(&dev->objects.parked);
    while (!atomic_compare_exchange_weak(&dev->objects.parked, &parked->next, parked)) {
    }
}

void
pp_vk_objects_finish(struct pp_vk_device *dev)
{
    struct pp_vk_parked *parked = atomic_exchange(&dev->objects.parked, NULL);
    while (parked) {
        struct pp_vk_parked *next = parked->next;
        free(parked->record);
        free(parked);
        parked = next;
    }
}

/* Images and views */

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateImage(VkDevice device, const VkImageCreateInfo *pCreateInfo,
                    const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateImage(device, pCreateInfo, pAllocator, pImage);
    const VkImageUsageFlags target =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (result != VK_SUCCESS || !dev->session || !(pCreateInfo->usage & target))
        return result;
    struct pp_vk_image *image = calloc(1, sizeof(*image));
    if (!image)
        return result;
    image->serial = pp_vk_serial();
    image->format = pCreateInfo->format;
    image->extent = pCreateInfo->extent;
    image->samples = (uint32_t)pCreateInfo->samples;
    pp_vk_object_put(dev, &dev->objects.images, (uint64_t)*pImage, image);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (image != VK_NULL_HANDLE)
        free(pp_map_take(&dev->objects.images, (uint64_t)image));
    dev->next.DestroyImage(device, image, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateImageView(VkDevice device, const VkImageViewCreateInfo *pCreateInfo,
                        const VkAllocationCallbacks *pAllocator, VkImageView *pView)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateImageView(device, pCreateInfo, pAllocator, pView);
    struct pp_vk_image *image = pp_map_get(&dev->objects.images, (uint64_t)pCreateInfo->image);
    /* A view of an image that is no target cannot become an attachment. */
    if (result != VK_SUCCESS || !dev->session || !image)
        return result;
    struct pp_vk_view *view = calloc(1, sizeof(*view));
    if (!view)
        return result;
    view->serial = pp_vk_serial();
    view->image = image;
    view->image_handle = pCreateInfo->image;
    view->format = pCreateInfo->format;
    view->mip = pCreateInfo->subresourceRange.baseMipLevel;
    view->layers = pCreateInfo->subresourceRange.layerCount;
    pp_vk_object_put(dev, &dev->objects.views, (uint64_t)*pView, view);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyImageView(VkDevice device, VkImageView imageView, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (imageView != VK_NULL_HANDLE)
        free(pp_map_take(&dev->objects.views, (uint64_t)imageView));
    dev->next.DestroyImageView(device, imageView, pAllocator);
}

/* Render passes */

/* Give an attachment a role, unless it has one or is VK_ATTACHMENT_UNUSED. */
static void
set_role(struct pp_vk_pass *pass, uint32_t attachment, enum pp_vk_role role, uint32_t index)
{
    if (attachment >= pass->attachments || pass->attachment[attachment].role != PP_VK_ROLE_NONE)
        return;
    pass->attachment[attachment].role = (uint8_t)role;
    pass->attachment[attachment].index = (uint8_t)index;
}

static struct pp_vk_pass *
pass_create(uint32_t attachments, uint32_t subpasses)
{
    struct pp_vk_pass *pass = calloc(1, sizeof(*pass) + attachments * sizeof(struct pp_vk_attachment) +
                                            subpasses * sizeof(uint32_t));
    if (!pass)
        return NULL;
    pass->serial = pp_vk_serial();
    pass->attachments = attachments;
    pass->subpasses = subpasses;
    pass->attachment = (struct pp_vk_attachment *)(pass + 1);
    pass->view_mask = (uint32_t *)(pass->attachment + attachments);
    return pass;
}

/* The attachments that a subpass refers to, of either version of VkRenderPassCreateInfo. */
struct subpass_references {
    const void *color, *resolve, *depth, *input; /**< NULL: none */
    uint32_t colors, inputs;
    size_t bytes; /**< bytes of one reference */
    size_t at;    /**< offset of the attachment's number in it */
};

static uint32_t
attachment_at(const struct subpass_references *all, const void *reference, uint32_t i)
{
    uint32_t attachment;
    memcpy(&attachment, (const char *)reference + i * all->bytes + all->at, sizeof(attachment));
    return attachment;
}

/* Give attachments the roles that a subpass has for them. */
static void
set_roles(struct pp_vk_pass *pass, const struct subpass_references *all)
{
    for (uint32_t i = 0; i < all->colors; i++) {
        set_role(pass, attachment_at(all, all->color, i), PP_VK_ROLE_COLOR, i);
        if (all->resolve)
            set_role(pass, attachment_at(all, all->resolve, i), PP_VK_ROLE_RESOLVE, i);
    }
    if (all->depth)
        set_role(pass, attachment_at(all, all->depth, 0), PP_VK_ROLE_DEPTH, 0);
    for (uint32_t i = 0; i < all->inputs; i++)
        set_role(pass, attachment_at(all, all->input, i), PP_VK_ROLE_INPUT, i);
}

static void
learn_pass(struct pp_vk_device *dev, const VkRenderPassCreateInfo *info, VkRenderPass handle)
{
    struct pp_vk_pass *pass = pass_create(info->attachmentCount, info->subpassCount);
    if (!pass)
        return;
    for (uint32_t i = 0; i < info->attachmentCount; i++) {
        const VkAttachmentDescription *a = &info->pAttachments[i];
        pass->attachment[i] =
            (struct pp_vk_attachment){a->format,  (uint32_t)a->samples, a->loadOp, a->stencilLoadOp,
                                      a->storeOp, a->stencilStoreOp,    0,         0};
    }
    for (uint32_t i = 0; i < info->subpassCount; i++) {
        const VkSubpassDescription *s = &info->pSubpasses[i];
        set_roles(pass, &(struct subpass_references){
                            s->pColorAttachments, s->pResolveAttachments, s->pDepthStencilAttachment,
                            s->pInputAttachments, s->colorAttachmentCount, s->inputAttachmentCount,
                            sizeof(VkAttachmentReference), offsetof(VkAttachmentReference, attachment)});
    }
    const VkRenderPassMultiviewCreateInfo *views =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    for (uint32_t i = 0; views && i < views->subpassCount && i < info->subpassCount; i++)
        pass->view_mask[i] = views->pViewMasks[i];
    pp_vk_object_put(dev, &dev->objects.passes, (uint64_t)handle, pass);
}

static void
learn_pass2(struct pp_vk_device *dev, const VkRenderPassCreateInfo2 *info, VkRenderPass handle)
{
    struct pp_vk_pass *pass = pass_create(info->attachmentCount, info->subpassCount);
    if (!pass)
        return;
    for (uint32_t i = 0; i < info->attachmentCount; i++) {
        const VkAttachmentDescription2 *a = &info->pAttachments[i];
        pass->attachment[i] =
            (struct pp_vk_attachment){a->format,  (uint32_t)a->samples, a->loadOp, a->stencilLoadOp,
                                      a->storeOp, a->stencilStoreOp,    0,         0};
    }
    for (uint32_t i = 0; i < info->subpassCount; i++) {
        const VkSubpassDescription2 *s = &info->pSubpasses[i];
        pass->view_mask[i] = s->viewMask;
        set_roles(pass, &(struct subpass_references){
                            s->pColorAttachments, s->pResolveAttachments, s->pDepthStencilAttachment,
                            s->pInputAttachments, s->colorAttachmentCount, s->inputAttachmentCount,
                            sizeof(VkAttachmentReference2), offsetof(VkAttachmentReference2, attachment)});
    }
    pp_vk_object_put(dev, &dev->objects.passes, (uint64_t)handle, pass);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo *pCreateInfo,
                         const VkAllocationCallbacks *pAllocator, VkRenderPass *pRenderPass)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateRenderPass(device, pCreateInfo, pAllocator, pRenderPass);
    if (result == VK_SUCCESS && dev->session)
        learn_pass(dev, pCreateInfo, *pRenderPass);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2 *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator, VkRenderPass *pRenderPass)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateRenderPass2(device, pCreateInfo, pAllocator, pRenderPass);
    if (result == VK_SUCCESS && dev->session)
        learn_pass2(dev, pCreateInfo, *pRenderPass);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyRenderPass(VkDevice device, VkRenderPass renderPass, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (renderPass != VK_NULL_HANDLE)
        free(pp_map_take(&dev->objects.passes, (uint64_t)renderPass));
    dev->next.DestroyRenderPass(device, renderPass, pAllocator);
}

uint32_t
pp_vk_pass_view_mask(struct pp_vk_device *dev, VkRenderPass pass, uint32_t subpass)
{
    const struct pp_vk_pass *record = pp_map_get(&dev->objects.passes, (uint64_t)pass);
    return record && subpass < record->subpasses ? record->view_mask[subpass] : 0;
}

/* Framebuffers */

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateFramebuffer(VkDevice device, const VkFramebufferCreateInfo *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator, VkFramebuffer *pFramebuffer)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateFramebuffer(device, pCreateInfo, pAllocator, pFramebuffer);
    if (result != VK_SUCCESS || !dev->session)
        return result;
    bool imageless = (pCreateInfo->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) != 0;
    uint32_t views = imageless ? 0 : pCreateInfo->attachmentCount;
    struct pp_vk_framebuffer *fb = calloc(1, sizeof(*fb) + views * sizeof(fb->view[0]));
    if (!fb)
        return result;
    fb->serial = pp_vk_serial();
    fb->width = pCreateInfo->width;
    fb->height = pCreateInfo->height;
    fb->layers = pCreateInfo->layers;
    fb->views = views;
    if (views > 0)
        memcpy(fb->view, pCreateInfo->pAttachments, views * sizeof(fb->view[0]));
    pp_vk_object_put(dev, &dev->objects.framebuffers, (uint64_t)*pFramebuffer, fb);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyFramebuffer(VkDevice device, VkFramebuffer framebuffer,
                           const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (framebuffer != VK_NULL_HANDLE)
        free(pp_map_take(&dev->objects.framebuffers, (uint64_t)framebuffer));
    dev->next.DestroyFramebuffer(device, framebuffer, pAllocator);
}

/* Names */

static void
cut_name(char *name, size_t size, const char *text)
{
    size_t length = !text ? 0 : strnlen(text, size - 1);
    /* Never cut a UTF-8 sequence in the middle. */
    if (text && text[length] != '\0')
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
    if (length > 0)
        memcpy(name, text, length);
    name[length] = '\0';
}

static void
copy_name(char *name, const char *text)
{
    cut_name(name, PP_NAME_MAX, text);
}

/* The image of a view, if it still exists: the application may destroy it first. @return NULL: it is gone. */
static struct pp_vk_image *
image_of(struct pp_vk_device *dev, const struct pp_vk_view *view)
{
    struct pp_vk_image *image = view ? pp_map_get(&dev->objects.images, (uint64_t)view->image_handle) : NULL;
    return image && image == view->image ? image : NULL;
}

static void
name_object(struct pp_vk_device *dev, VkObjectType type, uint64_t handle, const char *text)
{
    struct pp_vk_image *image;
    struct pp_vk_pass *pass;
    struct pp_vk_framebuffer *fb;
    struct pp_vk_pipeline *pipeline;
    if (!dev->session || handle <= 1)
        return;
    if (type == VK_OBJECT_TYPE_IMAGE && (image = pp_map_get(&dev->objects.images, handle))) {
        copy_name(image->name, text);
        image->serial = pp_vk_serial();
    } else if (type == VK_OBJECT_TYPE_IMAGE_VIEW &&
               (image = image_of(dev, pp_map_get(&dev->objects.views, handle))) && image->name[0] == '\0') {
        copy_name(image->name, text);
        image->serial = pp_vk_serial();
    } else if (type == VK_OBJECT_TYPE_RENDER_PASS && (pass = pp_map_get(&dev->objects.passes, handle))) {
        copy_name(pass->name, text);
        pass->serial = pp_vk_serial();
    } else if (type == VK_OBJECT_TYPE_FRAMEBUFFER && (fb = pp_map_get(&dev->objects.framebuffers, handle))) {
        copy_name(fb->name, text);
        fb->serial = pp_vk_serial();
    } else if (type == VK_OBJECT_TYPE_PIPELINE && (pipeline = pp_map_get(&dev->objects.pipelines, handle))) {
        char name[256]; /* the name is in every row of a draw */
        cut_name(name, sizeof(name), text);
        pipeline->name = pp_session_string(dev->session, name);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *pNameInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    name_object(dev, pNameInfo->objectType, pNameInfo->objectHandle, pNameInfo->pObjectName);
    return dev->next.SetDebugUtilsObjectNameEXT(device, pNameInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_DebugMarkerSetObjectNameEXT(VkDevice device, const VkDebugMarkerObjectNameInfoEXT *pNameInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;
    if (pNameInfo->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_EXT)
        type = VK_OBJECT_TYPE_IMAGE;
    else if (pNameInfo->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_IMAGE_VIEW_EXT)
        type = VK_OBJECT_TYPE_IMAGE_VIEW;
    else if (pNameInfo->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_RENDER_PASS_EXT)
        type = VK_OBJECT_TYPE_RENDER_PASS;
    else if (pNameInfo->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_FRAMEBUFFER_EXT)
        type = VK_OBJECT_TYPE_FRAMEBUFFER;
    else if (pNameInfo->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT)
        type = VK_OBJECT_TYPE_PIPELINE;
    name_object(dev, type, pNameInfo->object, pNameInfo->pObjectName);
    return dev->next.DebugMarkerSetObjectNameEXT(device, pNameInfo);
}
