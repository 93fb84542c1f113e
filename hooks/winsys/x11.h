/** @file
 * Sizes of X drawables, and when a display closes. This file knows no GLX. Call the functions on a thread
 * that just used the display. */
#ifndef PP_HOOKS_WINSYS_X11_H
#define PP_HOOKS_WINSYS_X11_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/base/gl_types.h"

/** Find the functions of libX11 and libxcb. @return false: libX11 is not loaded. */
bool pp_gl_x11_load(void);

/** XFree() of memory that GLX returned. Only after pp_gl_x11_load() returned true. */
void pp_gl_x11_free(void *data);

/** Ask the server for the size of an X drawable without causing an X error. @retval 0 done. @retval -ENODATA
 * The drawable does not exist. @retval -ENOSYS The libraries cannot ask in this way. @retval -EIO No answer.
 */
int pp_gl_x11_size(Display *display, Drawable drawable, uint32_t *width, uint32_t *height);

/** Ask the server for the size of an X drawable, and do not wait for the answer, which pp_gl_x11_take_size()
 * takes later. The question leaves with the next request that the application sends. @return a number of the
 * question, for the same display; 0: the libraries cannot ask in this way. */
uint32_t pp_gl_x11_ask_size(Display *display, Drawable drawable);

/** Take the answer to a question, which ends it. @retval -EAGAIN It has not come; the question goes on.
 * Otherwise as pp_gl_x11_size(). */
int pp_gl_x11_take_size(Display *display, uint32_t question, uint32_t *width, uint32_t *height);

/** End a question whose answer is not needed any more. */
void pp_gl_x11_drop_size(Display *display, uint32_t question);

/** Ask for the size by Xlib, whose error handler belongs to the application: only for a drawable that exists.
 * The outputs stay unchanged if libX11 is not loaded. */
void pp_gl_x11_size_by_xlib(Display *display, Drawable drawable, uint32_t *width, uint32_t *height);

/** Make Xlib report when a display closes, because no other call reports that its contexts end. */
void pp_gl_x11_watch(Display *display);

#endif
