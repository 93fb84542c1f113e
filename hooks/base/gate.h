/** @file
 * The gate of a context: the one place that decides whether and how an action is recorded. draw.h and draw.c
 * carry the decision out. */
#ifndef PP_HOOKS_BASE_GATE_H
#define PP_HOOKS_BASE_GATE_H

#include <stdint.h>

#include "core/model/action_list.h"
#include "core/util/compiler.h"

/** Bits of pp_gl_context.gate: why an action needs more than to be counted. 0: it is only counted. */
enum {
    PP_GATE_BATCH = 1U << 0,  /**< the frame has no batch yet */
    PP_GATE_TARGET = 1U << 1, /**< binding or attachments of the draw framebuffer may have changed */
    PP_GATE_DRAW = 1U << 2,   /**< level draw */
    PP_GATE_LIST = 1U << 3,   /**< between glNewList and glEndList: nothing may be injected */
    PP_GATE_BEGIN = 1U << 4,  /**< between glBegin and glEnd: nothing may be injected */
    PP_GATE_SKIP = 1U << 5,   /**< there is no batch for this frame: measure nothing until its end */
    PP_GATE_MARKER = 1U << 6, /**< the annotate API may end the frame: look at every action */
    PP_GATE_SCENE =
        1U << 7, /**< deferred renderer, see deferred_renderer.h: look at all but draws and clears */
    PP_GATE_FIRST = 1U << 8,     /**< deferred renderer, and nothing was drawn yet into the next scene */
    PP_GATE_SUBMITTED = 1U << 9, /**< work was submitted: another thread may have ended its frame since */
    PP_GATE_COMPUTE = 1U << 10,  /**< the frame's bracket counts no compute shaders yet: look at dispatches */
    PP_GATE_INSIDE = PP_GATE_LIST | PP_GATE_BEGIN, /**< nothing may be injected now */
};

/** How an action is recorded. */
enum pp_gl_record {
    PP_RECORD_COUNTED,  /**< counted: the open pass, frame and render target are known to be the right ones */
    PP_RECORD_MEASURED, /**< measured by a bracket of its own; nothing changed since the last draw */
    PP_RECORD_AFTER_UPDATE, /**< counted or measured, after what the gate names was brought up to date: the
                               frame, the render target, the scene */
    PP_RECORD_NOT,          /**< not recorded: it belongs to an open action, or its frame is not measured */
};

/** Decide how an action of @p kind is recorded. A deferred renderer looks at every action but draws and
 * clears, of which it needs only the first one (PP_GATE_FIRST). The kind is a constant in the callers. Hot.
 */
static inline enum pp_gl_record
pp_gl_decide(uint32_t gate, enum pp_action_kind kind)
{
    gate &= kind <= PP_ACTION_CLEAR      ? ~(uint32_t)(PP_GATE_SCENE | PP_GATE_COMPUTE)
            : kind != PP_ACTION_DISPATCH ? ~(uint32_t)PP_GATE_COMPUTE
                                         : UINT32_MAX;
    if (PP_LIKELY(gate == 0))
        return PP_RECORD_COUNTED;
    if (gate == PP_GATE_DRAW)
        return PP_RECORD_MEASURED;
    return gate & (PP_GATE_INSIDE | PP_GATE_SKIP) ? PP_RECORD_NOT : PP_RECORD_AFTER_UPDATE;
}

#endif
