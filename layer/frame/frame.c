/** @file
 * See frame.h. Waits of the application: how long the CPU waited in a frame, and a chance to take results
 * back. */
#include "layer/frame/frame.h"

#include <stdio.h>
#include <string.h>

#include "core/engine/clock.h"
#include "core/util/log.h"
#include "layer/base/chain.h"
#include "layer/base/cmdbuf.h"
#include "layer/base/device.h"
#include "layer/frame/surface.h"
#include "layer/measure/announce.h"
#include "layer/readback/retire.h"
#include "vk_hooks.h"

#define CALIBRATE_EVERY_NS 100000000U

void
pp_vk_sample_clock(struct pp_vk_device *dev)
{
    uint64_t now = pp_now_ns();
    if (!dev->measured.calibrated ||
        (dev->frames.calibrated_at_ns != 0 && now - dev->frames.calibrated_at_ns < CALIBRATE_EVERY_NS))
        return;
    const VkCalibratedTimestampInfoEXT info[2] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t at[2], deviation = 0;
    if (!dev->next.GetCalibratedTimestampsEXT ||
        dev->next.GetCalibratedTimestampsEXT(dev->handle, 2, info, at, &deviation) != VK_SUCCESS) {
        dev->measured.calibrated = false;
        return;
    }
    dev->frames.calibrated_at_ns = now;
    pp_clock_sample(pp_device_clock(dev->core), at[0], at[1] - deviation / 2, at[1] + deviation / 2);
}

/* If other frames ended by presents, a device with a swapchain extension needs this many submissions to
 * count as one that never presents. */
enum { SUBMITS_WITHOUT_PRESENT = 256 };

static struct pp_timeline *
open_timeline(struct pp_vk_device *dev, const struct pp_vk_surface *surface)
{
    static _Atomic(uint32_t) opened[2]; /* each kind counts for itself */
    bool first = surface == &dev->frames.surface && !surface->renewed;
    char name[32];
    if (!dev->core && pp_vk_announce(dev) != 0)
        return NULL;
    pp_vk_sample_clock(dev);
    snprintf(name, sizeof(name), "%s %u", dev->gpu.swapchain_enabled ? "window" : "device",
             atomic_fetch_add(&opened[dev->gpu.swapchain_enabled], 1) + 1);
    const struct pp_timeline_info info = {
        .device = dev->core,
        .surface = name,
        .start_ns = first ? dev->created_ns : pp_now_ns(),
        .first_system_counters = first ? dev->first_system_counters : NULL,
    };
    if (first)
        dev->first_system_counters = NULL;
    struct pp_timeline *timeline = pp_timeline_create(dev->session, &info);
    if (!timeline)
        atomic_store(&dev->stopped, true);
    return timeline;
}

struct pp_timeline *
pp_vk_device_timeline(struct pp_vk_device *dev, struct pp_vk_surface *surface)
{
    struct pp_timeline *timeline = atomic_load_explicit(&surface->timeline, memory_order_acquire);
    if (timeline)
        return timeline;
    pthread_mutex_lock(&dev->frames.lock);
    timeline = atomic_load(&surface->timeline);
    if (!timeline && !atomic_load(&dev->lost) && !atomic_load(&dev->stopped)) {
        timeline = open_timeline(dev, surface);
        atomic_store_explicit(&surface->timeline, timeline, memory_order_release);
    }
    pthread_mutex_unlock(&dev->frames.lock);
    return timeline;
}

/* Reason why a frame ended. */
enum frame_end_reason {
    BY_RULE,  /**< a present, or what the user asked for */
    BY_MARK,  /**< a call of the annotate API, noticed only now */
    BY_GUESS, /**< a submission of a device that may present later */
};

/* End the open frame of one series. A created pipeline counts in the frame that ends first. */
static void
end_frame(struct pp_vk_device *dev, struct pp_vk_surface *surface, uint64_t begin_ns, uint64_t end_ns,
          enum frame_end_reason reason)
{
    struct pp_timeline *timeline = atomic_load_explicit(&surface->timeline, memory_order_acquire);
    if (!timeline)
        return;
    pp_look_clear(&dev->frames.look);
    atomic_store_explicit(&surface->presenter, (uintptr_t)pthread_self(), memory_order_relaxed);
    const struct pp_frame_times times = {
        .present_begin_ns = begin_ns,
        .present_end_ns = end_ns,
        .sync_ns = atomic_exchange(&surface->sync_ns, 0),
        .acquire_ns = atomic_exchange(&surface->acquire_ns, 0),
        .pipelines_created = atomic_exchange(&dev->frames.pipelines_made, 0),
        .pipeline_create_ns = atomic_exchange(&dev->frames.pipeline_ns, 0),
        .marked = reason == BY_MARK,
        .end = reason == BY_GUESS ? PP_END_WAIT : PP_END_SURE,
        .waits_min = SUBMITS_WITHOUT_PRESENT,
    };
    pthread_mutex_lock(&dev->frames.lock);
    pp_timeline_end_frame(timeline, &times);
    pp_vk_sample_clock(dev);
    pthread_mutex_unlock(&dev->frames.lock);
}

void
pp_vk_frame_marked(struct pp_vk_device *dev)
{
    uint64_t now = pp_annotate_frames();
    if (atomic_load_explicit(&dev->frames.markers_seen, memory_order_relaxed) == now ||
        !pp_vk_device_live(dev) || atomic_exchange(&dev->frames.markers_seen, now) == now)
        return;
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    bool counts =
        on == PP_FRAME_ON_MARKER || (on == PP_FRAME_ON_AUTO && !atomic_load(&dev->frames.boundaries) &&
                                     atomic_load(&dev->frames.swapchains) == 0);
    /* A mark without actions before it ends no frame. */
    if (!counts || !atomic_exchange(&dev->frames.worked, false))
        return;
    uint64_t now_ns = pp_now_ns();
    end_frame(dev, &dev->frames.surface, now_ns, now_ns, BY_MARK);
}

/* Does a submission with actions end a frame on this device? */
static bool
submission_ends_frame(struct pp_vk_device *dev)
{
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    if (on != PP_FRAME_ON_AUTO || atomic_load(&dev->frames.boundaries))
        return on == PP_FRAME_ON_SUBMIT;
    return pp_annotate_frames() == 0 && atomic_load(&dev->frames.swapchains) == 0;
}

void
pp_vk_frame_submitted(struct pp_vk_queue *queue, bool has_actions, uint64_t begin_ns, uint64_t end_ns)
{
    struct pp_vk_device *dev = queue->dev;
    if (!pp_vk_device_live(dev))
        return;
    if (has_actions)
        atomic_store(&dev->frames.worked, true);
    if (has_actions && submission_ends_frame(dev)) {
        bool guess =
            dev->gpu.swapchain_enabled && pp_session_config(dev->session)->frame_on == PP_FRAME_ON_AUTO;
        /* After a guess, the next mark ends the frame that the guess belongs to. */
        if (!guess)
            atomic_store(&dev->frames.worked, false);
        end_frame(dev, &dev->frames.surface, begin_ns, end_ns, guess ? BY_GUESS : BY_RULE);
        pp_retire_device(dev);
    } else {
        pp_retire_available(queue);
    }
}

void
pp_vk_frame_end_now(struct pp_vk_device *dev)
{
    uint64_t now_ns = pp_now_ns();
    end_frame(dev, &dev->frames.surface, now_ns, now_ns, BY_RULE);
}

/* A present ends a frame of each window that it names. */
static void
end_presented(struct pp_vk_device *dev, const VkPresentInfoKHR *info, uint64_t begin_ns, uint64_t end_ns)
{
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    if (on != PP_FRAME_ON_PRESENT && on != PP_FRAME_ON_AUTO)
        return;
    atomic_fetch_add_explicit(&dev->frames.presents, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < info->swapchainCount; i++) {
        struct pp_vk_surface *surface = pp_vk_surface_of(dev, info->pSwapchains[i]);
        bool again = false;
        for (uint32_t before = 0; before < i && !again; before++)
            again = pp_vk_surface_of(dev, info->pSwapchains[before]) == surface;
        if (again)
            continue;
        (void)pp_vk_device_timeline(dev, surface); /* an application may present without any work */
        end_frame(dev, surface, begin_ns, end_ns, BY_RULE);
        pp_vk_surface_presented(dev, surface);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *pPresentInfo)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    if (!record || !pp_vk_device_live(dev))
        return dev->next.QueuePresentKHR(queue, pPresentInfo);
    pp_vk_frame_marked(dev);
    pp_retire_fence(record);
    pp_retire_device(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.QueuePresentKHR(queue, pPresentInfo);
    uint64_t end_ns = pp_now_ns();
    if (result == VK_ERROR_DEVICE_LOST) {
        pp_retire_device_lost(dev);
        return result;
    }
    end_presented(dev, pPresentInfo, begin_ns, end_ns);
    return result;
}

void
pp_vk_frame_waited(struct pp_vk_device *dev, uint64_t begin_ns)
{
    if (pp_session_config(dev->session)->frame_on == PP_FRAME_ON_FINISH && pp_vk_device_live(dev))
        end_frame(dev, &dev->frames.surface, begin_ns, pp_now_ns(), BY_RULE);
}

void
pp_vk_frames_finish(struct pp_vk_device *dev)
{
    /* A device may be destroyed only when its work has ended. If the driver confirms that, all results are
     * available. */
    VkResult result = dev->next.DeviceWaitIdle(dev->handle);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next) {
        if (result == VK_SUCCESS && !atomic_load(&dev->lost))
            pp_retire_all(queue);
        else
            pp_retire_lost(queue);
    }
    pp_vk_frame_marked(dev);
    for (struct pp_vk_surface *s = &dev->frames.surface; s; s = atomic_load(&s->next))
        pp_timeline_destroy(atomic_load(&s->timeline));
}

/* End the frame that the application has marked: the wait belongs to the next frame. */
static void
note_marks(struct pp_vk_device *dev)
{
    if (dev->session)
        pp_vk_frame_marked(dev);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_QueueWaitIdle(VkQueue queue)
{
    struct pp_vk_device *dev = pp_vk_device_of(queue);
    struct pp_vk_queue *record = pp_vk_queue_of(queue);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.QueueWaitIdle(queue);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (!record || result != VK_SUCCESS)
        return result;
    pp_vk_surface_waited(dev, begin_ns, NULL);
    pp_retire_all(record);
    pp_vk_frame_waited(dev, begin_ns);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_DeviceWaitIdle(VkDevice device)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.DeviceWaitIdle(device);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    if (!dev->session || result != VK_SUCCESS)
        return result;
    pp_vk_surface_waited(dev, begin_ns, NULL);
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue; queue = queue->next)
        pp_retire_all(queue);
    pp_vk_frame_waited(dev, begin_ns);
    return result;
}

/* Most queues whose readbacks one fence of the application covers. */
enum { NOTED_QUEUES = 8 };

/* Readbacks that a fence of the application covers, noted before the wait. */
struct noted {
    struct pp_vk_queue *queue[NOTED_QUEUES];
    uint64_t serial[NOTED_QUEUES];
    uint32_t count;
};

static void
note_fence(struct pp_vk_device *dev, VkFence fence, struct noted *noted)
{
    noted->count = 0;
    for (struct pp_vk_queue *queue = atomic_load(&dev->queues); queue && noted->count < NOTED_QUEUES;
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
        pp_retire_note_done(noted->queue[i], noted->serial[i]);
    pp_retire_device(dev);
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences, VkBool32 waitAll,
                      uint64_t timeout)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct noted noted = {.count = 0};
    /* The last of several fences is the best guess at the newest. If any may end the wait, it is not known
     * which one did. */
    if (dev->session && fenceCount > 0 && (waitAll || fenceCount == 1))
        note_fence(dev, pFences[fenceCount - 1], &noted);
    note_marks(dev);
    uint64_t fence = fenceCount > 0 ? (uint64_t)pFences[0] : 0;
    uint64_t begin_ns = pp_now_ns();
    uint64_t since_ns = pp_look_begin(&dev->frames.look, fence, begin_ns);
    VkResult result = dev->next.WaitForFences(device, fenceCount, pFences, waitAll, timeout);
    uint64_t end_ns = pp_vk_surface_waited(dev, since_ns ? since_ns : begin_ns, NULL);
    pp_look_end(&dev->frames.look, fence, result != VK_TIMEOUT, begin_ns, end_ns);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    else if (dev->session && result == VK_SUCCESS)
        use_noted(dev, &noted);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_GetFenceStatus(VkDevice device, VkFence fence)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    struct noted noted = {.count = 0};
    if (!dev->session)
        return dev->next.GetFenceStatus(device, fence);
    note_fence(dev, fence, &noted);
    uint64_t begin_ns = pp_now_ns();
    uint64_t since_ns = pp_look_begin(&dev->frames.look, (uint64_t)fence, begin_ns);
    VkResult result = dev->next.GetFenceStatus(device, fence);
    uint64_t end_ns = since_ns ? pp_vk_surface_waited(dev, since_ns, NULL) : pp_now_ns();
    pp_look_end(&dev->frames.look, (uint64_t)fence, result != VK_NOT_READY, begin_ns, end_ns);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    else if (result == VK_SUCCESS)
        use_noted(dev, &noted);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
pp_hook_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo, uint64_t timeout)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    note_marks(dev);
    uint64_t begin_ns = pp_now_ns();
    VkResult result = dev->next.WaitSemaphores(device, pWaitInfo, timeout);
    pp_vk_surface_waited(dev, begin_ns, NULL);
    if (result == VK_ERROR_DEVICE_LOST)
        pp_retire_device_lost(dev);
    else if (dev->session)
        pp_retire_device(dev);
    return result;
}

/* Ends of frames that applications without a swapchain mark. */

/* Source: RenderDoc, vk_core.cpp (HandleFrameMarkers); gfxreconstruct, vulkan_util.h
 * (kVulkanVrFrameDelimiterString): anywhere in the text of an inserted label or marker. */
#define FRAME_LABEL "vr-marker,frame_end,type,application"

/* VkFrameBoundaryEXT, which is younger than Debian 12's headers. Source: VK_EXT_frame_boundary, revision 1.
 */
struct frame_boundary {
    VkStructureType sType;
    const void *pNext;
    uint32_t flags;
};

#define FRAME_BOUNDARY_TYPE ((VkStructureType)1000375001)
#define FRAME_END           1U

bool
pp_vk_frame_boundary_label(const char *text)
{
    return text && strstr(text, FRAME_LABEL);
}

bool
pp_vk_frame_boundary_chain(const void *chain)
{
    const struct frame_boundary *boundary = !chain ? NULL : pp_vk_find(chain, FRAME_BOUNDARY_TYPE);
    return boundary && (boundary->flags & FRAME_END);
}

bool
pp_vk_frame_boundary_buffer(const struct pp_vk_device *dev, VkCommandBuffer handle)
{
    if (!atomic_load_explicit(&dev->frames.labels, memory_order_relaxed))
        return false;
    const struct pp_cmdbuf *cb = pp_cmdbuf_find(handle);
    return cb && cb->labels.ends_frame;
}

static bool
counts(struct pp_vk_device *dev)
{
    if (!pp_vk_device_live(dev))
        return false;
    enum pp_frame_on on = pp_session_config(dev->session)->frame_on;
    return on == PP_FRAME_ON_MARKER || (on == PP_FRAME_ON_AUTO && atomic_load(&dev->frames.swapchains) == 0);
}

bool
pp_vk_frame_boundary_expect(struct pp_vk_device *dev)
{
    return counts(dev) && !atomic_exchange(&dev->frames.boundaries, true);
}

void
pp_vk_frame_boundary_reached(struct pp_vk_device *dev)
{
    if (counts(dev))
        pp_vk_frame_end_now(dev);
}

void
pp_vk_frame_boundary_behind(struct pp_vk_device *dev)
{
    /* Submissions before the first boundary were frames. */
    if (!pp_vk_frame_boundary_expect(dev) || atomic_load(&dev->frames.worked))
        pp_vk_frame_boundary_reached(dev);
}

static VKAPI_ATTR void VKAPI_CALL
frame_boundary_android(VkDevice device, VkSemaphore semaphore, VkImage image)
{
    struct pp_vk_device *dev = pp_vk_device_of(device);
    ((pp_vk_frame_boundary_android)dev->gdpa(device, "vkFrameBoundaryANDROID"))(device, semaphore, image);
    pp_vk_frame_boundary_behind(dev);
}

PFN_vkVoidFunction
pp_vk_frame_boundary_proc(const char *name)
{
    return strcmp(name, "vkFrameBoundaryANDROID") == 0 ? (PFN_vkVoidFunction)frame_boundary_android : NULL;
}
