/** @file
 * Performance queries in command buffers; see perf_record.h. The rules are Vulkan's: one pool for a primary
 * and its secondaries unless the device can do with more (performanceCounterMultipleQueryPools), one active
 * query at a time (VUID 01922), none across vkCmdExecuteCommands (07594), begun and ended in one subpass or
 * both outside (07007), counters of render passes outside of them (03225), those of command buffers as their
 * first and last command (03224, 03227), no reset in a command buffer (02863). */
#include "layer/record/perf_record.h"

#include <errno.h>
#include <stdlib.h>

#include "core/util/log.h"
#include "layer/base/serialize.h"
#include "layer/frame/frame.h"
#include "layer/frame/surface.h"
#include "layer/measure/announce.h"
#include "layer/record/record.h"

/* Choose the set that a recording measures, and whether it measures actions. A buffer recorded once for many
 * submissions takes the next set in order: with the frame's set, some sets might never be measured. */
static struct pp_rotation
choose_set(struct pp_cmdbuf *cb, struct pp_timeline *timeline, VkCommandBufferUsageFlags flags)
{
    struct pp_perf *perf = cb->dev->measured.perf;
    bool again = cb->perf.recorded;
    cb->perf.recorded = true;
    if ((flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) || again)
        return pp_timeline_rotation(timeline);
    struct pp_rotation only;
    if (pp_device_only_rotation(cb->dev->core, &only))
        return only;
    uint32_t number = atomic_fetch_add(&perf->recorded, 1);
    return (struct pp_rotation){.set = (uint8_t)(number % perf->sets),
                                .actions = number / perf->sets % 2 == 1};
}

/* May this secondary use its set's pool? Only if every primary that will execute it uses the same pool, or
 * may use several. */
static bool
may_measure_secondary(struct pp_cmdbuf *cb, const struct pp_perf *perf)
{
    if (perf->kind == PP_PERF_OA || perf->multiple || perf->sets == 1)
        return true;
    pp_vk_device_missing(cb->dev, PP_EVENT_PERF_SECONDARIES, PP_MSG_PERF_SECONDARIES);
    return false;
}

/* A session has columns for the counters of one queue family. */
static bool
is_of_family(const struct pp_cmdbuf *cb, struct pp_perf *perf)
{
    if (cb->pool->family == perf->family)
        return true;
    pp_vk_device_missing(cb->dev, PP_EVENT_PERF_FAMILIES, PP_MSG_PERF_FAMILIES);
    return false;
}

static bool
may_measure(struct pp_cmdbuf *cb, struct pp_perf *perf)
{
    if (!perf || perf->kind == PP_PERF_NONE || !cb->inject ||
        atomic_load_explicit(&perf->failed, memory_order_relaxed) || !is_of_family(cb, perf))
        return false;
    if (perf->kind == PP_PERF_OA && !atomic_load(&perf->queue_ready))
        return false;
    if (!cb->usage.simultaneous)
        return true;
    /* The buffer may be pending twice; its queries would then be used twice without a reset. */
    pp_vk_device_missing(cb->dev, PP_EVENT_PERF_SIMULTANEOUS, PP_MSG_PERF_SIMULTANEOUS);
    return false;
}

/* May several queries, one after the other, count the whole command buffer? */
static bool
may_pause(const struct pp_perf_cmdbuf *mine)
{
    return mine->set->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
}

/* Begin a query of the whole command buffer: the only kind that some counters allow, and the only one at
 * level frame. It must not be active at vkCmdExecuteCommands. Queries of command scope pause there. A query
 * that must be the last command cannot pause: applications with secondaries get none; the first secondary
 * ends it (split.h). It must not begin between a suspended pass and the pass that resumes it. */
static void
begin_whole(struct pp_cmdbuf *cb)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    const struct pp_perf *perf = cb->dev->measured.perf;
    mine->whole = true;
    mine->actions = false;
    if ((cb->usage.secondary && !may_pause(mine)) ||
        atomic_load_explicit(&perf->suspends, memory_order_relaxed) ||
        (mine->set->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR &&
         atomic_load_explicit(&perf->secondaries, memory_order_relaxed))) {
        mine->on = false;
        return;
    }
    pp_perf_begin(cb, PP_PERF_WHOLE, cb->instance.views);
}

void
pp_perf_record_begin(struct pp_cmdbuf *cb, VkCommandBufferUsageFlags flags)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    struct pp_perf *perf = cb->dev->measured.perf;
    mine->on = mine->actions = mine->whole = mine->broken = mine->inside = false;
    mine->submitted = false;
    mine->place = PP_VK_SCOPE_NONE;
    if (!may_measure(cb, perf))
        return;
    struct pp_timeline *timeline = pp_vk_device_timeline(cb->dev, pp_vk_surface_current(cb->dev));
    if (!timeline || !atomic_load_explicit(&perf->planned, memory_order_acquire) || perf->sets == 0)
        return;
    struct pp_rotation rotation = choose_set(cb, timeline, flags);
    if (rotation.set >= perf->sets || perf->set[rotation.set].pool == VK_NULL_HANDLE ||
        (cb->usage.secondary && !may_measure_secondary(cb, perf)))
        return;
    mine->set = &perf->set[rotation.set];
    mine->set_number = rotation.set;
    mine->on = true;
    mine->actions = rotation.actions && cb->tracker.level == PP_LEVEL_DRAW;
    if (cb->tracker.level == PP_LEVEL_FRAME ||
        mine->set->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR)
        begin_whole(cb);
}

void
pp_perf_record_end(struct pp_cmdbuf *cb)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    if (!mine->open)
        return;
    cb->next->CmdEndQuery(cb->handle, mine->set->pool,
                          mine->chunk[mine->open_number / PP_PERF_CHUNK] * PP_PERF_CHUNK +
                              mine->open_number % PP_PERF_CHUNK);
    mine->open = mine->inside = false;
}

/* Take another chunk of the set's pool. @retval 0. @retval -ENOMEM: no memory. @retval -ENOSPC: the pool is
 * full. */
static int
take_chunk(struct pp_cmdbuf *cb)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    struct pp_perf *perf = cb->dev->measured.perf;
    if (mine->chunks == mine->chunk_cap) {
        uint32_t cap = mine->chunk_cap == 0 ? 4 : mine->chunk_cap * 2;
        uint32_t *chunk = realloc(mine->chunk, cap * sizeof(*chunk));
        if (!chunk)
            return -ENOMEM;
        mine->chunk = chunk;
        struct pp_perf_entry *entry = realloc(mine->entry, (size_t)cap * PP_PERF_CHUNK * sizeof(*entry));
        if (!entry)
            return -ENOMEM;
        mine->entry = entry;
        mine->chunk_cap = cap;
    }
    struct pp_perf_set *set = mine->set;
    pthread_mutex_lock(&perf->lock);
    uint32_t tried = 0;
    while (tried < set->chunks && set->used[(set->hint + tried) % set->chunks])
        tried++;
    uint32_t found = tried < set->chunks ? (set->hint + tried) % set->chunks : 0;
    if (tried < set->chunks) {
        set->used[found] = true;
        set->hint = found + 1;
    }
    pthread_mutex_unlock(&perf->lock);
    if (tried == set->chunks)
        return -ENOSPC;
    mine->chunk[mine->chunks++] = found;
    return 0;
}

/* Take @p slots neighbouring queries. @return Number of the first; UINT32_MAX: none is available. */
static uint32_t
take_queries(struct pp_cmdbuf *cb, uint32_t slots)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    uint32_t left = mine->chunks * PP_PERF_CHUNK - mine->count;
    if (slots > PP_PERF_CHUNK)
        return UINT32_MAX;
    if (left < slots) {
        int rc = take_chunk(cb);
        if (rc == -ENOSPC)
            pp_vk_device_missing(cb->dev, PP_EVENT_PERF_FULL, PP_MSG_PERF_FULL);
        if (rc != 0)
            return UINT32_MAX;
        for (; left > 0; left--)
            mine->entry[mine->count++] = (struct pp_perf_entry){PP_NO_BRACKET, false};
    }
    uint32_t first = mine->count;
    mine->count += slots;
    return first;
}

void
pp_perf_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    if (!mine->on || mine->open || bracket == PP_NO_BRACKET ||
        (cb->instance.open && mine->set->scope != VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR))
        return;
    uint32_t number = take_queries(cb, slots);
    if (number == UINT32_MAX)
        return;
    for (uint32_t i = 0; i < slots; i++)
        mine->entry[number + i] = (struct pp_perf_entry){bracket, i > 0};
    mine->open = true;
    mine->open_number = number;
    mine->open_bracket = bracket;
    cb->next->CmdBeginQuery(cb->handle, mine->set->pool,
                            mine->chunk[number / PP_PERF_CHUNK] * PP_PERF_CHUNK + number % PP_PERF_CHUNK, 0);
}

void
pp_perf_end(struct pp_cmdbuf *cb, uint32_t bracket)
{
    const struct pp_perf_cmdbuf *mine = &cb->perf;
    if (mine->open && mine->open_bracket != PP_PERF_WHOLE &&
        (bracket == PP_NO_BRACKET || bracket == mine->open_bracket))
        pp_perf_record_end(cb);
}

void
pp_perf_break(struct pp_cmdbuf *cb)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    if (!mine->whole)
        return;
    mine->broken = true;
    /* The query's end must be the last command of its command buffer. Therefore the cut puts the next
     * commands into another one. */
    if (pp_perf_is_last(mine) && cb->split)
        (void)pp_serialize.cut(cb, PP_NO_BRACKET);
    pp_perf_record_end(cb);
    pp_vk_device_missing(cb->dev, PP_EVENT_PERF_BROKEN, PP_MSG_PERF_BROKEN);
}

void
pp_perf_pause(struct pp_cmdbuf *cb)
{
    const struct pp_perf_cmdbuf *mine = &cb->perf;
    if (mine->whole && mine->on && may_pause(mine))
        pp_perf_record_end(cb);
    else
        pp_perf_break(cb);
}

void
pp_perf_resume(struct pp_cmdbuf *cb)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    if (!mine->whole || !mine->on || mine->open || mine->broken || !may_pause(mine))
        return;
    pp_perf_begin(cb, PP_PERF_WHOLE, cb->instance.views);
    mine->inside = cb->instance.open;
    mine->broken = !mine->open; /* no query was available: the sum would lack this part */
}

void
pp_perf_leave(struct pp_cmdbuf *cb)
{
    if (cb->perf.whole && cb->perf.inside)
        pp_perf_record_end(cb);
}

void
pp_perf_free(struct pp_perf_cmdbuf *perf)
{
    free(perf->chunk);
    free(perf->entry);
}
