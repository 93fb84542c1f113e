/** @file
 * Command buffers: their entries, and the rules of queries in them. */
#include <stdlib.h>
#include <string.h>

#include "fake_perf.h"

struct fp_buffer *
fp_buffer_of(VkCommandBuffer buffer)
{
    pthread_mutex_lock(&fp_lock);
    struct fp_buffer *record = fp_map_get(&fp_buffers, (uint64_t)(uintptr_t)buffer);
    pthread_mutex_unlock(&fp_lock);
    if (!record)
        fp_violation("unknown command buffer %p", (void *)buffer);
    return record;
}

static struct fp_op *
add_op(struct fp_buffer *cb, enum fp_op_kind kind)
{
    if (cb->ops == cb->op_cap) {
        cb->op_cap = cb->op_cap == 0 ? 64 : cb->op_cap * 2;
        cb->op = realloc(cb->op, cb->op_cap * sizeof(*cb->op));
        if (!cb->op)
            abort();
    }
    struct fp_op *op = &cb->op[cb->ops++];
    memset(op, 0, sizeof(*op));
    op->kind = kind;
    return op;
}

struct fp_buffer *
fp_command(VkCommandBuffer buffer, const char *name, enum fp_place place, enum fp_order order)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    FP_DEMAND(!cb->closed_whole,
              "VUID-vkCmdEndQuery-queryPool-03227: %s follows the end of a query of the whole buffer", name);
    FP_DEMAND(place == FP_ANYWHERE || cb->in_pass == (place == FP_INSIDE), "VUID-%s-renderpass: %s a pass",
              name, cb->in_pass ? "inside of" : "outside of");
    cb->commands++;
    if (order == FP_ACTS && (cb->ops == 0 || cb->op[cb->ops - 1].kind != FP_OP_ACT))
        add_op(cb, FP_OP_ACT);
    return cb;
}

struct fp_buffer *
fp_work(VkCommandBuffer buffer, const char *name, enum fp_place place, enum fp_order order,
        const struct fp_amount *amount)
{
    struct fp_buffer *cb = fp_command(buffer, name, place, order);
    struct fp_op *op = add_op(cb, FP_OP_WORK);
    op->work[FP_COMMANDS] = 1;
    op->work[amount->kind] = amount->number;
    op->work[FP_VERTICES] = amount->vertices * amount->instances;
    op->work[FP_INSTANCES] = amount->number * amount->instances;
    op->work[FP_GROUPS] = amount->groups;
    return cb;
}

uint64_t
fp_sum_words(uint32_t count, const void *list, uint32_t stride, size_t offset)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)list + (size_t)i * stride + offset, sizeof(word));
        sum += word;
    }
    return sum;
}

/* Life. */

static VKAPI_ATTR VkResult VKAPI_CALL
fp_CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
                     const VkAllocationCallbacks *allocator, VkCommandPool *pool)
{
    struct fp_device *dev = fp_device_of(device);
    VkResult result = dev->next.CreateCommandPool(device, info, allocator, pool);
    pthread_mutex_lock(&fp_lock);
    if (result == VK_SUCCESS)
        fp_map_put(&fp_command_pools, (uint64_t)*pool, (void *)(uintptr_t)(info->queueFamilyIndex + 1));
    pthread_mutex_unlock(&fp_lock);
    return result;
}

static void
forget(struct fp_buffer *cb)
{
    fp_map_take(&fp_buffers, (uint64_t)(uintptr_t)cb->handle);
    free(cb->op);
    free(cb);
}

static VKAPI_ATTR void VKAPI_CALL
fp_DestroyCommandPool(VkDevice device, VkCommandPool pool, const VkAllocationCallbacks *allocator)
{
    struct fp_device *dev = fp_device_of(device);
    /* The records of the pool's command buffers stay until their handles are used again: the records are
     * small. */
    pthread_mutex_lock(&fp_lock);
    fp_map_take(&fp_command_pools, (uint64_t)pool);
    pthread_mutex_unlock(&fp_lock);
    dev->next.DestroyCommandPool(device, pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *buffers)
{
    struct fp_device *dev = fp_device_of(device);
    VkResult result = dev->next.AllocateCommandBuffers(device, info, buffers);
    pthread_mutex_lock(&fp_lock);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++) {
        struct fp_buffer *old = fp_map_get(&fp_buffers, (uint64_t)(uintptr_t)buffers[i]);
        struct fp_buffer *cb = calloc(1, sizeof(*cb));
        if (!cb)
            abort();
        if (old)
            forget(old);
        cb->dev = dev;
        cb->handle = buffers[i];
        cb->pool = info->commandPool;
        cb->family = (uint32_t)(uintptr_t)fp_map_get(&fp_command_pools, (uint64_t)info->commandPool) - 1;
        cb->secondary = info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
        fp_map_put(&fp_buffers, (uint64_t)(uintptr_t)buffers[i], cb);
    }
    pthread_mutex_unlock(&fp_lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL
fp_FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count, const VkCommandBuffer *buffers)
{
    struct fp_device *dev = fp_device_of(device);
    pthread_mutex_lock(&fp_lock);
    for (uint32_t i = 0; i < count; i++) {
        struct fp_buffer *cb = fp_map_get(&fp_buffers, (uint64_t)(uintptr_t)buffers[i]);
        if (cb)
            forget(cb);
    }
    pthread_mutex_unlock(&fp_lock);
    dev->next.FreeCommandBuffers(device, pool, count, buffers);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    cb->ops = cb->commands = 0;
    cb->closed_whole = false;
    cb->khr_pool = NULL;
    cb->locked = cb->dev->locked;
    cb->lock_epoch = cb->dev->lock_epoch;
    cb->in_pass = (info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0 && cb->secondary;
    cb->subpass = 0;
    cb->views = 1;
    if (cb->in_pass && info->pInheritanceInfo) {
        const struct fp_pass *pass = fp_map_get(&fp_passes, (uint64_t)info->pInheritanceInfo->renderPass);
        cb->subpass = info->pInheritanceInfo->subpass;
        if (pass && cb->subpass < pass->subpasses && pass->mask[cb->subpass] != 0)
            cb->views = (uint32_t)__builtin_popcount(pass->mask[cb->subpass]);
    }
    memset(cb->active, 0, sizeof(cb->active));
    return cb->dev->next.BeginCommandBuffer(buffer, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_EndCommandBuffer(VkCommandBuffer buffer)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    for (int i = 0; i < 2; i++)
        FP_DEMAND(!cb->active[i].pool, "VUID-vkEndCommandBuffer-commandBuffer-00061: a query is active");
    return cb->dev->next.EndCommandBuffer(buffer);
}

/* Queries. */

static bool
used_before(const struct fp_buffer *cb, const struct fp_pool *pool, uint32_t index, uint32_t views)
{
    for (uint32_t i = 0; i < cb->ops; i++)
        if (cb->op[i].kind == FP_OP_BEGIN && cb->op[i].pool == pool &&
            index < cb->op[i].index + cb->op[i].views && cb->op[i].index < index + views)
            return true;
    return false;
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdBeginQuery(VkCommandBuffer buffer, VkQueryPool query_pool, uint32_t index, VkQueryControlFlags flags)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    struct fp_pool *pool = fp_pool_of(query_pool);
    if (!pool) {
        fp_command(buffer, "vkCmdBeginQuery", FP_ANYWHERE, FP_ACTS);
        FP_NEXT(cb, CmdBeginQuery)(buffer, query_pool, index, flags);
        return;
    }
    uint32_t views = cb->in_pass ? cb->views : 1;
    FP_DEMAND(pool->dev == cb->dev, "a query pool of another device");
    FP_DEMAND(flags == 0, "VUID-vkCmdBeginQuery-queryType-00800: precise");
    FP_DEMAND(index + views <= pool->count, "VUID-vkCmdBeginQuery-query-00802/00808: query %u of %u", index,
              pool->count);
    FP_DEMAND(!cb->active[pool->intel].pool, "VUID-vkCmdBeginQuery-queryPool-01922: nested");
    FP_DEMAND(!used_before(cb, pool, index, views), "query %u is used twice without a reset between", index);
    if (!pool->intel) {
        FP_DEMAND(cb->locked, "VUID-vkCmdBeginQuery-queryPool-03223: the profiling lock was not held before "
                              "vkBeginCommandBuffer");
        FP_DEMAND(pool->family == cb->family, "VUID-vkCmdBeginQuery-queryPool-07289: family");
        FP_DEMAND(!cb->khr_pool || cb->khr_pool == pool || cb->dev->multiple_on,
                  "performanceCounterMultipleQueryPools is off, and a second pool is used");
        FP_DEMAND(pool->scope != VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR || cb->commands == 0,
                  "VUID-vkCmdBeginQuery-queryPool-03224: not the first command");
        FP_DEMAND(pool->scope != VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR || !cb->in_pass,
                  "VUID-vkCmdBeginQuery-queryPool-03225: inside a render pass");
        cb->khr_pool = pool;
    }
    fp_command(buffer, "vkCmdBeginQuery", FP_ANYWHERE, FP_ACTS);
    cb->active[pool->intel].pool = pool;
    cb->active[pool->intel].index = index;
    cb->active[pool->intel].in_pass = cb->in_pass;
    cb->active[pool->intel].subpass = cb->subpass;
    struct fp_op *op = add_op(cb, FP_OP_BEGIN);
    op->pool = pool;
    op->index = index;
    op->views = views;
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdEndQuery(VkCommandBuffer buffer, VkQueryPool query_pool, uint32_t index)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    struct fp_pool *pool = fp_pool_of(query_pool);
    fp_command(buffer, "vkCmdEndQuery", FP_ANYWHERE, FP_ACTS);
    if (!pool) {
        FP_NEXT(cb, CmdEndQuery)(buffer, query_pool, index);
        return;
    }
    FP_DEMAND(cb->active[pool->intel].pool == pool && cb->active[pool->intel].index == index,
              "VUID-vkCmdEndQuery-None-01923: the query is not active");
    FP_DEMAND(cb->active[pool->intel].in_pass == cb->in_pass &&
                  (!cb->in_pass || cb->active[pool->intel].subpass == cb->subpass),
              "VUID-vkCmdEndQuery-None-07007: begun elsewhere");
    cb->closed_whole = !pool->intel && pool->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR;
    cb->active[pool->intel].pool = NULL;
    struct fp_op *op = add_op(cb, FP_OP_END);
    op->pool = pool;
    op->index = index;
    op->views = cb->in_pass ? cb->views : 1;
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdResetQueryPool(VkCommandBuffer buffer, VkQueryPool query_pool, uint32_t first, uint32_t count)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    FP_DEMAND(!fp_pool_of(query_pool), "performance queries are reset by the host here");
    fp_command(buffer, "vkCmdResetQueryPool", FP_OUTSIDE, FP_ACTS);
    FP_NEXT(cb, CmdResetQueryPool)(buffer, query_pool, first, count);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdCopyQueryPoolResults(VkCommandBuffer buffer, VkQueryPool query_pool, uint32_t first, uint32_t count,
                           VkBuffer to, VkDeviceSize offset, VkDeviceSize stride, VkQueryResultFlags flags)
{
    struct fp_buffer *cb = fp_buffer_of(buffer);
    FP_DEMAND(!fp_pool_of(query_pool), "VUID-vkCmdCopyQueryPoolResults-queryType-03232: no copies");
    fp_work(buffer, "vkCmdCopyQueryPoolResults", FP_OUTSIDE, FP_ACTS,
            &(struct fp_amount){FP_COPIES, 1, 0, 0, 0});
    FP_NEXT(cb, CmdCopyQueryPoolResults)(buffer, query_pool, first, count, to, offset, stride, flags);
}

/* Render passes. */

static void
learn_pass(VkRenderPass handle, uint32_t subpasses, const uint32_t *mask)
{
    struct fp_pass *pass = calloc(1, sizeof(*pass) + subpasses * sizeof(uint32_t));
    if (!pass)
        abort();
    pass->subpasses = subpasses;
    for (uint32_t i = 0; mask && i < subpasses; i++)
        pass->mask[i] = mask[i];
    pthread_mutex_lock(&fp_lock);
    free(fp_map_take(&fp_passes, (uint64_t)handle));
    fp_map_put(&fp_passes, (uint64_t)handle, pass);
    pthread_mutex_unlock(&fp_lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo *info,
                    const VkAllocationCallbacks *allocator, VkRenderPass *pass)
{
    const uint32_t *mask = NULL;
    VkResult result = fp_device_of(device)->next.CreateRenderPass(device, info, allocator, pass);
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO &&
            ((const VkRenderPassMultiviewCreateInfo *)(const void *)s)->subpassCount == info->subpassCount)
            mask = ((const VkRenderPassMultiviewCreateInfo *)(const void *)s)->pViewMasks;
    if (result == VK_SUCCESS)
        learn_pass(*pass, info->subpassCount, mask);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2 *info,
                     const VkAllocationCallbacks *allocator, VkRenderPass *pass)
{
    uint32_t mask[32] = {0};
    VkResult result = fp_device_of(device)->next.CreateRenderPass2(device, info, allocator, pass);
    for (uint32_t i = 0; i < info->subpassCount && i < 32; i++)
        mask[i] = info->pSubpasses[i].viewMask;
    if (result == VK_SUCCESS && info->subpassCount <= 32)
        learn_pass(*pass, info->subpassCount, mask);
    return result;
}

static void
enter_subpass(struct fp_buffer *cb)
{
    uint32_t mask = cb->pass && cb->subpass < cb->pass->subpasses ? cb->pass->mask[cb->subpass] : 0;
    cb->views = mask == 0 ? 1 : (uint32_t)__builtin_popcount(mask);
    cb->in_pass = true;
}

static struct fp_buffer *
begin_pass(VkCommandBuffer buffer, const char *name, const VkRenderPassBeginInfo *info,
           const VkRenderingInfo *rendering)
{
    const struct fp_amount one = {FP_PASSES, 1, 0, 0, 0};
    uint32_t mask = rendering ? rendering->viewMask : 0;
    add_op(fp_buffer_of(buffer), FP_OP_ENTER)->flags = rendering ? rendering->flags : 0;
    struct fp_buffer *cb = fp_work(buffer, name, FP_OUTSIDE, FP_SETS_STATE, &one);
    pthread_mutex_lock(&fp_lock);
    cb->pass = info ? fp_map_get(&fp_passes, (uint64_t)info->renderPass) : NULL;
    pthread_mutex_unlock(&fp_lock);
    cb->subpass = 0;
    enter_subpass(cb);
    if (mask != 0)
        cb->views = (uint32_t)__builtin_popcount(mask);
    return cb;
}

/** A subpass ends: a query that was begun in it must have ended. */
static struct fp_buffer *
leave_subpass(VkCommandBuffer buffer, const char *name, bool last)
{
    struct fp_buffer *cb = fp_command(buffer, name, FP_INSIDE, FP_SETS_STATE);
    for (int i = 0; i < 2; i++)
        FP_DEMAND(!cb->active[i].pool || !cb->active[i].in_pass,
                  "VUID-vkCmdBeginQuery-None-06999: a query outlives its subpass");
    if (last)
        add_op(cb, FP_OP_LEAVE);
    cb->subpass++;
    cb->in_pass = !last;
    if (!last)
        enter_subpass(cb);
    return cb;
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdBeginRenderPass(VkCommandBuffer buffer, const VkRenderPassBeginInfo *info, VkSubpassContents contents)
{
    struct fp_buffer *cb = begin_pass(buffer, "vkCmdBeginRenderPass", info, NULL);
    FP_NEXT(cb, CmdBeginRenderPass)(buffer, info, contents);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdBeginRenderPass2(VkCommandBuffer buffer, const VkRenderPassBeginInfo *info,
                       const VkSubpassBeginInfo *subpass)
{
    struct fp_buffer *cb = begin_pass(buffer, "vkCmdBeginRenderPass2", info, NULL);
    FP_NEXT(cb, CmdBeginRenderPass2)(buffer, info, subpass);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdBeginRendering(VkCommandBuffer buffer, const VkRenderingInfo *info)
{
    struct fp_buffer *cb = begin_pass(buffer, "vkCmdBeginRendering", NULL, info);
    FP_NEXT(cb, CmdBeginRendering)(buffer, info);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdNextSubpass(VkCommandBuffer buffer, VkSubpassContents contents)
{
    struct fp_buffer *cb = leave_subpass(buffer, "vkCmdNextSubpass", false);
    FP_NEXT(cb, CmdNextSubpass)(buffer, contents);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdNextSubpass2(VkCommandBuffer buffer, const VkSubpassBeginInfo *begin, const VkSubpassEndInfo *end)
{
    struct fp_buffer *cb = leave_subpass(buffer, "vkCmdNextSubpass2", false);
    FP_NEXT(cb, CmdNextSubpass2)(buffer, begin, end);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdEndRenderPass(VkCommandBuffer buffer)
{
    struct fp_buffer *cb = leave_subpass(buffer, "vkCmdEndRenderPass", true);
    FP_NEXT(cb, CmdEndRenderPass)(buffer);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdEndRenderPass2(VkCommandBuffer buffer, const VkSubpassEndInfo *end)
{
    struct fp_buffer *cb = leave_subpass(buffer, "vkCmdEndRenderPass2", true);
    FP_NEXT(cb, CmdEndRenderPass2)(buffer, end);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdEndRendering(VkCommandBuffer buffer)
{
    struct fp_buffer *cb = leave_subpass(buffer, "vkCmdEndRendering", true);
    FP_NEXT(cb, CmdEndRendering)(buffer);
}

VKAPI_ATTR void VKAPI_CALL
fp_CmdExecuteCommands(VkCommandBuffer buffer, uint32_t count, const VkCommandBuffer *secondaries)
{
    struct fp_buffer *cb = fp_command(buffer, "vkCmdExecuteCommands", FP_ANYWHERE, FP_SETS_STATE);
    for (int i = 0; i < 2; i++)
        FP_DEMAND(!cb->active[i].pool,
                  "VUID-vkCmdExecuteCommands-commandBuffer-07594: a performance query is active");
    for (uint32_t i = 0; i < count; i++) {
        struct fp_buffer *secondary = fp_buffer_of(secondaries[i]);
        FP_DEMAND(!secondary->khr_pool || !cb->khr_pool || secondary->khr_pool == cb->khr_pool ||
                      cb->dev->multiple_on,
                  "a secondary uses another pool than its primary");
        if (secondary->khr_pool)
            cb->khr_pool = secondary->khr_pool;
        add_op(cb, FP_OP_EXECUTE)->secondary = secondary;
    }
    FP_NEXT(cb, CmdExecuteCommands)(buffer, count, secondaries);
}

PFN_vkVoidFunction
fp_find_record(const char *name)
{
#define ENTRY(name)                                                                                          \
    {                                                                                                        \
        "vk" #name, (PFN_vkVoidFunction)fp_##name                                                            \
    }
#define ALIAS(name, alias)                                                                                   \
    {                                                                                                        \
        "vk" alias, (PFN_vkVoidFunction)fp_##name                                                            \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        ENTRY(CreateCommandPool),
        ENTRY(DestroyCommandPool),
        ENTRY(AllocateCommandBuffers),
        ENTRY(FreeCommandBuffers),
        ENTRY(BeginCommandBuffer),
        ENTRY(EndCommandBuffer),
        ENTRY(CreateRenderPass),
        ENTRY(CreateRenderPass2),
        ALIAS(CreateRenderPass2, "CreateRenderPass2KHR"),
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return fp_find_command(name);
}
