/** @file
 * Recording of the walk: helpers, and the cases that differ in what is recorded. */
#include <stdlib.h>

#include "tests/vulkan/walk/walk.h"

VkCommandBuffer
walk_begin(struct walk *walk, VkCommandPool pool, VkCommandBufferUsageFlags usage,
           const VkCommandBufferInheritanceInfo *inherit, const char *label)
{
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage, .pInheritanceInfo = inherit};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
    VkCommandBuffer commands;
    WALK_CHECK(vk_command_buffers(
        walk->device, pool, inherit ? VK_COMMAND_BUFFER_LEVEL_SECONDARY : VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1,
        &commands));
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    if (label)
        walk->begin_label(commands, &text);
    return commands;
}

void
walk_end(struct walk *walk, VkCommandBuffer commands)
{
    if (walk)
        walk->end_label(commands);
    WALK_CHECK(vkEndCommandBuffer(commands));
}

void
walk_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         1, &barrier, 0, NULL, 0, NULL);
}

void
walk_begin_pass(struct walk *walk, VkCommandBuffer commands, VkRenderPass pass, VkSubpassContents contents)
{
    const VkClearValue clear = {.color = {{0, 0, 0, 1}}};
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = pass,
        .framebuffer = pass == walk->pass ? walk->frame : walk->two_frame,
        .renderArea = {{0, 0}, {WALK_SIZE, WALK_SIZE}},
        .clearValueCount = 1,
        .pClearValues = &clear,
    };
    walk_barrier(commands);
    vkCmdBeginRenderPass(commands, &info, contents);
}

void
walk_pass(struct walk *walk, VkCommandBuffer commands, uint32_t draws)
{
    walk_begin_pass(walk, commands, walk->pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
    for (uint32_t i = 0; i < draws; i++)
        vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
}

void
walk_rendering(struct walk *walk, VkCommandBuffer commands, VkRenderingFlags flags, uint32_t view_mask)
{
    const VkRenderingAttachmentInfo color = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = view_mask != 0 ? walk->views : walk->view,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
    };
    const VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .flags = flags,
        .renderArea = {{0, 0}, {WALK_SIZE, WALK_SIZE}},
        .layerCount = 1,
        .viewMask = view_mask,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
    };
    if (!(flags & VK_RENDERING_RESUMING_BIT))
        walk_barrier(commands);
    vkCmdBeginRendering(commands, &info);
}

static VkCommandBuffer
make_inherited(struct walk *walk, VkRenderPass pass, uint32_t subpass, VkPipeline pipeline, const char *label,
               uint32_t draws, VkCommandBufferUsageFlags usage)
{
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .renderPass = pass, .subpass = subpass};
    VkCommandBuffer secondary = walk_begin(
        walk, walk->pool, usage | VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherit, label);
    vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    for (uint32_t i = 0; i < draws; i++)
        vkCmdDraw(secondary, 3, 1, 0, 0);
    walk_end(walk, secondary);
    return secondary;
}

VkCommandBuffer
walk_inherited(struct walk *walk, VkRenderPass pass, uint32_t subpass, VkPipeline pipeline, const char *label,
               uint32_t draws)
{
    return make_inherited(walk, pass, subpass, pipeline, label, draws, 0);
}

/** Secondaries inside a pass: one of its own, and one executed twice. */
static void
case_inherited(struct walk *walk)
{
    VkCommandBuffer once = walk_inherited(walk, walk->pass, 0, walk->draw, "inner", 2);
    VkCommandBuffer twice = make_inherited(walk, walk->pass, 0, walk->draw, "inner", 1,
                                           VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    const VkCommandBuffer both[2] = {twice, twice};
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "inherited");
    walk_begin_pass(walk, primary, walk->pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(primary, 1, &once);
    vkCmdEndRenderPass(primary);
    walk_end(walk, primary);
    walk_submit(walk, 1, &primary);
    walk_submit(walk, 1, &primary);
    primary = walk_begin(walk, walk->pool, 0, NULL, "executed twice");
    walk_begin_pass(walk, primary, walk->pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(primary, 2, both);
    vkCmdEndRenderPass(primary);
    walk_end(walk, primary);
    walk_submit(walk, 1, &primary);
}

/** A secondary outside passes, with passes of its own. */
static void
case_secondary(struct walk *walk)
{
    const VkCommandBufferInheritanceInfo inherit = {.sType =
                                                        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBuffer secondary = walk_begin(walk, walk->pool, 0, &inherit, "secondary");
    vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    vkCmdDispatch(secondary, 4, 1, 1);
    walk_barrier(secondary);
    vkCmdFillBuffer(secondary, walk->target, 0, 256, 0);
    walk_end(walk, secondary);
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "primary");
    walk_pass(walk, primary, 1);
    vkCmdExecuteCommands(primary, 1, &secondary);
    walk_barrier(primary);
    vkCmdFillBuffer(primary, walk->target, 256, 256, 0);
    walk_end(walk, primary);
    walk_submit(walk, 1, &primary);
}

/** Two subpasses, the second from a secondary. */
static void
case_subpasses(struct walk *walk)
{
    VkCommandBuffer secondary = walk_inherited(walk, walk->two_passes, 1, walk->draw_two[1], "inner", 1);
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "subpasses");
    walk_begin_pass(walk, primary, walk->two_passes, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(primary, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_two[0]);
    vkCmdDraw(primary, 3, 1, 0, 0);
    vkCmdNextSubpass(primary, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(primary, 1, &secondary);
    vkCmdEndRenderPass(primary);
    walk_end(walk, primary);
    walk_submit(walk, 1, &primary);
}

/** One dynamic rendering over three command buffers. */
static void
case_suspended(struct walk *walk)
{
    const VkRenderingFlags flags[3] = {VK_RENDERING_SUSPENDING_BIT,
                                       VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT,
                                       VK_RENDERING_RESUMING_BIT};
    VkCommandBuffer commands[3];
    for (int i = 0; i < 3; i++) {
        /* No label: its begin and end would be between the suspending end and the resuming begin. */
        commands[i] = walk_begin(walk, walk->pool, 0, NULL, i == 0 ? "suspended" : NULL);
        if (i == 0)
            walk->end_label(commands[0]);
        if (i == 0) {
            const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                               .pLabelName = "suspended"};
            walk->begin_label(commands[0], &text);
        }
        walk_rendering(walk, commands[i], flags[i], 0);
        vkCmdBindPipeline(commands[i], VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
        for (int d = 0; d <= i; d++)
            vkCmdDraw(commands[i], 3, 1, 0, 0);
        vkCmdEndRendering(commands[i]);
        walk_end(i == 2 ? walk : NULL, commands[i]);
    }
    walk_submit(walk, 3, commands);
    walk_submit(walk, 3, commands);
}

/** Frames that do so between others that do not. */
void
walk_cases_suspended(struct walk *walk)
{
    for (int frame = 0; frame < 4; frame++) {
        VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "plain");
        walk_pass(walk, commands, 4);
        walk_end(walk, commands);
        walk_submit(walk, 1, &commands);
        case_suspended(walk);
    }
}

static void
case_multiview(struct walk *walk)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "multiview");
    walk_rendering(walk, commands, 0, 3);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_views);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

/** Two secondaries of two draws each, in a rendering to two views, of which each knows from what it inherits.
 */
void
walk_cases_views(struct walk *walk)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .viewMask = 3,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
    VkCommandBuffer secondary[2];
    for (int i = 0; i < 2; i++) {
        secondary[i] =
            walk_begin(walk, walk->pool, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherit, NULL);
        vkCmdBindPipeline(secondary[i], VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_views);
        vkCmdDraw(secondary[i], 3, 1, 0, 0);
        vkCmdDraw(secondary[i], 3, 1 + (uint32_t)i, 0, 0);
        walk_end(NULL, secondary[i]);
    }
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "views");
    walk_rendering(walk, commands, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, 3);
    vkCmdExecuteCommands(commands, 2, secondary);
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    for (int i = 0; i < 3; i++)
        walk_submit(walk, 1, &commands);
}

/** Every kind of transfer work: one pass. */
static void
case_transfer(struct walk *walk)
{
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 2};
    const VkClearColorValue black = {{0, 0, 0, 0}};
    const VkBufferCopy buffer = {0, 4096, 1024};
    const VkImageCopy image = {layer, {0, 0, 0}, layer, {0, 0, 0}, {WALK_SIZE, WALK_SIZE, 1}};
    const VkImageBlit blit = {layer, {{0, 0, 0}, {WALK_SIZE, WALK_SIZE, 1}}, layer, {{0, 0, 0}, {32, 32, 1}}};
    const VkBufferImageCopy both = {0, 0, 0, layer, {0, 0, 0}, {WALK_SIZE, WALK_SIZE, 1}};
    const uint32_t word = 0;
    const VkImage images[2] = {walk->image, walk->other};
    VkImageMemoryBarrier to_general[2];
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "transfer");
    for (int i = 0; i < 2; i++)
        to_general[i] = (VkImageMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
            .newLayout = general,
            .image = images[i],
            .subresourceRange = range,
        };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                         NULL, 0, NULL, 2, to_general);
    vkCmdClearColorImage(commands, walk->image, general, &black, 1, &range);
    vkCmdClearColorImage(commands, walk->other, general, &black, 1, &range);
    walk_barrier(commands);
    vkCmdCopyImage(commands, walk->image, general, walk->other, general, 1, &image);
    walk_barrier(commands);
    vkCmdBlitImage(commands, walk->image, general, walk->other, general, 1, &blit, VK_FILTER_NEAREST);
    vkCmdCopyImageToBuffer(commands, walk->image, general, walk->target, 1, &both);
    walk_barrier(commands);
    vkCmdCopyBufferToImage(commands, walk->target, walk->other, general, 1, &both);
    walk_barrier(commands);
    vkCmdCopyBuffer(commands, walk->buffer, walk->target, 1, &buffer);
    walk_barrier(commands);
    vkCmdFillBuffer(commands, walk->target, 0, 64, 0);
    vkCmdUpdateBuffer(commands, walk->target, 64, 4, &word);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

/** Clears in a pass, indirect draws and dispatches, conditional rendering. */
static void
case_inside(struct walk *walk)
{
    const VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {{1, 1, 1, 1}}}};
    const VkClearRect rect = {{{0, 0}, {WALK_SIZE, WALK_SIZE}}, 0, 1};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "inside");
    walk_begin_pass(walk, commands, walk->pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
    vkCmdDrawIndirect(commands, walk->buffer, 0, 1, 16);
    vkCmdEndRenderPass(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    walk_barrier(commands);
    vkCmdDispatchIndirect(commands, walk->buffer, 16);
    walk_barrier(commands);
    vkCmdDispatch(commands, 1, 2, 3);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

static void
case_conditional(struct walk *walk)
{
    const VkConditionalRenderingBeginInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
        .buffer = walk->buffer,
        .offset = 28};
    if (!walk->conditional)
        return;
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "conditional");
    walk_begin_pass(walk, commands, walk->pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
    walk->begin_conditional(commands, &info);
    vkCmdDraw(commands, 3, 1, 0, 0);
    walk->end_conditional(commands);
    vkCmdEndRenderPass(commands);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

void
walk_cases_record(struct walk *walk)
{
    case_transfer(walk);
    case_inherited(walk);
    case_secondary(walk);
    case_subpasses(walk);
    case_suspended(walk);
    case_multiview(walk);
    case_inside(walk);
    case_conditional(walk);
}

/** Frames with first secondary command buffers, each made when its primary has begun: within a pass of two
 * subpasses that began inline; in a pass of its own; and outside of passes. */
void
walk_cases_unforeseen_secondaries(struct walk *walk)
{
    for (uint32_t frame = 0; frame < 3; frame++) {
        VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "lazy");
        walk_begin_pass(walk, primary, walk->two_passes, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(primary, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_two[0]);
        vkCmdDraw(primary, 3, 1, 0, 0);
        VkCommandBuffer inner = walk_inherited(walk, walk->two_passes, 1, walk->draw_two[1], "inner", 2);
        vkCmdNextSubpass(primary, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(primary, 1, &inner);
        vkCmdEndRenderPass(primary);
        walk_pass(walk, primary, 3);
        inner = walk_inherited(walk, walk->pass, 0, walk->draw, "inner", 4);
        walk_begin_pass(walk, primary, walk->pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(primary, 1, &inner);
        vkCmdEndRenderPass(primary);
        walk_end(walk, primary);
        walk_submit(walk, 1, &primary);
        primary = walk_begin(walk, walk->pool, 0, NULL, "none");
        walk_pass(walk, primary, 5);
        walk_end(walk, primary);
        walk_submit(walk, 1, &primary);
    }
}

/** A command buffer with a pass from secondaries, each with a number of draws. */
static VkCommandBuffer
make_joined(struct walk *walk, const uint32_t *draws, uint32_t count)
{
    VkCommandBuffer inner[3];
    for (uint32_t i = 0; i < count; i++)
        inner[i] = walk_inherited(walk, walk->pass, 0, walk->draw, "inner", draws[i]);
    VkCommandBuffer joined = walk_begin(walk, walk->pool, 0, NULL, "joined");
    walk_begin_pass(walk, joined, walk->pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(joined, count, inner);
    vkCmdEndRenderPass(joined);
    walk_end(walk, joined);
    return joined;
}

/** Command buffers that are recorded once, several in each submission: three with passes of their own, and
 * three with a pass from secondaries, one of which is idle in two of them. Sets that rotate with recording
 * measure the idle one in both ways. */
void
walk_cases_kept(struct walk *walk)
{
    static const uint32_t two[] = {4, 5}, idle[] = {3, 0, 4};
    VkCommandBuffer commands[6];
    for (uint32_t i = 0; i < 3; i++) {
        commands[i] = walk_begin(walk, walk->pool, 0, NULL, "kept");
        walk_pass(walk, commands[i], i + 1);
        walk_end(walk, commands[i]);
    }
    commands[3] = make_joined(walk, two, 2);
    commands[4] = make_joined(walk, idle, 2);
    commands[5] = make_joined(walk, idle, 3);
    for (uint32_t frame = 0; frame < 4; frame++)
        walk_submit(walk, 6, commands);
}

/** Frames whose command buffers are allocated anew, while those of earlier frames are only reset, with their
 * pool or one by one; there are more of them than queries. */
void
walk_cases_reset(struct walk *walk)
{
    enum { FRAMES = 24, BUFFERS = 256 };
    static VkCommandBuffer commands[BUFFERS];
    VkCommandPool pool;
    WALK_CHECK(vk_command_pool(walk->device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &pool));
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < BUFFERS; i++) {
            commands[i] = walk_begin(walk, pool, 0, NULL, NULL);
            walk_pass(walk, commands[i], 1);
            walk_end(NULL, commands[i]);
        }
        walk_submit(walk, BUFFERS, commands);
        for (uint32_t i = 0; frame % 2 == 0 && i < BUFFERS; i++)
            WALK_CHECK(vkResetCommandBuffer(commands[i], 0));
        if (frame % 2 == 1)
            WALK_CHECK(vkResetCommandPool(walk->device, pool, 0));
    }
    vkDestroyCommandPool(walk->device, pool, NULL);
}

/** The application's first query pool, made while a pass is recorded, and used in that pass. */
static void
case_late_query(struct walk *walk)
{
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                        .queryCount = 1,
                                        .pipelineStatistics =
                                            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT};
    VkQueryPool pool;
    VkCommandBuffer commands[2] = {walk_begin(walk, walk->pool, 0, NULL, NULL),
                                   walk_begin(walk, walk->pool, 0, NULL, "late app queries")};
    walk_begin_pass(walk, commands[1], walk->pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands[1], VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
    vkCmdDraw(commands[1], 3, 1, 0, 0);
    WALK_CHECK(vkCreateQueryPool(walk->device, &info, NULL, &pool));
    vkCmdBeginQuery(commands[1], pool, 0, 0);
    vkCmdDraw(commands[1], 3, 1, 0, 0);
    vkCmdEndQuery(commands[1], pool, 0);
    vkCmdEndRenderPass(commands[1]);
    walk_end(walk, commands[1]);
    vkCmdResetQueryPool(commands[0], pool, 0, 1);
    walk_end(NULL, commands[0]);
    walk_submit(walk, 2, commands);
    uint64_t vertices = 0;
    WALK_CHECK(vkGetQueryPoolResults(walk->device, pool, 0, 1, sizeof(vertices), &vertices, 8,
                                     VK_QUERY_RESULT_64_BIT));
    if (vertices != 3)
        exit(3);
    vkDestroyQueryPool(walk->device, pool, NULL);
}

/** The application's own queries of the kinds that passprobe uses, around and inside its passes. */
void
walk_cases_queries(struct walk *walk)
{
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryCount = 4};
    const VkDebugUtilsLabelEXT behind_queries = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                                 .pLabelName = "next to app queries"};
    VkQueryPool pool[3];
    const VkQueryType type[3] = {VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_TYPE_TIMESTAMP,
                                 VK_QUERY_TYPE_OCCLUSION};
    case_late_query(walk);
    for (int i = 0; i < 3; i++) {
        info.queryType = type[i];
        info.pipelineStatistics = i == 0 ? VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT : 0;
        WALK_CHECK(vkCreateQueryPool(walk->device, &info, NULL, &pool[i]));
    }
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "app queries");
    for (int i = 0; i < 3; i++)
        vkCmdResetQueryPool(commands, pool[i], 0, 4);
    vkCmdBeginQuery(commands, pool[0], 0, 0);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool[1], 0);
    walk_pass(walk, commands, 1);
    vkCmdEndQuery(commands, pool[0], 0);
    walk_begin_pass(walk, commands, walk->pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdBeginQuery(commands, pool[0], 1, 0);
    vkCmdBeginQuery(commands, pool[2], 0, 0);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndQuery(commands, pool[2], 0);
    vkCmdEndQuery(commands, pool[0], 1);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(commands);
    vkCmdCopyQueryPoolResults(commands, pool[0], 0, 2, walk->target, 0, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    walk->end_label(commands);
    walk->begin_label(commands, &behind_queries);
    walk_pass(walk, commands, 2);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    walk_barrier(commands);
    vkCmdDispatch(commands, 4, 1, 1);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
    uint64_t vertices[2] = {0, 0};
    WALK_CHECK(vkGetQueryPoolResults(walk->device, pool[0], 0, 2, sizeof(vertices), vertices, 8,
                                     VK_QUERY_RESULT_64_BIT));
    if (vertices[0] != 3 || vertices[1] != 3)
        exit(3); /* the application's own counts were disturbed */
    for (int i = 0; i < 3; i++)
        vkDestroyQueryPool(walk->device, pool[i], NULL);
}
