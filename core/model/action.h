/** @file
 * Words for GPU work that name no graphics API: passes, actions, and the render target of a pass. Front ends
 * describe the application's work with them. See also action_list.h. */
#ifndef PP_CORE_MODEL_ACTION_H
#define PP_CORE_MODEL_ACTION_H

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

#endif
