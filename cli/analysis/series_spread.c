/** @file
 * See series_spread.h. */
#include "cli/analysis/series_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
#include "counters/stats/stats_spread.h"

#define LEVEL 0.95

/* Half of the interval of a quantile. */
static double
half_of(const double *given, const double *sorted, size_t n, double p, size_t block)
{
    struct pp_interval interval = pp_quantile_interval(given, sorted, n, p, block, LEVEL);
    return (interval.high - interval.low) / 2;
}

void
pp_series_sort(struct pp_series *series)
{
    const double none = (double)NAN;
    size_t n = series->len;
    if (series->sorted)
        return;
    struct pp_spread spread = {
        .p5_half = none, .p50_half = none, .p95_half = none, .p99_half = none, .mean_half = none};
    double *given = n < PP_SPREAD_LEAST ? NULL : pp_series_values(series); /* in the order of the rows */
    pp_series_order(series);
    double *sorted = given ? pp_series_values(series) : NULL;
    if (sorted) {
        struct pp_block block = pp_block_length(given, n);
        spread.block = (uint32_t)block.length;
        spread.correlated = block.too_correlated;
        spread.mean_half = pp_mean_half_width(given, n, block.length, LEVEL);
        spread.p5_half = half_of(given, sorted, n, 0.05, block.length);
        spread.p50_half = half_of(given, sorted, n, 0.50, block.length);
        spread.p95_half = half_of(given, sorted, n, 0.95, block.length);
        spread.p99_half = half_of(given, sorted, n, 0.99, block.length);
    }
    free(given);
    free(sorted);
    series->spread = spread;
    series->sorted = true;
}
