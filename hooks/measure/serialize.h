/** @file
 * --serialize, between contexts. OpenGL waits for one context's work alone (glFinish), so passes of
 * different contexts take turns; and each says whether it had the GPU for itself, as far as the application's
 * OpenGL goes. Nobody waits for ever: an application whose threads wait for one another within a pass goes on
 * without turns for a while. Makes no call into OpenGL. See also bracket.h, which calls at brackets' ends.
 */
#ifndef PP_HOOKS_MEASURE_SERIALIZE_H
#define PP_HOOKS_MEASURE_SERIALIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/action.h"

struct pp_gl_context;

/** A context's part in it. */
struct pp_gl_alone {
    /* the current thread's */
    bool known; /**< counted among those that work */
    bool open;  /**< a pass of it is under way */
    bool loose; /**< work of it that nobody waited for may be under way */
    struct {
        bool overlapped; /**< others were there at its begin */
        uint64_t begun;  /**< what had begun in all contexts then */
    } bracket[2];        /**< the open pass's, the open action's */
};

/** A bracket is about to begin. A pass waits here until those of other contexts that came before have ended,
 * for 2 s without any that ends at most: then all that wait go on, and the next 4 passes need no turn; twice
 * as many each time that it happens again. @p kind NONE: an action, which is part of its context's
 * pass. */
void pp_gl_alone_enter(struct pp_gl_context *ctx, enum pp_pass_kind kind);

/** All that this context issued has ended on the GPU. Call it then between pp_gl_alone_enter() and _leave().
 */
void pp_gl_alone_idle(struct pp_gl_context *ctx, enum pp_pass_kind kind);

/** The bracket has ended, and all that is in it. @return Nothing of other contexts ran beside it. */
bool pp_gl_alone_leave(struct pp_gl_context *ctx, enum pp_pass_kind kind);

/** Work of this context goes to the GPU without brackets that are waited for, until pp_gl_alone_settled(). */
void pp_gl_alone_loose(struct pp_gl_context *ctx);

/** The work of a whole frame, which takes no turns, begins: all that this context issued has ended on the
 * GPU. Close it by pp_gl_alone_leave() of the same kind, then _settled(). */
void pp_gl_alone_frame(struct pp_gl_context *ctx);

/** Does more than one context work, so that they can disturb each other? */
bool pp_gl_alone_crowded(void);

/** All that this context issued has ended. */
void pp_gl_alone_settled(struct pp_gl_context *ctx);

/** Its thread ended with it current: an open pass of it has no end, and nobody waits for its work. */
void pp_gl_alone_left(struct pp_gl_context *ctx);

/** The context is gone, or profiling ends: nothing of it is open. */
void pp_gl_alone_drop(struct pp_gl_context *ctx);

#endif
