/** @file
 * The fake driver's queues: submissions wait, then run; queries behave as the specification says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fake/icd/fake.h"

/** Open queries and passes of a running submission. */
struct run {
    struct fake_pool *active[2]; /**< statistics, occlusion */
    uint32_t query[2];
    bool inside[2];
    uint32_t views; /**< of the open pass: queries inside it take this number of slots */
    bool suspends;  /**< the open pass will be suspended */
    bool suspended;
};

static unsigned
slot_of(const struct fake_pool *pool)
{
    return pool->type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? 0 : 1;
}

/** Add to the active statistics query, for one bit. */
static void
count(struct run *run, uint32_t bit, uint64_t value)
{
    struct fake_pool *pool = run->active[0];
    if (!pool || !(pool->statistics & (1U << bit)))
        return;
    uint32_t at = (uint32_t)__builtin_popcount(pool->statistics & ((1U << bit) - 1));
    pool->query[run->query[0]].value[at] += value;
}

static void
begin_query(struct run *run, const struct fake_op *op)
{
    unsigned s = slot_of(op->pool);
    if (run->active[s])
        fake_violation("two queries of one type are active");
    if (op->pool->query[op->first].state != FAKE_RESET)
        fake_violation("a query begins without having been reset");
    op->pool->query[op->first].state = FAKE_ACTIVE;
    memset(op->pool->query[op->first].value, 0, sizeof(op->pool->query[op->first].value));
    run->active[s] = op->pool;
    run->query[s] = op->first;
    run->inside[s] = op->count != 0;
}

/** Queries of the other views of a multiview pass: the first query counts everything. */
static void
fill_views(const struct run *run, const struct fake_op *op)
{
    for (uint32_t v = 1; v < run->views; v++) {
        if (op->pool->query[op->first + v].state != FAKE_RESET)
            fake_violation("a view's query was not reset");
        op->pool->query[op->first + v].state = FAKE_AVAILABLE;
        memset(op->pool->query[op->first + v].value, 0, sizeof(op->pool->query[0].value));
    }
}

static void
end_query(struct run *run, const struct fake_op *op)
{
    unsigned s = slot_of(op->pool);
    if (run->active[s] != op->pool || run->query[s] != op->first)
        fake_violation("a query ends that is not active");
    if (run->inside[s] != (op->count != 0))
        fake_violation("a query begins and ends on different sides of a render pass");
    op->pool->query[op->first].state = FAKE_AVAILABLE;
    fill_views(run, op);
    run->active[s] = NULL;
}

/** Results of one query, of 64 bits. @return Is it available? */
static bool
put_results(const struct fake_pool *pool, uint32_t query, VkQueryResultFlags flags, void *to)
{
    uint64_t available = pool->query[query].state == FAKE_AVAILABLE;
    if (available)
        memcpy(to, pool->query[query].value, sizeof(uint64_t) * pool->values);
    if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
        memcpy((uint64_t *)to + pool->values, &available, sizeof(available));
    return available;
}

static void
copy(const struct fake_op *op)
{
    for (uint32_t i = 0; i < op->count; i++)
        if (!put_results(op->pool, op->first + i, op->flags,
                         op->buffer->memory + op->offset + i * op->stride) &&
            (op->flags & VK_QUERY_RESULT_WAIT_BIT))
            fake_violation("a copy waits for ever for query %u", op->first + i);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_GetQueryPoolResults(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery, uint32_t queryCount,
                         size_t dataSize, void *pData, VkDeviceSize stride, VkQueryResultFlags flags)
{
    const struct fake_pool *pool = (const struct fake_pool *)(uintptr_t)queryPool;
    size_t bytes = sizeof(uint64_t) * (pool->values + ((flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0));
    bool all = true;
    (void)device;
    if ((queryCount - 1) * stride + bytes > dataSize)
        fake_violation("query results beyond the end of the host's memory");
    pthread_mutex_lock(&fake_lock);
    for (uint32_t i = 0; i < queryCount; i++) {
        if (pool->query[firstQuery + i].state == FAKE_UNDEFINED)
            fake_violation("the host reads query %u, which was never reset", firstQuery + i);
        all = put_results(pool, firstQuery + i, flags, (uint8_t *)pData + i * stride) && all;
    }
    pthread_mutex_unlock(&fake_lock);
    return all ? VK_SUCCESS : VK_NOT_READY;
}

static void
write_time(const struct run *run, const struct fake_op *op)
{
    uint64_t mask = fake_config.bits >= 64 ? UINT64_MAX : (1ULL << fake_config.bits) - 1;
    if (op->pool->query[op->first].state != FAKE_RESET)
        fake_violation("a timestamp is written to a query that was not reset");
    op->pool->query[op->first].state = FAKE_AVAILABLE;
    /* Bits beyond the valid ones are undefined: set them, in another way each time. */
    fill_views(run, op);
    uint64_t garbage = fake_the_device->ticks * 0x9e3779b97f4a7c15U;
    op->pool->query[op->first].value[0] = (fake_the_device->ticks & mask) | (~mask & garbage);
}

static uint32_t
argument(const struct fake_op *op, unsigned words)
{
    uint32_t product = 1, word;
    for (unsigned i = 0; op->buffer && i < words; i++) {
        memcpy(&word, op->buffer->memory + op->offset + 4 * i, sizeof(word));
        product *= word;
    }
    return op->buffer ? product : op->count;
}

static void
run_commands(struct run *run, struct fake_commands *commands)
{
    for (uint32_t i = 0; i < commands->ops; i++) {
        const struct fake_op *op = &commands->op[i];
        bool resumes = op->kind == FAKE_OP_PASS && (op->flags & VK_RENDERING_RESUMING_BIT);
        fake_the_device->ticks += 10;
        fake_the_device->ran[op->kind]++;
        if (run->suspended && !resumes)
            fake_violation("command %u stands between a suspended pass and its resuming", op->kind);
        switch ((enum fake_op_kind)op->kind) {
        case FAKE_OP_RESET:
            for (uint32_t q = op->first; q < op->first + op->count; q++) {
                if (op->pool->query[q].state == FAKE_ACTIVE)
                    fake_violation("an active query is reset");
                op->pool->query[q].state = FAKE_RESET;
            }
            break;
        case FAKE_OP_TIME:
            write_time(run, op);
            break;
        case FAKE_OP_BEGIN:
            begin_query(run, op);
            break;
        case FAKE_OP_END:
            end_query(run, op);
            break;
        case FAKE_OP_COPY:
            copy(op);
            break;
        case FAKE_OP_DRAW:
            count(run, 0, argument(op, 2));
            break;
        case FAKE_OP_DISPATCH:
            count(run, 10, 8ULL * argument(op, 3));
            break;
        case FAKE_OP_EXECUTE:
            if (run->active[0])
                fake_violation("a statistics query is active over vkCmdExecuteCommands");
            run_commands(run, op->secondary);
            break;
        case FAKE_OP_PASS:
            run->suspended = false;
            run->views = op->count;
            run->suspends = (op->flags & VK_RENDERING_SUSPENDING_BIT) != 0;
            break;
        case FAKE_OP_PASS_END:
            run->suspended = run->suspends;
            run->views = 0;
            break;
        case FAKE_OP_MOVE:
            memcpy(op->to->memory + op->to_offset, op->buffer->memory + op->offset, op->count);
            break;
        case FAKE_OP_UPDATE:
            memcpy(op->to->memory + op->to_offset, op->data, op->count);
            break;
        case FAKE_OP_OTHER:
            break;
        }
    }
}

/** Note the objects that a pending buffer uses. */
static void
pend(struct fake_commands *commands, uint32_t change)
{
    commands->pending += change;
    for (uint32_t i = 0; i < commands->ops; i++) {
        if (commands->op[i].pool)
            commands->op[i].pool->pending += change;
        if (commands->op[i].kind == FAKE_OP_EXECUTE)
            pend(commands->op[i].secondary, change);
    }
}

void
fake_complete(struct fake_queue *queue, const struct fake_fence *fence)
{
    bool found = !fence;
    for (struct fake_work *work = queue->first; !found && work; work = work->next)
        found = work->fence == fence;
    while (found && queue->first) {
        struct fake_work *work = queue->first;
        struct run run = {.suspended = false};
        bool last = fence && work->fence == fence;
        fake_the_device->buffers += work->count;
        for (uint32_t i = 0; i < work->count; i++) {
            run_commands(&run, work->commands[i]);
            pend(work->commands[i], UINT32_MAX);
        }
        if (run.active[0] || run.suspended)
            fake_violation("a submission ends with a query active or a pass suspended");
        if (work->fence)
            work->fence->signalled = true;
        queue->first = work->next;
        if (!queue->first)
            queue->last = NULL;
        queue->length--;
        free(work->commands);
        free(work);
        if (last)
            break;
    }
}

void
fake_complete_all(const struct fake_fence *fence)
{
    for (uint32_t f = 0; fake_the_device && f < FAKE_FAMILIES; f++)
        for (uint32_t i = 0; i < FAKE_QUEUES; i++)
            fake_complete(&fake_the_device->queue[f][i], fence);
}

static void
add_work(struct fake_queue *queue, struct fake_commands **commands, uint32_t count_, struct fake_fence *fence)
{
    struct fake_work *work = calloc(1, sizeof(*work));
    work->commands = commands;
    work->count = count_;
    work->fence = fence;
    for (uint32_t i = 0; i < count_; i++) {
        if (commands[i]->pending > 0 && !commands[i]->simultaneous)
            fake_violation("a command buffer is submitted while it is pending");
        if (commands[i]->pool->family != queue->family)
            fake_violation("a command buffer is submitted to a queue of another family");
        if (commands[i]->pool->is_protected != queue->is_protected)
            fake_violation("a protected queue and command buffers that are not, or the other way round");
        if (commands[i]->recording || commands[i]->secondary)
            fake_violation("a command buffer is submitted that cannot be");
        pend(commands[i], 1);
    }
    if (queue->last)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
    queue->length++;
}

/** Device masks are one for each command buffer. */
static void
check_masks(const VkSubmitInfo *submit)
{
    for (const VkBaseInStructure *s = submit->pNext; s; s = s->pNext) {
        const VkDeviceGroupSubmitInfo *group = (const VkDeviceGroupSubmitInfo *)(const void *)s;
        if (s->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO)
            continue;
        if (group->commandBufferCount != submit->commandBufferCount)
            fake_violation("%u device masks for %u command buffers", group->commandBufferCount,
                           submit->commandBufferCount);
        for (uint32_t i = 0; i < group->commandBufferCount; i++)
            if (group->pCommandBufferDeviceMasks[i] != 1)
                fake_violation("a device mask of devices that there are not");
    }
}

static VkResult
check_submission(uint32_t buffers)
{
    struct fake_device *device = fake_the_device;
    device->submissions++;
    if (device->lost) {
        device->late[0]++;
        device->late[1] += buffers;
    }
    device->lost = device->lost || (fake_config.lost != 0 && device->submissions >= fake_config.lost);
    if (device->lost)
        return VK_ERROR_DEVICE_LOST;
    return fake_config.oom != 0 && device->submissions >= fake_config.oom &&
                   device->submissions - fake_config.oom < fake_config.ooms
               ? VK_ERROR_OUT_OF_DEVICE_MEMORY
               : VK_SUCCESS;
}

/** Run submissions that are old enough. */
static void
run_old(struct fake_queue *queue)
{
    uint32_t delay = fake_config.delay + (queue->family == 0 ? fake_config.lag : 0) +
                     (queue == &fake_the_device->queue[0][0] ? fake_config.behind : 0);
    while (queue->length > delay) {
        struct fake_work *rest = queue->first->next, *last = queue->last;
        uint32_t length = queue->length;
        queue->first->next = NULL;
        queue->last = queue->first;
        queue->length = 1;
        fake_complete(queue, NULL);
        queue->first = rest;
        queue->last = !rest ? NULL : last;
        queue->length = length - 1;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits, VkFence fence)
{
    struct fake_queue *to = (struct fake_queue *)(void *)queue;
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < submitCount; i++)
        buffers += pSubmits[i].commandBufferCount;
    pthread_mutex_lock(&fake_lock);
    VkResult result = check_submission(buffers);
    for (uint32_t i = 0; result == VK_SUCCESS && i < submitCount; i++) {
        check_masks(&pSubmits[i]);
        struct fake_commands **commands =
            calloc(pSubmits[i].commandBufferCount + 1, sizeof(struct fake_commands *));
        for (uint32_t c = 0; c < pSubmits[i].commandBufferCount; c++)
            commands[c] = (struct fake_commands *)(void *)pSubmits[i].pCommandBuffers[c];
        add_work(to, commands, pSubmits[i].commandBufferCount, NULL);
    }
    if (result == VK_SUCCESS && fence != VK_NULL_HANDLE)
        add_work(to, NULL, 0, (struct fake_fence *)(uintptr_t)fence);
    run_old(to);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueSubmit2(VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits, VkFence fence)
{
    struct fake_queue *to = (struct fake_queue *)(void *)queue;
    uint32_t buffers = 0;
    for (uint32_t i = 0; i < submitCount; i++)
        buffers += pSubmits[i].commandBufferInfoCount;
    pthread_mutex_lock(&fake_lock);
    VkResult result = check_submission(buffers);
    for (uint32_t i = 0; result == VK_SUCCESS && i < submitCount; i++) {
        uint32_t count_ = pSubmits[i].commandBufferInfoCount;
        struct fake_commands **commands = calloc(count_ + 1, sizeof(struct fake_commands *));
        for (uint32_t c = 0; c < count_; c++)
            commands[c] = (struct fake_commands *)(void *)pSubmits[i].pCommandBufferInfos[c].commandBuffer;
        add_work(to, commands, count_, NULL);
    }
    if (result == VK_SUCCESS && fence != VK_NULL_HANDLE)
        add_work(to, NULL, 0, (struct fake_fence *)(uintptr_t)fence);
    run_old(to);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueBindSparse(VkQueue queue, uint32_t bindInfoCount, const VkBindSparseInfo *pBindInfo, VkFence fence)
{
    (void)bindInfoCount;
    (void)pBindInfo;
    return fake_QueueSubmit(queue, 0, NULL, fence);
}

/* Values of timeline semaphores that the host signals. Submissions do not wait for them. */

static struct {
    VkSemaphore semaphore;
    uint64_t value;
} timeline[16];

VKAPI_ATTR VkResult VKAPI_CALL
fake_SignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo *pSignalInfo)
{
    uint32_t i = 0;
    (void)device;
    pthread_mutex_lock(&fake_lock);
    while (i < 15 && timeline[i].semaphore != VK_NULL_HANDLE &&
           timeline[i].semaphore != pSignalInfo->semaphore)
        i++;
    timeline[i].semaphore = pSignalInfo->semaphore;
    timeline[i].value = pSignalInfo->value;
    pthread_mutex_unlock(&fake_lock);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *pValue)
{
    (void)device;
    *pValue = 0;
    pthread_mutex_lock(&fake_lock);
    for (uint32_t i = 0; i < 16; i++)
        if (timeline[i].semaphore == semaphore)
            *pValue = timeline[i].value;
    pthread_mutex_unlock(&fake_lock);
    return VK_SUCCESS;
}

/* Fences and waits */

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateFence(VkDevice device, const VkFenceCreateInfo *pCreateInfo,
                 const VkAllocationCallbacks *pAllocator, VkFence *pFence)
{
    struct fake_fence *fence = calloc(1, sizeof(*fence));
    (void)device;
    (void)pAllocator;
    fence->signalled = (pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
    *pFence = (VkFence)(uintptr_t)fence;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks *pAllocator)
{
    (void)device;
    (void)pAllocator;
    free((void *)(uintptr_t)fence);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_ResetFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences)
{
    (void)device;
    for (uint32_t i = 0; i < fenceCount; i++)
        ((struct fake_fence *)(uintptr_t)pFences[i])->signalled = false;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_GetFenceStatus(VkDevice device, VkFence fence)
{
    (void)device;
    pthread_mutex_lock(&fake_lock);
    bool signalled = ((struct fake_fence *)(uintptr_t)fence)->signalled;
    VkResult result = fake_the_device->lost ? VK_ERROR_DEVICE_LOST : signalled ? VK_SUCCESS : VK_NOT_READY;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences, VkBool32 waitAll,
                   uint64_t timeout)
{
    (void)device;
    (void)waitAll;
    (void)timeout;
    pthread_mutex_lock(&fake_lock);
    VkResult result = fake_the_device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    for (uint32_t i = 0; result == VK_SUCCESS && i < fenceCount; i++)
        fake_complete_all((struct fake_fence *)(uintptr_t)pFences[i]);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_QueueWaitIdle(VkQueue queue)
{
    pthread_mutex_lock(&fake_lock);
    VkResult result = fake_the_device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    if (result == VK_SUCCESS)
        fake_complete((struct fake_queue *)(void *)queue, NULL);
    pthread_mutex_unlock(&fake_lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_DeviceWaitIdle(VkDevice device)
{
    (void)device;
    pthread_mutex_lock(&fake_lock);
    VkResult result = fake_the_device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
    if (result == VK_SUCCESS)
        fake_complete_all(NULL);
    pthread_mutex_unlock(&fake_lock);
    fake_print_held();
    return result;
}
