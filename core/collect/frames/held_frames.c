/** @file
 * See held_frames.h. Held frames; */
#include "core/collect/frames/held_frames.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/events/system_counters.h"
#include "core/session/timeline_private.h"

/* Shortest time for which a frame is held for a present. */
#define HELD_NS 10000000000ULL

void
pp_held_add(struct pp_frame_queue *list, struct pp_queued_frame *queued)
{
    pp_frame_queue_unlist(list, queued);
    if (list->held_last)
        list->held_last->next = queued;
    else
        list->held = queued;
    list->held_last = queued;
    list->held_bytes += queued->bytes;
    list->held_count++;
    if (queued->timeline->held++ == 0)
        queued->timeline->held_ns = queued->end->times.present_end_ns;
}

/* Remove a frame from the list of held frames. `before` is the frame in front of it, or NULL for the
 * first. */
static void
unhold(struct pp_frame_queue *list, struct pp_queued_frame *before, struct pp_queued_frame *queued)
{
    if (before)
        before->next = queued->next;
    else
        list->held = queued->next;
    if (list->held_last == queued)
        list->held_last = before;
    queued->next = NULL;
    assert(list->held_bytes >= queued->bytes && list->held_count > 0 && queued->timeline->held > 0);
    list->held_bytes -= queued->bytes;
    list->held_count--;
    queued->timeline->held--;
}

/* Take the oldest held frame of a series. NULL: there is none. */
static struct pp_queued_frame *
take(struct pp_frame_queue *list, const struct pp_timeline *timeline)
{
    struct pp_queued_frame *before = NULL, *queued = list->held;
    while (queued && queued->timeline != timeline) {
        before = queued;
        queued = queued->next;
    }
    if (queued)
        unhold(list, before, queued);
    return queued;
}

/* Let a wait end its frame. */
static void
release_end(struct pp_frame_item *end)
{
    end->frame = pp_timeline_number(end->timeline, end->key);
    end->held = false;
}

/* Treat the application as one that never presents: its waits end the frames of this series. */
static void
release(struct pp_frame_queue *list, const struct pp_timeline *timeline)
{
    struct pp_queued_frame *held = NULL;
    for (struct pp_queued_frame *queued = list->first; queued; queued = queued->next)
        if (queued->timeline == timeline && pp_frame_queue_is_held(queued))
            release_end(queued->end);
    while ((held = take(list, timeline))) {
        release_end(held->end);
        pp_frame_queue_enlist(list, held);
    }
}

/* Copy the user counters of an earlier part of a frame to the frame. */
static void
merge_app(struct pp_user_counters *user_counters, struct pp_frame_item *end, struct pp_frame_item *part)
{
    if (!end->user_counters) {
        double *none = end->user_counters;
        end->user_counters = part->user_counters;
        end->user_counter_count = part->user_counter_count;
        part->user_counters = none;
        return;
    }
    for (uint32_t i = 0; i < part->user_counter_count && i < end->user_counter_count; i++) {
        bool known = end->user_counters[i] == end->user_counters[i]; /* not NaN */
        if (!known)
            end->user_counters[i] = part->user_counters[i];
        else if (part->user_counters[i] == part->user_counters[i] && pp_user_counter_adds(user_counters, i))
            end->user_counters[i] += part->user_counters[i];
    }
}

static void
merge_end(struct pp_frame_item *end, struct pp_frame_item *part)
{
    struct pp_session *session = end->timeline->session;
    size_t bytes = pp_system_counters_bytes(session->sources.system_counters);
    bool first = part->start_ns < end->start_ns;
    end->batches += part->batches;
    end->dropped |= part->dropped;
    end->paused |= part->paused; /* a frame that was recorded in part is left out */
    if (part->level < end->level)
        end->level = part->level;
    end->times.sync_ns += part->times.sync_ns;
    end->times.acquire_ns += part->times.acquire_ns;
    end->times.pipelines_created += part->times.pipelines_created;
    end->times.pipeline_create_ns += part->times.pipeline_create_ns;
    if (first && end->system_counters && part->system_counters)
        memcpy(end->system_counters, part->system_counters, bytes);
    if (first)
        end->start_ns = part->start_ns;
    merge_app(&session->user_counters, end, part);
}

static void
merge_part(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_queued_frame *part,
           struct pp_frame_item *end)
{
    uint32_t let_go = part->arrived - part->held;
    pp_frame_queue_close(list, part);
    while (part->batches) {
        struct pp_batch_item *item = part->batches;
        part->batches = item->next;
        pp_frame_queue_add(list, queued, item);
    }
    queued->arrived += let_go;
    queued->given_up |= part->given_up;
    if (part->end)
        merge_end(end, part->end);
    else if (end->head.kind == PP_ITEM_TIMELINE_END)
        end->batches += part->arrived;
    else
        end->dropped = true; /* the end is lost, so the number of batches is unknown */
    pp_frame_item_destroy(part->end);
    free(part);
}

/* Merge the held parts of a frame into the frame, whose end has arrived and is not yet given to it:
 * batches, times and user counters. */
static void
merge(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_frame_item *end)
{
    struct pp_queued_frame *next = NULL, *before = NULL;
    for (struct pp_queued_frame *part = list->held; part; part = next) {
        next = part->next;
        if (part->timeline != queued->timeline || !PP_KEY_SAME(part->frame, queued->frame)) {
            before = part;
            continue;
        }
        unhold(list, before, part);
        merge_part(list, queued, part, end);
    }
    for (struct pp_queued_frame *part = list->first; part; part = next) {
        next = part->next;
        if (part == queued || part->timeline != queued->timeline || !PP_KEY_SAME(part->frame, queued->frame))
            continue;
        pp_frame_queue_unlist(list, part);
        merge_part(list, queued, part, end);
    }
    queued->merged = true;
}

/* Release the held frames of a series after a sure end that takes in none of them. @return Frames are in
 * the queue again. */
static bool
clear(struct pp_frame_queue *list, struct pp_timeline *timeline)
{
    struct pp_queued_frame *held = NULL;
    if (timeline->held == 0)
        return false;
    if (!pp_timeline_holds(timeline, false)) {
        release(list, timeline);
        return true;
    }
    /* the end that would have taken in this frame was lost because the ring was full */
    while ((held = take(list, timeline)))
        pp_frame_queue_remove(list, held, timeline->session);
    return false;
}

bool
pp_held_handle_end(struct pp_frame_queue *list, struct pp_queued_frame *queued, struct pp_frame_item *end)
{
    if (end->held && pp_timeline_holds(end->timeline, false))
        return false;
    if (end->held)
        release_end(end);
    if (!end->merges)
        return clear(list, end->timeline);
    merge(list, queued, end);
    pp_kept_forget(queued, end);
    return false;
}

/* Are this many frames held, or for so long, that the application counts as one that never presents? */
static bool
is_enough(const struct pp_frame_queue *list, const struct pp_session *session,
          const struct pp_queued_frame *queued, uint64_t now)
{
    const struct pp_timeline *timeline = queued->timeline;
    return list->held_bytes > session->transport.waiting_bytes_max / 4 || list->held_count > PP_HELD_MAX ||
           timeline->held >= PP_HELD_MAX ||
           (timeline->held_ns + HELD_NS < now && timeline->held >= queued->end->times.waits_min);
}

bool
pp_held_let_go(struct pp_frame_queue *list, const struct pp_session *session, uint64_t now)
{
    struct pp_queued_frame *at = list->held;
    bool any = false;
    while (at) {
        bool goes = is_enough(list, session, at, now) && !pp_timeline_holds(at->timeline, true);
        if (goes)
            release(list, at->timeline);
        any |= goes;
        at = goes ? list->held : at->next;
    }
    return any;
}

/* Write the held frames of a series, and the part after them, without a frame. */
static void
end_without_frame(struct pp_frame_queue *list, const struct pp_timeline *timeline)
{
    struct pp_queued_frame *queued = take(list, timeline);
    struct pp_frame_item *end = queued->end;
    queued->end = NULL;
    list->open_bytes += queued->bytes;
    list->open_held += queued->held;
    end->held = false;
    end->head.kind = PP_ITEM_TIMELINE_END;
    pp_frame_queue_enlist(list, queued);
    merge(list, queued, end);
    pp_frame_queue_end(list, queued, end);
}

void
pp_held_end(struct pp_frame_queue *list)
{
    struct pp_queued_frame *next = NULL;
    for (struct pp_queued_frame *queued = list->first; queued; queued = next) {
        next = queued->next;
        if (pp_frame_queue_is_held(queued))
            pp_held_add(list, queued);
    }
    while (list->held) {
        struct pp_timeline *timeline = list->held->timeline;
        uint16_t waits_min = list->held->end->times.waits_min;
        if (!pp_timeline_holds(timeline, pp_timeline_waits_suffice(timeline, timeline->held, waits_min)))
            release(list, timeline);
        else
            end_without_frame(list, timeline);
    }
}

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
take_kept(struct pp_frame_queue *list, struct pp_queued_frame **at)
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
        take_kept(list, at);
        return queued;
    }
    queued = list->waiting;
    if (!queued || (list->waiting_bytes <= session->transport.waiting_bytes_max / 4 &&
                    list->waiting_batches <= PP_BATCHES_MAX / 4))
        return NULL;
    take_kept(list, &list->waiting);
    queued->timeline->gave_up_to = queued->end->ordinal + 1;
    return queued;
}

void
pp_kept_end(struct pp_frame_queue *list, struct pp_session *session)
{
    while (list->waiting) {
        struct pp_queued_frame *queued = list->waiting;
        take_kept(list, &list->waiting);
        pp_frame_queue_remove(list, queued, session);
    }
}
