/** @file
 * Times of passes on deferred renderers: Mesa's llvmpipe and softpipe. Such a renderer collects the work of a
 * framebuffer, a "scene", and the CPU draws the whole scene later. deferred_renderer.c describes how times
 * are found. */
#ifndef PP_HOOKS_MEASURE_DEFERRED_RENDERER_H
#define PP_HOOKS_MEASURE_DEFERRED_RENDERER_H

#include "core/engine/tracker.h"

struct pp_gl_context;
struct pp_gl_bracket;

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
