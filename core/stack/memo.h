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

#include <stdint.h>

#include "core/stack/walk.h"

#define PP_MEMO_SETS  256U
#define PP_MEMO_WAYS  4U
#define PP_MEMO_STEPS 8192U

/** Words that lead to a set: enough for the frames of passprobe and some of the application. */
#define PP_MEMO_PATH 6U

/** One stack. */
struct pp_memo_entry {
    uintptr_t ip; /**< 0: the entry is empty */
    uintptr_t sp;
    uintptr_t bp;               /**< decides only if uses_bp */
    struct pp_memo_entry *next; /**< the stack that followed this one last; may have been replaced since */
    uint32_t stack;
    uint32_t words;
    bool uses_bp;
    uint32_t offset[PP_WALK_WORDS];
    uint64_t value[PP_WALK_WORDS];
};

/** What the words so far say: where the next word is. */
struct pp_memo_step {
    uint64_t hash;   /**< of address, stack pointer and words so far; 0: the step is empty */
    uint32_t offset; /**< of the next word */
    bool ends;       /**< there is no next word */
    bool uses_bp;    /**< of a first step: the base pointer is part of the hash of the steps behind it */
};

/** The stacks of a thread. Zeroed: none. Takes 2.1 MB of address space; an entry that was never used takes no
 * memory if the struct is from calloc(). */
struct pp_memo {
    struct pp_memo_entry *last;  /**< the stack that was found or added last */
    uint32_t next[PP_MEMO_SETS]; /**< the way to replace */
    struct pp_memo_step step[PP_MEMO_STEPS];
    struct pp_memo_entry entry[PP_MEMO_SETS][PP_MEMO_WAYS];
};

/** Find a stack. @return NULL: it is not known. Hot. */
const struct pp_memo_entry *pp_memo_find(struct pp_memo *memo, const struct pp_walk_registers *from);

/** Add the stack of a walk. Does nothing if more words decide than a walk notes. */
void pp_memo_add(struct pp_memo *memo, const struct pp_walk_registers *from, const struct pp_walk *walk,
                 uint32_t stack);

/** Forget all stacks. */
void pp_memo_clear(struct pp_memo *memo);

#endif
