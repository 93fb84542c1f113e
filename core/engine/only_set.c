/** @file
 * See only_set.h. */
#include "core/engine/only_set.h"

#include "counters/events/event_plan.h"

/* Does the plan have an event of a source that allows one open bracket only? */
static bool
is_exclusive(const struct pp_event_plan *plan, const struct pp_event_source *source, size_t sources)
{
    bool exclusive = false;
    for (size_t k = 0; k < plan->sets && !exclusive; k++)
        for (uint32_t s = 0; s < sources && !exclusive; s++)
            exclusive = source[s].ops->exclusive && pp_event_set_of_source(&plan->set[k], s, NULL, 0) > 0;
    return exclusive;
}

void
pp_only_set_keep(const struct pp_config *config, struct pp_event_plan *plan,
                 const struct pp_event_source *source, size_t sources, bool of_brackets,
                 struct pp_only_set *ret)
{
    uint32_t sets = pp_event_plan_limited_sets(plan, source), number = (uint32_t)config->only_set;
    *ret = (struct pp_only_set){.given = config->only_set_given};
    if (!ret->given)
        return;
    ret->halves = of_brackets && config->level == PP_LEVEL_DRAW && is_exclusive(plan, source, sources);
    ret->of = ret->halves ? 2 * sets : sets;
    ret->number = number;
    ret->actions = ret->halves && number > sets && number <= ret->of;
    if (number > ret->of)
        number = 0;
    pp_event_plan_keep(plan, source, ret->actions ? number - sets : number);
}
