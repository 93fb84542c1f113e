/** @file
 * See push_session_rows.h. */
#include "cli/push/push_session_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/push/push_row_give.h"
#include "core/config/config.h"

/* Most tags of a session: as many as --tag takes. Sessions of others may have more. */
#define TAGS_MOST (PP_TAGS_MAX / 4U)

/* A column of the row of the session that is a member of session.json. */
struct member {
    const char *column, *path;
};

static struct pp_export_value
text_value(const char *text)
{
    return (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = text, .len = strlen(text)};
}

static struct pp_export_value
whole_value(int64_t number)
{
    return (struct pp_export_value){.kind = PP_EXPORT_IS_INTEGER, .integer = number};
}

/* The value of a member of session.json; NULL where it is none of a column. */
static struct pp_export_value
json_value(const json_t *json)
{
    if (json_is_string(json))
        return (struct pp_export_value){
            .kind = PP_EXPORT_IS_TEXT, .text = json_string_value(json), .len = json_string_length(json)};
    if (json_is_integer(json))
        return whole_value(json_integer_value(json));
    if (json_is_real(json))
        return (struct pp_export_value){.kind = PP_EXPORT_IS_REAL, .real = json_real_value(json)};
    return (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
}

static void
set(struct pp_export_value *row, enum pp_push_table table, const char *column, struct pp_export_value value)
{
    row[pp_push_column_of(table, column)] = value;
}

/* What every row begins with, and the facts of the session. */
static void
begin_row(const struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *ret)
{
    const char *gpu = rows->gpu[rows->main_surface];
    for (size_t i = 0; i < PP_PUSH_COLUMNS_MAX; i++)
        ret[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
    set(ret, table, "session_id", text_value(rows->facts.session_id));
    set(ret, table, "day", text_value(rows->facts.day));
    set(ret, table, "build", text_value(rows->facts.build));
    set(ret, table, "gpu", text_value(gpu));
}

static int
give_missing(struct pp_push_rows *rows, const char *place, struct pp_export_value event,
             struct pp_export_value reason)
{
    struct pp_export_value row[PP_PUSH_COLUMNS_MAX];
    begin_row(rows, PP_PUSH_COUNTERS_MISSING, row);
    set(row, PP_PUSH_COUNTERS_MISSING, "place", text_value(place));
    set(row, PP_PUSH_COUNTERS_MISSING, "event", event);
    set(row, PP_PUSH_COUNTERS_MISSING, "reason", reason);
    return pp_push_rows_give(rows, PP_PUSH_COUNTERS_MISSING, row, NULL, 0);
}

/* Give the rows of the events that a device, or the frames, could not measure. */
static int
give_events(struct pp_push_rows *rows, const char *place, const json_t *object)
{
    const json_t *list = json_object_get(object, "events_missing");
    int rc = 0;
    for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
        const json_t *missing = json_array_get(list, i);
        rc = give_missing(rows, place, json_value(json_object_get(missing, "event")),
                          json_value(json_object_get(missing, "reason")));
    }
    return rc;
}

/* Give the rows of columns that have empty cells. */
static int
give_empty_cells(struct pp_push_rows *rows, const json_t *list)
{
    int rc = 0;
    for (size_t i = 0; i < json_array_size(list) && rc == 0; i++) {
        const json_t *entry = json_array_get(list, i);
        const json_t *columns = json_object_get(entry, "columns");
        const char *file = json_string_value(json_object_get(entry, "file"));
        for (size_t j = 0; j < json_array_size(columns) && rc == 0; j++)
            rc = give_missing(rows, file ? file : "", json_value(json_array_get(columns, j)),
                              json_value(json_object_get(entry, "reason")));
    }
    return rc;
}

int
pp_push_give_missing(struct pp_push_rows *rows)
{
    const struct pp_saved_session *rec = &rows->e->rec;
    const json_t *devices = pp_saved_json(rec, "devices");
    int rc = give_events(rows, "frames", pp_saved_json(rec, "frames"));
    for (size_t i = 0; i < json_array_size(devices) && rc == 0; i++) {
        const json_t *device = json_array_get(devices, i);
        const char *name = json_string_value(json_object_get(device, "name"));
        rc = give_events(rows, name ? name : "", device);
    }
    return rc ? rc : give_empty_cells(rows, pp_saved_json(rec, "empty_cells"));
}

/* Set the columns that are members of session.json. */
static void
set_members(const struct pp_push_rows *rows, struct pp_export_value *row)
{
    static const struct member members[] = {
        {"os", "host.os"},
        {"cpu", "host.cpu"},
        {"level", "options.level"},
        {"events", "options.events"},
        {"passprobe", "passprobe"},
        {"session_schema", "schema"},
        {"ended", "ended"},
        {"dropped_frames", "dropped.frames"},
        {"own_cost_percent", "own_cost.percent"},
    };
    const struct pp_saved_session *rec = &rows->e->rec;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        set(row, PP_PUSH_SESSIONS, members[i].column, json_value(pp_saved_json(rec, members[i].path)));
}

/* Set how many rows each table has of the session. */
static void
set_counts(const struct pp_push_rows *rows, struct pp_export_value *row)
{
    for (unsigned i = 0; i < PP_PUSH_SESSIONS; i++)
        set(row, PP_PUSH_SESSIONS, pp_push_model_of((enum pp_push_table)i)->name,
            whole_value((int64_t)rows->rows[i]));
}

/* Add tags to the @p len that there are. @param own Tags whose keys are left out; NULL: none.
 * @param ret TAGS_MOST pairs. @return Their number. */
static size_t
add_tags(struct pp_push_rows *rows, json_t *tags, const json_t *own, size_t len, struct pp_push_pair *ret)
{
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(tags, name, value)
    {
        struct pp_export_value text = json_value(value);
        struct pp_export_value key = text_value(name);
        if (json_is_string(json_object_get(own, name)))
            continue;
        if (text.kind != PP_EXPORT_IS_TEXT || len == TAGS_MOST || strlen(name) >= PP_PUSH_FACT_MAX ||
            pp_push_row_redact(rows, PP_PUSH_SESSIONS, &text) ||
            pp_push_row_redact(rows, PP_PUSH_SESSIONS, &key)) {
            rows->cut++;
            continue;
        }
        rows->cut += text.len > PP_PUSH_TEXT_MAX;
        text.len = pp_push_cut(text.text, text.len, PP_PUSH_TEXT_MAX);
        ret[len++] = (struct pp_push_pair){.name = key.text, .value = text};
    }
    return len;
}

/* Find the tags of a session, and those that the push gives it. @param ret TAGS_MOST pairs.
 * @return Their number. */
static size_t
tags_of(struct pp_push_rows *rows, struct pp_push_pair *ret)
{
    json_t *own = pp_saved_json(&rows->e->rec, "tags");
    return add_tags(rows, rows->facts.tags, own, add_tags(rows, own, NULL, 0, ret), ret);
}

/* The driver with its version. Vulkan's text has both. Of OpenGL the version is after that of the API:
 * "4.5 (Core Profile) Mesa 22.3.6", "OpenGL ES 3.2 Mesa 22.3.6", "4.6.0 NVIDIA 535.54". @param ret Holds the
 * text; one that is too long lacks the version. */
static struct pp_export_value
driver_of(const json_t *device, char *ret, size_t size)
{
    const char *driver = json_string_value(json_object_get(device, "driver"));
    const char *api = json_string_value(json_object_get(device, "api"));
    const char *version = json_string_value(json_object_get(device, "api_version"));
    if (!driver || !api || !version || strcmp(api, "vulkan") == 0)
        return json_value(json_object_get(device, "driver"));
    version += strcspn(version, "0123456789");
    version += strcspn(version, " ");
    version += strspn(version, " ");
    if (version[0] == '(')
        version += strcspn(version, ")");
    version += strspn(version, ") ");
    int len = snprintf(ret, size, "%s, %s", driver, version);
    return text_value(version[0] && len >= 0 && (size_t)len < size ? ret : driver);
}

int
pp_push_give_session(struct pp_push_rows *rows)
{
    const struct pp_saved_session *rec = &rows->e->rec;
    struct pp_export_value row[PP_PUSH_COLUMNS_MAX];
    struct pp_push_pair tag[TAGS_MOST];
    char driver[PP_PUSH_FACT_MAX];
    const struct pp_saved_surface *surface = rec->surfaces ? &rec->surface[rows->main_surface] : NULL;
    const json_t *device = surface ? pp_saved_device(rec, surface) : NULL;
    begin_row(rows, PP_PUSH_SESSIONS, row);
    set_members(rows, row);
    set_counts(rows, row);
    set(row, PP_PUSH_SESSIONS, "start_realtime_ns", whole_value(rows->facts.start_realtime_ns));
    set(row, PP_PUSH_SESSIONS, "program", text_value(rows->facts.program));
    set(row, PP_PUSH_SESSIONS, "scene", text_value(rows->facts.scene));
    set(row, PP_PUSH_SESSIONS, "machine", text_value(rows->facts.machine));
    set(row, PP_PUSH_SESSIONS, "driver", driver_of(device, driver, sizeof(driver)));
    set(row, PP_PUSH_SESSIONS, "api", json_value(json_object_get(device, "api")));
    set(row, PP_PUSH_SESSIONS, "redacted", whole_value(rows->facts.redacted));
    set(row, PP_PUSH_SESSIONS, "content", text_value(rows->content));
    if (rows->bias_pass >= 0 && rows->bias_pass < 1e15)
        set(row, PP_PUSH_SESSIONS, "pass_bias_ns", whole_value(llround(rows->bias_pass)));
    return pp_push_rows_give(rows, PP_PUSH_SESSIONS, row, tag, tags_of(rows, tag));
}
