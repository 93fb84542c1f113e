/** @file
 * See load_annotate.h. */
#include "bench/load_annotate.h"

#include <passprobe/annotate.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/load.h"

#define CALLS   200000
#define REPEATS 15

/* The compiler must not drop the call, nor assume what is in memory after it. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static void
nothing(void)
{
}

static void
region(void)
{
    pp_region_push("a region of the load");
    pp_region_pop();
}

static void
counter(void)
{
    pp_counter_add("load", 1);
}

/* Nanoseconds of a call: the least of the repeats, because other load only adds time. The loop is the same
 * for all three, hence inline with a constant. */
static inline __attribute__((always_inline)) double
lowest(void (*call)(void))
{
    uint64_t best = UINT64_MAX;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t start = load_now_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < CALLS; i++) {
            call();
            BARRIER();
        }
        uint64_t took = load_now_ns(CLOCK_THREAD_CPUTIME_ID) - start;
        best = took < best ? took : best;
    }
    return (double)best / CALLS;
}

void
load_annotate_print(void)
{
    double empty = lowest(nothing);
    double regions = lowest(region);
    double counters = lowest(counter);
    printf("{\"profiled\": %s, \"ns_per_region\": %.2f, \"ns_per_counter\": %.2f, \"ns_per_turn\": %.2f}\n",
           pp_profiled() ? "true" : "false", regions - empty, counters - empty, empty);
}
