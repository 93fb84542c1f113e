/** @file
 * See frame.h. */
#include "layer/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/log.h"
#include "layer/record.h"
#include "layer/slot.h"
#include "layer/source.h"
#include "layer/submit.h"
#include "vk_hooks.h"

/** Submissions without a present after which a device with a swapchain extension counts as one that never
 * presents. */
enum { SUBMITS_WITHOUT_PRESENT = 256 };

#define CALIBRATE_EVERY_NS 100000000U

static void
write_version(char *text, size_t size, uint32_t version)
{
    snprintf(text, size, "%u.%u.%u", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
             VK_API_VERSION_PATCH(version));
}

/** Driver and version: by name where the driver says it, else the raw number. */
static void
write_driver(struct pp_vk_device *dev, char *text, size_t size)
{
    if (dev->driver.driverName[0] != '\0')
        snprintf(text, size, "%s %s", dev->driver.driverName, dev->driver.driverInfo);
    else
        snprintf(text, size, "driver version 0x%x", dev->props.driverVersion);
}

/** Reasons of events that were asked for, in the sources' own words. */
static void
say_missing_events(struct pp_vk_device *dev, struct pp_vk_sources *sources)
{
    struct pp_event event;
    char name[96];
    uint32_t asked = pp_session_config(dev->session)->pipeline_mask;
    for (uint32_t i = 0; pp_vk_source_time.event(sources, i, &event) == 0; i++)
        if (event.reason != NULL)
            pp_device_missing(dev->core, "time", event.reason);
    for (uint32_t i = 0; pp_vk_source_statistics.event(sources, i, &event) == 0; i++)
        if (event.reason != NULL && (asked & (1U << i))) {
            snprintf(name, sizeof(name), "%s:%s", pp_vk_source_statistics.name, event.name);
            pp_device_missing(dev->core, name, event.reason);
        }
}

/** What is measured, but not everywhere. */
static void
say_missing(struct pp_vk_device *dev)
{
    for (uint32_t i = 0; i < dev->families; i++)
        if (dev->family[i].queues > 0 && dev->family[i].reason != NULL) {
            char event[32];
            snprintf(event, sizeof(event), "time on queue family %u", i);
            pp_device_missing(dev->core, event, dev->family[i].reason);
        }
    if (pp_session_config(dev->session)->level == PP_LEVEL_DRAW && dev->no_draw_times != NULL)
        pp_device_missing(dev->core, "time of draws in render passes", dev->no_draw_times);
    for (uint32_t i = 0; i < dev->missings; i++)
        pp_device_missing(dev->core, dev->missing[i].event, dev->missing[i].reason);
    if (pp_session_config(dev->session)->level == PP_LEVEL_FRAME && dev->statistics != 0)
        pp_device_missing(dev->core, "pipeline",
                          "at level frame a bracket spans command buffers, which a statistics query cannot");
}

static struct pp_device *
announce(struct pp_vk_device *dev, struct pp_vk_sources *sources)
{
    char version[32], driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE + 8];
    const uint32_t timestamp = 0;
    struct pp_device_source source[2];
    struct pp_source_absent absent[2];
    struct pp_device *core = NULL;
    uint32_t bits = 0;
    write_version(version, sizeof(version), dev->props.apiVersion);
    write_driver(dev, driver, sizeof(driver));
    for (uint32_t i = 0; i < dev->families; i++)
        if (dev->family[i].inject && (bits == 0 || dev->family[i].timestamp_bits < bits))
            bits = dev->family[i].timestamp_bits;
    struct pp_device_info info = {
        .api = "vulkan",
        .api_version = version,
        .name = dev->props.deviceName,
        .driver = driver,
        .tick_ns = (double)dev->props.limits.timestampPeriod,
        .timestamp_bits = bits,
        .brackets_submissions = true,
        .source = source,
    };
    if (bits == 0) {
        sources->no_time = "no queue of this device has valid timestamp bits";
        sources->no_statistics = "no queue of this device can copy query results";
    }
    if (dev->statistics == 0 && bits != 0)
        sources->no_statistics = "the driver lacks the feature pipelineStatisticsQuery, or refused it";
    /* Time comes first even where no queue has any, so that statistics keep their place. */
    source[0] = (struct pp_device_source){"time", pp_vk_source_time.layout(sources, &timestamp, 1)};
    source[1] = (struct pp_device_source){"pipeline", pp_vk_statistics_layout(sources, dev->statistics)};
    info.sources = source[0].layout == NULL ? 0 : source[1].layout == NULL ? 1 : 2;
    pp_perf_announce(dev, &info, absent);
    if (pp_device_create(dev->session, &info, &core) != 0)
        return NULL;
    dev->core = core;
    pp_perf_planned(dev);
    say_missing_events(dev, sources);
    return core;
}

static struct pp_timeline *
open_timeline(struct pp_vk_device *dev)
{
    static _Atomic(uint32_t) opened;
    char surface[32];
    /* Core borrows the layouts for the process. */
    struct pp_vk_sources *sources = calloc(1, sizeof(*sources));
    if (sources == NULL || announce(dev, sources) == NULL) {
        if (sources != NULL)
            pp_vk_sources_finish(sources);
        free(sources);
        atomic_store(&dev->stopped, true);
        return NULL;
    }
    say_missing(dev);
    pp_vk_device_calibrate(dev);
    snprintf(surface, sizeof(surface), "%s %u", dev->swapchain_enabled ? "window" : "device",
             atomic_fetch_add(&opened, 1) + 1);
    const struct pp_timeline_info info = {
        .device = dev->core, .surface = surface, .start_ns = dev->created_ns};
    struct pp_timeline *timeline = pp_timeline_create(dev->session, &info);
    if (timeline == NULL)
        atomic_store(&dev->stopped, true);
    return timeline;
}

struct pp_timeline *
pp_vk_device_timeline(struct pp_vk_device *dev)
{
    struct pp_timeline *timeline = atomic_load_explicit(&dev->timeline, memory_order_acquire);
    if (timeline != NULL)
        return timeline;
    pthread_mutex_lock(&dev->frame_lock);
    timeline = atomic_load(&dev->timeline);
    if (timeline == NULL && !atomic_load(&dev->lost) && !atomic_load(&dev->stopped)) {
        timeline = open_timeline(dev);
        atomic_store_explicit(&dev->timeline, timeline, memory_order_release);
    }
    pthread_mutex_unlock(&dev->frame_lock);
    return timeline;
}

void
pp_vk_device_calibrate(struct pp_vk_device *dev)
{
    uint64_t now = pp_now_ns();
    if (!dev->calibrated || (dev->calibrated_at_ns != 0 && now - dev->calibrated_at_ns < CALIBRATE_EVERY_NS))
        return;
    const VkCalibratedTimestampInfoEXT info[2] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t at[2], deviation = 0;
    if (dev->next.GetCalibratedTimestampsEXT == NULL ||
        dev->next.GetCalibratedTimestampsEXT(dev->handle, 2, info, at, &deviation) != VK_SUCCESS) {
        dev->calibrated = false;
        return;
    }
    dev->calibrated_at_ns = now;
    pp_clock_sample(pp_device_clock(dev->core), at[0], at[1] - deviation / 2, at[1] + deviation / 2);
}

void
pp_vk_frame_missing(struct pp_vk_device *dev, const char *event, const char *reason)
{
    /* Before the first submission core does not know the device: kept for then. */
    pthread_mutex_lock(&dev->frame_lock);
    if (atomic_load(&dev->timeline) != NULL) {
        pp_device_missing(dev->core, event, reason);
    } else if (dev->missings < sizeof(dev->missing) / sizeof(dev->missing[0])) {
        dev->missing[dev->missings].event = event;
        dev->missing[dev->missings++].reason = reason;
    }
    pthread_mutex_unlock(&dev->frame_lock);
}

/** End the open frame. */
static void
end_frame(struct pp_vk_device *dev, uint64_t begin_ns, uint64_t end_ns)
{
    struct pp_timeline *timeline = atomic_load_explicit(&dev->timeline, memory_order_acquire);
    if (timeline == NULL)
        return;
    atomic_store_explicit(&dev->frame_thread, (uintptr_t)pthread_self(), memory_order_relaxed);
    const struct pp_frame_times times = {
        .present_begin_ns = begin_ns,
        .present_end_ns = end_ns,
        .sync_ns = atomic_exchange(&dev->sync_ns, 0),
        .acquire_ns = atomic_exchange(&dev->acquire_ns, 0),
        .pipelines_created = atomic_exchange(&dev->pipelines_made, 0),
        .pipeline_create_ns = atomic_exchange(&dev->pipeline_ns, 0),
    };
    pthread_mutex_lock(&dev->frame_lock);
    pp_timeline_end_frame(timeline, &times);
    pp_vk_device_calibrate(dev);
    pthread_mutex_unlock(&dev->frame_lock);
}

static void
collect(struct pp_vk_device *dev)
{
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue != NULL; queue = queue->next)
        pp_slot_collect(queue);
}

/** Did the program call pp_annotate_frame() since the last frame end? */
static bool
marker_passed(struct pp_vk_device *dev)
{
    uint64_t now = pp_annotate_frames();
    return atomic_exchange(&dev->markers_seen, now) != now;
}

/** Is a submission with work a frame on this device, by itself or by its markers? */
static bool
submission_ends_frame(struct pp_vk_device *dev)
{
    switch (pp_session_config(dev->session)->frame_on) {
    case PP_FRAME_ON_SUBMIT:
        return true;
    case PP_FRAME_ON_MARKER:
        return marker_passed(dev);
    case PP_FRAME_ON_AUTO:
        break;
    case PP_FRAME_ON_PRESENT:
    case PP_FRAME_ON_FINISH:
    default:
        return false;
    }
    if (atomic_load(&dev->boundaries))
        return false;
    if (dev->swapchain_enabled && !atomic_load(&dev->submit_frames)) {
        uint32_t submits = atomic_fetch_add(&dev->submits, 1) + 1;
        if (atomic_load(&dev->swapchains) > 0 || submits < SUBMITS_WITHOUT_PRESENT)
            return false;
        atomic_store(&dev->submit_frames, true);
    }
    return pp_annotate_frames() == 0 || marker_passed(dev);
}

void
pp_vk_frame_submitted(struct pp_vk_queue *queue, bool work, uint64_t begin_ns, uint64_t end_ns)
{
    struct pp_vk_device *dev = queue->dev;
    if (!pp_vk_device_live(dev))
        return;
    if (work && submission_ends_frame(dev)) {
        end_frame(dev, begin_ns, end_ns);
        collect(dev);
    } else {
        pp_slot_collect(queue);
    }
}

/** VkFrameBoundaryEXT, which is younger than Debian 12's headers. Source: VK_EXT_frame_boundary, revision 1.
 */
struct frame_boundary {
    VkStructureType sType;
    const void *pNext;
    uint32_t flags;
};

#define FRAME_BOUNDARY_TYPE ((VkStructureType)1000375001)
#define FRAME_END           1U

void
pp_vk_frame_boundary(struct pp_vk_device *dev, const void *chain)
{
    const struct frame_boundary *boundary = chain == NULL ? NULL : pp_vk_find(chain, FRAME_BOUNDARY_TYPE);
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    if (boundary == NULL || !(boundary->flags & FRAME_END) || !pp_vk_device_live(dev))
        return;
    if (on != PP_FRAME_ON_MARKER && (on != PP_FRAME_ON_AUTO || atomic_load(&dev->swapchains) > 0))
        return;
    uint64_t now = pp_now_ns();
    atomic_store(&dev->boundaries, true);
    end_frame(dev, now, now);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *pPresentInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (record == NULL || !pp_vk_device_live(dev))
        return dev->next.QueuePresentKHR(queue, pPresentInfo);
    pp_vk_queue_fence(record);
    collect(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.QueuePresentKHR(queue, pPresentInfo);
    uint64_t end_ns = pp_now_ns();
    if (result == VK_ERROR_DEVICE_LOST) {
        pp_vk_device_lost(dev);
        return result;
    }
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    /* A device that presents after all: its submissions are no frames any more. */
    atomic_store(&dev->submits, 0);
    atomic_store(&dev->submit_frames, false);
    if (on == PP_FRAME_ON_PRESENT || on == PP_FRAME_ON_AUTO ||
        (on == PP_FRAME_ON_MARKER && marker_passed(dev))) {
        (void)pp_vk_device_timeline(dev); /* a program may present without any work */
        end_frame(dev, begin_ns, end_ns);
    }
    return result;
}

/* Waits of the program: for `bound_by`, and a chance to take results back. */

static void
add_time(_Atomic(uint64_t) *sum, uint64_t since_ns)
{
    atomic_fetch_add_explicit(sum, pp_now_ns() - since_ns, memory_order_relaxed);
}

/** A wait for the GPU counts in the frame of the thread that ends frames: a loader thread's holds no frame
 * up. */
static void
add_sync(struct pp_vk_device *dev, uint64_t since_ns)
{
    uintptr_t thread = atomic_load_explicit(&dev->frame_thread, memory_order_relaxed);
    if (thread == 0 || thread == (uintptr_t)pthread_self())
        add_time(&dev->sync_ns, since_ns);
}

static bool
finish_ends_frame(struct pp_vk_device *dev)
{
    return dev->session != NULL && pp_session_config(dev->session)->frame_on == PP_FRAME_ON_FINISH;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueueWaitIdle(VkQueue queue)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.QueueWaitIdle(queue);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    if (record == NULL || result != VK_SUCCESS)
        return result;
    add_sync(dev, begin_ns);
    pp_slot_collect_all(record);
    if (finish_ends_frame(dev) && pp_vk_device_live(dev))
        end_frame(dev, begin_ns, pp_now_ns());
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_DeviceWaitIdle(VkDevice device)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.DeviceWaitIdle(device);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    if (dev->session == NULL || result != VK_SUCCESS)
        return result;
    add_sync(dev, begin_ns);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue != NULL; queue = queue->next)
        pp_slot_collect_all(queue);
    if (finish_ends_frame(dev) && pp_vk_device_live(dev))
        end_frame(dev, begin_ns, pp_now_ns());
    return result;
}

/** Queues that one wait of the program can tell about. */
enum { NOTED_QUEUES = 8 };

/** What a fence of the program will prove, taken before the wait. */
struct noted {
    struct pp_vk_queue *queue[NOTED_QUEUES];
    uint64_t serial[NOTED_QUEUES];
    uint32_t count;
};

static void
note_fence(struct pp_vk_device *dev, VkFence fence, struct noted *noted)
{
    noted->count = 0;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue != NULL && noted->count < NOTED_QUEUES;
         queue = queue->next) {
        uint64_t serial = pp_fence_noted(queue, fence);
        if (serial == 0)
            continue;
        noted->queue[noted->count] = queue;
        noted->serial[noted->count++] = serial;
    }
}

static void
use_noted(struct pp_vk_device *dev, const struct noted *noted)
{
    for (uint32_t i = 0; i < noted->count; i++)
        pp_slot_done(noted->queue[i], noted->serial[i]);
    collect(dev);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences, VkBool32 waitAll,
                      uint64_t timeout)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct noted noted = {.count = 0};
    /* The last of several is the best guess at the newest; with `any` nobody knows which it was. */
    if (dev->session != NULL && fenceCount > 0 && (waitAll || fenceCount == 1))
        note_fence(dev, pFences[fenceCount - 1], &noted);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.WaitForFences(device, fenceCount, pFences, waitAll, timeout);
    add_sync(dev, begin_ns);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    else if (dev->session != NULL && result == VK_SUCCESS)
        use_noted(dev, &noted);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_GetFenceStatus(VkDevice device, VkFence fence)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct noted noted = {.count = 0};
    if (dev->session != NULL)
        note_fence(dev, fence, &noted);
    VkResult result = dev->next.GetFenceStatus(device, fence);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    else if (dev->session != NULL && result == VK_SUCCESS)
        use_noted(dev, &noted);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo, uint64_t timeout)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.WaitSemaphores(device, pWaitInfo, timeout);
    add_sync(dev, begin_ns);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    else if (dev->session != NULL)
        collect(dev);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_AcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout,
                            VkSemaphore semaphore, VkFence fence, uint32_t *pImageIndex)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result =
        dev->next.AcquireNextImageKHR(device, swapchain, timeout, semaphore, fence, pImageIndex);
    add_time(&dev->acquire_ns, begin_ns);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_AcquireNextImage2KHR(VkDevice device, const VkAcquireNextImageInfoKHR *pAcquireInfo,
                             uint32_t *pImageIndex)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.AcquireNextImage2KHR(device, pAcquireInfo, pImageIndex);
    add_time(&dev->acquire_ns, begin_ns);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_vk_device_lost(dev);
    return result;
}

void
pp_vk_frames_finish(struct pp_vk_device *dev)
{
    /* Destroying a device demands that its work is over; the driver's word for it lets our objects go. */
    VkResult result = dev->next.DeviceWaitIdle(dev->handle);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue != NULL; queue = queue->next) {
        if (result == VK_SUCCESS && !atomic_load(&dev->lost))
            pp_slot_collect_all(queue);
        else
            pp_slot_abandon(queue);
    }
    pp_timeline_destroy(atomic_load(&dev->timeline));
}
