/** @file
 * See export_csv.h. */
#include "cli/export/export_csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "cli/session/row_reader.h"
#include "counters/util/array_size.h"

#define APP_PREFIX "app:"

/* A file that is being read. */
struct reading {
    struct pp_row_reader r;
    struct pp_export *e;
    const char *name; /* of the table */
    void *table;
    void *app_counters; /* the table; NULL: the file has no user counters */
    struct pp_export_columns columns;
    struct pp_export_value *value; /* of a row */
    char **app;                    /* of each column: name of the user counter; NULL: it is none */
    char **clean;                  /* of each column: a text whose broken UTF-8 was replaced; NULL: none */
    int error;                     /* no memory */
};

/* Find the columns of user counters, and begin their table. */
static int
begin_app_counters(struct reading *f, const struct pp_cell *cell, size_t cells)
{
    static const struct pp_export_column column[] = {
        {"frame", PP_EXPORT_INTEGER}, {"name", PP_EXPORT_TEXT}, {"value", PP_EXPORT_REAL}};
    for (size_t i = 0; i < cells; i++) {
        if (strncmp(cell[i].text, APP_PREFIX, strlen(APP_PREFIX)) != 0)
            continue;
        f->app[i] = strdup(cell[i].text + strlen(APP_PREFIX));
        if (!f->app[i])
            return -ENOMEM;
        pp_export_utf8(f->app[i]);
    }
    return pp_export_table(f->e, "app_counters", column, PP_ARRAY_SIZE(column), &f->app_counters);
}

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *f = data;
    pp_row_reader_columns(&f->r, cell, cells);
    f->value = calloc(cells, sizeof(*f->value));
    f->app = calloc(cells, sizeof(*f->app));
    f->clean = calloc(cells, sizeof(*f->clean));
    bool whole = f->value && f->app && f->clean;
    f->error = whole ? pp_export_columns_make(cell, cells, pp_export_place_type(f->e), &f->columns) : -ENOMEM;
    if (f->error || pp_export_table(f->e, f->name, f->columns.column, cells, &f->table))
        return false;
    if (strcmp(f->name, "frames") == 0)
        f->error = begin_app_counters(f, cell, cells);
    return f->error == 0;
}

/* Replace the broken UTF-8 of a text by '?'. */
static int
clean_text(struct reading *f, size_t at)
{
    struct pp_export_value *value = &f->value[at];
    free(f->clean[at]);
    f->clean[at] = strdup(value->text);
    if (!f->clean[at])
        return -ENOMEM;
    value->text = pp_export_utf8(f->clean[at]);
    return 0;
}

static int
write_app_counters(struct reading *f)
{
    int rc = 0;
    for (size_t i = 0; i < f->columns.columns && rc == 0; i++) {
        if (!f->app[i] || f->value[i].kind == PP_EXPORT_IS_NULL)
            continue;
        const struct pp_export_value row[] = {
            f->value[f->r.at[COL_FRAME]],
            {.kind = PP_EXPORT_IS_TEXT, .text = f->app[i], .len = strlen(f->app[i])},
            f->value[i]};
        rc = pp_export_row(f->e, f->app_counters, row);
    }
    return rc;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *f = data;
    double frame = 0;
    if (!pp_row_reader_frame(&f->r, cell, &frame))
        return true;
    for (size_t i = 0; i < cells && f->error == 0; i++) {
        struct pp_export_value *value = &f->value[i];
        f->e->bad_cells += !pp_export_value_of(&cell[i], f->columns.column[i].type, value) && cell[i].len;
        if (value->kind == PP_EXPORT_IS_TEXT && !pp_export_is_utf8(value->text))
            f->error = clean_text(f, i);
    }
    if (f->error || pp_export_row(f->e, f->table, f->value))
        return false;
    return !f->app_counters || f->r.at[COL_FRAME] == SIZE_MAX || write_app_counters(f) == 0;
}

int
pp_export_csv(struct pp_export *e, const char *file, const char *table, uint64_t *ret_rows,
              double *ret_framed)
{
    struct reading f = {.r.rec = &e->rec, .e = e, .name = table};
    const struct pp_csv_reader reader = {
        .header = on_header, .row = on_row, .data = &f, .damaged = &e->rec.damaged_rows, .rows = ret_rows};
    int rc = pp_csv_read(e->rec.dir_fd, file, &reader);
    *ret_framed = f.r.framed;
    for (size_t i = 0; i < f.columns.columns; i++) {
        free(f.app[i]);
        free(f.clean[i]);
    }
    free(f.value);
    free(f.app);
    free(f.clean);
    pp_export_columns_finish(&f.columns);
    return f.error ? f.error : e->error ? 0 : rc;
}
