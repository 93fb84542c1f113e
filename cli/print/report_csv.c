/** @file
 * See report_csv.h. */
#include "cli/print/report_csv.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/label_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/print/print.h"
#include "cli/print/table.h"
#include "cli/session/csv_write.h"
#include "counters/util/array_size.h"

static const char *const draw_columns[] = {"draw_id",
                                           "call",
                                           "pipeline",
                                           "label",
                                           "pass_id",
                                           "surface",
                                           "place",
                                           "draws",
                                           "count",
                                           "vertices",
                                           "instances",
                                           "share_percent",
                                           "gpu_ns_per_frame",
                                           "mean_ns",
                                           "p95_ns",
                                           "p99_ns",
                                           "max_ns",
                                           "max_frame",
                                           "shader_invocations_per_frame",
                                           "at"};
/* Write a number as a cell with a comma in front; nothing where it is not known. */
static void
cell(FILE *out, double value)
{
    pp_print_char(out, ',');
    if (isfinite(value))
        pp_print(out, "%.15g", value);
}

/* Write the header row. */
static void
head(FILE *out, const char *const *column, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        pp_print(out, "%s%s", i ? "," : "", column[i]);
    pp_csv_end_row(out);
}

/* Write a text as a cell. */
static void
text_cell(FILE *out, const char *text, bool first)
{
    if (!first)
        pp_print_char(out, ',');
    pp_csv_print(out, text);
}

/* The surface of a row; "" where it is in no frame. */
static const char *
surface_of(const struct pp_saved_session *rec, size_t surface)
{
    return surface < rec->surfaces ? rec->surface[surface].surface : "";
}

static int
write_passes(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_pass_table table;
    struct pp_view unfolded = *view;
    unfolded.fold = false;
    int rc = pp_pass_table_make(rec, &unfolded, &table);
    if (rc)
        return rc;
    pp_csv_table_begin(out, &pp_pass_columns);
    for (size_t i = 0; i < table.len; i++)
        pp_csv_table_row(out, &pp_pass_columns, &table.row[i]);
    pp_pass_table_finish(&table);
    return 0;
}

static double
mean_of(const struct pp_saved_sum *sum)
{
    return sum->rows ? sum->sum / (double)sum->rows : (double)NAN;
}

static void
write_draw(FILE *out, const struct pp_saved_session *rec, const struct pp_draw_table *table,
           const struct pp_draw_figures *row)
{
    const struct pp_saved_draw *draw = row->draw;
    bool one = row->draws == 1, timed = table->measure == PP_DRAWS_BY_TIME;
    double none = (double)NAN;
    text_cell(out, one ? draw->draw_id : "", true);
    text_cell(out, one || table->by == PP_BY_CALL || !*draw->pipeline ? draw->call : "", false);
    text_cell(out, one || table->by != PP_BY_CALL ? draw->pipeline : "", false);
    text_cell(out, one ? draw->label : "", false);
    text_cell(out, row->one_pass && draw->pass_id ? draw->pass_id : "", false);
    text_cell(out, one ? surface_of(rec, draw->surface) : "", false);
    cell(out, one ? (double)draw->place : none);
    const double figure[] = {(double)row->draws,
                             (double)row->count,
                             mean_of(&row->vertices),
                             mean_of(&row->instances),
                             row->share_percent,
                             timed ? row->per_frame : none,
                             timed ? row->mean : none,
                             row->p95,
                             row->p99,
                             row->max,
                             row->max_frame,
                             table->measure == PP_DRAWS_BY_INVOCATIONS ? row->per_frame : none};
    for (size_t k = 0; k < PP_ARRAY_SIZE(figure); k++)
        cell(out, figure[k]);
    text_cell(out, one && draw->calls.at ? draw->calls.at : "", false);
    pp_csv_end_row(out);
}

static int
write_draws(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_draw_tables tables;
    int rc = pp_draw_tables_make(rec, view, SIZE_MAX, &tables);
    if (rc)
        return rc;
    head(out, draw_columns, PP_ARRAY_SIZE(draw_columns));
    for (size_t t = 0; t < tables.len; t++)
        for (size_t i = 0; i < tables.table[t].len; i++)
            write_draw(out, rec, &tables.table[t], &tables.table[t].row[i]);
    pp_draw_tables_finish(&tables);
    return 0;
}

static int
write_labels(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_label_table table;
    int rc = pp_label_table_make(rec, view, &table);
    if (rc)
        return rc;
    pp_csv_table_begin(out, &pp_label_columns);
    for (size_t i = 0; i < table.len; i++)
        pp_csv_table_row(out, &pp_label_columns, &table.row[i]);
    pp_label_table_finish(&table);
    return 0;
}

int
pp_report_csv_write(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    int rc = 0;
    errno = EIO; /* if the system says nothing */
    if (view->by == PP_BY_LABEL)
        rc = write_labels(out, rec, view);
    else if (view->by == PP_BY_PROGRAM || view->by == PP_BY_CALL || view->by == PP_BY_DRAW)
        rc = write_draws(out, rec, view);
    else
        rc = write_passes(out, rec, view);
    return rc ? rc : fflush(out) || ferror(out) ? -errno : 0;
}
