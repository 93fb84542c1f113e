/** @file
 * See size_signal.h. */
#include "core/util/size_signal.h"

#include <stddef.h>
#include <time.h>

void
pp_size_signal_hold(struct pp_size_signal *ret)
{
    sigset_t queued;
    sigemptyset(&queued);
    (void)sigpending(&queued);
    ret->queued = sigismember(&queued, SIGXFSZ) == 1;
    sigemptyset(&ret->own);
    sigaddset(&ret->own, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &ret->own, &ret->before);
}

void
pp_size_signal_drop(const struct pp_size_signal *held)
{
    const struct timespec at_once = {0};
    if (!held->queued)
        (void)sigtimedwait(&held->own, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}
