/** @file
 * What one thread remembers of its stacks: memo, rules, bounds and counts. A list of all threads gives the
 * collector the counts.
 *
 * Remembers stacks that one thread had, so that an equal stack is found again without a walk. A stack is
 * found by the address and the stack pointer where its walk began, and by nothing less than all words that
 * decide the walk (struct pp_walk): the answer is right, whatever the application does with its stack. Many
 * stacks share the address and the stack pointer.
 *
 * Applications repeat themselves, so the stack that followed the last one before is tried first. Else the
 * first words lead to a set of stacks: each step says where the next word is. See stacks.h for the numbers of
 * stacks. */
#ifndef PP_CORE_STACK_THREAD_STACKS_H
#define PP_CORE_STACK_THREAD_STACKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stack/stacks.h"
#include "core/stack/walk.h"
#include "core/util/compiler.h"

#define PP_MEMO_SETS  256U
#define PP_MEMO_WAYS  4U
#define PP_MEMO_STEPS 8192U

/** Words that lead to a set: enough for the frames of passprobe and some of the application. */
#define PP_MEMO_PATH 6U

/** Words of a group, or pairs of words. */
#define PP_MEMO_WORDS 5U
#define PP_MEMO_PAIRS 3U

/** Groups of an entry: enough for PP_WALK_WORDS words, even where one word is between any two groups of
 * pairs. */
#define PP_MEMO_GROUPS 48U

/** Some words of a stack, in the order in which they must be compared: PP_MEMO_WORDS words, or PP_MEMO_PAIRS
 * pairs of neighbours, which are compared at once. Functions with frame pointers have such pairs: the return
 * address and, below it, the saved base pointer. A group that is not full repeats its last word. */
struct pp_memo_group {
    union {
        struct {
            uint64_t value[PP_MEMO_WORDS];
            uint32_t offset[PP_MEMO_WORDS];
        } words;
        struct {
            uint64_t value[PP_MEMO_PAIRS][2]; /**< lower word first */
            uint32_t offset[PP_MEMO_PAIRS];   /**< of the lower word */
        } pairs;
    };
} __attribute__((aligned(16)));

/** One stack. The first line of the cache has what is compared first. */
struct pp_memo_entry {
    uintptr_t ip; /**< 0: the entry is empty */
    uintptr_t sp;
    uintptr_t bp;               /**< decides only if uses_bp */
    struct pp_memo_entry *next; /**< the stack that followed this one last; may have been replaced since */
    uint32_t stack;
    uint32_t groups;
    uint64_t has_pairs; /**< bits: groups of pairs */
    bool uses_bp;
    struct pp_memo_group group[PP_MEMO_GROUPS];
} __attribute__((aligned(64)));

/** What the words so far say: where the next word is. */
struct pp_memo_step {
    uint64_t hash;   /**< of address, stack pointer and words so far; 0: the step is empty */
    uint32_t offset; /**< of the next word */
    bool ends;       /**< there is no next word */
    bool uses_bp;    /**< of a first step: the base pointer is part of the hash of the steps after it */
};

/** The stacks of a thread. Zeroed: none. Takes 3.4 MB of address space; an entry that was never used takes no
 * memory if the struct is in pages that were never written. */
struct pp_memo {
    struct pp_memo_entry *last;  /**< the stack that was found or added last */
    uint32_t next[PP_MEMO_SETS]; /**< the way to replace */
    struct pp_memo_step step[PP_MEMO_STEPS];
    struct pp_memo_entry entry[PP_MEMO_SETS][PP_MEMO_WAYS];
};

/** A word of the stack. No sanitizer may look: neighbouring words may be poisoned, this one is not. */
static inline __attribute__((no_sanitize_address, no_sanitize_thread)) uint64_t
pp_memo_load(uintptr_t place)
{
    typedef uint64_t word __attribute__((may_alias));
    return *(const word *)place; /* NOLINT(performance-no-int-to-ptr) */
}

/** Are two neighbouring words of the stack those of a pair? */
static inline __attribute__((no_sanitize_address, no_sanitize_thread)) bool
pp_memo_is_pair(uintptr_t place, const uint64_t *pair)
{
#ifdef __SSE2__
    typedef char bytes __attribute__((vector_size(16), aligned(8), may_alias));
    typedef char aligned_bytes __attribute__((vector_size(16), may_alias));
    bytes now = *(const bytes *)place; /* NOLINT(performance-no-int-to-ptr) */
    return __builtin_ia32_pmovmskb128(now == *(const aligned_bytes *)pair) == 0xffff;
#else
    return pp_memo_load(place) == pair[0] && pp_memo_load(place + sizeof(*pair)) == pair[1];
#endif
}

/** Are the words of a group those of the stack? Stops at the first other one. */
static inline bool
pp_memo_is_group(const struct pp_memo_group *group, bool has_pairs, uintptr_t sp)
{
    if (has_pairs)
        return pp_memo_is_pair(sp + group->pairs.offset[0], group->pairs.value[0]) &&
               pp_memo_is_pair(sp + group->pairs.offset[1], group->pairs.value[1]) &&
               pp_memo_is_pair(sp + group->pairs.offset[2], group->pairs.value[2]);
    return pp_memo_load(sp + group->words.offset[0]) == group->words.value[0] &&
           pp_memo_load(sp + group->words.offset[1]) == group->words.value[1] &&
           pp_memo_load(sp + group->words.offset[2]) == group->words.value[2] &&
           pp_memo_load(sp + group->words.offset[3]) == group->words.value[3] &&
           pp_memo_load(sp + group->words.offset[4]) == group->words.value[4];
}

/** Is the stack of an entry the stack now? Stops at the first other word: words after it may not exist any
 * more. Hot. */
static inline bool
pp_memo_is_same(const struct pp_memo_entry *entry, const struct pp_walk_registers *from)
{
    if (entry->ip != from->ip || entry->sp != from->sp || (entry->uses_bp && entry->bp != from->bp))
        return false;
    const struct pp_memo_group *group = entry->group, *end = group + entry->groups;
    for (uint64_t has_pairs = entry->has_pairs; group != end; group++, has_pairs >>= 1)
        if (!pp_memo_is_group(group, has_pairs & 1, from->sp))
            return false;
    return true;
}

/** Find a stack. @return NULL: it is not known. */
const struct pp_memo_entry *pp_memo_find(struct pp_memo *memo, const struct pp_walk_registers *from);

/** The stack that followed the last one before, if it is the stack now; else NULL. Hot. */
static inline const struct pp_memo_entry *
pp_memo_next(struct pp_memo *memo, const struct pp_walk_registers *from)
{
    struct pp_memo_entry *next = memo->last ? memo->last->next : NULL;
    if (PP_UNLIKELY(!next || !pp_memo_is_same(next, from)))
        return NULL;
    memo->last = next;
    return next;
}

/** Add the stack of a walk. Does nothing if more words decide than a walk notes. */
void pp_memo_add(struct pp_memo *memo, const struct pp_walk_registers *from, const struct pp_walk *walk,
                 uint32_t stack);

/** Forget all stacks. */
void pp_memo_clear(struct pp_memo *memo);

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
