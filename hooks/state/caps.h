/** @file
 * What a context can do: its version, its extensions, its limits. Only the thread that has the context
 * current calls these functions. */
#ifndef PP_HOOKS_STATE_CAPS_H
#define PP_HOOKS_STATE_CAPS_H

#include "hooks/base/context.h"

/** Read the context's abilities into ctx->caps, once. Outside glBegin..glEnd. */
void pp_gl_caps_read(struct pp_gl_context *ctx);

/** Does the current context have an extension? Full name. */
bool pp_gl_has_extension(const struct pp_gl_context *ctx, const char *name);

#endif
