/** @file
 * See flatten_sum.h. */
#include "layer/submit/flatten_sum.h"

static void
add_to_sum(const struct pp_cmdbuf *cb, struct pp_flatten_sum *sum)
{
    sum->has_passes = sum->has_passes || cb->action_list.passes > 0;
    for (uint32_t p = 0; p < cb->action_list.passes && !sum->has_actions; p++)
        sum->has_actions = cb->action_list.pass[p].kind != PP_PASS_BARRIER;
    for (int kind = 0; kind < PP_QUERY_KINDS && !sum->queries; kind++)
        sum->queries = pp_query_need_reset(&cb->queries[kind]);
    /* Was the buffer recorded without brackets although its queue allows them? */
    bool silent = cb->pool->inject && !cb->inject && !cb->usage.secondary && !cb->no_queries;
    bool coarse = cb->tracker.level == PP_LEVEL_FRAME || silent;
    sum->collapse = sum->collapse || (cb->action_list.passes > 0 && coarse);
    sum->left_out = sum->left_out || (cb->action_list.passes > 0 && cb->tracker.level == PP_LEVEL_FRAME);
    for (uint32_t i = 0; i < cb->execs.count; i++)
        add_to_sum(cb->execs.list[i].secondary, sum);
}

void
pp_flatten_look(struct pp_cmdbuf *const *buffers, uint32_t count, enum pp_level level,
                struct pp_flatten_sum *ret_sum)
{
    *ret_sum = (struct pp_flatten_sum){.collapse = level == PP_LEVEL_FRAME};
    for (uint32_t i = 0; i < count; i++)
        if (buffers[i])
            add_to_sum(buffers[i], ret_sum);
}

void
pp_flatten_labels(struct pp_session *session, struct pp_cmdbuf *const *buffers, uint32_t count,
                  struct pp_vk_labels *io_open)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct pp_cmdbuf *cb = buffers[i];
        if (!cb || !pp_vk_has_labels(cb))
            continue;
        io_open->label = pp_session_label_join(session, io_open->label, cb->tracker.label, cb->labels.region);
        io_open->carried -=
            cb->labels.closed_outer < io_open->carried ? cb->labels.closed_outer : io_open->carried;
        io_open->carried += cb->labels.open;
        if (io_open->queue + io_open->carried == 0)
            io_open->label = 0;
    }
}
