/** @file
 * See stream_sets.h. */
#include "core/events/stream_sets.h"

#include "core/engine/clock.h"
#include "core/engine/device_private.h"
#include "core/engine/session_private.h"
#include "core/events/device_counters.h"
#include "core/util/log.h"

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
must_wait_locked(struct pp_stream_sets *sets, uint64_t now_ns)
{
    if (sets->frames == 0)
        return false;
    if (!sets->late_ns)
        sets->late_ns = now_ns;
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
    bool other = sets->turn == 0 || sets->set != *set, waits = other && must_wait_locked(sets, now_ns);
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
