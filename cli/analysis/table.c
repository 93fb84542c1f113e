/** @file
 * See table.h. */
#include "cli/analysis/table.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/session/csv_read.h"

#include "cli/text/json_values.h"

/* The cell of a column in a row that is written. */
static void *
cell_of(const struct pp_table_column *column, void *row)
{
    return (char *)row + column->at;
}

double
pp_column_number(const struct pp_table_column *column, const void *row)
{
    double ret;
    size_t count;
    if (column->type == PP_TYPE_COUNT) {
        memcpy(&count, (const char *)row + column->at, sizeof(count));
        return count || column->whole ? (double)count : (double)NAN;
    }
    memcpy(&ret, (const char *)row + column->at, sizeof(ret));
    return ret;
}

const char *
pp_column_text(const struct pp_table_column *column, const void *row)
{
    const char *ret;
    memcpy(&ret, (const char *)row + column->at, sizeof(ret));
    return ret;
}

bool
pp_column_truth(const struct pp_table_column *column, const void *row)
{
    bool ret;
    memcpy(&ret, (const char *)row + column->at, sizeof(ret));
    return ret;
}

const struct pp_spread *
pp_column_spread(const struct pp_table_column *column, const void *row)
{
    return (const void *)((const char *)row + column->at);
}

json_t *
pp_column_object(const struct pp_table_column *column, const void *row)
{
    json_t *ret;
    memcpy(&ret, (const char *)row + column->at, sizeof(ret));
    return ret;
}

const struct pp_table_column *
pp_columns_sort(const struct pp_columns *columns, const char *sort)
{
    for (size_t i = 0; i < columns->len; i++)
        if (columns->column[i].sort && strcmp(columns->column[i].sort, sort) == 0)
            return &columns->column[i];
    return NULL;
}

/* A number; NaN: there is none, or it is one that only a damaged file has. */
static double
number(const json_t *member)
{
    double value = pp_json_value(member);
    return fabs(value) <= PP_CELL_MOST ? value : (double)NAN;
}

static struct pp_spread
spread_of(const json_t *within)
{
    double block = number(json_object_get(within, "block"));
    return (struct pp_spread){.p5_half = number(json_object_get(within, "p5_half_ns")),
                              .p50_half = number(json_object_get(within, "p50_half_ns")),
                              .p95_half = number(json_object_get(within, "p95_half_ns")),
                              .p99_half = number(json_object_get(within, "p99_half_ns")),
                              .mean_half = number(json_object_get(within, "mean_half_ns")),
                              .block = block > 0 && block < 1e9 ? (uint32_t)block : 0,
                              .correlated = json_is_true(json_object_get(within, "too_correlated"))};
}

static void
read_cell(const struct pp_table_column *column, json_t *member, void *cell)
{
    const char *text = json_string_value(member);
    json_t *object = json_is_object(member) ? member : NULL;
    double value = number(member);
    bool truth = column->usually ? !json_is_false(member) : json_is_true(member);
    struct pp_spread spread = spread_of(member);
    text = text ? text : "";
    switch (column->type) {
    case PP_TYPE_TEXT:
        memcpy(cell, &text, sizeof(text));
        break;
    case PP_TYPE_NUMBER:
        memcpy(cell, &value, sizeof(value));
        break;
    case PP_TYPE_TRUTH:
        memcpy(cell, &truth, sizeof(truth));
        break;
    case PP_TYPE_SPREAD:
        memcpy(cell, &spread, sizeof(spread));
        break;
    case PP_TYPE_OBJECT:
        memcpy(cell, &object, sizeof(object));
        break;
    case PP_TYPE_COUNT:
    case PP_TYPE_CHOICE: /* only rows of `diff` have them, which nothing reads from JSON */
        break;
    }
}

/* How far the figures of a run may be wrong; null: not known. */
static json_t *
spread_json(const struct pp_spread *spread)
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
    pp_json_put_truth(ret, "too_correlated", spread->correlated);
    return ret;
}

/* The text of a choice. */
static json_t *
choice_json(const struct pp_table_column *column, const void *row)
{
    const char *text = column->values;
    unsigned place;
    memcpy(&place, (const char *)row + column->at, sizeof(place));
    for (; place && strchr(text, '|'); place--)
        text = strchr(text, '|') + 1;
    size_t len = strcspn(text, "|");
    return len || !column->null ? json_stringn(text, len) : json_null();
}

/* A cell; NULL: the row has none. */
static json_t *
cell_json(const struct pp_table_column *column, const void *row)
{
    const char *text = NULL;
    bool has = true;
    if (column->only_if)
        memcpy(&has, (const char *)row + column->only_if, sizeof(has));
    if (!has)
        return NULL;
    switch (column->type) {
    case PP_TYPE_NUMBER:
    case PP_TYPE_COUNT:
        return pp_json_number(pp_column_number(column, row));
    case PP_TYPE_CHOICE:
        return choice_json(column, row);
    case PP_TYPE_TRUTH:
        return json_boolean(pp_column_truth(column, row));
    case PP_TYPE_SPREAD:
        return spread_json(pp_column_spread(column, row));
    case PP_TYPE_OBJECT:
        return json_incref(pp_column_object(column, row));
    case PP_TYPE_TEXT:
        text = pp_column_text(column, row);
        return text ? pp_json_text(text) : column->null ? json_null() : NULL;
    }
    return NULL;
}

json_t *
pp_columns_json(const struct pp_columns *columns, const void *row, unsigned in)
{
    json_t *ret = json_object();
    for (size_t i = 0; i < columns->len; i++) {
        json_t *cell = columns->column[i].in & in ? cell_json(&columns->column[i], row) : NULL;
        if (cell)
            pp_json_put(ret, columns->column[i].id, cell);
    }
    return ret;
}

void
pp_columns_read(const struct pp_columns *columns, const json_t *from, void *row)
{
    memset(row, 0, columns->row_size);
    for (size_t i = 0; i < columns->len; i++) /* JSON lacks columns of other formats */
        read_cell(&columns->column[i], NULL, cell_of(&columns->column[i], row));
    for (size_t i = 0; i < columns->len; i++)
        if (columns->column[i].in & PP_IN_JSON)
            read_cell(&columns->column[i], json_object_get(from, columns->column[i].id),
                      cell_of(&columns->column[i], row));
}

const char *
pp_view_sort_name(const struct pp_view *view)
{
    static const char *const name[PP_SORTS] = {"total", "mean", "p95", "p99", "max", "count"};
    return name[view->sort];
}

bool
pp_view_matches(const char *name, const char *pattern)
{
    if (!*pattern)
        return true;
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) != NULL;
}

bool
pp_view_takes_pass(const struct pp_view *view, const struct pp_saved_pass *pass)
{
    char both[8192];
    if (!view->pass || pp_view_matches(pass->label, view->pass) || pp_view_matches(pass->name, view->pass) ||
        strcmp(pass->pass_id, view->pass) == 0)
        return true;
    snprintf(both, sizeof(both), "%.4000s: %.4000s", pass->label, pass->name);
    return pp_view_matches(both, view->pass);
}

bool
pp_view_takes_any(const struct pp_view *view, const struct pp_saved_session *rec)
{
    if (!view->pass)
        return true;
    for (size_t i = 0; i < rec->passes; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            return true;
    for (size_t i = 0; i < rec->labels; i++)
        if (pp_view_matches(rec->label[i].label, view->pass))
            return true;
    return false;
}

bool
pp_view_takes_share(const struct pp_view *view, double percent)
{
    return !(view->percent_limit > 0) || percent >= view->percent_limit;
}

int
pp_view_order(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}
