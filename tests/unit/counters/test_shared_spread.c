/** @file
 * Shared spread of many comparisons: equal to the same formulas in SciPy, cautious where a comparison differs
 * from the others, and as often wrong as it claims. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "counters/stats/stats_runs.h"
#include "counters/stats/stats_spread.h"
#include "counters/util/random.h"

#define NEAR(got, want) assert_true(is_near(got, want))
#define PASSES          200
#define RUNS            5

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-7 * fmax(1e-6, fabs(want));
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

/* Computed with SciPy 1.10.1 from the formulas of stats_spread.h: digamma, polygamma, brentq, t.sf. The
 * prior has 1.45 degrees of freedom, of which half count. */
static void
six_comparisons_share_their_spread(void **state)
{
    (void)state;
    static const double before[6][RUNS] = {
        {99.20, 98.68, 99.75, 100.42, 101.14},  {100.33, 98.53, 98.86, 101.94, 100.24},
        {99.43, 100.44, 99.95, 99.53, 100.33},  {98.59, 100.02, 99.96, 99.67, 98.85},
        {101.06, 100.65, 98.22, 100.25, 99.01}, {105.94, 93.16, 104.53, 93.62, 98.03},
    };
    static const double after[6][RUNS] = {
        {100.11, 99.45, 99.22, 100.75, 101.65},   {97.94, 99.90, 98.61, 99.25, 99.42},
        {105.70, 103.63, 104.78, 104.18, 104.85}, {99.57, 98.81, 98.52, 100.25, 98.79},
        {100.03, 100.04, 98.23, 99.79, 99.77},    {95.08, 109.08, 103.47, 115.71, 103.93},
    };
    static const struct {
        double p, freedom, error;
    } want[6] = {
        {0.5338377938019404, 8.723817518926431, 0.0061407533040523455},
        {0.2042374075900465, 7.062030127765184, 0.006833161929364448},
        {6.63459867004621e-06, 7.363786983820622, 0.004072859041031056},
        {0.6157458488384149, 8.677481779000068, 0.004455739082962224},
        {0.6852181542244837, 7.562906462262152, 0.006253187400390575},
        {0.16089500530088174, 8.459722019397965, 0.040309109279979174},
    };
    struct pp_run_change change[6];
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pp_compare_runs(before[i], RUNS, after[i], RUNS, &pp_change_rule_usual, &change[i]),
                         0);
    double own = change[2].error, spread = change[2].spread;
    pp_share_spread(change, 6, &pp_change_rule_usual);
    for (size_t i = 0; i < 6; i++) {
        NEAR(change[i].p, want[i].p);
        NEAR(change[i].freedom, want[i].freedom);
        NEAR(change[i].error, want[i].error);
    }
    NEAR(change[2].spread, spread * want[2].error / own);
    assert_int_equal(change[2].verdict, PP_CHANGE_SLOWER);
    assert_int_equal(change[5].verdict, PP_CHANGE_UNCLEAR);
    assert_true(change[5].runs_needed > RUNS);
}

/* Comparisons of equal sides with a spread of 1 %; one pass has a spread and a change of its own. */
static void
compare_passes(uint64_t *random, double odd_spread, double odd_change, struct pp_run_change *ret)
{
    for (size_t p = 0; p < PASSES; p++) {
        double before[RUNS], after[RUNS], spread = p == 7 ? odd_spread : 0.01;
        for (size_t r = 0; r < RUNS; r++) {
            before[r] = exp(spread * normal(random));
            after[r] = exp(spread * normal(random)) * (p == 7 ? 1 + odd_change : 1);
        }
        assert_int_equal(pp_compare_runs(before, RUNS, after, RUNS, &pp_change_rule_usual, &ret[p]), 0);
    }
}

static void
an_unusual_spread_is_kept(void **state)
{
    (void)state;
    struct pp_run_change change[PASSES];
    uint64_t random = 2;
    compare_passes(&random, 0.1, 0, change);
    struct pp_run_change noisy = change[7], usual = change[8];
    pp_share_spread(change, PASSES, &pp_change_rule_usual);
    assert_true(change[7].error >= noisy.error && change[7].error <= noisy.error);
    assert_true(change[7].freedom <= noisy.freedom);
    NEAR(change[8].freedom, 4 * usual.freedom);
}

static void
some_comparisons_take_no_part(void **state)
{
    (void)state;
    const double a[] = {1, 1.01, 0.99}, same[] = {1, 1, 1}, zero[] = {0, 0.01, 0.02};
    struct pp_run_change change[6], before;
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pp_compare_runs(a, 3, a, 3, &pp_change_rule_usual, &change[i]), 0);
    before = change[0];
    assert_int_equal(pp_compare_runs(same, 3, same, 3, &pp_change_rule_usual, &change[1]), 0);
    assert_int_equal(pp_compare_runs(zero, 3, a, 3, &pp_change_rule_usual, &change[2]), 0);
    assert_int_equal(pp_compare_runs(a, 1, a, 1, &pp_change_rule_usual, &change[3]), 0);
    pp_share_spread(change, 6, &pp_change_rule_usual); /* 3 are left: too few */
    NEAR(change[0].freedom, before.freedom);
    NEAR(change[1].p, 1);
    assert_int_equal(change[3].verdict, PP_CHANGE_FEW_RUNS);
    pp_share_spread(NULL, 0, &pp_change_rule_usual);
}

/* Of comparisons of equal sides, at most 5 % have p <= 5 %; a change of 5 % in one of 200 passes is found. */
static void
errors_are_as_often_as_claimed(void **state)
{
    (void)state;
    struct pp_run_change change[PASSES];
    double p[PASSES], q[PASSES];
    uint64_t random = 6;
    size_t small = 0, own = 0, shared = 0, trials = 50;
    for (size_t t = 0; t < trials; t++) {
        compare_passes(&random, 0.01, 0.05, change);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = 0; i < PASSES; i++)
                p[i] = change[i].p;
            assert_int_equal(pp_false_discovery(p, PASSES, q), 0);
            if (!pass)
                own += q[7] <= 0.05;
            else
                shared += q[7] <= 0.05;
            if (!pass)
                pp_share_spread(change, PASSES, &pp_change_rule_usual);
        }
        for (size_t i = 0; i < PASSES; i++)
            small += i != 7 && change[i].p <= 0.05;
    }
    double share = (double)small / (double)(trials * (PASSES - 1));
    print_message("p <= 5 %% in %.2f %% of equal passes; +5 %% found with q <= 5 %%: %zu of %zu by its own "
                  "spread, %zu with "
                  "the others'\n",
                  100 * share, own, trials, shared);
    assert_true(share > 0.025 && share < 0.055);
    assert_true(shared >= trials * 96 / 100);
    assert_true(own < shared);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_comparisons_share_their_spread),
        cmocka_unit_test(an_unusual_spread_is_kept),
        cmocka_unit_test(some_comparisons_take_no_part),
        cmocka_unit_test(errors_are_as_often_as_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
