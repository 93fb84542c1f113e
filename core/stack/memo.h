/** @file
 * Remembers stacks that one thread had, so that an equal stack is found again without a walk. A stack is
 * found by the address and the stack pointer where its walk began, and by nothing less than all words that
 * decide the walk (struct pp_walk): the answer is right, whatever the application does with its stack. Many
 * stacks share the address and the stack pointer.
 *
 * Applications repeat themselves, so the stack that followed the last one before is tried first. Else the
 * first words lead to a set of stacks: each step says where the next word is. See stacks.h for the numbers of
 * stacks. */
#ifndef PP_CORE_STACK_MEMO_H
#define PP_CORE_STACK_MEMO_H

#include <stddef.h>
#include <stdint.h>

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

#endif
