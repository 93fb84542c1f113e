/** @file
 * Life of command pools and command buffers. See record.h. */
#include "layer/record/record.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/tracker.h"
#include "core/util/log.h"
#include "layer/base/chain.h"
#include "layer/base/serialize.h"
#include "layer/frame/frame.h"
#include "layer/frame/surface.h"
#include "layer/measure/announce.h"
#include "layer/objects/object.h"
#include "layer/readback/perf_retire.h"
#include "layer/record/app_queries.h"
#include "layer/record/bracket.h"
#include "layer/record/perf_record.h"
#include "vk_hooks.h"

pp_string_id pp_vk_call_id[PP_VK_CALLS];

static void
fill_call_ids(struct pp_session *session)
{
    for (unsigned i = 0; i < PP_VK_CALLS; i++)
        pp_vk_call_id[i] = pp_session_string(session, pp_vk_call_name[i]);
}

void
pp_vk_record_init(struct pp_session *session)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool done;
    pthread_mutex_lock(&lock);
    if (!done)
        fill_call_ids(session);
    done = true;
    pthread_mutex_unlock(&lock);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *pCreateInfo,
                          const VkAllocationCallbacks *pAllocator, VkCommandPool *pCommandPool)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.CreateCommandPool(device, pCreateInfo, pAllocator, pCommandPool);
    if (result != VK_SUCCESS || !dev->session || pCreateInfo->queueFamilyIndex >= dev->gpu.families)
        return result;
    struct pp_cmdpool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return result;
    pool->dev = dev;
    pool->handle = *pCommandPool;
    pool->family = pCreateInfo->queueFamilyIndex;
    pool->inject =
        dev->gpu.family[pool->family].inject && !(pCreateInfo->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT);
    pool->statistics = pp_query_statistics(dev, pool->family);
    pool->returns = pp_query_chunk_returns_create(dev);
    if (!pool->returns || pp_map_put(&dev->objects.pools, (uint64_t)*pCommandPool, pool) != 0) {
        free(pool->returns);
        free(pool);
    }
    return result;
}

static void
cmdbuf_free(struct pp_cmdbuf *cb)
{
    pp_map_take(&pp_vk_root.command_buffers, (uint64_t)(uintptr_t)cb->handle);
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++) {
        pp_query_reset(&cb->queries[kind], cb->pool, (enum pp_query_kind)kind);
        free(cb->queries[kind].run);
        free(cb->queries[kind].stat);
    }
    pp_action_list_finish(&cb->action_list);
    free(cb->brackets.list);
    free(cb->statistics.gap);
    free(cb->execs.list);
    pp_indirect_free(cb);
    pp_perf_release(cb);
    pp_perf_free(&cb->perf);
    pp_serialize.remove(cb);
    pp_vk_cpu_cost_free(&cb->cpu);
    free(cb);
}

static void
cmdpool_free(struct pp_cmdpool *pool)
{
    while (pool->buffers) {
        struct pp_cmdbuf *cb = pool->buffers;
        pool->buffers = cb->pool_next;
        cmdbuf_free(cb);
    }
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++)
        pp_query_chunks_destroy(pool->dev, pool->free_chunks[kind]);
    pp_query_chunk_returns_release(pool->returns);
    free(pool);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_DestroyCommandPool(VkDevice device, VkCommandPool commandPool,
                           const VkAllocationCallbacks *pAllocator)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct pp_cmdpool *pool =
        commandPool == VK_NULL_HANDLE ? NULL : pp_map_take(&dev->objects.pools, (uint64_t)commandPool);
    /* Forget the records before the driver frees the handles: it may give them out again at once. */
    if (pool)
        cmdpool_free(pool);
    dev->next.DestroyCommandPool(device, commandPool, pAllocator);
}

static void
free_pool(void *value, void *user)
{
    (void)user;
    cmdpool_free(value);
}

void
pp_vk_record_finish(struct pp_vk_device *dev)
{
    pp_map_each(&dev->objects.pools, free_pool, NULL);
}

static void
learn_buffer(struct pp_cmdpool *pool, VkCommandBuffer handle, VkCommandBufferLevel level)
{
    /* One thread may allocate buffers that several threads record: no two buffers share a cache line. */
    struct pp_cmdbuf *cb = aligned_alloc(PP_CACHE_LINE, (sizeof(*cb) + PP_CACHE_LINE - 1) & -PP_CACHE_LINE);
    if (!cb)
        return;
    memset(cb, 0, sizeof(*cb));
    cb->next = &pool->dev->next;
    cb->dev = pool->dev;
    cb->handle = handle;
    cb->pool = pool;
    cb->usage.secondary = level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++)
        cb->queries[kind].kind = (enum pp_query_kind)kind;
    if (cb->usage.secondary && cb->dev->measured.perf)
        atomic_store_explicit(&cb->dev->measured.perf->secondaries, true, memory_order_relaxed);
    if (pp_map_put(&pp_vk_root.command_buffers, (uint64_t)(uintptr_t)handle, cb) != 0) {
        free(cb);
        return;
    }
    cb->pool_next = pool->buffers;
    pool->buffers = cb;
    pp_serialize.add(cb);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *pAllocateInfo,
                               VkCommandBuffer *pCommandBuffers)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    VkResult result = dev->next.AllocateCommandBuffers(device, pAllocateInfo, pCommandBuffers);
    struct pp_cmdpool *pool = pp_map_get(&dev->objects.pools, (uint64_t)pAllocateInfo->commandPool);
    if (result == VK_SUCCESS && pool)
        for (uint32_t i = 0; i < pAllocateInfo->commandBufferCount; i++)
            learn_buffer(pool, pCommandBuffers[i], pAllocateInfo->level);
    return result;
}

static void
forget_buffer(VkCommandBuffer handle)
{
    struct pp_cmdbuf *cb = !handle ? NULL : pp_cmdbuf_find(handle);
    if (!cb)
        return;
    struct pp_cmdbuf **link = &cb->pool->buffers;
    while (*link != cb)
        link = &(*link)->pool_next;
    *link = cb->pool_next;
    pp_serialize.release(cb);
    cmdbuf_free(cb);
}

VKAPI_ATTR void VKAPI_CALL
pp_hook_FreeCommandBuffers(VkDevice device, VkCommandPool commandPool, uint32_t commandBufferCount,
                           const VkCommandBuffer *pCommandBuffers)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    /* Forget the records before the driver frees the handles: it may give them out again at once. */
    for (uint32_t i = 0; i < commandBufferCount; i++)
        forget_buffer(pCommandBuffers[i]);
    dev->next.FreeCommandBuffers(device, commandPool, commandBufferCount, pCommandBuffers);
}

static void reset_buffer(struct pp_cmdbuf *cb);

/* Empty a command buffer. The buffer is not pending, so other buffers may use its queries. */
static void
empty_buffer(struct pp_cmdbuf *cb)
{
    reset_buffer(cb);
    cb->recording = cb->quick = false;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_ResetCommandPool(VkDevice device, VkCommandPool commandPool, VkCommandPoolResetFlags flags)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    const struct pp_cmdpool *pool = pp_map_get(&dev->objects.pools, (uint64_t)commandPool);
    for (struct pp_cmdbuf *cb = pool ? pool->buffers : NULL; cb; cb = cb->pool_next)
        empty_buffer(cb);
    return dev->next.ResetCommandPool(device, commandPool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_ResetCommandBuffer(VkCommandBuffer commandBuffer, VkCommandBufferResetFlags flags)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (cb)
        empty_buffer(cb);
    return pp_cmdbuf_next(cb, commandBuffer)->ResetCommandBuffer(commandBuffer, flags);
}

/* View mask of the subpass that a secondary continues; 0: none or unknown. */
static uint32_t
inherited_views(struct pp_vk_device *dev, const VkCommandBufferInheritanceInfo *info)
{
    if (info->renderPass != VK_NULL_HANDLE)
        return pp_vk_pass_view_mask(dev, info->renderPass, info->subpass);
    const VkCommandBufferInheritanceRenderingInfo *rendering =
        pp_vk_find(info->pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO);
    return !rendering ? 0 : rendering->viewMask;
}

/* A first run more than this many frames after its recording shows nothing about how far the application
 * records ahead. */
#define AHEAD_MOST 8U

void
pp_vk_record_runs(struct pp_cmdbuf *cb)
{
    struct pp_vk_device *dev = cb->dev;
    bool first = atomic_fetch_add_explicit(&cb->history.runs, 1, memory_order_relaxed) == 0;
    /* Before the first submission, no frame has a number. */
    bool tells = first && cb->history.begun > 0 && (cb->usage.one_time || cb->history.single_uses > 0);
    uint64_t ahead = tells ? pp_session_frames(dev->session) - cb->history.begun : 0;
    if (ahead > atomic_load_explicit(&dev->frames.frames_ahead, memory_order_relaxed) && ahead <= AHEAD_MOST)
        atomic_store_explicit(&dev->frames.frames_ahead, (uint32_t)ahead, memory_order_relaxed);
    for (uint32_t i = 0; i < cb->execs.count; i++)
        pp_vk_record_runs(cb->execs.list[i].secondary);
}

/* Learn from the recording that ends how often recordings of this buffer run. */
static void
learn_runs(struct pp_cmdbuf *cb)
{
    uint32_t runs = atomic_exchange_explicit(&cb->history.runs, 0, memory_order_relaxed);
    cb->history.rerun = cb->history.rerun || runs > 1;
    if (runs == 1 && cb->history.single_uses < PP_SINGLE_USES_KNOWN)
        cb->history.single_uses++;
}

/* Will this recording run once, as far as is known? */
static bool
runs_once(const struct pp_cmdbuf *cb)
{
    return cb->usage.one_time ||
           (cb->history.single_uses == PP_SINGLE_USES_KNOWN && !cb->history.rerun && !cb->usage.simultaneous);
}

/* Level to record at. A buffer that runs once, in this frame or one of the next, needs no brackets if
 * --frames leaves those frames out. A buffer that may run again is recorded at the level that is asked for.
 * The open frames keep their level if the user has just asked for a coarser one. */
static enum pp_level
record_level(struct pp_cmdbuf *cb)
{
    struct pp_vk_device *dev = cb->dev;
    enum pp_level asked = pp_session_level(dev->session), finest = PP_LEVEL_FRAME;
    bool once = runs_once(cb), known = false;
    uint32_t ahead = atomic_load_explicit(&dev->frames.frames_ahead, memory_order_relaxed);
    for (struct pp_vk_surface *s = &dev->frames.surface; s && finest < PP_LEVEL_DRAW;
         s = atomic_load(&s->next)) {
        struct pp_timeline *timeline = atomic_load_explicit(&s->timeline, memory_order_acquire);
        if (!timeline)
            continue;
        enum pp_level level =
            once ? pp_timeline_level_ahead(timeline, ahead > 0 ? ahead : 1) : pp_timeline_level(timeline);
        finest = level > finest ? level : finest;
        known = true;
    }
    return once && known ? finest : finest > asked ? finest : asked;
}

/* Is recording stopped, and no frame open that is still recorded? A buffer that may run again needs its
 * brackets when recording goes on. */
static bool
is_left_out(const struct pp_cmdbuf *cb)
{
    struct pp_vk_device *dev = cb->dev;
    bool left_out = pp_session_paused(dev->session) && runs_once(cb);
    for (struct pp_vk_surface *s = &dev->frames.surface; s && left_out; s = atomic_load(&s->next)) {
        const struct pp_timeline *timeline = atomic_load_explicit(&s->timeline, memory_order_acquire);
        left_out = !timeline || pp_timeline_paused(timeline);
    }
    return left_out;
}

static void
reset_buffer(struct pp_cmdbuf *cb)
{
    for (int kind = 0; kind < PP_QUERY_KINDS; kind++)
        pp_query_reset(&cb->queries[kind], cb->pool, (enum pp_query_kind)kind);
    pp_perf_release(cb);
    pp_action_list_reset(&cb->action_list);
    pp_indirect_reset(cb);
    cb->brackets.count = 0;
    cb->execs.count = 0;
    cb->reader.readback = NULL; /* the readback keeps its share of the queries */
    cb->surface = NULL;
    cb->labels.open = cb->labels.closed_outer = 0;
    cb->labels.ends_frame = false;
    memset(cb->pipeline, 0, sizeof(cb->pipeline));
    cb->instance.open = cb->quick = cb->instance.suspended = cb->instance.suspends = cb->instance.resumes =
        cb->statistics.active = cb->usage.inherits_pass = false;
    cb->statistics.app = cb->no_queries = false;
    cb->statistics.bound = cb->statistics.early_state = 0;
    cb->statistics.gaps = 0;
    cb->statistics.counting = &cb->queries[PP_QUERY_STATISTICS];
    cb->statistics.awaiting = PP_NO_BRACKET;
    cb->whole = (struct pp_cmdbuf_whole){.begin = PP_NO_QUERY, .end = PP_NO_QUERY};
    cb->brackets.last = (struct pp_vk_last_time){.time = PP_NO_QUERY};
    cb->instance.scope = PP_VK_SCOPE_NONE;
    cb->instance.views = 1;
    cb->subpasses.view_masks = NULL;
    cb->subpasses.count = cb->subpasses.open = 0;
}

/* Read what a secondary inherits: it decides which queries may be written into the secondary. */
static void
inherit(struct pp_cmdbuf *cb, const VkCommandBufferBeginInfo *info)
{
    const VkCommandBufferInheritanceInfo *inherited = info->pInheritanceInfo;
    /* A submission may execute the secondary twice, and would then write its queries twice without a
     * reset. */
    if (cb->usage.simultaneous && cb->pool->inject)
        pp_vk_device_missing(cb->dev, PP_EVENT_VK_SECONDARY_STATISTICS, PP_MSG_VK_SECONDARY_STATISTICS);
    if (cb->usage.simultaneous || !inherited)
        cb->inject = cb->statistics.on = false;
    if (!inherited)
        return;
    if (inherited->pipelineStatistics != 0 && cb->statistics.on) {
        cb->statistics.on = false;
        pp_vk_app_queries_missing(cb->dev);
    }
    cb->usage.inherits_pass = (info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
    if (!cb->usage.inherits_pass)
        return;
    uint32_t views = (uint32_t)__builtin_popcount(inherited_views(cb->dev, inherited));
    cb->instance.views = (uint8_t)(views == 0 ? 1 : views);
    cb->instance.open = true;
}

/* May this buffer run on two queues at once? Both runs would use the same queries. */
static bool
may_overlap(struct pp_cmdbuf *cb)
{
    if (!cb->usage.simultaneous || cb->dev->gpu.family[cb->pool->family].queues < 2)
        return false;
    if (!cb->usage.secondary && cb->pool->inject)
        pp_vk_device_missing(cb->dev, PP_EVENT_VK_SIMULTANEOUS, PP_MSG_VK_SIMULTANEOUS);
    return true;
}

static void
begin_recording(struct pp_cmdbuf *cb, const VkCommandBufferBeginInfo *info)
{
    reset_buffer(cb);
    pp_query_chunks_shrink(cb->pool);
    learn_runs(cb);
    cb->recording = pp_vk_device_live(cb->dev);
    if (!cb->recording)
        return;
    cb->usage.simultaneous = (info->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
    cb->usage.one_time = (info->flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0;
    cb->inject = cb->pool->inject && !is_left_out(cb) && !may_overlap(cb);
    cb->statistics.on = cb->inject && cb->pool->statistics != 0;
    cb->history.begun = pp_session_frames(cb->dev->session);
    enum pp_level level = record_level(cb);
    if (cb->usage.secondary)
        inherit(cb, info);
    pp_track_init(&cb->tracker, &pp_vk_frontend, cb, &cb->action_list, level);
    pp_track_stacks(&cb->tracker, cb->dev->session);
    cb->labels.region = pp_annotate_label();
    pp_track_label(&cb->tracker, cb->labels.region);
    pp_perf_record_begin(cb, info->flags);
    pp_vk_cpu_cost_begin(cb);
    pp_indirect_begin(cb);
    cb->whole.on = level == PP_LEVEL_FRAME && pp_vk_whole_allowed(cb);
    if (cb->usage.inherits_pass) {
        cb->instance.scope = level == PP_LEVEL_PASS ? PP_VK_SCOPE_INSIDE : PP_VK_SCOPE_NONE;
        cb->perf.place = pp_perf_passes(&cb->perf) ? PP_VK_SCOPE_INSIDE : PP_VK_SCOPE_NONE;
        pp_track_pass_begin(&cb->tracker, PP_PASS_RENDER, 0, 0);
        pp_vk_enter_pass(cb);
        struct pp_pass *pass = pp_track_open_pass(&cb->tracker);
        if (pass && cb->perf.place == PP_VK_SCOPE_INSIDE) {
            pp_vk_device_missing(cb->dev, PP_EVENT_PERF_SECONDARY_CLEAR, PP_MSG_PERF_SECONDARY_CLEAR);
            pp_perf_begin(cb, pass->bracket, cb->instance.views);
        }
        if (pass && cb->instance.scope == PP_VK_SCOPE_INSIDE)
            pp_vk_bracket_statistics_begin(cb, pass->bracket, cb->instance.views);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_BeginCommandBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo *pBeginInfo)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    VkResult result = pp_cmdbuf_next(cb, commandBuffer)->BeginCommandBuffer(commandBuffer, pBeginInfo);
    if (!cb)
        return result;
    cb->recording = cb->quick = false;
    if (result == VK_SUCCESS)
        begin_recording(cb, pBeginInfo);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_EndCommandBuffer(VkCommandBuffer commandBuffer)
{
    struct pp_cmdbuf *cb = pp_cmdbuf_find(commandBuffer);
    if (pp_cmdbuf_ready(cb)) {
        pp_vk_bracket_statistics_end(cb);
        if (!cb->instance.suspended)
            pp_track_end(&cb->tracker);
        pp_vk_whole_end(cb);
        pp_indirect_flush(cb, true);
        pp_perf_record_end(cb);
        cb->recording = cb->quick = false;
    }
    return pp_cmdbuf_next(cb, commandBuffer)->EndCommandBuffer(commandBuffer);
}

uint64_t
pp_vk_multi_vertices(uint32_t count, const VkMultiDrawInfoEXT *info, uint32_t stride)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += ((const VkMultiDrawInfoEXT *)(const void *)((const char *)info + (size_t)i * stride))
                   ->vertexCount;
    return sum;
}

uint64_t
pp_vk_multi_indices(uint32_t count, const VkMultiDrawIndexedInfoEXT *info, uint32_t stride)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += ((const VkMultiDrawIndexedInfoEXT *)(const void *)((const char *)info + (size_t)i * stride))
                   ->indexCount;
    return sum;
}

/* What recording costs on the CPU. */

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
