/** @file
 * What other programs ask of a profiled process: the control socket (docs/formats/control.md) and the socket
 * of --metrics-socket. Both are opened where the user's options and folders say. The collector's thread
 * serves them between its other work and never waits for a client. See also request.h and answers.h. This
 * file knows no graphics API. */
#ifndef PP_CORE_CONTROL_CONTROL_H
#define PP_CORE_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/control/control_facts.h"
#include "core/control/control_private.h"

struct pp_control;
struct pp_frame_row;
struct pp_session;

/**
 * Open the sockets. Without a folder for the control socket the session goes on; a note or warning says why.
 * Called by the thread that begins the session.
 *
 * @param self For @p ops; borrowed.
 * @return NULL: no socket is open.
 */
struct pp_control *pp_control_create(struct pp_session *session, const struct pp_control_ops *ops,
                                     void *self);

/** Serve the clients. Returns at once without a connection while it is not yet time to look for new clients.
 * Collector thread only. @p control may be NULL. */
void pp_control_poll(struct pp_control *control, uint64_t now_ns);

/** Note a frame whose row was written. Collector thread only. @p control may be NULL. */
void pp_control_note_frame(struct pp_control *control, const struct pp_frame_row *row);

/** Profiling has ended or will: send what waits, as far as clients take it at once, and close and remove the
 * sockets. Under a filter of system calls the sockets' files stay. @p control may be NULL. */
void pp_control_end(struct pp_control *control);

/** Free it; pp_control_end() is due before. NULL is allowed. */
void pp_control_destroy(struct pp_control *control);

/** Close all descriptors in a forked child. Async-signal-safe. */
void pp_control_forked(struct pp_control *control);

/** Open the control socket and the one of --metrics-socket. A message says why one is not open. */
void pp_control_open(struct pp_control *control);

#endif
