/** @file
 * An action list: recorded passes and actions, with the numbers of their brackets. A Vulkan command buffer
 * holds one action list, which counts again at each submission. In OpenGL each batch holds an action list. An
 * action list has no lock: only its owner may use it. This file knows no graphics API. See also tracker.h
 * (writes action lists) and batch.h (carries them).
 *
 * Words for GPU work that name no graphics API: passes, actions, and the render target of a pass. Front ends
 * describe the application's work with them. */
#ifndef PP_CORE_MODEL_ACTION_LIST_H
#define PP_CORE_MODEL_ACTION_LIST_H

#include <stdbool.h>
#include <stdint.h>

/** Kind of a pass. FRAME is the one bracket around all actions of a frame (or command buffer) at level
 * `frame`. */
enum pp_pass_kind {
    PP_PASS_NONE = 0, /**< no pass is open */
    PP_PASS_RENDER,
    PP_PASS_COMPUTE,
    PP_PASS_TRANSFER,
    PP_PASS_TRACE_RAYS,
    PP_PASS_BARRIER, /**< what a driver does in barriers that change the layout of images: no actions */
    PP_PASS_FRAME,
    PP_PASS_KIND_COUNT
};

/** Kind of an action. The kind decides whether the action counts in `draws`, `dispatches` or `copies`. */
enum pp_action_kind {
    PP_ACTION_DRAW = 0,   /**< counts as draw; renders */
    PP_ACTION_MESH_TASKS, /**< counts as draw; renders */
    PP_ACTION_CLEAR,      /**< clears attachments of the current render target; renders, is not counted */
    PP_ACTION_DISPATCH,   /**< counts as dispatch */
    PP_ACTION_TRACE_RAYS, /**< counts as dispatch */
    PP_ACTION_BUILD,      /**< acceleration structures; counts as dispatch */
    PP_ACTION_COPY,       /**< counts as copy, like all below */
    PP_ACTION_BLIT,
    PP_ACTION_RESOLVE,
    PP_ACTION_FILL, /**< fills, updates and clears of resources outside a render pass */
    PP_ACTION_UPLOAD,
    PP_ACTION_READBACK,
    PP_ACTION_MIPMAP,
};

/** Kind of the pass that actions of this kind belong to. */
static inline enum pp_pass_kind
pp_action_pass_kind(enum pp_action_kind kind)
{
    if (kind <= PP_ACTION_CLEAR)
        return PP_PASS_RENDER;
    if (kind == PP_ACTION_DISPATCH)
        return PP_PASS_COMPUTE;
    return kind <= PP_ACTION_BUILD ? PP_PASS_TRACE_RAYS : PP_PASS_TRANSFER;
}

/** Name of a pass kind as written in passes.csv: "render", "compute", ... */
const char *pp_pass_kind_name(enum pp_pass_kind kind);

/** What happens to the contents of an attachment at the begin and the end of a pass. */
enum pp_attachment_op {
    PP_OP_UNKNOWN = 0, /**< the API does not say */
    PP_OP_KEEP,        /**< load; store */
    PP_OP_CLEAR,       /**< cleared at begin */
    PP_OP_DISCARD,     /**< don't care; invalidated */
    PP_OP_NONE,        /**< not accessed at all */
};

/** One attachment of a render target. All texts are UTF-8, NUL-terminated, and cut if they are too long. */
struct pp_attachment {
    char role[16];   /**< "color0", "depth", "stencil", "depth_stencil", "resolve0" */
    char format[48]; /**< as the API spells it without its prefix: "RGBA8", "R8G8B8A8_UNORM" */
    char name[64];   /**< the application's debug name of the image; "" if none */
    uint8_t load;    /**< enum pp_attachment_op */
    uint8_t store;   /**< enum pp_attachment_op */
};

#define PP_MAX_ATTACHMENTS 20U

/** Everything that a pass renders to. Zero the struct before filling it: render targets are compared byte
 * by byte. */
struct pp_render_target {
    char name[96]; /**< debug name of framebuffer or pass, or "window"; "" if none */
    uint32_t width;
    uint32_t height;
    uint32_t layers;
    uint32_t samples; /**< 1: not multisampled */
    uint32_t attachments;
    struct pp_attachment attachment[PP_MAX_ATTACHMENTS];
};

/** Ids of interned data (core/engine/names.h). The id 0 is always valid and means an empty text or render
 * target. */
typedef uint32_t pp_render_target_id;
typedef uint32_t pp_label_id;  /**< a label path: parent and text; see pp_label_kept() */
typedef uint32_t pp_string_id; /**< any text: call names, pipeline names, queue names */

/** First bit of the part of a label id that counts regions inside the label which did not fit into the
 * label table. */
#define PP_LABEL_DEEPER_BIT 20

/** Id of the innermost region that is in the label table. The output files show this label. */
static inline pp_label_id
pp_label_kept(pp_label_id label)
{
    return label & ((UINT32_C(1) << PP_LABEL_DEEPER_BIT) - 1);
}

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
