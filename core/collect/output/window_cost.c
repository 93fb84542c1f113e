/** @file
 * See window_cost.h. */
#include "core/collect/output/window_cost.h"

#include "core/engine/session_private.h"
#include "core/session/timeline_private.h"

bool
pp_window_cost_counts(const struct pp_session *session, const struct pp_frame_item *end)
{
    const struct pp_frame_bounds bounds = pp_frame_window_bounds(&session->config, &session->frames.window);
    return end->head.kind == PP_ITEM_FRAME_END && bounds.any &&
           pp_frame_bounds_hold(&bounds, end->frame, end->start_ns);
}

static struct pp_window_counts
counts_now(const struct pp_session *session, uint64_t brackets)
{
    return (struct pp_window_counts){.hooks_ns = atomic_load(&session->own.sum_ns),
                                     .collector_ns = pp_recording_collector_ns(session),
                                     .brackets = brackets};
}

void
pp_window_cost_begin(struct pp_window_cost *cost, const struct pp_session *session, uint64_t brackets)
{
    if (!cost->frames)
        cost->from = cost->to = counts_now(session, brackets);
}

void
pp_window_cost_add(struct pp_window_cost *cost, const struct pp_session *session,
                   const struct pp_frame_item *end, uint64_t hooks_ns, uint64_t brackets)
{
    cost->frames++;
    cost->frame_time_ns += end->times.present_end_ns - end->start_ns;
    pp_overhead_add(&cost->hooks[end->level], hooks_ns);
    cost->to = counts_now(session, brackets);
}

void
pp_window_cost_write(const struct pp_window_cost *cost, const char *name, struct pp_json *json)
{
    uint64_t rest = cost->to.hooks_ns - cost->from.hooks_ns;
    uint64_t hooks = rest, usual = rest, collector = cost->to.collector_ns - cost->from.collector_ns;
    for (unsigned i = 0; i <= PP_LEVEL_DRAW; i++) {
        hooks += atomic_load(&cost->hooks[i].sum_ns);
        usual += pp_overhead_median(&cost->hooks[i]);
    }
    pp_json_open(json, name, '{');
    pp_json_u64(json, "frames", cost->frames);
    pp_json_u64(json, "brackets", cost->to.brackets - cost->from.brackets);
    pp_json_u64(json, "hooks_cpu_ns", hooks);
    pp_json_u64(json, "hooks_usual_ns", usual);
    pp_json_u64(json, "collector_cpu_ns", collector);
    pp_json_u64(json, "frame_time_ns", cost->frame_time_ns);
    if (cost->frame_time_ns)
        pp_json_double(json, "percent", 100.0 * (double)(usual + collector) / (double)cost->frame_time_ns);
    pp_json_close(json, '}');
}

/* Write a bound; an open one as null. */
static void
write_bound(struct pp_json *json, const char *name, uint64_t bound, uint64_t open)
{
    if (bound == open)
        pp_json_text(json, name, NULL);
    else
        pp_json_u64(json, name, bound);
}

void
pp_window_cost_json(const struct pp_window_cost *cost, const struct pp_session *session, struct pp_json *json)
{
    char text[2048];
    const struct pp_frame_bounds bounds = pp_frame_window_bounds(&session->config, &session->frames.window);
    if (!bounds.any) {
        pp_json_text(json, "window", NULL);
        return;
    }
    pp_frame_window_text(&session->config, text, sizeof(text));
    pp_json_open(json, "window", '{');
    pp_json_text(json, "options", text);
    pp_json_bool(json, "begun", bounds.begun);
    pp_json_u64(json, "first_frame", bounds.first);
    write_bound(json, "last_frame", bounds.last, UINT64_MAX);
    write_bound(json, "from_ns", bounds.begin_ns, 0);
    write_bound(json, "to_ns", bounds.end_ns, UINT64_MAX);
    pp_window_cost_write(cost, "own_cost", json);
    pp_json_close(json, '}');
}
