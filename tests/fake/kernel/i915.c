/** @file
 * A fake i915 driver as its uapi describes it; see i915.h. Sources: i915_drm.h; i915_perf.c of Linux 6.3 for
 * refusals; Kaby Lake PRM Vol 14 for reports (256 bytes, A32u40_A4u32_B8_C8). */
#include "tests/fake/kernel/i915.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/sources/i915/i915_uapi.h"
#include "tests/fake/kernel/calls.h"

enum { REPORT = 256, RECORD = 8 + REPORT, QUEUE = 4096, CONFIGS = 16 };
enum { TIMER = 1 << 19, SWITCH = 1 << 22, VALID = 1 << 16 };

#define NO_CONTEXT UINT32_MAX

struct config {
    bool used;
    char guid[37];
    uint64_t id;
};

static struct fake_i915 machine;
static struct fake_i915_stream stream;
static struct fake_i915_work total;
static uint64_t now, period;
static uint32_t running;
static unsigned losing, queued;
static bool lost_some, torn;
static unsigned unavailable; /* of the newest records */
static int read_error, stream_fd = -1;
static uint8_t queue[QUEUE][RECORD];
static uint16_t queue_size[QUEUE];
static struct config config[CONFIGS];
static uint64_t next_id;

static void
put32(uint8_t *to, uint64_t value)
{
    uint32_t word = (uint32_t)value;
    memcpy(to, &word, sizeof(word));
}

static void
push(uint32_t type, const uint8_t *report)
{
    if (!stream.enabled)
        return;
    if (queued == QUEUE)
        abort();
    uint8_t *record = queue[queued];
    uint16_t size = report ? RECORD : 8;
    memset(record, 0, RECORD);
    put32(record, type);
    memcpy(record + 6, &size, sizeof(size));
    if (report)
        memcpy(record + 8, report, REPORT);
    queue_size[queued++] = size;
}

/* Write a report of the current moment. */
static void
write_report(uint32_t reason)
{
    uint8_t report[REPORT] = {0};
    if (torn) { /* the tail moved before the data was written */
        torn = false;
        push(1, report);
        return;
    }
    if (losing > 0) {
        losing--;
        lost_some = true;
        return;
    }
    if (lost_some)
        push(2, NULL);
    lost_some = false;
    if (machine.haswell) { /* A45_B8_C8: for its clock, C2 */
        put32(report, 1U << 19);
        put32(report + 4, now);
        for (unsigned i = 0; i < FAKE_I915_A; i++)
            put32(report + 0x0c + 4 * i, total.a[i]);
        for (unsigned i = 0; i < 8; i++) {
            put32(report + 0xc0 + 4 * i, total.b[i]);
            put32(report + 0xe0 + 4 * i, total.c[i]);
        }
        push(1, report);
        return;
    }
    put32(report, reason | (running == NO_CONTEXT ? 0 : VALID) | 63);
    put32(report + 4, now);
    put32(report + 8, running); /* i915 writes 0xffffffff where the valid bit is clear */
    put32(report + 12, total.clocks);
    for (unsigned i = 0; i < 36; i++)
        put32(report + 0x10 + 4 * i, total.a[i]);
    for (unsigned i = 0; i < 32; i++)
        report[0xa0 + i] = (uint8_t)(total.a[i] >> 32);
    for (unsigned i = 0; i < 8; i++) {
        put32(report + 0xc0 + 4 * i, total.b[i]);
        put32(report + 0xe0 + 4 * i, total.c[i]);
    }
    push(1, report);
}

/* The totals after a part of an action. */
static void
work_until(const struct fake_i915_work *before, const struct fake_i915_work *work, uint64_t done,
           uint64_t all)
{
    for (unsigned i = 0; i < FAKE_I915_A; i++)
        total.a[i] = before->a[i] + work->a[i] * done / all;
    for (unsigned i = 0; i < 8; i++) {
        total.b[i] = before->b[i] + work->b[i] * done / all;
        total.c[i] = before->c[i] + work->c[i] * done / all;
    }
    total.clocks = before->clocks + work->clocks * done / all;
}

static void
pass(uint32_t ticks, const struct fake_i915_work *work)
{
    const struct fake_i915_work before = total;
    const uint64_t start = now;
    while (period && now / period < (start + ticks) / period) {
        now = (now / period + 1) * period;
        work_until(&before, work, now - start, ticks);
        write_report(TIMER);
    }
    now = start + ticks;
    if (ticks)
        work_until(&before, work, ticks, ticks);
}

void
fake_i915_run(uint32_t context, uint32_t ticks, const struct fake_i915_work *work)
{
    if (context != running) {
        running = context;
        if (!machine.haswell)
            write_report(SWITCH);
    }
    pass(ticks, work);
}

void
fake_i915_push(const void *bytes, size_t size)
{
    if (queued == QUEUE || size > RECORD)
        abort();
    memset(queue[queued], 0, RECORD);
    memcpy(queue[queued], bytes, size);
    queue_size[queued++] = (uint16_t)size;
}

bool
fake_i915_is_stream(int fd)
{
    return stream.open && fd == stream_fd;
}

void
fake_i915_refuse(int error)
{
    machine.open_error = error;
}

void
fake_i915_fail_read(int error)
{
    read_error = error;
}

void
fake_i915_idle(uint32_t ticks)
{
    static const struct fake_i915_work none;
    fake_i915_run(NO_CONTEXT, ticks, &none);
}

uint64_t
fake_i915_now(void)
{
    return now;
}

unsigned
fake_i915_queued(void)
{
    return queued;
}

void
fake_i915_lose_reports(unsigned reports)
{
    losing = reports;
}

void
fake_i915_tear_report(void)
{
    torn = true;
}

void
fake_i915_hold_back(unsigned records)
{
    unavailable = records;
}

void
fake_i915_lose_buffer(void)
{
    queued = unavailable = 0;
    push(3, NULL);
}

struct fake_i915_stream
fake_i915_stream(void)
{
    return stream;
}

/* The stream's file. */

static ssize_t
read_stream(void *file, void *buffer, size_t size)
{
    unsigned taken = 0;
    size_t filled = 0;
    (void)file;
    if (machine.clock)
        machine.clock();
    if (!stream.enabled)
        fake_kernel_violation("a stream is read that is not enabled (EIO)");
    if (read_error) {
        int error = read_error;
        read_error = 0;
        return -error;
    }
    unsigned available = queued > unavailable ? queued - unavailable : 0;
    while (taken < available && filled + queue_size[taken] <= size) {
        memcpy((uint8_t *)buffer + filled, queue[taken], queue_size[taken]);
        filled += queue_size[taken++];
    }
    if (taken == 0 && available)
        fake_kernel_violation("a read of %zu bytes has no room for a record (ENOSPC)", size);
    if (taken == 0)
        return -EAGAIN;
    queued -= taken;
    memmove(queue, queue[taken], (size_t)queued * RECORD);
    memmove(queue_size, queue_size + taken, queued * sizeof(queue_size[0]));
    return (ssize_t)filled;
}

static int
control_stream(void *file, unsigned long request, void *arg)
{
    (void)file;
    (void)arg;
    if (machine.clock)
        machine.clock();
    if (request == PP_I915_ENABLE) {
        stream.enabled = true;
        period = UINT64_C(2) << stream.exponent;
    } else if (request == PP_I915_DISABLE) {
        stream.enabled = false;
        period = 0;
    } else {
        fake_kernel_violation("ioctl %lx is none of a stream", request);
    }
    queued = unavailable = 0;
    lost_some = torn = false;
    return 0;
}

static void
close_stream(void *file)
{
    (void)file;
    (void)control_stream(NULL, PP_I915_DISABLE, NULL);
    stream.open = false;
}

static const struct fake_file_ops stream_ops = {
    .ioctl = control_stream, .read = read_stream, .close = close_stream};

/* The device's file. */

static struct config *
find_config(uint64_t id, const char *guid)
{
    for (unsigned i = 0; i < CONFIGS; i++)
        if (config[i].used && (guid ? memcmp(config[i].guid, guid, 36) == 0 : config[i].id == id))
            return &config[i];
    return NULL;
}

static int
perf_open(const struct pp_i915_perf_open *open)
{
    uint64_t given[16] = {0};
    uint64_t(*property)[2] = (void *)(uintptr_t)open->properties_ptr;
    bool has_exponent = false;
    if (open->flags & ~7U)
        fake_kernel_violation("a stream with the flags %x (EINVAL)", open->flags);
    /* This is allowed, but the collector must neither leak nor block. */
    if (!(open->flags & PP_I915_FD_CLOEXEC) || !(open->flags & PP_I915_FD_NONBLOCK))
        fake_kernel_violation("a stream that leaks to children, or blocks");
    if (open->properties == 0 || open->properties > 10)
        fake_kernel_violation("a stream with %u properties (EINVAL)", open->properties);
    for (uint32_t i = 0; i < open->properties; i++) {
        if (property[i][0] == 0 || property[i][0] > 5)
            fake_kernel_violation("a stream with the property %lu (EINVAL)", (unsigned long)property[i][0]);
        given[property[i][0]] = property[i][1];
        has_exponent |= property[i][0] == PP_I915_PROP_OA_EXPONENT;
    }
    uint64_t format = machine.haswell ? PP_I915_FORMAT_A45_B8_C8 : PP_I915_FORMAT_A32U40_A4U32_B8_C8;
    if (given[PP_I915_PROP_OA_FORMAT] != format || given[PP_I915_PROP_OA_EXPONENT] > 31 ||
        given[PP_I915_PROP_METRICS_SET] == 0 || given[PP_I915_PROP_SAMPLE_OA] != 1 || !has_exponent)
        fake_kernel_violation(
            "a stream of format %lu, exponent %lu%s, set %lu, sampling %lu (EINVAL)",
            (unsigned long)given[PP_I915_PROP_OA_FORMAT], (unsigned long)given[PP_I915_PROP_OA_EXPONENT],
            has_exponent ? "" : " (not given)", (unsigned long)given[PP_I915_PROP_METRICS_SET],
            (unsigned long)given[PP_I915_PROP_SAMPLE_OA]);
    uint64_t rate = 12000000 / (UINT64_C(2) << given[PP_I915_PROP_OA_EXPONENT]);
    if (machine.paranoid || (machine.max_rate && rate > (uint64_t)machine.max_rate))
        return -EACCES;
    if (machine.open_error)
        return -machine.open_error;
    if (stream.open || machine.busy)
        return -EBUSY;
    if (!find_config(given[PP_I915_PROP_METRICS_SET], NULL))
        return -EINVAL;
    if (machine.later_error)
        return -machine.later_error;
    stream.open = true;
    stream.enabled = false;
    stream.config = given[PP_I915_PROP_METRICS_SET];
    stream.format = given[PP_I915_PROP_OA_FORMAT];
    stream.exponent = given[PP_I915_PROP_OA_EXPONENT];
    stream_fd = fake_kernel_file(&stream_ops, &stream, 0);
    return stream_fd;
}

static bool
is_guid(const char *text)
{
    for (unsigned i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
            return false;
    }
    return true;
}

static bool
are_registers(uint64_t pointer, uint32_t count)
{
    uint32_t(*pair)[2] = (void *)(uintptr_t)pointer;
    for (uint32_t i = 0; i < count; i++)
        if (pair[i][0] == 0 || pair[i][0] % 4)
            return false;
    return true;
}

static int
add_config(const struct pp_i915_oa_config *add)
{
    unsigned i = 0;
    if (machine.paranoid)
        return -EACCES;
    if (!is_guid(add->uuid) || (!add->mux_regs && !add->boolean_regs && !add->flex_regs) ||
        !are_registers(add->mux_ptr, add->mux_regs) || !are_registers(add->boolean_ptr, add->boolean_regs) ||
        !are_registers(add->flex_ptr, add->flex_regs))
        fake_kernel_violation("a metric set %.36s with %u, %u and %u registers (EINVAL)", add->uuid,
                              add->mux_regs, add->boolean_regs, add->flex_regs);
    if (machine.set_error)
        return -machine.set_error;
    if (find_config(0, add->uuid))
        return -EADDRINUSE;
    while (i < CONFIGS && config[i].used)
        i++;
    if (i == CONFIGS)
        return -ENOMEM;
    config[i] = (struct config){.used = true, .id = next_id++};
    memcpy(config[i].guid, add->uuid, 36);
    memcpy(stream.guid, add->uuid, 36);
    stream.added++;
    stream.mux = add->mux_regs;
    stream.boolean = add->boolean_regs;
    stream.flex = add->flex_regs;
    return (int)config[i].id;
}

static int
remove_config(uint64_t id)
{
    if (machine.remove_error)
        return -machine.remove_error;
    if (machine.paranoid)
        return -EACCES;
    struct config *of = find_config(id, NULL);
    if (!of)
        return -ENOENT;
    if (machine.known_guid && memcmp(of->guid, machine.known_guid, 36) == 0)
        fake_kernel_violation("a metric set is removed that was there before");
    of->used = false;
    stream.removed++;
    return 0;
}

static int
get_parameter(const struct pp_i915_getparam *get)
{
    switch (get->param) {
    case PP_I915_PARAM_EU_TOTAL:
        *get->value = machine.eus;
        return 0;
    case PP_I915_PARAM_SLICE_MASK:
        *get->value = machine.slices;
        return 0;
    case PP_I915_PARAM_SUBSLICE_MASK:
        *get->value = machine.subslices;
        return 0;
    case PP_I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        *get->value = machine.haswell ? 12500000 : 12000000;
        return 0;
    default:
        return -EINVAL;
    }
}

static int
read_register(struct pp_i915_reg_read *ask)
{
    if (ask->offset != (PP_I915_RENDER_TIMESTAMP | PP_I915_REG_READ_8B_WA))
        fake_kernel_violation("REG_READ of %llx", (unsigned long long)ask->offset);
    ask->value = now & ((UINT64_C(1) << 36) - 1);
    return -machine.clock_error;
}

static int
control_device(void *file, unsigned long request, void *arg)
{
    (void)file;
    if (request == PP_I915_GETPARAM)
        return get_parameter(arg);
    if (request == PP_I915_REG_READ)
        return read_register(arg);
    if (request == PP_I915_PERF_OPEN)
        return perf_open(arg);
    if (request == PP_I915_ADD_CONFIG)
        return add_config(arg);
    if (request == PP_I915_REMOVE_CONFIG)
        return remove_config(*(const uint64_t *)arg);
    fake_kernel_violation("ioctl %lx is none of i915's", request);
}

static const struct fake_file_ops device_ops = {.ioctl = control_device};

void
fake_i915_start(const struct fake_i915 *of)
{
    machine = *of;
    memset(&stream, 0, sizeof(stream));
    memset(config, 0, sizeof(config));
    now = machine.first_tick;
    period = 0;
    running = NO_CONTEXT;
    losing = queued = unavailable = 0;
    torn = false;
    read_error = 0;
    lost_some = false;
    next_id = 2;
    for (unsigned i = 0; i < FAKE_I915_A; i++)
        total.a[i] = machine.first_count;
    for (unsigned i = 0; i < 8; i++)
        total.b[i] = total.c[i] = machine.first_count;
    total.clocks = machine.first_count;
    if (machine.known_guid) {
        config[0] = (struct config){.used = true, .id = machine.known_id};
        memcpy(config[0].guid, machine.known_guid, 36);
    }
    fake_kernel_claim(machine.node, &device_ops, &machine);
}
