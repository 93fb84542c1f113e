/** @file
 * See counter_figures.h. */
#include "cli/analysis/counter_figures.h"

#include <math.h>
#include <string.h>

#define ROTATING_DUTY 0.98 /* share of the frames below which a counter was rotated with others */

bool
pp_counter_is_metric(const char *name)
{
    return strncmp(name, "metric:", strlen("metric:")) == 0;
}

const char *
pp_counter_metric_unit(const struct pp_saved_session *rec, const char *name)
{
    json_t *metrics = pp_saved_json(rec, "metrics");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        json_t *metric = json_array_get(metrics, i);
        const char *its = json_string_value(json_object_get(metric, "name"));
        const char *unit = json_string_value(json_object_get(metric, "unit"));
        if (its && unit && strcmp(its, name) == 0)
            return unit;
    }
    return "";
}

bool
pp_counter_figures_make(const struct pp_saved_session *rec, const struct pp_saved_surface *s, size_t i,
                        struct pp_counter_figures *ret)
{
    const char *name = rec->counter[i];
    size_t level = pp_saved_counted_at(s, i);
    if (level == PP_SAVED_LEVELS)
        return false;
    const struct pp_saved_count *count = &s->count[i * PP_SAVED_LEVELS + level];
    bool metric = pp_counter_is_metric(name), plain = metric || strncmp(name, "app:", 4) == 0;
    struct pp_rotation_mean mean;
    pp_rotation_estimate(&count->rotation, &s->all[level], &mean);
    *ret = (struct pp_counter_figures){.name = name,
                                       .mean = count->sum / (double)count->rows,
                                       .frames = count->rows,
                                       .duty = mean.duty,
                                       .error = mean.error,
                                       .metric = metric,
                                       .zero = !count->other,
                                       .state = !plain && pp_saved_is_state(rec, i)};
    ret->rotated = mean.duty < ROTATING_DUTY && pp_saved_rotates(rec, i);
    if (ret->state && count->weight > 0)
        ret->mean = count->weighted / count->weight;
    else if (!ret->state && ret->rotated)
        ret->mean = fabs(mean.mean) < 1e-9 * mean.error ? 0 : mean.mean; /* a rounding error, write 0 */
    return true;
}
