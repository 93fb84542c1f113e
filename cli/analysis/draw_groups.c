/** @file
 * See draw_groups.h. */
#include "cli/analysis/draw_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/draw_figures.h"

/* By what a draw is grouped. Copies, clears and the like have no pipeline. */
static const char *
key_of(const struct pp_draw_figures *row, enum pp_by by)
{
    return by == PP_BY_CALL || !*row->draw->pipeline ? row->draw->call : row->draw->pipeline;
}

static int
by_key(const void *a, const void *b, void *by)
{
    const struct pp_draw_figures *x = a, *y = b;
    int order = strcmp(key_of(x, *(enum pp_by *)by), key_of(y, *(enum pp_by *)by));
    if (order)
        return order;
    if (x->draw->place != y->draw->place)
        return x->draw->place < y->draw->place ? -1 : 1;
    return strcmp(x->draw->draw_id, y->draw->draw_id);
}

/* Sort the rows by group and place, and number the groups. @return The number of groups. */
static size_t
number_groups(struct pp_draw_table *table, enum pp_by by)
{
    size_t groups = 0;
    qsort_r(table->row, table->len, sizeof(*table->row), by_key, &by);
    for (size_t i = 0; i < table->len; i++) {
        if (i == 0 || strcmp(key_of(&table->row[i], by), key_of(&table->row[i - 1], by)) != 0)
            groups++;
        table->row[i].group = groups - 1;
    }
    return groups;
}

/* Is a draw in the same pass as another one? */
static bool
is_same_pass(const struct pp_saved_draw *a, const struct pp_saved_draw *b)
{
    return a->surface == b->surface && a->pass_id && b->pass_id && strcmp(a->pass_id, b->pass_id) == 0;
}

/* Make one row of rows of the same group. */
static int
group_make(const struct pp_draw_table *table, const struct pp_draw_figures *row, size_t rows,
           struct pp_draw_figures *ret)
{
    struct pp_draw_sums sums = {.rows = 0};
    struct pp_series times = {.len = 0};
    bool one_pass = true;
    int rc = 0;
    if (rows == 1) {
        *ret = row[0];
        return 0;
    }
    for (size_t i = 0; i < rows && rc == 0; i++) {
        pp_draw_sums_add(&sums, row[i].draw, table);
        one_pass = one_pass && is_same_pass(row[0].draw, row[i].draw);
        rc = pp_series_append(&times, &row[i].draw->gpu_time);
    }
    if (rc == 0) {
        *ret = pp_draw_figures_make(table, row[0].draw, &sums, &times);
        ret->draws = rows;
        ret->group = row[0].group;
        ret->one_pass = one_pass;
    }
    pp_series_finish(&times);
    return rc;
}

/* Make the rows of all groups from rows that are sorted by group. */
static int
groups_fill(const struct pp_draw_table *table, struct pp_draw_figures *group)
{
    int rc = 0;
    for (size_t i = 0; i < table->len && rc == 0;) {
        size_t rows = 1;
        while (i + rows < table->len && table->row[i + rows].group == table->row[i].group)
            rows++;
        rc = group_make(table, &table->row[i], rows, &group[table->row[i].group]);
        i += rows;
    }
    return rc;
}

int
pp_draw_groups_make(struct pp_draw_table *table, enum pp_by by)
{
    size_t groups = number_groups(table, by);
    struct pp_draw_figures *group = calloc(groups + 1, sizeof(*group));
    int rc = group ? groups_fill(table, group) : -ENOMEM;
    if (rc) {
        free(group);
        return rc;
    }
    free(table->row);
    table->row = group;
    table->len = groups;
    table->grouped = true;
    table->by = by;
    return 0;
}

/* What a comparison of indexes needs. */
struct order {
    const struct pp_draw_figures *row;
    const struct pp_view *view;
};

static int
by_view(const void *a, const void *b, void *data)
{
    const struct order *order = data;
    return pp_draw_figures_order(&order->row[*(const size_t *)a], &order->row[*(const size_t *)b],
                                 order->view);
}

/* Mark the most expensive draws of groups with several draws. */
static int
mark_members(struct pp_draw_table *table, const struct pp_draw_figures *group, const struct pp_view *view,
             size_t most)
{
    struct order order = {table->row, view};
    size_t *index = calloc(table->len + 1, sizeof(*index));
    if (!index)
        return -ENOMEM;
    for (size_t i = 0; i < table->len; i++)
        index[i] = i;
    qsort_r(index, table->len, sizeof(*index), by_view, &order);
    for (size_t i = 0; i < table->len && most; i++) {
        struct pp_draw_figures *row = &table->row[index[i]];
        if (group[row->group].draws == 1 || !(row->total > 0)) /* alone, or without cost */
            continue;
        row->member = true;
        most--;
    }
    free(index);
    return 0;
}

/* The first row of a group, of rows that are sorted by group. */
static size_t
first_of(const struct pp_draw_table *table, size_t group)
{
    size_t low = 0, high = table->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->row[middle].group < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Put the rows of groups in their order, and each group's marked draws below its row. @param index Of the
 * groups, in their order. @return The number of rows. */
static size_t
rows_join(struct pp_draw_table *table, const struct pp_view *view, const struct pp_draw_figures *group,
          size_t groups, const size_t *index, struct pp_draw_figures *ret)
{
    size_t len = 0;
    for (size_t g = 0; g < groups; g++) {
        const struct pp_draw_figures *of = &group[index[g]];
        if (!pp_draw_table_takes(table, of, view))
            continue;
        ret[len++] = *of;
        for (size_t i = first_of(table, of->group); i < table->len && table->row[i].group == of->group; i++)
            if (table->row[i].member && pp_view_takes_share(view, table->row[i].share_percent))
                ret[len++] = table->row[i];
    }
    return len;
}

int
pp_draw_groups_open(struct pp_draw_table *table, const struct pp_view *view, size_t most)
{
    size_t groups = number_groups(table, PP_BY_PROGRAM);
    size_t rows = most > groups ? most : groups;
    struct pp_draw_figures *group = calloc(groups + 1, sizeof(*group)), *all = calloc(rows + 1, sizeof(*all));
    size_t *index = calloc(groups + 1, sizeof(*index));
    struct order order = {group, view};
    int rc = group && all && index ? groups_fill(table, group) : -ENOMEM;
    if (rc == 0)
        rc = mark_members(table, group, view, rows - groups);
    for (size_t i = 0; rc == 0 && i < groups; i++)
        index[i] = i;
    if (rc == 0) {
        qsort_r(index, groups, sizeof(*index), by_view, &order);
        table->len = rows_join(table, view, group, groups, index, all);
        table->grouped = groups < table->draws;
        table->by = PP_BY_PROGRAM;
        free(table->row);
        table->row = all;
        all = NULL;
    }
    free(group);
    free(all);
    free(index);
    return rc;
}
