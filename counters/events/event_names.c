/** @file
 * Unique names and clean text; see event_names.h. */
#include "counters/events/event_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/name_table.h"
#include "counters/util/printable.h"

/** Rounds in which names get numbers: a name with a number may be the name of another event. */
#define ROUNDS 4

/** The search for events that share names. */
struct naming {
    struct pp_event_name *list;
    uint32_t count;
    char **column;              /**< per event */
    struct pp_name_table names; /**< from each name and column to the first event with it */
    uint32_t *first;  /**< per event: the first event with its name, and the first with its column */
    bool *bad;        /**< per first event: not all others may share its name */
    uint32_t *number; /**< per first event: how many events with its name were renamed */
    uint32_t *last;   /**< per first event: the last event with its name */
};

void
pp_event_text_clean(char *out, size_t size, const char *text)
{
    size_t at = 0;
    while (*text) {
        size_t length = pp_utf8_length((const unsigned char *)text);
        const char *from = length ? text : "\xEF\xBF\xBD";
        size_t more = length ? length : 3;
        if (at + more >= size)
            break;
        memcpy(out + at, from, more);
        at += more;
        text += length ? length : 1;
    }
    out[at] = '\0';
}

void
pp_event_name_clean(char *out, size_t size, const char *text, const char *if_empty)
{
    pp_event_text_clean(out, size, *text ? text : if_empty);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f || strchr(",\"\\{}", *c))
            *c = '_';
}

const char *
pp_event_name_suffix(const char *name, enum pp_unit unit)
{
    const char *suffix = pp_unit_suffix(unit);
    size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0 ? "" : suffix;
}

static const char *
name_of(const struct pp_event_name *event)
{
    return event->made ? event->made : event->name;
}

/* Find the first event with a name; add @p event as the first one. @retval 0, -ENOMEM. */
static int
find_first(struct naming *naming, const char *name, uint32_t event, uint32_t *ret_first)
{
    const struct pp_name *known = pp_name_table_find(&naming->names, name, strlen(name));
    *ret_first = known ? known->index : event;
    return known ? 0 : pp_name_table_add(&naming->names, name, strlen(name), 0, event);
}

/* May two events share a column? */
static bool
may_share(const struct pp_event_name *a, const struct pp_event_name *b)
{
    return a->kind && a->kind == b->kind && strcmp(name_of(a), name_of(b)) == 0 &&
           strcmp(a->group, b->group) != 0;
}

/* Find the events that share names. @return 1: some may not share theirs. 0: all names are unique. -ENOMEM.
 */
static int
look(struct naming *naming)
{
    int any = 0;
    pp_name_table_finish(&naming->names);
    memset(naming->bad, 0, naming->count * sizeof(*naming->bad));
    memset(naming->number, 0, naming->count * sizeof(*naming->number));
    for (uint32_t i = 0; i < naming->count; i++) {
        const struct pp_event_name *event = &naming->list[i];
        uint32_t *first = &naming->first[2 * (size_t)i];
        char *column = NULL;
        if (asprintf(&column, "%s%s", name_of(event), pp_event_name_suffix(name_of(event), event->unit)) < 0)
            return -ENOMEM;
        /* The table has pointers to columns until the next round. */
        free(naming->column[i]);
        naming->column[i] = column;
        if (find_first(naming, name_of(event), i, &first[0]) || find_first(naming, column, i, &first[1]))
            return -ENOMEM;
        for (int k = 0; k < 2; k++) {
            const struct pp_event_name *last = &naming->list[naming->last[first[k]]];
            bool again = first[k] != i && (k == 0 || first[0] != first[1]);
            if (again && !(may_share(event, &naming->list[first[k]]) && may_share(event, last))) {
                naming->bad[first[k]] = true;
                any = 1;
            }
        }
        naming->last[first[0]] = naming->last[first[1]] = i;
    }
    return any;
}

/* Give an event that may not share its name another one: the group in front, or a number at the end. */
static int
rename_event(struct naming *naming, uint32_t i, bool numbers)
{
    struct pp_event_name *event = &naming->list[i];
    const uint32_t *first = &naming->first[2 * (size_t)i];
    char *longer = NULL;
    int n = 0;
    uint32_t number = 0;
    for (int k = 0; k < 2; k++)
        if (naming->bad[first[k]] && (k == 0 || first[0] != first[1]))
            number = ++naming->number[first[k]] > number ? naming->number[first[k]] : number;
    if (number == 0 || (numbers && number == 1))
        return 0;
    n = numbers ? asprintf(&longer, "%s %u", name_of(event), number)
                : asprintf(&longer, "%s.%s", event->group, name_of(event));
    if (n < 0)
        return -ENOMEM;
    free(event->made);
    event->made = longer;
    return 0;
}

int
pp_event_names_distinguish(struct pp_event_name *list, uint32_t count)
{
    size_t capacity = (size_t)count + 1;
    struct naming naming = {
        .list = list,
        .count = count,
        .column = calloc(capacity, sizeof(*naming.column)),
        .first = calloc(2 * capacity, sizeof(*naming.first)),
        .bad = calloc(capacity, sizeof(*naming.bad)),
        .number = calloc(capacity, sizeof(*naming.number)),
        .last = calloc(capacity, sizeof(*naming.last)),
    };
    int rc =
        naming.column && naming.first && naming.bad && naming.number && naming.last ? look(&naming) : -ENOMEM;
    for (int round = 0; round <= ROUNDS && rc > 0; round++) {
        rc = 0;
        for (uint32_t i = 0; i < count && rc == 0; i++)
            rc = rename_event(&naming, i, round > 0);
        rc = rc ? rc : look(&naming);
    }
    for (uint32_t i = 0; naming.column && i < count; i++)
        free(naming.column[i]);
    free(naming.column);
    free(naming.first);
    free(naming.bad);
    free(naming.number);
    free(naming.last);
    pp_name_table_finish(&naming.names);
    return rc < 0 ? rc : 0;
}
