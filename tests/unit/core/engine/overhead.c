/** @file
 * The CPU time of passprobe's hooks: the median ignores suspended calls, and several threads add to it. */
#include "tests/lib/cmocka_test.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/engine/overhead.h"

static void
median_ignores_suspended_hooks(void **state)
{
    struct pp_overhead *own = calloc(1, sizeof(*own));
    (void)state;
    assert_non_null(own);
    assert_int_equal(pp_overhead_median(own), 0);
    for (unsigned i = 0; i < 1000; i++)
        pp_overhead_add(own,
                        i % 10 == 0 ? 50000000 : 10000 + i); /* every tenth thread was suspended for 50 ms */
    assert_int_equal(atomic_load(&own->sum_ns) > 5000000000U, 1);
    assert_in_range(pp_overhead_median(own), 1000 * 10500 * 94 / 100, 1000 * 10500 * 106 / 100);
    free(own);
}

static void
smallest_and_largest_times_are_counted(void **state)
{
    struct pp_overhead *own = calloc(1, sizeof(*own));
    (void)state;
    assert_non_null(own);
    pp_overhead_add(own, 0);
    assert_int_equal(pp_overhead_median(own), 0);
    pp_overhead_add(own, 7);
    pp_overhead_add(own, 7);
    assert_int_equal(pp_overhead_median(own), 21); /* small times are exact */
    pp_overhead_add(own, UINT64_MAX);
    assert_int_equal(pp_overhead_median(own), 28);
    free(own);
}

static void *
add_many(void *own)
{
    for (unsigned i = 0; i < 10000; i++)
        pp_overhead_add(own, 100);
    return NULL;
}

static void
threads_add_to_one_sum(void **state)
{
    struct pp_overhead *own = calloc(1, sizeof(*own));
    pthread_t thread[4];
    (void)state;
    assert_non_null(own);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, add_many, own), 0);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&own->sum_ns), 4 * 10000 * 100);
    assert_in_range(pp_overhead_median(own), 40000 * 97, 40000 * 103);
    free(own);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_ignores_suspended_hooks),
        cmocka_unit_test(smallest_and_largest_times_are_counted),
        cmocka_unit_test(threads_add_to_one_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
