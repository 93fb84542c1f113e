/** @file
 * Stutter, jank, robust outliers, histograms, the bracket's own cost. */
#include <math.h>

#include "counters/stats/stats.h"

static void
stutter_finish(struct pp_stutter *ret, size_t n, double slow, double total)
{
    ret->count_percent = n ? 100 * (double)ret->count / (double)n : 0;
    ret->time_percent = total > 0 ? 100 * slow / total : 0;
}

void
pp_stutter_mean(const double *time, size_t n, double factor, struct pp_stutter *ret)
{
    double total = pp_stats_sum(time, n), slow = 0;
    double limit = n ? factor * (total / (double)n) : 0;
    ret->count = 0;
    for (size_t i = 0; i < n; i++) {
        if (time[i] > limit) {
            ret->count++;
            slow += time[i];
        }
    }
    stutter_finish(ret, n, slow, total);
}

void
pp_stutter_moving(const double *time, size_t n, double factor, double per_second, struct pp_stutter *ret)
{
    double total = pp_stats_sum(time, n), slow = 0, in_window = 0;
    double mean_ms = n ? total / (double)n * (1000 / per_second) : 0;
    double length = fmin(fmax(round(10 * sqrt(mean_ms)), 1), 1e6);
    size_t window = (size_t)length;
    ret->count = 0;
    for (size_t i = 0; i < n; i++) {
        /* A running sum drifts: start it anew once per window. */
        if (i % window == 0)
            in_window = pp_stats_sum(time + (i < window ? 0 : i - window), i < window ? i : window);
        in_window += time[i] - (i >= window ? time[i - window] : 0);
        size_t held = i + 1 < window ? i + 1 : window;
        if (time[i] > factor * (in_window / (double)held)) {
            ret->count++;
            slow += time[i];
        }
    }
    stutter_finish(ret, n, slow, total);
}

void
pp_jank(const double *time, size_t n, double period, struct pp_jank *ret)
{
    *ret = (struct pp_jank){0};
    for (size_t i = 0; i < n; i++) {
        double missed = ceil(time[i] / period - 1e-9) - 1;
        if (missed >= 1) {
            ret->frames++;
            ret->missed += missed < 1e15 ? (size_t)missed : (size_t)1e15;
        }
    }
}

void
pp_mad_of(const double *sorted, size_t n, double *scratch, struct pp_mad *ret)
{
    ret->median = pp_median(sorted, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(sorted[i] - ret->median);
    pp_stats_sort(scratch, n);
    ret->mad = pp_median(scratch, n);
}

bool
pp_mad_outlier(const struct pp_mad *mad, double time, double k)
{
    return mad->mad > 0 && 0.67449 * (time - mad->median) / mad->mad > k;
}

void
pp_hist_add(struct pp_hist *hist, const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double bin = floor((value[i] - hist->lo) / hist->width);
        if (bin < 0)
            hist->underflow++;
        else if (bin < (double)hist->bins)
            hist->count[(size_t)bin]++;
        else
            hist->overflow++;
    }
}

size_t
pp_loghist_bin(uint64_t value, unsigned k)
{
    unsigned exponent = 0;
    if (value >> k)
        exponent = 63 - (unsigned)__builtin_clzll(value) - k;
    return ((size_t)exponent << k) + (size_t)(value >> exponent);
}

uint64_t
pp_loghist_low(size_t bin, unsigned k)
{
    size_t octave = bin >> k;
    if (octave < 2)
        return bin;
    return (((uint64_t)1 << k) + (bin & (((size_t)1 << k) - 1))) << (octave - 1);
}

void
pp_bias_of(const double *sorted, size_t n, struct pp_bias *ret)
{
    ret->minimum = n ? sorted[0] : NAN;
    ret->median = pp_median(sorted, n);
    ret->iqr = pp_quantile7(sorted, n, 0.75) - pp_quantile7(sorted, n, 0.25);
}

double
pp_bias_correct(const struct pp_bias *bias, double raw, uint64_t brackets, bool *ret_below)
{
    if (ret_below)
        *ret_below = raw < bias->median + 3 * bias->iqr;
    return fmax(0, raw - (double)brackets * bias->median);
}
