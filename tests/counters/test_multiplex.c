/** @file
 * Counters in turn: the order of sets, narrow counters, lost results, scaling and ratios. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/events/rotation.h"
#include "counters/stats/stats_compare.h"

#define NEAR(got, want) assert_true(is_near(got, want))

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-12 * fmax(1, fabs(want));
}

static void
every_square_is_latin(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= PP_MUX_SETS; n = n < 8 ? n + 1 : n * 2) {
        for (uint64_t square = 0; square < 3; square++) {
            uint64_t first = square * n * n;
            for (uint32_t i = 0; i < n; i++) {
                uint64_t row = 0, column = 0;
                for (uint32_t j = 0; j < n; j++) {
                    row |= 1ULL << pp_mux_set_of_frame(42, n, first + (uint64_t)i * n + j);
                    column |= 1ULL << pp_mux_set_of_frame(42, n, first + (uint64_t)j * n + i);
                }
                uint64_t all = n == 64 ? UINT64_MAX : (1ULL << n) - 1;
                assert_true(row == all && column == all);
            }
        }
    }
}

static void
squares_differ(void **state)
{
    (void)state;
    unsigned same_seed = 0, same_square = 0;
    for (uint64_t frame = 0; frame < 64; frame++) {
        same_seed += pp_mux_set_of_frame(1, 8, frame) == pp_mux_set_of_frame(2, 8, frame);
        same_square += pp_mux_set_of_frame(1, 8, frame) == pp_mux_set_of_frame(1, 8, frame + 64);
    }
    assert_true(same_seed < 32 && same_square < 32);
    assert_int_equal(pp_mux_set_of_frame(1, 0, 5), 0);
    assert_true(pp_mux_set_of_frame(1, 1000, 5) < PP_MUX_SETS);
}

/** Figures of a phase-locked run. */
struct locked {
    double by_cycles, by_periods, truth;
};

/* Work with a period of four frames, of which one is ten times as long and has all the events. */
static struct locked
run_locked(uint64_t seed, bool permuted)
{
    struct pp_mux_event event[4];
    struct pp_mux mux;
    struct locked ret = {0};
    pp_mux_init(&mux, event, 4, NULL);
    for (uint64_t frame = 0; frame < 4096; frame++) {
        bool heavy = frame % 4 == 1;
        uint64_t cycles = heavy ? 10000000 : 1000000, count = heavy ? 5000000 : 100000;
        uint32_t set = permuted ? pp_mux_set_of_frame(seed, 4, frame) : (uint32_t)(frame % 4);
        struct pp_mux_result result = {.event = set, .count = count};
        pp_mux_period(&mux, cycles, PP_OK, 0, &result, 1);
        ret.truth += (double)count;
    }
    struct pp_mux_value value;
    pp_mux_value(&mux, 0, &value);
    ret.by_cycles = (double)value.count / ret.truth;
    ret.by_periods = (double)value.by_periods / ret.truth;
    return ret;
}

/* A rotation in step with the work sees one phase only; the permuted one sees all alike. */
static void
permuted_order_does_not_lock(void **state)
{
    (void)state;
    struct locked in_step = run_locked(3, false), permuted = run_locked(3, true);
    assert_true(in_step.by_periods < 0.1 && in_step.by_cycles < 0.3);
    assert_true(fabs(permuted.by_cycles - 1) < 1e-6 && fabs(permuted.by_periods - 1) < 1e-6);
}

static void
narrow_counters_become_wide(void **state)
{
    (void)state;
    struct pp_wide_counter counter;
    assert_true(pp_counter_delta(32, 0xFFFFFFF0, 0x10) == 0x20);
    assert_true(pp_counter_delta(40, 0xFFFFFFFFFF, 0) == 1);
    assert_true(pp_counter_delta(64, UINT64_MAX, 1) == 2);
    assert_true(pp_counter_delta(1, 1, 0) == 1);
    pp_wide_counter_start(&counter, 32, 0xFFFFFF00);
    uint64_t truth = 0;
    for (int i = 0; i < 100; i++) {
        truth += 0x90000000U;
        pp_wide_counter_read(&counter, (0xFFFFFF00U + truth) & 0xFFFFFFFF);
    }
    assert_true(counter.sum == truth && truth > UINT32_MAX);
}

static void
wrap_time_is_known(void **state)
{
    (void)state;
    /* 32 bits at 1 GHz x 8 events a clock: half a second. */
    assert_true(pp_counter_wrap_ns(32, 8e9) == 536870912);
    assert_true(pp_counter_wrap_ns(64, 1e9) == UINT64_MAX);
    assert_true(pp_counter_wrap_ns(40, 1e9) == 1099511627776U);
    assert_true(pp_counter_wrap_ns(32, 0) == UINT64_MAX);
}

static void
scaling_truncates_in_128_bits(void **state)
{
    (void)state;
    uint64_t scaled = 7;
    assert_int_equal(pp_mux_scale(315810640, 169, 43, &scaled), 0);
    assert_true(scaled == 1241209259); /* exactly ...259.53 */
    assert_int_equal(pp_mux_scale(UINT64_MAX, 1000000007, 1000000007, &scaled), 0);
    assert_true(scaled == UINT64_MAX);
    scaled = 7;
    assert_int_equal(pp_mux_scale(UINT64_MAX, 3, 2, &scaled), -ERANGE);
    assert_int_equal(pp_mux_scale(0, 5, 0, &scaled), -ENODATA);
    assert_true(scaled == 7);
}

/* Two sets of two; the third frame's result is lost, the fifth frame has no cycle count, set 2 never ran. */
static void
lost_results_are_not_zero(void **state)
{
    (void)state;
    static const uint64_t wrap_ns[] = {0, 0, 1000, 0, 0};
    struct pp_mux_event event[5];
    struct pp_mux mux;
    struct pp_mux_value value;
    const struct pp_mux_result first[] = {{.event = 0, .count = 100}, {.event = 1, .count = 10}};
    const struct pp_mux_result lost[] = {{.event = 0, .count = 99, .status = PP_NOT_LANDED},
                                         {.event = 1, .count = 7, .status = PP_SATURATED}};
    const struct pp_mux_result other[] = {{.event = 2, .count = 5}, {.event = 3, .count = 6}, {.event = 9}};
    pp_mux_init(&mux, event, 5, wrap_ns);
    pp_mux_period(&mux, 1000, PP_OK, 500, first, 2);
    pp_mux_period(&mux, 1000, PP_OK, 1000, other, 3); /* event 2 may have wrapped */
    pp_mux_period(&mux, 2000, PP_OK, 500, lost, 2);
    pp_mux_period(&mux, 4000, PP_OK, 500, other, 1);
    pp_mux_period(&mux, 0, PP_LOST, 500, first, 2);
    assert_true(mux.enabled_periods == 5 && mux.enabled_cycles == 8000 && mux.blind_periods == 1);

    pp_mux_value(&mux, 0, &value);
    assert_int_equal(value.status, PP_OK);
    assert_true(value.count == 800 && value.by_periods == 500 && event[0].lost_periods == 2);
    assert_int_equal(event[0].worst, PP_LOST);
    NEAR(value.duty, 0.125);
    NEAR(value.duty_periods, 0.2);
    assert_true(isnan(value.spread_percent));

    pp_mux_value(&mux, 1, &value);
    assert_true(value.count == 17 * 8000 / 3000 && event[1].running_periods == 2);
    /* rates 0.01 and 0.0035: deviation 0.0065 / sqrt 2 of a mean of 0.00675 */
    NEAR(value.spread_percent, 100 * (0.0065 / sqrt(2)) / 0.00675);

    pp_mux_value(&mux, 2, &value);
    assert_int_equal(value.status, PP_OK);
    assert_true(value.count == 10 && event[2].lost_periods == 1);
    pp_mux_value(&mux, 4, &value);
    assert_int_equal(value.status, PP_DISABLED);
    NEAR(value.duty, 0);
}

static void
without_cycles_periods_scale(void **state)
{
    (void)state;
    struct pp_mux_event event[1];
    struct pp_mux mux;
    struct pp_mux_value value;
    const struct pp_mux_result result = {.count = 3};
    pp_mux_init(&mux, event, 1, NULL);
    pp_mux_period(&mux, 0, PP_OK, 0, &result, 1);
    pp_mux_period(&mux, 0, PP_OK, 0, NULL, 0);
    pp_mux_value(&mux, 0, &value);
    assert_int_equal(value.status, PP_OK);
    assert_false(value.by_cycles_valid);
    assert_true(value.count == 6);
    NEAR(value.duty, 0.5);
}

static void
ratios_follow_the_rule(void **state)
{
    (void)state;
    struct pp_mux_event event[4];
    struct pp_mux mux;
    double ratio = -1;
    const struct pp_mux_result set0[] = {{.event = 0, .count = 30}, {.event = 1, .count = 10}};
    const struct pp_mux_result set1[] = {{.event = 2, .count = 60}};
    pp_mux_init(&mux, event, 4, NULL);
    pp_mux_period(&mux, 1000, PP_OK, 0, set0, 2);
    pp_mux_period(&mux, 3000, PP_OK, 0, set1, 1);
    assert_int_equal(pp_mux_ratio(&mux, 0, 1, true, &ratio), 0);
    NEAR(ratio, 3);
    assert_int_equal(pp_mux_ratio(&mux, 0, 2, false, &ratio), 0);
    NEAR(ratio, (30.0 / 1000) / (60.0 / 3000));
    assert_int_equal(pp_mux_ratio(&mux, 0, 3, false, &ratio), -ENODATA);
    event[1].raw = 0;
    assert_int_equal(pp_mux_ratio(&mux, 0, 1, true, &ratio), -EDOM);
    assert_int_equal(pp_mux_ratio(&mux, 0, 1, false, &ratio), -EDOM);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_square_is_latin),        cmocka_unit_test(squares_differ),
        cmocka_unit_test(permuted_order_does_not_lock), cmocka_unit_test(narrow_counters_become_wide),
        cmocka_unit_test(wrap_time_is_known),           cmocka_unit_test(scaling_truncates_in_128_bits),
        cmocka_unit_test(lost_results_are_not_zero),    cmocka_unit_test(without_cycles_periods_scale),
        cmocka_unit_test(ratios_follow_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
