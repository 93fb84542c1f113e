/** @file
 * The layer's records of instances, devices and queues. They are found by dispatch key: the first word of
 * a dispatchable handle, which a device shares with its queues and command buffers. Handles are never
 * wrapped. See also record.h (command buffers) and submit.c (submissions). */
#ifndef PP_LAYER_BASE_DEVICE_H
#define PP_LAYER_BASE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "core/engine/look.h"
#include "core/session/session.h"
#include "core/util/log.h"
#include "layer/base/map.h"
#include "vk_hooks.h"
#include "vk_next.h"

#define PP_VK_MAX_FAMILIES 16U

/** An instance of the application. */
struct pp_vk_instance {
    /* immutable after create */
    VkInstance handle;
    PFN_vkGetInstanceProcAddr gipa;
    struct pp_vk_instance_next next;
    uint32_t api_version;           /**< version that the application asked for; 1.0 if it named none */
    bool gpdp2;                     /**< VK_KHR_get_physical_device_properties2 or version 1.1 may be used */
    struct pp_vk_device_next procs; /**< guarded by device_lock: functions that the application got through
                                      this instance */
    bool unknown_commands; /**< guarded by device_lock: the application got a command that no table of the
                                layer has */
    bool spare;            /**< a static record, because memory was short: its devices are not measured */
    bool gl_below; /**< an OpenGL driver on top of Vulkan: the GL shim in this process measures it already */
};

/** A queue family, and the queues that the application created of it. */
struct pp_vk_family {
    VkQueueFlags flags;
    uint32_t timestamp_bits;
    uint32_t queues; /**< number of created queues, including protected ones */
    bool inject;     /**< the layer's command buffers may run here: graphics or compute, valid timestamps */
    const char *reason; /**< reason why `inject` is false; NULL: it is true */
};

/** A series of frames. The first one is part of the device, and becomes the series of its first window. A
 * window is its VkSurfaceKHR: it keeps its series without a swapchain, between two sizes and while
 * minimised. The record of a destroyed window is used again for the next new window, whose frames are a new
 * series. */
struct pp_vk_surface {
    _Atomic(struct pp_vk_surface *) next;     /**< next series of the device */
    _Atomic(uint32_t) swapchains;             /**< living swapchains */
    _Atomic(struct pp_timeline *) timeline;   /**< made by the first submission; NULL before */
    _Atomic(bool) acquired;                   /**< the application has an image of it */
    _Atomic(uint64_t) order;                  /**< the surface with the highest number is the one whose
                                                   work is expected */
    _Atomic(uintptr_t) acquirer;              /**< thread that got its last image; 0: none yet */
    _Atomic(uintptr_t) presenter;             /**< thread that ended its last frame; 0: none yet */
    _Atomic(struct pp_vk_surface *) follower; /**< the surface that was presented after it last time; NULL:
                                                   unknown */
    /* guarded by the device's frames.lock */
    uint64_t handle; /**< VkSurfaceKHR; 0: no window so far, or none any more */
    bool closed;     /**< the window was closed */
    bool renewed;    /**< the series belonged to another window before */
    /* for the open frame */
    _Atomic(uint64_t) sync_ns;    /**< waits for fences, semaphores, idle */
    _Atomic(uint64_t) acquire_ns; /**< waits for an image */
};

struct pp_vk_readback;
struct pp_vk_parked;
struct pp_vk_fence;
struct pp_rewrite;

/** Fences of the application that a queue remembers. */
#define PP_VK_NOTED_FENCES 16U

/** Debug labels that are open on a queue: those of the queue, and those that its command buffers left
 * open. */
struct pp_vk_labels {
    pp_label_id label; /**< all open labels, as a path */
    uint32_t queue;    /**< labels opened on the queue */
    uint32_t carried;  /**< labels that command buffers left open */
};

/** Most submissions of resets by submit.h that a queue has under way. */
#define PP_VK_RESETS_ONLY 8U

/** A command buffer for resets by submit.h. */
struct pp_vk_reset_only {
    VkCommandPool pool; /**< VK_NULL_HANDLE: not made so far */
    VkCommandBuffer buffer;
    VkFence fence;
    bool pending;
};

/** A queue. The application synchronises calls on one queue, as Vulkan demands. This protects the members of
 * the submitting thread. Any thread may take results, under the lock. */
struct pp_vk_queue {
    /* immutable after create */
    struct pp_vk_queue *next; /**< next queue of the device */
    struct pp_vk_device *dev;
    VkQueue handle;
    uint32_t family;
    bool inject; /**< copy of the family's `inject` */
    pp_string_id name;
    /* the submitting thread's, synchronised by the application */
    struct pp_result_memory_block *results; /**< memory for results: readback.h */
    struct pp_vk_labels open;
    uint32_t presents;          /**< pp_vk_frames.presents at the last check */
    uint32_t unfenced;          /**< readbacks submitted since the layer's last fence */
    uint64_t unfenced_ns;       /**< time at which the oldest of them was submitted */
    struct pp_rewrite *rewrite; /**< scratch; made with the queue */
    struct pp_vk_reset_only resets[PP_VK_RESETS_ONLY];
    uint64_t looked_ns;  /**< when readbacks last gave memory back: readback.c */
    uint32_t bytes_most; /**< most bytes of results of a readback since then */
    uint32_t taken_most; /**< most readbacks taken at once since then */
    /* guarded by lock */
    pthread_mutex_t lock;
    struct pp_vk_readback *free_readbacks;
    struct pp_vk_readback *pending_first; /**< oldest */
    struct pp_vk_readback *pending_last;
    struct pp_vk_fence *free_fences;
    struct pp_vk_fence *fence_first; /**< oldest */
    struct pp_vk_fence *fence_last;
    struct {
        VkFence fence; /**< fence of the application */
        uint64_t serial;
    } noted[PP_VK_NOTED_FENCES]; /**< fences of the application: when it has seen one signalled, the readbacks
                                    up to `serial` are complete */
    uint32_t next_noted;
    uint64_t serial;        /**< serial of the newest readback */
    uint64_t done;          /**< readbacks up to this serial have completed */
    uint32_t taken;         /**< readbacks that are not free */
    bool submitting;        /**< a submission is on its way to the driver, or the layer waits for it */
    uint64_t unwaited;      /**< --serialize: submissions that were not waited for */
    uint64_t unwaited_done; /**< number of `unwaited` submissions that have completed */
    /* guarded by the root's serial_lock */
    bool waits;       /**< a submission that may not have ended waits for a semaphore value that was not
                           signalled yet */
    uint32_t skips;   /**< number of next submissions that are not held back */
    uint32_t backoff; /**< number of submissions that were not held back after the last one that did not
                           end */
    /* the submitting thread's */
    uint32_t perf_set; /**< counters "oa": counter set that the queue is set up for; UINT32_MAX: none */
};

/** Most measuring readbacks that a queue has under way. Beyond them, queries are still reset, but submissions
 * are not measured. */
#define PP_VK_MAX_READBACKS 512U

/** Properties of a device's GPU and driver. Immutable after create. */
struct pp_vk_gpu {
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties props;
    VkPhysicalDeviceDriverProperties driver; /**< driverName "": unknown */
    VkPhysicalDeviceMemoryProperties memory;
    struct pp_vk_family family[PP_VK_MAX_FAMILIES];
    uint32_t families;
    VkPipelineStageFlags stages; /**< pp_vk_stages() */
    uint32_t added;              /**< enum pp_vk_added: extensions that only the layer requested */
    bool swapchain_enabled;
};

/** Quirks of a device's driver. Immutable after create. */
struct pp_vk_quirks {
    bool deferred_times; /**< a timestamp outside of passes waits for the next scene, a dispatch does not */
    bool needs_pipeline; /**< a statistics query may not begin after descriptors are bound and before a
                              pipeline is */
    bool results_wait;   /**< vkGetQueryPoolResults waits for everything that was submitted */
    bool chains_simultaneous; /**< what follows a command buffer for simultaneous use must be one, too */
    bool barrier_work; /**< barriers that change image layouts work on the GPU, and have rows of their own */
    const char *no_draw_times; /**< reason why timestamps between draws are not written; NULL: they are */
};

/** Choice of what is measured on a device. Immutable after create. */
struct pp_vk_measured {
    bool calibrated; /**< VK_EXT_calibrated_timestamps is on and offers CLOCK_MONOTONIC */
    bool indirect;   /**< --indirect at level draw: indirect arguments are copied */
    bool serialize;  /**< --serialize: no other actions run during a bracket */
    bool cpu;        /**< the CPU cost of recording is measured */
    VkQueryPipelineStatisticFlags statistics; /**< statistics that the layer's query pools count; 0: none */
    uint32_t statistic_count;
    struct pp_perf *perf; /**< hardware counters; NULL: none were asked for */
};

/** State of submissions that may not end until the CPU acts; see host_wait.c. */
struct pp_vk_host_wait {
    _Atomic(bool) copies_results; /**< the CPU no longer reads query results: the GPU copies them */
    _Atomic(bool) expected;  /**< `copies_results` is set and the CPU has read all results that it had to */
    pthread_mutex_t lock;    /**< guards changes of both; a queue's lock is taken under it */
    struct pp_map timelines; /**< with --serialize: timeline semaphores, by handle */
};

/** The frames of a device, and what the CPU does in them. Any thread. */
struct pp_vk_frames {
    struct pp_vk_surface surface;              /**< first series of frames */
    pthread_mutex_t lock;                      /**< one frame end at a time */
    _Atomic(uint64_t) pipeline_ns;             /**< time that creating pipelines took in the open frame */
    _Atomic(uint32_t) pipelines_made;          /**< number of pipelines created in the open frame */
    _Atomic(uint32_t) swapchains;              /**< swapchains created so far */
    _Atomic(uint64_t) orders;                  /**< last number given to a surface */
    _Atomic(struct pp_vk_surface *) presented; /**< surface presented last; NULL: none */
    _Atomic(uint32_t) presents;                /**< presents so far */
    _Atomic(uint64_t) markers_seen;            /**< pp_annotate_frames() at the last check */
    _Atomic(bool) worked;                      /**< there were actions since the last mark */
    _Atomic(bool) boundaries;                  /**< the application marks frame ends: see frame.h */
    _Atomic(bool) labels;                      /**< the application marks frame ends by labels, too */
    _Atomic(uint32_t) frames_ahead; /**< most frames between recording and run of a buffer that runs once */
    uint64_t calibrated_at_ns;      /**< guarded by lock */
    struct pp_look look;            /**< by vkGetFenceStatus(), or vkWaitForFences() with a short timeout */
    _Atomic(bool) bias_wanted;      /**< the empty brackets have not been submitted yet */
};

/** Objects of the application, by handle; see object.h. */
struct pp_vk_objects {
    _Atomic(struct pp_vk_parked *) parked; /**< replaced records; freed with the device */
    struct pp_map images, views, passes, framebuffers, swapchains, modules, identifiers, pipelines, pools;
    struct pp_map app_pools; /**< the application's query pools for statistics */
    struct pp_map buffers;   /**< with --indirect: may buffers be copied from? See indirect.c */
    struct pp_map awaited;   /**< semaphore of an acquired image -> struct pp_vk_surface */
};

/** Reasons that a device keeps at most until core knows the device. */
#define PP_VK_MISSING_MAX 16U

/** Reasons why something is not measured on a device, until core knows the device. Guarded by frames.lock. */
struct pp_vk_missing {
    struct {
        const char *event;
        char reason[512];
    } list[PP_VK_MISSING_MAX];
    uint32_t count;
    struct pp_once once; /**< reasons that the session has */
};

/** A device of the application. */
struct pp_vk_device {
    /* immutable after create */
    struct pp_vk_instance *instance; /**< set while the device is created; NULL afterwards */
    VkDevice handle;
    VkInstance owner; /**< handle of the instance, which may be destroyed already */
    PFN_vkGetDeviceProcAddr gdpa;
    PFN_vkSetDeviceLoaderData set_loader_data; /**< NULL: an old loader */
    struct pp_vk_device_next next;
    struct pp_session *session; /**< NULL: this device only passes through */
    struct pp_vk_gpu gpu;
    struct pp_vk_quirks quirk;
    struct pp_vk_measured measured;
    struct pp_staging *staging;    /**< memory for copies of indirect arguments; NULL: they are not copied */
    struct pp_split_device *split; /**< recording of command buffers in parts; NULL: as one */
    bool spare;                    /**< a static record, because memory was short: it is not measured */
    uint64_t created_ns;
    uint8_t *first_system_counters; /**< pp_session_take_system_counters() at creation; guarded by
                      frames.lock; NULL once the first timeline is made */
    /* any thread */
    _Atomic(struct pp_vk_queue *) queues; /**< pp_vk_queue.next */
    struct pp_device *core;               /**< valid once a series has a timeline */
    _Atomic(bool) lost;                   /**< device lost: nothing is injected any more */
    _Atomic(bool) stopped;        /**< passprobe failed: nothing is measured, but queries are still reset */
    _Atomic(bool) app_statistics; /**< the application may use queries for statistics: see app_queries.c */
    struct pp_vk_host_wait host_wait;
    struct pp_vk_frames frames;
    struct pp_vk_objects objects;
    struct pp_vk_missing missing;
};

/** All global state of the layer. The loader passes no context to a layer's functions, so it must be global.
 */
struct pp_vk_root {
    struct pp_map instances;       /**< by dispatch key */
    struct pp_map devices;         /**< by dispatch key */
    pthread_mutex_t device_lock;   /**< guards the creation of devices, and pp_vk_device_add_proc() */
    pthread_mutex_t serial_lock;   /**< --serialize: one submission at a time, all queues of all devices */
    struct pp_map command_buffers; /**< by handle: struct pp_cmdbuf */
    struct pp_map queues;          /**< by handle: struct pp_vk_queue */
};

extern struct pp_vk_root pp_vk_root;

/** First word of a dispatchable handle. */
static inline uint64_t
pp_vk_key(const void *handle)
{
    return (uint64_t)(uintptr_t) * (void *const *)handle;
}

/** Device of a device, queue or command buffer; never NULL for a live handle. Hot. */
static inline struct pp_vk_device *
pp_vk_device_of(const void *handle)
{
    return pp_map_get(&pp_vk_root.devices, pp_vk_key(handle));
}

/** Instance of an instance or physical device. */
static inline struct pp_vk_instance *
pp_vk_instance_of(const void *handle)
{
    return pp_map_get(&pp_vk_root.instances, pp_vk_key(handle));
}

/** The layer's record of a queue; NULL on devices that only pass through. */
static inline struct pp_vk_queue *
pp_vk_queue_of(VkQueue queue)
{
    return pp_map_get(&pp_vk_root.queues, (uint64_t)(uintptr_t)queue);
}

/** A function pointer of a table; tables consist of nothing else. @param offset In the table. */
static inline PFN_vkVoidFunction *
pp_vk_device_next_of(struct pp_vk_device_next *next, size_t offset)
{
    return (PFN_vkVoidFunction *)(void *)((char *)next + offset);
}

/**
 * Note a device's command that a caller got from the instance, by a name whose extension may be off. The hook
 * must find the next function. The loader gets debug_utils commands in this way (1.3.239, in vkCreateDevice),
 * and an application may call one.
 *
 * @param offset In struct pp_vk_device_next.
 * @param next The next function.
 */
void pp_vk_device_add_proc(struct pp_vk_instance *inst, size_t offset, PFN_vkVoidFunction next);

/** Note that a caller got a command of a device from the instance, and that no table of the layer has this
 * command. */
void pp_vk_device_add_unknown(struct pp_vk_instance *inst);

/** May the layer put commands into this device's command buffers? Hot. */
static inline bool
pp_vk_device_live(const struct pp_vk_device *dev)
{
    return dev->session && !atomic_load_explicit(&dev->lost, memory_order_relaxed) &&
           !atomic_load_explicit(&dev->stopped, memory_order_relaxed) && pp_session_active(dev->session);
}

/** Give a dispatchable object of the layer (command buffer, queue) the loader's dispatch word. */
void pp_vk_device_adopt(struct pp_vk_device *dev, void *object);

/** Find a memory type with these properties for a resource. @return UINT32_MAX: none. */
uint32_t pp_vk_device_memory_type(const struct pp_vk_device *dev, uint32_t type_bits,
                                  VkMemoryPropertyFlags flags);

/** Stop injecting on a device, because memory is short; one line on stderr says so. */
void pp_vk_device_fail(struct pp_vk_device *dev);

/**
 * Report why an event is not measured, once for each device and event; also before the device is announced to
 * the session. Call it as pp_vk_device_missing(dev, PP_EVENT_x, PP_MSG_x, ...). Any thread; further calls
 * cost one read.
 *
 * @param event Lives as long as @p dev.
 */
__attribute__((format(printf, 4, 5))) void pp_vk_device_missing(struct pp_vk_device *dev, const char *event,
                                                                enum pp_message id, const char *format, ...);

#endif
