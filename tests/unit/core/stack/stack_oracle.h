/** @file
 * Compares the stacks of core/stack with those of the C library's backtrace(), which unwinds by libgcc. */
#ifndef PP_TESTS_STACK_ORACLE_H
#define PP_TESTS_STACK_ORACLE_H

#include <stdbool.h>

#include "core/stack/stacks.h"

/** What was compared. */
struct stack_oracle {
    struct pp_stacks *stacks;
    uint64_t compared;
    uint64_t wrong;
    uint64_t incomplete; /**< stacks with a reason */
    uint32_t last;       /**< number of the last stack */
    uint32_t depth;      /**< its frames */
};

/** The return address of frame @p i of a stack; 0: it has no such frame. */
uintptr_t stack_address(struct pp_stacks *stacks, const struct pp_stack *stack, uint32_t i);

/** Take the stack of the caller, and compare it. The caller's own frame is not compared. */
void stack_oracle_look(struct stack_oracle *oracle);

#endif
