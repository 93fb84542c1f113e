/** @file
 * The case of the walk whose calls have pointers and handles that Vulkan says are ignored. They lead nowhere:
 * a layer that follows one dies. Each is named by the words of Vulkan 1.3. Needs a driver that takes any
 * object, because the structs are not otherwise complete. */
#include "tests/vulkan/walk/walk.h"

/** A pointer to no memory. */
#define NOWHERE ((const void *)(uintptr_t)8)
/** A handle of no object. */
#define NOTHING(type) ((type)(uintptr_t)8)

/** "pQueueFamilyIndices ... ignored if sharingMode is not VK_SHARING_MODE_CONCURRENT". A view may live longer
 * than its image, and have a name. */
static void
make_exclusive(struct walk *walk)
{
    const VkBufferCreateInfo buffers = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                        .size = 64,
                                        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                        .queueFamilyIndexCount = 3,
                                        .pQueueFamilyIndices = NOWHERE};
    const VkImageCreateInfo images = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                      .format = VK_FORMAT_R8G8B8A8_UNORM,
                                      .extent = {WALK_SIZE, WALK_SIZE, 1},
                                      .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                      .queueFamilyIndexCount = 3,
                                      .pQueueFamilyIndices = NOWHERE};
    PFN_vkSetDebugUtilsObjectNameEXT set_name =
        (PFN_vkSetDebugUtilsObjectNameEXT)vkGetDeviceProcAddr(walk->device, "vkSetDebugUtilsObjectNameEXT");
    VkBuffer buffer;
    VkImage image;
    VkImageView view;
    WALK_CHECK(vkCreateBuffer(walk->device, &buffers, NULL, &buffer));
    vkDestroyBuffer(walk->device, buffer, NULL);
    WALK_CHECK(vkCreateImage(walk->device, &images, NULL, &image));
    const VkImageViewCreateInfo views = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = image};
    WALK_CHECK(vkCreateImageView(walk->device, &views, NULL, &view));
    vkDestroyImage(walk->device, image, NULL);
    const VkDebugUtilsObjectNameInfoEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                .objectType = VK_OBJECT_TYPE_IMAGE_VIEW,
                                                .objectHandle = (uint64_t)view,
                                                .pObjectName = "a view of what is gone"};
    WALK_CHECK(set_name(walk->device, &name));
    vkDestroyImageView(walk->device, view, NULL);
}

/** A pipeline that discards all primitives: "pViewportState ... ignored if the pipeline has rasterization
 * disabled", and likewise other states; and libraries without shaders, for which pStages is ignored: one says
 * so by the 64-bit flags of VK_KHR_maintenance5, which Debian 12's headers lack. */
static void
make_pipelines(struct walk *walk)
{
    const VkPipelineRasterizationStateCreateInfo discards = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = VK_TRUE};
    const VkGraphicsPipelineLibraryCreateInfoEXT input = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT};
    const struct {
        VkStructureType type;
        const void *next;
        uint64_t flags;
    } flags2 = {.type = (VkStructureType)1000470005, .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR};
    const VkGraphicsPipelineCreateInfo infos[] = {
        {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
         .pTessellationState = NOWHERE,
         .pViewportState = NOWHERE,
         .pRasterizationState = &discards,
         .pMultisampleState = NOWHERE,
         .pDepthStencilState = NOWHERE,
         .pColorBlendState = NOWHERE,
         .layout = walk->layout,
         .renderPass = walk->pass,
         .basePipelineHandle = NOTHING(VkPipeline)},
        {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
         .pNext = &input,
         .flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
         .stageCount = 2,
         .pStages = NOWHERE,
         .pRasterizationState = NOWHERE},
        {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
         .pNext = &flags2,
         .stageCount = 2,
         .pStages = NOWHERE,
         .pRasterizationState = NOWHERE},
    };
    VkPipeline pipeline[3];
    WALK_CHECK(vkCreateGraphicsPipelines(walk->device, VK_NULL_HANDLE, 3, infos, NULL, pipeline));
    for (int i = 0; i < 3; i++)
        vkDestroyPipeline(walk->device, pipeline[i], NULL);
}

/** "If flags includes VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT, the parameter pAttachments is ignored." */
static VkFramebuffer
make_imageless(struct walk *walk)
{
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
                                          .renderPass = walk->pass,
                                          .attachmentCount = 1,
                                          .pAttachments = NOWHERE,
                                          .width = WALK_SIZE,
                                          .height = WALK_SIZE,
                                          .layers = 1};
    VkFramebuffer frame;
    WALK_CHECK(vkCreateFramebuffer(walk->device, &info, NULL, &frame));
    return frame;
}

/** "If the descriptor type is VK_DESCRIPTOR_TYPE_SAMPLER, the pImageInfo parameter is ignored and the
 * immutable sampler is taken from the push descriptor set layout"; arrays of other types are ignored, too. */
static void
push_descriptors(struct walk *walk, VkCommandBuffer commands, uint32_t count)
{
    PFN_vkCmdPushDescriptorSetKHR push =
        (PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(walk->device, "vkCmdPushDescriptorSetKHR");
    const VkDescriptorBufferInfo buffer = {walk->buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet writes[] = {
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstSet = NOTHING(VkDescriptorSet),
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .pImageInfo = NOWHERE,
         .pBufferInfo = &buffer,
         .pTexelBufferView = NOWHERE},
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstBinding = 1,
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
         .pImageInfo = NULL,
         .pBufferInfo = NOWHERE},
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstBinding = 2,
         .descriptorCount = 1,
         .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
         .pImageInfo = NOWHERE},
    };
    if (push)
        push(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->layout, 0, count, writes);
}

/** Of an attachment without a view all is ignored, and of one that is not resolved the view for that. */
static void
render(struct walk *walk, VkCommandBuffer commands)
{
    const VkRenderingAttachmentInfo colors[] = {
        {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
         .imageView = walk->view,
         .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
         .resolveImageView = NOTHING(VkImageView),
         .loadOp = VK_ATTACHMENT_LOAD_OP_LOAD},
        {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
         .resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT,
         .resolveImageView = NOTHING(VkImageView)},
    };
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {WALK_SIZE, WALK_SIZE}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 2,
                                  .pColorAttachments = colors};
    vkCmdBeginRendering(commands, &info);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
}

/** A render pass instance on an imageless framebuffer, without clear values. */
static void
draw(struct walk *walk, VkCommandBuffer commands, VkFramebuffer frame)
{
    const VkRenderPassAttachmentBeginInfo views = {.sType =
                                                       VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
                                                   .attachmentCount = 1,
                                                   .pAttachments = &walk->view};
    const VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .pNext = &views,
                                        .renderPass = walk->pass,
                                        .framebuffer = frame,
                                        .renderArea = {{0, 0}, {WALK_SIZE, WALK_SIZE}},
                                        .pClearValues = NOWHERE};
    vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}

/** A secondary for outside of render passes: pass, subpass and framebuffer "are ignored". */
static VkCommandBuffer
make_secondary(struct walk *walk)
{
    const VkCommandBufferInheritanceInfo inherit = {.sType =
                                                        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                    .renderPass = NOTHING(VkRenderPass),
                                                    .subpass = UINT32_MAX,
                                                    .framebuffer = NOTHING(VkFramebuffer)};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, &inherit, "ignored");
    vkCmdDispatch(commands, 1, 1, 1);
    walk_end(walk, commands);
    return commands;
}

/** "pInheritanceInfo ... If this is a primary command buffer, then this value is ignored." Arrays of no
 * elements may be anywhere. @param pushes Descriptors to push, of push_descriptors(). */
static VkCommandBuffer
record(struct walk *walk, VkFramebuffer frame, VkCommandBuffer secondary, uint32_t pushes)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .pInheritanceInfo = NOWHERE};
    const VkDebugUtilsLabelEXT nameless = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    VkCommandBuffer commands;
    WALK_CHECK(vk_command_buffers(walk->device, walk->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1, &commands));
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         NOWHERE, 0, NOWHERE, 0, NOWHERE);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NOWHERE);
    vkCmdBindVertexBuffers2(commands, 0, 1, &walk->buffer, &(VkDeviceSize){0}, NULL, NULL);
    push_descriptors(walk, commands, pushes);
    walk->begin_label(commands, &nameless);
    walk->insert_label(commands, &nameless);
    walk->end_label(commands);
    draw(walk, commands, frame);
    vkCmdExecuteCommands(commands, 1, &secondary);
    render(walk, commands);
    WALK_CHECK(vkEndCommandBuffer(commands));
    return commands;
}

/** Binary semaphores have no values: "pWaitSemaphoreValues ... and pWaitSemaphoreValues is not NULL". */
static void
submit(struct walk *walk, uint32_t count, const VkCommandBuffer *commands)
{
    const VkSemaphoreCreateInfo binary = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .signalSemaphoreValueCount = 1};
    const VkDebugUtilsLabelEXT nameless = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSemaphore semaphore;
    WALK_CHECK(vkCreateSemaphore(walk->device, &binary, NULL, &semaphore));
    const VkSubmitInfo batch[] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .pNext = &values,
                                   .pWaitSemaphores = NOWHERE,
                                   .pWaitDstStageMask = NOWHERE,
                                   .commandBufferCount = count,
                                   .pCommandBuffers = commands,
                                   .signalSemaphoreCount = 1,
                                   .pSignalSemaphores = &semaphore},
                                  {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .pNext = &values,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &semaphore,
                                   .pWaitDstStageMask = &stages,
                                   .pCommandBuffers = NOWHERE,
                                   .pSignalSemaphores = NOWHERE}};
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueSubmit(walk->queue, 0, NOWHERE, VK_NULL_HANDLE));
    walk->begin_queue_label(walk->queue, &nameless);
    walk->insert_queue_label(walk->queue, &nameless);
    WALK_CHECK(vkQueueSubmit(walk->queue, 2, batch, fence));
    walk->end_queue_label(walk->queue);
    walk_wait(walk, fence);
    vkDestroySemaphore(walk->device, semaphore, NULL);
}

void
walk_cases_ignored(struct walk *walk)
{
    make_exclusive(walk);
    make_pipelines(walk);
    VkFramebuffer frame = make_imageless(walk);
    VkCommandBuffer secondary[2] = {make_secondary(walk), make_secondary(walk)};
    const VkCommandBuffer commands[2] = {record(walk, frame, secondary[0], 2),
                                         record(walk, frame, secondary[1], 3)};
    submit(walk, 2, commands);
    vkDestroyFramebuffer(walk->device, frame, NULL);
}
