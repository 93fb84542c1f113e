/** @file
 * Walks up the calling thread's stack, from a function of passprobe to the first function of the thread, by
 * rules of unwind_table.h or by frame pointers. Reads nothing but return addresses and saved base pointers.
 * Takes no lock and allocates nothing. Knows addresses, no modules; see stacks.h. */
#ifndef PP_CORE_STACK_WALK_H
#define PP_CORE_STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stack/unwind_table.h"

/** Return addresses of a stack: 64 of the application, and those of passprobe's functions below them. */
#define PP_WALK_FRAMES 80U

/** Words of a stack that decide which return addresses a walk finds: one for each frame, and another one
 * where a base pointer decides. */
#define PP_WALK_WORDS (2 * PP_WALK_FRAMES)

/** Why a walk ended. pp_walk_end_name() has the word that stacks.csv has. */
enum pp_walk_end {
    PP_WALK_COMPLETE = 0,  /**< at the first function of the thread */
    PP_WALK_DEPTH,         /**< more frames than are kept */
    PP_WALK_NO_CODE,       /**< the caller is in no loaded object: code made at run time */
    PP_WALK_NO_TABLE,      /**< a function without an entry in the unwind tables */
    PP_WALK_OTHER_RULE,    /**< a function whose rule cannot be followed */
    PP_WALK_BROKEN,        /**< a rule led out of the stack or to unreadable memory, or cannot be right */
    PP_WALK_FRAME_POINTER, /**< with frame pointers: one that leads nowhere */
    PP_WALK_ENDS
};

/** Registers of a function at the return from a call. */
struct pp_walk_registers {
    uintptr_t ip; /**< where the call returns to */
    uintptr_t sp; /**< stack pointer after the return */
    uintptr_t bp; /**< base pointer */
};

/** A word of the stack. Its place is relative to the stack pointer where the walk began. */
struct pp_walk_word {
    uint64_t value;
    uint32_t offset;
};

/** The rules of instructions that were met, of one thread. Zeroed: none. */
#define PP_WALK_RULES 2048U
struct pp_walk_rules {
    struct {
        uintptr_t ip;
        struct pp_frame_rule rule;
    } entry[PP_WALK_RULES];
};

/** Pages that a thread remembers. */
#define PP_WALK_PAGES 16U

/** Where the stack of a thread is. Zeroed: not known. */
struct pp_walk_bounds {
    uintptr_t low;
    uintptr_t high;                /**< first byte above */
    uintptr_t page[PP_WALK_PAGES]; /**< pages above the last walk's begin that were found readable */
};

/** A walk. */
struct pp_walk {
    uint32_t frames;
    uint32_t words;
    uint8_t end;    /**< enum pp_walk_end */
    bool uses_bp;   /**< the base pointer's value at the begin decides, too */
    bool too_large; /**< more words decide than were noted */
    uintptr_t ip[PP_WALK_FRAMES];
    struct pp_walk_word word[PP_WALK_WORDS]; /**< Words that decide: if they, and the first ip, sp and (with
                                                uses_bp) bp are the same again, the stack is the same. In the
                                                order in which they must be compared: a word is certain to
                                                exist only if all words before it are the same. */
};

/** "limit", "unknown_code", ...: the reason for the column `truncated`; "" for PP_WALK_COMPLETE. */
const char *pp_walk_end_name(enum pp_walk_end end);

/** Find the bounds of the calling thread's stack. They stay zero where they are not known. */
void pp_walk_find_bounds(struct pp_walk_bounds *bounds);

/** Walk by unwind tables. Follows frames of signals to the function that was interrupted, also on another
 * stack. Calling thread only; @p from must be a function of it that has not returned. Hot where the stack is
 * new. */
void pp_walk_tables(struct pp_walk_rules *rules, struct pp_walk_bounds *bounds,
                    const struct pp_walk_registers *from, struct pp_walk *ret_walk);

/**
 * Walk by frame pointers.
 *
 * @param is_own Is the address in passprobe? Its functions have no frame pointers, so the unwind tables lead
 * through them.
 */
void pp_walk_frame_pointers(struct pp_walk_rules *rules, struct pp_walk_bounds *bounds,
                            bool (*is_own)(void *user, uintptr_t ip), void *user,
                            const struct pp_walk_registers *from, struct pp_walk *ret_walk);

#endif
