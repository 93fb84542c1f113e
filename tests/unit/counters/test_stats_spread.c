/** @file
 * The spread between runs of one command. The numbers with many digits are computed by hand from Student's t
 * of SciPy 1.10.1: t.ppf(0.975, 4) = 2.7764451051977987, t.ppf(0.975, 1) = 12.706204736432095. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counters/stats/stats_spread.h"

#define NEAR(got, want) assert_true(is_near(got, want))

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fmax(1e-3, fabs(want));
}

static void
five_runs(void **state)
{
    (void)state;
    static const double value[] = {10, 12, 11, 13, 9};
    struct pp_run_spread spread = pp_run_spread_of(value, 5);
    assert_int_equal(spread.runs, 5);
    NEAR(spread.mean, 11);
    NEAR(spread.least, 9);
    NEAR(spread.most, 13);
    NEAR(spread.deviation, sqrt(10.0 / 4));
    NEAR(spread.deviation_share, sqrt(10.0 / 4) / 11);
    NEAR(spread.half, 2.7764451051977987 * sqrt(10.0 / 4) / sqrt(5));
    NEAR(spread.half_share, 2.7764451051977987 * sqrt(10.0 / 4) / sqrt(5) / 11);
}

static void
runs_without_a_value_are_left_out(void **state)
{
    (void)state;
    const double value[] = {NAN, 4, INFINITY, 6};
    struct pp_run_spread spread = pp_run_spread_of(value, 4);
    assert_int_equal(spread.runs, 2);
    NEAR(spread.mean, 5);
    NEAR(spread.half, 12.706204736432095);
    spread = pp_run_spread_of(value, 1);
    assert_int_equal(spread.runs, 0);
    assert_true(isnan(spread.mean) && isnan(spread.least) && isnan(spread.most) && isnan(spread.half_share));
}

/* One run says nothing about the spread; a mean of 0 has no shares. */
static void
what_is_not_known_is_no_number(void **state)
{
    (void)state;
    static const double value[] = {3, -3};
    struct pp_run_spread spread = pp_run_spread_of(value, 1);
    assert_int_equal(spread.runs, 1);
    NEAR(spread.mean, 3);
    assert_true(isnan(spread.deviation) && isnan(spread.half) && isnan(spread.half_share));
    spread = pp_run_spread_of(value, 2);
    NEAR(spread.mean, 0);
    NEAR(spread.deviation, sqrt(18));
    assert_true(isnan(spread.deviation_share) && isnan(spread.half_share));
    static const double less[] = {-2, -4};
    spread = pp_run_spread_of(less, 2);
    NEAR(spread.deviation_share, sqrt(2) / 3);
}

/* Five series in two runs. In the second run the machine took twice as long, and the last series 3 times
 * more.
 */
static void
what_all_series_have_in_common(void **state)
{
    (void)state;
    static const double value[] = {1, 2, 10, 20, 5, 10, 7, 14, 100, 600};
    double left[10], factor[2];
    assert_int_equal(pp_leave_common_out(value, 5, 2, left, factor), 0);
    NEAR(factor[0], sqrt(0.5));
    NEAR(factor[1], sqrt(2));
    for (size_t s = 0; s < 4; s++)
        NEAR(left[2 * s + 1] / left[2 * s], 1);
    NEAR(left[9] / left[8], 3);
    NEAR(left[8], 100 / sqrt(0.5)); /* the median of the four others */
}

/* The factor of a series is that of the others: three numbers that differ, and the middle of two. */
static void
the_own_series_is_left_out(void **state)
{
    (void)state;
    const double value[] = {1, exp(0.2), 1, exp(0.4), 1, exp(0.8), 1, exp(1.6)};
    double left[8], factor[2];
    assert_int_equal(pp_leave_common_out(value, 4, 2, left, factor), 0);
    NEAR(left[1], exp(0.2 - 0.4)); /* halves of 0.4, 0.8, 1.6: each mean is taken off */
    NEAR(left[7], exp(1.6 - 0.2)); /* halves of 0.2, 0.4, 0.8 */
    NEAR(factor[1], exp(0.3));     /* all: halves of 0.4 and 0.8 */
}

static void
too_few_series_have_nothing_in_common(void **state)
{
    (void)state;
    const double value[] = {1, 2, 10, NAN, 5, 10, 7, 14, 0, 3}; /* the second lacks a run, the last has a 0 */
    double left[10], factor[2];
    assert_int_equal(pp_leave_common_out(value, 5, 2, left, factor), 0);
    assert_true(!isnan(left[0]) && isnan(left[1])); /* of the second run, two others are left */
    assert_true(isnan(left[3]) && !isnan(left[9]) && !isnan(factor[0]) && isnan(factor[1]));
    assert_int_equal(pp_leave_common_out(value, 0, 2, left, factor), 0);
    assert_true(isnan(factor[0]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_runs),
        cmocka_unit_test(runs_without_a_value_are_left_out),
        cmocka_unit_test(what_is_not_known_is_no_number),
        cmocka_unit_test(what_all_series_have_in_common),
        cmocka_unit_test(the_own_series_is_left_out),
        cmocka_unit_test(too_few_series_have_nothing_in_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
