/** @file
 * Hardware counters, measured with performance queries. The layer chooses one of the two extensions when
 * the device is created. Each counter set has one query pool, from which command buffers take chunks. The
 * CPU resets the queries before each submission and reads them after the submission is complete. See also
 * perf_source.h (what is counted), record.h and readback.h. */
#ifndef PP_LAYER_COUNTERS_PERF_H
#define PP_LAYER_COUNTERS_PERF_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/engine/session.h"
#include "core/util/log.h"
#include "layer/counters/perf_source.h"
#include "layer/dispatch/chain.h"

struct pp_cmdbuf;
struct pp_vk_device;
struct pp_vk_instance;
struct pp_vk_queue;
struct pp_vk_readback;

/** Neighbouring queries that a command buffer takes at a time; subpasses of more views are not measured. */
#define PP_PERF_CHUNK 8U

/** The extension that a device uses. */
enum pp_perf_kind { PP_PERF_NONE, PP_PERF_KHR, PP_PERF_OA };

/** Events that are measured together. Immutable but for `used`. */
struct pp_perf_set {
    const struct pp_device_set *planned;
    VkQueryPool pool; /**< VK_NULL_HANDLE: the set is not measured */
    VkPerformanceConfigurationINTEL configuration;
    uint32_t chunks;
    bool *used;                         /**< of each chunk; guarded by pp_perf.lock */
    uint32_t hint;                      /**< where a free one may be; guarded by pp_perf.lock */
    VkPerformanceCounterScopeKHR scope; /**< the narrowest scope that its events demand */
};

/** A device's counters. Immutable after pp_perf_planned(), except the marked members. */
struct pp_perf {
    enum pp_perf_kind kind;             /**< NONE: neither can be used, see reason */
    bool multiple;                      /**< a command buffer may use several pools */
    const char *khr_reason, *oa_reason; /**< why not; NULL: in use */
    bool khr_refused, oa_refused;       /**< the driver has the extension, together with a default set */
    struct pp_perf_khr khr;
    struct pp_perf_oa oa;
    struct pp_perf_quirk quirk;
    struct pp_event_source source;
    uint32_t family;
    uint32_t minor;        /**< oa: of the render node */
    bool program_measures; /**< the application measures counters itself */
    bool locked, initialized;
    VkPerformanceConfigurationINTEL probe; /**< oa: a configuration that queues begin with */
    struct pp_perf_set *set;
    uint32_t sets;              /**< 0: nothing is measured */
    uint32_t row;               /**< number of the source in a batch's rows */
    _Atomic(uint32_t) recorded; /**< reusable command buffers: each takes another set at first */
    _Atomic(bool) planned;      /**< set[] is made */
    _Atomic(bool) failed;       /**< the driver refused something later: no more queries are recorded */
    _Atomic(bool) queue_ready;  /**< oa: a queue has a configuration */
    _Atomic(bool) secondaries;  /**< the application has secondary command buffers */
    _Atomic(bool) suspends;     /**< the application suspends dynamic rendering */
    pthread_mutex_t lock;       /**< over chunks, and over results that are not available yet
                                     (pp_perf_fill) */
};

/** What a query counts for. */
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
    uint32_t *chunk; /**< of the set's pool */
    uint32_t chunks, chunk_cap;
    struct pp_perf_entry *entry; /**< by query number: PP_PERF_CHUNK to a chunk */
    uint32_t count, entry_cap;
    struct pp_perf_fill *fill; /**< results of its last submission, unread; guarded by pp_perf.lock */
};

/* Devices. */

/** Find out which extensions and features of a device the user's counters need. Fills the counter members of
 * the wish. */
void pp_perf_wish(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
                  const VkDeviceCreateInfo *info, const struct pp_config *config, struct pp_vk_wish *wish);

/** Open the counters of a device that was created with or without what was wished. Takes the profiling
 * lock. */
void pp_perf_open(struct pp_vk_device *dev, const struct pp_vk_wish *wish);

/** Prepare a new queue, before the application uses it. */
void pp_perf_queue(struct pp_vk_queue *queue);

/**
 * Announce the counter sources, and the reasons for those that are missing.
 *
 * @param absent An array for 2 reasons.
 */
void pp_perf_announce(struct pp_vk_device *dev, struct pp_device_info *info, struct pp_source_absent *absent);

/** Make the query pools, after core has planned the counter sets. */
void pp_perf_planned(struct pp_vk_device *dev);

/** Free the counters of a device that ends. Its work is complete, and its command buffers are forgotten. */
void pp_perf_close(struct pp_vk_device *dev);

/** Stop recording queries because the driver refused something; the message gives the reason. */
void pp_perf_fail(struct pp_vk_device *dev, enum pp_message id, const char *why);

/* Recording. */

/**
 * Begin a recording.
 *
 * @param flags Usage of the command buffer.
 */
void pp_perf_record_begin(struct pp_cmdbuf *cb, VkCommandBufferUsageFlags flags);

/** End a recording: all commands of the layer are recorded, except the end of a query of the whole. */
void pp_perf_record_end(struct pp_cmdbuf *cb);

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

/**
 * Begin a query for a bracket, if no query is active.
 *
 * @param slots Number of views.
 */
void pp_perf_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots);

/** End the active query if it belongs to @p bracket. PP_NO_BRACKET: end any query except that of the whole.
 */
void pp_perf_end(struct pp_cmdbuf *cb, uint32_t bracket);

/** End the query of the whole for good: neither this query nor several queries can contain the next
 * commands. */
void pp_perf_break(struct pp_cmdbuf *cb);

/** End the query of the whole, because it cannot contain the next commands. pp_perf_resume() may begin
 * another one. Call this at the place (inside or outside of a subpass) where the active query began. */
void pp_perf_pause(struct pp_cmdbuf *cb);

/** Continue to count with another query of the whole. The query ends at pp_perf_pause(), or in a subpass at
 * pp_perf_leave(). */
void pp_perf_resume(struct pp_cmdbuf *cb);

/** End the part of the whole that began in the subpass which ends now. */
void pp_perf_leave(struct pp_cmdbuf *cb);

/** Read the unread results of a command buffer and give its queries back. Its executions are complete, and it
 * is recorded again or freed. */
void pp_perf_release(struct pp_cmdbuf *cb);

/** Free the memory of @p perf, after pp_perf_release(). */
void pp_perf_free(struct pp_perf_cmdbuf *perf);

/* Submission and return. */

/**
 * Prepare a command buffer that will be submitted next, and which is therefore not pending: read its unread
 * results, and reset its queries and those of its secondaries.
 *
 * @param choose The queue may be set up for the counter set of this command buffer.
 * @return true: the command buffer measures.
 */
bool pp_perf_submit(struct pp_vk_queue *queue, struct pp_cmdbuf *cb, bool choose);

/** Will the results of a command buffer that goes to @p queue now be valid? */
bool pp_perf_is_measured(const struct pp_vk_queue *queue, const struct pp_perf_cmdbuf *perf);

/**
 * Report once that the parts of one pass or frame were not all measured in the same way.
 *
 * @param dev May have no counters.
 */
void pp_perf_mixed(struct pp_vk_device *dev);

/**
 * Note the brackets for which the results of a command buffer count.
 *
 * @param map Maps the command buffer's brackets to the batch's; NULL: only @p whole exists.
 * @param whole Bracket of the batch that a query of the whole counts for; PP_NO_BRACKET: none.
 * @retval 0.
 * @retval -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_perf_emit(struct pp_vk_queue *queue,
                                                     struct pp_vk_readback *readback, struct pp_cmdbuf *cb,
                                                     const uint32_t *map, uint32_t whole);

/**
 * Fill the rows of a readback's batch.
 *
 * @param lost The results will never be available.
 */
void pp_perf_retire(struct pp_vk_queue *queue, struct pp_vk_readback *readback, bool lost);

/** Forget the results of a readback that was not submitted. */
void pp_perf_drop(struct pp_vk_queue *queue, struct pp_vk_readback *readback);

#endif
