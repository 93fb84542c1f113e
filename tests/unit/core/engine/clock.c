/** @file
 * Clocks: nominal and measured rates, narrow timestamps that wrap, bounds where nothing can be sampled. */
#include "tests/lib/cmocka_test.h"

#include "core/engine/clock.h"

#define S 1000000000ULL

/* Map ticks with the clock's current mapping. */
static bool
map_ticks(struct pp_clock *clock, uint64_t ticks, uint64_t *ret_ns)
{
    struct pp_clock_view view;
    pp_clock_view_init(clock, &view);
    return pp_clock_view_map(&view, ticks, ret_ns);
}

static void
a_sample_maps_ticks_to_ns(void **state)
{
    (void)state;
    struct pp_clock clock;
    uint64_t ns = 0;
    pp_clock_init(&clock, 1.0, 64);
    assert_false(map_ticks(&clock, 5, &ns));
    pp_clock_sample(&clock, 1000, 5000, 5010);
    assert_true(map_ticks(&clock, 1500, &ns));
    assert_int_equal(ns, 5505);
    assert_true(map_ticks(&clock, 900, &ns));
    assert_int_equal(ns, 4905);
    /* Above 2^53 a double would lose nanoseconds. */
    pp_clock_sample(&clock, (UINT64_C(1) << 60) + 1, 10 * S, 10 * S);
    assert_true(map_ticks(&clock, (UINT64_C(1) << 60) + 4, &ns));
    assert_int_equal(ns, 10 * S + 3);
    pp_clock_finish(&clock);
}

/* A thread was suspended between the readings of both clocks. */
static void
imprecise_samples_are_ignored(void **state)
{
    (void)state;
    struct pp_clock clock;
    uint64_t ns = 0;
    pp_clock_init(&clock, 1.0, 64);
    pp_clock_sample(&clock, 7 * S, S, S + 1000);
    pp_clock_sample(&clock, 8 * S, 2 * S - 4000000, 2 * S + 500);
    assert_true(map_ticks(&clock, 8 * S, &ns));
    assert_int_equal(ns, 2 * S + 500);
    assert_int_equal(clock.uncertainty_max_ns, 500);
    /* The sample is as imprecise as both clocks may have drifted apart since the last one: it is used. */
    pp_clock_sample(&clock, 9 * S, 3 * S - 200000, 3 * S + 201000);
    assert_true(map_ticks(&clock, 9 * S, &ns));
    assert_int_equal(ns, 3 * S + 500);
    assert_int_equal(clock.uncertainty_max_ns, 200500);
    /* The next precise sample is always used. */
    pp_clock_sample(&clock, 9 * S + 100, 3 * S + 700, 3 * S + 720);
    assert_true(map_ticks(&clock, 9 * S + 100, &ns));
    assert_int_equal(ns, 3 * S + 710);
    pp_clock_finish(&clock);
}

static void
rate_is_measured(void **state)
{
    (void)state;
    struct pp_clock clock;
    uint64_t ns = 0;
    pp_clock_init(&clock, 100.0, 64);
    pp_clock_sample(&clock, 0, 0, 0);
    /* 10 s of GPU time in 10.001 s. */
    pp_clock_sample(&clock, 100000000, 10 * S + S / 1000, 10 * S + S / 1000);
    assert_true(map_ticks(&clock, 110000000, &ns));
    assert_in_range(ns, 11 * S + 1099990, 11 * S + 1100010);
    assert_int_equal(pp_clock_interval_ns(&clock, 5, 15), 1000);
    pp_clock_finish(&clock);
}

static void
old_bounds_are_dropped_after_drift(void **state)
{
    (void)state;
    struct pp_clock clock;
    uint64_t ns = 0;
    pp_clock_init(&clock, 1.0, 64);
    pp_clock_bound(&clock, 1000, 1100, 10 * S, 10 * S + 200);
    /* After an hour the device's clock is a second ahead: the first bounds are useless. */
    pp_clock_bound(&clock, 1000 + 3601 * S, 1100 + 3601 * S, 3610 * S, 3610 * S + 200);
    assert_true(map_ticks(&clock, 1000 + 3601 * S, &ns));
    assert_int_equal(ns, 3610 * S);
    struct pp_clock_view view;
    pp_clock_view_init(&clock, &view);
    assert_int_equal(view.method, PP_CLOCK_BOUNDS);
    assert_int_equal(view.uncertainty_ns, 100);
    pp_clock_finish(&clock);
}

static void
a_36_bit_clock_wraps(void **state)
{
    (void)state;
    struct pp_clock clock;
    uint64_t ns = 0;
    pp_clock_init(&clock, 1.0, 36);
    uint64_t wrap = UINT64_C(1) << 36;
    pp_clock_sample(&clock, wrap - 10, 1000 * S, 1000 * S);
    assert_true(map_ticks(&clock, 20, &ns));
    assert_int_equal(ns, 1000 * S + 30);
    assert_true(map_ticks(&clock, wrap - 30, &ns));
    assert_int_equal(ns, 1000 * S - 20);
    assert_int_equal(pp_clock_interval_ns(&clock, wrap - 10, 20), 30);
    pp_clock_finish(&clock);
}

static void
submission_times_bound_the_offset(void **state)
{
    (void)state;
    struct pp_clock clock;
    uint64_t ns = 0;
    pp_clock_init(&clock, 1.0, 64);
    /* True offset 7 s; submitted 300, 20 and 90 ns before it began. */
    pp_clock_bound(&clock, 1000, 1100, 7 * S + 700, 7 * S + 5000);
    pp_clock_bound(&clock, 2000, 2100, 7 * S + 1980, 7 * S + 2400);
    pp_clock_bound(&clock, 3000, 3100, 7 * S + 2910, 7 * S + 9000);
    assert_true(map_ticks(&clock, 2000, &ns));
    assert_int_equal(ns, 7 * S + 1980);
    assert_int_equal(clock.uncertainty_ns, 320);
    assert_int_equal(clock.uncertainty_max_ns, 4200);
    /* A sample replaces the bounds. */
    pp_clock_sample(&clock, 4000, 7 * S + 4000, 7 * S + 4000);
    assert_true(map_ticks(&clock, 2000, &ns));
    assert_int_equal(ns, 7 * S + 2000);
    pp_clock_finish(&clock);
}

/* Values that no clock has written (from a device that does nothing) break neither sums nor later values. */
static void
senseless_ticks_break_nothing(void **state)
{
    (void)state;
    const double tick_ns[] = {1.0, 83.333};
    for (int i = 0; i < 2; i++) {
        struct pp_clock clock;
        uint64_t ns = 0;
        pp_clock_init(&clock, tick_ns[i], 64);
        pp_clock_bound(&clock, 1000, 1000, 7 * S, 7 * S + 100);
        pp_clock_bound(&clock, UINT64_C(1) << 63, UINT64_MAX / 3, 8 * S, 8 * S + 100);
        pp_clock_bound(&clock, (UINT64_C(1) << 63) + 1000, UINT64_MAX, 9 * S, 9 * S + 100);
        assert_true(map_ticks(&clock, UINT64_MAX / 2, &ns));
        pp_clock_sample(&clock, 2000, 10 * S, 10 * S);
        assert_true(map_ticks(&clock, 2000, &ns));
        assert_int_equal(ns, 10 * S);
        pp_clock_finish(&clock);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sample_maps_ticks_to_ns),
                                       cmocka_unit_test(imprecise_samples_are_ignored),
                                       cmocka_unit_test(rate_is_measured),
                                       cmocka_unit_test(old_bounds_are_dropped_after_drift),
                                       cmocka_unit_test(a_36_bit_clock_wraps),
                                       cmocka_unit_test(submission_times_bound_the_offset),
                                       cmocka_unit_test(senseless_ticks_break_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
