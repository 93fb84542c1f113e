/** @file
 * An application that waits for the GPU by asking again and again whether a fence is signaled. Its calls
 * look; the time between two looks of such a wait belongs to the wait. Two looks are of one wait if one
 * thread looked at one fence, and the time between is no longer than the first look took: an application that
 * works or sleeps between its looks, or ends a frame, takes longer. */
#ifndef PP_CORE_ENGINE_LOOK_H
#define PP_CORE_ENGINE_LOOK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** The last look at a fence that was not signaled. Zeroed: there was none. Any thread may look. If several
 * look at the same time, a wait may be wrong by the length of a look. */
struct pp_look {
    _Atomic(uintptr_t) thread;  /**< the thread that looked */
    _Atomic(uint64_t) fence;    /**< the fence, as a number */
    _Atomic(uint64_t) begin_ns; /**< when the look began */
    _Atomic(uint64_t) end_ns;   /**< when the look ended; 0: there was none */
};

/** Before a look that begins at @p begin_ns. @return Time from which the wait counts: the end of the last
 * look. 0: this look continues no wait. */
static inline uint64_t
pp_look_begin(const struct pp_look *look, uint64_t fence, uint64_t begin_ns)
{
    const uint64_t last_ns = atomic_load_explicit(&look->end_ns, memory_order_relaxed);
    const bool continues =
        last_ns != 0 && atomic_load_explicit(&look->fence, memory_order_relaxed) == fence &&
        atomic_load_explicit(&look->thread, memory_order_relaxed) == (uintptr_t)pthread_self() &&
        begin_ns - last_ns <= last_ns - atomic_load_explicit(&look->begin_ns, memory_order_relaxed);
    return continues ? last_ns : 0;
}

/** End the wait: a frame ended, or the thread waited in another way. */
static inline void
pp_look_clear(struct pp_look *look)
{
    atomic_store_explicit(&look->end_ns, 0, memory_order_relaxed);
}

/** After a look. @param done The fence is signaled, or asking for it failed. */
static inline void
pp_look_end(struct pp_look *look, uint64_t fence, bool done, uint64_t begin_ns, uint64_t end_ns)
{
    if (done && atomic_load_explicit(&look->end_ns, memory_order_relaxed) == 0)
        return;
    atomic_store_explicit(&look->thread, (uintptr_t)pthread_self(), memory_order_relaxed);
    atomic_store_explicit(&look->fence, fence, memory_order_relaxed);
    atomic_store_explicit(&look->begin_ns, begin_ns, memory_order_relaxed);
    atomic_store_explicit(&look->end_ns, done ? 0 : end_ns, memory_order_relaxed);
}

#endif
