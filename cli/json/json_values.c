/** @file
 * See json_values.h. */
#include "cli/json/json_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/print.h"
#include "cli/print/terminal.h"
#include "counters/util/printable.h"

#define DIGITS 12

json_t *
pp_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *
pp_json_text(const char *value)
{
    json_t *ret = json_string(value);
    if (ret)
        return ret;
    char *clean = strdup(value);
    if (!clean)
        return NULL;
    ret = json_string(pp_printable_clean(clean, '?'));
    free(clean);
    return ret;
}

void
pp_json_put_number(json_t *object, const char *name, double value)
{
    (void)!json_object_set_new(object, name, pp_json_number(value));
}

void
pp_json_put_text(json_t *object, const char *name, const char *value)
{
    (void)!json_object_set_new(object, name, pp_json_text(value));
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
    (void)!json_object_set_new(ret, "too_correlated", json_boolean(spread->correlated));
    return ret;
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
        return pp_json_number(pp_column_number(column, row));
    case PP_TYPE_TRUTH:
        return json_boolean(pp_column_truth(column, row));
    case PP_TYPE_SPREAD:
        return spread_json(pp_column_spread(column, row));
    case PP_TYPE_OBJECT:
        return json_incref(pp_column_object(column, row));
    case PP_TYPE_TEXT:
        text = pp_column_text(column, row);
        return text ? pp_json_text(text) : NULL;
    }
    return NULL;
}

json_t *
pp_json_row(const struct pp_columns *columns, const void *row, unsigned in)
{
    json_t *ret = json_object();
    for (size_t i = 0; i < columns->len; i++) {
        json_t *cell = columns->column[i].in & in ? cell_json(&columns->column[i], row) : NULL;
        if (cell)
            (void)!json_object_set_new(ret, columns->column[i].id, cell);
    }
    return ret;
}

void
pp_json_round(json_t *value)
{
    char digits[40];
    const char *name = NULL;
    json_t *member = NULL;
    size_t i = 0;
    if (json_is_real(value)) {
        snprintf(digits, sizeof(digits), "%.*g", DIGITS, json_real_value(value));
        json_real_set(value, strtod(digits, NULL));
    }
    json_array_foreach(value, i, member) pp_json_round(member);
    json_object_foreach(value, name, member) pp_json_round(member);
}

int
pp_json_write(FILE *out, const json_t *value)
{
    if (!value)
        return -ENOMEM;
    pp_progress_erase();
    errno = EIO; /* if the system says nothing */
    if (json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)))
        return -errno;
    pp_print_char(out, '\n');
    return fflush(out) || ferror(out) ? -errno : 0;
}
