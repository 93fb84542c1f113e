/** @file
 * See flatten_results.h. */
#include "layer/submit/flatten_results.h"

#include <assert.h>
#include <errno.h>

#include "core/util/array.h"
#include "layer/base/serialize.h"
#include "layer/record/cpu_cost.h"

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
