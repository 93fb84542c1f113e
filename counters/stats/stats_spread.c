/** @file
 * See stats_spread.h. */
#include "counters/stats/stats_spread.h"

#include <math.h>

#include "counters/stats/distributions.h"

#define LEVEL 0.95

struct pp_run_spread
pp_run_spread_of(const double *value, size_t runs)
{
    struct pp_run_spread ret = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < runs; i++) {
        if (!isfinite(value[i]))
            continue;
        ret.runs++;
        sum += value[i];
        ret.least = fmin(ret.least, value[i]);
        ret.most = fmax(ret.most, value[i]);
    }
    if (!ret.runs)
        return ret;
    ret.mean = sum / (double)ret.runs;
    for (size_t i = 0; i < runs; i++)
        squares += isfinite(value[i]) ? (value[i] - ret.mean) * (value[i] - ret.mean) : 0;
    if (ret.runs < 2)
        return ret;
    double freedom = (double)(ret.runs - 1);
    ret.deviation = sqrt(squares / freedom);
    ret.half = pp_student_quantile(LEVEL, freedom) * ret.deviation / sqrt((double)ret.runs);
    if (ret.mean != 0) {
        ret.deviation_share = ret.deviation / fabs(ret.mean);
        ret.half_share = ret.half / fabs(ret.mean);
    }
    return ret;
}
