/** @file
 * The cases of the walk for indirect draws and dispatches: every way to give their arguments, by the host and
 * by the GPU, before and after they are used. test_walk.py has the numbers. */
#include <stdlib.h>
#include <string.h>

#include "samples/vk_open.h"
#include "tests/vulkan/walk/walk.h"

enum { BYTES = 16384 };

struct walk_args
walk_args_open(struct walk *walk, VkBufferUsageFlags more)
{
    return walk_args_sized(walk, more, BYTES);
}

struct walk_args
walk_args_sized(struct walk *walk, VkBufferUsageFlags more, VkDeviceSize size)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                              VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT | more};
    struct walk_args args;
    VkMemoryRequirements need;
    const VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    WALK_CHECK(vkCreateBuffer(walk->device, &info, NULL, &args.buffer));
    vkGetBufferMemoryRequirements(walk->device, args.buffer, &need);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size};
    bool there = vk_memory_type(walk->physical, need.memoryTypeBits, flags, &allocate.memoryTypeIndex);
    WALK_CHECK(there ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY);
    WALK_CHECK(vkAllocateMemory(walk->device, &allocate, NULL, &args.memory));
    WALK_CHECK(vkBindBufferMemory(walk->device, args.buffer, args.memory, 0));
    WALK_CHECK(vkMapMemory(walk->device, args.memory, 0, VK_WHOLE_SIZE, 0, (void **)&args.word));
    memset(args.word, 0, size);
    return args;
}

void
walk_args_close(struct walk *walk, struct walk_args *args)
{
    vkDestroyBuffer(walk->device, args->buffer, NULL);
    vkFreeMemory(walk->device, args->memory, NULL);
}

/** A buffer begun, in a rendering. */
static VkCommandBuffer
begin(struct walk *walk, const char *label, VkRenderingFlags flags)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, label);
    walk_rendering(walk, commands, flags, 0);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
    return commands;
}

static void
finish(struct walk *walk, VkCommandBuffer commands)
{
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

/** The forms of a draw. */
static void
case_forms(struct walk *walk, const struct walk_args *args)
{
    const uint32_t one[4] = {3, 2}, several[24] = {3, 1, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 9, 1},
                   unlike[8] = {3, 1, 0, 0, 3, 2}, indexed[5] = {6, 1},
                   counted[16] = {3, 1, 0, 0, 3, 1, 0, 0, 3, 1, 0, 0, 3, 1}, two = 2;
    memcpy(args->word, one, sizeof(one));
    memcpy(args->word + 8, several, sizeof(several));
    memcpy(args->word + 32, unlike, sizeof(unlike));
    memcpy(args->word + 40, indexed, sizeof(indexed));
    memcpy(args->word + 48, counted, sizeof(counted));
    memcpy(args->word + 64, &two, sizeof(two));
    VkCommandBuffer commands = begin(walk, "forms", 0);
    vkCmdBindIndexBuffer(commands, args->buffer, 512, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndirect(commands, args->buffer, 0, 1, 0);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdDrawIndirect(commands, args->buffer, 32, 3, 32);
    vkCmdDrawIndirect(commands, args->buffer, 128, 2, 16);
    vkCmdDrawIndexedIndirect(commands, args->buffer, 160, 1, 0);
    vkCmdDrawIndirectCount(commands, args->buffer, 192, args->buffer, 256, 4, 16);
    vkCmdDrawIndirect(commands, args->buffer, 0, 0, 0);
    finish(walk, commands);
}

/** Dispatches whose arguments the GPU writes in front of each, in one place. */
static void
case_written(struct walk *walk, const struct walk_args *args)
{
    const uint32_t groups[3][3] = {{4, 1, 1}, {2, 3, 1}, {0, 9, 9}};
    VkMemoryBarrier before = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "written");
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    for (int i = 0; i < 3; i++) {
        vkCmdUpdateBuffer(commands, args->buffer, 512, sizeof(groups[i]), groups[i]);
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0,
                             1, &before, 0, NULL, 0, NULL);
        if (i < 2)
            vkCmdDispatchIndirect(commands, args->buffer, 512);
        /* This barrier only says: the arguments were read, and the dispatch's writes come before those of the
         * next round.
         */
        vkCmdPipelineBarrier(commands,
                             VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
        walk_barrier(commands);
    }
    walk_end(walk, commands);
    walk_submit(walk, 1, &commands);
}

/** A secondary inside a pass, executed twice; and the arguments change from one submission to the next. */
static void
case_secondary(struct walk *walk, const struct walk_args *args)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
    VkCommandBuffer secondary = walk_begin(walk, walk->pool,
                                           VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
                                               VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                           &inherit, "inner");
    vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
    vkCmdDrawIndirect(secondary, args->buffer, 768, 1, 0);
    walk_end(walk, secondary);
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "primary");
    walk_rendering(walk, primary, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, 0);
    vkCmdExecuteCommands(primary, 1, &secondary);
    vkCmdExecuteCommands(primary, 1, &secondary);
    vkCmdEndRendering(primary);
    walk_end(walk, primary);
    for (uint32_t i = 1; i <= 3; i++) {
        args->word[192] = 3 * i;
        args->word[193] = 1;
        walk_submit(walk, 1, &primary);
    }
}

/** A secondary for inside a rendering, which draws by itself and executes others. */
static VkCommandBuffer
secondary_of(struct walk *walk, const struct walk_args *args, const char *label, VkCommandBuffer inner)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
    VkCommandBuffer commands = walk_begin(walk, walk->pool,
                                          VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
                                              VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                                          &inherit, label);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
    vkCmdDrawIndirect(commands, args->buffer, inner ? 16 : 0, 1, 0);
    for (int i = 0; i < 2 && inner; i++)
        vkCmdExecuteCommands(commands, 1, &inner);
    walk_end(walk, commands);
    return commands;
}

void
walk_cases_nested(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    VkCommandBuffer inner = secondary_of(walk, &args, "inner", NULL);
    VkCommandBuffer middle = secondary_of(walk, &args, "middle", inner);
    VkCommandBuffer primary = walk_begin(walk, walk->pool, 0, NULL, "primary");
    walk_rendering(walk, primary, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, 0);
    vkCmdExecuteCommands(primary, 1, &middle);
    vkCmdEndRendering(primary);
    walk_end(walk, primary);
    for (uint32_t i = 1; i <= 2; i++) {
        args.word[0] = 3 * i;
        args.word[1] = i;
        args.word[4] = 30 * i;
        args.word[5] = 1;
        walk_submit(walk, 1, &primary);
    }
    walk_args_close(walk, &args);
}

/** A pass over two command buffers: nothing may be between them; and one that goes on in the same. */
static void
case_suspended(struct walk *walk, const struct walk_args *args)
{
    VkCommandBuffer commands[2] = {begin(walk, "suspended", VK_RENDERING_SUSPENDING_BIT), NULL};
    vkCmdDrawIndirect(commands[0], args->buffer, 0, 1, 0);
    vkCmdEndRendering(commands[0]);
    walk_end(NULL, commands[0]);
    commands[1] = begin(walk, NULL, VK_RENDERING_RESUMING_BIT);
    vkCmdDrawIndirect(commands[1], args->buffer, 0, 1, 0);
    vkCmdEndRendering(commands[1]);
    walk_end(walk, commands[1]);
    walk_submit(walk, 2, commands);
    VkCommandBuffer same = begin(walk, "same", VK_RENDERING_SUSPENDING_BIT);
    vkCmdDrawIndirect(same, args->buffer, 0, 1, 0);
    vkCmdEndRendering(same);
    walk_rendering(walk, same, VK_RENDERING_RESUMING_BIT, 0);
    vkCmdDrawIndirect(same, args->buffer, 0, 1, 0);
    finish(walk, same);
}

/** A buffer that may not be copied from. */
static void
case_no_source(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, 0);
    args.word[0] = 3;
    args.word[1] = 1;
    VkCommandBuffer commands = begin(walk, "no source", 0);
    vkCmdDrawIndirect(commands, args.buffer, 0, 1, 0);
    finish(walk, commands);
    walk_args_close(walk, &args);
}

/** More arguments than one piece of memory holds. */
static void
case_many(struct walk *walk)
{
    enum { DRAWS = 60, EACH = 100 };
    struct walk_args args = walk_args_open(walk, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    for (uint32_t i = 0; i < EACH; i++) {
        args.word[4 * i] = 3;
        args.word[4 * i + 1] = i % 2;
    }
    VkCommandBuffer commands = begin(walk, "many", 0);
    for (uint32_t i = 0; i < DRAWS; i++)
        vkCmdDrawIndirect(commands, args.buffer, 0, EACH, 16);
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    for (int i = 0; i < 2; i++)
        walk_submit(walk, 1, &commands);
    walk_args_close(walk, &args);
}

void
walk_cases_indirect(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    case_forms(walk, &args);
    case_written(walk, &args);
    case_secondary(walk, &args);
    case_suspended(walk, &args);
    case_no_source(walk);
    case_many(walk);
    walk_args_close(walk, &args);
}
