/** @file
 * See table.h. */
#include "cli/print/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/csv_write.h"
#include "cli/text/print.h"

/* Least columns of a title. */
#define TITLE_LEAST 24U

static bool
is_shown(const struct pp_text_table *table, const struct pp_table_column *column, bool wide)
{
    const char *sort = pp_view_sort_name(table->view);
    const struct pp_table_column *by = pp_columns_sort(table->columns, sort);
    if (column->shown == PP_SHOWN_ELSE)
        return !by || by->shown != PP_SHOWN_SORTED;
    return column->shown == PP_SHOWN || (column->sort && strcmp(column->sort, sort) == 0) ||
           (column->shown == PP_SHOWN_ALL && table->view->all_columns) ||
           (column->shown == PP_SHOWN_WIDE && wide);
}

static int
width_of(const struct pp_text_table *table, const struct pp_table_column *column)
{
    return column->width ? column->width : table->width;
}

/* The heading of a column: one of a frame has the table's unit in front. */
static const char *
heading_of(char text[PP_FORMATTED_MAX], const struct pp_text_table *table,
           const struct pp_table_column *column)
{
    snprintf(text, PP_FORMATTED_MAX, "%s%s", *column->heading == '/' ? table->unit->name : "",
             column->heading);
    return text;
}

void
pp_text_table_begin(struct pp_text_table *table)
{
    char text[PP_FORMATTED_MAX];
    const char *title = "";
    size_t columns = pp_format_row_columns(table->out, table->view->all_columns), used = strlen("  ");
    for (size_t i = 0; i < table->columns->len && table->len < PP_TEXT_COLUMNS_MOST; i++) {
        const struct pp_table_column *column = &table->columns->column[i];
        if (strcmp(column->id, "below_resolution") == 0)
            table->unresolved = column;
        if (!(column->in & table->in))
            continue;
        if (column->form == PP_FORM_TITLE) {
            title = column->heading;
        } else if (is_shown(table, column, columns >= PP_WIDE_COLUMNS)) {
            table->shown[table->len++] = column;
            used += 1 + (size_t)abs(width_of(table, column));
        }
    }
    table->title_columns = pp_format_left(columns, used, TITLE_LEAST);
    pp_print_char(table->out, '#');
    for (size_t i = 0; i < table->len; i++)
        pp_print(table->out, "%s%*s", i ? " " : "", width_of(table, table->shown[i]),
                 heading_of(text, table, table->shown[i]));
    pp_print(table->out, "  %s\n#\n", title);
}

const char *
pp_text_cell(char text[PP_FORMATTED_MAX], const struct pp_table_column *column, double value,
             const struct pp_time_unit *unit)
{
    if (column->form == PP_FORM_TIME)
        return pp_format_time(text, value, unit);
    if (column->form == PP_FORM_ROUGH)
        return pp_format_rough_count(text, value);
    if (column->form == PP_FORM_MEAN)
        return isnan(value) ? "-"
                            : pp_format_count(text, value, value < 100 && value != floor(value) ? 1 : 0);
    return pp_format_fixed(text, value, column->form == PP_FORM_PERCENT ? 1 : 0);
}

/* The maximum whose frame a row has. */
static double
most_of(const struct pp_columns *columns, const void *row)
{
    const struct pp_table_column *most = pp_columns_sort(columns, "max");
    return most ? pp_column_number(most, row) : (double)NAN;
}

static const char *
cell_of(char text[PP_FORMATTED_MAX], const struct pp_text_table *table, const struct pp_table_column *column,
        const void *row)
{
    if (column->type == PP_TYPE_TEXT)
        return pp_column_text(column, row);
    double value = pp_column_number(column, row);
    bool below = column->below && value < table->least_ns;
    if (column->below_if && !isnan(value))
        memcpy(&below, (const char *)row + column->below_if, sizeof(below));
    if (below)
        return "below";
    if (column->form == PP_FORM_FRAME)
        return pp_format_frame(text, value, most_of(table->columns, row));
    return pp_text_cell(text, column, value, table->unit);
}

void
pp_text_table_row(const struct pp_text_table *table, const void *row, const char *title)
{
    char text[PP_FORMATTED_MAX];
    bool unresolved = table->unresolved && pp_column_truth(table->unresolved, row);
    for (size_t i = 0; i < table->len; i++) {
        const struct pp_table_column *column = table->shown[i];
        const char *cell = NULL;
        int width = width_of(table, column);
        if (unresolved && column->unresolved == PP_UNRESOLVED_DASH)
            cell = "-";
        else if (unresolved && column->unresolved == PP_UNRESOLVED_JOINED)
            cell = "below resolution";
        while (unresolved && column->unresolved == PP_UNRESOLVED_JOINED && i + 1 < table->len &&
               table->shown[i + 1]->unresolved == PP_UNRESOLVED_JOINED)
            width += 1 + table->shown[++i]->width;
        pp_print(table->out, " %*s", width, cell ? cell : cell_of(text, table, column, row));
    }
    pp_print(table->out, "  %s\n", title);
}

void
pp_csv_table_begin(FILE *out, const struct pp_columns *columns)
{
    const char *separator = "";
    for (size_t i = 0; i < columns->len; i++) {
        const struct pp_table_column *column = &columns->column[i];
        if (!(column->in & PP_IN_CSV))
            continue;
        pp_print(out, "%s%s", separator, column->csv ? column->csv : column->id);
        separator = ",";
    }
    pp_csv_end_row(out);
}

static void
csv_row(FILE *out, const struct pp_columns *columns, const void *row)
{
    const char *separator = "";
    for (size_t i = 0; i < columns->len; i++) {
        const struct pp_table_column *column = &columns->column[i];
        if (!(column->in & PP_IN_CSV))
            continue;
        pp_print(out, "%s", separator);
        separator = ",";
        const char *text = column->type == PP_TYPE_TEXT ? pp_column_text(column, row) : NULL;
        double value = column->type == PP_TYPE_NUMBER ? pp_column_number(column, row) : (double)NAN;
        if (text)
            pp_csv_print(out, text);
        else if (isfinite(value))
            pp_print(out, "%.15g", value);
    }
    pp_csv_end_row(out);
}

void
pp_csv_table_rows(FILE *out, const struct pp_columns *columns, const void *rows, size_t len)
{
    for (size_t i = 0; i < len; i++)
        csv_row(out, columns, (const char *)rows + i * columns->row_size);
}
