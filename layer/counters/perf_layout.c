/** @file
 * Layouts of query results, made when they are needed; see perf_layout.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/counters/perf_layout.h"

void
pp_perf_layouts_free(struct pp_perf_layout *list)
{
    while (list) {
        struct pp_perf_layout *next = list->next;
        free(list->field);
        free(list->event);
        free(list);
        list = next;
    }
}

const struct pp_layout *
pp_perf_layout_find(const struct pp_perf_layout *list, const uint32_t *event, size_t events)
{
    for (; list; list = list->next)
        if (list->events == events && memcmp(list->event, event, events * sizeof(*event)) == 0)
            return &list->layout;
    return NULL;
}

struct pp_perf_layout *
pp_perf_layout_add(struct pp_perf_layout **list, const uint32_t *event, size_t events, uint32_t fields)
{
    struct pp_perf_layout *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->field = calloc((size_t)fields + 1, sizeof(*made->field));
    made->event = calloc(events + 1, sizeof(*made->event));
    if (!made->field || !made->event) {
        pp_perf_layouts_free(made);
        return NULL;
    }
    memcpy(made->event, event, events * sizeof(*event));
    made->events = (uint32_t)events;
    made->layout.field = made->field;
    made->next = *list;
    *list = made;
    return made;
}

static uint64_t
add_numbers(enum pp_number number, uint64_t a, uint64_t b)
{
    if (number == PP_NUMBER_F32) {
        float x, y;
        uint32_t bits[2] = {(uint32_t)a, (uint32_t)b};
        memcpy(&x, &bits[0], sizeof(x));
        memcpy(&y, &bits[1], sizeof(y));
        x += y;
        memcpy(&bits[0], &x, sizeof(x));
        return bits[0];
    }
    if (number == PP_NUMBER_F64) {
        double x, y;
        memcpy(&x, &a, sizeof(x));
        memcpy(&y, &b, sizeof(y));
        x += y;
        memcpy(&a, &x, sizeof(x));
        return a;
    }
    return a + b; /* two's complement or unsigned, cut by the width */
}

void
pp_perf_add(const struct pp_layout *layout, uint8_t *sum, const uint8_t *more)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        if (field->not_additive || field->mode == PP_FIELD_GAUGE)
            continue;
        uint64_t value =
            add_numbers((enum pp_number)field->number, pp_field_read(field, sum), pp_field_read(field, more));
        if (field->part[0].bits == 32) {
            uint32_t half = (uint32_t)value;
            memcpy(sum + field->part[0].offset, &half, sizeof(half));
        } else {
            memcpy(sum + field->part[0].offset, &value, sizeof(value));
        }
    }
}
