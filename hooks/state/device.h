/** @file
 * What a context's renderer can measure, announced to core once. See also core/session/session.h. */
#ifndef PP_HOOKS_STATE_DEVICE_H
#define PP_HOOKS_STATE_DEVICE_H

#include "hooks/state/context.h"

/** Find the device of the current context; a new one is announced to core. @return NULL: profiling cannot
 * start, and core has reported why. */
struct pp_gl_device *pp_gl_device_find(struct pp_gl_context *ctx, struct pp_session *session);

#endif
