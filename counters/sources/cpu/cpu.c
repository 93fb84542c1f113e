/** @file
 * See kernel_sources.h. Source: perf_event_open(2), getrusage(2), proc(5). */
#include "counters/sources/kernel/kernel_sources.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counters/sources/cpu/perf_group.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

/* The events. */

/* What an event is read from. */
enum cpu_answer {
    BY_NONE,
    BY_PERF,
    BY_CLOCK,       /**< CLOCK_THREAD_CPUTIME_ID */
    BY_MINOR,       /**< getrusage(RUSAGE_THREAD): minor faults (without input/output) */
    BY_MAJOR,       /**< getrusage(): major faults (with input/output) */
    BY_FAULTS,      /**< getrusage(): all faults */
    BY_SWITCHES,    /**< getrusage(): voluntary and other context switches */
    BY_INVOLUNTARY, /**< getrusage(): of these, the others */
    BY_DELAY,       /**< /proc/thread-self/schedstat */
};

enum { EVENTS = 17 };

/* One event. */
struct cpu_event {
    const char *name;
    const char *description;
    struct pp_perf_what what;
    uint8_t unit;    /**< enum pp_unit */
    uint8_t instead; /**< enum cpu_answer, if perf is refused */
};

#define HARDWARE(c)                                                                                          \
    {                                                                                                        \
        PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, true                                                          \
    }
#define SOFTWARE(c, user)                                                                                    \
    {                                                                                                        \
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, user                                                          \
    }

/* All events; the index is the number of the event. */
static const struct cpu_event cpu_events[EVENTS] = {
    {"cycles", "Clocks of the CPU that the thread ran for, in user space.", HARDWARE(CPU_CYCLES),
     PP_UNIT_CYCLES, BY_NONE},
    {"instructions", "Instructions that the thread completed, in user space.", HARDWARE(INSTRUCTIONS),
     PP_UNIT_COUNT, BY_NONE},
    {"ref-cycles", "Clocks at a constant rate that the thread ran for, in user space.",
     HARDWARE(REF_CPU_CYCLES), PP_UNIT_CYCLES, BY_NONE},
    {"branches", "Branches that the thread completed, in user space.", HARDWARE(BRANCH_INSTRUCTIONS),
     PP_UNIT_COUNT, BY_NONE},
    {"branch-misses", "Branches that the CPU predicted wrongly, in user space.", HARDWARE(BRANCH_MISSES),
     PP_UNIT_COUNT, BY_NONE},
    {"cache-references", "Accesses that reached the last-level cache, in user space.",
     HARDWARE(CACHE_REFERENCES), PP_UNIT_COUNT, BY_NONE},
    {"cache-misses", "Accesses that missed the last-level cache, in user space.", HARDWARE(CACHE_MISSES),
     PP_UNIT_COUNT, BY_NONE},
    {"stalled-cycles-frontend", "Clocks without an instruction to issue, in user space.",
     HARDWARE(STALLED_CYCLES_FRONTEND), PP_UNIT_CYCLES, BY_NONE},
    {"stalled-cycles-backend", "Clocks in which an instruction waited for data or a unit, in user space.",
     HARDWARE(STALLED_CYCLES_BACKEND), PP_UNIT_CYCLES, BY_NONE},
    {"task-clock", "Time that the thread ran on a CPU, in user space and kernel.", SOFTWARE(TASK_CLOCK, true),
     PP_UNIT_NS, BY_CLOCK},
    {"page-faults", "Page faults of the thread.", SOFTWARE(PAGE_FAULTS, true), PP_UNIT_COUNT, BY_FAULTS},
    {"minor-faults", "Page faults of the thread that needed no input or output.",
     SOFTWARE(PAGE_FAULTS_MIN, true), PP_UNIT_COUNT, BY_MINOR},
    {"major-faults", "Page faults of the thread that waited for a disk.", SOFTWARE(PAGE_FAULTS_MAJ, true),
     PP_UNIT_COUNT, BY_MAJOR},
    {"context-switches", "How often the CPU switched to another thread.", SOFTWARE(CONTEXT_SWITCHES, false),
     PP_UNIT_COUNT, BY_SWITCHES},
    {"cpu-migrations", "How often the thread was moved to another CPU.", SOFTWARE(CPU_MIGRATIONS, false),
     PP_UNIT_COUNT, BY_NONE},
    {"run-delay", "Time that the thread was ready to run and waited for a CPU.", {0}, PP_UNIT_NS, BY_DELAY},
    {"involuntary-switches",
     "How often the kernel took the CPU from the thread, which could have gone on.",
     {0},
     PP_UNIT_COUNT,
     BY_INVOLUNTARY},
};

/* Why the kernel refuses to count an event, and what the user can do. */

static int
paranoid_level(const char *proc, int64_t *ret)
{
    char path[PP_PATH_BYTES];
    int rc = pp_path_join(path, proc, "sys/kernel/perf_event_paranoid");
    return rc ? rc : pp_file_number(path, ret);
}

/* Explain which right is missing. */
static void
explain_refusal(const char *proc, const struct cpu_event *event, int error, char *ret)
{
    int64_t level = 0;
    int64_t need = event->what.exclude_kernel ? 2 : 1;
    if (paranoid_level(proc, &level)) {
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_NO_LEVEL, pp_errno_text(error));
        return;
    }
    if (level > need) {
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_PARANOID, (int)level, (int)need, (int)need,
                 need == 2 ? PP_TEXT_CPU_USER_SPACE : PP_TEXT_CPU_KERNEL_PART);
        return;
    }
    snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_REFUSED, pp_errno_text(error), (int)level);
}

/* Explain an error of perf_event_open().
 * @param proc     Path of /proc.
 * @param error    errno.
 * @param hardware Hardware events of this machine can be counted.
 * @param ret      PP_REASON_BYTES. */
static void
explain_error(const char *proc, const struct cpu_event *event, int error, bool hardware, char *ret)
{
    bool software = event->what.type == PERF_TYPE_SOFTWARE;
    if (error == EACCES || error == EPERM)
        explain_refusal(proc, event, error, ret);
    else if (error == ENOSYS)
        snprintf(ret, PP_REASON_BYTES, PP_TEXT_CPU_NO_PERF);
    else if (error == EMFILE || error == ENFILE)
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_NO_DESCRIPTOR, pp_errno_text(error));
    else if (!software && !hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV))
        snprintf(ret, PP_REASON_BYTES, PP_TEXT_CPU_NO_PMU);
    else if (error == ENOENT || error == EOPNOTSUPP || error == EINVAL)
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_NOT_COUNTED, pp_errno_text(error));
    else
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_FAILED, pp_errno_text(error));
}

/* The threads that read the source: each has its own groups of perf events, made when the thread first reads
 * a set of events, and closed when the thread ends. */

/* Most sets of events that a thread reads. */
#define THREAD_SETS 16

/* The counters of one thread for one set of events. */
struct cpu_set {
    uint64_t events; /**< bits */
    int rc;          /**< 0, or why there are no groups */
    struct pp_perf_group hardware, software;
    uint8_t at[EVENTS]; /**< per event: its place in its group */
};

/* A thread that reads the source. */
struct cpu_thread {
    unsigned generation; /**< grows at each fork(): number of the process in which the object was made */
    int schedstat;       /**< descriptor of the thread's schedstat; -1: not open */
    uint32_t sets;
    struct cpu_set *set[THREAD_SETS];
};

/* Grows at each fork(). A child inherits its parent's open groups, which count the parent. */
static atomic_uint generation;

static void
on_fork_child(void)
{
    (void)atomic_fetch_add(&generation, 1);
}

static void
register_fork(void)
{
    (void)pthread_atfork(NULL, NULL, on_fork_child);
}

/* Close the groups and files of a thread. */
static void
thread_finish(struct cpu_thread *thread)
{
    for (uint32_t i = 0; i < thread->sets; i++) {
        pp_perf_group_finish(&thread->set[i]->hardware);
        pp_perf_group_finish(&thread->set[i]->software);
        free(thread->set[i]);
    }
    thread->sets = 0;
    pp_fd_close_file(thread->schedstat);
    thread->schedstat = -1;
}

static void
destroy_thread(void *data)
{
    thread_finish(data);
    free(data);
}

/* Find or make the object of the calling thread, which owns it. @return NULL: no memory. */
static struct cpu_thread *
thread_get(pthread_key_t key)
{
    struct cpu_thread *thread = pthread_getspecific(key);
    unsigned now = atomic_load_explicit(&generation, memory_order_relaxed);
    if (thread && thread->generation == now)
        return thread;
    if (thread) {
        thread_finish(thread);
        thread->generation = now;
        return thread;
    }
    thread = calloc(1, sizeof(*thread));
    if (!thread)
        return NULL;
    thread->generation = now;
    thread->schedstat = -1;
    if (pthread_setspecific(key, thread)) {
        free(thread);
        return NULL;
    }
    return thread;
}

/*
 * Open a group of those events of a set that have this type and are read from perf.
 *
 * @param by   Per event: enum cpu_answer.
 * @param type PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE.
 * @return As pp_perf_group_init(); 0 also if there are no such events.
 */
__attribute__((warn_unused_result)) static int
set_open(const uint8_t *by, struct cpu_set *set, uint32_t type, struct pp_perf_group *group)
{
    struct pp_perf_what what[EVENTS];
    uint32_t count = 0;
    for (uint32_t e = 0; e < EVENTS; e++) {
        if (!(set->events >> e & 1) || by[e] != BY_PERF || cpu_events[e].what.type != type)
            continue;
        set->at[e] = (uint8_t)count;
        what[count++] = cpu_events[e].what;
    }
    return count ? pp_perf_group_init(group, what, count) : 0;
}

/* Of @p events, those that perf can count. */
static uint64_t
perf_events(const uint8_t *by, uint64_t events)
{
    for (uint32_t e = 0; e < EVENTS; e++)
        if (by[e] != BY_PERF)
            events &= ~(UINT64_C(1) << e);
    return events;
}

static struct cpu_set *
make_set(const uint8_t *by, struct cpu_thread *thread, uint64_t events)
{
    if (thread->sets == THREAD_SETS)
        return NULL;
    struct cpu_set *set = calloc(1, sizeof(*set));
    if (!set)
        return NULL;
    set->events = events;
    set->rc = perf_events(by, events) && pp_sandbox_entered() ? -ECONNREFUSED : 0;
    if (set->rc == 0)
        set->rc = set_open(by, set, PERF_TYPE_HARDWARE, &set->hardware);
    if (set->rc == 0)
        set->rc = set_open(by, set, PERF_TYPE_SOFTWARE, &set->software);
    thread->set[thread->sets++] = set;
    return set;
}

/*
 * Find or make the counters of a thread for a set of events.
 *
 * @param by     Per event: enum cpu_answer.
 * @param events One bit per event.
 * @return NULL: too many sets, or no memory. If the groups cannot be opened, the set's rc says why.
 */
static struct cpu_set *
thread_set(const uint8_t *by, struct cpu_thread *thread, uint64_t events)
{
    for (uint32_t i = 0; i < thread->sets; i++)
        if (thread->set[i]->events == events)
            return thread->set[i];
    return make_set(by, thread, events);
}

/* Prepare for threads. @param ret_key For the other functions. @retval 0, -EAGAIN, -ENOMEM. */
__attribute__((warn_unused_result)) static int
threads_init(pthread_key_t *ret_key)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, register_fork);
    return -pthread_key_create(ret_key, destroy_thread);
}

/* Free the calling thread's object, and the key. All other threads that used the key must have ended. */
static void
threads_finish(pthread_key_t key)
{
    struct cpu_thread *thread = pthread_getspecific(key);
    (void)pthread_key_delete(key);
    if (thread)
        destroy_thread(thread);
}

struct perf {
    /* immutable after open */
    char proc[128];
    uint8_t by[EVENTS]; /* enum cpu_answer */
    char reason[EVENTS][PP_REASON_BYTES];
    pthread_key_t key;
    struct pp_list_layouts fields;
};

/* Reading. */

static int
read_schedstat(const struct perf *perf, struct cpu_thread *thread, uint64_t *ret_delay_ns)
{
    char path[PP_PATH_BYTES], text[96];
    unsigned long long ran = 0, delay = 0;
    if (thread->schedstat < 0 && pp_sandbox_entered())
        return -ECONNREFUSED;
    if (thread->schedstat < 0 && pp_path_join(path, perf->proc, "thread-self/schedstat") == 0)
        thread->schedstat = pp_fd_keep_file(open(path, O_RDONLY | O_CLOEXEC));
    if (thread->schedstat < 0)
        return -errno;
    if (!pp_fd_is_own_file(thread->schedstat))
        return -EBADF;
    ssize_t got = pread(thread->schedstat, text, sizeof(text) - 1, 0);
    if (got < 0)
        return -errno;
    text[got] = '\0';
    if (sscanf(text, "%llu %llu", &ran, &delay) != 2)
        return -EBADMSG;
    if (ran == 0) /* this thread has run: the kernel does not count (CONFIG_SCHED_INFO) */
        return -EOPNOTSUPP;
    *ret_delay_ns = delay;
    return 0;
}

/* Values that are not read from perf. Each kind costs a system call. */
struct others {
    struct rusage usage;
    struct timespec clock;
    uint64_t delay_ns;
    bool has_usage, has_clock;
};

static int
read_other(const struct perf *perf, struct cpu_thread *thread, enum cpu_answer by, struct others *others,
           uint64_t *ret)
{
    bool usage = by >= BY_MINOR && by <= BY_INVOLUNTARY;
    if (usage && !others->has_usage && getrusage(RUSAGE_THREAD, &others->usage))
        return -errno;
    others->has_usage |= usage;
    if (by == BY_CLOCK && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &others->clock))
        return -errno;
    const struct rusage *u = &others->usage;
    switch (by) {
    case BY_CLOCK:
        *ret = (uint64_t)others->clock.tv_sec * 1000000000U + (uint64_t)others->clock.tv_nsec;
        return 0;
    case BY_MINOR:
        *ret = (uint64_t)u->ru_minflt;
        return 0;
    case BY_MAJOR:
        *ret = (uint64_t)u->ru_majflt;
        return 0;
    case BY_FAULTS:
        *ret = (uint64_t)u->ru_minflt + (uint64_t)u->ru_majflt;
        return 0;
    case BY_SWITCHES:
        *ret = (uint64_t)u->ru_nvcsw + (uint64_t)u->ru_nivcsw;
        return 0;
    case BY_INVOLUNTARY:
        *ret = (uint64_t)u->ru_nivcsw;
        return 0;
    case BY_DELAY:
        return read_schedstat(perf, thread, ret);
    case BY_PERF:
    case BY_NONE:
        break;
    }
    return -ENOENT;
}

static int
read_event(const struct perf *perf, struct cpu_thread *thread, const struct cpu_set *set, uint32_t event,
           struct others *others, uint64_t *ret)
{
    if (perf->by[event] != BY_PERF)
        return read_other(perf, thread, (enum cpu_answer)perf->by[event], others, ret);
    const struct pp_perf_group *group =
        cpu_events[event].what.type == PERF_TYPE_HARDWARE ? &set->hardware : &set->software;
    *ret = group->sum[set->at[event]];
    return 0;
}

static int
read_events(const struct perf *perf, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct others others = {.has_usage = false};
    struct cpu_thread *thread = thread_get(perf->key);
    uint64_t bits = 0, value = 0;
    for (size_t i = 0; i < events; i++)
        bits |= event[i] < EVENTS ? UINT64_C(1) << event[i] : 0;
    struct cpu_set *set = thread ? thread_set(perf->by, thread, bits) : NULL;
    int rc = set ? set->rc : -ENOMEM;
    /* Read the hardware group last: then the hardware counters include as little as possible of passprobe's
     * own work inside a bracket. */
    if (rc == 0 && set->software.events)
        rc = pp_perf_group_read(&set->software);
    if (rc == 0 && set->hardware.events)
        rc = pp_perf_group_read(&set->hardware);
    for (size_t i = 0; i < events && rc == 0; i++) {
        rc = event[i] < EVENTS ? read_event(perf, thread, set, event[i], &others, &value) : -ENOENT;
        value = htole64(value);
        memcpy(ret_snapshot + 8 * i, &value, sizeof(value));
    }
    return rc;
}

/* The interface: pp_source_ops. */

static int
perf_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    struct perf *perf = self;
    if (i >= EVENTS)
        return -ENOENT;
    *ret_event = (struct pp_event){
        .name = cpu_events[i].name,
        .description = cpu_events[i].description,
        .reason = perf->by[i] == BY_NONE ? perf->reason[i] : NULL,
        .unit = (enum pp_unit)cpu_events[i].unit,
    };
    return 0;
}

static int
perf_field(void *self, uint32_t event, struct pp_field *ret_field)
{
    const struct perf *perf = self;
    if (event >= EVENTS || perf->by[event] == BY_NONE)
        return -ENOENT;
    *ret_field = (struct pp_field){.name = cpu_events[event].name,
                                   .mode = PP_FIELD_WRAPS,
                                   .unit = cpu_events[event].unit,
                                   .number = PP_NUMBER_U64};
    return 0;
}

static const struct pp_layout *
perf_layout(void *self, const uint32_t *event, size_t events)
{
    struct perf *perf = self;
    return pp_list_layouts_get(&perf->fields, "cpu", event, events, perf_field, perf);
}

/* The kernel refuses a group that the hardware cannot count at once. Other errors may go away later. */
static int
perf_fits(void *self, const uint32_t *event, size_t events)
{
    struct perf *perf = self;
    struct cpu_set set = {.events = 0};
    for (size_t i = 0; i < events; i++) {
        if (event[i] >= EVENTS || perf->by[event[i]] == BY_NONE)
            return 0;
        set.events |= UINT64_C(1) << event[i];
    }
    int rc = set_open(perf->by, &set, PERF_TYPE_HARDWARE, &set.hardware);
    pp_perf_group_finish(&set.hardware);
    return rc != -EINVAL && rc != -ENOSPC;
}

/* Software events, and events that are not read from perf, fit together with any others. */
static bool
perf_always_fits(void *self, uint32_t i)
{
    const struct perf *perf = self;
    return i < EVENTS && perf->by[i] != BY_NONE &&
           (perf->by[i] != BY_PERF || cpu_events[i].what.type == PERF_TYPE_SOFTWARE);
}

static int
perf_read(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    int saved = errno;
    int rc = read_events(self, event, events, ret_snapshot);
    errno = saved;
    return rc;
}

/* Explain an error of a thread. When the source was opened, the rights were sufficient. */
static void
perf_explain(void *self, int error, char *text)
{
    if (error == EAGAIN)
        snprintf(text, PP_REASON_BYTES, PP_TEXT_CPU_SHARED);
    else if (error == ECONNREFUSED)
        snprintf(text, PP_REASON_BYTES, PP_TEXT_CPU_CONFINED);
    else
        explain_error(((const struct perf *)self)->proc, &cpu_events[0], error, true, text);
}

static const struct pp_source_ops perf_ops = {
    .name = "cpu",
    .event = perf_event,
    .fits = perf_fits,
    .always_fits = perf_always_fits,
    .layout = perf_layout,
    .read = perf_read,
    .explain = perf_explain,
    .reads = PP_READ_THREAD,
};

/* Try an event. context-switches and cpu-migrations happen in the kernel: where the kernel is excluded, they
 * open and stay 0. */
static int
try_perf(const struct pp_perf_what *what)
{
    struct pp_perf_group group;
    int rc = pp_perf_group_init(&group, what, 1);
    if (rc == 0)
        pp_perf_group_finish(&group);
    return -rc;
}

static bool
has_schedstat(const struct perf *perf, char *reason)
{
    struct cpu_thread thread = {.schedstat = -1};
    uint64_t delay_ns = 0;
    int rc = read_schedstat(perf, &thread, &delay_ns);
    thread_finish(&thread);
    if (rc)
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_CPU_SCHEDSTAT, perf->proc, pp_errno_text(-rc));
    return rc == 0;
}

static void
try_all(struct perf *perf)
{
    int error[EVENTS];
    bool hardware = false;
    for (uint32_t e = 0; e < EVENTS; e++) {
        bool perf_has = cpu_events[e].instead < BY_INVOLUNTARY;
        error[e] = perf_has ? try_perf(&cpu_events[e].what) : ENOENT;
        hardware |= error[e] == 0 && cpu_events[e].what.type == PERF_TYPE_HARDWARE;
        perf->by[e] = error[e] == 0 ? BY_PERF : cpu_events[e].instead;
    }
    for (uint32_t e = 0; e < EVENTS; e++) {
        if (perf->by[e] == BY_NONE)
            explain_error(perf->proc, &cpu_events[e], error[e], hardware, perf->reason[e]);
        if (perf->by[e] == BY_DELAY && !has_schedstat(perf, perf->reason[e]))
            perf->by[e] = BY_NONE;
    }
}

int
pp_cpu_source_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret)
{
    struct perf *perf = calloc(1, sizeof(*perf));
    if (!perf)
        return -ENOMEM;
    snprintf(perf->proc, sizeof(perf->proc), "%s", paths->proc);
    int rc = -pthread_mutex_init(&perf->fields.lock, NULL);
    if (rc == 0)
        rc = threads_init(&perf->key);
    if (rc) {
        free(perf);
        return rc;
    }
    try_all(perf);
    *ret = (struct pp_event_source){&perf_ops, perf};
    return 0;
}

void
pp_cpu_source_close(const struct pp_event_source *source)
{
    struct perf *perf = source->self;
    threads_finish(perf->key);
    pp_list_layouts_finish(&perf->fields);
    free(perf);
}
