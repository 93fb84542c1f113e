/** @file
 * The call stacks of a session (option --call-graph). An application's thread asks for the number of its
 * stack; equal stacks have equal numbers, and number 0 is no stack. A stack that the thread had before is
 * found by comparing (thread_stacks.h), a new one by a walk (walk.h). Every 1,024th comparison is checked by
 * a walk. The collector writes stacks and modules. This file knows no graphics API. */
#ifndef PP_CORE_STACK_STACKS_H
#define PP_CORE_STACK_STACKS_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/stack/modules.h"
#include "core/stack/walk.h"
#include "core/util/compiler.h"

struct pp_json;
struct pp_stacks;

/** Frames of the application that a stack has at most. */
#define PP_STACK_FRAMES 64U

/** Number of hits after which one is checked. */
#define PP_STACK_CHECK_EVERY 1024U

/** One frame: the call from which the frame below was entered. */
struct pp_stack_frame {
    uint64_t offset; /**< of the call in its module, as the module's file has it: return address - 1 - load
                        bias; the address itself without a module */
    uint32_t module; /**< number; PP_NO_MODULE: no object contains the address */
    uint32_t reserved;
};

/** One stack, innermost frame first. */
struct pp_stack {
    uint32_t end; /**< enum pp_walk_end */
    uint32_t frames;
    struct pp_stack_frame frame[PP_STACK_FRAMES];
};

/**
 * Prepare.
 *
 * @retval 0
 * @retval -ENOTSUP The processor or the C library has no way to find stacks.
 * @retval -ENOMEM
 */
__attribute__((warn_unused_result)) int pp_stacks_create(enum pp_call_graph method,
                                                         struct pp_stacks **ret_stacks);

/** Free everything. No thread may be in pp_stacks_here(). NULL is allowed. */
void pp_stacks_destroy(struct pp_stacks *stacks);

/** The number of the calling thread's stack, without frames of passprobe; 0: none. @p stacks may be NULL:
 * then 0. Any thread. A known stack takes no lock and no memory. Hot. */
PP_API uint32_t pp_stacks_here(struct pp_stacks *stacks);

/** Look for loaded and unloaded objects. Call it from time to time. Any thread; takes a short lock of the
 * loader. @p stacks may be NULL. */
PP_API void pp_stacks_look(struct pp_stacks *stacks);

/** A stack by its number; the numbers have no gap. @return NULL: there is none. Any thread; valid as long as
 * @p stacks. */
const struct pp_stack *pp_stacks_get(struct pp_stacks *stacks, uint32_t number);

/** The modules of all stacks. They lock themselves. */
struct pp_modules *pp_stacks_modules(struct pp_stacks *stacks);

/** Write the member "stacks" of session.json. @p stacks may be NULL: the member is not written. */
void pp_stacks_json(struct pp_stacks *stacks, struct pp_json *json);

/** What stacks cost and how far they can be trusted. */
struct pp_stack_counts {
    uint64_t hits;    /**< found by comparing */
    uint64_t misses;  /**< found by a walk */
    uint64_t checked; /**< hits that were checked */
    uint64_t wrong;   /**< of those: the check found another stack */
    uint64_t lost;    /**< stacks without a number, because the table was full or there was no memory */
};

/** The counts of all threads. Any thread. */
struct pp_stack_counts pp_stacks_counts(struct pp_stacks *stacks);

#endif
