/** @file
 * Counter sources that are read or set on the application's threads, and what a device measures of them. Its
 * events (pp_device_info.counter) are packed into sets, of which each frame measures one. Here are also the
 * counters of the thread that records commands (Vulkan), counters of the whole GPU for brackets that are sums
 * of others, and the default events of the kernel, which are measured without `-e` if the kernel permits it
 * and the application's driver has none.
 *
 * Streaming sources (PP_READ_STREAM: the kernel's OA unit) lose what the kernel has not delivered when their
 * set changes, and the GPU works on frames long after their end. So a set is measured for some frames, and
 * changes when all their rows are done. Frames that begin between are measured with no set.
 *
 * This file knows no graphics API. See also event_selection.h. */
#ifndef PP_CORE_EVENTS_DEVICE_COUNTERS_H
#define PP_CORE_EVENTS_DEVICE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/device_info.h"
#include "core/util/compiler.h"
#include "core/util/log.h"
#include "counters/snapshot/source.h"
#include "counters/snapshot/value.h"

struct pp_batch;
struct pp_device;

/** Number of counter sets in the device's rotation; 0: no counters are measured. Immutable after create. */
PP_API uint32_t pp_device_sets(const struct pp_device *device);

/** What set @p set (< pp_device_sets()) has of pp_device_info.counter[@p counter]. Borrowed for the device's
 * life. */
PP_API const struct pp_device_set *pp_device_set(const struct pp_device *device, uint32_t counter,
                                                 uint32_t set);

/** Number of pp_device_info.counter[@p counter] in a batch's rows, statuses and sets; UINT32_MAX: none of its
 * events is measured. */
PP_API uint32_t pp_device_counter(const struct pp_device *device, uint32_t counter);

/** Does pp_device_read() have anything to do? Immutable after create. Hot. */
PP_API bool pp_device_reads(const struct pp_device *device);

/**
 * Take the snapshots that the CPU reads, for a bracket's begin (@p end 0) or end (1). Front ends whose
 * brackets are in the application's stream of calls (OpenGL) call it at each begin and end. With @p idle
 * false it is called directly before and after the actions, for sources that count the calling thread. Under
 * --serialize it is also called with @p idle true while the GPU is idle, for sources that count the whole
 * GPU.
 *
 * @param batch   Must be large enough for @p bracket.
 * @param set     Counter set of the open frame, pp_timeline_rotation().
 * @param idle    Which sources: PP_READ_THREAD, or PP_READ_IDLE because all earlier actions have ended on the
 * GPU.
 */
PP_API void pp_device_read(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                           unsigned end, uint8_t set, bool idle);

/** Mark as lost what the sources read with @p idle true counted in a bracket, because the GPU was not idle
 * at the bracket's end. */
PP_API void pp_device_unread(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket);

/** Is the source read by the CPU at both ends of a bracket, on a thread of the application? */
static inline bool
pp_counter_is_read(const struct pp_source_ops *ops)
{
    return ops->reads == PP_READ_THREAD || ops->reads == PP_READ_IDLE;
}

/** Select the counter set of the frame that begins now in all streaming sources. Only pp_stream_sets_begin()
 * calls it. */
void pp_device_select_set(struct pp_device *device, uint8_t set);

/** Note why a source of the device failed, the first time that it fails. Any thread.
 * @param id    PP_ID_SOURCE_FAILED or PP_ID_SOURCE_REFUSED.
 * @param error -errno of the source, negated. */
void pp_device_source_failed(struct pp_device *device, uint32_t s, enum pp_message id, int error);

struct pp_batch;
struct pp_device;

/** Does pp_device_read() with @p idle true have anything to do? Immutable after create. Hot. */
PP_API bool pp_device_reads_idle(const struct pp_device *device);

/** Mark a bracket as the sum of its actions: sources that are read while the GPU is idle measure the actions,
 * not this bracket. */
PP_API void pp_device_sums(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket);

/** Does a source need submissions of their own for brackets: one that is read while the GPU is idle, or one
 * whose reports distinguish submissions? Immutable after create. Hot. */
PP_API bool pp_device_wants_apart(const struct pp_device *device);

/** Note whether a bracket had submissions of its own, with the GPU idle before and after them. */
PP_API void pp_device_apart(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                            bool apart);

/** Bytes of a snapshot of the sources that threads read; 0: there are none. Immutable after create. */
PP_API size_t pp_device_thread_bytes(const struct pp_device *device);

/** Take a snapshot of the calling thread's counters of set @p set, for front ends that record commands before
 * they are submitted (Vulkan). @p ret_snapshot pp_device_thread_bytes(), aligned to 8. Any thread. */
PP_API void pp_device_thread_take(const struct pp_device *device, uint8_t set, uint8_t *ret_snapshot);

/** Write the snapshots of a bracket's two ends into its batch, which must be large enough for the bracket. */
PP_API void pp_device_thread_put(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                                 uint8_t set, const uint8_t *begin, const uint8_t *end);

/** Note why a bracket has no values of the sources that threads read. A bracket that has values keeps them.
 * @param why PP_COUNTED_EARLIER: the commands were recorded once and are submitted again, and the row of the
 * first submission has the values; or another status without a value. */
PP_API void pp_device_thread_missing(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                                     enum pp_status why);

struct pp_event_source;
struct pp_session;

/**
 * The kernel's source with a default set for a GPU, if the user gave no list. Opens it the first time;
 * nothing is opened on other machines. With the session's lock.
 *
 * @param vendor,gpu As pp_device_info has them.
 * @return The session's; it may have nothing but a reason. NULL: none.
 */
const struct pp_event_source *pp_default_events_source_locked(struct pp_session *session, uint32_t vendor,
                                                              uint32_t gpu);

/** Would the kernel's counters of a GPU of this vendor (PP_VENDOR_*) be measured by default, without an
 * event list? Opens them the first time. Any thread; reads files.
 * @param source Name of the source: "oa", "mali". */
PP_API bool pp_session_default_events(struct pp_session *session, const char *source, uint32_t vendor);

struct pp_stream_sets;

/** Prepare the state. */
void pp_stream_sets_init(struct pp_stream_sets *sets);

/** Counterpart of pp_stream_sets_init(). */
void pp_stream_sets_finish(struct pp_stream_sets *sets);

/** A frame begins. Called on the presenting thread. @param set The counter set that is the frame's in the
 * rotation; replaced by the current one while that has its turn, and by the one that a frame waits for once
 * that has ended. @return The set's turn, for
 * pp_stream_sets_done(); 0: the frame is measured with no set. */
uint32_t pp_stream_sets_begin(struct pp_device *device, uint8_t *set);

/** The rows of a frame are done, or the frame has none. @p turn Of pp_stream_sets_begin(). Any thread. */
void pp_stream_sets_done(struct pp_device *device, uint32_t turn);

#endif
