/** @file
 * Which context is current on which thread: contexts that the application makes, makes current, and destroys.
 * Only the thread that has a context current touches its state. */
#ifndef PP_HOOKS_WINSYS_CURRENT_H
#define PP_HOOKS_WINSYS_CURRENT_H

#include "hooks/base/context.h"

/**
 * A window-system call begins: hooks pass through until pp_gl_leave().
 *
 * @return The session; NULL: profiling is off or the call is nested: call the real function and nothing else.
 */
struct pp_session *pp_gl_enter(void);
void pp_gl_leave(void);

/** Get the context of a handle, and create it if unknown. @p share_handle Handle of the context that it
 * shares with; may be NULL. @return NULL: no memory. */
struct pp_gl_context *pp_gl_context_find(enum pp_gl_winsys winsys, void *display, void *handle,
                                         void *share_handle);

/** pp_gl_context_find() for a handle that was just created: what was known under this handle is forgotten. */
struct pp_gl_context *pp_gl_context_created(enum pp_gl_winsys winsys, void *display, void *handle,
                                            void *share_handle);

/** The application is about to make another context current on this thread, or none: close what is open.
 * @p release No other context follows. */
void pp_gl_context_detach(bool release);

/** A context became current on this thread; @p surface, whose reference it takes over, may be NULL
 * (surfaceless). */
void pp_gl_context_attach(struct pp_gl_context *ctx, struct pp_gl_surface *surface);

/** No context is current on this thread any more. */
void pp_gl_context_clear_current(void);

/** Find a context that is about to be destroyed, is current on no thread, and waits for results that could be
 * read in it. @return NULL: there is no such context. */
struct pp_gl_context *pp_gl_context_find_waiting(enum pp_gl_winsys winsys, void *display, void *handle);

/** Find the display's next such context. @param number Of the one before; 0: find the first one. @return Its
 * handle; NULL: there is none. */
void *pp_gl_context_next_waiting(enum pp_gl_winsys winsys, const void *display, uint32_t *number);

/** Read the last results of a context. Call it on a thread of passprobe that made the context current to do
 * this. Waits one second at most. */
void pp_gl_context_read_last(struct pp_gl_context *ctx);

/** The application destroys a context. Call it before the real function. */
void pp_gl_context_destroy(enum pp_gl_winsys winsys, void *display, void *handle);

/** The application destroys the surface of @p drawable. */
void pp_gl_surface_gone(enum pp_gl_winsys winsys, void *display, uintptr_t drawable);

/** A display was closed or terminated: its handles may come back with another meaning. @p lost Its contexts
 * are gone with it, even current ones, and must not be touched again. */
void pp_gl_display_closed(void *display, bool lost);

#endif
