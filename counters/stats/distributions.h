/** @file
 * Probabilities and quantiles of Student's t and of the beta distribution. Pure functions, any thread, no
 * memory. Knows nothing of frames or runs. For stats_runs.h. */
#ifndef PP_COUNTERS_STATS_DISTRIBUTIONS_H
#define PP_COUNTERS_STATS_DISTRIBUTIONS_H

/**
 * The regularised incomplete beta function I_x(a, b): the probability that a beta-distributed value is at
 * most @p x.
 *
 * @return 0 for x <= 0, 1 for x >= 1; NaN if @p a or @p b is not above 0 or an argument is NaN.
 * Source: continued fraction DLMF 8.17.22, evaluated with Lentz's method; relative error about 1e-15 (a + b).
 */
double pp_beta_probability(double x, double a, double b);

/** The x with pp_beta_probability(x, a, b) = @p p, by bisection. 0 for p <= 0, 1 for p >= 1; NaN as there. */
double pp_beta_quantile(double p, double a, double b);

/** Two-sided p value of Student's t: the probability of a value as far from 0 as @p t or farther.
 * @p freedom Degrees of freedom > 0, not necessarily whole; INFINITY: the normal distribution. NaN if not. */
double pp_student_two_sided(double t, double freedom);

/** Student's t that is not exceeded in either direction with probability @p level: 0.95 gives 2.776 for 4
 * degrees of freedom. By bisection. @p level from 0 up to but not including 1. NaN if an argument is outside
 * its range. */
double pp_student_quantile(double level, double freedom);

#endif
