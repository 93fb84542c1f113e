/** @file
 * Devices: GPUs on which the session measures. This file knows no graphics API. See also notes.h for what
 * passprobe notes about a device, and device_counters.h for its counters. */
#ifndef PP_CORE_SESSION_DEVICE_H
#define PP_CORE_SESSION_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/clock.h"
#include "core/engine/device_info.h"
#include "core/engine/notes.h"
#include "core/util/compiler.h"

struct pp_session;

/**
 * Announce a device. The first one starts the collector and opens the session directory.
 *
 * @param ret_device Owned by the session, lives as long as the process.
 * @retval 0       Ready.
 * @retval -errno  The session cannot start (said once on stderr); the application goes on.
 */
PP_API __attribute__((warn_unused_result)) int pp_device_create(struct pp_session *session,
                                                                const struct pp_device_info *info,
                                                                struct pp_device **ret_device);

/** Clock of the device, for samples and bounds. */
PP_API struct pp_clock *pp_device_clock(struct pp_device *device);

/** Session that the device belongs to. Immutable after create. */
PP_API struct pp_session *pp_device_session(const struct pp_device *device);

/** Byte offset of source @p source in a row. Immutable after create. */
PP_API uint32_t pp_device_offset(const struct pp_device *device, uint32_t source);

/** Note which of --serialize and --indirect have no effect on a device. @param copies_arguments The API is
 * one for which --indirect copies arguments at level draw. @return --serialize has an effect, if it was
 * given. Any thread. */
PP_API bool pp_device_note_unused_options(struct pp_device *device, bool copies_arguments);

/** Add the lengths of empty brackets, from which the resolution of a time is estimated. @p scope "pass" or
 * "draw". Any thread. */
PP_API void pp_device_bias(struct pp_device *device, const char *scope, const uint64_t *length_ns,
                           uint32_t count);

/**
 * Take a snapshot of the selected system counters of the calling thread, the process and the machine. Used if
 * a device's first frame begins before its timeline can be made (pp_timeline_info.first_system_counters).
 * Opens the kernel's counters. Any thread.
 *
 * @return NULL: no system counter is selected, or no memory. Free it with free() or give it to a timeline.
 */
PP_API uint8_t *pp_session_take_system_counters(struct pp_session *session);

#endif
