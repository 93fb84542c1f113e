/** @file
 * See event_pack.h. From events to sets that fit: first fit, in two orders; A driver's answer whether a
 * choice fits may take time in proportion to the choice. Therefore thousands of events are not tried each
 * with each, and the time grows little faster than the number of events.
 *
 * A plan in the making: lists of events and marks; */
#include "counters/events/event_pack.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_plan.h"
#include "pp_texts.h"

#define MAX_PAIRED   128  /**< with more bundles, not each is tried with each */
#define MAX_REVERSED 1024 /**< with more events, the reverse order is not tried */
#define MOST_BUNDLES 1024 /**< most bundles that are tried at a time */
#define SKIP_EVERY   8    /**< after this many refusals, one more bundle is skipped between two trials */
#define TOO_MANY     "more than 64 sets would be needed: ask for fewer events at a time"

/** The result of one order of packing. */
struct packing {
    struct pp_event_refs set[PP_ROTATION_SETS];
    size_t sets;
    size_t left; /**< bundles in no set */
};

/** The packing of one plan. */
struct packer {
    struct pp_event_planner *planner;
    uint32_t *scratch; /**< as long as all events */
    size_t *order;     /**< of the bundles */
    bool *done;        /**< of each bundle */
};

/* Do the events of one source in `set` fit? Tries their order, then the reverse order, and keeps it. */
static bool
source_fits(const struct packer *packer, struct pp_event_refs *set, uint32_t source)
{
    const struct pp_event_source *s = &packer->planner->source[source];
    uint32_t *scratch = packer->scratch;
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (set->ref[i].source == source)
            scratch[n++] = set->ref[i].event;
    }
    if (!n || s->ops->fits(s->self, scratch, n) > 0)
        return true;
    if (n > MAX_REVERSED)
        return false;
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

static bool
holds(const struct pp_event_refs *refs, struct pp_event_ref ref)
{
    for (size_t i = 0; i < refs->n; i++) {
        if (refs->ref[i].source == ref.source && refs->ref[i].event == ref.event)
            return true;
    }
    return false;
}

/* Add bundles to a set if all still fits. @return 1 added, 0 they do not fit, -errno. */
static int
try_add(const struct packer *packer, struct pp_event_refs *set, const size_t *bundle, size_t bundles)
{
    const struct pp_event_planner *planner = packer->planner;
    size_t before = set->n;
    for (size_t u = 0; u < bundles; u++) {
        const struct pp_event_bundle *one = &planner->bundle[bundle[u]];
        for (size_t i = 0; i < one->n; i++) {
            struct pp_event_ref ref = planner->grouped.ref[one->first + i];
            /* An event that is a bundle by itself is in no other bundle: drop_repeated(). */
            int err = one->n > 1 && holds(set, ref) ? 0 : pp_event_refs_push(set, ref);
            if (err)
                return err;
        }
    }
    for (uint32_t s = 0; s < planner->sources; s++) {
        if (!planner->source[s].ops->fits || source_fits(packer, set, s))
            continue;
        /* source_fits() may have reversed the order of other sources' events: both orders are good. */
        set->n = before;
        return 0;
    }
    return 1;
}

static void
packing_finish(struct packing *packing)
{
    for (size_t i = 0; i < packing->sets; i++)
        free(packing->set[i].ref);
    packing->sets = 0;
}

static int
open_set(const struct pp_event_planner *planner, struct packing *packing)
{
    struct pp_event_refs *set = &packing->set[packing->sets++];
    *set = (struct pp_event_refs){0};
    for (size_t i = 0; i < planner->common.n; i++) {
        int err = pp_event_refs_push(set, planner->common.ref[i]);
        if (err)
            return err;
    }
    return 0;
}

/* Take the next bundles without a set, from place *at on, and move *at after them. @return How many. */
static size_t
next_bundles(const struct packer *packer, bool backwards, size_t *at, size_t most, size_t *bundle)
{
    size_t n = 0;
    for (; *at < packer->planner->bundles && n < most; (*at)++) {
        size_t u = packer->order[backwards ? packer->planner->bundles - 1 - *at : *at];
        if (!packer->done[u])
            bundle[n++] = u;
    }
    return n;
}

/* Fill a set with the remaining bundles that fit: in runs of bundles, twice as long after each run that fits.
 * Where a run does not fit, one by one, with growing gaps. @return Bundles added, or -errno. */
static long
fill_set(struct packer *packer, bool backwards, struct pp_event_refs *set)
{
    size_t bundle[MOST_BUNDLES];
    const struct pp_event_planner *planner = packer->planner;
    bool large = planner->bundles > MAX_PAIRED;
    size_t run = 1, refused = 0;
    long added = 0;
    for (size_t at = 0; at < planner->bundles;) {
        size_t from = at, n = next_bundles(packer, backwards, &at, run, bundle);
        int fits = n ? try_add(packer, set, bundle, n) : 0;
        if (fits < 0)
            return fits;
        for (size_t i = 0; i < n && fits; i++)
            packer->done[bundle[i]] = true;
        added += fits ? (long)n : 0;
        if (fits) {
            refused = 0;
            run = large && 2 * run <= MOST_BUNDLES ? 2 * run : run;
        } else if (n > 1) {
            run /= 2;
            at = from;
        } else if (n && !added) { /* the first bundle of this set */
            const struct pp_event_bundle *one = &planner->bundle[bundle[0]];
            return pp_event_planner_fail(packer->planner, one->item, -ENOSPC,
                                         one->n > 1 ? PP_TEXT_EVENTS_GROUP_FITS : PP_TEXT_EVENTS_ONE_FITS);
        } else if (large) {
            (void)next_bundles(packer, backwards, &at, ++refused / SKIP_EVERY, bundle);
        }
    }
    return added;
}

/* First fit: open a set with the first remaining bundle, then add each next bundle that fits. */
static int
pack(struct packer *packer, bool backwards, struct packing *ret)
{
    memset(packer->done, 0, (packer->planner->bundles + 1) * sizeof(*packer->done));
    ret->sets = 0;
    for (ret->left = packer->planner->bundles; ret->left > 0 && ret->sets < PP_ROTATION_SETS;) {
        int err = open_set(packer->planner, ret);
        long added = err ? err : fill_set(packer, backwards, &ret->set[ret->sets - 1]);
        if (added < 0)
            return (int)added;
        ret->left -= (size_t)added;
    }
    return 0;
}

/* Count the partners of every bundle, and sort: fewest partners first, else in the order of the list. */
static int
sort_bundles(struct packer *packer)
{
    struct pp_event_planner *planner = packer->planner;
    struct pp_event_refs set = {0};
    for (size_t u = 0; u < planner->bundles; u++)
        planner->bundle[u].partners = 0;
    for (size_t u = 0; u < planner->bundles && planner->bundles <= MAX_PAIRED; u++) {
        for (size_t v = 0; v < u; v++) {
            set.n = 0;
            int first = try_add(packer, &set, &u, 1);
            int both = first == 1 ? try_add(packer, &set, &v, 1) : first;
            if (both < 0) {
                free(set.ref);
                return both;
            }
            planner->bundle[u].partners += (size_t)both;
            planner->bundle[v].partners += (size_t)both;
        }
    }
    free(set.ref);
    for (size_t u = 0; u < planner->bundles; u++) {
        size_t at = u;
        for (; at > 0 && planner->bundle[packer->order[at - 1]].partners > planner->bundle[u].partners; at--)
            packer->order[at] = packer->order[at - 1];
        packer->order[at] = u;
    }
    return 0;
}

/* Copy a packing into the plan: in each set, the events of one source are neighbours. */
static int
hand_over(struct pp_event_planner *planner, const struct packing *packing, struct pp_event_plan *ret)
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
        for (uint32_t s = 0; s < planner->sources; s++) {
            for (size_t j = 0; j < packing->set[i].n; j++) {
                if (packing->set[i].ref[j].source != s)
                    continue;
                int err = pp_event_planner_mark(planner, packing->set[i].ref[j], PP_MARK_PLACED);
                if (err)
                    return err;
                ref[at++] = packing->set[i].ref[j];
            }
        }
    }
    ret->set = set;
    ret->sets = packing->sets;
    return 0;
}

/* Make the events that are in no set missing. */
static int
drop_unplaced(struct pp_event_planner *planner)
{
    size_t kept = 0;
    int err = 0;
    for (size_t i = 0; i < planner->wanted.n && !err; i++) {
        struct pp_event_ref ref = planner->wanted.ref[i];
        if (pp_event_planner_marked(planner, ref, PP_MARK_PLACED))
            planner->wanted.ref[kept++] = ref;
        else
            err = pp_event_planner_add_missing(planner, ref, TOO_MANY);
    }
    planner->wanted.n = kept;
    return err;
}

/* May all wanted events of a source be in every set? They may if they fit at once and no group ties one of
 * them to an event of another source: the events of a group are always measured together. */
static bool
may_share(const struct packer *packer, uint32_t source)
{
    const struct pp_event_planner *planner = packer->planner;
    const struct pp_event_source *s = &planner->source[source];
    size_t n = 0;
    for (size_t i = 0; i < planner->common.n; i++)
        if (planner->common.ref[i].source == source)
            packer->scratch[n++] = planner->common.ref[i].event;
    size_t always = n;
    for (size_t u = 0; u < planner->bundles; u++) {
        const struct pp_event_ref *ref = &planner->grouped.ref[planner->bundle[u].first];
        for (size_t i = 0; i < planner->bundle[u].n; i++) {
            if ((ref[i].source == source) != (ref[0].source == source))
                return false;
            if (ref[i].source == source)
                packer->scratch[n++] = ref[i].event;
        }
    }
    return n > always && s->ops->fits && s->ops->fits(s->self, packer->scratch, n) > 0;
}

/* Put sources whose wanted events fit at once into every set. @return 1: there is such a source. 0: none.
 * -errno. */
static int
share(const struct packer *packer)
{
    struct pp_event_planner *planner = packer->planner;
    int any = 0;
    for (uint32_t s = 0; s < planner->sources; s++) {
        size_t kept = 0;
        if (!may_share(packer, s))
            continue;
        for (size_t u = 0; u < planner->bundles; u++) {
            const struct pp_event_bundle *bundle = &planner->bundle[u];
            if (planner->grouped.ref[bundle->first].source != s) {
                planner->bundle[kept++] = *bundle;
                continue;
            }
            for (size_t i = 0; i < bundle->n; i++) {
                struct pp_event_ref ref = planner->grouped.ref[bundle->first + i];
                int err = holds(&planner->common, ref) ? 0 : pp_event_refs_push(&planner->common, ref);
                if (err)
                    return err;
            }
        }
        planner->bundles = kept;
        any = 1;
    }
    return any;
}

static int
pack_both_ways(struct packer *packer, struct packing packing[2])
{
    int err = sort_bundles(packer);
    if (!err && !packer->planner->bundles && packer->planner->common.n)
        err = open_set(packer->planner, &packing[0]);
    else if (!err)
        err = pack(packer, false, &packing[0]);
    if (!err && packing[0].sets > 1)
        err = pack(packer, true, &packing[1]);
    return err;
}

static int
pack_best(struct packer *packer, struct packing packing[2], struct pp_event_plan *ret)
{
    int err = pack_both_ways(packer, packing);
    if (!err && packing[0].sets > 1) {
        int shared = share(packer);
        err = shared < 0 ? shared : 0;
        if (shared > 0) {
            packing_finish(&packing[0]);
            packing_finish(&packing[1]);
            err = pack_both_ways(packer, packing);
        }
    }
    if (err)
        return err;
    bool second =
        packing[1].sets && (packing[1].left < packing[0].left ||
                            (packing[1].left == packing[0].left && packing[1].sets < packing[0].sets));
    err = hand_over(packer->planner, &packing[second], ret);
    return err ? err : drop_unplaced(packer->planner);
}

int
pp_event_pack(struct pp_event_planner *planner, struct pp_event_plan *ret)
{
    size_t events = planner->common.n + planner->grouped.n + 1;
    struct packer packer = {
        .planner = planner,
        .scratch = calloc(events, sizeof(*packer.scratch)),
        .order = calloc(planner->bundles + 1, sizeof(*packer.order)),
        .done = calloc(planner->bundles + 1, sizeof(*packer.done)),
    };
    struct packing *packing = calloc(2, sizeof(*packing));
    int err =
        packer.scratch && packer.order && packer.done && packing ? pack_best(&packer, packing, ret) : -ENOMEM;
    if (packing) {
        packing_finish(&packing[0]);
        packing_finish(&packing[1]);
    }
    free(packing);
    free(packer.scratch);
    free(packer.order);
    free(packer.done);
    return err;
}

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
