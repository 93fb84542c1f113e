/** @file
 * See event_keep.h. */
#include "counters/events/event_keep.h"

#include <stdbool.h>

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
