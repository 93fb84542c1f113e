/** @file
 * See frame_times.h. Times of a frame and its verdict; and rows.h.
 *
 * GPU times of passes; */
#include "core/collect/rows/frame_times.h"

#include <assert.h>
#include <stdlib.h>

#include "core/events/system_counters.h"
#include "core/model/row.h"
#include "core/session/timeline.h"
#include "core/session/timeline_private.h"

/* A unit that works for at least this share of the time bounds the frame. */
#define BOUND_PERCENT 85U
/* A thread that ran for less than this part of its own time hardly ran. */
#define HARDLY_RAN 8

static int
compare_spans(const void *a, const void *b)
{
    const struct pp_frame_span *x = a;
    const struct pp_frame_span *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Remove the spans of parts that were not measured. @return Worst status of the others; PP_DISABLED: there
 * are none. */
static enum pp_status
keep_measured_spans(struct pp_frame_rows *rows)
{
    enum pp_status worst = PP_OK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rows->spans; i++) {
        if (rows->span[i].status == PP_DISABLED)
            continue;
        worst = pp_status_worse(worst, rows->span[i].status);
        rows->span[kept++] = rows->span[i];
    }
    rows->spans = kept;
    return kept ? worst : PP_DISABLED;
}

void
pp_frame_gpu_times(struct pp_frame_rows *rows, bool union_is_busy, bool complete)
{
    struct pp_frame_row *frame = &rows->row;
    uint32_t parts = rows->spans;
    enum pp_status worst = keep_measured_spans(rows);
    worst = complete ? worst : PP_NOT_AVAILABLE;
    union_is_busy = union_is_busy && rows->spans == parts;
    frame->gpu_start_ns = frame->gpu_time_ns = frame->gpu_busy_ns = pp_value_missing(worst);
    frame->gpu_wait_ns = frame->gpu_latency_ns = pp_value_missing(worst);
    if (!pp_status_has_value(worst))
        return;
    qsort(rows->span, rows->spans, sizeof(*rows->span), compare_spans);
    uint64_t begin = rows->span[0].begin_ns;
    uint64_t end = begin;
    uint64_t busy = 0;
    for (uint32_t i = 0; i < rows->spans; i++) {
        uint64_t from = rows->span[i].begin_ns > end ? rows->span[i].begin_ns : end;
        uint64_t to = rows->span[i].end_ns;
        busy += to > from ? to - from : 0;
        end = to > end ? to : end;
    }
    frame->gpu_start_ns = pp_value_ok(begin);
    frame->gpu_time_ns = pp_value_ok(end - begin);
    frame->gpu_busy_ns = union_is_busy ? pp_value_ok(busy) : pp_value_missing(PP_DISABLED);
    frame->gpu_wait_ns = union_is_busy ? pp_value_ok(end - begin - busy) : pp_value_missing(PP_DISABLED);
}

void
pp_frame_cpu_times(struct pp_frame_row *frame, const struct pp_frame_item *end)
{
    const struct pp_frame_times *times = &end->times;
    frame->cpu_start_ns = pp_value_ok(end->start_ns);
    frame->frame_time_ns = pp_value_ok(times->present_end_ns - end->start_ns);
    frame->cpu_busy_ns = pp_value_ok(times->present_begin_ns - end->start_ns);
    frame->cpu_wait_ns = pp_value_ok(times->present_end_ns - times->present_begin_ns);
    /* On the CPU's time axis the GPU may seem to start slightly before the frame, because clocks are not
     * exact enough. The latency is then too small to be measured. */
    if (pp_status_has_value(frame->gpu_start_ns.status))
        frame->gpu_latency_ns = frame->gpu_start_ns.value >= end->start_ns
                                    ? pp_value_ok(frame->gpu_start_ns.value - end->start_ns)
                                    : pp_value_missing(PP_REJECTED);
    frame->pipelines_created = times->pipelines_created;
    frame->pipeline_create_ns = times->pipeline_create_ns;
    frame->cpu_sync_ns = times->sync_ns;
    frame->cpu_acquire_ns = times->acquire_ns;
}

static bool
fills(uint64_t part, uint64_t whole)
{
    return part >= whole / 100 * BOUND_PERCENT;
}

/* How long the thread slept, if it did so for more than half of its own time, and longer than the GPU was
 * busy. It ran, or had no processor, for the rest. Where the time without a processor is not known, a thread
 * slept if it gave its processor away more often than it lost it. A thread that hardly ran slept, too, if it
 * gave it away at all: whatever it wakes, such as the threads of a software driver, may take it for a moment.
 */
static uint64_t
long_sleep(const struct pp_thread_times *thread, uint64_t own_ns, uint64_t gpu_ns)
{
    if (!thread->known || thread->ran_ns + thread->delay_ns >= own_ns)
        return 0;
    uint64_t slept_ns = own_ns - thread->ran_ns - thread->delay_ns;
    bool slept = thread->slept_often || (thread->slept && thread->ran_ns < own_ns / HARDLY_RAN);
    return slept && slept_ns > own_ns / 2 && slept_ns > gpu_ns ? slept_ns : 0;
}

const char *
pp_frame_bound_by(const struct pp_frame_row *row, const struct pp_frame_times *times,
                  const struct pp_thread_times *thread)
{
    uint64_t frame = row->frame_time_ns.value;
    uint64_t gpu = row->gpu_busy_ns.value;
    if (!pp_status_has_value(row->gpu_busy_ns.status) || frame == 0)
        return "";
    uint64_t present = row->cpu_wait_ns.value + times->acquire_ns;
    uint64_t sync = times->sync_ns;
    uint64_t cpu = frame > present + sync ? frame - present - sync : 0;
    uint64_t slept = long_sleep(thread, cpu, gpu);
    const char *own = slept ? "sleep" : "cpu";
    if (fills(gpu, frame))
        return "gpu";
    if (fills(cpu, frame))
        return own;
    /* neither is busy all the time: find out which one waits for the other */
    if (sync > present && sync >= frame / 4 && sync > slept)
        return "sync";
    if (present <= cpu)
        return own;
    return gpu > cpu && fills(gpu, present) ? "gpu" : "present";
}

struct pp_value
pp_pass_times_sum(struct pp_value a, struct pp_value b)
{
    enum pp_status worse = pp_status_worse(a.status, b.status);
    if (pp_status_has_value(worse) && a.value + b.value > PP_VALUE_MAX)
        return pp_value_missing(PP_REJECTED);
    return (struct pp_value){a.value + b.value, worse};
}

static void
add_span(struct pp_frame_rows *rows, struct pp_frame_span span)
{
    assert(rows->spans < rows->span_cap);
    rows->span[rows->spans++] = span;
}

void
pp_pass_times_add_part(struct pp_frame_rows *rows, uint32_t number, const struct pp_batch *batch,
                       const struct pp_pass *pass, const struct pp_bracket_times *times)
{
    bool one_by_one = batch->isolated == PP_ISOLATED_ALL || (batch->isolated == PP_ISOLATED_PASSES &&
                                                             (pass->flags & PP_PASS_ACTIONS_SERIALIZED) != 0);
    rows->build[number].one_by_one &= one_by_one;
    enum pp_status status = times->length_ns.status == PP_DISABLED
                                ? PP_DISABLED
                                : pp_status_worse(times->start_ns.status, times->end_ns.status);
    add_span(rows, (struct pp_frame_span){times->start_ns.value, times->end_ns.value, number, status});
}

void
pp_pass_times_add_action(struct pp_pass_build *build, bool isolated, struct pp_value time_ns)
{
    /* Without times inside of passes, the bracket of the pass is all there is. */
    build->one_by_one &= isolated && time_ns.status != PP_DISABLED && time_ns.status != PP_UNSUPPORTED;
    build->actions_ns = pp_pass_times_sum(build->actions_ns, time_ns);
    build->actions++;
}

/* Is the time of a pass the sum of its actions? Not if it has actions without rows. */
static bool
is_sum(const struct pp_frame_rows *rows, uint32_t pass)
{
    const struct pp_pass_build *build = &rows->build[pass];
    const struct pp_pass_row *row = &rows->row.pass[pass];
    uint64_t commands = (uint64_t)row->draws + row->dispatches + row->copies;
    return build->one_by_one && build->actions > 0 && build->actions >= commands;
}

/* Counters that are found by the timestamps of a bracket: those of the pass's bracket hold the gaps, too. Let
 * the pass have the sum of its actions instead, see pp_row_sums_of_passes(). */
static void
leave_to_actions(const struct pp_device *device, struct pp_pass_row *pass)
{
    for (uint32_t s = PP_SOURCE_TIME + 1; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        for (uint32_t k = 0; ops && ops->reads == PP_READ_STREAM && k < device->source_sets[s]; k++) {
            const struct pp_source_set *set = &device->source_set[s][k];
            for (uint32_t i = 0; set->set.layout && i < set->set.layout->fields; i++)
                if (set->column[i] != UINT16_MAX && pp_status_has_value(pass->counter[set->column[i]].status))
                    pass->counter[set->column[i]] = pp_value_missing(PP_DISABLED);
        }
    }
}

void
pp_pass_times_finish(struct pp_frame_rows *rows)
{
    struct pp_frame_row *frame = &rows->row;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rows->spans; i++)
        if (!is_sum(rows, rows->span[i].pass))
            rows->span[kept++] = rows->span[i];
    if (kept == rows->spans)
        return;
    rows->spans = kept;
    for (uint32_t i = 0; i < frame->passes; i++) {
        if (!is_sum(rows, i))
            continue;
        frame->pass[i].gpu_time_ns = rows->build[i].actions_ns;
        frame->pass[i].gpu_start_ns = pp_value_missing(PP_DISABLED); /* that of the first action: below */
        leave_to_actions(frame->timeline->device, &frame->pass[i]);
    }
    for (uint32_t i = 0; i < frame->actions; i++) {
        const struct pp_action_row *action = &frame->action[i];
        if (!is_sum(rows, action->pass))
            continue;
        struct pp_value *start_ns = &frame->pass[action->pass].gpu_start_ns;
        uint64_t begin_ns = action->gpu_start_ns.value;
        if (start_ns->status == PP_DISABLED ||
            (pp_status_has_value(action->gpu_start_ns.status) && begin_ns < start_ns->value))
            *start_ns = action->gpu_start_ns;
        add_span(rows, (struct pp_frame_span){
                           begin_ns, begin_ns + action->gpu_time_ns.value, action->pass,
                           pp_status_worse(action->gpu_start_ns.status, action->gpu_time_ns.status)});
    }
}
