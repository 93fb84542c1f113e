/** @file
 * What front ends know of a GPU, and what is measured on it together. This file knows no graphics API. */
#ifndef PP_CORE_ENGINE_DEVICE_INFO_H
#define PP_CORE_ENGINE_DEVICE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/snapshot/source.h"

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

/** Which set of a plan is measured, and where. Runs with the numbers 1 to `of` measure all. */
struct pp_only_set {
    bool given;   /**< false: all sets are measured, in rotation */
    bool halves;  /**< each set has two numbers: the first half of the numbers is measured around passes, the
                     second half around actions */
    bool actions; /**< number is in the second half */
    uint32_t number; /**< as asked for; larger than `of`: only events without limits are measured, as for 0 */
    uint32_t of;     /**< numbers in all; 0: no event has limits */
};

/** Events of one source that are measured together. */
struct pp_device_set {
    const uint32_t *event; /**< indexes of the source's event() */
    uint32_t events;       /**< 0: this set has none of the source */
    const struct pp_layout *layout;
};

#endif
