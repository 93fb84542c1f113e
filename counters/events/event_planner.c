/** @file
 * A plan in the making: lists of events and marks; see event_planner.h. */
#include "counters/events/event_planner.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
pp_event_planner_fail(struct pp_event_planner *planner, const struct pp_event_item *item, int err,
                      const char *format, ...)
{
    va_list args;
    planner->error->column = item ? item->column : 0;
    planner->error->length = item ? item->length : 0;
    va_start(args, format);
    vsnprintf(planner->error->message, sizeof(planner->error->message), format, args);
    va_end(args);
    return err;
}

int
pp_event_refs_push(struct pp_event_refs *refs, struct pp_event_ref ref)
{
    if (refs->n == refs->capacity) {
        size_t capacity = refs->capacity ? 2 * refs->capacity : 32;
        struct pp_event_ref *grown =
            capacity <= PP_EVENTS_PLANNED ? realloc(refs->ref, capacity * sizeof(*grown)) : NULL;
        if (!grown)
            return capacity <= PP_EVENTS_PLANNED ? -ENOMEM : -E2BIG;
        refs->ref = grown;
        refs->capacity = capacity;
    }
    refs->ref[refs->n++] = ref;
    return 0;
}

bool
pp_event_planner_marked(const struct pp_event_planner *planner, struct pp_event_ref ref, uint8_t mark)
{
    const struct pp_event_marks *marks = &planner->marks[ref.source];
    return ref.event < marks->capacity && (marks->mark[ref.event] & mark);
}

int
pp_event_planner_mark(struct pp_event_planner *planner, struct pp_event_ref ref, uint8_t mark)
{
    struct pp_event_marks *marks = &planner->marks[ref.source];
    if (ref.event >= marks->capacity) {
        size_t capacity = marks->capacity ? marks->capacity : 64;
        while (capacity <= ref.event)
            capacity *= 2;
        uint8_t *grown = realloc(marks->mark, capacity);
        if (!grown)
            return -ENOMEM;
        memset(grown + marks->capacity, 0, capacity - marks->capacity);
        marks->mark = grown;
        marks->capacity = capacity;
    }
    marks->mark[ref.event] |= mark;
    return 0;
}

void
pp_event_planner_unmark(struct pp_event_planner *planner, struct pp_event_ref ref, uint8_t mark)
{
    if (pp_event_planner_marked(planner, ref, mark))
        planner->marks[ref.source].mark[ref.event] &= (uint8_t)~mark;
}

int
pp_event_planner_add_missing(struct pp_event_planner *planner, struct pp_event_ref ref, const char *reason)
{
    if (pp_event_planner_marked(planner, ref, PP_MARK_MISSING))
        return 0;
    if (planner->missing_count == planner->missing_capacity) {
        size_t capacity = planner->missing_capacity ? 2 * planner->missing_capacity : 16;
        struct pp_event_missing *grown = realloc(planner->missing, capacity * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        planner->missing = grown;
        planner->missing_capacity = capacity;
    }
    planner->missing[planner->missing_count++] = (struct pp_event_missing){ref, reason};
    return pp_event_planner_mark(planner, ref, PP_MARK_MISSING);
}
