/** @file
 * From a list of names to events; events_pack.c makes sets of them. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_planner.h"
#include "counters/util/name_table.h"

int
pp_plan_fail(struct pp_plan *plan, const struct pp_event_item *item, int err, const char *format, ...)
{
    va_list args;
    plan->error->column = item->column;
    plan->error->length = item->length;
    va_start(args, format);
    vsnprintf(plan->error->message, sizeof(plan->error->message), format, args);
    va_end(args);
    return err;
}

int
pp_refs_push(struct pp_refs *refs, struct pp_event_ref ref)
{
    if (refs->n == refs->room) {
        size_t room = refs->room ? 2 * refs->room : 32;
        struct pp_event_ref *grown =
            room <= PP_PLAN_EVENTS ? realloc(refs->ref, room * sizeof(*grown)) : NULL;
        if (!grown)
            return room <= PP_PLAN_EVENTS ? -ENOMEM : -E2BIG;
        refs->ref = grown;
        refs->room = room;
    }
    refs->ref[refs->n++] = ref;
    return 0;
}

bool
pp_plan_marked(const struct pp_plan *plan, struct pp_event_ref ref, uint8_t mark)
{
    const struct pp_marks *marks = &plan->marks[ref.source];
    return ref.event < marks->room && (marks->mark[ref.event] & mark);
}

int
pp_plan_mark(struct pp_plan *plan, struct pp_event_ref ref, uint8_t mark)
{
    struct pp_marks *marks = &plan->marks[ref.source];
    if (ref.event >= marks->room) {
        size_t room = marks->room ? marks->room : 64;
        while (room <= ref.event)
            room *= 2;
        uint8_t *grown = realloc(marks->mark, room);
        if (!grown)
            return -ENOMEM;
        memset(grown + marks->room, 0, room - marks->room);
        marks->mark = grown;
        marks->room = room;
    }
    marks->mark[ref.event] |= mark;
    return 0;
}

void
pp_plan_unmark(struct pp_plan *plan, struct pp_event_ref ref, uint8_t mark)
{
    if (pp_plan_marked(plan, ref, mark))
        plan->marks[ref.source].mark[ref.event] &= (uint8_t)~mark;
}

/* Finding */

/* * is any text, ? any character. The last * is the only one that may have to take more. */
bool
pp_event_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

int
pp_plan_add_missing(struct pp_plan *plan, struct pp_event_ref ref, const char *reason)
{
    if (pp_plan_marked(plan, ref, PP_MARK_MISSING))
        return 0;
    if (plan->missings == plan->missing_room) {
        size_t room = plan->missing_room ? 2 * plan->missing_room : 16;
        struct pp_event_missing *grown = realloc(plan->missing, room * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        plan->missing = grown;
        plan->missing_room = room;
    }
    plan->missing[plan->missings++] = (struct pp_event_missing){ref, reason};
    return pp_plan_mark(plan, ref, PP_MARK_MISSING);
}

/* Add to a list what is not marked as being there. @retval 1 added, 0 it was there, -errno. */
static int
push_once(struct pp_plan *plan, struct pp_refs *refs, struct pp_event_ref ref, uint8_t mark)
{
    if (pp_plan_marked(plan, ref, mark))
        return 0;
    int err = pp_refs_push(refs, ref);
    err = err ? err : pp_plan_mark(plan, ref, mark);
    return err ? err : 1;
}

/* An event that an item names: note it as wanted; in `grouped` if its source has limits. */
static int
take(struct pp_plan *plan, struct pp_event_ref ref, const struct pp_event *event)
{
    if (event->reason)
        return pp_plan_add_missing(plan, ref, event->reason);
    const struct pp_event_source *from = &plan->source[ref.source];
    bool limited =
        from->ops->fits && !(from->ops->always_fits && from->ops->always_fits(from->self, ref.event));
    bool had = pp_plan_marked(plan, ref, PP_MARK_WANTED);
    int err = push_once(plan, &plan->wanted, ref, PP_MARK_WANTED);
    if (err >= 0 && !limited)
        err = push_once(plan, &plan->common, ref, PP_MARK_COMMON);
    else if (err >= 0 && !pp_plan_marked(plan, ref, PP_MARK_COMMON))
        err = push_once(plan, &plan->grouped, ref, PP_MARK_UNIT);
    if (err == -E2BIG) {
        if (had)
            return 0;
        pp_plan_unmark(plan, ref, PP_MARK_WANTED);
        return pp_plan_add_missing(plan, ref, "a session measures 16384 events at most: ask for fewer");
    }
    return err < 0 ? err : 0;
}

/* Ways in which an item may name an event. */
enum naming { BY_NAME, BY_GROUP };

/* Does a pattern match two texts with something between? */
static bool
matches_joined(const char *pattern, bool exact, const char *first, const char *between, const char *second)
{
    char text[1024];
    size_t a = strlen(first), b = strlen(between);
    if (exact)
        return strncmp(pattern, first, a) == 0 && strncmp(pattern + a, between, b) == 0 &&
               strcmp(pattern + a + b, second) == 0;
    snprintf(text, sizeof(text), "%s%s%s", first, between, second);
    return pp_event_matches(pattern, text);
}

/* By its name, with or without its unit. */
static bool
names_alone(const char *pattern, bool exact, const char *name, enum pp_unit unit)
{
    const char *suffix = pp_unit_suffix(unit);
    return (exact ? strcmp(pattern, name) == 0 : pp_event_matches(pattern, name)) ||
           (*suffix && matches_joined(pattern, exact, name, "", suffix));
}

/* An event's name without its group, which stands in front where several groups have the name. */
static const char *
short_name(const struct pp_event *event)
{
    size_t length = event->group ? strlen(event->group) : 0;
    bool has = length && strncmp(event->name, event->group, length) == 0 && event->name[length] == '.';
    return has && event->name[length + 1] ? event->name + length + 1 : event->name;
}

/* By its name, alone, with its unit, with or without its group; or by its group. */
static bool
names(const char *pattern, const struct pp_event *event, enum naming naming)
{
    if (!pattern)
        return true;
    if (naming == BY_GROUP)
        return event->group && pp_event_matches(pattern, event->group);
    bool exact = !strpbrk(pattern, "*?");
    const char *brief = short_name(event);
    return names_alone(pattern, exact, event->name, event->unit) ||
           (brief != event->name && names_alone(pattern, exact, brief, event->unit)) ||
           (event->group && matches_joined(pattern, exact, event->group, ".", event->name));
}

/* All events of a source that a pattern matches; NULL: all that are available. A name without wildcards that
 * several groups have is one event: the first that is available. @return Their number, or -errno. */
static int
take_named(struct pp_plan *plan, uint32_t source, const char *pattern, enum naming naming)
{
    const struct pp_event_source *s = &plan->source[source];
    bool one = naming == BY_NAME && pattern && !strpbrk(pattern, "*?");
    struct pp_event event;
    uint32_t missing = UINT32_MAX;
    int found = 0;
    for (uint32_t i = 0; i < PP_PLAN_LOOKED && !s->ops->event(s->self, i, &event); i++) {
        if (!names(pattern, &event, naming))
            continue;
        if (one && event.reason) {
            missing = missing == UINT32_MAX ? i : missing;
            continue;
        }
        int err = take(plan, (struct pp_event_ref){source, i}, &event);
        if (err)
            return err;
        found++;
        if (one)
            return found;
    }
    if (missing == UINT32_MAX || s->ops->event(s->self, missing, &event))
        return found;
    int err = take(plan, (struct pp_event_ref){source, missing}, &event);
    return err ? err : 1;
}

static int
take_matching(struct pp_plan *plan, uint32_t source, const char *pattern)
{
    int found = take_named(plan, source, pattern, BY_NAME);
    return found || !pattern ? found : take_named(plan, source, pattern, BY_GROUP);
}

/* A name as an item has to have it: in quotes where the grammar asks for them. @p bare: before no colon. */
static void
write_name(char *out, size_t size, const char *name, size_t length, bool bare)
{
    size_t at = 0;
    bool quotes = length == 0 || name[0] == ' ' || name[0] == '\t' || name[length - 1] == ' ' ||
                  name[length - 1] == '\t';
    for (size_t i = 0; i < length; i++)
        quotes |= strchr(bare ? ",{}\":" : ",{}\"", name[i]) != NULL;
    if (quotes)
        out[at++] = '"';
    for (size_t i = 0; i < length && at + 4 < size; i++) {
        if (quotes && (name[i] == '"' || name[i] == '\\'))
            out[at++] = '\\';
        out[at++] = name[i];
    }
    if (quotes)
        out[at++] = '"';
    out[at] = '\0';
}

static void
offer(struct pp_nearest *nearest, const char *name)
{
    if (name)
        pp_nearest_offer(nearest, name, strlen(name));
}

/* The nearest name to one that nobody bears: an event of the source, or a source. */
static int
unknown(struct pp_plan *plan, const struct pp_event_item *item, bool source_known)
{
    const char *wanted = item->name && source_known ? item->name : item->source;
    struct pp_nearest nearest = pp_nearest_begin(wanted, strlen(wanted));
    for (size_t s = 0; s < plan->sources; s++) {
        const struct pp_event_source *source = &plan->source[s];
        struct pp_event its;
        bool here = !strcmp(source->ops->name, item->source);
        if (!source_known)
            offer(&nearest, source->ops->name);
        if (item->name && !here)
            continue;
        for (uint32_t i = 0; i < PP_PLAN_LOOKED && !source->ops->event(source->self, i, &its); i++) {
            offer(&nearest, its.name);
            if (short_name(&its) != its.name)
                offer(&nearest, short_name(&its));
        }
        for (uint32_t i = 0; i < PP_PLAN_LOOKED && !source->ops->event(source->self, i, &its); i++)
            offer(&nearest, its.group);
    }
    bool event = item->name && source_known;
    const char *what = event ? "event" : item->name ? "source" : "source or event";
    char near[192];
    /* as one would write it */
    if (nearest.found) {
        write_name(near, sizeof(near), nearest.found, nearest.found_length, !event);
        return pp_plan_fail(plan, item, -ENOENT, "unknown %s '%.60s'; did you mean '%.20s%s%s'?", what,
                            wanted, event ? item->source : "", event ? ":" : "", near);
    }
    return pp_plan_fail(plan, item, -ENOENT, "unknown %s '%.60s'; `passprobe list` shows what there is", what,
                        wanted);
}

static int
find_item(struct pp_plan *plan, const struct pp_event_item *item)
{
    bool source_known = false;
    for (uint32_t s = 0; s < plan->sources; s++) {
        if (strcmp(plan->source[s].ops->name, item->source) != 0)
            continue;
        source_known = true;
        int found = take_matching(plan, s, item->name);
        if (found)
            return found < 0 ? found : 0;
    }
    if (source_known && !item->name)
        return 0; /* a source that offers nothing */
    int found = 0;
    for (uint32_t s = 0; s < plan->sources && !item->name && !found; s++)
        found = take_matching(plan, s, item->source);
    if (found)
        return found < 0 ? found : 0;
    return unknown(plan, item, source_known);
}

/* End a unit; an ungrouped item's events each become one. */
static void
close_unit(struct pp_plan *plan, struct pp_plan_unit *unit, bool apart)
{
    size_t end = plan->grouped.n;
    for (size_t i = unit->first; i < end; i++)
        pp_plan_unmark(plan, plan->grouped.ref[i], PP_MARK_UNIT);
    if (unit->first == end)
        return;
    if (!apart) {
        unit->n = end - unit->first;
        plan->unit[plan->units++] = *unit;
        return;
    }
    for (size_t i = unit->first; i < end; i++) {
        plan->unit[plan->units] = *unit;
        plan->unit[plan->units].first = i;
        plan->unit[plan->units++].n = 1;
    }
}

static int
grow_units(struct pp_plan *plan, size_t more)
{
    struct pp_plan_unit *grown = realloc(plan->unit, (plan->units + more) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    plan->unit = grown;
    return 0;
}

static int
find_all(struct pp_plan *plan)
{
    const struct pp_event_item *item = plan->list->item;
    for (size_t i = 0; i < plan->list->items;) {
        struct pp_plan_unit unit = {.first = plan->grouped.n, .item = &item[i]};
        uint32_t group = item[i].group;
        do {
            int err = find_item(plan, &item[i++]);
            if (err)
                return err;
        } while (group && i < plan->list->items && item[i].group == group);
        size_t taken = plan->grouped.n - unit.first;
        if (taken && grow_units(plan, taken))
            return -ENOMEM;
        close_unit(plan, &unit, !group);
    }
    return 0;
}

/* A single event that also comes elsewhere needs no unit of its own. @retval 0, -ENOMEM. */
static int
drop_repeated(struct pp_plan *plan)
{
    size_t kept = 0;
    int err = 0;
    for (size_t u = 0; u < plan->units && !err; u++)
        for (size_t i = 0; i < plan->unit[u].n && plan->unit[u].n > 1 && !err; i++)
            err = pp_plan_mark(plan, plan->grouped.ref[plan->unit[u].first + i], PP_MARK_TOGETHER);
    for (size_t u = 0; u < plan->units && !err; u++) {
        struct pp_event_ref ref = plan->grouped.ref[plan->unit[u].first];
        if (plan->unit[u].n == 1 && pp_plan_marked(plan, ref, PP_MARK_TOGETHER))
            continue;
        plan->unit[kept++] = plan->unit[u];
        err = pp_plan_mark(plan, ref, PP_MARK_TOGETHER);
    }
    plan->units = kept;
    return err;
}

int
pp_event_plan_make(const struct pp_event_list *list, const struct pp_event_source *source, size_t sources,
                   const struct pp_event_ref *always, size_t alwayses, struct pp_event_plan *ret,
                   struct pp_event_error *error)
{
    struct pp_event_error unused;
    struct pp_plan plan = {
        .list = list, .source = source, .sources = sources, .error = error ? error : &unused};
    struct pp_event_plan made = {0};
    plan.marks = calloc(sources + 1, sizeof(*plan.marks));
    int err = plan.marks ? 0 : -ENOMEM;
    for (size_t i = 0; i < alwayses && err >= 0; i++)
        err = push_once(&plan, &plan.common, always[i], PP_MARK_COMMON);
    if (err >= 0)
        err = find_all(&plan);
    if (!err)
        err = drop_repeated(&plan);
    if (!plan.wanted.n)
        plan.common.n = 0; /* nothing to scale */
    if (!err)
        err = pp_plan_pack(&plan, &made);
    for (size_t s = 0; plan.marks && s < sources; s++)
        free(plan.marks[s].mark);
    free(plan.marks);
    free(plan.unit);
    free(plan.common.ref);
    free(plan.grouped.ref);
    made.wanted = made.memory[2] = plan.wanted.ref;
    made.wanteds = plan.wanted.n;
    made.missing = made.memory[3] = plan.missing;
    made.missings = plan.missings;
    if (err)
        pp_event_plan_destroy(&made);
    else
        *ret = made;
    return err;
}

void
pp_event_plan_destroy(struct pp_event_plan *plan)
{
    for (size_t i = 0; i < sizeof(plan->memory) / sizeof(plan->memory[0]); i++)
        free(plan->memory[i]);
    *plan = (struct pp_event_plan){0};
}

const char *
pp_event_source_absent(const struct pp_event_source *source)
{
    struct pp_event event;
    const char *reason = NULL;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++) {
        if (!event.reason)
            return NULL;
        reason = reason ? reason : event.reason;
    }
    return reason;
}
