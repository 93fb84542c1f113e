/** @file
 * Times of passes on deferred renderers: Mesa's llvmpipe and softpipe. Such a renderer collects the work of a
 * framebuffer, a "scene", and the CPU draws the whole scene later. deferred_renderer.c describes how times
 * are found. */
#ifndef PP_HOOKS_MEASURE_DEFERRED_RENDERER_H
#define PP_HOOKS_MEASURE_DEFERRED_RENDERER_H

#include "core/engine/tracker.h"

struct pp_gl_context;
struct pp_gl_bracket;

/** The part of a pass that is open. */
struct pp_gl_scene {
    uint32_t bracket; /**< bracket of the part; UINT32_MAX: no part is open */
    uint8_t kind;     /**< enum pp_action_kind of the action under way */
    bool drawn;       /**< something was drawn into a scene */
    bool unsent;      /**< the last draw may wait in its scene for the framebuffer's next draws */
    bool apart;       /**< the part has an action that no draw may join: one in a scene by itself, or one
                           that waited for scenes */
    uint64_t target;  /**< serial of the render target at the part's begin */
    uint64_t call_ns; /**< when the call of the action under way began */
    uint64_t busy_ns; /**< time in calls that did their work before they returned */
    uint64_t done_ns; /**< when the last such call returned; 0: there was none */
    uint64_t end_ns;  /**< end of the part that was read last */
};

/** The bracket of a pass begins. @return Nanoseconds that this call waited for the scenes before the pass;
 * the application would have to wait for them later in any case. */
uint64_t pp_gl_scene_begin(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind);

/** The bracket of a pass ends. */
void pp_gl_scene_end(struct pp_gl_context *ctx, struct pp_gl_bracket *bracket, uint32_t number);

/** Submit what was drawn to the renderer's threads, unless that was already done. For frames that end in a
 * call that submits nothing. */
void pp_gl_scene_submit(struct pp_gl_context *ctx);

/** An action is about to be counted; the application called its function. */
void pp_gl_scene_before_action(struct pp_gl_context *ctx, enum pp_action_kind kind);
void pp_gl_scene_after_action(struct pp_gl_context *ctx);

/** Put the begin and the end of a pass's bracket into its rows. The results of its queries must be available.
 */
void pp_gl_scene_read(struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket, uint8_t *begin,
                      uint8_t *end);

#endif
