/** @file
 * From a list of names to sets of events: finding, then packing. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events.h"
#include "counters/multiplex.h"
#include "counters/names.h"

#define MAX_EVENTS 16384
#define MAX_PAIRED 128 /**< units up to which every pair is asked about */

/** A growing array of events. */
struct refs {
    struct pp_event_ref *ref;
    size_t n, room;
};

/** Events that stay together: a group, or one event. They are ref[first .. first + n - 1] of `grouped`. */
struct unit {
    size_t first, n;
    const struct pp_event_item *item; /**< for messages */
    size_t partners;                  /**< other units that it can share a set with */
};

/** A plan being made. */
struct plan {
    const struct pp_event_list *list;
    const struct pp_event_source *source;
    size_t sources;
    struct refs wanted;  /**< available events, each once, as asked */
    struct refs common;  /**< in every set */
    struct refs grouped; /**< events that must be packed, unit by unit */
    struct unit *unit;
    size_t units;
    struct pp_event_missing *missing;
    size_t missings, missing_room;
    struct pp_event_error *error; /**< never NULL */
};

__attribute__((format(printf, 4, 5))) static int
fail(struct plan *plan, const struct pp_event_item *item, int err, const char *format, ...)
{
    va_list args;
    plan->error->column = item->column;
    plan->error->length = item->length;
    va_start(args, format);
    vsnprintf(plan->error->message, sizeof(plan->error->message), format, args);
    va_end(args);
    return err;
}

static bool
same(struct pp_event_ref a, struct pp_event_ref b)
{
    return a.source == b.source && a.event == b.event;
}

static bool
holds(const struct refs *refs, size_t first, struct pp_event_ref ref)
{
    for (size_t i = first; i < refs->n; i++) {
        if (same(refs->ref[i], ref))
            return true;
    }
    return false;
}

static int
push(struct refs *refs, struct pp_event_ref ref)
{
    if (refs->n == refs->room) {
        size_t room = refs->room ? 2 * refs->room : 32;
        struct pp_event_ref *grown = room <= MAX_EVENTS ? realloc(refs->ref, room * sizeof(*grown)) : NULL;
        if (!grown)
            return room <= MAX_EVENTS ? -ENOMEM : -E2BIG;
        refs->ref = grown;
        refs->room = room;
    }
    refs->ref[refs->n++] = ref;
    return 0;
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

static int
add_missing(struct plan *plan, struct pp_event_ref ref, const char *reason)
{
    for (size_t i = 0; i < plan->missings; i++) {
        if (same(plan->missing[i].event, ref))
            return 0;
    }
    if (plan->missings == plan->missing_room) {
        size_t room = plan->missing_room ? 2 * plan->missing_room : 16;
        struct pp_event_missing *grown = realloc(plan->missing, room * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        plan->missing = grown;
        plan->missing_room = room;
    }
    plan->missing[plan->missings++] = (struct pp_event_missing){ref, reason};
    return 0;
}

/* An event that an item names: note it as wanted; in `grouped` if its source has limits. */
static int
take(struct plan *plan, struct pp_event_ref ref, const struct pp_event *event, struct unit *unit)
{
    int err = 0;
    if (event->reason)
        return add_missing(plan, ref, event->reason);
    bool limited = plan->source[ref.source].ops->fits != NULL;
    if (!holds(&plan->wanted, 0, ref))
        err = push(&plan->wanted, ref);
    if (!err && !limited && !holds(&plan->common, 0, ref))
        err = push(&plan->common, ref);
    if (!err && limited && !holds(&plan->common, 0, ref) && !holds(&plan->grouped, unit->first, ref))
        err = push(&plan->grouped, ref);
    return err;
}

/* Ways in which an item may name an event. */
enum naming { BY_NAME, BY_GROUP };

/* By its name, alone, with its unit or behind its group; or by its group. */
static bool
names(const char *pattern, const struct pp_event *event, enum naming naming)
{
    char text[512];
    if (!pattern)
        return true;
    if (naming == BY_GROUP)
        return event->group && pp_event_matches(pattern, event->group);
    if (pp_event_matches(pattern, event->name))
        return true;
    snprintf(text, sizeof(text), "%s%s", event->name, pp_unit_suffix(event->unit));
    if (pp_event_matches(pattern, text))
        return true;
    snprintf(text, sizeof(text), "%s.%s", event->group ? event->group : "", event->name);
    return event->group && pp_event_matches(pattern, text);
}

/* All events of a source that a pattern matches; NULL: all that are available. A name without wildcards that
 * several groups have is one event: the first that is available. @return Their number, or -errno. */
static int
take_named(struct plan *plan, uint32_t source, const char *pattern, enum naming naming, struct unit *unit)
{
    const struct pp_event_source *s = &plan->source[source];
    bool one = naming == BY_NAME && pattern && !strpbrk(pattern, "*?");
    struct pp_event event;
    uint32_t missing = UINT32_MAX;
    int found = 0;
    for (uint32_t i = 0; i < MAX_EVENTS && !s->ops->event(s->self, i, &event); i++) {
        if (!names(pattern, &event, naming))
            continue;
        if (one && event.reason) {
            missing = missing == UINT32_MAX ? i : missing;
            continue;
        }
        int err = take(plan, (struct pp_event_ref){source, i}, &event, unit);
        if (err)
            return err;
        found++;
        if (one)
            return found;
    }
    if (missing == UINT32_MAX || s->ops->event(s->self, missing, &event))
        return found;
    int err = take(plan, (struct pp_event_ref){source, missing}, &event, unit);
    return err ? err : 1;
}

static int
take_matching(struct plan *plan, uint32_t source, const char *pattern, struct unit *unit)
{
    int found = take_named(plan, source, pattern, BY_NAME, unit);
    return found || !pattern ? found : take_named(plan, source, pattern, BY_GROUP, unit);
}

/* The nearest name to one that nobody bears: an event of the source, or a source. */
static int
unknown(struct plan *plan, const struct pp_event_item *item, bool source_known)
{
    const char *wanted = item->name && source_known ? item->name : item->source;
    struct pp_nearest nearest = pp_nearest_begin(wanted, strlen(wanted));
    for (size_t s = 0; s < plan->sources; s++) {
        const struct pp_event_source *source = &plan->source[s];
        struct pp_event its;
        bool here = !strcmp(source->ops->name, item->source);
        if (!source_known)
            pp_nearest_offer(&nearest, source->ops->name, strlen(source->ops->name));
        if (item->name && !here)
            continue;
        for (uint32_t i = 0; i < MAX_EVENTS && !source->ops->event(source->self, i, &its); i++)
            pp_nearest_offer(&nearest, its.name, strlen(its.name));
        for (uint32_t i = 0; i < MAX_EVENTS && !source->ops->event(source->self, i, &its); i++)
            if (its.group)
                pp_nearest_offer(&nearest, its.group, strlen(its.group));
    }
    bool event = item->name && source_known;
    const char *what = event ? "event" : item->name ? "source" : "source or event";
    /* as one would write it */
    if (nearest.found)
        return fail(plan, item, -ENOENT, "unknown %s '%.60s'; did you mean '%.20s%s%.*s'?", what, wanted,
                    event ? item->source : "", event ? ":" : "",
                    (int)(nearest.found_length < 60 ? nearest.found_length : 60), nearest.found);
    return fail(plan, item, -ENOENT, "unknown %s '%.60s'; `passprobe list` shows what there is", what,
                wanted);
}

static int
find_item(struct plan *plan, const struct pp_event_item *item, struct unit *unit)
{
    bool source_known = false;
    for (uint32_t s = 0; s < plan->sources; s++) {
        if (strcmp(plan->source[s].ops->name, item->source) != 0)
            continue;
        source_known = true;
        int found = take_matching(plan, s, item->name, unit);
        if (found)
            return found < 0 ? found : 0;
    }
    if (source_known && !item->name)
        return 0; /* a source that offers nothing */
    int found = 0;
    for (uint32_t s = 0; s < plan->sources && !item->name && !found; s++)
        found = take_matching(plan, s, item->source, unit);
    if (found)
        return found < 0 ? found : 0;
    return unknown(plan, item, source_known);
}

/* End a unit; an ungrouped item's events each become one. */
static void
close_unit(struct plan *plan, struct unit *unit, bool apart)
{
    size_t end = plan->grouped.n;
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
grow_units(struct plan *plan, size_t more)
{
    struct unit *grown = realloc(plan->unit, (plan->units + more) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    plan->unit = grown;
    return 0;
}

static int
find_all(struct plan *plan)
{
    const struct pp_event_item *item = plan->list->item;
    for (size_t i = 0; i < plan->list->items;) {
        struct unit unit = {.first = plan->grouped.n, .item = &item[i]};
        uint32_t group = item[i].group;
        do {
            int err = find_item(plan, &item[i++], &unit);
            if (err)
                return err == -E2BIG ? fail(plan, &item[i - 1], err, "more than %d events", MAX_EVENTS) : err;
        } while (group && i < plan->list->items && item[i].group == group);
        size_t taken = plan->grouped.n - unit.first;
        if (taken && grow_units(plan, taken))
            return -ENOMEM;
        close_unit(plan, &unit, !group);
    }
    return 0;
}

/* A single event that also comes elsewhere needs no unit of its own. */
static void
drop_repeated(struct plan *plan)
{
    size_t kept = 0;
    for (size_t u = 0; u < plan->units; u++) {
        struct pp_event_ref ref = plan->grouped.ref[plan->unit[u].first];
        bool repeated = false;
        for (size_t v = 0; v < plan->units && plan->unit[u].n == 1 && !repeated; v++) {
            const struct unit *other = &plan->unit[v];
            if (v == u || (other->n == 1 && v > u))
                continue;
            for (size_t i = 0; i < other->n; i++)
                repeated |= same(plan->grouped.ref[other->first + i], ref);
        }
        /* Units before kept are final; a dropped one has a twin among them or a group behind. */
        if (!repeated)
            plan->unit[kept++] = plan->unit[u];
    }
    plan->units = kept;
}

/* Packing */

/* Do the events of one source in `set` fit, in their order or in the reverse, which is then kept? */
static bool
source_fits(const struct plan *plan, struct refs *set, uint32_t source, uint32_t *scratch)
{
    const struct pp_event_source *s = &plan->source[source];
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (set->ref[i].source == source)
            scratch[n++] = set->ref[i].event;
    }
    if (!n || s->ops->fits(s->self, scratch, n) > 0)
        return true;
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t kept = scratch[i];
        scratch[i] = scratch[n - 1 - i];
        scratch[n - 1 - i] = kept;
    }
    if (s->ops->fits(s->self, scratch, n) <= 0)
        return false;
    n = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (set->ref[i].source == source)
            set->ref[i].event = scratch[n++];
    }
    return true;
}

/* Add a unit to a set if all still fits. @return 1 added, 0 it does not fit, -errno. */
static int
try_add(const struct plan *plan, struct refs *set, const struct unit *unit, uint32_t *scratch)
{
    size_t before = set->n;
    for (size_t i = 0; i < unit->n; i++) {
        struct pp_event_ref ref = plan->grouped.ref[unit->first + i];
        int err = holds(set, 0, ref) ? 0 : push(set, ref);
        if (err)
            return err;
    }
    for (uint32_t s = 0; s < plan->sources; s++) {
        if (!plan->source[s].ops->fits || source_fits(plan, set, s, scratch))
            continue;
        set->n =
            before; /* sources already asked may have been turned round: their order is good either way */
        return 0;
    }
    return 1;
}

/** What one way of packing gives. */
struct packing {
    struct refs set[PP_MUX_SETS];
    size_t sets;
};

static void
packing_finish(struct packing *packing)
{
    for (size_t i = 0; i < packing->sets; i++)
        free(packing->set[i].ref);
    packing->sets = 0;
}

static int
open_set(const struct plan *plan, struct packing *packing)
{
    struct refs *set = &packing->set[packing->sets++];
    *set = (struct refs){0};
    for (size_t i = 0; i < plan->common.n; i++) {
        int err = push(set, plan->common.ref[i]);
        if (err)
            return err;
    }
    return 0;
}

/* First fit: open a set with the first unit that is left, then add each next one that fits. */
static int
pack(struct plan *plan, const size_t *order, bool backwards, uint32_t *scratch, struct packing *ret)
{
    bool *done = calloc(plan->units + 1, sizeof(*done));
    int err = done ? 0 : -ENOMEM;
    ret->sets = 0;
    for (size_t left = plan->units; left > 0 && !err;) {
        if (ret->sets == PP_MUX_SETS) {
            err = fail(plan, plan->list->item, -E2BIG, "more than %d sets would be needed", PP_MUX_SETS);
            break;
        }
        err = open_set(plan, ret);
        size_t before = left;
        for (size_t i = 0; i < plan->units && !err; i++) {
            size_t u = order[backwards ? plan->units - 1 - i : i];
            int added = done[u] ? 0 : try_add(plan, &ret->set[ret->sets - 1], &plan->unit[u], scratch);
            err = added < 0 ? added : 0;
            if (added == 1) {
                done[u] = true;
                left--;
            } else if (!added && !done[u] && left == before) {
                const struct pp_event_item *item = plan->unit[u].item;
                err = fail(plan, item, -ENOSPC,
                           plan->unit[u].n > 1 ? "the events of this group cannot be measured together"
                                               : "an event of this item cannot be measured, not even alone");
            }
        }
    }
    free(done);
    return err;
}

/* Count for every unit those that it can be with, and sort: loneliest first, else as asked. */
static int
sort_units(struct plan *plan, size_t *order, uint32_t *scratch)
{
    struct refs set = {0};
    for (size_t u = 0; u < plan->units && plan->units <= MAX_PAIRED; u++) {
        for (size_t v = 0; v < u; v++) {
            set.n = 0;
            int first = try_add(plan, &set, &plan->unit[u], scratch);
            int both = first == 1 ? try_add(plan, &set, &plan->unit[v], scratch) : first;
            if (both < 0) {
                free(set.ref);
                return both;
            }
            plan->unit[u].partners += (size_t)both;
            plan->unit[v].partners += (size_t)both;
        }
    }
    free(set.ref);
    for (size_t u = 0; u < plan->units; u++) {
        size_t at = u;
        for (; at > 0 && plan->unit[order[at - 1]].partners > plan->unit[u].partners; at--)
            order[at] = order[at - 1];
        order[at] = u;
    }
    return 0;
}

/* Hand a packing over: sets with the events of each source beside each other. */
static int
hand_over(const struct plan *plan, const struct packing *packing, struct pp_event_plan *ret)
{
    size_t events = 0, at = 0;
    for (size_t i = 0; i < packing->sets; i++)
        events += packing->set[i].n;
    struct pp_event_set *set = calloc(packing->sets + 1, sizeof(*set));
    struct pp_event_ref *ref = calloc(events + 1, sizeof(*ref));
    ret->memory[0] = set;
    ret->memory[1] = ref;
    if (!set || !ref)
        return -ENOMEM;
    for (size_t i = 0; i < packing->sets; i++) {
        set[i].event = ref + at;
        set[i].events = packing->set[i].n;
        for (uint32_t s = 0; s < plan->sources; s++) {
            for (size_t j = 0; j < packing->set[i].n; j++) {
                if (packing->set[i].ref[j].source == s)
                    ref[at++] = packing->set[i].ref[j];
            }
        }
    }
    ret->set = set;
    ret->sets = packing->sets;
    return 0;
}

/* May all that is wanted of a source be in every set? If it fits at once, and no group holds it together with
 * another source's, since those are always measured together. */
static bool
may_share(const struct plan *plan, uint32_t source, uint32_t *scratch)
{
    const struct pp_event_source *s = &plan->source[source];
    size_t n = 0;
    for (size_t i = 0; i < plan->common.n; i++)
        if (plan->common.ref[i].source == source)
            scratch[n++] = plan->common.ref[i].event;
    size_t always = n;
    for (size_t u = 0; u < plan->units; u++) {
        const struct pp_event_ref *ref = &plan->grouped.ref[plan->unit[u].first];
        for (size_t i = 0; i < plan->unit[u].n; i++) {
            if ((ref[i].source == source) != (ref[0].source == source))
                return false;
            if (ref[i].source == source)
                scratch[n++] = ref[i].event;
        }
    }
    return n > always && s->ops->fits && s->ops->fits(s->self, scratch, n) > 0;
}

/* Put what never has to take turns into every set. @return Whether there is such a source; -errno. */
static int
share(struct plan *plan, uint32_t *scratch)
{
    int any = 0;
    for (uint32_t s = 0; s < plan->sources; s++) {
        size_t kept = 0;
        if (!may_share(plan, s, scratch))
            continue;
        for (size_t u = 0; u < plan->units; u++) {
            const struct unit *unit = &plan->unit[u];
            if (plan->grouped.ref[unit->first].source != s) {
                plan->unit[kept++] = *unit;
                continue;
            }
            for (size_t i = 0; i < unit->n; i++) {
                struct pp_event_ref ref = plan->grouped.ref[unit->first + i];
                int err = holds(&plan->common, 0, ref) ? 0 : push(&plan->common, ref);
                if (err)
                    return err;
            }
        }
        plan->units = kept;
        any = 1;
    }
    return any;
}

static int
pack_both_ways(struct plan *plan, uint32_t *scratch, size_t *order, struct packing packing[2])
{
    for (size_t u = 0; u < plan->units; u++)
        plan->unit[u].partners = 0;
    int err = sort_units(plan, order, scratch);
    if (!err && !plan->units && plan->common.n)
        err = open_set(plan, &packing[0]);
    else if (!err)
        err = pack(plan, order, false, scratch, &packing[0]);
    if (!err && packing[0].sets > 1)
        err = pack(plan, order, true, scratch, &packing[1]);
    return err;
}

static int
pack_best(struct plan *plan, uint32_t *scratch, size_t *order, struct packing packing[2],
          struct pp_event_plan *ret)
{
    int err = pack_both_ways(plan, scratch, order, packing);
    if (!err && packing[0].sets > 1) {
        int shared = share(plan, scratch);
        err = shared < 0 ? shared : 0;
        if (shared > 0) {
            packing_finish(&packing[0]);
            packing_finish(&packing[1]);
            err = pack_both_ways(plan, scratch, order, packing);
        }
    }
    if (err)
        return err;
    bool second = packing[1].sets && packing[1].sets < packing[0].sets;
    return hand_over(plan, &packing[second], ret);
}

int
pp_event_plan_make(const struct pp_event_list *list, const struct pp_event_source *source, size_t sources,
                   const struct pp_event_ref *always, size_t alwayses, struct pp_event_plan *ret,
                   struct pp_event_error *error)
{
    struct pp_event_error unused;
    struct plan plan = {.list = list, .source = source, .sources = sources, .error = error ? error : &unused};
    struct pp_event_plan made = {0};
    int err = 0;
    for (size_t i = 0; i < alwayses && !err; i++)
        err = holds(&plan.common, 0, always[i]) ? 0 : push(&plan.common, always[i]);
    if (!err)
        err = find_all(&plan);
    if (!err)
        drop_repeated(&plan);
    if (!plan.wanted.n)
        plan.common.n = 0; /* nothing to scale */
    size_t *order = calloc(plan.units + 1, sizeof(*order));
    uint32_t *scratch = calloc(plan.common.n + plan.grouped.n + 1, sizeof(*scratch));
    struct packing *packing = calloc(2, sizeof(*packing));
    if (!err && (!order || !scratch || !packing))
        err = -ENOMEM;
    if (!err)
        err = pack_best(&plan, scratch, order, packing, &made);
    if (packing) {
        packing_finish(&packing[0]);
        packing_finish(&packing[1]);
    }
    free(packing);
    free(order);
    free(scratch);
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
