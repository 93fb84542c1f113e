/** @file
 * Counters of the thread that records commands (Vulkan), and of the whole GPU for brackets that are sums of
 * others. This file knows no graphics API. */
#ifndef PP_CORE_EVENTS_RECORDED_COUNTERS_H
#define PP_CORE_EVENTS_RECORDED_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util/compiler.h"
#include "counters/snapshot/value.h"

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

#endif
