/** @file
 * A Vulkan layer below passprobe's that offers VK_KHR_performance_query and VK_INTEL_performance_query on a
 * driver without them. Its counters count the commands that pass through it, so every result is known;
 * results that it gave out are written to a file. It checks the extensions' rules and ends the process if one
 * is broken. Must not know passprobe. */
#ifndef PP_FAKE_VK_PERF_H
#define PP_FAKE_VK_PERF_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "fake_perf_commands.h"

#define FP_EXPORT __attribute__((visibility("default")))

/** Counts of some commands, by kind. */
enum fp_work {
    FP_DRAWS,
    FP_VERTICES, /**< of all instances */
    FP_INSTANCES,
    FP_DISPATCHES,
    FP_GROUPS,
    FP_COPIES,
    FP_PASSES,   /**< render passes begun */
    FP_COMMANDS, /**< all that are counted here */
    FP_CLEARS,
    FP_WORKS
};

/** Settings of FAKE_VK_PERF: words, see README.md. */
struct fp_config {
    bool khr, intel;
    bool copies;          /**< allowCommandBufferQueryCopies */
    bool multiple;        /**< performanceCounterMultipleQueryPools */
    bool whole;           /**< every counter has the scope of a command buffer */
    uint32_t family;      /**< the only queue family with counters */
    VkResult lock;        /**< of vkAcquireProfilingLockKHR */
    VkResult initialize;  /**< of vkInitializePerformanceApiINTEL */
    VkResult acquire;     /**< of vkAcquirePerformanceConfigurationINTEL */
    VkResult queue;       /**< of vkQueueSetPerformanceConfigurationINTEL */
    VkResult pool;        /**< of vkCreateQueryPool */
    bool null_driver;     /**< command buffers and submissions do not reach the driver */
    bool silent;          /**< values of timeline semaphores cannot be read */
    bool refuse;          /**< vkCreateDevice with one of the extensions fails */
    uint32_t driver;      /**< VkDriverId to report; 0: the driver's own */
    char device[64];      /**< deviceName to report; "": the driver's own */
    uint32_t pci;         /**< deviceID to report; 0: the driver's own */
    uint32_t version;     /**< driverVersion to report; 0: the driver's own */
    int add_config_errno; /**< of DRM_IOCTL_I915_PERF_ADD_CONFIG */
};

/** A counter of VK_KHR_performance_query. */
struct fp_counter {
    const char *name, *category, *description;
    VkPerformanceCounterUnitKHR unit;
    VkPerformanceCounterStorageKHR storage;
    VkPerformanceCounterScopeKHR scope;
    unsigned block;          /**< counters of one block share its registers */
    int64_t times[FP_WORKS]; /**< value: sum of work * times */
    int percent_of;          /**< not negative: value is 100 * sum / work[percent_of] */
};

/** Next functions of a device. */
#define FP_DEVICE_FUNCTIONS(X)                                                                               \
    X(DestroyDevice)                                                                                         \
    X(CreateQueryPool)                                                                                       \
    X(DestroyQueryPool)                                                                                      \
    X(GetQueryPoolResults)                                                                                   \
    X(ResetQueryPool)                                                                                        \
    X(CreateRenderPass)                                                                                      \
    X(CreateRenderPass2)                                                                                     \
    X(CreateCommandPool)                                                                                     \
    X(DestroyCommandPool)                                                                                    \
    X(AllocateCommandBuffers)                                                                                \
    X(FreeCommandBuffers)                                                                                    \
    X(BeginCommandBuffer)                                                                                    \
    X(EndCommandBuffer)                                                                                      \
    X(QueueSubmit)                                                                                           \
    X(QueueSubmit2)                                                                                          \
    X(CreateFence)                                                                                           \
    X(DestroyFence)                                                                                          \
    X(GetFenceStatus)                                                                                        \
    X(WaitForFences)                                                                                         \
    X(GetSemaphoreCounterValue)                                                                              \
    X(DestroySemaphore)

/** A device. Everything below is guarded by fp_lock. */
struct fp_device {
    VkDevice handle;
    VkPhysicalDevice physical;
    PFN_vkGetDeviceProcAddr gdpa;
#define FP_MEMBER(name) PFN_vk##name name;
    struct {
        FP_DEVICE_FUNCTIONS(FP_MEMBER)
        FP_COMMAND_FUNCTIONS(FP_MEMBER)
    } next;
    bool khr, intel, pools_on, multiple_on, host_reset; /**< enabled */
    bool locked, initialized;
    uint64_t lock_epoch; /**< grows with every release */
    uint32_t pools;      /**< number of fake ones that exist */
    uint32_t configurations;
    struct fp_submission *submissions;
};

/** One submission with queries of this layer. */
struct fp_submission {
    struct fp_submission *next;
    VkFence fence;
    bool done;
};

/** State of a query. */
struct fp_query {
    bool reset;                       /**< since its last use */
    bool available;                   /**< its submission ended it */
    struct fp_submission *submission; /**< the last that used it */
    uint64_t passes;                  /**< bit i: pass i was submitted */
    uint64_t work[FP_WORKS];
    uint32_t set; /**< Intel: configuration of the queue */
};

/** A fake query pool. */
struct fp_pool {
    struct fp_device *dev;
    bool intel;
    uint32_t family;
    uint32_t counters;
    uint32_t *counter;
    VkPerformanceCounterScopeKHR scope; /**< the narrowest scope that its counters demand */
    uint32_t passes;
    uint32_t count;
    struct fp_query *query;
};

/** Kinds of entries of a command buffer. */
enum fp_op_kind {
    FP_OP_WORK,
    FP_OP_BEGIN,
    FP_OP_END,
    FP_OP_EXECUTE,
    FP_OP_ACT,   /**< commands that act or synchronize */
    FP_OP_ENTER, /**< a pass begins */
    FP_OP_LEAVE  /**< it ends */
};

/** Places where a command may be. */
enum fp_place { FP_ANYWHERE, FP_INSIDE, FP_OUTSIDE };

/** May it be between a suspended pass and what resumes it? */
enum fp_order { FP_ACTS, FP_SETS_STATE };

/** The counts of one command. */
struct fp_amount {
    enum fp_work kind;
    uint64_t number;
    uint64_t vertices, instances; /**< those of each instance, and instances of each */
    uint64_t groups;
};

/** An entry of a command buffer. */
struct fp_op {
    enum fp_op_kind kind;
    struct fp_pool *pool;
    uint32_t index, views;
    VkRenderingFlags flags; /**< of a pass */
    uint64_t work[FP_WORKS];
    struct fp_buffer *secondary;
};

/** A command buffer. */
struct fp_buffer {
    struct fp_device *dev;
    VkCommandBuffer handle;
    VkCommandPool pool;
    uint32_t family;
    bool secondary;
    bool locked; /**< the lock was held at its begin */
    uint64_t lock_epoch;
    bool in_pass;
    uint32_t subpass, views;
    const struct fp_pass *pass;
    uint32_t commands;
    bool closed_whole;        /**< a query of the whole buffer has ended: nothing may follow */
    struct fp_pool *khr_pool; /**< the one that it uses */
    struct {
        struct fp_pool *pool; /**< NULL: none active */
        uint32_t index, subpass;
        bool in_pass;
    } active[2]; /**< Khronos', Intel's */
    struct fp_op *op;
    uint32_t ops, op_cap;
};

/** View masks of a render pass. */
struct fp_pass {
    uint32_t subpasses;
    uint32_t mask[];
};

extern struct fp_config fp_config;
extern pthread_mutex_t fp_lock;
extern const struct fp_counter fp_counter[];
extern const uint32_t fp_counters;

/** A table from handles to records. */
struct fp_map {
    struct fp_map_node *bucket[64];
};
void *fp_map_get(const struct fp_map *map, uint64_t key);
void fp_map_put(struct fp_map *map, uint64_t key, void *value);
void *fp_map_take(struct fp_map *map, uint64_t key);

extern struct fp_map fp_devices, fp_pools, fp_buffers, fp_command_pools, fp_passes, fp_queues;

/** A rule was broken: report it and abort. */
__attribute__((format(printf, 1, 2), noreturn)) void fp_violation(const char *format, ...);

/** Demand a rule. */
#define FP_DEMAND(condition, ...)                                                                            \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fp_violation(__VA_ARGS__);                                                                       \
    } while (0)

struct fp_device *fp_device_of(const void *handle);
struct fp_pool *fp_pool_of(VkQueryPool pool);
struct fp_buffer *fp_buffer_of(VkCommandBuffer buffer);

/** Passes that a list of counters takes. */
uint32_t fp_passes_of(const uint32_t *counter, uint32_t count);

/** Value of a counter. */
VkPerformanceCounterResultKHR fp_value(const struct fp_counter *counter, const uint64_t *work);

/** A command is recorded: its rules. @return Its buffer. */
struct fp_buffer *fp_command(VkCommandBuffer buffer, const char *name, enum fp_place place,
                             enum fp_order order);

/** Record an action and check its rules. @return Its buffer. */
struct fp_buffer *fp_work(VkCommandBuffer buffer, const char *name, enum fp_place place, enum fp_order order,
                          const struct fp_amount *amount);

/** Sum of the words at @p offset in each element of a list. */
uint64_t fp_sum_words(uint32_t count, const void *list, uint32_t stride, size_t offset);

/** The driver's command; a command that does nothing if the driver lacks it. */
#define FP_NEXT(cb, name)                                                                                    \
    if ((cb)->dev->next.name)                                                                                \
    (cb)->dev->next.name

/** Generated for all commands: look up the driver's functions; forget them. */
void fp_load_commands(struct fp_device *dev);
void fp_forget_commands(struct fp_device *dev);
PFN_vkVoidFunction fp_find_command(const char *name);

/** Keep command buffers and submissions from the driver. */
void fp_null_driver(struct fp_device *dev);

/** Waits for a driver that executes nothing; NULL: not one of these. */
PFN_vkVoidFunction fp_find_null_driver(const char *name);

/** Submissions to a queue wait for these values. Under the lock. */
void fp_note_waits(VkQueue queue, uint32_t count, const VkSubmitInfo *submits);
void fp_note_waits2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits);

/** A wait for the fence waits for this queue. Under the lock. */
void fp_note_fence(VkQueue queue, VkFence fence);

/** This layer's functions of a device by name; NULL: it has none. */
PFN_vkVoidFunction fp_find_wait(const char *name);
PFN_vkVoidFunction fp_find_query(const char *name);
PFN_vkVoidFunction fp_find_record(const char *name);

/** The metric set that Intel's interface would measure now, from the configuration that the kernel has under
 * MDAPI's GUID: a hash of its registers; 0: none is registered. */
uint32_t fp_registered(void);

#endif
