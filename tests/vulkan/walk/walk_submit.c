/** @file
 * The cases of the walk that differ in how work is submitted, and main(). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vulkan/walk/walk.h"

VkFence
walk_fence(struct walk *walk)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    WALK_CHECK(vkCreateFence(walk->device, &info, NULL, &fence));
    return fence;
}

void
walk_wait(struct walk *walk, VkFence fence)
{
    WALK_CHECK(vkWaitForFences(walk->device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(walk->device, fence, NULL);
}

static void
submit(struct walk *walk, uint32_t count, const VkCommandBuffer *commands, VkFence fence)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count, .pCommandBuffers = commands};
    WALK_CHECK(vkQueueSubmit(walk->queue, 1, &info, fence));
}

void
walk_submit(struct walk *walk, uint32_t count, const VkCommandBuffer *commands)
{
    VkFence fence = walk_fence(walk);
    submit(walk, count, commands, fence);
    walk_wait(walk, fence);
}

static VkCommandBuffer
make(struct walk *walk, VkCommandBufferUsageFlags usage, const char *label, uint32_t draws)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, usage, NULL, label);
    walk_pass(walk, commands, draws);
    walk_end(walk, commands);
    return commands;
}

static void
case_resubmitted(struct walk *walk)
{
    VkCommandBuffer commands = make(walk, 0, "resubmitted", 1);
    for (int i = 0; i < 5; i++)
        walk_submit(walk, 1, &commands);
}

/** Pending several times at once, three times in one batch among others. */
static void
case_simultaneous(struct walk *walk)
{
    VkCommandBuffer commands = make(walk, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, "simultaneous", 2);
    VkCommandBuffer other = make(walk, 0, "between", 1);
    const VkCommandBuffer list[4] = {commands, other, commands, commands};
    submit(walk, 4, list, VK_NULL_HANDLE);
    for (int i = 0; i < 3; i++)
        submit(walk, 1, &commands, VK_NULL_HANDLE);
    WALK_CHECK(vkQueueWaitIdle(walk->queue));
}

/** Recorded anew as soon as the fence allows; the pool destroyed at once in the last round. */
static void
case_recorded_anew(struct walk *walk)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = "anew"};
    VkCommandPool pool;
    WALK_CHECK(vk_command_pool(walk->device, 0, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, &pool));
    VkCommandBuffer commands = walk_begin(walk, pool, 0, NULL, "never submitted");
    walk_pass(walk, commands, 9);
    walk_end(walk, commands);
    for (uint32_t draws = 1; draws <= 4; draws++) {
        WALK_CHECK(vkResetCommandPool(walk->device, pool, 0));
        WALK_CHECK(vkBeginCommandBuffer(commands, &begin));
        walk->begin_label(commands, &text);
        walk_pass(walk, commands, draws);
        walk_end(walk, commands);
        walk_submit(walk, 1, &commands);
    }
    vkDestroyCommandPool(walk->device, pool, NULL);
}

/** Frames of one submission with 1 to 13 draws, in an order that matches no rotation of sets. */
void
walk_cases_varied(struct walk *walk)
{
    uint32_t number = 1;
    for (int i = 0; i < 240; i++) {
        number = number * 1103515245 + 12345;
        VkCommandBuffer commands =
            make(walk, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, "varied", 1 + (number >> 16) % 13);
        walk_submit(walk, 1, &commands);
        vkFreeCommandBuffers(walk->device, walk->pool, 1, &commands);
    }
}

static VkSemaphore
make_timeline(struct walk *walk)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    WALK_CHECK(vkCreateSemaphore(walk->device, &info, NULL, &semaphore));
    return semaphore;
}

static void
submit_waiting(struct walk *walk, VkCommandBuffer commands, VkSemaphore semaphore, uint64_t value)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &value};
    const VkSubmitInfo held = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &semaphore,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
    WALK_CHECK(vkQueueSubmit(walk->queue, 1, &held, VK_NULL_HANDLE));
}

static void
signal_value(struct walk *walk, VkSemaphore semaphore, uint64_t value)
{
    const VkSemaphoreSignalInfo go = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};
    WALK_CHECK(vkSignalSemaphore(walk->device, &go));
}

/** One pass, submitted again and again: twice it waits for a value that the host signals after the call. */
void
walk_cases_held(struct walk *walk)
{
    VkCommandBuffer commands = make(walk, 0, "held", 3);
    VkSemaphore semaphore = make_timeline(walk);
    walk_submit(walk, 1, &commands);
    for (uint64_t value = 1; value <= 2; value++) {
        submit_waiting(walk, commands, semaphore, value);
        signal_value(walk, semaphore, value);
        WALK_CHECK(vkQueueWaitIdle(walk->queue));
        for (uint64_t i = 0; i < 4 * value + 2; i++)
            walk_submit(walk, 1, &commands);
    }
    vkDestroySemaphore(walk->device, semaphore, NULL);
}

/** One pass that waits for values that the host signals. The second time, another submission is made before
 * the signal. The last time, a batch waits for the batch before it. */
void
walk_cases_waits(struct walk *walk)
{
    VkCommandBuffer commands = make(walk, 0, "waits", 3), behind = make(walk, 0, "waits", 3);
    VkSemaphore semaphore = make_timeline(walk);
    walk_submit(walk, 1, &commands);
    for (uint64_t value = 1; value <= 2; value++) {
        submit_waiting(walk, commands, semaphore, value);
        if (value == 2)
            submit(walk, 1, &behind, VK_NULL_HANDLE);
        signal_value(walk, semaphore, value);
        WALK_CHECK(vkQueueWaitIdle(walk->queue));
        walk_submit(walk, 1, &commands);
    }
    const uint64_t value = 3;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values[2] = {
        {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .signalSemaphoreValueCount = 1,
         .pSignalSemaphoreValues = &value},
        {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .waitSemaphoreValueCount = 1,
         .pWaitSemaphoreValues = &value},
    };
    VkSubmitInfo batch[2];
    for (int i = 0; i < 2; i++)
        batch[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .pNext = &values[i],
                                  .waitSemaphoreCount = i == 1,
                                  .pWaitSemaphores = &semaphore,
                                  .pWaitDstStageMask = &stage,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = i == 0 ? &commands : &behind,
                                  .signalSemaphoreCount = i == 0,
                                  .pSignalSemaphores = &semaphore};
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueSubmit(walk->queue, 2, batch, fence));
    walk_wait(walk, fence);
    vkDestroySemaphore(walk->device, semaphore, NULL);
}

/** While a submission waits for the host, another device has actions, and again when it has ended. */
void
walk_held_devices(void)
{
    struct walk walk[2];
    walk_open(&walk[0]);
    walk_open(&walk[1]);
    VkCommandBuffer held = make(&walk[0], 0, "held", 3), other = make(&walk[1], 0, "other device", 2);
    VkSemaphore semaphore = make_timeline(&walk[0]);
    submit_waiting(&walk[0], held, semaphore, 1);
    walk_submit(&walk[1], 1, &other);
    signal_value(&walk[0], semaphore, 1);
    WALK_CHECK(vkQueueWaitIdle(walk[0].queue));
    walk_submit(&walk[1], 1, &other);
    vkDestroySemaphore(walk[0].device, semaphore, NULL);
    walk_close(&walk[0]);
    walk_close(&walk[1]);
}

/** While a submission waits for the host, another queue has actions, and again when it has ended. */
void
walk_cases_held_overlapped(struct walk *walk)
{
    VkCommandBuffer commands[2] = {make(walk, 0, "held", 3), make(walk, 0, "other queue", 2)};
    VkSemaphore semaphore = make_timeline(walk);
    VkQueue other;
    vkGetDeviceQueue(walk->device, 0, 1, &other);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands[1]};
    submit_waiting(walk, commands[0], semaphore, 1);
    for (int i = 0; i < 3; i++) {
        WALK_CHECK(vkQueueSubmit(other, 1, &submit, VK_NULL_HANDLE));
        WALK_CHECK(vkQueueWaitIdle(other));
        if (i == 1) {
            signal_value(walk, semaphore, 1);
            WALK_CHECK(vkQueueWaitIdle(walk->queue));
        }
    }
    vkDestroySemaphore(walk->device, semaphore, NULL);
}

/** A submission that waits for a value that the host signals only after the call has returned. */
static void
case_timeline(struct walk *walk)
{
    VkCommandBuffer commands[2] = {make(walk, 0, "timeline", 1), make(walk, 0, "timeline", 2)};
    VkSemaphore semaphore = make_timeline(walk);
    const uint64_t wait[2] = {1, 2}, signal[2] = {2, 3};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkTimelineSemaphoreSubmitInfo values[2];
    VkSubmitInfo batch[2];
    for (int i = 0; i < 2; i++) {
        values[i] = (VkTimelineSemaphoreSubmitInfo){
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = &wait[i],
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &signal[i],
        };
        batch[i] = (VkSubmitInfo){
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = &values[i],
            .waitSemaphoreCount = 1,
            .pWaitSemaphores = &semaphore,
            .pWaitDstStageMask = &stage,
            .commandBufferCount = 1,
            .pCommandBuffers = &commands[i],
            .signalSemaphoreCount = 1,
            .pSignalSemaphores = &semaphore,
        };
    }
    WALK_CHECK(vkQueueSubmit(walk->queue, 2, batch, VK_NULL_HANDLE));
    signal_value(walk, semaphore, 1);
    const VkSemaphoreWaitInfo done = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &semaphore,
        .pValues = &signal[1],
    };
    WALK_CHECK(vkWaitSemaphores(walk->device, &done, UINT64_MAX));
    WALK_CHECK(vkQueueWaitIdle(walk->queue));
    vkDestroySemaphore(walk->device, semaphore, NULL);
}

void
walk_cases_submit2(struct walk *walk)
{
    const VkCommandBufferSubmitInfo commands[3] = {
        {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = make(walk, 0, "submit2", 1)},
        {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = make(walk, 0, "submit2", 2)},
        {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, .commandBuffer = make(walk, 0, "submit2", 3)},
    };
    const VkSubmitInfo2 batch[3] = {
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
         .commandBufferInfoCount = 2,
         .pCommandBufferInfos = commands},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2},
        {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
         .commandBufferInfoCount = 1,
         .pCommandBufferInfos = commands + 2},
    };
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueSubmit2(walk->queue, 3, batch, fence));
    walk_wait(walk, fence);
}

/** Submissions without commands, in several ways. */
static void
case_empty(struct walk *walk)
{
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, "empty");
    walk_end(walk, commands);
    WALK_CHECK(vkQueueSubmit(walk->queue, 0, NULL, VK_NULL_HANDLE));
    walk_submit(walk, 0, NULL);
    walk_submit(walk, 1, &commands);
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueSubmit(walk->queue, 0, NULL, fence));
    walk_wait(walk, fence);
}

static void
case_queue_label(struct walk *walk)
{
    const VkDebugUtilsLabelEXT text = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                       .pLabelName = "queue label"};
    VkCommandBuffer commands = walk_begin(walk, walk->pool, 0, NULL, NULL);
    walk_pass(walk, commands, 1);
    walk_end(NULL, commands);
    walk->begin_queue_label(walk->queue, &text);
    walk_submit(walk, 1, &commands);
    walk->end_queue_label(walk->queue);
}

static void
submit_batch(struct walk *walk, uint32_t count, const VkSubmitInfo *batch)
{
    VkFence fence = walk_fence(walk);
    WALK_CHECK(vkQueueSubmit(walk->queue, count, batch, fence));
    walk_wait(walk, fence);
}

/** Batches with device masks (a group of one device), between others of the same buffers; one with a buffer
 * twice, after another struct; and one with an unknown struct in front of the masks. */
void
walk_cases_group(struct walk *walk)
{
    const uint32_t mask[2] = {1, 1};
    const VkBaseInStructure unknown = {.sType = (VkStructureType)1000999999};
    VkDeviceGroupSubmitInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO,
                                     .commandBufferCount = 1,
                                     .pCommandBufferDeviceMasks = mask};
    VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                            .pNext = &group};
    VkBaseInStructure front = unknown;
    VkCommandBuffer commands[2] = {make(walk, 0, "group", 1), make(walk, 0, "group", 2)};
    VkCommandBuffer one = make(walk, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, "twice", 1);
    const VkCommandBuffer twice[2] = {one, one};
    VkSubmitInfo batch[2];
    for (int i = 0; i < 2; i++)
        batch[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                  .pNext = i == 0 ? &group : NULL,
                                  .commandBufferCount = 1,
                                  .pCommandBuffers = &commands[i]};
    walk_submit(walk, 2, commands);
    submit_batch(walk, 2, batch);
    walk_submit(walk, 2, commands);
    front.pNext = (const VkBaseInStructure *)&group;
    batch[0].pNext = &front;
    submit_batch(walk, 2, batch);
    walk_submit(walk, 2, commands);
    group.commandBufferCount = 2;
    batch[0].pNext = &values;
    batch[0].commandBufferCount = 2;
    batch[0].pCommandBuffers = twice;
    submit_batch(walk, 1, batch);
}

/** Far more submissions at once than passprobe measures; their command buffers run again afterwards. */
void
walk_cases_many(struct walk *walk)
{
    enum { MANY = 700 };
    VkCommandBuffer commands[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        commands[i] = make(walk, 0, "many", 1);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++)
            submit(walk, 1, &commands[i], VK_NULL_HANDLE);
        WALK_CHECK(vkQueueWaitIdle(walk->queue));
    }
}

void
walk_cases_submit(struct walk *walk)
{
    case_empty(walk);
    case_resubmitted(walk);
    case_simultaneous(walk);
    case_recorded_anew(walk);
    case_timeline(walk);
    walk_cases_submit2(walk);
    case_queue_label(walk);
}

enum { THREADS = 4, PER_THREAD = 10 };

struct recorder {
    struct walk *walk;
    VkCommandPool pool;
    VkCommandBuffer commands[PER_THREAD];
};

static void *
record(void *argument)
{
    struct recorder *recorder = argument;
    for (uint32_t i = 0; i < PER_THREAD; i++) {
        recorder->commands[i] = walk_begin(recorder->walk, recorder->pool, 0, NULL, "threads");
        walk_pass(recorder->walk, recorder->commands[i], 40);
        walk_end(recorder->walk, recorder->commands[i]);
    }
    return NULL;
}

/** Recorded by several threads at once, submitted by one. */
void
walk_cases_threads(struct walk *walk)
{
    struct recorder recorder[THREADS];
    pthread_t thread[THREADS];
    VkCommandBuffer all[THREADS * PER_THREAD];
    for (int i = 0; i < THREADS; i++) {
        recorder[i].walk = walk;
        WALK_CHECK(vk_command_pool(walk->device, 0, 0, &recorder[i].pool));
        if (pthread_create(&thread[i], NULL, record, &recorder[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        memcpy(all + i * PER_THREAD, recorder[i].commands, sizeof(recorder[i].commands));
    }
    walk_submit(walk, THREADS * PER_THREAD, all);
    for (int i = 0; i < THREADS; i++)
        vkDestroyCommandPool(walk->device, recorder[i].pool, NULL);
}

/** A command pool of another family. */
static VkCommandPool
make_pool(struct walk *walk, uint32_t family)
{
    VkCommandPool pool;
    WALK_CHECK(vk_command_pool(walk->device, family, 0, &pool));
    return pool;
}

/** A fill or a dispatch on the first queue of a family. */
static void
action_on_family(struct walk *walk, uint32_t family, bool compute)
{
    VkQueue queue;
    VkCommandPool pool = make_pool(walk, family);
    VkCommandBuffer commands = walk_begin(walk, pool, 0, NULL, NULL);
    if (compute) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, walk->compute_layout, 0, 1,
                                &walk->set, 0, NULL);
        vkCmdDispatch(commands, 3, 1, 1);
    } else {
        vkCmdFillBuffer(commands, walk->target, 0, 64, 0);
    }
    walk_end(NULL, commands);
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    vkGetDeviceQueue(walk->device, family, 0, &queue);
    for (int i = 0; i < 3; i++) {
        WALK_CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
        WALK_CHECK(vkQueueWaitIdle(queue));
    }
    vkDestroyCommandPool(walk->device, pool, NULL);
}

/** The families beyond the first: compute, transfers only; and one buffer pending on two queues at once. */
void
walk_cases_families(struct walk *walk)
{
    if (walk->families > 1)
        action_on_family(walk, 1, true);
    for (uint32_t family = 2; family < walk->families; family++)
        action_on_family(walk, family, false);
    if (walk->queues[0] < 2)
        return;
    VkCommandBuffer commands = make(walk, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, "two queues", 1);
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkQueue other;
    vkGetDeviceQueue(walk->device, 0, 1, &other);
    WALK_CHECK(vkQueueSubmit(walk->queue, 1, &info, VK_NULL_HANDLE));
    WALK_CHECK(vkQueueSubmit(other, 1, &info, VK_NULL_HANDLE));
    WALK_CHECK(vkDeviceWaitIdle(walk->device));
}

/** All usual cases. @param threads Include those that record in several threads at once. */
void
walk_all(struct walk *walk, bool threads)
{
    walk_cases_record(walk);
    walk_cases_submit(walk);
    walk_cases_more(walk);
    if (threads)
        walk_cases_threads(walk);
    walk_cases_families(walk);
}

/** Two instances, each with a device, alternate in one process; then the second one continues. */
void
walk_two(void)
{
    struct walk walk[2];
    walk_open(&walk[0]);
    walk_open(&walk[1]);
    for (int i = 0; i < 2; i++) {
        walk_cases_submit(&walk[0]);
        walk_cases_submit(&walk[1]);
    }
    walk_close(&walk[0]);
    walk_cases_submit(&walk[1]);
    walk_close(&walk[1]);
}

/** A submission waits for a value that the host signals only after it has waited for the submission before.
 */
void
walk_cases_by_host(struct walk *walk, bool by_event)
{
    const VkCommandBufferUsageFlags once = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkCommandBuffer first = make(walk, once, "by host", 1);
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VkEvent event = VK_NULL_HANDLE;
    submit(walk, 1, &first, VK_NULL_HANDLE);
    if (by_event)
        WALK_CHECK(vkCreateEvent(walk->device, &info, NULL, &event));
    else
        semaphore = make_timeline(walk);
    for (uint64_t i = 1; i <= 4; i++) {
        VkFence fence = walk_fence(walk);
        VkCommandBuffer plain = make(walk, once, "by host", 2),
                        held = walk_begin(walk, walk->pool, once, NULL, "by host");
        if (by_event)
            vkCmdWaitEvents(held, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                            0, NULL, 0, NULL, 0, NULL);
        walk_pass(walk, held, 3);
        walk_end(walk, held);
        submit(walk, 1, &plain, fence);
        if (by_event)
            submit(walk, 1, &held, VK_NULL_HANDLE);
        else
            submit_waiting(walk, held, semaphore, i);
        walk_wait(walk, fence);
        if (by_event)
            WALK_CHECK(vkSetEvent(walk->device, event));
        else
            signal_value(walk, semaphore, i);
        WALK_CHECK(vkQueueWaitIdle(walk->queue));
        if (by_event)
            WALK_CHECK(vkResetEvent(walk->device, event));
    }
    vkDestroySemaphore(walk->device, semaphore, NULL);
    vkDestroyEvent(walk->device, event, NULL);
}
