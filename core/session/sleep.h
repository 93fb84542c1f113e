/** @file
 * A process that is asleep: profiled, paused from its start (--paused), and waiting for `passprobe ctl
 * start`. It has no thread and no socket of passprobe's. At the end of each frame it loads one word of a page
 * of memory (core/config/sleep_page.h), and counts the frame; it makes no system call. See
 * docs/internals/process.md, "Asleep". */
#ifndef PP_CORE_SESSION_SLEEP_H
#define PP_CORE_SESSION_SLEEP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/engine/session_private.h"

/** Is the process asleep? Any thread. Hot. */
static inline bool
pp_sleep_lasts(const struct pp_sleep *sleep)
{
    return atomic_load_explicit(&sleep->page, memory_order_acquire) != NULL;
}

/** Fall asleep instead of beginning the collector; with the session's lock. @return false: the user did not
 * ask for it, or there can be no page: the collector must begin. Prints nothing. */
bool pp_sleep_begin_locked(struct pp_session *session);

/** A frame ends in a process that is asleep: wake if that was ordered. Not with the session's lock. Allocates
 * nothing and makes no system call unless it was ordered. @return true: it goes on to sleep. */
bool pp_sleep_goes_on(struct pp_session *session);

/** The process ends: remove the file, if it is still asleep. @return true: it was asleep to its end. */
bool pp_sleep_end(struct pp_session *session);

/** A forked child does not obey its parent's page, and detaches it unless the application has set a filter.
 * Async-signal-safe. */
void pp_sleep_forked(struct pp_session *session);

#endif
