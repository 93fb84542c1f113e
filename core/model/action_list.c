/** @file
 * Memory of action lists; see action_list.h. */
#include "core/model/action_list.h"

#include "core/util/array.h"

#include <stdlib.h>
#include <string.h>

int
pp_action_list_reserve(struct pp_action_list *action_list, uint32_t passes, uint32_t actions)
{
    int rc = pp_array_grow(&action_list->pass, &action_list->pass_cap, passes, sizeof(*action_list->pass));
    return rc ? rc
              : pp_array_grow(&action_list->action, &action_list->action_cap, actions,
                              sizeof(*action_list->action));
}

void
pp_action_list_reset(struct pp_action_list *action_list)
{
    action_list->passes = 0;
    action_list->actions = 0;
    action_list->brackets = 0;
}

void
pp_action_list_finish(struct pp_action_list *action_list)
{
    free(action_list->pass);
    free(action_list->action);
    memset(action_list, 0, sizeof(*action_list));
}
