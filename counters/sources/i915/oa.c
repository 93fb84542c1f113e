/** @file
 * The source "oa" by i915-perf; see kernel_sources.h. */
#include "counters/sources/kernel/kernel_sources.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters/oa/oa_events.h"
#include "counters/oa/oa_history.h"
#include "counters/oa/oa_report.h"
#include "counters/sources/i915/i915.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

/* Some five seconds of reports. */
#define REPORTS 32768
/* Frames between two attempts to get the OA unit. */
#define TRY_EVERY 64
/* The GPU's timestamp is read again after this time. A timestamp of OpenGL is ambiguous if it is 68.7 seconds
 * older or newer than it or, where Mesa rounds the clock near a wrap of 32 bits, a third of a second. */
#define CLOCK_AGE_NS 50000000

struct layout {
    struct layout *next;
    struct pp_layout layout;
    size_t events;
    uint32_t *event;
    struct pp_field *field;
    uint32_t *from; /* per field: the field of the report */
};

struct oa {
    /* immutable after open */
    char reason[PP_REASON_BYTES]; /* "": there is a GPU */
    struct pp_i915 i915;
    struct pp_oa_events events;
    pthread_mutex_t lock;
    /* guarded by lock */
    struct layout *layouts;
    struct pp_i915_stream stream;
    uint32_t set; /* the set that is measured; UINT32_MAX: none */
    int refused;  /* -errno of the last attempt to open a stream; 0: it was opened */
    unsigned refusals;
    struct pp_oa_history history;
    bool clock_read; /* clock_ticks was the GPU's timestamp at clock_read_ns */
    uint64_t clock_ticks, clock_read_ns;
    bool whole_ns; /* see pp_i915_clock_ticks_of_any() */
    uint8_t buffer[65536];
};

/* The interface: events. */

static int
oa_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct oa *oa = self;
    if (oa->events.events > 0 || i > 0)
        return pp_oa_events_describe(&oa->events, i, ret_event);
    *ret_event = (struct pp_event){
        .name = "GpuCoreClocks",
        .description = "Clocks of the GPU's core: with an Intel GPU its metric sets stand here.",
        .reason = oa->reason,
        .unit = PP_UNIT_CYCLES,
    };
    return 0;
}

static int
oa_fits(void *self, const uint32_t *event, size_t events)
{
    const struct oa *oa = self;
    return pp_oa_events_fit(&oa->events, event, events);
}

static int
oa_default_event(void *self, uint32_t i, uint32_t *ret_event)
{
    const struct oa *oa = self;
    return pp_oa_events_default(&oa->events, i, ret_event);
}

/* If the machine has several Intel GPUs, the ids must be equal. */
static bool
oa_counts(void *self, uint32_t vendor, uint32_t gpu)
{
    const struct oa *oa = self;
    return vendor == PP_VENDOR_INTEL && oa->i915.pci && (gpu ? gpu == oa->i915.pci : !oa->i915.several);
}

static int
oa_variable(void *self, uint32_t i, const char **ret_name, double *ret_value)
{
    const struct oa *oa = self;
    return pp_oa_events_variable(&oa->events, i, ret_name, ret_value);
}

/* The interface: layouts. */

static void
free_layout(struct layout *layout)
{
    if (!layout)
        return;
    free(layout->event);
    free(layout->field);
    free(layout->from);
    free(layout);
}

/* Choose the fields of a report that the events' formulas read, as sums of 64 bits; always the GPU's time. */
static int
choose_fields(const struct oa *oa, struct layout *to)
{
    const struct pp_layout *report = oa->i915.gpu.layout;
    uint32_t count = 0;
    bool *is_read = calloc(report->fields, sizeof(*is_read));
    int rc =
        is_read ? pp_oa_events_read_fields(&oa->events, to->event, to->events, report, is_read) : -ENOMEM;
    for (uint32_t f = 0; f < report->fields && rc == 0; f++) {
        const struct pp_field *field = &report->field[f];
        bool is_time = field->mode == PP_FIELD_WRAPS && strcmp(field->name, "GPU_TIME") == 0;
        if (!is_read[f] && !is_time)
            continue;
        to->from[count] = f;
        to->field[count] = *field;
        to->field[count].mode = PP_FIELD_DELTA;
        to->field[count].part[0] = (struct pp_field_part){.offset = 8 * count, .bits = 64};
        to->field[count].part[1] = (struct pp_field_part){.bits = 0};
        count++;
    }
    free(is_read);
    to->layout = (struct pp_layout){.name = "oa-sum", .size = 8 * count, .fields = count, .field = to->field};
    return rc;
}

static struct layout *
make_layout(const struct oa *oa, const uint32_t *event, size_t events)
{
    uint32_t fields = oa->i915.gpu.layout->fields;
    struct layout *layout = calloc(1, sizeof(*layout));
    if (!layout)
        return NULL;
    layout->events = events;
    layout->event = calloc(events, sizeof(*event));
    layout->field = calloc(fields, sizeof(*layout->field));
    layout->from = calloc(fields, sizeof(*layout->from));
    if (layout->event && layout->field && layout->from) {
        memcpy(layout->event, event, events * sizeof(*event));
        if (choose_fields(oa, layout) == 0)
            return layout;
    }
    free_layout(layout);
    return NULL;
}

static struct layout *
find_layout_locked(struct oa *oa, const uint32_t *event, size_t events)
{
    struct layout *layout = oa->layouts;
    while (layout && (layout->events != events || memcmp(layout->event, event, events * sizeof(*event)) != 0))
        layout = layout->next;
    if (layout || !oa_fits(oa, event, events))
        return layout;
    layout = make_layout(oa, event, events);
    if (layout) {
        layout->next = oa->layouts;
        oa->layouts = layout;
    }
    return layout;
}

static const struct pp_layout *
oa_layout(void *self, const uint32_t *event, size_t events)
{
    struct oa *oa = self;
    (void)pthread_mutex_lock(&oa->lock);
    const struct layout *layout = find_layout_locked(oa, event, events);
    (void)pthread_mutex_unlock(&oa->lock);
    return layout ? &layout->layout : NULL;
}

static int
oa_formulas(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program)
{
    const struct pp_layout *layout = oa_layout(self, event, events);
    if (!layout)
        return -EINVAL;
    const struct oa *oa = self;
    return pp_oa_events_compile(&oa->events, event, events, layout->field, layout->fields, ret_program);
}

/* The interface: the stream. */

/* Read all reports that a stream has. A malformed record ends the records of one read(). */
static int
drain_stream(struct oa *oa, int fd)
{
    for (unsigned i = 0; i < 256; i++) {
        ssize_t got = read(fd, oa->buffer, sizeof(oa->buffer));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0 || errno == EAGAIN ? 0 : -errno;
        int rc = pp_oa_history_add(&oa->history, oa->buffer, (size_t)got);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The presenting thread opens the streams and the collector reads them. */
static int
drain_locked(struct oa *oa)
{
    if (oa->stream.fd < 0)
        return 0;
    int fd = pp_fd_borrow(oa->stream.fd);
    int rc = fd < 0 ? fd : drain_stream(oa, fd);
    pp_fd_give_back(fd);
    return rc;
}

/* Change the set. The reports of earlier frames stay in the history. */
static int
select_locked(struct oa *oa, uint32_t set)
{
    if (oa->set == set)
        return 0;
    if (set != UINT32_MAX && oa->refused && ++oa->refusals % TRY_EVERY != 0)
        return oa->refused;
    if (pp_sandbox_entered()) /* opening a stream opens files; without asking, no descriptor may be closed */
        return -ECONNREFUSED;
    (void)drain_locked(oa);
    pp_i915_stream_close(&oa->i915, &oa->stream);
    oa->set = UINT32_MAX;
    if (set == UINT32_MAX)
        return 0;
    int rc = pp_i915_stream_open(&oa->i915, set, PP_I915_PERIOD_NS, &oa->stream);
    oa->refused = rc;
    if (rc == 0) {
        pp_oa_history_change(&oa->history, set);
        oa->set = set;
    }
    return rc;
}

static int
oa_select(void *self, const uint32_t *event, size_t events)
{
    struct oa *oa = self;
    int saved = errno;
    int rc = -EINVAL;
    (void)pthread_mutex_lock(&oa->lock);
    if (events == 0)
        rc = select_locked(oa, UINT32_MAX);
    else if (oa_fits(oa, event, events))
        rc = select_locked(oa, oa->events.event[event[0]].set);
    (void)pthread_mutex_unlock(&oa->lock);
    errno = saved;
    return rc;
}

static void
oa_explain(void *self, int error, char *text)
{
    const struct oa *oa = self;
    pp_i915_explain(&oa->i915, error, text);
}

static uint64_t
monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Read the GPU's timestamp again if the last reading is old. */
static void
read_clock_locked(struct oa *oa)
{
    uint64_t now_ns = monotonic_ns();
    if (oa->clock_read && now_ns - oa->clock_read_ns < CLOCK_AGE_NS)
        return;
    int fd = pp_fd_borrow(oa->i915.fd);
    oa->clock_read = fd >= 0 && pp_i915_clock_read(fd, &oa->clock_ticks) == 0;
    pp_fd_give_back(fd);
    oa->clock_read_ns = now_ns;
}

/* Convert a timestamp of an API to the OA unit's ticks. OpenGL returns nanoseconds, rounded down. Vulkan
 * returns the ticks themselves; their period is rounded to a float, too coarse to multiply with. */
static uint32_t
ticks_locked(struct oa *oa, uint64_t ticks, double tick_ns)
{
    double factor = tick_ns * (double)oa->i915.timestamp_hz / 1e9;
    if (factor > 0.9999 && factor < 1.0001)
        return (uint32_t)ticks;
    uint64_t ns = tick_ns == 1.0 ? ticks : (uint64_t)((double)ticks * tick_ns);
    if (oa->clock_read)
        return pp_i915_clock_ticks_of_any(ns, oa->clock_ticks, oa->i915.timestamp_hz, &oa->whole_ns);
    return (uint32_t)pp_oa_ns_to_ticks(ns, oa->i915.timestamp_hz);
}

/* @param end The bracket's begin and end, in ticks. */
static int
between_locked(struct oa *oa, const struct layout *layout, const uint32_t *end, bool serialized,
               uint8_t *ret_snapshot, uint8_t *ret_status)
{
    struct pp_oa_sum sum;
    uint8_t status = PP_OK;
    uint32_t set = oa->events.event[layout->event[0]].set;
    int drained = 0;
    int rc = pp_oa_history_between(&oa->history, set, end[0], end[1], serialized, &sum);
    if (rc == -EAGAIN) {
        drained = drain_locked(oa);
        rc = pp_oa_history_between(&oa->history, set, end[0], end[1], serialized, &sum);
    }
    if (rc == -EAGAIN && drained)
        return drained;
    if (rc == -EAGAIN && oa->set == UINT32_MAX) { /* no report will come any more */
        memset(ret_snapshot, 0, layout->layout.size);
        *ret_status = PP_DISABLED;
        return 0;
    }
    for (uint32_t f = 0; f < layout->layout.fields && rc == 0; f++) {
        uint64_t value = htole64(sum.value[layout->from[f]]);
        memcpy(ret_snapshot + (size_t)8 * f, &value, sizeof(value));
        if (sum.status[layout->from[f]] > status)
            status = sum.status[layout->from[f]];
    }
    if (rc == 0)
        *ret_status = status;
    return rc;
}

static int
oa_between(void *self, const uint32_t *event, size_t events, uint64_t begin_ticks, uint64_t end_ticks,
           double tick_ns, bool serialized, uint8_t *ret_snapshot, uint8_t *ret_status)
{
    struct oa *oa = self;
    int saved = errno;
    (void)pthread_mutex_lock(&oa->lock);
    if (tick_ns == 1.0)
        read_clock_locked(oa);
    const uint32_t end[2] = {ticks_locked(oa, begin_ticks, tick_ns), ticks_locked(oa, end_ticks, tick_ns)};
    const struct layout *layout = find_layout_locked(oa, event, events);
    int rc = layout ? between_locked(oa, layout, end, serialized, ret_snapshot, ret_status) : -EINVAL;
    (void)pthread_mutex_unlock(&oa->lock);
    errno = saved;
    return rc;
}

static const struct pp_source_ops oa_ops = {
    .name = "oa",
    .event = oa_event,
    .fits = oa_fits,
    .layout = oa_layout,
    .default_event = oa_default_event,
    .counts = oa_counts,
    .formulas = oa_formulas,
    .between = oa_between,
    .select = oa_select,
    .explain = oa_explain,
    .note = PP_TEXT_OA_STREAM,
    .peaks = "intel-oa",
    .clocks = "GpuCoreClocks",
    .variable = oa_variable,
    .reads = PP_READ_STREAM,
};

/* Opening. */

static int
use_gpu(struct oa *oa)
{
    const struct pp_oa_machine machine = {.layout = oa->i915.gpu.layout,
                                          .gen = oa->i915.gpu.gen,
                                          .timestamp_hz = oa->i915.timestamp_hz,
                                          .max_clock_hz = oa->i915.max_clock_hz,
                                          .eus = oa->i915.eus};
    int rc = pp_oa_history_init(&oa->history, &machine, REPORTS);
    return rc ? rc
              : pp_oa_events_init(&oa->events, &oa->i915.gpu, oa->i915.variable, oa->i915.variables,
                                  PP_TEXT_I915_FUSED);
}

int
pp_oa_source_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret)
{
    struct oa *oa = calloc(1, sizeof(*oa));
    if (!oa)
        return -ENOMEM;
    (void)pthread_mutex_init(&oa->lock, NULL);
    oa->set = UINT32_MAX;
    oa->stream = (struct pp_i915_stream){.fd = -1, .config = {.id = -1}};
    *ret = (struct pp_event_source){&oa_ops, oa};
    int rc = pp_i915_open(paths, &oa->i915, oa->reason) == 0 ? use_gpu(oa) : 0;
    if (rc)
        pp_oa_source_close(ret);
    return rc;
}

void
pp_oa_source_close(const struct pp_event_source *source)
{
    struct oa *oa = source->self;
    pp_i915_stream_close(&oa->i915, &oa->stream);
    pp_i915_close(&oa->i915);
    pp_oa_history_finish(&oa->history);
    while (oa->layouts) {
        struct layout *next = oa->layouts->next;
        free_layout(oa->layouts);
        oa->layouts = next;
    }
    pp_oa_events_finish(&oa->events);
    (void)pthread_mutex_destroy(&oa->lock);
    free(oa);
}
