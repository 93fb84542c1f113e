/** @file
 * See wait.h. */
#include "hooks/calls/wait.h"

#include "hooks/measure/app_queries.h"
#include "hooks/measure/draw.h"
#include "hooks/measure/frame.h"
#include "hooks/measure/readback.h"

void
pp_gl_before_submit_if(struct pp_gl_context *ctx, bool submits)
{
    if (submits)
        pp_gl_before_submit(ctx);
}

uint64_t
pp_gl_before_wait(struct pp_gl_context *ctx)
{
    pp_gl_before_submit(ctx);
    return pp_now_ns();
}

void
pp_gl_after_wait(struct pp_gl_context *ctx, uint64_t start_ns)
{
    pp_gl_frame_waited(ctx, pp_now_ns() - start_ns);
}

/* A read-back that waits for its data: brackets before it end now, its own bracket ends when the data is
 * there. */
uint64_t
pp_gl_before_fetch(struct pp_gl_context *ctx)
{
    if (!(ctx->gate & PP_GATE_INSIDE)) {
        if (ctx->tracker.open_kind != PP_PASS_TRANSFER)
            pp_gl_before_submit(ctx);
        ctx->ends |= PP_GL_ENDS_BY_CLOCK;
    }
    return pp_now_ns();
}

void
pp_gl_after_fetch(struct pp_gl_context *ctx, uint64_t start_ns)
{
    if (ctx->ends & PP_GL_ENDS_BY_CLOCK)
        pp_gl_before_submit(ctx);
    ctx->ends &= (uint8_t)~PP_GL_ENDS_BY_CLOCK;
    pp_gl_after_wait(ctx, start_ns);
}

uint64_t
pp_gl_before_read_back(struct pp_gl_context *ctx)
{
    return ctx->buffers.pack_bound ? 0 : pp_gl_before_fetch(ctx);
}

void
pp_gl_after_read_back(struct pp_gl_context *ctx, uint64_t start_ns)
{
    if (start_ns)
        pp_gl_after_fetch(ctx, start_ns);
}

void
pp_gl_before_wait_if(struct pp_gl_context *ctx, bool waits)
{
    ctx->wait_ns = waits ? pp_gl_before_wait(ctx) : 0;
}

void
pp_gl_after_wait_if(struct pp_gl_context *ctx)
{
    if (ctx->wait_ns)
        pp_gl_after_wait(ctx, ctx->wait_ns);
}

void
pp_gl_before_look(struct pp_gl_context *ctx, const void *sync, bool waits)
{
    ctx->look_ns = pp_now_ns();
    const uint64_t since_ns = pp_look_begin(&ctx->look, (uintptr_t)sync, ctx->look_ns);
    pp_gl_before_wait_if(ctx, waits);
    if (since_ns)
        ctx->wait_ns = since_ns;
}

void
pp_gl_after_look(struct pp_gl_context *ctx, const void *sync, bool done)
{
    const uint64_t end_ns = pp_now_ns();
    if (ctx->wait_ns)
        pp_gl_frame_waited(ctx, end_ns - ctx->wait_ns);
    pp_look_end(&ctx->look, (uintptr_t)sync, done, ctx->look_ns, end_ns);
}

void
pp_gl_after_write_query(struct pp_gl_context *ctx, GLuint query)
{
    pp_gl_query_app_writes(ctx, query);
}

void
pp_gl_before_ask(struct pp_gl_context *ctx, GLuint query, GLenum what)
{
    if (what != GL_QUERY_RESULT_NO_WAIT && pp_gl_query_app_unsubmitted(ctx, query))
        pp_gl_before_submit(ctx);
}

uint64_t
pp_gl_before_query_result(struct pp_gl_context *ctx)
{
    (void)ctx;
    return pp_now_ns();
}

void
pp_gl_after_query_result(struct pp_gl_context *ctx, uint64_t start_ns)
{
    pp_gl_after_wait(ctx, start_ns);
}

uint64_t
pp_gl_before_link(struct pp_gl_context *ctx)
{
    (void)ctx;
    return pp_now_ns();
}

void
pp_gl_after_link(struct pp_gl_context *ctx, uint64_t start_ns)
{
    pp_gl_frame_linked(ctx, pp_now_ns() - start_ns);
}

uint64_t
pp_gl_before_finish(struct pp_gl_context *ctx)
{
    return pp_gl_before_wait(ctx);
}

void
pp_gl_after_finish(struct pp_gl_context *ctx, uint64_t start_ns)
{
    pp_gl_frame_waited(ctx, pp_now_ns() - start_ns);
    pp_gl_frame_flush(ctx, true, start_ns);
}

void
pp_gl_after_flush(struct pp_gl_context *ctx)
{
    pp_gl_frame_flush(ctx, false, pp_now_ns());
}

void
pp_gl_after_reset_status(struct pp_gl_context *ctx, GLenum status)
{
    if (status == GL_NO_ERROR || ctx->lost)
        return;
    /* After a loss of the context the driver says of every query that it is available, and returns wrong
     * results. */
    ctx->lost = true;
    pp_gl_readback_abandon(ctx);
    pp_gl_tls.ctx = NULL;
}

void
pp_gl_after_frame_terminator(struct pp_gl_context *ctx)
{
    pp_gl_frame_terminate(ctx);
}
