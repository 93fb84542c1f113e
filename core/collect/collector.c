/** @file
 * The collector thread; see collector.h.
 *
 *   ring ──> frame queue ──(complete)──> rows ──> writers ──(five times a second)──> files
 *                                                 └── session.json, once a second
 *
 * The application may confine itself by a seccomp filter at any time. So the thread opens all files before
 * pp_collector_create() returns; docs/sandboxes.md lists the system calls that remain.
 *
 * A frame is written when its end and all its batches have arrived. So a slow window, or a context that is
 * not used for a while, does not delay other frames. */
#include "core/collect/collector.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/collect/draft.h"
#include "core/collect/frame_queue.h"
#include "core/collect/held_frames.h"
#include "core/collect/rows.h"
#include "core/collect/session_json.h"
#include "core/collect/streams.h"
#include "core/engine/session_dir.h"
#include "core/engine/system_counters.h"
#include "core/report/writer.h"
#include "core/util/log.h"
#include "core/util/size_signal.h"
#include "counters/util/errno_text.h"
#include "counters/util/sandbox.h"

#define NAP_NS     20000000ULL /* between two looks at the ring */
#define NAP_MIN_NS 2500000ULL  /* where much comes meanwhile */
#define NAP_BYTES  1048576U    /* much: what waits should still lie in caches when it is written */
#define BEHIND_BYTES                                                                                         \
    ((size_t)2 * NAP_BYTES)     /* more than comes in a nap, after it: writing is what takes long */
#define FLUSH_NS  200000000ULL  /* between two flushes of the CSV files */
#define JSON_NS   1000000000ULL /* between two versions of session.json */
#define LAST_NAPS 10            /* for them at process exit */
#define STREAM_NS 1000000000ULL /* patience with reports that come by themselves */
/* Newer frames of the series are complete for so long: what an older one lacks is not waited for. */
#define PASSED_NS    10000000000ULL
#define FINISH_S     10    /* patience at process exit: it writes within milliseconds unless starved */
#define JSON_DEVICES 65536 /* session.json may grow by so much with the session's devices */
#define JSON_GROWS   1024  /* session.json's last version may be so much longer: what ended it, counts */
#define STACK_BYTES  ((size_t)512 * 1024)
#define READY_S      2 /* patience with the thread's start */

struct pp_collector {
    /* immutable after create */
    struct pp_session *session;
    struct pp_dir dir;
    pthread_t thread;
    /* guarded by lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    bool ready; /**< the thread has opened what it needs */
    bool ended; /**< the thread touches nothing any more */
    /* collector thread only */
    struct pp_writers *writers; /**< NULL: none has begun */
    struct pp_replaced json;
    uint64_t rows_bytes;  /**< of the CSV files, after the last frame */
    uint64_t frame_bytes; /**< most that a frame has added to them */
    uint64_t nap_ns;      /**< from NAP_MIN_NS to NAP_NS */
    bool near_limit;      /**< session.json was written with the session's devices to know its size */
    bool ending;          /**< the application ends: what has not come does not come */
    bool discarding;      /**< profiling stopped: parcels are only freed */
    struct pp_frame_queue queued;
    struct pp_frame_rows rows;
    struct pp_draft draft;
    struct pp_session_state state;
    struct pp_overhead frame_overhead[PP_LEVEL_DRAW + 1]; /**< a frame's batches, by its level */
    uint64_t rest_overhead_ns;                            /**< of work of no frame */
    uint64_t described_drops;                             /**< dropped frames that session.json tells of */
};

/* Files. */

/* Write all rows to the files. */
static int
write_rows_out(struct pp_collector *collector)
{
    int rc = pp_writers_flush(collector->writers);
    if (rc == 0)
        collector->state.written = collector->state.taken;
    return rc;
}

/* Frames dropped so far, on either side of the ring. */
static uint64_t
dropped(const struct pp_collector *collector)
{
    return collector->state.dropped_frames + atomic_load(&collector->session->dropped_frames);
}

static int
write_json(struct pp_collector *collector, const char *ended)
{
    struct pp_session *session = collector->session;
    struct pp_session_state *state = &collector->state;
    state->ended = ended;
    state->hooks_ns = atomic_load(&session->own.sum_ns) + collector->rest_overhead_ns;
    state->hooks_usual_ns = pp_overhead_median(&session->own);
    for (unsigned i = 0; i <= PP_LEVEL_DRAW; i++) {
        state->hooks_ns += atomic_load(&collector->frame_overhead[i].sum_ns);
        state->hooks_usual_ns += pp_overhead_median(&collector->frame_overhead[i]);
    }
    state->collector_ns = pp_overhead_thread_ns();
    uint64_t counted = state->dropped_frames;
    state->dropped_frames = collector->described_drops = dropped(collector);
    int rc = pp_session_json_write(session, state, &collector->json);
    state->dropped_frames = counted;
    if (rc == 0)
        pp_empty_told(&session->empty);
    return rc;
}

/* session.json tells why cells are empty before rows show it. A failure is seen at the next regular one. */
static void
tell_reasons(void *context)
{
    (void)!write_json(context, "running");
}

/* Stop profiling early: the files stay as they are, session.json gives the reason. */
static void
stop_writing(struct pp_collector *collector, enum pp_message id, const char *why)
{
    struct pp_session *session = collector->session;
    if (collector->discarding)
        return;
    collector->discarding = true;
    atomic_store(&session->active, false);
    (void)write_rows_out(collector); /* what fails is not counted */
    pp_writers_end(collector->writers);
    if (id == PP_ID_MAX_SIZE)
        pp_log(PP_MSG_MAX_SIZE, why);
    else
        pp_log(PP_MSG_FULL, why);
    if (write_json(collector, why))
        collector->state.ended = why; /* the disk is full: the older session.json stays */
}

static void
flush_writers(struct pp_collector *collector)
{
    int rc = write_rows_out(collector);
    if (rc) {
        char why[PATH_MAX + 128];
        snprintf(why, sizeof(why), PP_FORMAT_ENDED_WRITE, collector->dir.path, pp_errno_text(-rc));
        stop_writing(collector, PP_ID_FULL, why);
    }
}

/* Stop before a frame that would exceed --max-size, if the frame is no larger than those before. */
static void
check_size(struct pp_collector *collector)
{
    uint64_t limit = collector->session->config.max_size_bytes;
    uint64_t rows = pp_writers_size(collector->writers);
    if (rows - collector->rows_bytes > collector->frame_bytes)
        collector->frame_bytes = rows - collector->rows_bytes;
    collector->rows_bytes = rows;
    uint64_t next = rows + collector->frame_bytes + JSON_GROWS;
    if (!collector->near_limit && next + collector->json.bytes + JSON_DEVICES > limit) {
        collector->near_limit = true;
        (void)!write_json(collector, "running"); /* a failure is seen at the next regular one */
    }
    if (next + collector->json.bytes > limit)
        stop_writing(collector, PP_ID_MAX_SIZE, PP_TEXT_ENDED_MAX_SIZE);
}

/* Frames. */

static int
write_rows(struct pp_collector *collector, const struct pp_queued_frame *queued,
           const struct pp_frame_item *end)
{
    struct pp_session *session = collector->session;
    struct pp_session_state *state = &collector->state;
    bool is_frame = end->head.kind == PP_ITEM_FRAME_END;
    pp_draft_drop(&collector->draft, &collector->queued);
    int rc = pp_frame_build(session, end, is_frame, queued->arrived >= end->batches, queued->batches,
                            &collector->rows, &state->notes);
    struct pp_frame_row *row = &collector->rows.row;
    row->behind = atomic_load_explicit(&session->waiting_bytes, memory_order_relaxed) > BEHIND_BYTES;
    rc = rc ? rc : pp_writers_frame(collector->writers, row);
    if (rc)
        return rc;
    state->taken.frames += is_frame;
    state->taken.passes += row->passes;
    state->taken.draws += row->actions;
    state->taken.unattributed_passes += is_frame ? 0 : row->passes;
    state->taken.conditional_passes = state->notes.conditional;
    state->frame_time_ns += is_frame ? row->frame_time_ns.value : 0;
    return 0;
}

/* Look up what the streams counted. @return They have arrived, or the collector does not wait for them. */
static bool
take_streams(const struct pp_queued_frame *queued, bool patient)
{
    for (struct pp_batch_item *item = queued->batches; item; item = item->next)
        if (pp_streams_look_up(&item->batch, patient))
            return false;
    return true;
}

/* Add up the CPU time that passprobe's calls took from the application in this frame. */
static void
count_overhead(struct pp_collector *collector, const struct pp_queued_frame *queued,
               const struct pp_frame_item *end)
{
    uint64_t overhead_ns = 0;
    for (const struct pp_batch_item *item = queued->batches; item; item = item->next)
        overhead_ns += item->batch.overhead_ns;
    if (end->head.kind == PP_ITEM_FRAME_END)
        pp_overhead_add(&collector->frame_overhead[end->level], overhead_ns);
    else
        collector->rest_overhead_ns += overhead_ns;
}

/* Rows of what has come, under this end. */
static void
write_out(struct pp_collector *collector, const struct pp_queued_frame *queued,
          const struct pp_frame_item *end)
{
    count_overhead(collector, queued, end);
    if (end->dropped || collector->discarding)
        return;
    int rc = write_rows(collector, queued, end);
    if (rc) {
        char why[PATH_MAX + 128];
        snprintf(why, sizeof(why), PP_FORMAT_ENDED_WRITE, collector->dir.path, pp_errno_text(-rc));
        stop_writing(collector, PP_ID_FULL, why);
    } else {
        check_size(collector);
    }
}

/* Report that a frame is written without some of its results. */
static void
count_incomplete(struct pp_collector *collector, const struct pp_queued_frame *queued)
{
    const struct pp_frame_item *end = queued->end;
    if (pp_frame_queue_complete(queued) || end->dropped || queued->given_up ||
        end->head.kind != PP_ITEM_FRAME_END)
        return;
    collector->state.incomplete_frames++;
    if (!collector->ending)
        pp_log(PP_MSG_INCOMPLETE, queued->timeline->surface);
}

/* Write a frame and free it, even if results are missing. */
static void
settle(struct pp_collector *collector, struct pp_queued_frame *queued)
{
    struct pp_frame_item *end = queued->end;
    if (pp_frame_queue_complete(queued))
        pp_frame_queue_pass(&collector->queued, queued, pp_now_ns());
    count_incomplete(collector, queued);
    if (end->dropped || (queued->given_up && end->head.kind == PP_ITEM_FRAME_END))
        collector->state.dropped_frames++;
    if (end->dropped)
        pp_log(PP_MSG_DROPPED_WAITING);
    if (queued->given_up)
        end->head.kind = PP_ITEM_TIMELINE_END; /* what it was as a frame is not known any more */
    write_out(collector, queued, end);
    pp_frame_queue_remove(&collector->queued, queued, collector->session);
}

/* Write all complete frames, oldest first; with streams, when these have arrived too. @p now UINT64_MAX:
 * do not wait for streams any more. */
static void
settle_complete(struct pp_collector *collector, uint64_t now)
{
    struct pp_queued_frame *next = NULL;
    for (struct pp_queued_frame *queued = collector->queued.first; queued; queued = next) {
        next = queued->next;
        if (!pp_frame_queue_complete(queued))
            continue;
        if (!take_streams(queued, now != UINT64_MAX && pp_frame_queue_wait(queued, now) < STREAM_NS))
            return;
        settle(collector, queued);
    }
}

/* Write draft rows, as far as --max-size allows. */
static int
write_draft(void *context, const struct pp_frame_row *row)
{
    struct pp_collector *collector = context;
    uint64_t bytes = collector->json.bytes + JSON_DEVICES + JSON_GROWS;
    int rc = pp_writers_frame(collector->writers, row);
    bytes += pp_writers_size(collector->writers);
    return rc == 0 && bytes > collector->session->config.max_size_bytes ? -EFBIG : rc;
}

/* Rows of frames that are held, in case the application is killed now. */
static void
draft(struct pp_collector *collector)
{
    if (!collector->discarding)
        pp_draft_add(&collector->draft, collector->session, &collector->queued, &collector->rows, write_draft,
                     collector);
}

/* Write the batches of a frame that does not end as rows without a frame, to free memory. */
static void
write_without_end(struct pp_collector *collector, struct pp_queued_frame *queued)
{
    struct pp_frame_item *end = pp_frame_queue_without_end(queued);
    if (end) {
        take_streams(queued, false);
        write_out(collector, queued, end);
    }
    pp_frame_item_destroy(end);
    pp_frame_queue_empty(&collector->queued, queued, collector->session);
}

/* Limit frames that have not ended to half of all batches that may wait: a series whose frame never ends
 * (a minimised window's) must not block the others. */
static void
bound_open_frames(struct pp_collector *collector)
{
    struct pp_session *session = collector->session;
    const struct pp_frame_queue *list = &collector->queued;
    while (list->open_bytes > session->waiting_bytes_max / 2 || list->open_held > PP_BATCHES_MAX / 2) {
        struct pp_queued_frame *queued = pp_frame_queue_give_up(&collector->queued);
        if (!queued)
            return;
        pp_log(PP_MSG_DROPPED_ENDLESS, queued->timeline->surface);
        write_without_end(collector, queued);
    }
}

/* Write a frame if it is complete now. With streams, settle_complete() does it. */
static void
settle_if_complete(struct pp_collector *collector, struct pp_queued_frame *queued)
{
    if (pp_frame_queue_is_held(queued) && queued->arrived >= queued->end->batches)
        pp_held_add(&collector->queued, queued);
    else if (pp_frame_queue_complete(queued) && !atomic_load(&collector->session->streams))
        settle(collector, queued);
}

/* A batch arrived after its frame was written: write its passes and actions as rows without a frame. */
static void
take_late(struct pp_collector *collector, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    struct pp_queued_frame *queued = pp_frame_queue_find(&collector->queued, batch->frame, batch->timeline);
    if (!queued) {
        pp_batch_item_recycle(collector->session, item);
        return;
    }
    collector->state.late_batches += batch->action_list.passes > 0;
    pp_frame_queue_add(&collector->queued, queued, item);
    write_without_end(collector, queued);
    pp_frame_queue_remove(&collector->queued, queued, collector->session);
}

static void
take_batch(struct pp_collector *collector, struct pp_batch_item *item)
{
    struct pp_batch *batch = &item->batch;
    if (batch->frame < batch->timeline->ends_from && !pp_frame_queue_has(&collector->queued, batch->frame)) {
        take_late(collector, item);
        return;
    }
    struct pp_queued_frame *queued = pp_frame_queue_find(&collector->queued, batch->frame, batch->timeline);
    if (!queued) {
        pp_batch_item_recycle(collector->session, item);
        return;
    }
    pp_frame_queue_add(&collector->queued, queued, item);
    bound_open_frames(collector);
    settle_if_complete(collector, queued);
}

static void
take_end(struct pp_collector *collector, struct pp_frame_item *end)
{
    struct pp_queued_frame *queued = pp_frame_queue_find(&collector->queued, end->key, end->timeline);
    if (!queued || queued->end) {
        collector->state.dropped_frames += end->head.kind == PP_ITEM_FRAME_END;
        pp_frame_item_destroy(end);
        return;
    }
    if (pp_held_take_end(&collector->queued, queued, end))
        settle_complete(collector, pp_now_ns());
    pp_frame_queue_end(&collector->queued, queued, end);
    if (end->timeline->ends_from <= end->key)
        end->timeline->ends_from = end->key + 1;
    pp_frame_queue_forget_older(&collector->queued, queued, collector->session);
    settle_if_complete(collector, queued);
}

/* Take items from the ring until a time limit, because an application that is faster than the collector
 * never lets the ring run empty.
 * @return True: the ring is empty. */
static bool
drain(struct pp_collector *collector, uint64_t until_ns)
{
    struct pp_session *session = collector->session;
    for (struct pp_item *item = pp_ring_pop(&session->ring); item; item = pp_ring_pop(&session->ring)) {
        if (item->kind == PP_ITEM_BATCH)
            take_batch(collector, (struct pp_batch_item *)(void *)item);
        else
            take_end(collector, (struct pp_frame_item *)(void *)item);
        if (pp_now_ns() >= until_ns)
            return false;
    }
    return true;
}

/* Write frames whose results are lost: newer results of the same series continue to arrive. An application
 * that pauses, is stopped, or waits for long GPU work cannot deliver results and loses none. In addition,
 * ended frames may hold only half of what may wait. */
static void
settle_incomplete(struct pp_collector *collector)
{
    const struct pp_session *session = collector->session;
    struct pp_frame_queue *list = &collector->queued;
    struct pp_queued_frame *queued = NULL;
    size_t bytes = 0;
    uint32_t held = 0;
    while ((queued = pp_frame_queue_passed(list, PASSED_NS)))
        settle(collector, queued);
    while ((queued = pp_frame_queue_incomplete(list, &bytes, &held)) &&
           (bytes > session->waiting_bytes_max / 2 || held > PP_BATCHES_MAX / 2))
        settle(collector, queued);
}

/* At the end, write everything that still waits: frames without all results, then rows without a frame. */
static void
settle_all(struct pp_collector *collector)
{
    struct pp_queued_frame *next = NULL;
    pp_held_end(&collector->queued);
    for (struct pp_queued_frame *queued = collector->queued.first; queued; queued = next) {
        next = queued->next;
        struct pp_frame_item *end = queued->end ? NULL : pp_frame_queue_without_end(queued);
        if (end)
            pp_frame_queue_end(&collector->queued, queued, end);
        if (queued->end)
            settle(collector, queued);
        else
            pp_frame_queue_remove(&collector->queued, queued, collector->session);
    }
}

/* The thread. */

/* Shorten the nap while many bytes arrive during one, and lengthen it while few do. */
static void
set_nap(struct pp_collector *collector)
{
    size_t waiting = atomic_load_explicit(&collector->session->waiting_bytes, memory_order_relaxed);
    if (waiting > NAP_BYTES && collector->nap_ns > NAP_MIN_NS)
        collector->nap_ns /= 2;
    else if (waiting < NAP_BYTES / 4 && collector->nap_ns < NAP_NS)
        collector->nap_ns *= 2;
}

/* Sleep if there is nothing to do, until a wake-up. @return True: the collector must end. */
static bool
nap(struct pp_collector *collector, bool idle)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)collector->nap_ns;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&collector->lock);
    if (!collector->stop && idle)
        pthread_cond_timedwait(&collector->wake, &collector->lock, &until);
    bool stop = collector->stop;
    pthread_mutex_unlock(&collector->lock);
    return stop;
}

/* Wait some milliseconds for the reports of the last frames. */
static void
wait_for_streams(struct pp_collector *collector)
{
    const struct timespec pause = {.tv_nsec = (long)NAP_NS};
    for (int i = 0; i < LAST_NAPS && atomic_load(&collector->session->streams); i++) {
        settle_complete(collector, pp_now_ns());
        if (!collector->queued.first)
            return;
        nanosleep(&pause, NULL);
    }
    settle_complete(collector, UINT64_MAX);
}

/* Give the collector's thread the batch policy. The creating thread may be a real-time thread, whose
 * policy the collector inherits and must not keep. With the batch policy the collector never preempts a
 * running ordinary thread, yet has its full share of the processor. With less, by nice(), a busy machine
 * would let the ring run full and lose frames. Source: sched(7). */
static void
be_modest(void)
{
    (void)sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){.sched_priority = 0});
}

/* Write session.json if it is due, or if it lacks dropped frames or reasons of empty cells. It is written
 * before the rows that show them, so that each gap of frame numbers has its count and each empty cell its
 * reason. @return True: it was written. */
static bool
describe(struct pp_collector *collector, bool due)
{
    bool told =
        collector->described_drops == dropped(collector) && !pp_empty_has_news(&collector->session->empty);
    if (collector->discarding || (told && !due))
        return false;
    if (write_json(collector, "running"))
        stop_writing(collector, PP_ID_FULL, PP_TEXT_ENDED_JSON);
    return true;
}

/* Do what a sandbox may forbid later. A thread's first allocation may ask for the number of processors. */
static void
prepare(struct pp_collector *collector)
{
    void *volatile first = malloc(1);
    free(first);
    pthread_setname_np(pthread_self(), "passprobe");
    be_modest();
    pp_sandbox_watch_thread();
    pthread_mutex_lock(&collector->lock);
    collector->ready = true;
    pthread_cond_broadcast(&collector->wake);
    pthread_mutex_unlock(&collector->lock);
}

static void *
run(void *arg)
{
    struct pp_collector *collector = arg;
    struct pp_session *session = collector->session;
    uint64_t flushed = 0;
    uint64_t described = 0;
    prepare(collector);
    bool stop = false;
    collector->nap_ns = NAP_NS;
    do {
        uint64_t now = pp_now_ns();
        set_nap(collector);
        pp_system_counters_poll(session->system_counters, now);
        bool empty = drain(collector, now + FLUSH_NS);
        now = pp_now_ns();
        if (atomic_load(&session->streams))
            settle_complete(collector, now);
        if (pp_held_let_go(&collector->queued, session, now))
            settle_complete(collector, now);
        settle_incomplete(collector);
        pp_memory_look(collector->session, now);
        bool due = now - flushed >= FLUSH_NS;
        if (due)
            draft(collector);
        if (describe(collector, now - described >= JSON_NS))
            described = now;
        if (due) {
            flush_writers(collector);
            flushed = now;
        }
        stop = nap(collector, empty);
    } while (!stop);
    collector->ending = true;
    pp_draft_drop(&collector->draft, &collector->queued);
    (void)describe(collector, false);
    (void)drain(collector, UINT64_MAX);
    wait_for_streams(collector);
    settle_all(collector);
    flush_writers(collector);
    pp_writers_end(collector->writers);
    if (!collector->discarding) {
        const char *why = collector->session->stop_reason[0] ? collector->session->stop_reason : "exit";
        if (write_json(collector, why))
            pp_log(PP_MSG_JSON, collector->dir.path);
    }
    pp_replaced_end(&collector->json);
    pthread_mutex_lock(&collector->lock);
    collector->ended = true;
    pthread_cond_broadcast(&collector->wake);
    pthread_mutex_unlock(&collector->lock);
    return NULL;
}

/* Life. */

static void
collector_free(struct pp_collector *collector)
{
    collector->session->empty.tell = NULL;
    pp_writers_destroy(collector->writers);
    pp_replaced_end(&collector->json);
    pp_dir_close(&collector->dir);
    pp_frame_rows_finish(&collector->rows);
    pp_draft_finish(&collector->draft);
    pp_empty_finish(&collector->session->empty);
    pp_about_finish(&collector->state.about);
    pthread_cond_destroy(&collector->wake);
    pthread_mutex_destroy(&collector->lock);
    free(collector);
}

static int
start_thread(struct pp_collector *collector)
{
    pthread_attr_t attr;
    sigset_t all;
    sigset_t before;
    int rc = pthread_attr_init(&attr);
    if (rc)
        return -rc;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    /* No signal of the application may be delivered to the collector's thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&collector->thread, &attr, run, collector);
    /* glibc takes a thread's thread-local variables from its stack, and some applications have a megabyte
     * of them. */
    if (rc == EINVAL)
        rc = pthread_create(&collector->thread, NULL, run, collector);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return -rc;
}

/* Wait, for a limited time, until the thread has opened its files. */
static void
wait_until_ready(struct pp_collector *collector)
{
    struct timespec until;
    int rc = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += READY_S;
    pthread_mutex_lock(&collector->lock);
    while (!collector->ready && rc == 0)
        rc = pthread_cond_timedwait(&collector->wake, &collector->lock, &until);
    pthread_mutex_unlock(&collector->lock);
}

static int
open_files(struct pp_collector *collector)
{
    struct pp_session *session = collector->session;
    char error[512];
    int rc = pp_dir_open(session->config.output, session->config.launched, &collector->dir, error);
    if (rc) {
        pp_log(PP_MSG_OUTPUT, error);
        return rc;
    }
    rc = pp_writers_create(session, collector->dir.fd, &collector->writers);
    collector->draft.writers = collector->writers;
    collector->state.ended = "running";
    rc = rc ? rc
            : pp_session_json_begin_locked(session, collector->dir.fd, &collector->state, &collector->json);
    session->empty.tell = rc ? NULL : tell_reasons;
    session->empty.context = collector;
    if (rc)
        pp_log(PP_MSG_OUTPUT_FILES, collector->dir.path, pp_errno_text(-rc));
    else if (collector->dir.beside)
        pp_log(PP_MSG_BUSY, session->config.output, (long)session->pid, collector->dir.path);
    else
        pp_log(PP_MSG_SESSION, collector->dir.path);
    return rc;
}

/* Make a collector without files or thread. @return NULL: no memory. */
static struct pp_collector *
collector_new(struct pp_session *session)
{
    struct pp_collector *collector = calloc(1, sizeof(*collector));
    pthread_condattr_t attr;
    if (!collector)
        return NULL;
    collector->session = session;
    collector->dir.fd = -1;
    collector->json.fd = collector->json.spare_fd = -1;
    pthread_mutex_init(&collector->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&collector->wake, &attr);
    pthread_condattr_destroy(&attr);
    pp_about_read(&collector->state.about);
    return collector;
}

void
pp_collector_refuse(struct pp_session *session, const char *why)
{
    char error[512];
    struct pp_collector *collector = collector_new(session);
    struct pp_size_signal held;
    if (!collector)
        return;
    pp_size_signal_hold(&held);
    collector->state.ended = why; /* it was said on stderr already */
    pthread_mutex_lock(&session->lock);
    if (pp_dir_open(session->config.output, true, &collector->dir, error) == 0)
        (void)!pp_session_json_begin_locked(session, collector->dir.fd, &collector->state, &collector->json);
    pthread_mutex_unlock(&session->lock);
    pp_size_signal_drop(&held);
    collector_free(collector);
}

int
pp_collector_create(struct pp_session *session, struct pp_collector **ret_collector)
{
    struct pp_collector *collector = collector_new(session);
    struct pp_size_signal held;
    if (!collector)
        return -ENOMEM;
    pp_size_signal_hold(&held);
    pp_sandbox_watch();
    int rc = open_files(collector);
    pp_size_signal_drop(&held);
    if (rc == 0) {
        rc = start_thread(collector);
        if (rc)
            pp_log(PP_MSG_THREAD, pp_errno_text(-rc));
    }
    if (rc) {
        collector_free(collector);
        return rc;
    }
    wait_until_ready(collector);
    *ret_collector = collector;
    return 0;
}

void
pp_collector_finish(struct pp_collector *collector)
{
    struct timespec until;
    int rc = 0;
    /* Not by the wall clock, which a virtual machine or NTP may set forward meanwhile. */
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += FINISH_S;
    pthread_mutex_lock(&collector->lock);
    collector->stop = true;
    pthread_cond_broadcast(&collector->wake);
    while (!collector->ended && rc == 0)
        rc = pthread_cond_timedwait(&collector->wake, &collector->lock, &until);
    bool ended = collector->ended;
    pthread_mutex_unlock(&collector->lock);
    if (ended && pthread_join(collector->thread, NULL) == 0)
        collector_free(collector);
}
