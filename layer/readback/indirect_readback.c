/** @file
 * See indirect.h. Copies the arguments to CPU memory with each submission, and fills them in. */
#include "layer/readback/indirect_readback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"
#include "layer/base/cmdbuf.h"
#include "layer/readback/readback.h"

int
pp_indirect_readback_emit(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb, uint32_t *ret_base)
{
    struct pp_readback_args *mine = &readback->args;
    *ret_base = readback->bytes;
    if (!cb->args.on || cb->args.lends)
        return 0;
    for (const struct pp_vk_staging *staging = cb->args.first; staging; staging = staging->next) {
        if (staging->used == 0)
            continue;
        int rc = pp_array_grow(&mine->copy, &mine->copy_cap, mine->copies + 1, sizeof(*mine->copy));
        if (rc != 0)
            return rc;
        if (readback->bytes > PP_READBACK_BYTES - staging->used)
            return -ENOMEM;
        mine->copy[mine->copies].from = staging->piece.buffer;
        mine->copy[mine->copies].offset = staging->piece.offset;
        mine->copy[mine->copies].size = staging->used;
        mine->copy[mine->copies++].to = readback->bytes;
        readback->bytes += staging->used;
    }
    /* Results of queries follow, at offsets that are multiples of 8. */
    readback->bytes = (readback->bytes + 7) & ~7U;
    return 0;
}

int
pp_indirect_readback_emit_action(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb, uint32_t from,
                                 uint32_t to, uint32_t base, uint32_t *io_next)
{
    struct pp_readback_args *mine = &readback->args;
    /* UINT32_MAX: an action that was not recorded. */
    while (*io_next < cb->args.args &&
           (cb->args.arg[*io_next].action < from || cb->args.arg[*io_next].action == UINT32_MAX))
        (*io_next)++;
    if (!cb->args.on || *io_next >= cb->args.args || base == PP_NO_ARGS)
        return 0;
    const struct pp_vk_arg *arg = &cb->args.arg[*io_next];
    if (arg->action != from || arg->at == PP_NO_ARGS)
        return 0;
    int rc = pp_array_grow(&mine->slot, &mine->slot_cap, mine->slots + 1, sizeof(*mine->slot));
    if (rc != 0)
        return rc;
    mine->slot[mine->slots].args = arg->args;
    mine->slot[mine->slots].action = to;
    mine->slot[mine->slots].at = base + arg->at;
    mine->slot[mine->slots++].count_at = arg->count_at == PP_NO_ARGS ? PP_NO_ARGS : base + arg->count_at;
    return 0;
}

void
pp_indirect_readback_record(const struct pp_vk_device_next *next, const struct pp_vk_readback *readback)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
    };
    if (readback->args.copies == 0)
        return;
    next->CmdPipelineBarrier(readback->after, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                             0, 1, &barrier, 0, NULL, 0, NULL);
    for (uint32_t i = 0; i < readback->args.copies; i++) {
        const VkBufferCopy region = {readback->args.copy[i].offset,
                                     readback->piece.offset + readback->args.copy[i].to,
                                     readback->args.copy[i].size};
        next->CmdCopyBuffer(readback->after, readback->args.copy[i].from, readback->piece.buffer, 1, &region);
    }
}

static uint32_t
word(const uint8_t *from, unsigned index)
{
    uint32_t value;
    memcpy(&value, from + 4 * (size_t)index, sizeof(value));
    return value;
}

/* Fill in vertices and instances of one or more draws. Draws without instances draw nothing and do not
 * count. The number of instances is filled in if it is the same for all other draws. */
static void
fill_draws(struct pp_action *action, const uint8_t *from, uint32_t count, uint32_t stride)
{
    action->indirect = 0;
    if (count == 1) {
        action->vertices = word(from, 0);
        action->instances = word(from, 1);
        return;
    }
    for (uint32_t i = 0; i < count; i++, from += stride) {
        uint32_t instances = word(from, 1);
        if (instances == 0)
            continue;
        action->vertices += word(from, 0);
        if (action->instances != 0 && action->instances != instances)
            action->indirect = PP_INDIRECT_INSTANCES;
        action->instances = instances;
    }
}

static void
fill_groups(struct pp_action *action, const uint8_t *from, uint32_t count, uint32_t stride, bool tasks)
{
    action->indirect = 0;
    for (uint32_t i = 0; i < count; i++, from += stride)
        action->groups += tasks ? word(from, 0) : (uint64_t)word(from, 0) * word(from, 1) * word(from, 2);
}

void
pp_indirect_readback_retire(struct pp_vk_readback *readback)
{
    for (uint32_t i = 0; i < readback->args.slots; i++) {
        const struct pp_vk_args *args = &readback->args.slot[i].args;
        const uint8_t *from = readback->results + readback->args.slot[i].at;
        uint32_t count_at = readback->args.slot[i].count_at, count = args->count;
        struct pp_action *action = &readback->batch->action_list.action[readback->args.slot[i].action];
        if (count_at != PP_NO_ARGS && word(readback->results + count_at, 0) < count)
            count = word(readback->results + count_at, 0);
        if (args->form == PP_ARGS_BYTES) {
            uint32_t bytes = word(from, 0);
            action->indirect = 0;
            action->vertices =
                bytes > args->count && args->stride > 0 ? (bytes - args->count) / args->stride : 0;
        } else if (args->form == PP_ARGS_DRAW || args->form == PP_ARGS_INDEXED) {
            fill_draws(action, from, count, args->stride);
        } else {
            fill_groups(action, from, count, args->stride, args->form == PP_ARGS_TASKS);
        }
    }
}

void
pp_indirect_readback_free(struct pp_vk_readback *readback)
{
    free(readback->args.copy);
    free(readback->args.slot);
    readback->args = (struct pp_readback_args){0};
}
