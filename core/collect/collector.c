/** @file
 * See collector.h. The collector thread; ring ──> frame queue ──(complete)──> rows ──> writers ──(five times
 * a second)──> files └── session.json, once a second
 *
 * The thread has a table of descriptors of its own (docs/internals/process.md, "Descriptors"). The
 * application may confine itself by a seccomp filter at any time. So the thread opens all files before
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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/collect/frames/frame_output.h"
#include "core/collect/frames/held_frames.h"
#include "core/collect/output/output_files.h"
#include "core/control/control.h"
#include "core/engine/watch.h"
#include "core/events/system_counters.h"
#include "core/session/session.h"
#include "core/util/log.h"
#include "core/util/process.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

#define NAP_NS     20000000ULL   /* sleep between two rounds */
#define NAP_MIN_NS 2500000ULL    /* the same, while much arrives */
#define STDERR_NS  1000000000ULL /* between two looks at the application's standard error */
#define FLUSH_NS   200000000ULL  /* between two flushes of the CSV files */
/* This many flushes after the first frame come after each sleep, for applications that crash soon. */
#define EARLY_FLUSHES 50U
#define JSON_NS       1000000000ULL /* between two versions of session.json */
#define LAST_NAPS     10            /* sleeps at process exit that wait for the last reports */
/* Longest wait for the thread at process exit; it needs milliseconds. wineserver kills a process that has not
 * ended half a second after its last thread left, and Wine kills all other threads before: one of them may
 * have held a lock that the collector needs, also that of its heap, which free() takes. */
#define FINISH_NS      10000000000U
#define FINISH_WINE_NS 25000000U
#define STACK_BYTES    ((size_t)512 * 1024)

struct pp_collector {
    /* immutable after create */
    struct pp_session *session;
    pthread_t thread;
    /* guarded by lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    bool opened; /**< the thread has opened what it needs, or could not */
    int open_rc; /**< then: 0, or why it could not */
    pid_t tid;   /**< then: the kernel's number of the thread */
    bool ended;  /**< the thread touches nothing any more */
    /* immutable after create */
    bool borrows; /**< the thread reads streams of the application's threads */
    bool wine;    /**< Wine kills threads before the process exits */
    /* collector thread only */
    struct pp_output_files files;
    struct pp_frame_output frames;
    uint64_t nap_ns; /**< from NAP_MIN_NS to NAP_NS */
};

/* Shorten the nap while many bytes arrive during one, and lengthen it while few do. */
static void
set_nap(struct pp_collector *collector)
{
    size_t waiting = atomic_load_explicit(&collector->session->transport.waiting_bytes, memory_order_relaxed);
    if (waiting > PP_SLEEP_BYTES && collector->nap_ns > NAP_MIN_NS)
        collector->nap_ns /= 2;
    else if (waiting < PP_SLEEP_BYTES / 4 && collector->nap_ns < NAP_NS)
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
        pp_frame_output_complete(&collector->frames, pp_now_ns());
        if (!collector->frames.queued.first)
            return;
        nanosleep(&pause, NULL);
    }
    pp_frame_output_complete(&collector->frames, UINT64_MAX);
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

/* Open what the thread needs, and do what else a sandbox may forbid later. A thread's first allocation may
 * ask for the number of processors. The creating thread waits, and so its policy is that of the thread until
 * here. */
static int
prepare(struct pp_collector *collector)
{
    struct pp_session *session = collector->session;
    void *volatile first = malloc(1);
    free(first);
    pthread_setname_np(pthread_self(), "passprobe");
    (void)pp_fd_take_table(collector->borrows);
    pp_sandbox_watch_collector();
    int rc = pp_output_files_open(&collector->files);
    collector->frames.draft.writers = collector->files.writers;
    if (rc == 0) {
        atomic_store(&session->control, pp_control_create(session, &pp_control_files, &collector->files));
        pp_system_counters_poll(session->sources.system_counters, pp_now_ns());
    } else {
        pp_output_files_close(&collector->files);
    }
    be_modest();
    return rc;
}

/* Wake the creating thread, or the one that waits for the end. */
static void
tell(struct pp_collector *collector, bool *what)
{
    pthread_mutex_lock(&collector->lock);
    *what = true;
    pthread_cond_broadcast(&collector->wake);
    pthread_mutex_unlock(&collector->lock);
}

/* Other threads may have this one's number from now on. */
static void
leave(void)
{
    pp_sandbox_leave_collector();
    pp_fd_leave_table();
}

static void *
run(void *arg)
{
    struct pp_collector *collector = arg;
    struct pp_session *session = collector->session;
    uint64_t flushed = 0;
    uint64_t described = 0;
    uint64_t followed = 0;
    uint32_t early = 0;
    collector->tid = (pid_t)syscall(SYS_gettid);
    collector->open_rc = prepare(collector);
    bool failed = collector->open_rc != 0;
    if (failed)
        leave();
    tell(collector, &collector->opened);
    if (failed)
        return NULL;
    bool stop = false;
    collector->nap_ns = NAP_NS;
    do {
        uint64_t now = pp_now_ns();
        set_nap(collector);
        pp_recording_look(session);
        pp_watch_look(session);
        pp_stacks_look(session->stacks);
        pp_system_counters_poll(session->sources.system_counters, now);
        bool empty = pp_frame_output_drain(&collector->frames, now + FLUSH_NS);
        now = pp_now_ns();
        if (atomic_load(&session->streams))
            pp_frame_output_complete(&collector->frames, now);
        if (pp_held_let_go(&collector->frames.queued, session, now))
            pp_frame_output_complete(&collector->frames, now);
        pp_frame_output_incomplete(&collector->frames);
        pp_memory_update(collector->session, now);
        bool soon = collector->files.state.taken.frames > 0 && early < EARLY_FLUSHES;
        bool due = soon || now - flushed >= FLUSH_NS;
        early += soon;
        if (due)
            pp_frame_output_draft(&collector->frames);
        if (pp_output_files_describe(&collector->files, now - described >= JSON_NS))
            described = now;
        if (due) {
            pp_output_files_flush(&collector->files);
            flushed = now;
        }
        if (now - followed >= STDERR_NS) {
            pp_fd_follow_stderr();
            followed = now;
        }
        pp_control_poll(atomic_load(&session->control), now);
        stop = nap(collector, empty);
    } while (!stop);
    collector->frames.ending = true;
    pp_draft_drop(&collector->frames.draft, &collector->frames.queued);
    (void)pp_output_files_describe(&collector->files, false);
    (void)pp_frame_output_drain(&collector->frames, UINT64_MAX);
    wait_for_streams(collector);
    pp_frame_output_all(&collector->frames);
    pp_control_end(atomic_load(&session->control));
    pp_output_files_end(&collector->files);
    pp_output_files_close(&collector->files);
    leave();
    tell(collector, &collector->ended);
    /* The C library would give the memory that this thread keeps for reuse back to the heaps of others. */
    if (collector->wine)
        (void)syscall(SYS_exit, 0); /* ends the thread only; does not return */
    return NULL;
}

static void
collector_free(struct pp_collector *collector)
{
    pp_control_destroy(atomic_exchange(&collector->session->control, NULL));
    pp_output_files_finish(&collector->files);
    pp_frame_output_finish(&collector->frames);
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

/* Wait until the thread has opened its files. */
static int
wait_until_opened(struct pp_collector *collector)
{
    pthread_mutex_lock(&collector->lock);
    while (!collector->opened)
        pthread_cond_wait(&collector->wake, &collector->lock);
    int rc = collector->open_rc;
    pthread_mutex_unlock(&collector->lock);
    if (rc)
        (void)pthread_join(collector->thread, NULL);
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
    collector->frames.session = session;
    collector->frames.files = &collector->files;
    pp_output_files_init(&collector->files, session);
    pthread_mutex_init(&collector->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&collector->wake, &attr);
    pthread_condattr_destroy(&attr);
    return collector;
}

void
pp_collector_refuse(struct pp_session *session, const char *why)
{
    struct pp_collector *collector = collector_new(session);
    struct pp_size_signal held;
    if (!collector)
        return;
    pp_size_signal_hold(&held);
    pp_output_files_refuse(&collector->files, why);
    pp_output_files_close(&collector->files);
    pp_size_signal_drop(&held);
    collector_free(collector);
}

void
pp_collector_write_empty(struct pp_session *session)
{
    struct pp_collector *collector = collector_new(session);
    struct pp_size_signal held;
    if (!collector)
        return;
    session->recording.was_paused = true; /* the collector had no time: this is the application's thread */
    pp_size_signal_hold(&held);
    pthread_mutex_lock(&session->lock);
    int rc = pp_output_files_open(&collector->files);
    pthread_mutex_unlock(&session->lock);
    if (rc == 0)
        pp_output_files_end(&collector->files);
    pp_output_files_close(&collector->files);
    pp_size_signal_drop(&held);
    collector_free(collector);
}

int
pp_collector_create(struct pp_session *session, bool borrows, struct pp_collector **ret_collector)
{
    struct pp_collector *collector = collector_new(session);
    if (!collector)
        return -ENOMEM;
    collector->borrows = borrows;
    collector->wine = pp_process_has_wine();
    pp_sandbox_watch();
    int rc = start_thread(collector);
    if (rc)
        pp_log(PP_MSG_THREAD, pp_errno_text(-rc));
    rc = rc ? rc : wait_until_opened(collector);
    if (rc)
        collector_free(collector);
    else
        *ret_collector = collector;
    return rc;
}

/* Wait until the thread has left the process. pthread_join() would also give its stack back, by a lock that a
 * thread which Wine killed may hold. */
static void
wait_for_kernel(const struct pp_collector *collector, const struct timespec *until)
{
    const struct timespec nap = {.tv_nsec = 100000};
    struct timespec now;
    do {
        (void)nanosleep(&nap, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (syscall(SYS_tgkill, collector->session->pid, collector->tid, 0) == 0 &&
             (now.tv_sec < until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec < until->tv_nsec)));
}

void
pp_collector_finish(struct pp_collector *collector)
{
    struct timespec until;
    int rc = 0;
    /* Not by the wall clock, which a virtual machine or NTP may set forward meanwhile. */
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t end_ns = (uint64_t)until.tv_nsec + (collector->wine ? FINISH_WINE_NS : FINISH_NS);
    until.tv_sec += (time_t)(end_ns / 1000000000U);
    until.tv_nsec = (long)(end_ns % 1000000000U);
    pthread_mutex_lock(&collector->lock);
    collector->stop = true;
    pthread_cond_broadcast(&collector->wake);
    while (!collector->ended && rc == 0)
        rc = pthread_cond_timedwait(&collector->wake, &collector->lock, &until);
    bool ended = collector->ended;
    pthread_mutex_unlock(&collector->lock);
    if (ended && collector->wine)
        wait_for_kernel(collector, &until);
    else if (ended && pthread_join(collector->thread, NULL) == 0)
        collector_free(collector);
}

/* Where the session directory is now: it may get its name only with the first frame. */
static void
read_path(const struct pp_output_files *files, char *path)
{
    char link[64];
    snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", files->dir.fd);
    ssize_t len = pp_fd_is_own(files->dir.fd) ? readlink(link, path, PATH_MAX - 1) : 0;
    path[len > 0 ? len : 0] = '\0';
}

static void
facts(void *self, struct pp_control_facts *ret)
{
    struct pp_output_files *files = self;
    const struct pp_session *session = files->session;
    const struct pp_session_state *state = &files->state;
    const char *ended = files->discarding ? state->ended : "exit";
    ret->frames = state->taken.frames;
    ret->dropped_frames = state->dropped_frames + atomic_load(&session->frames.dropped_frames);
    ret->bytes = files->discarding ? files->rows_bytes : pp_writers_size(files->writers);
    ret->hooks_ns = pp_output_files_hooks_ns(files);
    ret->collector_ns = pp_recording_collector_ns(session);
    ret->ended = pp_session_active(session) ? NULL : ended;
    read_path(files, ret->path);
}

static int
prepare_level(void *self, enum pp_level level)
{
    struct pp_output_files *files = self;
    if (!pp_fd_is_own(files->dir.fd))
        return -EBADF;
    return files->discarding ? 0 : pp_writers_begin_level(files->writers, level);
}

static void
quit(void *self)
{
    pp_output_files_quit(self);
}

const struct pp_control_ops pp_control_files = {facts, prepare_level, quit};
