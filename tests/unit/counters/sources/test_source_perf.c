/** @file
 * The source "cpu": with the real kernel as far as every machine has it (software events), and with a fake
 * PMU: exact values, sharing, reading in user space, every refusal. */
#include "tests/unit/counters/sources/source_conformance.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/sources/cpu/perf_group.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/perf.h"
#include "tests/unit/counters/sources/source_files.h"

static struct source_files proc;
static struct pp_event_source opened[32];
static size_t opens;

static void
open_source(const char *root, struct pp_event_source *ret)
{
    assert_int_equal(pp_cpu_source_open(&(struct pp_kernel_paths){.proc = root}, ret), 0);
    opened[opens++] = *ret;
}

static int
begin(void **state)
{
    (void)state;
    source_files_begin(&proc);
    source_files_write(&proc, "sys/kernel/perf_event_paranoid", "2\n");
    source_files_write(&proc, "thread-self/schedstat", "100 200 3\n");
    return 0;
}

static int
end(void **state)
{
    (void)state;
    while (opens > 0)
        pp_cpu_source_close(&opened[--opens]);
    assert_int_equal(fake_kernel_open_files(), 0);
    fake_kernel_reset();
    source_files_end(&proc);
    return 0;
}

static void
start(const struct fake_perf *machine, struct pp_event_source *ret)
{
    char level[16];
    snprintf(level, sizeof(level), "%d\n", machine->paranoid);
    source_files_write(&proc, "sys/kernel/perf_event_paranoid", level);
    fake_perf_start(machine);
    open_source(proc.root, ret);
}

static uint32_t
find(const struct pp_event_source *source, const char *name, struct pp_event *ret)
{
    for (uint32_t i = 0; source->ops->event(source->self, i, ret) == 0; i++)
        if (strcmp(ret->name, name) == 0)
            return i;
    fail_msg("no event %s", name);
    return 0;
}

static const char *
reason(const struct pp_event_source *source, const char *name)
{
    struct pp_event event;
    (void)find(source, name, &event);
    return event.reason ? event.reason : "";
}

/* One bracket's ends, as the core takes them. */
struct bracket {
    const struct pp_event_source *source;
    uint32_t event[8];
    size_t events;
    uint8_t begin[64], end[64];
    uint64_t value[8];
};

static struct bracket
bracket_of(const struct pp_event_source *source, const char *const *name, size_t names)
{
    struct pp_event event;
    struct bracket b = {.source = source, .events = names};
    for (size_t i = 0; i < names; i++)
        b.event[i] = find(source, name[i], &event);
    return b;
}

static int
take(struct bracket *b, uint8_t *snapshot)
{
    return b->source->ops->read(b->source->self, b->event, b->events, snapshot);
}

static void
difference(struct bracket *b)
{
    uint8_t status[8];
    const struct pp_layout *layout = b->source->ops->layout(b->source->self, b->event, b->events);
    assert_non_null(layout);
    assert_int_equal(layout->size, 8 * b->events);
    pp_layout_delta(layout, b->begin, b->end, b->value, status);
    for (size_t i = 0; i < b->events; i++)
        assert_int_equal(status[i], PP_OK);
}

/* The real kernel. */

static void
real_kernel_conforms(void **state)
{
    (void)state;
    struct pp_event_source source;
    open_source("/proc", &source);
    pp_source_conforms(source.ops, source.self);
}

static void
real_kernel_counts_faults_and_time(void **state)
{
    (void)state;
    static const char *const name[] = {"page-faults", "task-clock", "minor-faults", "context-switches"};
    struct pp_event_source source;
    open_source("/proc", &source);
    struct bracket b = bracket_of(&source, name, 4);
    assert_int_equal(take(&b, b.begin), 0);
    assert_int_equal(take(&b, b.begin), 0);
    enum { PAGES = 64 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory = aligned_alloc(page, PAGES * page);
    assert_non_null(memory);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * page] = 1;
    assert_int_equal(take(&b, b.end), 0);
    difference(&b);
    free((void *)(uintptr_t)memory);
    /* Huge pages or existing memory may save faults; nothing adds thousands. */
    assert_true(b.value[0] < 4096);
    assert_true(b.value[2] <= b.value[0]);
    assert_true(b.value[1] > 0 && b.value[1] < UINT64_C(100000000000));
}

/* A fake PMU. */

static void
fake_pmu_conforms(void **state)
{
    (void)state;
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .paranoid = 2, .width = 48}, &source);
    pp_source_conforms(source.ops, source.self);
    assert_int_equal(fake_kernel_open_files(), 0);
}

static void
counts_are_exact(void **state)
{
    (void)state;
    static const char *const name[] = {"page-faults", "instructions", "cycles"};
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .width = 48}, &source);
    struct bracket b = bracket_of(&source, name, 3);
    assert_int_equal(take(&b, b.begin), 0);
    fake_perf_pass(1000, 1000, 1000003, 7);
    assert_int_equal(take(&b, b.end), 0);
    difference(&b);
    assert_int_equal(b.value[0], 7 * 3);       /* PAGE_FAULTS is 2 */
    assert_int_equal(b.value[1], 1000003 * 2); /* INSTRUCTIONS is 1 */
    assert_int_equal(b.value[2], 1000003);
    assert_int_equal(fake_perf_rdpmcs(), 0);
}

/* The event is off the hardware for half of the time, and on all the time in the next bracket: each bracket
 * is scaled by its own share. */
static void
shared_hardware_is_scaled_by_bracket(void **state)
{
    (void)state;
    static const char *const name[] = {"cycles"};
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .width = 48}, &source);
    struct bracket b = bracket_of(&source, name, 1);
    assert_int_equal(take(&b, b.begin), 0);
    fake_perf_pass(1000, 250, 333, 0);
    assert_int_equal(take(&b, b.end), 0);
    difference(&b);
    assert_int_equal(b.value[0], 333 * 4);
    assert_int_equal(take(&b, b.begin), 0);
    fake_perf_pass(1000, 1000, 77, 0);
    assert_int_equal(take(&b, b.end), 0);
    difference(&b);
    assert_int_equal(b.value[0], 77);
    fake_perf_pass(1000, 0, 0, 0);
    assert_int_equal(take(&b, b.end), -EAGAIN);
}

static void
reads_in_user_space(void **state)
{
    (void)state;
    static const char *const name[] = {"cycles", "branch-misses"};
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .width = 40, .rdpmc = true}, &source);
    struct bracket b = bracket_of(&source, name, 2);
    assert_int_equal(take(&b, b.begin), 0);
    unsigned reads = fake_kernel_calls().reads;
    for (uint64_t i = 0; i < 5; i++) {
        fake_perf_pass(10, 10, 100 + i, 0);
        assert_int_equal(take(&b, b.end), 0);
        difference(&b);
        assert_int_equal(b.value[0], 100 + i);
        assert_int_equal(b.value[1], (100 + i) * 6);
        memcpy(b.begin, b.end, sizeof(b.begin));
    }
    assert_int_equal(fake_kernel_calls().reads, PP_HAS_RDPMC ? reads : reads + 5);
    assert_int_equal(fake_perf_rdpmcs() != 0, PP_HAS_RDPMC);
    /* Another user of the PMU appears at an unknown time. Later values come from the kernel, scaled. */
    fake_perf_pass(100, 50, 10, 0);
    assert_int_equal(take(&b, b.begin), PP_HAS_RDPMC ? -EAGAIN : 0);
    assert_int_equal(take(&b, b.begin), 0);
    fake_perf_pass(100, 50, 10, 0);
    assert_int_equal(take(&b, b.end), 0);
    difference(&b);
    assert_int_equal(b.value[0], 20);
    assert_int_equal(b.value[1], 120);
}

static void
groups_hold_what_the_pmu_holds(void **state)
{
    (void)state;
    struct pp_event_source source;
    struct pp_event event;
    start(&(struct fake_perf){.counters = 2, .width = 48}, &source);
    const uint32_t three[] = {find(&source, "cycles", &event), find(&source, "instructions", &event),
                              find(&source, "branches", &event)};
    assert_int_equal(source.ops->fits(source.self, three, 2), 1);
    assert_int_equal(source.ops->fits(source.self, three, 3), 0);
    const uint32_t mixed[] = {three[0], three[1], find(&source, "page-faults", &event),
                              find(&source, "task-clock", &event)};
    assert_int_equal(source.ops->fits(source.self, mixed, 4), 1);
    assert_int_equal(fake_kernel_open_files(), 0);
}

static void *
read_in_thread(void *data)
{
    struct bracket *b = data;
    assert_int_equal(take(b, b->begin), 0);
    assert_int_equal(take(b, b->end), 0);
    difference(b);
    assert_int_equal(b->value[0], 0);
    return NULL;
}

static void
threads_have_their_own(void **state)
{
    (void)state;
    static const char *const name[] = {"cycles", "page-faults"};
    struct pp_event_source source;
    pthread_t thread;
    start(&(struct fake_perf){.counters = 4, .width = 48}, &source);
    struct bracket b = bracket_of(&source, name, 2);
    struct bracket other = b;
    assert_int_equal(take(&b, b.begin), 0);
    assert_int_equal(fake_kernel_open_files(), 2);
    assert_int_equal(pthread_create(&thread, NULL, read_in_thread, &other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(fake_kernel_open_files(), 2); /* descriptors of the thread are closed */
}

/* A child's descriptors are its parent's counters: it must make its own. */
static void
children_count_themselves(void **state)
{
    (void)state;
    static const char *const name[] = {"cycles"};
    struct pp_event_source source;
    int status = 0;
    start(&(struct fake_perf){.counters = 4, .width = 48}, &source);
    struct bracket b = bracket_of(&source, name, 1);
    assert_int_equal(take(&b, b.begin), 0);
    fake_perf_pass(5, 5, 50, 0);
    assert_int_equal(take(&b, b.begin), 0);
    pid_t child = fork();
    if (child == 0) {
        uint64_t first = 0;
        bool ok = take(&b, b.begin) == 0;
        memcpy(&first, b.begin, sizeof(first));
        fake_perf_pass(5, 5, 9, 0);
        ok = ok && first == 0 && fake_kernel_open_files() == 1 && take(&b, b.end) == 0;
        memcpy(&first, b.end, sizeof(first));
        _exit(ok && first == 9 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Refusals. */

static void
paranoid_is_named(void **state)
{
    (void)state;
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .paranoid = 3, .width = 48}, &source);
    assert_non_null(
        strstr(reason(&source, "cycles"), "kernel.perf_event_paranoid is 3; cpu needs 2 or less"));
    assert_non_null(strstr(reason(&source, "cycles"), "CAP_PERFMON"));
    assert_non_null(strstr(reason(&source, "cpu-migrations"), "needs 1 or less"));
    /* Other software events count it, too. */
    assert_string_equal(reason(&source, "page-faults"), "");
    assert_string_equal(reason(&source, "task-clock"), "");
    assert_string_equal(reason(&source, "context-switches"), "");
    pp_source_conforms(source.ops, source.self);
}

static void
level_two_has_migrations_missing(void **state)
{
    (void)state;
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .paranoid = 2, .width = 48}, &source);
    assert_string_equal(reason(&source, "cycles"), "");
    assert_string_equal(reason(&source, "context-switches"), "");
    assert_non_null(
        strstr(reason(&source, "cpu-migrations"), "kernel.perf_event_paranoid is 2; cpu needs 1"));
}

static void
missing_pmu_and_missing_event_differ(void **state)
{
    (void)state;
    struct pp_event_source source;
    start(&(struct fake_perf){.paranoid = 2}, &source);
    assert_non_null(strstr(reason(&source, "cycles"), "no hardware performance counters"));
    assert_string_equal(reason(&source, "page-faults"), "");
}

static void
other_errors_have_reasons(void **state)
{
    static const struct {
        int error;
        const char *text;
    } row[] = {
        {EPERM, "seccomp"},          {EACCES, "seccomp"}, {ENOSYS, "CONFIG_PERF_EVENTS"},
        {EMFILE, "ulimit -n"},       {EBUSY, "busy"},     {EINVAL, "does not count this event"},
        {ENOENT, "virtual machine"}, {ENODEV, "virtual"}, {EOPNOTSUPP, "virtual machine"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pp_event_source source;
        start(&(struct fake_perf){.error = row[i].error, .paranoid = 1}, &source);
        assert_non_null(strstr(reason(&source, "instructions"), row[i].text));
        assert_string_equal(reason(&source, "task-clock"), "");
        pp_source_conforms(source.ops, source.self);
    }
    source_files_remove(&proc, "sys/kernel/perf_event_paranoid");
    struct pp_event_source source;
    fake_perf_start(&(struct fake_perf){.error = EACCES});
    open_source(proc.root, &source);
    assert_non_null(strstr(reason(&source, "cycles"), "cannot be read"));
}

/* Descriptors run out later, in a thread of the application: only its brackets are lost. */
static void
running_out_of_descriptors(void **state)
{
    (void)state;
    static const char *const name[] = {"cycles", "instructions"};
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .error_after = 1, .width = 48}, &source);
    struct bracket b = bracket_of(&source, name, 2);
    assert_int_equal(take(&b, b.begin), -EMFILE);
    assert_int_equal(take(&b, b.begin), -EMFILE);
    assert_int_equal(fake_kernel_open_files(), 0);
}

static void
schedstat_is_read(void **state)
{
    (void)state;
    static const char *const name[] = {"run-delay"};
    struct pp_event_source source;
    start(&(struct fake_perf){.counters = 4, .width = 48}, &source);
    struct bracket b = bracket_of(&source, name, 1);
    assert_int_equal(take(&b, b.begin), 0);
    source_files_write(&proc, "thread-self/schedstat", "100 5200 3\n");
    assert_int_equal(take(&b, b.end), 0);
    difference(&b);
    assert_int_equal(b.value[0], 5000);
    source_files_write(&proc, "thread-self/schedstat", "nonsense\n");
    assert_int_equal(take(&b, b.end), -EBADMSG);
    source_files_remove(&proc, "thread-self/schedstat");
    start(&(struct fake_perf){.counters = 4, .width = 48}, &source);
    assert_non_null(strstr(reason(&source, "run-delay"), "CONFIG_SCHED_INFO"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(real_kernel_conforms, begin, end),
        cmocka_unit_test_setup_teardown(real_kernel_counts_faults_and_time, begin, end),
        cmocka_unit_test_setup_teardown(fake_pmu_conforms, begin, end),
        cmocka_unit_test_setup_teardown(counts_are_exact, begin, end),
        cmocka_unit_test_setup_teardown(shared_hardware_is_scaled_by_bracket, begin, end),
        cmocka_unit_test_setup_teardown(reads_in_user_space, begin, end),
        cmocka_unit_test_setup_teardown(groups_hold_what_the_pmu_holds, begin, end),
        cmocka_unit_test_setup_teardown(threads_have_their_own, begin, end),
        cmocka_unit_test_setup_teardown(children_count_themselves, begin, end),
        cmocka_unit_test_setup_teardown(paranoid_is_named, begin, end),
        cmocka_unit_test_setup_teardown(level_two_has_migrations_missing, begin, end),
        cmocka_unit_test_setup_teardown(missing_pmu_and_missing_event_differ, begin, end),
        cmocka_unit_test_setup_teardown(other_errors_have_reasons, begin, end),
        cmocka_unit_test_setup_teardown(running_out_of_descriptors, begin, end),
        cmocka_unit_test_setup_teardown(schedstat_is_read, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
