/** @file
 * Layouts of snapshots that are lists of 64-bit numbers: one number per event, in the order of the events. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_LIST_LAYOUT_H
#define PP_COUNTERS_SOURCES_KERNEL_LIST_LAYOUT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

struct pp_list_layout;

/** The layouts that a source handed out. They live as long as the source. Zeroed, except for the lock. */
struct pp_list_layouts {
    pthread_mutex_t lock;
    struct pp_list_layout *first; /**< guarded by lock */
};

/** Describe the field of an event: name, mode, unit, not_additive. @retval 0. @retval -ENOENT The event does
 * not exist, or cannot be measured. */
typedef int pp_list_layout_describe(void *self, uint32_t event, struct pp_field *ret_field);

/**
 * Find or make the layout of these events. The same list gives the same pointer.
 *
 * Threads: any. Allocates on the first call for a list.
 *
 * @param name Name of the layout; borrowed for good.
 * @return NULL: an event does not exist or is listed twice, or no memory.
 */
const struct pp_layout *pp_list_layouts_get(struct pp_list_layouts *fields, const char *name,
                                            const uint32_t *event, size_t events,
                                            pp_list_layout_describe *describe, void *self);

/** Free the layouts. */
void pp_list_layouts_finish(struct pp_list_layouts *fields);

#endif
