/** @file
 * Lists of numbers as layouts; see kernel_sources.h. */
#include "counters/sources/kernel/kernel_sources.h"

#include <stdlib.h>
#include <string.h>

struct pp_list_layout {
    struct pp_list_layout *next;
    uint32_t *event;
    struct pp_field *field;
    struct pp_layout layout;
};

static void
free_entry(struct pp_list_layout *entry)
{
    if (!entry)
        return;
    free(entry->event);
    free(entry->field);
    free(entry);
}

static struct pp_list_layout *
make_entry(const char *name, const uint32_t *event, size_t events, pp_list_layout_describe *describe,
           void *self)
{
    struct pp_list_layout *entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    entry->event = calloc(events, sizeof(*entry->event));
    entry->field = calloc(events, sizeof(*entry->field));
    int rc = entry->event && entry->field ? 0 : -1;
    for (uint32_t i = 0; i < events && rc == 0; i++) {
        entry->event[i] = event[i];
        rc = describe(self, event[i], &entry->field[i]);
        entry->field[i].part[0] = (struct pp_field_part){.offset = 8 * i, .bits = 64};
    }
    entry->layout = (struct pp_layout){
        .name = name, .size = (uint32_t)(8 * events), .fields = (uint32_t)events, .field = entry->field};
    if (rc == 0 && pp_layout_check(&entry->layout, NULL) == 0)
        return entry;
    free_entry(entry);
    return NULL;
}

const struct pp_layout *
pp_list_layouts_get(struct pp_list_layouts *fields, const char *name, const uint32_t *event, size_t events,
                    pp_list_layout_describe *describe, void *self)
{
    if (events == 0 || events > 4096)
        return NULL;
    (void)pthread_mutex_lock(&fields->lock);
    struct pp_list_layout *entry = fields->first;
    while (entry &&
           (entry->layout.fields != events || memcmp(entry->event, event, events * sizeof(*event)) != 0))
        entry = entry->next;
    if (!entry) {
        entry = make_entry(name, event, events, describe, self);
        if (entry) {
            entry->next = fields->first;
            fields->first = entry;
        }
    }
    (void)pthread_mutex_unlock(&fields->lock);
    return entry ? &entry->layout : NULL;
}

void
pp_list_layouts_finish(struct pp_list_layouts *fields)
{
    while (fields->first) {
        struct pp_list_layout *next = fields->first->next;
        free_entry(fields->first);
        fields->first = next;
    }
    (void)pthread_mutex_destroy(&fields->lock);
}
