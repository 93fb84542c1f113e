/** @file
 * Stacks of random call trees are right: functions with frames of many sizes, with memory from alloca(), with
 * locals that realign the stack, recursion, and calls through pointers. Built with several sets of compiler
 * flags. */
#include "tests/lib/cmocka_test.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/core/stack/stack_oracle.h"

#define FUNCTIONS 16
#define LOOKS     60000
#define TREES     60 /* different trees, which come back: so there are hits */
#define CALLS     40 /* of a tree */

static struct stack_oracle oracle;
static unsigned seed;      /* of the tree */
static unsigned size_seed; /* of sizes that have no part in the tree */
static int calls_left;

static unsigned
next(unsigned *io_seed)
{
    *io_seed = *io_seed * 1103515245U + 12345U;
    return *io_seed >> 16;
}

static unsigned
next_random(void)
{
    return next(&seed);
}

static void call_some(unsigned depth);

/* A function with a frame of `bytes` that makes calls from two places. */
#define PLAIN(number, bytes)                                                                                 \
    static __attribute__((noinline)) void function_##number(unsigned depth)                                  \
    {                                                                                                        \
        volatile char local[bytes];                                                                          \
        local[0] = (char)depth;                                                                              \
        if (next_random() & 1)                                                                               \
            stack_oracle_look(&oracle);                                                                      \
        call_some(depth + 1);                                                                                \
        if (local[0] & 1)                                                                                    \
            call_some(depth + 1);                                                                            \
        local[bytes - 1] = 1;                                                                                \
    }

/* A function whose frame has another size each time. */
#define WITH_ALLOCA(number)                                                                                  \
    static __attribute__((noinline)) void function_##number(unsigned depth)                                  \
    {                                                                                                        \
        volatile char *local = __builtin_alloca(16 + (next(&size_seed) % 2) * 16);                           \
        local[0] = (char)depth;                                                                              \
        stack_oracle_look(&oracle);                                                                          \
        call_some(depth + 1);                                                                                \
        local[1] = 1;                                                                                        \
    }

/* A function that aligns its stack, so that its frame's size depends on where it is called. */
#define REALIGNED(number)                                                                                    \
    static __attribute__((noinline)) void function_##number(unsigned depth)                                  \
    {                                                                                                        \
        alignas(64) volatile char local[64];                                                                 \
        local[0] = (char)depth;                                                                              \
        stack_oracle_look(&oracle);                                                                          \
        call_some(depth + 1);                                                                                \
        local[1] = local[0];                                                                                 \
    }

PLAIN(0, 8)
PLAIN(1, 24)
PLAIN(2, 40)
PLAIN(3, 56)
PLAIN(4, 72)
PLAIN(5, 200)
PLAIN(6, 8)
PLAIN(7, 24)
PLAIN(8, 40)
PLAIN(9, 1000)
WITH_ALLOCA(10)
WITH_ALLOCA(11)
WITH_ALLOCA(12)
REALIGNED(13)
REALIGNED(14)
PLAIN(15, 5000)

static void (*const function[FUNCTIONS])(unsigned depth) = {
    function_0, function_1, function_2,  function_3,  function_4,  function_5,  function_6,  function_7,
    function_8, function_9, function_10, function_11, function_12, function_13, function_14, function_15,
};

static void
call_some(unsigned depth)
{
    unsigned calls = next_random() % 3;
    for (unsigned i = 0; i < calls && calls_left > 0 && depth < 40; i++) {
        calls_left--;
        function[next_random() % FUNCTIONS](depth);
    }
}

static void
random_trees_are_right(void **state)
{
    (void)state;
    assert_int_equal(pp_stacks_create(PP_CALL_GRAPH_UNWIND, &oracle.stacks), 0);
    while (oracle.compared < LOOKS) {
        calls_left = CALLS;
        seed = next(&size_seed) % TREES;
        function[seed % FUNCTIONS](0);
    }
    struct pp_stack_counts counts = pp_stacks_counts(oracle.stacks);
    printf("%lu compared, %lu hits, %lu misses, %lu checked, %lu wrong\n", (unsigned long)oracle.compared,
           (unsigned long)counts.hits, (unsigned long)counts.misses, (unsigned long)counts.checked,
           (unsigned long)counts.wrong);
    assert_int_equal(oracle.wrong, 0);
    assert_int_equal(oracle.incomplete, 0);
    assert_true(counts.hits > LOOKS / 5);
    assert_true(counts.checked > 0);
    assert_int_equal(counts.wrong, 0);
    assert_int_equal(counts.lost, 0);
    pp_stacks_destroy(oracle.stacks);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_trees_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
