/** @file
 * See device_counters.h. A snapshot of the thread that records commands, which the GPU runs later (Vulkan's
 * command buffers), is a head and the bytes of each source that threads read, in the order of the device's
 * sources. */
#include "core/events/device_counters.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/engine/clock.h"
#include "core/engine/device_private.h"
#include "core/engine/session_private.h"
#include "core/util/log.h"
#include "counters/events/event_plan.h"
#include "counters/sources/registry.h"
#include "counters/util/errno_text.h"

uint32_t
pp_device_sets(const struct pp_device *device)
{
    return device->sets;
}

uint32_t
pp_device_counter(const struct pp_device *device, uint32_t counter)
{
    return counter < PP_MAX_SOURCES ? device->counter_at[counter] : UINT32_MAX;
}

const struct pp_device_set *
pp_device_set(const struct pp_device *device, uint32_t counter, uint32_t set)
{
    static const struct pp_device_set none = {.events = 0};
    uint32_t s = pp_device_counter(device, counter);
    return s == UINT32_MAX || set >= device->source_sets[s] ? &none : &device->source_set[s][set].set;
}

bool
pp_device_reads(const struct pp_device *device)
{
    return device->reads;
}

/* Bursts of failures cost one atomic read each. */
void
pp_device_source_failed(struct pp_device *device, uint32_t s, enum pp_message id, int error)
{
    char why[PP_REASON_BYTES], text[sizeof(why) + 128];
    const struct pp_event_source *source = &device->counter[s];
    if ((atomic_load_explicit(&device->failed, memory_order_relaxed) >> s & 1) ||
        (atomic_fetch_or(&device->failed, 1U << s) >> s & 1))
        return;
    if (source->ops->explain)
        source->ops->explain(source->self, error, why);
    else
        snprintf(why, sizeof(why), "%s", pp_errno_text(error));
    if (id == PP_ID_SOURCE_REFUSED)
        snprintf(text, sizeof(text), PP_FORMAT_SOURCE_REFUSED, source->ops->name, why);
    else
        snprintf(text, sizeof(text), PP_FORMAT_SOURCE_FAILED, source->ops->name, why);
    pp_device_note(device, text);
}

void
pp_device_read(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket, unsigned end,
               uint8_t set, bool idle)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (!ops || !pp_counter_is_read(ops) || set >= device->source_sets[s])
            continue;
        const struct pp_device_set *chosen = &device->source_set[s][set].set;
        if (chosen->events == 0 || (ops->reads == PP_READ_IDLE) != idle) {
            if (*status == PP_NOT_AVAILABLE)
                *status = chosen->events == 0 ? PP_CELL_OTHER_SET : PP_CELL_NOT_READ;
            continue;
        }
        uint8_t *row = pp_batch_row(batch, bracket, end) + device->offset[s];
        int rc = ops->read(device->counter[s].self, chosen->event, chosen->events, row);
        *pp_batch_set(batch, bracket, s) = set;
        if (rc)
            pp_device_source_failed(batch->device, s, PP_ID_SOURCE_FAILED, -rc);
        if (end == 0)
            *status = rc ? PP_LOST : PP_OK;
        else if (rc)
            *status = PP_LOST;
    }
}

void
pp_device_unread(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (ops && ops->reads == PP_READ_IDLE && pp_status_has_value((enum pp_status) * status))
            *status = PP_LOST;
    }
}

void
pp_device_select_set(struct pp_device *device, uint8_t set)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || ops->reads != PP_READ_STREAM || !ops->select || set >= device->source_sets[s])
            continue;
        const struct pp_device_set *chosen = &device->source_set[s][set].set;
        int rc = ops->select(device->counter[s].self, chosen->event, chosen->events);
        if (rc)
            pp_device_source_failed(device, s, PP_ID_SOURCE_REFUSED, -rc);
    }
}

/* The thread, and a bit for each source that could not be read. */
struct head {
    uint64_t thread;
    uint64_t lost;
};

/* A number that no other thread of the process has or had. A pthread_t is no such number, because a later
 * thread may get the same. Hot. */
static uint64_t
this_thread(void)
{
    static atomic_uint_fast64_t last;
    static _Thread_local uint64_t number;
    if (number == 0)
        number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return number;
}

static bool
is_thread(const struct pp_device *device, uint32_t s)
{
    return device->counter[s].ops && device->counter[s].ops->reads == PP_READ_THREAD;
}

/* Bytes of a source in a snapshot, whichever set it measures. */
static size_t
source_bytes(const struct pp_device *device, uint32_t s)
{
    size_t most = 0;
    for (uint32_t k = 0; device->source_set[s] && k < device->source_sets[s]; k++) {
        const struct pp_device_set *set = &device->source_set[s][k].set;
        if (set->events && set->layout->size > most)
            most = set->layout->size;
    }
    return (most + 7) & ~(size_t)7;
}

size_t
pp_device_thread_bytes(const struct pp_device *device)
{
    size_t bytes = 0;
    for (uint32_t s = 0; s < device->sources; s++)
        bytes += is_thread(device, s) ? source_bytes(device, s) : 0;
    return bytes ? sizeof(struct head) + bytes : 0;
}

void
pp_device_thread_take(const struct pp_device *device, uint8_t number, uint8_t *ret_snapshot)
{
    struct head head = {.thread = this_thread()};
    size_t at = sizeof(head);
    for (uint32_t s = 0; s < device->sources; s++) {
        if (!is_thread(device, s))
            continue;
        const struct pp_device_set *set =
            number < device->source_sets[s] ? &device->source_set[s][number].set : NULL;
        const struct pp_event_source *source = &device->counter[s];
        if (set && set->events &&
            source->ops->read(source->self, set->event, set->events, ret_snapshot + at) != 0)
            head.lost |= (uint64_t)1 << s;
        at += source_bytes(device, s);
    }
    memcpy(ret_snapshot, &head, sizeof(head));
}

void
pp_device_thread_put(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket, uint8_t number,
                     const uint8_t *begin, const uint8_t *end)
{
    struct head first;
    struct head last;
    size_t at = sizeof(first);
    memcpy(&first, begin, sizeof(first));
    memcpy(&last, end, sizeof(last));
    for (uint32_t s = 0; s < device->sources; s++) {
        if (!is_thread(device, s))
            continue;
        const struct pp_device_set *set =
            number < device->source_sets[s] ? &device->source_set[s][number].set : NULL;
        if (set && set->events) {
            bool lost = ((first.lost | last.lost) >> s & 1) != 0;
            memcpy(pp_batch_row(batch, bracket, 0) + device->offset[s], begin + at, set->layout->size);
            memcpy(pp_batch_row(batch, bracket, 1) + device->offset[s], end + at, set->layout->size);
            *pp_batch_set(batch, bracket, s) = number;
            /* The difference of two snapshots has no meaning if they are from different threads. */
            *pp_batch_status(batch, bracket, s) = lost                          ? PP_LOST
                                                  : first.thread != last.thread ? PP_UNSUPPORTED
                                                                                : PP_OK;
        }
        at += source_bytes(device, s);
    }
}

void
pp_device_thread_missing(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                         enum pp_status why)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (is_thread(device, s) && *status == PP_NOT_AVAILABLE)
            *status = (uint8_t)why;
    }
}

bool
pp_device_reads_idle(const struct pp_device *device)
{
    return device->reads_idle;
}

bool
pp_device_wants_apart(const struct pp_device *device)
{
    return device->reads_idle || device->streams;
}

void
pp_device_apart(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket, bool apart)
{
    for (uint32_t s = 0; s < device->sources && bracket < batch->bracket_cap; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (ops && ops->reads == PP_READ_STREAM)
            *status = (uint8_t)(apart ? *status | PP_APART : *status & ~PP_APART);
    }
}

void
pp_device_sums(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = pp_batch_status(batch, bracket, s);
        if (ops && ops->reads == PP_READ_IDLE && *status == PP_NOT_AVAILABLE)
            *status = PP_CELL_ELSEWHERE;
    }
}

const struct pp_event_source *
pp_default_events_source_locked(struct pp_session *session, uint32_t vendor, uint32_t gpu)
{
    /* What counts the whole GPU is read while it is idle. */
    bool may =
        pp_config_has_defaults(&session->config) && (vendor == PP_VENDOR_INTEL || session->config.serialize);
    if (!may || (vendor != PP_VENDOR_INTEL && vendor != PP_VENDOR_ARM))
        return NULL;
    struct pp_event_source *source = &session->sources.default_events[vendor == PP_VENDOR_ARM];
    if (!source->ops && pp_kernel_gpu_source_open(NULL, vendor, source))
        return NULL;
    bool wanted = pp_config_wants(&session->config, source->ops->name, true);
    return wanted && source->ops->counts(source->self, vendor, gpu) ? source : NULL;
}

bool
pp_session_default_events(struct pp_session *session, const char *source, uint32_t vendor)
{
    pthread_mutex_lock(&session->lock);
    const struct pp_event_source *found = pp_default_events_source_locked(session, vendor, 0);
    pthread_mutex_unlock(&session->lock);
    return found && strcmp(found->ops->name, source) == 0 && !pp_event_source_absent(found);
}

/* Sets of the streaming sources. */

/* A set is measured at least for this time, because the change to another one costs frames. */
#define TURN_NS 50000000U
/* A frame that wants another set waits no longer than this for the frames of the current one. Their rows may
 * never be done: an application that never presents has frames without an end. */
#define LATE_NS 250000000U

void
pp_stream_sets_init(struct pp_stream_sets *sets)
{
    *sets = (struct pp_stream_sets){0};
    pthread_mutex_init(&sets->lock, NULL);
}

void
pp_stream_sets_finish(struct pp_stream_sets *sets)
{
    pthread_mutex_destroy(&sets->lock);
}

/* Must a frame that wants another set be measured with none? */
static bool
must_wait_locked(struct pp_stream_sets *sets, uint8_t set, uint64_t now_ns)
{
    if (sets->frames == 0)
        return false;
    if (!sets->late_ns) {
        sets->late_ns = now_ns;
        sets->wanted = set;
    }
    return now_ns - sets->late_ns < LATE_NS;
}

uint32_t
pp_stream_sets_begin(struct pp_device *device, uint8_t *set)
{
    struct pp_stream_sets *sets = &device->stream_sets;
    uint32_t turn = 0;
    uint64_t now_ns = pp_now_ns();
    pthread_mutex_lock(&sets->lock);
    if (sets->turn && now_ns - sets->begun_ns < TURN_NS)
        *set = sets->set;
    else if (sets->late_ns && *set == sets->set)
        *set = sets->wanted; /* no frame joins a set that ends: its last reports would be lost */
    bool other = sets->turn == 0 || sets->set != *set, waits = other && must_wait_locked(sets, *set, now_ns);
    if (!waits) {
        pp_device_select_set(device, *set);
        if (other) {
            sets->set = *set;
            sets->turn++;
            sets->begun_ns = now_ns;
            sets->frames = 0;
            sets->late_ns = 0;
        }
        sets->frames++;
        turn = sets->turn;
    }
    pthread_mutex_unlock(&sets->lock);
    if (waits)
        pp_note_once(device, PP_MSG_STREAM_SETS);
    return turn;
}

void
pp_stream_sets_done(struct pp_device *device, uint32_t turn)
{
    struct pp_stream_sets *sets = &device->stream_sets;
    if (!turn)
        return;
    pthread_mutex_lock(&sets->lock);
    if (turn == sets->turn && sets->frames > 0)
        sets->frames--;
    pthread_mutex_unlock(&sets->lock);
}
