/** @file
 * See kept_frames.h. */
#include "core/collect/frames/kept_frames.h"

#include <assert.h>

#include "core/session/timeline_private.h"

static bool
is_on(const struct pp_session *session)
{
    return session->config.keep_slower_than_ns > 0;
}

/* Keep the frames of a list that are in [from, to) of a series. */
static void
keep_range(struct pp_queued_frame *first, const struct pp_timeline *timeline, uint64_t from, uint64_t to)
{
    for (struct pp_queued_frame *queued = first; queued; queued = queued->next)
        if (queued->timeline == timeline && queued->end && queued->end->ordinal >= from &&
            queued->end->ordinal < to)
            queued->keep = true;
}

uint64_t
pp_kept_note_end(struct pp_frame_queue *list, const struct pp_session *session,
                 struct pp_queued_frame *queued)
{
    struct pp_timeline *timeline = queued->timeline;
    const struct pp_frame_item *end = queued->end;
    uint64_t around = session->config.keep_around, lost = 0;
    if (!is_on(session))
        return 0;
    if (end->head.kind != PP_ITEM_FRAME_END) {
        timeline->ends_seen = UINT64_MAX;
        return 0;
    }
    timeline->ends_seen = end->ordinal + 1;
    if (end->slower) {
        uint64_t from = end->ordinal > around ? end->ordinal - around : 0;
        timeline->keep_to = end->ordinal + around + 1;
        keep_range(list->first, timeline, from, end->ordinal);
        keep_range(list->held, timeline, from, end->ordinal);
        keep_range(list->waiting, timeline, from, end->ordinal);
        lost = timeline->gave_up_to > from ? timeline->gave_up_to - from : 0;
        timeline->gave_up_to = 0;
    }
    queued->keep = end->ordinal < timeline->keep_to;
    return lost;
}

void
pp_kept_forget(struct pp_queued_frame *queued, struct pp_frame_item *end)
{
    end->slower = false;
    queued->timeline->keep_to = 0;
}

enum pp_row_choice
pp_kept_choice(const struct pp_session *session, const struct pp_queued_frame *queued, bool is_frame)
{
    return (is_frame && queued->keep) || !is_on(session) ? PP_ROWS_ALL : PP_ROWS_FRAME;
}

/* May a frame that ends later still be slow and near this one? */
static bool
is_open(const struct pp_session *session, const struct pp_queued_frame *queued)
{
    return !queued->keep && queued->timeline->ends_seen <= queued->end->ordinal + session->config.keep_around;
}

bool
pp_kept_must_wait(const struct pp_session *session, const struct pp_queued_frame *queued)
{
    const struct pp_frame_item *end = queued->end;
    return is_on(session) && end->head.kind == PP_ITEM_FRAME_END && end->level != PP_LEVEL_FRAME &&
           !end->dropped && queued->batches && is_open(session, queued);
}

void
pp_kept_wait(struct pp_frame_queue *list, struct pp_queued_frame *queued)
{
    pp_frame_queue_unlist(list, queued);
    struct pp_queued_frame **at = &list->waiting;
    while (*at)
        at = &(*at)->next;
    *at = queued;
    list->waiting_bytes += queued->bytes;
    list->waiting_batches += queued->held;
}

static void
take(struct pp_frame_queue *list, struct pp_queued_frame **at)
{
    struct pp_queued_frame *queued = *at;
    assert(list->waiting_bytes >= queued->bytes && list->waiting_batches >= queued->held);
    *at = queued->next;
    queued->next = NULL;
    list->waiting_bytes -= queued->bytes;
    list->waiting_batches -= queued->held;
}

struct pp_queued_frame *
pp_kept_take(struct pp_frame_queue *list, const struct pp_session *session)
{
    struct pp_queued_frame **at = &list->waiting;
    while (*at && is_open(session, *at))
        at = &(*at)->next;
    struct pp_queued_frame *queued = *at;
    if (queued) {
        take(list, at);
        return queued;
    }
    queued = list->waiting;
    if (!queued || (list->waiting_bytes <= session->transport.waiting_bytes_max / 4 &&
                    list->waiting_batches <= PP_BATCHES_MAX / 4))
        return NULL;
    take(list, &list->waiting);
    queued->timeline->gave_up_to = queued->end->ordinal + 1;
    return queued;
}

void
pp_kept_end(struct pp_frame_queue *list, struct pp_session *session)
{
    while (list->waiting) {
        struct pp_queued_frame *queued = list->waiting;
        take(list, &list->waiting);
        pp_frame_queue_remove(list, queued, session);
    }
}
