/** @file
 * See export_json.h. */
#include "cli/export/export_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "counters/util/array_size.h"

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

int
pp_export_json_tables(struct pp_export *e)
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
