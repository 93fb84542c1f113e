/** @file
 * See export_session.h. */
#include "cli/export/export_session.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "cli/session/row_reader.h"
#include "cli/session/session_json.h"
#include "core/config/dir_content.h"
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

/*
 * Write a file as a table. Rows of frames that frames.csv does not have are left out, and counted in
 * e->rec.early_rows. Values of user counters in frames.csv also become rows of the table `app_counters`.
 *
 * @param ret_rows   Rows of the file, damaged ones and those that are left out, too; NULL: not counted.
 * @param ret_framed Rows of frames that frames.csv has.
 * @retval 0      The file was read; or the format failed (e->error).
 * @retval -errno As pp_csv_read(); the rows before were written.
 */
static int
export_csv(struct pp_export *e, const char *file, const char *table, uint64_t *ret_rows, double *ret_framed)
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

/* Columns of the widest table. */
#define COLUMNS_MOST 24U

/* A column that is a member of an object. */
struct member {
    struct pp_export_column column;
    const char *path; /* "a.b"; "": the object itself; NULL: its place in its array */
};

static const struct member session_members[] = {
    {{"passprobe", PP_EXPORT_TEXT}, "passprobe"},
    {{"schema", PP_EXPORT_INTEGER}, "schema"},
    {{"ended", PP_EXPORT_TEXT}, "ended"},
    {{"executable", PP_EXPORT_TEXT}, "program.executable"},
    {{"command", PP_EXPORT_TEXT}, "program.command"},
    {{"pid", PP_EXPORT_INTEGER}, "program.pid"},
    {{"start", PP_EXPORT_TEXT}, "program.start"},
    {{"start_monotonic_ns", PP_EXPORT_INTEGER}, "program.start_monotonic_ns"},
    {{"start_realtime_ns", PP_EXPORT_INTEGER}, "program.start_realtime_ns"},
    {{"host", PP_EXPORT_TEXT}, "host.name"},
    {{"kernel", PP_EXPORT_TEXT}, "host.kernel"},
    {{"os", PP_EXPORT_TEXT}, "host.os"},
    {{"cpu", PP_EXPORT_TEXT}, "host.cpu"},
    {{"level", PP_EXPORT_TEXT}, "options.level"},
    {{"events", PP_EXPORT_TEXT}, "options.events"},
    {{"frames", PP_EXPORT_INTEGER}, "counts.frames"},
    {{"passes", PP_EXPORT_INTEGER}, "counts.passes"},
    {{"draws", PP_EXPORT_INTEGER}, "counts.draws"},
    {{"dropped_frames", PP_EXPORT_INTEGER}, "dropped.frames"},
    {{"overhead_percent", PP_EXPORT_REAL}, "own_cost.percent"},
    {{"json", PP_EXPORT_TEXT}, ""},
};

static const struct member device_members[] = {
    {{"device", PP_EXPORT_INTEGER}, NULL},
    {{"api", PP_EXPORT_TEXT}, "api"},
    {{"api_version", PP_EXPORT_TEXT}, "api_version"},
    {{"name", PP_EXPORT_TEXT}, "name"},
    {{"driver", PP_EXPORT_TEXT}, "driver"},
    {{"timestamp_bits", PP_EXPORT_INTEGER}, "timestamp_bits"},
    {{"timestamp_tick_ns", PP_EXPORT_REAL}, "timestamp_tick_ns"},
    {{"json", PP_EXPORT_TEXT}, ""},
};

static const struct member surface_members[] = {
    {{"surface", PP_EXPORT_INTEGER}, NULL},
    {{"name", PP_EXPORT_TEXT}, "name"},
    {{"device", PP_EXPORT_INTEGER}, "device"},
};

static const struct member mark_members[] = {
    {{"at_ns", PP_EXPORT_INTEGER}, "at_ns"},
    {{"frame", PP_EXPORT_INTEGER}, "frame"},
    {{"label", PP_EXPORT_TEXT}, "label"},
};

/* A member by its path, "a.b"; NULL: it is missing. */
static const json_t *
member_at(const json_t *object, const char *path)
{
    while (object && *path) {
        char key[64];
        size_t len = strcspn(path, ".");
        snprintf(key, sizeof(key), "%.*s", (int)len, path);
        object = json_object_get(object, key);
        path += len + (path[len] == '.');
    }
    return object;
}

/* The value of a member. @param ret_owned Text that the caller frees after the row was written. */
static int
value_of(const json_t *member, struct pp_export_value *ret, char **ret_owned)
{
    *ret = (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
    if (json_is_integer(member) || json_is_boolean(member)) {
        ret->kind = PP_EXPORT_IS_INTEGER;
        ret->integer = json_is_integer(member) ? json_integer_value(member) : json_is_true(member);
    } else if (json_is_real(member)) {
        ret->kind = PP_EXPORT_IS_REAL;
        ret->real = json_real_value(member);
    } else if (json_is_string(member)) {
        ret->kind = PP_EXPORT_IS_TEXT;
        ret->text = json_string_value(member);
        ret->len = json_string_length(member);
    } else if (json_is_object(member) || json_is_array(member)) {
        *ret_owned = json_dumps(member, JSON_COMPACT);
        if (!*ret_owned)
            return -ENOMEM;
        ret->kind = PP_EXPORT_IS_JSON;
        ret->text = *ret_owned;
        ret->len = strlen(*ret_owned);
    }
    return 0;
}

/* May a column of this type have the value? In the session.json of somebody else, a name may be a number. */
static bool
fits(const struct pp_export_value *value, enum pp_export_type type)
{
    bool number = value->kind == PP_EXPORT_IS_INTEGER || value->kind == PP_EXPORT_IS_REAL;
    return value->kind == PP_EXPORT_IS_NULL || type == PP_EXPORT_ANY || number == (type != PP_EXPORT_TEXT);
}

/* Write an object as a row. @param place In its array. */
static int
write_object(struct pp_export *e, void *table, const struct member *member, size_t members,
             const json_t *object, size_t place)
{
    struct pp_export_value value[COLUMNS_MOST];
    char *owned[COLUMNS_MOST] = {NULL};
    int rc = 0;
    for (size_t i = 0; i < members && rc == 0; i++) {
        if (member[i].path)
            rc = value_of(member_at(object, member[i].path), &value[i], &owned[i]);
        else
            value[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_INTEGER, .integer = (int64_t)place};
        if (rc == 0 && !fits(&value[i], member[i].column.type))
            value[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
    }
    rc = rc ? rc : pp_export_row(e, table, value);
    for (size_t i = 0; i < members; i++)
        free(owned[i]);
    return rc;
}

/* Write the objects of an array, or one object, as a table. */
static int
write_table(struct pp_export *e, const char *name, const struct member *member, size_t members,
            const json_t *json)
{
    struct pp_export_column column[COLUMNS_MOST];
    void *table = NULL;
    for (size_t i = 0; i < members; i++)
        column[i] = member[i].column;
    int rc = pp_export_table(e, name, column, members, &table);
    if (rc == 0 && json_is_object(json))
        rc = write_object(e, table, member, members, json, 0);
    for (size_t i = 0; i < json_array_size(json) && rc == 0; i++)
        rc = write_object(e, table, member, members, json_array_get(json, i), i);
    return rc;
}

/* Write the devices. In schema 1 they have no numbers: their names are in the rows of frames. */
static int
write_devices(struct pp_export *e)
{
    struct member member[PP_ARRAY_SIZE(device_members)];
    memcpy(member, device_members, sizeof(member));
    if (pp_export_place_type(e) == PP_EXPORT_TEXT)
        member[0] = (struct member){{"device", PP_EXPORT_TEXT}, "name"};
    return write_table(e, "devices", member, PP_ARRAY_SIZE(member), json_object_get(e->rec.json, "devices"));
}

/* A text as a value; NULL for an empty one. */
static struct pp_export_value
text_value(const char *text)
{
    return (struct pp_export_value){
        .kind = *text ? PP_EXPORT_IS_TEXT : PP_EXPORT_IS_NULL, .text = text, .len = strlen(text)};
}

/* Write the surfaces. In schema 1 session.json has no list of them, and their names are in the rows of
 * frames. */
static int
write_surfaces(struct pp_export *e)
{
    static const struct pp_export_column column[] = {
        {"surface", PP_EXPORT_TEXT}, {"name", PP_EXPORT_TEXT}, {"device", PP_EXPORT_TEXT}};
    void *table = NULL;
    if (pp_export_place_type(e) != PP_EXPORT_TEXT)
        return write_table(e, "surfaces", surface_members, PP_ARRAY_SIZE(surface_members),
                           json_object_get(e->rec.json, "surfaces"));
    int rc = pp_export_table(e, "surfaces", column, PP_ARRAY_SIZE(column), &table);
    for (size_t i = 0; i < e->rec.surfaces && rc == 0; i++) {
        struct pp_saved_surface *s = &e->rec.surface[i];
        struct pp_export_value name = text_value(pp_export_utf8(s->surface));
        struct pp_export_value device = text_value(pp_export_utf8(s->device));
        rc = pp_export_row(e, table, (const struct pp_export_value[]){name, name, device});
    }
    return rc;
}

/* Write the numbers of the frames that statistics leave out. */
static int
write_first_frames(struct pp_export *e)
{
    static const struct pp_export_column column = {"frame", PP_EXPORT_INTEGER};
    void *table = NULL;
    int rc = pp_export_table(e, "first_frames", &column, 1, &table);
    for (size_t i = 0; i < e->rec.frames && rc == 0; i++) {
        double frame = e->rec.frame[i].number;
        if (!pp_saved_is_first(&e->rec, frame) || !(frame >= 0 && frame < 9e15))
            continue;
        const struct pp_export_value value = {.kind = PP_EXPORT_IS_INTEGER, .integer = (int64_t)frame};
        rc = pp_export_row(e, table, &value);
    }
    return rc;
}

/* Write these tables. A session without session.json has no rows of the first four. @retval 0, -ENOMEM,
 * e->error. */
static int
export_json_tables(struct pp_export *e)
{
    const json_t *json = e->rec.json;
    int rc = write_table(e, "session", session_members, PP_ARRAY_SIZE(session_members), json);
    rc = rc ? rc : write_devices(e);
    rc = rc ? rc : write_surfaces(e);
    rc = rc ? rc
            : write_table(e, "marks", mark_members, PP_ARRAY_SIZE(mark_members),
                          json_object_get(json, "marks"));
    return rc ? rc : write_first_frames(e);
}

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
    int rc = export_csv(e, pp_saved_frames_file(rec->dir_fd), "frames", NULL, &framed);
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
    int rc = export_csv(e, file, table, &rows, &framed);
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
    int rc = export_json_tables(e);
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
