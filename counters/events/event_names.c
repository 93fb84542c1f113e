/** @file
 * See event_names.h. */
#include "counters/events/event_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/name_table.h"
#include "counters/util/printable.h"

/** Rounds of numbers: a name with a number may be another's. */
#define ROUNDS 4

/** Who has which name. */
struct told {
    struct pp_event_name *list;
    uint32_t count;
    char **column;              /**< of each event */
    struct pp_name_table names; /**< names and columns to the first event with them */
    uint32_t *first;            /**< of each event: two first events, by its name and by its column */
    bool *bad;                  /**< of a first event: not all others may share its name */
    uint32_t *number;           /**< of a first event: how many with its name came by */
    uint32_t *last;             /**< of a first event: the last one with its name */
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

/* The first event with this name, which may be this one. @retval 0, -ENOMEM. */
static int
find_first(struct told *told, const char *name, uint32_t event, uint32_t *ret_first)
{
    const struct pp_name *known = pp_name_table_find(&told->names, name, strlen(name));
    *ret_first = known ? known->index : event;
    return known ? 0 : pp_name_table_add(&told->names, name, strlen(name), 0, event);
}

/* May two events share a column? */
static bool
may_share(const struct pp_event_name *a, const struct pp_event_name *b)
{
    return a->kind && a->kind == b->kind && strcmp(name_of(a), name_of(b)) == 0 &&
           strcmp(a->group, b->group) != 0;
}

/* Who is first with each name? @return Whether some are not to be told apart; -ENOMEM. */
static int
look(struct told *told)
{
    int any = 0;
    pp_name_table_finish(&told->names);
    memset(told->bad, 0, told->count * sizeof(*told->bad));
    memset(told->number, 0, told->count * sizeof(*told->number));
    for (uint32_t i = 0; i < told->count; i++) {
        const struct pp_event_name *event = &told->list[i];
        uint32_t *first = &told->first[2 * (size_t)i];
        char *column = NULL;
        if (asprintf(&column, "%s%s", name_of(event), pp_event_name_suffix(name_of(event), event->unit)) < 0)
            return -ENOMEM;
        /* What stands in the table lives until the next round. */
        free(told->column[i]);
        told->column[i] = column;
        if (find_first(told, name_of(event), i, &first[0]) || find_first(told, column, i, &first[1]))
            return -ENOMEM;
        for (int k = 0; k < 2; k++) {
            const struct pp_event_name *last = &told->list[told->last[first[k]]];
            bool again = first[k] != i && (k == 0 || first[0] != first[1]);
            if (again && !(may_share(event, &told->list[first[k]]) && may_share(event, last))) {
                told->bad[first[k]] = true;
                any = 1;
            }
        }
        told->last[first[0]] = told->last[first[1]] = i;
    }
    return any;
}

/* The group's name in front, or a number behind. */
static int
rename_event(struct told *told, uint32_t i, bool numbers)
{
    struct pp_event_name *event = &told->list[i];
    const uint32_t *first = &told->first[2 * (size_t)i];
    char *longer = NULL;
    int n = 0;
    uint32_t number = 0;
    for (int k = 0; k < 2; k++)
        if (told->bad[first[k]] && (k == 0 || first[0] != first[1]))
            number = ++told->number[first[k]] > number ? told->number[first[k]] : number;
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
pp_event_names_tell_apart(struct pp_event_name *list, uint32_t count)
{
    size_t room = (size_t)count + 1;
    struct told told = {
        .list = list,
        .count = count,
        .column = calloc(room, sizeof(*told.column)),
        .first = calloc(2 * room, sizeof(*told.first)),
        .bad = calloc(room, sizeof(*told.bad)),
        .number = calloc(room, sizeof(*told.number)),
        .last = calloc(room, sizeof(*told.last)),
    };
    int rc = told.column && told.first && told.bad && told.number && told.last ? look(&told) : -ENOMEM;
    for (int round = 0; round <= ROUNDS && rc > 0; round++) {
        rc = 0;
        for (uint32_t i = 0; i < count && rc == 0; i++)
            rc = rename_event(&told, i, round > 0);
        rc = rc ? rc : look(&told);
    }
    for (uint32_t i = 0; told.column && i < count; i++)
        free(told.column[i]);
    free(told.column);
    free(told.first);
    free(told.bad);
    free(told.number);
    free(told.last);
    pp_name_table_finish(&told.names);
    return rc < 0 ? rc : 0;
}
