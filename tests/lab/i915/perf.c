/** @file
 * Streams of i915-perf; see perf.h. The rules are those of the kernel's i915_perf module, Linux 6.1: one
 * stream at a time; a reader sees a report after the next turn of a timer of 5 ms. */
#include "tests/lab/i915/perf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>

#include <i915_drm.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/i915/oa.h"
#include "tests/lab/i915/perf_configs.h"
#include "tests/lab/i915/perf_open.h"
#include "tests/lab/i915/perf_refusals.h"
#include "tests/lab/report.h"

#define REPORTS        65536u /* the kernel's buffer of 16 MiB */
#define REASON_TIMER   (1u << 19)
#define REASON_SWITCH  (1u << 22)
#define CONTEXT_VALID8 (1u << 25) /* Broadwell */
#define CONTEXT_VALID9 (1u << 16)
#define NAP_NS         1000000

struct report {
    uint64_t written_ns;
    uint32_t word[I915_OA_BYTES / 4];
};

struct stream {
    struct lab_object object;
    struct i915_perf_ask ask;
    bool enabled, lost;
    uint64_t enabled_ns;
    uint64_t next_units; /* of the next periodic report; 0: none */
    uint32_t last_context;
    struct i915_counts counts; /* on Haswell: of the one context, as far as it came */
    struct report *report;     /* [REPORTS] */
    uint64_t written, taken;
    uint64_t left; /* reports that the OA unit still makes */
};

static struct stream *stream; /* the open one */
static const struct i915_context *current;

uint64_t
i915_perf_format(void)
{
    return stream && stream->enabled ? stream->ask.format : 0;
}

const struct i915_counts *
i915_perf_counts(const struct i915_context *running)
{
    if (i915.gpu->verx10 >= 120)
        return running ? &running->counts : &i915.counts;
    if (i915.gpu->verx10 >= 80 || !stream || !stream->ask.context)
        return &i915.counts;
    if (running && running->hardware_id == stream->ask.context)
        stream->counts = running->counts;
    return &stream->counts;
}

/* Writing. */

/* Haswell's reports name no context. */
static uint32_t
valid_bit(void)
{
    return i915.gpu->verx10 < 80 ? 0 : i915.gpu->verx10 < 90 ? CONTEXT_VALID8 : CONTEXT_VALID9;
}

static void
write_report(uint32_t reason)
{
    if (!stream || !stream->enabled || !stream->ask.sample || stream->left == 0)
        return;
    stream->left--;
    if (stream->written - stream->taken == REPORTS) {
        stream->lost = true;
        stream->taken++;
    }
    struct report *report = &stream->report[stream->written++ % REPORTS];
    uint32_t head = reason | (current ? valid_bit() : 0);
    const struct i915_counts *counts = i915.gpu->verx10 < 80 ? i915_perf_counts(current) : &i915.counts;
    i915_oa_report(report->word, stream->ask.format, head,
                   current ? current->hardware_id : I915_OA_NO_CONTEXT, counts);
    report->written_ns = i915_ns_of_units(i915.units);
}

void
i915_perf_switch(const struct i915_context *context)
{
    i915_perf_tick();
    (void)i915_perf_counts(current);
    current = context;
    if (i915.gpu->verx10 >= 80)
        write_report(REASON_SWITCH);
}

void
i915_perf_tick(void)
{
    if (!stream || !stream->next_units)
        return;
    while (i915.units >= stream->next_units) {
        uint64_t now = i915.units;
        i915.units = stream->next_units;
        write_report(REASON_TIMER);
        i915.units = now;
        stream->next_units += stream->ask.period_units;
        if (now > stream->next_units + REPORTS * stream->ask.period_units)
            stream->next_units = now; /* what no buffer holds */
    }
}

/* Without work, time goes on, too. */
static void
catch_up(void)
{
    uint64_t now = i915_units_now();
    if (now > i915.units)
        i915.units = now;
    i915_perf_tick();
}

/* Reading. */

/* The time of the timer's last turn: what was written before it can be read. */
static uint64_t
last_turn_ns(void)
{
    uint64_t period = stream->ask.poll_ns;
    return stream->enabled_ns + (lab_now_ns() - stream->enabled_ns) / period * period;
}

static bool
can_read(void)
{
    return stream->lost || (stream->taken != stream->written &&
                            stream->report[stream->taken % REPORTS].written_ns <= last_turn_ns());
}

static void
put_record(uint8_t *to, uint32_t type, const void *data, size_t size)
{
    struct drm_i915_perf_record_header head = {.type = type, .size = (uint16_t)(sizeof(head) + size)};
    memcpy(to, &head, sizeof(head));
    if (size)
        memcpy(to + sizeof(head), data, size);
}

/* A stream of one context sees others' reports only where it leaves off, and without their number. */
static bool
pass_filter(uint32_t *word)
{
    uint32_t wanted = stream->ask.context, context = word[2];
    if (i915.gpu->verx10 < 80)
        return true;
    if (!(word[0] & valid_bit()))
        context = word[2] = I915_OA_NO_CONTEXT;
    if (!wanted)
        return true;
    bool seen = context == wanted || stream->last_context == wanted || word[0] & REASON_SWITCH;
    if (seen && context != wanted)
        word[2] = I915_OA_NO_CONTEXT;
    if (seen)
        stream->last_context = context;
    return seen;
}

/* Whole records. @return bytes; 0: nothing to read; -ENOSPC: not enough memory for one record. */
static ssize_t
take(uint8_t *buffer, size_t size)
{
    const size_t head = sizeof(struct drm_i915_perf_record_header);
    size_t used = 0;
    while (can_read()) {
        size_t need = head + (stream->lost ? 0 : I915_OA_BYTES);
        if (size - used < need)
            return used ? (ssize_t)used : -ENOSPC;
        if (stream->lost) {
            put_record(buffer + used, DRM_I915_PERF_RECORD_OA_REPORT_LOST, NULL, 0);
            stream->lost = false;
            used += need;
            continue;
        }
        uint32_t *word = stream->report[stream->taken++ % REPORTS].word;
        if (!pass_filter(word))
            continue;
        put_record(buffer + used, DRM_I915_PERF_RECORD_SAMPLE, word, I915_OA_BYTES);
        used += need;
    }
    return (ssize_t)used;
}

static ssize_t
stream_read(struct lab_object *object, void *buffer, size_t size, bool may_block)
{
    ssize_t got = 0;
    (void)object;
    pthread_mutex_lock(&lab_lock);
    for (;;) {
        if (!stream->enabled || !stream->ask.sample || (may_block && !stream->ask.period_units)) {
            got = -EIO;
            break;
        }
        catch_up();
        got = -i915_perf_refusal("READ");
        if (got == 0)
            got = take(buffer, size);
        if (got != 0 || !may_block)
            break;
        pthread_mutex_unlock(&lab_lock);
        (void)nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        pthread_mutex_lock(&lab_lock);
    }
    if (got >= 0)
        lab_log("perf_read bytes=%zd", got);
    pthread_mutex_unlock(&lab_lock);
    return got ? got : -EAGAIN;
}

static short
stream_poll(struct lab_object *object)
{
    (void)object;
    pthread_mutex_lock(&lab_lock);
    if (stream->enabled)
        catch_up();
    short events = stream->enabled && stream->ask.sample && can_read() ? POLLIN : 0;
    pthread_mutex_unlock(&lab_lock);
    return events;
}

/* Ioctls of the stream. */

static void
enable(bool on)
{
    if (stream->enabled == on)
        return;
    stream->enabled = on;
    stream->written = stream->taken = 0;
    stream->lost = false;
    stream->enabled_ns = lab_now_ns();
    if (i915_units_now() > i915.units)
        i915.units = i915_units_now();
    stream->next_units = stream->ask.period_units ? i915.units + stream->ask.period_units : 0;
    lab_log("perf_%s", on ? "enable" : "disable");
}

static int
configure(uint64_t number)
{
    uint64_t old = stream->ask.config;
    if (!i915_perf_config_exists(number))
        return -EINVAL;
    stream->ask.config = number;
    lab_log("perf_config number=%llu", (unsigned long long)number);
    return (int)old;
}

static int
stream_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    int status = 0;
    (void)object;
    pthread_mutex_lock(&lab_lock);
    const char *call = request == I915_PERF_IOCTL_ENABLE    ? "ENABLE"
                       : request == I915_PERF_IOCTL_DISABLE ? "DISABLE"
                       : request == I915_PERF_IOCTL_CONFIG  ? "CONFIG"
                                                            : NULL;
    if (!call) {
        LAB_FAULT("a stream of i915-perf has no ioctl 0x%lx", request);
        status = -EINVAL;
    } else if ((status = -i915_perf_refusal(call))) {
        lab_log("perf_refused call=%s error=%d", call, -status);
    } else if (request == I915_PERF_IOCTL_CONFIG) {
        status = configure((uint64_t)(uintptr_t)arg);
    } else {
        enable(request == I915_PERF_IOCTL_ENABLE);
    }
    pthread_mutex_unlock(&lab_lock);
    return status;
}

static void
stream_release(struct lab_object *object)
{
    struct stream *closed = (struct stream *)object;
    pthread_mutex_lock(&lab_lock);
    lab_log("perf_close");
    stream = NULL;
    i915_perf_give_unit();
    pthread_mutex_unlock(&lab_lock);
    free(closed->report);
    free(closed);
}

static const struct lab_operations stream_operations = {
    .name = "stream of i915-perf",
    .link = "anon_inode:[i915-perf]",
    .ioctl = stream_ioctl,
    .read = stream_read,
    .poll = stream_poll,
    .release = stream_release,
};

/* Opening. */

static int
open_stream(struct stream *made)
{
    int flags = made->ask.flags & I915_PERF_FLAG_FD_CLOEXEC ? EFD_CLOEXEC : 0;
    flags |= made->ask.flags & I915_PERF_FLAG_FD_NONBLOCK ? EFD_NONBLOCK : 0;
    made->object.operations = &stream_operations;
    made->last_context = I915_OA_NO_CONTEXT;
    made->report = calloc(REPORTS, sizeof(*made->report));
    int fd = made->report ? eventfd(0, flags) : -1;
    fd = fd < 0 ? -ENOMEM : lab_descriptor_add(fd, &made->object);
    if (fd < 0)
        free(made->report);
    return fd;
}

/* The stream of another owner. */

static int
other_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    (void)object;
    (void)arg;
    LAB_FAULT("ioctl %lx to the stream of another owner", request);
    return 0;
}

static void
other_release(struct lab_object *object)
{
    (void)object;
}

void
i915_perf_open_other(void)
{
    static const struct lab_operations operations = {.name = "stream of another owner",
                                                     .link = "anon_inode:[i915-perf]",
                                                     .ioctl = other_ioctl,
                                                     .release = other_release};
    static struct lab_object object = {.operations = &operations};
    int fd = eventfd(0, EFD_CLOEXEC);
    if (fd >= 0)
        (void)lab_descriptor_add(fd, &object);
}

int
i915_perf_open(struct lab_client *client, void *arg)
{
    struct i915_perf_ask ask;
    int status = i915_perf_ask_read(client, arg, &ask);
    if (status == 0)
        status = stream ? -EBUSY : -i915_perf_refusal("OPEN");
    if (status == 0 && !i915_perf_config_exists(ask.config)) /* the kernel looks for it last */
        status = -EINVAL;
    if (status) {
        lab_log("perf_open refused=%d", -status);
        return status;
    }
    struct stream *made = calloc(1, sizeof(*made));
    if (!made)
        return -ENOMEM;
    const char *reports = getenv("LAB_PERF_REPORTS");
    made->ask = ask;
    made->left = reports ? strtoull(reports, NULL, 10) : UINT64_MAX;
    int fd = i915_perf_take_unit();
    fd = fd ? fd : open_stream(made);
    if (fd < 0) {
        free(made);
        return fd;
    }
    stream = made;
    lab_log("perf_open config=%llu format=%llu exponent=%d context=%u", (unsigned long long)ask.config,
            (unsigned long long)ask.format, ask.exponent, ask.context);
    if (!(ask.flags & I915_PERF_FLAG_DISABLED))
        enable(true);
    return fd;
}
