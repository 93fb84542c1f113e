/** @file
 * The application's performance monitors and performance queries. Only one may be active at a time, so
 * passprobe's ends where the application's begins. Objects of passprobe do not exist for the application.
 * entry_points.txt names these hooks. */
#include "hooks/counters/app_perf_queries.h"

#include <errno.h>

#include "core/util/log.h"
#include "counters/util/array_size.h"
#include "hooks/base/context.h"
#include "hooks/counters/perf_query.h"

enum { INTEL, AMD };

/* The name that the driver gets. The application never got a name of passprobe, so such a name becomes one
 * that the driver does not know. */
static GLuint
driver_name(const struct pp_gl_context *ctx, uint32_t which, GLuint name)
{
    return pp_gl_perf_is_of_passprobe(ctx, which, name) ? 0 : name;
}

static void
note_app_begin(struct pp_gl_context *ctx, uint32_t which, GLuint name)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    const uint32_t limit = PP_ARRAY_SIZE(state->app[0]);
    if (state->apps[which] < limit)
        state->app[which][state->apps[which]++] = name;
    if (ctx->device)
        pp_device_missing(ctx->device->device, which == AMD ? "amd" : "intel",
                          which == AMD ? PP_TEXT_AMD_APP : PP_TEXT_INTEL_APP);
}

static void
note_app_end(struct pp_gl_context *ctx, uint32_t which, GLuint name)
{
    struct pp_gl_perf_state *state = &ctx->perf;
    for (uint32_t k = 0; k < state->apps[which]; k++)
        if (state->app[which][k] == name) {
            state->app[which][k] = state->app[which][--state->apps[which]];
            break;
        }
}

static void
begin(struct pp_gl_context *ctx, uint32_t which, void (*real)(GLuint), GLuint name)
{
    if (ctx->gate & PP_GATE_BEGIN) {
        real(name);
        return;
    }
    int saved = errno;
    pp_gl_perf_stop(ctx);
    /* Take the pending error first: a new error after the call then shows that the begin failed. While the
     * application measures, passprobe's brackets are not measured. Both errors are kept for the application.
     */
    pp_gl_perf_keep_error(ctx);
    errno = saved;
    real(driver_name(ctx, which, name));
    saved = errno;
    if (!pp_gl_perf_keep_error(ctx))
        note_app_begin(ctx, which, name);
    errno = saved;
}

void
pp_gl_monitor_begin(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name)
{
    begin(ctx, AMD, real, name);
}

void
pp_gl_perf_query_begin(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name)
{
    begin(ctx, INTEL, real, name);
}

void
pp_gl_monitor_end(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name)
{
    real(driver_name(ctx, AMD, name));
    note_app_end(ctx, AMD, name);
}

void
pp_gl_perf_query_end(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name)
{
    real(driver_name(ctx, INTEL, name));
    note_app_end(ctx, INTEL, name);
}

void
pp_gl_monitors_delete(struct pp_gl_context *ctx, void (*real)(GLsizei, GLuint *), GLsizei count, GLuint *name)
{
    bool touched = false;
    for (GLsizei i = 0; name && i < count; i++)
        touched |= pp_gl_perf_is_of_passprobe(ctx, AMD, name[i]);
    if (!touched)
        real(count, name);
    for (GLsizei i = 0; name && i < count; i++) {
        GLuint one = driver_name(ctx, AMD, name[i]);
        if (touched)
            real(1, &one);
        note_app_end(ctx, AMD, name[i]);
    }
}

void
pp_gl_perf_query_delete(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name)
{
    real(driver_name(ctx, INTEL, name));
    note_app_end(ctx, INTEL, name);
}

void
pp_gl_monitor_select(struct pp_gl_context *ctx, void (*real)(GLuint, GLboolean, GLuint, GLint, GLuint *),
                     GLuint name, GLboolean enable, GLuint group, GLint count, GLuint *list)
{
    real(driver_name(ctx, AMD, name), enable, group, count, list);
}

void
pp_gl_monitor_data(struct pp_gl_context *ctx, void (*real)(GLuint, GLenum, GLsizei, GLuint *, GLint *),
                   GLuint name, GLenum what, GLsizei size, GLuint *data, GLint *written)
{
    real(driver_name(ctx, AMD, name), what, size, data, written);
}

void
pp_gl_perf_query_data(struct pp_gl_context *ctx, void (*real)(GLuint, GLuint, GLsizei, void *, GLuint *),
                      GLuint name, GLuint flags, GLsizei size, void *data, GLuint *written)
{
    real(driver_name(ctx, INTEL, name), flags, size, data, written);
}
