/** @file
 * Means of rotated counters: exact where counts do not vary, and as near to the truth as they state, for many
 * kinds of loads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "counters/events/event_plan.h"
#include "counters/stats/rotation_stats.h"
#include "counters/util/random.h"

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fmax(1, fabs(want));
}

static double
uniform(uint64_t *random)
{
    return ((double)pp_random_below(random, 1U << 30) + 0.5) / (1U << 30);
}

/* Almost a normal distribution: the sum of twelve. */
static double
normal(uint64_t *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(random);
    return sum;
}

/* A load: counts of a frame, and how long it takes. */
struct load {
    const char *name;
    void (*frame)(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time);
    double least[2]; /* share of rotations of 60 and of 1000 frames whose mean is within its stated error */
};

static void
constant(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    (void)i;
    (void)sets;
    *ret_count = 205;
    *ret_time = 1e6 * exp(1.2 * normal(random)); /* as llvmpipe's times on a busy machine */
}

static void
noise(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    (void)i;
    (void)sets;
    *ret_count = 1000 + 100 * normal(random);
    *ret_time = 1e6 * exp(0.5 * normal(random));
}

static void
follows_time(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    (void)i;
    (void)sets;
    *ret_time = 1e6 * exp(0.5 * normal(random));
    *ret_count = *ret_time * (1 + 0.02 * normal(random));
}

static void
drift(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    (void)sets;
    *ret_count = 100 + (double)i;
    *ret_time = 1e6 + 1e4 * normal(random);
}

/* The load is in step with the rotation. */
static void
period(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    bool heavy = i % sets == 1 % sets;
    *ret_count = heavy ? 5000 : 100;
    *ret_time = (heavy ? 1e7 : 1e6) * (1 + 0.05 * normal(random));
}

/* The load is in step with each second square of the rotation, and does not follow the clock. */
static void
long_period(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    *ret_count = i / sets / sets % 2 ? 300 : 200;
    *ret_time = 1e6 * exp(0.5 * normal(random));
}

static void
scenes(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    bool second = i > 20 && i < 500;
    (void)sets;
    *ret_count = (second ? 4000 : 500) + 50 * normal(random);
    *ret_time = (second ? 8e6 : 2e6) * (1 + 0.1 * normal(random));
}

static void
spikes(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    bool heavy = uniform(random) < 0.05;
    (void)i;
    (void)sets;
    *ret_count = heavy ? 3000 : 100;
    *ret_time = 1e6 * exp(0.3 * normal(random));
}

static void
signs(uint64_t i, uint32_t sets, uint64_t *random, double *ret_count, double *ret_time)
{
    (void)i;
    (void)sets;
    *ret_count = 3 * normal(random);
    *ret_time = 1e6;
}

/* One session. @return Does the mean of set 0's counter are within its stated error? @param ret_width The
 * stated error. */
static bool
run(const struct load *load, uint64_t seed, uint32_t sets, uint64_t frames, double *ret_width)
{
    struct pp_rotation_sample sample = {.products = 0};
    struct pp_rotation_frames all = {.frames = 0};
    struct pp_rotation_mean mean;
    uint64_t random = seed * 0x9E3779B97F4A7C15U;
    double truth = 0;
    for (uint64_t i = 0; i < frames; i++) {
        double count = 0, time = 0;
        load->frame(i, sets, &random, &count, &time);
        pp_rotation_frames_add(&all, time);
        if (pp_rotation_set_of_frame(seed, sets, i) == 0)
            pp_rotation_sample_add(&sample, time, count);
        truth += count / (double)frames;
    }
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(mean.duty > 0.8 / sets && mean.duty < 1.2 / sets);
    *ret_width = mean.error;
    return fabs(mean.mean - truth) <= mean.error * (1 + 1e-9) + 1e-9 * fabs(truth);
}

/* The truth is within the confidence interval in some 99 % of sessions. Rare frames are the exception: a
 * short session may meet none of them, and no estimate knows what no measured frame did. */
static void
stated_errors_hold(void **state)
{
    static const struct load load[] = {
        {"constant", constant, {1, 1}},
        {"noise", noise, {0.98, 0.98}},
        {"follows time", follows_time, {0.98, 0.98}},
        {"drift", drift, {0.98, 0.98}},
        {"period", period, {0.97, 0.98}},
        {"long period", long_period, {0.98, 0.98}},
        {"scenes", scenes, {0.98, 0.98}},
        {"spikes", spikes, {0.5, 0.98}},
        {"signs", signs, {0.98, 0.98}},
    };
    enum { RUNS = 400 };
    (void)state;
    for (unsigned i = 0; i < 4 * sizeof(load) / sizeof(load[0]); i++) {
        const struct load *of = &load[i / 4];
        uint32_t sets = i % 2 ? 5 : 2;
        uint64_t frames = i / 2 % 2 ? 1000 : 60;
        unsigned held = 0;
        double width = 0, sum = 0;
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            held += run(of, seed, sets, frames, &width);
            sum += width;
        }
        print_message("%-12s %u sets, %4u frames: %u of %d within +-%.3g\n", of->name, sets, (unsigned)frames,
                      held, RUNS, sum / RUNS);
        assert_true(held >= of->least[i / 2 % 2] * RUNS);
    }
}

/* 205 vertices in every frame are 205, whatever the GPU's times do. */
static void
constants_are_exact(void **state)
{
    static const double value[] = {205, 0.3, 0, -7, 1e15 + 1};
    (void)state;
    for (size_t v = 0; v < sizeof(value) / sizeof(value[0]); v++) {
        struct pp_rotation_sample sample = {.products = 0};
        struct pp_rotation_frames all = {.frames = 0};
        struct pp_rotation_mean mean;
        uint64_t random = 1;
        for (uint64_t i = 0; i < 100; i++) {
            double time = 1e6 * exp(2 * normal(&random));
            pp_rotation_frames_add(&all, time);
            if (pp_rotation_set_of_frame(7, 2, i))
                pp_rotation_sample_add(&sample, time, value[v]);
        }
        pp_rotation_estimate(&sample, &all, &mean);
        assert_true(mean.mean >= value[v] && mean.mean <= value[v]);
        assert_true(mean.error >= 0 && mean.error <= 0);
        assert_true(is_near(mean.duty, 0.5));
    }
}

/* Where counts follow the times, the times of all frames improve the plain mean: the regression has a smaller
 * error and is nearer to the truth. */
static void
counts_that_follow_time_use_regression(void **state)
{
    struct pp_rotation_sample sample = {.products = 0};
    struct pp_rotation_frames all = {.frames = 0};
    struct pp_rotation_mean mean;
    (void)state;
    for (int i = 0; i < 40; i++) { /* the long frames are mostly not measured; 10 counts for a unit of time */
        double time = i % 4 ? 1 + i % 3 : 100 + i;
        pp_rotation_frames_add(&all, time);
        if (i % 4 || i % 8 == 0)
            pp_rotation_sample_add(&sample, time, 10 * time);
    }
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(is_near(mean.mean, 10 * all.time.mean) && mean.error < 1e-5);
    assert_true(sample.all.mean < 0.8 * mean.mean);
}

/* A frame in which the machine did something else has no more counts than others. */
static void
a_long_frame_outside_of_the_sample_moves_nothing(void **state)
{
    struct pp_rotation_sample sample = {.products = 0};
    struct pp_rotation_frames all = {.frames = 0};
    struct pp_rotation_mean mean;
    (void)state;
    for (int i = 0; i < 240; i++) { /* 10 counts for a unit of time, but for one frame */
        double time = 10 + i % 5;
        pp_rotation_frames_add(&all, i == 100 ? 2000 : time);
        if (i % 3 == 0)
            pp_rotation_sample_add(&sample, time, 10 * time);
    }
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(fabs(mean.mean - 120) <= mean.error && mean.error < 6);
}

/* By hand: 2 of 4 frames, 1 and 3; the sample's deviation is sqrt 2, the mean's error sqrt(2 (1/2 - 1/4)),
 * and 99 % of samples of two are within 63.657 of these. */
static void
few_frames_have_large_errors(void **state)
{
    struct pp_rotation_sample sample = {.products = 0};
    struct pp_rotation_frames all = {.frames = 0};
    struct pp_rotation_mean mean;
    (void)state;
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(isnan(mean.mean) && isnan(mean.error));
    for (int i = 0; i < 4; i++)
        pp_rotation_frames_add(&all, NAN);
    pp_rotation_sample_add(&sample, NAN, 1);
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(is_near(mean.mean, 1) && isnan(mean.error) && is_near(mean.duty, 0.25));
    pp_rotation_sample_add(&sample, NAN, 3);
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(is_near(mean.mean, 2) && is_near(mean.error, 63.657 * sqrt(0.5)) && is_near(mean.duty, 0.5));
    pp_rotation_sample_add(&sample, NAN, 3);
    pp_rotation_sample_add(&sample, NAN, 9);
    pp_rotation_estimate(&sample, &all, &mean);
    assert_true(is_near(mean.mean, 4) && is_near(mean.error, 0) && is_near(mean.duty, 1));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stated_errors_hold),
        cmocka_unit_test(constants_are_exact),
        cmocka_unit_test(counts_that_follow_time_use_regression),
        cmocka_unit_test(a_long_frame_outside_of_the_sample_moves_nothing),
        cmocka_unit_test(few_frames_have_large_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
