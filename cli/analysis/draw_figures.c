/** @file
 * See draw_figures.h. */
#include "cli/analysis/draw_figures.h"

#include <math.h>
#include <string.h>

#include "counters/stats/stats.h"

double
pp_draw_value(const struct pp_saved_draw *draw, enum pp_draw_measure measure)
{
    switch (measure) {
    case PP_DRAWS_BY_TIME:
        return draw->total_ns;
    case PP_DRAWS_BY_INVOCATIONS:
        return draw->invocations.sum;
    case PP_DRAWS_BY_VERTICES:
        return draw->vertex_runs;
    case PP_DRAWS_BY_COUNT:
        break;
    }
    return (double)draw->rows;
}

double
pp_draw_net(const struct pp_saved_draw *draw, const struct pp_draw_table *table)
{
    double total = pp_draw_value(draw, table->measure);
    bool time = table->measure == PP_DRAWS_BY_TIME;
    return time ? pp_less(total, table->bias.median_ns * (double)draw->timed) : total;
}

void
pp_draw_sums_add(struct pp_draw_sums *sums, const struct pp_saved_draw *draw,
                 const struct pp_draw_table *table)
{
    sums->gross += pp_draw_value(draw, table->measure);
    sums->net += pp_draw_net(draw, table);
    sums->timed += draw->timed;
    sums->rows += draw->rows;
    sums->vertices.sum += draw->vertices.sum;
    sums->vertices.rows += draw->vertices.rows;
    sums->instances.sum += draw->instances.sum;
    sums->instances.rows += draw->instances.rows;
}

struct pp_draw_figures
pp_draw_figures_make(const struct pp_draw_table *table, struct pp_saved_draw *draw,
                     const struct pp_draw_sums *sums, struct pp_series *times)
{
    double nothing = (double)NAN, frames = table->frames;
    struct pp_draw_figures row = {.draw = draw,
                                  .draws = 1,
                                  .one_pass = true,
                                  .count = sums->rows,
                                  .total = sums->net,
                                  .mean = sums->net / (double)sums->rows,
                                  .p95 = nothing,
                                  .p99 = nothing,
                                  .max = nothing,
                                  .max_frame = nothing,
                                  .vertices = sums->vertices,
                                  .instances = sums->instances};
    if (table->measure == PP_DRAWS_BY_TIME) {
        double bias = table->bias.median_ns;
        pp_series_order(times);
        row.mean = pp_less(sums->gross / (double)sums->timed, bias);
        row.p95 = pp_less(pp_series_quantile7(times, 0.95), bias);
        row.p99 = pp_less(pp_series_quantile7(times, 0.99), bias);
        row.max = pp_less(times->most, bias);
        row.max_frame = times->most_frame;
        row.unresolved = row.mean < 3 * table->bias.spread_ns; /* false where the spread is not known */
    }
    row.share_percent = table->all > 0 && !row.unresolved ? 100 * sums->net / table->all : nothing;
    row.per_frame = frames > 0 ? sums->net / frames : nothing;
    return row;
}

static double
key_of(const struct pp_draw_figures *row, enum pp_sort sort)
{
    const double key[PP_SORTS] = {
        [PP_SORT_TOTAL] = row->total, [PP_SORT_MEAN] = row->mean, [PP_SORT_P95] = row->p95,
        [PP_SORT_P99] = row->p99,     [PP_SORT_MAX] = row->max,   [PP_SORT_COUNT] = (double)row->count};
    return key[sort];
}

int
pp_draw_figures_order(const struct pp_draw_figures *a, const struct pp_draw_figures *b,
                      const struct pp_view *view)
{
    int order = pp_view_order(key_of(a, view->sort), key_of(b, view->sort));
    order = order ? order : pp_view_order(a->total, b->total);
    if (order)
        return order;
    if (a->draw->place != b->draw->place)
        return a->draw->place < b->draw->place ? -1 : 1;
    return strcmp(a->draw->draw_id, b->draw->draw_id);
}

bool
pp_draw_table_takes(struct pp_draw_table *table, const struct pp_draw_figures *row,
                    const struct pp_view *view)
{
    if (pp_view_takes_share(view, row->share_percent))
        return true;
    table->left_out += row->draws;
    table->left_out_percent += isnan(row->share_percent) ? 0 : row->share_percent;
    return false;
}
