/** @file
 * What the kernel's sources cost: a bracket's two readings through pp_source_ops, compared with the same
 * calls written by hand. cpu is the real kernel's perf_event; drm and hwmon read files; mali and oa read the
 * fakes of tests/fake/kernel, whose own cost is in both columns. The figures are medians of the thread's
 * processor time; both ways alternate. --check: run once, and compare the values that both ways read. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/sources/cpu/perf_group.h"
#include "counters/sources/kernel/drm.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/sources/mali/mali_uapi.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/i915.h"
#include "tests/fake/kernel/mali.h"

enum { ROUNDS = 21, READS = 2000, EVENTS = 256, SENSORS = 4, ROWS = 4, BYTES = 8192, VALUES = 18 * 64 };

/* One source: two ways to read it. */
struct row {
    const char *title, *what;
    struct pp_event_source source;
    uint32_t event[EVENTS];
    size_t events;
    int fd[SENSORS];
    size_t fds;
    unsigned reads; /* a round */
    void (*by_hand)(struct row *row, uint64_t *ret);
    void *map, *second_map;
    char why_not[PP_REASON_BYTES]; /* the registry has no such row */
};

static char folder[] = "/tmp/passprobe-bench-XXXXXX";
static uint8_t snapshot[BYTES];

static void
fail(const char *what)
{
    fprintf(stderr, "bench_sources: %s\n", what);
    exit(1);
}

static uint64_t
now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static char *
path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    return path;
}

static void
write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "we");
    if (!file || fputs(text, file) < 0 || fclose(file))
        fail("no room in /tmp");
}

static void
choose(struct row *row, const char *name)
{
    struct pp_event event;
    for (uint32_t i = 0; row->source.ops->event(row->source.self, i, &event) == 0; i++)
        if (!event.reason && (!name || strcmp(event.name, name) == 0) && row->events < EVENTS)
            row->event[row->events++] = i;
}

/* cpu: one group of two software events. */

static void
cpu_by_hand(struct row *row, uint64_t *ret)
{
    uint64_t got[5];
    if (read(row->fd[0], got, sizeof(got)) != (ssize_t)sizeof(got))
        fail("perf event");
    ret[0] = got[3];
    ret[1] = got[4];
}

static bool
begin_cpu(struct row *row)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    row->fd[0] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    attr.config = PERF_COUNT_SW_PAGE_FAULTS;
    if (row->fd[0] < 0 || syscall(SYS_perf_event_open, &attr, 0, -1, row->fd[0], PERF_FLAG_FD_CLOEXEC) < 0)
        return false;
    if (pp_cpu_source_open(&(struct pp_kernel_paths){.proc = "/proc"}, &row->source))
        fail("cpu");
    choose(row, "task-clock");
    choose(row, "page-faults");
    return true;
}

/* rdpmc: two hardware events whose pages let user space read them. */

static uint64_t
read_page(const volatile struct perf_event_mmap_page *page)
{
    uint32_t seq = 0;
    uint64_t count = 0;
    do {
        seq = page->lock;
        __atomic_signal_fence(__ATOMIC_ACQ_REL);
        uint32_t index = page->index;
        unsigned width = page->pmc_width;
        if (!page->cap_user_rdpmc || index == 0)
            fail("rdpmc: the group is not on the hardware");
        count = (uint64_t)page->offset +
                (uint64_t)((int64_t)(pp_rdpmc(index - 1) << (64 - width)) >> (64 - width));
        __atomic_signal_fence(__ATOMIC_ACQ_REL);
    } while (page->lock != seq);
    return count;
}

static void
rdpmc_by_hand(struct row *row, uint64_t *ret)
{
    ret[0] = read_page(row->map);
    ret[1] = read_page(row->second_map);
}

static void *
map_event(uint64_t config, int leader, int *ret_fd)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof(attr),
                                   .config = config,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    *ret_fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    void *page = *ret_fd < 0 ? MAP_FAILED
                             : mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, *ret_fd, 0);
    return page == MAP_FAILED ? NULL : page;
}

static bool
begin_rdpmc(struct row *row)
{
    struct pp_event event;
    if (pp_cpu_source_open(&(struct pp_kernel_paths){.proc = "/proc"}, &row->source))
        fail("cpu");
    choose(row, "cycles");
    choose(row, "instructions");
    for (uint32_t i = 0; row->events < 2 && row->source.ops->event(row->source.self, i, &event) == 0; i++)
        if (event.reason && (strcmp(event.name, "cycles") == 0 || strcmp(event.name, "instructions") == 0))
            snprintf(row->why_not, sizeof(row->why_not), "%s", event.reason);
    if (row->events < 2)
        return false;
    row->map = map_event(PERF_COUNT_HW_CPU_CYCLES, -1, &row->fd[0]);
    row->second_map = map_event(PERF_COUNT_HW_INSTRUCTIONS, row->fd[0], &row->fd[1]);
    const struct perf_event_mmap_page *page = row->map;
    if (PP_HAS_RDPMC && page && row->second_map && page->cap_user_rdpmc)
        return true;
    snprintf(row->why_not, sizeof(row->why_not),
             "the kernel does not let user space read counters (/sys/bus/event_source/devices/cpu/rdpmc)");
    return false;
}

/* drm: one client's text. */

static void
drm_by_hand(struct row *row, uint64_t *ret)
{
    static const char *const key[] = {"drm-engine-render:", "drm-engine-copy:", "drm-resident-system0:"};
    char text[4096];
    ssize_t got = pread(row->fd[0], text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(text, key[i]);
        ret[i] = at ? strtoull(at + strlen(key[i]), NULL, 10) : 0;
    }
}

static bool
begin_drm(struct row *row)
{
    char proc[128], dev[128], sys[128], target[160];
    write_file(
        "proc/thread-self/fdinfo/5",
        "pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t390\ndrm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\n"
        "drm-client-id:\t7\ndrm-engine-render:\t12345678 ns\ndrm-engine-copy:\t70001 ns\n"
        "drm-engine-video:\t0 ns\ndrm-engine-capacity-video:\t2\ndrm-engine-video-enhance:\t0 ns\n"
        "drm-resident-system0:\t4096 KiB\ndrm-total-system0:\t65536 KiB\n");
    snprintf(proc, sizeof(proc), "%s/proc", folder);
    snprintf(dev, sizeof(dev), "%s/dev", folder);
    snprintf(sys, sizeof(sys), "%s/sys", folder);
    snprintf(target, sizeof(target), "%s/dri/renderD128", dev);
    if (symlink(target, path_of("proc/thread-self/fd/5")))
        fail("no link");
    row->fd[0] = open(path_of("proc/thread-self/fdinfo/5"), O_RDONLY | O_CLOEXEC);
    if (pp_drm_source_open(&(struct pp_kernel_paths){.sys = sys, .proc = proc, .dev = dev}, &row->source))
        fail("drm");
    choose(row, "engine-render");
    choose(row, "engine-copy");
    choose(row, "resident-system0");
    return row->events == 3;
}

/* hwmon: four sensors. */

static void
hwmon_by_hand(struct row *row, uint64_t *ret)
{
    char text[32];
    for (size_t i = 0; i < row->fds; i++) {
        ssize_t got = pread(row->fd[i], text, sizeof(text) - 1, 0);
        text[got > 0 ? got : 0] = '\0';
        ret[i] = (uint64_t)strtoll(text, NULL, 10);
    }
}

static bool
begin_hwmon(struct row *row)
{
    static const char *const file[SENSORS] = {"temp1_input", "power1_average", "freq1_input", "fan1_input"};
    char sys[128], name[128];
    for (size_t i = 0; i < SENSORS; i++) {
        snprintf(name, sizeof(name), "sys/class/drm/card0/device/hwmon/hwmon0/%s", file[i]);
        write_file(name, "61000\n");
        row->fd[row->fds++] = open(path_of(name), O_RDONLY | O_CLOEXEC);
    }
    snprintf(sys, sizeof(sys), "%s/sys", folder);
    if (pp_hwmon_source_open(&(struct pp_kernel_paths){.sys = sys}, &row->source))
        fail("hwmon");
    choose(row, NULL);
    return row->events == SENSORS;
}

/* mali: a sample of all blocks, by kbase. */

static void
mali_by_hand(struct row *row, uint64_t *ret)
{
    struct pp_kinstr_command command = {.command = PP_KINSTR_SAMPLE_SYNC};
    struct pp_kinstr_access access = {.sequence = 0};
    struct pollfd file = {.fd = row->fd[0], .events = POLLIN};
    if (ioctl(row->fd[0], PP_KINSTR_COMMAND, &command) || poll(&file, 1, 1000) != 1 ||
        ioctl(row->fd[0], PP_KINSTR_GET_SAMPLE, &access))
        fail("kbase");
    /* A tool that knows its GPU copies the blocks and sums cores later. */
    memcpy(ret, (const uint8_t *)row->map + access.offset, VALUES * sizeof(*ret));
    if (ioctl(row->fd[0], PP_KINSTR_PUT_SAMPLE, &access))
        fail("kbase");
}

static bool
begin_mali(struct row *row)
{
    static char node[160];
    char dev[128];
    snprintf(node, sizeof(node), "%s/dev/mali0", folder);
    snprintf(dev, sizeof(dev), "%s/dev", folder);
    const struct fake_mali g76 = {
        .node = node, .product = 0x7211, .cores = 0xfff, .slices = 4, .bus_log2 = 7, .version = 38};
    fake_mali_kbase(&g76);
    if (pp_mali_source_open(&(struct pp_kernel_paths){.sys = "/nowhere", .dev = dev}, &row->source))
        fail("mali");
    choose(row, "gpu_active_cycles");
    choose(row, "fragment_queue_utilization");
    return row->events > 0;
}

/* A second session for the way by hand; the fake has only one, so the source's is closed. */
static void
open_session(struct row *row)
{
    struct pp_kinstr_request request[6] = {{.type = PP_KINSTR_REQUEST_MODE}};
    for (uint8_t block = 0; block < 4; block++) {
        request[1 + block].type = PP_KINSTR_REQUEST_ENABLE;
        request[1 + block].u.enable.block_type = block;
        request[1 + block].u.enable.mask[0] = UINT64_MAX;
    }
    union pp_kinstr_setup setup = {
        .in = {.count = 6, .size = sizeof(request[0]), .requests = (uintptr_t)request}};
    struct pp_kinstr_command command = {.command = PP_KINSTR_START};
    struct pp_kbase_version version = {.major = 11, .minor = 38};
    int device = open(path_of("dev/mali0"), O_RDWR | O_CLOEXEC);
    if (ioctl(device, PP_KBASE_VERSION_CHECK, &version))
        fail("kbase");
    row->fd[0] = ioctl(device, PP_KINSTR_SETUP, &setup);
    if (row->fd[0] < 0)
        fail("kbase");
    row->map = mmap(NULL, setup.out.mmap_bytes, PROT_READ, MAP_SHARED, row->fd[0], 0);
    if (row->map == MAP_FAILED || ioctl(row->fd[0], PP_KINSTR_COMMAND, &command))
        fail("kbase");
}

/* Measuring. */

static int
compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double
round_of(struct row *row, bool by_hand)
{
    uint64_t value[VALUES];
    uint64_t begin = now_ns();
    for (unsigned i = 0; i < row->reads; i++) {
        if (by_hand)
            row->by_hand(row, value);
        else if (row->source.ops->read(row->source.self, row->event, row->events, snapshot))
            fail(row->title);
    }
    return (double)(now_ns() - begin) / row->reads * 2; /* a bracket has two */
}

static void
print_row(struct row *row, bool check, bool apart)
{
    double hand[ROUNDS], ours[ROUNDS];
    unsigned rounds = check ? 1 : ROUNDS;
    row->reads = check ? 2 : READS;
    for (unsigned i = 0; i < rounds && !apart; i++) {
        hand[i] = round_of(row, true);
        ours[i] = round_of(row, false);
    }
    for (unsigned i = 0; i < rounds && apart; i++)
        ours[i] = round_of(row, false);
    if (apart) {
        pp_mali_source_close(&row->source);
        open_session(row);
    }
    for (unsigned i = 0; i < rounds && apart; i++)
        hand[i] = round_of(row, true);
    qsort(hand, rounds, sizeof(hand[0]), compare);
    qsort(ours, rounds, sizeof(ours[0]), compare);
    double h = hand[rounds / 2], o = ours[rounds / 2];
    printf("| `%s` | %s | %.0f | %.0f | %.2f |\n", row->title, row->what, h, o, o / h);
}

/* Both ways read the same values. */
static void
check_values(struct row *row)
{
    uint64_t value[VALUES] = {0}, got = 0;
    row->by_hand(row, value);
    if (row->source.ops->read(row->source.self, row->event, row->events, snapshot))
        fail(row->title);
    for (size_t i = 0; i < row->events; i++) {
        memcpy(&got, snapshot + 8 * i, sizeof(got));
        /* drm counts from its first reading, in bytes; the other sources have the values of the file */
        uint64_t want = strcmp(row->title, "drm") != 0 ? value[i] : i < 2 ? 0 : value[i] * 1024;
        if (strncmp(row->title, "cpu", 3) != 0 && got != want)
            fail(row->title);
    }
}

/* oa: brackets are searched in the reports that came meanwhile. */

enum { BRACKETS = 64 };

struct bracket {
    uint64_t begin, end;
};

static void
run_brackets(struct bracket *bracket)
{
    /* Counts grow with ticks, however the time is divided. */
    const struct fake_i915_work little = {.clocks = 8800, .a = {[1] = 1000, [7] = 50000}};
    const struct fake_i915_work work = {.clocks = 352000, .a = {[1] = 40000, [7] = 2000000}};
    for (unsigned i = 0; i < BRACKETS; i++) {
        fake_i915_run(1, 100, &little);
        bracket[i].begin = fake_i915_now();
        fake_i915_run(1, 4000, &work);
        bracket[i].end = fake_i915_now();
        fake_i915_run(1, 100, &little);
    }
    fake_i915_idle(4096);
}

/* Reports of this GPU, joined as a tool for this GPU would do it: all counters, counts between reports
 * divided by time. */
static uint64_t
join_by_hand(int fd, const struct bracket *bracket)
{
    static uint8_t record[1 << 20];
    size_t size = 0;
    uint64_t sum[52] = {0}, total = 0;
    for (ssize_t got = 0; (got = read(fd, record + size, 65536)) > 0;)
        size += (size_t)got;
    size_t records = size / 264;
    for (unsigned b = 0; b < BRACKETS; b++) {
        for (size_t i = 0; i + 1 < records; i++) {
            const uint8_t *from = record + i * 264 + 8, *to = from + 264;
            uint32_t t[2];
            memcpy(&t[0], from + 4, 4);
            memcpy(&t[1], to + 4, 4);
            if (t[1] <= bracket[b].begin || t[0] >= bracket[b].end || t[1] == t[0])
                continue;
            uint64_t first = t[0] > bracket[b].begin ? t[0] : bracket[b].begin;
            uint64_t last = t[1] < bracket[b].end ? t[1] : bracket[b].end;
            for (unsigned c = 0; c < 32; c++) {
                uint32_t x, y;
                memcpy(&x, from + 0x10 + 4 * c, 4);
                memcpy(&y, to + 0x10 + 4 * c, 4);
                uint64_t delta = ((uint64_t)y | (uint64_t)to[0xa0 + c] << 32) -
                                 ((uint64_t)x | (uint64_t)from[0xa0 + c] << 32);
                sum[c] += (delta & 0xffffffffff) * (last - first) / (t[1] - t[0]);
            }
            for (unsigned c = 0; c < 20; c++) {
                uint32_t x, y;
                size_t at = c < 4 ? 0x90 + 4 * c : 0xc0 + 4 * (c - 4);
                memcpy(&x, from + at, 4);
                memcpy(&y, to + at, 4);
                sum[32 + c] += (uint64_t)(y - x) * (last - first) / (t[1] - t[0]);
            }
        }
        total += sum[1];
        memset(sum, 0, sizeof(sum));
    }
    return total;
}

static void
begin_oa(struct row *row)
{
    static char node[160];
    char sys[128], proc[128], dev[128];
    struct pp_event event;
    snprintf(node, sizeof(node), "%s/dev/dri/renderD128", folder);
    snprintf(sys, sizeof(sys), "%s/sys", folder);
    snprintf(proc, sizeof(proc), "%s/proc", folder);
    snprintf(dev, sizeof(dev), "%s/dev", folder);
    write_file("sys/class/drm/renderD128/device/device", "0x5916\n");
    write_file("sys/class/drm/renderD128/device/drm/card0/metrics/none", "");
    write_file("sys/bus/i915/bind", "");
    if (symlink("../../../../bus/i915", path_of("sys/class/drm/renderD128/device/driver")))
        fail("no link");
    fake_i915_start(
        &(struct fake_i915){.node = node, .eus = 24, .slices = 1, .subslices = 7, .first_tick = 4096});
    const struct pp_kernel_paths paths = {.sys = sys, .proc = proc, .dev = dev};
    if (pp_oa_source_open(&paths, &row->source))
        fail("oa");
    for (uint32_t i = 0; row->source.ops->event(row->source.self, i, &event) == 0 && row->events < EVENTS;
         i++)
        if (!event.reason && strcmp(event.group ? event.group : "", "RenderBasic") == 0)
            row->event[row->events++] = i;
    if (row->source.ops->select(row->source.self, row->event, row->events))
        fail("oa");
}

/* Both ways read the same stream, alternately. */
static void
print_oa(struct row *row, bool check)
{
    double hand[ROUNDS], ours[ROUNDS];
    struct bracket bracket[BRACKETS];
    unsigned rounds = check ? 1 : ROUNDS;
    const struct pp_layout *layout = row->source.ops->layout(row->source.self, row->event, row->events);
    int a1 = pp_layout_field(layout, "A1"), fd = -1;
    for (int i = 0; i < 1024 && fd < 0; i++)
        fd = fake_i915_is_stream(i) ? i : -1;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t total[2] = {0, 0};
        uint8_t status = 0;
        run_brackets(bracket);
        uint64_t begin = now_ns();
        total[0] = join_by_hand(fd, bracket);
        hand[i] = (double)(now_ns() - begin) / BRACKETS;
        run_brackets(bracket);
        begin = now_ns();
        for (unsigned b = 0; b < BRACKETS; b++) {
            uint64_t value = 0;
            if (row->source.ops->between(row->source.self, row->event, row->events, bracket[b].begin,
                                         bracket[b].end, 1e9 / 12e6, false, snapshot, &status))
                fail("oa");
            memcpy(&value, snapshot + layout->field[a1].part[0].offset, sizeof(value));
            total[1] += value;
        }
        ours[i] = (double)(now_ns() - begin) / BRACKETS;
        if (total[0] != total[1]) {
            fprintf(stderr, "%lu %lu\n", total[0], total[1]);
            fail("oa: the two ways differ");
        }
    }
    qsort(hand, rounds, sizeof(hand[0]), compare);
    qsort(ours, rounds, sizeof(ours[0]), compare);
    double h = hand[rounds / 2], o = ours[rounds / 2];
    printf("| `oa` | %zu metrics' counters, %u brackets a read | %.0f | %.0f | %.2f |\n", row->events,
           BRACKETS, h, o, o / h);
}

int
main(int argc, char **argv)
{
    bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
    struct row row[] = {
        {.title = "cpu", .what = "two software events, perf_event", .by_hand = cpu_by_hand},
        {.title = "cpu, rdpmc", .what = "two hardware events, in user space", .by_hand = rdpmc_by_hand},
        {.title = "drm", .what = "one client, three values", .by_hand = drm_by_hand},
        {.title = "hwmon", .what = "four sensors", .by_hand = hwmon_by_hand},
    };
    struct row mali = {.title = "mali", .what = "kbase, all counters of 12 cores", .by_hand = mali_by_hand},
               oa = {0};
    bool (*const begin[])(struct row *) = {begin_cpu, begin_rdpmc, begin_drm, begin_hwmon};
    if (!mkdtemp(folder))
        fail("no room in /tmp");
    puts(
        "| source | what | by hand, ns a bracket | passprobe, ns a bracket | ratio |\n|---|---|---|---|---|");
    for (size_t i = 0; i < ROWS; i++) {
        if (!begin[i](&row[i])) {
            printf("| `%s` | %s | skipped: %s | | |\n", row[i].title, row[i].what,
                   *row[i].why_not ? row[i].why_not : "not on this machine");
            continue;
        }
        check_values(&row[i]);
        print_row(&row[i], check, false);
    }
    if (!begin_mali(&mali))
        fail("mali");
    print_row(&mali, check, true);
    begin_oa(&oa);
    print_oa(&oa, check);
    pp_oa_source_close(&oa.source);
    void (*const close_source[])(const struct pp_event_source *) = {
        pp_cpu_source_close, pp_cpu_source_close, pp_drm_source_close, pp_hwmon_source_close};
    for (size_t i = 0; i < ROWS; i++)
        if (row[i].source.ops)
            close_source[i](&row[i].source);
    char command[64];
    snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return system(command) ? 1 : 0;
}
