/** @file
 * What one thread remembers of its stacks: memo, rules, bounds and counts. A list of all threads gives the
 * collector the counts. */
#ifndef PP_CORE_STACK_THREAD_STACKS_H
#define PP_CORE_STACK_THREAD_STACKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/stack/memo.h"
#include "core/stack/stacks.h"

/** Counts that one thread writes and any may read. */
enum pp_stack_counter {
    PP_STACK_HITS,
    PP_STACK_MISSES,
    PP_STACK_CHECKED,
    PP_STACK_WRONG,
    PP_STACK_LOST,
    PP_STACK_COUNTERS
};

/** Return addresses as a walk found them. */
struct pp_stack_addresses {
    uint64_t epoch; /**< of the modules */
    uint64_t end;
    uintptr_t ip[PP_WALK_FRAMES];
};

/** One thread. What a known stack needs comes first, in one line of the cache, then the memo: between two
 * draws the driver needs the cache. */
struct pp_thread_stacks {
    /* the thread only */
    uint64_t epoch; /**< of the modules when memo and rules were empty */
    bool busy;      /**< inside of pp_stacks_here(): a signal handler gets no stack */
    /* written by the thread, read by any */
    _Atomic uint64_t count[PP_STACK_COUNTERS];
    /* the thread only */
    struct pp_memo memo;
    struct pp_stacks *owner;
    struct pp_walk_bounds bounds;
    struct pp_walk_rules rules;
    /* for one search; not on the application's stack, which may be small */
    struct pp_walk walk;
    struct pp_stack_addresses addresses;
    struct pp_stack stack;
    /* guarded by the list's lock */
    struct pp_thread_stacks *next; /* pp_thread_list.first */
    struct pp_thread_stacks *before;
};

/** All threads of a session. */
struct pp_thread_list {
    /* guarded by lock */
    pthread_mutex_t lock;
    struct pp_thread_stacks *first;
    uint64_t ended[PP_STACK_COUNTERS]; /**< counts of threads that have ended */
};

/** Add one to a count of the calling thread. @return The new count. */
static inline uint64_t
pp_thread_count(struct pp_thread_stacks *thread, enum pp_stack_counter counter)
{
    uint64_t count = atomic_load_explicit(&thread->count[counter], memory_order_relaxed) + 1;
    atomic_store_explicit(&thread->count[counter], count, memory_order_relaxed);
    return count;
}

/** Prepare the list of threads. One list a process may be in use at a time. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_thread_list_init(struct pp_thread_list *list);

/** Free what all threads remember. No thread may use it any more. */
void pp_thread_list_finish(struct pp_thread_list *list);

/** Make the calling thread's entry. It is freed when the thread ends. @return NULL: no memory. */
struct pp_thread_stacks *pp_thread_stacks_create(struct pp_thread_list *list);

/** The calling thread's entry; NULL: it has none. General-dynamic, since this library may be loaded late. */
extern _Thread_local struct pp_thread_stacks *pp_thread_stacks_current;

/** Sums of all counts. Any thread. */
void pp_thread_list_counts(struct pp_thread_list *list, uint64_t ret_count[PP_STACK_COUNTERS]);

#endif
