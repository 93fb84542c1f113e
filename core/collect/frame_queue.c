/** @file
 * Frames under way; see pending.h. There are a handful, so a list is enough. Held frames, of which there may
 * be thousands, lie in a list of their own (held_frames.c). */
#include "core/collect/frame_queue.h"

#include <stdlib.h>

/* Frames that are completed, or looked at, once in a while are no sign that a result is lost: between two of
 * them no more than this counts. */
#define PASS_STEP_NS 250000000U

/* Do batches of this key belong to it? */
static bool
has_key(const struct pp_pending *pending, uint64_t key)
{
    return pending->frame == key || (pending->merged && PP_KEY_SAME(pending->frame, key));
}

bool
pp_pending_has(const struct pp_pending_list *list, uint64_t key)
{
    const struct pp_pending *pending = list->first;
    while (pending && !has_key(pending, key))
        pending = pending->next;
    return pending != NULL;
}

struct pp_pending *
pp_pending_find(struct pp_pending_list *list, uint64_t key, struct pp_timeline *timeline)
{
    struct pp_pending **at = &list->first;
    while (*at && !has_key(*at, key))
        at = &(*at)->next;
    if (*at)
        return *at;
    struct pp_pending *pending = calloc(1, sizeof(*pending));
    if (!pending)
        return NULL;
    pending->frame = key;
    pending->timeline = timeline;
    *at = pending;
    list->count++;
    return pending;
}

void
pp_pending_add(struct pp_pending_list *list, struct pp_pending *pending, struct pp_batch_item *item)
{
    pending->arrived++;
    struct pp_batch_item **at = &pending->batches;
    while (*at && (*at)->batch.order < item->batch.order)
        at = &(*at)->next;
    item->next = *at;
    *at = item;
    pending->bytes += item->bytes;
    pending->held++;
    if (!pending->end) {
        list->open_bytes += item->bytes;
        list->open_held++;
    }
}

void
pp_pending_close(struct pp_pending_list *list, const struct pp_pending *pending)
{
    if (pending->end)
        return;
    list->open_bytes -= pending->bytes;
    list->open_held -= pending->held;
}

void
pp_pending_end(struct pp_pending_list *list, struct pp_pending *pending, struct pp_frame_item *end)
{
    pp_pending_close(list, pending);
    pending->end = end;
}

void
pp_pending_empty(struct pp_pending_list *list, struct pp_pending *pending, struct pp_session *session)
{
    pp_pending_close(list, pending);
    while (pending->batches) {
        struct pp_batch_item *item = pending->batches;
        pending->batches = item->next;
        pp_batch_item_recycle(session, item);
    }
    pending->bytes = 0;
    pending->held = 0;
}

struct pp_pending *
pp_pending_give_up(struct pp_pending_list *list)
{
    struct pp_pending *most = NULL;
    for (struct pp_pending *pending = list->first; pending; pending = pending->next)
        if (!pending->end && pending->held && (!most || pending->bytes > most->bytes))
            most = pending;
    if (most)
        most->given_up = true;
    return most;
}

struct pp_frame_item *
pp_pending_without_end(const struct pp_pending *pending)
{
    const struct pp_batch *batch = pending->batches ? &pending->batches->batch : NULL;
    struct pp_frame_item *end = batch ? calloc(1, sizeof(*end)) : NULL;
    if (!end)
        return NULL;
    end->head.kind = PP_ITEM_TIMELINE_END;
    end->timeline = batch->timeline;
    end->frame = batch->frame >> PP_PART_BITS;
    end->key = batch->frame;
    end->level = (enum pp_level)batch->level;
    end->batches = pending->arrived;
    return end;
}

bool
pp_pending_complete(const struct pp_pending *pending)
{
    return pending->end && !pending->end->held && pending->arrived >= pending->end->batches;
}

bool
pp_pending_is_held(const struct pp_pending *pending)
{
    return pending->end && pending->end->held;
}

void
pp_pending_unlist(struct pp_pending_list *list, struct pp_pending *pending)
{
    struct pp_pending **at = &list->first;
    while (*at && *at != pending)
        at = &(*at)->next;
    if (*at) {
        *at = pending->next;
        list->count--;
    }
    pending->next = NULL;
}

void
pp_pending_enlist(struct pp_pending_list *list, struct pp_pending *pending)
{
    struct pp_pending **at = &list->first;
    while (*at)
        at = &(*at)->next;
    *at = pending;
    list->count++;
}

/* Count the time since a moment, at most PASS_STEP_NS of it, and make now that moment. */
static void
spend(uint64_t *io_spent_ns, uint64_t *io_at_ns, uint64_t now)
{
    uint64_t since = *io_at_ns && now > *io_at_ns ? now - *io_at_ns : 0;
    *io_spent_ns += since < PASS_STEP_NS ? since : PASS_STEP_NS;
    *io_at_ns = now;
}

uint64_t
pp_pending_wait(struct pp_pending *pending, uint64_t now)
{
    spend(&pending->waited_ns, &pending->waited_at_ns, now);
    return pending->waited_ns;
}

void
pp_pending_pass(struct pp_pending_list *list, const struct pp_pending *complete, uint64_t now)
{
    for (struct pp_pending *pending = list->first; pending; pending = pending->next) {
        if (pending->timeline == complete->timeline && pending->frame < complete->frame && pending->end)
            spend(&pending->passed_ns, &pending->passed_at_ns, now);
    }
}

struct pp_pending *
pp_pending_passed(const struct pp_pending_list *list, uint64_t passed_ns)
{
    struct pp_pending *pending = list->first;
    while (pending && (!pending->end || pp_pending_is_held(pending) || pp_pending_complete(pending) ||
                       pending->passed_ns < passed_ns))
        pending = pending->next;
    return pending;
}

struct pp_pending *
pp_pending_incomplete(const struct pp_pending_list *list, size_t *ret_bytes, uint32_t *ret_held)
{
    struct pp_pending *oldest = NULL;
    *ret_bytes = 0;
    *ret_held = 0;
    for (struct pp_pending *pending = list->first; pending; pending = pending->next) {
        if (!pending->end || pp_pending_is_held(pending) || pp_pending_complete(pending))
            continue;
        *ret_bytes += pending->bytes;
        *ret_held += pending->held;
        if (!oldest && pending->held)
            oldest = pending;
    }
    return oldest;
}

void
pp_pending_remove(struct pp_pending_list *list, struct pp_pending *pending, struct pp_session *session)
{
    pp_pending_unlist(list, pending);
    pp_pending_empty(list, pending, session);
    pp_frame_item_destroy(pending->end);
    free(pending);
}

void
pp_pending_forget_older(struct pp_pending_list *list, const struct pp_pending *than,
                        struct pp_session *session)
{
    struct pp_pending *next = NULL;
    for (struct pp_pending *pending = list->first; pending; pending = next) {
        next = pending->next;
        if (pending->timeline == than->timeline && pending->frame < than->frame && !pending->end)
            pp_pending_remove(list, pending, session);
    }
}
