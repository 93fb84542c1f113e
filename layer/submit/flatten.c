/** @file
 * See flatten.h. Bracket numbers of a command buffer become numbers of the batch. All offsets are bytes in
 * the readback's memory, where the results of the command buffers follow each other. */
#include "layer/submit/flatten.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/compiler.h"
#include "core/util/heap.h"
#include "layer/base/serialize.h"
#include "layer/readback/indirect_readback.h"
#include "layer/readback/perf_retire.h"
#include "layer/record/bracket.h"
#include "layer/record/record.h"

/* Make memory for @p count more actions and their brackets. */
static int
reserve_actions(struct pp_flatten_run *flat, uint32_t count)
{
    struct pp_vk_readback *readback = flat->readback;
    struct pp_action_list *action_list = &flat->batch->action_list;
    int rc =
        pp_array_grow(&readback->slot, &readback->slot_cap, readback->slots + count, sizeof(*readback->slot));
    return rc != 0 ? rc
                   : pp_action_list_reserve(action_list, action_list->passes, action_list->actions + count);
}

/* Append one action, for which there is memory. Hot: called for each draw of a submission. @param around
 * Label of an action that has no label. */
static inline void
emit_action(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_action *from,
            uint32_t base, uint32_t *map, uint32_t to_pass, pp_label_id around)
{
    struct pp_vk_readback *readback = flat->readback;
    struct pp_action_list *action_list = &flat->batch->action_list;
    assert(readback->slots < readback->slot_cap);
    uint32_t bracket = readback->slots++;
    struct pp_vk_bracket times = pp_flatten_times(cb, from->bracket, base);
    readback->slot[bracket] =
        (struct pp_result_slot){.begin = times.begin, .end = times.end, .want = PP_UNSUPPORTED};
    if (from->bracket != PP_NO_BRACKET) {
        assert(from->bracket < cb->action_list.brackets);
        map[from->bracket] = bracket;
    }
    struct pp_action *to = &action_list->action[action_list->actions++];
    *to = *from;
    to->pass = to_pass;
    to->bracket = bracket;
    to->label = from->label == 0 ? around : pp_flatten_label(flat, cb, from->label);
}

/* Append the actions up to @p end. */
static int
emit_actions(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, struct pp_flatten_place *place,
             uint32_t end, uint32_t to_pass)
{
    struct pp_action_list *action_list = &flat->batch->action_list;
    uint32_t first = place->action, *map = flat->scratch->map + place->map;
    pp_label_id around = place->inside != PP_FLATTEN_NOWHERE ? flat->label : action_list->pass[to_pass].label;
    int rc = 0;
    place->action = end;
    bool room = flat->batch->level == PP_LEVEL_DRAW &&
                pp_action_list_reserve(action_list, 0, action_list->actions + (end - first)) == 0;
    if (flat->batch->level == PP_LEVEL_DRAW)
        action_list->lacks_actions |= !room || cb->action_list.lacks_actions;
    if (!room) {
        for (uint32_t i = first; i < end; i++) /* the pass takes their statistics */
            if (cb->action_list.action[i].bracket != PP_NO_BRACKET)
                map[cb->action_list.action[i].bracket] = action_list->pass[to_pass].bracket;
        return 0;
    }
    rc = reserve_actions(flat, end - first);
    for (uint32_t i = first; rc == 0 && i < end; i++) {
        emit_action(flat, cb, &cb->action_list.action[i], place->times, map, to_pass, around);
        if (cb->args.args > 0)
            rc = pp_indirect_readback_emit_action(flat->readback, cb, i, action_list->actions - 1,
                                                  place->args, &place->arg);
    }
    if (PP_UNLIKELY(cb->action_list.stacks > 0) && rc == 0)
        pp_action_list_copy_stacks(action_list, action_list->actions - (end - first), &cb->action_list, first,
                                   end - first);
    action_list->brackets = flat->readback->slots;
    action_list->pass[to_pass].actions += end - first;
    return rc;
}

/* Put a command buffer's bracket map on the stack. @return Its first index; PP_FLATTEN_NOWHERE: no memory. */
static uint32_t
push_map(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb)
{
    struct pp_flatten *scratch = flat->scratch;
    uint32_t first = scratch->maps, count = cb->action_list.brackets;
    int rc = pp_array_grow(&scratch->map, &scratch->map_cap, first + count + 1, sizeof(*scratch->map));
    if (rc != 0)
        return PP_FLATTEN_NOWHERE;
    for (uint32_t i = 0; i < count; i++)
        scratch->map[first + i] = PP_FLATTEN_NOWHERE;
    scratch->maps += count;
    return first;
}

static int emit_buffer(struct pp_flatten_run *flat, struct pp_cmdbuf *cb, uint32_t inside, uint32_t lent);

/* Label around a secondary: its own, or the pass's. */
static pp_label_id
label_around(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_vk_exec *exec,
             uint32_t to_pass)
{
    return exec->inside && exec->label == 0 ? flat->batch->action_list.pass[to_pass].label
                                            : pp_flatten_label(flat, cb, exec->label);
}

/* Add a row for a secondary that the primary measured as a whole. */
static int
emit_timed(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, const struct pp_vk_exec *exec,
           uint32_t times, uint32_t *ret_pass)
{
    const struct pp_action_list *action_list = &exec->secondary->action_list;
    struct pp_pass whole = {.kind = PP_PASS_FRAME,
                            .label = action_list->passes > 0 ? action_list->pass[0].label : 0};
    for (uint32_t p = 1; p < action_list->passes; p++)
        whole.label = action_list->pass[p].label == whole.label ? whole.label : 0;
    if (action_list->passes == 1 && exec->secondary->execs.count == 0)
        whole = action_list->pass[0];
    whole.flags = 0;
    whole.draws = whole.dispatches = whole.copies = 0; /* pp_flatten_pass_merge() adds them */
    const struct pp_pass *pass = pp_flatten_pass_new(
        flat, &whole, pp_flatten_label(flat, exec->secondary, whole.label), PP_UNSUPPORTED);
    if (!pass)
        return -ENOMEM;
    struct pp_result_slot *slot = &flat->readback->slot[pass->bracket];
    struct pp_vk_bracket around = pp_flatten_times(cb, exec->bracket, times);
    slot->begin = around.begin;
    slot->end = around.end;
    slot->perf_incomplete = true;
    *ret_pass = (uint32_t)(pass - flat->batch->action_list.pass);
    return 0;
}

/* Emit the next secondary. */
static int
emit_exec(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, struct pp_flatten_place *place,
          uint32_t to_pass)
{
    const struct pp_vk_exec *exec = &cb->execs.list[place->exec++];
    pp_label_id label = flat->label;
    int rc = 0;
    flat->label = label_around(flat, cb, exec, to_pass);
    if (to_pass == PP_FLATTEN_NOWHERE && exec->bracket != PP_NO_BRACKET)
        rc = emit_timed(flat, cb, exec, place->times, &to_pass);
    if (rc == 0)
        rc = emit_buffer(flat, exec->secondary, to_pass,
                         exec->args_at == PP_NO_ARGS ? PP_NO_ARGS : place->args + exec->args_at);
    flat->label = label;
    return rc;
}

/* Is the next secondary executed at this place: before a pass, or inside of it? */
static bool
executes(const struct pp_cmdbuf *cb, const struct pp_flatten_place *place, uint32_t pass, bool inside)
{
    return place->exec < cb->execs.count && cb->execs.list[place->exec].pass == pass &&
           cb->execs.list[place->exec].inside == inside;
}

static int
emit_execs_before(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, struct pp_flatten_place *place,
                  uint32_t pass)
{
    int rc = 0;
    while (rc == 0 && executes(cb, place, pass, false))
        rc = emit_exec(flat, cb, place, place->inside);
    return rc;
}

/* Emit the actions and secondaries of one recorded pass, in their order. */
static int
emit_contents(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, struct pp_flatten_place *place,
              uint32_t pass, uint32_t to_pass)
{
    uint32_t end = place->action + cb->action_list.pass[pass].actions;
    int rc = 0;
    while (rc == 0 && executes(cb, place, pass, true)) {
        rc = emit_actions(flat, cb, place, cb->execs.list[place->exec].action, to_pass);
        rc = rc != 0 ? rc : emit_exec(flat, cb, place, to_pass);
    }
    return rc != 0 ? rc : emit_actions(flat, cb, place, end, to_pass);
}

/* Emit all passes of a command buffer. */
static int
emit_passes(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, struct pp_flatten_place *place)
{
    int rc = 0;
    for (uint32_t p = 0; rc == 0 && p < cb->action_list.passes; p++) {
        const struct pp_pass *from = &cb->action_list.pass[p];
        uint32_t to = place->inside;
        rc = emit_execs_before(flat, cb, place, p);
        uint32_t *map = flat->scratch->map + place->map;
        if (rc == 0 && to != PP_FLATTEN_NOWHERE)
            pp_flatten_pass_merge(flat, cb, from, map, to);
        else if (rc == 0)
            rc = pp_flatten_pass_emit(flat, cb, from, place->times, map, &to);
        if (rc == 0)
            rc = emit_contents(flat, cb, place, p, to);
    }
    return rc != 0 ? rc : emit_execs_before(flat, cb, place, cb->action_list.passes);
}

/* Count all passes of a command buffer, and of its secondaries, into the only pass. */
static int
emit_collapsed(struct pp_flatten_run *flat, struct pp_cmdbuf *cb)
{
    int rc = 0;
    if (flat->batch) {
        struct pp_result_slot *slot =
            &flat->readback->slot[flat->batch->action_list.pass[flat->frame_pass].bracket];
        bool actions = cb->action_list.passes > 0;
        slot->perf_incomplete =
            slot->perf_incomplete ||
            (actions && (!cb->perf.whole || !pp_perf_is_measured(flat->queue, &cb->perf)));
        if (actions)
            pp_flatten_pass_perf(flat, slot, cb);
        if (!flat->readback->plain)
            rc = pp_perf_emit(flat->queue, flat->readback, cb, NULL,
                              flat->batch->action_list.pass[flat->frame_pass].bracket);
    }
    for (uint32_t p = 0; flat->batch && p < cb->action_list.passes; p++)
        pp_flatten_pass_count(&flat->batch->action_list.pass[flat->frame_pass], &cb->action_list.pass[p]);
    for (uint32_t i = 0; rc == 0 && i < cb->execs.count; i++)
        rc = emit_buffer(flat, cb->execs.list[i].secondary, PP_FLATTEN_NOWHERE, PP_NO_ARGS);
    return rc;
}

/* Take the begin or the end of the only pass from a command buffer that is measured as a whole. */
static void
place_whole(struct pp_flatten_run *flat, const struct pp_cmdbuf *cb, uint32_t base)
{
    struct pp_result_slot *slot =
        &flat->readback->slot[flat->batch->action_list.pass[flat->frame_pass].bracket];
    if (cb == flat->first)
        slot->begin = pp_flatten_time_offset(base, cb->whole.begin);
    if (cb == flat->last)
        slot->end = pp_flatten_time_offset(base, cb->whole.end);
}

static int
emit_buffer(struct pp_flatten_run *flat, struct pp_cmdbuf *cb, uint32_t inside, uint32_t lent)
{
    struct pp_flatten_place place = {.args = lent, .inside = inside};
    struct pp_flatten_bases bases = {0};
    int rc = pp_flatten_results_add(flat, cb, &bases);
    place.times = bases.of[PP_QUERY_TIME];
    if (rc != 0)
        return rc;
    if (flat->batch && flat->collapse)
        place_whole(flat, cb, place.times);
    if (!flat->batch || flat->collapse)
        return emit_collapsed(flat, cb);
    place.map = push_map(flat, cb);
    if (place.map == PP_FLATTEN_NOWHERE ||
        (!cb->args.lends && pp_indirect_readback_emit(flat->readback, cb, &place.args) != 0))
        return -ENOMEM;
    rc = emit_passes(flat, cb, &place);
    if (rc == 0)
        rc = pp_flatten_results_statistics(flat->readback, cb, flat->scratch->map + place.map, &bases);
    if (rc == 0)
        rc = pp_perf_emit(flat->queue, flat->readback, cb, flat->scratch->map + place.map,
                          pp_flatten_results_only_bracket(cb, flat->scratch->map + place.map));
    if (rc == 0)
        rc = pp_flatten_results_parts(flat->readback, cb, flat->scratch->map + place.map);
    if (rc == 0)
        rc = pp_flatten_results_costs(flat->scratch, cb, flat->scratch->map + place.map);
    flat->scratch->maps = place.map;
    return rc;
}

/* Add the only pass of a collapsed batch. @param timed It has the readback's own timestamps. */
static int
begin_collapsed(struct pp_flatten_run *flat, bool timed)
{
    const struct pp_pass frame = {.kind = PP_PASS_FRAME};
    const struct pp_pass *pass = pp_flatten_pass_new(flat, &frame, flat->label, PP_CELL_ELSEWHERE);
    if (!pass)
        return -ENOMEM;
    flat->frame_pass = (uint32_t)(pass - flat->batch->action_list.pass);
    if (timed) {
        struct pp_result_slot *slot = &flat->readback->slot[pass->bracket];
        slot->begin = flat->readback->bytes;
        slot->end = slot->begin + PP_TIME_BYTES;
        flat->readback->bytes += 2 * PP_TIME_BYTES;
    }
    return 0;
}

/* Set the statistics of passes without actions whose statistics are the sum of their actions: such a pass
 * counted 0. */
static void
finish_idle_passes(struct pp_flatten_run *flat)
{
    for (uint32_t i = 0; i < flat->batch->action_list.passes; i++) {
        const struct pp_pass *pass = &flat->batch->action_list.pass[i];
        struct pp_result_slot *slot = &flat->readback->slot[pass->bracket];
        if (pass->actions == 0 && slot->want == PP_CELL_ELSEWHERE)
            slot->want = flat->batch->level == PP_LEVEL_DRAW ? PP_OK : PP_UNSUPPORTED;
    }
}

/* May the batch borrow this buffer's action list, with its bracket numbers, instead of a copy? The batch has
 * no other buffer. The answer is yes if the buffer does not need the list again, and every pass is a row. */
static bool
may_lend_action_list(const struct pp_flatten_run *flat, const struct pp_cmdbuf *cb)
{
    const struct pp_action_list *action_list = &cb->action_list;
    if (!flat->readback->host || flat->collapse || !cb->usage.one_time || cb->execs.count > 0 ||
        flat->batch->level != cb->tracker.level || cb->usage.inherits_pass || cb->perf.on ||
        flat->label != 0 || cb->labels.closed_outer > 0 ||
        action_list->brackets != action_list->passes + action_list->actions)
        return false;
    for (uint32_t p = 0; p < action_list->passes; p++)
        if (action_list->pass[p].flags & (PP_PASS_CONTINUED | PP_PASS_SUSPENDED))
            return false;
    return true;
}

static void
swap_action_lists(struct pp_vk_readback *readback, struct pp_cmdbuf *cb)
{
    struct pp_action_list action_list = readback->batch->action_list;
    readback->batch->action_list = cb->action_list;
    cb->action_list = action_list;
}

/* Give actions without a label the label of their pass. */
static void
label_actions(struct pp_action_list *action_list)
{
    for (uint32_t p = 0, w = 0; p < action_list->passes; w += action_list->pass[p++].actions)
        for (uint32_t i = 0; action_list->pass[p].label != 0 && i < action_list->pass[p].actions; i++)
            if (action_list->action[w + i].label == 0)
                action_list->action[w + i].label = action_list->pass[p].label;
}

/* Emit the only command buffer of a batch, which no longer needs its action list: the batch borrows the
 * list. */
static int
emit_borrowed(struct pp_flatten_run *flat, struct pp_cmdbuf *cb)
{
    struct pp_vk_readback *readback = flat->readback;
    struct pp_flatten_bases bases = {0};
    uint32_t count = cb->action_list.brackets;
    int rc = pp_flatten_results_add(flat, cb, &bases);
    rc = rc != 0 ? rc : pp_array_grow(&readback->slot, &readback->slot_cap, count, sizeof(*readback->slot));
    if (rc != 0)
        return rc;
    for (uint32_t b = 0; b < count; b++) {
        struct pp_vk_bracket times = pp_flatten_times(cb, b, bases.of[PP_QUERY_TIME]);
        readback->slot[b] =
            (struct pp_result_slot){.begin = times.begin, .end = times.end, .want = PP_UNSUPPORTED};
    }
    for (uint32_t p = 0; p < cb->action_list.passes; p++)
        readback->slot[cb->action_list.pass[p].bracket].want =
            (uint8_t)pp_flatten_pass_wanted(cb, &cb->action_list.pass[p]);
    readback->slots = count;
    rc = pp_flatten_results_statistics(readback, cb, NULL, &bases);
    rc = rc != 0 ? rc : pp_flatten_results_parts(readback, cb, NULL);
    rc = rc != 0 ? rc : pp_flatten_results_costs(flat->scratch, cb, NULL);
    if (rc != 0)
        return rc;
    label_actions(&cb->action_list);
    swap_action_lists(readback, cb);
    readback->lender = cb;
    return 0;
}

void
pp_flatten_undo(struct pp_vk_readback *readback)
{
    if (readback->lender) {
        swap_action_lists(readback, readback->lender);
        /* Clear the brackets that were noted, too. */
        if (readback->batch->action_list.brackets < readback->lender->action_list.brackets)
            readback->batch->action_list.brackets = readback->lender->action_list.brackets;
    }
    readback->lender = NULL;
}

int
pp_flatten(struct pp_flatten *flatten, struct pp_vk_queue *queue, struct pp_vk_readback *readback,
           struct pp_cmdbuf *const *buffers, uint32_t count, const struct pp_vk_labels *open, bool collapse)
{
    struct pp_vk_labels behind = *open;
    struct pp_flatten_run flat = {
        .scratch = flatten,
        .queue = queue,
        .readback = readback,
        .batch = readback->batch,
        .label = open->label,
        .collapse = collapse,
        .suspended_pass = PP_FLATTEN_NOWHERE,
    };
    int rc = 0;
    flatten->maps = flatten->cpus = 0;
    if (flat.batch && collapse && !readback->plain && !readback->times_used)
        (void)pp_vk_whole_find(buffers, count, &flat.first, &flat.last);
    if (flat.batch && collapse)
        rc = begin_collapsed(&flat, readback->times_used);
    if (flat.batch && count == 1 && buffers[0] && may_lend_action_list(&flat, buffers[0]))
        rc = emit_borrowed(&flat, buffers[0]);
    else
        for (uint32_t i = 0; rc == 0 && i < count; i++) {
            flat.label = behind.label;
            if (buffers[i])
                rc = emit_buffer(&flat, buffers[i], PP_FLATTEN_NOWHERE, PP_NO_ARGS);
            pp_flatten_labels(queue->dev->session, &buffers[i], 1, &behind);
        }
    if (rc == 0 && flat.batch)
        rc = pp_batch_reserve(flat.batch, readback->slots);
    if (rc == 0 && flat.batch && !collapse)
        finish_idle_passes(&flat);
    if (rc == 0 && flat.batch)
        pp_flatten_results_put_costs(flatten, flat.batch);
    return rc;
}

void
pp_flatten_finish(struct pp_flatten *flatten)
{
    free(flatten->map);
    free(flatten->cpu);
    *flatten = (struct pp_flatten){0};
}

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

/* Add a command buffer's queries of one kind. */
static int
add_copies(struct pp_flatten_run *flat, struct pp_cmdbuf *cb, enum pp_query_kind kind, uint32_t stride,
           uint32_t *ret_base)
{
    struct pp_vk_readback *readback = flat->readback;
    struct pp_queries *queries = &cb->queries[kind];
    bool whole = kind == PP_QUERY_TIME && (cb == flat->first || cb == flat->last);
    bool read = flat->batch && (!flat->collapse || whole);
    int rc = pp_array_grow(&readback->copy, &readback->copy_cap, readback->copies + queries->runs,
                           sizeof(*readback->copy));
    if (rc != 0)
        return rc;
    *ret_base = readback->bytes;
    for (uint32_t i = 0; i < queries->runs; i++) {
        const struct pp_query_run *run = &queries->run[i];
        readback->copy[readback->copies++] =
            (struct pp_readback_copy){.run = *run,
                                      .owner = queries,
                                      .shared = !cb->usage.one_time || cb->usage.secondary,
                                      .reset_by_host = cb->perf.on,
                                      .kind = kind,
                                      .offset = readback->bytes,
                                      .stride = read && run->used > 0 ? stride : 0};
        readback->bytes += read ? run->used * stride : 0;
    }
    return 0;
}

/* Bytes of a statistics query's results: values and availability. */
static uint32_t
statistics_stride(const struct pp_cmdbuf *cb, enum pp_query_kind kind)
{
    return 8 * ((uint32_t)__builtin_popcount(pp_query_mask(kind, cb->pool->statistics)) + 1);
}

int
pp_flatten_results_add(struct pp_flatten_run *flat, struct pp_cmdbuf *cb, struct pp_flatten_bases *ret_bases)
{
    struct pp_vk_readback *readback = flat->readback;
    uint32_t first = readback->copies;
    int rc = 0;
    for (int kind = 0; rc == 0 && kind < PP_QUERY_KINDS; kind++)
        rc = add_copies(flat, cb, (enum pp_query_kind)kind,
                        kind == PP_QUERY_TIME ? PP_TIME_BYTES
                                              : statistics_stride(cb, (enum pp_query_kind)kind),
                        &ret_bases->of[kind]);
    if (rc == 0 && readback->host) {
        cb->reader.readback = readback;
        cb->reader.uses = readback->uses;
        cb->reader.first = first;
        cb->reader.count = readback->copies - first;
    }
    return rc;
}

/* Note the result slots of statistics queries of one kind; the readback has memory for them. @param map From
 * the command buffer's brackets to the batch's; NULL: they are the same. @param base Offset of the queries'
 * results. */
static void
add_statistics(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb, enum pp_query_kind kind,
               const uint32_t *map, uint32_t base)
{
    uint32_t count = cb->queries[kind].count, stride = statistics_stride(cb, kind);
    VkQueryPipelineStatisticFlags mask = pp_query_mask(kind, cb->pool->statistics);
    for (uint32_t i = 0; i < count; i++) {
        const struct pp_vk_stat *query = &cb->queries[kind].stat[i];
        uint32_t bracket = map ? map[query->bracket] : query->bracket;
        assert(readback->stats < readback->stat_cap);
        if (bracket != PP_FLATTEN_NOWHERE)
            readback->stat[readback->stats++] =
                (struct pp_statistics_slot){.bracket = bracket,
                                            .offset = base + i * stride,
                                            .mask = mask,
                                            .values = (uint8_t)(stride / sizeof(uint64_t) - 1),
                                            .more = query->more};
    }
}

int
pp_flatten_results_statistics(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb,
                              const uint32_t *map, const struct pp_flatten_bases *bases)
{
    uint32_t count = cb->queries[PP_QUERY_STATISTICS].count + cb->queries[PP_QUERY_GRAPHICS].count;
    int rc =
        pp_array_grow(&readback->stat, &readback->stat_cap, readback->stats + count, sizeof(*readback->stat));
    if (rc != 0)
        return rc;
    add_statistics(readback, cb, PP_QUERY_STATISTICS, map, bases->of[PP_QUERY_STATISTICS]);
    add_statistics(readback, cb, PP_QUERY_GRAPHICS, map, bases->of[PP_QUERY_GRAPHICS]);
    for (uint32_t i = 0; i < cb->statistics.gaps; i++) {
        uint32_t bracket = map ? map[cb->statistics.gap[i]] : cb->statistics.gap[i];
        if (bracket != PP_FLATTEN_NOWHERE)
            readback->slot[bracket].incomplete = true;
    }
    return 0;
}

uint32_t
pp_flatten_results_only_bracket(const struct pp_cmdbuf *cb, const uint32_t *map)
{
    if (cb->action_list.passes != 1 || cb->execs.count > 0 ||
        cb->action_list.pass[0].bracket == PP_NO_BRACKET)
        return PP_NO_BRACKET;
    return map[cb->action_list.pass[0].bracket];
}

int
pp_flatten_results_costs(struct pp_flatten *scratch, struct pp_cmdbuf *cb, const uint32_t *map)
{
    uint32_t count = cb->cpu.on ? cb->action_list.brackets : 0;
    int rc = pp_array_grow(&scratch->cpu, &scratch->cpu_cap, scratch->cpus + count, sizeof(*scratch->cpu));
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        if (!map || map[i] != PP_FLATTEN_NOWHERE)
            scratch->cpu[scratch->cpus++] = (struct pp_flatten_cpu){cb, i, !map ? i : map[i], cb->cpu.used};
    cb->cpu.used = cb->cpu.used || count > 0;
    return rc;
}

void
pp_flatten_results_put_costs(const struct pp_flatten *scratch, struct pp_batch *batch)
{
    for (uint32_t i = 0; i < scratch->cpus; i++)
        pp_vk_cpu_cost_put(scratch->cpu[i].cb, scratch->cpu[i].from, batch, scratch->cpu[i].to,
                           scratch->cpu[i].repeated);
}

/* Convert a command buffer's bracket to the batch's. @param map NULL: numbers are the batch's. */
static uint32_t
find_bracket(const struct pp_cmdbuf *cb, const uint32_t *map, uint32_t bracket)
{
    if (bracket == PP_NO_BRACKET || bracket >= cb->action_list.brackets)
        return PP_NO_BRACKET;
    return !map ? bracket : map[bracket];
}

int
pp_flatten_results_parts(struct pp_vk_readback *readback, const struct pp_cmdbuf *cb, const uint32_t *map)
{
    uint32_t parts;
    const struct pp_split_part *part = pp_serialize.parts(cb, &parts);
    int rc =
        pp_array_grow(&readback->part, &readback->part_cap, readback->parts + parts, sizeof(*readback->part));
    for (uint32_t i = 0; rc == 0 && i < parts; i++)
        readback->part[readback->parts++] =
            (struct pp_readback_part){.bracket = find_bracket(cb, map, part[i].bracket),
                                      .around = find_bracket(cb, map, part[i].around)};
    return rc;
}
