/** @file
 * The case of the walk about whose time it was: a long dispatch after a short pass, a short copy or
 * dispatch, with or without a barrier of the application between them, and in front of a copy. The time of
 * the dispatch by itself is on stdout, for test_walk.py. */
#include <stdio.h>
#include <time.h>

#include "tests/vulkan/walk/walk.h"

enum { ROUNDS = 12, GROUPS = 256, MOST_GROUPS = 65536, WANTED_NS = 8000000 };

static uint64_t
now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/** Every row of groups writes the same. */
static void
action(struct walk *walk, VkCommandBuffer commands, uint32_t groups)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1, &walk->set,
                            0, NULL);
    vkCmdDispatch(commands, 4, groups / 4, 1);
}

/** A number of groups that takes some milliseconds here, with a sanitizer, too. */
static uint32_t
find_groups(struct walk *walk)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, NULL);
    uint64_t took = UINT64_MAX;
    action(walk, commands, GROUPS);
    action(walk, commands, GROUPS);
    walk_end(NULL, commands);
    for (int i = 0; i < 3; i++) {
        uint64_t begin = now_ns();
        walk_submit(walk, 1, &commands);
        uint64_t this = now_ns() - begin;
        took = this < took ? this : took;
    }
    uint64_t groups = (uint64_t)2 * GROUPS * WANTED_NS / (took < UINT64_MAX ? took + 1 : took);
    return groups > MOST_GROUPS ? MOST_GROUPS : groups < GROUPS ? GROUPS : (uint32_t)groups;
}

static VkCommandBuffer
alone(struct walk *walk, uint32_t groups)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "alone");
    action(walk, commands, groups);
    walk_end(walk, commands);
    return commands;
}

/** The application sets no barrier between its actions. */
static VkCommandBuffer
behind(struct walk *walk, bool copies, uint32_t groups)
{
    const VkBufferCopy half = {.srcOffset = 0, .dstOffset = 32768, .size = 32768};
    VkCommandBuffer commands =
        walk_begin(walk, walk->pool, 0, NULL, copies ? "behind a copy" : "behind a pass");
    walk_pass(walk, commands, 3);
    if (copies)
        vkCmdCopyBuffer(commands, walk->target, walk->target, 1, &half);
    action(walk, commands, groups);
    walk_end(walk, commands);
    return commands;
}

/** The application's commands between a short copy and the long dispatch. */
enum between { BETWEEN_BARRIER, BETWEEN_EVENT, BETWEEN_SHORT };

static VkCommandBuffer
parted(struct walk *walk, enum between between, VkEvent event, uint32_t groups)
{
    static const char *const label[] = {"behind a barrier", "behind an event", "behind a dispatch"};
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkBufferCopy half = {.srcOffset = 0, .dstOffset = 32768, .size = 32768};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, label[between]);
    vkCmdCopyBuffer(commands, walk->target, walk->target, 1, &half);
    if (between == BETWEEN_BARRIER)
        vkCmdPipelineBarrier(commands, all, all, 0, 0, NULL, 0, NULL, 0, NULL);
    else if (between == BETWEEN_EVENT)
        vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, all, 0, NULL, 0, NULL, 0, NULL);
    else
        action(walk, commands, 4);
    action(walk, commands, groups);
    vkCmdCopyBuffer(commands, walk->target, walk->target, 1, &half);
    walk_end(walk, commands);
    return commands;
}

void
walk_cases_times(struct walk *walk)
{
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    WALK_CHECK(vkCreateEvent(walk->device, &info, NULL, &event));
    WALK_CHECK(vkSetEvent(walk->device, event));
    uint32_t groups = find_groups(walk);
    const VkCommandBuffer commands[] = {alone(walk, groups),
                                        behind(walk, false, groups),
                                        behind(walk, true, groups),
                                        parted(walk, BETWEEN_BARRIER, event, groups),
                                        parted(walk, BETWEEN_EVENT, event, groups),
                                        parted(walk, BETWEEN_SHORT, event, groups)};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin = now_ns();
        walk_submit(walk, 1, &commands[0]);
        uint64_t took = now_ns() - begin;
        least = took < least ? took : least;
        for (size_t c = 1; c < sizeof(commands) / sizeof(commands[0]); c++)
            walk_submit(walk, 1, &commands[c]);
    }
    vkDestroyEvent(walk->device, event, NULL);
    printf("alone: %llu ns\n", (unsigned long long)least);
}
