/** @file
 * Surfaces: windows, pbuffers, pixmaps, and the framebuffers of a context that has none of these.
 * measure/frame.h says when their frames end. */
#ifndef PP_HOOKS_STATE_SURFACE_H
#define PP_HOOKS_STATE_SURFACE_H

#include "hooks/base/context.h"

/** What glx.c and egl.c know of a new surface. */
struct pp_gl_surface_info {
    const char *kind; /**< "window", "pbuffer", "pixmap", "offscreen"; not copied */
    bool presents;
    struct xcb_connection_t *connection; /**< as in struct pp_gl_surface */
    uint32_t x_drawable;
    bool keeps_size;
    uint32_t width;
    uint32_t height;
    uint8_t red, green, blue, alpha, depth, stencil, samples;
};

/** Find a surface that was seen before and not destroyed since. @p drawable must not be 0. The caller owns a
 * reference.
 * @return NULL: there is none. */
struct pp_gl_surface *pp_gl_surface_find(enum pp_gl_winsys winsys, void *display, uintptr_t drawable);

/** Find a surface of a display that is not current on any thread and is not the last surface that a thread
 * presented. Of these, the one that this function returned least often is taken. The caller owns a reference.
 * @return NULL: there is none. */
struct pp_gl_surface *pp_gl_surface_idle(enum pp_gl_winsys winsys, const void *display);

/** Add a reference. @return @p surface, which may be NULL. */
struct pp_gl_surface *pp_gl_surface_ref(struct pp_gl_surface *surface);

/** Drop a reference; the last one frees the surface. @p surface NULL: nothing is done. */
void pp_gl_surface_unref(struct pp_gl_surface *surface);

/** Add a surface to the list. The caller owns a reference. @return NULL: no memory. */
struct pp_gl_surface *pp_gl_surface_add(enum pp_gl_winsys winsys, void *display, uintptr_t drawable,
                                        const struct pp_gl_surface_info *info);

/** Set the surface's size, which was just read. Another size makes it another render target. */
void pp_gl_surface_resized(struct pp_gl_surface *surface, uint32_t width, uint32_t height);

/** Is it time to read the surface's size again? Not while no frame is recorded: drivers make system calls
 * then. */
bool pp_gl_surface_size_due(struct pp_gl_surface *surface);

/** A viewport of this size was set for the surface. Another size than the known one may mean that the window
 * has another one, too, unless it turned out before that only a part of the window is drawn to in this way.
 */
void pp_gl_surface_viewport(struct pp_gl_surface *surface, uint32_t width, uint32_t height);

/** Is it time to ask an X server for the size, because a viewport hinted at another one? Call it once in each
 * frame. Then pp_gl_surface_size_answered() must follow. Not while no frame is recorded. */
bool pp_gl_surface_size_hinted(struct pp_gl_surface *surface);

/** The server answered; 0: without a size. If the size is the known one, viewports of the size that hinted at
 * another one do so no more. */
void pp_gl_surface_size_answered(struct pp_gl_surface *surface, uint32_t width, uint32_t height);

/** The surface is gone: its frames end, and pp_gl_surface_find() does not find it any more. Takes the
 * caller's reference.
 * @p surface NULL: nothing is done. */
void pp_gl_surface_retire(struct pp_gl_surface *surface);

/** All surfaces of a display are gone. */
void pp_gl_surfaces_closed(const void *display);

/** The surface's timeline for the device of @p ctx; created if needed. The surface is locked.
 * @return NULL: there is no session, the surface is gone, or no memory. */
struct pp_timeline *pp_gl_surface_timeline_locked(struct pp_gl_surface *surface,
                                                  const struct pp_gl_context *ctx);

/** The connection ends: the sizes of its surfaces stay as they are. @param connection NULL: nothing is done.
 */
void pp_gl_surfaces_forget_connection(const struct xcb_connection_t *connection);

#endif
