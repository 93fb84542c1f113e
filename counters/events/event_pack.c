/** @file
 * From events to sets that fit: first fit, in two orders. Drivers are asked whether a choice fits, which may
 * take as long as the choice: of thousands of events not each is tried with each, so that the time grows
 * little faster than their number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_planner.h"
#include "counters/events/rotation.h"

#define MAX_PAIRED 128  /**< units up to which each is tried with each, one by one */
#define MAX_TURNED 1024 /**< events up to which the reverse order is tried, too */
#define MOST_UNITS 1024 /**< that are tried at a time */
#define SKIP_EVERY 8    /**< refusals after which one unit more is skipped from one trial to the next */
#define TOO_MANY   "more than 64 sets would be needed: ask for fewer events at a time"

/** What one way of packing gives. */
struct packing {
    struct pp_refs set[PP_MUX_SETS];
    size_t sets;
    size_t left; /**< units that are in none */
};

/** What is at hand while a plan is packed. */
struct bench {
    struct pp_plan *plan;
    uint32_t *scratch; /**< room for all events */
    size_t *order;     /**< of the units */
    bool *done;        /**< of each unit */
};

/* Do the events of one source in `set` fit, in their order or in the reverse, which is then kept? */
static bool
source_fits(const struct bench *bench, struct pp_refs *set, uint32_t source)
{
    const struct pp_event_source *s = &bench->plan->source[source];
    uint32_t *scratch = bench->scratch;
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        if (set->ref[i].source == source)
            scratch[n++] = set->ref[i].event;
    }
    if (!n || s->ops->fits(s->self, scratch, n) > 0)
        return true;
    if (n > MAX_TURNED)
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
holds(const struct pp_refs *refs, struct pp_event_ref ref)
{
    for (size_t i = 0; i < refs->n; i++) {
        if (refs->ref[i].source == ref.source && refs->ref[i].event == ref.event)
            return true;
    }
    return false;
}

/* Add units to a set if all still fits. @return 1 added, 0 they do not fit, -errno. */
static int
try_add(const struct bench *bench, struct pp_refs *set, const size_t *unit, size_t units)
{
    const struct pp_plan *plan = bench->plan;
    size_t before = set->n;
    for (size_t u = 0; u < units; u++) {
        const struct pp_plan_unit *one = &plan->unit[unit[u]];
        for (size_t i = 0; i < one->n; i++) {
            struct pp_event_ref ref = plan->grouped.ref[one->first + i];
            /* Alone in its unit, it is in no other one. */
            int err = one->n > 1 && holds(set, ref) ? 0 : pp_refs_push(set, ref);
            if (err)
                return err;
        }
    }
    for (uint32_t s = 0; s < plan->sources; s++) {
        if (!plan->source[s].ops->fits || source_fits(bench, set, s))
            continue;
        set->n =
            before; /* sources already asked may have been turned round: their order is good either way */
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
open_set(const struct pp_plan *plan, struct packing *packing)
{
    struct pp_refs *set = &packing->set[packing->sets++];
    *set = (struct pp_refs){0};
    for (size_t i = 0; i < plan->common.n; i++) {
        int err = pp_refs_push(set, plan->common.ref[i]);
        if (err)
            return err;
    }
    return 0;
}

/* The next units that are left, from place *at on, which moves behind them. @return How many. */
static size_t
next_units(const struct bench *bench, bool backwards, size_t *at, size_t most, size_t *unit)
{
    size_t n = 0;
    for (; *at < bench->plan->units && n < most; (*at)++) {
        size_t u = bench->order[backwards ? bench->plan->units - 1 - *at : *at];
        if (!bench->done[u])
            unit[n++] = u;
    }
    return n;
}

/* Fill a set with what is left and fits: runs of units, twice as long while they fit; where they do not, one
 * by one, and with more and more left out. @return Units added, -errno. */
static long
fill_set(struct bench *bench, bool backwards, struct pp_refs *set)
{
    size_t unit[MOST_UNITS];
    const struct pp_plan *plan = bench->plan;
    bool large = plan->units > MAX_PAIRED;
    size_t run = 1, refused = 0;
    long added = 0;
    for (size_t at = 0; at < plan->units;) {
        size_t from = at, n = next_units(bench, backwards, &at, run, unit);
        int fits = n ? try_add(bench, set, unit, n) : 0;
        if (fits < 0)
            return fits;
        for (size_t i = 0; i < n && fits; i++)
            bench->done[unit[i]] = true;
        added += fits ? (long)n : 0;
        if (fits) {
            refused = 0;
            run = large && 2 * run <= MOST_UNITS ? 2 * run : run;
        } else if (n > 1) {
            run /= 2;
            at = from;
        } else if (n && !added) { /* it is the first */
            const struct pp_plan_unit *one = &plan->unit[unit[0]];
            return pp_plan_fail(bench->plan, one->item, -ENOSPC,
                                one->n > 1 ? "the events of this group cannot be measured together"
                                           : "an event of this item cannot be measured, not even alone");
        } else if (large) {
            (void)next_units(bench, backwards, &at, ++refused / SKIP_EVERY, unit);
        }
    }
    return added;
}

/* First fit: open a set with the first unit that is left, then add each next one that fits. */
static int
pack(struct bench *bench, bool backwards, struct packing *ret)
{
    memset(bench->done, 0, (bench->plan->units + 1) * sizeof(*bench->done));
    ret->sets = 0;
    for (ret->left = bench->plan->units; ret->left > 0 && ret->sets < PP_MUX_SETS;) {
        int err = open_set(bench->plan, ret);
        long added = err ? err : fill_set(bench, backwards, &ret->set[ret->sets - 1]);
        if (added < 0)
            return (int)added;
        ret->left -= (size_t)added;
    }
    return 0;
}

/* Count for every unit those that it can be with, and sort: loneliest first, else as asked. */
static int
sort_units(struct bench *bench)
{
    struct pp_plan *plan = bench->plan;
    struct pp_refs set = {0};
    for (size_t u = 0; u < plan->units; u++)
        plan->unit[u].partners = 0;
    for (size_t u = 0; u < plan->units && plan->units <= MAX_PAIRED; u++) {
        for (size_t v = 0; v < u; v++) {
            set.n = 0;
            int first = try_add(bench, &set, &u, 1);
            int both = first == 1 ? try_add(bench, &set, &v, 1) : first;
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
        for (; at > 0 && plan->unit[bench->order[at - 1]].partners > plan->unit[u].partners; at--)
            bench->order[at] = bench->order[at - 1];
        bench->order[at] = u;
    }
    return 0;
}

/* Hand a packing over: sets with the events of each source beside each other. */
static int
hand_over(struct pp_plan *plan, const struct packing *packing, struct pp_event_plan *ret)
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
                if (packing->set[i].ref[j].source != s)
                    continue;
                int err = pp_plan_mark(plan, packing->set[i].ref[j], PP_MARK_PLACED);
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

/* Events that no set has are missing. */
static int
drop_unplaced(struct pp_plan *plan)
{
    size_t kept = 0;
    int err = 0;
    for (size_t i = 0; i < plan->wanted.n && !err; i++) {
        struct pp_event_ref ref = plan->wanted.ref[i];
        if (pp_plan_marked(plan, ref, PP_MARK_PLACED))
            plan->wanted.ref[kept++] = ref;
        else
            err = pp_plan_add_missing(plan, ref, TOO_MANY);
    }
    plan->wanted.n = kept;
    return err;
}

/* May all that is wanted of a source be in every set? If it fits at once, and no group holds it together with
 * another source's, since those are always measured together. */
static bool
may_share(const struct bench *bench, uint32_t source)
{
    const struct pp_plan *plan = bench->plan;
    const struct pp_event_source *s = &plan->source[source];
    size_t n = 0;
    for (size_t i = 0; i < plan->common.n; i++)
        if (plan->common.ref[i].source == source)
            bench->scratch[n++] = plan->common.ref[i].event;
    size_t always = n;
    for (size_t u = 0; u < plan->units; u++) {
        const struct pp_event_ref *ref = &plan->grouped.ref[plan->unit[u].first];
        for (size_t i = 0; i < plan->unit[u].n; i++) {
            if ((ref[i].source == source) != (ref[0].source == source))
                return false;
            if (ref[i].source == source)
                bench->scratch[n++] = ref[i].event;
        }
    }
    return n > always && s->ops->fits && s->ops->fits(s->self, bench->scratch, n) > 0;
}

/* Put what never has to take turns into every set. @return Whether there is such a source; -errno. */
static int
share(const struct bench *bench)
{
    struct pp_plan *plan = bench->plan;
    int any = 0;
    for (uint32_t s = 0; s < plan->sources; s++) {
        size_t kept = 0;
        if (!may_share(bench, s))
            continue;
        for (size_t u = 0; u < plan->units; u++) {
            const struct pp_plan_unit *unit = &plan->unit[u];
            if (plan->grouped.ref[unit->first].source != s) {
                plan->unit[kept++] = *unit;
                continue;
            }
            for (size_t i = 0; i < unit->n; i++) {
                struct pp_event_ref ref = plan->grouped.ref[unit->first + i];
                int err = holds(&plan->common, ref) ? 0 : pp_refs_push(&plan->common, ref);
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
pack_both_ways(struct bench *bench, struct packing packing[2])
{
    int err = sort_units(bench);
    if (!err && !bench->plan->units && bench->plan->common.n)
        err = open_set(bench->plan, &packing[0]);
    else if (!err)
        err = pack(bench, false, &packing[0]);
    if (!err && packing[0].sets > 1)
        err = pack(bench, true, &packing[1]);
    return err;
}

static int
pack_best(struct bench *bench, struct packing packing[2], struct pp_event_plan *ret)
{
    int err = pack_both_ways(bench, packing);
    if (!err && packing[0].sets > 1) {
        int shared = share(bench);
        err = shared < 0 ? shared : 0;
        if (shared > 0) {
            packing_finish(&packing[0]);
            packing_finish(&packing[1]);
            err = pack_both_ways(bench, packing);
        }
    }
    if (err)
        return err;
    bool second =
        packing[1].sets && (packing[1].left < packing[0].left ||
                            (packing[1].left == packing[0].left && packing[1].sets < packing[0].sets));
    err = hand_over(bench->plan, &packing[second], ret);
    return err ? err : drop_unplaced(bench->plan);
}

int
pp_plan_pack(struct pp_plan *plan, struct pp_event_plan *ret)
{
    size_t events = plan->common.n + plan->grouped.n + 1;
    struct bench bench = {
        .plan = plan,
        .scratch = calloc(events, sizeof(*bench.scratch)),
        .order = calloc(plan->units + 1, sizeof(*bench.order)),
        .done = calloc(plan->units + 1, sizeof(*bench.done)),
    };
    struct packing *packing = calloc(2, sizeof(*packing));
    int err =
        bench.scratch && bench.order && bench.done && packing ? pack_best(&bench, packing, ret) : -ENOMEM;
    if (packing) {
        packing_finish(&packing[0]);
        packing_finish(&packing[1]);
    }
    free(packing);
    free(bench.scratch);
    free(bench.order);
    free(bench.done);
    return err;
}
