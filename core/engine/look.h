/** @file
 * An application that waits for the GPU by looking whether something is done, again and again. The pauses
 * between looks belong to its wait. A look at something else, or after a longer pause, is no part of the
 * wait: an application that looks once a frame, or between pieces of its own work, does not wait. */
#ifndef PP_CORE_ENGINE_LOOK_H
#define PP_CORE_ENGINE_LOOK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/engine/clock.h"

/** Longest pause of a wait: longer than a sleep of 0.1 ms takes. */
#define PP_LOOK_PAUSE_NS 250000U

/** The last look that found something not done. Zeroed: none. Any thread; if threads look at the same time, a
 * pause may be lost. */
struct pp_look {
    _Atomic(uintptr_t) thread; /**< that looked */
    _Atomic(uint64_t) object;  /**< it looked at */
    _Atomic(uint64_t) end_ns;  /**< 0: none */
};

/** Before a look. @return when the wait went on that this look belongs to: at the end of the last look, or 0
 * if the look is the first. */
static inline uint64_t
pp_look_begin(struct pp_look *look, uint64_t object)
{
    const uint64_t end_ns = atomic_load_explicit(&look->end_ns, memory_order_relaxed);
    if (end_ns == 0 || atomic_load_explicit(&look->object, memory_order_relaxed) != object ||
        atomic_load_explicit(&look->thread, memory_order_relaxed) != (uintptr_t)pthread_self())
        return 0;
    return pp_now_ns() - end_ns <= PP_LOOK_PAUSE_NS ? end_ns : 0;
}

/** After a look that ended at @p end_ns. @p done Was it done? */
static inline void
pp_look_end(struct pp_look *look, uint64_t object, bool done, uint64_t end_ns)
{
    atomic_store_explicit(&look->thread, (uintptr_t)pthread_self(), memory_order_relaxed);
    atomic_store_explicit(&look->object, object, memory_order_relaxed);
    atomic_store_explicit(&look->end_ns, done ? 0 : end_ns, memory_order_relaxed);
}

#endif
