/** @file
 * Forks and the end of the process. A child has copies of the contexts, whose driver state it must not touch.
 * Any thread.
 *
 * What Wine's way to end threads needs: the hook of pthread_exit, which trampoline.S calls before it jumps to
 * what the hook returns, and the hook of a function of Xlib. */
#ifndef PP_HOOKS_STATE_PROCESS_H
#define PP_HOOKS_STATE_PROCESS_H

#include <stdint.h>

#include "hooks/base/context.h"

/** Is this process a child that was forked from a profiled process? */
bool pp_gl_process_is_child(void);

/** Has passprobe's destructor run, because the process ends? */
bool pp_gl_process_has_ended(void);

/** Does Wine run the application? Known from pp_gl_process_watch() on. */
bool pp_gl_process_is_wine(void);

/** The process ends, and Wine has killed all other threads: they may have held locks of any library. */
void pp_gl_process_set_torn(void);

/** Call @p at_exit when the process returns from main() or calls exit(), from pp_gl_process_watch() on. */
void pp_gl_process_end_by(void (*at_exit)(void));

/** passprobe's destructor runs: from now on pp_gl_process_has_ended() is true. */
void pp_gl_process_set_ended(void);

/** The application makes a context current, or none, in a call that pp_gl_enter() passed through. If the
 * reason is that this process is a child of a profiled process, report that once. */
void pp_gl_process_report_child(const void *context);

/** Write a note to this process's session.json if a child that was forked from it drew. */
void pp_gl_process_note_children(void);

/** Watch for forks and for the end of the process, once. @p device The device that gets the notes about the
 * process. */
void pp_gl_process_watch(struct pp_gl_device *device);

/** pthread_exit(arg[0]). Does not return if Wine killed the thread in a wait. @return Address to jump to. */
uintptr_t pp_pick_pthread_exit(uintptr_t *arg, uintptr_t *result);

/** What Xlib calls when it closes a display. */
typedef int (*pp_close_display)(void *display, void *codes);

/** Xlib's function. Does nothing when the process ends and Wine has killed threads. @return The earlier
 * function of this extension. */
pp_close_display XESetCloseDisplay(void *display, int extension, pp_close_display close);

#endif
