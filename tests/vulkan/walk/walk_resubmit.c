/** @file
 * The cases of the walk for command buffers that run more than once: recorded once and submitted again with
 * other arguments each time, waited for only by values of semaphores; recorded anew and freed as soon as
 * these values allow it; by several threads; and suspended passes in which one command buffer is twice.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <stdio.h>

#include "tests/vulkan/walk/walk.h"

/** Submissions that are waited for by reading a semaphore's value. */
struct turns {
    struct walk *walk;
    VkQueue queue;
    VkSemaphore semaphore;
    uint64_t value;
};

static struct turns
open_turns(struct walk *walk, VkQueue queue)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    struct turns turns = {.walk = walk, .queue = queue};
    WALK_CHECK(vkCreateSemaphore(walk->device, &info, NULL, &turns.semaphore));
    return turns;
}

/** Submit, and read the value until the submission has ended. The fake driver ends it at once, and has no
 * semaphores. */
static void
take_turn(struct turns *turns, VkCommandBuffer commands)
{
    uint64_t now = 0;
    turns->value++;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .signalSemaphoreValueCount = 1,
                                                  .pSignalSemaphoreValues = &turns->value};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &turns->semaphore};
    WALK_CHECK(vkQueueSubmit(turns->queue, 1, &info, VK_NULL_HANDLE));
    while (!getenv("FAKE_VK") && now < turns->value) {
        usleep(200);
        WALK_CHECK(vkGetSemaphoreCounterValue(turns->walk->device, turns->semaphore, &now));
    }
}

static VkCommandPool
open_pool(struct walk *walk)
{
    VkCommandPool pool;
    WALK_CHECK(vk_command_pool(walk->device, 0, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, &pool));
    return pool;
}

/** A pass of one draw; the host writes its number of vertices before each run. */
static void
record_indirect(struct walk *walk, VkCommandBuffer commands, const struct walk_args *args)
{
    walk_rendering(walk, commands, 0, 0);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
    vkCmdDrawIndirect(commands, args->buffer, 0, 1, 16);
    vkCmdEndRendering(commands);
}

/** Begin the command buffer again, with a label. */
static void
begin_again(struct walk *walk, VkCommandBuffer commands, const char *label)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = label};
    WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
    walk->begin_label(commands, &text);
}

/** One command buffer runs six times; then it is recorded anew, and its pool is destroyed as soon as it has
 * run. */
static void
case_again(struct walk *walk, const struct walk_args *args)
{
    struct turns turns = open_turns(walk, walk->queue);
    VkCommandPool pool = open_pool(walk);
    VkCommandBuffer commands = walk_begin(walk, pool, 0, NULL, "again");
    args->word[1] = 1;
    record_indirect(walk, commands, args);
    walk_end(walk, commands);
    for (uint32_t i = 1; i <= 6; i++) {
        args->word[0] = 3 * i;
        take_turn(&turns, commands);
    }
    begin_again(walk, commands, "again anew");
    walk_pass(walk, commands, 2);
    walk_end(walk, commands);
    take_turn(&turns, commands);
    vkDestroyCommandPool(walk->device, pool, NULL);
    vkDestroySemaphore(walk->device, turns.semaphore, NULL);
}

/** Two command buffers alternate; each is recorded anew with the queries that the other one has freed. */
static void
case_turns(struct walk *walk, const struct walk_args *args)
{
    struct turns turns = open_turns(walk, walk->queue);
    VkCommandPool pool = open_pool(walk);
    VkCommandBuffer commands[2];
    for (uint32_t i = 0; i < 20; i++) {
        if (i < 2)
            commands[i] = walk_begin(walk, pool, 0, NULL, "turns");
        else
            begin_again(walk, commands[i % 2], "turns");
        args->word[0] = 3 * (i + 1);
        record_indirect(walk, commands[i % 2], args);
        walk_end(walk, commands[i % 2]);
        take_turn(&turns, commands[i % 2]);
    }
    vkDestroyCommandPool(walk->device, pool, NULL);
    vkDestroySemaphore(walk->device, turns.semaphore, NULL);
}

/** A secondary for inside a rendering, with one draw. */
static VkCommandBuffer
make_inside(struct walk *walk, const struct walk_args *args)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &rendering};
    VkCommandBuffer secondary =
        walk_begin(walk, walk->pool, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherit, NULL);
    vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
    vkCmdDrawIndirect(secondary, args->buffer, 0, 1, 16);
    walk_end(NULL, secondary);
    return secondary;
}

/** A secondary inside a rendering, whose primary runs four times. */
static void
case_inside(struct walk *walk, const struct walk_args *args)
{
    struct turns turns = open_turns(walk, walk->queue);
    VkCommandBuffer secondary = make_inside(walk, args);
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "again inside");
    walk_rendering(walk, commands, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, 0);
    vkCmdExecuteCommands(commands, 1, &secondary);
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    for (uint32_t i = 1; i <= 4; i++) {
        args->word[0] = 3 * i;
        take_turn(&turns, commands);
    }
    vkDestroySemaphore(walk->device, turns.semaphore, NULL);
}

/** A rendering that three buffers make up, the one in the middle once or twice. */
static void
case_chain(struct walk *walk)
{
    const VkRenderingFlags flags[3] = {VK_RENDERING_SUSPENDING_BIT,
                                       VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT,
                                       VK_RENDERING_RESUMING_BIT};
    VkCommandBuffer commands[3];
    for (int i = 0; i < 3; i++) {
        commands[i] = walk_begin(walk, walk->pool, i == 1 ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0,
                                 NULL, NULL);
        walk_rendering(walk, commands[i], flags[i], 0);
        vkCmdBindPipeline(commands[i], VK_PIPELINE_BIND_POINT_GRAPHICS, walk->draw_dynamic);
        for (int d = 0; d <= i; d++)
            vkCmdDraw(commands[i], 3, 1, 0, 0);
        vkCmdEndRendering(commands[i]);
        walk_end(NULL, commands[i]);
    }
    const VkCommandBuffer twice[4] = {commands[0], commands[1], commands[1], commands[2]};
    walk_submit(walk, 4, twice);
    walk_submit(walk, 3, commands);
}

enum { TURNS = 200 };

static void *
run_turns(void *argument)
{
    struct turns *turns = argument;
    VkCommandPool pool = open_pool(turns->walk);
    VkCommandBuffer commands = walk_begin(turns->walk, pool, 0, NULL, "at once");
    walk_pass(turns->walk, commands, 1);
    walk_end(turns->walk, commands);
    for (int i = 0; i < TURNS; i++) {
        if (i % 50 == 49) {
            begin_again(turns->walk, commands, "at once");
            walk_pass(turns->walk, commands, 1);
            walk_end(turns->walk, commands);
        }
        take_turn(turns, commands);
        if (i % 7 == 0)
            WALK_CHECK(vkQueueWaitIdle(turns->queue));
    }
    vkDestroyCommandPool(turns->walk->device, pool, NULL);
    return NULL;
}

/** Two threads, each with a queue, if there are two. */
static void
case_threads(struct walk *walk)
{
    struct turns turns[2];
    pthread_t thread[2];
    if (walk->queues[0] < 2)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        VkQueue queue;
        vkGetDeviceQueue(walk->device, 0, i, &queue);
        turns[i] = open_turns(walk, queue);
        if (pthread_create(&thread[i], NULL, run_turns, &turns[i]) != 0)
            exit(1);
    }
    for (uint32_t i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        vkDestroySemaphore(walk->device, turns[i].semaphore, NULL);
    }
}

static void
submit_to(struct walk *walk, VkQueue queue, VkCommandBuffer commands, bool wait)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkFence fence = wait ? walk_fence(walk) : VK_NULL_HANDLE;
    WALK_CHECK(vkQueueSubmit(queue, 1, &info, fence));
    if (wait)
        walk_wait(walk, fence);
}

/** One buffer and its secondary, by turns on two queues, with other arguments each time. The first queue has
 * earlier work that no submission waits for, so a later submission may end before it. */
void
walk_cases_crossed(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, 0);
    VkQueue queue[2] = {walk->queue, walk->queue};
    VkCommandPool pool = open_pool(walk);
    if (walk->queues[0] > 1)
        vkGetDeviceQueue(walk->device, 0, 1, &queue[1]);
    VkCommandBuffer secondary = make_inside(walk, &args);
    VkCommandBuffer commands = walk_begin(walk, pool, 0, NULL, "crossed");
    record_indirect(walk, commands, &args);
    walk_rendering(walk, commands, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT, 0);
    vkCmdExecuteCommands(commands, 1, &secondary);
    vkCmdEndRendering(commands);
    walk_end(walk, commands);
    args.word[1] = 1;
    for (uint32_t i = 0; i < 24; i++) {
        VkCommandBuffer other =
            walk_begin(walk, pool, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, NULL, "other queue");
        walk_pass(walk, other, 1);
        walk_end(walk, other);
        submit_to(walk, queue[0], other, false);
        args.word[0] = 3 * (i + 1);
        submit_to(walk, queue[i % 6 < 4], commands, true);
    }
    WALK_CHECK(vkDeviceWaitIdle(walk->device));
    vkDestroyCommandPool(walk->device, pool, NULL);
    walk_args_close(walk, &args);
}

/** A command buffer for simultaneous use runs eight times at once, each time with other arguments, which the
 * GPU writes before it. */
void
walk_cases_in_flight(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, 0);
    VkCommandBuffer commands =
        walk_begin(walk, walk->pool, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, NULL, "in flight");
    record_indirect(walk, commands, &args);
    walk_end(walk, commands);
    for (uint32_t i = 1; i <= 8; i++) {
        const VkDrawIndirectCommand draw = {.vertexCount = 3 * i, .instanceCount = 1};
        VkCommandBuffer update =
            walk_begin(walk, walk->pool, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, NULL, "update");
        walk_barrier(update);
        vkCmdUpdateBuffer(update, args.buffer, 0, sizeof(draw), &draw);
        walk_barrier(update);
        walk_end(walk, update);
        submit_to(walk, walk->queue, update, false);
        submit_to(walk, walk->queue, commands, false);
    }
    WALK_CHECK(vkDeviceWaitIdle(walk->device));
    walk_args_close(walk, &args);
}

void
walk_cases_again(struct walk *walk)
{
    struct walk_args args = walk_args_open(walk, 0);
    case_again(walk, &args);
    case_turns(walk, &args);
    case_inside(walk, &args);
    case_chain(walk);
    case_threads(walk);
    walk_args_close(walk, &args);
}

void
walk_cases_refused(struct walk *walk)
{
    uint32_t refused = 0;
    for (uint32_t i = 1; i <= 12; i++) {
        VkCommandBuffer commands =
            walk_begin(walk, walk->pool, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, NULL, "refused");
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
        VkFence fence = walk_fence(walk);
        VkResult result;
        walk_pass(walk, commands, i);
        walk_end(walk, commands);
        while ((result = vkQueueSubmit(walk->queue, 1, &info, fence)) == VK_ERROR_OUT_OF_DEVICE_MEMORY)
            refused++;
        WALK_CHECK(result);
        walk_wait(walk, fence);
        vkFreeCommandBuffers(walk->device, walk->pool, 1, &commands);
    }
    printf("walk: refused %u\n", refused);
}
