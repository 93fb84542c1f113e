/** @file
 * Lets a front end look at its own threads from the collector's: a thread of the application that does not
 * come back from a call of the driver cannot do this itself. */
#ifndef PP_CORE_ENGINE_WATCH_H
#define PP_CORE_ENGINE_WATCH_H

#include <stdbool.h>

#include "core/util/compiler.h"

struct pp_session;

/** What the collector calls. The front end owns it; it lives as long as the process. */
struct pp_watch {
    /** The collector calls it once in each of its rounds, which take 20 ms or less. Mandatory. Must not
     * block, allocate or open anything; uses descriptors by pp_watch_borrow(). */
    void (*look)(struct pp_watch *watch);
    struct pp_watch *next; /**< pp_session.watches */
};

/** Let the collector call @p watch from now on. Any thread; once for each watch. */
PP_API void pp_watch_add(struct pp_session *session, struct pp_watch *watch);

/** Has the application set a seccomp filter since the session began? Then it may kill the process for a
 * system call that it does not know. Any thread. */
PP_API bool pp_watch_confined(void);

/** Use a descriptor of the application in pp_watch.look(), where its number may mean another one: see
 * pp_fd_borrow_foreign() in counters/util/own_fd.h. Any thread. @return A descriptor for
 * pp_watch_give_back(); -errno. */
PP_API int pp_watch_borrow(int fd);

/** End the use of what pp_watch_borrow() returned. Any thread. */
PP_API void pp_watch_give_back(int borrowed);

/** Call all watches. Collector thread only. */
void pp_watch_look(struct pp_session *session);

#endif
