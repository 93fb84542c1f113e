/** @file
 * Pipeline statistics of a bracket. Draws cannot invoke compute shaders, and dispatches cannot use the other
 * stages. So statistics that a bracket's actions cannot change are not queried: they are 0. This saves
 * queries, and on Mesa's iris a submission: it counts compute shader invocations in another batch than the
 * rest. */
#ifndef PP_HOOKS_MEASURE_STATISTICS_H
#define PP_HOOKS_MEASURE_STATISTICS_H

#include "hooks/measure/bracket.h"
#include "hooks/reach/driver_procs.h"

/** Which statistics a bracket queries: values of pp_gl_bracket.statistics. */
enum {
    PP_GL_STATISTICS_GRAPHICS = 1U << 0, /**< all but compute shader invocations */
    PP_GL_STATISTICS_COMPUTE = 1U << 1,  /**< compute shader invocations, the last statistic of the device */
};

/** Index of the first statistic of @p which in a device's order. */
static inline uint32_t
pp_gl_statistics_first(const struct pp_gl_device *device, uint32_t which)
{
    return which & PP_GL_STATISTICS_GRAPHICS ? 0 : device->graphics_statistics;
}

/** Index after the last statistic of @p which. */
static inline uint32_t
pp_gl_statistics_last(const struct pp_gl_device *device, uint32_t which)
{
    return which & PP_GL_STATISTICS_COMPUTE ? device->statistics : device->graphics_statistics;
}

/** Has the device any statistic of @p which? */
static inline bool
pp_gl_statistics_any(const struct pp_gl_device *device, uint32_t which)
{
    return pp_gl_statistics_last(device, which) > pp_gl_statistics_first(device, which);
}

/** What a bracket queries from its begin. @p kind Kind of the pass; PP_PASS_NONE: an action. @p action Kind
 * of its first action. */
static inline uint32_t
pp_gl_statistics_of(enum pp_pass_kind kind, uint32_t action)
{
    if (kind == PP_PASS_FRAME) /* pp_gl_statistics_dispatch() adds the other */
        return PP_GL_STATISTICS_GRAPHICS | (action == PP_ACTION_DISPATCH ? PP_GL_STATISTICS_COMPUTE : 0U);
    bool compute = kind == PP_PASS_COMPUTE || (kind == PP_PASS_NONE && action == PP_ACTION_DISPATCH);
    return compute ? PP_GL_STATISTICS_COMPUTE : PP_GL_STATISTICS_GRAPHICS;
}

/** Statistics of a draw where the driver has all of them, which nearly every driver has. With that constant
 * count the compiler unrolls the loops of pp_gl_begin_each() and pp_gl_end_each(). */
#define PP_GL_ALL_GRAPHICS (PP_PIPELINE_STATISTICS - 1U)

/** Begin @p count queries. */
static inline __attribute__((always_inline)) void
pp_gl_begin_each(const GLenum *target, const GLuint *name, size_t count)
{
    pp_fn_glBeginQuery begin = pp_glBeginQuery;
#pragma GCC unroll 10
    for (size_t i = 0; i < count; i++)
        begin(target[i], name[i]);
}

/** End the queries of @p count targets. */
static inline __attribute__((always_inline)) void
pp_gl_end_each(const GLenum *target, size_t count)
{
    pp_fn_glEndQuery end = pp_glEndQuery;
#pragma GCC unroll 10
    for (size_t i = 0; i < count; i++)
        end(target[i]);
}

/** Begin statistics @p which of the open readback's bracket @p number, unless others run. Hot. */
static inline void
pp_gl_statistics_begin(struct pp_gl_context *ctx, struct pp_gl_bracket *bracket, uint32_t number,
                       uint32_t which)
{
    const struct pp_gl_device *device = ctx->device;
    if (!device->statistics || ctx->pending.app_active || ctx->pending.counting != UINT32_MAX)
        return;
    const GLuint *name = pp_gl_names(ctx, bracket->slot) + 2;
    uint32_t first = pp_gl_statistics_first(device, which);
    uint32_t count = pp_gl_statistics_last(device, which) - first;
    if (PP_LIKELY(first == 0 && count == PP_GL_ALL_GRAPHICS))
        pp_gl_begin_each(device->statistic_target, name, PP_GL_ALL_GRAPHICS);
    else
        pp_gl_begin_each(device->statistic_target + first, name + first, count);
    bracket->statistics = (uint8_t)which;
    ctx->pending.counting = number;
    if (which & PP_GL_STATISTICS_GRAPHICS)
        ctx->pending.open.last_graphics = number;
    if (which & PP_GL_STATISTICS_COMPUTE)
        ctx->pending.open.last_compute = number;
}

/** A dispatch begins while the bracket of a frame is open: from here on the bracket also queries compute
 * shader invocations, where the statistics of the bracket run. */
static inline void
pp_gl_statistics_dispatch(struct pp_gl_context *ctx)
{
    const struct pp_gl_device *device = ctx->device;
    uint32_t number = ctx->pending.counting;
    if (number == UINT32_MAX || ctx->pending.open.bracket[number].statistics & PP_GL_STATISTICS_COMPUTE)
        return;
    struct pp_gl_bracket *bracket = &ctx->pending.open.bracket[number];
    uint32_t last = device->graphics_statistics;
    pp_glBeginQuery(device->statistic_target[last], pp_gl_names(ctx, bracket->slot)[2 + last]);
    bracket->statistics |= PP_GL_STATISTICS_COMPUTE;
    ctx->pending.open.last_compute = number;
}

/** End statistics @p which, which run. Hot. */
static inline void
pp_gl_statistics_finish(struct pp_gl_context *ctx, uint32_t which)
{
    const struct pp_gl_device *device = ctx->device;
    uint32_t first = pp_gl_statistics_first(device, which);
    uint32_t count = pp_gl_statistics_last(device, which) - first;
    if (PP_LIKELY(first == 0 && count == PP_GL_ALL_GRAPHICS))
        pp_gl_end_each(device->statistic_target, PP_GL_ALL_GRAPHICS);
    else
        pp_gl_end_each(device->statistic_target + first, count);
    ctx->pending.counting = UINT32_MAX;
}

#endif
