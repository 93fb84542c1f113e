/** @file
 * Compares stacks; see stack_oracle.h. */
#include "tests/unit/core/stack/stack_oracle.h"

#include <execinfo.h>
#include <stdio.h>

#define ADDRESSES 256

uintptr_t
stack_address(struct pp_stacks *stacks, const struct pp_stack *stack, uint32_t i)
{
    struct pp_modules *modules = pp_stacks_modules(stacks);
    if (i >= stack->frames)
        return 0;
    uintptr_t call = stack->frame[i].offset;
    if (stack->frame[i].module != PP_NO_MODULE)
        call += modules->module[stack->frame[i].module].load_bias;
    return call + 1;
}

/* Not inlined, so that frame 0 of both lists is this function. */
__attribute__((noinline)) void
stack_oracle_look(struct stack_oracle *oracle)
{
    void *address[ADDRESSES];
    oracle->last = pp_stacks_here(oracle->stacks);
    int count = backtrace(address, ADDRESSES);
    const struct pp_stack *stack = pp_stacks_get(oracle->stacks, oracle->last);
    bool right = stack != NULL;
    uint32_t frames = right ? stack->frames : 0, skip = 0;
    /* AddressSanitizer puts a function of its own in front of backtrace(). */
    while (skip < 2 && right && (int)skip + 2 < count &&
           stack_address(oracle->stacks, stack, 1) != (uintptr_t)address[skip + 1])
        skip++;
    count -= (int)skip;
    oracle->compared++;
    oracle->depth = frames;
    oracle->incomplete += right && stack->end != PP_WALK_COMPLETE && stack->end != PP_WALK_DEPTH;
    for (uint32_t i = 1; i < frames && right; i++)
        right =
            i < (uint32_t)count && stack_address(oracle->stacks, stack, i) == (uintptr_t)address[i + skip];
    if (right && stack->end == PP_WALK_COMPLETE)
        right = frames == (uint32_t)count;
    if (!right && oracle->wrong++ == 0) {
        printf("wrong: %u frames, end %u, backtrace() has %d\n", frames,
               right   ? 0
               : stack ? stack->end
                       : 99,
               count);
        for (uint32_t i = 0; i < frames || i < (uint32_t)count; i++)
            printf("  %#lx %#lx\n", stack ? (unsigned long)stack_address(oracle->stacks, stack, i) : 0UL,
                   i < (uint32_t)count ? (unsigned long)(uintptr_t)address[i + skip] : 0UL);
    }
}
