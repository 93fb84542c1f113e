/** @file
 * Render passes and framebuffers of the Vulkan scene, by vkCreateRenderPass or vkCreateRenderPass2; dynamic
 * rendering needs none. See vk_scene.h. */
#include "samples/vk_renderpass.h"

/* Layouts stay the same through a pass: the barriers in vk_record.c change them. */
static VkAttachmentDescription
describe(const struct vk_scene *it, const struct vk_target *target, int image)
{
    bool depth = it->image[image].aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
    VkImageLayout layout =
        depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    VkAttachmentDescription description = {
        .format = it->image[image].format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = target->clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .storeOp =
            depth && !target->keep_depth ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout = layout,
        .finalLayout = layout,
    };
    return description;
}

static VkResult
create_1(const struct vk_scene *it, struct vk_target *target, const VkAttachmentDescription *attachment,
         uint32_t attachments)
{
    const VkAttachmentReference colour = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {attachments - 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {
        .colorAttachmentCount = target->colour >= 0 ? 1 : 0,
        .pColorAttachments = &colour,
        .pDepthStencilAttachment = target->depth >= 0 ? &depth : NULL,
    };
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = attachments,
        .pAttachments = attachment,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    return vkCreateRenderPass(it->device.device, &info, NULL, &target->pass);
}

static VkAttachmentReference2
reference_2(uint32_t attachment, VkImageLayout layout, VkImageAspectFlags aspect)
{
    VkAttachmentReference2 reference = {
        .sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
        .attachment = attachment,
        .layout = layout,
        .aspectMask = aspect,
    };
    return reference;
}

static VkResult
create_2(const struct vk_scene *it, struct vk_target *target, const VkAttachmentDescription *attachment,
         uint32_t attachments)
{
    const VkAttachmentReference2 colour =
        reference_2(0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_ASPECT_COLOR_BIT);
    const VkAttachmentReference2 depth = reference_2(
        attachments - 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, VK_IMAGE_ASPECT_DEPTH_BIT);
    const VkSubpassDescription2 subpass = {
        .sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
        .colorAttachmentCount = target->colour >= 0 ? 1 : 0,
        .pColorAttachments = &colour,
        .pDepthStencilAttachment = target->depth >= 0 ? &depth : NULL,
    };
    VkAttachmentDescription2 description[2];
    const VkRenderPassCreateInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
        .attachmentCount = attachments,
        .pAttachments = description,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    for (uint32_t i = 0; i < attachments; i++)
        description[i] = (VkAttachmentDescription2){
            .sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
            .format = attachment[i].format,
            .samples = attachment[i].samples,
            .loadOp = attachment[i].loadOp,
            .storeOp = attachment[i].storeOp,
            .stencilLoadOp = attachment[i].stencilLoadOp,
            .stencilStoreOp = attachment[i].stencilStoreOp,
            .initialLayout = attachment[i].initialLayout,
            .finalLayout = attachment[i].finalLayout,
        };
    return vkCreateRenderPass2(it->device.device, &info, NULL, &target->pass);
}

static int
create_target(const struct vk_scene *it, struct vk_target *target, const char *name)
{
    VkAttachmentDescription attachment[2];
    VkImageView view[2];
    uint32_t count = 0;
    VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                    .pAttachments = view,
                                    .width = target->size.width,
                                    .height = target->size.height,
                                    .layers = 1};
    const int image[2] = {target->colour, target->depth};
    for (int i = 0; i < 2; i++) {
        if (image[i] < 0)
            continue;
        view[count] = it->image[image[i]].view;
        attachment[count++] = describe(it, target, image[i]);
    }
    VkResult result = it->options->renderpass == RENDERPASS_1 ? create_1(it, target, attachment, count)
                                                              : create_2(it, target, attachment, count);
    if (vk_failed(result, "vkCreateRenderPass"))
        return -1;
    info.renderPass = target->pass;
    info.attachmentCount = count;
    if (vk_failed(vkCreateFramebuffer(it->device.device, &info, NULL, &target->framebuffer),
                  "vkCreateFramebuffer"))
        return -1;
    vk_name(&it->device, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)target->pass, name);
    vk_name(&it->device, VK_OBJECT_TYPE_FRAMEBUFFER, (uint64_t)target->framebuffer, name);
    return 0;
}

int
vk_renderpass_init(struct vk_scene *it)
{
    it->target[SCENE_SHADOW] = (struct vk_target){.colour = -1,
                                                  .depth = VK_IMAGE_SHADOW,
                                                  .clear = true,
                                                  .keep_depth = true,
                                                  .size = {SCENE_SHADOW_SIZE, SCENE_SHADOW_SIZE}};
    it->target[SCENE_MAIN] = (struct vk_target){
        .colour = VK_IMAGE_COLOUR, .depth = VK_IMAGE_DEPTH, .clear = true, .size = it->size};
    it->target[SCENE_POST] = (struct vk_target){.colour = VK_IMAGE_FINAL, .depth = -1, .size = it->size};
    if (it->options->renderpass == RENDERPASS_DYNAMIC)
        return 0;
    if (create_target(it, &it->target[SCENE_SHADOW], "shadow target") < 0 ||
        create_target(it, &it->target[SCENE_MAIN], "scene target") < 0 ||
        create_target(it, &it->target[SCENE_POST], "final target") < 0)
        return -1;
    return 0;
}

void
vk_renderpass_finish(struct vk_scene *it)
{
    for (int i = 0; i < SCENE_PASSES; i++) {
        vkDestroyFramebuffer(it->device.device, it->target[i].framebuffer, NULL);
        vkDestroyRenderPass(it->device.device, it->target[i].pass, NULL);
    }
}
