/** @file
 * Frames of one submission each, whose command buffers are recorded in ways from which their frame can be
 * known, or cannot: with --frames, frames outside of the window should have no brackets, frames inside have
 * all. */
#include <string.h>

#include "walk.h"

#define FRAMES 60U
#define RING   3U

/** How buffers are recorded. */
struct manner {
    const char *name;
    VkCommandBufferUsageFlags usage;
    uint32_t lag;   /**< frames from the recording to the run */
    uint32_t until; /**< from that frame on the last one is submitted again */
    bool secondary; /**< draws are in secondary command buffers, which are recorded anew, too */
};

static const struct manner manners[] = {
    {"once", VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, 0, FRAMES, false},
    {"anew", 0, 0, FRAMES, false},
    {"simultaneous", VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, 0, FRAMES, false},
    {"ahead", VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, 1, FRAMES, false},
    {"far ahead", 0, 2, FRAMES, false},
    {"kept", 0, 0, 1, false},
    {"turned", 0, 0, 30, false},
    {"secondary", 0, 0, FRAMES, true},
};

static void
record(struct walk *walk, const struct manner *manner, VkCommandBuffer commands, VkCommandBuffer inner,
       uint32_t frame)
{
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .renderPass = walk->pass};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = manner->usage};
    const VkCommandBufferBeginInfo continues = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                                .pInheritanceInfo = &inherit};
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    if (!manner->secondary) {
        walk_pass(walk, commands, 1 + frame);
    } else {
        WALK_CHECK(vkBeginCommandBuffer(inner, &continues));
        vkCmdBindPipeline(inner, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw);
        for (uint32_t i = 0; i <= frame; i++)
            vkCmdDraw(inner, 3, 1, 0, 0);
        WALK_CHECK(vkEndCommandBuffer(inner));
        walk_begin_pass(walk, commands, walk->pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
        vkCmdExecuteCommands(commands, 1, &inner);
        vkCmdEndRenderPass(commands);
    }
    WALK_CHECK(vkEndCommandBuffer(commands));
}

static void
allocate(struct walk *walk, VkCommandPool pool, VkCommandBufferLevel level, VkCommandBuffer *ret)
{
    WALK_CHECK(vk_command_buffers(walk->device, pool, level, RING, ret));
}

void
walk_cases_frame_window(struct walk *walk, const char *how)
{
    const struct manner *manner = manners;
    VkCommandBuffer commands[RING], inner[RING];
    VkCommandPool pool;
    while (strcmp(manner->name, how) != 0)
        manner++;
    WALK_CHECK(vk_command_pool(walk->device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &pool));
    allocate(walk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, commands);
    allocate(walk, pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, inner);
    uint32_t last = 0;
    for (uint32_t frame = 0; frame < FRAMES + manner->lag; frame++) {
        if (frame < FRAMES && frame < manner->until) {
            last = frame;
            record(walk, manner, commands[frame % RING], inner[frame % RING], frame);
        }
        uint32_t run = frame - manner->lag < last ? frame - manner->lag : last;
        if (frame >= manner->lag)
            walk_submit(walk, 1, &commands[run % RING]);
    }
    vkDestroyCommandPool(walk->device, pool, NULL);
}
