/** @file
 * See push_rows.h. */
#include "cli/push/push_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "cli/session/frames_read.h"
#include "core/config/config.h"
#include "counters/util/array_size.h"

/* The slot of a number, or the free one where it belongs. The factor is 2^64 divided by the golden ratio,
 * which spreads numbers that are near each other (Knuth, volume 3, section 6.4). */
static uint64_t *
slot_of(uint64_t *numbers, size_t slots, uint64_t number)
{
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % slots;
    while (numbers[at] && numbers[at] != number)
        at = (at + 1) % slots;
    return &numbers[at];
}

/* Make memory for one more number. */
static int
grow(struct pp_push_seen *seen)
{
    if (2 * seen->len < seen->slots)
        return 0;
    size_t slots = seen->slots ? 2 * seen->slots : 256;
    uint64_t *numbers = calloc(slots, sizeof(*numbers));
    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < seen->slots; i++)
        if (seen->number[i])
            *slot_of(numbers, slots, seen->number[i]) = seen->number[i];
    free(seen->number);
    seen->number = numbers;
    seen->slots = slots;
    return 0;
}

int
pp_push_seen_add(struct pp_push_seen *seen, uint64_t number, bool *ret_new)
{
    *ret_new = false;
    if (!number) {
        *ret_new = !seen->zero;
        seen->zero = true;
        return 0;
    }
    if (seen->len >= PP_PUSH_SEEN_MOST)
        return 0;
    int rc = grow(seen);
    if (rc)
        return rc;
    uint64_t *slot = slot_of(seen->number, seen->slots, number);
    *ret_new = !*slot;
    seen->len += *ret_new;
    *slot = number;
    return 0;
}

void
pp_push_seen_finish(struct pp_push_seen *seen)
{
    free(seen->number);
    *seen = (struct pp_push_seen){.len = 0};
}

/* Note a failure. @return @p rc. */
static int
push_rows_fail(struct pp_push_rows *rows, int rc)
{
    snprintf(rows->format.why, sizeof(rows->format.why), "%s", strerror(-rc));
    return rc;
}

/* Can a column of this type have the value? Cuts a text that is too long. */
static bool
push_row_fit(struct pp_push_rows *rows, enum pp_push_type type, struct pp_export_value *value)
{
    size_t most = type == PP_PUSH_TEXT ? PP_PUSH_TEXT_MAX : 64;
    switch (type) {
    case PP_PUSH_SESSION_ID:
        return value->kind == PP_EXPORT_IS_TEXT && pp_push_is_id(value->text);
    case PP_PUSH_WORK_ID:
        return value->kind == PP_EXPORT_IS_TEXT && pp_push_is_hex(value->text, 16);
    case PP_PUSH_TEXT:
    case PP_PUSH_DATE:
        if (value->kind != PP_EXPORT_IS_TEXT && value->kind != PP_EXPORT_IS_JSON)
            return false;
        rows->cut += value->len > most;
        value->len = pp_push_cut(value->text, value->len, most);
        return true;
    case PP_PUSH_FLAG:
        return value->kind == PP_EXPORT_IS_INTEGER && (value->integer == 0 || value->integer == 1);
    case PP_PUSH_COUNT:
        return value->kind == PP_EXPORT_IS_INTEGER && value->integer >= 0 && value->integer <= UINT32_MAX;
    case PP_PUSH_WHOLE:
        return value->kind == PP_EXPORT_IS_INTEGER && value->integer >= 0;
    case PP_PUSH_REAL:
        return value->kind == PP_EXPORT_IS_INTEGER ||
               (value->kind == PP_EXPORT_IS_REAL && isfinite(value->real));
    case PP_PUSH_TYPES:
        break;
    }
    return false;
}

/* Add a value to the fingerprint of the content. Of a text only that there is one: redaction changes texts,
 * and what it finds depends on who pushes. */
static void
digest(struct pp_sha256 *sha, const struct pp_export_value *value)
{
    unsigned char kind = (unsigned char)value->kind;
    pp_sha256_add(sha, &kind, 1);
    if (value->kind == PP_EXPORT_IS_INTEGER)
        pp_sha256_add(sha, &value->integer, sizeof(value->integer));
    else if (value->kind == PP_EXPORT_IS_REAL)
        pp_sha256_add(sha, &value->real, sizeof(value->real));
}

/* Add what a row measured to the fingerprint. */
static void
digest_row(struct pp_push_rows *rows, enum pp_push_table table, const struct pp_push_row *row)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    unsigned char begin = (unsigned char)table;
    if (table == PP_PUSH_DRAWS || table == PP_PUSH_SESSIONS || table == PP_PUSH_COUNTERS_MISSING)
        return;
    pp_sha256_add(&rows->sha, &begin, 1);
    for (size_t i = 0; i < model->columns; i++)
        if (model->column[i].from)
            digest(&rows->sha, &row->value[i]);
    for (size_t i = 0; i < row->pairs; i++)
        digest(&rows->sha, &row->pair[i].value);
}

/* A text that was redacted. */
struct pp_push_made {
    struct pp_push_made *next;
    char text[];
};

/* Redact a text, unless nothing is redacted. The new text is valid until the next push_rows_give()
 * returns.
 * @retval 0, -ENOMEM. */
static int
push_row_redact(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value)
{
    size_t len = 0;
    struct pp_redaction *redact = rows->facts.redact;
    if (!redact || (value->kind != PP_EXPORT_IS_TEXT && value->kind != PP_EXPORT_IS_JSON))
        return 0;
    bool words =
        table == PP_PUSH_SESSIONS || table == PP_PUSH_COUNTERS_MISSING; /* no names of the application */
    const char *text = words ? pp_redact_words(redact, value->text, value->len, &len)
                             : pp_redact_text(redact, value->text, value->len, &len);
    if (text == value->text)
        return 0;
    struct pp_push_made *made = text ? malloc(sizeof(*made) + len + 1) : NULL;
    if (!made)
        return -ENOMEM;
    memcpy(made->text, text, len);
    made->text[len] = '\0';
    made->next = rows->made;
    rows->made = made;
    value->text = made->text;
    value->len = len;
    return 0;
}

static void
free_made(struct pp_push_rows *rows)
{
    while (rows->made) {
        struct pp_push_made *made = rows->made;
        rows->made = made->next;
        free(made);
    }
}

/* Redact the row's texts, and make all values fit. @retval 1: the row is left out. @retval 0, -ENOMEM. */
static int
check_row(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    for (size_t i = 0; i < model->columns; i++) {
        int rc = model->column[i].type == PP_PUSH_TEXT ? push_row_redact(rows, table, &value[i]) : 0;
        if (rc)
            return rc;
        if (push_row_fit(rows, model->column[i].type, &value[i]))
            continue;
        rows->misfits += value[i].kind == PP_EXPORT_IS_INTEGER || value[i].kind == PP_EXPORT_IS_REAL;
        value[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
        if (model->column[i].optional)
            continue;
        if (model->column[i].type != PP_PUSH_TEXT) {
            rows->left_out++;
            return 1;
        }
        value[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = ""};
    }
    return 0;
}

/* Redact and check a row, count it and give it to the sink. A value that its column cannot have becomes NULL,
 * or ""; if the column must have one and is no text, the row is left out.
 *
 * @param value As many as the table has columns; changed.
 * @retval 0, -errno. */
static int
push_rows_give(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value,
               const struct pp_push_pair *pair, size_t pairs)
{
    const struct pp_push_row row = {.value = value, .pair = pair, .pairs = pairs};
    int rc = check_row(rows, table, value);
    if (rc == 0) {
        digest_row(rows, table, &row);
        rows->rows[table]++;
        rc = rows->sink.row(rows->sink.data, table, &row);
    }
    free_made(rows);
    return rc < 0 ? push_rows_fail(rows, rc) : 0;
}

/* Most tags of a session: as many as --tag takes. Sessions of others may have more. */
#define TAGS_MOST (PP_TAGS_MAX / 4U)

/* A column of the row of the session that is a member of session.json. */
struct member {
    const char *column, *path;
};

static struct pp_export_value
whole_value(int64_t number)
{
    return (struct pp_export_value){.kind = PP_EXPORT_IS_INTEGER, .integer = number};
}

static struct pp_export_value
line_value(const char *text)
{
    return (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = text, .len = strlen(text)};
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
    set(ret, table, "session_id", line_value(rows->facts.session_id));
    set(ret, table, "day", line_value(rows->facts.day));
    set(ret, table, "build", line_value(rows->facts.build));
    set(ret, table, "gpu", line_value(gpu));
}

static int
give_missing(struct pp_push_rows *rows, const char *place, struct pp_export_value event,
             struct pp_export_value reason)
{
    struct pp_export_value row[PP_PUSH_COLUMNS_MAX];
    begin_row(rows, PP_PUSH_COUNTERS_MISSING, row);
    set(row, PP_PUSH_COUNTERS_MISSING, "place", line_value(place));
    set(row, PP_PUSH_COUNTERS_MISSING, "event", event);
    set(row, PP_PUSH_COUNTERS_MISSING, "reason", reason);
    return push_rows_give(rows, PP_PUSH_COUNTERS_MISSING, row, NULL, 0);
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

/* Give the rows of what could not be measured. @retval 0, -errno. */
static int
push_give_missing(struct pp_push_rows *rows)
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
        struct pp_export_value key = line_value(name);
        if (json_is_string(json_object_get(own, name)))
            continue;
        if (text.kind != PP_EXPORT_IS_TEXT || len == TAGS_MOST || strlen(name) >= PP_PUSH_FACT_MAX ||
            push_row_redact(rows, PP_PUSH_SESSIONS, &text) || push_row_redact(rows, PP_PUSH_SESSIONS, &key)) {
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
    return line_value(version[0] && len >= 0 && (size_t)len < size ? ret : driver);
}

/* Give the row of the session. @retval 0, -errno. */
static int
push_give_session(struct pp_push_rows *rows)
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
    set(row, PP_PUSH_SESSIONS, "program", line_value(rows->facts.program));
    set(row, PP_PUSH_SESSIONS, "scene", line_value(rows->facts.scene));
    set(row, PP_PUSH_SESSIONS, "machine", line_value(rows->facts.machine));
    set(row, PP_PUSH_SESSIONS, "driver", driver_of(device, driver, sizeof(driver)));
    set(row, PP_PUSH_SESSIONS, "api", json_value(json_object_get(device, "api")));
    set(row, PP_PUSH_SESSIONS, "redacted", whole_value(rows->facts.redacted));
    set(row, PP_PUSH_SESSIONS, "content", line_value(rows->content));
    double bias = rows->bias[rows->main_surface];
    if (bias >= 0 && bias < 1e15)
        set(row, PP_PUSH_SESSIONS, "pass_bias_ns", whole_value(llround(bias)));
    return push_rows_give(rows, PP_PUSH_SESSIONS, row, tag, tags_of(rows, tag));
}

/* A table of a session, which rows come from. */
struct pp_push_source {
    struct pp_push_source *next;
    enum pp_push_table table;          /* PP_PUSH_TABLES: its rows are not wanted */
    size_t from[PP_PUSH_COLUMNS_MAX];  /* column of the source; SIZE_MAX: it has none */
    size_t frame;                      /* likewise, its column "frame" */
    size_t named[PP_PUSH_COLUMNS_MAX]; /* of passes: likewise, for the columns of pass_names */
    char **name;                       /* names of counters, NULL for other columns; owned */
    size_t columns;
    struct pp_push_pair *pair; /* as many as the source has columns; owned */
};

/* Values that are not in the row of the source. */
struct made {
    struct pp_export_value counted, build, gpu, bias;
};

static struct pp_export_value
text_value(const char *text, size_t len)
{
    return (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = text, .len = len};
}

/* Remember the GPU of each surface. After the frames were read, which is before the first table begins. */
static int
find_gpus(struct pp_push_rows *rows)
{
    const struct pp_saved_session *rec = &rows->e->rec;
    rows->gpu = calloc(rec->surfaces + 1, sizeof(*rows->gpu));
    rows->bias = calloc(rec->surfaces + 1, sizeof(*rows->bias));
    if (!rows->gpu || !rows->bias)
        return -ENOMEM;
    for (size_t i = 0; i < rec->surfaces; i++) {
        const json_t *device = pp_saved_device(rec, &rec->surface[i]);
        const char *name = json_string_value(json_object_get(device, "name"));
        rows->gpu[i] = name ? name : "";
        rows->bias[i] = pp_bias_of_surface(rec, i).median_ns;
        if (rec->surface[i].rows > rec->surface[rows->main_surface].rows)
            rows->main_surface = i;
    }
    if (!rec->surfaces) {
        rows->gpu[0] = "";
        rows->bias[0] = pp_bias_of_surface(rec, PP_SAVED_NO_SURFACE).median_ns;
    }
    return 0;
}

/* The place of a column in a source; SIZE_MAX: it has none. */
static size_t
place_of(const struct pp_export_column *column, size_t columns, const char *name)
{
    for (size_t i = 0; name && i < columns; i++)
        if (strcmp(column[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* The table of many sessions that has the rows of a table of one session. */
static enum pp_push_table
wanted(const struct pp_push_rows *rows, const char *name)
{
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        const char *file = pp_push_model_of((enum pp_push_table)i)->file;
        if (file && strcmp(file, name) == 0)
            return i == PP_PUSH_DRAWS && !rows->draws ? PP_PUSH_TABLES : (enum pp_push_table)i;
    }
    return PP_PUSH_TABLES;
}

/* Find the columns of a source that a table has. */
static void
map_columns(struct pp_push_source *s, enum pp_push_table table, const struct pp_export_column *column,
            size_t columns, size_t *ret)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    for (size_t i = 0; i < model->columns; i++)
        ret[i] = place_of(column, columns, model->column[i].from);
    s->frame = place_of(column, columns, "frame");
}

/* Remember the names of a source's counters. Columns that have a place of their own are none. */
static int
name_counters(const struct pp_push_rows *rows, struct pp_push_source *s,
              const struct pp_export_column *column, size_t columns)
{
    struct pp_redaction *redact = rows->facts.redact;
    const struct pp_push_model *model = pp_push_model_of(s->table);
    s->name = calloc(columns + 1, sizeof(*s->name));
    s->pair = calloc(columns + 1, sizeof(*s->pair));
    if (!s->name || !s->pair)
        return -ENOMEM;
    s->columns = columns;
    for (size_t i = 0; i < columns && model->pairs == PP_PUSH_COUNTERS; i++) {
        bool own = false;
        for (size_t j = 0; j < model->columns; j++)
            own = own || s->from[j] == i;
        if (own || !strchr(column[i].name, ':'))
            continue;
        size_t len = strlen(column[i].name);
        const char *name = redact ? pp_redact_text(redact, column[i].name, len, &len) : column[i].name;
        s->name[i] = name ? strndup(name, pp_push_cut(name, len, PP_PUSH_FACT_MAX)) : NULL;
        if (!s->name[i])
            return -ENOMEM;
    }
    return 0;
}

static int
begin_table(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
            size_t columns, void **ret_table)
{
    struct pp_push_rows *rows = (struct pp_push_rows *)format;
    struct pp_push_source *s = calloc(1, sizeof(*s));
    if (!s || (!rows->gpu && find_gpus(rows))) {
        free(s);
        return push_rows_fail(rows, -ENOMEM);
    }
    s->next = rows->sources;
    rows->sources = s;
    s->table = wanted(rows, name);
    *ret_table = s;
    if (s->table == PP_PUSH_TABLES)
        return 0;
    map_columns(s, s->table, column, columns, s->from);
    if (s->table == PP_PUSH_PASSES)
        map_columns(s, PP_PUSH_PASS_NAMES, column, columns, s->named);
    int rc = name_counters(rows, s, column, columns);
    return rc ? push_rows_fail(rows, rc) : 0;
}

/* The values of a row that no file of the session has. */
static struct made
make_values(const struct pp_push_rows *rows, const struct pp_push_source *s,
            const struct pp_export_value *value)
{
    const struct pp_saved_session *rec = &rows->e->rec;
    bool framed = s->frame != SIZE_MAX && value[s->frame].kind == PP_EXPORT_IS_INTEGER;
    double frame = framed ? (double)value[s->frame].integer : -1;
    size_t surface = framed ? pp_saved_surface_of(rec, frame) : PP_SAVED_NO_SURFACE;
    surface = surface == PP_SAVED_NO_SURFACE ? rows->main_surface : surface;
    const char *gpu = rows->gpu[surface];
    double bias = rows->bias[surface]; /* a draw has the bracket of a pass */
    bool outside = rec->window.any && (!framed || pp_saved_is_outside(rec, frame));
    bool kept = rec->keep_ns > 0 &&
                (s->table == PP_PUSH_PASSES || s->table == PP_PUSH_LABELS || s->table == PP_PUSH_DRAWS);
    struct made made = {
        .counted = whole_value(!outside && !kept && !(framed && pp_saved_is_first(rec, frame))),
        .build = text_value(rows->facts.build, strlen(rows->facts.build)),
        .gpu = text_value(gpu, strlen(gpu)),
    };
    if (bias >= 0 && bias < 1e15)
        made.bias = whole_value(llround(bias));
    return made;
}

/* The value of a column that no column of the file has. */
static struct pp_export_value
made_value(const struct pp_push_rows *rows, const char *column, const struct made *made)
{
    const struct {
        const char *name;
        struct pp_export_value value;
    } known[] = {{"session_id", text_value(rows->facts.session_id, PP_SESSION_ID_MAX - 1)},
                 {"day", text_value(rows->facts.day, strlen(rows->facts.day))},
                 {"build", made->build},
                 {"gpu", made->gpu},
                 {"counted", made->counted},
                 {"bias_ns", made->bias}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++)
        if (strcmp(column, known[i].name) == 0)
            return known[i].value;
    return (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
}

/* Fill the columns of a row. */
static void
fill(const struct pp_push_rows *rows, enum pp_push_table table, const size_t *from,
     const struct pp_export_value *value, const struct made *made, struct pp_export_value *ret)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    for (size_t i = 0; i < model->columns; i++) {
        const struct pp_push_column *column = &model->column[i];
        if (!column->from)
            ret[i] = made_value(rows, column->name, made);
        else if (from[i] != SIZE_MAX)
            ret[i] = value[from[i]];
        else
            ret[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
    }
}

/* Give the row of pass_names of a pass, the first time that it comes. */
static int
name_pass(struct pp_push_rows *rows, const struct pp_push_source *s, const struct pp_export_value *value,
          const struct made *made)
{
    struct pp_export_value named[PP_PUSH_COLUMNS_MAX] = {{.kind = PP_EXPORT_IS_NULL}};
    size_t id = s->named[pp_push_column_of(PP_PUSH_PASS_NAMES, "pass_id")];
    bool is_new = false;
    if (id == SIZE_MAX || value[id].kind != PP_EXPORT_IS_TEXT || !pp_push_is_hex(value[id].text, 16))
        return 0;
    int rc = pp_push_seen_add(&rows->seen, strtoull(value[id].text, NULL, 16), &is_new);
    if (rc)
        return push_rows_fail(rows, rc);
    if (!is_new)
        return 0;
    fill(rows, PP_PUSH_PASS_NAMES, s->named, value, made, named);
    return push_rows_give(rows, PP_PUSH_PASS_NAMES, named, NULL, 0);
}

static int
add_row(struct pp_export_format *format, void *in, const struct pp_export_value *value)
{
    struct pp_push_rows *rows = (struct pp_push_rows *)format;
    struct pp_push_source *s = in;
    struct pp_export_value made_row[PP_PUSH_COLUMNS_MAX] = {{.kind = PP_EXPORT_IS_NULL}};
    size_t pairs = 0;
    if (s->table == PP_PUSH_TABLES)
        return 0;
    const struct made made = make_values(rows, s, value);
    fill(rows, s->table, s->from, value, &made, made_row);
    for (size_t i = 0; i < s->columns; i++) {
        struct pp_export_value number = value[i];
        if (s->name[i] && number.kind != PP_EXPORT_IS_NULL && push_row_fit(rows, PP_PUSH_REAL, &number))
            s->pair[pairs++] = (struct pp_push_pair){.name = s->name[i], .value = number};
    }
    int rc = push_rows_give(rows, s->table, made_row, s->pair, pairs);
    return rc || s->table != PP_PUSH_PASSES ? rc : name_pass(rows, s, value, &made);
}

static int
end(struct pp_export_format *format)
{
    struct pp_push_rows *rows = (struct pp_push_rows *)format;
    if (!rows->gpu && find_gpus(rows))
        return push_rows_fail(rows, -ENOMEM);
    int rc = push_give_missing(rows);
    pp_sha256_end(&rows->sha, rows->content);
    return rc ? rc : push_give_session(rows);
}

/* The owner frees the rows by pp_push_rows_finish(). */
static void
destroy(struct pp_export_format *format)
{
    (void)format;
}

void
pp_push_rows_init(struct pp_push_rows *rows, const struct pp_export *e, const struct pp_push_facts *facts,
                  const struct pp_push_sink *sink, bool draws)
{
    static const struct pp_export_ops ops = {
        .table = begin_table, .row = add_row, .end = end, .destroy = destroy};
    *rows = (struct pp_push_rows){.format.ops = &ops, .e = e, .sink = *sink, .facts = *facts, .draws = draws};
    pp_sha256_init(&rows->sha);
}

void
pp_push_rows_finish(struct pp_push_rows *rows)
{
    while (rows->sources) {
        struct pp_push_source *s = rows->sources;
        rows->sources = s->next;
        for (size_t i = 0; s->name && i < s->columns; i++)
            free(s->name[i]);
        free(s->name);
        free(s->pair);
        free(s);
    }
    free(rows->gpu);
    free(rows->bias);
    pp_push_seen_finish(&rows->seen);
    rows->gpu = NULL;
    rows->bias = NULL;
}
