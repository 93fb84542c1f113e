/** @file
 * See pass_json.h. */
#include "cli/json/pass_json.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/json/json_values.h"

json_t *
pp_json_spread(const struct pp_spread *spread)
{
    if (!spread->block)
        return json_null();
    json_t *ret = json_object();
    pp_json_put_number(ret, "p50_half_ns", spread->p50_half);
    pp_json_put_number(ret, "p5_half_ns", spread->p5_half);
    pp_json_put_number(ret, "p95_half_ns", spread->p95_half);
    pp_json_put_number(ret, "p99_half_ns", spread->p99_half);
    pp_json_put_number(ret, "mean_half_ns", spread->mean_half);
    pp_json_put_number(ret, "block", spread->block);
    (void)!json_object_set_new(ret, "too_correlated", json_boolean(spread->correlated));
    return ret;
}

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

static double
per_frame(const struct pp_pass_figures *row, const struct pp_saved_sum *sum)
{
    return sum->rows ? sum->sum / (double)sum->rows * row->per_frame : (double)NAN;
}

/* What renders, and where. */
static void
put_identity(json_t *object, const struct pp_saved_pass *pass)
{
    pp_json_put_text(object, "id", pass->pass_id);
    pp_json_put_text(object, "kind", pass->kind);
    pp_json_put_text(object, "name", pass->name);
    pp_json_put_text(object, "label", pass->label);
    put_size(object, "width", pass->width);
    put_size(object, "height", pass->height);
    put_size(object, "layers", pass->layers);
    put_size(object, "samples", pass->samples);
    pp_json_put_text(object, "attachments", pass->attachments);
    (void)!json_object_set_new(object, "id_by_place", json_boolean(pass->by_place));
    pp_json_put_number(object, "place", (double)pass->place);
}

json_t *
pp_json_pass(const struct pp_saved_session *rec, const struct pp_pass_figures *row)
{
    const struct pp_saved_pass *pass = row->pass;
    json_t *ret = json_object(), *counters = json_object();
    put_identity(ret, pass);
    pp_json_put_number(ret, "count", (double)row->count);
    pp_json_put_number(ret, "per_frame", row->per_frame);
    pp_json_put_number(ret, "frames", row->folded ? (double)NAN : (double)pass->frames);
    pp_json_put_number(ret, "draws_per_frame", row->draws);
    pp_json_put_number(ret, "usual_draws", pp_saved_usual(&pass->usual_draws));
    pp_json_put_number(ret, "dispatches_per_frame", per_frame(row, &pass->dispatches));
    pp_json_put_number(ret, "copies_per_frame", per_frame(row, &pass->copies));
    pp_json_put_number(ret, "gpu_share_percent", row->share_percent);
    pp_json_put_number(ret, "gpu_ns_per_frame", row->frame_ns);
    pp_json_put_number(ret, "mean_ns", row->mean_ns);
    pp_json_put_number(ret, "p5_ns", row->p5_ns);
    pp_json_put_number(ret, "p50_ns", row->p50_ns);
    pp_json_put_number(ret, "p95_ns", row->p95_ns);
    pp_json_put_number(ret, "p99_ns", row->p99_ns);
    pp_json_put_number(ret, "max_ns", row->max_ns);
    pp_json_put_number(ret, "max_frame", row->max_frame);
    (void)!json_object_set_new(ret, "within_run", pp_json_spread(&pass->gpu_time.spread));
    (void)!json_object_set_new(ret, "below_resolution", json_boolean(row->unresolved));
    (void)!json_object_set_new(ret, "in_a_frame", json_boolean(pass->surface != PP_SAVED_NO_SURFACE));
    pp_json_put_text(ret, "bound_by", pp_saved_bound(pass));
    put_means(counters, rec->pass_counter, pass->count, rec->pass_counters);
    put_means(counters, rec->pass_metric, pass->metric, rec->pass_metrics);
    (void)!json_object_set_new(ret, "counters", counters);
    if (pass->calls.at)
        pp_json_put_text(ret, "at", pass->calls.at);
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
