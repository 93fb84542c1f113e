/** @file
 * See draws.h. */
#include "cli/print/draws.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* The unit in which the most expensive draw reads best. */
static const struct pp_time_unit *
unit_of(const struct pp_draw_table *table)
{
    const struct pp_draw_figures *first = NULL;
    for (size_t i = 0; i < table->len; i++)
        if (table->row[i].draws == 1 && (!first || table->row[i].total > first->total))
            first = &table->row[i];
    first = first ? first : table->row;
    return pp_time_unit_for(table->len && table->measure == PP_DRAWS_BY_TIME ? first->mean : 0);
}

static const char *
number_of(char text[PP_FORMATTED_MAX], const struct pp_draw_table *table, double value,
          const struct pp_time_unit *unit)
{
    if (table->measure == PP_DRAWS_BY_TIME)
        return pp_format_time(text, value, unit);
    return pp_format_count(text, value, 0);
}

/* A mean of instances, with three digits: the rest differs from run to run. */
static const char *
instances_of(char text[PP_FORMATTED_MAX], double mean)
{
    int decimals = mean == floor(mean) || mean >= 100 ? 0 : mean >= 10 ? 1 : 2;
    return pp_format_count(text, mean, decimals);
}

/* Means of the columns vertices and instances: "36", or "36x100" where it is not one instance. */
static const char *
vertices_of(char text[2 * PP_FORMATTED_MAX], const struct pp_draw_figures *draw)
{
    char number[PP_FORMATTED_MAX];
    const struct pp_saved_sum *vertices = &draw->vertices;
    const struct pp_saved_sum *instances = &draw->instances;
    if (!vertices->rows)
        return "-";
    pp_format_count(text, vertices->sum / (double)vertices->rows, 0);
    double mean = instances->rows ? instances->sum / (double)instances->rows : 1;
    if (mean < 1 || mean > 1)
        pp_format_append(text, (size_t)2 * PP_FORMATTED_MAX, "x%s", instances_of(number, mean));
    return text;
}

/* Width of the column of vertices: of what vertices_of() returns for the first draws. */
static size_t
vertices_width(const struct pp_draw_table *table, size_t most, size_t least)
{
    char text[2 * PP_FORMATTED_MAX];
    size_t widest = least;
    for (size_t i = 0; i < table->len && i < most; i++) {
        size_t wide = strlen(vertices_of(text, &table->row[i]));
        widest = wide > widest ? wide : widest;
    }
    return widest < 24 ? widest : 24;
}

/* Make the name of a draw: call, pipeline, label, and pass. If they do not fit, each part is cut.
 */
static const char *
title_of(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_draw *draw,
         size_t columns)
{
    char call[128], pipeline[256], label[1024] = "", in[1024] = "", joined[4096];
    const struct pp_saved_pass *pass =
        draw->pass_id ? pp_saved_pass(rec, draw->pass_id, draw->surface) : NULL;
    /* the pass's title has its label: only the rest of a draw's label is printed */
    size_t common = pass ? strlen(pass->label) : 0;
    const char *own = draw->label;
    if (common && strncmp(own, pass->label, common) == 0 && (own[common] == '/' || !own[common]))
        own += common + (own[common] == '/');
    char plain[1024];
    own = pp_saved_label_text(rec, draw->label, own, plain, sizeof(plain));
    bool labelled = *own;
    size_t width[4] = {28, 60, 200, 200}; /* wide, and at most for what is narrow */
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        pp_format_name(call, sizeof(call), draw->call, width[0]);
        pp_format_middle(pipeline, sizeof(pipeline), draw->pipeline, width[1]);
        if (labelled)
            pp_format_middle(label, sizeof(label), own, width[2]);
        if (pass)
            pp_pass_title(in, sizeof(in), rec, pass, width[3]);
        snprintf(joined, sizeof(joined), "%llu %s%s%s", (unsigned long long)draw->place, call,
                 *pipeline ? " " : "", pipeline);
        size_t used = strlen(joined);
        pp_format_append(joined, sizeof(joined), "%s%s%s%s", labelled ? ", " : "", label, pass ? " in " : "",
                         in);
        if (strlen(joined) <= columns)
            break;
        width[1] = columns < 80 ? 17 : 60;
        size_t left = columns > used + 20 ? columns - used - 6 : 14;
        width[2] = pass ? left / 2 : left;
        width[3] = labelled ? left - left / 2 : left;
    }
    return pp_format_middle(text, size, joined, columns);
}

/* Make the title of a row: of a draw, or of a group with the number of its draws. */
static const char *
row_title(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_draw_table *table,
          const struct pp_draw_figures *row, size_t columns)
{
    char key[2400], in[1024] = "", more[1200];
    const struct pp_saved_draw *draw = row->draw;
    if (row->draws == 1) {
        size_t margin = row->member ? 2 : 0;
        snprintf(text, size, "%*s", (int)margin, "");
        title_of(text + margin, size - margin, rec, draw, columns - margin);
        return text;
    }
    const struct pp_saved_pass *pass =
        draw->pass_id && row->one_pass ? pp_saved_pass(rec, draw->pass_id, draw->surface) : NULL;
    if (pass)
        pp_pass_title(in, sizeof(in), rec, pass, columns / 2);
    const char *noun = row->vertices.rows ? "draws" : "actions";
    snprintf(more, sizeof(more), ", %zu %s%s%s", row->draws, noun, pass ? " in " : "", in);
    size_t used = pp_format_width(more);
    pp_format_middle(key, sizeof(key),
                     table->by == PP_BY_CALL || !*draw->pipeline ? draw->call : draw->pipeline,
                     columns > used + 12 ? columns - used : 12);
    pp_format_append(key, sizeof(key), "%s", more);
    return pp_format_middle(text, size, key, columns);
}

static const char *const measure_name[] = {
    [PP_DRAWS_BY_TIME] = PP_TEXT_BY_GPU_TIME,
    [PP_DRAWS_BY_INVOCATIONS] = PP_TEXT_BY_INVOCATIONS,
    [PP_DRAWS_BY_VERTICES] = PP_TEXT_BY_VERTICES,
    [PP_DRAWS_BY_COUNT] = "count",
};

/* Print how many draws --percent-limit left out. */
static void
print_left_out(FILE *out, const char *margin, const struct pp_draw_table *table)
{
    char share[PP_FORMATTED_MAX];
    if (table->left_out)
        pp_print(out, PP_FORMAT_DRAWS_LEFT_OUT "\n", margin, table->left_out,
                 pp_format_noun((double)table->left_out, "draw", "draws"),
                 pp_format_fixed(share, table->left_out_percent, 1));
}

/* The number of draws in the rows behind the first ones. */
static size_t
draws_behind(const struct pp_draw_table *table, size_t shown)
{
    size_t draws = 0;
    for (size_t i = shown; i < table->len; i++)
        draws += table->row[i].member ? 0 : table->row[i].draws;
    return draws;
}

static void
print_row_short(FILE *out, const struct pp_saved_session *rec, const struct pp_draw_table *table,
                const struct pp_draw_figures *row, const struct pp_time_unit *unit, size_t wide)
{
    char a[PP_FORMATTED_MAX], b[2 * PP_FORMATTED_MAX], name[4 * 160 + 8];
    size_t columns = pp_format_left(pp_format_columns(out), 21 + wide, 12);
    if (row->unresolved) {
        pp_print(out, "%19s", PP_TEXT_BELOW_RESOLUTION);
    } else {
        pp_print_percent(out, row->share_percent);
        pp_print(out, " %10s", number_of(a, table, row->per_frame, unit));
    }
    pp_print(out, " %*s  %s\n", (int)wide, vertices_of(b, row),
             row_title(name, sizeof(name), rec, table, row, columns));
}

static void
print_table_short(FILE *out, const struct pp_saved_session *rec, const struct pp_draw_table *table,
                  size_t most)
{
    const struct pp_time_unit *unit = unit_of(table);
    char cost[32] = PP_TEXT_A_FRAME;
    size_t shown = 0, printed = 0, wide = vertices_width(table, most, strlen("vertices"));
    if (!table->len && !table->left_out)
        return;
    if (table->measure == PP_DRAWS_BY_TIME)
        snprintf(cost, sizeof(cost), "%s/frame", unit->name);
    else
        pp_print(out, "\n" PP_FORMAT_DRAWS_UNTIMED "\n", measure_name[table->measure]);
    pp_print(out, table->measure == PP_DRAWS_BY_TIME ? "\n %7s %10s %*s  draw\n" : " %7s %10s %*s  draw\n",
             table->measure == PP_DRAWS_BY_TIME ? "GPU %" : "share", cost, (int)wide, "vertices");
    for (; shown < table->len && printed < most; shown++) {
        const struct pp_draw_figures *row = &table->row[shown];
        if (row->member) /* groups are enough here */
            continue;
        if (row->total <= 0 && !row->unresolved)
            break;
        print_row_short(out, rec, table, row, unit, wide);
        printed++;
    }
    print_left_out(out, "  ", table);
    size_t behind = draws_behind(table, shown);
    if (behind)
        pp_print(out, PP_FORMAT_MORE_ENTRIES_SHORT "\n", behind,
                 pp_format_noun((double)behind, "draw", "draws"));
}

/* Print how many rows of each kind there are: clears are in draws.csv, but in none of the frames' counts. */
static void
print_kinds(FILE *out, const struct pp_saved_session *rec, bool report)
{
    struct {
        double sum;
        const char *name;
    } kind[] = {{0, "draws"}, {0, "dispatches"}, {0, PP_TEXT_KIND_COPIES}, {0, PP_TEXT_KIND_CLEARS}};
    double frames = 0, rows = 0;
    char text[256];
    for (size_t i = 0; i < rec->surfaces; i++) {
        const struct pp_saved_times *times = &rec->surface[i].times[PP_SAVED_DRAW];
        if (rec->shown != PP_SAVED_NO_SURFACE && rec->shown != i)
            continue;
        frames += (double)times->draws.rows;
        rows += (double)rec->surface[i].action_rows;
        kind[0].sum += times->draws.sum;
        kind[1].sum += times->dispatches.sum;
        kind[2].sum += times->copies.sum;
    }
    kind[3].sum = rows - kind[0].sum - kind[1].sum - kind[2].sum;
    if (frames <= 0)
        return;
    snprintf(text, sizeof(text), "%.1f", rows / frames);
    for (size_t i = 0; i < PP_ARRAY_SIZE(kind); i++)
        if (kind[i].sum > 0)
            pp_format_append(text, sizeof(text), "%s %.1f %s", strchr(text, ':') ? "," : ":",
                             kind[i].sum / frames, kind[i].name);
    pp_print(out, report ? PP_TEXT_ROWS_A_FRAME : "   rows/frame   ");
    pp_format_wrap_behind(out, report ? "# " : "", 16, 16, text);
}

void
pp_draws_print_short(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most)
{
    struct pp_draw_tables tables;
    if (pp_draw_tables_make(rec, view, most, &tables)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    for (size_t i = 0; i < tables.len; i++)
        print_table_short(out, rec, &tables.table[i], most);
    if (tables.len)
        print_kinds(out, rec, false);
    pp_draw_tables_finish(&tables);
}

/* The figure of the column behind the mean: p95, or what the rows are sorted by. */
static double
tail_of(const struct pp_draw_figures *row, enum pp_sort sort)
{
    return sort == PP_SORT_P99 ? row->p99 : sort == PP_SORT_MAX ? row->max : row->p95;
}

/* Print mean, p95 and cost in a frame of a row with GPU time. */
static void
print_times(FILE *out, const struct pp_draw_figures *row, enum pp_sort sort, const struct pp_time_unit *unit)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX], c[PP_FORMATTED_MAX];
    if (row->unresolved)
        pp_print(out, " %32s", PP_TEXT_BELOW_RESOLUTION);
    else
        pp_print(out, " %10s %9s %11s", pp_format_time(a, row->mean, unit),
                 pp_format_time(b, tail_of(row, sort), unit), pp_format_time(c, row->per_frame, unit));
}

/* In most frames, does the draw's id depend only on its place? */
static bool
is_by_place(const struct pp_saved_draw *draw)
{
    return 2 * draw->by_place > draw->rows;
}

static void
print_by_place(FILE *out, const struct pp_saved_session *rec)
{
    size_t draws = 0;
    for (size_t i = 0; i < rec->shown_draws; i++)
        draws += is_by_place(&rec->draw[i]);
    if (draws)
        pp_print(out, PP_FORMAT_DRAWS_BY_PLACE "\n", draws == 1 ? PP_TEXT_DRAWS_A_DRAW : "draws");
}

static void
print_row_long(FILE *out, const struct pp_saved_session *rec, const struct pp_draw_table *table,
               const struct pp_draw_figures *row, enum pp_sort sort, const struct pp_time_unit *unit,
               int wide)
{
    char a[2 * PP_FORMATTED_MAX], b[PP_FORMATTED_MAX], title[1100], id[40];
    pp_print_char(out, ' ');
    pp_print_percent(out, row->share_percent);
    if (table->measure == PP_DRAWS_BY_TIME)
        print_times(out, row, sort, unit);
    else
        pp_print(out, " %12s %12s", pp_format_count(a, row->mean, 0), pp_format_count(b, row->per_frame, 0));
    snprintf(id, sizeof(id), "%.16s", row->draws > 1 ? "-" : row->draw->draw_id);
    pp_print(out, " %10llu %*s  %-16s  %s%s\n", (unsigned long long)row->count, wide, vertices_of(a, row), id,
             row_title(title, sizeof(title), rec, table, row, 200),
             row->draws == 1 && is_by_place(row->draw) ? PP_TEXT_BY_PLACE : "");
}

static void
print_table_long(FILE *out, const struct pp_saved_session *rec, const struct pp_draw_table *table,
                 const struct pp_view *view, size_t most)
{
    const struct pp_time_unit *unit = unit_of(table);
    bool timed = table->measure == PP_DRAWS_BY_TIME;
    int wide = (int)vertices_width(table, most, 10);
    if (!table->len && !table->left_out)
        return;
    pp_print(out, PP_FORMAT_DRAWS_TITLE "\n", timed ? "with" : "without",
             timed ? "it" : measure_name[table->measure]);
    if (timed)
        pp_print(out, "#   Share    mean %s    %s %s  %s a frame", unit->name,
                 view->sort == PP_SORT_P99   ? "p99"
                 : view->sort == PP_SORT_MAX ? "max"
                                             : "p95",
                 unit->name, unit->name);
    else
        pp_print(out, "#   Share         mean      a frame");
    pp_print(out, " %10s %*s  %-16s  Draw\n#\n", "Count", wide, "Vertices", "draw_id");
    for (size_t i = 0; i < table->len && i < most; i++)
        print_row_long(out, rec, table, &table->row[i], view->sort, unit, wide);
    print_left_out(out, "#", table);
    size_t behind = draws_behind(table, most);
    if (behind)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", behind, pp_format_noun((double)behind, "draw", "draws"));
    if (table->grouped && view->by == PP_BY_USUAL)
        pp_print(out, PP_TEXT_DRAWS_GROUPED "\n");
}

void
pp_draws_print_long(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most)
{
    struct pp_draw_tables tables;
    if (pp_draw_tables_make(rec, view, most, &tables)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    for (size_t i = 0; i < tables.len; i++)
        print_table_long(out, rec, &tables.table[i], view, most);
    if (tables.len)
        print_kinds(out, rec, true);
    print_by_place(out, rec);
    if (rec->draw_times_every > 1)
        pp_print(out, PP_FORMAT_DRAWS_P95 "\n", (unsigned long long)rec->draw_times_every);
    pp_draw_tables_finish(&tables);
}
