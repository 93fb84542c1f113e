/** @file
 * See cpu.h. The source "cpu"; cpu_thread.h has the groups of each thread. Source: perf_event_open(2),
 * getrusage(2), proc(5).
 *
 * Source: perf_event_open(2). */
#include "counters/sources/cpu/cpu.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "counters/sources/cpu/cpu_thread.h"
#include "counters/sources/cpu/perf_group.h"
#include "counters/sources/kernel/list_layout.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

enum { EVENTS = PP_CPU_EVENTS };

struct perf {
    /* immutable after open */
    char proc[128];
    uint8_t by[EVENTS]; /* enum pp_cpu_answer */
    char reason[EVENTS][PP_REASON_BYTES];
    pthread_key_t key;
    struct pp_list_layouts fields;
};

/* Reading. */

static int
read_schedstat(const struct perf *perf, struct pp_cpu_thread *thread, uint64_t *ret_delay_ns)
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
read_other(const struct perf *perf, struct pp_cpu_thread *thread, enum pp_cpu_answer by,
           struct others *others, uint64_t *ret)
{
    bool usage = by >= PP_CPU_BY_MINOR && by <= PP_CPU_BY_INVOLUNTARY;
    if (usage && !others->has_usage && getrusage(RUSAGE_THREAD, &others->usage))
        return -errno;
    others->has_usage |= usage;
    if (by == PP_CPU_BY_CLOCK && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &others->clock))
        return -errno;
    const struct rusage *u = &others->usage;
    switch (by) {
    case PP_CPU_BY_CLOCK:
        *ret = (uint64_t)others->clock.tv_sec * 1000000000U + (uint64_t)others->clock.tv_nsec;
        return 0;
    case PP_CPU_BY_MINOR:
        *ret = (uint64_t)u->ru_minflt;
        return 0;
    case PP_CPU_BY_MAJOR:
        *ret = (uint64_t)u->ru_majflt;
        return 0;
    case PP_CPU_BY_FAULTS:
        *ret = (uint64_t)u->ru_minflt + (uint64_t)u->ru_majflt;
        return 0;
    case PP_CPU_BY_SWITCHES:
        *ret = (uint64_t)u->ru_nvcsw + (uint64_t)u->ru_nivcsw;
        return 0;
    case PP_CPU_BY_INVOLUNTARY:
        *ret = (uint64_t)u->ru_nivcsw;
        return 0;
    case PP_CPU_BY_DELAY:
        return read_schedstat(perf, thread, ret);
    case PP_CPU_BY_PERF:
    case PP_CPU_BY_NONE:
        break;
    }
    return -ENOENT;
}

static int
read_event(const struct perf *perf, struct pp_cpu_thread *thread, const struct pp_cpu_set *set,
           uint32_t event, struct others *others, uint64_t *ret)
{
    if (perf->by[event] != PP_CPU_BY_PERF)
        return read_other(perf, thread, (enum pp_cpu_answer)perf->by[event], others, ret);
    const struct pp_perf_group *group =
        pp_cpu_event[event].what.type == PERF_TYPE_HARDWARE ? &set->hardware : &set->software;
    *ret = group->sum[set->at[event]];
    return 0;
}

static int
read_events(const struct perf *perf, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct others others = {.has_usage = false};
    struct pp_cpu_thread *thread = pp_cpu_thread_get(perf->key);
    uint64_t bits = 0, value = 0;
    for (size_t i = 0; i < events; i++)
        bits |= event[i] < EVENTS ? UINT64_C(1) << event[i] : 0;
    struct pp_cpu_set *set = thread ? pp_cpu_thread_set(perf->by, thread, bits) : NULL;
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
        .name = pp_cpu_event[i].name,
        .description = pp_cpu_event[i].description,
        .reason = perf->by[i] == PP_CPU_BY_NONE ? perf->reason[i] : NULL,
        .unit = (enum pp_unit)pp_cpu_event[i].unit,
    };
    return 0;
}

static int
perf_field(void *self, uint32_t event, struct pp_field *ret_field)
{
    const struct perf *perf = self;
    if (event >= EVENTS || perf->by[event] == PP_CPU_BY_NONE)
        return -ENOENT;
    *ret_field = (struct pp_field){.name = pp_cpu_event[event].name,
                                   .mode = PP_FIELD_WRAPS,
                                   .unit = pp_cpu_event[event].unit,
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
    struct pp_cpu_set set = {.events = 0};
    for (size_t i = 0; i < events; i++) {
        if (event[i] >= EVENTS || perf->by[event[i]] == PP_CPU_BY_NONE)
            return 0;
        set.events |= UINT64_C(1) << event[i];
    }
    int rc = pp_cpu_set_open(perf->by, &set, PERF_TYPE_HARDWARE, &set.hardware);
    pp_perf_group_finish(&set.hardware);
    return rc != -EINVAL && rc != -ENOSPC;
}

/* Software events, and events that are not read from perf, fit together with any others. */
static bool
perf_always_fits(void *self, uint32_t i)
{
    const struct perf *perf = self;
    return i < EVENTS && perf->by[i] != PP_CPU_BY_NONE &&
           (perf->by[i] != PP_CPU_BY_PERF || pp_cpu_event[i].what.type == PERF_TYPE_SOFTWARE);
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
        pp_cpu_explain(((const struct perf *)self)->proc, &pp_cpu_event[0], error, true, text);
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
    struct pp_cpu_thread thread = {.schedstat = -1};
    uint64_t delay_ns = 0;
    int rc = read_schedstat(perf, &thread, &delay_ns);
    pp_cpu_thread_finish(&thread);
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
        bool perf_has = pp_cpu_event[e].instead < PP_CPU_BY_INVOLUNTARY;
        error[e] = perf_has ? try_perf(&pp_cpu_event[e].what) : ENOENT;
        hardware |= error[e] == 0 && pp_cpu_event[e].what.type == PERF_TYPE_HARDWARE;
        perf->by[e] = error[e] == 0 ? PP_CPU_BY_PERF : pp_cpu_event[e].instead;
    }
    for (uint32_t e = 0; e < EVENTS; e++) {
        if (perf->by[e] == PP_CPU_BY_NONE)
            pp_cpu_explain(perf->proc, &pp_cpu_event[e], error[e], hardware, perf->reason[e]);
        if (perf->by[e] == PP_CPU_BY_DELAY && !has_schedstat(perf, perf->reason[e]))
            perf->by[e] = PP_CPU_BY_NONE;
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
        rc = pp_cpu_threads_init(&perf->key);
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
    pp_cpu_threads_finish(perf->key);
    pp_list_layouts_finish(&perf->fields);
    free(perf);
}

static int
paranoid_level(const char *proc, int64_t *ret)
{
    char path[PP_PATH_BYTES];
    int rc = pp_path_join(path, proc, "sys/kernel/perf_event_paranoid");
    return rc ? rc : pp_file_number(path, ret);
}

/* Explain which right is missing. */
static void
explain_refusal(const char *proc, const struct pp_cpu_event *event, int error, char *ret)
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

void
pp_cpu_explain(const char *proc, const struct pp_cpu_event *event, int error, bool hardware, char *ret)
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
