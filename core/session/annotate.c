/** @file
 * What the annotate API does inside a profiled process: a stack of labels a thread, a count of frame ends,
 * counters (user_counters.h). See session.h and annotate/include/passprobe/annotate.h. */
#include <stdlib.h>

#include "core/engine/session_private.h"
#include "core/session/session.h"
#include "core/util/log.h"

/* Half a kilobyte of TLS, general-dynamic, since this library may be loaded late. */
static _Thread_local struct pp_label_stack regions;
static _Atomic uint64_t frames;

void
pp_annotate_push(const char *text)
{
    struct pp_session *session = pp_session_get();
    if (session && text)
        pp_session_label_push(session, &regions, text);
}

void
pp_annotate_pop(void)
{
    struct pp_session *session = pp_session_get();
    if (session)
        pp_session_label_pop(session, &regions);
}

/* Let a mark begin or end the window of --between. */
static void
note_for_window_locked(struct pp_session *session, const struct pp_mark *mark)
{
    char path[2048];
    if (!*session->config.between)
        return;
    pp_session_label_path(session, mark->label, path, sizeof(path));
    pp_frame_window_note_mark(&session->config, &session->frames.window, path, mark->at_ns);
}

bool
pp_marks_add(struct pp_session *session, pp_label_id parent, const char *text)
{
    uint64_t at_ns = pp_now_ns();
    pthread_mutex_lock(&session->lock);
    bool kept = session->marks.count++ < PP_MAX_MARKS;
    pthread_mutex_unlock(&session->lock);
    /* the text of a mark that is not kept would use up entries of the label table */
    struct pp_mark *mark = kept ? calloc(1, sizeof(*mark)) : NULL;
    if (!mark)
        return false;
    mark->at_ns = at_ns;
    mark->label = pp_session_label(session, parent, text);
    pthread_mutex_lock(&session->lock);
    if (session->marks.last)
        session->marks.last->next = mark;
    else
        session->marks.first = mark;
    session->marks.last = mark;
    note_for_window_locked(session, mark);
    if (at_ns > session->marks.newest_ns)
        session->marks.newest_ns = at_ns;
    pthread_mutex_unlock(&session->lock);
    return true;
}

void
pp_annotate_mark(const char *text)
{
    struct pp_session *session = pp_session_get();
    if (session && text)
        (void)pp_marks_add(session, regions.label, text);
}

void
pp_annotate_note_frame(struct pp_session *session, uint64_t frame, uint64_t start_ns, uint64_t end_ns)
{
    pthread_mutex_lock(&session->lock);
    bool any = session->marks.first && session->marks.newest_ns >= start_ns;
    for (struct pp_mark *mark = any ? session->marks.first : NULL; mark; mark = mark->next) {
        bool inside = mark->at_ns >= start_ns && mark->at_ns < end_ns;
        if (inside && (!mark->frame_end_ns || end_ns < mark->frame_end_ns)) {
            mark->frame = frame;
            mark->frame_end_ns = end_ns;
        }
    }
    pthread_mutex_unlock(&session->lock);
}

void
pp_annotate_frame(void)
{
    struct pp_session *session = pp_session_get();
    if (session)
        pp_user_counters_close(&session->user_counters);
    atomic_fetch_add_explicit(&frames, 1, memory_order_release);
}

/* Report a counter that is left out. */
static void
left_out(struct pp_session *session, const char *name)
{
    if (pp_intern_is_full(&session->user_counters.names))
        pp_log(PP_MSG_APP_COUNTERS, PP_USER_COUNTERS_MAX, name);
    else
        pp_log(PP_MSG_NAME_MEMORY, name);
}

void
pp_annotate_set(const char *name, double value)
{
    struct pp_session *session = pp_session_get();
    if (session && name && *name && !pp_user_counters_set(&session->user_counters, name, value))
        left_out(session, name);
}

void
pp_annotate_add(const char *name, double delta)
{
    struct pp_session *session = pp_session_get();
    if (session && name && *name && !pp_user_counters_add(&session->user_counters, name, delta))
        left_out(session, name);
}

pp_label_id
pp_annotate_label(void)
{
    return regions.label;
}

const struct pp_label_stack *
pp_annotate_regions(void)
{
    return &regions;
}

uint64_t
pp_annotate_frames(void)
{
    return atomic_load_explicit(&frames, memory_order_acquire);
}
