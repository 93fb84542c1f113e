/** @file
 * See action_list.h. Memory of action lists;
 *
 * Names of pass kinds; */
#include "core/model/action_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"

const char *
pp_pass_kind_name(enum pp_pass_kind kind)
{
    static const char *const name[PP_PASS_KIND_COUNT] = {
        [PP_PASS_NONE] = "none",         [PP_PASS_RENDER] = "render",         [PP_PASS_COMPUTE] = "compute",
        [PP_PASS_TRANSFER] = "transfer", [PP_PASS_TRACE_RAYS] = "trace-rays", [PP_PASS_BARRIER] = "barrier",
        [PP_PASS_FRAME] = "frame",
    };
    return (unsigned)kind < PP_PASS_KIND_COUNT ? name[kind] : "unknown";
}

int
pp_action_list_reserve(struct pp_action_list *action_list, uint32_t passes, uint32_t actions)
{
    int rc = pp_array_grow(&action_list->pass, &action_list->pass_cap, passes, sizeof(*action_list->pass));
    return rc ? rc
              : pp_array_grow_within(&action_list->action, &action_list->action_cap, actions,
                                     sizeof(*action_list->action));
}

void
pp_action_list_add_stack(struct pp_action_list *action_list, uint32_t action, uint32_t stack)
{
    if (action >= action_list->stack_cap &&
        pp_array_grow_within(&action_list->stack, &action_list->stack_cap, (size_t)action + 1,
                             sizeof(*action_list->stack)))
        return;
    while (action_list->stacks < action)
        action_list->stack[action_list->stacks++] = 0;
    action_list->stack[action] = stack;
    if (action == action_list->stacks)
        action_list->stacks++;
}

void
pp_action_list_copy_stacks(struct pp_action_list *to, uint32_t to_first, const struct pp_action_list *from,
                           uint32_t from_first, uint32_t actions)
{
    for (uint32_t i = 0; i < actions && from_first + i < from->stacks; i++)
        pp_action_list_set_stack(to, to_first + i, from->stack[from_first + i]);
}

void
pp_action_list_reset(struct pp_action_list *action_list)
{
    action_list->stacks = 0;
    action_list->passes = 0;
    action_list->actions = 0;
    action_list->brackets = 0;
    action_list->lacks_actions = false;
}

void
pp_action_list_finish(struct pp_action_list *action_list)
{
    free(action_list->pass);
    free(action_list->action);
    free(action_list->stack);
    memset(action_list, 0, sizeof(*action_list));
}
