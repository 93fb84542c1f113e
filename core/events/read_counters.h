/** @file
 * Counter sources that are read or set on the application's threads, and what a device measures of them. Its
 * events (pp_device_info.counter) are packed into sets, of which each frame measures one. This file knows no
 * graphics API. See also event_selection.h. */
#ifndef PP_CORE_EVENTS_READ_COUNTERS_H
#define PP_CORE_EVENTS_READ_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/device_info.h"
#include "core/util/compiler.h"
#include "core/util/log.h"
#include "counters/snapshot/source.h"

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

#endif
