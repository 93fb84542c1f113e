/** @file
 * The source "drm": what the kernel's graphics drivers account to this process in fdinfo of its descriptors:
 * the time that engines worked for it, and its memory. All but the first two functions are for drm.c and
 * drm_fdinfo.c only. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_DRM_H
#define PP_COUNTERS_SOURCES_KERNEL_DRM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/source.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "counters/sources/kernel/small_file.h"

/* For drm.c: the text of one fdinfo file. Pure: opens no file. Source: the kernel's Documentation/gpu/drm-
 * usage-stats.rst. */

/** Most keys that are kept of a file. */
#define PP_FDINFO_KEYS 48

/** Kinds of values. */
enum pp_fdinfo_kind {
    PP_FDINFO_NS,     /**< drm-engine-*: grows */
    PP_FDINFO_CYCLES, /**< drm-cycles-*, drm-total-cycles-*: grows */
    PP_FDINFO_HZ,     /**< drm-maxfreq-*, drm-curfreq-*: a state */
    PP_FDINFO_BYTES,  /**< drm-memory-*, drm-resident-*, amd-*-vram, ...: a state */
    PP_FDINFO_COUNT,  /**< v3d-jobs-*: grows */
};

/** One value of the file. */
struct pp_fdinfo_value {
    char name[48]; /**< the key without "drm-": "engine-render", "resident-vram0"; a key with another prefix
                    * is whole
                    */
    uint8_t kind;  /**< enum pp_fdinfo_kind */
    uint64_t value;
};

/** A client of a driver. */
struct pp_fdinfo {
    char driver[32]; /**< "amdgpu"; "" if the file is not a graphics driver's */
    char device[64]; /**< drm-pdev: "0000:03:00.0"; "" if the file has none */
    uint64_t client; /**< drm-client-id */
    bool has_client;
    size_t values;
    struct pp_fdinfo_value value[PP_FDINFO_KEYS];
};

/**
 * Read the text of an fdinfo file. Unknown keys are left out: drivers add keys.
 *
 * Allocates, locks, logs nothing; any thread.
 *
 * @param text NUL-terminated.
 * @return True: the file belongs to a graphics driver.
 */
bool pp_fdinfo_read(const char *text, struct pp_fdinfo *ret);

/**
 * Open the source. Finds the process's open graphics devices, and what their drivers report. For a process
 * without a device (`passprobe list`), the events are those that the machine's devices would have.
 *
 * @param paths All members; copied.
 * @retval 0       *ret is the process's, for good.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_drm_source_open(const struct pp_kernel_paths *paths,
                                                           struct pp_event_source *ret);

/** Free the source. */
void pp_drm_source_close(const struct pp_event_source *source);

/** Limits, and events that every process has. */
enum {
    PP_DRM_EVENTS = 128,
    PP_DRM_CLIENTS = 256,  /**< each costs a descriptor, and a system call per read */
    PP_DRM_BUSY = 0,       /**< event: all engines' time */
    PP_DRM_MEMORY = 1,     /**< event: all regions' bytes */
    PP_DRM_SCAN_EVERY = 64 /**< reads between two looks for new descriptors */
};

/** One event: a key of the files that drivers write, or a sum. */
struct pp_drm_event {
    char name[48];
    char description[120];
    char reason[PP_REASON_BYTES]; /**< "": none */
    uint8_t kind;                 /**< enum pp_fdinfo_kind */
};

/** A client of a driver: what a process has open. */
struct pp_drm_client {
    char device[64];
    uint64_t id;
    int fdinfo; /**< open file; -1: the client is gone */
    uint64_t last[PP_DRM_EVENTS];
    uint64_t others;              /**< sum of the engines without an event: they appeared later */
    uint8_t hint[PP_FDINFO_KEYS]; /**< per value of the file: its event, if known */
};

/** The source. */
struct pp_drm {
    /* immutable after open */
    char proc[128], dev[128], sys[128];
    char driver[32]; /**< driver of a client; "": none was found */
    uint32_t events;
    struct pp_drm_event event[PP_DRM_EVENTS];
    struct pp_list_layouts fields;
    /* guarded by lock */
    pthread_mutex_t lock;
    uint32_t clients, capacity;
    bool crowded; /**< there are more clients than could be counted */
    struct pp_drm_client *client;
    unsigned reads;
    uint64_t value[PP_DRM_EVENTS];
    struct pp_fdinfo info;
    char text[8192];
};

/** Does a number of this kind only grow? */
bool pp_drm_event_grows(enum pp_fdinfo_kind kind);

/** Prefix of the keys of memory that is in use now: "resident-"; "memory-" of amdgpu up to Linux 6.12, which
 * has no other. Later versions have both. */
const char *pp_drm_memory_prefix(const struct pp_fdinfo *info);

/** Find an event by its name. @return drm->events: there is none. */
uint32_t pp_drm_event_find(const struct pp_drm *drm, const char *name);

/** Start with the events that every process has. */
void pp_drm_events_begin(struct pp_drm *drm);

/** Add the events of a client. @param why_no_time Why its engines have no times; "": the engines have times.
 */
void pp_drm_events_add(struct pp_drm *drm, const struct pp_fdinfo *info, const char *why_no_time);

/** Explain that panfrost and panthor measure only if profiling is switched on. @param node Name of the
 * device's file.
 * @param ret PP_REASON_BYTES; "": profiling is on, or the driver has no such switch. */
void pp_drm_explain_profiling(const struct pp_drm *drm, const char *node, char *ret);

/** Explain that the driver of the clients does not report the time of its engines, and what it reports. */
void pp_drm_explain_no_time(struct pp_drm *drm);

#endif
