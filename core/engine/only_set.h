/** @file
 * One counter set in all frames (--only-set). This file knows no sessions and no graphics API. See also
 * event_selection.h and system_counters.h, which plan the sets. */
#ifndef PP_CORE_ENGINE_ONLY_SET_H
#define PP_CORE_ENGINE_ONLY_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "counters/events/event_plan.h"

/** Which set of a plan is measured, and where. Runs with the numbers 1 to `of` measure all. */
struct pp_only_set {
    bool given;   /**< false: all sets are measured, in rotation */
    bool halves;  /**< each set has two numbers: the first half of the numbers is measured around passes, the
                     second half around actions */
    bool actions; /**< number is in the second half */
    uint32_t number; /**< as asked for; larger than `of`: only events without limits are measured, as for 0 */
    uint32_t of;     /**< numbers in all; 0: no event has limits */
};

/**
 * Keep the set of a plan that --only-set asks for. Sources that allow one open bracket only measure either
 * passes or actions. So at level draw each set has two numbers.
 *
 * @param plan        Changed only if the option was given.
 * @param source      The sources of which the plan was made.
 * @param of_brackets false: the plan has frames only; no set has two numbers.
 * @param ret         Filled in.
 */
void pp_only_set_keep(const struct pp_config *config, struct pp_event_plan *plan,
                      const struct pp_event_source *source, size_t sources, bool of_brackets,
                      struct pp_only_set *ret);

#endif
