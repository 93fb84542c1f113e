/** @file
 * See held.h. */
#include "core/collect/held_frames.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/system_counters.h"

/* A frame is held for a present so long, at least. */
#define HELD_NS 10000000000ULL

void
pp_held_add(struct pp_pending_list *list, struct pp_pending *pending)
{
    pp_pending_unlist(list, pending);
    if (list->held_last)
        list->held_last->next = pending;
    else
        list->held = pending;
    list->held_last = pending;
    list->held_bytes += pending->bytes;
    list->held_count++;
    if (pending->timeline->held++ == 0)
        pending->timeline->held_ns = pending->end->times.present_end_ns;
}

/* Take a frame off the list of held ones; `before` stands in front of it, NULL: nothing does. */
static void
unhold(struct pp_pending_list *list, struct pp_pending *before, struct pp_pending *pending)
{
    if (before)
        before->next = pending->next;
    else
        list->held = pending->next;
    if (list->held_last == pending)
        list->held_last = before;
    pending->next = NULL;
    list->held_bytes -= pending->bytes;
    list->held_count--;
    pending->timeline->held--;
}

/* Take the oldest frame that is held for a series. NULL: there is none. */
static struct pp_pending *
take(struct pp_pending_list *list, const struct pp_timeline *timeline)
{
    struct pp_pending *before = NULL, *pending = list->held;
    while (pending && pending->timeline != timeline) {
        before = pending;
        pending = pending->next;
    }
    if (pending)
        unhold(list, before, pending);
    return pending;
}

/* A wait ends a frame after all. */
static void
release_end(struct pp_frame_item *end)
{
    end->frame = pp_timeline_number(end->timeline, end->key);
    end->held = false;
}

/* The application is taken for one that never presents: its waits end the frames of this series. */
static void
release(struct pp_pending_list *list, const struct pp_timeline *timeline)
{
    struct pp_pending *held = NULL;
    for (struct pp_pending *pending = list->first; pending; pending = pending->next)
        if (pending->timeline == timeline && pp_pending_is_held(pending))
            release_end(pending->end);
    while ((held = take(list, timeline)) != NULL) {
        release_end(held->end);
        pp_pending_enlist(list, held);
    }
}

/* Give the counters of the application that an earlier part of a frame had to the frame. */
static void
merge_app(struct pp_app *app, struct pp_frame_item *end, struct pp_frame_item *part)
{
    if (!end->app) {
        double *none = end->app;
        end->app = part->app;
        end->apps = part->apps;
        part->app = none;
        return;
    }
    for (uint32_t i = 0; i < part->apps && i < end->apps; i++) {
        bool known = end->app[i] == end->app[i]; /* not NaN */
        if (!known)
            end->app[i] = part->app[i];
        else if (part->app[i] == part->app[i] && pp_app_adds(app, i))
            end->app[i] += part->app[i];
    }
}

static void
merge_end(struct pp_frame_item *end, struct pp_frame_item *part)
{
    struct pp_session *session = end->timeline->session;
    size_t bytes = pp_host_bytes(session->host);
    bool first = part->start_ns < end->start_ns;
    end->batches += part->batches;
    end->dropped |= part->dropped;
    if (part->level < end->level)
        end->level = part->level;
    end->times.sync_ns += part->times.sync_ns;
    end->times.acquire_ns += part->times.acquire_ns;
    end->times.pipelines_created += part->times.pipelines_created;
    end->times.pipeline_create_ns += part->times.pipeline_create_ns;
    if (first && end->host && part->host)
        memcpy(end->host, part->host, bytes);
    if (first)
        end->start_ns = part->start_ns;
    merge_app(&session->app, end, part);
}

static void
merge_part(struct pp_pending_list *list, struct pp_pending *pending, struct pp_pending *part,
           struct pp_frame_item *end)
{
    uint32_t let_go = part->arrived - part->held;
    pp_pending_close(list, part);
    while (part->batches) {
        struct pp_batch_item *item = part->batches;
        part->batches = item->next;
        pp_pending_add(list, pending, item);
    }
    pending->arrived += let_go;
    pending->given_up |= part->given_up;
    if (part->end)
        merge_end(end, part->end);
    else if (end->head.kind == PP_ITEM_TIMELINE_END)
        end->batches += part->arrived;
    else
        end->dropped = true; /* its end is lost, and with it how many batches it has */
    pp_frame_item_destroy(part->end);
    free(part);
}

/* Put what is held of the same frame, in front of it, into a frame whose end has come and is not yet given to
 * it: its batches, its times, its counters. */
static void
merge(struct pp_pending_list *list, struct pp_pending *pending, struct pp_frame_item *end)
{
    struct pp_pending *next = NULL, *before = NULL;
    for (struct pp_pending *part = list->held; part; part = next) {
        next = part->next;
        if (part->timeline != pending->timeline || !PP_KEY_SAME(part->frame, pending->frame)) {
            before = part;
            continue;
        }
        unhold(list, before, part);
        merge_part(list, pending, part, end);
    }
    for (struct pp_pending *part = list->first; part; part = next) {
        next = part->next;
        if (part == pending || part->timeline != pending->timeline ||
            !PP_KEY_SAME(part->frame, pending->frame))
            continue;
        pp_pending_unlist(list, part);
        merge_part(list, pending, part, end);
    }
    pending->merged = true;
}

/* A sure end of a series came that takes in nothing of what is held. @return Something came back. */
static bool
clear(struct pp_pending_list *list, struct pp_timeline *timeline)
{
    struct pp_pending *held = NULL;
    if (timeline->held == 0)
        return false;
    if (!pp_timeline_holds(timeline, false)) {
        release(list, timeline);
        return true;
    }
    /* The end that would have taken it in was lost, with a full ring. */
    while ((held = take(list, timeline)) != NULL)
        pp_pending_remove(list, held, timeline->session);
    return false;
}

bool
pp_held_take_end(struct pp_pending_list *list, struct pp_pending *pending, struct pp_frame_item *end)
{
    if (end->held && pp_timeline_holds(end->timeline, false))
        return false;
    if (end->held)
        release_end(end);
    if (!end->merges)
        return clear(list, end->timeline);
    merge(list, pending, end);
    return false;
}

/* Is so much held, or for so long, that the application must count as one that never presents? */
static bool
is_enough(const struct pp_pending_list *list, const struct pp_session *session,
          const struct pp_pending *pending, uint64_t now)
{
    const struct pp_timeline *timeline = pending->timeline;
    return list->held_bytes > session->waiting_bytes_max / 4 || list->held_count > PP_HELD_MAX ||
           timeline->held >= PP_HELD_MAX ||
           (timeline->held_ns + HELD_NS < now && timeline->held >= pending->end->times.waits_min);
}

bool
pp_held_let_go(struct pp_pending_list *list, const struct pp_session *session, uint64_t now)
{
    struct pp_pending *at = list->held;
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

/* What is held of a series, and what came behind it, is of no frame. */
static void
end_without_frame(struct pp_pending_list *list, const struct pp_timeline *timeline)
{
    struct pp_pending *pending = take(list, timeline);
    struct pp_frame_item *end = pending->end;
    pending->end = NULL;
    list->open_bytes += pending->bytes;
    list->open_held += pending->held;
    end->held = false;
    end->head.kind = PP_ITEM_TIMELINE_END;
    pp_pending_enlist(list, pending);
    merge(list, pending, end);
    pp_pending_end(list, pending, end);
}

void
pp_held_end(struct pp_pending_list *list)
{
    struct pp_pending *next = NULL;
    for (struct pp_pending *pending = list->first; pending; pending = next) {
        next = pending->next;
        if (pp_pending_is_held(pending))
            pp_held_add(list, pending);
    }
    while (list->held) {
        struct pp_timeline *timeline = list->held->timeline;
        if (!pp_timeline_holds(timeline, timeline->held >= list->held->end->times.waits_min))
            release(list, timeline);
        else
            end_without_frame(list, timeline);
    }
}
