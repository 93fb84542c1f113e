/** @file
 * See report_csv.h. */
#include "cli/print/report_csv.h"

#include <errno.h>
#include <stdint.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/label_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/print/table.h"

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

static int
write_draws(FILE *out, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_draw_tables tables;
    int rc = pp_draw_tables_make(rec, view, SIZE_MAX, &tables);
    if (rc)
        return rc;
    pp_csv_table_begin(out, &pp_draw_columns);
    for (size_t t = 0; t < tables.len; t++)
        for (size_t i = 0; i < tables.table[t].len; i++)
            pp_csv_table_row(out, &pp_draw_columns, &tables.table[t].row[i]);
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
