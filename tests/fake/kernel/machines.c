/** @file
 * Machines for a program that the stand-ins were preloaded into; see machines.h. */
#include "tests/fake/kernel/machines.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/mali.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/i915.h"
#include "tests/fake/kernel/mali.h"
#include "tests/fake/kernel/perf.h"

#define NODE "/dev/dri/renderD128"

/* Ticks of the OA unit, 12 MHz, by the clock that the software drivers write timestamps with. */
#define TICKS(ns) ((ns) / 1000 * 12 + (ns) % 1000 * 12 / 1000)
#define SLOT      8192U
#define QUEUED    512U

enum { OURS = 0x1234, THEIRS = 0x77 };

static bool has_others, loses;

/* An Intel GPU. */

static uint64_t
ticks_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
    return TICKS(ns);
}

/* The first byte of its GUID. */
static uint64_t
set_number(void)
{
    const struct fake_i915_stream stream = fake_i915_stream();
    const char digit[3] = {stream.guid[0], stream.guid[1]};
    return strtoul(digit, NULL, 16);
}

/* What a context does in so many ticks; B and C count what the metric set tells them to. */
static struct fake_i915_work
work_of(uint32_t context, uint64_t ticks)
{
    uint64_t times = context == OURS ? 1 : 3;
    uint64_t set = set_number();
    struct fake_i915_work work = {.clocks = 88 * times * ticks};
    for (unsigned i = 0; i < 36; i++)
        work.a[i] = (i < 32 ? 1000003 + 1009 * i : 40009 + 101 * i) * times * ticks;
    for (unsigned i = 0; i < 8; i++) {
        work.b[i] = (30011 + 211 * i + 1000 * set) * times * ticks;
        work.c[i] = (20011 + 307 * i + 1000 * set) * times * ticks;
    }
    return work;
}

static void
run(uint64_t until)
{
    uint64_t slot = fake_i915_now() / SLOT;
    uint32_t context = has_others && slot % 4 == 3 ? THEIRS : OURS;
    uint64_t end = (slot + 1) * SLOT < until ? (slot + 1) * SLOT : until;
    const struct fake_i915_work work = work_of(context, end - fake_i915_now());
    fake_i915_run(context, (uint32_t)(end - fake_i915_now()), &work);
}

/* Every 16th slot begins with a lost buffer, every other 8th with a lost report. @return false: what is there
 * must be read first. */
static bool
lose(void)
{
    static uint64_t last;
    uint64_t slot = fake_i915_now() / SLOT;
    if (!loses || slot == last || slot % 8 != 0)
        return true;
    if (slot % 16 == 0 && fake_i915_queued() > 0)
        return false;
    last = slot;
    if (slot % 16 == 0)
        fake_i915_lose_buffer();
    fake_i915_lose_reports(1);
    return true;
}

static void
catch_up(void)
{
    uint64_t until = ticks_now();
    while (fake_i915_now() < until && fake_i915_queued() < QUEUED && lose())
        run(until);
}

static void
begin_i915(const char *kind)
{
    has_others = strcmp(kind, "others") == 0;
    loses = strcmp(kind, "loses") == 0;
    const struct fake_i915 kblgt2 = {.node = NODE,
                                     .busy = strcmp(kind, "busy") == 0,
                                     .paranoid = strcmp(kind, "paranoid") == 0,
                                     .first_tick = ticks_now(),
                                     .first_count = UINT64_C(0xffffffff00),
                                     .eus = 24,
                                     .slices = 1,
                                     .subslices = 7,
                                     .clock = catch_up};
    fake_i915_start(&kblgt2);
}

/* What the kernel tells of a client of the GPU. */

static unsigned readings;

static size_t
write_fdinfo(char *text, size_t size, uint64_t n)
{
    /* Drivers' numbers may step back. */
    uint64_t render = n * 1000003 - (n % 10 == 9 ? 2000000 : 0);
    int length =
        snprintf(text, size,
                 "pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t390\n"
                 "drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t7\n"
                 "drm-engine-render:\t%llu ns\ndrm-engine-copy:\t%llu ns\n"
                 "drm-engine-capacity-video:\t2\ndrm-engine-video:\t0 ns\n"
                 "drm-resident-system0:\t%llu KiB\ndrm-total-system0:\t65536 KiB\n",
                 (unsigned long long)render, (unsigned long long)n * 70001, (unsigned long long)n + 4096);
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

static ssize_t
pread_fdinfo(void *file, void *buffer, size_t size, off_t offset)
{
    char text[1024];
    size_t length = write_fdinfo(text, sizeof(text), ++readings);
    (void)file;
    if (offset != 0 || length > size)
        abort(); /* the whole text at once, else it is none of one moment */
    memcpy(buffer, text, length);
    return (ssize_t)length;
}

/* Looking what there is counts no step. */
static ssize_t
read_fdinfo(void *file, void *buffer, size_t size)
{
    static bool done;
    char text[1024];
    size_t length = write_fdinfo(text, sizeof(text), readings);
    (void)file;
    done = !done;
    if (!done)
        return 0;
    if (length > size)
        abort();
    memcpy(buffer, text, length);
    return (ssize_t)length;
}

static const struct fake_file_ops node = {.open = NULL};
static const struct fake_file_ops fdinfo = {.read = read_fdinfo, .pread = pread_fdinfo};

/* As the program's driver does: two descriptors of one client. */
static void
begin_client(void)
{
    fake_kernel_claim(NODE, &node, NULL);
    for (int i = 0; i < 2; i++) {
        char path[64];
        int fd = open(NODE, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            abort();
        snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
        fake_kernel_claim(path, &fdinfo, NULL);
    }
}

static const struct pp_mali_counter *active;

/* What a GPU that plays elsewhere in this process (tests/fake/vk_perf) says that it did. */
__attribute__((visibility("default"))) void
fake_kernel_worked(uint64_t clocks)
{
    if (active)
        fake_mali_count(active->block, 0, active->word, clocks);
}

/* A Mali-G76 at /dev/mali0 (kbase). */
static void
begin_mali(const char *clocks)
{
    static const struct fake_mali g76 = {
        .node = "/dev/mali0", .product = 0x7211, .cores = 0x37, .slices = 2, .bus_log2 = 7, .version = 38};
    const struct pp_mali_gpu *gpu = pp_mali_gpu_find("mali-g76");
    fake_mali_kbase(&g76);
    for (uint32_t i = 0; gpu && i < gpu->counters; i++)
        if (strcmp(gpu->counter[i].symbol, "MaliGPUCyclesGPUActive") == 0) {
            active = &gpu->counter[i];
            fake_mali_before_samples(active->block, 0, active->word, strtoull(clocks, NULL, 10));
        }
}

void
fake_machines_begin(void)
{
    const char *mali = getenv("FAKE_MALI_ACTIVE");
    const char *i915 = getenv("FAKE_I915");
    const char *step = getenv("FAKE_PERF_STEP");
    if (mali)
        begin_mali(mali);
    if (i915)
        begin_i915(i915);
    if (getenv("FAKE_FDINFO"))
        begin_client();
    if (step) {
        const struct fake_perf pmu = {.paranoid = 2, .counters = 8, .step = strtoull(step, NULL, 10)};
        fake_perf_start(&pmu);
    }
}
