/** @file
 * See spread_json.h. */
#include "cli/json/spread_json.h"

#include "cli/json/json_values.h"

static json_t *
between_json(const struct pp_run_spread *between)
{
    json_t *ret = json_object();
    pp_json_put_number(ret, "runs", (double)between->runs);
    pp_json_put_number(ret, "mean", between->mean);
    pp_json_put_number(ret, "least", between->least);
    pp_json_put_number(ret, "most", between->most);
    pp_json_put_number(ret, "deviation", between->deviation);
    pp_json_put_number(ret, "half_95_percent", between->half);
    return ret;
}

static json_t *
row_json(const struct pp_runs_spread *spread, const struct pp_runs_spread_row *row)
{
    static const char *const kind[] = {[PP_SPREAD_FPS] = "fps",
                                       [PP_SPREAD_TIME] = "time",
                                       [PP_SPREAD_PASS] = "pass",
                                       [PP_SPREAD_COUNTER] = "counter"};
    bool is_time = row->kind == PP_SPREAD_TIME || row->kind == PP_SPREAD_PASS;
    json_t *ret = json_object();
    json_t *values = json_array();
    pp_json_put_text(ret, "kind", kind[row->kind]);
    pp_json_put_text(ret, "name", row->name);
    if (row->kind == PP_SPREAD_PASS) {
        pp_json_put_text(ret, "label", row->label);
        pp_json_put_text(ret, "pass_id", row->id);
    }
    (void)!json_object_set_new(ret, "unit", is_time ? json_string("ns") : json_null());
    pp_json_put_text(ret, "of_a_run", "mean");
    for (size_t i = 0; i < spread->runs; i++)
        (void)!json_array_append_new(values, pp_json_number(row->value[i]));
    (void)!json_object_set_new(ret, "values", values);
    (void)!json_object_set_new(ret, "between_runs", between_json(&row->between));
    if (is_time) {
        json_t *within = json_object();
        pp_json_put_number(within, "p50", row->p50);
        pp_json_put_number(within, "p95", row->p95);
        pp_json_put_number(within, "p99", row->p99);
        (void)!json_object_set_new(ret, "within_a_run", within);
    }
    return ret;
}

json_t *
pp_runs_spread_json_make(const struct pp_runs_spread *spread, const char *folder)
{
    json_t *ret = json_object();
    json_t *rows = json_array();
    json_t *reports = json_array();
    pp_json_put_text(ret, "format", "passprobe-runs");
    pp_json_put_number(ret, "schema", PP_SPREAD_JSON_SCHEMA);
    pp_json_put_text(ret, "folder", folder);
    for (size_t i = 0; i < spread->len; i++)
        (void)!json_array_append_new(rows, row_json(spread, &spread->row[i]));
    (void)!json_object_set_new(ret, "figures", rows);
    for (size_t i = 0; i < spread->runs; i++)
        (void)!json_array_append(reports, spread->run[i].json);
    (void)!json_object_set_new(ret, "reports", reports);
    return ret;
}
