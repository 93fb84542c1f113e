/** @file
 * Statistics in cases that the vectors leave out. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/stats/stats.h"
#include "counters/util/random.h"

#define NEAR(got, want) assert_true(is_near(got, want))

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-12 * fmax(1, fabs(want));
}

static void
nothing_gives_no_number(void **state)
{
    (void)state;
    const double one[] = {7};
    assert_true(isnan(pp_stats_mean(NULL, 0)));
    assert_true(isnan(pp_quantile7(NULL, 0, 0.5)));
    assert_true(isnan(pp_quantile8(NULL, 0, 0.5)));
    assert_true(isnan(pp_average_fps(NULL, 0, 1e3)));
    assert_true(isnan(pp_low_fps(PP_LOW_INTEGRAL, 0.01, NULL, 0, 1e3)));
    assert_true(isnan(pp_low_fps(PP_LOW_COUNT, 0.01, one, 1, 1e3)));
}

static void
one_frame_is_every_low(void **state)
{
    (void)state;
    const double one[] = {20};
    for (unsigned s = PP_LOW_MANGOHUD; s <= PP_LOW_WORST_MEAN; s++)
        NEAR(pp_low_fps((enum pp_low)s, 0.01, one, 1, 1e3), 50);
    NEAR(pp_quantile7(one, 1, 0.99), 20);
    NEAR(pp_quantile8(one, 1, 0.99), 20);
}

static void
sum_keeps_small_terms(void **state)
{
    (void)state;
    const double value[] = {1e16, 1, 1, 1, 1, -1e16};
    NEAR(pp_stats_sum(value, 6), 4);
    double sorted[] = {3, NAN, 1, -2};
    pp_stats_sort(sorted, 4);
    assert_true(sorted[0] < -1 && sorted[2] > 2 && isnan(sorted[3]));
}

/* R: quantile(c(1, 2, 4, 8, 16), p, type = 7) and type = 8. */
static void
quantiles_are_r_s(void **state)
{
    (void)state;
    const double x[] = {1, 2, 4, 8, 16};
    NEAR(pp_quantile7(x, 5, 0.1), 1.4);
    NEAR(pp_quantile7(x, 5, 0.9), 12.8);
    NEAR(pp_quantile7(x, 5, 0), 1);
    NEAR(pp_quantile7(x, 5, 1), 16);
    NEAR(pp_quantile8(x, 5, 0.25), 1 + 2.0 / 3);
    NEAR(pp_quantile8(x, 5, 0.75), 8 + 8.0 / 3);
    NEAR(pp_quantile8(x, 5, 0), 1);
    NEAR(pp_quantile8(x, 5, 1), 16);
}

static void
a_share_needs_a_frame(void **state)
{
    (void)state;
    assert_true(pp_low_enough(0.01, 100));
    assert_false(pp_low_enough(0.01, 99));
    assert_true(pp_low_enough(0.001, 1000));
    assert_false(pp_low_enough(0.001, 999));
}

/* One frame of two seconds among 9999 frames of 10 ms: the definitions give different results. */
static void
a_hitch_separates_the_lows(void **state)
{
    (void)state;
    static double time[10000];
    for (size_t i = 0; i < 9999; i++)
        time[i] = 10;
    time[9999] = 2000;
    NEAR(pp_low_fps(PP_LOW_PRESENTMON, 0.01, time, 10000, 1e3), 100);
    NEAR(pp_low_fps(PP_LOW_MANGOHUD, 0.01, time, 10000, 1e3), 100);
    NEAR(pp_low_fps(PP_LOW_INTEGRAL, 0.01, time, 10000, 1e3), 0.5);
    NEAR(pp_low_fps(PP_LOW_WORST_MEAN, 0.01, time, 10000, 1e3), 1e3 / (99 * 10 + 2000) * 100);
    /* In nanoseconds all results are the same. */
    for (size_t i = 0; i < 10000; i++)
        time[i] *= 1e6;
    NEAR(pp_low_fps(PP_LOW_INTEGRAL, 0.01, time, 10000, 1e9), 0.5);
}

static void
log_histogram_bins_are_fine_enough(void **state)
{
    (void)state;
    for (unsigned k = 0; k <= 16; k += 4) {
        uint64_t random = k;
        for (int i = 0; i < 2000; i++) {
            uint64_t value = pp_splitmix64(&random) >> pp_random_below(&random, 64);
            size_t bin = pp_log_histogram_bin(value, k);
            assert_true(bin < PP_LOG_HISTOGRAM_BINS(k));
            uint64_t low = pp_log_histogram_low(bin, k);
            assert_true(low <= value && value - low <= value >> k);
            assert_int_equal(pp_log_histogram_bin(low, k), bin);
            assert_true(!bin || pp_log_histogram_bin(low - 1, k) == bin - 1);
        }
        assert_int_equal(pp_log_histogram_bin(UINT64_MAX, k), PP_LOG_HISTOGRAM_BINS(k) - 1);
    }
}

/* First outputs of the published generator for seed 1234567. */
static void
splitmix64_is_the_published_one(void **state)
{
    (void)state;
    uint64_t random = 1234567;
    assert_true(pp_splitmix64(&random) == 6457827717110365317U);
    assert_true(pp_splitmix64(&random) == 3203168211198807973U);
    assert_true(pp_splitmix64(&random) == 9817491932198370423U);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gives_no_number),
        cmocka_unit_test(one_frame_is_every_low),
        cmocka_unit_test(sum_keeps_small_terms),
        cmocka_unit_test(quantiles_are_r_s),
        cmocka_unit_test(a_share_needs_a_frame),
        cmocka_unit_test(a_hitch_separates_the_lows),
        cmocka_unit_test(log_histogram_bins_are_fine_enough),
        cmocka_unit_test(splitmix64_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
