/** @file
 * See draws.h. */
#include "cli/print/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* How a table of draws is ranked. Draws without GPU time are ranked by the first measure that differs. */
enum measure { BY_TIME, BY_INVOCATIONS, BY_VERTICES, BY_COUNT };

/* A part of rec->draw and how it is ranked. */
struct table {
    const struct pp_saved_session *rec;
    struct pp_saved_draw *draw;
    size_t draws;
    enum measure by;
    double all; /* the measure's sum over all draws of the table */
    struct pp_bracket_bias bias;
};

static double
value_of(const struct pp_saved_draw *draw, enum measure by)
{
    switch (by) {
    case BY_TIME:
        return draw->total_ns;
    case BY_INVOCATIONS:
        return draw->invocations.sum;
    case BY_VERTICES:
        return draw->vertex_runs;
    case BY_COUNT:
        break;
    }
    return (double)draw->rows;
}

/* Sort draws with GPU time first. */
static int
timed_first(const void *a, const void *b)
{
    const struct pp_saved_draw *x = a;
    const struct pp_saved_draw *y = b;
    return (y->gpu_time.len > 0) - (x->gpu_time.len > 0);
}

static int
by_value(const void *a, const void *b, void *by)
{
    const struct pp_saved_draw *x = a;
    const struct pp_saved_draw *y = b;
    double first = value_of(x, *(enum measure *)by);
    double second = value_of(y, *(enum measure *)by);
    if (first < second || first > second)
        return first < second ? 1 : -1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return strcmp(x->draw_id, y->draw_id);
}

static void
table_make(struct table *table, const struct pp_saved_session *rec, struct pp_saved_draw *draw, size_t draws,
           bool timed)
{
    double sum[BY_COUNT + 1] = {0};
    *table = (struct table){.rec = rec, .draw = draw, .draws = draws, .bias = {(double)NAN, (double)NAN}};
    for (size_t i = 0; i < draws; i++)
        for (int by = BY_TIME; by <= BY_COUNT; by++)
            sum[by] += value_of(&draw[i], (enum measure)by);
    if (timed)
        table->by = BY_TIME;
    else
        table->by = sum[BY_INVOCATIONS] > 0 ? BY_INVOCATIONS : sum[BY_VERTICES] > 0 ? BY_VERTICES : BY_COUNT;
    if (timed)
        table->bias = pp_bias_of_scope(rec, "pass"); /* the same two timestamps */
    for (size_t i = 0; i < draws; i++)
        table->all += timed ? pp_less(draw[i].total_ns, table->bias.median_ns * (double)draw[i].timed)
                            : value_of(&draw[i], table->by);
    enum measure by = table->by;
    qsort_r(draw, draws, sizeof(*draw), by_value, &by);
}

/* Make the two tables: draws with GPU time, and draws without. @return How many tables have draws. */
static size_t
tables_make(struct pp_saved_session *rec, struct table table[2])
{
    size_t timed = 0, tables = 0;
    size_t draws = rec->shown_draws;
    if (!draws)
        return 0;
    qsort(rec->draw, draws, sizeof(*rec->draw), timed_first);
    while (timed < draws && rec->draw[timed].gpu_time.len)
        timed++;
    if (timed)
        table_make(&table[tables++], rec, rec->draw, timed, true);
    if (timed < draws)
        table_make(&table[tables++], rec, rec->draw + timed, draws - timed, false);
    return tables;
}

/* Numbers of one draw. */
struct row {
    double share_percent, mean, p95, a_frame;
    bool unresolved;
};

static void
row_make(struct row *row, const struct table *table, struct pp_saved_draw *draw)
{
    double frames = (double)table->rec->measured_frames;
    double total = value_of(draw, table->by);
    *row = (struct row){.mean = total / (double)draw->rows, .p95 = (double)NAN};
    if (table->by == BY_TIME) {
        struct pp_series *t = &draw->gpu_time;
        pp_stats_sort(t->value, t->len);
        row->mean = pp_less(total / (double)draw->timed, table->bias.median_ns);
        total = pp_less(total, table->bias.median_ns * (double)draw->timed);
        row->p95 = pp_less(pp_quantile7(t->value, t->len, 0.95), table->bias.median_ns);
        row->unresolved = row->mean < 3 * table->bias.spread_ns;
    }
    row->share_percent = table->all > 0 && !row->unresolved ? 100 * total / table->all : (double)NAN;
    row->a_frame = frames > 0 ? total / frames : (double)NAN;
}

/* The unit in which the most expensive draw reads best. */
static const struct pp_time_unit *
unit_of(const struct table *table)
{
    const struct pp_saved_draw *first = &table->draw[0];
    return pp_time_unit_for(first->timed ? first->total_ns / (double)first->timed : 0);
}

static const char *
number_of(char text[PP_FORMATTED_MAX], const struct table *table, double value,
          const struct pp_time_unit *unit)
{
    if (table->by == BY_TIME)
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
vertices_of(char text[2 * PP_FORMATTED_MAX], const struct pp_saved_draw *draw)
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
vertices_width(const struct table *table, size_t most, size_t least)
{
    char text[2 * PP_FORMATTED_MAX];
    size_t widest = least;
    for (size_t i = 0; i < table->draws && i < most; i++) {
        size_t wide = strlen(vertices_of(text, &table->draw[i]));
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

static const char *const measure_name[] = {
    [BY_TIME] = PP_TEXT_BY_GPU_TIME,
    [BY_INVOCATIONS] = PP_TEXT_BY_INVOCATIONS,
    [BY_VERTICES] = PP_TEXT_BY_VERTICES,
    [BY_COUNT] = "count",
};

static void
print_table_short(FILE *out, const struct table *table, size_t most)
{
    const struct pp_time_unit *unit = unit_of(table);
    char a[PP_FORMATTED_MAX];
    char b[2 * PP_FORMATTED_MAX];
    char cost[32] = PP_TEXT_A_FRAME;
    char name[4 * 160 + 8];
    size_t shown = 0;
    size_t columns = pp_format_columns(out);
    size_t wide = vertices_width(table, most, strlen("vertices"));
    if (table->by == BY_TIME)
        snprintf(cost, sizeof(cost), "%s/frame", unit->name);
    else
        pp_print(out, "\n" PP_FORMAT_DRAWS_UNTIMED "\n", measure_name[table->by]);
    pp_print(out, table->by == BY_TIME ? "\n %7s %10s %*s  draw\n" : " %7s %10s %*s  draw\n",
             table->by == BY_TIME ? "GPU %" : "share", cost, (int)wide, "vertices");
    for (; shown < table->draws && shown < most; shown++) {
        struct row row;
        struct pp_saved_draw *draw = &table->draw[shown];
        if (value_of(draw, table->by) <= 0)
            break;
        row_make(&row, table, draw);
        if (row.unresolved) {
            pp_print(out, "%19s", PP_TEXT_BELOW_RESOLUTION);
        } else {
            pp_print_percent(out, row.share_percent);
            pp_print(out, " %10s", number_of(a, table, row.a_frame, unit));
        }
        pp_print(out, " %*s  %s\n", (int)wide, vertices_of(b, draw),
                 title_of(name, sizeof(name), table->rec, draw, pp_format_left(columns, 21 + wide, 12)));
    }
    if (table->draws > shown)
        pp_print(out, PP_FORMAT_MORE_ENTRIES_SHORT "\n", table->draws - shown,
                 pp_format_noun((double)(table->draws - shown), "draw", "draws"));
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
pp_draws_print_short(FILE *out, struct pp_saved_session *rec, size_t most)
{
    struct table table[2];
    size_t tables = tables_make(rec, table);
    for (size_t i = 0; i < tables; i++)
        print_table_short(out, &table[i], most);
    if (tables)
        print_kinds(out, rec, false);
}

/* Print mean, p95 and cost in a frame of a draw with GPU time. */
static void
print_times(FILE *out, const struct row *row, const struct pp_time_unit *unit)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX], c[PP_FORMATTED_MAX];
    if (row->unresolved)
        pp_print(out, " %32s", PP_TEXT_BELOW_RESOLUTION);
    else
        pp_print(out, " %10s %9s %11s", pp_format_time(a, row->mean, unit), pp_format_time(b, row->p95, unit),
                 pp_format_time(c, row->a_frame, unit));
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
print_table_long(FILE *out, const struct table *table, size_t most)
{
    const struct pp_time_unit *unit = unit_of(table);
    char a[2 * PP_FORMATTED_MAX];
    char b[PP_FORMATTED_MAX];
    char title[1024];
    bool timed = table->by == BY_TIME;
    int wide = (int)vertices_width(table, most, 10);
    pp_print(out, PP_FORMAT_DRAWS_TITLE "\n", timed ? "with" : "without",
             timed ? "it" : measure_name[table->by]);
    if (timed)
        pp_print(out, "#   Share    mean %s    p95 %s  %s a frame", unit->name, unit->name, unit->name);
    else
        pp_print(out, "#   Share         mean      a frame");
    pp_print(out, " %10s %*s  %-16s  Draw\n#\n", "Count", wide, "Vertices", "draw_id");
    for (size_t i = 0; i < table->draws && i < most; i++) {
        struct pp_saved_draw *draw = &table->draw[i];
        struct row row;
        row_make(&row, table, draw);
        pp_print_char(out, ' ');
        pp_print_percent(out, row.share_percent);
        if (timed)
            print_times(out, &row, unit);
        else
            pp_print(out, " %12s %12s", pp_format_count(a, row.mean, 0), pp_format_count(b, row.a_frame, 0));
        pp_print(out, " %10llu %*s  %-16.16s", (unsigned long long)draw->rows, wide, vertices_of(a, draw),
                 draw->draw_id);
        pp_print(out, "  %s%s\n", title_of(title, sizeof(title), table->rec, draw, 200),
                 is_by_place(draw) ? PP_TEXT_BY_PLACE : "");
    }
    if (table->draws > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", table->draws - most,
                 pp_format_noun((double)(table->draws - most), "draw", "draws"));
}

void
pp_draws_print_long(FILE *out, struct pp_saved_session *rec, size_t most)
{
    struct table table[2];
    size_t tables = tables_make(rec, table);
    for (size_t i = 0; i < tables; i++)
        print_table_long(out, &table[i], most);
    if (tables)
        print_kinds(out, rec, true);
    print_by_place(out, rec);
    if (rec->draw_times_every > 1)
        pp_print(out, PP_FORMAT_DRAWS_P95 "\n", (unsigned long long)rec->draw_times_every);
}
