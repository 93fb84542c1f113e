/** @file
 * See trend_json.h. */
#include "cli/json/trend_json.h"

#include "cli/json/json_values.h"

#define SCHEMA 1

static json_t *
points_json(const struct pp_trend_points *points)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < points->len; i++) {
        json_t *point = json_object();
        pp_json_put_text(point, "session", points->point[i].name);
        pp_json_put_text(point, "start", points->point[i].runs.run[0].start);
        pp_json_put_number(point, "runs", (double)points->point[i].runs.runs);
        (void)!json_array_append_new(ret, point);
    }
    return ret;
}

static json_t *
left_out_json(const struct pp_trend_points *points)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < points->left; i++) {
        json_t *out = json_object();
        pp_json_put_text(out, "session", points->left_out[i].name);
        pp_json_put_text(out, "reason", points->left_out[i].reason);
        (void)!json_array_append_new(ret, out);
    }
    return ret;
}

static json_t *
change_json(const struct pp_trend *trend, const struct pp_trend_series *series,
            const struct pp_change_point *change)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "since", trend->points.point[change->index].name);
    pp_json_put_number(ret, "index", (double)change->index);
    pp_json_put_text(ret, "point_before", trend->points.point[pp_trend_point_before(series, change)].name);
    pp_json_put_number(ret, "first_suspect", (double)change->first);
    pp_json_put_number(ret, "last_suspect", (double)change->last);
    pp_json_put_number(ret, "from", (double)change->from);
    pp_json_put_number(ret, "to", (double)change->to);
    pp_json_put_number(ret, "old", change->before);
    pp_json_put_number(ret, "new", change->after);
    pp_json_put_number(ret, "percent", 100 * change->change);
    pp_json_put_number(ret, "p", change->p);
    return ret;
}

static json_t *
series_json(const struct pp_trend *trend, const struct pp_trend_series *series)
{
    json_t *ret = json_object(), *values = json_array(), *changes = json_array();
    pp_json_put_text(ret, "kind",
                     series->kind == PP_DIFF_PASS      ? "pass"
                     : series->kind == PP_DIFF_COUNTER ? "counter"
                                                       : "frame");
    pp_json_put_text(ret, "name", series->name);
    pp_json_put_text(ret, "id", series->id);
    pp_json_put_text(ret, "unit", series->unit == PP_DIFF_NS ? "ns" : "");
    pp_json_put_text(ret, "stat", pp_diff_stat_name(series->stat));
    for (size_t i = 0; i < trend->points.len; i++)
        (void)!json_array_append_new(values, pp_json_number(series->value[i]));
    for (size_t i = 0; i < series->changes; i++)
        (void)!json_array_append_new(changes, change_json(trend, series, &series->change[i]));
    (void)!json_object_set_new(ret, "values", values);
    (void)!json_object_set_new(ret, "changes", changes);
    return ret;
}

json_t *
pp_trend_json_make(const struct pp_trend *trend, const struct pp_diff_options *options)
{
    json_t *ret = json_object(), *series = json_array();
    pp_json_put_text(ret, "format", "passprobe-trend");
    pp_json_put_number(ret, "schema", SCHEMA);
    pp_json_put_number(ret, "threshold_percent", 100 * options->threshold);
    pp_json_put_number(ret, "p_most", pp_change_points_rule_usual.p);
    pp_json_put_text(ret, "stat", pp_diff_stat_name(trend->stat.stat));
    pp_json_put_number(ret, "p50_spread_percent", 100 * trend->stat.p50_spread);
    pp_json_put_number(ret, "p5_spread_percent", 100 * trend->stat.p5_spread);
    (void)!json_object_set_new(ret, "points", points_json(&trend->points));
    (void)!json_object_set_new(ret, "left_out", left_out_json(&trend->points));
    for (size_t i = 0; i < trend->len; i++)
        (void)!json_array_append_new(series, series_json(trend, &trend->series[i]));
    (void)!json_object_set_new(ret, "series", series);
    return ret;
}
