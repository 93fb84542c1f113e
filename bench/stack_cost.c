/** @file
 * Nanoseconds of a call stack, by several methods and at several depths: a table in Markdown.
 *
 *     build/ci/tests/stack_cost
 *     build/ci/tests/stack_cost_frame_pointers    the same in code with frame pointers
 *
 * A chain of functions calls the method many times from its end. Each figure is the least of several rounds,
 * because other work on the machine only adds time. */
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/stack_chain.h"
#include "core/stack/thread_stacks.h"
#include "counters/util/array_size.h"

#define ROUNDS 15
#define CALLS  2000
#define DEPTHS 3

static const int depths[DEPTHS] = {8, 16, 32};

static struct pp_stacks *by_tables, *by_pointers;
static int (*unw_backtrace)(void **address, int size); /* of libunwind */
static void *address[128];
static volatile uint32_t sink;

/* Methods. Each takes the stack once. */

static void
take_known(void)
{
    sink = pp_stacks_here(by_tables);
}

/* The memo has just forgotten the stack. */
static void
take_new(void)
{
    struct pp_thread_stacks *thread = pp_thread_stacks_current;
    if (thread && thread->memo.last)
        thread->memo.last->ip = 0;
    if (thread)
        thread->memo.last = NULL;
    sink = pp_stacks_here(by_tables);
}

static void
take_by_pointers(void)
{
    sink = pp_stacks_here(by_pointers);
}

static void
take_by_libunwind(void)
{
    sink = (uint32_t)unw_backtrace(address, (int)PP_ARRAY_SIZE(address));
}

static void
take_by_c_library(void)
{
    sink = (uint32_t)backtrace(address, (int)PP_ARRAY_SIZE(address));
}

static void (*method)(void);
static double least_ns;

static __attribute__((noinline)) void
measure(void)
{
    struct timespec from, to;
    for (int round = 0; round < ROUNDS; round++) {
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int i = 0; i < CALLS; i++)
            method();
        clock_gettime(CLOCK_MONOTONIC, &to);
        double ns = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / CALLS;
        least_ns = round == 0 || ns < least_ns ? ns : least_ns;
    }
}

static void
print_row(const char *name, void (*wanted)(void))
{
    printf("| %s |", name);
    for (int i = 0; i < DEPTHS; i++) {
        method = wanted;
        stack_chain_call(depths[i], measure);
        printf(" %.0f |", least_ns);
    }
    printf("\n");
}

int
main(void)
{
    if (pp_stacks_create(PP_CALL_GRAPH_UNWIND, &by_tables)) {
        printf("skipped: no call stacks on this system\n");
        return 77;
    }
    /* Not linked: it would replace the C library's backtrace(). */
    void *libunwind = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    void *symbol = libunwind ? dlsym(libunwind, "unw_backtrace") : NULL;
    memcpy(&unw_backtrace, &symbol, sizeof(symbol));
    printf("| nanoseconds of a stack, frames of the application | 8 | 16 | 32 |\n|---|---|---|---|\n");
    print_row("passprobe, known stack", take_known);
    print_row("passprobe, new stack", take_new);
    if (unw_backtrace)
        print_row("libunwind", take_by_libunwind);
    print_row("backtrace() of the C library (libgcc)", take_by_c_library);
    pp_stacks_destroy(by_tables);
    if (BENCH_FRAME_POINTERS && pp_stacks_create(PP_CALL_GRAPH_FP, &by_pointers) == 0) {
        print_row("passprobe, --call-graph=fp", take_by_pointers);
        pp_stacks_destroy(by_pointers);
    }
    return 0;
}
