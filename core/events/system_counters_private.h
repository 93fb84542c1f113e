/** @file
 * What system_counters.c plans and system_counters_read.c reads: the entries of a snapshot. For these two
 * files only. */
#ifndef PP_CORE_EVENTS_SYSTEM_COUNTERS_PRIVATE_H
#define PP_CORE_EVENTS_SYSTEM_COUNTERS_PRIVATE_H

#include <stdatomic.h>

#include "core/engine/session_private.h"

#define PP_SYSTEM_ENTRIES   40U
#define PP_SYSTEM_EVERY_SET UINT32_MAX

/** Events of one source, in one of the sets of a rotation or in all, and where they are. */
struct pp_system_entry {
    uint32_t set; /**< PP_SYSTEM_EVERY_SET: the source has no rotation */
    struct pp_event_source source;
    uint32_t *event;
    uint32_t events;
    const struct pp_layout *layout;
    uint16_t *column; /**< of each field */
    uint32_t offset;  /* in a snapshot */
};

/** Head of a snapshot; the entries' bytes follow. */
struct pp_system_head {
    uint64_t thread;
    uint32_t set;                      /* the set of the frame that begins here */
    uint8_t status[PP_SYSTEM_ENTRIES]; /**< enum pp_status */
};

struct pp_system_counters {
    struct pp_session *session;
    struct pp_system_entry entry[PP_SYSTEM_ENTRIES];
    uint32_t entries;
    uint32_t sets;
    struct pp_only_set only_set;
    _Atomic(uint64_t) taken; /**< snapshots */
    size_t bytes;
    struct pp_event_source bracket[PP_SYSTEM_ENTRIES];
    uint32_t brackets;
    struct pp_missing *missing;
    /* collector thread only */
    uint8_t *polled;
    uint64_t polled_ns;
};

#endif
