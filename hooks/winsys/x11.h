/** @file
 * Sizes of X drawables, and when a display closes. This file knows no GLX and no EGL. Call the functions on a
 * thread that just used the display, or whose driver did. */
#ifndef PP_HOOKS_WINSYS_X11_H
#define PP_HOOKS_WINSYS_X11_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/base/context.h"
#include "hooks/base/gl_types.h"

/** Find the functions of libX11. @return false: it is not loaded. */
bool pp_gl_x11_load(void);

/** XFree() of memory that GLX returned. Only after pp_gl_x11_load() returned true. */
void pp_gl_x11_free(void *data);

/** Ask the server for the size of an X drawable without causing an X error. @retval 0 done. @retval -ENODATA
 * The drawable does not exist. @retval -ENOSYS The libraries cannot ask in this way. @retval -EIO No answer.
 */
int pp_gl_x11_size(Display *display, Drawable drawable, uint32_t *width, uint32_t *height);

/** Connection of a display of Xlib. @return NULL: the libraries that pp_gl_x11_follow_size() needs are not
 * loaded. */
struct xcb_connection_t *pp_gl_x11_connection(Display *display);

/** An application's connection. @return NULL: as pp_gl_x11_connection(). */
struct xcb_connection_t *pp_gl_x11_connection_of_xcb(void *connection);

/**
 * Follow the size of a surface, without a wait: the server is asked in one call, and its answer taken in a
 * later one. The answer wakes an application that waits for events of this connection in poll(); one that
 * does not expect that, as other answers do the same, may then wait in XNextEvent() for ever. So the server
 * is asked only after a viewport of another size than the known one, once in 28 calls at most, and not again
 * for a viewport after which the answer was the known size (pp_gl_surface_viewport()). Call it at each swap,
 * and for displays of Xlib at each make-current. The question leaves with the next request that the
 * application or the driver sends. The answer to the last question of a surface that ends stays in libxcb
 * until the connection ends.
 *
 * @return false: nothing was done, because the surface's connection is not known.
 */
bool pp_gl_x11_follow_size(struct pp_gl_surface *surface);

/** Ask for the size by Xlib, whose error handler belongs to the application: only for a drawable that exists.
 * The outputs stay unchanged if libX11 is not loaded. */
void pp_gl_x11_size_by_xlib(Display *display, Drawable drawable, uint32_t *width, uint32_t *height);

/** Make Xlib report when a display closes, because no other call reports that its contexts end. @return
 * false: it will not, because too many displays are open, or for lack of memory. */
bool pp_gl_x11_watch(Display *display);

#endif
