/** @file
 * The passes of a frame in Vulkan; see vk_record.h. */
#include "samples/vk_record.h"

#include "samples/annotated.h"
#include "samples/vk_query.h"

/* A barrier on one image that also changes its layout. */
struct change {
    int image;
    VkImageLayout from, to;
    VkAccessFlags wrote, reads;
};

static void
barrier(const struct vk_scene *it, VkCommandBuffer commands, VkPipelineStageFlags before,
        VkPipelineStageFlags after, const struct change *change, uint32_t changes)
{
    VkImageMemoryBarrier image[VK_IMAGES];
    for (uint32_t i = 0; i < changes; i++)
        image[i] = (VkImageMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .srcAccessMask = change[i].wrote,
            .dstAccessMask = change[i].reads,
            .oldLayout = change[i].from,
            .newLayout = change[i].to,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .image = it->image[change[i].image].image,
            .subresourceRange = {it->image[change[i].image].aspect, 0, 1, 0, 1},
        };
    vkCmdPipelineBarrier(commands, before, after, 0, 0, NULL, 0, NULL, changes, image);
}

/* Wait until the previous frame no longer uses the images, and drop their contents. */
static void
begin_images(const struct vk_scene *it, VkCommandBuffer commands)
{
    const VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkImageLayout none = VK_IMAGE_LAYOUT_UNDEFINED;
    const struct change change[] = {
        {VK_IMAGE_SHADOW, none, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, VK_ACCESS_MEMORY_WRITE_BIT,
         any},
        {VK_IMAGE_COLOUR, none, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_ACCESS_MEMORY_WRITE_BIT, any},
        {VK_IMAGE_DEPTH, none, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, VK_ACCESS_MEMORY_WRITE_BIT,
         any},
        {VK_IMAGE_TONED, none, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_MEMORY_WRITE_BIT, any},
        {VK_IMAGE_FINAL, none, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_ACCESS_MEMORY_WRITE_BIT, any},
        {VK_IMAGE_OUTPUT, none, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_ACCESS_MEMORY_WRITE_BIT, any},
    };
    barrier(it, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, change,
            VK_IMAGES);
}

static void
begin_dynamic(const struct vk_scene *it, VkCommandBuffer commands, const struct vk_target *target,
              bool secondary)
{
    const VkAttachmentLoadOp load =
        target->clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    VkRenderingAttachmentInfo colour = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
        .loadOp = load,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    VkRenderingAttachmentInfo depth = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        .loadOp = load,
        .storeOp = target->keep_depth ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .clearValue = {.depthStencil = {.depth = 1}},
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .flags = secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0,
        .renderArea = {.extent = target->size},
        .layerCount = 1,
        .colorAttachmentCount = target->colour >= 0 ? 1 : 0,
        .pColorAttachments = &colour,
        .pDepthAttachment = target->depth >= 0 ? &depth : NULL,
    };
    if (target->colour >= 0)
        colour.imageView = it->image[target->colour].view;
    if (target->depth >= 0)
        depth.imageView = it->image[target->depth].view;
    vkCmdBeginRendering(commands, &info);
}

static void
begin_target(const struct vk_scene *it, VkCommandBuffer commands, const struct vk_target *target,
             bool secondary)
{
    const VkClearValue black = {.color = {{0}}}, farthest = {.depthStencil = {.depth = 1}};
    const VkClearValue clear[2] = {target->colour < 0 ? farthest : black, farthest};
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = target->pass,
        .framebuffer = target->framebuffer,
        .renderArea = {.extent = target->size},
        .clearValueCount = target->clear ? 2 : 0,
        .pClearValues = clear,
    };
    const VkSubpassBeginInfo subpass = {
        .sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO,
        .contents = secondary ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS : VK_SUBPASS_CONTENTS_INLINE,
    };
    if (it->options->renderpass == RENDERPASS_1)
        vkCmdBeginRenderPass(commands, &info, subpass.contents);
    else if (it->options->renderpass == RENDERPASS_2)
        vkCmdBeginRenderPass2(commands, &info, &subpass);
    else
        begin_dynamic(it, commands, target, secondary);
}

static void
end_target(const struct vk_scene *it, VkCommandBuffer commands)
{
    const VkSubpassEndInfo subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
    if (it->options->renderpass == RENDERPASS_1)
        vkCmdEndRenderPass(commands);
    else if (it->options->renderpass == RENDERPASS_2)
        vkCmdEndRenderPass2(commands, &subpass);
    else
        vkCmdEndRendering(commands);
}

/* State that draws of a target need; a secondary command buffer inherits none. */
static void
bind_all(const struct vk_scene *it, const struct vk_slot *slot, VkCommandBuffer commands, VkExtent2D size)
{
    const VkViewport viewport = {.width = (float)size.width, .height = (float)size.height, .maxDepth = 1};
    const VkRect2D scissor = {.extent = size};
    const VkBuffer buffer[2] = {it->geometry.buffer, it->geometry.buffer};
    const VkDeviceSize offset[2] = {0, VK_GEOMETRY_INSTANCES};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdBindVertexBuffers(commands, 0, 2, buffer, offset);
    vkCmdBindIndexBuffer(commands, it->geometry.buffer, VK_GEOMETRY_INDICES, VK_INDEX_TYPE_UINT16);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, it->layout, 0, 1, &slot->set, 0, NULL);
}

static void
draw_boxes(const struct vk_scene *it, const struct vk_slot *slot, VkCommandBuffer commands, int pipeline)
{
    enum vk_draw draw = pipeline == VK_PIPELINE_SHADOW ? VK_DRAW_SHADOW : VK_DRAW_BOXES;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, it->pipeline[pipeline]);
    vk_query_draw_begin(it, slot, draw);
    vkCmdDrawIndexed(commands, SCENE_QUAD_INDICES, SCENE_BOXES, 0, 0, SCENE_FIRST_BOX);
    vk_query_draw_end(it, slot, draw);
}

static void
draw_scene(const struct vk_scene *it, const struct vk_slot *slot, VkCommandBuffer commands)
{
    bind_all(it, slot, commands, it->size);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, it->pipeline[VK_PIPELINE_FLOOR]);
    vk_query_draw_begin(it, slot, VK_DRAW_FLOOR);
    vkCmdDraw(commands, SCENE_QUAD_VERTICES, 1, 0, 0);
    vk_query_draw_end(it, slot, VK_DRAW_FLOOR);
    draw_boxes(it, slot, commands, VK_PIPELINE_SCENE);
    vk_query_draw_begin(it, slot, VK_DRAW_OUTLIERS);
    vkCmdDraw(commands, 3, SCENE_OUTLIERS, 0, SCENE_FIRST_OUTLIER);
    vk_query_draw_end(it, slot, VK_DRAW_OUTLIERS);
}

static void
pass_shadow(const struct vk_scene *it, const struct vk_slot *slot)
{
    const struct vk_target *target = &it->target[SCENE_SHADOW];
    begin_target(it, slot->commands, target, false);
    bind_all(it, slot, slot->commands, target->size);
    draw_boxes(it, slot, slot->commands, VK_PIPELINE_SHADOW);
    end_target(it, slot->commands);
}

static void
pass_scene(const struct vk_scene *it, const struct vk_slot *slot)
{
    begin_target(it, slot->commands, &it->target[SCENE_MAIN], it->options->secondary);
    if (it->options->secondary)
        vkCmdExecuteCommands(slot->commands, 1, &slot->secondary);
    else
        draw_scene(it, slot, slot->commands);
    end_target(it, slot->commands);
}

static void
pass_tone(const struct vk_scene *it, const struct vk_slot *slot)
{
    vkCmdBindPipeline(slot->commands, VK_PIPELINE_BIND_POINT_COMPUTE, it->pipeline[VK_PIPELINE_TONE]);
    vkCmdBindDescriptorSets(slot->commands, VK_PIPELINE_BIND_POINT_COMPUTE, it->layout, 0, 1, &slot->set, 0,
                            NULL);
    vk_query_draw_begin(it, slot, VK_DRAW_TONE);
    vkCmdDispatch(slot->commands, it->size.width / SCENE_GROUP, it->size.height / SCENE_GROUP, 1);
    vk_query_draw_end(it, slot, VK_DRAW_TONE);
}

static void
pass_post(const struct vk_scene *it, const struct vk_slot *slot)
{
    begin_target(it, slot->commands, &it->target[SCENE_POST], false);
    bind_all(it, slot, slot->commands, it->size);
    vkCmdBindPipeline(slot->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, it->pipeline[VK_PIPELINE_POST]);
    vk_query_draw_begin(it, slot, VK_DRAW_POST);
    for (unsigned i = 0; i < it->options->post_draws; i++)
        vkCmdDraw(slot->commands, 3, 1, 0, 0);
    vk_query_draw_end(it, slot, VK_DRAW_POST);
    end_target(it, slot->commands);
}

static void
pass_transfer(const struct vk_scene *it, const struct vk_slot *slot)
{
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkOffset3D corner = {(int32_t)it->size.width, (int32_t)it->size.height, 1};
    const VkImageBlit blit = {.srcSubresource = layers,
                              .srcOffsets = {{0}, corner},
                              .dstSubresource = layers,
                              .dstOffsets = {{0}, corner}};
    const VkBufferImageCopy copy = {.imageSubresource = layers,
                                    .imageExtent = {it->size.width, it->size.height, 1}};
    VkImage final = it->image[VK_IMAGE_FINAL].image;
    vkCmdBlitImage(slot->commands, final, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                   it->image[VK_IMAGE_OUTPUT].image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit,
                   VK_FILTER_NEAREST);
    vkCmdCopyImageToBuffer(slot->commands, final, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, slot->readback.buffer,
                           1, &copy);
}

/* Record the barriers between a pass and the next one. */
static void
after_pass(const struct vk_scene *it, const struct vk_slot *slot, enum scene_pass pass)
{
    const struct change shadow = {VK_IMAGE_SHADOW, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                                  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
    const struct change colour = {VK_IMAGE_COLOUR, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
    const struct change toned = {VK_IMAGE_TONED, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL,
                                 VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
    const struct change final = {VK_IMAGE_FINAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                 VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                 VK_ACCESS_TRANSFER_READ_BIT};
    const VkMemoryBarrier host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    const VkPipelineStageFlags fragment = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkPipelineStageFlags written = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkCommandBuffer commands = slot->commands;
    if (pass == SCENE_TONE && it->options->hazard)
        return;
    if (pass == SCENE_SHADOW)
        barrier(it, commands, VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT, fragment, &shadow, 1);
    else if (pass == SCENE_MAIN)
        barrier(it, commands, written, compute, &colour, 1);
    else if (pass == SCENE_TONE)
        barrier(it, commands, compute, fragment, &toned, 1);
    else if (pass == SCENE_POST)
        barrier(it, commands, written, transfer, &final, 1);
    else
        vkCmdPipelineBarrier(commands, transfer, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host, 0, NULL, 0, NULL);
}

static int
record_secondary(const struct vk_scene *it, const struct vk_slot *slot)
{
    const struct vk_target *target = &it->target[SCENE_MAIN];
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &it->image[target->colour].format,
        .depthAttachmentFormat = it->image[target->depth].format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
    };
    const VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
        .pNext = it->device.dynamic ? &rendering : NULL,
        .renderPass = target->pass,
        .framebuffer = target->framebuffer,
    };
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
        .pInheritanceInfo = &inheritance,
    };
    if (vk_failed(vkBeginCommandBuffer(slot->secondary, &info), "vkBeginCommandBuffer"))
        return -1;
    draw_scene(it, slot, slot->secondary);
    return vk_failed(vkEndCommandBuffer(slot->secondary), "vkEndCommandBuffer") ? -1 : 0;
}

static void
record_pass(const struct vk_scene *it, const struct vk_slot *slot, enum scene_pass pass, const char *name)
{
    static void (*const table[SCENE_PASSES])(const struct vk_scene *, const struct vk_slot *) = {
        [SCENE_SHADOW] = pass_shadow, [SCENE_MAIN] = pass_scene,        [SCENE_TONE] = pass_tone,
        [SCENE_POST] = pass_post,     [SCENE_TRANSFER] = pass_transfer,
    };
    char text[SCENE_LABEL_MAX];
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = text};
    snprintf(text, sizeof(text), "%s%s", it->options->prefix, name);
    if (it->options->annotate)
        annotated_pass_begin(name);
    if (it->device.begin_label)
        it->device.begin_label(slot->commands, &label);
    vk_query_begin(it, slot, pass);
    table[pass](it, slot);
    vk_query_end(it, slot, pass);
    if (it->device.end_label)
        it->device.end_label(slot->commands);
    if (it->options->annotate)
        annotated_pass_end();
    after_pass(it, slot, pass);
}

int
vk_record(const struct vk_scene *it, const struct vk_slot *slot,
          const struct scene_expected name[SCENE_PASSES])
{
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = it->options->rerecord ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT : 0,
    };
    if (it->options->secondary && record_secondary(it, slot) < 0)
        return -1;
    if (vk_failed(vkBeginCommandBuffer(slot->commands, &info), "vkBeginCommandBuffer"))
        return -1;
    vk_query_reset(it, slot);
    begin_images(it, slot->commands);
    for (int pass = 0; pass < SCENE_PASSES; pass++)
        record_pass(it, slot, (enum scene_pass)pass, name[pass].name);
    return vk_failed(vkEndCommandBuffer(slot->commands), "vkEndCommandBuffer") ? -1 : 0;
}
