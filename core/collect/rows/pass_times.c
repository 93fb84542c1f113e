/** @file
 * GPU times of passes; see pass_times.h. */
#include "core/collect/rows/pass_times.h"

#include <assert.h>

#include "core/session/timeline_private.h"

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
