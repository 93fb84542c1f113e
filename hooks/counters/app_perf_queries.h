/** @file
 * Hooks of the calls of both extensions by which the application measures itself. entry_points.txt names
 * them. See also perf.h. */
#ifndef PP_HOOKS_COUNTERS_APP_PERF_QUERIES_H
#define PP_HOOKS_COUNTERS_APP_PERF_QUERIES_H

#include "hooks/base/perf.h"

void pp_gl_monitor_begin(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_monitor_end(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_monitors_delete(struct pp_gl_context *ctx, void (*real)(GLsizei, GLuint *), GLsizei count,
                           GLuint *name);
void pp_gl_monitor_select(struct pp_gl_context *ctx, void (*real)(GLuint, GLboolean, GLuint, GLint, GLuint *),
                          GLuint name, GLboolean enable, GLuint group, GLint count, GLuint *list);
void pp_gl_monitor_data(struct pp_gl_context *ctx, void (*real)(GLuint, GLenum, GLsizei, GLuint *, GLint *),
                        GLuint name, GLenum what, GLsizei size, GLuint *data, GLint *written);
void pp_gl_perf_query_begin(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_perf_query_end(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_perf_query_delete(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_perf_query_data(struct pp_gl_context *ctx, void (*real)(GLuint, GLuint, GLsizei, void *, GLuint *),
                           GLuint name, GLuint flags, GLsizei size, void *data, GLuint *written);

#endif
