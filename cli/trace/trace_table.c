/** @file
 * See trace_table.h. */
#include "cli/trace/trace_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

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

bool
pp_trace_row_number(const struct pp_trace_row *row, enum pp_trace_column column, int64_t *ret)
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

const char *
pp_trace_row_text(const struct pp_trace_row *row, enum pp_trace_column column)
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

void
pp_trace_table_finish(struct pp_trace_table *table)
{
    for (size_t i = 0; table->name && i < table->columns; i++)
        free(table->name[i]);
    free(table->name);
    free(table->counter);
    free(table->arg);
}

int
pp_trace_table_begin(struct pp_trace_tracks *tracks, const char *name, const struct pp_export_column *column,
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

void
pp_trace_row_args(const struct pp_trace_row *row, struct pp_trace_slice *slice)
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
