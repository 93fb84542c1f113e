/** @file
 * See replay.h. Bracket numbers of a command buffer become numbers of the batch; all offsets are bytes in the
 * slot's memory, where the results of each command buffer lie one behind the other. */
#include "layer/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "layer/split.h"

#define NOWHERE UINT32_MAX

/** One replay under way. */
struct walk {
    struct pp_replay *scratch;
    struct pp_vk_queue *queue;
    struct pp_vk_slot *slot;
    struct pp_batch *batch; /**< may be NULL */
    pp_label_id label;      /**< of the queue, for passes without one */
    bool collapse;
    uint32_t frame_pass;     /**< collapse: index of the one pass */
    uint32_t suspended_pass; /**< pass that waits for its continuation, or NOWHERE */
};

/** How far the replay of one command buffer has come, and where its results lie. */
struct place {
    uint32_t exec;  /**< next execution */
    uint32_t work;  /**< next piece of work */
    uint32_t arg;   /**< next indirect arguments */
    uint32_t times; /**< first timestamp */
    uint32_t args;  /**< first indirect arguments; PP_NO_ARGS: none */
};

/** Queries of one kind. */
static int
add_copies(struct walk *walk, struct pp_cmdbuf *cb, enum pp_query_kind kind, uint32_t stride,
           uint32_t *ret_base)
{
    struct pp_vk_slot *slot = walk->slot;
    struct pp_queries *queries = &cb->queries[kind];
    bool read = walk->batch != NULL && !walk->collapse;
    void *copies = slot->copy;
    int rc = pp_grow(&copies, &slot->copy_cap, slot->copies + queries->runs, sizeof(*slot->copy));
    slot->copy = copies;
    if (rc != 0)
        return rc;
    *ret_base = slot->bytes;
    for (uint32_t i = 0; i < queries->runs; i++) {
        const struct pp_query_run *run = &queries->run[i];
        slot->copy[slot->copies++] = (struct pp_slot_copy){.run = *run,
                                                           .owner = queries,
                                                           .shared = !cb->one_time || cb->secondary,
                                                           .kind = kind,
                                                           .offset = slot->bytes,
                                                           .stride = read && run->used > 0 ? stride : 0};
        slot->bytes += read ? run->used * stride : 0;
    }
    return 0;
}

/** All queries of a command buffer. @param ret_times, ret_stats Where their results begin. */
static int
add_queries(struct walk *walk, struct pp_cmdbuf *cb, uint32_t stat_stride, uint32_t *ret_times,
            uint32_t *ret_stats)
{
    struct pp_vk_slot *slot = walk->slot;
    uint32_t first = slot->copies;
    int rc = add_copies(walk, cb, PP_QUERY_TIME, PP_TIME_BYTES, ret_times);
    if (rc == 0)
        rc = add_copies(walk, cb, PP_QUERY_STATISTICS, stat_stride, ret_stats);
    if (rc == 0 && slot->host) {
        cb->reader.slot = slot;
        cb->reader.turn = slot->turn;
        cb->reader.first = first;
        cb->reader.count = slot->copies - first;
    }
    return rc;
}

/** A bracket of the batch, without results so far. @return NOWHERE: no memory. */
static uint32_t
add_bracket(struct walk *walk, enum pp_status want)
{
    struct pp_vk_slot *slot = walk->slot;
    void *landing = slot->landing;
    int rc = pp_grow(&landing, &slot->landing_cap, slot->landings + 1, sizeof(*slot->landing));
    slot->landing = landing;
    if (rc != 0)
        return NOWHERE;
    slot->landing[slot->landings] =
        (struct pp_landing){.begin = PP_NO_OFFSET, .end = PP_NO_OFFSET, .want = (uint8_t)want};
    walk->batch->program.brackets = slot->landings + 1;
    return slot->landings++;
}

static uint32_t
time_offset(uint32_t base, uint32_t number)
{
    return number == PP_NO_QUERY ? PP_NO_OFFSET : base + number * PP_TIME_BYTES;
}

/** Timestamps of bracket @p b of a command buffer, as far as written. */
static struct pp_vk_bracket
find_times(const struct pp_cmdbuf *cb, uint32_t b, uint32_t base)
{
    if (b >= cb->brackets || cb->queries[PP_QUERY_TIME].count == 0)
        return (struct pp_vk_bracket){PP_NO_OFFSET, PP_NO_OFFSET};
    return (struct pp_vk_bracket){time_offset(base, cb->bracket[b].begin),
                                  time_offset(base, cb->bracket[b].end)};
}

static void
add_counts(struct pp_pass *to, const struct pp_pass *from)
{
    to->draws += from->draws;
    to->dispatches += from->dispatches;
    to->copies += from->copies;
    to->cleared |= from->cleared;
    to->discarded |= from->discarded;
    to->flags |= from->flags & PP_PASS_CONDITIONAL;
}

/** Another pass of the batch. */
static struct pp_pass *
add_pass(struct walk *walk, const struct pp_pass *from, enum pp_status want)
{
    struct pp_program *program = &walk->batch->program;
    uint32_t bracket = add_bracket(walk, want);
    if (bracket == NOWHERE || pp_program_reserve(program, program->passes + 1, program->works) != 0)
        return NULL;
    struct pp_pass *pass = &program->pass[program->passes++];
    *pass = *from;
    pass->bracket = bracket;
    pass->works = 0;
    if (pass->label == 0)
        pass->label = walk->label;
    return pass;
}

/** What a bracket's statistics are if no query lands for it. */
static enum pp_status
wanted_statistics(const struct pp_cmdbuf *cb, const struct pp_pass *pass)
{
    /* A queue that cannot do what was asked to be counted did it no time. */
    if (cb->dev->statistics != 0 && cb->pool->statistics == 0)
        return PP_OK;
    /* Where the first pipeline begins the query, what draws nothing has none. */
    if (cb->dev->needs_pipeline && cb->tracker.level == PP_LEVEL_PASS && cb->statistics &&
        pass->kind == PP_PASS_RENDER && pass->draws == 0)
        return PP_OK;
    /* At level draw a pass is the sum of its work; core adds. */
    return cb->tracker.level == PP_LEVEL_DRAW && cb->statistics ? PP_DISABLED : PP_UNSUPPORTED;
}

/** The pass in which a recorded one appears: a new one, or the suspended one that it resumes. */
static int
emit_pass(struct walk *walk, const struct pp_cmdbuf *cb, const struct pp_pass *from, uint32_t base,
          uint32_t *map, uint32_t *ret_pass)
{
    struct pp_program *program = &walk->batch->program;
    struct pp_vk_bracket times = find_times(cb, from->bracket, base);
    struct pp_pass *pass;
    if ((from->flags & PP_PASS_CONTINUED) && walk->suspended_pass != NOWHERE) {
        pass = &program->pass[walk->suspended_pass];
        add_counts(pass, from);
        pass->flags = (uint8_t)((pass->flags & ~PP_PASS_SUSPENDED) | (from->flags & PP_PASS_SUSPENDED));
    } else {
        pass = add_pass(walk, from, wanted_statistics(cb, from));
        if (pass == NULL)
            return -ENOMEM;
        walk->slot->landing[pass->bracket].begin = times.begin;
        walk->slot->landing[pass->bracket].perf_works = cb->perf.on && cb->perf.works;
        walk->slot->landing[pass->bracket].perf_set = cb->perf.set_number;
    }
    struct pp_landing *landing = &walk->slot->landing[pass->bracket];
    landing->end = times.end;
    landing->incomplete = landing->incomplete || cb->mute;
    if (cb->mute && !(pass->flags & PP_PASS_SUSPENDED))
        landing->begin = PP_NO_OFFSET; /* its end is not known */
    *ret_pass = (uint32_t)(pass - program->pass);
    walk->suspended_pass = pass->flags & PP_PASS_SUSPENDED ? *ret_pass : NOWHERE;
    if (from->bracket != PP_NO_BRACKET)
        map[from->bracket] = pass->bracket;
    return 0;
}

/** Room for @p count more pieces of work and their brackets. */
static int
reserve_works(struct walk *walk, uint32_t count)
{
    struct pp_vk_slot *slot = walk->slot;
    struct pp_program *program = &walk->batch->program;
    void *landing = slot->landing;
    int rc = pp_grow(&landing, &slot->landing_cap, slot->landings + count, sizeof(*slot->landing));
    slot->landing = landing;
    return rc != 0 ? rc : pp_program_reserve(program, program->passes, program->works + count);
}

/** One piece of work; there is room. Hot, like all of a submission that a draw takes part in. */
static inline void
emit_work(struct walk *walk, const struct pp_cmdbuf *cb, const struct pp_work *from, uint32_t base,
          uint32_t *map, uint32_t to_pass)
{
    struct pp_vk_slot *slot = walk->slot;
    struct pp_program *program = &walk->batch->program;
    uint32_t bracket = slot->landings++;
    struct pp_vk_bracket times = find_times(cb, from->bracket, base);
    slot->landing[bracket] =
        (struct pp_landing){.begin = times.begin, .end = times.end, .want = PP_UNSUPPORTED};
    if (from->bracket != PP_NO_BRACKET)
        map[from->bracket] = bracket;
    struct pp_work *to = &program->work[program->works++];
    *to = *from;
    to->pass = to_pass;
    to->bracket = bracket;
    if (to->label == 0)
        to->label = program->pass[to_pass].label;
}

/** Pieces of work of one recorded pass, behind those already there. */
static int
emit_works(struct walk *walk, const struct pp_cmdbuf *cb, uint32_t from_pass, struct place *place,
           uint32_t *map, uint32_t to_pass)
{
    struct pp_program *program = &walk->batch->program;
    uint32_t first = place->work, end = first + cb->program.pass[from_pass].works;
    int rc = 0;
    place->work = end;
    if (walk->batch->level != PP_LEVEL_DRAW) {
        for (uint32_t i = first; i < end; i++) /* the pass takes their statistics */
            if (cb->program.work[i].bracket != PP_NO_BRACKET)
                map[cb->program.work[i].bracket] = program->pass[to_pass].bracket;
        return 0;
    }
    rc = reserve_works(walk, end - first);
    for (uint32_t i = first; rc == 0 && i < end; i++) {
        emit_work(walk, cb, &cb->program.work[i], place->times, map, to_pass);
        if (cb->args.args > 0)
            rc = pp_args_emit_work(walk->slot, cb, i, program->works - 1, place->args, &place->arg);
    }
    program->brackets = walk->slot->landings;
    program->pass[to_pass].works += end - first;
    return rc;
}

/** Room for a command buffer's bracket map on the stack. @return Its first index; NOWHERE: no memory. */
static uint32_t
push_map(struct walk *walk, const struct pp_cmdbuf *cb)
{
    struct pp_replay *scratch = walk->scratch;
    uint32_t first = scratch->maps, count = cb->program.brackets;
    void *map = scratch->map;
    int rc = pp_grow(&map, &scratch->map_cap, first + count + 1, sizeof(*scratch->map));
    scratch->map = map;
    if (rc != 0)
        return NOWHERE;
    for (uint32_t i = 0; i < count; i++)
        scratch->map[first + i] = NOWHERE;
    scratch->maps += count;
    return first;
}

/** Where a statistics query of a command buffer lands: in a row of @p stride bytes behind @p base, for a
 * bracket of the batch. */
static inline struct pp_stat_landing
find_statistics(const struct pp_cmdbuf *cb, uint32_t number, uint32_t base, uint32_t stride, uint32_t bracket)
{
    return (struct pp_stat_landing){.bracket = bracket,
                                    .offset = base + number * stride,
                                    .mask = cb->pool->statistics,
                                    .values = (uint8_t)(stride / sizeof(uint64_t) - 1),
                                    .more = cb->stat_bracket[number].more};
}

static int
emit_statistics(struct walk *walk, const struct pp_cmdbuf *cb, const uint32_t *map, uint32_t base,
                uint32_t stride)
{
    struct pp_vk_slot *slot = walk->slot;
    uint32_t count = cb->queries[PP_QUERY_STATISTICS].count;
    void *stat = slot->stat;
    int rc = pp_grow(&stat, &slot->stat_cap, slot->stats + count, sizeof(*slot->stat));
    slot->stat = stat;
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bracket = map[cb->stat_bracket[i].bracket];
        if (bracket != NOWHERE)
            slot->stat[slot->stats++] = find_statistics(cb, i, base, stride, bracket);
    }
    for (uint32_t i = 0; i < cb->gaps; i++)
        if (map[cb->gap[i]] != NOWHERE)
            slot->landing[map[cb->gap[i]]].incomplete = true;
    return 0;
}

static uint32_t
statistics_stride(const struct pp_cmdbuf *cb)
{
    return 8 * ((uint32_t)__builtin_popcount(cb->pool->statistics) + 1);
}

static int emit_buffer(struct walk *walk, struct pp_cmdbuf *cb, uint32_t inside, uint32_t lent);

/** Secondaries executed at one place. */
static int
emit_execs(struct walk *walk, const struct pp_cmdbuf *cb, struct place *place, uint32_t pass, bool inside,
           uint32_t to_pass)
{
    int rc = 0;
    for (; rc == 0 && place->exec < cb->execs; place->exec++) {
        const struct pp_vk_exec *exec = &cb->exec[place->exec];
        if (exec->pass != pass || exec->inside != inside)
            break;
        rc = emit_buffer(walk, exec->secondary, inside ? to_pass : NOWHERE,
                         exec->args_at == PP_NO_ARGS ? PP_NO_ARGS : place->args + exec->args_at);
    }
    return rc;
}

/** Passes of one command buffer; all become part of @p inside, unless that is NOWHERE. */
static int
emit_passes(struct walk *walk, const struct pp_cmdbuf *cb, uint32_t first, struct place *place,
            uint32_t inside)
{
    int rc = 0;
    for (uint32_t p = 0; rc == 0 && p < cb->program.passes; p++) {
        const struct pp_pass *from = &cb->program.pass[p];
        uint32_t to = inside;
        rc = emit_execs(walk, cb, place, p, false, NOWHERE);
        uint32_t *map = walk->scratch->map + first; /* nested buffers may have moved it */
        if (rc == 0 && inside != NOWHERE) {
            struct pp_landing *landing = &walk->slot->landing[walk->batch->program.pass[inside].bracket];
            landing->incomplete = landing->incomplete || (!cb->statistics && from->draws > 0);
            landing->perf_incomplete = landing->perf_incomplete || (cb->perf.count == 0 && from->draws > 0);
            add_counts(&walk->batch->program.pass[inside], from);
            if (from->bracket != PP_NO_BRACKET)
                map[from->bracket] = walk->batch->program.pass[inside].bracket;
        } else if (rc == 0) {
            rc = emit_pass(walk, cb, from, place->times, map, &to);
        }
        if (rc == 0)
            rc = emit_works(walk, cb, p, place, map, to);
        if (rc == 0)
            rc = emit_execs(walk, cb, place, p, true, to);
    }
    return rc != 0 ? rc : emit_execs(walk, cb, place, cb->program.passes, false, NOWHERE);
}

/** All passes of a command buffer and its secondaries, as counts of the one pass. */
static int
emit_collapsed(struct walk *walk, struct pp_cmdbuf *cb)
{
    int rc = 0;
    if (walk->batch != NULL) {
        struct pp_landing *landing =
            &walk->slot->landing[walk->batch->program.pass[walk->frame_pass].bracket];
        landing->perf_incomplete =
            landing->perf_incomplete ||
            (cb->program.passes > 0 && (!cb->perf.whole || cb->perf.count == 0 || cb->perf.broken));
        if (!walk->slot->plain)
            rc = pp_perf_emit(walk->queue, walk->slot, cb, NULL,
                              walk->batch->program.pass[walk->frame_pass].bracket);
    }
    for (uint32_t p = 0; walk->batch != NULL && p < cb->program.passes; p++)
        add_counts(&walk->batch->program.pass[walk->frame_pass], &cb->program.pass[p]);
    for (uint32_t i = 0; rc == 0 && i < cb->execs; i++)
        rc = emit_buffer(walk, cb->exec[i].secondary, NOWHERE, PP_NO_ARGS);
    return rc;
}

/** Bracket of a command buffer's one pass, for what was counted of it as a whole; PP_NO_BRACKET: it has more.
 */
static uint32_t
only_bracket(const struct pp_cmdbuf *cb, const uint32_t *map)
{
    if (cb->program.passes != 1 || cb->execs > 0 || cb->program.pass[0].bracket == PP_NO_BRACKET)
        return PP_NO_BRACKET;
    return map[cb->program.pass[0].bracket];
}

/** Which brackets bring what their recording cost. @param map NULL: numbers are the batch's. */
static int
emit_costs(struct pp_replay *scratch, struct pp_cmdbuf *cb, const uint32_t *map)
{
    uint32_t count = pp_vk_cpu_has(cb) ? cb->program.brackets : 0;
    void *costs = scratch->cpu;
    int rc = pp_grow(&costs, &scratch->cpu_cap, scratch->cpus + count, sizeof(*scratch->cpu));
    scratch->cpu = costs;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        if (map == NULL || map[i] != NOWHERE)
            scratch->cpu[scratch->cpus++] = (struct pp_replay_cpu){cb, i, map == NULL ? i : map[i]};
    cb->cpu.used = cb->cpu.used || count > 0;
    return rc;
}

/** Put them there. */
static void
put_costs(const struct pp_replay *scratch, struct pp_batch *batch)
{
    for (uint32_t i = 0; i < scratch->cpus; i++)
        pp_vk_cpu_put(scratch->cpu[i].cb, scratch->cpu[i].from, batch, scratch->cpu[i].to);
}

/** Which brackets are all of a part of a command buffer. @param map NULL: numbers are the batch's. */
static int
emit_parts(struct pp_vk_slot *slot, const struct pp_cmdbuf *cb, const uint32_t *map)
{
    uint32_t parts;
    const struct pp_split_part *part = pp_split_parts(cb, &parts);
    void *brackets = slot->part_bracket;
    int rc = pp_grow(&brackets, &slot->part_cap, slot->part_brackets + parts, sizeof(*slot->part_bracket));
    slot->part_bracket = brackets;
    for (uint32_t i = 0; rc == 0 && i < parts; i++) {
        uint32_t bracket = part[i].bracket;
        bool known = bracket != PP_NO_BRACKET && bracket < cb->program.brackets;
        slot->part_bracket[slot->part_brackets++] = !known        ? PP_NO_BRACKET
                                                    : map == NULL ? bracket
                                                                  : map[bracket];
    }
    return rc;
}

static int
emit_buffer(struct walk *walk, struct pp_cmdbuf *cb, uint32_t inside, uint32_t lent)
{
    struct place place = {.args = lent};
    uint32_t stat_base = 0, stride = statistics_stride(cb);
    int rc = add_queries(walk, cb, stride, &place.times, &stat_base);
    if (rc != 0)
        return rc;
    if (walk->batch == NULL || walk->collapse)
        return emit_collapsed(walk, cb);
    uint32_t first = push_map(walk, cb);
    if (first == NOWHERE || (!cb->args.lends && pp_args_emit(walk->slot, cb, &place.args) != 0))
        return -ENOMEM;
    rc = emit_passes(walk, cb, first, &place, inside);
    if (rc == 0)
        rc = emit_statistics(walk, cb, walk->scratch->map + first, stat_base, stride);
    if (rc == 0)
        rc = pp_perf_emit(walk->queue, walk->slot, cb, walk->scratch->map + first,
                          only_bracket(cb, walk->scratch->map + first));
    if (rc == 0)
        rc = emit_parts(walk->slot, cb, walk->scratch->map + first);
    if (rc == 0)
        rc = emit_costs(walk->scratch, cb, walk->scratch->map + first);
    walk->scratch->maps = first;
    return rc;
}

/** The one pass of a collapsed batch, with the slot's own timestamps. */
static int
begin_collapsed(struct walk *walk, bool timed)
{
    const struct pp_pass frame = {.kind = PP_PASS_FRAME};
    const struct pp_pass *pass = add_pass(walk, &frame, PP_DISABLED);
    if (pass == NULL)
        return -ENOMEM;
    walk->frame_pass = (uint32_t)(pass - walk->batch->program.pass);
    if (timed) {
        struct pp_landing *landing = &walk->slot->landing[pass->bracket];
        landing->begin = walk->slot->bytes;
        landing->end = landing->begin + PP_TIME_BYTES;
        walk->slot->bytes += 2 * PP_TIME_BYTES;
    }
    return 0;
}

/** A pass whose statistics are the sum of its work, and that has none, counted nothing. */
static void
settle_idle_passes(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->batch->program.passes; i++) {
        const struct pp_pass *pass = &walk->batch->program.pass[i];
        struct pp_landing *landing = &walk->slot->landing[pass->bracket];
        if (pass->works == 0 && landing->want == PP_DISABLED)
            landing->want = walk->batch->level == PP_LEVEL_DRAW ? PP_OK : PP_UNSUPPORTED;
    }
}

/** May the batch have the program of this buffer, its numbers of brackets included, instead of a copy? It is
 * all that the batch holds, it is not needed again, and every pass is a row of its own. */
static bool
is_given_away(const struct walk *walk, const struct pp_cmdbuf *cb)
{
    const struct pp_program *program = &cb->program;
    if (!walk->slot->host || !cb->one_time || cb->execs > 0 || walk->batch->level != cb->tracker.level ||
        cb->inherits_pass || cb->perf.on || walk->label != 0 ||
        program->brackets != program->passes + program->works)
        return false;
    for (uint32_t p = 0; p < program->passes; p++)
        if (program->pass[p].flags & (PP_PASS_CONTINUED | PP_PASS_SUSPENDED))
            return false;
    return true;
}

static void
swap_programs(struct pp_vk_slot *slot, struct pp_cmdbuf *cb)
{
    struct pp_program program = slot->batch->program;
    slot->batch->program = cb->program;
    cb->program = program;
}

/** Work without a label has that of its pass. */
static void
label_works(struct pp_program *program)
{
    for (uint32_t p = 0, w = 0; p < program->passes; w += program->pass[p++].works)
        for (uint32_t i = 0; program->pass[p].label != 0 && i < program->pass[p].works; i++)
            if (program->work[w + i].label == 0)
                program->work[w + i].label = program->pass[p].label;
}

/** The batch is one command buffer, which needs its program no more. */
static int
emit_given(struct walk *walk, struct pp_cmdbuf *cb)
{
    struct pp_vk_slot *slot = walk->slot;
    uint32_t time_base = 0, stat_base = 0, stride = statistics_stride(cb), count = cb->program.brackets;
    uint32_t stats = cb->queries[PP_QUERY_STATISTICS].count;
    void *landing = slot->landing, *stat = slot->stat;
    int rc = add_queries(walk, cb, stride, &time_base, &stat_base);
    rc = rc != 0 ? rc : pp_grow(&landing, &slot->landing_cap, count, sizeof(*slot->landing));
    slot->landing = landing;
    rc = rc != 0 ? rc : pp_grow(&stat, &slot->stat_cap, stats, sizeof(*slot->stat));
    slot->stat = stat;
    if (rc != 0)
        return rc;
    for (uint32_t b = 0; b < count; b++) {
        struct pp_vk_bracket times = find_times(cb, b, time_base);
        slot->landing[b] =
            (struct pp_landing){.begin = times.begin, .end = times.end, .want = PP_UNSUPPORTED};
    }
    for (uint32_t p = 0; p < cb->program.passes; p++)
        slot->landing[cb->program.pass[p].bracket].want =
            (uint8_t)wanted_statistics(cb, &cb->program.pass[p]);
    for (uint32_t i = 0; i < stats; i++)
        slot->stat[i] = find_statistics(cb, i, stat_base, stride, cb->stat_bracket[i].bracket);
    for (uint32_t i = 0; i < cb->gaps; i++)
        slot->landing[cb->gap[i]].incomplete = true;
    slot->landings = count;
    slot->stats = stats;
    rc = emit_parts(slot, cb, NULL);
    rc = rc != 0 ? rc : emit_costs(walk->scratch, cb, NULL);
    if (rc != 0)
        return rc;
    label_works(&cb->program);
    swap_programs(slot, cb);
    slot->lender = cb;
    return 0;
}

void
pp_replay_undo(struct pp_vk_slot *slot)
{
    if (slot->lender != NULL) {
        swap_programs(slot, slot->lender);
        /* What was noted of its brackets is to be cleared, too. */
        if (slot->batch->program.brackets < slot->lender->program.brackets)
            slot->batch->program.brackets = slot->lender->program.brackets;
    }
    slot->lender = NULL;
}

int
pp_replay(struct pp_replay *replay, struct pp_vk_queue *queue, struct pp_vk_slot *slot,
          struct pp_cmdbuf *const *buffers, uint32_t count, pp_label_id label, bool collapse)
{
    struct walk walk = {
        .scratch = replay,
        .queue = queue,
        .slot = slot,
        .batch = slot->batch,
        .label = label,
        .collapse = collapse,
        .suspended_pass = NOWHERE,
    };
    int rc = 0;
    replay->maps = replay->cpus = 0;
    if (walk.batch != NULL && collapse)
        rc = begin_collapsed(&walk, slot->own_used);
    if (walk.batch != NULL && count == 1 && buffers[0] != NULL && is_given_away(&walk, buffers[0]))
        rc = emit_given(&walk, buffers[0]);
    else
        for (uint32_t i = 0; rc == 0 && i < count; i++)
            if (buffers[i] != NULL)
                rc = emit_buffer(&walk, buffers[i], NOWHERE, PP_NO_ARGS);
    if (rc == 0 && walk.batch != NULL)
        rc = pp_batch_reserve(walk.batch, slot->landings);
    if (rc == 0 && walk.batch != NULL && !collapse)
        settle_idle_passes(&walk);
    if (rc == 0 && walk.batch != NULL)
        put_costs(replay, walk.batch);
    return rc;
}

static void
look(const struct pp_cmdbuf *cb, struct pp_replay_sum *sum)
{
    sum->work = sum->work || cb->program.passes > 0;
    sum->queries = sum->queries || pp_queries_need_reset(&cb->queries[PP_QUERY_TIME]) ||
                   pp_queries_need_reset(&cb->queries[PP_QUERY_STATISTICS]);
    /* Recorded without brackets of its own, though its queue could take them: too coarse, or never alone. */
    bool silent = cb->pool->inject && !cb->inject && !cb->secondary && !cb->mute;
    bool coarse = cb->tracker.level == PP_LEVEL_FRAME || silent;
    sum->collapse = sum->collapse || (cb->program.passes > 0 && coarse);
    for (uint32_t i = 0; i < cb->execs; i++)
        look(cb->exec[i].secondary, sum);
}

void
pp_replay_look(struct pp_cmdbuf *const *buffers, uint32_t count, enum pp_level level,
               struct pp_replay_sum *ret_sum)
{
    *ret_sum = (struct pp_replay_sum){.collapse = level == PP_LEVEL_FRAME};
    for (uint32_t i = 0; i < count; i++)
        if (buffers[i] != NULL)
            look(buffers[i], ret_sum);
}

void
pp_replay_finish(struct pp_replay *replay)
{
    free(replay->map);
    free(replay->cpu);
    *replay = (struct pp_replay){0};
}
