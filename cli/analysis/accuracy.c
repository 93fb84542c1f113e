/** @file
 * See accuracy.h. */
#include "cli/analysis/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/json_values.h"
#include "counters/stats/stats.h"
#include "counters/stats/stats_spread.h"

/* Find the bias of a device. @return false: its brackets were not measured. */
static bool
bias_of_device(const json_t *device, struct pp_bracket_bias *ret)
{
    const json_t *list = json_object_get(device, "bracket_bias");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *bias = json_array_get(list, i);
        const char *scope = json_string_value(json_object_get(bias, "scope"));
        if (!scope || strcmp(scope, "pass") != 0)
            continue;
        *ret = (struct pp_bracket_bias){pp_json_get_number(bias, "median_ns"),
                                        pp_json_get_number(bias, "iqr_ns")};
        return true;
    }
    return false;
}

/* Is this the device of a surface? @param s NULL: any is. */
static bool
is_device_of(const json_t *device, const struct pp_saved_surface *s)
{
    const char *api = json_string_value(json_object_get(device, "api"));
    const char *name = json_string_value(json_object_get(device, "name"));
    return !s || (api && name && strcmp(api, s->api) == 0 && strcmp(name, s->device) == 0);
}

struct pp_bracket_bias
pp_bias_of_surface(const struct pp_saved_session *rec, size_t surface)
{
    const json_t *devices = pp_saved_json(rec, "devices");
    const struct pp_saved_surface *s = surface < rec->surfaces ? &rec->surface[surface] : NULL;
    struct pp_bracket_bias ret = {(double)NAN, (double)NAN};
    s = s && pp_saved_device(rec, s) ? s : NULL;
    for (size_t i = 0; i < json_array_size(devices); i++)
        if (is_device_of(json_array_get(devices, i), s) && bias_of_device(json_array_get(devices, i), &ret))
            break;
    return ret;
}

double
pp_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

double
pp_less(double ns, double bias)
{
    return isnan(ns) || isnan(bias) ? ns : fmax(ns - bias, 0);
}

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
