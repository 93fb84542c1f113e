/** @file
 * See export_session.h. */
#include "cli/export/export_session.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/export/export_csv.h"
#include "cli/export/export_json.h"
#include "cli/session/session_files.h"
#include "core/config/dir_content.h"

int
pp_export_table(struct pp_export *e, const char *name, const struct pp_export_column *column, size_t columns,
                void **ret_table)
{
    e->error = e->format->ops->table(e->format, name, column, columns, ret_table);
    return e->error;
}

int
pp_export_row(struct pp_export *e, void *table, const struct pp_export_value *value)
{
    e->error = e->format->ops->row(e->format, table, value);
    e->rows += !e->error;
    return e->error;
}

enum pp_export_type
pp_export_place_type(const struct pp_export *e)
{
    const json_t *schema = pp_saved_json(&e->rec, "schema");
    if (!schema)
        return PP_EXPORT_ANY;
    return json_integer_value(schema) < 2 ? PP_EXPORT_TEXT : PP_EXPORT_INTEGER;
}

/* Where the result of reading a file is noted; NULL: it is a file that `report` does not read. */
static int *
error_of(struct pp_saved_session *rec, const char *file)
{
    if (strcmp(file, "passes.csv") == 0)
        return &rec->passes_error;
    if (strcmp(file, "draws.csv") == 0)
        return &rec->draws_error;
    if (strcmp(file, "labels.csv") == 0)
        return &rec->labels_error;
    if (!pp_saved_json(rec, "stacks"))
        return NULL;
    if (strcmp(file, "stacks.csv") == 0)
        return &rec->stacks_error;
    return strcmp(file, "modules.csv") == 0 ? &rec->modules_error : NULL;
}

/* Write frames.csv. Its damage was counted when the frames were read. */
static int
write_frames(struct pp_export *e)
{
    struct pp_saved_session *rec = &e->rec;
    uint64_t bad = rec->bad_rows, damaged = rec->damaged_rows, early = rec->early_rows;
    double framed = 0;
    int rc = pp_export_csv(e, pp_saved_frames_file(rec->dir_fd), "frames", NULL, &framed);
    rec->bad_rows = bad;
    rec->damaged_rows = damaged;
    rec->early_rows = early;
    return e->error ? e->error : rc == -ENOMEM ? rc : 0;
}

/* Write a file that is neither frames.csv nor session.json. */
static int
write_file(struct pp_export *e, const char *file)
{
    char table[NAME_MAX + 1];
    struct pp_saved_session *rec = &e->rec;
    size_t len = strlen(file);
    if (len < 5 || len >= sizeof(table) || strcmp(file + len - 4, ".csv") != 0 ||
        strcmp(file, "frames.csv") == 0)
        return 0;
    memcpy(table, file, len - 4);
    table[len - 4] = '\0';
    uint64_t rows = 0;
    double framed = 0;
    int rc = pp_export_csv(e, file, table, &rows, &framed);
    int *error = error_of(rec, file);
    if (error)
        *error = rc;
    if (error == &rec->passes_error) {
        rec->passes_rows = rows;
        rec->framed_passes = framed;
    } else if (error == &rec->draws_error) {
        rec->draws_rows = rows;
        rec->framed_actions = framed;
    } else if (error == &rec->labels_error) {
        rec->labels_rows = rows;
    } else if (error == &rec->stacks_error) {
        rec->stacks_rows = rows;
    }
    return e->error ? e->error : rc == -ENOMEM ? rc : 0;
}

int
pp_export_session(struct pp_export *e, int dir_fd)
{
    struct pp_saved_session *rec = &e->rec;
    pp_saved_begin(rec, dir_fd);
    rec->whole = true;
    bool narrowed = (e->window && e->window->any) || e->between;
    if (narrowed && pp_saved_place_window(rec, e->window, e->between))
        return -ESRCH;
    rec->frames_error = pp_saved_read_frames(rec, pp_saved_frames_file(dir_fd), NULL, 0);
    if (rec->frames_error == -ENOMEM)
        return -ENOMEM;
    if (rec->json_missing && rec->frames_error == -ENOENT)
        return -ENOENT;
    int rc = pp_export_json_tables(e);
    rc = rc ? rc : write_frames(e);
    const char *file = NULL;
    for (size_t i = 0; rc == 0 && (file = pp_dir_session_file(i)); i++)
        rc = write_file(e, file);
    if (rc == 0)
        rc = e->error = e->format->ops->end(e->format);
    return rc;
}

void
pp_export_finish(struct pp_export *e)
{
    pp_saved_finish(&e->rec);
}
