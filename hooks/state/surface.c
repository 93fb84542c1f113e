/** @file
 * See surface.h. */
#include "hooks/state/surface.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

/* After this many frames the size of a window is read again, even if no viewport hints at a change; an X
 * server is asked only after a hint (x11.h). Its answer comes some frames later; within 32 frames the size is
 * known. */
#define SIZE_FRAMES 28U
/* Most doublings of the time between two questions. */
#define ASK_SHIFT_MOST 16U

static struct {
    pthread_mutex_t lock;
    struct pp_gl_surface *first; /* guarded by lock */
} surfaces = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct pp_gl_surface *
pp_gl_surface_find(enum pp_gl_winsys winsys, void *display, uintptr_t drawable)
{
    pthread_mutex_lock(&surfaces.lock);
    struct pp_gl_surface *at = surfaces.first;
    while (at && (at->winsys != winsys || at->display != display || at->drawable != drawable))
        at = at->next;
    if (at)
        at->refs++;
    pthread_mutex_unlock(&surfaces.lock);
    return at;
}

struct pp_gl_surface *
pp_gl_surface_idle(enum pp_gl_winsys winsys, const void *display)
{
    struct pp_gl_surface *found = NULL;
    pthread_mutex_lock(&surfaces.lock);
    for (struct pp_gl_surface *at = surfaces.first; at; at = at->next)
        if (at->refs == 1 && at->winsys == winsys && at->display == display && at->drawable &&
            (!found || at->looks < found->looks))
            found = at;
    if (found) {
        found->refs++;
        found->looks++;
    }
    pthread_mutex_unlock(&surfaces.lock);
    return found;
}

void
pp_gl_surfaces_forget_connection(const struct xcb_connection_t *connection)
{
    pthread_mutex_lock(&surfaces.lock);
    for (struct pp_gl_surface *at = surfaces.first; at && connection; at = at->next) {
        if (at->connection != connection)
            continue;
        at->connection = NULL;
        at->keeps_size = true; /* the driver would ask by the same connection */
    }
    pthread_mutex_unlock(&surfaces.lock);
}

struct pp_gl_surface *
pp_gl_surface_ref(struct pp_gl_surface *surface)
{
    if (!surface)
        return NULL;
    pthread_mutex_lock(&surfaces.lock);
    surface->refs++;
    pthread_mutex_unlock(&surfaces.lock);
    return surface;
}

static void
unref_locked(struct pp_gl_surface *surface)
{
    assert(surface->refs > 0);
    if (--surface->refs > 0)
        return;
    pthread_mutex_destroy(&surface->lock);
    free(surface->first_system_counters);
    free(surface);
}

void
pp_gl_surface_unref(struct pp_gl_surface *surface)
{
    if (!surface)
        return;
    pthread_mutex_lock(&surfaces.lock);
    unref_locked(surface);
    pthread_mutex_unlock(&surfaces.lock);
}

/* Remove the surface from the list, so that it is not found any more. @return true: it was in the list; the
 * list's reference is now the caller's. */
static bool
unlist_locked(struct pp_gl_surface *surface)
{
    struct pp_gl_surface **at = &surfaces.first;
    bool listed = surface->listed;
    while (listed && *at && *at != surface)
        at = &(*at)->next;
    if (listed && *at)
        *at = surface->next;
    surface->listed = false;
    return listed;
}

static void
describe_color(const struct pp_gl_surface_info *info, char *out, size_t size)
{
    if (info->red == info->green && info->green == info->blue && (info->alpha == info->red || !info->alpha))
        snprintf(out, size, info->alpha ? "RGBA%u" : "RGB%u", info->red);
    else if (info->red == 5 && info->green == 6)
        snprintf(out, size, "RGB565");
    else if (info->red == 10)
        snprintf(out, size, info->alpha ? "RGB10_A2" : "RGB10");
    else
        snprintf(out, size, "R%uG%uB%uA%u", info->red, info->green, info->blue, info->alpha);
}

static void
describe(struct pp_render_target *render_target, const struct pp_gl_surface_info *info)
{
    snprintf(render_target->name, sizeof(render_target->name), "%s", info->kind);
    render_target->layers = 1;
    render_target->samples = info->samples ? info->samples : 1;
    struct pp_attachment *color = &render_target->attachment[render_target->attachments++];
    snprintf(color->role, sizeof(color->role), "color0");
    describe_color(info, color->format, sizeof(color->format));
    if (!info->depth && !info->stencil)
        return;
    struct pp_attachment *depth = &render_target->attachment[render_target->attachments++];
    snprintf(depth->role, sizeof(depth->role), "%s",
             info->depth && info->stencil ? "depth_stencil"
             : info->depth                ? "depth"
                                          : "stencil");
    if (info->depth && info->stencil)
        snprintf(depth->format, sizeof(depth->format), "DEPTH%u_STENCIL%u", info->depth, info->stencil);
    else if (info->depth)
        snprintf(depth->format, sizeof(depth->format), "DEPTH_COMPONENT%u", info->depth);
    else
        snprintf(depth->format, sizeof(depth->format), "STENCIL_INDEX%u", info->stencil);
}

struct pp_gl_surface *
pp_gl_surface_add(enum pp_gl_winsys winsys, void *display, uintptr_t drawable,
                  const struct pp_gl_surface_info *info)
{
    struct pp_gl_surface *surface = calloc(1, sizeof(*surface));
    if (!surface)
        return NULL;
    surface->winsys = winsys;
    surface->display = display;
    surface->drawable = drawable;
    surface->kind = info->kind;
    surface->presents = info->presents;
    surface->connection = info->connection;
    surface->x_drawable = info->x_drawable;
    surface->keeps_size = info->keeps_size;
    surface->swapped = info->presents;
    surface->width = info->width;
    surface->height = info->height;
    surface->created_ns = pp_now_ns();
    surface->first_system_counters =
        pp_session_get() ? pp_session_take_system_counters(pp_session_get()) : NULL;
    pthread_mutex_init(&surface->lock, NULL);
    if (drawable)
        describe(&surface->render_target, info);
    pthread_mutex_lock(&surfaces.lock);
    surface->refs = 2; /* two references: the list's and the caller's */
    surface->listed = true;
    surface->next = surfaces.first;
    surfaces.first = surface;
    pthread_mutex_unlock(&surfaces.lock);
    return surface;
}

void
pp_gl_surface_resized(struct pp_gl_surface *surface, uint32_t width, uint32_t height)
{
    surface->sized_frames = 0;
    surface->resize = false;
    if (!width || !height || (width == surface->width && height == surface->height))
        return;
    surface->width = width;
    surface->height = height;
    surface->version++;
}

bool
pp_gl_surface_size_due(struct pp_gl_surface *surface)
{
    const struct pp_session *session = pp_session_get();
    if (session && pp_session_paused(session)) { /* due when frames are recorded again */
        surface->resize = true;
        return false;
    }
    return surface->resize || ++surface->sized_frames >= SIZE_FRAMES;
}

void
pp_gl_surface_viewport(struct pp_gl_surface *surface, uint32_t width, uint32_t height)
{
    if (width == surface->width && height == surface->height)
        return;
    for (size_t i = 0; i < PP_ARRAY_SIZE(surface->part) && i < surface->parts; i++)
        if (width == surface->part[i].width && height == surface->part[i].height)
            return;
    surface->resize = true;
    surface->hint = (struct pp_gl_viewport){width, height};
}

bool
pp_gl_surface_size_hinted(struct pp_gl_surface *surface)
{
    const struct pp_session *session = pp_session_get();
    if (surface->sized_frames < SIZE_FRAMES << surface->ask_shift)
        surface->sized_frames++;
    if (!surface->resize || surface->sized_frames < SIZE_FRAMES << surface->ask_shift ||
        (session && pp_session_paused(session)))
        return false;
    surface->resize = false;
    surface->sized_frames = 0;
    surface->asked_for = surface->hint;
    return true;
}

void
pp_gl_surface_size_answered(struct pp_gl_surface *surface, uint32_t width, uint32_t height)
{
    const uint32_t version = surface->version, frames = surface->sized_frames;
    const bool resize = surface->resize; /* set after the question */
    pp_gl_surface_resized(surface, width, height);
    surface->resize = resize;
    surface->sized_frames = frames;
    if (surface->version != version) {
        surface->parts = surface->ask_shift = 0;
        return;
    }
    if (surface->parts == PP_ARRAY_SIZE(surface->part)) { /* begin anew, and ask less often */
        surface->parts = 0;
        if (surface->ask_shift < ASK_SHIFT_MOST)
            surface->ask_shift++;
    }
    surface->part[surface->parts++] = surface->asked_for;
}

void
pp_gl_surface_retire(struct pp_gl_surface *surface)
{
    if (!surface)
        return;
    pthread_mutex_lock(&surface->lock);
    surface->gone = true;
    struct pp_timeline *timeline = surface->timeline;
    surface->timeline = NULL;
    pthread_mutex_unlock(&surface->lock);
    pp_timeline_destroy(timeline);
    pthread_mutex_lock(&surfaces.lock);
    surface->refs -= unlist_locked(surface); /* drop the list's reference; the caller's remains */
    unref_locked(surface);
    pthread_mutex_unlock(&surfaces.lock);
}

/* Any surface of a display that has not been retired. The caller owns a reference. */
static struct pp_gl_surface *
any_of(const void *display)
{
    pthread_mutex_lock(&surfaces.lock);
    struct pp_gl_surface *at = surfaces.first;
    while (at && (at->display != display || !at->drawable))
        at = at->next;
    if (at)
        at->refs++;
    pthread_mutex_unlock(&surfaces.lock);
    return at;
}

void
pp_gl_surfaces_closed(const void *display)
{
    for (struct pp_gl_surface *at = any_of(display); at; at = any_of(display))
        pp_gl_surface_retire(at);
}

/* Name a surface. Each kind is counted separately, and only surfaces that are used are counted: windows that
 * toolkits open only to look up functions get no name. The surface is locked. */
static void
name_locked(struct pp_gl_surface *surface)
{
    static struct {
        const char *kind;
        _Atomic uint32_t named;
    } kinds[] = {{"window", 0}, {"pbuffer", 0}, {"pixmap", 0}, {"offscreen", 0}};
    size_t i = 0;
    while (i < PP_ARRAY_SIZE(kinds) - 1 && strcmp(kinds[i].kind, surface->kind) != 0)
        i++;
    snprintf(surface->name, sizeof(surface->name), "%s %u", kinds[i].kind,
             atomic_fetch_add(&kinds[i].named, 1) + 1);
}

struct pp_timeline *
pp_gl_surface_timeline_locked(struct pp_gl_surface *surface, const struct pp_gl_context *ctx)
{
    struct pp_session *session = pp_session_get();
    if (!session || surface->gone)
        return NULL;
    if (surface->timeline && surface->device == ctx->device)
        return surface->timeline;
    uint64_t start = surface->timeline ? pp_now_ns() : surface->created_ns;
    pp_timeline_destroy(surface->timeline);
    if (!surface->name[0])
        name_locked(surface);
    struct pp_timeline_info info = {ctx->device->device, surface->name, start,
                                    surface->first_system_counters};
    surface->first_system_counters = NULL; /* pp_timeline_create() took the snapshot over */
    surface->timeline = pp_timeline_create(session, &info);
    surface->device = ctx->device;
    return surface->timeline;
}
