/** @file
 * A recorded sequence of passes and work with the numbers of the brackets that enclose them. A Vulkan
 * command buffer holds one and it is replayed at each submission; in OpenGL each batch holds its own. Knows
 * no graphics API, no thread: whoever owns the program calls. See also tracker.h (writes it), batch.h
 * (carries it). */
#ifndef PP_CORE_MODEL_ACTION_LIST_H
#define PP_CORE_MODEL_ACTION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/action.h"

#define PP_NO_BRACKET UINT32_MAX
#define PP_NO_PASS    UINT32_MAX

/** pp_pass.flags */
enum {
    PP_PASS_CONTINUED =
        1U << 0, /**< goes on from the pass before, of this batch or the previous one: same row */
    PP_PASS_CONDITIONAL = 1U << 1, /**< under conditional rendering: near-zero figures are legal */
    PP_PASS_SUSPENDED = 1U << 2,   /**< ends suspended; the next program's first pass resumes it: same row */
    PP_PASS_OVERLAPPED = 1U << 3,  /**< under --serialize: other work may have run beside it nevertheless */
    PP_PASS_APART = 1U << 4,       /**< under --serialize: a render pass whose actions ran one by one */
};

/** pp_action.indirect: only one is not known */
enum { PP_INDIRECT_VERTICES = 2, PP_INDIRECT_INSTANCES = 3 };

/** One pass. */
struct pp_pass {
    uint8_t kind; /**< enum pp_pass_kind */
    uint8_t flags;
    uint16_t reserved;
    pp_render_target_id render_target;
    pp_label_id label; /**< label path in force at its begin */
    uint32_t draws;
    uint32_t dispatches;
    uint32_t copies;
    uint32_t cleared; /**< bit i: attachment i was cleared as the first thing (where the API tells it late) */
    uint32_t discarded; /**< bit i: attachment i was invalidated at the end */
    uint32_t undefined; /**< bit i: attachment i was invalidated before the first work */
    uint32_t bracket;   /**< number of its bracket in the program, or PP_NO_BRACKET */
    uint32_t actions;   /**< actions recorded for it (level draw) */
};

/** One action (level draw). */
struct pp_action {
    uint8_t kind;     /**< enum pp_action_kind */
    uint8_t indirect; /**< 1: vertices, instances and groups are not known and stay empty; or PP_INDIRECT_* */
    uint8_t overlapped; /**< under --serialize: other work may have run beside it nevertheless */
    uint8_t reserved;
    uint32_t pass;     /**< index of its pass in the program */
    pp_string_id call; /**< "glDrawElements", "vkCmdDraw" */
    pp_label_id label;
    pp_string_id pipeline;
    uint32_t instances;
    uint64_t vertices;
    uint64_t groups; /**< thread groups of a dispatch, x*y*z */
    uint32_t bracket;
    uint32_t resource; /**< what it uses that tells it from others in this process: a texture; 0: not known */
};

/** The sequence. Arrays grow by pp_action_list_reserve(); begin with all zero. */
struct pp_action_list {
    struct pp_pass *pass;
    struct pp_action *action;
    uint32_t passes;
    uint32_t actions;
    uint32_t pass_cap;
    uint32_t action_cap;
    uint32_t brackets;    /**< brackets used; the next one gets this number */
    uint32_t bracket_cap; /**< brackets that there is room for; UINT32_MAX: the front end has no limit */
};

/**
 * Make room. Grows by doubling; never shrinks.
 *
 * @retval 0       There is room for @p passes and @p works in all.
 * @retval -ENOMEM No memory; the program is unchanged.
 */
__attribute__((warn_unused_result)) int pp_action_list_reserve(struct pp_action_list *action_list,
                                                               uint32_t passes, uint32_t actions);

/** Forget the contents, keep the memory. */
void pp_action_list_reset(struct pp_action_list *action_list);

/** Free the arrays. The struct is the caller's and all zero afterwards. */
void pp_action_list_finish(struct pp_action_list *action_list);

#endif
