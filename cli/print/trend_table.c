/** @file
 * See trend_table.h. */
#include "cli/print/trend_table.h"

#include "cli/print/diff_cells.h"
#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/print/shorten.h"

#define NAME_COLUMNS  24U
#define START_COLUMNS 19U
#define VALUE_COLUMNS 16U
#define FIGURES_MOST  16U
/* Points that are shown on each side of a change, in a table that does not show all. */
#define POINTS_AROUND 2U

/* The table. */
struct table {
    const struct pp_trend *trend;
    const struct pp_trend_series *series[FIGURES_MOST]; /* a column each */
    size_t columns, figures;                            /* figures: of the table, also those without column */
    bool whole;                                         /* show all points */
    FILE *out;
};

const char *
pp_trend_title(char *text, size_t size, const struct pp_trend_series *series)
{
    const struct pp_diff_row row = {.kind = series->kind, .stat = series->stat, .name = series->name};
    pp_diff_cell_title(text, size, &row);
    if (series->kind != PP_DIFF_FRAME)
        pp_format_append(text, size, " %s", pp_diff_stat_name(series->stat));
    return text;
}

const char *
pp_trend_start(char text[PP_TREND_START_MAX], const struct pp_run_figures *run)
{
    int length = snprintf(text, PP_TREND_START_MAX, "%.19s", run->start);
    if (length > 10 && text[10] == 'T')
        text[10] = ' ';
    return text;
}

/* Begins another level of a figure at a point? */
static bool
begins(const struct pp_trend_series *series, size_t point)
{
    for (size_t i = 0; i < series->changes; i++)
        if (series->change[i].index == point)
            return true;
    return false;
}

/* Is a point shown: is it the first or the last one, or near a change of a column? */
static bool
shows(const struct table *table, size_t point)
{
    if (table->whole || point == 0 || point + 1 == table->trend->points.len)
        return true;
    for (size_t c = 0; c < table->columns; c++)
        for (size_t i = 0; i < table->series[c]->changes; i++) {
            size_t at = table->series[c]->change[i].index;
            if (point + POINTS_AROUND >= at && point < at + POINTS_AROUND)
                return true;
        }
    return false;
}

static void
print_heads(const struct table *table)
{
    char title[400], name[4 * VALUE_COLUMNS + 8];
    pp_print(table->out, " %-*s %-*s", (int)NAME_COLUMNS, "point", (int)START_COLUMNS, "first run began");
    for (size_t c = 0; c < table->columns; c++) {
        pp_trend_title(title, sizeof(title), table->series[c]);
        pp_format_middle(name, sizeof(name), title, VALUE_COLUMNS - 1);
        pp_print(table->out, " %*s%s%s", (int)(VALUE_COLUMNS - 1 - pp_format_width(name)), "", name,
                 c + 1 < table->columns ? " " : "");
    }
    pp_print_char(table->out, '\n');
}

static void
print_point(const struct table *table, size_t point)
{
    const struct pp_trend_point *of = &table->trend->points.point[point];
    char name[4 * NAME_COLUMNS + 8], start[PP_TREND_START_MAX], value[PP_FORMATTED_MAX];
    pp_format_middle(name, sizeof(name), of->name, NAME_COLUMNS);
    pp_print(table->out, " %s%*s", name, (int)(NAME_COLUMNS - pp_format_width(name)), "");
    pp_print(table->out, " %-*s", (int)START_COLUMNS, pp_trend_start(start, &of->runs.run[0]));
    for (size_t c = 0; c < table->columns; c++)
        pp_print(table->out, " %*s%s", (int)VALUE_COLUMNS - 1,
                 pp_diff_cell_value(value, table->series[c]->unit, table->series[c]->value[point]),
                 begins(table->series[c], point) ? "*"
                 : c + 1 < table->columns        ? " "
                                                 : "");
    pp_print_char(table->out, '\n');
}

/* Choose the figures: those that changed, then with @p all the others. */
static void
choose(struct table *table, bool all)
{
    size_t columns = pp_format_columns(table->out), used = 1 + NAME_COLUMNS + 1 + START_COLUMNS;
    size_t space = columns > used + VALUE_COLUMNS ? (columns - used) / (1 + VALUE_COLUMNS) : 1;
    space = space < FIGURES_MOST ? space : FIGURES_MOST;
    for (int changed = 1; changed >= (all ? 0 : 1); changed--)
        for (size_t i = 0; i < table->trend->len; i++) {
            const struct pp_trend_series *series = &table->trend->series[i];
            if ((series->changes > 0) != changed)
                continue;
            table->figures++;
            if (table->columns < space)
                table->series[table->columns++] = series;
        }
}

void
pp_trend_table_print(FILE *out, const struct pp_trend *trend, const struct pp_diff_look *look)
{
    struct table table = {.trend = trend, .out = out, .whole = look->all || trend->points.len <= look->most};
    size_t left_out = 0;
    choose(&table, look->all);
    if (!table.columns)
        return;
    print_heads(&table);
    for (size_t i = 0; i < trend->points.len; i++) {
        if (!shows(&table, i)) {
            left_out++;
            continue;
        }
        if (left_out)
            pp_print(out, " ... (%zu %s; --all shows all)\n", left_out,
                     pp_format_noun((double)left_out, "point", "points"));
        left_out = 0;
        print_point(&table, i);
    }
    pp_print_char(out, '\n');
    if (table.figures > table.columns)
        pp_print(out, "%zu more %s: a wider terminal has more columns, --json has all\n",
                 table.figures - table.columns,
                 pp_format_noun((double)(table.figures - table.columns), "figure", "figures"));
    pp_format_wrap(out, 0, 2,
                   "*: another level since this point. A value is the median of the point's runs; before and "
                   "after ->: the geometric means of the points with the old and the new level.");
}
