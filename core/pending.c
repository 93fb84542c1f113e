/** @file
 * Frames under way; see pending.h. There are a handful, so a list is enough. */
#include "core/pending.h"

#include <stdlib.h>

struct pp_pending *
pp_pending_find(struct pp_pending_list *list, uint64_t frame, const struct pp_timeline *timeline)
{
    struct pp_pending **at = &list->first;
    while (*at && (*at)->frame != frame)
        at = &(*at)->next;
    if (*at)
        return *at;
    struct pp_pending *pending = calloc(1, sizeof(*pending));
    if (!pending)
        return NULL;
    pending->frame = frame;
    pending->timeline = timeline;
    *at = pending;
    list->count++;
    return pending;
}

void
pp_pending_add(struct pp_pending *pending, struct pp_batch_item *item)
{
    struct pp_batch_item **at = &pending->batches;
    while (*at && (*at)->batch.order < item->batch.order)
        at = &(*at)->next;
    item->next = *at;
    *at = item;
    pending->arrived++;
}

bool
pp_pending_complete(const struct pp_pending *pending)
{
    return pending->end && pending->arrived >= pending->end->batches;
}

void
pp_pending_remove(struct pp_pending_list *list, struct pp_pending *pending, struct pp_session *session)
{
    struct pp_pending **at = &list->first;
    while (*at && *at != pending)
        at = &(*at)->next;
    if (*at) {
        *at = pending->next;
        list->count--;
    }
    while (pending->batches) {
        struct pp_batch_item *item = pending->batches;
        pending->batches = item->next;
        pp_batch_item_recycle(session, item);
    }
    pp_frame_item_destroy(pending->end);
    free(pending);
}
