/** @file
 * A chain of functions with frames of different sizes, so that a walk meets as many rules as frames. The
 * programs of bench/ that measure call stacks use this file. */
#ifndef BENCH_STACK_CHAIN_H
#define BENCH_STACK_CHAIN_H

/** Call @p function with @p frames functions of the chain above it on the stack, an even number. */
void stack_chain_call(int frames, void (*function)(void));

#endif
