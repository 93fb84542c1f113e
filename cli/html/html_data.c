/** @file
 * See html_data.h. */
#include "cli/html/html_data.h"

#include <errno.h>
#include <math.h>

#include "cli/html/html_costs.h"
#include "cli/html/html_frames.h"
#include "cli/json/json_values.h"
#include "cli/json/report_json.h"
#include "cli/session/session_shown.h"

#define ROWS_MOST 2000U /* of passes and of labels */

/* Cut the rows of a table, which stand by their share. The object says how many rows that are, and their
 * share. */
static void
cut_rows(json_t *object, const char *name)
{
    json_t *rows = json_object_get(object, name);
    size_t count = json_array_size(rows);
    double percent = 0;
    char member[64];
    if (count <= ROWS_MOST)
        return;
    for (size_t i = count; i-- > ROWS_MOST;) {
        percent += json_number_value(json_object_get(json_array_get(rows, i), "gpu_share_percent"));
        (void)!json_array_remove(rows, i);
    }
    snprintf(member, sizeof(member), "%s_left_out", name);
    pp_json_put_number(object, member, (double)(count - ROWS_MOST));
    snprintf(member, sizeof(member), "%s_left_out_percent", name);
    pp_json_put_number(object, member, percent);
}

/* Add the means of the metrics of passes, by name. */
static json_t *
metrics_json(const struct pp_saved_session *rec, const struct pp_saved_pass *pass)
{
    json_t *ret = json_object();
    for (size_t i = 0; pass->metric && i < rec->pass_metrics; i++) {
        const struct pp_saved_sum *sum = &pass->metric[i];
        if (sum->rows)
            pp_json_put_number(ret, rec->pass_metric[i], sum->sum / (double)sum->rows);
    }
    return ret;
}

/* Add the metrics by pass: the member `pass_metrics`, {surface, id, name, metrics}. */
static void
put_metrics(json_t *data, const struct pp_saved_session *rec)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rec->passes && json_array_size(list) < ROWS_MOST; i++) {
        json_t *metrics = metrics_json(rec, &rec->pass[i]);
        if (json_object_size(metrics) == 0) {
            json_decref(metrics);
            continue;
        }
        json_t *row = json_object();
        pp_json_put_text(row, "id", rec->pass[i].pass_id);
        pp_json_put_text(row, "name", rec->pass[i].name);
        pp_json_put_text(row, "label", rec->pass[i].label);
        (void)!json_object_set_new(row, "metrics", metrics);
        (void)!json_array_append_new(list, row);
    }
    (void)!json_object_set_new(data, "pass_metrics", list);
}

int
pp_html_data_make(struct pp_saved_session *rec, const char *dir, json_t **ret)
{
    static const struct pp_view view = {.fold = false};
    json_t *data = json_object();
    json_t *report = pp_report_json_make(rec, dir, &view);
    int rc = data && report ? 0 : -ENOMEM;
    json_t *surfaces = json_object_get(report, "surfaces");
    for (size_t i = 0; i < json_array_size(surfaces); i++)
        cut_rows(json_array_get(surfaces, i), "passes");
    cut_rows(report, "labels");
    (void)!json_object_set_new(data, "report", report);
    json_t *devices = pp_saved_json(rec, "devices"), *empty = pp_saved_json(rec, "empty_cells");
    (void)!json_object_set_new(data, "devices", devices ? json_deep_copy(devices) : json_array());
    (void)!json_object_set_new(data, "empty_cells", empty ? json_deep_copy(empty) : json_array());
    pp_saved_show(rec, PP_SAVED_NO_SURFACE);
    put_metrics(data, rec);
    rc = rc ? rc : pp_html_frames_put(data, rec);
    rc = rc ? rc : pp_html_draws_put(data, rec);
    rc = rc ? rc : pp_html_trees_put(data, rec);
    if (rc == 0) {
        *ret = data;
        return 0;
    }
    json_decref(data);
    return rc;
}
