/** @file
 * See cpu_thread.h. The threads that read the source "cpu", and their groups of perf events; Source:
 * perf_event_open(2).
 *
 * Source: perf_event_open(2), getrusage(2), proc(5). */
#include "counters/sources/cpu/cpu_thread.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"

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

void
pp_cpu_thread_finish(struct pp_cpu_thread *thread)
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
    pp_cpu_thread_finish(data);
    free(data);
}

struct pp_cpu_thread *
pp_cpu_thread_get(pthread_key_t key)
{
    struct pp_cpu_thread *thread = pthread_getspecific(key);
    unsigned now = atomic_load_explicit(&generation, memory_order_relaxed);
    if (thread && thread->generation == now)
        return thread;
    if (thread) {
        pp_cpu_thread_finish(thread);
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

int
pp_cpu_set_open(const uint8_t *by, struct pp_cpu_set *set, uint32_t type, struct pp_perf_group *group)
{
    struct pp_perf_what what[PP_CPU_EVENTS];
    uint32_t count = 0;
    for (uint32_t e = 0; e < PP_CPU_EVENTS; e++) {
        if (!(set->events >> e & 1) || by[e] != PP_CPU_BY_PERF || pp_cpu_event[e].what.type != type)
            continue;
        set->at[e] = (uint8_t)count;
        what[count++] = pp_cpu_event[e].what;
    }
    return count ? pp_perf_group_init(group, what, count) : 0;
}

/* Of @p events, those that perf can count. */
static uint64_t
perf_events(const uint8_t *by, uint64_t events)
{
    for (uint32_t e = 0; e < PP_CPU_EVENTS; e++)
        if (by[e] != PP_CPU_BY_PERF)
            events &= ~(UINT64_C(1) << e);
    return events;
}

static struct pp_cpu_set *
make_set(const uint8_t *by, struct pp_cpu_thread *thread, uint64_t events)
{
    if (thread->sets == PP_CPU_THREAD_SETS)
        return NULL;
    struct pp_cpu_set *set = calloc(1, sizeof(*set));
    if (!set)
        return NULL;
    set->events = events;
    set->rc = perf_events(by, events) && pp_sandbox_entered() ? -ECONNREFUSED : 0;
    if (set->rc == 0)
        set->rc = pp_cpu_set_open(by, set, PERF_TYPE_HARDWARE, &set->hardware);
    if (set->rc == 0)
        set->rc = pp_cpu_set_open(by, set, PERF_TYPE_SOFTWARE, &set->software);
    thread->set[thread->sets++] = set;
    return set;
}

struct pp_cpu_set *
pp_cpu_thread_set(const uint8_t *by, struct pp_cpu_thread *thread, uint64_t events)
{
    for (uint32_t i = 0; i < thread->sets; i++)
        if (thread->set[i]->events == events)
            return thread->set[i];
    return make_set(by, thread, events);
}

int
pp_cpu_threads_init(pthread_key_t *ret_key)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, register_fork);
    return -pthread_key_create(ret_key, destroy_thread);
}

void
pp_cpu_threads_finish(pthread_key_t key)
{
    struct pp_cpu_thread *thread = pthread_getspecific(key);
    (void)pthread_key_delete(key);
    if (thread)
        destroy_thread(thread);
}

#define HARDWARE(c)                                                                                          \
    {                                                                                                        \
        PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, true                                                          \
    }
#define SOFTWARE(c, user)                                                                                    \
    {                                                                                                        \
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, user                                                          \
    }

const struct pp_cpu_event pp_cpu_event[PP_CPU_EVENTS] = {
    {"cycles", "Clocks of the CPU that the thread ran for, in user space.", HARDWARE(CPU_CYCLES),
     PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"instructions", "Instructions that the thread completed, in user space.", HARDWARE(INSTRUCTIONS),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"ref-cycles", "Clocks at a constant rate that the thread ran for, in user space.",
     HARDWARE(REF_CPU_CYCLES), PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"branches", "Branches that the thread completed, in user space.", HARDWARE(BRANCH_INSTRUCTIONS),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"branch-misses", "Branches that the CPU predicted wrongly, in user space.", HARDWARE(BRANCH_MISSES),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"cache-references", "Accesses that reached the last-level cache, in user space.",
     HARDWARE(CACHE_REFERENCES), PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"cache-misses", "Accesses that missed the last-level cache, in user space.", HARDWARE(CACHE_MISSES),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"stalled-cycles-frontend", "Clocks without an instruction to issue, in user space.",
     HARDWARE(STALLED_CYCLES_FRONTEND), PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"stalled-cycles-backend", "Clocks in which an instruction waited for data or a unit, in user space.",
     HARDWARE(STALLED_CYCLES_BACKEND), PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"task-clock", "Time that the thread ran on a CPU, in user space and kernel.", SOFTWARE(TASK_CLOCK, true),
     PP_UNIT_NS, PP_CPU_BY_CLOCK},
    {"page-faults", "Page faults of the thread.", SOFTWARE(PAGE_FAULTS, true), PP_UNIT_COUNT,
     PP_CPU_BY_FAULTS},
    {"minor-faults", "Page faults of the thread that needed no input or output.",
     SOFTWARE(PAGE_FAULTS_MIN, true), PP_UNIT_COUNT, PP_CPU_BY_MINOR},
    {"major-faults", "Page faults of the thread that waited for a disk.", SOFTWARE(PAGE_FAULTS_MAJ, true),
     PP_UNIT_COUNT, PP_CPU_BY_MAJOR},
    {"context-switches", "How often the CPU switched to another thread.", SOFTWARE(CONTEXT_SWITCHES, false),
     PP_UNIT_COUNT, PP_CPU_BY_SWITCHES},
    {"cpu-migrations", "How often the thread was moved to another CPU.", SOFTWARE(CPU_MIGRATIONS, false),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"run-delay",
     "Time that the thread was ready to run and waited for a CPU.",
     {0},
     PP_UNIT_NS,
     PP_CPU_BY_DELAY},
    {"involuntary-switches",
     "How often the kernel took the CPU from the thread, which could have gone on.",
     {0},
     PP_UNIT_COUNT,
     PP_CPU_BY_INVOLUNTARY},
};
