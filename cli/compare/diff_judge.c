/** @file
 * See diff_build.h. */
#include "cli/compare/diff_build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "counters/stats/stats_runs.h"
#include "counters/stats/stats_spread.h"

/* A mean of a count differs if it changed by so much: a frame more or less changes a mean, too. */
#define COUNT_SHARE 0.005
/* Rows of frames and rows of passes can both be wrong: either may be in 3 % of the comparisons, and both
 * together in less than 6 %. Passes that are compared with one another add 1.5 % at most.
 * docs/internals/statistics.md has pools of recorded runs that show it. */
#define Q_FACTOR (1 / 0.6)
/* A comparison with the other passes of a run counts, if its error is below this share of the plain one's.
 * Its p value counts twice, so that this second test adds half of the first one's error rate at most. */
#define RELATIVE_ERROR 0.5
#define RELATIVE_TESTS 2
/* The probability with which a visible change is shown. */
#define POWER      0.8
#define SIGN_POWER 0.95

static struct pp_change_rule
rule_of(const struct pp_diff_options *options)
{
    return (struct pp_change_rule){
        .threshold = options->threshold, .equivalence = options->equivalence, .alpha = options->alpha};
}

bool
pp_diff_count_changed(double old_value, double new_value, bool exact)
{
    double change = fabs(new_value - old_value);
    return exact ? change > 0 : change > COUNT_SHARE * fmax(fabs(old_value), fabs(new_value));
}

/* Have all runs of a side the same number? */
static bool
is_exact(const double *value, size_t runs)
{
    for (size_t i = 1; i < runs; i++)
        if (isnan(value[i]) || value[i] < value[0] || value[i] > value[0])
            return false;
    return runs > 0 && !isnan(value[0]);
}

/* Half of the interval of the relative change, from within one run per side; NaN: not known. */
static double
within_half(const struct pp_diff_row *row, const struct pp_diff_values *values)
{
    return hypot(values->old_half / row->old_value, values->new_half / row->new_value) *
           (row->new_value / row->old_value);
}

static enum pp_diff_verdict
direction(const struct pp_diff_row *row, bool slower)
{
    if (row->unit == PP_DIFF_COUNT)
        return PP_DIFF_CHANGED;
    return slower == (row->unit != PP_DIFF_FPS) ? PP_DIFF_SLOWER : PP_DIFF_FASTER;
}

/* The verdict with too few runs for a test: only what is large, or has a reason, gets a verdict. */
static void
judge_few_runs(struct pp_diff_row *row, const struct pp_diff_values *values,
               const struct pp_diff_options *options)
{
    const struct pp_change_rule rule = rule_of(options);
    double change = fabs(row->old_value) > 0 ? row->new_value / row->old_value - 1 : (double)NAN;
    double half = within_half(row, values);
    row->percent = 100 * change;
    row->interval_of_frames = true;
    if (!isnan(half)) {
        row->low_percent = 100 * fmax(change - half, -1); /* nothing takes less than no time */
        row->high_percent = 100 * (change + half);
    }
    row->verdict = PP_DIFF_FEW_RUNS;
    if (isnan(half))
        row->no_guess = PP_DIFF_NO_INTERVAL;
    else if (values->too_correlated)
        row->no_guess = PP_DIFF_CORRELATED;
    else if (pp_change_stands_out(change, half, values->counts_changed, &rule))
        row->verdict = direction(row, change > 0);
    else
        row->no_guess = pp_change_stands_out(change, 0, values->counts_changed, &rule) ? PP_DIFF_WITHIN_RUN
                                                                                       : PP_DIFF_SMALL_CHANGE;
}

/* The smallest change that runs show with a probability of 80 %, if @p rows rows are tested together. */
static double
visible(const struct pp_run_change *change, const struct pp_diff_options *options, double rows)
{
    double freedom = change->freedom, share = options->alpha / fmax(rows, 1);
    double errors = pp_student_quantile(1 - share, freedom) + pp_student_quantile(2 * POWER - 1, freedom);
    if (change->logarithms)
        return 100 * expm1(errors * change->error);
    return change->old_value > 0 ? 100 * errors * change->error / change->old_value : (double)NAN;
}

/* The smallest change whose sign the plain comparison shows with a probability of 95 %: the other one counts
 * only if both have the same sign. NaN: not known. */
static double
sign_percent(const struct pp_run_change *plain)
{
    return plain->logarithms
               ? 100 * expm1(pp_student_quantile(2 * SIGN_POWER - 1, plain->freedom) * plain->error)
               : (double)NAN;
}

static void
take_change(struct pp_diff_row *row, const struct pp_run_change *change,
            const struct pp_diff_options *options, double rows)
{
    row->runs = *change;
    row->visible_percent = visible(change, options, rows);
    row->percent = 100 * change->change;
    row->low_percent = 100 * change->interval.low;
    row->high_percent = 100 * change->interval.high;
    row->p = change->p;
    row->runs_needed = change->runs_needed;
    row->near_threshold = change->near_threshold;
    switch (change->verdict) {
    case PP_CHANGE_FASTER:
    case PP_CHANGE_SLOWER:
        row->verdict = direction(row, change->verdict == PP_CHANGE_SLOWER);
        break;
    case PP_CHANGE_SAME:
        row->verdict = PP_DIFF_SAME;
        break;
    case PP_CHANGE_UNCLEAR:
        row->verdict = PP_DIFF_UNCLEAR;
        break;
    case PP_CHANGE_NO_VALUE:
    case PP_CHANGE_FEW_RUNS:
    case PP_CHANGE_COUNT:
        row->verdict = PP_DIFF_NO_VERDICT;
        break;
    }
}

/* Counts are facts: where all runs of a side agree, or with one run, they need no test. */
static bool
judge_count(struct pp_diff_row *row, const struct pp_diff_values *values)
{
    bool exact = is_exact(values->olds, values->old_runs) && is_exact(values->news, values->new_runs);
    bool few = row->old_runs < PP_RUNS_LEAST || row->new_runs < PP_RUNS_LEAST;
    if (row->unit != PP_DIFF_COUNT || (!exact && !few))
        return false;
    bool whole = exact && floor(row->old_value) >= row->old_value && floor(row->new_value) >= row->new_value;
    row->percent = row->old_value > 0 ? 100 * (row->new_value / row->old_value - 1) : (double)NAN;
    row->verdict =
        pp_diff_count_changed(row->old_value, row->new_value, whole) ? PP_DIFF_CHANGED : PP_DIFF_EQUAL;
    return true;
}

/* What only one side has. */
static bool
judge_missing(struct pp_diff_row *row)
{
    if (row->old_runs && row->new_runs)
        return false;
    row->verdict = row->new_runs ? PP_DIFF_NEW : row->old_runs ? PP_DIFF_GONE : PP_DIFF_NO_VERDICT;
    row->change = row->new_runs ? row->new_value : -row->old_value;
    if (row->kind == PP_DIFF_FRAME && row->verdict != PP_DIFF_NO_VERDICT) {
        row->verdict = PP_DIFF_MISSING;
        row->change = (double)NAN;
    }
    return true;
}

int
pp_diff_judge(struct pp_diff_row *row, const struct pp_diff_values *values,
              const struct pp_diff_options *options)
{
    const struct pp_change_rule rule = rule_of(options);
    struct pp_run_change change;
    bool pairs = options->pairs && values->old_runs == values->new_runs;
    row->percent = row->low_percent = row->high_percent = row->p = row->q = row->visible_percent =
        row->relative_percent = row->relative_low_percent = row->relative_high_percent =
            row->relative_visible_percent = (double)NAN;
    int rc = pairs ? pp_compare_pairs(values->olds, values->news, values->old_runs, &rule, &change)
                   : pp_compare_runs(values->olds, values->old_runs, values->news, values->new_runs, &rule,
                                     &change);
    if (rc)
        return rc;
    row->old_runs = change.old_runs;
    row->new_runs = change.new_runs;
    row->old_value = change.old_value;
    row->new_value = change.new_value;
    if (judge_missing(row))
        return 0;
    row->change = row->new_value - row->old_value;
    if (judge_count(row, values))
        return 0;
    if (change.verdict == PP_CHANGE_FEW_RUNS)
        judge_few_runs(row, values, options);
    else
        take_change(row, &change, options, Q_FACTOR);
    return 0;
}

int
pp_diff_correct(struct pp_diff_part *part, enum pp_diff_kind kind, const struct pp_diff_options *options)
{
    const struct pp_change_rule rule = rule_of(options);
    struct pp_run_change *change = calloc(part->len + 1, sizeof(*change));
    double *p = calloc(part->len + 1, sizeof(*p)), *q = calloc(part->len + 1, sizeof(*q));
    size_t n = 0;
    int rc = change && p && q ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < part->len; i++)
        if (part->row[i].kind == kind && !isnan(part->row[i].p))
            change[n++] = part->row[i].runs;
    pp_share_spread(change, n, &rule);
    for (size_t i = 0; i < n; i++)
        p[i] = change[i].p;
    rc = rc ? rc : pp_false_discovery(p, n, q);
    const size_t tests = n;
    n = 0;
    for (size_t i = 0; rc == 0 && i < part->len; i++) {
        struct pp_diff_row *row = &part->row[i];
        if (row->kind != kind || isnan(row->p))
            continue;
        row->q = fmin(1, Q_FACTOR * q[n]);
        pp_change_correct(&change[n++], row->q, &rule);
        take_change(row, &change[n - 1], options, Q_FACTOR * (double)tests);
    }
    free(change);
    free(p);
    free(q);
    return rc;
}

/* The passes of a part, for a comparison with one another. */
struct together {
    struct pp_diff_row **row;
    size_t rows, runs;            /* runs of both sides */
    double *value, *left;         /* rows x runs: numbers, and what is left without what is common */
    double *factor;               /* of each run: what is common */
    struct pp_run_change *change; /* of what is left */
    double *p;
};

static void
together_finish(struct together *all)
{
    free(all->row);
    free(all->value);
    free(all->left);
    free(all->factor);
    free(all->change);
    free(all->p);
}

/* Find the rows that can be compared with one another. */
static int
together_begin(struct together *all, const struct pp_diff_build *build)
{
    struct pp_diff_part *part = build->part;
    size_t rows = 0;
    all->runs = build->diff->olds->runs + build->diff->news->runs;
    for (size_t i = 0; i < part->len; i++)
        rows += part->row[i].value && part->row[i].runs.logarithms;
    if (rows <= PP_COMMON_LEAST)
        return 0;
    all->row = calloc(rows + 1, sizeof(struct pp_diff_row *));
    all->value = calloc(rows * all->runs + 1, sizeof(*all->value));
    all->left = calloc(rows * all->runs + 1, sizeof(*all->left));
    all->factor = calloc(all->runs + 1, sizeof(*all->factor));
    all->change = calloc(rows + 1, sizeof(*all->change));
    all->p = calloc(rows + 1, sizeof(*all->p));
    if (!all->row || !all->value || !all->left || !all->factor || !all->change || !all->p)
        return -ENOMEM;
    for (size_t i = 0; i < part->len; i++) {
        if (!part->row[i].value || !part->row[i].runs.logarithms)
            continue;
        memcpy(&all->value[all->rows * all->runs], part->row[i].value, all->runs * sizeof(*all->value));
        all->row[all->rows++] = &part->row[i];
    }
    return pp_leave_common_out(all->value, all->rows, all->runs, all->left, all->factor);
}

/* Compare what is left of each row; without a p value where this is no surer than the plain comparison. */
static int
compare_left(struct together *all, size_t olds, const struct pp_change_rule *rule)
{
    for (size_t i = 0; i < all->rows; i++) {
        const double *left = &all->left[i * all->runs];
        int rc = pp_compare_runs(left, olds, left + olds, all->runs - olds, rule, &all->change[i]);
        if (rc)
            return rc;
        if (!(all->change[i].error < RELATIVE_ERROR * all->row[i]->runs.error))
            all->change[i] = (struct pp_run_change){.verdict = PP_CHANGE_NO_VALUE, .p = (double)NAN};
    }
    pp_share_spread(all->change, all->rows, rule);
    for (size_t i = 0; i < all->rows; i++) /* rows without such a test count, too */
        all->p[i] = isnan(all->change[i].p) ? 1 : fmin(1, RELATIVE_TESTS * all->change[i].p);
    return pp_false_discovery(all->p, all->rows, all->p);
}

/* Set what the comparison with the other passes says of a row. A pass that takes less time than before is
 * called slower by no comparison. */
static void
take_relative(struct pp_diff_row *row, struct pp_run_change *change, double q, size_t tests,
              const struct pp_diff_options *options)
{
    const struct pp_change_rule rule = rule_of(options);
    if (isnan(change->p))
        return;
    row->relative_percent = 100 * change->change;
    row->relative_low_percent = 100 * change->interval.low;
    row->relative_high_percent = 100 * change->interval.high;
    row->relative_visible_percent = fmax(visible(change, options, RELATIVE_TESTS * Q_FACTOR * (double)tests),
                                         sign_percent(&row->runs)); /* ignores NaN */
    pp_change_correct(change, q, &rule);
    bool claims = change->verdict == PP_CHANGE_SLOWER || change->verdict == PP_CHANGE_FASTER;
    bool plain = row->verdict == PP_DIFF_SLOWER || row->verdict == PP_DIFF_FASTER;
    if (!claims || plain || !(change->change * row->percent > 0))
        return;
    row->relative = true;
    row->verdict = direction(row, change->verdict == PP_CHANGE_SLOWER);
    row->p = change->p;
    row->q = q;
    row->runs_needed = 0;
    row->near_threshold = false;
}

int
pp_diff_judge_relative(struct pp_diff_build *build)
{
    const struct pp_diff_options *options = &build->diff->options;
    const struct pp_change_rule rule = rule_of(options);
    struct together all = {.rows = 0};
    struct pp_run_change common = {.p = (double)NAN};
    const size_t olds = build->diff->olds->runs;
    int rc = together_begin(&all, build);
    if (rc == 0 && all.rows)
        rc = pp_compare_runs(all.factor, olds, all.factor + olds, all.runs - olds, &rule, &common);
    build->part->common = rc == 0 && all.rows ? common.spread : (double)NAN;
    if (rc == 0 && common.p > options->alpha) { /* else the passes themselves became slower or faster */
        rc = compare_left(&all, olds, &rule);
        for (size_t i = 0; rc == 0 && i < all.rows; i++)
            take_relative(all.row[i], &all.change[i], fmin(1, Q_FACTOR * all.p[i]), all.rows, options);
    }
    together_finish(&all);
    return rc;
}

/* Is a row of frames tested? */
static bool
is_tested_frame(const struct pp_diff_row *row)
{
    return row->kind == PP_DIFF_FRAME && !isnan(row->p) && row->verdict != PP_DIFF_NO_VERDICT;
}

/* Make a claim unclear that is none after the correction. */
static void
correct_claim(struct pp_diff_row *row, const struct pp_change_rule *rule)
{
    bool claims = row->verdict == PP_DIFF_SLOWER || row->verdict == PP_DIFF_FASTER ||
                  (row->verdict == PP_DIFF_CHANGED && row->unit == PP_DIFF_COUNT);
    if (!claims || !(row->q > rule->alpha))
        return;
    if (row->unit == PP_DIFF_PER_MINUTE) { /* a rate is no comparison of runs */
        row->verdict = PP_DIFF_UNCLEAR;
        return;
    }
    pp_change_correct(&row->runs, row->q, rule);
    row->verdict = PP_DIFF_UNCLEAR;
    row->runs_needed = row->runs.runs_needed;
}

int
pp_diff_correct_frames(struct pp_diff_part *part, const struct pp_diff_options *options)
{
    const struct pp_change_rule rule = rule_of(options);
    double *p = calloc(part->len + 1, sizeof(*p)), *q = calloc(part->len + 1, sizeof(*q));
    size_t n = 0;
    int rc = p && q ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < part->len; i++)
        if (is_tested_frame(&part->row[i]))
            p[n++] = part->row[i].p;
    rc = rc ? rc : pp_false_discovery(p, n, q);
    n = 0;
    for (size_t i = 0; rc == 0 && i < part->len; i++) {
        if (!is_tested_frame(&part->row[i]))
            continue;
        part->row[i].q = fmin(1, Q_FACTOR * q[n++]);
        correct_claim(&part->row[i], &rule);
    }
    free(p);
    free(q);
    return rc;
}
