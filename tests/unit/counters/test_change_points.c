/** @file
 * Change points: series with known changes, series without any, and how often random series give the right
 * answer. Numbers with many digits are from SciPy 1.10.1 (ttest_ind on the logarithms). */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "counters/stats/change_points.h"
#include "counters/util/random.h"

#define NEAR(got, want) assert_true(is_near(got, want))
#define SERIES          300

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fmax(1e-6, fabs(want));
}

/* Almost a normal distribution: the sum of twelve uniform numbers. */
static double
normal(uint64_t *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += ((double)pp_random_below(random, 1U << 30) + 0.5) / (1U << 30);
    return sum;
}

static struct pp_change_point *
find(const double *value, size_t n, size_t *ret_len)
{
    struct pp_change_point *point = NULL;
    assert_int_equal(pp_change_points(value, n, &pp_change_points_rule_usual, &point, ret_len), 0);
    return point;
}

static void
a_step_is_found_with_its_size(void **state)
{
    (void)state;
    const double value[] = {10.0, 10.1, 9.9, 10.05, 9.95, 10.6, 10.5, 10.55, 10.45, 10.65};
    size_t len;
    struct pp_change_point *point = find(value, 10, &len);
    assert_int_equal(len, 1);
    assert_int_equal(point->index, 5);
    assert_int_equal(point->from, 0);
    assert_int_equal(point->to, 10);
    assert_int_equal(point->first, 5);
    assert_int_equal(point->last, 5);
    NEAR(point->p * 1e6, 4.174601765241695);
    NEAR(point->before, 9.999749992499565);
    NEAR(point->after, 10.54976302678792);
    NEAR(point->change, point->after / point->before - 1);
    free(point);
}

static void
series_without_a_change_have_none(void **state)
{
    (void)state;
    double same[60], ramp[] = {10, 10.01, 10.02, 10.03, 10.04, 10.05}, two[] = {1, 2, 3};
    size_t len = 7;
    for (size_t i = 0; i < 60; i++)
        same[i] = 12.5;
    assert_null(find(same, 60, &len));
    assert_int_equal(len, 0);
    assert_null(find(NULL, 0, &len));
    assert_null(find(two, 3, &len));
    assert_null(find(ramp, 6, &len));
    assert_int_equal(len, 0);
}

static void
numbers_without_spread_change_exactly(void **state)
{
    (void)state;
    const double value[] = {4, 4, 4, 4, 4, 6, 6, 6, 6, 3, 3, 3};
    size_t len;
    struct pp_change_point *point = find(value, 12, &len);
    assert_int_equal(len, 2);
    assert_int_equal(point[0].index, 5);
    assert_int_equal(point[0].to, 9);
    NEAR(point[0].change, 0.5);
    NEAR(point[0].p, 0);
    assert_int_equal(point[1].index, 9);
    assert_int_equal(point[1].from, 5);
    NEAR(point[1].change, -0.5);
    free(point);
}

static void
levels_of_0_and_below_are_compared_as_numbers(void **state)
{
    (void)state;
    const double value[] = {-1, -1.1, -0.9, -1.05, 3, 3.1, 2.9, 3.05};
    size_t len;
    struct pp_change_point *point = find(value, 8, &len);
    assert_int_equal(len, 1);
    assert_int_equal(point->index, 4);
    assert_true(isnan(point->change));
    NEAR(point->before, -1.0125);
    NEAR(point->after, 3.0125);
    NEAR(point->p * 1e10, 7.665854771585077);
    free(point);
}

static void
wrong_arguments_are_refused(void **state)
{
    (void)state;
    const double bad[] = {1, NAN, 2, 3, 4}, good[] = {1, 2, 3, 4, 5};
    struct pp_change_points_rule rule = pp_change_points_rule_usual;
    struct pp_change_point *point = NULL;
    size_t len = 9;
    assert_int_equal(pp_change_points(bad, 5, &rule, &point, &len), -EINVAL);
    rule.window = 3;
    assert_int_equal(pp_change_points(good, 5, &rule, &point, &len), -EINVAL);
    rule.window = PP_CHANGE_POINTS_WINDOW_MOST + 1;
    assert_int_equal(pp_change_points(good, 5, &rule, &point, &len), -EINVAL);
    assert_int_equal(len, 9);
    assert_null(point);
}

/* A small change, and one that is large but may be chance, are removed. */
static void
the_rule_decides(void **state)
{
    (void)state;
    double value[40];
    size_t len;
    struct pp_change_points_rule rule = pp_change_points_rule_usual;
    for (size_t i = 0; i < 40; i++)
        value[i] = (i < 20 ? 100 : 102) + (double)(i % 3) * 0.1;
    assert_null(find(value, 40, &len));
    rule.threshold = 0.015;
    struct pp_change_point *point = NULL;
    assert_int_equal(pp_change_points(value, 40, &rule, &point, &len), 0);
    assert_int_equal(len, 1);
    assert_int_equal(point->index, 20);
    free(point);
    const double chance[] = {100, 130, 100, 132, 100, 131, 135, 138};
    assert_null(find(chance, 8, &len));
}

/* Frame times of builds: 10 ms with a deviation of 1 %. From build a on they are up % longer, from b on as
 * before. */
static void
make_builds(uint64_t *random, double *value, size_t n, size_t a, size_t b, double up)
{
    for (size_t i = 0; i < n; i++)
        value[i] = 10 * (i >= a && i < b ? 1 + up : 1) * exp(0.01 * normal(random));
}

/* Of SERIES random series: those with exactly one change point, at most 2 builds off; those with any other
 * answer. */
static void
count_answers(size_t n, size_t at, double up, size_t *ret_right, size_t *ret_held)
{
    double value[200];
    uint64_t random = 17;
    *ret_right = *ret_held = 0;
    for (size_t s = 0; s < SERIES; s++) {
        size_t len;
        make_builds(&random, value, n, at, n, up);
        struct pp_change_point *point = find(value, n, &len);
        bool right = at < n ? len == 1 && point->index + 2 >= at && point->index <= at + 2 : len == 0;
        *ret_right += right;
        *ret_held += right && at < n && point->first <= at && point->last >= at;
        free(point);
    }
}

static void
random_series_give_the_right_answer(void **state)
{
    (void)state;
    size_t right, held;
    count_answers(60, 60, 0, &right, &held);
    assert_true(right >= SERIES * 99 / 100);
    count_answers(200, 200, 0, &right, &held);
    assert_true(right >= SERIES * 99 / 100);
    const struct {
        size_t n, at;
        double up;
    } change[] = {{60, 30, 0.05}, {60, 57, 0.05}, {12, 5, 0.05}, {200, 100, 0.05}, {60, 30, -0.05}};
    for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
        count_answers(change[i].n, change[i].at, change[i].up, &right, &held);
        print_message("%zu points, %+.0f %% at %zu: found in %zu of %d, position in its set in %zu\n",
                      change[i].n, 100 * change[i].up, change[i].at, right, SERIES, held);
        assert_true(right >= SERIES * 97 / 100);
        assert_true(held >= right * 97 / 100);
    }
}

static void
a_change_and_its_repair_are_both_found(void **state)
{
    (void)state;
    double value[130];
    uint64_t random = 4;
    size_t len, right = 0;
    for (size_t s = 0; s < SERIES; s++) {
        make_builds(&random, value, 130, 45, 52, 0.06);
        struct pp_change_point *point = find(value, 130, &len);
        right += len == 2 && point[0].index + 1 >= 45 && point[0].index <= 46 && point[1].index + 1 >= 52 &&
                 point[1].index <= 53;
        free(point);
    }
    print_message("a change of 7 builds: both ends found in %zu of %d\n", right, SERIES);
    assert_true(right >= SERIES * 97 / 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_with_its_size),
        cmocka_unit_test(series_without_a_change_have_none),
        cmocka_unit_test(numbers_without_spread_change_exactly),
        cmocka_unit_test(levels_of_0_and_below_are_compared_as_numbers),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(the_rule_decides),
        cmocka_unit_test(random_series_give_the_right_answer),
        cmocka_unit_test(a_change_and_its_repair_are_both_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
