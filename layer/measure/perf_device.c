/** @file
 * Counters of a device from its creation to its destruction: requests to the driver, the choice of an
 * extension, query pools. See perf_device.h. */
#include "layer/measure/perf_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/engine/watch.h"
#include "core/util/log.h"
#include "counters/events/event_plan.h"
#include "counters/sources/i915/i915_unit.h"
#include "layer/base/device.h"
#include "layer/base/serialize.h"
#include "layer/counters/intel_query.h"
#include "layer/counters/khr_query.h"
#include "layer/measure/announce.h"

/* Queries of a pool. Drivers keep about a kilobyte for each. */
enum { POOL_PASSES = 4096, POOL_DRAWS = 8192 };

/* Longest wait for the lock, which usually no other process holds. */
#define LOCK_NS 100000000U

/* Queue family to measure: the first that the application created queues of; graphics families before compute
 * ones. */
static uint32_t
choose_family(const struct pp_vk_device *dev, uint32_t after)
{
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < dev->gpu.families; i++) {
            const struct pp_vk_family *family = &dev->gpu.family[i];
            bool graphics = (family->flags & VK_QUEUE_GRAPHICS_BIT) != 0;
            uint32_t rank = i + (graphics ? 0 : PP_VK_MAX_FAMILIES);
            if (family->inject && family->queues > 0 && graphics == (round == 0) &&
                (after == UINT32_MAX || rank > after))
                return rank;
        }
    return UINT32_MAX;
}

static const char *
open_khr(struct pp_vk_device *dev, struct pp_perf *perf)
{
    int rc = -ENOENT;
    bool failed = false;
    if (!perf->enumerate || !perf->passes || !dev->next.AcquireProfilingLockKHR || !dev->next.ResetQueryPool)
        return PP_TEXT_KHR_NO_FUNCTIONS;
    for (uint32_t rank = choose_family(dev, UINT32_MAX); rank != UINT32_MAX && rc != 0;
         rank = choose_family(dev, rank)) {
        perf->family = rank % PP_VK_MAX_FAMILIES;
        rc = pp_perf_khr_open(&perf->khr, dev->gpu.physical, perf->family, perf->enumerate, perf->passes,
                              &perf->quirk);
        failed |= rc == -EIO;
    }
    if (rc == -ENOMEM)
        return PP_TEXT_KHR_MEMORY;
    if (rc != 0 && failed)
        return PP_TEXT_KHR_FAILED;
    if (rc != 0)
        return PP_TEXT_KHR_NO_FAMILY;
    const VkAcquireProfilingLockInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR,
                                                .timeout = LOCK_NS};
    struct pp_i915_unit unit;
    if (pp_i915_unit_begin(perf->minor, dev->gpu.props.deviceID, &unit) == 0) {
        VkResult result = dev->next.AcquireProfilingLockKHR(dev->handle, &info);
        int stream = pp_i915_unit_end(&unit);
        perf->locked = (stream >= 0 || stream == -ENODEV) && result == VK_SUCCESS;
    }
    if (perf->locked)
        return NULL;
    return perf->quirk.refusal ? perf->quirk.refusal : PP_TEXT_KHR_LOCK;
}

/* Make a configuration for a metric set. @return Why it failed; NULL: made. */
static const char *
acquire(struct pp_vk_device *dev, struct pp_perf *perf, uint32_t set, VkPerformanceConfigurationINTEL *ret)
{
    const VkPerformanceConfigurationAcquireInfoINTEL info = {
        .sType = VK_STRUCTURE_TYPE_PERFORMANCE_CONFIGURATION_ACQUIRE_INFO_INTEL,
        .type = VK_PERFORMANCE_CONFIGURATION_TYPE_COMMAND_QUEUE_METRICS_DISCOVERY_ACTIVATED_INTEL,
    };
    int64_t id = pp_perf_oa_register(&perf->oa, perf->minor, set);
    if (id < 0)
        return pp_perf_oa_register_reason(id);
    VkResult result = dev->next.AcquirePerformanceConfigurationINTEL(dev->handle, &info, ret);
    pp_perf_oa_unregister(perf->minor, id);
    if (result == VK_SUCCESS)
        return NULL;
    *ret = VK_NULL_HANDLE;
    return PP_TEXT_OA_SET_UNKNOWN;
}

static const char *
open_oa(struct pp_vk_device *dev, struct pp_perf *perf)
{
    const VkInitializePerformanceApiInfoINTEL info = {
        .sType = VK_STRUCTURE_TYPE_INITIALIZE_PERFORMANCE_API_INFO_INTEL};
    uint32_t rank = choose_family(dev, UINT32_MAX);
    if (rank == UINT32_MAX)
        return PP_TEXT_OA_NO_QUEUE;
    perf->family = rank % PP_VK_MAX_FAMILIES;
    if (!dev->next.InitializePerformanceApiINTEL || !dev->next.ResetQueryPool)
        return PP_TEXT_OA_NO_FUNCTIONS;
    if (perf->minor == UINT32_MAX)
        return PP_TEXT_OA_NO_NODE;
    if (pp_perf_oa_open(&perf->oa, &dev->gpu.props, perf->minor) != 0)
        return PP_TEXT_OA_NO_SETS;
    if (dev->next.InitializePerformanceApiINTEL(dev->handle, &info) != VK_SUCCESS)
        return PP_TEXT_OA_NO_START;
    perf->initialized = true;
    uint32_t first = 0;
    if (pp_perf_source_oa.default_event(&perf->oa, 0, &first) != 0)
        first = 0;
    return acquire(dev, perf, perf->oa.events.event[first].set, &perf->probe);
}

/* Metric sets stay in the kernel after the application has confined itself: removing one opens the node. */
static void
close_oa(struct pp_vk_device *dev, struct pp_perf *perf)
{
    for (uint32_t i = 0; i < perf->sets; i++) {
        if (perf->set[i].configuration != VK_NULL_HANDLE)
            dev->next.ReleasePerformanceConfigurationINTEL(dev->handle, perf->set[i].configuration);
        if (perf->set[i].kernel_set.added && !pp_watch_confined())
            pp_perf_oa_drop(perf->minor, &perf->set[i].kernel_set);
    }
    atomic_store(&perf->stream, -ENOENT);
    if (perf->probe != VK_NULL_HANDLE)
        dev->next.ReleasePerformanceConfigurationINTEL(dev->handle, perf->probe);
    if (perf->initialized)
        dev->next.UninitializePerformanceApiINTEL(dev->handle);
    perf->probe = VK_NULL_HANDLE;
    perf->initialized = false;
}

/* May the item mean this counter? True for all items that name it, and for some that do not. */
static bool
may_name(const struct pp_event_item *item, const struct pp_perf_counter *counter)
{
    const char *name = strcmp(item->source, "khr") == 0 ? item->name : item->source;
    return !name || pp_event_matches(name, counter->name) || pp_event_matches(name, counter->category) ||
           strstr(name, counter->name);
}

/* Does the user want counters of whole command buffers? */
static bool
wants_whole_buffers(const struct pp_config *config, const struct pp_perf_khr *khr)
{
    struct pp_event_list list;
    bool wants = false;
    if (!config->events_given || pp_event_list_parse(config->events, &list, NULL) != 0)
        return false;
    for (uint32_t c = 0; c < khr->counters && !wants; c++)
        for (size_t i = 0; i < list.items && !wants; i++)
            wants = list.item[i].sign != '-' &&
                    khr->counter[c].scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR &&
                    may_name(&list.item[i], &khr->counter[c]);
    pp_event_list_destroy(&list);
    return wants;
}

/* Measure with `khr`, because `oa` is not measured. */
static void
use_khr(struct pp_vk_device *dev, struct pp_perf *perf)
{
    perf->khr_reason = open_khr(dev, perf);
    perf->khr_refused = perf->khr_reason && !perf->quirk.on_request;
    if (perf->khr_reason)
        return;
    perf->kind = PP_PERF_KHR;
    perf->source = (struct pp_event_source){&pp_perf_source_khr, &perf->khr};
    /* Whether secondaries will come is not known yet, so command buffers are split. */
    int rc =
        wants_whole_buffers(pp_session_config(dev->session), &perf->khr) ? pp_serialize.need_parts(dev) : 0;
    if (rc != 0)
        perf->kind = PP_PERF_NONE;
    if (rc == -ENOTSUP)
        perf->khr_reason = PP_TEXT_KHR_CANNOT_SPLIT;
}

/* Will the kernel's OA stream count on this device, because the driver's `oa` does not? */
static bool
is_streamed(const struct pp_vk_device *dev, const struct pp_perf *perf)
{
    const struct pp_config *config = pp_session_config(dev->session);
    if (dev->gpu.props.vendorID != PP_VENDOR_INTEL || perf->kind == PP_PERF_OA || perf->app_measures)
        return false;
    if (!pp_config_has_defaults(config) || pp_config_wants(config, "oa", false))
        return pp_config_wants(config, "oa", false);
    return perf->kind == PP_PERF_NONE && pp_session_default_events(dev->session, "oa", PP_VENDOR_INTEL);
}

void
pp_perf_open(struct pp_vk_device *dev, const struct pp_vk_device_request *request)
{
    const struct pp_vk_instance_next *next = &dev->instance->next;
    struct pp_perf *perf = calloc(1, sizeof(*perf));
    if (!perf)
        return;
    pthread_mutex_init(&perf->lock, NULL);
    perf->quirk = request->quirk;
    perf->minor = request->minor;
    perf->enumerate = next->EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR;
    perf->passes = next->GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR;
    perf->khr_requested = request->khr;
    perf->khr_reason = request->no_khr;
    perf->oa_reason = request->no_oa;
    perf->app_measures = request->app_measures;
    perf->multiple = request->multiple_pools;
    perf->row = UINT32_MAX;
    perf->stream = -ENOENT;
    perf->i915 = perf->minor != UINT32_MAX && pp_i915_unit_is(perf->minor);
    if (request->oa && !(perf->oa_reason = open_oa(dev, perf))) {
        perf->kind = PP_PERF_OA;
        perf->source = (struct pp_event_source){&pp_perf_source_oa, &perf->oa};
        if (request->khr)
            perf->khr_reason = PP_TEXT_KHR_OA_MEASURES;
    } else {
        close_oa(dev, perf);
    }
    /* A known fault of the driver is reported like a refusal: without the fault, the source would be
     * measured. */
    perf->oa_refused = perf->oa_reason && (request->oa || perf->oa_reason == perf->quirk.no_oa);
    /* Where the kernel's oa counts instead, nothing is missing. */
    bool unnamed =
        request->khr_unnamed && dev->gpu.props.vendorID == PP_VENDOR_INTEL && !is_streamed(dev, perf);
    perf->khr_refused =
        perf->kind == PP_PERF_NONE && perf->khr_reason && (unnamed || perf->khr_reason == perf->quirk.no_khr);
    if (perf->kind == PP_PERF_NONE && request->khr)
        use_khr(dev, perf);
    /* The stream's reports distinguish submissions, but not passes of one submission. Without parts the
     * values are estimates, which the rows say. */
    if (dev->measured.serialize && is_streamed(dev, perf))
        (void)pp_serialize.need_parts(dev);
    dev->measured.perf = perf;
}

void
pp_perf_fail(struct pp_vk_device *dev, enum pp_message id, const char *why)
{
    struct pp_perf *perf = dev->measured.perf;
    if (atomic_exchange(&perf->failed, true))
        return;
    if (atomic_load(&perf->planned))
        pp_vk_device_missing(dev, perf->source.ops->name, id, "%s", why);
    perf->oa_reason = why;
    perf->oa_refused = true;
}

/* Source oa: let the driver open the unit by the first queue, or set up a further one. @return Is the queue
 * set up? The caller holds the lock. */
static bool
set_up_first(struct pp_vk_queue *queue, struct pp_perf *perf)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_i915_unit unit = {.checked = false};
    bool opens = !atomic_load(&perf->queue_ready);
    if (!opens && perf->i915)
        return true; /* a device has one stream */
    if (opens && pp_i915_unit_begin(perf->minor, dev->gpu.props.deviceID, &unit) != 0)
        return false;
    VkResult result = dev->next.QueueSetPerformanceConfigurationINTEL(queue->handle, perf->probe);
    int stream = pp_i915_unit_end(&unit);
    bool opened = stream >= 0 || stream == -ENODEV;
    if (result == VK_SUCCESS && !opened)
        perf->initialized = false; /* or the driver would close the application's descriptor 0 */
    atomic_store(&perf->stream, stream);
    return result == VK_SUCCESS && opened;
}

bool
pp_perf_change_set(struct pp_vk_queue *queue, const struct pp_perf_set *set)
{
    const struct pp_vk_device *dev = queue->dev;
    const struct pp_perf *perf = dev->measured.perf;
    if (perf->i915)
        return pp_i915_unit_change(atomic_load(&perf->stream), set->kernel_set.id) == 0;
    return dev->next.QueueSetPerformanceConfigurationINTEL(queue->handle, set->configuration) == VK_SUCCESS;
}

/* The kernel refuses the OA unit to the first queue: measure with `khr`, which may work, and say why. */
static void
give_up_oa(struct pp_vk_device *dev, struct pp_perf *perf)
{
    perf->oa_reason = PP_TEXT_OA_BUSY;
    perf->oa_refused = true;
    perf->kind = PP_PERF_NONE;
    close_oa(dev, perf);
    if (perf->khr_requested)
        use_khr(dev, perf);
}

void
pp_perf_queue(struct pp_vk_queue *queue)
{
    struct pp_perf *perf = queue->dev->measured.perf;
    queue->perf_set = UINT32_MAX;
    if (!perf)
        return;
    pthread_mutex_lock(&perf->lock);
    bool sets_up = perf->kind == PP_PERF_OA && queue->family == perf->family && !atomic_load(&perf->failed);
    bool early = !atomic_load(&perf->planned) && !atomic_load(&perf->queue_ready);
    bool refused = false;
    if (sets_up) {
        pp_vk_device_adopt(queue->dev, queue->handle); /* the loader does so only after this hook returns */
        refused = !set_up_first(queue, perf);
    }
    if (sets_up && !refused)
        atomic_store(&perf->queue_ready, true);
    if (refused && early)
        give_up_oa(queue->dev, perf);
    pthread_mutex_unlock(&perf->lock);
    if (refused && !early)
        pp_perf_fail(queue->dev, PP_MSG_OA_BUSY);
}

void
pp_perf_announce(struct pp_vk_device *dev, struct pp_device_info *info, struct pp_source_absent *absent)
{
    const struct pp_perf *perf = dev->measured.perf;
    if (!perf)
        return;
    if (perf->khr_reason)
        absent[info->absents++] = (struct pp_source_absent){
            .source = "khr", .reason = perf->khr_reason, .refused = perf->khr_refused};
    if (perf->oa_reason)
        absent[info->absents++] = (struct pp_source_absent){.source = "oa",
                                                            .reason = perf->oa_reason,
                                                            .taken = perf->app_measures,
                                                            .refused = perf->oa_refused};
    info->absent = absent;
    info->counter = &perf->source;
    info->counters = perf->kind == PP_PERF_NONE || atomic_load(&perf->failed) ? 0 : 1;
}

/* After core has planned the counter sets. */

static VkResult
make_pool(struct pp_vk_device *dev, struct pp_perf *perf, struct pp_perf_set *set, uint32_t queries)
{
    const VkQueryPoolPerformanceCreateInfoKHR khr = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .queueFamilyIndex = perf->family,
        .counterIndexCount = set->planned->events,
        .pCounterIndices = set->planned->event,
    };
    const VkQueryPoolPerformanceQueryCreateInfoINTEL oa = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_QUERY_CREATE_INFO_INTEL,
        .performanceCountersSampling = VK_QUERY_POOL_SAMPLING_MODE_MANUAL_INTEL,
    };
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .pNext = perf->kind == PP_PERF_KHR ? (const void *)&khr : &oa,
        .queryType = perf->kind == PP_PERF_KHR ? VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR
                                               : VK_QUERY_TYPE_PERFORMANCE_QUERY_INTEL,
        .queryCount = queries,
    };
    set->chunks = queries / PP_PERF_CHUNK;
    set->used = calloc(set->chunks, sizeof(*set->used));
    if (!set->used)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    return dev->next.CreateQueryPool(dev->handle, &info, NULL, &set->pool);
}

/* Source oa: find the metric set that a counter set needs. i915: as a set of the kernel's, so that the driver
 * needs not be asked later: if the kernel refuses to change the set, the driver (ANV up to 25.0.7) loses the
 * application's device.
 * @return Why it failed; NULL: found. */
static const char *
find_set(struct pp_vk_device *dev, struct pp_perf *perf, uint32_t number, struct pp_perf_set *set)
{
    if (!perf->i915)
        return acquire(dev, perf, number, &set->configuration);
    int rc = pp_perf_oa_use(&perf->oa, perf->minor, number, &set->kernel_set);
    return rc ? pp_perf_oa_register_reason(rc) : NULL;
}

static void
plan_set(struct pp_vk_device *dev, struct pp_perf *perf, uint32_t number)
{
    struct pp_perf_set *set = &perf->set[number];
    const char *name = perf->source.ops->name, *why = NULL;
    bool draws = pp_session_config(dev->session)->level == PP_LEVEL_DRAW;
    set->planned = pp_device_set(dev->core, 0, number);
    if (set->planned->events == 0)
        return;
    set->scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
    if (perf->kind == PP_PERF_KHR)
        set->scope = pp_perf_khr_scope(&perf->khr, set->planned->event, set->planned->events);
    else
        why = find_set(dev, perf, perf->oa.events.event[set->planned->event[0]].set, set);
    if (!why && make_pool(dev, perf, set, draws ? POOL_DRAWS : POOL_PASSES) != VK_SUCCESS) {
        set->pool = VK_NULL_HANDLE;
        why = PP_TEXT_PERF_NO_POOL;
    }
    for (uint32_t i = 0; why && i < set->planned->events; i++) {
        struct pp_event event;
        char text[sizeof(perf->khr.counter->name) + 8];
        if (perf->source.ops->event(perf->source.self, set->planned->event[i], &event) != 0)
            continue;
        snprintf(text, sizeof(text), "%s:%s", name, event.name);
        pp_device_missing(dev->core, text, why);
    }
    if (set->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR)
        pp_note_once(dev->core, PP_MSG_PERF_WHOLE_BUFFERS);
}

void
pp_perf_planned(struct pp_vk_device *dev)
{
    struct pp_perf *perf = dev->measured.perf;
    if (!perf)
        return;
    if (perf->kind == PP_PERF_NONE) {
        atomic_store_explicit(&perf->planned, true, memory_order_release);
        return;
    }
    perf->row = pp_device_counter(dev->core, 0);
    uint32_t sets = perf->row == UINT32_MAX ? 0 : pp_device_sets(dev->core);
    perf->set = calloc((size_t)sets + 1, sizeof(*perf->set));
    perf->sets = !perf->set ? 0 : sets;
    for (uint32_t i = 0; i < perf->sets; i++)
        plan_set(dev, perf, i);
    if (perf->sets > 0 && perf->quirk.note)
        pp_device_note(dev->core, perf->quirk.note);
    if (perf->sets > 0 && perf->locked)
        pp_note_once(dev->core, PP_MSG_PERF_LOCK);
    if (perf->sets == 0 && perf->locked) {
        dev->next.ReleaseProfilingLockKHR(dev->handle);
        perf->locked = false;
    }
    atomic_store_explicit(&perf->planned, true, memory_order_release);
}

void
pp_perf_close(struct pp_vk_device *dev)
{
    struct pp_perf *perf = dev->measured.perf;
    if (!perf)
        return;
    for (uint32_t i = 0; i < perf->sets; i++) {
        if (perf->set[i].pool != VK_NULL_HANDLE)
            dev->next.DestroyQueryPool(dev->handle, perf->set[i].pool, NULL);
        free(perf->set[i].used);
    }
    close_oa(dev, perf);
    if (perf->locked)
        dev->next.ReleaseProfilingLockKHR(dev->handle);
    perf->locked = false;
    dev->measured.perf = NULL;
    free(perf->set);
    perf->set = NULL;
    perf->sets = 0;
    pthread_mutex_destroy(&perf->lock);
    /* The announced source belongs to core until the process ends. */
    if (atomic_load(&perf->planned))
        return;
    pp_perf_khr_close(&perf->khr);
    pp_perf_oa_close(&perf->oa);
    free(perf);
}
