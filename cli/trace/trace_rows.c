/** @file
 * See trace_rows.h. */
#include "cli/trace/trace_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_format.h"
#include "cli/trace/trace_tracks.h"
#include "counters/util/array_size.h"

/** Columns that have a meaning of their own. All others are what is known of a slice. */
enum pp_trace_column {
    AT_FRAME,
    AT_SURFACE,
    AT_CPU_START,
    AT_FRAME_TIME,
    AT_CPU_BUSY,
    AT_CPU_WAIT,
    AT_GPU_START,
    AT_GPU_TIME,
    AT_STACK,
    AT_NAME,
    AT_KIND,
    AT_CALL,
    AT_QUEUE,
    AT_MARK_TIME,
    AT_MARK_LABEL,
    AT_COLUMNS
};

/** Tables by what the trace shows of them. */
enum pp_trace_table_kind {
    TABLE_OTHER, /**< nothing */
    TABLE_MARKS,
    TABLE_FRAMES,
    TABLE_PASSES,
    TABLE_DRAWS
};

/** A table of the export. */
struct pp_trace_table {
    struct pp_trace_table *next; /**< for the owner */
    enum pp_trace_table_kind kind;
    size_t columns;
    size_t at[AT_COLUMNS];    /**< SIZE_MAX: the table has no such column */
    char **name;              /**< of each column; owned. NULL: it is not shown with slices */
    uint32_t *counter;        /**< of each column: its track; 0: it is no counter; owned */
    struct pp_trace_arg *arg; /**< of a row; owned */
};

/** A row of a table. Borrowed. */
struct pp_trace_row {
    const struct pp_trace_table *table;
    const struct pp_export_value *value;
};

static const char *const column_name[AT_COLUMNS] = {
    [AT_FRAME] = "frame",
    [AT_SURFACE] = "surface",
    [AT_CPU_START] = "cpu_start_ns",
    [AT_FRAME_TIME] = "frame_time_ns",
    [AT_CPU_BUSY] = "cpu_busy_ns",
    [AT_CPU_WAIT] = "cpu_wait_ns",
    [AT_GPU_START] = "gpu_start_ns",
    [AT_GPU_TIME] = "gpu_time_ns",
    [AT_STACK] = "stack",
    [AT_NAME] = "name",
    [AT_KIND] = "kind",
    [AT_CALL] = "call",
    [AT_QUEUE] = "queue",
    [AT_MARK_TIME] = "at_ns",
    [AT_MARK_LABEL] = "label",
};

/* Columns that are not shown with a slice: the slice shows them itself, or they are the same in all rows. */
static const char *const not_shown[] = {
    "surface", "stack", "name", "kind",   "call",         "queue",        "submit_stack",
    "app",     "pid",   "api",  "device", "gpu_start_ns", "cpu_start_ns", "cpu_start_realtime_ns"};

/* A whole number of a row that is not negative. @return false: it is not there. */
static bool
trace_row_number(const struct pp_trace_row *row, enum pp_trace_column column, int64_t *ret)
{
    size_t at = row->table->at[column];
    const struct pp_export_value *value = at == SIZE_MAX ? NULL : &row->value[at];
    if (value && value->kind == PP_EXPORT_IS_INTEGER)
        *ret = value->integer;
    else if (value && value->kind == PP_EXPORT_IS_REAL && value->real >= 0 && value->real < 4e18)
        *ret = llround(value->real);
    else
        return false;
    return *ret >= 0 && *ret < INT64_MAX / 2;
}

/* A text of a row; "": it is not there. */
static const char *
trace_row_text(const struct pp_trace_row *row, enum pp_trace_column column)
{
    size_t at = row->table->at[column];
    return at != SIZE_MAX && row->value[at].kind == PP_EXPORT_IS_TEXT ? row->value[at].text : "";
}

static bool
is_shown(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(not_shown); i++)
        if (strcmp(name, not_shown[i]) == 0)
            return false;
    return true;
}

/* Is a column of frames.csv shown as a curve? */
static bool
is_counter(const char *name)
{
    return strchr(name, ':') || strcmp(name, "frame_time_ns") == 0 || strcmp(name, "gpu_busy_ns") == 0;
}

static const char *
unit_of(const char *name)
{
    const char *end = strrchr(name, '_');
    return !end ? "" : strcmp(end, "_ns") == 0 ? "ns" : strcmp(end, "_bytes") == 0 ? "bytes" : "";
}

static enum pp_trace_table_kind
kind_of(const char *name)
{
    return strcmp(name, "frames") == 0   ? TABLE_FRAMES
           : strcmp(name, "passes") == 0 ? TABLE_PASSES
           : strcmp(name, "draws") == 0  ? TABLE_DRAWS
           : strcmp(name, "marks") == 0  ? TABLE_MARKS
                                         : TABLE_OTHER;
}

static int
begin_column(struct pp_trace_tracks *tracks, struct pp_trace_table *table, const char *name, size_t i)
{
    for (size_t c = 0; c < AT_COLUMNS; c++)
        if (strcmp(name, column_name[c]) == 0)
            table->at[c] = i;
    bool counter = table->kind == TABLE_FRAMES && is_counter(name);
    if (is_shown(name) && !(counter && strchr(name, ':'))) {
        table->name[i] = strdup(name);
        if (!table->name[i])
            return -ENOMEM;
    }
    if (!counter)
        return 0;
    return pp_trace_tracks_begin(tracks, PP_TRACE_COUNTERS, name, unit_of(name), &table->counter[i]);
}

/* Free what a table owns. */
static void
trace_table_finish(struct pp_trace_table *table)
{
    for (size_t i = 0; table->name && i < table->columns; i++)
        free(table->name[i]);
    free(table->name);
    free(table->counter);
    free(table->arg);
}

/* Begin a table, and the tracks of its counters. @param ret trace_table_finish() must be called, whatever
 * is returned. @retval 0, -errno. */
static int
trace_table_begin(struct pp_trace_tracks *tracks, const char *name, const struct pp_export_column *column,
                  size_t columns, struct pp_trace_table *ret)
{
    int rc = 0;
    ret->kind = kind_of(name);
    ret->columns = columns;
    ret->name = calloc(columns, sizeof(*ret->name));
    ret->counter = calloc(columns, sizeof(*ret->counter));
    ret->arg = calloc(columns, sizeof(*ret->arg));
    if (!ret->name || !ret->counter || !ret->arg)
        return -ENOMEM;
    for (size_t c = 0; c < AT_COLUMNS; c++)
        ret->at[c] = SIZE_MAX;
    for (size_t i = 0; i < columns && rc == 0 && ret->kind != TABLE_OTHER; i++)
        rc = begin_column(tracks, ret, column[i].name, i);
    return rc;
}

/* Write what is known of a row to table->arg, and give it to a slice. */
static void
trace_row_args(const struct pp_trace_row *row, struct pp_trace_slice *slice)
{
    const struct pp_trace_table *table = row->table;
    uint32_t args = 0;
    slice->arg = table->arg;
    for (size_t i = 0; i < table->columns; i++) {
        const struct pp_export_value *value = &row->value[i];
        struct pp_trace_arg *arg = &table->arg[args];
        if (!table->name[i] || value->kind == PP_EXPORT_IS_NULL)
            continue;
        *arg = (struct pp_trace_arg){.name = table->name[i]};
        if (value->kind == PP_EXPORT_IS_INTEGER) {
            arg->kind = PP_TRACE_ARG_INTEGER;
            arg->integer = value->integer;
        } else if (value->kind == PP_EXPORT_IS_REAL) {
            arg->kind = PP_TRACE_ARG_REAL;
            arg->real = value->real;
        } else {
            arg->kind = PP_TRACE_ARG_TEXT;
            arg->text = value->text;
            arg->len = (uint32_t)value->len;
        }
        args++;
        if (i == table->at[AT_MARK_LABEL])
            slice->label_at = (uint16_t)args;
        else if (i == table->at[AT_FRAME])
            slice->frame_at = (uint16_t)args;
    }
    slice->args = args;
}

struct trace_rows {
    struct pp_export_format format; /* the first member */
    const struct pp_saved_session *rec;
    struct pp_trace_tracks tracks;
    struct pp_trace_table *tables;
    bool begun;
    uint64_t untimed;
};

static int
failed(struct trace_rows *t, int rc)
{
    if (rc)
        snprintf(t->format.why, sizeof(t->format.why), "%s", strerror(-rc));
    return rc;
}

static const json_t *
json_at(const struct trace_rows *t, const char *path)
{
    return pp_saved_json(t->rec, path);
}

/* The arguments of the application, separated by blanks. @return By free(); NULL: no memory. */
static char *
command_of(const struct trace_rows *t)
{
    const json_t *command = json_at(t, "program.command");
    size_t size = 1, len = 0;
    for (size_t i = 0; i < json_array_size(command); i++)
        size += json_string_length(json_array_get(command, i)) + 1;
    char *ret = calloc(size, 1);
    for (size_t i = 0; ret && i < json_array_size(command); i++) {
        const json_t *word = json_array_get(command, i);
        if (i)
            ret[len++] = ' ';
        memcpy(ret + len, json_is_string(word) ? json_string_value(word) : "", json_string_length(word));
        len += json_string_length(word);
    }
    return ret;
}

/* The boot clock is known in sessions of new versions only. It differs from the monotonic one by the time for
 * which the machine slept. */
static int
begin(struct trace_rows *t)
{
    const char *executable = json_string_value(json_at(t, "program.executable"));
    const char *base = executable ? strrchr(executable, '/') : NULL;
    const json_t *boottime = json_at(t, "program.start_boottime_ns");
    struct pp_trace_process process = {
        .pid = json_integer_value(json_at(t, "program.pid")),
        .name = base         ? base + 1
                : executable ? executable
                             : "application",
        .monotonic_ns = json_integer_value(json_at(t, "program.start_monotonic_ns")),
        .realtime_ns = json_integer_value(json_at(t, "program.start_realtime_ns"))};
    process.boottime_ns = boottime ? json_integer_value(boottime) : process.monotonic_ns;
    char *command = command_of(t);
    process.command = command;
    int rc = command ? t->tracks.format->ops->process(t->tracks.format, &process) : -ENOMEM;
    free(command);
    t->begun = true;
    return rc;
}

static int
begin_table(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
            size_t columns, void **ret_table)
{
    struct trace_rows *t = (struct trace_rows *)format;
    struct pp_trace_table *table = calloc(1, sizeof(*table));
    int rc = t->begun ? 0 : begin(t);
    if (!table)
        return failed(t, -ENOMEM);
    table->next = t->tables;
    t->tables = table;
    *ret_table = table;
    rc = rc ? rc : trace_table_begin(&t->tracks, name, column, columns, table);
    return failed(t, rc);
}

/* The name of a surface, for the names of tracks. @param ret 128 bytes. */
static void
surface_name(const struct trace_rows *t, const struct pp_trace_row *row, char *ret)
{
    int64_t number = 0;
    const json_t *list = json_at(t, "surfaces");
    const char *name = trace_row_text(row, AT_SURFACE); /* of sessions of schema 1 */
    if (trace_row_number(row, AT_SURFACE, &number))
        name = json_string_value(json_object_get(json_array_get(list, (size_t)number), "name"));
    snprintf(ret, 128, "%.120s", name && *name ? name : "surface");
}

/* Add a slice to a group of its kind. */
static int
add_slice(struct trace_rows *t, enum pp_trace_place place, const char *name,
          const struct pp_trace_slice *slice)
{
    struct pp_trace_group *group = NULL;
    int rc = pp_trace_tracks_group(&t->tracks, place, name, &group);
    return rc ? rc : pp_trace_group_add(group, slice);
}

/* What the CPU did in a frame: it works, and then it is in present. */
static int
add_cpu(struct trace_rows *t, const struct pp_trace_row *row, const char *surface, int64_t start)
{
    int64_t busy = 0, wait = 0, stack = 0;
    char group[160];
    if (!trace_row_number(row, AT_CPU_BUSY, &busy))
        return 0;
    snprintf(group, sizeof(group), "CPU: %s", surface);
    struct pp_trace_slice slice = {
        .start_ns = start, .duration_ns = busy, .name = "CPU busy", .category = "cpu"};
    int rc = add_slice(t, PP_TRACE_CPU, group, &slice);
    if (rc || !trace_row_number(row, AT_CPU_WAIT, &wait))
        return rc;
    (void)trace_row_number(row, AT_STACK, &stack); /* of the call that ended the frame */
    slice = (struct pp_trace_slice){.start_ns = start + busy,
                                    .duration_ns = wait,
                                    .name = "present",
                                    .category = "cpu",
                                    .stack = (uint64_t)stack};
    return add_slice(t, PP_TRACE_CPU, group, &slice);
}

/* An arrow leads from a frame on the CPU to its work on the GPU. */
static int
add_gpu(struct trace_rows *t, const struct pp_trace_row *row, const char *surface, const char *name,
        int64_t frame)
{
    int64_t start = 0, time = 0;
    char group[160];
    if (!trace_row_number(row, AT_GPU_START, &start) || !trace_row_number(row, AT_GPU_TIME, &time))
        return 0;
    snprintf(group, sizeof(group), "GPU: %s", surface);
    const struct pp_trace_slice slice = {.start_ns = start,
                                         .duration_ns = time,
                                         .name = name,
                                         .unique = true,
                                         .category = "gpu",
                                         .ends = (uint64_t)frame + 1};
    return add_slice(t, PP_TRACE_GPU_FRAMES, group, &slice);
}

static int
add_counters(struct trace_rows *t, const struct pp_trace_row *row, int64_t at)
{
    int rc = 0;
    for (size_t i = 0; i < row->table->columns && rc == 0; i++) {
        const struct pp_export_value *value = &row->value[i];
        bool integer = value->kind == PP_EXPORT_IS_INTEGER;
        if (row->table->counter[i] && (integer || value->kind == PP_EXPORT_IS_REAL))
            rc = t->tracks.format->ops->value(t->tracks.format, row->table->counter[i], at,
                                              integer ? (double)value->integer : value->real);
    }
    return rc;
}

static int
add_frame(struct trace_rows *t, const struct pp_trace_row *row)
{
    int64_t frame = 0, start = 0, time = 0;
    char surface[128], name[32], group[160];
    if (!trace_row_number(row, AT_FRAME, &frame) || !trace_row_number(row, AT_CPU_START, &start))
        return 0;
    surface_name(t, row, surface);
    snprintf(name, sizeof(name), "frame %" PRId64, frame);
    snprintf(group, sizeof(group), "frames: %s", surface);
    int rc = add_counters(t, row, start);
    if (rc || !trace_row_number(row, AT_FRAME_TIME, &time))
        return rc;
    struct pp_trace_slice slice = {.start_ns = start,
                                   .duration_ns = time,
                                   .name = name,
                                   .unique = true,
                                   .category = "frame",
                                   .begins = (uint64_t)frame + 1};
    trace_row_args(row, &slice);
    rc = add_slice(t, PP_TRACE_FRAMES, group, &slice);
    rc = rc ? rc : add_cpu(t, row, surface, start);
    return rc ? rc : add_gpu(t, row, surface, name, frame);
}

/* Add a pass or a draw. */
static int
add_work(struct trace_rows *t, const struct pp_trace_row *row)
{
    int64_t start = 0, time = 0, stack = 0;
    bool is_pass = row->table->kind == TABLE_PASSES;
    char group[160] = "draws";
    if (!trace_row_number(row, AT_GPU_START, &start) || !trace_row_number(row, AT_GPU_TIME, &time)) {
        t->untimed++;
        return 0;
    }
    (void)trace_row_number(row, AT_STACK, &stack);
    if (is_pass)
        snprintf(group, sizeof(group), "%.120s",
                 *trace_row_text(row, AT_QUEUE) ? trace_row_text(row, AT_QUEUE) : "GPU");
    struct pp_trace_slice slice = {.start_ns = start,
                                   .duration_ns = time,
                                   .name = trace_row_text(row, is_pass ? AT_NAME : AT_CALL),
                                   .category = is_pass ? trace_row_text(row, AT_KIND) : "draw",
                                   .stack = (uint64_t)stack};
    trace_row_args(row, &slice);
    return add_slice(t, is_pass ? PP_TRACE_PASSES : PP_TRACE_DRAWS, group, &slice);
}

static int
add_mark(struct trace_rows *t, const struct pp_trace_row *row)
{
    int64_t at = 0;
    struct pp_trace_slice mark = {.name = trace_row_text(row, AT_MARK_LABEL), .category = "mark"};
    struct pp_trace_group *group = NULL;
    if (!trace_row_number(row, AT_MARK_TIME, &at))
        return 0;
    mark.start_ns = at;
    int rc = pp_trace_tracks_group(&t->tracks, PP_TRACE_MARKS, "marks", &group);
    if (rc == 0 && !group->track[0])
        rc = pp_trace_tracks_begin(&t->tracks, PP_TRACE_MARKS, "marks", NULL, &group->track[0]);
    mark.track = group ? group->track[0] : 0;
    return rc ? rc : t->tracks.format->ops->moment(t->tracks.format, &mark);
}

static int
add_row(struct pp_export_format *format, void *in, const struct pp_export_value *value)
{
    struct trace_rows *t = (struct trace_rows *)format;
    const struct pp_trace_row row = {.table = in, .value = value};
    int rc = 0;
    if (row.table->kind == TABLE_FRAMES)
        rc = add_frame(t, &row);
    else if (row.table->kind == TABLE_MARKS)
        rc = add_mark(t, &row);
    else if (row.table->kind != TABLE_OTHER)
        rc = add_work(t, &row);
    return failed(t, rc);
}

static int
end(struct pp_export_format *format)
{
    struct trace_rows *t = (struct trace_rows *)format;
    int rc = pp_trace_tracks_flush(&t->tracks);
    return failed(t, rc ? rc : t->tracks.format->ops->end(t->tracks.format));
}

static void
destroy(struct pp_export_format *format)
{
    struct trace_rows *t = (struct trace_rows *)format;
    while (t->tables) {
        struct pp_trace_table *table = t->tables;
        t->tables = table->next;
        trace_table_finish(table);
        free(table);
    }
    pp_trace_tracks_finish(&t->tracks);
    free(t);
}

struct pp_trace_left_out
pp_trace_rows_left_out(const struct pp_export_format *format)
{
    const struct trace_rows *t = (const struct trace_rows *)format;
    return (struct pp_trace_left_out){.untimed = t->untimed, .crowded = pp_trace_tracks_left_out(&t->tracks)};
}

int
pp_trace_rows_create(struct pp_trace_format *trace, const struct pp_saved_session *rec,
                     struct pp_export_format **ret)
{
    static const struct pp_export_ops ops = {
        .table = begin_table, .row = add_row, .end = end, .destroy = destroy};
    struct trace_rows *t = calloc(1, sizeof(*t));
    if (!t)
        return -ENOMEM;
    t->format.ops = &ops;
    t->rec = rec;
    t->tracks.format = trace;
    *ret = &t->format;
    return 0;
}
