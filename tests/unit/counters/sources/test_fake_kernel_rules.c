/** @file
 * The fakes of the kernel are strict: a caller that breaks a rule of i915, panfrost, kbase or
 * perf_event_open ends with a message; a caller that keeps the rules gets data. A child process does each
 * breach.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/mali/mali_uapi.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/i915.h"
#include "tests/fake/kernel/mali.h"
#include "tests/fake/kernel/perf.h"

#define NODE "/dev/dri/renderD250"
#define GUID "01234567-89ab-cdef-0123-456789abcdef"

uint64_t pp_rdpmc(uint32_t counter);

static int
node(void)
{
    int fd = open(NODE, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* i915 */

static uint32_t registers[2] = {0x9888, 1};

static int
add_set(int fd)
{
    struct pp_i915_oa_config add = {.mux_regs = 1, .mux_ptr = (uintptr_t)registers};
    memcpy(add.uuid, GUID, sizeof(add.uuid));
    int id = ioctl(fd, PP_I915_ADD_CONFIG, &add);
    assert_true(id > 0);
    return id;
}

static int
stream(int fd, uint32_t flags, uint64_t exponent, uint64_t sample, uint64_t extra)
{
    uint64_t property[5][2] = {{PP_I915_PROP_SAMPLE_OA, sample},
                               {PP_I915_PROP_METRICS_SET, 0},
                               {PP_I915_PROP_OA_FORMAT, PP_I915_FORMAT_A32U40_A4U32_B8_C8},
                               {PP_I915_PROP_OA_EXPONENT, exponent},
                               {extra, 1}};
    struct pp_i915_perf_open with = {
        .flags = flags, .properties = extra ? 5 : 4, .properties_ptr = (uintptr_t)property};
    property[1][1] = (uint64_t)add_set(fd);
    return ioctl(fd, PP_I915_PERF_OPEN, &with);
}

enum { FLAGS = PP_I915_FD_CLOEXEC | PP_I915_FD_NONBLOCK | PP_I915_DISABLED };

static void
i915(void)
{
    fake_i915_start(&(struct fake_i915){.node = NODE, .eus = 24, .slices = 1, .subslices = 7});
}

static void
i915_leaks(void)
{
    i915();
    (void)open(NODE, O_RDWR);
}

static void
i915_stream_leaks(void)
{
    i915();
    (void)stream(node(), PP_I915_FD_NONBLOCK, 5, 1, 0);
}

static void
i915_stream_blocks(void)
{
    i915();
    (void)stream(node(), PP_I915_FD_CLOEXEC, 5, 1, 0);
}

static void
i915_stream_flags(void)
{
    i915();
    (void)stream(node(), 8 | FLAGS, 5, 1, 0);
}

static void
i915_stream_property(void)
{
    i915();
    (void)stream(node(), FLAGS, 5, 1, 99);
}

static void
i915_stream_exponent(void)
{
    i915();
    (void)stream(node(), FLAGS, 32, 1, 0);
}

static void
i915_stream_samples_nothing(void)
{
    i915();
    (void)stream(node(), FLAGS, 5, 0, 0);
}

static void
i915_reads_a_stream_that_is_off(void)
{
    char record[512];
    i915();
    (void)read(stream(node(), FLAGS, 5, 1, 0), record, sizeof(record));
}

static void
i915_reads_too_little(void)
{
    char record[100];
    i915();
    int fd = stream(node(), FLAGS, 5, 1, 0);
    (void)ioctl(fd, PP_I915_ENABLE, NULL);
    fake_i915_idle(1000);
    (void)read(fd, record, sizeof(record));
}

static void
i915_set_without_registers(void)
{
    struct pp_i915_oa_config add = {.mux_regs = 0};
    memcpy(add.uuid, GUID, sizeof(add.uuid));
    i915();
    (void)ioctl(node(), PP_I915_ADD_CONFIG, &add);
}

static void
i915_set_of_no_guid(void)
{
    struct pp_i915_oa_config add = {.mux_regs = 1, .mux_ptr = (uintptr_t)registers};
    i915();
    (void)ioctl(node(), PP_I915_ADD_CONFIG, &add);
}

static void
i915_removes_what_was_there(void)
{
    uint64_t id = 7;
    fake_i915_start(&(struct fake_i915){.node = NODE, .known_guid = GUID, .known_id = 7});
    (void)ioctl(node(), PP_I915_REMOVE_CONFIG, &id);
}

static void
i915_unknown_ioctl(void)
{
    i915();
    (void)ioctl(node(), PP_PANFROST_PERFCNT_DUMP, NULL);
}

/* panfrost */

static const struct fake_mali g76 = {
    .node = NODE, .product = 0x7211, .cores = 0x37, .slices = 2, .bus_log2 = 7, .version = 38};
static uint8_t dumped[65536];

static int
set_counters(int fd, uint32_t on, uint32_t set)
{
    struct pp_panfrost_perfcnt_enable request = {.enable = on, .counterset = set};
    return ioctl(fd, PP_PANFROST_PERFCNT_ENABLE, &request);
}

static int
dump(int fd, void *to)
{
    struct pp_panfrost_perfcnt_dump request = {.buffer = (uintptr_t)to};
    return ioctl(fd, PP_PANFROST_PERFCNT_DUMP, &request);
}

static int
panfrost(void)
{
    fake_mali_panfrost(&g76);
    return node();
}

static void
panfrost_dumps_without_counters(void)
{
    (void)dump(panfrost(), dumped);
}

static void
panfrost_dumps_anothers(void)
{
    (void)set_counters(panfrost(), 1, 0);
    (void)dump(node(), dumped);
}

static void
panfrost_dumps_to_nowhere(void)
{
    int fd = panfrost();
    (void)set_counters(fd, 1, 0);
    (void)dump(fd, NULL);
}

static void
panfrost_on_twice(void)
{
    int fd = panfrost();
    (void)set_counters(fd, 1, 0);
    (void)set_counters(fd, 1, 0);
}

static void
panfrost_off_twice(void)
{
    int fd = panfrost();
    (void)set_counters(fd, 1, 0);
    (void)set_counters(fd, 0, 0);
    (void)set_counters(fd, 0, 0);
}

static void
panfrost_second_set(void)
{
    (void)set_counters(panfrost(), 1, 1);
}

static void
panfrost_pad(void)
{
    struct pp_panfrost_get_param get = {.param = PP_PANFROST_GPU_PROD_ID, .pad = 1};
    (void)ioctl(panfrost(), PP_PANFROST_GET_PARAM, &get);
}

/* kbase */

static int
kbase(bool greeted)
{
    struct pp_kbase_version version = {.major = 11, .minor = 38};
    fake_mali_kbase(&g76);
    int fd = node();
    if (greeted)
        assert_int_equal(ioctl(fd, PP_KBASE_VERSION_CHECK, &version), 0);
    return fd;
}

static int
set_up(int device, uint32_t blocks, uint32_t size)
{
    struct pp_kinstr_request request[6] = {{.type = PP_KINSTR_REQUEST_MODE}};
    for (uint32_t block = 0; block < blocks; block++) {
        request[1 + block].type = PP_KINSTR_REQUEST_ENABLE;
        request[1 + block].u.enable.block_type = (uint8_t)block;
        request[1 + block].u.enable.mask[0] = UINT64_MAX;
    }
    union pp_kinstr_setup setup = {.in = {.count = 2 + blocks, .size = size, .requests = (uintptr_t)request}};
    return ioctl(device, PP_KINSTR_SETUP, &setup);
}

static int
command(int fd, uint16_t number)
{
    struct pp_kinstr_command request = {.command = number};
    return ioctl(fd, PP_KINSTR_COMMAND, &request);
}

static int
session(void)
{
    int fd = set_up(kbase(true), 4, sizeof(struct pp_kinstr_request));
    assert_true(fd >= 0);
    assert_int_equal(command(fd, PP_KINSTR_START), 0);
    return fd;
}

static void
kbase_before_the_version(void)
{
    struct pp_kbase_get_gpuprops get = {.size = 0};
    (void)ioctl(kbase(false), PP_KBASE_GET_GPUPROPS, &get);
}

static void
kbase_properties_into_too_little(void)
{
    struct pp_kbase_get_gpuprops get = {.buffer = (uintptr_t)dumped, .size = 4};
    (void)ioctl(kbase(true), PP_KBASE_GET_GPUPROPS, &get);
}

static void
kbase_session_of_three_blocks(void)
{
    (void)set_up(kbase(true), 3, sizeof(struct pp_kinstr_request));
}

static void
kbase_requests_of_another_size(void)
{
    (void)set_up(kbase(true), 4, 24);
}

static void
kbase_list_of_another_size(void)
{
    static uint8_t list[32 * 9];
    struct pp_kinstr_enum_info info = {.item_size = 32, .item_count = 8, .list = (uintptr_t)list};
    (void)ioctl(kbase(true), PP_KINSTR_ENUM_INFO, &info);
}

static void
kbase_two_sessions(void)
{
    int fd = kbase(true);
    (void)set_up(fd, 4, sizeof(struct pp_kinstr_request));
    (void)set_up(fd, 4, sizeof(struct pp_kinstr_request));
}

static void
kbase_sample_before_start(void)
{
    (void)command(set_up(kbase(true), 4, sizeof(struct pp_kinstr_request)), PP_KINSTR_SAMPLE_SYNC);
}

static void
kbase_starts_twice(void)
{
    (void)command(session(), PP_KINSTR_START);
}

static void
kbase_fetches_nothing(void)
{
    struct pp_kinstr_access access;
    (void)ioctl(session(), PP_KINSTR_GET_SAMPLE, &access);
}

static void
kbase_fetches_twice(void)
{
    struct pp_kinstr_access access;
    int fd = session();
    for (int i = 0; i < 2; i++) {
        (void)command(fd, PP_KINSTR_SAMPLE_SYNC);
        (void)ioctl(fd, PP_KINSTR_GET_SAMPLE, &access);
    }
}

static void
kbase_puts_back_another(void)
{
    struct pp_kinstr_access access;
    int fd = session();
    (void)command(fd, PP_KINSTR_SAMPLE_SYNC);
    (void)ioctl(fd, PP_KINSTR_GET_SAMPLE, &access);
    access.sequence++;
    (void)ioctl(fd, PP_KINSTR_PUT_SAMPLE, &access);
}

static void
kbase_never_puts_back(void)
{
    int fd = session();
    for (int i = 0; i < 64; i++)
        (void)command(fd, PP_KINSTR_SAMPLE_SYNC);
}

/* perf_event */

static int
event(uint64_t config, int group, unsigned long flags, pid_t pid)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof(attr),
                                   .config = config,
                                   .exclude_kernel = 1,
                                   .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, group, flags);
}

static void
pmu(void)
{
    fake_perf_start(&(struct fake_perf){.counters = 4, .width = 48, .paranoid = 2});
}

static void
perf_leaks(void)
{
    pmu();
    (void)event(0, -1, 0, 0);
}

static void
perf_of_another(void)
{
    pmu();
    (void)event(0, -1, PERF_FLAG_FD_CLOEXEC, 1);
}

static void
perf_joins_no_group(void)
{
    pmu();
    (void)event(0, 500, PERF_FLAG_FD_CLOEXEC, 0);
}

static void
perf_reads_too_little(void)
{
    uint64_t value[3];
    pmu();
    (void)read(event(0, -1, PERF_FLAG_FD_CLOEXEC, 0), value, sizeof(value));
}

static void
perf_reads_a_member(void)
{
    uint64_t value[8];
    pmu();
    int leader = event(0, -1, PERF_FLAG_FD_CLOEXEC, 0);
    (void)read(event(1, leader, PERF_FLAG_FD_CLOEXEC, 0), value, sizeof(value));
}

static void
perf_rdpmc_of_nothing(void)
{
    pmu();
    (void)pp_rdpmc(3);
}

static const struct {
    void (*breach)(void);
    const char *says;
} breach[] = {
    {i915_leaks, "without O_CLOEXEC"},
    {i915_stream_leaks, "leaks to children, or blocks"},
    {i915_stream_blocks, "leaks to children, or blocks"},
    {i915_stream_flags, "with the flags f"},
    {i915_stream_property, "with the property 99"},
    {i915_stream_exponent, "exponent 32"},
    {i915_stream_samples_nothing, "sampling 0"},
    {i915_reads_a_stream_that_is_off, "is not enabled"},
    {i915_reads_too_little, "a read of 100 bytes"},
    {i915_set_without_registers, "0, 0 and 0 registers"},
    {i915_set_of_no_guid, "a metric set"},
    {i915_removes_what_was_there, "that was there before"},
    {i915_unknown_ioctl, "none of i915's"},
    {panfrost_dumps_without_counters, "a dump by who has not"},
    {panfrost_dumps_anothers, "a dump by who has not"},
    {panfrost_dumps_to_nowhere, "to nowhere"},
    {panfrost_on_twice, "switched on twice"},
    {panfrost_off_twice, "switched off by who has not"},
    {panfrost_second_set, "the counters' set 1"},
    {panfrost_pad, "pad is 1"},
    {kbase_before_the_version, "before the version"},
    {kbase_properties_into_too_little, "read into 4 of"},
    {kbase_session_of_three_blocks, "of the blocks 7"},
    {kbase_requests_of_another_size, "requests of 24 bytes"},
    {kbase_list_of_another_size, "a list of 8 items of 32 bytes"},
    {kbase_two_sessions, "a second session"},
    {kbase_sample_before_start, "was not started"},
    {kbase_starts_twice, "that runs"},
    {kbase_fetches_nothing, "that was not taken"},
    {kbase_fetches_twice, "before the last one was put back"},
    {kbase_puts_back_another, "that was not fetched"},
    {kbase_never_puts_back, "were not put back"},
    {perf_leaks, "flags 0"},
    {perf_of_another, "pid 1"},
    {perf_joins_no_group, "group 500 that is none"},
    {perf_reads_too_little, "into 24 bytes"},
    {perf_reads_a_member, "by one of its members"},
    {perf_rdpmc_of_nothing, "would kill the program"},
};

static void
child(void (*act)(void), int out)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGABRT, SIG_DFL); /* cmocka's function would continue with the tests */
    (void)dup2(out, STDERR_FILENO);
    fake_kernel_reset();
    act();
    _exit(0);
}

static void
breaches_end_the_process(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(breach) / sizeof(breach[0]); i++) {
        char said[300];
        int status = 0, out = memfd_create("said", MFD_CLOEXEC);
        pid_t pid = fork();
        if (pid == 0)
            child(breach[i].breach, out);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        ssize_t got = pread(out, said, sizeof(said) - 1, 0);
        said[got > 0 ? got : 0] = '\0';
        (void)close(out);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT ||
            !strstr(said, "fake-kernel: VIOLATION: ") || !strstr(said, breach[i].says))
            fail_msg("%zu: status %x, it says \"%s\", not \"%s\"", i, (unsigned)status, said, breach[i].says);
    }
}

/* Calls that keep the rules succeed. */
static void
rules_can_be_kept(void **state)
{
    struct pp_kinstr_access access;
    uint64_t value[8];
    char record[512];
    (void)state;
    fake_kernel_reset();
    i915();
    int device = node();
    int fd = stream(device, FLAGS, 5, 1, 0);
    assert_int_equal(ioctl(fd, PP_I915_ENABLE, NULL), 0);
    assert_int_equal(read(fd, record, sizeof(record)), -1);
    assert_int_equal(errno, EAGAIN);
    fake_i915_idle(64);
    assert_int_equal(read(fd, record, 264), 264);
    (void)close(fd);
    (void)close(device);
    fake_kernel_reset();
    fd = panfrost();
    assert_int_equal(set_counters(fd, 1, 0), 0);
    int other = node();
    assert_int_equal(set_counters(other, 1, 0), -1);
    assert_int_equal(errno, EBUSY);
    assert_int_equal(dump(fd, dumped), 0);
    assert_int_equal(set_counters(fd, 0, 0), 0);
    assert_int_equal(set_counters(other, 1, 0), 0);
    (void)close(other);
    assert_int_equal(set_counters(fd, 1, 0), 0);
    (void)close(fd);
    fake_kernel_reset();
    fd = session();
    for (int i = 0; i < 9; i++) {
        assert_int_equal(command(fd, PP_KINSTR_SAMPLE_SYNC), 0);
        assert_int_equal(ioctl(fd, PP_KINSTR_GET_SAMPLE, &access), 0);
        assert_int_equal(ioctl(fd, PP_KINSTR_PUT_SAMPLE, &access), 0);
    }
    (void)close(fd);
    fake_kernel_reset();
    pmu();
    fd = event(0, -1, PERF_FLAG_FD_CLOEXEC, 0);
    other = event(1, fd, PERF_FLAG_FD_CLOEXEC, 0);
    assert_int_equal(read(fd, value, sizeof(value)), 40);
    (void)close(other);
    (void)close(fd);
    fake_kernel_reset();
}

/* The list of blocks: a kind and the number of its blocks each. */
static void
kbase_lists_its_blocks(void **state)
{
    uint8_t list[32 * 9];
    struct pp_kinstr_enum_info info = {.list = 0};
    unsigned blocks = 0;
    (void)state;
    fake_kernel_reset();
    int fd = kbase(true);
    memset(list, 0xa5, sizeof(list));
    assert_int_equal(ioctl(fd, PP_KINSTR_ENUM_INFO, &info), 0);
    assert_int_equal(info.item_size * info.item_count, sizeof(list));
    info.list = (uintptr_t)list;
    assert_int_equal(ioctl(fd, PP_KINSTR_ENUM_INFO, &info), 0);
    for (uint8_t *item = list; item < list + sizeof(list) - 32; item += 32)
        if (item[0] == 0 && item[1] == 0) {
            const unsigned instances[] = {1, 1, g76.slices, (unsigned)__builtin_popcountll(g76.cores)};
            assert_int_equal(item[8], blocks);
            assert_int_equal(item[12], instances[blocks]);
            assert_int_equal(item[14], 64);
            blocks++;
        }
    assert_int_equal(blocks, 4);
    for (int i = 0; i < 32; i++)
        assert_int_equal(list[sizeof(list) - 32 + (size_t)i], 0);
    (void)close(fd);
    fake_kernel_reset();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaches_end_the_process),
        cmocka_unit_test(kbase_lists_its_blocks),
        cmocka_unit_test(rules_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
