/** @file
 * Module: what session.json says of a process while it writes the session: its number, its driver, and
 * whether it records. */
#ifndef PP_CLI_TOP_SESSION_ABOUT_H
#define PP_CLI_TOP_SESSION_ABOUT_H

#include <stdbool.h>

/** What it says. All zero: nothing yet. */
struct pp_session_about {
    long pid;      /**< 0: not known */
    bool software; /**< all of its drivers are software drivers */
    bool paused;   /**< recording is stopped */
};

/** Read it. If session.json cannot be read, @p about is unchanged. */
void pp_session_about_read(struct pp_session_about *about, int dir_fd);

#endif
