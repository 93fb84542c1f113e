/** @file
 * See indirect.h. The copies are transfers that the application's barriers do not cover. A barrier before the
 * copies makes all earlier writes visible to them. A barrier after the copies lets later commands wait until
 * the copies have read (Vulkan 1.3, "Execution and Memory Dependencies"). */
#include "layer/record/indirect.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"
#include "core/util/log.h"
#include "layer/base/chain.h"
#include "layer/measure/announce.h"
#include "layer/record/record.h"
#include "vk_hooks.h"

/* STAGING_MAX: bytes of a piece of staging memory, unless one command needs more. ARGS_MAX: most bytes that
 * one command may copy. */
enum { STAGING_MAX = 1 << 18, ARGS_MAX = 1 << 20 };

/* Why arguments stay unknown. */
enum reason { NO_BUFFER, NO_SOURCE, TOO_LARGE, NO_MEMORY, SUSPENDED };

static void
report_unknown_args(struct pp_cmdbuf *cb, enum reason reason)
{
    static const struct {
        const char *event;
        enum pp_message id;
        const char *text;
    } row[] = {
        [NO_BUFFER] = {PP_EVENT_INDIRECT_NO_BUFFER, PP_MSG_INDIRECT_NO_BUFFER},
        [NO_SOURCE] = {PP_EVENT_INDIRECT_NO_SOURCE, PP_MSG_INDIRECT_NO_SOURCE},
        [TOO_LARGE] = {PP_EVENT_INDIRECT_LARGE, PP_MSG_INDIRECT_LARGE},
        [NO_MEMORY] = {PP_EVENT_INDIRECT_MEMORY, PP_MSG_INDIRECT_MEMORY},
        [SUSPENDED] = {PP_EVENT_INDIRECT_SUSPENDED, PP_MSG_INDIRECT_SUSPENDED},
    };
    pp_vk_device_missing(cb->dev, row[reason].event, row[reason].id, "%s", row[reason].text);
}

/* Values in pp_vk_objects.buffers (pp_map stores no NULL). */
#define NO_COPY  ((void *)1)
#define MAY_COPY ((void *)2)

/* VkBufferUsageFlags2CreateInfoKHR, which is younger than Debian 12's headers. Source: VK_KHR_maintenance5,
 * revision 1. */
struct usage2 {
    VkStructureType type;
    const void *next;
    uint64_t usage;
};

#define USAGE2_TYPE ((VkStructureType)1000470006)

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateBuffer(VkDevice device, const VkBufferCreateInfo *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateBuffer(device, pCreateInfo, pAllocator, pBuffer);
    if (result != VK_SUCCESS || !dev->measured.indirect)
        return result;
    const struct usage2 *more = pp_vk_find(pCreateInfo->pNext, USAGE2_TYPE);
    uint64_t usage = more ? more->usage : pCreateInfo->usage;
    bool may =
        (usage & VK_BUFFER_USAGE_TRANSFER_SRC_BIT) && !(pCreateInfo->flags & VK_BUFFER_CREATE_PROTECTED_BIT);
    /* Without memory the buffer is unknown, and is not copied from. */
    if (pp_map_put(&dev->objects.buffers, (uint64_t)*pBuffer, may ? MAY_COPY : NO_COPY) != 0)
        pp_map_take(&dev->objects.buffers, (uint64_t)*pBuffer);
    return result;
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    if (dev->measured.indirect && buffer != VK_NULL_HANDLE)
        pp_map_take(&dev->objects.buffers, (uint64_t)buffer);
    dev->next.DestroyBuffer(device, buffer, pAllocator);
}

static bool
may_copy(const struct pp_vk_device *dev, VkBuffer buffer)
{
    return pp_map_get(&dev->objects.buffers, (uint64_t)buffer) == MAY_COPY;
}

/* Bytes of one draw's arguments. */
static uint32_t
size_of(uint8_t form)
{
    static const uint8_t size[] = {[PP_ARGS_DRAW] = sizeof(VkDrawIndirectCommand),
                                   [PP_ARGS_INDEXED] = sizeof(VkDrawIndexedIndirectCommand),
                                   [PP_ARGS_GROUPS] = sizeof(VkDispatchIndirectCommand),
                                   [PP_ARGS_TASKS] = sizeof(VkDrawMeshTasksIndirectCommandNV),
                                   [PP_ARGS_BYTES] = 4};
    return size[form];
}

/* Bytes of all arguments; 0: none. */
static uint64_t
bytes_of(const struct pp_vk_args *args)
{
    if (args->form == PP_ARGS_BYTES)
        return 4;
    return args->count == 0 ? 0 : (uint64_t)(args->count - 1) * args->stride + size_of(args->form);
}

/* Allocate another piece of at least @p size bytes, twice as large as the last one: few pieces need few
 * copies. */
static struct pp_vk_staging *
add_staging(struct pp_cmdbuf *cb, const struct pp_vk_staging *before, uint32_t size)
{
    uint32_t good = !before ? PP_STAGING_UNIT : 2 * before->piece.size;
    good = good > STAGING_MAX ? STAGING_MAX : good;
    struct pp_vk_staging *staging = calloc(1, sizeof(*staging));
    if (staging && pp_staging_take(cb->dev, size > good ? size : good, &staging->piece) != 0 &&
        pp_staging_take(cb->dev, size, &staging->piece) != 0) {
        free(staging);
        return NULL;
    }
    return staging;
}

/* Reserve @p size bytes in the command buffer's staging memory. @return Offset; PP_NO_ARGS: no memory. */
static uint32_t
take_bytes(struct pp_cmdbuf *cb, uint64_t size)
{
    struct pp_vk_arglist *list = &cb->args;
    struct pp_vk_staging *to = list->last;
    uint32_t at = list->bytes;
    if (size > ARGS_MAX || at > UINT32_MAX - ARGS_MAX)
        return PP_NO_ARGS;
    while (size > 0 && !list->lends && (!to || to->piece.size - to->used < size)) {
        struct pp_vk_staging **link = to ? &to->next : &list->first;
        if (!*link && !list->full)
            *link = add_staging(cb, to, (uint32_t)size);
        list->full = !*link;
        if (!*link)
            return PP_NO_ARGS;
        to = list->last = *link;
        to->used = 0;
        to->start = at;
    }
    if (to && !list->lends)
        to->used += (uint32_t)size;
    list->bytes += (uint32_t)size;
    return at;
}

/* Find the piece of staging memory that has the byte at offset @p at. */
static const struct pp_vk_staging *
find_staging(const struct pp_vk_arglist *list, uint32_t at)
{
    const struct pp_vk_staging *to = list->first;
    while (at - to->start >= to->used)
        to = to->next;
    return to;
}

/* Add one action's arguments. @return NULL: they stay unknown; the reason was reported. */
static struct pp_vk_arg *
add_arg(struct pp_cmdbuf *cb, const struct pp_vk_args *args)
{
    struct pp_vk_arglist *list = &cb->args;
    bool counted = args->count_buffer != VK_NULL_HANDLE;
    struct pp_vk_arg arg = {.args = *args, .action = UINT32_MAX, .count_at = PP_NO_ARGS};
    if (args->form == PP_ARGS_NONE || bytes_of(args) > ARGS_MAX) {
        report_unknown_args(cb, args->form == PP_ARGS_NONE ? NO_BUFFER : TOO_LARGE);
        return NULL;
    }
    if (!may_copy(cb->dev, args->buffer) || (counted && !may_copy(cb->dev, args->count_buffer))) {
        report_unknown_args(cb, NO_SOURCE);
        return NULL;
    }
    int rc = pp_array_grow(&list->arg, &list->arg_cap, list->args + 1, sizeof(*list->arg));
    if (rc == 0)
        arg.at = take_bytes(cb, bytes_of(args));
    if (rc == 0 && counted && arg.at != PP_NO_ARGS)
        arg.count_at = take_bytes(cb, 4);
    if (rc != 0 || arg.at == PP_NO_ARGS || (counted && arg.count_at == PP_NO_ARGS)) {
        report_unknown_args(cb, NO_MEMORY);
        return NULL;
    }
    list->arg[list->args] = arg;
    return &list->arg[list->args++];
}

/* Barrier before copies: they see all earlier writes, and do not overtake earlier copies. */
static void
open_copies(const struct pp_cmdbuf *cb)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    VkPipelineStageFlags stages =
        pp_vk_stages_of(cb->dev->gpu.stages, cb->dev->gpu.family[cb->pool->family].flags);
    cb->next->CmdPipelineBarrier(cb->handle, stages, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL,
                                 0, NULL);
}

/* Barrier after copies: the next writer of the arguments waits. */
static void
close_copies(const struct pp_cmdbuf *cb)
{
    cb->next->CmdPipelineBarrier(cb->handle, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
}

static void
copy_bytes(const struct pp_cmdbuf *cb, VkBuffer from, VkDeviceSize offset, uint32_t at, uint64_t size)
{
    if (size == 0)
        return;
    const struct pp_vk_staging *to = find_staging(&cb->args, at);
    const VkBufferCopy region = {offset, to->piece.offset + at - to->start, size};
    cb->next->CmdCopyBuffer(cb->handle, from, to->piece.buffer, 1, &region);
}

/* Copy one action's arguments. @p base: offset of its command buffer's bytes in the bytes of @p cb. */
static void
copy_arg(const struct pp_cmdbuf *cb, const struct pp_vk_arg *arg, uint32_t base)
{
    copy_bytes(cb, arg->args.buffer, arg->args.offset, base + arg->at, bytes_of(&arg->args));
    if (arg->count_at != PP_NO_ARGS)
        copy_bytes(cb, arg->args.count_buffer, arg->args.count_offset, base + arg->count_at, 4);
}

/* Give back a piece and all pieces after it in the list. */
static void
give_back(struct pp_vk_staging *staging)
{
    while (staging) {
        struct pp_vk_staging *next = staging->next;
        pp_staging_give(&staging->piece);
        free(staging);
        staging = next;
    }
}

void
pp_indirect_reset(struct pp_cmdbuf *cb)
{
    struct pp_vk_arglist *list = &cb->args;
    list->on = list->lends = list->full = list->added = false;
    list->args = list->copied = list->execs = list->bytes = 0;
    list->last = NULL;
    /* Give back the pieces that the last recording did not use. */
    struct pp_vk_staging **link = &list->first;
    for (; *link && (*link)->used > 0; link = &(*link)->next)
        (*link)->used = 0;
    give_back(*link);
    *link = NULL;
}

void
pp_indirect_begin(struct pp_cmdbuf *cb)
{
    struct pp_vk_arglist *list = &cb->args;
    list->on = cb->dev->measured.indirect && cb->tracker.level == PP_LEVEL_DRAW && cb->pool->inject &&
               (cb->inject || cb->usage.inherits_pass);
    list->lends = cb->usage.inherits_pass;
}

/* A dispatch may write its own arguments, so they are copied before it. The arguments of commands in a render
 * pass can only be copied after the pass. */

void
pp_indirect_before(struct pp_cmdbuf *cb, const struct pp_vk_args *args)
{
    struct pp_vk_arglist *list = &cb->args;
    list->added = false;
    if (cb->instance.open || list->lends)
        return;
    struct pp_vk_arg *arg = add_arg(cb, args);
    if (!arg)
        return;
    list->added = true;
    open_copies(cb);
    copy_arg(cb, arg, 0);
    close_copies(cb);
    list->copied = list->args;
}

void
pp_indirect_behind(struct pp_cmdbuf *cb, const struct pp_vk_args *args)
{
    struct pp_vk_arglist *list = &cb->args;
    struct pp_vk_arg *arg = cb->instance.open || list->lends ? add_arg(cb, args)
                            : list->added                    ? &list->arg[list->args - 1]
                                                             : NULL;
    if (!arg || arg->action != UINT32_MAX || cb->tracker.dropping || cb->action_list.actions == 0)
        return;
    arg->action = cb->action_list.actions - 1;
}

uint32_t
pp_indirect_execute(struct pp_cmdbuf *cb, const struct pp_cmdbuf *secondary)
{
    if (!cb->args.on || !secondary->args.lends || secondary->args.bytes == 0)
        return PP_NO_ARGS;
    uint32_t at = take_bytes(cb, secondary->args.bytes);
    if (at == PP_NO_ARGS)
        report_unknown_args(cb, secondary->args.bytes > ARGS_MAX ? TOO_LARGE : NO_MEMORY);
    return at;
}

/* Copy the arguments of the secondaries that @p of executes, from execution @p first on, and of those inside
 * them. @p base: offset of the bytes of @p of in the bytes of @p cb. */
static void
copy_execs(const struct pp_cmdbuf *cb, const struct pp_cmdbuf *of, uint32_t first, uint32_t base)
{
    for (uint32_t i = first; i < of->execs.count; i++) {
        const struct pp_vk_exec *exec = &of->execs.list[i];
        if (exec->args_at == PP_NO_ARGS)
            continue;
        for (uint32_t a = 0; a < exec->secondary->args.args; a++)
            copy_arg(cb, &exec->secondary->args.arg[a], base + exec->args_at);
        copy_execs(cb, exec->secondary, 0, base + exec->args_at);
    }
}

void
pp_indirect_flush(struct pp_cmdbuf *cb, bool last)
{
    struct pp_vk_arglist *list = &cb->args;
    bool any = list->copied < list->args;
    if (!list->on || list->lends || cb->instance.open)
        return;
    for (uint32_t i = list->execs; i < cb->execs.count; i++)
        any = any || cb->execs.list[i].args_at != PP_NO_ARGS;
    if (any && cb->instance.suspended && last) {
        report_unknown_args(cb, SUSPENDED);
        for (uint32_t i = list->copied; i < list->args; i++)
            list->arg[i].at = PP_NO_ARGS;
        for (uint32_t i = list->execs; i < cb->execs.count; i++)
            cb->execs.list[i].args_at = PP_NO_ARGS;
    }
    if (cb->instance.suspended)
        return;
    if (any)
        open_copies(cb);
    for (uint32_t i = list->copied; i < list->args; i++)
        copy_arg(cb, &list->arg[i], 0);
    copy_execs(cb, cb, list->execs, 0);
    if (any)
        close_copies(cb);
    list->copied = list->args;
    list->execs = cb->execs.count;
}

void
pp_indirect_free(struct pp_cmdbuf *cb)
{
    give_back(cb->args.first);
    free(cb->args.arg);
}
