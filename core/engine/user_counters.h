/** @file
 * User counters, which the application sets through the annotate API, and their values at the ends of frames.
 * Application threads take the lock only for a new name and at frame ends, real or marked. This file knows no
 * graphics API and no file. See also timeline.c, which passes the values to the collector. */
#ifndef PP_CORE_ENGINE_USER_COUNTERS_H
#define PP_CORE_ENGINE_USER_COUNTERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/util/intern.h"

#define PP_USER_COUNTERS_MAX 64U  /**< counters of a process; a power of two */
#define PP_USER_COUNTER_NAME 256U /**< bytes of a name, with its end */

/** One counter. Doubles are kept as their images. */
struct pp_user_counter {
    /* atomic */
    _Atomic uint64_t set; /**< last value set */
    _Atomic uint64_t sum; /**< added since the last close */
    atomic_int kind;      /**< enum: 0 not called yet, else what was called last */
    /* guarded by pp_user_counters.lock */
    int closed_kind;
    double closed_set;
    double closed_sum; /**< closed, but in no frame yet */
};

/** The counters of a process. */
struct pp_user_counters {
    struct pp_intern names; /**< id i + 1: counter[i] */
    struct pp_user_counter counter[PP_USER_COUNTERS_MAX];
    /* guarded by lock */
    pthread_mutex_t lock;
};

/** @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_user_counters_init(struct pp_user_counters *user_counters);

/** Frees the names. No other thread may use it. */
void pp_user_counters_finish(struct pp_user_counters *user_counters);

/** Set counter @p name to @p value. Any thread. @return false: too many counters, the call is ignored. */
bool pp_user_counters_set(struct pp_user_counters *user_counters, const char *name, double value);

/** Add @p delta to counter @p name in this frame. Any thread. @return false: too many counters, the call
 * is ignored. */
bool pp_user_counters_add(struct pp_user_counters *user_counters, const char *name, double delta);

/** Note that the application ends a frame here. The front end may notice it later, when the counters
 * already count for the next frame. Any thread. */
void pp_user_counters_close(struct pp_user_counters *user_counters);

/**
 * Take a frame's values.
 *
 * @param marked  The frame ended where pp_user_counters_close() was called; false: it ends now.
 * @param ret     The value of each counter, NaN if it has none; owned by the caller. NULL if there are none,
 * or without memory: then the next frame has them.
 * @return How many.
 */
uint32_t pp_user_counters_take(struct pp_user_counters *user_counters, bool marked, double **ret);

/** Do values of counter @p i of several frames add up? False: the last one counts. Any thread. */
bool pp_user_counter_adds(struct pp_user_counters *user_counters, uint32_t i);

/** Name of counter @p i of those that pp_user_counters_take() counted; valid as long as
 * @p user_counters. Any thread.
 */
const char *pp_user_counters_name(struct pp_user_counters *user_counters, uint32_t i);

#endif
