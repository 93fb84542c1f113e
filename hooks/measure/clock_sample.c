/** @file
 * See clock_sample.h. */
#include "hooks/measure/clock_sample.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "hooks/measure/bracket.h"
#include "hooks/measure/query_pool.h"
#include "hooks/measure/readback.h"

#define NONE      UINT32_MAX
#define SAMPLE_NS 1000000000U
/* A sample is wide if the thread lost its processor while it was taken. Of three samples the narrowest is
 * used. */
#define SAMPLE_WIDE_NS 20000U
#define SAMPLE_TRIES   3

void
pp_gl_sample_clock(struct pp_gl_context *ctx)
{
    struct pp_gl_device *device = ctx->device;
    if (!device || !device->has_timestamps || ctx->lost)
        return;
    uint64_t due = atomic_load_explicit(&device->next_sample_ns, memory_order_relaxed);
    uint64_t now = pp_now_ns();
    if (now < due || !atomic_compare_exchange_strong_explicit(&device->next_sample_ns, &due, now + SAMPLE_NS,
                                                              memory_order_relaxed, memory_order_relaxed))
        return;
    uint64_t before = 0, ticks = 0, after = 0;
    for (unsigned i = 0; i < SAMPLE_TRIES && (i == 0 || after - before > SAMPLE_WIDE_NS); i++) {
        uint64_t begin = pp_now_ns(), at = pp_gl_clock(ctx), end = pp_now_ns();
        if (i > 0 && end - begin >= after - before)
            continue;
        before = begin;
        ticks = at;
        after = end;
    }
    pp_clock_sample(pp_device_clock(device->device), ticks, before, after);
}

void
pp_gl_measure_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_device *device = ctx->device;
    if (!device->has_timestamps || atomic_exchange_explicit(&device->biased, true, memory_order_relaxed))
        return;
    uint32_t *slot = calloc(PP_GL_BIAS_PAIRS, sizeof(*slot));
    uint32_t taken = 0;
    while (slot && taken < PP_GL_BIAS_PAIRS) {
        slot[taken] = pp_gl_pool_take(ctx);
        if (slot[taken] == NONE)
            break;
        pp_gl_timestamp(ctx, pp_gl_names(ctx, slot[taken])[0]);
        pp_gl_timestamp(ctx, pp_gl_names(ctx, slot[taken])[1]);
        taken++;
    }
    if (taken == 0) {
        free(slot);
        return;
    }
    ctx->pending.bias_slot = slot;
    ctx->pending.bias_count = taken;
}

void
pp_gl_read_bias(struct pp_gl_context *ctx)
{
    struct pp_gl_pending *pending = &ctx->pending;
    uint64_t length[PP_GL_BIAS_PAIRS];
    if (!pending->bias_slot ||
        !pp_gl_readback_has_result(ctx, pp_gl_names(ctx, pending->bias_slot[pending->bias_count - 1])[1]))
        return;
    for (uint32_t i = pending->bias_count; i-- > 0;) {
        const GLuint *name = pp_gl_names(ctx, pending->bias_slot[i]);
        uint64_t begin = pp_gl_readback_result(ctx, name[0]);
        uint64_t end = pp_gl_readback_result(ctx, name[1]);
        length[i] = end > begin ? end - begin : 0;
        pp_gl_pool_give(&ctx->pool, pending->bias_slot[i]);
    }
    pp_device_bias(ctx->device->device, "pass", length, pending->bias_count);
    free(pending->bias_slot);
    pending->bias_slot = NULL;
}
