/** @file
 * Blocks, and intervals from within a run: computed by hand, and as often right as they claim on series with
 * a known mean. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/stats/stats_spread.h"
#include "counters/util/random.h"

#define NEAR(got, want) assert_true(is_near(got, want))

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fmax(1, fabs(want));
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

/* A series in which neighbours are correlated: x[i] = rho x[i - 1] + noise, of mean 0 and deviation 1. */
static void
make_series(uint64_t *random, double rho, double *value, size_t n)
{
    double x = normal(random);
    for (size_t i = 0; i < n; i++) {
        value[i] = x;
        x = rho * x + sqrt(1 - rho * rho) * normal(random);
    }
}

static void
blocks_are_as_long_as_neighbours_depend(void **state)
{
    (void)state;
    double value[2000], steps[1000];
    uint64_t random = 3;
    make_series(&random, 0, value, 2000);
    struct pp_block got = pp_block_length(value, 2000);
    assert_int_equal(got.length, 10);
    assert_false(got.too_correlated);
    /* at correlation 0.9 the autocorrelation 0.9^k falls below 2 / sqrt(2000) = 0.0447 at lag 30 */
    make_series(&random, 0.9, value, 2000);
    got = pp_block_length(value, 2000);
    assert_in_range(got.length, 40, 120);
    assert_false(got.too_correlated);
    /* a step: the autocorrelation of n values at lag k is 1 - 3 k / n; 2 / sqrt(1000) = 0.063 is reached at
     * lag 313 */
    for (size_t i = 0; i < 1000; i++)
        steps[i] = i < 500 ? 0 : 1;
    got = pp_block_length(steps, 1000);
    assert_int_equal(got.length, 100);
    assert_true(got.too_correlated);
}

static void
odd_series_have_blocks_too(void **state)
{
    (void)state;
    double *ramp = malloc(30000 * sizeof(*ramp));
    assert_non_null(ramp);
    for (size_t i = 0; i < 30000; i++)
        ramp[i] = (double)i;
    struct pp_block got = pp_block_length(ramp, 30000);
    assert_int_equal(got.length, 1000);
    assert_true(got.too_correlated);
    for (size_t i = 0; i < 30000; i++)
        ramp[i] = 7;
    got = pp_block_length(ramp, 30000);
    assert_int_equal(got.length, 10);
    assert_false(got.too_correlated);
    assert_int_equal(pp_block_length(ramp, 5).length, 1);
    assert_false(pp_block_length(ramp, 5).too_correlated);
    assert_int_equal(pp_block_length(ramp, 40).length, 4);
    assert_int_equal(pp_block_length(ramp, 0).length, 1);
    free(ramp);
}

static void
intervals_equal_those_by_hand(void **state)
{
    (void)state;
    /* means of blocks of 2: 1, 3, 5, 7; their deviation is sqrt(20 / 3), the standard error half of it; t
     * = 3.18244630528 */
    const double value[] = {0, 2, 2, 4, 6, 4, 8, 6, 100};
    double sorted[9];
    NEAR(pp_mean_half_width(value, 9, 2, 0.95), 3.182446305283 * sqrt(20.0 / 3) / 2);
    assert_true(isnan(pp_mean_half_width(value, 9, 5, 0.95)));
    assert_true(isnan(pp_mean_half_width(value, 9, 0, 0.95)));
    memcpy(sorted, value, sizeof(sorted));
    pp_stats_sort(sorted, 9);
    /* the median is 4; shares up to it by block: 1, 1, 0.5, 0; t at 50 % is 0.764892328; error sqrt((11 / 16)
     * / 12) */
    struct pp_interval got = pp_quantile_interval(value, sorted, 9, 0.5, 2, 0.5);
    double half = 0.764892328404 * sqrt(11.0 / 192);
    NEAR(got.point, 4);
    NEAR(got.low, pp_quantile7(sorted, 9, 0.5 - half));
    NEAR(got.high, pp_quantile7(sorted, 9, 0.5 + half));
    got = pp_quantile_interval(value, sorted, 9, 0.5, 2, 0.99);
    NEAR(got.low, 0);
    NEAR(got.high, 100);
    got = pp_quantile_interval(value, sorted, 1, 0.5, 2, 0.99);
    assert_true(isnan(got.low) && isnan(got.high));
}

/* How often does the interval hold the true value, of 400 series of 1000 values? The true mean and median are
 * 0. */
static void
shares_that_hold(double rho, double *ret_mean, double *ret_median)
{
    double value[1000], sorted[1000];
    uint64_t random = 11;
    size_t mean = 0, median = 0, series = 400;
    for (size_t i = 0; i < series; i++) {
        make_series(&random, rho, value, 1000);
        memcpy(sorted, value, sizeof(sorted));
        pp_stats_sort(sorted, 1000);
        size_t block = pp_block_length(value, 1000).length;
        struct pp_interval got = pp_quantile_interval(value, sorted, 1000, 0.5, block, 0.95);
        median += got.low <= 0 && got.high >= 0;
        mean += fabs(pp_stats_mean(value, 1000)) <= pp_mean_half_width(value, 1000, block, 0.95);
    }
    *ret_mean = (double)mean / (double)series;
    *ret_median = (double)median / (double)series;
}

static void
intervals_hold_as_often_as_they_claim(void **state)
{
    (void)state;
    const double rho[] = {0, 0.5, 0.9};
    for (size_t i = 0; i < 3; i++) {
        double mean, median;
        shares_that_hold(rho[i], &mean, &median);
        print_message(
            "correlation %.1f: the mean's 95 %% interval holds in %.1f %%, the median's in %.1f %%\n", rho[i],
            100 * mean, 100 * median);
        assert_true(mean >= 0.90 && mean <= 0.985);
        assert_true(median >= 0.90 && median <= 0.985);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_as_long_as_neighbours_depend),
        cmocka_unit_test(odd_series_have_blocks_too),
        cmocka_unit_test(intervals_equal_those_by_hand),
        cmocka_unit_test(intervals_hold_as_often_as_they_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
