/** @file
 * Means of counters measured in turn; see turns.h. Sources: W. G. Cochran, Sampling Techniques (3rd ed.), 2.4
 * to 2.8 (mean, finite populations), 7.1 to 7.5 (regression estimators); P. Pebay, Formulas for robust,
 * one-pass parallel computation of covariances and arbitrary-order statistical moments (SAND2008-6212). */
#include "counters/stats/rotation_stats.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Frames from which a line through them says something. */
#define LINE_FRAMES 5
/* Share of the frames whose time must be known; those that a session's end cuts off are few. */
#define TIMED 0.98

static bool
is_time(double time)
{
    return time >= 0 && time < 1e18;
}

/* @return How far it is off the mean before. */
static double
moments_add(struct pp_moments *to, double value)
{
    double before = (double)to->n, n = before + 1;
    double off = value - to->mean, step = off / n, term = off * step * before;
    to->n++;
    to->mean += step;
    to->fourths +=
        term * step * step * (n * n - 3 * n + 3) + 6 * step * step * to->squares - 4 * step * to->cubes;
    to->cubes += term * step * (n - 2) - 3 * step * to->squares;
    to->squares += term;
    return off;
}

/* How many of the values make up their spread: n where all are as far off, 1 where one stands out. */
static double
moments_spread_by(const struct pp_moments *of)
{
    return of->fourths > 0 ? of->squares * of->squares / of->fourths : (double)of->n;
}

void
pp_turns_frames_add(struct pp_turns_frames *all, double time)
{
    all->frames++;
    if (is_time(time))
        (void)moments_add(&all->time, time);
}

void
pp_turns_add(struct pp_turns *turns, double time, double count)
{
    (void)moments_add(&turns->all, count);
    if (!is_time(time))
        return;
    double off = moments_add(&turns->time, time);
    (void)moments_add(&turns->count, count);
    turns->products += off * (count - turns->count.mean);
}

/* How many standard errors from the mean 99 % of samples lie: Student's t at 0.995. Sources: tables up to 4
 * degrees of freedom, above Abramowitz and Stegun 26.7.5 (0.6 % too little at 5, less beyond). */
static double
students(double freedom)
{
    static const double few[] = {NAN, 63.657, 9.925, 5.841, 4.604};
    const double z = 2.5758293, z2 = z * z, f = freedom;
    const size_t known = sizeof(few) / sizeof(few[0]);
    if (freedom < (double)known)
        return few[(unsigned)freedom];
    return z + z * (z2 + 1) / (4 * f) + z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * f * f) +
           z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * f * f * f);
}

/* Degrees of freedom of an error: those of the sample, less where few frames make up all of the spread, since
 * such a sample does not know it well. From 2 on, what is said of a few rare frames is about what their
 * number's Poisson distribution says. */
static double
freedom(uint64_t sample, double spread_by)
{
    double most = (double)sample, least = spread_by > 2 ? spread_by : 2;
    return least < most ? least : most;
}

/* Along the line, if the frames' times are known and it claims less error than the plain mean. */
static void
follow_times(const struct pp_turns *turns, const struct pp_turns_frames *all, struct pp_turns_mean *ret)
{
    const struct pp_moments *time = &turns->time, *count = &turns->count;
    double n = (double)time->n, frames = (double)all->time.n;
    if (frames < TIMED * (double)all->frames || time->n < LINE_FRAMES ||
        time->squares <= 1e-9 * n * time->mean * time->mean)
        return;
    double slope = turns->products / time->squares;
    double rest = count->squares - slope * turns->products;
    double away = all->time.mean - time->mean;
    double variance = (rest > 0 ? rest : 0) / (n - 2);
    double part = n < frames ? 1 / n - 1 / frames : 0;
    double by = fmin(moments_spread_by(time), moments_spread_by(count));
    double off = students(freedom(time->n - 2, by)) * sqrt(variance * (part + away * away / time->squares));
    if (off >= ret->off)
        return;
    ret->mean = count->mean + slope * away;
    ret->off = off;
}

void
pp_turns_estimate(const struct pp_turns *turns, const struct pp_turns_frames *all, struct pp_turns_mean *ret)
{
    const struct pp_moments *of = &turns->all;
    double n = (double)of->n, frames = (double)all->frames;
    *ret = (struct pp_turns_mean){.mean = NAN, .off = NAN};
    if (of->n == 0 || of->n > all->frames)
        return;
    ret->mean = of->mean;
    ret->duty = n / frames;
    if (of->n == all->frames)
        ret->off = 0;
    else if (of->n > 1)
        ret->off = students(freedom(of->n - 1, moments_spread_by(of))) *
                   sqrt(of->squares / (n - 1) * (1 / n - 1 / frames));
    if (ret->off > 0)
        follow_times(turns, all, ret);
}
