/** @file
 * See recording.h. */
#include "core/engine/recording.h"

#include <stdlib.h>

#include "core/engine/session_private.h"
#include "core/util/heap.h"

void
pp_recording_init(struct pp_recording *recording, const struct pp_config *config)
{
    atomic_init(&recording->paused, config->paused);
    atomic_init(&recording->level, (int)config->level);
}

void
pp_recording_finish(struct pp_recording *recording)
{
    free(recording->change);
    recording->change = NULL;
}

bool
pp_session_paused(const struct pp_session *session)
{
    return atomic_load_explicit(&session->recording.paused, memory_order_relaxed);
}

uint64_t
pp_session_frames(const struct pp_session *session)
{
    return atomic_load_explicit(&session->frames.next_frame, memory_order_relaxed);
}

enum pp_level
pp_session_level(const struct pp_session *session)
{
    return (enum pp_level)atomic_load_explicit(&session->recording.level, memory_order_relaxed);
}

/* Keep a change for session.json. Without memory it is only counted. */
static void
note(struct pp_session *session, enum pp_recording_what what, enum pp_level level)
{
    struct pp_recording *recording = &session->recording;
    const struct pp_recording_change change = {pp_now_ns(), pp_session_frames(session), what, level};
    pthread_mutex_lock(&session->lock);
    recording->changes++;
    if (recording->kept < PP_RECORDING_CHANGES &&
        pp_array_grow(&recording->change, &recording->change_cap, (size_t)recording->kept + 1,
                      sizeof(change)) == 0)
        recording->change[recording->kept++] = change;
    pthread_mutex_unlock(&session->lock);
}

bool
pp_recording_set_paused(struct pp_session *session, bool paused)
{
    if (atomic_exchange(&session->recording.paused, paused) == paused)
        return false;
    note(session, paused ? PP_RECORDING_STOP : PP_RECORDING_START, pp_session_level(session));
    return true;
}

bool
pp_recording_set_level(struct pp_session *session, enum pp_level level)
{
    if (atomic_exchange(&session->recording.level, (int)level) == (int)level)
        return false;
    note(session, PP_RECORDING_LEVEL, level);
    return true;
}

void
pp_recording_look(struct pp_session *session)
{
    struct pp_recording *recording = &session->recording;
    bool paused = pp_session_paused(session);
    if (paused == recording->was_paused)
        return;
    uint64_t now_ns = pp_overhead_thread_ns();
    if (paused)
        recording->paused_from_ns = now_ns;
    else
        recording->paused_ns += now_ns - recording->paused_from_ns;
    recording->was_paused = paused;
}

uint64_t
pp_recording_collector_ns(const struct pp_session *session)
{
    const struct pp_recording *recording = &session->recording;
    uint64_t now_ns = recording->was_paused ? recording->paused_from_ns : pp_overhead_thread_ns();
    return now_ns - recording->paused_ns;
}
