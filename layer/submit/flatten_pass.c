/** @file
 * See flatten_pass.h. */
#include "layer/submit/flatten_pass.h"

#include <assert.h>
#include <errno.h>

#include "core/util/array.h"
#include "layer/readback/perf_retire.h"

/* Add a bracket to the batch, without results so far. @return Its number; PP_FLATTEN_NOWHERE: no memory. */
static uint32_t
add_bracket(struct pp_flatten_run *flat, uint8_t want)
{
    struct pp_vk_readback *readback = flat->readback;
    int rc =
        pp_array_grow(&readback->slot, &readback->slot_cap, readback->slots + 1, sizeof(*readback->slot));
    if (rc != 0)
        return PP_FLATTEN_NOWHERE;
    readback->slot[readback->slots] =
        (struct pp_result_slot){.begin = PP_NO_OFFSET, .end = PP_NO_OFFSET, .want = want};
    flat->batch->action_list.brackets = readback->slots + 1;
    return readback->slots++;
}

void
pp_flatten_pass_count(struct pp_pass *to, const struct pp_pass *from)
{
    to->draws += from->draws;
    to->dispatches += from->dispatches;
    to->copies += from->copies;
    to->cleared |= from->cleared;
    to->discarded |= from->discarded;
    to->flags |= from->flags & PP_PASS_CONDITIONAL;
}

struct pp_pass *
pp_flatten_pass_new(struct pp_flatten_run *flat, const struct pp_pass *from, pp_label_id label, uint8_t want)
{
    struct pp_action_list *action_list = &flat->batch->action_list;
    uint32_t bracket = add_bracket(flat, want);
    if (bracket == PP_FLATTEN_NOWHERE ||
        pp_action_list_reserve(action_list, action_list->passes + 1, action_list->actions) != 0)
        return NULL;
    struct pp_pass *pass = &action_list->pass[action_list->passes++];
    *pass = *from;
    pass->bracket = bracket;
    pass->actions = 0;
    pass->label = label;
    return pass;
}

uint8_t
pp_flatten_pass_wanted(const struct pp_cmdbuf *cb, const struct pp_pass *pass)
{
    /* A queue that cannot run this kind of work counted 0. */
    if (cb->dev->measured.statistics != 0 && cb->pool->statistics == 0)
        return PP_OK;
    /* If the first pipeline begins the query, a pass without draws has no query: it counted 0. */
    if (cb->dev->quirk.needs_pipeline && cb->tracker.level == PP_LEVEL_PASS && cb->statistics.on &&
        pass->kind == PP_PASS_RENDER && pass->draws == 0)
        return PP_OK;
    /* A barrier runs no shader of the application. */
    if (pass->kind == PP_PASS_BARRIER && cb->statistics.on)
        return PP_OK;
    /* At level draw a pass is the sum of its actions, which core adds up. */
    return cb->tracker.level == PP_LEVEL_DRAW && cb->statistics.on ? PP_CELL_ELSEWHERE : PP_UNSUPPORTED;
}

void
pp_flatten_pass_perf(struct pp_flatten_run *flat, struct pp_result_slot *slot, const struct pp_cmdbuf *cb)
{
    const struct pp_perf_cmdbuf *perf = &cb->perf;
    bool measured = pp_perf_is_measured(flat->queue, perf);
    bool same = slot->perf_measured && measured && slot->perf_actions == perf->actions &&
                slot->perf_set == perf->set_number;
    if (slot->perf_begun && !same) {
        slot->perf_incomplete = true;
        pp_perf_mixed(cb->dev);
    }
    slot->perf_begun = true;
    slot->perf_measured = measured;
    slot->perf_actions = perf->on && perf->actions;
    slot->perf_set = perf->set_number;
}

static bool
has_action(const struct pp_pass *pass)
{
    return pass->draws + pass->dispatches + pass->copies > 0;
}

int
pp_flatten_pass_emit(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_pass *from,
                     uint32_t base, uint32_t *map, uint32_t *ret_pass)
{
    struct pp_action_list *action_list = &flat->batch->action_list;
    struct pp_vk_bracket times = pp_flatten_times(cb, from->bracket, base);
    struct pp_pass *pass;
    if ((from->flags & PP_PASS_CONTINUED) && flat->suspended_pass != PP_FLATTEN_NOWHERE) {
        pass = &action_list->pass[flat->suspended_pass];
        pp_flatten_pass_count(pass, from);
        pass->flags = (uint8_t)((pass->flags & ~PP_PASS_SUSPENDED) | (from->flags & PP_PASS_SUSPENDED));
    } else {
        pass = pp_flatten_pass_new(flat, from, pp_flatten_label(flat, cb, from->label),
                                   pp_flatten_pass_wanted(cb, from));
        if (!pass)
            return -ENOMEM;
        flat->readback->slot[pass->bracket].begin = times.begin;
        /* Barriers have no actions: they are measured in each recording. */
        flat->readback->slot[pass->bracket].perf_actions =
            cb->perf.on && cb->perf.actions && from->kind != PP_PASS_BARRIER;
        flat->readback->slot[pass->bracket].perf_set = cb->perf.set_number;
    }
    struct pp_result_slot *slot = &flat->readback->slot[pass->bracket];
    if (has_action(from))
        pp_flatten_pass_perf(flat, slot, cb);
    slot->end = times.end;
    slot->incomplete = slot->incomplete || cb->no_queries;
    if (cb->no_queries && !(pass->flags & PP_PASS_SUSPENDED))
        slot->begin = PP_NO_OFFSET; /* the end of the pass is not known */
    *ret_pass = (uint32_t)(pass - action_list->pass);
    flat->suspended_pass = pass->flags & PP_PASS_SUSPENDED ? *ret_pass : PP_FLATTEN_NOWHERE;
    if (from->bracket != PP_NO_BRACKET) {
        assert(from->bracket < cb->action_list.brackets);
        map[from->bracket] = pass->bracket;
    }
    return 0;
}

void
pp_flatten_pass_merge(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_pass *from,
                      uint32_t *map, uint32_t to_pass)
{
    struct pp_pass *to = &flat->batch->action_list.pass[to_pass];
    struct pp_result_slot *slot = &flat->readback->slot[to->bracket];
    slot->incomplete = slot->incomplete || (!cb->statistics.on && from->draws > 0);
    slot->perf_incomplete = slot->perf_incomplete || (cb->perf.count == 0 && from->draws > 0);
    if (has_action(from))
        pp_flatten_pass_perf(flat, slot, cb);
    pp_flatten_pass_count(to, from);
    if (from->bracket != PP_NO_BRACKET)
        map[from->bracket] = to->bracket;
}
