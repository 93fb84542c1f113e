/** @file
 * The collector is passprobe's only thread. It takes batches and frame ends from the ring, waits until a
 * frame is complete, and has its rows made and written. The collector owns the session directory and the
 * writers. This file knows no graphics API.
 *
 * What the control socket learns of the session's files, and does with them: core/control/control.h.
 * Collector thread only. */
#ifndef PP_CORE_COLLECT_COLLECTOR_H
#define PP_CORE_COLLECT_COLLECTOR_H

#include <stdbool.h>

#include "core/control/control.h"

struct pp_collector;
struct pp_session;

/** Start the thread, and wait until it has opened the session directory and its files; with the session's
 * lock. Errors are reported on stderr. @param borrows A device has a stream that the thread will read
 * (own_fd.h).
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_collector_create(struct pp_session *session, bool borrows,
                                                            struct pp_collector **ret_collector);

/** Record that nothing will be profiled: write a session.json with the reason @p why into the session
 * directory that the command made. The session must not be locked. Prints nothing. */
void pp_collector_refuse(struct pp_session *session, const char *why);

/** Write a session without frames, of a process that slept to its end, in the calling thread. The session
 * must not be locked. */
void pp_collector_write_empty(struct pp_session *session);

/** Write everything that is in the ring, end the files and join the thread. Waits ten seconds at most,
 * under Wine 25 ms. Called at process exit. */
void pp_collector_finish(struct pp_collector *collector);

/** The interface for struct pp_output_files as `self`. */
extern const struct pp_control_ops pp_control_files;

#endif
