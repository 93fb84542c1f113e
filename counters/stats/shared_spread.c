/** @file
 * Shared spread of many comparisons; see shared_spread.h. */
#include "counters/stats/shared_spread.h"

#include <math.h>
#include <stdbool.h>

#include "counters/stats/distributions.h"

/* Instead of infinitely many degrees of freedom of the prior. */
#define FREEDOM_MOST 1e6
/* The prior counts for at most this many times the comparison's own runs. With more, sides whose passes all
 * changed by chance in the same direction are called different too often. */
#define BORROW_MOST 3
/* Of the prior's degrees of freedom, this many count. Spreads of passes that differ have a longer tail than
 * the estimate takes them to have; where they do not differ, the limit above decides. */
#define FREEDOM_SHARE 0.5
/* A larger error is not explained by the prior with this probability. */
#define UNUSUAL 0.01

/* What all comparisons have in common: a squared error and its degrees of freedom. */
struct prior {
    double square, freedom;
};

static bool
takes_part(const struct pp_run_change *change)
{
    return change->verdict != PP_CHANGE_NO_VALUE && change->verdict != PP_CHANGE_FEW_RUNS &&
           change->logarithms && change->error > 0 && isfinite(change->freedom);
}

/* Derivative of log gamma: the recurrence up to 10, then the asymptotic series (DLMF 5.5.2, 5.11.2). */
static double
digamma(double x)
{
    double sum = 0;
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

/* The derivative of digamma (DLMF 5.15.5, 5.15.8). */
static double
trigamma(double x)
{
    double sum = 0;
    while (x < 10) {
        sum += 1 / (x * x);
        x += 1;
    }
    double r = 1 / (x * x);
    return sum + 1 / x + r / 2 + r / x * (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r / 30)));
}

/* The x with trigamma(x) = y, by bisection: trigamma falls. */
static double
trigamma_inverse(double y)
{
    double low = 1e-3, high = FREEDOM_MOST;
    while (high - low > 1e-9 * high) {
        double middle = sqrt(low * high);
        if (trigamma(middle) > y)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Smyth's moments of e = log(error^2) - digamma(f / 2) + log(f / 2): its mean is about log(s0), and its
 * variance that of chi square, trigamma(f / 2), and of the prior. @return Number of comparisons that take
 * part. */
static size_t
estimate(const struct pp_run_change *change, size_t n, struct prior *ret)
{
    double mean = 0, squares = 0, expected = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!takes_part(&change[i]))
            continue;
        double half = change[i].freedom / 2;
        double e = 2 * log(change[i].error) - digamma(half) + log(half), deviation = e - mean;
        count++;
        mean += deviation / (double)count;
        squares += deviation * (e - mean);
        expected += trigamma(half);
    }
    if (count < PP_SHARED_SPREAD_LEAST)
        return count;
    double excess = squares / (double)(count - 1) - expected / (double)count;
    double half = excess > 0 ? trigamma_inverse(excess) : FREEDOM_MOST / 2;
    *ret = (struct prior){.square = exp(mean + digamma(half) - log(half)), .freedom = 2 * half};
    return count;
}

/* Probability of an error at least as large, if the prior is right: the F distribution as incomplete beta
 * function. */
static double
explained(const struct prior *prior, double square, double freedom)
{
    double ratio = square / prior->square;
    return pp_beta_probability(prior->freedom / (prior->freedom + freedom * ratio), prior->freedom / 2,
                               freedom / 2);
}

void
pp_share_spread(struct pp_run_change *change, size_t n, const struct pp_change_rule *rule)
{
    struct prior prior;
    if (estimate(change, n, &prior) < PP_SHARED_SPREAD_LEAST)
        return;
    for (size_t i = 0; i < n; i++) {
        double square = change[i].error * change[i].error, freedom = change[i].freedom;
        if (!takes_part(&change[i]) || explained(&prior, square, freedom) < UNUSUAL)
            continue;
        double borrowed = fmin(FREEDOM_SHARE * prior.freedom, BORROW_MOST * freedom),
               both = borrowed + freedom;
        pp_change_take_error(&change[i], sqrt((borrowed * prior.square + freedom * square) / both), both,
                             rule);
    }
}
