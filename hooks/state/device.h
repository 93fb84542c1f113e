/** @file
 * What a context's renderer can measure, announced to core once. See also core/session.h. */
#ifndef PP_HOOKS_STATE_DEVICE_H
#define PP_HOOKS_STATE_DEVICE_H

#include "hooks/state/context.h"

/** The device of the current context, announced if new. @return NULL: profiling cannot start (core said why).
 */
struct pp_gl_device *pp_gl_device_find(struct pp_gl_context *ctx, struct pp_session *session);

/** Take note of forks and of the process's end, once. @p device is who has what is said of the process. */
void pp_gl_watch_process(struct pp_gl_device *device);

#endif
