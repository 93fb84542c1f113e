/** @file
 * The fake driver's command buffers: they record commands and report those that are not allowed. */
#include <stdlib.h>
#include <string.h>

#include "tests/fake/icd/fake.h"

static struct fake_commands *
of(VkCommandBuffer handle)
{
    return (struct fake_commands *)(void *)handle;
}

static struct fake_op *
add(VkCommandBuffer handle, enum fake_op_kind kind)
{
    struct fake_commands *commands = of(handle);
    if (!commands->recording)
        fake_violation("a command outside of recording");
    if (commands->ops == commands->cap) {
        commands->cap = commands->cap == 0 ? 64 : commands->cap * 2;
        commands->op = realloc(commands->op, commands->cap * sizeof(*commands->op));
    }
    struct fake_op *op = &commands->op[commands->ops++];
    *op = (struct fake_op){.kind = (uint8_t)kind};
    if (fake_the_device->lost) {
        pthread_mutex_lock(&fake_lock);
        fake_the_device->late[2]++;
        pthread_mutex_unlock(&fake_lock);
    }
    return op;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *pCreateInfo,
                       const VkAllocationCallbacks *pAllocator, VkCommandPool *pCommandPool)
{
    struct fake_commands_pool *pool = calloc(1, sizeof(*pool));
    (void)device;
    (void)pAllocator;
    pool->family = pCreateInfo->queueFamilyIndex;
    pool->is_protected = (pCreateInfo->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
    fake_count_pool(1);
    *pCommandPool = (VkCommandPool)(uintptr_t)pool;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyCommandPool(VkDevice device, VkCommandPool commandPool, const VkAllocationCallbacks *pAllocator)
{
    struct fake_commands_pool *pool = (struct fake_commands_pool *)(uintptr_t)commandPool;
    (void)device;
    (void)pAllocator;
    while (pool && pool->list) {
        struct fake_commands *next = pool->list->next;
        if (pool->list->pending > 0)
            fake_violation("a command pool was destroyed while a buffer of it is pending");
        free(pool->list->op);
        free(pool->list);
        pool->list = next;
    }
    if (pool)
        fake_count_pool(-1);
    free(pool);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *pAllocateInfo,
                            VkCommandBuffer *pCommandBuffers)
{
    struct fake_commands_pool *pool = (struct fake_commands_pool *)(uintptr_t)pAllocateInfo->commandPool;
    (void)device;
    for (uint32_t i = 0; i < pAllocateInfo->commandBufferCount; i++) {
        struct fake_commands *commands = calloc(1, sizeof(*commands));
        set_loader_magic_value(commands);
        commands->pool = pool;
        commands->secondary = pAllocateInfo->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
        commands->next = pool->list;
        pool->list = commands;
        pCommandBuffers[i] = (VkCommandBuffer)(void *)commands;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_BeginCommandBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo *pBeginInfo)
{
    struct fake_commands *commands = of(commandBuffer);
    pthread_mutex_lock(&fake_lock);
    if (commands->pending > 0)
        fake_violation("a command buffer was recorded anew while it is pending");
    pthread_mutex_unlock(&fake_lock);
    commands->ops = 0;
    commands->recording = true;
    commands->in_pass =
        commands->secondary && (pBeginInfo->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
    commands->simultaneous = (pBeginInfo->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_EndCommandBuffer(VkCommandBuffer commandBuffer)
{
    of(commandBuffer)->recording = false;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdResetQueryPool(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t firstQuery,
                       uint32_t queryCount)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_RESET);
    op->pool = (struct fake_pool *)(uintptr_t)queryPool;
    op->first = firstQuery;
    op->count = queryCount;
    if (of(commandBuffer)->in_pass)
        fake_violation("a reset inside a render pass");
    if (of(commandBuffer)->pool->family >= 2)
        fake_violation("a reset on a queue for transfers");
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdWriteTimestamp(VkCommandBuffer commandBuffer, VkPipelineStageFlagBits pipelineStage,
                       VkQueryPool queryPool, uint32_t query)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_TIME);
    (void)pipelineStage;
    op->pool = (struct fake_pool *)(uintptr_t)queryPool;
    op->first = query;
    if (of(commandBuffer)->pool->is_protected)
        fake_violation("a timestamp in a protected command buffer");
    if (fake_config.bits == 0)
        fake_violation("a timestamp on a queue without valid bits");
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdBeginQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t query,
                   VkQueryControlFlags flags)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_BEGIN);
    op->pool = (struct fake_pool *)(uintptr_t)queryPool;
    op->first = query;
    op->flags = flags;
    op->count = of(commandBuffer)->in_pass;
    if (of(commandBuffer)->pool->is_protected)
        fake_violation("a query in a protected command buffer");
    if (of(commandBuffer)->pool->family == 1 && (op->pool->statistics & 0x3ff))
        fake_violation("graphics statistics on a compute queue");
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdEndQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t query)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_END);
    op->pool = (struct fake_pool *)(uintptr_t)queryPool;
    op->first = query;
    op->count = of(commandBuffer)->in_pass;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdCopyQueryPoolResults(VkCommandBuffer commandBuffer, VkQueryPool queryPool, uint32_t firstQuery,
                             uint32_t queryCount, VkBuffer dstBuffer, VkDeviceSize dstOffset,
                             VkDeviceSize stride, VkQueryResultFlags flags)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_COPY);
    op->pool = (struct fake_pool *)(uintptr_t)queryPool;
    op->buffer = (struct fake_buffer *)(uintptr_t)dstBuffer;
    op->first = firstQuery;
    op->count = queryCount;
    op->offset = dstOffset;
    op->stride = stride;
    op->flags = flags;
    if (of(commandBuffer)->in_pass)
        fake_violation("a copy of query results inside a render pass");
    if (of(commandBuffer)->pool->family >= 2)
        fake_violation("a copy of query results on a queue for transfers");
    if (dstOffset + (queryCount - 1) * stride > op->buffer->size)
        fake_violation("query results beyond the buffer's end");
}

/* Actions: vertices and groups are counted when they run. */

VKAPI_ATTR void VKAPI_CALL
fake_CmdDraw(VkCommandBuffer commandBuffer, uint32_t vertexCount, uint32_t instanceCount,
             uint32_t firstVertex, uint32_t firstInstance)
{
    (void)firstVertex;
    (void)firstInstance;
    add(commandBuffer, FAKE_OP_DRAW)->count = vertexCount * instanceCount;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdDrawIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset, uint32_t drawCount,
                     uint32_t stride)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_DRAW);
    (void)drawCount;
    (void)stride;
    op->buffer = (struct fake_buffer *)(uintptr_t)buffer;
    op->offset = offset;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdDispatch(VkCommandBuffer commandBuffer, uint32_t groupCountX, uint32_t groupCountY,
                 uint32_t groupCountZ)
{
    add(commandBuffer, FAKE_OP_DISPATCH)->count = groupCountX * groupCountY * groupCountZ;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdDispatchIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_DISPATCH);
    op->buffer = (struct fake_buffer *)(uintptr_t)buffer;
    op->offset = offset;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdFillBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer, VkDeviceSize dstOffset,
                   VkDeviceSize size, uint32_t data)
{
    (void)dstBuffer;
    (void)dstOffset;
    (void)size;
    (void)data;
    (void)add(commandBuffer, FAKE_OP_OTHER);
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdUpdateBuffer(VkCommandBuffer commandBuffer, VkBuffer dstBuffer, VkDeviceSize dstOffset,
                     VkDeviceSize dataSize, const void *pData)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_UPDATE);
    op->to = (struct fake_buffer *)(uintptr_t)dstBuffer;
    op->to_offset = dstOffset;
    op->count = dataSize < sizeof(op->data) ? (uint32_t)dataSize : sizeof(op->data);
    memcpy(op->data, pData, op->count);
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdCopyBuffer(VkCommandBuffer commandBuffer, VkBuffer srcBuffer, VkBuffer dstBuffer,
                   uint32_t regionCount, const VkBufferCopy *pRegions)
{
    for (uint32_t i = 0; i < regionCount; i++) {
        struct fake_op *op = add(commandBuffer, FAKE_OP_MOVE);
        op->buffer = (struct fake_buffer *)(uintptr_t)srcBuffer;
        op->to = (struct fake_buffer *)(uintptr_t)dstBuffer;
        op->offset = pRegions[i].srcOffset;
        op->to_offset = pRegions[i].dstOffset;
        op->count = (uint32_t)pRegions[i].size;
        if (op->offset + op->count > op->buffer->size || op->to_offset + op->count > op->to->size)
            fake_violation("a copy beyond a buffer's end");
    }
    if (of(commandBuffer)->in_pass)
        fake_violation("a copy inside a render pass");
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdPipelineBarrier(VkCommandBuffer commandBuffer, VkPipelineStageFlags srcStageMask,
                        VkPipelineStageFlags dstStageMask, VkDependencyFlags dependencyFlags,
                        uint32_t memoryBarrierCount, const VkMemoryBarrier *pMemoryBarriers,
                        uint32_t bufferMemoryBarrierCount, const VkBufferMemoryBarrier *pBufferMemoryBarriers,
                        uint32_t imageMemoryBarrierCount, const VkImageMemoryBarrier *pImageMemoryBarriers)
{
    (void)srcStageMask;
    (void)dstStageMask;
    (void)dependencyFlags;
    (void)memoryBarrierCount;
    (void)pMemoryBarriers;
    (void)bufferMemoryBarrierCount;
    (void)pBufferMemoryBarriers;
    (void)imageMemoryBarrierCount;
    (void)pImageMemoryBarriers;
    (void)add(commandBuffer, FAKE_OP_OTHER);
    if (of(commandBuffer)->in_pass)
        fake_violation("a barrier inside a render pass");
}

static void
begin_pass(VkCommandBuffer commandBuffer, uint32_t flags, uint32_t view_mask)
{
    struct fake_op *op = add(commandBuffer, FAKE_OP_PASS);
    op->count = (uint32_t)__builtin_popcount(view_mask);
    op->flags = flags;
    of(commandBuffer)->in_pass = true;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdBeginRenderPass(VkCommandBuffer commandBuffer, const VkRenderPassBeginInfo *pRenderPassBegin,
                        VkSubpassContents contents)
{
    (void)pRenderPassBegin;
    (void)contents;
    begin_pass(commandBuffer, 0, 0);
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdEndRenderPass(VkCommandBuffer commandBuffer)
{
    (void)add(commandBuffer, FAKE_OP_PASS_END);
    of(commandBuffer)->in_pass = false;
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdBeginRendering(VkCommandBuffer commandBuffer, const VkRenderingInfo *pRenderingInfo)
{
    begin_pass(commandBuffer, pRenderingInfo->flags, pRenderingInfo->viewMask);
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdEndRendering(VkCommandBuffer commandBuffer)
{
    fake_CmdEndRenderPass(commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL
fake_CmdExecuteCommands(VkCommandBuffer commandBuffer, uint32_t commandBufferCount,
                        const VkCommandBuffer *pCommandBuffers)
{
    for (uint32_t i = 0; i < commandBufferCount; i++)
        add(commandBuffer, FAKE_OP_EXECUTE)->secondary = of(pCommandBuffers[i]);
}
