/** @file
 * The frame queue; see frame_queue.h. Only a few frames wait at a time, so a list is enough. Held frames, of
 * which there may be thousands, are in a separate list (held_frames.c). */
#include "core/collect/frames/frame_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "core/session/timeline_private.h"

/* At most this much time is counted between two visits of a frame. An application that completes frames
 * only rarely does not make a result count as lost. */
#define PASS_STEP_NS 250000000U

/* Do batches with this key belong to the frame? */
static bool
has_key(const struct pp_queued_frame *queued, uint64_t key)
{
    return queued->frame == key || (queued->merged && PP_KEY_SAME(queued->frame, key));
}

bool
pp_frame_queue_has(const struct pp_frame_queue *list, uint64_t key)
{
    const struct pp_queued_frame *queued = list->first;
    while (queued && !has_key(queued, key))
        queued = queued->next;
    return queued != NULL;
}

struct pp_queued_frame *
pp_frame_queue_find(struct pp_frame_queue *list, uint64_t key, struct pp_timeline *timeline)
{
    struct pp_queued_frame **at = &list->first;
    while (*at && !has_key(*at, key))
        at = &(*at)->next;
    if (*at)
        return *at;
    struct pp_queued_frame *queued = calloc(1, sizeof(*queued));
    if (!queued)
        return NULL;
    queued->frame = key;
    queued->timeline = timeline;
    *at = queued;
    list->count++;
    return queued;
}

void
pp_frame_queue_add(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_batch_item *item)
{
    queued->arrived++;
    struct pp_batch_item **at = &queued->batches;
    while (*at && (*at)->batch.order < item->batch.order)
        at = &(*at)->next;
    item->next = *at;
    *at = item;
    queued->bytes += item->bytes;
    queued->held++;
    if (!queued->end) {
        list->open_bytes += item->bytes;
        list->open_held++;
    }
}

void
pp_frame_queue_close(struct pp_frame_queue *list, const struct pp_queued_frame *queued)
{
    if (queued->end)
        return;
    assert(list->open_bytes >= queued->bytes && list->open_held >= queued->held);
    list->open_bytes -= queued->bytes;
    list->open_held -= queued->held;
}

void
pp_frame_queue_end(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_frame_item *end)
{
    pp_frame_queue_close(list, queued);
    queued->end = end;
}

void
pp_frame_queue_empty(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_session *session)
{
    pp_frame_queue_close(list, queued);
    while (queued->batches) {
        struct pp_batch_item *item = queued->batches;
        queued->batches = item->next;
        pp_batch_item_recycle(session, item);
    }
    queued->bytes = 0;
    queued->held = 0;
}

struct pp_queued_frame *
pp_frame_queue_give_up(struct pp_frame_queue *list)
{
    struct pp_queued_frame *most = NULL;
    for (struct pp_queued_frame *queued = list->first; queued; queued = queued->next)
        if (!queued->end && queued->held && (!most || queued->bytes > most->bytes))
            most = queued;
    if (most)
        most->given_up = true;
    return most;
}

struct pp_frame_item *
pp_frame_queue_make_end(const struct pp_queued_frame *queued)
{
    const struct pp_batch *batch = queued->batches ? &queued->batches->batch : NULL;
    struct pp_frame_item *end = batch ? calloc(1, sizeof(*end)) : NULL;
    if (!end)
        return NULL;
    end->head.kind = PP_ITEM_TIMELINE_END;
    end->timeline = batch->timeline;
    end->frame = batch->frame >> PP_PART_BITS;
    end->key = batch->frame;
    end->level = (enum pp_level)batch->level;
    end->batches = queued->arrived;
    return end;
}

bool
pp_frame_queue_complete(const struct pp_queued_frame *queued)
{
    return queued->end && !queued->end->held && queued->arrived >= queued->end->batches;
}

bool
pp_frame_queue_is_held(const struct pp_queued_frame *queued)
{
    return queued->end && queued->end->held;
}

void
pp_frame_queue_unlist(struct pp_frame_queue *list, struct pp_queued_frame *queued)
{
    struct pp_queued_frame **at = &list->first;
    while (*at && *at != queued)
        at = &(*at)->next;
    if (*at) {
        assert(list->count > 0);
        *at = queued->next;
        list->count--;
    }
    queued->next = NULL;
}

void
pp_frame_queue_enlist(struct pp_frame_queue *list, struct pp_queued_frame *queued)
{
    struct pp_queued_frame **at = &list->first;
    while (*at)
        at = &(*at)->next;
    *at = queued;
    list->count++;
}

/* Add the time since *io_at_ns, at most PASS_STEP_NS, to *io_spent_ns, and set *io_at_ns to now. */
static void
spend(uint64_t *io_spent_ns, uint64_t *io_at_ns, uint64_t now)
{
    uint64_t since = *io_at_ns && now > *io_at_ns ? now - *io_at_ns : 0;
    *io_spent_ns += since < PASS_STEP_NS ? since : PASS_STEP_NS;
    *io_at_ns = now;
}

uint64_t
pp_frame_queue_wait(struct pp_queued_frame *queued, uint64_t now)
{
    spend(&queued->waited_ns, &queued->waited_at_ns, now);
    return queued->waited_ns;
}

void
pp_frame_queue_pass(struct pp_frame_queue *list, const struct pp_queued_frame *complete, uint64_t now)
{
    for (struct pp_queued_frame *queued = list->first; queued; queued = queued->next) {
        if (queued->timeline == complete->timeline && queued->frame < complete->frame && queued->end)
            spend(&queued->passed_ns, &queued->passed_at_ns, now);
    }
}

struct pp_queued_frame *
pp_frame_queue_passed(const struct pp_frame_queue *list, uint64_t passed_ns)
{
    struct pp_queued_frame *queued = list->first;
    while (queued && (!queued->end || pp_frame_queue_is_held(queued) || pp_frame_queue_complete(queued) ||
                      queued->passed_ns < passed_ns))
        queued = queued->next;
    return queued;
}

struct pp_queued_frame *
pp_frame_queue_incomplete(const struct pp_frame_queue *list, size_t *ret_bytes, uint32_t *ret_held)
{
    struct pp_queued_frame *oldest = NULL;
    *ret_bytes = 0;
    *ret_held = 0;
    for (struct pp_queued_frame *queued = list->first; queued; queued = queued->next) {
        if (!queued->end || pp_frame_queue_is_held(queued) || pp_frame_queue_complete(queued))
            continue;
        *ret_bytes += queued->bytes;
        *ret_held += queued->held;
        if (!oldest && queued->held)
            oldest = queued;
    }
    return oldest;
}

void
pp_frame_queue_remove(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_session *session)
{
    pp_frame_queue_unlist(list, queued);
    pp_frame_queue_empty(list, queued, session);
    pp_row_ids_finish(&queued->ids);
    pp_frame_item_destroy(queued->end);
    free(queued);
}

void
pp_frame_queue_forget_older(struct pp_frame_queue *list, const struct pp_queued_frame *than,
                            struct pp_session *session)
{
    struct pp_queued_frame *next = NULL;
    for (struct pp_queued_frame *queued = list->first; queued; queued = next) {
        next = queued->next;
        if (queued->timeline == than->timeline && queued->frame < than->frame && !queued->end)
            pp_frame_queue_remove(list, queued, session);
    }
}
