/** @file
 * The seam of a counter source: whatever can be read at a bracket's two ends. Kernel sources live in
 * counters/source/, API-bound ones beside their API; all pass tests/counters/source_conformance.h. Knows no
 * graphics API. */
#ifndef PP_COUNTERS_SOURCE_H
#define PP_COUNTERS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "counters/layout.h"

/** One event that a source offers, or would if it could. Strings are borrowed from the source. */
struct pp_event {
    const char *name;        /**< without the source's prefix: "vertex_shader_invocations" */
    const char *description; /**< one sentence */
    const char *reason;      /**< NULL: available; else why not, and what would help */
    enum pp_unit unit;
};

/** A source. `self` is the implementation's own object. Calls come from one thread at a time unless said
 * otherwise. */
struct pp_source_ops {
    const char *name; /**< prefix of its events: "time", "pipeline", "oa" */

    /** Mandatory. The @p i-th event, available or not. @retval 0 filled. @retval -ENOENT past the last. May
     * not block. */
    int (*event)(void *self, uint32_t i, struct pp_event *ret_event);

    /** NULL: any subset fits. Do these events (indexes of event()) fit into one bracket? @retval 1 yes, 0 no.
     * May not block. */
    int (*fits)(void *self, const uint32_t *event, size_t events);

    /** Mandatory. Layout of one snapshot when exactly these events are measured; owned by the source, valid
     * as long as it lives. NULL: they do not fit. */
    const struct pp_layout *(*layout)(void *self, const uint32_t *event, size_t events);
};

#endif
