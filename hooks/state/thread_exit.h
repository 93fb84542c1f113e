/** @file
 * What Wine's way to end threads needs: the hook of pthread_exit, which trampoline.S calls before it jumps to
 * what the hook returns, and the hook of a function of Xlib. */
#ifndef PP_HOOKS_STATE_THREAD_EXIT_H
#define PP_HOOKS_STATE_THREAD_EXIT_H

#include <stdint.h>

/** pthread_exit(arg[0]). Does not return if Wine killed the thread in a wait. @return Address to jump to. */
uintptr_t pp_pick_pthread_exit(uintptr_t *arg, uintptr_t *result);

/** What Xlib calls when it closes a display. */
typedef int (*pp_close_display)(void *display, void *codes);

/** Xlib's function. Does nothing when the process ends and Wine has killed threads. @return The earlier
 * function of this extension. */
pp_close_display XESetCloseDisplay(void *display, int extension, pp_close_display close);

#endif
