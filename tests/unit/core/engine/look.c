/** @file
 * Looks at a fence that are one wait, and looks that are not. */
#include "tests/lib/cmocka_test.h"

#include "core/engine/look.h"

enum { FENCE = 7, OTHER = 8 };

static void
looks_that_follow_each_other_are_a_wait(void **state)
{
    struct pp_look look = {.end_ns = 0};
    (void)state;
    assert_int_equal(pp_look_begin(&look, FENCE, 1000), 0);
    pp_look_end(&look, FENCE, false, 1000, 1100);
    assert_int_equal(pp_look_begin(&look, FENCE, 1200), 1100); /* a pause as long as the look */
    pp_look_end(&look, FENCE, false, 1200, 1250);
    assert_int_equal(pp_look_begin(&look, FENCE, 1251), 1250);
    pp_look_end(&look, FENCE, true, 1251, 1300);
    assert_int_equal(pp_look_begin(&look, FENCE, 1301), 0); /* the fence was signaled */
}

static void
work_between_looks_is_no_wait(void **state)
{
    struct pp_look look = {.end_ns = 0};
    (void)state;
    pp_look_end(&look, FENCE, false, 1000, 1100);
    assert_int_equal(pp_look_begin(&look, FENCE, 1201), 0);
}

static void
looks_at_other_fences_are_no_wait(void **state)
{
    struct pp_look look = {.end_ns = 0};
    (void)state;
    pp_look_end(&look, FENCE, false, 1000, 1100);
    assert_int_equal(pp_look_begin(&look, OTHER, 1110), 0);
    pp_look_end(&look, OTHER, false, 1110, 1200);
    assert_int_equal(pp_look_begin(&look, FENCE, 1210), 0);
}

static void *
begin_elsewhere(void *look)
{
    return (void *)(uintptr_t)pp_look_begin(look, FENCE, 1110);
}

static void
looks_of_other_threads_are_no_wait(void **state)
{
    struct pp_look look = {.end_ns = 0};
    pthread_t thread;
    void *since = &look;
    (void)state;
    pp_look_end(&look, FENCE, false, 1000, 1100);
    assert_int_equal(pthread_create(&thread, NULL, begin_elsewhere, &look), 0);
    assert_int_equal(pthread_join(thread, &since), 0);
    assert_null(since);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_that_follow_each_other_are_a_wait),
        cmocka_unit_test(work_between_looks_is_no_wait),
        cmocka_unit_test(looks_at_other_fences_are_no_wait),
        cmocka_unit_test(looks_of_other_threads_are_no_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
