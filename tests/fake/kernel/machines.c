/** @file
 * Machines for an application into which the fakes are preloaded; see machines.h. */
#include "tests/fake/kernel/machines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/mali/mali_decode.h"
#include "tests/fake/kernel/calls.h"
#include "tests/fake/kernel/i915.h"
#include "tests/fake/kernel/mali.h"
#include "tests/fake/kernel/perf.h"

#define NODE   "/dev/dri/renderD128"
#define SENSOR "/sys/class/drm/card0/device/hwmon/hwmon1/power1_average"

/* Ticks of the OA unit, 12 MHz, from the clock with which software drivers write timestamps. */
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

/* A byte of its GUID that sets of passprobe's own ids keep: the first one of the second group. */
static uint64_t
set_number(void)
{
    const struct fake_i915_stream stream = fake_i915_stream();
    const char digit[3] = {stream.guid[9], stream.guid[10]};
    return strtoul(digit, NULL, 16);
}

/* Counts of a context in a number of ticks; the metric set chooses what B and C count. */
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

/* Every 16th slot begins with a lost buffer, every other 8th with a lost report. @return false: reports that
 * exist must be read first. */
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

/* The number after NAME=. @return 0: it is another word. */
static int
number_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    return text && strncmp(text, name, length) == 0 && text[length] == '='
               ? (int)strtol(text + length + 1, NULL, 10)
               : 0;
}

static void
begin_i915(const char *kind)
{
    has_others = strcmp(kind, "others") == 0;
    loses = strcmp(kind, "loses") == 0;
    const struct fake_i915 kblgt2 = {.node = NODE,
                                     .busy = strcmp(kind, "busy") == 0,
                                     .paranoid = strcmp(kind, "paranoid") == 0,
                                     .open_error = number_of(kind, "open"),
                                     .later_error = number_of(kind, "later"),
                                     .set_error = number_of(kind, "set"),
                                     .remove_error = number_of(kind, "remove"),
                                     .max_rate = number_of(kind, "rate"),
                                     .first_tick = ticks_now(),
                                     .first_count = UINT64_C(0xffffffff00),
                                     .eus = 24,
                                     .slices = 1,
                                     .subslices = 7,
                                     .clock = catch_up};
    fake_i915_start(&kblgt2);
}

/* The fdinfo text of a client of the GPU. */

static unsigned readings;
static const char *fdinfo_kind;

static size_t
write_fdinfo(char *text, size_t size, uint64_t n)
{
    static const struct {
        const char *kind, *text;
    } awkward[] = {
        {"nokeys", "pos:\t0\ndrm-driver:\tnouveau\n"},
        {"noclient", "drm-driver:\ti915\ndrm-engine-render:\t5 ns\n"},
        {"nonsense", "drm-driver:\ti915\ndrm-client-id:\t7\ndrm-engine-render:\tmany ns\ndrm-engine-\n:\n"},
        {"xe", "drm-driver:\txe\ndrm-client-id:\t7\ndrm-cycles-rcs:\t5\ndrm-total-cycles-rcs:\t9\n"},
        {"notime", "drm-driver:\ti915\ndrm-client-id:\t7\ndrm-resident-system0:\t12 KiB\n"},
    };
    for (size_t i = 0; i < sizeof(awkward) / sizeof(awkward[0]); i++)
        if (strcmp(fdinfo_kind, awkward[i].kind) == 0)
            return (size_t)snprintf(text, size, "%s", awkward[i].text);
    /* Numbers of drivers may step back. */
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
    if (strcmp(fdinfo_kind, "gone") == 0 && readings > 5)
        return -ENOENT;
    if (offset != 0 || length > size)
        abort(); /* the whole text at once, because parts would be of different moments */
    memcpy(buffer, text, length);
    return (ssize_t)length;
}

/* Listing events counts no step. */
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

/* Opens as the application's driver does: two descriptors of one client. */
static void
begin_client(const char *kind)
{
    fdinfo_kind = kind;
    fake_kernel_claim(NODE, &node, NULL);
    for (int i = 0; i < 2; i++) {
        char path[64];
        int fd = open(NODE, O_RDWR | O_CLOEXEC);
        if (fd < 0)
            abort();
        snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", fd);
        fake_kernel_claim(path, &fdinfo, NULL);
    }
}

static const struct pp_mali_counter *active;

/* Clocks that a fake driver in this process (tests/fake/vk_perf) reports. */
__attribute__((visibility("default"))) void
fake_kernel_worked(uint64_t clocks)
{
    if (active)
        fake_mali_count(active->block, 0, active->word, clocks);
}

/* A Mali-G76 at /dev/mali0 (kbase), or at the render node (panfrost). */
static void
begin_mali(const char *clocks, const char *kind)
{
    struct fake_mali g76 = {
        .node = "/dev/mali0", .product = 0x7211, .cores = 0x37, .slices = 2, .bus_log2 = 7, .version = 38};
    const struct pp_mali_gpu *gpu = pp_mali_gpu_find("mali-g76");
    const char *word = strchr(kind, ',') ? strchr(kind, ',') + 1 : "";
    g76.stable_only = strcmp(word, "off") == 0;
    g76.owned = strcmp(word, "owned") == 0;
    g76.no_kinstr = strcmp(word, "nokinstr") == 0;
    g76.setup_error = number_of(word, "setup");
    g76.later_error = number_of(word, "later");
    g76.version = strcmp(word, "csf") == 0 ? 0 : strcmp(word, "old") == 0 ? 30 : g76.version;
    if (strncmp(kind, "panfrost", strlen("panfrost")) == 0) {
        g76.node = NODE;
        fake_mali_panfrost(&g76);
    } else {
        fake_mali_kbase(&g76);
    }
    const char *share = getenv("FAKE_MALI_ALU");
    uint64_t each = strtoull(clocks, NULL, 10), executed = share ? each * strtoull(share, NULL, 10) / 100 : 0;
    for (uint32_t i = 0; gpu && i < gpu->counters; i++) {
        const struct pp_mali_counter *counter = &gpu->counter[i];
        if (strcmp(counter->symbol, "MaliGPUCyclesGPUActive") == 0) {
            active = counter;
            fake_mali_before_samples(active->block, 0, active->word, each);
        }
        for (unsigned core = 0; core < 32 && executed; core++)
            if (strcmp(counter->symbol, "MaliCoreInstructionsExecutedInstructions") == 0 &&
                (g76.cores >> core & 1))
                fake_mali_before_samples(counter->block, core, counter->word, executed);
    }
}

/* A sensor that cannot be read. */

static int sensor_error;

static ssize_t
pread_sensor(void *file, void *buffer, size_t size, off_t offset)
{
    (void)file;
    (void)buffer;
    (void)size;
    (void)offset;
    return -sensor_error;
}

static const struct fake_file_ops sensor = {.pread = pread_sensor};

static void
begin_sensor(const char *what)
{
    sensor_error = number_of(what, "read");
    if (sensor_error)
        fake_kernel_claim(SENSOR, &sensor, NULL);
    else
        fake_kernel_refuse(SENSOR, number_of(what, "open"));
}

/* The real errors of perf_event_open, and of the node. */

static void
begin_perf(const char *step)
{
    const char *refuses = getenv("FAKE_PERF_REFUSES");
    const struct fake_perf pmu = {
        .paranoid = refuses && number_of(refuses, "paranoid") ? number_of(refuses, "paranoid") : 2,
        .counters = refuses && strcmp(refuses, "nopmu") == 0 ? 0 : 8,
        .error = number_of(refuses, "error"),
        .error_after = number_of(refuses, "after"),
        .step = strtoull(step, NULL, 10)};
    fake_perf_start(&pmu);
}

void
fake_machines_begin(void)
{
    const char *mali = getenv("FAKE_MALI_ACTIVE"), *mali_kind = getenv("FAKE_MALI");
    const char *client = getenv("FAKE_FDINFO"), *what = getenv("FAKE_SENSOR"), *refused = getenv("FAKE_NODE");
    const char *i915 = getenv("FAKE_I915");
    const char *step = getenv("FAKE_PERF_STEP");
    if (mali)
        begin_mali(mali, mali_kind ? mali_kind : "kbase");
    if (i915)
        begin_i915(i915);
    if (client)
        begin_client(client);
    if (step)
        begin_perf(step);
    if (what)
        begin_sensor(what);
    if (refused)
        fake_kernel_refuse(NODE, number_of(refused, "open"));
}
