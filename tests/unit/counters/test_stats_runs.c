/** @file
 * Comparison of runs, many comparisons at once, rates of rare events, and the distributions that they need.
 * Numbers with many digits are from SciPy 1.10.1 (ttest_ind(equal_var=False), ttest_rel, t.ppf, beta.ppf,
 * betainc, binom) on the same values; others were computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counters/stats/stats.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/array_size.h"

#define NEAR(got, want) assert_true(is_near(got, want))

static bool
is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fmax(1e-3, fabs(want));
}

static struct pp_run_change
runs(const double *a, size_t na, const double *b, size_t nb)
{
    struct pp_run_change change;
    assert_int_equal(pp_compare_runs(a, na, b, nb, &pp_change_rule_usual, &change), 0);
    return change;
}

static void
distributions_equal_scipys(void **state)
{
    (void)state;
    NEAR(pp_student_quantile(0.95, 4), 2.776445105197795);
    NEAR(pp_student_quantile(0.9, 8), 1.859548037530897);
    NEAR(pp_student_quantile(0.99, 2.5), 7.16372813894878);
    NEAR(pp_student_quantile(0.999, 1), 636.6192487687196);
    NEAR(pp_student_quantile(0.5, 300), 0.6753084163073664);
    NEAR(pp_student_quantile(0.95, INFINITY), 1.959963984540054);
    NEAR(pp_student_two_sided(-2, 3.5), 0.1261385225759135);
    NEAR(pp_student_two_sided(12, 4), 0.000276428548502973);
    NEAR(pp_student_two_sided(0.1, 1), 0.9365489651388929);
    NEAR(pp_student_two_sided(40, 60.25) * 1e45, 4.279606154440523);
    NEAR(pp_student_two_sided(1.96, 1e4), 0.05002352023183303);
    NEAR(pp_beta_probability(0.3, 2, 5), 0.579825);
    NEAR(pp_beta_probability(0.999, 0.5, 0.5), 0.9798649583666225);
    NEAR(pp_beta_probability(0.5, 1000, 1010), 0.5882698275434065);
    NEAR(pp_beta_probability(1e-5, 0.25, 3), 0.07907893253877607);
    NEAR(pp_beta_probability(0.9, 40000, 5000), 0.9999999999999946);
    NEAR(pp_beta_quantile(0.025, 7, 12), 0.1729858547897518);
    NEAR(pp_beta_quantile(0.975, 1, 300), 0.01222097469429355);
    NEAR(pp_beta_quantile(0.5, 0.5, 0.5), 0.5);
}

static void
distributions_have_ends(void **state)
{
    (void)state;
    NEAR(pp_student_two_sided(0, 3), 1);
    NEAR(pp_student_two_sided(INFINITY, 3), 0);
    NEAR(pp_student_quantile(0, 3), 0);
    assert_true(isnan(pp_student_two_sided(NAN, 3)));
    assert_true(isnan(pp_student_two_sided(1, 0)));
    assert_true(isnan(pp_student_quantile(1, 3)));
    assert_true(isnan(pp_student_quantile(0.5, -1)));
    NEAR(pp_beta_probability(-1, 2, 3), 0);
    NEAR(pp_beta_probability(2, 2, 3), 1);
    assert_true(isnan(pp_beta_probability(0.5, 0, 3)));
    NEAR(pp_beta_quantile(0, 2, 3), 0);
    NEAR(pp_beta_quantile(1, 2, 3), 1);
    assert_true(isnan(pp_beta_quantile(NAN, 2, 3)));
}

static void
five_runs_a_side_show_four_percent(void **state)
{
    (void)state;
    const double a[] = {16.90, 16.81, 17.02, 16.95, 16.88}, b[] = {17.61, 17.72, 17.55, 17.80, 17.58};
    struct pp_run_change got = runs(a, 5, b, 5);
    assert_int_equal(got.old_runs, 5);
    assert_int_equal(got.new_runs, 5);
    NEAR(got.old_value, 16.911854117208616);
    NEAR(got.new_value, 17.651751850335973);
    NEAR(got.change, 0.04375024334998716);
    NEAR(got.change, got.new_value / got.old_value - 1);
    NEAR(log1p(got.change), (log1p(got.interval.low) + log1p(got.interval.high)) / 2);
    NEAR(got.interval.point, got.change);
    NEAR(got.interval.low, 0.03559741561301108);
    NEAR(got.interval.high, 0.05196725490888738);
    NEAR(got.within.low, 0.03718760264156069);
    NEAR(got.within.high, 0.05035440813077838);
    NEAR(got.p * 1e6, 2.232968596445086);
    NEAR(got.freedom, 7.567283669704223);
    NEAR(got.spread, 0.00532333915595993);
    assert_true(got.logarithms);
    assert_int_equal(got.verdict, PP_CHANGE_SLOWER);
    assert_int_equal(runs(b, 5, a, 5).verdict, PP_CHANGE_FASTER);
}

static void
noisy_runs_are_unclear(void **state)
{
    (void)state;
    const double a[] = {16.90, 16.1, 17.4}, b[] = {17.2, 16.3, 18.0, 17.1};
    struct pp_run_change got = runs(a, 3, b, 4);
    NEAR(got.p, 0.5326554234849544);
    NEAR(got.interval.low, -0.05828346521658771);
    NEAR(got.interval.high, 0.1063628512925647);
    NEAR(got.within.low, -0.04125619912979717);
    NEAR(got.within.high, 0.08671387453735631);
    NEAR(got.change, 0.020725325703408792);
    NEAR(got.spread, 0.04004157841724358);
    assert_int_equal(got.verdict, PP_CHANGE_UNCLEAR);
    assert_false(got.near_threshold);
    assert_int_equal(got.runs_needed, 60); /* 16 (4.004 / 2.073)^2 = 59.7 */
}

/* Three runs around 100 with a spread, compared with the same three times a factor. */
static struct pp_run_change
by_factor(double factor, double spread)
{
    const double a[] = {100 / (1 + spread), 100, 100 * (1 + spread)};
    const double b[] = {a[0] * factor, a[1] * factor, a[2] * factor};
    return runs(a, 3, b, 3);
}

static void
both_parts_of_the_rule_count(void **state)
{
    (void)state;
    /* t = 2.776 with 4 degrees of freedom: the interval of 0.1 % spread is +-0.23 % */
    assert_int_equal(by_factor(1, 0.001).verdict, PP_CHANGE_SAME);
    assert_int_equal(by_factor(1.017, 0.001).verdict, PP_CHANGE_SAME);
    struct pp_run_change between = by_factor(1.025, 0.001);
    assert_int_equal(between.verdict, PP_CHANGE_UNCLEAR);
    assert_true(between.near_threshold);
    assert_int_equal(between.runs_needed, 0);
    assert_int_equal(by_factor(1.031, 0.001).verdict, PP_CHANGE_SLOWER);
    assert_int_equal(by_factor(0.965, 0.001).verdict, PP_CHANGE_FASTER);
    /* +-4.5 %: 4 % may be chance; 16 (2 / 4)^2 = 4 */
    struct pp_run_change wide = by_factor(1.04, 0.02);
    assert_int_equal(wide.verdict, PP_CHANGE_UNCLEAR);
    assert_int_equal(wide.runs_needed, 4);
    assert_int_equal(by_factor(1.08, 0.02).verdict, PP_CHANGE_SLOWER);
    assert_int_equal(by_factor(1, 0.5).runs_needed, PP_RUNS_NEEDED_MOST);
}

static void
few_runs_have_no_verdict(void **state)
{
    (void)state;
    const double a[] = {10, 10.1, NAN, INFINITY}, b[] = {20, 20.1, 20.2};
    struct pp_run_change two = runs(a, 4, b, 3), one = runs(a, 1, b, 1), none = runs(NULL, 0, b, 3);
    assert_int_equal(two.old_runs, 2);
    assert_int_equal(two.verdict, PP_CHANGE_FEW_RUNS);
    assert_true(two.interval.low > 0.9 && two.p < 0.01);
    assert_int_equal(one.verdict, PP_CHANGE_FEW_RUNS);
    NEAR(one.change, 1);
    assert_true(isnan(one.interval.low) && isnan(one.p) && isnan(one.spread));
    assert_int_equal(none.verdict, PP_CHANGE_NO_VALUE);
    assert_true(isnan(none.old_value) && isnan(none.change));
    NEAR(none.new_value, 20.09983416115245);
}

static void
equal_runs_have_no_spread(void **state)
{
    (void)state;
    const double a[] = {0.1 + 0.2, 0.3, 0.3}, same[] = {0.3, 0.3, 0.3}, more[] = {0.4, 0.4, 0.4};
    assert_int_equal(runs(a, 3, same, 3).verdict, PP_CHANGE_SAME);
    NEAR(runs(same, 3, same, 3).p, 1);
    struct pp_run_change got = runs(same, 3, more, 3);
    assert_int_equal(got.verdict, PP_CHANGE_SLOWER);
    NEAR(got.p, 0);
    NEAR(got.interval.low, 1.0 / 3);
    NEAR(got.interval.high, 1.0 / 3);
}

/* Noisy runs in which the medians, and the median of all ratios, have another sign than the interval's
 * middle: what is shown must not contradict itself. */
static void
change_is_that_of_the_values(void **state)
{
    (void)state;
    const double a[] = {4.0, 4.9, 5.0, 6.4, 6.6}, b[] = {4.1, 4.2, 5.1, 5.6, 5.7};
    struct pp_run_change got = runs(a, 5, b, 5), pairs;
    NEAR(got.change, got.new_value / got.old_value - 1);
    assert_true(got.change < 0 && got.new_value < got.old_value);
    NEAR(log1p(got.change), (log1p(got.interval.low) + log1p(got.interval.high)) / 2);
    assert_int_equal(pp_compare_pairs(a, b, 5, &pp_change_rule_usual, &pairs), 0);
    NEAR(pairs.change, got.change);
    NEAR(pairs.old_value, got.old_value);
    NEAR(log1p(pairs.change), (log1p(pairs.interval.low) + log1p(pairs.interval.high)) / 2);
    const double whole[] = {40, 40, 40}; /* the mean of equal counts is this count */
    assert_true(runs(whole, 3, whole, 3).old_value >= 40 && runs(whole, 3, whole, 3).old_value <= 40);
}

static void
zeros_are_compared_as_values(void **state)
{
    (void)state;
    const double a[] = {0, 1, 2, 0.5, 1.5}, b[] = {4, 5, 6, 4.5, 3.5}, zero[] = {0, 0, 0},
                 few[] = {3, 3.1, 3.2};
    struct pp_run_change got = runs(a, 5, b, 5);
    assert_false(got.logarithms);
    NEAR(got.old_value, 1);
    NEAR(got.new_value, 4.6);
    NEAR(got.change, 3.6);
    NEAR(got.p, 0.0002286795144707084);
    NEAR(got.interval.low, 2.307650886834398);
    NEAR(got.interval.high, 4.892349113165602);
    assert_int_equal(got.verdict, PP_CHANGE_SLOWER);
    got = runs(zero, 3, few, 3);
    assert_true(isnan(got.change) && isnan(got.interval.low) && isnan(got.spread));
    NEAR(got.new_value, 3.1);
    assert_int_equal(got.verdict, PP_CHANGE_SLOWER);
    assert_int_equal(runs(zero, 3, zero, 3).verdict, PP_CHANGE_SAME);
    got = runs(few, 3, zero, 3);
    NEAR(got.change, -1);
    assert_int_equal(got.verdict, PP_CHANGE_FASTER);
    const double mixed[] = {-5, 0, 5};
    assert_int_equal(runs(mixed, 3, few, 3).verdict, PP_CHANGE_UNCLEAR);
}

static void
drift_cancels_in_pairs(void **state)
{
    (void)state;
    const double a[] = {16.90, 16.2, 17.4, NAN, 16.6, 18.0}, b[] = {17.2, 16.6, 17.7, 5, 17.05, 18.2};
    struct pp_run_change got;
    assert_int_equal(pp_compare_pairs(a, b, 6, &pp_change_rule_usual, &got), 0);
    assert_int_equal(got.old_runs, 5);
    NEAR(got.p, 0.002299402842593184);
    NEAR(got.interval.low, 0.01165944620770019);
    NEAR(got.interval.high, 0.02753178225491015);
    NEAR(got.within.low, 0.01348930913746408);
    NEAR(got.within.high, 0.02567656552933594);
    NEAR(got.change, 0.01956472761508099);
    NEAR(got.change, got.new_value / got.old_value - 1);
    NEAR(got.spread, 0.004432743272422941);
    NEAR(got.old_value, 17.00851166156626);
    NEAR(got.new_value, 17.34127855936273);
    NEAR(got.freedom, 4);
    assert_int_equal(got.verdict, PP_CHANGE_UNCLEAR);
    assert_true(got.near_threshold);
    assert_int_equal(pp_compare_pairs(a, b, 2, &pp_change_rule_usual, &got), 0);
    assert_int_equal(got.verdict, PP_CHANGE_FEW_RUNS);
    assert_int_equal(pp_compare_pairs(a, b, 0, &pp_change_rule_usual, &got), 0);
    assert_int_equal(got.verdict, PP_CHANGE_NO_VALUE);
    const double zero[] = {0, 0, 1}, more[] = {2, 2.5, 3};
    assert_int_equal(pp_compare_pairs(zero, more, 3, &pp_change_rule_usual, &got), 0);
    assert_false(got.logarithms);
    NEAR(got.old_value, 1.0 / 3);
    NEAR(got.new_value, 2.5);
    NEAR(got.change, 6.5);
}

static void
many_comparisons_are_adjusted(void **state)
{
    (void)state;
    double p[] = {0.01, NAN, 0.04, 0.03, 0.005, 0.8}, q[6];
    const double want[] = {0.025, NAN, 0.05, 0.05, 0.025, 0.8};
    assert_int_equal(pp_false_discovery(p, 6, q), 0);
    for (size_t i = 0; i < PP_ARRAY_SIZE(want); i++)
        assert_true(i == 1 ? isnan(q[i]) : is_near(q[i], want[i]));
    assert_int_equal(pp_false_discovery(p, 6, p), 0);
    NEAR(p[4], 0.025);
    assert_int_equal(pp_false_discovery(NULL, 0, NULL), 0);
    struct pp_run_change change = {
        .verdict = PP_CHANGE_SLOWER, .change = 0.04, .spread = 0.02, .old_runs = 3};
    pp_change_correct(&change, 0.05, &pp_change_rule_usual);
    assert_int_equal(change.verdict, PP_CHANGE_SLOWER);
    pp_change_correct(&change, NAN, &pp_change_rule_usual);
    assert_int_equal(change.verdict, PP_CHANGE_SLOWER);
    pp_change_correct(&change, 0.06, &pp_change_rule_usual);
    assert_int_equal(change.verdict, PP_CHANGE_UNCLEAR);
    assert_int_equal(change.runs_needed, 4);
}

static void
rates_of_rare_events(void **state)
{
    (void)state;
    struct pp_rate_ratio got;
    pp_rate_ratio(12, 10, 30, 8, 0.95, &got);
    NEAR(got.ratio, 3.125);
    NEAR(got.p, 0.0007387504692548245);
    NEAR(got.low, 1.553703918827689);
    NEAR(got.high, 6.702085604384703);
    pp_rate_ratio(0, 5, 4, 5, 0.95, &got);
    assert_true(isinf(got.ratio) && isinf(got.high));
    NEAR(got.p, 0.125);
    NEAR(got.low, 0.6601240193600934);
    pp_rate_ratio(7, 3, 0, 2, 0.95, &got);
    NEAR(got.ratio, 0);
    NEAR(got.p, 0.05598719999999997);
    NEAR(got.low, 0);
    NEAR(got.high, 1.040720970144679);
    pp_rate_ratio(1000, 10, 1100, 10, 0.95, &got);
    NEAR(got.p, 0.03072070786424249);
    NEAR(got.low, 1.008798832314549);
    NEAR(got.high, 1.199554226269604);
    pp_rate_ratio(0, 1, 0, 1, 0.95, &got);
    assert_true(isnan(got.ratio) && isinf(got.high));
    NEAR(got.p, 1);
    pp_rate_ratio(1, 0, 1, 1, 0.95, &got);
    assert_true(isnan(got.ratio) && isnan(got.p));
}

static void
one_run_a_side_may_stand_out(void **state)
{
    (void)state;
    const struct pp_change_rule *rule = &pp_change_rule_usual;
    assert_false(pp_change_stands_out(0.05, NAN, false, rule));
    assert_true(pp_change_stands_out(0.05, NAN, true, rule));
    assert_false(pp_change_stands_out(0.05, 0.02, true, rule));
    assert_false(pp_change_stands_out(-0.02, 0, true, rule));
    assert_true(pp_change_stands_out(-0.11, 0.03, false, rule));
    assert_false(pp_change_stands_out(-0.11, 0.04, false, rule));
    assert_false(pp_change_stands_out(NAN, 0.04, true, rule));
    /* 16 (s / d)^2 runs show a change d: 4 runs, if s is half of it */
    NEAR(pp_change_spread_most(-0.2, 4), 0.1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distributions_equal_scipys),         cmocka_unit_test(distributions_have_ends),
        cmocka_unit_test(five_runs_a_side_show_four_percent), cmocka_unit_test(noisy_runs_are_unclear),
        cmocka_unit_test(both_parts_of_the_rule_count),       cmocka_unit_test(few_runs_have_no_verdict),
        cmocka_unit_test(equal_runs_have_no_spread),          cmocka_unit_test(change_is_that_of_the_values),
        cmocka_unit_test(zeros_are_compared_as_values),       cmocka_unit_test(drift_cancels_in_pairs),
        cmocka_unit_test(many_comparisons_are_adjusted),      cmocka_unit_test(rates_of_rare_events),
        cmocka_unit_test(one_run_a_side_may_stand_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
