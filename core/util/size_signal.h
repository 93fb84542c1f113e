/** @file
 * Module: SIGXFSZ of an application's thread. A file of ours that grows beyond the application's limit must
 * not end the application. Files are made in threads of the application; the collector's thread blocks all
 * signals. */
#ifndef PP_CORE_UTIL_SIZE_SIGNAL_H
#define PP_CORE_UTIL_SIZE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/** What the thread had before. */
struct pp_size_signal {
    sigset_t own;    /**< SIGXFSZ alone */
    sigset_t before; /**< what the thread blocked */
    bool queued;     /**< the application's own, to be left */
};

/** Block the signal in the calling thread. */
void pp_size_signal_hold(struct pp_size_signal *ret);

/** Take away a signal that has come since, and restore what the thread blocked. The same thread. */
void pp_size_signal_drop(const struct pp_size_signal *held);

#endif
