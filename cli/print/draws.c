/** @file
 * See report.h. */
#include "cli/print/report.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/print/passes.h"
#include "cli/print/table.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define LEAST_PASS  16U /* columns of a pass's title after a draw */
#define LEAST_TITLE 20U /* columns of a title in front of its line */
#define LEAST_PLACE 12U /* columns of a line */
#define MOST_PLACE  28U

/* The part of a draw's label that the title of its pass lacks. */
static const char *
own_label(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_draw *draw,
          const struct pp_saved_pass *pass)
{
    size_t common = pass ? strlen(pass->label) : 0;
    const char *own = draw->label;
    if (common && strncmp(own, pass->label, common) == 0 && (own[common] == '/' || !own[common]))
        own += common + (own[common] == '/');
    return pp_saved_label_text(rec, draw->label, own, text, size);
}

/* Add a pass to a title. @return false: it does not fit. */
static bool
add_pass(char *title, size_t size, const struct pp_saved_session *rec, const struct pp_saved_pass *pass,
         size_t columns)
{
    char in[1024];
    char plain[4096];
    size_t left = pp_format_left(columns, pp_format_width(title) + 4, 0);
    if (pp_format_width(pp_pass_title(in, sizeof(in), rec, pass, 200)) > left) {
        const char *label = pp_saved_label_text(rec, pass->label, pass->label, plain, sizeof(plain));
        if (*label && pp_format_width(label) <= left)
            pp_format_name(in, sizeof(in), label, left); /* the region that the pass is in */
        else if (left >= LEAST_PASS)
            pp_pass_title(in, sizeof(in), rec, pass, left);
        else
            return false;
    }
    pp_format_append(title, size, " in %s", in);
    return true;
}

/* Make the name of a draw: place, call, pipeline, label, and pass. If they do not fit, words of the pass are
 * left out, then the pipeline, then the pass. */
static const char *
title_of(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_draw *draw,
         size_t columns)
{
    char name[1024], plain[1024], joined[4096];
    const struct pp_saved_pass *pass =
        draw->pass_id ? pp_saved_pass(rec, draw->pass_id, draw->surface) : NULL;
    const char *own = own_label(plain, sizeof(plain), rec, draw, pass);
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        snprintf(joined, sizeof(joined), "%llu %s", (unsigned long long)draw->place,
                 pp_format_name(name, sizeof(name), draw->call, 120));
        if (attempt == 0 && *draw->pipeline)
            pp_format_append(joined, sizeof(joined), " %s",
                             pp_format_middle(name, sizeof(name), draw->pipeline, 200));
        size_t left = pp_format_left(columns, pp_format_width(joined) + 2, 8);
        if (*own)
            pp_format_append(joined, sizeof(joined), ", %s",
                             pp_format_words(name, sizeof(name), own,
                                             pass && left > (size_t)2 * LEAST_PASS ? left / 2 : left));
        if (pp_format_width(joined) <= columns &&
            (!pass || add_pass(joined, sizeof(joined), rec, pass, columns)))
            break;
        if (!*draw->pipeline)
            break;
    }
    return pp_format_words(text, size, joined, columns);
}

/* Write the line that issued a draw, in front of which the title is; nothing where it is not known. */
static void
place_of(char *text, size_t size, const struct pp_saved_calls *calls, size_t columns)
{
    char name[300];
    const char *slash = calls->at ? strrchr(calls->at, '/') : NULL;
    if (calls->at)
        snprintf(text, size, calls->several ? " at %s ..." : " at %s",
                 pp_format_middle(name, sizeof(name), slash ? slash + 1 : calls->at,
                                  columns < MOST_PLACE ? columns : MOST_PLACE));
}

/* The name of a row: place, call, pipeline, label and pass of a draw, or what the draws of a group have in
 * common and their number. At most @p columns wide: what does not fit is left out, words of the pass first;
 * no word is cut.
 * @return text. */
static const char *
draw_title(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_draw_table *table,
           const struct pp_draw_figures *row, size_t columns)
{
    char title[2400];
    const struct pp_saved_draw *draw = row->draw;
    if (row->draws <= 1) {
        size_t margin = row->member ? 2 : 0;
        char at[400] = "";
        place_of(at, sizeof(at), &draw->calls, pp_format_left(columns, margin + LEAST_TITLE, LEAST_PLACE));
        snprintf(text, size, "%*s", (int)margin, "");
        title_of(text + margin, size - margin, rec, draw,
                 pp_format_left(columns, margin + pp_format_width(at), LEAST_TITLE));
        pp_format_append(text, size, "%s", at);
        return text;
    }
    char more[64];
    const struct pp_saved_pass *pass =
        draw->pass_id && row->one_pass ? pp_saved_pass(rec, draw->pass_id, draw->surface) : NULL;
    snprintf(more, sizeof(more), ", %.0f %s", row->draws, isnan(row->vertices) ? "actions" : "draws");
    pp_format_words(title, sizeof(title), table->by == PP_BY_CALL ? draw->call : row->name,
                    pp_format_left(columns, strlen(more), 12));
    pp_format_append(title, sizeof(title), "%s", more);
    if (pass)
        (void)add_pass(title, sizeof(title), rec, pass, columns);
    return pp_format_words(text, size, title, columns);
}

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
    return pp_format_rough_count(text, value);
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
    if (isnan(draw->vertices))
        return "-";
    pp_format_rough_count(text, draw->vertices);
    if (draw->instances < 1 || draw->instances > 1)
        pp_format_append(text, (size_t)2 * PP_FORMATTED_MAX, "x%s", instances_of(number, draw->instances));
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

static const char *const measure_name[] = {
    [PP_DRAWS_BY_TIME] = PP_TEXT_BY_GPU_TIME,
    [PP_DRAWS_BY_INVOCATIONS] = "shader invocations",
    [PP_DRAWS_BY_VERTICES] = "vertices x instances",
    [PP_DRAWS_BY_COUNT] = "count",
};

/* Print how many draws --percent-limit left out. */
static void
print_left_out(FILE *out, const char *margin, const struct pp_draw_table *table)
{
    char share[PP_FORMATTED_MAX];
    if (table->left_out)
        pp_print(out, "%s left out by --percent-limit: %zu %s with %s %% of this table\n", margin,
                 table->left_out, pp_format_noun((double)table->left_out, "draw", "draws"),
                 pp_format_fixed(share, table->left_out_percent, 1));
}

/* The number of draws in the rows after the first ones. */
static size_t
draws_behind(const struct pp_draw_table *table, size_t shown)
{
    size_t draws = 0;
    for (size_t i = shown; i < table->len; i++)
        draws += table->row[i].member ? 0 : (size_t)table->row[i].draws;
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
        pp_print(out, "  %6s", pp_format_fixed(a, row->share_percent, 1));
        pp_print(out, " %10s", number_of(a, table, row->per_frame, unit));
    }
    pp_print(out, " %*s  %s\n", (int)wide, vertices_of(b, row),
             draw_title(name, sizeof(name), rec, table, row, columns));
}

static void
print_table_short(FILE *out, const struct pp_saved_session *rec, const struct pp_draw_table *table,
                  size_t most)
{
    const struct pp_time_unit *unit = unit_of(table);
    char cost[32] = "a frame";
    size_t shown = 0, printed = 0, wide = vertices_width(table, most, strlen("vertices"));
    if (!table->len && !table->left_out)
        return;
    if (table->measure == PP_DRAWS_BY_TIME)
        snprintf(cost, sizeof(cost), "%s/frame", unit->name);
    else
        pp_print(out, "\n   draws without GPU time, by %s\n", measure_name[table->measure]);
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
                 pp_format_noun((double)behind, "draw", "draws"), pp_saved_operand(rec));
}

/* Kinds of rows of draws.csv. Clears have rows, but are in no count of frames or passes. */
enum { DRAWS, DISPATCHES, COPIES, CLEARS, KINDS };

/* Add up the counts of all frames at level draw. @return Number of these frames. */
static double
count_in_frames(const struct pp_saved_session *rec, double sum[KINDS])
{
    double frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++) {
        const struct pp_saved_times *times = &rec->surface[i].times[PP_SAVED_DRAW];
        if (rec->shown != PP_SAVED_NO_SURFACE && rec->shown != i)
            continue;
        frames += (double)times->draws.rows;
        sum[DRAWS] += times->draws.sum;
        sum[DISPATCHES] += times->dispatches.sum;
        sum[COPIES] += times->copies.sum;
    }
    return frames;
}

/* Add up the counts of the passes that have rows. @return Number of frames with such rows. */
static double
count_in_passes(const struct pp_saved_session *rec, double sum[KINDS])
{
    for (size_t i = 0; i < rec->shown_passes; i++) {
        sum[DRAWS] += rec->pass[i].draws.sum;
        sum[DISPATCHES] += rec->pass[i].dispatches.sum;
        sum[COPIES] += rec->pass[i].copies.sum;
    }
    return (double)rec->measured_frames;
}

/* Print how many rows of each kind there are. */
static void
print_kinds(FILE *out, const struct pp_saved_session *rec, bool report)
{
    static const char *const name[KINDS] = {"draws", "dispatches",
                                            "copies (also blits, uploads, read-backs, mipmaps)",
                                            "clears (counted here only)"};
    double sum[KINDS] = {0}, rows = 0;
    char text[256];
    double frames = rec->keep_ns > 0 ? count_in_passes(rec, sum) : count_in_frames(rec, sum);
    for (size_t i = 0; i < rec->surfaces; i++)
        if (rec->shown == PP_SAVED_NO_SURFACE || rec->shown == i)
            rows += (double)rec->surface[i].action_rows;
    if (frames <= 0 || !rec->draws_frames)
        return;
    rows /= (double)rec->draws_frames;
    for (size_t i = 0; i < CLEARS; i++)
        sum[i] /= frames;
    sum[CLEARS] = rows - sum[DRAWS] - sum[DISPATCHES] - sum[COPIES];
    snprintf(text, sizeof(text), report ? "%.1f rows a frame" : "%.1f", rows);
    for (size_t i = 0; i < KINDS; i++)
        if (sum[i] >= 0.05)
            pp_format_append(text, sizeof(text), "%s %.1f %s", strchr(text, ':') ? "," : ":", sum[i],
                             name[i]);
    pp_print(out, report ? "#\n# draws.csv has " : "   rows/frame   ");
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
        pp_print(out,
                 "# By place: only the place in the frame identifies %s with this mark. Another frame may "
                 "have\n# a different action there. Debug labels in the application distinguish draws.\n",
                 draws == 1 ? "a draw" : "draws");
}

static void
print_row_long(const struct pp_text_table *text, const struct pp_draw_table *table,
               const struct pp_draw_figures *row)
{
    char vertices[2 * PP_FORMATTED_MAX], id[32], title[1100];
    struct pp_draw_figures made = *row;
    snprintf(id, sizeof(id), " %.16s", row->draws > 1 ? "-" : row->id);
    made.shown_id = id;
    made.shape = vertices_of(vertices, row);
    draw_title(title, sizeof(title), table->rec, table, row, text->title_columns);
    if (row->draws <= 1 && is_by_place(row->draw))
        pp_format_append(title, sizeof(title), " (by place)");
    pp_text_table_row(text, &made, title);
}

static void
print_table_long(FILE *out, const struct pp_draw_table *table, const struct pp_view *view, size_t most)
{
    bool timed = table->measure == PP_DRAWS_BY_TIME;
    struct pp_text_table text = {.out = out,
                                 .in = timed ? PP_IN_TEXT : PP_IN_COUNTS,
                                 .columns = &pp_draw_columns,
                                 .view = view,
                                 .unit = unit_of(table),
                                 .least_ns = (double)NAN,
                                 .width = (int)vertices_width(table, most, strlen("vertices"))};
    if (!table->len && !table->left_out)
        return;
    pp_print(out, "#\n# Draws %s GPU time, by %s. 100 %% is the sum of these draws.\n#\n",
             timed ? "with" : "without", measure_name[table->measure]);
    pp_text_table_begin(&text);
    for (size_t i = 0; i < table->len && i < most; i++)
        print_row_long(&text, table, &table->row[i]);
    print_left_out(out, "#", table);
    size_t behind = draws_behind(table, most);
    if (behind)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", behind, pp_format_noun((double)behind, "draw", "draws"));
    if (table->grouped && view->by == PP_BY_USUAL)
        pp_print(out, "# Draws of one shader program or pipeline share a row, with the most expensive\n# "
                      "ones below it. All draws: --entries 0\n");
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
        print_table_long(out, &tables.table[i], view, most);
    if (tables.len)
        print_kinds(out, rec, true);
    print_by_place(out, rec);
    if (rec->draw_times_every > 1)
        pp_print(out, "# p95 of draws: from one in %llu times. The means contain all times.\n",
                 (unsigned long long)rec->draw_times_every);
    pp_draw_tables_finish(&tables);
}
