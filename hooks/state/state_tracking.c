/** @file
 * See state_tracking.h. */
#include "hooks/state/state_tracking.h"

#include <stdatomic.h>

#include "hooks/measure/app_queries.h"
#include "hooks/measure/frame.h"
#include "hooks/state/image.h"
#include "hooks/state/render_target.h"

/* Immediate mode and display lists. */

/* Does the context have glBegin and display lists? In other contexts they are errors and begin nothing. */
static bool
is_compatible(struct pp_gl_context *ctx)
{
    return (ctx->gate & PP_GATE_INSIDE) || !pp_gl_context_set_up(ctx) || ctx->caps.compatible;
}

/* May the driver refuse a glBegin for a reason that is not checked before: transform feedback takes another
 * kind of primitive, or the stages of the pipeline do not match? */
static bool
may_be_refused(struct pp_gl_context *ctx, GLenum mode)
{
    GLint active = 1, paused = 0;
    GLenum kind = mode == GL_POINTS       ? GL_POINTS
                  : mode <= GL_LINE_STRIP ? GL_LINES
                  : mode <= GL_POLYGON    ? GL_TRIANGLES
                                          : GL_NONE;
    if (!ctx->begin.feedback || ctx->program.pipeline || ctx->caps.version < 40)
        return ctx->begin.feedback || ctx->program.pipeline;
    pp_glGetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    pp_glGetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    return active && !paused && kind != ctx->begin.feedback_kind;
}

void
pp_gl_before_begin(struct pp_gl_context *ctx, GLenum mode)
{
    /* A bad mode, or a glBegin inside another, is an error and begins nothing. */
    if (mode > GL_PATCHES || !is_compatible(ctx))
        return;
    if (ctx->gate & PP_GATE_LIST) {
        ctx->list.begun = true;
        ctx->list.before = ctx->list.content;
        pp_gl_list_note(ctx, PP_LIST_BEGINS);
    }
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    bool refusable = may_be_refused(ctx, mode);
    struct pp_gl_action action = {.id = PP_HOOK_glBegin, .kind = PP_ACTION_DRAW, .indirect = 1};
    if (!pp_gl_action(ctx, PP_ACTION_DRAW))
        pp_gl_action_begin(ctx, &action);
    if (ctx->fb.draw && pp_gl_render_target_incomplete(ctx))
        pp_gl_action_end(ctx);
    else
        ctx->gate |= PP_GATE_BEGIN;
    ctx->begin.unsure = refusable && (ctx->gate & PP_GATE_BEGIN);
    ctx->begin.frame_ends = 0;
}

void
pp_gl_after_end(struct pp_gl_context *ctx)
{
    if (ctx->gate & PP_GATE_LIST) {
        if (!ctx->list.begun)
            atomic_store_explicit(&ctx->share->lists_are_open, true, memory_order_relaxed);
        pp_gl_list_note(ctx, ctx->list.begun ? PP_LIST_PAIR : PP_LIST_ENDS);
        ctx->list.begun = false;
    }
    if (ctx->gate & PP_GATE_BEGIN)
        pp_gl_leave_begin(ctx);
}

/* The application calls display lists that may begin or end its queries: end passprobe's queries, and begin
 * none until the driver was asked. */
static void
expect_listed_queries(struct pp_gl_context *ctx)
{
    if (!atomic_load_explicit(&ctx->share->lists_have_queries, memory_order_relaxed) ||
        (ctx->gate & PP_GATE_INSIDE))
        return;
    pp_gl_query_pause(ctx);
    ctx->pending.app_active = UINT32_MAX;
    ctx->pending.app_begins = true;
}

void
pp_gl_before_new_list(struct pp_gl_context *ctx, GLuint list, GLenum mode)
{
    bool begins = list != 0 && (mode == GL_COMPILE || mode == GL_COMPILE_AND_EXECUTE) && is_compatible(ctx);
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (!begins || (ctx->gate & PP_GATE_INSIDE)) {
        ctx->list.unsure |= begins && !(ctx->gate & PP_GATE_LIST);
        return;
    }
    ctx->list.begun = false;
    ctx->list.name = list;
    ctx->list.content = (struct pp_gl_list){.last = PP_LIST_NOTHING};
    /* A list that is executed while it is compiled is one action, with its bracket outside the list. */
    ctx->list.action = ctx->list.executes = mode == GL_COMPILE_AND_EXECUTE;
    struct pp_gl_action action = {.id = PP_HOOK_glNewList, .kind = PP_ACTION_DRAW, .indirect = 1};
    if (ctx->list.action && !pp_gl_action(ctx, PP_ACTION_DRAW))
        pp_gl_action_begin(ctx, &action);
    /* The list may end an application query. passprobe's query must end before: it cannot be ended inside the
     * list. */
    if (ctx->list.action)
        pp_gl_query_pause(ctx);
    ctx->gate |= PP_GATE_LIST;
}

/* Does a list that was executed while it was compiled leave a glBegin open, or may it do so? */
static bool
leaves_open(struct pp_gl_context *ctx)
{
    enum pp_gl_list_effect effect = atomic_load_explicit(&ctx->share->lists_are_open, memory_order_relaxed)
                                        ? pp_gl_list_effect(ctx, ctx->list.name)
                                        : PP_LIST_NOTHING;
    return effect == PP_LIST_BEGINS || effect == PP_LIST_UNKNOWN;
}

void
pp_gl_after_end_list(struct pp_gl_context *ctx)
{
    if (!(ctx->gate & PP_GATE_LIST) || (ctx->gate & PP_GATE_BEGIN))
        return;
    ctx->gate &= ~(uint32_t)PP_GATE_LIST;
    if (ctx->list.begun)
        atomic_store_explicit(&ctx->share->lists_are_open, true, memory_order_relaxed);
    pp_gl_list_compiled(ctx);
    if (ctx->list.action) {
        expect_listed_queries(ctx);
        ctx->pending.app_begins = false;
        /* The list's glBegin is still open, so the action is, too. */
        if (ctx->list.executes && leaves_open(ctx)) {
            ctx->gate |= PP_GATE_BEGIN;
            ctx->begin.unsure = true;
            ctx->begin.frame_ends = 0;
            return;
        }
        pp_gl_action_end(ctx);
    }
    if (ctx->frame.close_due)
        pp_gl_frame_close(ctx);
    ctx->list.action = false;
}

void
pp_gl_after_delete_lists(struct pp_gl_context *ctx, GLuint first, GLsizei count)
{
    if (!(ctx->gate & PP_GATE_BEGIN))
        pp_gl_list_deleted(ctx, first, count);
}

/* The lists that are about to be called leave a glBegin open, or may do so. OpenGL cannot be asked then. The
 * next call that must not be inside a glBegin shows that it is over. Until then everything is one action. */
static void
expect_begin(struct pp_gl_context *ctx, int id, bool may_be)
{
    struct pp_gl_action action = {.id = id, .kind = PP_ACTION_DRAW, .indirect = 1};
    if (!(ctx->gate & PP_GATE_BEGIN) && !pp_gl_action(ctx, PP_ACTION_DRAW))
        pp_gl_action_begin(ctx, &action);
    ctx->gate |= PP_GATE_BEGIN;
    ctx->begin.unsure = may_be || ctx->begin.feedback || ctx->program.pipeline;
    ctx->begin.frame_ends = 0;
}

/* Lists may contain a glBegin without its glEnd, or a glEnd without its glBegin. */
void
pp_gl_before_call_list(struct pp_gl_context *ctx, GLuint list)
{
    bool open = atomic_load_explicit(&ctx->share->lists_are_open, memory_order_relaxed);
    expect_listed_queries(ctx);
    if (ctx->gate & PP_GATE_LIST) {
        pp_gl_list_note_call(ctx, list);
        return;
    }
    if (!open && !(ctx->gate & PP_GATE_BEGIN))
        return;
    enum pp_gl_list_effect effect = pp_gl_list_effect(ctx, list);
    ctx->list.ends = effect == PP_LIST_ENDS && (ctx->gate & PP_GATE_BEGIN);
    ctx->begin.unsure |= effect == PP_LIST_PAIR && (ctx->gate & PP_GATE_BEGIN);
    if (effect == PP_LIST_BEGINS || (effect == PP_LIST_UNKNOWN && open))
        expect_begin(ctx, PP_HOOK_glCallList, effect == PP_LIST_UNKNOWN);
}

void
pp_gl_before_call_lists(struct pp_gl_context *ctx)
{
    expect_listed_queries(ctx);
    if (ctx->gate & PP_GATE_LIST)
        pp_gl_list_note_call(ctx, 0);
    else if (atomic_load_explicit(&ctx->share->lists_are_open, memory_order_relaxed))
        expect_begin(ctx, PP_HOOK_glCallLists, true);
}

void
pp_gl_after_called_list(struct pp_gl_context *ctx)
{
    ctx->pending.app_begins = false;
    if (ctx->list.ends)
        pp_gl_leave_begin(ctx);
    ctx->list.ends = false;
    if (atomic_load_explicit(&ctx->share->lists_set_buffers, memory_order_relaxed))
        pp_gl_after_draw_buffers(ctx);
}

/* Clears and invalidations. */

static void
note_cleared(struct pp_gl_context *ctx, uint32_t bits)
{
    struct pp_pass *pass = ctx->batch ? pp_track_open_pass(&ctx->tracker) : NULL;
    /* A clear replaces the load only if it comes first in a pass. */
    if (pass && pass->kind == PP_PASS_RENDER && pp_track_open_draws(&ctx->tracker) == 0)
        pass->cleared |= bits;
}

void
pp_gl_after_clear(struct pp_gl_context *ctx, GLbitfield mask)
{
    if (!(ctx->gate & PP_GATE_INSIDE))
        note_cleared(ctx, pp_gl_render_target_mask_bits(ctx, mask, -1));
}

void
pp_gl_after_clear_buffer(struct pp_gl_context *ctx, GLenum buffer, GLint draw_buffer)
{
    GLbitfield mask = buffer == GL_COLOR           ? GL_COLOR_BUFFER_BIT
                      : buffer == GL_DEPTH         ? GL_DEPTH_BUFFER_BIT
                      : buffer == GL_STENCIL       ? GL_STENCIL_BUFFER_BIT
                      : buffer == GL_DEPTH_STENCIL ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT
                                                   : 0U;
    if (!(ctx->gate & PP_GATE_INSIDE))
        note_cleared(ctx, pp_gl_render_target_mask_bits(ctx, mask, draw_buffer));
}

void
pp_gl_after_invalidate(struct pp_gl_context *ctx, GLenum target, GLsizei count, const GLenum *attachment)
{
    struct pp_pass *pass = ctx->batch ? pp_track_open_pass(&ctx->tracker) : NULL;
    uint32_t points = pp_gl_render_target_points(count, attachment);
    if (target == GL_READ_FRAMEBUFFER || (ctx->gate & PP_GATE_LIST))
        return;
    bool worked = pass && pass->kind == PP_PASS_RENDER && !(ctx->gate & PP_GATE_TARGET) &&
                  ctx->tracker.open_target == ctx->tracker.target;
    if (worked) {
        pass->discarded |= pp_gl_render_target_bits(ctx, points);
        /* More actions begin another pass, whose attachments are then undefined. */
        ctx->fb.discards++;
        ctx->gate |= PP_GATE_TARGET;
    }
    /* Invalidated before the first action: the next pass on this framebuffer does not load these points. */
    ctx->fb.undefined = points | (ctx->fb.undefined_in == ctx->fb.bound ? ctx->fb.undefined : 0U);
    ctx->fb.undefined_in = ctx->fb.bound;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_invalidate_named(struct pp_gl_context *ctx, GLuint framebuffer, GLsizei count,
                             const GLenum *attachment)
{
    if (ctx->fb.bound_known && ctx->fb.bound == framebuffer)
        pp_gl_after_invalidate(ctx, GL_DRAW_FRAMEBUFFER, count, attachment);
}

/* Calls that wait, and calls that submit work to the GPU. */

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

/* A read-back that waits for its data: brackets in front of it end now, its bracket ends with the data. */
uint64_t
pp_gl_before_fetch(struct pp_gl_context *ctx)
{
    if (!(ctx->gate & PP_GATE_INSIDE)) {
        if (ctx->tracker.open_kind != PP_PASS_TRANSFER)
            pp_gl_before_submit(ctx);
        ctx->fetching = true;
    }
    return pp_now_ns();
}

void
pp_gl_after_fetch(struct pp_gl_context *ctx, uint64_t start_ns)
{
    if (ctx->fetching)
        pp_gl_before_submit(ctx);
    ctx->fetching = false;
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

/* Render targets. A change is only noted here; the next action asks the driver. */

static void
set_dirty(struct pp_gl_context *ctx, GLuint framebuffer)
{
    struct pp_gl_framebuffer *known = framebuffer ? pp_gl_map_get(&ctx->fb.known, framebuffer) : NULL;
    if (known)
        known->dirty = true;
}

void
pp_gl_after_bind_framebuffer(struct pp_gl_context *ctx, GLenum target, GLuint framebuffer)
{
    if (target != GL_FRAMEBUFFER && target != GL_DRAW_FRAMEBUFFER)
        return;
    /* Binding the bound framebuffer again changes nothing, unless one of its images was respecified since. */
    const struct pp_gl_framebuffer *now = ctx->fb.draw;
    bool fresh = !now || now->epoch == atomic_load_explicit(&ctx->share->epoch, memory_order_relaxed);
    if (!ctx->fb.bound_known || framebuffer != ctx->fb.bound || !fresh)
        ctx->gate |= PP_GATE_TARGET;
    /* A name that was not seen before may be an error: then the driver is asked. */
    const struct pp_gl_framebuffer *known = framebuffer ? pp_gl_map_get(&ctx->fb.known, framebuffer) : NULL;
    ctx->fb.bound_known = framebuffer == 0 || (known && known->name);
    ctx->fb.bound = framebuffer;
}

void
pp_gl_after_delete_framebuffers(struct pp_gl_context *ctx, GLsizei count, const GLuint *framebuffer)
{
    for (GLsizei i = 0; framebuffer && i < count; i++) {
        struct pp_gl_framebuffer *known =
            framebuffer[i] ? pp_gl_map_get(&ctx->fb.known, framebuffer[i]) : NULL;
        if (known)
            known->name = 0;
    }
    ctx->fb.bound_known = false;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_framebuffer_changed(struct pp_gl_context *ctx, GLenum target)
{
    if (target == GL_READ_FRAMEBUFFER)
        return;
    set_dirty(ctx, ctx->fb.bound);
    if (ctx->fb.draw)
        ctx->fb.draw->dirty = true;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_named_framebuffer_changed(struct pp_gl_context *ctx, GLuint framebuffer)
{
    set_dirty(ctx, framebuffer);
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_draw_buffers(struct pp_gl_context *ctx)
{
    ctx->fb.set_buffers = true;
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_set_buffers, true, memory_order_relaxed);
    pp_gl_after_framebuffer_changed(ctx, GL_DRAW_FRAMEBUFFER);
}

void
pp_gl_after_storage_changed(struct pp_gl_context *ctx)
{
    (void)atomic_fetch_add_explicit(&ctx->share->epoch, 1, memory_order_relaxed);
    if (ctx->fb.draw)
        ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_image_changed(struct pp_gl_context *ctx, const void *pixels)
{
    /* Images that are rendered to are created without data. Textures with data do not change a render target.
     */
    if (!pp_gl_unpacks(ctx, pixels))
        pp_gl_after_storage_changed(ctx);
}

void
pp_gl_after_image_deleted(struct pp_gl_context *ctx)
{
    /* Deleting an image detaches it only from the framebuffers that are bound in this context. */
    if (!ctx->fb.draw)
        return;
    ctx->fb.draw->dirty = true;
    ctx->gate |= PP_GATE_TARGET;
}

void
pp_gl_after_texture_image(struct pp_gl_context *ctx, GLenum target, GLint level, GLenum format, GLsizei width,
                          GLsizei height, const void *pixels)
{
    if (level == 0 && !pp_gl_unpacks(ctx, pixels) && !(ctx->set_up && ctx->caps.dsa) &&
        !(ctx->gate & PP_GATE_INSIDE))
        pp_gl_image_note(ctx, target, format, width, height);
}

void
pp_gl_after_object_label(struct pp_gl_context *ctx)
{
    pp_gl_after_storage_changed(ctx);
}

void
pp_gl_after_pop_attrib(struct pp_gl_context *ctx)
{
    /* glPopAttrib may restore draw buffers. */
    if (ctx->fb.set_buffers)
        pp_gl_after_draw_buffers(ctx);
}

/* The buffer that is bound to a pixel buffer target, as the driver says. */
static bool
is_bound(GLenum binding)
{
    GLint bound = 0;
    pp_glGetIntegerv(binding, &bound);
    return bound != 0;
}

void
pp_gl_after_pop_client_attrib(struct pp_gl_context *ctx)
{
    /* glPopClientAttrib may restore pixel buffers. It is not compiled into display lists. */
    if (!ctx->buffers.pixel_set || (ctx->gate & PP_GATE_BEGIN))
        return;
    ctx->buffers.unpack_bound = is_bound(GL_PIXEL_UNPACK_BUFFER_BINDING);
    ctx->buffers.pack_bound = is_bound(GL_PIXEL_PACK_BUFFER_BINDING);
}

void
pp_gl_after_viewport(struct pp_gl_context *ctx, GLsizei width, GLsizei height)
{
    struct pp_gl_surface *surface = ctx->surface;
    if (!ctx->fb.draw && width > 0 && height > 0 &&
        ((uint32_t)width != surface->width || (uint32_t)height != surface->height))
        surface->resize = true;
}

/* The application's queries and buffers. */

/* Targets that we use have only index 0: the driver refuses other indexes. */
void
pp_gl_before_begin_query(struct pp_gl_context *ctx, GLenum target, GLuint index)
{
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_have_queries, true, memory_order_relaxed);
    else if (!(ctx->gate & PP_GATE_BEGIN) && index == 0)
        pp_gl_query_app_begins(ctx, target);
}

void
pp_gl_before_end_query(struct pp_gl_context *ctx, GLenum target)
{
    if (ctx->begin.unsure)
        pp_gl_leave_begin_if_over(ctx);
    if (!(ctx->gate & PP_GATE_INSIDE))
        pp_gl_query_app_ends(ctx, target);
}

void
pp_gl_after_end_query(struct pp_gl_context *ctx, GLenum target, GLuint index)
{
    if (ctx->gate & PP_GATE_LIST)
        atomic_store_explicit(&ctx->share->lists_have_queries, true, memory_order_relaxed);
    else if (!(ctx->gate & PP_GATE_BEGIN) && index == 0)
        pp_gl_query_app_ended(ctx, target);
}

/* Offset of names that are far from all names that were generated or invented. */
#define ELSEWHERE 0x80000000U

/* Drivers may implement the extension's calls of OpenGL ES by the OpenGL calls that they export. Then a call
 * of ours may arrive here. */
GLuint
pp_gl_app_query(const struct pp_gl_context *ctx, GLuint name)
{
    return PP_UNLIKELY(!ctx->caps.es && pp_gl_query_is_ours(ctx, name)) ? name ^ ELSEWHERE : name;
}

GLuint
pp_gl_hidden_query(const struct pp_gl_context *ctx, GLuint name)
{
    return ctx->caps.es && pp_gl_query_is_ours(ctx, name) ? 0 : pp_gl_app_query(ctx, name);
}

GLuint
pp_gl_app_object(const struct pp_gl_context *ctx, GLenum kind, GLuint name)
{
    return kind == GL_QUERY || kind == GL_QUERY_OBJECT_EXT ? pp_gl_app_query(ctx, name) : name;
}

/* Hide passprobe's active query from the application, and give a query with a replaced name its original
 * name. */
static void
restore_app_query_name(const struct pp_gl_context *ctx, GLenum what, GLint *ret)
{
    if (what != GL_CURRENT_QUERY || !ret || *ret == 0)
        return;
    if (pp_gl_query_is_ours(ctx, (GLuint)*ret))
        *ret = 0;
    else if (pp_gl_query_is_ours(ctx, (GLuint)*ret ^ ELSEWHERE))
        *ret = (GLint)((GLuint)*ret ^ ELSEWHERE);
}

void
pp_gl_get_query(struct pp_gl_context *ctx, void (*real)(GLenum, GLenum, GLint *), GLenum target, GLenum what,
                GLint *ret)
{
    real(target, what, ret);
    restore_app_query_name(ctx, what, ret);
}

void
pp_gl_get_query_indexed(struct pp_gl_context *ctx, void (*real)(GLenum, GLuint, GLenum, GLint *),
                        GLenum target, GLuint index, GLenum what, GLint *ret)
{
    real(target, index, what, ret);
    restore_app_query_name(ctx, what, ret);
}

void
pp_gl_delete_queries(struct pp_gl_context *ctx, void (*real)(GLsizei, const GLuint *), GLsizei count,
                     const GLuint *name)
{
    GLsizei first = 0;
    /* Delete the names between names of ours: nearly always in one call. */
    for (GLsizei i = 0; name && i < count; i++) {
        if (!pp_gl_query_is_ours(ctx, name[i]))
            continue;
        const GLuint meant = pp_gl_hidden_query(ctx, name[i]);
        if (i > first)
            real(i - first, &name[first]);
        real(1, &meant);
        first = i + 1;
    }
    if (first == 0 || first < count)
        real(count - first, first ? &name[first] : name);
}

void
pp_gl_after_bind_buffer(struct pp_gl_context *ctx, GLenum target, GLuint buffer)
{
    if (target == GL_QUERY_BUFFER) {
        ctx->buffers.query_bound = buffer != 0;
        ctx->pending.reading = NULL;
    } else if (target == GL_PIXEL_UNPACK_BUFFER) {
        ctx->buffers.unpack_bound = buffer != 0;
        ctx->buffers.pixel_set = true;
    } else if (target == GL_PIXEL_PACK_BUFFER) {
        ctx->buffers.pack_bound = buffer != 0;
        ctx->buffers.pixel_set = true;
    }
}

void
pp_gl_after_delete_buffers(struct pp_gl_context *ctx, GLsizei count, const GLuint *buffer)
{
    (void)count;
    (void)buffer;
    if (ctx->gate & PP_GATE_INSIDE)
        return;
    /* The driver unbinds a bound buffer that is deleted. */
    if (ctx->buffers.unpack_bound)
        ctx->buffers.unpack_bound = is_bound(GL_PIXEL_UNPACK_BUFFER_BINDING);
    if (ctx->buffers.pack_bound)
        ctx->buffers.pack_bound = is_bound(GL_PIXEL_PACK_BUFFER_BINDING);
}

void
pp_gl_after_conditional(struct pp_gl_context *ctx, int on)
{
    struct pp_pass *pass = ctx->batch ? pp_track_open_pass(&ctx->tracker) : NULL;
    if (ctx->gate & PP_GATE_LIST)
        return;
    ctx->tracker.conditional = (uint8_t)on;
    if (pass && on)
        pass->flags |= PP_PASS_CONDITIONAL;
}

void
pp_gl_after_reset_status(struct pp_gl_context *ctx, GLenum status)
{
    if (status == GL_NO_ERROR || ctx->lost)
        return;
    /* After a loss of the context every query reads as available, with a wrong result. */
    ctx->lost = true;
    pp_gl_readback_abandon(ctx);
    pp_gl_tls.ctx = NULL;
}

void
pp_gl_after_frame_terminator(struct pp_gl_context *ctx)
{
    pp_gl_frame_terminate(ctx);
}
