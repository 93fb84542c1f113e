/** @file
 * Inside of sources.h: snapshots that are lists of 64-bit numbers, one an event, in the order asked for. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_LIST_LAYOUT_H
#define PP_COUNTERS_SOURCES_KERNEL_LIST_LAYOUT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

struct pp_list_layout;

/** The layouts that a source handed out; they live as long as it does. Zeroed but for the lock. */
struct pp_list_layouts {
    pthread_mutex_t lock;
    struct pp_list_layout *first; /**< guarded by lock */
};

/** What a source says about the field of an event: name, mode, unit, alone. @retval 0. @retval -ENOENT there
 * is no such event, or it cannot be measured. */
typedef int pp_list_layout_describe(void *self, uint32_t event, struct pp_field *ret_field);

/**
 * The layout of these events: the same pointer for the same list.
 *
 * Threads: any. Allocates on the first call for a list.
 *
 * @param name Of the layout; borrowed for good.
 * @return NULL: an event that is not there or is there twice, or no memory.
 */
const struct pp_layout *pp_list_layouts_get(struct pp_list_layouts *fields, const char *name,
                                            const uint32_t *event, size_t events,
                                            pp_list_layout_describe *describe, void *self);

/** Free the layouts. */
void pp_list_layouts_finish(struct pp_list_layouts *fields);

#endif
