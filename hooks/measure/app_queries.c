/** @file
 * See app_queries.h. */
#include "hooks/measure/app_queries.h"

#include "hooks/measure/bracket.h"
#include "hooks/measure/query_pool.h"
#include "hooks/reach/driver_procs.h"

#define NONE UINT32_MAX

static uint32_t
target_bit(const struct pp_gl_context *ctx, GLenum target)
{
    for (uint32_t i = 0; ctx->device && i < ctx->device->statistics; i++)
        if (ctx->device->statistic_target[i] == target)
            return 1U << i;
    return 0;
}

void
pp_gl_query_pause(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    if (pending->counting == NONE)
        return;
    pending->open.bracket[pending->counting].broken = 1;
    pending->open.fast_bracket = NONE;
    pp_gl_statistics_end(ctx);
}

static void
report_app_statistics(const struct pp_gl_context *ctx)
{
    pp_device_missing(ctx->device->device, "pipeline", PP_TEXT_GL_APP_STATISTICS);
}

void
pp_gl_query_app_begins(struct pp_gl_context *ctx, GLenum target)
{
    uint32_t bit = target_bit(ctx, target);
    if (!bit)
        return;
    pp_gl_query_pause(ctx);
    ctx->pending.app_active |= bit;
    report_app_statistics(ctx);
}

void
pp_gl_query_app_ends(struct pp_gl_context *ctx, GLenum target)
{
    /* passprobe has no query on this target while the application has one. If the application has none, the
     * driver must refuse the call. So passprobe's query ends first. */
    if (target_bit(ctx, target))
        pp_gl_query_pause(ctx);
}

void
pp_gl_query_app_ended(struct pp_gl_context *ctx, GLenum target)
{
    ctx->pending.app_active &= ~target_bit(ctx, target);
}

void
pp_gl_query_app_writes(struct pp_gl_context *ctx, GLuint name)
{
    struct pp_gl_pending *pending = &ctx->pending;
    pending->unsubmitted_first = name < pending->unsubmitted_first ? name : pending->unsubmitted_first;
    pending->unsubmitted_last = name > pending->unsubmitted_last ? name : pending->unsubmitted_last;
}

void
pp_gl_query_app_submitted(struct pp_gl_context *ctx)
{
    ctx->pending.unsubmitted_first = UINT32_MAX;
    ctx->pending.unsubmitted_last = 0;
}

bool
pp_gl_query_app_unsubmitted(const struct pp_gl_context *ctx, GLuint name)
{
    return name >= ctx->pending.unsubmitted_first && name <= ctx->pending.unsubmitted_last;
}

void
pp_gl_query_resync(struct pp_gl_context *ctx)
{
    const struct pp_gl_device *device = ctx->device;
    if (ctx->pending.counting != NONE)
        return;
    ctx->pending.app_active = 0;
    for (uint32_t i = 0; device && i < device->statistics; i++) {
        GLint current = 0;
        pp_glGetQueryiv(device->statistic_target[i], GL_CURRENT_QUERY, &current);
        ctx->pending.app_active |= current ? 1U << i : 0U;
    }
    if (ctx->pending.app_active)
        report_app_statistics(ctx);
}

bool
pp_gl_query_is_of_passprobe(const struct pp_gl_context *ctx, GLuint name)
{
    return pp_gl_pool_has(&ctx->pool, name);
}
