/** @file
 * See draw_table.h. */
#include "cli/analysis/draw_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/draw_figures.h"
#include "cli/analysis/draw_groups.h"

/* Choose what the draws of a table are ranked by, and add it up. */
static void
measure(struct pp_draw_table *table, const struct pp_saved_draw *draw, size_t draws)
{
    double sum[PP_DRAWS_BY_COUNT + 1] = {0};
    for (size_t i = 0; i < draws; i++)
        for (int by = PP_DRAWS_BY_TIME; by <= PP_DRAWS_BY_COUNT; by++)
            sum[by] += pp_draw_value(&draw[i], (enum pp_draw_measure)by);
    if (draw[0].gpu_time.len)
        table->measure = PP_DRAWS_BY_TIME;
    else
        table->measure = sum[PP_DRAWS_BY_INVOCATIONS] > 0 ? PP_DRAWS_BY_INVOCATIONS
                         : sum[PP_DRAWS_BY_VERTICES] > 0  ? PP_DRAWS_BY_VERTICES
                                                          : PP_DRAWS_BY_COUNT;
    for (size_t i = 0; i < draws; i++)
        table->all += pp_draw_net(&draw[i], table);
}

/* Sort draws with GPU time first. */
static int
timed_first(const void *a, const void *b)
{
    const struct pp_saved_draw *x = a, *y = b;
    int order = (y->gpu_time.len > 0) - (x->gpu_time.len > 0);
    return order ? order : strcmp(x->draw_id, y->draw_id);
}

/* A pass that a draw may be in. */
struct place {
    const char *pass_id;
    size_t surface;
};

static int
by_id(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->pass_id, y->pass_id);
    return order ? order : (x->surface > y->surface) - (x->surface < y->surface);
}

/* Find the passes that a view shows. @return Their number; -ENOMEM. */
static ssize_t
places_make(const struct pp_saved_session *rec, const struct pp_view *view, struct place **ret)
{
    size_t places = 0;
    if (!view->pass)
        return 0;
    struct place *place = calloc(rec->passes + 1, sizeof(*place));
    if (!place)
        return -ENOMEM;
    for (size_t i = 0; i < rec->passes; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            place[places++] = (struct place){rec->pass[i].pass_id, rec->pass[i].surface};
    qsort(place, places, sizeof(*place), by_id);
    *ret = place;
    return (ssize_t)places;
}

/* Fill a table with the draws of a part of rec->draw, each in a row of its own. */
static int
rows_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_saved_draw *draw, size_t draws,
          struct pp_draw_table *table)
{
    struct place *place = NULL;
    ssize_t places = places_make(rec, view, &place);
    table->row = calloc(draws + 1, sizeof(*table->row));
    if (places < 0 || !table->row) {
        free(place);
        return -ENOMEM;
    }
    for (size_t i = 0; i < draws; i++) {
        struct pp_draw_sums sums = {.rows = 0};
        struct place key = {draw[i].pass_id, draw[i].surface};
        if (view->pass && (!key.pass_id || !bsearch(&key, place, (size_t)places, sizeof(*place), by_id)))
            continue;
        pp_draw_sums_add(&sums, &draw[i], table);
        table->row[table->len++] = pp_draw_figures_make(table, &draw[i], &sums, &draw[i].gpu_time);
    }
    table->draws = table->len;
    free(place);
    return 0;
}

static int
by_view(const void *a, const void *b, void *view)
{
    return pp_draw_figures_order(a, b, view);
}

/* Leave out the rows that are too small, and sort the others. */
static void
rows_finish(struct pp_draw_table *table, const struct pp_view *view)
{
    struct pp_view order = *view; /* qsort_r() wants what is not const */
    size_t kept = 0;
    for (size_t i = 0; i < table->len; i++)
        if (pp_draw_table_takes(table, &table->row[i], view))
            table->row[kept++] = table->row[i];
    table->len = kept;
    qsort_r(table->row, table->len, sizeof(*table->row), by_view, &order);
}

static int
table_make(struct pp_saved_session *rec, const struct pp_view *view, size_t most, struct pp_saved_draw *draw,
           size_t draws, struct pp_draw_table *table)
{
    bool asked = view->by == PP_BY_PROGRAM || view->by == PP_BY_CALL;
    table->bias = (struct pp_bracket_bias){(double)NAN, (double)NAN};
    if (draw[0].gpu_time.len)
        table->bias = pp_bias_of_scope(rec, "pass"); /* the same two timestamps */
    table->frames = (double)rec->draws_frames;
    measure(table, draw, draws);
    int rc = rows_make(rec, view, draw, draws, table);
    if (rc)
        return rc;
    if (!asked && view->by != PP_BY_DRAW && table->len > most)
        return pp_draw_groups_open(table, view, most);
    if (asked)
        rc = pp_draw_groups_make(table, view->by);
    rows_finish(table, view);
    return rc;
}

int
pp_draw_tables_make(struct pp_saved_session *rec, const struct pp_view *view, size_t most,
                    struct pp_draw_tables *ret)
{
    size_t timed = 0, draws = rec->shown_draws;
    int rc = 0;
    *ret = (struct pp_draw_tables){.len = 0};
    if (draws)
        qsort(rec->draw, draws, sizeof(*rec->draw), timed_first);
    while (timed < draws && rec->draw[timed].gpu_time.len)
        timed++;
    if (timed)
        rc = table_make(rec, view, most, rec->draw, timed, &ret->table[ret->len++]);
    if (rc == 0 && timed < draws)
        rc = table_make(rec, view, most, rec->draw + timed, draws - timed, &ret->table[ret->len++]);
    if (rc)
        pp_draw_tables_finish(ret);
    return rc;
}

void
pp_draw_tables_finish(struct pp_draw_tables *tables)
{
    for (size_t i = 0; i < tables->len; i++)
        free(tables->table[i].row);
    *tables = (struct pp_draw_tables){.len = 0};
}
