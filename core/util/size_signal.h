/** @file
 * Blocks SIGXFSZ in an application's thread. If one of passprobe's files would exceed the application's file
 * size limit, the signal must not end the application. Files are made in the application's threads; the
 * collector's thread blocks all signals. */
#ifndef PP_CORE_UTIL_SIZE_SIGNAL_H
#define PP_CORE_UTIL_SIZE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/** Signal state of the thread before pp_size_signal_hold(). */
struct pp_size_signal {
    sigset_t own;    /**< only SIGXFSZ */
    sigset_t before; /**< signals that the thread blocked */
    bool queued;     /**< a SIGXFSZ of the application was already pending and must stay pending */
};

/** Block SIGXFSZ in the calling thread. */
void pp_size_signal_hold(struct pp_size_signal *ret);

/** Remove a SIGXFSZ that came after pp_size_signal_hold(), and restore the thread's signal mask. Call it
 * in the same thread. */
void pp_size_signal_drop(const struct pp_size_signal *held);

#endif
