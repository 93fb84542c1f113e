/** @file
 * The times of passes on renderers that collect a framebuffer's work and draw it later, all at once, by
 * the CPU: Mesa's llvmpipe and softpipe. Such a collection is a scene. See scene.c. */
#ifndef PP_HOOKS_MEASURE_DEFERRED_RENDERER_H
#define PP_HOOKS_MEASURE_DEFERRED_RENDERER_H

#include "core/engine/tracker.h"

struct pp_gl_context;
struct pp_gl_bracket;

/** The part of a pass that is open. */
struct pp_gl_scene {
    uint32_t bracket; /**< its bracket; UINT32_MAX: none is open */
    uint8_t kind;     /**< enum pp_action_kind of the work under way */
    bool drawn;       /**< something was drawn into a scene */
    bool unsent;      /**< what was drawn last may wait for its framebuffer's next draws */
    bool apart;       /**< something was worked off that no draw may join: by a scene of its own, or waiting
                         for scenes */
    uint64_t target;  /**< serial of the render target at its begin */
    uint64_t call_ns; /**< when the work under way was called */
    uint64_t busy_ns; /**< time in calls that work off at once what they ask for */
    uint64_t done_ns; /**< when the last of them returned; 0: there was none */
    uint64_t end_ns;  /**< end of what was read last */
};

/** The bracket of a pass begins. @return How long it waited for the scenes in front of it, which the
 * application has to wait for sooner or later. */
uint64_t pp_gl_scene_begin(struct pp_gl_context *ctx, uint32_t number, enum pp_pass_kind kind);

/** It ends. */
void pp_gl_scene_end(struct pp_gl_context *ctx, struct pp_gl_bracket *bracket, uint32_t number);

/** Hand what was drawn to the renderer's threads, unless that was done already: where a frame ends in a call
 * that does not. */
void pp_gl_scene_send(struct pp_gl_context *ctx);

/** An action is about to be counted, and was called. */
void pp_gl_scene_before_action(struct pp_gl_context *ctx, enum pp_action_kind kind);
void pp_gl_scene_after_action(struct pp_gl_context *ctx);

/** Put begin and end of a pass's bracket, whose queries have landed, into its rows. */
void pp_gl_scene_read(struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket, uint8_t *begin,
                      uint8_t *end);

#endif
