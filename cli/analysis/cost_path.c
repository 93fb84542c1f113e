/** @file
 * See cost_path.h. */
#include "cli/analysis/cost_path.h"

const char *
pp_cost_path(const struct pp_saved_session *rec)
{
    if (rec->window.recorded)
        return "window.own_cost";
    return pp_saved_number(rec, "own_cost.without_first.frames") > 0 ? "own_cost.without_first" : "own_cost";
}
