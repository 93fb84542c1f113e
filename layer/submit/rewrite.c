/** @file
 * See rewrite.h. */
#include "layer/submit/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/array.h"
#include "core/util/log.h"
#include "layer/serialize/cmdbuf_split.h"
#include "layer/submit/frame.h"

/* Regions that one command buffer opened and none has closed, so far as they can be meant: an application
 * that forgets to close them would be ever deeper in them. */
#define MAX_CARRIED 32

/** What is open behind a present, or in so many others, was forgotten. */
static void
forget_carried(struct pp_vk_queue *queue)
{
    struct pp_vk_labels *open = &queue->open;
    uint32_t presents = atomic_load_explicit(&queue->dev->presents, memory_order_relaxed);
    bool forgotten = presents != queue->presents || open->carried > MAX_CARRIED;
    queue->presents = presents;
    for (; forgotten && open->carried > 0; open->carried--)
        open->label = pp_session_label_parent(queue->dev->session, open->label);
    if (open->queue + open->carried == 0)
        open->label = 0;
}

void
pp_plan_begin(struct pp_vk_queue *queue, struct pp_vk_surface *surface, bool resets_only)
{
    struct pp_plan *plan = queue->plan;
    forget_carried(queue);
    plan->open = queue->open;
    plan->surface = surface;
    plan->items = 0;
    plan->first = plan->last = NULL;
    plan->resets_only = resets_only;
    plan->ours = false;
    plan->action = plan->queries = plan->failed = plan->measures = false;
}

static bool
add_item(struct pp_plan *plan, VkCommandBuffer handle, uint32_t source)
{
    if (pp_array_grow(&plan->item, &plan->item_cap, (size_t)plan->items + 1, sizeof(*plan->item)) != 0)
        return false;
    plan->item[plan->items++] = (struct pp_plan_item){.handle = handle, .source = source};
    plan->ours = plan->ours || source == PP_PLAN_OURS;
    return true;
}

/** One of the application's. @param io_part Its first part among the slot's. */
static bool
add_program_item(struct pp_plan *plan, VkCommandBuffer handle, uint32_t source, const struct pp_vk_slot *slot,
                 uint32_t *io_part)
{
    uint32_t parts;
    if (!add_item(plan, handle, source))
        return false;
    struct pp_plan_item *item = &plan->item[plan->items - 1];
    item->cb = plan->record[source];
    item->slot = slot;
    item->part = *io_part;
    (void)pp_split_parts(item->cb, &parts);
    *io_part += parts;
    return true;
}

static void
add_slot(struct pp_plan *plan, struct pp_vk_slot *slot)
{
    slot->next = NULL;
    if (plan->last)
        plan->last->next = slot;
    else
        plan->first = slot;
    plan->last = slot;
}

/** Forget a slot that was not submitted. */
static void
drop_slot(struct pp_vk_queue *queue, struct pp_vk_slot *slot)
{
    struct pp_vk_device *dev = queue->dev;
    pp_perf_drop(queue, slot);
    pp_slot_unhold(slot);
    pp_replay_undo(slot);
    if (slot->batch)
        pp_batch_cancel(slot->batch);
    slot->batch = NULL;
    pp_slot_no_bias(dev, slot);
    pp_slot_put(queue, slot);
}

/** What a slot is to be for. */
enum purpose {
    MEASURE, /**< results come back; resets too */
    RESET,   /**< queries are kept reset, nothing is read */
    COUNT,   /**< nothing of ours is submitted */
};

/** Some buffers of the application, as a slot takes them. */
struct segment {
    struct pp_cmdbuf *const *record;
    uint32_t count;
    bool collapse;                 /**< one pass for all of them */
    struct pp_vk_surface *surface; /**< whose frame they count in; may be NULL for resets */
};

/**
 * May the host read what a buffer measures, when it has run? Then the GPU need not copy it: software drivers
 * take seven times as long for that (lavapipe 22.3.6: 1,780 instructions a draw's statistics, where
 * vkGetQueryPoolResults takes 230), others a dispatch. Not of one that may run twice at once: the later run
 * would reset the queries before the host comes; secondaries of that kind have none. Before another run of
 * the others pp_slot_settle() comes. Indirect arguments come by copies anyway.
 */
static bool
is_read_by_host(const struct pp_cmdbuf *cb)
{
    bool once = cb->one_time || cb->secondary || !cb->simultaneous;
    for (uint32_t i = 0; once && i < cb->execs; i++)
        once = is_read_by_host(cb->exec[i].secondary);
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

/** A filled slot. @return NULL: no memory, or too many are under way to measure more. */
static struct pp_vk_slot *
make_slot(struct pp_vk_queue *queue, struct pp_plan *plan, const struct segment *segment,
          enum purpose purpose)
{
    struct pp_vk_slot *slot = pp_slot_get(queue, purpose != MEASURE);
    if (!slot)
        return NULL;
    slot->plain = purpose == COUNT || !queue->inject;
    slot->batch = purpose == RESET ? NULL : pp_batch_get(pp_vk_device_timeline(queue->dev, segment->surface));
    bool collapse = segment->collapse && slot->batch;
    /* Copies would be counted by what counts the whole GPU, where a submission is one piece. */
    bool held = atomic_load_explicit(&queue->dev->copies_results, memory_order_relaxed);
    bool copies = held ? !queue->dev->serialize : collapse && !queue->dev->split;
    slot->host = slot->batch && !slot->plain && !copies && are_read_by_host(segment);
    if (slot->batch) {
        slot->batch->queue = queue->name;
        slot->own_used = collapse && !slot->plain && pp_slot_own(queue, slot) == 0;
    }
    if (pp_replay(&plan->replay, queue, slot, segment->record, segment->count, &plan->open, collapse) != 0 ||
        (!slot->plain && pp_slot_record(queue, slot) != 0)) {
        drop_slot(queue, slot);
        return NULL;
    }
    pp_slot_hold(slot);
    return slot;
}

/** Look at a segment. @return Is there work to measure? */
static bool
look(struct pp_vk_queue *queue, struct pp_plan *plan, struct segment *segment, bool *ret_queries)
{
    struct pp_replay_sum sum;
    bool live = pp_vk_device_live(queue->dev);
    struct pp_timeline *timeline;
    segment->surface = plan->surface;
    for (uint32_t i = 0; i < segment->count; i++)
        if (segment->record[i] && segment->record[i]->surface) {
            segment->surface = segment->record[i]->surface;
            break;
        }
    timeline = live ? pp_vk_device_timeline(queue->dev, segment->surface) : NULL;
    enum pp_level level = timeline ? pp_timeline_level(timeline) : PP_LEVEL_PASS;
    pp_replay_look(segment->record, segment->count, level, &sum);
    if (sum.left_out && timeline && level != PP_LEVEL_FRAME)
        pp_vk_missing_once(queue->dev, PP_EVENT_VK_LEFT_OUT, PP_MSG_VK_LEFT_OUT);
    plan->action = plan->action || sum.action;
    plan->queries = plan->queries || sum.queries;
    segment->collapse = sum.collapse;
    *ret_queries = sum.queries;
    return sum.action && timeline;
}

static void
plan_segment(struct pp_vk_queue *queue, struct pp_plan *plan, const VkCommandBuffer *buffers, uint32_t from,
             uint32_t to)
{
    struct segment segment = {.record = plan->record + from, .count = to - from};
    bool queries, ok = true;
    bool action = look(queue, plan, &segment, &queries);
    struct pp_vk_slot *slot = NULL, *counts = NULL;
    if (action && !plan->resets_only)
        slot = make_slot(queue, plan, &segment, MEASURE);
    if (action && !slot) {
        segment.collapse = true;
        counts = make_slot(queue, plan, &segment, COUNT);
        pp_vk_missing_once(queue->dev, PP_EVENT_VK_MANY_SUBMISSIONS, PP_MSG_VK_MANY_SUBMISSIONS);
    }
    /* Buffers with queries must be reset around every run, measured or not. */
    if (!slot && queries) {
        slot = make_slot(queue, plan, &segment, RESET);
        ok = slot != NULL;
    }
    if (slot && slot->has_before && !slot->plain)
        ok = add_item(plan, slot->before, PP_PLAN_OURS);
    for (uint32_t i = from, part = 0; i < to; i++)
        ok = ok && add_program_item(plan, buffers[i], i, slot, &part);
    if (slot && slot->has_behind && !slot->plain)
        ok = ok && add_item(plan, slot->behind, PP_PLAN_OURS);
    if (slot)
        add_slot(plan, slot);
    if (counts)
        add_slot(plan, counts);
    pp_replay_labels(queue->dev->session, segment.record, segment.count, &plan->open);
    plan->failed = plan->failed || !ok;
}

/** A batch to which nothing may be added: counts, and the resets for a batch in front of it. */
static void
plan_closed(struct pp_vk_queue *queue, struct pp_plan *plan, const VkCommandBuffer *buffers, uint32_t count)
{
    struct segment segment = {.record = plan->record, .count = count};
    bool queries, ok = true;
    bool action = look(queue, plan, &segment, &queries);
    segment.collapse = true;
    struct pp_vk_slot *resets = queries ? make_slot(queue, plan, &segment, RESET) : NULL;
    if (action)
        pp_vk_missing_once(queue->dev, PP_EVENT_VK_CLOSED, PP_MSG_VK_CLOSED);
    struct pp_vk_slot *counts = action ? make_slot(queue, plan, &segment, COUNT) : NULL;
    if (queries)
        ok = resets && resets->has_before && add_item(plan, resets->before, PP_PLAN_OURS);
    for (uint32_t i = 0; i < count; i++)
        ok = ok && add_item(plan, buffers[i], i);
    if (resets)
        add_slot(plan, resets);
    if (counts)
        add_slot(plan, counts);
    pp_replay_labels(queue->dev->session, segment.record, segment.count, &plan->open);
    plan->failed = plan->failed || !ok;
}

/** Does this buffer, or one that it executes, already stand in the segment? Then its queries need resets
 * between. */
static bool
seen_before(struct pp_cmdbuf *cb, uint64_t segment)
{
    bool seen = atomic_exchange_explicit(&cb->segment, segment, memory_order_relaxed) == segment;
    seen = seen && (cb->queries[PP_QUERY_TIME].count > 0 || cb->queries[PP_QUERY_STATISTICS].count > 0 ||
                    cb->queries[PP_QUERY_GRAPHICS].count > 0);
    for (uint32_t i = 0; i < cb->execs; i++)
        seen = seen_before(cb->exec[i].secondary, segment) || seen;
    return seen;
}

/** Does a buffer belong to another window than those in front of it in the segment? Nothing may stand between
 * a suspended pass and what resumes it. */
static bool
is_elsewhere(const struct pp_plan *plan, uint32_t from, uint32_t i)
{
    const struct pp_cmdbuf *cb = plan->record[i], *last = i > from ? plan->record[i - 1] : NULL;
    if (!last || !cb->surface || last->suspended)
        return false;
    for (uint32_t k = from; k < i; k++)
        if (plan->record[k] && plan->record[k]->surface)
            return plan->record[k]->surface != cb->surface;
    return false;
}

static uint64_t
next_segment(void)
{
    static _Atomic(uint64_t) last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static bool
find_records(struct pp_plan *plan, const VkCommandBuffer *buffers, uint32_t count)
{
    if (pp_array_grow(&plan->record, &plan->record_cap, count, sizeof(struct pp_cmdbuf *)) != 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        plan->record[i] = pp_cmdbuf_find(buffers[i]);
    return true;
}

uint32_t
pp_plan_batch(struct pp_vk_queue *queue, struct pp_plan *plan, const VkCommandBuffer *buffers, uint32_t count,
              bool closed)
{
    uint32_t before = plan->items, from = 0;
    uint64_t segment = next_segment();
    if (plan->failed || !find_records(plan, buffers, count)) {
        plan->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (plan->record[i]) {
            pp_slot_settle(plan->record[i]);
            if (!plan->resets_only) /* a second attempt is no second run */
                pp_vk_record_runs(plan->record[i]);
        }
    /* What the batches measure together, the first that measures says. */
    for (uint32_t i = 0; i < count && queue->dev->perf; i++)
        if (plan->record[i])
            plan->measures = pp_perf_submit(queue, plan->record[i], !plan->measures) || plan->measures;
    if (closed) {
        plan_closed(queue, plan, buffers, count);
        return plan->items - before;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!plan->record[i] || (!seen_before(plan->record[i], segment) && !is_elsewhere(plan, from, i)))
            continue;
        plan_segment(queue, plan, buffers, from, i);
        from = i;
        segment = next_segment();
        (void)seen_before(plan->record[i], segment);
    }
    if (from < count)
        plan_segment(queue, plan, buffers, from, count);
    return plan->items - before;
}

void
pp_plan_commit(struct pp_vk_queue *queue, struct pp_plan *plan, uint64_t issued_ns, uint64_t overhead_ns)
{
    struct pp_vk_slot *slot = plan->first;
    plan->first = plan->last = NULL;
    queue->open = plan->open;
    while (slot) {
        struct pp_vk_slot *next = slot->next;
        slot->next = NULL;
        if (slot->batch) {
            slot->batch->cpu_issued_ns = issued_ns;
            slot->batch->overhead_ns = overhead_ns;
            overhead_ns = 0;
        }
        if (slot->plain)
            pp_slot_land_plain(queue, slot);
        else
            pp_slot_pend(queue, slot);
        slot = next;
    }
}

void
pp_plan_abort(struct pp_vk_queue *queue, struct pp_plan *plan)
{
    struct pp_vk_slot *slot = plan->first;
    plan->first = plan->last = NULL;
    while (slot) {
        struct pp_vk_slot *next = slot->next;
        drop_slot(queue, slot);
        slot = next;
    }
}

uint32_t *
pp_plan_counts(struct pp_plan *plan, uint32_t batches)
{
    int rc = pp_array_grow(&plan->counts, &plan->count_cap, batches, sizeof(*plan->counts));
    return rc == 0 ? plan->counts : NULL;
}

void *
pp_plan_memory(struct pp_plan *plan, size_t size)
{
    if (size > plan->memory_size) {
        void *memory = realloc(plan->memory, size * 2);
        if (!memory)
            return NULL;
        plan->memory = memory;
        plan->memory_size = size * 2;
    }
    return plan->memory;
}

void
pp_plan_finish(struct pp_plan *plan)
{
    pp_replay_finish(&plan->replay);
    free(plan->item);
    free(plan->record);
    free(plan->counts);
    free(plan->memory);
    memset(plan, 0, sizeof(*plan));
}
