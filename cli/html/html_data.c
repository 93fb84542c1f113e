/** @file
 * See html_data.h. */
#include "cli/html/html_data.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/analysis/label_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/html/html_costs.h"
#include "cli/html/html_figures.h"
#include "cli/html/html_frames.h"
#include "cli/json/json_values.h"
#include "cli/json/report_json.h"
#include "cli/session/session_shown.h"

#define ROWS_MOST    2000U /* of label regions, and of the passes of all surfaces together */
#define COUNTED_MOST 500U  /* passes with counters */
#define COLUMNS_MOST 64U   /* counters and metrics of passes */

/* Cut the rows of a table, which are sorted by their share. The object says how many rows that are, and their
 * share. */
static void
cut_rows(json_t *object, const char *name, size_t most)
{
    json_t *rows = json_object_get(object, name);
    size_t count = json_array_size(rows);
    double percent = 0;
    char member[64];
    if (count <= most)
        return;
    for (size_t i = count; i-- > most;) {
        percent += json_number_value(json_object_get(json_array_get(rows, i), "gpu_share_percent"));
        (void)!json_array_remove(rows, i);
    }
    snprintf(member, sizeof(member), "%s_left_out", name);
    pp_json_put_number(object, member, (double)(count - most));
    snprintf(member, sizeof(member), "%s_left_out_percent", name);
    pp_json_put_number(object, member, percent);
}

/* A column of passes.csv that is a counter or a metric. */
struct value_column {
    const char *name;
    size_t at;    /* in the file */
    size_t index; /* in pp_saved_pass.metric or .count */
    bool metric;
};

static int
by_column(const void *a, const void *b)
{
    const struct value_column *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The columns of counters and metrics, as they are in the file. @return Owned by the caller; NULL: no
 * memory. @param ret_len This many of them are in the page. */
static struct value_column *
value_columns(const struct pp_saved_session *rec, size_t *ret_len)
{
    size_t len = 0, all = rec->pass_metrics + rec->pass_counters;
    struct value_column *column = calloc(all + 1, sizeof(*column));
    if (!column)
        return NULL;
    for (size_t i = 0; i < rec->pass_metrics; i++)
        column[len++] = (struct value_column){rec->pass_metric[i], rec->pass_metric_at[i], i, true};
    for (size_t i = 0; i < rec->pass_counters; i++)
        column[len++] = (struct value_column){rec->pass_counter[i], rec->pass_counter_at[i], i, false};
    if (len)
        qsort(column, len, sizeof(*column), by_column);
    *ret_len = len < COLUMNS_MOST ? len : COLUMNS_MOST;
    return column;
}

/* The means of a pass, in the order of the columns; NULL: it has none. */
static json_t *
means_json(const struct pp_saved_pass *pass, const struct value_column *column, size_t columns)
{
    json_t *ret = json_array();
    bool any = false;
    for (size_t i = 0; i < columns; i++) {
        const struct pp_saved_sum *sums = column[i].metric ? pass->metric : pass->count;
        struct pp_saved_sum sum = sums ? sums[column[i].index] : (struct pp_saved_sum){0};
        any = any || sum.sum != 0;
        (void)!json_array_append_new(ret,
                                     pp_json_number(sum.rows ? sum.sum / (double)sum.rows : (double)NAN));
    }
    if (any)
        return ret;
    json_decref(ret);
    return NULL;
}

/* Add counters and metrics by pass: the member `pass_counters`. */
static int
put_pass_counters(json_t *data, const struct pp_saved_session *rec)
{
    size_t columns = 0;
    struct value_column *column = value_columns(rec, &columns);
    json_t *of = json_object(), *names = json_array(), *rows = json_array();
    int rc = column ? 0 : -ENOMEM;
    for (size_t i = 0; column && i < columns; i++)
        (void)!json_array_append_new(names, pp_json_text(column[i].name));
    for (size_t i = 0; column && columns && i < rec->passes && i < COUNTED_MOST; i++) {
        json_t *means = means_json(&rec->pass[i], column, columns);
        if (!means)
            continue;
        json_t *row = json_object();
        pp_json_put_text(row, "id", rec->pass[i].pass_id);
        pp_json_put_text(row, "name", rec->pass[i].name);
        pp_json_put_text(row, "label", rec->pass[i].label);
        (void)!json_object_set_new(row, "mean", means);
        (void)!json_array_append_new(rows, row);
    }
    (void)!json_object_set_new(of, "names", names);
    (void)!json_object_set_new(of, "rows", rows);
    (void)!json_object_set_new(data, "pass_counters", of);
    free(column);
    return rc;
}

/* Add the columns of the tables that can be sorted. */
static void
put_columns(json_t *data)
{
    json_t *of = json_object();
    (void)!json_object_set_new(of, pp_pass_columns.name, pp_html_columns_json(&pp_pass_columns));
    (void)!json_object_set_new(of, pp_label_columns.name, pp_html_columns_json(&pp_label_columns));
    (void)!json_object_set_new(data, "columns", of);
}

int
pp_html_data_make(struct pp_saved_session *rec, const char *dir, json_t **ret)
{
    static const struct pp_view view = {.fold = false, .texts = true};
    json_t *data = json_object();
    json_t *report = pp_report_json_make(rec, dir, &view);
    int rc = data && report ? 0 : -ENOMEM;
    json_t *surfaces = json_object_get(report, "surfaces");
    for (size_t i = 0; i < json_array_size(surfaces); i++)
        cut_rows(json_array_get(surfaces, i), "passes", ROWS_MOST / json_array_size(surfaces));
    cut_rows(report, "labels", ROWS_MOST);
    (void)!json_object_set_new(data, "report", report);
    put_columns(data);
    json_t *devices = pp_saved_json(rec, "devices"), *empty = pp_saved_json(rec, "empty_cells");
    (void)!json_object_set_new(data, "devices", devices ? json_deep_copy(devices) : json_array());
    (void)!json_object_set_new(data, "empty_cells", empty ? json_deep_copy(empty) : json_array());
    pp_saved_show(rec, PP_SAVED_NO_SURFACE);
    rc = rc ? rc : put_pass_counters(data, rec);
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
