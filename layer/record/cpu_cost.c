/** @file
 * See cpu_cost.h. */
#include "layer/record/cpu_cost.h"

#include <stdlib.h>
#include <string.h>

#include "layer/frame/frame.h"
#include "layer/frame/surface.h"
#include "layer/record/record.h"

void
pp_vk_cpu_cost_begin(struct pp_cmdbuf *cb)
{
    struct pp_vk_cpu_cost *cpu = &cb->cpu;
    cpu->on = cpu->used = false;
    if (cpu->ends)
        memset(cpu->ends, 0, cpu->cap);
    if (!cb->dev->measured.cpu || cb->tracker.level == PP_LEVEL_FRAME)
        return;
    /* Core plans the counter sets when the first frame begins. */
    struct pp_timeline *timeline = pp_vk_device_timeline(cb->dev, pp_vk_surface_current(cb->dev));
    if (!timeline)
        return;
    cpu->bytes = pp_device_thread_bytes(cb->dev->core);
    cpu->set = pp_timeline_rotation(timeline).set;
    cpu->on = cpu->bytes > 0;
}

static bool
reserve(struct pp_vk_cpu_cost *cpu, uint32_t bracket)
{
    uint32_t cap = cpu->cap == 0 ? 64 : cpu->cap;
    while (cap <= bracket)
        cap *= 2;
    if (cap == cpu->cap)
        return true;
    uint8_t *row = realloc(cpu->row, 2 * (size_t)cap * cpu->bytes);
    cpu->row = row ? row : cpu->row;
    uint8_t *ends = row ? realloc(cpu->ends, cap) : NULL;
    if (!ends)
        return false;
    memset(ends + cpu->cap, 0, cap - cpu->cap);
    cpu->ends = ends;
    cpu->cap = cap;
    return true;
}

void
pp_vk_cpu_cost_take(struct pp_cmdbuf *cb, uint32_t bracket, unsigned end)
{
    struct pp_vk_cpu_cost *cpu = &cb->cpu;
    if (!reserve(cpu, bracket)) {
        cpu->on = false;
        return;
    }
    pp_device_thread_take(cb->dev->core, cpu->set, cpu->row + (2 * (size_t)bracket + end) * cpu->bytes);
    cpu->ends[bracket] |= (uint8_t)(1U << end);
}

/* Does bracket @p from belong to a pass in which secondaries were executed? */
static bool
is_shared(const struct pp_cmdbuf *cb, uint32_t from)
{
    for (uint32_t i = 0; i < cb->execs.count; i++)
        if (cb->execs.list[i].inside && cb->action_list.pass[cb->execs.list[i].pass].bracket == from)
            return true;
    return false;
}

void
pp_vk_cpu_cost_put(const struct pp_cmdbuf *cb, uint32_t from, struct pp_batch *batch, uint32_t bracket,
                   bool repeated)
{
    const struct pp_vk_cpu_cost *cpu = &cb->cpu;
    const uint8_t *row = cpu->row + 2 * (size_t)from * cpu->bytes;
    if (from >= cpu->cap || cpu->ends[from] != 3)
        return;
    if (is_shared(cb, from))
        pp_device_thread_missing(batch->device, batch, bracket, PP_UNSUPPORTED);
    else if (repeated)
        pp_device_thread_missing(batch->device, batch, bracket, PP_COUNTED_EARLIER);
    else
        pp_device_thread_put(batch->device, batch, bracket, cpu->set, row, row + cpu->bytes);
}

void
pp_vk_cpu_cost_free(struct pp_vk_cpu_cost *cpu)
{
    free(cpu->row);
    free(cpu->ends);
}
