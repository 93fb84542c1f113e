/** @file
 * Handlers of immediate mode (glBegin to glEnd) and of display lists. display_list.h knows what a list does.
 * entry_points.txt names these handlers; the generated hooks call them with the application's context
 * current. No handler calls OpenGL where the call could fail. */
#ifndef PP_HOOKS_CALLS_IMMEDIATE_H
#define PP_HOOKS_CALLS_IMMEDIATE_H

#include "hooks/base/context.h"

void pp_gl_before_begin(struct pp_gl_context *ctx, GLenum mode);
void pp_gl_after_end(struct pp_gl_context *ctx);
void pp_gl_after_transform_feedback(struct pp_gl_context *ctx, GLenum kind, bool on);
void pp_gl_before_new_list(struct pp_gl_context *ctx, GLuint list, GLenum mode);
void pp_gl_after_end_list(struct pp_gl_context *ctx);
void pp_gl_after_delete_lists(struct pp_gl_context *ctx, GLuint first, GLsizei count);
void pp_gl_before_call_list(struct pp_gl_context *ctx, GLuint list);
void pp_gl_before_call_lists(struct pp_gl_context *ctx);
void pp_gl_after_called_list(struct pp_gl_context *ctx);

#endif
