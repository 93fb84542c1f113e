/** @file
 * See rewrite.h. */
#include "layer/submit/rewrite.h"
#include "layer/readback/readback.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/memory.h"
#include "core/util/heap.h"
#include "core/util/log.h"
#include "layer/base/serialize.h"
#include "layer/frame/frame.h"
#include "layer/measure/announce.h"
#include "layer/readback/perf_retire.h"
#include "layer/readback/retire.h"
#include "layer/record/bracket.h"
#include "layer/submit/flatten.h"

/* Most regions that command buffers left open; more are taken as forgotten. */
#define MAX_CARRIED 32

/* Close regions that were forgotten: all that are open after a present, or if more than MAX_CARRIED are
 * open. */
static void
forget_carried(struct pp_vk_queue *queue)
{
    struct pp_vk_labels *open = &queue->open;
    uint32_t presents = atomic_load_explicit(&queue->dev->frames.presents, memory_order_relaxed);
    bool forgotten = presents != queue->presents || open->carried > MAX_CARRIED;
    queue->presents = presents;
    for (; forgotten && open->carried > 0; open->carried--)
        open->label = pp_session_label_parent(queue->dev->session, open->label);
    if (open->queue + open->carried == 0)
        open->label = 0;
}

void
pp_rewrite_begin(struct pp_vk_queue *queue, struct pp_vk_surface *surface, bool resets_only)
{
    struct pp_rewrite *rewrite = queue->rewrite;
    forget_carried(queue);
    rewrite->open = queue->open;
    rewrite->surface = surface;
    rewrite->items = 0;
    rewrite->first = rewrite->last = NULL;
    rewrite->resets_only = resets_only;
    rewrite->added = false;
    rewrite->has_passes = rewrite->has_actions = false;
    rewrite->queries = rewrite->failed = rewrite->measures = false;
}

static bool
add_item(struct pp_rewrite *rewrite, VkCommandBuffer handle, uint32_t source)
{
    if (pp_array_grow(&rewrite->item, &rewrite->item_cap, (size_t)rewrite->items + 1,
                      sizeof(*rewrite->item)) != 0)
        return false;
    rewrite->item[rewrite->items++] = (struct pp_rewrite_item){.handle = handle, .source = source};
    rewrite->added = rewrite->added || source == PP_REWRITE_ADDED;
    return true;
}

/* Add a command buffer of the application. @param io_part Index of its first part in the readback. */
static bool
add_app_item(struct pp_rewrite *rewrite, VkCommandBuffer handle, uint32_t source,
             const struct pp_vk_readback *readback, uint32_t *io_part)
{
    uint32_t parts;
    if (!add_item(rewrite, handle, source))
        return false;
    struct pp_rewrite_item *item = &rewrite->item[rewrite->items - 1];
    item->cb = rewrite->record[source];
    item->readback = readback;
    item->part = *io_part;
    (void)pp_serialize.parts(item->cb, &parts);
    *io_part += parts;
    return true;
}

static void
add_readback(struct pp_rewrite *rewrite, struct pp_vk_readback *readback)
{
    readback->next = NULL;
    if (rewrite->last)
        rewrite->last->next = readback;
    else
        rewrite->first = readback;
    rewrite->last = readback;
}

/* Forget a readback that was not submitted. @param limit --max-memory does not allow its memory. */
static void
drop_readback(struct pp_vk_queue *queue, struct pp_vk_readback *readback, bool limit)
{
    struct pp_vk_device *dev = queue->dev;
    pp_perf_drop(queue, readback);
    pp_readback_unshare_queries(readback);
    pp_flatten_undo(readback);
    if (readback->batch)
        pp_batch_cancel(readback->batch);
    readback->batch = NULL;
    pp_readback_no_bias(dev, readback);
    if (limit) {
        pp_memory_refused(dev->session, readback->slots);
        pp_readback_free_memory(queue, readback);
    }
    pp_readback_put(queue, readback);
}

/* Purpose of a readback. */
enum purpose {
    MEASURE, /**< reset queries and read results */
    RESET,   /**< reset queries, read nothing */
    COUNT,   /**< count actions; submit nothing of the layer */
};

/* Consecutive command buffers of the application that share a readback. */
struct segment {
    struct pp_cmdbuf *const *record;
    uint32_t count;
    bool collapse;                 /**< one pass for all of them */
    struct pp_vk_surface *surface; /**< series of frames that they count in; may be NULL for resets */
};

/* May the CPU read this buffer's results after it ran? Then no GPU copy is needed. Software drivers take
 * seven times as long for a copy (lavapipe 22.3.6: 1,780 instructions for a draw's statistics;
 * vkGetQueryPoolResults takes 230), and other drivers need a dispatch. Not for buffers that may run twice at
 * once: the second run resets the queries; secondaries of that kind have no queries. For other buffers,
 * pp_readback_read_last_run() reads the results before the next run. Indirect arguments always need
 * copies. */
static bool
is_read_by_host(const struct pp_cmdbuf *cb)
{
    bool once = cb->usage.one_time || cb->usage.secondary || !cb->usage.simultaneous;
    for (uint32_t i = 0; once && i < cb->execs.count; i++)
        once = is_read_by_host(cb->execs.list[i].secondary);
    return once && cb->args.args == 0;
}

static bool
are_read_by_host(const struct segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++)
        if (segment->record[i] && !is_read_by_host(segment->record[i]))
            return false;
    return true;
}

/* Must the driver not chain the layer's buffer to this neighbour? */
static bool
is_unchained(const struct pp_vk_device *dev, const struct pp_cmdbuf *neighbour)
{
    return dev->quirk.chains_simultaneous && neighbour && neighbour->usage.simultaneous;
}

/* Make a readback and fill it for a segment. @return NULL: no memory, or too many readbacks are pending. */
static struct pp_vk_readback *
make_readback(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, const struct segment *segment,
              enum purpose purpose)
{
    struct pp_vk_readback *readback = pp_readback_get(queue, purpose != MEASURE);
    if (!readback)
        return NULL;
    readback->plain = purpose == COUNT || !queue->inject;
    readback->batch =
        purpose == RESET ? NULL : pp_batch_get(pp_vk_device_timeline(queue->dev, segment->surface));
    if (readback->batch)
        readback->batch->submit_stack = pp_session_event_stack(queue->dev->session);
    bool collapse = segment->collapse && readback->batch;
    const struct pp_cmdbuf *first, *last;
    bool around = collapse && !pp_vk_whole_find(segment->record, segment->count, &first, &last);
    /* With --serialize, sources that count the whole GPU would count the copies. */
    bool by_gpu = atomic_load_explicit(&queue->dev->host_wait.copies_results, memory_order_relaxed);
    bool copies = by_gpu ? !queue->dev->measured.serialize : around && !queue->dev->split;
    readback->host = readback->batch && !readback->plain && !copies && are_read_by_host(segment);
    if (readback->batch) {
        readback->batch->queue = queue->name;
        readback->times_used = around && !readback->plain && pp_readback_make_times(queue, readback) == 0;
    }
    int rc = pp_flatten(&rewrite->flatten, queue, readback, segment->record, segment->count, &rewrite->open,
                        collapse);
    if (rc == 0)
        rc = pp_readback_count(queue, readback, purpose != MEASURE);
    readback->unchained_before = is_unchained(queue->dev, segment->record[0]);
    readback->unchained_after = is_unchained(queue->dev, segment->record[segment->count - 1]);
    if (rc == 0 && !readback->plain)
        rc = pp_readback_record(queue, readback);
    if (rc != 0) {
        drop_readback(queue, readback, rc == -ENOSPC);
        return NULL;
    }
    pp_readback_share_queries(readback);
    return readback;
}

/* Inspect a segment. @return Does it have actions to measure? */
static bool
inspect_segment(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, struct segment *segment,
                bool *ret_queries)
{
    struct pp_flatten_sum sum;
    bool live = pp_vk_device_live(queue->dev);
    struct pp_timeline *timeline;
    segment->surface = rewrite->surface;
    for (uint32_t i = 0; i < segment->count; i++)
        if (segment->record[i] && segment->record[i]->surface) {
            segment->surface = segment->record[i]->surface;
            break;
        }
    timeline = live ? pp_vk_device_timeline(queue->dev, segment->surface) : NULL;
    enum pp_level level = timeline ? pp_timeline_level(timeline) : PP_LEVEL_PASS;
    pp_flatten_look(segment->record, segment->count, level, &sum);
    if (sum.left_out && timeline && level != PP_LEVEL_FRAME)
        pp_vk_device_missing(queue->dev, PP_EVENT_VK_LEFT_OUT, PP_MSG_VK_LEFT_OUT);
    rewrite->has_passes = rewrite->has_passes || sum.has_passes;
    rewrite->has_actions = rewrite->has_actions || sum.has_actions;
    rewrite->queries = rewrite->queries || sum.queries;
    segment->collapse = sum.collapse;
    *ret_queries = sum.queries;
    return sum.has_passes && timeline && !pp_timeline_paused(timeline);
}

static void
rewrite_segment(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, const VkCommandBuffer *buffers,
                uint32_t from, uint32_t to)
{
    struct segment segment = {.record = rewrite->record + from, .count = to - from};
    bool queries, ok = true;
    bool has_passes = inspect_segment(queue, rewrite, &segment, &queries);
    struct pp_vk_readback *readback = NULL, *counts = NULL;
    if (has_passes && !rewrite->resets_only)
        readback = make_readback(queue, rewrite, &segment, MEASURE);
    if (has_passes && !readback) {
        segment.collapse = true;
        counts = make_readback(queue, rewrite, &segment, COUNT);
        if (counts && counts->batch && counts->batch->level == PP_LEVEL_DRAW)
            counts->batch->action_list.lacks_actions = pp_memory_is_short(queue->dev->session);
        pp_vk_device_missing(queue->dev, PP_EVENT_VK_MANY_SUBMISSIONS, PP_MSG_VK_MANY_SUBMISSIONS);
    }
    /* The queries of a buffer must be reset for every run, measured or not. */
    if (!readback && queries) {
        readback = make_readback(queue, rewrite, &segment, RESET);
        ok = readback != NULL;
    }
    if (readback && readback->has_before && !readback->plain)
        ok = add_item(rewrite, readback->before, PP_REWRITE_ADDED);
    for (uint32_t i = from, part = 0; i < to; i++)
        ok = ok && add_app_item(rewrite, buffers[i], i, readback, &part);
    if (readback && readback->has_after && !readback->plain)
        ok = ok && add_item(rewrite, readback->after, PP_REWRITE_ADDED);
    if (readback)
        add_readback(rewrite, readback);
    if (counts)
        add_readback(rewrite, counts);
    pp_flatten_labels(queue->dev->session, segment.record, segment.count, &rewrite->open);
    rewrite->failed = rewrite->failed || !ok;
}

/* Rewrite a batch to which nothing may be added: count its actions, and make the resets for a batch before
 * it. */
static void
rewrite_closed(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, const VkCommandBuffer *buffers,
               uint32_t count)
{
    struct segment segment = {.record = rewrite->record, .count = count};
    bool queries, ok = true;
    bool has_passes = inspect_segment(queue, rewrite, &segment, &queries);
    segment.collapse = true;
    struct pp_vk_readback *resets = queries ? make_readback(queue, rewrite, &segment, RESET) : NULL;
    if (has_passes)
        pp_vk_device_missing(queue->dev, PP_EVENT_VK_CLOSED, PP_MSG_VK_CLOSED);
    struct pp_vk_readback *counts = has_passes ? make_readback(queue, rewrite, &segment, COUNT) : NULL;
    if (queries)
        ok = resets && (!resets->has_before || add_item(rewrite, resets->before, PP_REWRITE_ADDED));
    for (uint32_t i = 0; i < count; i++)
        ok = ok && add_item(rewrite, buffers[i], i);
    if (resets)
        add_readback(rewrite, resets);
    if (counts)
        add_readback(rewrite, counts);
    pp_flatten_labels(queue->dev->session, segment.record, segment.count, &rewrite->open);
    rewrite->failed = rewrite->failed || !ok;
}

/* Is this buffer, or a secondary in it, already in the segment? Then its queries need a reset between the
 * two runs. */
static bool
needs_reset_between(struct pp_cmdbuf *cb, uint64_t segment)
{
    bool seen = atomic_exchange_explicit(&cb->history.segment, segment, memory_order_relaxed) == segment;
    seen = seen && (cb->queries[PP_QUERY_TIME].count > 0 || cb->queries[PP_QUERY_STATISTICS].count > 0 ||
                    cb->queries[PP_QUERY_GRAPHICS].count > 0);
    for (uint32_t i = 0; i < cb->execs.count; i++)
        seen = needs_reset_between(cb->execs.list[i].secondary, segment) || seen;
    return seen;
}

/* Does a buffer belong to another window than the buffers before it in the segment? The answer is no between
 * a suspended pass and the pass that resumes it, because nothing may be added there. */
static bool
is_of_other_window(const struct pp_rewrite *rewrite, uint32_t from, uint32_t i)
{
    const struct pp_cmdbuf *cb = rewrite->record[i], *last = i > from ? rewrite->record[i - 1] : NULL;
    if (!last || !cb->surface || last->instance.suspended)
        return false;
    for (uint32_t k = from; k < i; k++)
        if (rewrite->record[k] && rewrite->record[k]->surface)
            return rewrite->record[k]->surface != cb->surface;
    return false;
}

static uint64_t
next_segment(void)
{
    static _Atomic(uint64_t) last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static bool
find_records(struct pp_rewrite *rewrite, const VkCommandBuffer *buffers, uint32_t count)
{
    if (pp_array_grow(&rewrite->record, &rewrite->record_cap, count, sizeof(struct pp_cmdbuf *)) != 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        rewrite->record[i] = pp_cmdbuf_find(buffers[i]);
    return true;
}

uint32_t
pp_rewrite_batch(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, const VkCommandBuffer *buffers,
                 uint32_t count, bool closed)
{
    uint32_t before = rewrite->items, from = 0;
    uint64_t segment = next_segment();
    if (rewrite->failed || !find_records(rewrite, buffers, count)) {
        rewrite->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (rewrite->record[i]) {
            pp_readback_read_last_run(rewrite->record[i]);
            if (!rewrite->resets_only) /* the second attempt is not another run */
                pp_vk_record_runs(rewrite->record[i]);
        }
    /* The first buffer that measures decides the counter set of the call. */
    for (uint32_t i = 0; i < count && queue->dev->measured.perf; i++)
        if (rewrite->record[i])
            rewrite->measures =
                pp_perf_submit(queue, rewrite->record[i], !rewrite->measures) || rewrite->measures;
    if (closed) {
        rewrite_closed(queue, rewrite, buffers, count);
        return rewrite->items - before;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!rewrite->record[i] ||
            (!needs_reset_between(rewrite->record[i], segment) && !is_of_other_window(rewrite, from, i)))
            continue;
        rewrite_segment(queue, rewrite, buffers, from, i);
        from = i;
        segment = next_segment();
        (void)needs_reset_between(rewrite->record[i], segment);
    }
    if (from < count)
        rewrite_segment(queue, rewrite, buffers, from, count);
    return rewrite->items - before;
}

void
pp_rewrite_commit(struct pp_vk_queue *queue, struct pp_rewrite *rewrite, uint64_t issued_ns,
                  uint64_t overhead_ns)
{
    struct pp_vk_readback *readback = rewrite->first;
    rewrite->first = rewrite->last = NULL;
    queue->open = rewrite->open;
    while (readback) {
        struct pp_vk_readback *next = readback->next;
        readback->next = NULL;
        if (readback->batch) {
            pp_batch_note_work(readback->batch);
            readback->batch->cpu_issued_ns = issued_ns;
            readback->batch->overhead_ns = overhead_ns;
            overhead_ns = 0;
        }
        if (readback->plain)
            pp_retire_plain(queue, readback);
        else
            pp_retire_append(queue, readback);
        readback = next;
    }
}

void
pp_rewrite_abort(struct pp_vk_queue *queue, struct pp_rewrite *rewrite)
{
    struct pp_vk_readback *readback = rewrite->first;
    rewrite->first = rewrite->last = NULL;
    while (readback) {
        struct pp_vk_readback *next = readback->next;
        drop_readback(queue, readback, false);
        readback = next;
    }
}

uint32_t *
pp_rewrite_counts(struct pp_rewrite *rewrite, uint32_t batches)
{
    int rc = pp_array_grow(&rewrite->counts, &rewrite->count_cap, batches, sizeof(*rewrite->counts));
    return rc == 0 ? rewrite->counts : NULL;
}

void *
pp_rewrite_memory(struct pp_rewrite *rewrite, size_t size)
{
    if (size > rewrite->memory_size) {
        void *memory = realloc(rewrite->memory, size * 2);
        if (!memory)
            return NULL;
        rewrite->memory = memory;
        rewrite->memory_size = size * 2;
    }
    return rewrite->memory;
}

void
pp_rewrite_finish(struct pp_rewrite *rewrite)
{
    pp_flatten_finish(&rewrite->flatten);
    free(rewrite->item);
    free(rewrite->record);
    free(rewrite->counts);
    free(rewrite->memory);
    memset(rewrite, 0, sizeof(*rewrite));
}
