/** @file
 * See stats_runs.h. Comparison of runs;
 *
 * Ratio of two Poisson rates;
 *
 * Benjamini and Hochberg's adjustment; */
#include "counters/stats/stats_runs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "counters/stats/stats.h"

const struct pp_change_rule pp_change_rule_usual = {.threshold = 0.03, .equivalence = 0.02, .alpha = 0.05};

/* With one run per side, a larger change counts even where no count changed. */
#define LARGE_CHANGE 0.1
/* Factor of the number of runs: 2 (1.96 + 0.84)^2, rounded up. */
#define LEHR 16

/* A difference with its standard error: of logarithms, or of the values themselves. */
struct difference {
    double mean, error, freedom;
};

/* Mean and sum of squared deviations. */
struct side {
    size_t n;
    double mean, squares;
};

static struct side
side_of(const double *value, size_t n)
{
    struct side side = {.n = n, .mean = pp_stats_mean(value, n)};
    for (size_t i = 0; i < n; i++)
        side.squares += (value[i] - side.mean) * (value[i] - side.mean);
    return side;
}

static double
variance_of(const struct side *side)
{
    return side->n > 1 ? side->squares / (double)(side->n - 1) : NAN;
}

/* Values that round to the same mean can leave deviations of a last place: such a side has no spread. */
static double
error_squared(const struct side *side)
{
    double least = 1e-15 * fabs(side->mean);
    double variance = variance_of(side);
    return variance <= least * least ? 0 : variance / (double)side->n;
}

static struct difference
welch(const struct side *a, const struct side *b)
{
    double ea = error_squared(a), eb = error_squared(b), sum = ea + eb;
    struct difference d = {.mean = b->mean - a->mean, .error = sqrt(sum), .freedom = INFINITY};
    if (sum > 0)
        d.freedom = sum * sum / (ea * ea / (double)(a->n - 1) + eb * eb / (double)(b->n - 1));
    return d;
}

static double
p_of(const struct difference *d)
{
    if (d->error > 0)
        return pp_student_two_sided(d->mean / d->error, d->freedom);
    return fabs(d->mean) > 0 ? 0 : 1;
}

/* Interval of the difference at level 1 - alpha. */
static struct pp_interval
interval_of(const struct difference *d, double alpha)
{
    double half = d->error > 0 ? pp_student_quantile(1 - alpha, d->freedom) * d->error : 0;
    return (struct pp_interval){.point = d->mean, .low = d->mean - half, .high = d->mean + half};
}

/* Shares of the old side: a difference of logarithms, or one of values divided by the old mean. */
static struct pp_interval
shares_of(struct pp_interval in, double old_mean, bool logarithms, double change)
{
    struct pp_interval out = {.point = change, .low = in.low / old_mean, .high = in.high / old_mean};
    if (logarithms) {
        out.low = expm1(in.low);
        out.high = expm1(in.high);
    } else if (!(old_mean > 0)) {
        out = (struct pp_interval){NAN, NAN, NAN};
    }
    return out;
}

/* A standard deviation of logarithms is a share; one of values is divided by the old mean. */
static double
share_of(double deviation, double old_mean, bool logarithms)
{
    if (logarithms)
        return deviation;
    return old_mean > 0 ? deviation / old_mean : NAN;
}

static size_t
runs_needed(const struct pp_run_change *of, const struct pp_change_rule *rule)
{
    double away = fabs(of->change), resolve = away > rule->equivalence ? away : rule->equivalence;
    size_t most_runs = of->old_runs > of->new_runs ? of->old_runs : of->new_runs;
    double n = ceil(LEHR * (of->spread / resolve) * (of->spread / resolve));
    if (isnan(n))
        return 0;
    size_t least = most_runs + 1 > PP_RUNS_LEAST ? most_runs + 1 : PP_RUNS_LEAST;
    if (n < (double)least)
        n = (double)least;
    return n < PP_RUNS_NEEDED_MOST ? (size_t)n : PP_RUNS_NEEDED_MOST;
}

/* Where the old values are 0 there are no shares: any change that is none of chance exceeds every threshold.
 */
static enum pp_change
verdict_without_shares(const struct difference *d, double p, const struct pp_change_rule *rule)
{
    if (p < rule->alpha)
        return d->mean > 0 ? PP_CHANGE_SLOWER : PP_CHANGE_FASTER;
    return d->error > 0 ? PP_CHANGE_UNCLEAR : PP_CHANGE_SAME;
}

static void
judge(struct pp_run_change *ret, const struct difference *d, const struct pp_change_rule *rule)
{
    size_t runs = ret->old_runs < ret->new_runs ? ret->old_runs : ret->new_runs;
    bool leaves = ret->interval.low > 0 || ret->interval.high < 0;
    if (runs < PP_RUNS_LEAST)
        ret->verdict = PP_CHANGE_FEW_RUNS;
    else if (isnan(ret->interval.low))
        ret->verdict = verdict_without_shares(d, ret->p, rule);
    else if (ret->interval.low > 0 && ret->change > rule->threshold)
        ret->verdict = PP_CHANGE_SLOWER;
    else if (ret->interval.high < 0 && ret->change < -rule->threshold)
        ret->verdict = PP_CHANGE_FASTER;
    else if (ret->within.low > -rule->equivalence && ret->within.high < rule->equivalence)
        ret->verdict = PP_CHANGE_SAME;
    else
        ret->verdict = PP_CHANGE_UNCLEAR;
    ret->runs_needed = 0;
    ret->near_threshold = ret->verdict == PP_CHANGE_UNCLEAR && leaves && fabs(ret->change) <= rule->threshold;
    if (ret->verdict == PP_CHANGE_UNCLEAR && !ret->near_threshold)
        ret->runs_needed = runs_needed(ret, rule);
}

/* Set everything that follows from a difference. */
static void
conclude(struct pp_run_change *ret, const struct difference *d, double old_mean,
         const struct pp_change_rule *rule)
{
    ret->difference = d->mean;
    ret->error = d->error;
    ret->freedom = d->freedom;
    ret->p = p_of(d);
    ret->interval = shares_of(interval_of(d, rule->alpha), old_mean, ret->logarithms, ret->change);
    ret->within = shares_of(interval_of(d, 2 * rule->alpha), old_mean, ret->logarithms, ret->change);
    judge(ret, d, rule);
}

/* Copy the values that are numbers. @return Their number. */
static size_t
numbers_of(const double *value, size_t n, double *to)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(value[i]))
            to[kept++] = value[i];
    }
    return kept;
}

static void
to_logarithms(double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        value[i] = log(value[i]);
}

static struct pp_run_change
change_of_nothing(void)
{
    const struct pp_interval none = {NAN, NAN, NAN};
    return (struct pp_run_change){.old_value = NAN,
                                  .new_value = NAN,
                                  .change = NAN,
                                  .interval = none,
                                  .within = none,
                                  .difference = NAN,
                                  .error = NAN,
                                  .p = NAN,
                                  .freedom = NAN,
                                  .spread = NAN,
                                  .verdict = PP_CHANGE_NO_VALUE};
}

/* Standard deviation between runs: pooled over the sides that have two runs. */
static double
pooled_spread(const struct side *a, const struct side *b)
{
    size_t freedom = (a->n > 1 ? a->n - 1 : 0) + (b->n > 1 ? b->n - 1 : 0);
    return freedom ? sqrt((a->squares + b->squares) / (double)freedom) : NAN;
}

/* Are all of these numbers above 0? */
static bool
all_positive(const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(value[i] > 0))
            return false;
    return true;
}

/* The number of a side: the geometric mean of its numbers, or the arithmetic one. Equal numbers have exactly
 * this mean: a count stays whole. */
static double
value_of(const double *value, size_t n, bool geometric)
{
    double sum = 0;
    for (size_t i = 0; geometric && i < n; i++)
        sum += log(value[i] / value[0]);
    return n && geometric ? value[0] * exp(sum / (double)n) : pp_stats_mean(value, n);
}

/* Set the values of both sides. @return The base of shares. */
static double
set_values(struct pp_run_change *ret, const double *a, const double *b)
{
    size_t na = ret->old_runs, nb = ret->new_runs;
    ret->logarithms = all_positive(a, na) && all_positive(b, nb);
    ret->old_value = value_of(a, na, ret->logarithms);
    ret->new_value = value_of(b, nb, ret->logarithms);
    return ret->old_value;
}

/* The change that is in the middle of the interval. */
static double
change_of(const struct pp_run_change *of, double difference)
{
    if (of->logarithms)
        return expm1(difference);
    return of->old_value > 0 ? difference / of->old_value : NAN;
}

/* Both sides hold at least one number; the arrays become logarithms. */
static void
compare_numbers(double *a, double *b, const struct pp_change_rule *rule, struct pp_run_change *ret)
{
    size_t na = ret->old_runs, nb = ret->new_runs;
    double old_mean = set_values(ret, a, b);
    if (ret->logarithms) {
        to_logarithms(a, na);
        to_logarithms(b, nb);
    }
    struct side sa = side_of(a, na), sb = side_of(b, nb);
    ret->change = change_of(ret, sb.mean - sa.mean);
    ret->spread = share_of(pooled_spread(&sa, &sb), old_mean, ret->logarithms);
    if (na < 2 || nb < 2) {
        ret->interval.point = ret->within.point = ret->change;
        ret->verdict = PP_CHANGE_FEW_RUNS;
        return;
    }
    struct difference d = welch(&sa, &sb);
    conclude(ret, &d, old_mean, rule);
}

int
pp_compare_runs(const double *before, size_t n_before, const double *after, size_t n_after,
                const struct pp_change_rule *rule, struct pp_run_change *ret)
{
    struct pp_run_change change = change_of_nothing();
    double *a = calloc(n_before + 1, sizeof(*a)), *b = calloc(n_after + 1, sizeof(*b));
    int err = a && b ? 0 : -ENOMEM;
    if (!err) {
        change.old_runs = numbers_of(before, n_before, a);
        change.new_runs = numbers_of(after, n_after, b);
        if (change.old_runs && change.new_runs) {
            compare_numbers(a, b, rule, &change);
        } else {
            change.old_value = value_of(a, change.old_runs, all_positive(a, change.old_runs));
            change.new_value = value_of(b, change.new_runs, all_positive(b, change.new_runs));
        }
        *ret = change;
    }
    free(a);
    free(b);
    return err;
}

/* a[i] and b[i] are a pair of numbers; b[i] becomes their difference. */
static void
compare_paired(const double *a, double *b, const struct pp_change_rule *rule, struct pp_run_change *ret)
{
    size_t n = ret->old_runs;
    double old_mean = set_values(ret, a, b);
    for (size_t i = 0; i < n; i++)
        b[i] = ret->logarithms ? log(b[i] / a[i]) : b[i] - a[i];
    struct side side = side_of(b, n);
    ret->change = change_of(ret, side.mean);
    ret->spread = share_of(sqrt(variance_of(&side) / 2), old_mean, ret->logarithms);
    if (n < 2) {
        ret->interval.point = ret->within.point = ret->change;
        ret->verdict = PP_CHANGE_FEW_RUNS;
        return;
    }
    struct difference d = {
        .mean = side.mean, .error = sqrt(error_squared(&side)), .freedom = (double)(n - 1)};
    conclude(ret, &d, old_mean, rule);
}

int
pp_compare_pairs(const double *before, const double *after, size_t n, const struct pp_change_rule *rule,
                 struct pp_run_change *ret)
{
    struct pp_run_change change = change_of_nothing();
    double *a = calloc(n + 1, sizeof(*a)), *b = calloc(n + 1, sizeof(*b));
    int err = a && b ? 0 : -ENOMEM;
    if (!err) {
        size_t pairs = 0;
        for (size_t i = 0; i < n; i++) {
            if (isfinite(before[i]) && isfinite(after[i])) {
                a[pairs] = before[i];
                b[pairs++] = after[i];
            }
        }
        change.old_runs = change.new_runs = pairs;
        if (pairs)
            compare_paired(a, b, rule, &change);
        *ret = change;
    }
    free(a);
    free(b);
    return err;
}

void
pp_change_take_error(struct pp_run_change *change, double error, double freedom,
                     const struct pp_change_rule *rule)
{
    const struct difference d = {.mean = change->difference, .error = error, .freedom = freedom};
    change->spread *= error / change->error;
    conclude(change, &d, NAN, rule);
}

void
pp_change_correct(struct pp_run_change *change, double q, const struct pp_change_rule *rule)
{
    bool claims = change->verdict == PP_CHANGE_FASTER || change->verdict == PP_CHANGE_SLOWER;
    if (!claims || !(q > rule->alpha))
        return;
    change->verdict = PP_CHANGE_UNCLEAR;
    change->runs_needed = runs_needed(change, rule);
}

double
pp_change_spread_most(double change, size_t runs)
{
    return fabs(change) * sqrt((double)runs / LEHR);
}

bool
pp_change_stands_out(double change, double within_half_width, bool counts_changed,
                     const struct pp_change_rule *rule)
{
    double least = counts_changed ? rule->threshold : fmax(rule->threshold, LARGE_CHANGE);
    return fabs(change) > fmax(least, 3 * within_half_width);
}

/* The ratio of rates at which the new side has this share of all events. */
static double
ratio_at(double share, double old_duration, double new_duration)
{
    return share < 1 ? share / (1 - share) * old_duration / new_duration : INFINITY;
}

void
pp_rate_ratio(uint64_t old_count, double old_duration, uint64_t new_count, double new_duration, double level,
              struct pp_rate_ratio *ret)
{
    *ret = (struct pp_rate_ratio){NAN, NAN, NAN, NAN};
    if (!(old_duration > 0) || !(new_duration > 0) || !(level > 0 && level < 1))
        return;
    double old_n = (double)old_count, new_n = (double)new_count, tail = (1 - level) / 2;
    double share = new_duration / (old_duration + new_duration);
    /* P(at most new_n) and P(at least new_n) of a binomial count, as incomplete beta functions (DLMF 8.17.5).
     */
    double up_to = old_count ? pp_beta_probability(1 - share, old_n, new_n + 1) : 1;
    double from = new_count ? pp_beta_probability(share, new_n, old_n + 1) : 1;
    ret->p = fmin(1, 2 * fmin(up_to, from));
    if (old_count || new_count)
        ret->ratio = ratio_at(new_n / (old_n + new_n), old_duration, new_duration);
    double low = new_count ? pp_beta_quantile(tail, new_n, old_n + 1) : 0;
    double high = old_count ? pp_beta_quantile(1 - tail, new_n + 1, old_n) : 1;
    ret->low = ratio_at(low, old_duration, new_duration);
    ret->high = ratio_at(high, old_duration, new_duration);
}

static int
by_value(const void *a, const void *b)
{
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    if (*x < *y || *x > *y)
        return *x < *y ? -1 : 1;
    return (x > y) - (x < y);
}

int
pp_false_discovery(const double *p, size_t n, double *ret_q)
{
    const double **order = calloc(n + 1, sizeof(*order));
    size_t numbers = 0;
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i]))
            order[numbers++] = &p[i];
        else
            ret_q[i] = NAN;
    }
    qsort(order, numbers, sizeof(*order), by_value);
    double least = 1;
    for (size_t i = numbers; i > 0; i--) {
        size_t at = (size_t)(order[i - 1] - p);
        least = fmin(least, p[at] * (double)numbers / (double)i);
        ret_q[at] = least;
    }
    free(order);
    return 0;
}
