/** @file
 * An action list: recorded passes and actions, with the numbers of their brackets. A Vulkan command buffer
 * holds one action list, which counts again at each submission. In OpenGL each batch holds an action list. An
 * action list has no lock: only its owner may use it. This file knows no graphics API. See also tracker.h
 * (writes action lists) and batch.h (carries them). */
#ifndef PP_CORE_MODEL_ACTION_LIST_H
#define PP_CORE_MODEL_ACTION_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/action.h"

#define PP_NO_BRACKET UINT32_MAX
#define PP_NO_PASS    UINT32_MAX

/** pp_pass.flags */
enum {
    PP_PASS_CONTINUED =
        1U << 0, /**< Continues the pass before, of this batch or the previous one: same row. */
    PP_PASS_CONDITIONAL = 1U << 1, /**< under conditional rendering: near-zero figures are legal */
    PP_PASS_SUSPENDED =
        1U << 2, /**< Ends suspended; the first pass of the next action list resumes it: same row. */
    PP_PASS_OVERLAPPED =
        1U << 3, /**< under --serialize: the pass is nevertheless possibly overlapped by other work */
    PP_PASS_ACTIONS_SERIALIZED =
        1U << 4, /**< under --serialize: its actions ran one by one, with an idle GPU between two */
};

/** Values of pp_action.indirect where only one number is unknown. */
enum { PP_INDIRECT_VERTICES = 2, PP_INDIRECT_INSTANCES = 3 };

/** One pass. */
struct pp_pass {
    uint8_t kind; /**< enum pp_pass_kind */
    uint8_t flags;
    uint16_t program; /**< tells passes on the same target apart in this process: from the handle of the
                         shader program or pipeline of the first draw or dispatch; 0: none */
    pp_render_target_id render_target;
    pp_label_id label; /**< label path at the begin of the pass */
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    uint32_t cleared;   /**< bit i: attachment i was cleared first (for APIs that clear after the begin) */
    uint32_t discarded; /**< bit i: attachment i was invalidated at the end */
    uint32_t undefined; /**< bit i: attachment i was invalidated before the first action */
    uint32_t bracket;   /**< number of the pass's bracket in the action list, or PP_NO_BRACKET */
    uint32_t actions;   /**< actions recorded for the pass (level draw) */
    uint32_t stack;     /**< number of the call stack that began the pass; 0: none */
};

/** One action (level draw). */
struct pp_action {
    uint8_t kind;     /**< enum pp_action_kind */
    uint8_t indirect; /**< 1: vertices, instances and groups are not known and stay empty; or PP_INDIRECT_* */
    uint8_t
        overlapped; /**< under --serialize: the action is nevertheless possibly overlapped by other work */
    uint8_t reserved;
    uint32_t pass;     /**< index of the action's pass in the action list */
    pp_string_id call; /**< "glDrawElements", "vkCmdDraw" */
    pp_label_id label;
    pp_string_id pipeline;
    uint32_t instances;
    uint64_t vertices;
    uint64_t groups; /**< thread groups of a dispatch, x*y*z */
    uint32_t bracket;
    uint32_t resource; /**< resource that distinguishes the action from others in this process, such as a
                          texture; 0: not known */
};

/** An action list. The arrays grow by pp_action_list_reserve(). Zero the struct before use. */
struct pp_action_list {
    struct pp_pass *pass;
    struct pp_action *action;
    uint32_t passes;
    uint32_t actions;
    uint32_t pass_cap;
    uint32_t action_cap;
    uint32_t *stack; /**< numbers of the call stacks of the first `stacks` actions; the others have none */
    uint32_t stacks;
    uint32_t stack_cap;
    uint32_t brackets;    /**< brackets used; the next one gets this number */
    uint32_t bracket_cap; /**< number of brackets that fit; UINT32_MAX: the front end has no limit */
    bool lacks_actions;   /**< actions at level draw were only counted, because memory was short */
};

/**
 * Make the arrays large enough. Arrays grow by doubling and never shrink.
 *
 * @retval 0       The arrays can hold @p passes and @p actions in all.
 * @retval -ENOMEM No memory; the action list is unchanged.
 */
__attribute__((warn_unused_result)) int pp_action_list_reserve(struct pp_action_list *action_list,
                                                               uint32_t passes, uint32_t actions);

/** What pp_action_list_set_stack() does where the array of stacks is too short or has a gap. */
void pp_action_list_add_stack(struct pp_action_list *action_list, uint32_t action, uint32_t stack);

/** Note the number of an action's call stack. Without memory the action has none. @p action Number of the
 * action, not lower than the last one. Hot. */
static inline void
pp_action_list_set_stack(struct pp_action_list *action_list, uint32_t action, uint32_t stack)
{
    if (action != action_list->stacks || action >= action_list->stack_cap) {
        pp_action_list_add_stack(action_list, action, stack);
        return;
    }
    action_list->stack[action] = stack;
    action_list->stacks++;
}

/** Note the call stacks of actions that were copied from another action list. */
void pp_action_list_copy_stacks(struct pp_action_list *to, uint32_t to_first,
                                const struct pp_action_list *from, uint32_t from_first, uint32_t actions);

/** Number of the call stack of an action; 0: none. */
static inline uint32_t
pp_action_list_stack(const struct pp_action_list *action_list, uint32_t action)
{
    return action < action_list->stacks ? action_list->stack[action] : 0;
}

/** Empty an action list, but keep its memory. */
void pp_action_list_reset(struct pp_action_list *action_list);

/** Free the arrays of an action list. The struct stays the caller's and is all zero afterwards. */
void pp_action_list_finish(struct pp_action_list *action_list);

#endif
