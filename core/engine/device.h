/** @file
 * Devices: what front ends know of a GPU, and what passprobe notes about measuring on it. This file knows no
 * graphics API. See also read_counters.h for the counters of a device. */
#ifndef PP_CORE_ENGINE_DEVICE_H
#define PP_CORE_ENGINE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/api.h"
#include "core/engine/clock.h"
#include "core/model/batch.h"
#include "core/util/log.h"
#include "counters/sources/source.h"

struct pp_session;

/** A counter source of a device: the part of a bracket's row that is its snapshot. */
struct pp_device_source {
    const char *name;               /**< "time", "pipeline"; borrowed for the device's life */
    const struct pp_layout *layout; /**< borrowed for the device's life; field names are event names */
};

/** Why a device lacks a source that may be asked for. */
struct pp_source_absent {
    const char *source; /**< "khr" */
    const char *reason; /**< "the driver lacks VK_KHR_performance_query" */
    bool taken; /**< the application uses the source, so the machine's source of that name is not used either
                 */
    bool refused; /**< the source has a default set and the reason prevents it: reported even without an event
                     list */
};

/** What a front end knows of a device (Vulkan) or a context's renderer (OpenGL). Strings are copied. */
struct pp_device_info {
    const char *api;           /**< "gl", "gles", "vulkan" */
    const char *api_version;   /**< as the API reports it: "4.5 (Core Profile) Mesa 22.3.6" */
    const char *name;          /**< renderer, deviceName */
    const char *driver;        /**< driver and its version */
    double tick_ns;            /**< nanoseconds a timestamp tick; 0: no timestamps */
    uint32_t vendor;           /**< PP_VENDOR_* of the GPU or another's number; 0: not known */
    uint32_t gpu;              /**< the vendor's number of it; 0: not known */
    uint32_t timestamp_bits;   /**< 0: no timestamps: CPU times only */
    bool brackets_submissions; /**< at level frame each submission has a bracket of its own (Vulkan), so that
                                  their union is the GPU's busy time; false: one bracket spans the frame, gaps
                                  included */
    const struct pp_device_source *source; /**< sources[0] must be "time" where timestamp_bits is not 0 */
    uint32_t sources;
    const struct pp_event_source
        *counter; /**< further sources; the selected events are measured; borrowed for the device's life */
    uint32_t counters;
    const struct pp_source_absent *absent; /**< sources that the device lacks; borrowed for the call */
    uint32_t absents;
    bool reads;      /**< the device's brackets call pp_device_read() */
    bool reads_idle; /**< only with the GPU idle, under --serialize */
    bool records;    /**< the device's brackets call pp_device_thread_take() while they are recorded */
};

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

/** Report why a selected event is not measured on this device. Repeats are ignored. Any thread. */
PP_API void pp_device_missing(struct pp_device *device, const char *event, const char *reason);

/** Report how measuring changes this device, for session.json and the summary: for example, a profiling
 * lock pins the clocks. Repeats are ignored. Any thread. */
PP_API void pp_device_note(struct pp_device *device, const char *text);

/** Maximum bytes of a note, including its NUL. */
#define PP_NOTE_BYTES 1024U

/** Note which of --serialize and --indirect have no effect on a device. @param copies_arguments The API is
 * one for which --indirect copies arguments at level draw. @return --serialize has an effect, if it was
 * given. Any thread. */
PP_API bool pp_device_note_unused_options(struct pp_device *device, bool copies_arguments);

/** Like pp_device_note(), once for each device and id. Call it as pp_note_once(device, PP_MSG_x, ...). Any
 * thread; further calls cost one read. */
PP_API __attribute__((format(printf, 3, 4))) void pp_note_once(struct pp_device *device, enum pp_message id,
                                                               const char *format, ...);

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
