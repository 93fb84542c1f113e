/** @file
 * What the session starts and ends without knowing it: the collector and the control sockets. They use the
 * session, so core/start.c, which is above all folders, gives their functions to it. This file knows no
 * graphics API. */
#ifndef PP_CORE_SESSION_PARTS_H
#define PP_CORE_SESSION_PARTS_H

#include <stdbool.h>

struct pp_collector;
struct pp_control;
struct pp_session;

/** Functions of collect/collector.h and control/control.h, which describe them. Every pointer is set. */
struct pp_session_parts {
    /** pp_collector_create(): with the session's lock; waits until the thread has opened its files. */
    int (*begin)(struct pp_session *session, bool borrows, struct pp_collector **ret_collector);
    /** pp_collector_refuse(): without the session's lock. */
    void (*refuse)(struct pp_session *session, const char *why);
    /** pp_collector_write_empty(): without the session's lock. */
    void (*write_empty)(struct pp_session *session);
    /** pp_collector_finish(): at the end of the process; waits for the collector's thread. */
    void (*finish)(struct pp_collector *collector);
    /** pp_control_forked(): async-signal-safe. */
    void (*forked)(struct pp_control *control);
};

/** Defined in core/start.c. */
extern const struct pp_session_parts pp_session_parts;

#endif
