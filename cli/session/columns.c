/** @file
 * See columns.h. */
#include "cli/session/columns.h"

#include <string.h>

#include "counters/util/array_size.h"

struct column {
    const char *name;
    enum pp_column_kind kind;
};

static const struct column read_by_name[PP_SAVED_COLUMNS] = {
    [COL_FRAME] = {"frame", PP_COLUMN_WHOLE},
    [COL_API] = {"api", PP_COLUMN_TEXT},
    [COL_DEVICE] = {"device", PP_COLUMN_PLACE},
    [COL_SURFACE] = {"surface", PP_COLUMN_PLACE},
    [COL_LEVEL] = {"level", PP_COLUMN_TEXT},
    [COL_CPU_START] = {"cpu_start_ns", PP_COLUMN_WHOLE},
    [COL_FRAME_TIME] = {"frame_time_ns", PP_COLUMN_WHOLE},
    [COL_CPU_BUSY] = {"cpu_busy_ns", PP_COLUMN_WHOLE},
    [COL_CPU_WAIT] = {"cpu_wait_ns", PP_COLUMN_WHOLE},
    [COL_GPU_START] = {"gpu_start_ns", PP_COLUMN_WHOLE},
    [COL_GPU_TIME] = {"gpu_time_ns", PP_COLUMN_WHOLE},
    [COL_GPU_BUSY] = {"gpu_busy_ns", PP_COLUMN_WHOLE},
    [COL_GPU_WAIT] = {"gpu_wait_ns", PP_COLUMN_WHOLE},
    [COL_BOUND_BY] = {"bound_by", PP_COLUMN_TEXT},
    [COL_PASS] = {"pass", PP_COLUMN_WHOLE},
    [COL_PASS_ID] = {"pass_id", PP_COLUMN_TEXT},
    [COL_NAME] = {"name", PP_COLUMN_TEXT},
    [COL_LABEL] = {"label", PP_COLUMN_TEXT},
    [COL_KIND] = {"kind", PP_COLUMN_TEXT},
    [COL_QUEUE] = {"queue", PP_COLUMN_TEXT},
    [COL_WIDTH] = {"width", PP_COLUMN_WHOLE},
    [COL_HEIGHT] = {"height", PP_COLUMN_WHOLE},
    [COL_LAYERS] = {"layers", PP_COLUMN_WHOLE},
    [COL_SAMPLES] = {"samples", PP_COLUMN_WHOLE},
    [COL_ATTACHMENTS] = {"attachments", PP_COLUMN_TEXT},
    [COL_DRAW] = {"draw", PP_COLUMN_WHOLE},
    [COL_DRAW_ID] = {"draw_id", PP_COLUMN_TEXT},
    [COL_CALL] = {"call", PP_COLUMN_TEXT},
    [COL_PIPELINE] = {"pipeline", PP_COLUMN_TEXT},
    [COL_VERTICES] = {"vertices", PP_COLUMN_WHOLE},
    [COL_INSTANCES] = {"instances", PP_COLUMN_WHOLE},
    [COL_DRAWS] = {"draws", PP_COLUMN_WHOLE},
    [COL_DISPATCHES] = {"dispatches", PP_COLUMN_WHOLE},
    [COL_COPIES] = {"copies", PP_COLUMN_WHOLE},
    [COL_BY_PLACE] = {"id:by_place", PP_COLUMN_WHOLE},
    [COL_INCLUSIVE] = {"gpu_inclusive_ns", PP_COLUMN_WHOLE},
    [COL_EXCLUSIVE] = {"gpu_exclusive_ns", PP_COLUMN_WHOLE},
    [COL_PASSES] = {"passes", PP_COLUMN_WHOLE},
    [COL_STACK] = {"stack", PP_COLUMN_WHOLE},
    [COL_PID] = {"pid", PP_COLUMN_WHOLE},
    [COL_PIPELINES] = {"pipelines_created", PP_COLUMN_WHOLE},
    [COL_PIPELINE_TIME] = {"pipeline_create_ns", PP_COLUMN_WHOLE},
};

/* Columns that are copied only, and those of call stacks, in which addresses are hexadecimal. */
static const struct column others[] = {
    {"app", PP_COLUMN_TEXT},           {"depth", PP_COLUMN_WHOLE},    {"groups", PP_COLUMN_WHOLE},
    {"submit_stack", PP_COLUMN_WHOLE}, {"truncated", PP_COLUMN_TEXT}, {"frames", PP_COLUMN_TEXT},
    {"path", PP_COLUMN_TEXT},          {"build_id", PP_COLUMN_TEXT},  {"load_bias", PP_COLUMN_TEXT},
    {"start", PP_COLUMN_TEXT},         {"end", PP_COLUMN_TEXT},       {"debuglink", PP_COLUMN_TEXT},
    {"offset", PP_COLUMN_TEXT},        {"function", PP_COLUMN_TEXT},  {"file", PP_COLUMN_TEXT},
    {"module", PP_COLUMN_WHOLE},       {"line", PP_COLUMN_WHOLE},     {"column", PP_COLUMN_WHOLE},
    {"inlined", PP_COLUMN_WHOLE},
};

/* Counters are real numbers, so that a quotient of two of them is one, too; but those of these sources are
 * always whole numbers. */
static enum pp_column_kind
counter_kind(const char *name)
{
    static const char *const whole[] = {"pipeline:", "id:", "serialize:", "estimate:", "runs:"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(whole); i++)
        if (strncmp(name, whole[i], strlen(whole[i])) == 0)
            return PP_COLUMN_WHOLE;
    return PP_COLUMN_REAL;
}

enum pp_column_kind
pp_column_kind(const char *name)
{
    static const char unit[] = "_ns";
    size_t len = strlen(name), unit_len = strlen(unit);
    if (strchr(name, ':'))
        return counter_kind(name);
    for (size_t i = 0; i < PP_ARRAY_SIZE(read_by_name); i++)
        if (strcmp(name, read_by_name[i].name) == 0)
            return read_by_name[i].kind;
    for (size_t i = 0; i < PP_ARRAY_SIZE(others); i++)
        if (strcmp(name, others[i].name) == 0)
            return others[i].kind;
    return len > unit_len && strcmp(name + len - unit_len, unit) == 0 ? PP_COLUMN_WHOLE : PP_COLUMN_ANY;
}

static size_t
find(const struct pp_cell *cell, size_t cells, const char *name)
{
    for (size_t i = 0; name && i < cells; i++)
        if (pp_cell_is(&cell[i], name))
            return i;
    return SIZE_MAX;
}

void
pp_columns_find(const struct pp_cell *cell, size_t cells, const char *const *name, size_t names,
                size_t *ret_at)
{
    for (size_t i = 0; i < names; i++)
        ret_at[i] = find(cell, cells, name[i]);
}

void
pp_columns_find_all(const struct pp_cell *cell, size_t cells, size_t *ret_at)
{
    for (size_t i = 0; i < PP_SAVED_COLUMNS; i++)
        ret_at[i] = find(cell, cells, read_by_name[i].name);
}
