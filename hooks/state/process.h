/** @file
 * Forks and the end of the process. A child has copies of the contexts, whose driver state it must not touch.
 * Any thread. */
#ifndef PP_HOOKS_STATE_PROCESS_H
#define PP_HOOKS_STATE_PROCESS_H

#include "hooks/base/context.h"

/** Is this process a child that was forked from a profiled process? */
bool pp_gl_process_is_child(void);

/** Has passprobe's destructor run, because the process ends? */
bool pp_gl_process_has_ended(void);

/** Does Wine run the application? Known from pp_gl_process_watch() on. */
bool pp_gl_process_is_wine(void);

/** The process ends, and Wine has killed all other threads: they may have held locks of any library. */
void pp_gl_process_set_torn(void);

/** Was pp_gl_process_set_torn() called? Any thread. */
bool pp_gl_process_is_torn(void);

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

#endif
