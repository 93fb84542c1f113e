/** @file
 * See series_spread.h. */
#include "cli/analysis/series_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/within_run.h"

/* Of the intervals. */
#define LEVEL 0.95

void
pp_series_sort(struct pp_series *series)
{
    size_t n = series->len;
    if (series->sorted)
        return;
    struct pp_spread spread = {.median_half = (double)NAN, .mean_half = (double)NAN};
    double *given = n < PP_SPREAD_LEAST ? NULL : malloc(n * sizeof(*given)); /* in the order of the rows */
    if (given)
        memcpy(given, series->value, n * sizeof(*given));
    pp_stats_sort(series->value, n);
    if (given) {
        const struct pp_block block = pp_block_length(given, n);
        struct pp_interval median = pp_quantile_interval(given, series->value, n, 0.5, block.length, LEVEL);
        spread.correlated = block.too_correlated;
        spread.block = (uint32_t)block.length;
        spread.mean_half = pp_mean_half_width(given, n, block.length, LEVEL);
        spread.median_half = (median.high - median.low) / 2;
    }
    free(given);
    series->spread = spread;
    series->sorted = true;
}
