/** @file
 * All counter sources of passprobe, one row each. Configuration, planning, `passprobe list` and the tests of
 * the documentation take names and texts from here. A source whose origin is PP_SOURCE_KERNEL needs only the
 * kernel and is opened by its row's open(); the sources of a graphics API are opened by hooks/ and layer/,
 * which have the API. Knows no graphics API, no core/. */
#ifndef PP_COUNTERS_SOURCES_REGISTRY_H
#define PP_COUNTERS_SOURCES_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/small_file.h"

/** Who opens a source. */
enum pp_source_origin {
    PP_SOURCE_BUILTIN, /**< the front end, always: every device measures it */
    PP_SOURCE_API,     /**< the front end, where the graphics driver offers it */
    PP_SOURCE_KERNEL,  /**< pp_kernel_sources_open() */
    PP_SOURCE_APP,     /**< core/: the application itself counts */
};

/* Names of the sources that code asks for by name. */
#define PP_SOURCE_TIME     "time"
#define PP_SOURCE_PIPELINE "pipeline"
#define PP_SOURCE_KHR      "khr"
#define PP_SOURCE_OA       "oa"

/** Most entries of pp_source_row.short_name. */
#define PP_SHORT_NAMES 10

/** A counter source. Texts are static; "" where there is nothing to say. */
struct pp_source_row {
    const char *name;      /**< prefix of its events: "cpu" */
    const char *measures;  /**< what it counts: "what a thread of the application did on the CPU" */
    const char *scope;     /**< what one value covers: "a frame of this process" */
    const char *cost;      /**< what measuring costs */
    const char *without_e; /**< what is measured without -e */
    uint8_t origin;        /**< enum pp_source_origin */
    bool of_frames;        /**< frames measure it whatever the device: the source belongs to no device */
    uint32_t vendor;       /**< PP_VENDOR_* of the GPUs that it counts; 0: any */
    const char
        *catalogue; /**< name of the catalogue that lists its metrics (metric/catalogue.h); NULL: none */

    const char *short_name[PP_SHORT_NAMES]; /**< events that `-e` takes without the source's name, as perf
                                               does; NULL: no more */

    /** Sets of the catalogue whose group of events has another name. */
    struct {
        const char *set, *group;
    } renamed[2];

    /** Mandatory where origin is PP_SOURCE_KERNEL, else NULL. Open the source. Where the machine does not let
     * it count, its events say why. @p paths Complete; strings are copied. @retval 0 *ret is the process's,
     * for good. @retval -errno. */
    int (*open)(const struct pp_kernel_paths *paths, struct pp_event_source *ret);
};

/** The @p i-th source; NULL past the last. Sources of the kernel are opened in this order. */
const struct pp_source_row *pp_source_row(size_t i);

/** The source called @p name; NULL: there is none. */
const struct pp_source_row *pp_source_row_find(const char *name);

/**
 * Open the sources of this machine and process. Events that the machine lacks have a reason.
 *
 * Ownership: the sources are the process's, for good; a further call gives new ones. Threads: any. Allocates,
 * reads files; nothing counts yet. errno is kept.
 *
 * @param paths NULL, or NULL members: "/sys", "/proc", "/dev". Strings are copied.
 * @param ret   Array of @p capacity elements.
 * @return How many were written.
 */
size_t pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret,
                              size_t capacity);

/**
 * Open the source that counts GPUs of one vendor. Ownership, threads and paths as pp_kernel_sources_open().
 *
 * @param vendor PP_VENDOR_*.
 * @retval 0       *ret is set; where the machine does not let it count, its events have a reason.
 * @retval -ENOENT No source counts this vendor's GPUs.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_kernel_gpu_source_open(const struct pp_kernel_paths *paths, uint32_t vendor, struct pp_event_source *ret);

#endif
