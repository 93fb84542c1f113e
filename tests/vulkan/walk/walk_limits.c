/** @file
 * The cases of the walk at the limits of indirect work: very many draws in one buffer and very many buffers,
 * arguments with odd strides or none, counts from a buffer, secondaries that are used again.
 * tests/vulkan/walk_limits.py has the numbers. */
#include <stdlib.h>

#include "tests/vulkan/walk/walk.h"

enum { WORDS = 1024, BUFFERS = 1100 };

static void
begin_again(struct walk *walk, VkCommandBuffer commands, const char *label)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    walk->begin_label(commands, &text);
}

static void
begin_pass(struct walk *walk, VkCommandBuffer commands)
{
    walk_rendering(walk, commands, 0, 0);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
}

static void
finish(struct walk *walk, VkCommandBuffer commands)
{
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

/** Arguments for draws of three vertices, of which every hundredth is to be drawn. */
static void
fill(const struct walk_args *args)
{
    for (size_t i = 0; i < WORDS / 4; i++) {
        args->word[4 * i] = 3;
        args->word[4 * i + 1] = i % 100 == 0;
    }
}

/** One buffer: 800,000 bytes of arguments, then one draw, then 800,000 bytes again. */
static void
case_very_many(struct walk *walk, const struct walk_args *args)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "very many");
    fill(args);
    for (int round = 0; round < 3; round++) {
        if (round > 0)
            begin_again(walk, commands, round == 1 ? "few" : "very many");
        begin_pass(walk, commands);
        for (int i = 0; i < (round == 1 ? 1 : 500); i++)
            vkCmdDrawIndirect(commands, args->buffer, 0, 100, 16);
        finish(walk, commands);
    }
}

/** The most that one command may have copied (65,536 draws of 16 bytes), and one draw more. */
static void
case_largest(struct walk *walk)
{
    struct walk_args args = walk_args_sized(walk, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0x100010);
    args.word[0] = 3;
    args.word[1] = 1;
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "largest");
    begin_pass(walk, commands);
    vkCmdDrawIndirect(commands, args.buffer, 0, 65536, 16);
    vkCmdDrawIndirect(commands, args.buffer, 0, 65537, 16);
    finish(walk, commands);
    walk_args_close(walk, &args);
}

/** Strides that are 0, odd or wide. */
static void
case_strides(struct walk *walk, const struct walk_args *args)
{
    const uint32_t at[][3] = {{0, 3, 1},   {5, 6, 1},                 /* 20 bytes apart */
                              {512, 9, 1}, {0, 3, 1},                 /* 2048 */
                              {700, 3, 1}, {706, 6, 1}, {712, 9, 1}}; /* 24, with indices */
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        args->word[at[i][0]] = at[i][1];
        args->word[at[i][0] + 1] = at[i][2];
        args->word[at[i][0] + 2] = args->word[at[i][0] + 3] = args->word[at[i][0] + 4] = 0;
    }
    args->word[5] = 6;
    args->word[6] = 1;
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "strides");
    begin_pass(walk, commands);
    vkCmdBindIndexBuffer(commands, args->buffer, 3200, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndirect(commands, args->buffer, 0, 1, 0);
    vkCmdDrawIndirect(commands, args->buffer, 0, 2, 20);
    vkCmdDrawIndirect(commands, args->buffer, 0, 2, 2048);
    vkCmdDrawIndexedIndirect(commands, args->buffer, 2800, 3, 24);
    vkCmdDrawIndexedIndirect(commands, args->buffer, 2800, 1, 0);
    vkCmdDrawIndirect(commands, args->buffer, 0, 0, 4);
    finish(walk, commands);
}

/** Counts that are in a buffer: fewer than allowed, more, none, and none allowed; and one that may not be
 * copied, with arguments that may. */
static void
case_counts(struct walk *walk, const struct walk_args *args)
{
    struct walk_args closed = walk_args_open(walk, 0);
    const uint32_t counts[4] = {2, 9, 0, 5};
    fill(args);
    for (size_t i = 0; i < 8; i++)
        args->word[4 * i + 1] = 1;
    for (uint32_t i = 0; i < 4; i++)
        args->word[900 + i] = counts[i];
    closed.word[0] = 1;
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "counts");
    begin_pass(walk, commands);
    vkCmdDrawIndirectCount(commands, args->buffer, 0, args->buffer, 3600, 8, 16);
    vkCmdDrawIndirectCount(commands, args->buffer, 0, args->buffer, 3604, 8, 16);
    vkCmdDrawIndirectCount(commands, args->buffer, 0, args->buffer, 3608, 8, 16);
    vkCmdDrawIndirectCount(commands, args->buffer, 0, args->buffer, 3612, 0, 16);
    vkCmdDrawIndirectCount(commands, args->buffer, 0, closed.buffer, 0, 8, 16);
    finish(walk, commands);
    walk_args_close(walk, &closed);
}

/** Draw @p draws times from the arguments at the start. */
static void
record_secondary(struct walk *walk, VkCommandBuffer commands, const struct walk_args *args, uint32_t draws)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
                                                     VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                            .pInheritanceInfo = &inherit};
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
    for (uint32_t i = 0; i < draws; i++)
        vkCmdDrawIndirect(commands, args->buffer, 0, 1, 0);
    WALK_CHECK(vkEndCommandBuffer(commands));
}

static void
record_primary(struct walk *walk, VkCommandBuffer commands, VkCommandBuffer secondary, uint32_t times)
{
    walk_rendering(walk, commands, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, 0);
    for (uint32_t i = 0; i < times; i++)
        vkCmdExecuteCommands(commands, 1, &secondary);
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
}

/** One secondary in two primaries, run in turn with other arguments each time; then all are recorded anew,
 * the secondary with another number of draws. */
static void
case_reuse(struct walk *walk, const struct walk_args *args)
{
    VkCommandBuffer secondary, primary[2];
    WALK_CHECK(
        vk_command_buffers(walk->device, walk->pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1, &secondary));
    for (uint32_t round = 0; round < 2; round++) {
        record_secondary(walk, secondary, args, 1 + 2 * round);
        for (uint32_t p = 0; p < 2; p++) {
            if (round == 0)
                primary[p] = walk_begin(walk, walk->pool, 0, NULL, "reuse");
            else
                begin_again(walk, primary[p], "reuse");
            record_primary(walk, primary[p], secondary, 1 + p);
        }
        for (uint32_t i = 0; i < 4; i++) {
            args->word[0] = 3 * (1 + i + 4 * round);
            args->word[1] = 1;
            walk_submit(walk, 1, &primary[i % 2]);
        }
    }
}

/** Very many buffers at once, twice. */
static void
case_buffers(struct walk *walk, const struct walk_args *args)
{
    VkCommandBuffer *commands = calloc(BUFFERS, sizeof(VkCommandBuffer));
    args->word[0] = 3;
    args->word[1] = 1;
    for (int round = 0; round < 2 && commands; round++) {
        VkCommandPool pool;
        WALK_CHECK(vk_command_pool(walk->device, 0, 0, &pool));
        for (uint32_t i = 0; i < BUFFERS; i++) {
            commands[i] = walk_begin(walk, pool, 0, NULL, "buffers");
            begin_pass(walk, commands[i]);
            vkCmdDrawIndirect(commands[i], args->buffer, 0, 1, 0);
            vkCmdEndRendering(commands[i]);
            walk_end(walk, commands[i]);
        }
        walk_submit(walk, BUFFERS, commands);
        vkDestroyCommandPool(walk->device, pool, NULL);
    }
    free(commands);
}

void
walk_cases_limits(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    case_very_many(walk, &args);
    case_largest(walk);
    case_strides(walk, &args);
    case_counts(walk, &args);
    case_reuse(walk, &args);
    case_buffers(walk, &args);
    walk_args_close(walk, &args);
}
