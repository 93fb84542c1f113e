/** @file
 * The collector, our one thread. Takes batches and frame ends from the ring, waits until a frame is
 * complete, has its rows made and written. Owns the session directory and the writers. Knows no graphics API.
 */
#ifndef PP_CORE_COLLECT_COLLECTOR_H
#define PP_CORE_COLLECT_COLLECTOR_H

struct pp_collector;
struct pp_session;

/** Open the session directory and start the thread. Says on stderr what went wrong. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_collector_create(struct pp_session *session,
                                                            struct pp_collector **ret_collector);

/** Nothing will be profiled: leave a session.json that says why in the session directory that the command
 * made. The session is not locked. Says nothing. */
void pp_collector_refuse(struct pp_session *session, const char *why);

/** Take what is in the ring, write it, end the files, join the thread. Waits ten seconds at most. At process
 * exit. */
void pp_collector_finish(struct pp_collector *collector);

#endif
