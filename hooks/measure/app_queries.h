/** @file
 * The application's queries of time and of pipeline statistics. The driver allows one active query for each
 * target: where the application begins one, passprobe's ends. Only the thread that has the context current
 * calls these functions. hooks/counters/app_perf_queries.h has the queries of the performance extensions. */
#ifndef PP_HOOKS_MEASURE_APP_QUERIES_H
#define PP_HOOKS_MEASURE_APP_QUERIES_H

#include "hooks/base/context.h"

/** The application is about to begin a query on @p target: end passprobe's query if it uses that
 * target. */
void pp_gl_query_app_begins(struct pp_gl_context *ctx, GLenum target);

/** The application is about to end a query on @p target: make sure that this is not a query of
 * passprobe. */
void pp_gl_query_app_ends(struct pp_gl_context *ctx, GLenum target);

/** The application ended a query on @p target. */
void pp_gl_query_app_ended(struct pp_gl_context *ctx, GLenum target);

/** The application wrote query @p name and has not submitted since. Waiting for the result submits. */
void pp_gl_query_app_writes(struct pp_gl_context *ctx, GLuint name);

/** The application submitted all queries that it wrote. */
void pp_gl_query_app_submitted(struct pp_gl_context *ctx);

/** Does asking for the result of @p name submit work? */
bool pp_gl_query_app_unsubmitted(const struct pp_gl_context *ctx, GLuint name);

/** A display list may have changed the application's queries: ask the driver which ones are active. */
void pp_gl_query_resync(struct pp_gl_context *ctx);

/** End passprobe's statistics queries now, because nothing is known of what follows. */
void pp_gl_query_pause(struct pp_gl_context *ctx);

/** Is @p name the name of a query of passprobe? */
bool pp_gl_query_is_of_passprobe(const struct pp_gl_context *ctx, GLuint name);

#endif
