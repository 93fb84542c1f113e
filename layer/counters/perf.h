/** @file
 * Hardware counters, measured with performance queries. The layer chooses one of the two extensions when
 * the device is created. Each counter set has one query pool, from which command buffers take chunks. The
 * CPU resets the queries before each submission and reads them after the submission is complete. See also
 * khr_query.h and intel_query.h (what is counted), record.h and readback.h. */
#ifndef PP_LAYER_COUNTERS_PERF_H
#define PP_LAYER_COUNTERS_PERF_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/session/session.h"
#include "layer/counters/intel_query.h"
#include "layer/counters/khr_query.h"

struct pp_cmdbuf;
struct pp_vk_device;
struct pp_vk_instance;
struct pp_vk_queue;
struct pp_vk_readback;

/** Neighbouring queries that a command buffer takes at a time; subpasses of more views are not measured. */
#define PP_PERF_CHUNK 8U

/** The extension that a device uses. */
enum pp_perf_kind { PP_PERF_NONE, PP_PERF_KHR, PP_PERF_OA };

/** Events that are measured together. Immutable, except `used` and `hint`. */
struct pp_perf_set {
    const struct pp_device_set *planned;
    VkQueryPool pool;                              /**< VK_NULL_HANDLE: the set is not measured */
    struct pp_i915_config kernel_set;              /**< oa by i915 */
    VkPerformanceConfigurationINTEL configuration; /**< oa by another driver of the kernel */
    uint32_t chunks;
    bool *used;    /**< for each chunk: is it in use? Guarded by pp_perf.lock */
    uint32_t hint; /**< chunk from which the search for a free one begins; guarded by pp_perf.lock */
    VkPerformanceCounterScopeKHR scope; /**< widest scope of its events */
};

/** A device's counters. Immutable after pp_perf_planned(), except the marked members. */
struct pp_perf {
    enum pp_perf_kind kind;             /**< NONE: neither extension can be used; see the reasons */
    bool multiple;                      /**< a command buffer may use several pools */
    const char *khr_reason, *oa_reason; /**< reason why the source is not used; NULL: it is */
    bool khr_refused, oa_refused;       /**< for pp_source_absent.refused: the driver did not open it */
    struct pp_perf_khr khr;
    struct pp_perf_oa oa;
    struct pp_perf_quirk quirk;
    PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate; /**< NULL: none */
    PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes;            /**< NULL: none */
    bool khr_requested; /**< the device was created with what `khr` needs */
    struct pp_event_source source;
    uint32_t family;
    uint32_t minor;    /**< oa: minor number of the render node */
    bool app_measures; /**< the application measures counters itself */
    bool locked, initialized;
    VkPerformanceConfigurationINTEL probe; /**< oa: a configuration that queues begin with */
    bool i915;                             /**< oa: passprobe changes the sets of the driver's stream */
    _Atomic(int) stream;                   /**< oa by i915: the driver's stream; below 0: none */
    _Atomic(struct pp_vk_queue *) changes; /**< oa by i915: the queue that changes the stream's set */
    struct pp_perf_set *set;
    uint32_t sets;              /**< 0: nothing is measured */
    uint32_t row;               /**< number of the source in a batch's rows */
    _Atomic(uint32_t) recorded; /**< reusable command buffers so far: each takes the next set */
    _Atomic(bool) planned;      /**< set[] is made */
    _Atomic(bool) failed;       /**< the driver refused something later: no more queries are recorded */
    _Atomic(bool) queue_ready;  /**< oa: a queue has a configuration */
    _Atomic(bool) secondaries;  /**< the application has secondary command buffers */
    _Atomic(bool) suspends;     /**< the application suspends dynamic rendering */
    pthread_mutex_t lock;       /**< guards chunks, and results that are not available yet (pp_perf_fill) */
};

/** The bracket that a query counts for. */
struct pp_perf_entry {
    uint32_t bracket; /**< PP_NO_BRACKET: the query is not used; PP_PERF_WHOLE: the command buffer */
    bool more;        /**< the query counts for a further view of the query before it */
};

#define PP_PERF_WHOLE (UINT32_MAX - 1)

struct pp_perf_fill;

/** The counters of one command buffer. The recording thread uses them without a lock, except `fill`. */
struct pp_perf_cmdbuf {
    bool on;        /**< counters are measured in this command buffer */
    bool actions;   /**< actions are measured, not passes */
    bool whole;     /**< the command buffer is measured as a whole */
    bool open;      /**< a query is active */
    bool broken;    /**< the whole could not be measured to its end */
    bool inside;    /**< the active query is a part of the whole that began in the open subpass */
    bool recorded;  /**< the command buffer was recorded before */
    bool submitted; /**< the command buffer was submitted since it was recorded */
    uint8_t place;  /**< enum pp_vk_scope of the open pass */
    uint8_t set_number;
    struct pp_perf_set *set;
    uint32_t open_number, open_bracket;
    uint32_t *chunk; /**< chunks of the set's pool */
    uint32_t chunks, chunk_cap;
    struct pp_perf_entry *entry; /**< indexed by query number; a chunk has PP_PERF_CHUNK queries */
    uint32_t count, entry_cap;
    struct pp_perf_fill *fill; /**< unread results of the last submission; guarded by pp_perf.lock */
};

/** Are passes measured in this command buffer? */
static inline bool
pp_perf_passes(const struct pp_perf_cmdbuf *perf)
{
    return perf->on && !perf->actions && !perf->whole;
}

/** Is a query active whose end must be the last command of its command buffer? */
static inline bool
pp_perf_is_last(const struct pp_perf_cmdbuf *perf)
{
    return perf->open && perf->set->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR;
}

#endif
