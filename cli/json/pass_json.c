/** @file
 * See pass_json.h. */
#include "cli/json/pass_json.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/json/json_values.h"

static void
put_means(json_t *object, char *const *name, const struct pp_saved_sum *sum, size_t sums)
{
    for (size_t i = 0; sum && i < sums; i++)
        if (sum[i].rows)
            (void)!json_object_set_new(object, name[i], pp_json_number(sum[i].sum / (double)sum[i].rows));
}

/* A size, a count of layers or of samples: 0 is not known. */
static void
put_size(json_t *object, const char *name, uint32_t size)
{
    pp_json_put_number(object, name, size ? size : (double)NAN);
}

json_t *
pp_json_pass(const struct pp_saved_session *rec, const struct pp_pass_figures *row, const char *title)
{
    struct pp_pass_figures made = *row;
    json_t *counters = json_object();
    put_means(counters, rec->pass_counter, row->pass->count, rec->pass_counters);
    put_means(counters, rec->pass_metric, row->pass->metric, rec->pass_metrics);
    made.counters = counters;
    made.title = title;
    json_t *ret = pp_json_row(&pp_pass_columns, &made, PP_IN_JSON | PP_IN_DATA);
    json_decref(counters);
    return ret;
}

void
pp_json_put_size(json_t *surface, const struct pp_pass_table *passes)
{
    const struct pp_saved_pass *last = NULL;
    for (size_t i = 0; i < passes->len; i++) {
        const struct pp_saved_pass *pass = passes->row[i].pass;
        if (pass->surface != PP_SAVED_NO_SURFACE && pass->width && pass->height &&
            passes->row[i].per_frame > 0.5 && strcmp(pass->kind, "render") == 0 &&
            (!last || pass->place > last->place))
            last = pass;
    }
    put_size(surface, "width", last ? last->width : 0);
    put_size(surface, "height", last ? last->height : 0);
}

static json_t *
group_json(const struct pp_draw_table *table, const struct pp_draw_figures *row)
{
    static const char *const measure[] = {[PP_DRAWS_BY_TIME] = "gpu_ns",
                                          [PP_DRAWS_BY_INVOCATIONS] = "invocations",
                                          [PP_DRAWS_BY_VERTICES] = "vertices",
                                          [PP_DRAWS_BY_COUNT] = "draws"};
    json_t *ret = json_object();
    bool named = *row->draw->pipeline != '\0';
    pp_json_put_text(ret, "name", named ? row->draw->pipeline : row->draw->call);
    (void)!json_object_set_new(ret, "is_call", json_boolean(!named));
    pp_json_put_number(ret, "per_frame",
                       table->frames > 0 ? (double)row->count / table->frames : (double)NAN);
    pp_json_put_text(ret, "measure", measure[table->measure]);
    pp_json_put_number(ret, "measure_per_frame", row->per_frame);
    pp_json_put_number(ret, "share_percent", row->share_percent);
    return ret;
}

int
pp_json_put_draw_groups(json_t *surface, struct pp_saved_session *rec)
{
    const struct pp_view view = {.by = PP_BY_PROGRAM};
    struct pp_draw_tables tables;
    json_t *list = json_array();
    int rc = pp_draw_tables_make(rec, &view, SIZE_MAX, &tables);
    for (size_t t = 0; rc == 0 && t < tables.len; t++)
        for (size_t i = 0; i < tables.table[t].len && json_array_size(list) < PP_JSON_DRAW_GROUPS; i++)
            (void)!json_array_append_new(list, group_json(&tables.table[t], &tables.table[t].row[i]));
    pp_draw_tables_finish(&tables);
    (void)!json_object_set_new(surface, "draw_groups", list);
    return rc;
}
