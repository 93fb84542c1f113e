/** @file
 * --serialize between contexts. glFinish waits for the work of only one context, so passes of different
 * contexts take turns. Each pass reports whether it had the GPU to itself, as far as the application's OpenGL
 * is concerned. No wait is endless: if threads of the application wait for one another within a pass, passes
 * need no turn for a while. Makes no call into OpenGL. bracket.h calls these functions at the ends of
 * brackets. */
#ifndef PP_HOOKS_MEASURE_SERIALIZE_H
#define PP_HOOKS_MEASURE_SERIALIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/action_list.h"

struct pp_gl_context;

/** A bracket is about to begin. A pass waits here until passes of other contexts that came before have ended,
 * but at most 2 s without the end of any pass. After such a timeout all waiting passes go on, and the next 4
 * passes need no turn; twice as many after each further timeout. @p kind NONE: an action, which is part of
 * its context's pass. */
void pp_gl_serialize_enter(struct pp_gl_context *ctx, enum pp_pass_kind kind);

/** All work that this context issued has ended on the GPU. Call it at that moment, between
 * pp_gl_serialize_enter() and pp_gl_serialize_leave(). */
void pp_gl_serialize_idle(struct pp_gl_context *ctx, enum pp_pass_kind kind);

/** The bracket and all work in it have ended. @return true: no work of other contexts overlapped with it. */
bool pp_gl_serialize_leave(struct pp_gl_context *ctx, enum pp_pass_kind kind);

/** Work of this context goes to the GPU without a bracket that waits for it, until pp_gl_serialize_waited().
 */
void pp_gl_serialize_unwaited(struct pp_gl_context *ctx);

/** A whole frame begins; frames take no turns. All work that this context issued has ended on the GPU. Close
 * the frame by pp_gl_serialize_leave() with the same kind, then by pp_gl_serialize_waited(). */
void pp_gl_serialize_frame(struct pp_gl_context *ctx);

/** Does more than one context work, so that they can disturb each other? */
bool pp_gl_serialize_contended(void);

/** All work that this context issued has ended. */
void pp_gl_serialize_waited(struct pp_gl_context *ctx);

/** The thread of a current context ended: an open pass of the context has no end, and its work is not waited
 * for. */
void pp_gl_serialize_thread_ended(struct pp_gl_context *ctx);

/** The context is gone, or profiling ends: close its pass. */
void pp_gl_serialize_drop(struct pp_gl_context *ctx);

#endif
