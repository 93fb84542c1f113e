/** @file
 * Measuring hardware counters with performance queries. Which of the two extensions is used on a device
 * is settled when it is created; queries lie in one pool for each set of events, from which command buffers
 * take chunks; they are reset by the host in front of each submission and read by the host when it is over.
 * See also perf_source.h (what is counted), record.h, slot.h. */
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
struct pp_vk_slot;

/** Neighbouring queries that a command buffer takes at a time; subpasses of more views are not measured. */
#define PP_PERF_CHUNK 8U

/** The extensions. */
enum pp_perf_kind { PP_PERF_NONE, PP_PERF_KHR, PP_PERF_OA };

/** Events that are measured together. Immutable but for `used`. */
struct pp_perf_set {
    const struct pp_device_set *planned;
    VkQueryPool pool; /**< VK_NULL_HANDLE: the set is not measured */
    VkPerformanceConfigurationINTEL configuration;
    uint32_t chunks;
    bool *used;                         /**< of each chunk; guarded by pp_perf.lock */
    uint32_t hint;                      /**< where a free one may be; guarded by pp_perf.lock */
    VkPerformanceCounterScopeKHR scope; /**< the narrowest place that its events demand */
};

/** A device's counters. Immutable after pp_perf_planned() but for what is marked. */
struct pp_perf {
    enum pp_perf_kind kind;             /**< NONE: neither can be used, see reason */
    bool multiple;                      /**< a command buffer may use several pools */
    const char *khr_reason, *oa_reason; /**< why not; NULL: in use */
    bool khr_refused, oa_refused;       /**< the driver has it, with a default set */
    struct pp_perf_khr khr;
    struct pp_perf_oa oa;
    struct pp_perf_quirk quirk;
    struct pp_event_source source;
    uint32_t family;
    uint32_t minor;        /**< oa: of the render node */
    bool program_measures; /**< the program has the counters itself */
    bool locked, initialized;
    VkPerformanceConfigurationINTEL probe; /**< oa: a configuration that queues begin with */
    struct pp_perf_set *set;
    uint32_t sets;              /**< 0: nothing is measured */
    uint32_t row;               /**< number of the source in a batch's rows */
    _Atomic(uint32_t) recorded; /**< reusable command buffers: each takes another set at first */
    _Atomic(bool) planned;      /**< set[] is made */
    _Atomic(bool) failed;       /**< the driver refused later on: nothing more is recorded */
    _Atomic(bool) queue_ready;  /**< oa: a queue has a configuration */
    _Atomic(bool) secondaries;  /**< the program has secondary command buffers */
    _Atomic(bool) suspends;     /**< it suspends dynamic rendering */
    pthread_mutex_t lock;       /**< chunks, and results on their way (pp_perf_fill) */
};

/** What a query counts for. */
struct pp_perf_entry {
    uint32_t bracket; /**< PP_NO_BRACKET: the query is not used; PP_PERF_WHOLE: the command buffer */
    bool more;        /**< a further view of the one in front */
};

#define PP_PERF_WHOLE (UINT32_MAX - 1)

struct pp_perf_fill;

/** A command buffer's share. The recording thread's, but for `fill`. */
struct pp_perf_cmdbuf {
    bool on;        /**< counters are measured in it */
    bool actions;   /**< actions are, not passes */
    bool whole;     /**< it is, as a whole */
    bool open;      /**< a query is active */
    bool broken;    /**< the whole could not be measured to its end */
    bool inside;    /**< the active query is a part of the whole that began in the open subpass */
    bool recorded;  /**< before */
    bool submitted; /**< since it was recorded */
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

/** What to ask of a device for the counters that the user wants; fills the wish's members of this room. */
void pp_perf_wish(const struct pp_vk_instance *inst, VkPhysicalDevice physical,
                  const VkDeviceCreateInfo *info, const struct pp_config *config, struct pp_vk_wish *wish);

/** The device was created as wished, or not. Takes the profiling lock. */
void pp_perf_open(struct pp_vk_device *dev, const struct pp_vk_wish *wish);

/** A queue was got. The program does not use it yet. */
void pp_perf_queue(struct pp_vk_queue *queue);

/** Sources, and reasons for those that are not there. @p absent: room for 2. */
void pp_perf_announce(struct pp_vk_device *dev, struct pp_device_info *info, struct pp_source_absent *absent);

/** Core has planned: make pools. */
void pp_perf_planned(struct pp_vk_device *dev);

/** The device ends; its work has completed, its command buffers are forgotten. */
void pp_perf_close(struct pp_vk_device *dev);

/** The driver refused something: stop recording queries, with the reason. */
void pp_perf_fail(struct pp_vk_device *dev, enum pp_message id, const char *why);

/* Recording. */

/** A recording begins; @p flags its usage. */
void pp_perf_record_begin(struct pp_cmdbuf *cb, VkCommandBufferUsageFlags flags);

/** It ends, all of ours but the end of a query of the whole is recorded. */
void pp_perf_record_end(struct pp_cmdbuf *cb);

/** Are passes measured in it? */
static inline bool
pp_perf_passes(const struct pp_perf_cmdbuf *perf)
{
    return perf->on && !perf->actions && !perf->whole;
}

/** Is a query active whose end has to be the last command of its buffer? */
static inline bool
pp_perf_is_last(const struct pp_perf_cmdbuf *perf)
{
    return perf->open && perf->set->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR;
}

/** Begin a query for a bracket, if none is active. @p slots: views. */
void pp_perf_begin(struct pp_cmdbuf *cb, uint32_t bracket, uint32_t slots);

/** End the active query, if it is this bracket's; PP_NO_BRACKET: any but the whole's. */
void pp_perf_end(struct pp_cmdbuf *cb, uint32_t bracket);

/** What follows cannot lie in a query of the whole, nor in several: end it. */
void pp_perf_break(struct pp_cmdbuf *cb);

/** What follows cannot lie in a query of the whole: end it until pp_perf_resume(), or for good. Where the one
 * that is active began. */
void pp_perf_pause(struct pp_cmdbuf *cb);

/** Count on with another query of the whole: until pp_perf_pause(), or pp_perf_leave() in a subpass. */
void pp_perf_resume(struct pp_cmdbuf *cb);

/** A subpass ends: what began in it of the whole does. */
void pp_perf_leave(struct pp_cmdbuf *cb);

/** Its executions are over and it is recorded anew or gone: read what is unread, give the queries back. */
void pp_perf_release(struct pp_cmdbuf *cb);

/** Free what it holds, after pp_perf_release(). */
void pp_perf_free(struct pp_perf_cmdbuf *perf);

/* Submission and return. */

/** A command buffer is about to be submitted, so it is not pending: read what is unread, reset its queries
 * and those of its secondaries. @p choose: the queue may be set up for what it measures. @return It measures.
 */
bool pp_perf_submit(struct pp_vk_queue *queue, struct pp_cmdbuf *cb, bool choose);

/** Do the results of a command buffer that goes to @p queue now say something? */
bool pp_perf_lands(const struct pp_vk_queue *queue, const struct pp_perf_cmdbuf *perf);

/** Say, once, that parts of one pass or frame were not all measured in one way. @p dev may have no counters.
 */
void pp_perf_mixed(struct pp_vk_device *dev);

/**
 * Note where the results of a command buffer go.
 *
 * @param map   Brackets of the batch, by its own; NULL: @p whole is all that there is.
 * @param whole Bracket of the batch that a query of the whole counts for; PP_NO_BRACKET: none.
 * @retval 0. @retval -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_perf_emit(struct pp_vk_queue *queue, struct pp_vk_slot *slot,
                                                     struct pp_cmdbuf *cb, const uint32_t *map,
                                                     uint32_t whole);

/** Fill the rows of a slot's batch. @p lost: nothing came. */
void pp_perf_land(struct pp_vk_queue *queue, struct pp_vk_slot *slot, bool lost);

/** The slot was not submitted. */
void pp_perf_drop(struct pp_vk_queue *queue, struct pp_vk_slot *slot);

#endif
