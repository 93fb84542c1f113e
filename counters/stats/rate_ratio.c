/** @file
 * Ratio of two Poisson rates; see rate_ratio.h. */
#include "counters/stats/rate_ratio.h"

#include <math.h>

#include "counters/stats/distributions.h"

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
