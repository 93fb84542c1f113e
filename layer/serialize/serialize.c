/** @file
 * See serialize.h. See serialize.h. */
#include "layer/serialize/serialize.h"

#include <stdlib.h>
#include <time.h>

#include "core/engine/clock.h"
#include "core/util/heap.h"
#include "core/util/log.h"
#include "layer/base/serialize.h"
#include "layer/measure/announce.h"
#include "layer/readback/retire.h"
#include "layer/serialize/split.h"
#include "layer/serialize/split_instance.h"
#include "layer/serialize/split_pass.h"
#include "layer/submit/rewrite.h"
#include "layer/submit/submit.h"

/* Most retries of a refused piece after one that the driver accepted; the last pause is 128 ms. */
#define RETRIES_MAX 8U

/* Submission in pieces. */

/* A part of a command buffer, in the order of submission. */
struct piece {
    VkCommandBuffer handle;
    uint32_t source; /**< index of the command buffer in the rewritten batch */
    uint32_t bracket;
    uint32_t around; /**< bracket of the pass that contains the piece, if the whole pass is measured;
                        PP_NO_BRACKET: none */
    struct pp_batch *batch;
    bool glued;
};

/* The pieces of one batch. */
struct pieces {
    struct piece *piece;
    uint32_t count, cap;
    bool measured; /**< counters are read around some pieces */
    VkCommandBufferSubmitInfo *info;
    VkCommandBuffer *handle;
};

/* Are counters read before and after this piece? */
static bool
is_read(const struct piece *piece)
{
    return piece->bracket != PP_NO_BRACKET || piece->around != PP_NO_BRACKET;
}

static bool
add_piece(struct pieces *pieces, const struct piece *piece)
{
    if (pp_array_grow(&pieces->piece, &pieces->cap, (size_t)pieces->count + 1, sizeof(*pieces->piece)) != 0)
        return false;
    pieces->piece[pieces->count++] = *piece;
    pieces->measured = pieces->measured || is_read(piece);
    return true;
}

/* Add the parts of one item of the rewrite. @return false: no memory. */
static bool
add_item(struct pieces *pieces, const struct pp_rewrite_item *item, uint32_t source)
{
    uint32_t parts;
    const struct pp_split_part *part = pp_split_parts(item->cb, &parts);
    const struct pp_vk_readback *readback = item->readback;
    struct piece piece = {
        .handle = item->handle, .source = source, .bracket = PP_NO_BRACKET, .around = PP_NO_BRACKET};
    if (!part)
        return add_piece(pieces, &piece);
    for (uint32_t i = 0; i < parts; i++) {
        bool known = readback && readback->batch && item->part + i < readback->parts;
        const struct pp_readback_part none = {PP_NO_BRACKET, PP_NO_BRACKET};
        const struct pp_readback_part *of = known ? &readback->part[item->part + i] : &none;
        piece.handle = part[i].handle;
        piece.glued = part[i].glued;
        piece.bracket = of->bracket;
        piece.around = of->around;
        piece.batch = known ? readback->batch : NULL;
        if (!add_piece(pieces, &piece))
            return false;
    }
    return true;
}

static uint32_t
buffers_of(const struct pp_serialize_call *call, uint32_t b)
{
    return call->submits2 ? call->submits2[b].commandBufferInfoCount : call->submits[b].commandBufferCount;
}

/* May a batch be split? Structs in its chain must only be about semaphores. */
static bool
may_split_batch(const struct pp_serialize_call *call, uint32_t b)
{
    const VkBaseInStructure *node = call->submits2 ? call->submits2[b].pNext : call->submits[b].pNext;
    if (call->submits2 && (call->submits2[b].flags & VK_SUBMIT_PROTECTED_BIT))
        return false;
    for (; node; node = node->pNext)
        if (node->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
            return false;
    return true;
}

/* Submit the pieces of a batch from @p from to before @p to. @param begins Wait for the batch's semaphores.
 * @param ends Signal the batch's semaphores. */
static VkResult
submit_pieces(const struct pp_serialize_call *call, uint32_t b, struct pieces *pieces, uint32_t from,
              uint32_t to, bool begins, bool ends, VkFence fence)
{
    const struct pp_vk_device_next *next = pp_split_real(call->queue->handle);
    uint32_t count = to - from;
    if (!call->submits2) {
        VkSubmitInfo one = call->submits[b];
        for (uint32_t i = 0; i < count; i++)
            pieces->handle[i] = pieces->piece[from + i].handle;
        one.commandBufferCount = count;
        one.pCommandBuffers = pieces->handle;
        one.waitSemaphoreCount = begins ? one.waitSemaphoreCount : 0;
        one.signalSemaphoreCount = ends ? one.signalSemaphoreCount : 0;
        one.pNext = begins || ends ? one.pNext : NULL;
        return next->QueueSubmit(call->queue->handle, 1, &one, fence);
    }
    VkSubmitInfo2 two = call->submits2[b];
    for (uint32_t i = 0; i < count; i++) {
        pieces->info[i] = two.pCommandBufferInfos[pieces->piece[from + i].source];
        pieces->info[i].commandBuffer = pieces->piece[from + i].handle;
    }
    two.commandBufferInfoCount = count;
    two.pCommandBufferInfos = pieces->info;
    two.waitSemaphoreInfoCount = begins ? two.waitSemaphoreInfoCount : 0;
    two.signalSemaphoreInfoCount = ends ? two.signalSemaphoreInfoCount : 0;
    two.pNext = begins || ends ? two.pNext : NULL;
    return next->QueueSubmit2(call->queue->handle, 1, &two, fence);
}

/* End of the pieces that go into one submission with piece @p from: only this piece if counters are read
 * around it, else all pieces up to the next such piece. Glued pieces stay together. */
static uint32_t
find_end(const struct pieces *pieces, uint32_t from)
{
    uint32_t to = from + 1;
    bool read = is_read(&pieces->piece[from]);
    while (to < pieces->count && (pieces->piece[to - 1].glued || (!read && !is_read(&pieces->piece[to]))))
        to++;
    return to;
}

/* Wait and try again after a refusal? What was submitted cannot be taken back, so the application must not
 * see the refusal. Lack of memory may pass, because the queue is idle by now. Each pause is longer than the
 * one before. @param io_tries Begins with 0. */
static bool
wait_before_retry(const struct pp_serialize_call *call, VkResult result, unsigned *io_tries)
{
    if (!call->begun || *io_tries == RETRIES_MAX ||
        (result != VK_ERROR_OUT_OF_HOST_MEMORY && result != VK_ERROR_OUT_OF_DEVICE_MEMORY))
        return false;
    const struct timespec pause = {.tv_nsec = 1000000L << *io_tries};
    nanosleep(&pause, NULL);
    ++*io_tries;
    return true;
}

/* Is this the first piece of its pass? */
static bool
is_first_of(const struct pieces *pieces, uint32_t from)
{
    const struct piece *piece = &pieces->piece[from];
    return from == 0 || piece[-1].batch != piece->batch || piece[-1].around != piece->around;
}

/* Submit some pieces of a batch, and wait, unless an earlier wait failed. */
static VkResult
submit_step(struct pp_serialize_call *call, uint32_t b, struct pieces *pieces, uint32_t from, uint32_t to,
            bool begins, bool ends, VkFence fence)
{
    struct pp_target target = pp_target_empty(), around = pp_target_empty();
    const struct piece *first = &pieces->piece[from];
    unsigned tries = 0;
    VkResult result;
    bool reads = call->ended == VK_SUCCESS && !call->overlapped;
    if (from < to && first->bracket != PP_NO_BRACKET && reads)
        target = pp_target_bracket(first->batch, first->bracket);
    if (from < to && first->around != PP_NO_BRACKET)
        around = (struct pp_target){first->batch, first->around, PP_NO_BRACKET};
    if (!reads)
        pp_target_lose(&around);
    else if (around.batch && is_first_of(pieces, from))
        pp_target_read(&around, 0);
    pp_target_read(&target, 0);
    do
        result = submit_pieces(call, b, pieces, from, to, begins, ends, fence);
    while (result != VK_SUCCESS && wait_before_retry(call, result, &tries));
    call->begun = call->begun || result == VK_SUCCESS;
    if (result != VK_SUCCESS || call->ended != VK_SUCCESS)
        return result;
    call->ended = pp_idle_wait(call->queue);
    if (call->ended == VK_SUCCESS) {
        pp_target_read(&target, 1);
        if (reads)
            pp_target_read(&around, 1); /* a later part of the pass overwrites this */
        if (reads && to == from + 1)    /* no glued pieces of other passes */
            pp_target_apart(&target, &around);
    } else {
        pp_target_lose(&target);
        pp_target_lose(&around);
    }
    return result;
}

/* Submit a batch in steps: first what it waits for, last what it signals, so that nothing else runs during a
 * bracket. */
static VkResult
submit_apart(struct pp_serialize_call *call, uint32_t b, struct pieces *pieces, VkFence fence)
{
    uint32_t waits =
        call->submits2 ? call->submits2[b].waitSemaphoreInfoCount : call->submits[b].waitSemaphoreCount;
    bool begins = waits > 0;
    VkResult result = VK_SUCCESS;
    for (uint32_t from = 0; from < pieces->count && result == VK_SUCCESS;) {
        bool read_now = is_read(&pieces->piece[from]);
        uint32_t to = begins && read_now ? from : find_end(pieces, from);
        bool ends = to == pieces->count && !read_now;
        result = submit_step(call, b, pieces, from, to, begins, ends, ends ? fence : VK_NULL_HANDLE);
        if (ends)
            return result;
        begins = false;
        from = to;
    }
    return result != VK_SUCCESS
               ? result
               : submit_step(call, b, pieces, pieces->count, pieces->count, false, true, fence);
}

static VkResult
submit_whole(struct pp_serialize_call *call, uint32_t b, VkFence fence)
{
    const struct pp_vk_device_next *next = &call->queue->dev->next;
    VkQueue queue = call->queue->handle;
    unsigned tries = 0;
    VkResult result;
    do
        result = call->submits2 ? next->QueueSubmit2(queue, 1, &call->submits2[b], fence)
                                : next->QueueSubmit(queue, 1, &call->submits[b], fence);
    while (result != VK_SUCCESS && wait_before_retry(call, result, &tries));
    call->begun = call->begun || result == VK_SUCCESS;
    return result;
}

/* List the parts of batch @p b. @param at First item of the batch. @return false: no memory. */
static bool
list_pieces(const struct pp_serialize_call *call, uint32_t b, uint32_t at, struct pieces *pieces)
{
    bool ok = true;
    pieces->count = 0;
    pieces->measured = false;
    for (uint32_t i = 0; ok && i < buffers_of(call, b); i++)
        ok = add_item(pieces, &call->rewrite->item[at + i], i);
    if (!ok || !pieces->measured)
        return ok;
    void *info = realloc(pieces->info, pieces->count * sizeof(*pieces->info));
    pieces->info = info ? info : pieces->info;
    void *handle = realloc(pieces->handle, pieces->count * sizeof(VkCommandBuffer));
    pieces->handle = handle ? handle : pieces->handle;
    return info && handle;
}

/* Mark passes at level draw whose values are the sum of their actions, because these ran one by one. For
 * other passes, counters are read around the whole pass later. */
static void
mark_sums(const struct pp_rewrite *rewrite)
{
    for (const struct pp_vk_readback *readback = rewrite->first; readback; readback = readback->next) {
        struct pp_batch *batch = readback->batch;
        for (uint32_t p = 0; batch && readback->parts > 0 && p < batch->action_list.passes; p++) {
            struct pp_pass *pass = &batch->action_list.pass[p];
            if (pass->kind != PP_PASS_RENDER)
                pass->flags |= PP_PASS_ACTIONS_SERIALIZED;
            if (pass->actions > 0 && (pass->flags & PP_PASS_ACTIONS_SERIALIZED))
                pp_device_sums(batch->device, batch, pass->bracket);
        }
    }
}

/* Submit a call batch by batch. @return As submit_call(). */
static VkResult
submit_batches(struct pp_serialize_call *call)
{
    struct pieces pieces = {0};
    VkResult result = VK_SUCCESS;
    for (uint32_t b = 0, at = 0; b < call->count && result == VK_SUCCESS; at += buffers_of(call, b++)) {
        VkFence fence = b == call->count - 1 ? call->fence : VK_NULL_HANDLE;
        bool apart = may_split_batch(call, b) && list_pieces(call, b, at, &pieces) && pieces.measured;
        if (apart) {
            result = submit_apart(call, b, &pieces, fence);
            continue;
        }
        const struct pp_target target = call->overlapped || call->ended != VK_SUCCESS
                                            ? pp_target_empty()
                                            : pp_target_only_pass_of(call->rewrite, at, buffers_of(call, b));
        pp_target_read(&target, 0);
        result = submit_whole(call, b, fence);
        if (result == VK_SUCCESS && call->ended == VK_SUCCESS)
            call->ended = pp_idle_wait(call->queue);
        pp_target_finish(&target, result == VK_SUCCESS && call->ended == VK_SUCCESS);
    }
    free(pieces.piece);
    free(pieces.info);
    free(pieces.handle);
    /* A part was submitted: VK_ERROR_DEVICE_LOST is the only honest answer. */
    return result != VK_SUCCESS && call->begun ? VK_ERROR_DEVICE_LOST : result;
}

/* Are counters to be read between pieces of the call? That is so if a bracket is a part of its own, or if
 * there are several batches. */
static bool
has_parts(const struct pp_rewrite *rewrite, uint32_t batches)
{
    for (const struct pp_vk_readback *readback = rewrite->first; readback && batches > 1;
         readback = readback->next)
        if (readback->batch && pp_device_wants_apart(readback->batch->device))
            return true;
    for (const struct pp_vk_readback *readback = rewrite->first; readback; readback = readback->next)
        for (uint32_t i = 0;
             readback->batch && pp_device_wants_apart(readback->batch->device) && i < readback->parts; i++)
            if (readback->part[i].bracket != PP_NO_BRACKET || readback->part[i].around != PP_NO_BRACKET)
                return true;
    return false;
}

/* Mark the batches of a call if nothing else ran at the same time. */
static void
note_isolated(const struct pp_serialize_call *call)
{
    for (const struct pp_vk_readback *readback = call->rewrite->first; readback; readback = readback->next)
        if (readback->batch && call->ended == VK_SUCCESS && !call->overlapped)
            readback->batch->isolated = PP_ISOLATED_PASSES;
}

static VkResult
submit_call(struct pp_serialize_call *call)
{
    const struct pp_rewrite *rewrite = call->rewrite;
    const struct pp_vk_device_next *next = &call->queue->dev->next;
    bool parts = has_parts(rewrite, call->count);
    call->ended = VK_SUCCESS;
    if (parts || pp_idle_has_unwaited(call->queue))
        call->ended = pp_idle_wait(call->queue);
    call->overlapped = pp_idle_others_have_unwaited(call->queue) || call->ended != VK_SUCCESS;
    if (parts) {
        mark_sums(rewrite);
        VkResult result = submit_batches(call);
        call->submitted_ns = pp_now_ns();
        note_isolated(call);
        return result;
    }
    const struct pp_target target = call->overlapped ? pp_target_empty() : pp_target_only_pass(rewrite);
    VkResult before = call->ended;
    pp_target_read(&target, 0);
    VkResult result = call->submits2
                          ? next->QueueSubmit2(call->queue->handle, call->count, call->submits2, call->fence)
                          : next->QueueSubmit(call->queue->handle, call->count, call->submits, call->fence);
    call->submitted_ns = pp_now_ns();
    call->ended = before == VK_TIMEOUT ? before : VK_NOT_READY;
    if (result == VK_SUCCESS && rewrite->has_passes && before != VK_TIMEOUT)
        call->ended = pp_idle_wait(call->queue);
    pp_target_finish(&target, call->ended == VK_SUCCESS);
    note_isolated(call);
    return result;
}

const struct pp_serialize_ops pp_serialize = {
    .built = true,
    .open = pp_split_open,
    .need_parts = pp_split_force,
    .wrap = pp_split_wrap,
    .note_unknown = pp_split_unknown,
    .proc = pp_split_proc,
    .instance_proc = pp_split_instance_proc,
    .finish_objects = pp_split_passes_finish,
    .close = pp_split_close,
    .add = pp_split_add,
    .release = pp_split_release,
    .remove = pp_split_free,
    .cut = pp_split_cut,
    .begin_pass = pp_split_begin_pass,
    .action = pp_split_draw,
    .query = pp_split_query,
    .end_pass = pp_split_pass_end,
    .executed = pp_split_executed,
    .parts = pp_split_parts,
    .waits = pp_idle_waits,
    .note_unwaited = pp_idle_note_unwaited,
    .fence = pp_idle_submit_fence,
    .submit = submit_call,
    .ended = pp_idle_note_ended,
};

/* Longest time of a submission; after it, the submission is assumed to wait for a later one. */
#define SERIAL_NS 2000000000U

/* Number of submissions that the layer does not wait for after one that did not end: the first time, and at
 * most. */
enum { BACKOFF_FIRST = 4, BACKOFF_MOST = 4096 };

void
pp_idle_note_unwaited(struct pp_vk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->unwaited++;
    pthread_mutex_unlock(&queue->lock);
}

/* Submit a fence after everything that the queue has. @param wait_ns Longest wait for the fence; 0: do not
 * wait. @return VK_SUCCESS: the fence was submitted, and reached if there was a wait. */
static VkResult
fence_all(struct pp_vk_queue *queue, uint64_t wait_ns)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_vk_fence *fence = pp_fence_get(queue);
    if (!fence)
        return VK_NOT_READY;
    VkResult result = dev->next.QueueSubmit(queue->handle, 0, NULL, fence->fence);
    bool submitted = result == VK_SUCCESS;
    if (submitted && wait_ns > 0)
        result = dev->next.WaitForFences(dev->handle, 1, &fence->fence, VK_TRUE, wait_ns);
    pp_fence_put(queue, fence, submitted);
    return result;
}

void
pp_idle_submit_fence(struct pp_vk_queue *queue)
{
    if (fence_all(queue, 0) == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(queue->dev);
}

VkResult
pp_idle_wait(struct pp_vk_queue *queue)
{
    return fence_all(queue, SERIAL_NS);
}

bool
pp_idle_has_unwaited(struct pp_vk_queue *queue)
{
    pp_retire_available(queue);
    pthread_mutex_lock(&queue->lock);
    bool unwaited = queue->unwaited_done < queue->unwaited;
    pthread_mutex_unlock(&queue->lock);
    return unwaited;
}

/* State of a search over all queues except one. */
struct others {
    const struct pp_vk_queue *mine;
    bool unwaited;
};

static void
visit_queues(void *value, void *user)
{
    struct pp_vk_device *dev = value;
    struct others *others = user;
    if (!dev->session)
        return;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        others->unwaited = others->unwaited || (queue != others->mine && pp_idle_has_unwaited(queue));
}

bool
pp_idle_others_have_unwaited(const struct pp_vk_queue *mine)
{
    struct others others = {.mine = mine};
    pp_map_each(&pp_vk_root.devices, visit_queues, &others);
    return others.unwaited;
}

bool
pp_idle_waits(struct pp_vk_queue *queue, const struct pp_submit_call *call)
{
    queue->waits = queue->waits && pp_idle_has_unwaited(queue);
    if (!queue->waits && pp_host_wait_needed(queue->dev, call)) {
        queue->waits = true;
        pp_vk_device_missing(queue->dev, PP_EVENT_VK_SERIALIZE_WAITS, PP_MSG_VK_SERIALIZE_WAITS);
    }
    if (queue->waits)
        return false;
    if (queue->skips == 0)
        return true;
    queue->skips--;
    return false;
}

void
pp_idle_note_ended(struct pp_vk_queue *queue, VkResult ended)
{
    struct pp_vk_device *dev = queue->dev;
    if (ended == VK_SUCCESS)
        pp_retire_note_done(queue, queue->serial);
    if (ended == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (ended != VK_TIMEOUT)
        return;
    queue->backoff = queue->backoff == 0 ? BACKOFF_FIRST : 2 * queue->backoff;
    if (queue->backoff > BACKOFF_MOST)
        queue->backoff = BACKOFF_MOST;
    queue->skips = queue->backoff;
    pp_vk_device_missing(dev, "serialize", PP_MSG_VK_SERIALIZE_TIMEOUT);
}

struct pp_target
pp_target_empty(void)
{
    return (struct pp_target){NULL, PP_NO_BRACKET, PP_NO_BRACKET};
}

/* Target for pass @p p; if the pass has one action, that action. */
static struct pp_target
target_pass(struct pp_batch *batch, uint32_t p)
{
    const struct pp_action_list *action_list = &batch->action_list;
    const struct pp_pass *pass = &action_list->pass[p];
    bool one = pass->actions == 1 && pass->draws + pass->dispatches + pass->copies == 1;
    for (uint32_t w = 0; one && w < action_list->actions; w++)
        if (action_list->action[w].pass == p)
            return (struct pp_target){batch, action_list->action[w].bracket, pass->bracket};
    return (struct pp_target){batch, pass->bracket, PP_NO_BRACKET};
}

struct pp_target
pp_target_bracket(struct pp_batch *batch, uint32_t bracket)
{
    const struct pp_action_list *action_list = &batch->action_list;
    for (uint32_t p = 0; p < action_list->passes; p++)
        if (action_list->pass[p].bracket == bracket)
            return target_pass(batch, p);
    for (uint32_t w = 0; w < action_list->actions; w++)
        if (action_list->action[w].bracket == bracket)
            return (struct pp_target){batch, bracket, action_list->pass[action_list->action[w].pass].bracket};
    return pp_target_empty();
}

void
pp_target_read(const struct pp_target *target, unsigned end)
{
    struct pp_batch *batch = target->batch;
    if (!batch)
        return;
    if (target->pass != PP_NO_BRACKET) /* the pass is the sum of its actions */
        pp_device_sums(batch->device, batch, target->pass);
    pp_device_read(batch->device, batch, target->bracket, end, batch->frame_set, true);
}

static void
mark_apart(const struct pp_target *target, bool apart)
{
    struct pp_batch *batch = target->batch;
    if (!batch)
        return;
    pp_device_apart(batch->device, batch, target->bracket, apart);
    pp_device_apart(batch->device, batch, target->pass, apart);
}

void
pp_target_apart(const struct pp_target *target, const struct pp_target *around)
{
    mark_apart(target, true);
    mark_apart(around, true);
}

void
pp_target_finish(const struct pp_target *target, bool idle)
{
    if (!idle) {
        pp_target_lose(target);
        return;
    }
    pp_target_read(target, 1);
    mark_apart(target, true);
}

void
pp_target_lose(const struct pp_target *target)
{
    if (target->batch)
        pp_device_unread(target->batch->device, target->batch, target->bracket);
    mark_apart(target, false);
}

struct pp_target
pp_target_only_pass(const struct pp_rewrite *rewrite)
{
    struct pp_batch *only = NULL;
    for (const struct pp_vk_readback *readback = rewrite->first; readback; readback = readback->next) {
        if (!readback->batch || readback->batch->action_list.passes == 0)
            continue;
        if (only || readback->batch->action_list.passes > 1)
            return pp_target_empty();
        only = readback->batch;
    }
    return only && pp_device_wants_apart(only->device) ? target_pass(only, 0) : pp_target_empty();
}

struct pp_target
pp_target_only_pass_of(const struct pp_rewrite *rewrite, uint32_t at, uint32_t items)
{
    const struct pp_vk_readback *only = NULL;
    for (uint32_t i = at; i < at + items; i++) {
        const struct pp_vk_readback *readback = rewrite->item[i].readback;
        if (!readback || !readback->batch || readback->batch->action_list.passes == 0 || readback == only)
            continue;
        if (only || readback->batch->action_list.passes > 1)
            return pp_target_empty();
        only = readback;
    }
    return only && pp_device_wants_apart(only->batch->device) ? target_pass(only->batch, 0)
                                                              : pp_target_empty();
}
