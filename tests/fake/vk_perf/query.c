/** @file
 * Query pools, the profiling lock, Intel's configurations, and the counts of submissions. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_perf.h"

struct fp_pool *
fp_pool_of(VkQueryPool pool)
{
    pthread_mutex_lock(&fp_lock);
    struct fp_pool *record = fp_map_get(&fp_pools, (uint64_t)pool);
    pthread_mutex_unlock(&fp_lock);
    return record;
}

/* Intel's OA unit: a GPU has one. A driver's device opens the unit once, for the profiling lock or for the
 * first queue that gets a configuration. Counters of other GPUs concern only the profiling lock. */

enum unit_use { BY_NONE, BY_LOCK, BY_QUEUE };

static struct {
    const struct fp_device *dev;
    enum unit_use use;
} unit; /* guarded by fp_lock */

static bool
take_unit(const struct fp_device *dev, enum unit_use use)
{
    if (!fp_config.intel && fp_config.driver != VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA)
        return true;
    pthread_mutex_lock(&fp_lock);
    bool had = unit.use == BY_NONE || (unit.dev == dev && unit.use == use);
    if (had) {
        unit.dev = dev;
        unit.use = use;
    }
    pthread_mutex_unlock(&fp_lock);
    return had;
}

static void
leave_unit(const struct fp_device *dev, enum unit_use use)
{
    pthread_mutex_lock(&fp_lock);
    if (unit.dev == dev && unit.use == use)
        unit.use = BY_NONE;
    pthread_mutex_unlock(&fp_lock);
}

/* The lock. */

static VKAPI_ATTR VkResult VKAPI_CALL
fp_AcquireProfilingLockKHR(VkDevice device, const VkAcquireProfilingLockInfoKHR *info)
{
    struct fp_device *dev = fp_device_of(device);
    FP_DEMAND(info->sType == VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR && info->flags == 0,
              "VkAcquireProfilingLockInfoKHR");
    FP_DEMAND(!dev->locked, "the profiling lock is acquired twice");
    if (fp_config.lock == VK_SUCCESS && !take_unit(dev, BY_LOCK))
        return VK_TIMEOUT;
    dev->locked = fp_config.lock == VK_SUCCESS;
    return fp_config.lock;
}

static VKAPI_ATTR void VKAPI_CALL
fp_ReleaseProfilingLockKHR(VkDevice device)
{
    struct fp_device *dev = fp_device_of(device);
    FP_DEMAND(dev->locked, "VUID-vkReleaseProfilingLockKHR-device-03235: not held");
    dev->locked = false;
    dev->lock_epoch++;
    leave_unit(dev, BY_LOCK);
}

/* Intel's configurations. */

static VKAPI_ATTR VkResult VKAPI_CALL
fp_InitializePerformanceApiINTEL(VkDevice device, const VkInitializePerformanceApiInfoINTEL *info)
{
    struct fp_device *dev = fp_device_of(device);
    FP_DEMAND(info->sType == VK_STRUCTURE_TYPE_INITIALIZE_PERFORMANCE_API_INFO_INTEL, "sType");
    FP_DEMAND(!dev->initialized, "the performance API is initialized twice");
    dev->initialized = fp_config.initialize == VK_SUCCESS;
    return fp_config.initialize;
}

static VKAPI_ATTR void VKAPI_CALL
fp_UninitializePerformanceApiINTEL(VkDevice device)
{
    struct fp_device *dev = fp_device_of(device);
    FP_DEMAND(dev->initialized, "the performance API is not initialized");
    dev->initialized = false;
    leave_unit(dev, BY_QUEUE);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_AcquirePerformanceConfigurationINTEL(VkDevice device,
                                        const VkPerformanceConfigurationAcquireInfoINTEL *info,
                                        VkPerformanceConfigurationINTEL *ret)
{
    struct fp_device *dev = fp_device_of(device);
    FP_DEMAND(dev->initialized, "a configuration is acquired before initialization");
    FP_DEMAND(info->type == VK_PERFORMANCE_CONFIGURATION_TYPE_COMMAND_QUEUE_METRICS_DISCOVERY_ACTIVATED_INTEL,
              "type of the configuration");
    uint32_t registered = fp_registered();
    if (fp_config.acquire != VK_SUCCESS || registered == 0)
        return VK_INCOMPLETE;
    dev->configurations++;
    *ret = (VkPerformanceConfigurationINTEL)(uintptr_t)registered;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_ReleasePerformanceConfigurationINTEL(VkDevice device, VkPerformanceConfigurationINTEL configuration)
{
    struct fp_device *dev = fp_device_of(device);
    (void)configuration;
    FP_DEMAND(dev->configurations > 0, "no configuration to release");
    dev->configurations--;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_QueueSetPerformanceConfigurationINTEL(VkQueue queue, VkPerformanceConfigurationINTEL configuration)
{
    struct fp_device *dev = fp_device_of(queue);
    FP_DEMAND(dev->configurations > 0, "a configuration that was not acquired");
    if (fp_config.queue != VK_SUCCESS)
        return fp_config.queue;
    if (!take_unit(dev, BY_QUEUE))
        return VK_ERROR_INITIALIZATION_FAILED;
    pthread_mutex_lock(&fp_lock);
    fp_map_take(&fp_queues, (uint64_t)(uintptr_t)queue);
    fp_map_put(&fp_queues, (uint64_t)(uintptr_t)queue, (void *)(uintptr_t)configuration);
    pthread_mutex_unlock(&fp_lock);
    return VK_SUCCESS;
}

/* Pools. */

static void
take_counters(struct fp_pool *pool, const VkQueryPoolPerformanceCreateInfoKHR *info)
{
    FP_DEMAND(info != NULL, "VUID-VkQueryPoolCreateInfo-queryType-03222: no performance info");
    FP_DEMAND(pool->dev->khr && pool->dev->pools_on,
              "VUID-VkQueryPoolPerformanceCreateInfoKHR-performanceCounterQueryPools-03237: not enabled");
    FP_DEMAND(info->queueFamilyIndex == fp_config.family, "a family without counters");
    pool->family = info->queueFamilyIndex;
    pool->counters = info->counterIndexCount;
    pool->counter = calloc(pool->counters + 1, sizeof(*pool->counter));
    pool->scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
    for (uint32_t i = 0; i < pool->counters; i++) {
        uint32_t c = info->pCounterIndices[i];
        FP_DEMAND(c < fp_counters, "VUID-VkQueryPoolPerformanceCreateInfoKHR-pCounterIndices-03321: %u", c);
        for (uint32_t j = 0; j < i; j++)
            FP_DEMAND(pool->counter[j] != c, "counter %u twice", c);
        VkPerformanceCounterScopeKHR scope =
            fp_config.whole ? VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR : fp_counter[c].scope;
        pool->counter[i] = c;
        pool->scope = scope < pool->scope ? scope : pool->scope;
    }
    pool->passes = fp_passes_of(pool->counter, pool->counters);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *info, const VkAllocationCallbacks *allocator,
                   VkQueryPool *ret)
{
    struct fp_device *dev = fp_device_of(device);
    const void *khr = NULL, *intel = NULL;
    if ((info->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR || !fp_config.khr) &&
        (info->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_INTEL || !fp_config.intel))
        return dev->next.CreateQueryPool(device, info, allocator, ret);
    if (fp_config.pool != VK_SUCCESS)
        return fp_config.pool;
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        khr = s->sType == VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR ? (const void *)s : khr;
        intel = s->sType == VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_QUERY_CREATE_INFO_INTEL ? (const void *)s
                                                                                             : intel;
    }
    struct fp_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        abort();
    pool->dev = dev;
    pool->intel = info->queryType == VK_QUERY_TYPE_PERFORMANCE_QUERY_INTEL;
    pool->count = info->queryCount;
    pool->query = calloc(pool->count + 1, sizeof(*pool->query));
    if (pool->intel)
        FP_DEMAND(dev->intel && dev->initialized && intel, "Intel's pool before initialization");
    else
        take_counters(pool, khr);
    *ret = (VkQueryPool)(uintptr_t)pool;
    pthread_mutex_lock(&fp_lock);
    fp_map_put(&fp_pools, (uint64_t)*ret, pool);
    dev->pools++;
    pthread_mutex_unlock(&fp_lock);
    return VK_SUCCESS;
}

/** Has the submission ended? This layer's fence is signalled before the application's. */
static bool
has_ended(struct fp_device *dev, struct fp_submission *submission)
{
    if (!submission->done)
        submission->done = dev->next.GetFenceStatus(dev->handle, submission->fence) == VK_SUCCESS;
    return submission->done;
}

static VKAPI_ATTR void VKAPI_CALL
fp_DestroyQueryPool(VkDevice device, VkQueryPool query_pool, const VkAllocationCallbacks *allocator)
{
    struct fp_device *dev = fp_device_of(device);
    struct fp_pool *pool = query_pool == VK_NULL_HANDLE ? NULL : fp_pool_of(query_pool);
    if (!pool) {
        dev->next.DestroyQueryPool(device, query_pool, allocator);
        return;
    }
    for (uint32_t i = 0; i < pool->count; i++)
        FP_DEMAND(!pool->query[i].submission || has_ended(dev, pool->query[i].submission),
                  "VUID-vkDestroyQueryPool-queryPool-00793: in use");
    pthread_mutex_lock(&fp_lock);
    fp_map_take(&fp_pools, (uint64_t)query_pool);
    dev->pools--;
    pthread_mutex_unlock(&fp_lock);
    free(pool->counter);
    free(pool->query);
    free(pool);
}

static VKAPI_ATTR void VKAPI_CALL
fp_ResetQueryPool(VkDevice device, VkQueryPool query_pool, uint32_t first, uint32_t count)
{
    struct fp_device *dev = fp_device_of(device);
    struct fp_pool *pool = fp_pool_of(query_pool);
    if (!pool) {
        dev->next.ResetQueryPool(device, query_pool, first, count);
        return;
    }
    FP_DEMAND(dev->host_reset, "VUID-vkResetQueryPool-None-02665: hostQueryReset is not enabled");
    FP_DEMAND(first + count <= pool->count, "VUID-vkResetQueryPool-firstQuery-09436/09437: range");
    for (uint32_t i = first; i < first + count; i++) {
        struct fp_query *query = &pool->query[i];
        FP_DEMAND(!query->submission || has_ended(dev, query->submission),
                  "VUID-vkResetQueryPool-firstQuery-02741: query %u is in use", i);
        memset(query, 0, sizeof(*query));
        query->reset = true;
    }
}

/* Submissions. */

/** A pending submission. */
struct run {
    struct fp_device *dev;
    struct fp_submission *submission; /**< NULL until a query needs one */
    uint32_t pass;                    /**< counterPassIndex */
    uint32_t set;                     /**< Intel's, of the queue */
    struct fp_op open[2];             /**< the active queries */
    struct fp_pool *khr_pool;         /**< of the current primary command buffer */
    bool suspends, suspended;         /**< the open pass will be suspended; the last pass is suspended */
};

static void
run_begin(struct run *run, const struct fp_buffer *cb, const struct fp_op *op)
{
    struct fp_pool *pool = op->pool;
    for (uint32_t i = op->index; i < op->index + op->views; i++) {
        struct fp_query *query = &pool->query[i];
        bool next_pass = !pool->intel && query->passes != 0 && !(query->passes >> run->pass & 1);
        FP_DEMAND(query->reset || next_pass, "VUID-vkCmdBeginQuery-None-00807: query %u was not reset", i);
    }
    FP_DEMAND(run->pass < (pool->intel ? 1 : pool->passes),
              "VUID-VkPerformanceQuerySubmitInfoKHR-counterPassIndex-03221: pass %u", run->pass);
    if (pool->intel)
        FP_DEMAND(run->set != 0, "the queue has no performance configuration");
    else
        FP_DEMAND(run->dev->locked && cb->lock_epoch == run->dev->lock_epoch,
                  "VUID-vkQueueSubmit-pCommandBuffers-03220: the lock was not held all the time");
    FP_DEMAND(pool->intel || !run->khr_pool || run->khr_pool == pool || run->dev->multiple_on,
              "a second pool in one primary command buffer");
    if (!pool->intel)
        run->khr_pool = pool;
    run->open[pool->intel] = *op;
}

static void
run_end(struct run *run, const struct fp_op *op)
{
    struct fp_op *open = &run->open[op->pool->intel];
    if (!run->submission) {
        const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        struct fp_submission *made = calloc(1, sizeof(*made));
        if (!made || run->dev->next.CreateFence(run->dev->handle, &info, NULL, &made->fence) != VK_SUCCESS)
            abort();
        made->next = run->dev->submissions;
        run->dev->submissions = made;
        run->submission = made;
    }
    for (uint32_t i = op->index; i < op->index + op->views; i++) {
        struct fp_query *query = &op->pool->query[i];
        query->reset = false;
        query->available = true;
        query->submission = run->submission;
        query->passes |= (uint64_t)1 << run->pass;
        query->set = run->set;
        memcpy(query->work, open->work, sizeof(query->work));
    }
    open->pool = NULL;
}

/** A GPU of tests/fake/kernel in this process counts the actions, too, if there is one. */
static void
tell_kernel(const uint64_t *work)
{
    static void (*worked)(uint64_t clocks);
    static bool looked;
    if (!looked)
        *(void **)&worked = dlsym(RTLD_DEFAULT, "fake_kernel_worked");
    looked = true;
    if (worked)
        worked(1000 * work[FP_DRAWS] + work[FP_VERTICES] + 200 * work[FP_DISPATCHES] + work[FP_GROUPS] +
               500 * work[FP_COPIES] + 7 * work[FP_PASSES]);
}

static void
enter_pass(struct run *run, VkRenderingFlags flags)
{
    FP_DEMAND(run->suspended == ((flags & VK_RENDERING_RESUMING_BIT) != 0),
              "VUID-VkSubmitInfo-pCommandBuffers-06192/06016: a pass %s",
              run->suspended ? "before the suspended one is resumed" : "resumes none");
    run->suspended = false;
    run->suspends = (flags & VK_RENDERING_SUSPENDING_BIT) != 0;
}

/** All command buffers of one VkSubmitInfo have run. */
static void
end_batch(const struct run *run)
{
    FP_DEMAND(!run->suspended, "VUID-VkSubmitInfo-pCommandBuffers-06015: a suspended pass is not resumed");
}

static void
run_buffer(struct run *run, const struct fp_buffer *cb)
{
    for (uint32_t i = 0; i < cb->ops; i++) {
        const struct fp_op *op = &cb->op[i];
        FP_DEMAND(!run->suspended || op->kind == FP_OP_ENTER || op->kind == FP_OP_EXECUTE,
                  "VUID-VkSubmitInfo-pCommandBuffers-06191: %s between a suspended pass and what resumes it",
                  op->kind == FP_OP_BEGIN || op->kind == FP_OP_END ? "a query" : "a command");
        switch (op->kind) {
        case FP_OP_ACT:
            break;
        case FP_OP_ENTER:
            enter_pass(run, op->flags);
            break;
        case FP_OP_LEAVE:
            run->suspended = run->suspends;
            break;
        case FP_OP_WORK:
            tell_kernel(op->work);
            for (int o = 0; o < 2; o++)
                for (int w = 0; w < FP_WORKS && run->open[o].pool; w++)
                    run->open[o].work[w] += op->work[w];
            break;
        case FP_OP_BEGIN:
            run_begin(run, cb, op);
            break;
        case FP_OP_END:
            run_end(run, op);
            break;
        case FP_OP_EXECUTE:
            run_buffer(run, op->secondary);
            break;
        }
    }
}

static uint32_t
pass_of(const void *chain)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PERFORMANCE_QUERY_SUBMIT_INFO_KHR)
            return ((const VkPerformanceQuerySubmitInfoKHR *)(const void *)s)->counterPassIndex;
    return 0;
}

static void
begin_run(struct run *run, VkQueue queue)
{
    memset(run, 0, sizeof(*run));
    run->dev = fp_device_of(queue);
    pthread_mutex_lock(&fp_lock);
    run->set = (uint32_t)(uintptr_t)fp_map_get(&fp_queues, (uint64_t)(uintptr_t)queue);
}

static void
run_primary(struct run *run, VkCommandBuffer buffer)
{
    const struct fp_buffer *cb = fp_map_get(&fp_buffers, (uint64_t)(uintptr_t)buffer);
    run->khr_pool = NULL;
    if (cb)
        run_buffer(run, cb);
}

/** This layer's fence belongs to the submission; the application's fence follows. */
static VkResult
finish_submit(const struct run *run, VkQueue queue, VkFence fence, VkResult result)
{
    if (result == VK_SUCCESS && run->submission && fence != VK_NULL_HANDLE)
        result = run->dev->next.QueueSubmit(queue, 0, NULL, fence);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits, VkFence fence)
{
    struct run run;
    begin_run(&run, queue);
    for (uint32_t i = 0; i < count; i++) {
        run.pass = pass_of(submits[i].pNext);
        for (uint32_t b = 0; b < submits[i].commandBufferCount; b++)
            run_primary(&run, submits[i].pCommandBuffers[b]);
        end_batch(&run);
    }
    fp_note_waits(queue, count, submits);
    fp_note_fence(queue, fence);
    pthread_mutex_unlock(&fp_lock);
    VkResult result =
        run.dev->next.QueueSubmit(queue, count, submits, run.submission ? run.submission->fence : fence);
    return finish_submit(&run, queue, fence, result);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence)
{
    struct run run;
    begin_run(&run, queue);
    for (uint32_t i = 0; i < count; i++) {
        run.pass = pass_of(submits[i].pNext);
        for (uint32_t b = 0; b < submits[i].commandBufferInfoCount; b++)
            run_primary(&run, submits[i].pCommandBufferInfos[b].commandBuffer);
        end_batch(&run);
    }
    fp_note_waits2(queue, count, submits);
    fp_note_fence(queue, fence);
    pthread_mutex_unlock(&fp_lock);
    VkResult result =
        run.dev->next.QueueSubmit2(queue, count, submits, run.submission ? run.submission->fence : fence);
    return finish_submit(&run, queue, fence, result);
}

/* Results. */

static FILE *
dump_file(void)
{
    static FILE *file;
    const char *path = getenv("FAKE_VK_PERF_DUMP");
    if (!file && path)
        file = fopen(path, "w");
    return file;
}

static void
write_khr(const struct fp_pool *pool, const struct fp_query *query, VkPerformanceCounterResultKHR *out)
{
    FILE *dump = dump_file();
    if (dump)
        fputs("{\"type\": \"khr\", \"values\": {", dump);
    for (uint32_t c = 0; c < pool->counters; c++) {
        const struct fp_counter *counter = &fp_counter[pool->counter[c]];
        out[c] = fp_value(counter, query->work);
        if (!dump)
            continue;
        fprintf(dump, "%s\"%s\": ", c > 0 ? ", " : "", counter->name);
        switch (counter->storage) {
        case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
            fprintf(dump, "%d", (int)out[c].int32);
            break;
        case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
            fprintf(dump, "%lld", (long long)out[c].int64);
            break;
        case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
            fprintf(dump, "%u", out[c].uint32);
            break;
        case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
            fprintf(dump, "%.9g", (double)out[c].float32);
            break;
        case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
            fprintf(dump, "%.17g", out[c].float64);
            break;
        case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
        case VK_PERFORMANCE_COUNTER_STORAGE_MAX_ENUM_KHR:
        default:
            fprintf(dump, "%llu", (unsigned long long)out[c].uint64);
            break;
        }
    }
    if (dump) {
        fputs("}}\n", dump);
        fflush(dump);
    }
}

/** One of Intel's counters, computed from the counts. */
static uint64_t
raw_counter(const uint64_t *work, uint32_t i)
{
    return work[FP_DRAWS] * (1000 + i) + work[FP_VERTICES] * (7 + i % 5) + work[FP_GROUPS] * (11 + i % 3) +
           work[FP_COPIES] * (100 + i) + work[FP_PASSES] * (i % 4);
}

/** Gen9's gfx9_mdapi_metrics. Source: Mesa, src/intel/perf/intel_perf_mdapi.h. */
static void
write_intel(const struct fp_query *query, uint8_t *out)
{
    uint64_t quanta = raw_counter(query->work, 60), ticks = 3 * quanta, ns = 250 * quanta;
    uint64_t clocks = 100 * quanta + 1, value;
    const char *words = getenv("FAKE_VK_PERF");
    bool shifted = words && strstr(words, "shifted");
    FILE *dump = dump_file();
    memset(out, 0, 672);
    memcpy(out, &ns, 8);
    memcpy(out + 8, &clocks, 8);
    if (dump)
        fprintf(dump,
                "{\"type\": \"intel\", \"set\": %u, \"GPU_TIME\": %llu, \"GPU_CLOCK\": %llu, \"raw\": [",
                query->set, (unsigned long long)ticks, (unsigned long long)clocks);
    for (uint32_t i = 0; i < 52; i++) { /* 36 A, then B and C */
        value = !shifted ? raw_counter(query->work, i) : i == 0 ? clocks : raw_counter(query->work, i - 1);
        memcpy(out + 0x10 + 8 * (size_t)i, &value, 8);
        if (dump)
            fprintf(dump, "%s%llu", i > 0 ? ", " : "", (unsigned long long)value);
    }
    value = 16667000;
    memcpy(out + 0x1e0, &value, 8);
    memcpy(out + 0x1e8, &value, 8);
    memcpy(out + 0x208, &value, 8);
    if (dump) {
        fputs("]}\n", dump);
        fflush(dump);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL
fp_GetQueryPoolResults(VkDevice device, VkQueryPool query_pool, uint32_t first, uint32_t count, size_t size,
                       void *data, VkDeviceSize stride, VkQueryResultFlags flags)
{
    struct fp_device *dev = fp_device_of(device);
    const struct fp_pool *pool = fp_pool_of(query_pool);
    VkResult result = VK_SUCCESS;
    if (!pool)
        return dev->next.GetQueryPoolResults(device, query_pool, first, count, size, data, stride, flags);
    size_t one = pool->intel ? 672 : pool->counters * sizeof(VkPerformanceCounterResultKHR);
    FP_DEMAND(first + count <= pool->count, "VUID-vkGetQueryPoolResults-firstQuery-00814/00816: range");
    FP_DEMAND(size >= (count - 1) * stride + one, "VUID-vkGetQueryPoolResults-dataSize-00817: %zu bytes",
              size);
    FP_DEMAND(count == 1 || stride >= one, "VUID-vkGetQueryPoolResults-queryType-04519/04520: stride");
    FP_DEMAND(stride % 8 == 0 && (uintptr_t)data % 8 == 0,
              "VUID-vkGetQueryPoolResults-queryType-03229: align");
    FP_DEMAND(pool->intel || !(flags & (VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_PARTIAL_BIT |
                                        VK_QUERY_RESULT_64_BIT)),
              "VUID-vkGetQueryPoolResults-queryType-03230: flags");
    for (uint32_t i = 0; i < count; i++) {
        const struct fp_query *query = &pool->query[first + i];
        uint8_t *out = (uint8_t *)data + i * stride;
        FP_DEMAND(query->reset || query->available,
                  "VUID-vkGetQueryPoolResults-None-09401: query %u is "
                  "uninitialized",
                  first + i);
        if (!query->available || !has_ended(dev, query->submission)) {
            result = VK_NOT_READY;
            continue;
        }
        FP_DEMAND(pool->intel || query->passes == ((uint64_t)1 << pool->passes) - 1,
                  "VUID-vkGetQueryPoolResults-queryType-03231: not all of %u passes were submitted",
                  pool->passes);
        if (pool->intel)
            write_intel(query, out);
        else
            write_khr(pool, query, (VkPerformanceCounterResultKHR *)(void *)out);
    }
    return result;
}

PFN_vkVoidFunction
fp_find_query(const char *name)
{
#define ENTRY(name)                                                                                          \
    {                                                                                                        \
        "vk" #name, (PFN_vkVoidFunction)fp_##name                                                            \
    }
#define ALIAS(name, alias)                                                                                   \
    {                                                                                                        \
        "vk" alias, (PFN_vkVoidFunction)fp_##name                                                            \
    }
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        ENTRY(AcquireProfilingLockKHR),
        ENTRY(ReleaseProfilingLockKHR),
        ENTRY(InitializePerformanceApiINTEL),
        ENTRY(UninitializePerformanceApiINTEL),
        ENTRY(AcquirePerformanceConfigurationINTEL),
        ENTRY(ReleasePerformanceConfigurationINTEL),
        ENTRY(QueueSetPerformanceConfigurationINTEL),
        ENTRY(CreateQueryPool),
        ENTRY(DestroyQueryPool),
        ENTRY(ResetQueryPool),
        ALIAS(ResetQueryPool, "ResetQueryPoolEXT"),
        ENTRY(QueueSubmit),
        ENTRY(QueueSubmit2),
        ALIAS(QueueSubmit2, "QueueSubmit2KHR"),
        ENTRY(GetQueryPoolResults),
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}
