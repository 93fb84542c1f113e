/** @file
 * Layouts of query results: what the bytes mean for one choice of events. Shared by khr_query.c and
 * intel_query.c. */
#ifndef PP_LAYER_COUNTERS_PERF_LAYOUT_H
#define PP_LAYER_COUNTERS_PERF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

/** Layout of the results of one choice of events, in their order; an element of a source's list. */
struct pp_perf_layout {
    struct pp_perf_layout *next;
    struct pp_layout layout;
    struct pp_field *field;
    uint32_t *event;
    uint32_t events;
};

/** Free a source's layouts. */
void pp_perf_layouts_free(struct pp_perf_layout *list);

/** Find the layout of these events. @return NULL: it was not made yet. */
const struct pp_layout *pp_perf_layout_find(const struct pp_perf_layout *list, const uint32_t *event,
                                            size_t events);

/** Add an empty layout for @p fields fields at the head of a list. @return NULL: no memory. */
struct pp_perf_layout *pp_perf_layout_add(struct pp_perf_layout **list, const uint32_t *event, size_t events,
                                          uint32_t fields);

/** Add one result to another, field by field. Fields that cannot be summed keep the first value. Both are
 * snapshots of one layout whose fields are whole words. */
void pp_perf_add(const struct pp_layout *layout, uint8_t *sum, const uint8_t *more);

#endif
