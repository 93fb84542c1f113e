/** @file
 * See whole.h. */
#include "layer/record/whole.h"

#include "layer/record/bracket.h"

/* Timestamps of a command buffer: at its begin and its end. */
#define TIMES 2U

bool
pp_vk_whole_allowed(const struct pp_cmdbuf *cb)
{
    return cb->inject && !cb->usage.secondary && !cb->usage.simultaneous && !cb->dev->measured.serialize &&
           !cb->dev->quirk.results_wait;
}

void
pp_vk_whole_begin(struct pp_cmdbuf *cb)
{
    if (!cb->whole.on || cb->whole.begin != PP_NO_QUERY)
        return;
    cb->queries[PP_QUERY_TIME].expected = TIMES;
    if (!cb->perf.on)
        pp_query_prepare(cb, PP_QUERY_TIME);
    cb->whole.begin = pp_vk_bracket_write_time(cb, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    cb->whole.on = cb->whole.begin != PP_NO_QUERY;
}

void
pp_vk_whole_resume(struct pp_cmdbuf *cb)
{
    if (cb->whole.begin == PP_NO_QUERY)
        cb->whole.on = false;
}

/* Does a secondary suspend or resume a pass? */
static bool
splits_pass(const struct pp_cmdbuf *secondary)
{
    for (uint32_t p = 0; secondary && p < secondary->action_list.passes; p++)
        if (secondary->action_list.pass[p].flags & (PP_PASS_SUSPENDED | PP_PASS_CONTINUED))
            return true;
    for (uint32_t i = 0; secondary && i < secondary->execs.count; i++)
        if (splits_pass(secondary->execs.list[i].secondary))
            return true;
    return false;
}

void
pp_vk_whole_execute(struct pp_cmdbuf *cb, uint32_t count, const VkCommandBuffer *secondaries)
{
    for (uint32_t i = 0; i < count && cb->whole.on; i++)
        cb->whole.on = !splits_pass(pp_cmdbuf_find(secondaries[i]));
    if (!cb->instance.open)
        pp_vk_whole_begin(cb);
}

void
pp_vk_whole_end(struct pp_cmdbuf *cb)
{
    if (cb->whole.on && cb->whole.begin != PP_NO_QUERY && !cb->instance.suspended)
        cb->whole.end = pp_vk_bracket_write_time(cb, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
}

static bool
is_empty(const struct pp_cmdbuf *cb)
{
    return cb->action_list.passes == 0 && cb->execs.count == 0 && cb->whole.begin == PP_NO_QUERY;
}

bool
pp_vk_whole_find(struct pp_cmdbuf *const *buffers, uint32_t count, const struct pp_cmdbuf **ret_first,
                 const struct pp_cmdbuf **ret_last)
{
    const struct pp_cmdbuf *first = NULL, *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (buffers[i] && is_empty(buffers[i]))
            continue;
        last = buffers[i];
        first = first ? first : last;
        if (!first)
            return false; /* a buffer that the layer does not know comes first */
    }
    if (!last || first->whole.begin == PP_NO_QUERY || last->whole.end == PP_NO_QUERY)
        return false;
    *ret_first = first;
    *ret_last = last;
    return true;
}
