/** @file
 * See runs.h. */
#include "cli/print/runs.h"

#include <math.h>
#include <string.h>

#include "cli/print/diff_cells.h"
#include "cli/text/format.h"
#include "cli/text/print.h"
#include "pp_texts.h"

#define NAME_COLUMNS 24U
#define ROWS_MOST    12U /* passes, and counters, without verbose */

/* A number of a row, in the unit of the table. */
static const char *
value_text(char text[PP_FORMATTED_MAX], const struct pp_runs_spread_row *row, double value,
           const struct pp_time_unit *unit)
{
    if (!isfinite(value))
        return "-";
    if (row->kind == PP_SPREAD_TIME || row->kind == PP_SPREAD_PASS)
        return pp_format_time(text, value, unit);
    return row->kind == PP_SPREAD_FPS ? pp_format_fixed(text, value, 1) : pp_format_rough_count(text, value);
}

/* A share in percent, "-" where it is not known. */
static const char *
share_text(char text[PP_FORMATTED_MAX], double share)
{
    if (!isfinite(share))
        return "-";
    snprintf(text, PP_FORMATTED_MAX, share >= 9.995 ? "%.0f%%" : "%.1f%%", share * 100);
    return text;
}

/* The name of a row. Texts of sessions are made safe. */
static const char *
row_name(char *text, size_t size, const struct pp_runs_spread_row *row)
{
    char path[1024];
    const char *name = row->name;
    if (row->kind <= PP_SPREAD_TIME)
        name = pp_diff_cell_frame(row->name);
    if (row->kind == PP_SPREAD_PASS && *row->label)
        name = pp_format_unescaped(path, sizeof(path), pp_format_last_name(row->label));
    if (row->kind == PP_SPREAD_COUNTER && strncmp(name, "pipeline:", strlen("pipeline:")) == 0)
        name += strlen("pipeline:");
    return row->kind == PP_SPREAD_COUNTER ? pp_format_middle(text, size, name, NAME_COLUMNS)
                                          : pp_format_name(text, size, name, NAME_COLUMNS);
}

static void
print_row(FILE *out, const struct pp_runs_spread *spread, const struct pp_runs_spread_row *row,
          const struct pp_time_unit *unit)
{
    char name[4 * NAME_COLUMNS + 4], mean[PP_FORMATTED_MAX], half[PP_FORMATTED_MAX], sd[PP_FORMATTED_MAX],
        least[PP_FORMATTED_MAX], most[PP_FORMATTED_MAX], p95[PP_FORMATTED_MAX], p99[PP_FORMATTED_MAX];
    const struct pp_run_spread *between = &row->between;
    row_name(name, sizeof(name), row);
    pp_print(out, " %s%*s", name, (int)(NAME_COLUMNS - pp_format_width(name)), "");
    pp_print(out, " %7s %6s %6s %7s %7s", value_text(mean, row, between->mean, unit),
             share_text(half, between->half_share), share_text(sd, between->deviation_share),
             value_text(least, row, between->least, unit), value_text(most, row, between->most, unit));
    if (isfinite(row->p95))
        pp_print(out, " %8s %7s", value_text(p95, row, row->p95, unit), value_text(p99, row, row->p99, unit));
    if (between->runs < spread->runs)
        pp_print(out, " (%zu of %zu runs)", between->runs, spread->runs);
    pp_print_char(out, '\n');
}

/* Print what is above the rows of a kind. */
static void
print_title(FILE *out, enum pp_runs_spread_kind kind, const struct pp_time_unit *unit)
{
    if (kind == PP_SPREAD_COUNTER)
        pp_print(out, " counters in a frame\n");
    else if (kind == PP_SPREAD_PASS)
        pp_print(out, " passes, GPU time in a frame, %s\n", unit->name);
    else
        pp_print(out, " times in %s\n", unit->name);
}

/* Print the rows of some kinds. @param most Rows at most; SIZE_MAX: also counters that are 0 in each run. */
static void
print_rows(FILE *out, const struct pp_runs_spread *spread, enum pp_runs_spread_kind first,
           enum pp_runs_spread_kind last, size_t most)
{
    double largest = 0;
    size_t shown = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < spread->len; i++)
        if ((spread->row[i].kind == PP_SPREAD_TIME || spread->row[i].kind == PP_SPREAD_PASS) &&
            spread->row[i].kind >= first && spread->row[i].kind <= last)
            largest = fmax(largest, spread->row[i].between.mean);
    const struct pp_time_unit *unit = pp_time_unit_for(largest);
    for (size_t i = 0; i < spread->len; i++) {
        const struct pp_runs_spread_row *row = &spread->row[i];
        bool zero = row->kind == PP_SPREAD_COUNTER && row->between.least == 0 && row->between.most == 0;
        if (row->kind < first || row->kind > last || (zero && most != SIZE_MAX))
            continue;
        if (shown == most) {
            left_out++;
            continue;
        }
        if (shown++ == 0)
            print_title(out, first, unit);
        print_row(out, spread, row, unit);
    }
    if (left_out)
        pp_print(out, " and %zu more; -v prints them\n", left_out);
}

void
pp_runs_spread_print(FILE *out, const struct pp_runs_spread *spread, const struct pp_runs_spread_look *look)
{
    double frames = 0;
    char count[PP_FORMATTED_MAX];
    size_t most = look->verbose ? SIZE_MAX : ROWS_MOST;
    for (size_t i = 0; i < spread->runs; i++)
        frames += spread->run[i].surfaces ? spread->run[i].surface[0].frames : 0;
    pp_print(out, "\n Summary of %zu %s of '%s' (%s %s in all)\n\n", spread->runs,
             pp_format_noun((double)spread->runs, "run", "runs"), look->command,
             pp_format_count(count, frames, 0), pp_format_noun(frames, "frame", "frames"));
    pp_print(out, "#                            mean of each run, over the runs     within a run\n#          "
                  "               mean    +-     sd   least    most      p95     p99\n");
    print_rows(out, spread, PP_SPREAD_FPS, PP_SPREAD_TIME, SIZE_MAX);
    print_rows(out, spread, PP_SPREAD_PASS, PP_SPREAD_PASS, most);
    print_rows(out, spread, PP_SPREAD_COUNTER, PP_SPREAD_COUNTER, most);
    pp_print(out, "\n# Each run counts as one number: its mean. FPS: its frames divided by its time.\n# +-: "
                  "half of the mean's interval at 95 percent. sd: standard deviation of runs.\n");
    if (spread->runs < 2)
        pp_print(out, "# One run: how much runs differ is not known; give -r 3 or more.\n");
    if (spread->other_surfaces)
        pp_print(out, "# The figures describe the window or swapchain with the most GPU time.\n");
    pp_print(out, "\n sessions: %s\n", look->folder);
}

#define FIGURE_COLUMNS 34U
#define LINE_INDENT    4U  /* of the lines below a figure */
#define START_MAX      24U /* size of the text of trend_start() */

/* The name of a figure with its statistic: "frame time p50", "shadow map p50". @return text. */
static const char *
trend_title(char *text, size_t size, const struct pp_trend_series *series)
{
    const struct pp_diff_row row = {.kind = series->kind, .stat = series->stat, .name = series->name};
    pp_diff_cell_title(text, size, &row);
    if (series->kind != PP_DIFF_FRAME)
        pp_format_append(text, size, " %s", pp_diff_stat_name(series->stat));
    return text;
}

/* When a run began: "2026-11-12 09:00:07"; "": not known. @return text. */
static const char *
trend_start(char text[START_MAX], const struct pp_run_figures *run)
{
    int length = snprintf(text, START_MAX, "%.19s", run->start);
    if (length > 10 && text[10] == 'T')
        text[10] = ' ';
    return text;
}

static const char *
point_name(char *text, size_t size, const struct pp_trend *trend, size_t index)
{
    return pp_format_middle(text, size, trend->points.point[index].name, 30);
}

/* "build-12 (2026-11-12 09:00:07)". */
static const char *
point_title(char *text, size_t size, const struct pp_trend *trend, size_t index)
{
    const struct pp_run_figures *run = &trend->points.point[index].runs.run[0];
    char name[200], start[START_MAX];
    text[0] = '\0';
    pp_format_append(text, size, "%s", point_name(name, sizeof(name), trend, index));
    if (*run->start)
        pp_format_append(text, size, " (%s)", trend_start(start, run));
    return text;
}

/* Print which points a trend has. */
static void
print_head(FILE *out, const struct pp_trend *trend)
{
    const struct pp_trend_points *points = &trend->points;
    const struct pp_run_figures *newest = &points->point[points->len - 1].runs.run[0];
    const char *last = strrchr(newest->executable, '/');
    char name[300];
    pp_print(out, "%zu %s", points->len, pp_format_noun((double)points->len, "point", "points"));
    pp_print(out, ", %s", point_title(name, sizeof(name), trend, 0));
    pp_print(out, " .. %s\n", point_title(name, sizeof(name), trend, points->len - 1));
    if (*newest->executable)
        pp_print(out, "%s, ", pp_format_name(name, sizeof(name), last ? last + 1 : newest->executable, 30));
    pp_print(out, "%s", pp_format_name(name, sizeof(name), newest->surface[0].device, 40));
    pp_print(out, "%s\n", newest->surface[0].software ? PP_TEXT_DIFF_ON_CPU : "");
}

static void
print_change(FILE *out, const struct pp_trend *trend, const struct pp_trend_series *series,
             const struct pp_change_point *change)
{
    char title[400], name[400], old_value[PP_FORMATTED_MAX], new_value[PP_FORMATTED_MAX],
        percent[PP_FORMATTED_MAX];
    char first[300], last[300], line[800];
    pp_print(out, "\n %-*s", (int)FIGURE_COLUMNS,
             pp_format_middle(name, sizeof(name), trend_title(title, sizeof(title), series), FIGURE_COLUMNS));
    pp_print(out, " %10s -> %10s", pp_diff_cell_value(old_value, series->unit, change->before),
             pp_diff_cell_value(new_value, series->unit, change->after));
    pp_diff_cell_percent(percent, 100 * change->change);
    pp_print(out, " %8s%s\n", percent, pp_diff_cell_sign(percent));
    snprintf(line, sizeof(line), "since %s; the point before is %s",
             point_title(first, sizeof(first), trend, change->index),
             point_name(last, sizeof(last), trend, pp_trend_point_before(series, change)));
    pp_print(out, "%*s", (int)LINE_INDENT, "");
    pp_format_wrap(out, LINE_INDENT, LINE_INDENT, line);
    if (change->first == change->last)
        return;
    snprintf(line, sizeof(line), "with 95 %% confidence since one of the points from %s to %s",
             point_name(first, sizeof(first), trend, change->first),
             point_name(last, sizeof(last), trend, change->last));
    pp_print(out, "%*s", (int)LINE_INDENT, "");
    pp_format_wrap(out, LINE_INDENT, LINE_INDENT, line);
}

/* Print a figure that did not change, with its newest value. */
static void
print_unchanged(FILE *out, const struct pp_trend *trend, const struct pp_trend_series *series)
{
    char title[400], name[400], value[PP_FORMATTED_MAX];
    pp_diff_cell_value(value, series->unit, series->value[trend->points.len - 1]);
    pp_print(out, " %-*s", (int)FIGURE_COLUMNS,
             pp_format_middle(name, sizeof(name), trend_title(title, sizeof(title), series), FIGURE_COLUMNS));
    pp_print(out, " %10s    %s\n", value, "no change");
}

/* Print why p5 is compared, or that it may show more. */
static void
print_stat(FILE *out, const struct pp_trend_stat *stat)
{
    char line[800];
    if (!stat->disturbed)
        return;
    snprintf(line, sizeof(line),
             stat->stat == PP_DIFF_P5
                 ? "other programs disturbed the runs: the median of the GPU time differs by %.1f %% between "
                   "neighbouring points, p5 by %.1f %%. So p5 is compared, the time of the least disturbed "
                   "frames (--stat p50: the median)"
                 : "the median of the GPU time differs by %.1f %% between neighbouring points, p5 by %.1f "
                   "%%: try --stat p5",
             100 * stat->p50_spread, 100 * stat->p5_spread);
    pp_print(out, "* ");
    pp_format_wrap(out, 2, 2, line);
}

/* Print the figures that changed, and with --all the others. @return How many changed. */
static size_t
print_figures(FILE *out, const struct pp_trend *trend, const struct pp_diff_look *look)
{
    size_t changed = 0;
    for (size_t i = 0; i < trend->len; i++) {
        const struct pp_trend_series *series = &trend->series[i];
        changed += series->changes > 0;
        for (size_t c = look->all || changed <= look->most ? series->changes : 0; c > 0; c--)
            print_change(out, trend, series, &series->change[c - 1]);
    }
    pp_print_char(out, '\n');
    if (!look->all && changed > look->most)
        pp_print(out, "%zu more %s changed: --all shows all\n", changed - look->most,
                 pp_format_noun((double)(changed - look->most), "figure", "figures"));
    for (size_t i = 0; look->all && i < trend->len; i++)
        if (!trend->series[i].changes)
            print_unchanged(out, trend, &trend->series[i]);
    if (look->all && changed < trend->len)
        pp_print_char(out, '\n');
    return changed;
}

#define POINT_COLUMNS 24U
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
    pp_print(table->out, " %-*s %-*s", (int)POINT_COLUMNS, "point", (int)START_COLUMNS, "first run began");
    for (size_t c = 0; c < table->columns; c++) {
        trend_title(title, sizeof(title), table->series[c]);
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
    char name[4 * POINT_COLUMNS + 8], start[START_MAX], value[PP_FORMATTED_MAX];
    pp_format_middle(name, sizeof(name), of->name, POINT_COLUMNS);
    pp_print(table->out, " %s%*s", name, (int)(POINT_COLUMNS - pp_format_width(name)), "");
    pp_print(table->out, " %-*s", (int)START_COLUMNS, trend_start(start, &of->runs.run[0]));
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
    size_t columns = pp_format_columns(table->out), used = 1 + POINT_COLUMNS + 1 + START_COLUMNS;
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

/* Print a table with a row for each point: its value of each figure that changed, as many figures as have
 * space. Of more points than @p look shows, those around the changes, the first and the last. Prints nothing
 * if no figure changed; with look->all, the figures that did not change are printed, too. */
static void
print_table(FILE *out, const struct pp_trend *trend, const struct pp_diff_look *look)
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

void
pp_trend_print(FILE *out, const struct pp_trend *trend, double threshold, const struct pp_diff_look *look)
{
    print_head(out, trend);
    for (size_t i = 0; i < trend->points.left; i++) {
        char line[1400];
        snprintf(line, sizeof(line), "left out: %s: %s", trend->points.left_out[i].name,
                 trend->points.left_out[i].reason);
        pp_format_wrap(out, 0, LINE_INDENT, line);
    }
    print_stat(out, &trend->stat);
    size_t changed = print_figures(out, trend, look);
    print_table(out, trend, look);
    if (trend->points.len < PP_TREND_LEAST)
        pp_print(out,
                 "These are too few points: a change needs at least %zu points before it and %zu after it.\n",
                 PP_CHANGE_POINT_LEAST, PP_CHANGE_POINT_LEAST);
    else if (!changed)
        pp_print(out, "%s\n", "No figure changed its level.");
    pp_print(out, "%zu %s searched, %zu changed; a change of %g %% or less does not count\n", trend->len,
             pp_format_noun((double)trend->len, "figure", "figures"), changed, 100 * threshold);
}
