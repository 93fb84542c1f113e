/** @file
 * See event_plan.h. From a list of names to events; event_pack.c makes sets of the events.
 *
 * Random Latin squares of counter sets; */
#include "counters/events/event_plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_pack.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "counters/util/random.h"
#include "pp_texts.h"

/* After a mismatch, the last * takes one character more; earlier ones need not be tried again. */
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

bool
pp_event_is_limited(const struct pp_event_source *source, uint32_t event)
{
    return source->ops->fits && !(source->ops->always_fits && source->ops->always_fits(source->self, event));
}

/* Append an event to a list unless it has the list's mark. @retval 1 added, 0 the list has it, -errno. */
static int
push_once(struct pp_event_planner *planner, struct pp_event_refs *refs, struct pp_event_ref ref, uint8_t mark)
{
    if (pp_event_planner_marked(planner, ref, mark))
        return 0;
    int err = pp_event_refs_push(refs, ref);
    err = err ? err : pp_event_planner_mark(planner, ref, mark);
    return err ? err : 1;
}

static bool is_taken_away(const struct pp_event_planner *planner, uint32_t source,
                          const struct pp_event *event);

/* Note an event that an item names: as wanted, and in `grouped` if its source has limits. */
static int
take(struct pp_event_planner *planner, struct pp_event_ref ref, const struct pp_event *event)
{
    if (planner->removes || is_taken_away(planner, ref.source, event))
        return 0;
    if (event->reason)
        return pp_event_planner_add_missing(planner, ref, event->reason);
    const struct pp_event_source *from = &planner->source[ref.source];
    bool limited = pp_event_is_limited(from, ref.event);
    bool had = pp_event_planner_marked(planner, ref, PP_MARK_WANTED);
    int err = push_once(planner, &planner->wanted, ref, PP_MARK_WANTED);
    if (err >= 0 && !limited)
        err = push_once(planner, &planner->common, ref, PP_MARK_COMMON);
    else if (err >= 0 && !pp_event_planner_marked(planner, ref, PP_MARK_COMMON))
        err = push_once(planner, &planner->grouped, ref, PP_MARK_BUNDLE);
    if (err == -E2BIG) {
        if (had)
            return 0;
        pp_event_planner_unmark(planner, ref, PP_MARK_WANTED);
        return pp_event_planner_add_missing(planner, ref, PP_TEXT_EVENTS_MOST);
    }
    return err < 0 ? err : 0;
}

/* What an item's name is compared with. */
enum naming { BY_NAME, BY_GROUP };

/* Does a pattern match two texts joined by `between`? */
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

/* Does a pattern match a name, with or without its unit? */
static bool
matches_with_unit(const char *pattern, bool exact, const char *name, enum pp_unit unit)
{
    const char *suffix = pp_unit_suffix(unit);
    return (exact ? strcmp(pattern, name) == 0 : pp_event_matches(pattern, name)) ||
           (*suffix && matches_joined(pattern, exact, name, "", suffix));
}

/* An event's name without the group in front: it has one where several groups have the name. */
static const char *
short_name(const struct pp_event *event)
{
    size_t length = event->group ? strlen(event->group) : 0;
    bool has = length && strncmp(event->name, event->group, length) == 0 && event->name[length] == '.';
    return has && event->name[length + 1] ? event->name + length + 1 : event->name;
}

/* Does a pattern match an event: its name with or without unit and group, or its group? */
static bool
names(const char *pattern, const struct pp_event *event, enum naming naming)
{
    if (!pattern)
        return true;
    if (naming == BY_GROUP)
        return event->group && pp_event_matches(pattern, event->group);
    bool exact = !strpbrk(pattern, "*?");
    const char *brief = short_name(event);
    return matches_with_unit(pattern, exact, event->name, event->unit) ||
           (brief != event->name && matches_with_unit(pattern, exact, brief, event->unit)) ||
           (event->group && matches_joined(pattern, exact, event->group, ".", event->name));
}

/* Take all events of a source that a pattern matches; NULL: all available ones. Where several groups have a
 * name without wildcards, it means one event: the first available one. @return Number of events, or -errno.
 */
static int
take_named(struct pp_event_planner *planner, uint32_t source, const char *pattern, enum naming naming)
{
    const struct pp_event_source *s = &planner->source[source];
    bool one = naming == BY_NAME && pattern && !strpbrk(pattern, "*?");
    struct pp_event event;
    uint32_t missing = UINT32_MAX;
    int found = 0;
    for (uint32_t i = 0; i < PP_EVENTS_SEARCHED && !s->ops->event(s->self, i, &event); i++) {
        if (!names(pattern, &event, naming))
            continue;
        if (one && event.reason) {
            missing = missing == UINT32_MAX ? i : missing;
            continue;
        }
        int err = take(planner, (struct pp_event_ref){source, i}, &event);
        if (err)
            return err;
        found++;
        if (one)
            return found;
    }
    if (missing == UINT32_MAX || s->ops->event(s->self, missing, &event))
        return found;
    int err = take(planner, (struct pp_event_ref){source, missing}, &event);
    return err ? err : 1;
}

/* Does an item name an event? A bare word that no source has as its name is the name of an event. */
static bool
item_names(const struct pp_event_planner *planner, const struct pp_event_item *item, uint32_t source,
           const struct pp_event *event)
{
    bool is_source = strcmp(planner->source[source].ops->name, item->source) == 0;
    if (item->name || is_source)
        return is_source && (names(item->name, event, BY_NAME) || names(item->name, event, BY_GROUP));
    for (size_t s = 0; s < planner->sources; s++)
        if (strcmp(planner->source[s].ops->name, item->source) == 0)
            return false;
    return names(item->source, event, BY_NAME) || names(item->source, event, BY_GROUP);
}

/* Does a later item of the list, with a '-', take an event away? */
static bool
is_taken_away(const struct pp_event_planner *planner, uint32_t source, const struct pp_event *event)
{
    const struct pp_event_list *list = planner->list;
    for (size_t i = planner->later; list && list->changes && i < list->items; i++)
        if (list->item[i].sign == '-' && item_names(planner, &list->item[i], source, event))
            return true;
    return false;
}

static int
take_matching(struct pp_event_planner *planner, uint32_t source, const char *pattern)
{
    int found = take_named(planner, source, pattern, BY_NAME);
    return found || !pattern ? found : take_named(planner, source, pattern, BY_GROUP);
}

/* Write a name as the grammar of lists wants it, in quotes if need be. @p bare The name is before a
 * colon, or by itself. */
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

/* Refuse an unknown name, and suggest the nearest one: an event of the source, or a source. */
static int
unknown(struct pp_event_planner *planner, const struct pp_event_item *item, bool source_known)
{
    const char *wanted = item->name && source_known ? item->name : item->source;
    struct pp_nearest nearest = pp_nearest_begin(wanted, strlen(wanted));
    for (size_t s = 0; s < planner->sources; s++) {
        const struct pp_event_source *source = &planner->source[s];
        struct pp_event its;
        bool here = !strcmp(source->ops->name, item->source);
        if (!source_known)
            offer(&nearest, source->ops->name);
        if (item->name && !here)
            continue;
        for (uint32_t i = 0; i < PP_EVENTS_SEARCHED && !source->ops->event(source->self, i, &its); i++) {
            offer(&nearest, its.name);
            if (short_name(&its) != its.name)
                offer(&nearest, short_name(&its));
        }
        for (uint32_t i = 0; i < PP_EVENTS_SEARCHED && !source->ops->event(source->self, i, &its); i++)
            offer(&nearest, its.group);
    }
    bool event = item->name && source_known;
    const char *what = event ? "event" : item->name ? "source" : PP_TEXT_EVENTS_SOURCE_OR_EVENT;
    char near[192];
    if (nearest.found) {
        write_name(near, sizeof(near), nearest.found, nearest.found_length, !event);
        return pp_event_planner_fail(planner, item, -ENOENT, PP_FORMAT_EVENTS_NEAR, what, wanted,
                                     event ? item->source : "", event ? ":" : "", near);
    }
    return pp_event_planner_fail(planner, item, -ENOENT, PP_FORMAT_EVENTS_UNKNOWN, what, wanted);
}

static int
find_item(struct pp_event_planner *planner, const struct pp_event_item *item)
{
    bool source_known = false;
    for (uint32_t s = 0; s < planner->sources; s++) {
        if (strcmp(planner->source[s].ops->name, item->source) != 0)
            continue;
        source_known = true;
        int found = take_matching(planner, s, item->name);
        if (found)
            return found < 0 ? found : 0;
    }
    if (source_known && !item->name)
        return 0; /* a source that offers nothing */
    int found = 0;
    for (uint32_t s = 0; s < planner->sources && !item->name && !found; s++)
        found = take_matching(planner, s, item->source);
    if (found)
        return found < 0 ? found : 0;
    return unknown(planner, item, source_known);
}

/* End a bundle. @p apart The item is in no group, so each event becomes a bundle by itself. */
static void
close_bundle(struct pp_event_planner *planner, struct pp_event_bundle *bundle, bool apart)
{
    size_t end = planner->grouped.n;
    for (size_t i = bundle->first; i < end; i++)
        pp_event_planner_unmark(planner, planner->grouped.ref[i], PP_MARK_BUNDLE);
    if (bundle->first == end)
        return;
    if (!apart) {
        bundle->n = end - bundle->first;
        planner->bundle[planner->bundles++] = *bundle;
        return;
    }
    for (size_t i = bundle->first; i < end; i++) {
        planner->bundle[planner->bundles] = *bundle;
        planner->bundle[planner->bundles].first = i;
        planner->bundle[planner->bundles++].n = 1;
    }
}

static int
grow_bundles(struct pp_event_planner *planner, size_t more)
{
    struct pp_event_bundle *grown = realloc(planner->bundle, (planner->bundles + more) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    planner->bundle = grown;
    return 0;
}

static int
find_all(struct pp_event_planner *planner)
{
    const struct pp_event_item *item = planner->list->item;
    for (size_t i = 0; i < planner->list->items;) {
        struct pp_event_bundle bundle = {.first = planner->grouped.n, .item = &item[i]};
        uint32_t group = item[i].group;
        do {
            planner->removes = item[i].sign == '-';
            planner->later = i + 1;
            int err = find_item(planner, &item[i++]);
            if (err)
                return err;
        } while (group && i < planner->list->items && item[i].group == group);
        size_t taken = planner->grouped.n - bundle.first;
        if (taken && grow_bundles(planner, taken))
            return -ENOMEM;
        close_bundle(planner, &bundle, !group);
    }
    return 0;
}

/* Take events that are known by their numbers, a bundle for each source. */
static int
take_given(struct pp_event_planner *planner)
{
    const struct pp_event_ref *given = planner->given;
    for (size_t i = 0; i < planner->given_count;) {
        struct pp_event_bundle bundle = {.first = planner->grouped.n};
        uint32_t source = given[i].source;
        for (; i < planner->given_count && given[i].source == source; i++) {
            const struct pp_event_source *s = &planner->source[source];
            struct pp_event event;
            int err = s->ops->event(s->self, given[i].event, &event) ? 0 : take(planner, given[i], &event);
            if (err)
                return err;
        }
        if (planner->grouped.n > bundle.first && grow_bundles(planner, 1))
            return -ENOMEM;
        close_bundle(planner, &bundle, false);
    }
    return 0;
}

/* Drop bundles of one event that another bundle has, too. @retval 0, -ENOMEM. */
static int
drop_repeated(struct pp_event_planner *planner)
{
    size_t kept = 0;
    int err = 0;
    for (size_t u = 0; u < planner->bundles && !err; u++)
        for (size_t i = 0; i < planner->bundle[u].n && planner->bundle[u].n > 1 && !err; i++)
            err = pp_event_planner_mark(planner, planner->grouped.ref[planner->bundle[u].first + i],
                                        PP_MARK_TOGETHER);
    for (size_t u = 0; u < planner->bundles && !err; u++) {
        struct pp_event_ref ref = planner->grouped.ref[planner->bundle[u].first];
        if (planner->bundle[u].n == 1 && pp_event_planner_marked(planner, ref, PP_MARK_TOGETHER))
            continue;
        planner->bundle[kept++] = planner->bundle[u];
        err = pp_event_planner_mark(planner, ref, PP_MARK_TOGETHER);
    }
    planner->bundles = kept;
    return err;
}

/* Make the plan of a planner whose list, given, source, sources and error are set. */
static int
make(struct pp_event_planner *planner, const struct pp_event_ref *always, size_t always_count,
     struct pp_event_plan *ret)
{
    struct pp_event_plan made = {0};
    planner->marks = calloc(planner->sources + 1, sizeof(*planner->marks));
    int err = planner->marks ? 0 : -ENOMEM;
    for (size_t i = 0; i < always_count && err >= 0; i++)
        err = push_once(planner, &planner->common, always[i], PP_MARK_COMMON);
    if (err >= 0)
        err = take_given(planner);
    if (!err && planner->list)
        err = find_all(planner);
    if (!err)
        err = drop_repeated(planner);
    if (!planner->wanted.n)
        planner->common.n = 0; /* nothing to scale */
    if (!err)
        err = pp_event_pack(planner, &made);
    for (size_t s = 0; planner->marks && s < planner->sources; s++)
        free(planner->marks[s].mark);
    free(planner->marks);
    free(planner->bundle);
    free(planner->common.ref);
    free(planner->grouped.ref);
    made.wanted = made.memory[2] = planner->wanted.ref;
    made.wanted_count = planner->wanted.n;
    made.missing = made.memory[3] = planner->missing;
    made.missing_count = planner->missing_count;
    if (err)
        pp_event_plan_destroy(&made);
    else
        *ret = made;
    return err;
}

int
pp_event_plan_make(const struct pp_event_list *list, const struct pp_event_source *source, size_t sources,
                   const struct pp_event_ref *always, size_t always_count, struct pp_event_plan *ret,
                   struct pp_event_error *error)
{
    struct pp_event_error unused;
    struct pp_event_planner planner = {
        .list = list, .source = source, .sources = sources, .error = error ? error : &unused};
    return make(&planner, always, always_count, ret);
}

int
pp_event_plan_make_of(const struct pp_event_ref *event, size_t events, const struct pp_event_source *source,
                      size_t sources, struct pp_event_plan *ret, struct pp_event_error *error)
{
    return pp_event_plan_change(event, events, NULL, source, sources, ret, error);
}

int
pp_event_plan_change(const struct pp_event_ref *event, size_t events, const struct pp_event_list *list,
                     const struct pp_event_source *source, size_t sources, struct pp_event_plan *ret,
                     struct pp_event_error *error)
{
    struct pp_event_error unused;
    struct pp_event_planner planner = {.list = list,
                                       .given = event,
                                       .given_count = events,
                                       .source = source,
                                       .sources = sources,
                                       .error = error ? error : &unused};
    return make(&planner, NULL, 0, ret);
}

void
pp_event_plan_destroy(struct pp_event_plan *plan)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(plan->memory); i++)
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

size_t
pp_event_set_of_source(const struct pp_event_set *set, uint32_t source, uint32_t *event, size_t capacity)
{
    size_t n = 0;
    for (size_t i = 0; i < set->events; i++) {
        if (set->event[i].source != source)
            continue;
        if (n < capacity)
            event[n] = set->event[i].event;
        n++;
    }
    return n;
}

static bool
is_limited(const struct pp_event_source *source, struct pp_event_ref ref)
{
    return pp_event_is_limited(&source[ref.source], ref.event);
}

uint32_t
pp_event_plan_limited_sets(const struct pp_event_plan *plan, const struct pp_event_source *source)
{
    uint32_t sets = 0;
    for (size_t k = 0; k < plan->sets; k++) {
        bool limited = false;
        for (size_t i = 0; i < plan->set[k].events && !limited; i++)
            limited = is_limited(source, plan->set[k].event[i]);
        sets += limited;
    }
    return sets;
}

/* Remove the events with limits from a set. */
static void
keep_unlimited(struct pp_event_set *set, const struct pp_event_source *source)
{
    /* Events are const only for readers of the plan, which owns them. */
    struct pp_event_ref *event = (struct pp_event_ref *)(uintptr_t)set->event;
    size_t kept = 0;
    for (size_t i = 0; i < set->events; i++)
        if (!is_limited(source, event[i]))
            event[kept++] = event[i];
    set->events = kept;
}

void
pp_event_plan_keep(struct pp_event_plan *plan, const struct pp_event_source *source, uint32_t number)
{
    struct pp_event_set *set = (struct pp_event_set *)(uintptr_t)plan->set;
    if (plan->sets == 0)
        return;
    if (number >= 1 && number <= plan->sets)
        set[0] = set[number - 1];
    else
        keep_unlimited(&set[0], source);
    plan->sets = set[0].events > 0;
}

static void
shuffle(uint8_t *order, uint32_t n, uint64_t *random)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint8_t)i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)pp_random_below(random, i);
        uint8_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* A cyclic Latin square with its rows and its symbols shuffled: cell (row, column) holds
 * symbol[(column + start[row]) mod n]. */
uint32_t
pp_rotation_set_of_frame(uint64_t seed, uint32_t sets, uint64_t frame)
{
    uint8_t symbol[PP_ROTATION_SETS], start[PP_ROTATION_SETS];
    uint32_t n = sets < PP_ROTATION_SETS ? sets : PP_ROTATION_SETS;
    if (n < 2)
        return 0;
    uint64_t square = frame / ((uint64_t)n * n);
    uint32_t row = (uint32_t)(frame / n % n), column = (uint32_t)(frame % n);
    uint64_t random = seed ^ square * 0xD1B54A32D192ED03U;
    shuffle(symbol, n, &random);
    shuffle(start, n, &random);
    return symbol[(column + start[row]) % n];
}
