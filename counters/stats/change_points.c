/** @file
 * Change points; see change_points.h. */
#include "counters/stats/change_points.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "counters/stats/stats.h"

const struct pp_change_points_rule pp_change_points_rule_usual = {
    .window = 50, .p = 0.001, .threshold = 0.03};

/* A candidate's p value may be this many times the rule's: Hunter's factor. */
#define WEAK 10
/* The largest correlation of neighbours that is believed: beyond it, no number of points would show a change.
 */
#define CORRELATION_MOST 0.9
/* Half of what a series says about its correlation is believed, if it has this many points. */
#define CORRELATION_POINTS 25
/* Of the sum of squares: 95 % of Hansen's distribution (1 - exp(-x / 2))^2. */
#define HANSEN 7.35

/* A series under search. */
struct search {
    const struct pp_change_points_rule *rule;
    double *value;   /* the numbers, or their logarithms */
    double *between; /* see pair_sum() */
    size_t *cut;     /* candidates, ascending */
    size_t n, cuts;
    double correlation; /* of neighbours, without the changes */
    bool logarithms;
};

/* Mean and sum of squared deviations of [from, to). */
static double
squares_of(const double *value, size_t from, size_t to, double *ret_mean)
{
    double mean = 0, squares = 0;
    for (size_t i = from; i < to; i++) {
        double deviation = value[i] - mean;
        mean += deviation / (double)(i - from + 1);
        squares += deviation * (value[i] - mean);
    }
    *ret_mean = mean;
    return squares;
}

/* Variance of the mean of n values, relative to that of one value, if neighbours are correlated by r (a
 * first-order autoregressive series): (1 + 2 sum over k of (1 - k / n) r^k) / n. */
static double
variance_of_mean(double n, double r)
{
    return ((1 + r) / (1 - r) - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r))) / n;
}

/* p value of "[from, at) and [at, to) have the same mean": Student's t with pooled variance. With a
 * correlation of neighbours, means are less certain, deviations from them are too small, and there are fewer
 * degrees of freedom. */
static double
p_of(const double *value, size_t from, size_t at, size_t to, double correlation)
{
    double left, right, n = (double)(at - from), m = (double)(to - at), square = correlation * correlation;
    double squares = squares_of(value, from, at, &left) + squares_of(value, at, to, &right);
    double least = 1e-12 * fmax(fabs(left), fabs(right));
    double left_share = variance_of_mean(n, correlation), right_share = variance_of_mean(m, correlation);
    if (fabs(right - left) <= least)
        return 1;
    if (squares <= least * least * (n + m))
        return 0;
    double variance = squares / (n * (1 - left_share) + m * (1 - right_share));
    double freedom = fmax(1, (n + m) * (1 - square) / (1 + square) - 2);
    return pp_student_two_sided((right - left) / sqrt(variance * (left_share + right_share)), freedom);
}

/* Sums of distances between points of a window: between[i * (width + 1) + j] is the sum of |x - y| over the
 * first i and the first j points. */
static void
fill_distances(struct search *search, size_t start, size_t width)
{
    const double *x = search->value + start;
    double *sum = search->between;
    for (size_t j = 0; j <= width; j++)
        sum[j] = 0;
    for (size_t i = 0; i < width; i++) {
        double row = 0;
        sum[(i + 1) * (width + 1)] = 0;
        for (size_t j = 0; j < width; j++) {
            row += fabs(x[i] - x[j]);
            sum[(i + 1) * (width + 1) + j + 1] = sum[i * (width + 1) + j + 1] + row;
        }
    }
}

/* Sum of distances between the points [a, b) and [c, d) of the window. */
static double
pair_sum(const double *sum, size_t width, size_t a, size_t b, size_t c, size_t d)
{
    size_t row = width + 1;
    return sum[b * row + d] - sum[a * row + d] - sum[b * row + c] + sum[a * row + c];
}

/* Energy distance of [from, at) and [at, to), times n m / (n + m): Matteson and James' Q with exponent 1. */
static double
energy(const double *sum, size_t width, size_t from, size_t at, size_t to)
{
    double n = (double)(at - from), m = (double)(to - at);
    double across = 2 * pair_sum(sum, width, from, at, at, to) / (n * m);
    double left = pair_sum(sum, width, from, at, from, at) / (n * (n - 1));
    double right = pair_sum(sum, width, at, to, at, to) / (m * (m - 1));
    return n * m / (n + m) * (across - left - right);
}

/* The best split of the points [from, to) of a window: *ret_at, and the end *ret_end of the part after it.
 * @return false: too few points. */
static bool
best_split(const double *sum, size_t width, size_t from, size_t to, size_t *ret_at, size_t *ret_end)
{
    double best = -INFINITY;
    for (size_t at = from + PP_CHANGE_POINT_LEAST; at + PP_CHANGE_POINT_LEAST <= to; at++) {
        for (size_t end = at + PP_CHANGE_POINT_LEAST; end <= to; end++) {
            double q = energy(sum, width, from, at, end);
            if (q > best) {
                best = q;
                *ret_at = at;
                *ret_end = end;
            }
        }
    }
    return best > -INFINITY;
}

static int
by_index(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Split the window [start, start + width) again and again; append the candidates, in ascending order. */
static void
search_window(struct search *search, size_t start, size_t width)
{
    /* Segments that wait. They do not overlap and have 4 points or more. */
    struct {
        size_t from, to;
    } waiting[PP_CHANGE_POINTS_WINDOW_MOST / 2 + 1] = {{0, width}};
    size_t count = 1, first = search->cuts;
    fill_distances(search, start, width);
    while (count) {
        size_t from = waiting[count - 1].from, to = waiting[count - 1].to, at = 0, end = 0;
        count--;
        if (!best_split(search->between, width, from, to, &at, &end) ||
            p_of(search->value, start + from, start + at, start + end, 0) > WEAK * search->rule->p)
            continue;
        search->cut[search->cuts++] = start + at;
        if (to - at >= 2 * PP_CHANGE_POINT_LEAST) {
            waiting[count].from = at;
            waiting[count++].to = to;
        }
        if (at - from >= 2 * PP_CHANGE_POINT_LEAST) {
            waiting[count].from = from;
            waiting[count++].to = at;
        }
    }
    qsort(search->cut + first, search->cuts - first, sizeof(*search->cut), by_index);
}

/* Candidates of all windows. A window begins after the last candidate, or in the middle of the window
 * before. */
static void
find_candidates(struct search *search)
{
    size_t window = search->rule->window, start = 0;
    while (start < search->n) {
        size_t width = search->n - start < window ? search->n - start : window, before = search->cuts;
        search_window(search, start, width);
        if (start + width == search->n)
            break;
        start += window / 2;
        if (search->cuts > before && search->cut[search->cuts - 1] > start)
            start = search->cut[search->cuts - 1];
    }
}

/* Relative change at a candidate between its neighbours; the levels before and after it. */
static double
change_at(const struct search *search, size_t k, double *ret_before, double *ret_after)
{
    size_t from = k ? search->cut[k - 1] : 0, to = k + 1 < search->cuts ? search->cut[k + 1] : search->n;
    (void)squares_of(search->value, from, search->cut[k], ret_before);
    (void)squares_of(search->value, search->cut[k], to, ret_after);
    if (search->logarithms) {
        *ret_before = exp(*ret_before);
        *ret_after = exp(*ret_after);
    }
    return *ret_before > 0 ? *ret_after / *ret_before - 1 : NAN;
}

static double
p_at(const struct search *search, size_t k)
{
    size_t from = k ? search->cut[k - 1] : 0, to = k + 1 < search->cuts ? search->cut[k + 1] : search->n;
    return p_of(search->value, from, search->cut[k], to, search->correlation);
}

/* A change without a relative size, from a level that is not above 0, is as large as it can be. */
static double
size_at(const struct search *search, size_t k)
{
    double before, after, change = change_at(search, k, &before, &after);
    return isnan(change) ? INFINITY : fabs(change);
}

/* The weakest candidate that the rule does not allow. @return false: it allows all. */
static bool
weakest(const struct search *search, size_t *ret_k)
{
    double worst = search->rule->p, smallest = search->rule->threshold;
    bool found = false;
    for (size_t k = 0; k < search->cuts; k++) {
        double p = p_at(search, k);
        if (p > worst) {
            worst = p;
            *ret_k = k;
            found = true;
        }
    }
    for (size_t k = 0; !found && k < search->cuts; k++) {
        double size = size_at(search, k);
        if (size < smallest) {
            smallest = size;
            *ret_k = k;
        }
    }
    return found || smallest < search->rule->threshold;
}

/* Correlation of neighbours between the candidates, where the level does not change. Deviations from the
 * means of short parts seem to be less correlated than they are: with k means, the estimate of n points is
 * about k (1 + 4 r) / n too small (Kendall). The places of the parts come from the same points: k / n more.
 * @return 0 to CORRELATION_MOST. */
static double
correlation_of(const struct search *search)
{
    double products = 0, squares = 0, n = (double)search->n, parts = (double)(search->cuts + 1);
    for (size_t k = 0; k <= search->cuts; k++) {
        size_t from = k ? search->cut[k - 1] : 0, to = k < search->cuts ? search->cut[k] : search->n;
        double mean;
        squares += squares_of(search->value, from, to, &mean);
        for (size_t i = from + 1; i < to; i++)
            products += (search->value[i] - mean) * (search->value[i - 1] - mean);
    }
    if (!(squares > 0))
        return 0;
    double r = (products / squares + 2 * parts / n) / fmax(0.5, 1 - 4 * parts / n);
    double believed = n * n / (n * n + CORRELATION_POINTS * CORRELATION_POINTS);
    return fmin(CORRELATION_MOST, fmax(0, r) * believed);
}

static void
remove_weak(struct search *search)
{
    size_t k = 0;
    search->correlation = correlation_of(search);
    while (weakest(search, &k)) {
        for (size_t i = k + 1; i < search->cuts; i++)
            search->cut[i - 1] = search->cut[i];
        search->cuts--;
        search->correlation = correlation_of(search);
    }
}

/* The confidence set of the position: the first and the last point at which the sum of squares is small
 * enough. */
static void
place(const struct search *search, struct pp_change_point *point)
{
    double mean, least = INFINITY, n = (double)(point->to - point->from);
    double r = search->correlation, most = 1 + HANSEN / n * (1 + r) / (1 - r);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t at = point->from + 1; at < point->to; at++) {
            double squares = squares_of(search->value, point->from, at, &mean) +
                             squares_of(search->value, at, point->to, &mean);
            if (!pass) {
                least = fmin(least, squares);
            } else if (squares <= least * most) {
                point->first = at < point->first ? at : point->first;
                point->last = at > point->last ? at : point->last;
            }
        }
    }
}

static void
describe(const struct search *search, size_t k, struct pp_change_point *ret)
{
    size_t index = search->cut[k];
    *ret = (struct pp_change_point){.index = index, .first = index, .last = index, .p = p_at(search, k)};
    ret->from = k ? search->cut[k - 1] : 0;
    ret->to = k + 1 < search->cuts ? search->cut[k + 1] : search->n;
    ret->change = change_at(search, k, &ret->before, &ret->after);
    place(search, ret);
}

static int
run(struct search *search, struct pp_change_point **ret, size_t *ret_len)
{
    struct pp_change_point *point = NULL;
    find_candidates(search);
    remove_weak(search);
    if (search->cuts && !(point = calloc(search->cuts, sizeof(*point))))
        return -ENOMEM;
    for (size_t k = 0; k < search->cuts; k++)
        describe(search, k, &point[k]);
    *ret = point;
    *ret_len = search->cuts;
    return 0;
}

int
pp_change_points(const double *value, size_t n, const struct pp_change_points_rule *rule,
                 struct pp_change_point **ret, size_t *ret_len)
{
    struct search search = {.rule = rule, .n = n, .logarithms = true};
    if (rule->window < 2 * PP_CHANGE_POINT_LEAST || rule->window > PP_CHANGE_POINTS_WINDOW_MOST)
        return -EINVAL;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(value[i]))
            return -EINVAL;
        search.logarithms = search.logarithms && value[i] > 0;
    }
    search.value = calloc(n + 1, sizeof(*search.value));
    search.cut = calloc(n + 1, sizeof(*search.cut));
    search.between = calloc((rule->window + 1) * (rule->window + 1), sizeof(*search.between));
    int err = -ENOMEM;
    if (search.value && search.cut && search.between) {
        for (size_t i = 0; i < n; i++)
            search.value[i] = search.logarithms ? log(value[i]) : value[i];
        err = run(&search, ret, ret_len);
    }
    free(search.value);
    free(search.cut);
    free(search.between);
    return err;
}
