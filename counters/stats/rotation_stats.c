/** @file
 * Means of rotated counters; see rotation_stats.h. Sources: W. G. Cochran, Sampling Techniques (3rd ed.), 2.4
 * to 2.8 (mean, finite populations), 7.1 to 7.5 (regression estimators); P. Pebay, Formulas for robust,
 * one-pass parallel computation of covariances and arbitrary-order statistical moments (SAND2008-6212). */
#include "counters/stats/rotation_stats.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "counters/util/array_size.h"

/* The fewest frames for a line through their counts and times. */
#define LINE_FRAMES 5
/* Share of the frames whose time must be known. At the end of a session, a few times are missing. */
#define TIMED 0.98
/* A frame that is longer than this many times the longest one of the sample is not on the line: nothing shows
 * that its counts follow its time. A busy machine has such frames. */
#define FURTHEST 2

static bool
is_time(double time)
{
    return time >= 0 && time < 1e18;
}

/* Add a value to the moments. @return The value minus the mean of the earlier values. */
static double
moments_add(struct pp_moments *to, double value)
{
    double before = (double)to->n, n = before + 1;
    double deviation = value - to->mean, step = deviation / n, term = deviation * step * before;
    to->n++;
    to->mean += step;
    to->fourths +=
        term * step * step * (n * n - 3 * n + 3) + 6 * step * step * to->squares - 4 * step * to->cubes;
    to->cubes += term * step * (n - 2) - 3 * step * to->squares;
    to->squares += term;
    return deviation;
}

/* How many of the values make up the spread: n where all deviate equally, 1 where a single value deviates. */
static double
moments_spread_by(const struct pp_moments *of)
{
    return of->fourths > 0 ? of->squares * of->squares / of->fourths : (double)of->n;
}

void
pp_rotation_frames_add(struct pp_rotation_frames *all, double time)
{
    all->frames++;
    if (!is_time(time))
        return;
    (void)moments_add(&all->time, time);
    all->longest = fmax(all->longest, time);
}

void
pp_rotation_sample_add(struct pp_rotation_sample *sample, double time, double count)
{
    (void)moments_add(&sample->all, count);
    if (!is_time(time))
        return;
    double deviation = moments_add(&sample->time, time);
    sample->longest = fmax(sample->longest, time);
    (void)moments_add(&sample->count, count);
    sample->products += deviation * (count - sample->count.mean);
}

/* Student's t at 0.995: 99 % of samples are within this many standard errors of the mean. Sources: tables up
 * to 4 degrees of freedom, above Abramowitz and Stegun 26.7.5 (0.6 % too little at 5, less beyond). */
static double
students(double freedom)
{
    static const double few[] = {NAN, 63.657, 9.925, 5.841, 4.604};
    const double z = 2.5758293, z2 = z * z, f = freedom;
    const size_t known = PP_ARRAY_SIZE(few);
    if (freedom < (double)known)
        return few[(unsigned)freedom];
    return z + z * (z2 + 1) / (4 * f) + z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * f * f) +
           z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * f * f * f);
}

/* Degrees of freedom of an error: those of the sample; fewer where few frames make up all of the spread,
 * since the spread of such a sample is uncertain. With the minimum of 2, the error of a few rare frames is
 * about that of a Poisson distribution of their number. */
static double
freedom(uint64_t degrees, double spread_by)
{
    double most = (double)degrees, least = spread_by > 2 ? spread_by : 2;
    return least < most ? least : most;
}

/* Replace the plain mean by the regression estimate, if the frames' times are known and its error is smaller.
 */
static void
follow_times(const struct pp_rotation_sample *sample, const struct pp_rotation_frames *all,
             struct pp_rotation_mean *ret)
{
    const struct pp_moments *time = &sample->time, *count = &sample->count;
    double n = (double)time->n, frames = (double)all->time.n;
    if (frames < TIMED * (double)all->frames || time->n < LINE_FRAMES ||
        time->squares <= 1e-9 * n * time->mean * time->mean || all->longest > FURTHEST * sample->longest)
        return;
    double slope = sample->products / time->squares;
    double rest = count->squares - slope * sample->products;
    double away = all->time.mean - time->mean;
    double variance = (rest > 0 ? rest : 0) / (n - 2);
    double part = n < frames ? 1 / n - 1 / frames : 0;
    double by = fmin(moments_spread_by(time), moments_spread_by(count));
    double error = students(freedom(time->n - 2, by)) * sqrt(variance * (part + away * away / time->squares));
    if (error >= ret->error)
        return;
    ret->mean = count->mean + slope * away;
    ret->error = error;
}

void
pp_rotation_estimate(const struct pp_rotation_sample *sample, const struct pp_rotation_frames *all,
                     struct pp_rotation_mean *ret)
{
    const struct pp_moments *of = &sample->all;
    double n = (double)of->n, frames = (double)all->frames;
    *ret = (struct pp_rotation_mean){.mean = NAN, .error = NAN};
    if (of->n == 0 || of->n > all->frames)
        return;
    ret->mean = of->mean;
    ret->duty = n / frames;
    if (of->n == all->frames)
        ret->error = 0;
    else if (of->n > 1)
        ret->error = students(freedom(of->n - 1, moments_spread_by(of))) *
                     sqrt(of->squares / (n - 1) * (1 / n - 1 / frames));
    if (ret->error > 0)
        follow_times(sample, all, ret);
}
