/** @file
 * See watch.h. Watches are only added, so the list needs no lock. */
#include "core/engine/watch.h"

#include <stdatomic.h>

#include "core/engine/session_private.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"

void
pp_watch_add(struct pp_session *session, struct pp_watch *watch)
{
    watch->next = atomic_load_explicit(&session->watches, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&session->watches, &watch->next, watch,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

bool
pp_watch_confined(void)
{
    return pp_sandbox_entered();
}

int
pp_watch_borrow(int fd)
{
    return pp_fd_borrow_foreign(fd);
}

void
pp_watch_give_back(int borrowed)
{
    pp_fd_give_back(borrowed);
}

void
pp_watch_look(struct pp_session *session)
{
    struct pp_watch *watch = atomic_load_explicit(&session->watches, memory_order_acquire);
    for (; watch; watch = watch->next)
        watch->look(watch);
}
