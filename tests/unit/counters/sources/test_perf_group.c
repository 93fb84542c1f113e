/** @file
 * Groups of perf events (counters/sources/cpu/perf_group.h) with pages and readings that the test makes: each
 * rule that allows to read a counter in user space, and what happens where a rule forbids it. The protocol is
 * that of linux/perf_event.h, struct perf_event_mmap_page. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "counters/sources/cpu/perf_group.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "counters/util/own_fd.h"

enum { EVENTS = 2, COUNTERS = 8, LEADER = 1000 };

/* The machine: pages, counters of the CPU, and what the kernel would answer. */
static struct perf_event_mmap_page page[EVENTS];
static uint64_t counter[COUNTERS];
static unsigned rdpmcs, reads;
static void (*on_rdpmc)(void); /* what the kernel does while a counter is read; NULL: nothing */
static struct {
    uint64_t word[3 + EVENTS]; /* nr, time enabled, time running, values */
    size_t bytes;
    int error;
    unsigned interrupted; /* number of EINTR before an answer */
} kernel;

uint64_t __wrap_pp_rdpmc(uint32_t index);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __real_read(int fd, void *buffer, size_t size);

uint64_t
__wrap_pp_rdpmc(uint32_t index)
{
    rdpmcs++;
    if (index >= COUNTERS)
        fail_msg("rdpmc of counter %u: a real CPU would kill the program", index);
    uint64_t value = counter[index];
    if (on_rdpmc)
        on_rdpmc();
    return value;
}

ssize_t
__wrap_read(int fd, void *buffer, size_t size)
{
    if (fd != LEADER)
        return __real_read(fd, buffer, size);
    reads++;
    errno = EINTR;
    if (kernel.interrupted > 0 && kernel.interrupted--)
        return -1;
    errno = kernel.error;
    if (kernel.error)
        return -1;
    assert_true(size >= kernel.bytes);
    memcpy(buffer, kernel.word, kernel.bytes);
    return (ssize_t)kernel.bytes;
}

static void
kernel_says(uint64_t enabled_ns, uint64_t running_ns, uint64_t first, uint64_t second)
{
    const uint64_t word[] = {EVENTS, enabled_ns, running_ns, first, second};
    memcpy(kernel.word, word, sizeof(word));
    kernel.bytes = sizeof(word);
}

/* A group on counters 3 and 5, which are 48 bits wide and always on; nothing has been counted. */
static struct pp_perf_group
start(void)
{
    struct pp_perf_group group = {.events = EVENTS, .fd = {LEADER, LEADER + 1}, .page = {&page[0], &page[1]}};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < EVENTS; i++) { /* the group looks whether its descriptors are still its own */
        assert_int_equal(dup2(null, LEADER + i), LEADER + i);
        pp_fd_mark(LEADER + i);
    }
    (void)close(null);
    memset(page, 0, sizeof(page));
    memset(counter, 0, sizeof(counter));
    memset(&kernel, 0, sizeof(kernel));
    for (unsigned i = 0; i < EVENTS; i++) {
        page[i].lock = 2;
        page[i].cap_user_rdpmc = 1;
        page[i].index = 3 + 2 * i + 1;
        page[i].pmc_width = 48;
        page[i].time_enabled = page[i].time_running = 500;
    }
    kernel_says(500, 500, 0, 0);
    kernel.error = EIO; /* only tests that set an answer may call the kernel */
    rdpmcs = reads = 0;
    on_rdpmc = NULL;
    return group;
}

static void
kernel_answers(uint64_t first, uint64_t second)
{
    kernel_says(500, 500, first, second);
    kernel.error = 0;
}

static void
counts_are_offset_and_counter(void **state)
{
    (void)state;
    struct pp_perf_group group = start();
    page[0].offset = 1000;
    page[1].offset = 70;
    counter[3] = 23;
    counter[5] = 7;
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 1023);
    assert_int_equal(group.sum[1], 77);
    counter[3] = 24;
    page[1].offset = 80; /* the event was off for a while, and is on another counter now */
    page[1].index = 1;
    counter[0] = 1;
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 1024);
    assert_int_equal(group.sum[1], 81);
    assert_int_equal(rdpmcs, 4);
    assert_int_equal(reads, 0);
}

/* The kernel starts counters below zero: a counter has its width, and a sign. */
static void
counters_have_a_sign(void **state)
{
    static const struct {
        uint16_t width;
        uint64_t counter;
        int64_t offset;
        uint64_t count;
    } row[] = {
        {48, UINT64_C(0x0000ffffffffff9c), 1000, 900},
        {48, UINT64_C(0x00007fffffffffff), 1, UINT64_C(0x0000800000000000)},
        {48, UINT64_C(0x0000800000000000), INT64_C(0x0000800000000001), 1},
        {40, UINT64_C(0x000000ffffffff9c), 1000, 900},
        {40, UINT64_C(0x000000ff00000000), INT64_C(0x100000000), 0},
        {32, UINT64_C(0x00000000ffffff9c), 1000, 900},
        /* bits above the counter's width have no meaning */
        {40, UINT64_C(0xabcdef00000000ff), 1000, 1255},
        {1, 1, 5, 4},
        {64, UINT64_C(0xffffffffffffff9c), 1000, 900},
        {64, UINT64_C(0x8000000000000000), INT64_MIN, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pp_perf_group group = start();
        page[0].pmc_width = row[i].width;
        page[0].offset = row[i].offset;
        counter[3] = row[i].counter;
        assert_int_equal(pp_perf_group_read(&group), 0);
        assert_int_equal(group.sum[0], row[i].count);
        assert_int_equal(reads, 0);
    }
}

/* Cases: an event on no counter at the moment, widths that no counter has, reading forbidden by the kernel.
 */
static void
no_index(void)
{
    page[1].index = 0;
}

static void
no_width(void)
{
    page[1].pmc_width = 0;
}

static void
too_wide(void)
{
    page[1].pmc_width = 65;
}

static void
no_leave(void)
{
    page[1].cap_user_rdpmc = 0;
}

static void
was_off(void)
{
    page[1].time_enabled++;
}

static void
without_user_reads_the_kernel_is_asked(void **state)
{
    static void (*const spoil[])(void) = {no_index, no_width, too_wide, no_leave, was_off};
    (void)state;
    for (size_t i = 0; i < sizeof(spoil) / sizeof(spoil[0]); i++) {
        struct pp_perf_group group = start();
        counter[3] = 11;
        spoil[i]();
        kernel_answers(4321, 99);
        assert_int_equal(pp_perf_group_read(&group), 0);
        assert_int_equal(group.sum[0], 4321); /* the whole group in one way */
        assert_int_equal(group.sum[1], 99);
        assert_int_equal(reads, 1);
        assert_int_equal(rdpmcs, 1); /* the counter of the first event only */
    }
    struct pp_perf_group group = start();
    group.page[1] = NULL;
    kernel_answers(8, 9);
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[1], 9);
}

/* The kernel moves the first event to another counter during the reading: the value belongs to neither
 * counter. */
static void
move_event(void)
{
    on_rdpmc = NULL;
    page[0].lock += 2;
    page[0].offset = 600;
    page[0].index = 7 + 1;
    counter[7] = 6;
}

static void
take_event_off(void)
{
    on_rdpmc = NULL;
    page[0].lock += 2;
    page[0].index = 0;
}

static void
changes_meanwhile_are_seen(void **state)
{
    (void)state;
    struct pp_perf_group group = start();
    page[0].offset = 100;
    counter[3] = 500;
    on_rdpmc = move_event;
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 606);
    assert_int_equal(rdpmcs, 3);
    assert_int_equal(reads, 0);
    on_rdpmc = take_event_off;
    kernel_answers(1700, 3);
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 1700);
    assert_int_equal(rdpmcs, 4);
    assert_int_equal(reads, 1);
}

/* An event was off the hardware for a part of the time: its value is scaled by the share since the last
 * reading, if the kernel made that reading. The kernel knows the times, pages do not. */
static void
shares_are_scaled(void **state)
{
    (void)state;
    struct pp_perf_group group = start();
    group.enabled_ns = group.running_ns = 500;
    counter[3] = counter[5] = 10;
    assert_int_equal(pp_perf_group_read(&group), 0);
    page[0].time_running--; /* the kernel reads from now on */
    kernel.error = 0;
    kernel_says(900, 700, 40, 50);
    assert_int_equal(pp_perf_group_read(&group), -EAGAIN);
    assert_int_equal(group.sum[0], 10); /* counts in between are lost */
    kernel_says(1300, 800, 140, 51);
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 10 + 4 * 100);
    assert_int_equal(group.sum[1], 10 + 4 * 1);
    kernel_says(1400, 900, 141, 54);
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 410 + 1);
    kernel_says(1500, 900, 141, 54);
    assert_int_equal(pp_perf_group_read(&group), -EAGAIN);
    kernel_says(1600, 1000, 143, 54); /* half of the time since the last reading whose times are known */
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[0], 411 + 2 * 2);
}

/* After a return to reading in user space nothing is counted twice or scaled; a later reading by the kernel,
 * with the event on all the time, is exact. */
static void
user_reads_and_kernel_reads_alternate(void **state)
{
    (void)state;
    struct pp_perf_group group = start();
    group.enabled_ns = group.running_ns = 500;
    kernel_answers(0, 0);
    for (uint64_t i = 1; i <= 6; i++) {
        counter[3] = 100 * i;
        counter[5] = i;
        page[0].index = i % 3 == 0 ? 0 : 4;
        kernel_says(500 + 10 * i, 500 + 10 * i, 100 * i, i);
        assert_int_equal(pp_perf_group_read(&group), 0);
        assert_int_equal(group.sum[0], 100 * i);
        assert_int_equal(group.sum[1], i);
    }
    assert_int_equal(reads, 2);
}

static void
impossible_readings_are_refused(void **state)
{
    (void)state;
    struct pp_perf_group group = start();
    page[0].index = 0;
    kernel_answers(5, 6);
    kernel.interrupted = 3;
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(reads, 4);
    kernel.bytes = 0; /* end of file */
    assert_int_equal(pp_perf_group_read(&group), -EIO);
    kernel.bytes = sizeof(kernel.word) - 8;
    assert_int_equal(pp_perf_group_read(&group), -EIO);
    kernel.bytes = sizeof(kernel.word);
    kernel.word[0] = 1;
    assert_int_equal(pp_perf_group_read(&group), -EIO);
    kernel.error = EBADF;
    assert_int_equal(pp_perf_group_read(&group), -EBADF);
    assert_int_equal(group.sum[0], 5);
    assert_int_equal(group.sum[1], 6);
    kernel_answers(7, 8);
    assert_int_equal(pp_perf_group_read(&group), 0);
    assert_int_equal(group.sum[1], 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_offset_and_counter),
        cmocka_unit_test(counters_have_a_sign),
        cmocka_unit_test(without_user_reads_the_kernel_is_asked),
        cmocka_unit_test(changes_meanwhile_are_seen),
        cmocka_unit_test(shares_are_scaled),
        cmocka_unit_test(user_reads_and_kernel_reads_alternate),
        cmocka_unit_test(impossible_readings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
