/** @file
 * Frames: numbering, windows of levels, hand-over to the collector. See timeline.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/schema.h"
#include "core/engine/session_private.h"
#include "core/events/device_counters.h"
#include "core/events/system_counters.h"
#include "core/session/session.h"
#include "core/session/sleep.h"
#include "core/session/timeline_private.h"
#include "core/util/log.h"
#include "counters/events/event_plan.h"

/* Number of frames that are bracketed at the requested level after a frame slower than --slower-than. */
#define ESCALATE_FRAMES 8U

/* When recording goes on, this many frames are not recorded yet where commands are recorded ahead: their
 * command buffers may have been recorded without brackets. */
#define LEAD_FRAMES 3U

/* A decision made now may apply to a frame that begins within this time, such as the first frame after
 * --delay. */
#define SOON_NS 1000000000U

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Time since the first frame of the session, which begins now if there was none. */
static uint64_t
since_first_frame(struct pp_session *session, uint64_t now_ns)
{
    uint64_t none = 0;
    atomic_compare_exchange_strong(&session->frames.window.first_frame_ns, &none, now_ns);
    return now_ns - atomic_load(&session->frames.window.first_frame_ns);
}

/* Choose the counter set of a frame, in a random order, so that a period of the application does not always
 * meet the same set. At level draw, if only one bracket at a time may be open, actions and passes are
 * measured in turn, too. */
static unsigned
rotation_of(const struct pp_timeline *timeline, enum pp_level level)
{
    const struct pp_device *device = timeline->device;
    uint64_t seed = timeline->session->start_ns;
    bool both = device->exclusive && level == PP_LEVEL_DRAW;
    if (device->only_set.given)
        return both && device->only_set.actions ? PP_ROTATION_ACTIONS : 0;
    /* One rotation for both choices. Two rotations, each in random order, would stay in step for many
     * frames, and draws would be measured with one set only. */
    uint32_t pairs = 2 * device->sets;
    if (both && device->sets > 1 && pairs <= PP_ROTATION_SETS) {
        unsigned pair = pp_rotation_set_of_frame(seed, pairs, timeline->ended);
        return pair % device->sets | (pair < device->sets ? PP_ROTATION_ACTIONS : 0);
    }
    unsigned rotation = device->sets > 1 ? pp_rotation_set_of_frame(seed, device->sets, timeline->ended) : 0;
    return rotation | (both && pp_rotation_set_of_frame(~seed, 2, timeline->ended) ? PP_ROTATION_ACTIONS : 0);
}

struct pp_rotation
pp_timeline_rotation(const struct pp_timeline *timeline)
{
    unsigned rotation = atomic_load_explicit(&timeline->rotation, memory_order_relaxed);
    return (struct pp_rotation){.set = (uint8_t)rotation, .actions = (rotation & PP_ROTATION_ACTIONS) != 0};
}

bool
pp_device_only_rotation(const struct pp_device *device, struct pp_rotation *ret)
{
    if (!device->only_set.given)
        return false;
    *ret = (struct pp_rotation){.set = 0, .actions = device->only_set.actions};
    return true;
}

/* Number of the next frame. After a held wait the frame keeps its number, and its next part begins.
 * @return The number that the part would have as a frame. */
static uint64_t
number_locked(struct pp_timeline *timeline, bool held)
{
    uint64_t key = atomic_load(&timeline->key);
    uint64_t frame = atomic_load(&timeline->frame);
    if (held) {
        atomic_store(&timeline->key, key + 1);
        return frame + PP_KEY_PART(key + 1);
    }
    frame = atomic_fetch_add(&timeline->session->frames.next_frame, 1);
    atomic_store(&timeline->key, PP_FRAME_KEY(frame, 0));
    atomic_store(&timeline->frame, frame);
    return frame;
}

/* Is the frame that begins not recorded? @param paused The user wishes that. */
static bool
pause_locked(struct pp_timeline *timeline, bool paused)
{
    bool waits = timeline->lead > 0;
    if (paused)
        timeline->lead = timeline->device->records ? LEAD_FRAMES : 0;
    else
        timeline->lead -= waits;
    return paused || waits;
}

static void
begin_frame_locked(struct pp_timeline *timeline, uint64_t start_ns, bool held, bool paused)
{
    struct pp_session *session = timeline->session;
    const struct pp_config *config = &session->config;
    uint64_t frame = number_locked(timeline, held);
    uint64_t since_ns = since_first_frame(session, start_ns);
    const struct pp_frame_range begun = {frame, 1, since_ns, since_ns};
    paused = pause_locked(timeline, paused);
    bool fine = !paused && pp_frame_window_includes(config, &begun) &&
                pp_frame_window_between(config, &session->frames.window, start_ns, start_ns);
    if (config->slower_than_ns) {
        fine = fine && timeline->escalate > 0;
        timeline->escalate -= timeline->escalate > 0;
    }
    timeline->start_ns = start_ns;
    timeline->batches = 0;
    timeline->dropped = false;
    atomic_store(&timeline->paused, paused);
    enum pp_level level = fine ? pp_memory_level(session, pp_session_level(session)) : PP_LEVEL_FRAME;
    unsigned rotation = rotation_of(timeline, level);
    uint8_t set = (uint8_t)rotation;
    timeline->stream_turn = timeline->device->streams ? pp_stream_sets_begin(timeline->device, &set) : 0;
    atomic_store(&timeline->rotation, (rotation & ~0xffU) | set);
    atomic_store(&timeline->level, (int)level);
}

struct pp_timeline *
pp_timeline_create(struct pp_session *session, const struct pp_timeline_info *info)
{
    struct pp_timeline *timeline = calloc(1, sizeof(*timeline));
    char *surface = strdup(info->surface ? info->surface : "");
    if (!timeline || !surface) {
        free(surface);
        free(timeline);
        free(info->first_system_counters);
        return NULL;
    }
    timeline->session = session;
    timeline->device = info->device;
    timeline->surface = surface;
    pthread_mutex_init(&timeline->lock, NULL);
    timeline->system_counters = info->first_system_counters;
    size_t bytes = pp_system_counters_bytes(session->sources.system_counters);
    if (!timeline->system_counters && bytes && (timeline->system_counters = calloc(1, bytes)))
        pp_system_counters_read(session->sources.system_counters, timeline->system_counters);
    begin_frame_locked(timeline, info->start_ns, false, pp_session_paused(session));
    pthread_mutex_lock(&session->lock);
    timeline->number = atomic_fetch_add(&session->frames.surfaces, 1);
    if (session->timelines_last)
        session->timelines_last->next = timeline;
    else
        session->timelines = timeline;
    session->timelines_last = timeline;
    pthread_mutex_unlock(&session->lock);
    return timeline;
}

enum pp_level
pp_timeline_level(const struct pp_timeline *timeline)
{
    return (enum pp_level)atomic_load_explicit(&timeline->level, memory_order_relaxed);
}

enum pp_level
pp_timeline_level_ahead(struct pp_timeline *timeline, uint64_t frames)
{
    struct pp_session *session = timeline->session;
    const struct pp_config *config = &session->config;
    enum pp_level level = pp_memory_level_now(session, pp_session_level(session));
    if (pp_timeline_level(timeline) >= level)
        return pp_timeline_level(timeline);
    if (pp_session_paused(session))
        return PP_LEVEL_FRAME;
    if (config->slower_than_ns) {
        pthread_mutex_lock(&timeline->lock);
        bool slow = timeline->ended > 0 && pp_now_ns() - timeline->start_ns > config->slower_than_ns;
        bool escalated = slow || timeline->escalate > 0;
        pthread_mutex_unlock(&timeline->lock);
        if (!escalated)
            return PP_LEVEL_FRAME;
    }
    uint64_t next = atomic_load(&session->frames.next_frame);
    uint64_t part = PP_KEY_PART(atomic_load(&timeline->key));
    if (part) /* it counts as a frame of its own, though it has no number yet */
        next = later(next, atomic_load(&timeline->frame) + part + 1);
    uint64_t now_ns = pp_now_ns();
    uint64_t since_ns = now_ns - atomic_load(&session->frames.window.first_frame_ns);
    const struct pp_frame_range ahead = {next, frames, since_ns, since_ns + SOON_NS};
    bool fine = pp_frame_window_includes(config, &ahead) &&
                pp_frame_window_between(config, &session->frames.window, now_ns, now_ns + SOON_NS);
    return fine ? level : PP_LEVEL_FRAME;
}

bool
pp_timeline_paused(const struct pp_timeline *timeline)
{
    return atomic_load_explicit(&timeline->paused, memory_order_relaxed);
}

static struct pp_frame_item *
frame_item_locked(struct pp_timeline *timeline, enum pp_item_kind kind)
{
    struct pp_frame_item *item = calloc(1, sizeof(*item));
    if (!item)
        return NULL;
    item->head.kind = kind;
    item->timeline = timeline;
    item->frame = atomic_load(&timeline->frame);
    item->key = atomic_load(&timeline->key);
    item->ordinal = timeline->ended;
    item->level = (enum pp_level)atomic_load(&timeline->level);
    item->paused = pp_timeline_paused(timeline);
    item->start_ns = timeline->start_ns;
    item->batches = timeline->batches;
    item->dropped = timeline->dropped;
    item->stream_turn = timeline->stream_turn;
    return item;
}

void
pp_frame_item_destroy(struct pp_frame_item *item)
{
    if (item) {
        pp_stream_sets_done(item->timeline->device, item->stream_turn);
        free(item->system_counters);
        free(item->user_counters);
    }
    free(item);
}

/* Read the system counters of the presenting thread, the process and the machine. Returns memory for two
 * snapshots, of which the second is taken. NULL: no event is selected, or no memory. */
static uint8_t *
take_system_counters(const struct pp_session *session)
{
    size_t bytes = pp_system_counters_bytes(session->sources.system_counters);
    uint8_t *system_counters = bytes ? calloc(2, bytes) : NULL;
    if (system_counters)
        pp_system_counters_read(session->sources.system_counters, system_counters + bytes);
    return system_counters;
}

/* Give a frame its two snapshots. The second snapshot is also the next frame's first. @return The frame's
 * snapshots; NULL if the first is missing. */
static uint8_t *
pair_system_counters_locked(struct pp_timeline *timeline, uint8_t *system_counters)
{
    size_t bytes = pp_system_counters_bytes(timeline->session->sources.system_counters);
    bool first = !timeline->system_counters;
    if (!system_counters)
        return NULL;
    if (first)
        timeline->system_counters = malloc(bytes);
    else
        memcpy(system_counters, timeline->system_counters, bytes);
    if (timeline->system_counters)
        memcpy(timeline->system_counters, system_counters + bytes, bytes);
    if (!first)
        return system_counters;
    free(system_counters);
    return NULL;
}

static void
drop_item(struct pp_session *session, struct pp_frame_item *item)
{
    pp_frame_item_destroy(item);
    atomic_fetch_add(&session->frames.dropped_frames, 1);
    pp_log(PP_MSG_DROPPED);
}

/* Treat the application as one that never presents: the held frames and the open frame get numbers. */
static void
split_locked(struct pp_timeline *timeline)
{
    uint64_t parts = PP_KEY_PART(atomic_load(&timeline->key));
    timeline->ends = PP_ENDS_WAITS;
    timeline->split = atomic_fetch_add(&timeline->session->frames.next_frame, parts);
    if (parts)
        atomic_store(&timeline->frame, timeline->split + parts - 1);
}

bool
pp_timeline_waits_suffice(const struct pp_timeline *timeline, uint64_t waits, uint16_t waits_min)
{
    return waits >= waits_min || !atomic_load(&timeline->session->frames.sure);
}

/* Decide from this frame end what ends later frames. @return True: the frame is held. */
static bool
decide_locked(struct pp_timeline *timeline, const struct pp_frame_times *times, struct pp_frame_item *item)
{
    if (times->end == PP_END_SURE)
        atomic_store(&timeline->session->frames.sure, true);
    if (timeline->ends != PP_ENDS_OPEN)
        return false;
    if (times->end == PP_END_SURE) {
        timeline->ends = PP_ENDS_SURE;
        if (item)
            item->merges = PP_KEY_PART(item->key) > 0;
        return false;
    }
    timeline->waits_min = times->waits_min;
    if (PP_KEY_PART(atomic_load(&timeline->key)) >= PP_HELD_MAX) {
        split_locked(timeline);
        if (item)
            item->frame = atomic_load(&timeline->frame);
        return false;
    }
    if (item)
        item->held = true;
    return true;
}

bool
pp_timeline_holds(struct pp_timeline *timeline, bool force)
{
    pthread_mutex_lock(&timeline->lock);
    if (force && timeline->ends == PP_ENDS_OPEN)
        split_locked(timeline);
    bool holds = timeline->ends != PP_ENDS_WAITS;
    pthread_mutex_unlock(&timeline->lock);
    return holds;
}

uint64_t
pp_timeline_number(struct pp_timeline *timeline, uint64_t key)
{
    uint64_t part = PP_KEY_PART(key);
    pthread_mutex_lock(&timeline->lock);
    uint64_t number = part ? timeline->split + part - 1 : key >> PP_PART_BITS;
    pthread_mutex_unlock(&timeline->lock);
    return number;
}

/* A frame ends while the process is asleep: it only gets its number. Waits do not decide whether they end
 * frames; those after the wake do. */
static void
end_asleep(struct pp_timeline *timeline, const struct pp_frame_times *times)
{
    struct pp_session *session = timeline->session;
    double *user_counters = NULL;
    pthread_mutex_lock(&timeline->lock);
    if (times->end == PP_END_SURE) {
        atomic_store(&session->frames.sure, true);
        timeline->ends = timeline->ends == PP_ENDS_OPEN ? PP_ENDS_SURE : timeline->ends;
    }
    if (times->end == PP_END_SURE || timeline->ends == PP_ENDS_WAITS) {
        (void)pp_user_counters_take(&session->user_counters, times->marked, &user_counters);
        atomic_fetch_add_explicit(&session->sleep.frames, 1, memory_order_relaxed);
        timeline->ended++;
        timeline->loaded = atomic_load(&timeline->worked) || timeline->ended >= PP_FIRST_FRAMES_MAX;
        begin_frame_locked(timeline, later(times->present_end_ns, timeline->start_ns), false, true);
    }
    pthread_mutex_unlock(&timeline->lock);
    free(user_counters);
}

void
pp_timeline_end_frame(struct pp_timeline *timeline, const struct pp_frame_times *times)
{
    struct pp_session *session = timeline->session;
    int saved = errno;
    if (pp_sleep_goes_on(session)) {
        end_asleep(timeline, times);
        errno = saved;
        return;
    }
    bool pause = pp_session_paused(session);
    bool recorded = !pp_timeline_paused(timeline);
    uint8_t *system_counters = recorded || !pause ? take_system_counters(session) : NULL;
    uint32_t stack = recorded ? pp_session_event_stack(session) : 0;
    pthread_mutex_lock(&timeline->lock);
    if (timeline->ends == PP_ENDS_SURE && times->end == PP_END_WAIT) { /* another thread has just presented */
        pthread_mutex_unlock(&timeline->lock);
        free(system_counters);
        errno = saved;
        return;
    }
    struct pp_frame_item *item = frame_item_locked(timeline, PP_ITEM_FRAME_END);
    system_counters = pair_system_counters_locked(timeline, system_counters);
    /* Threads that end frames at the same time read the clock before they take the lock, so a time may be
     * older than the last one: times must not decrease. */
    uint64_t begin_ns = later(times->present_begin_ns, timeline->start_ns);
    uint64_t end_ns = later(times->present_end_ns, begin_ns);
    if (item) {
        item->times = *times;
        item->times.stack = stack;
        item->system_counters = system_counters;
        item->user_counter_count =
            pp_user_counters_take(&session->user_counters, times->marked, &item->user_counters);
        item->times.present_begin_ns = begin_ns;
        item->times.present_end_ns = end_ns;
    } else {
        free(system_counters);
    }
    uint64_t length = end_ns - timeline->start_ns;
    if (session->config.slower_than_ns && timeline->loaded && recorded &&
        length > session->config.slower_than_ns)
        timeline->escalate = ESCALATE_FRAMES;
    if (item)
        item->slower = session->config.keep_slower_than_ns && timeline->loaded && recorded &&
                       length > session->config.keep_slower_than_ns;
    timeline->ended++;
    timeline->loaded = atomic_load(&timeline->worked) || timeline->ended >= PP_FIRST_FRAMES_MAX;
    bool held = decide_locked(timeline, times, item);
    begin_frame_locked(timeline, end_ns, held, pause);
    /* Under the lock, so that ends of frames stay in order. */
    bool pushed = item && pp_ring_push(&session->transport.ring, item);
    pthread_mutex_unlock(&timeline->lock);
    if (!pushed)
        drop_item(session, item);
    errno = saved;
}

void
pp_timeline_destroy(struct pp_timeline *timeline)
{
    if (!timeline)
        return;
    pthread_mutex_lock(&timeline->lock);
    bool first = !timeline->destroyed;
    timeline->destroyed = true;
    uint64_t waits = PP_KEY_PART(atomic_load(&timeline->key));
    if (first && timeline->ends == PP_ENDS_OPEN && waits >= timeline->waits_min)
        split_locked(timeline);
    /* A few waits, as of a window that only asks what the driver can do: whether they end frames is known
     * when another series presents, or when the application ends. pp_held_end() decides. */
    bool undecided =
        timeline->ends == PP_ENDS_OPEN && waits > 0 && !atomic_load(&timeline->session->frames.sure);
    bool ends = first && !undecided && !pp_sleep_lasts(&timeline->session->sleep);
    struct pp_frame_item *item = ends ? frame_item_locked(timeline, PP_ITEM_TIMELINE_END) : NULL;
    if (item)
        item->merges = timeline->ends == PP_ENDS_OPEN && PP_KEY_PART(item->key) > 0;
    /* the collector waits from now on for results that have not arrived */
    if (item)
        item->times.present_end_ns = pp_now_ns();
    pthread_mutex_unlock(&timeline->lock);
    if (item && !pp_ring_push(&timeline->session->transport.ring, item))
        free(item);
}

/* Batches. */

struct pp_batch *
pp_batch_get(struct pp_timeline *timeline)
{
    struct pp_session *session = timeline->session;
    int saved = errno;
    pthread_mutex_lock(&timeline->lock);
    /* a dropped frame gets no more batches */
    bool paused = pp_timeline_paused(timeline);
    struct pp_batch_item *item = timeline->dropped || paused ? NULL : pp_batch_item_get(session);
    if (item) {
        struct pp_batch *batch = &item->batch;
        item->head.kind = PP_ITEM_BATCH;
        batch->timeline = timeline;
        batch->device = timeline->device;
        batch->frame = atomic_load(&timeline->key);
        batch->level = (uint8_t)atomic_load(&timeline->level);
        batch->frame_set = (uint8_t)atomic_load(&timeline->rotation);
        batch->order = atomic_fetch_add(&session->transport.next_order, 1);
        batch->queue = 0;
        batch->cpu_issued_ns = 0;
        batch->cpu_available_ns = 0;
        batch->overhead_ns = 0;
        batch->submit_stack = 0;
        batch->isolated = PP_ISOLATED_NOTHING;
        pp_batch_set_row_bytes(batch, timeline->device->begin_bytes, timeline->device->row_bytes);
        batch->number = timeline->batches++;
    } else {
        timeline->dropped = !paused;
    }
    pthread_mutex_unlock(&timeline->lock);
    errno = saved;
    return item ? &item->batch : NULL;
}

static struct pp_batch_item *
item_of(struct pp_batch *batch)
{
    return (struct pp_batch_item *)(void *)((char *)batch - offsetof(struct pp_batch_item, batch));
}

void
pp_batch_note_work(const struct pp_batch *batch)
{
    const struct pp_action_list *list = &batch->action_list;
    bool works = atomic_load_explicit(&batch->timeline->worked, memory_order_relaxed);
    if (works)
        return;
    for (uint32_t i = 0; i < list->passes && !works; i++)
        works = list->pass[i].draws > 0 || list->pass[i].dispatches > 0;
    if (works)
        atomic_store(&batch->timeline->worked, true);
}

void
pp_batch_put(struct pp_batch *batch)
{
    struct pp_session *session = batch->timeline->session;
    /* The ring holds more items than there can be batches; should frame ends fill it, the batch is lost and
     * its frame, whose end cannot be pushed either, with it. */
    if (!pp_batch_item_put(session, item_of(batch)))
        pp_batch_item_recycle(session, item_of(batch));
}

void
pp_batch_cancel(struct pp_batch *batch)
{
    /* the frame waits for the batch, so the batch is sent empty */
    pp_batch_free_arrays(batch);
    pp_batch_put(batch);
}
