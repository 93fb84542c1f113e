/** @file
 * See push_tables.h. */
#include "cli/push/push_tables.h"

#include <stdint.h>
#include <string.h>

#include "counters/util/array_size.h"

#define COLUMN(name, type, optional, from)                                                                   \
    {                                                                                                        \
        name, PP_PUSH_##type, optional, from                                                                 \
    }
/* Columns of the session's file. A word is a text that is NULL where the cell is empty. */
#define TEXT(name)  COLUMN(name, TEXT, false, name)
#define WORD(name)  COLUMN(name, TEXT, true, name)
#define COUNT(name) COLUMN(name, COUNT, true, name)
#define WHOLE(name) COLUMN(name, WHOLE, true, name)
#define PLACE(name) COLUMN(name, COUNT, false, name)
#define WORK(name)  COLUMN(name, WORK_ID, false, name)
#define BY_PLACE    COLUMN("by_place", FLAG, true, "id:by_place")
/* Values that push_rows.h makes. */
#define FLAG(name)       COLUMN(name, FLAG, false, NULL)
#define MADE_TEXT(name)  COLUMN(name, TEXT, false, NULL)
#define MADE_WHOLE(name) COLUMN(name, WHOLE, true, NULL)
#define MADE_ROWS(name)  COLUMN(name, WHOLE, false, NULL)
/* What the rows of all tables begin with. */
#define ID COLUMN("session_id", SESSION_ID, false, NULL), COLUMN("day", DATE, false, NULL)
/* Facts of the session that many questions need next to each measured row. */
#define FACTS MADE_TEXT("build"), MADE_TEXT("gpu")

static const struct pp_push_column frames[] = {
    ID,
    FACTS,
    PLACE("frame"),
    FLAG("counted"),
    COUNT("surface"),
    TEXT("api"),
    TEXT("level"),
    WHOLE("cpu_start_ns"),
    WHOLE("frame_time_ns"),
    WHOLE("cpu_busy_ns"),
    WHOLE("cpu_wait_ns"),
    WHOLE("gpu_start_ns"),
    WHOLE("gpu_latency_ns"),
    WHOLE("gpu_time_ns"),
    WHOLE("gpu_busy_ns"),
    WHOLE("gpu_wait_ns"),
    WORD("bound_by"),
    COUNT("passes"),
    COUNT("draws"),
    COUNT("dispatches"),
    COUNT("copies"),
    COUNT("pipelines_created"),
    WHOLE("pipeline_create_ns"),
    WHOLE("cpu_sync_ns"),
    WHOLE("cpu_acquire_ns"),
};

static const struct pp_push_column passes[] = {
    ID,
    FACTS,
    WORK("pass_id"),
    COUNT("frame"),
    PLACE("pass"),
    FLAG("counted"),
    TEXT("level"),
    TEXT("kind"),
    COUNT("width"),
    COUNT("height"),
    COUNT("layers"),
    COUNT("samples"),
    COUNT("draws"),
    COUNT("dispatches"),
    COUNT("copies"),
    WHOLE("gpu_start_ns"),
    WHOLE("gpu_time_ns"),
    MADE_WHOLE("bias_ns"),
    WORD("bound_by"),
    BY_PLACE,
    TEXT("queue"),
};

static const struct pp_push_column pass_names[] = {
    ID, WORK("pass_id"), TEXT("kind"), TEXT("name"), TEXT("label"), TEXT("attachments"),
};

static const struct pp_push_column labels[] = {
    ID,
    FACTS,
    PLACE("frame"),
    FLAG("counted"),
    COUNT("depth"),
    TEXT("label"),
    COUNT("passes"),
    COUNT("draws"),
    COUNT("dispatches"),
    COUNT("copies"),
    WHOLE("gpu_start_ns"),
    WHOLE("gpu_inclusive_ns"),
    WHOLE("gpu_exclusive_ns"),
};

static const struct pp_push_column marks[] = {
    ID,
    WHOLE("at_ns"),
    COUNT("frame"),
    TEXT("label"),
};

static const struct pp_push_column draws[] = {
    ID,
    FACTS,
    WORK("draw_id"),
    COUNT("frame"),
    PLACE("pass"),
    PLACE("draw"),
    FLAG("counted"),
    TEXT("call"),
    WHOLE("vertices"),
    WHOLE("instances"),
    WHOLE("groups"),
    WHOLE("gpu_start_ns"),
    WHOLE("gpu_time_ns"),
    MADE_WHOLE("bias_ns"),
    WORD("bound_by"),
    BY_PLACE,
    TEXT("pipeline"),
    TEXT("label"),
};

static const struct pp_push_column counters_missing[] = {
    ID, FACTS, MADE_TEXT("place"), MADE_TEXT("event"), MADE_TEXT("reason"),
};

static const struct pp_push_column sessions[] = {
    ID,
    MADE_WHOLE("start_realtime_ns"),
    MADE_TEXT("program"),
    MADE_TEXT("build"),
    MADE_TEXT("scene"),
    MADE_TEXT("machine"),
    MADE_TEXT("gpu"),
    MADE_TEXT("driver"),
    MADE_TEXT("api"),
    MADE_TEXT("os"),
    MADE_TEXT("cpu"),
    MADE_TEXT("level"),
    MADE_TEXT("events"),
    MADE_TEXT("passprobe"),
    MADE_WHOLE("session_schema"),
    MADE_TEXT("ended"),
    MADE_ROWS("frames"),
    MADE_ROWS("passes"),
    MADE_ROWS("pass_names"),
    MADE_ROWS("labels"),
    MADE_ROWS("marks"),
    MADE_ROWS("draws"),
    MADE_ROWS("counters_missing"),
    MADE_WHOLE("dropped_frames"),
    COLUMN("own_cost_percent", REAL, true, NULL),
    MADE_WHOLE("pass_bias_ns"),
    FLAG("redacted"),
    MADE_TEXT("content"),
};

#define MODEL(name, file, pairs)                                                                             \
    {                                                                                                        \
#name, file, name, PP_ARRAY_SIZE(name), pairs                                                        \
    }
static const struct pp_push_model models[] = {
    [PP_PUSH_FRAMES] = MODEL(frames, "frames", PP_PUSH_COUNTERS),
    [PP_PUSH_PASSES] = MODEL(passes, "passes", PP_PUSH_COUNTERS),
    [PP_PUSH_PASS_NAMES] = MODEL(pass_names, NULL, PP_PUSH_NO_PAIRS),
    [PP_PUSH_LABELS] = MODEL(labels, "labels", PP_PUSH_COUNTERS),
    [PP_PUSH_MARKS] = MODEL(marks, "marks", PP_PUSH_NO_PAIRS),
    [PP_PUSH_DRAWS] = MODEL(draws, "draws", PP_PUSH_COUNTERS),
    [PP_PUSH_COUNTERS_MISSING] = MODEL(counters_missing, NULL, PP_PUSH_NO_PAIRS),
    [PP_PUSH_SESSIONS] = MODEL(sessions, NULL, PP_PUSH_TAGS),
};

_Static_assert(PP_ARRAY_SIZE(sessions) <= PP_PUSH_COLUMNS_MAX, "the widest table");
_Static_assert(PP_ARRAY_SIZE(frames) <= PP_PUSH_COLUMNS_MAX, "a wide table");

/* Types by enum pp_push_type, without and with NULL. */
static const char *const types[][2] = {
    [PP_PUSH_SESSION_ID] = {"FixedString(32)", "Nullable(FixedString(32))"},
    [PP_PUSH_WORK_ID] = {"FixedString(16)", "Nullable(FixedString(16))"},
    [PP_PUSH_TEXT] = {"String", "Nullable(String)"},
    [PP_PUSH_DATE] = {"Date", "Nullable(Date)"},
    [PP_PUSH_FLAG] = {"UInt8", "Nullable(UInt8)"},
    [PP_PUSH_COUNT] = {"UInt32", "Nullable(UInt32)"},
    [PP_PUSH_WHOLE] = {"UInt64", "Nullable(UInt64)"},
    [PP_PUSH_REAL] = {"Float64", "Nullable(Float64)"},
};

const struct pp_push_model *
pp_push_model_of(enum pp_push_table table)
{
    return &models[table];
}

size_t
pp_push_column_of(enum pp_push_table table, const char *name)
{
    for (size_t i = 0; i < models[table].columns; i++)
        if (strcmp(models[table].column[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

const char *
pp_push_clickhouse_type(const struct pp_push_column *column)
{
    return types[column->type][column->optional];
}

const char *
pp_push_pairs_name(enum pp_push_table table)
{
    static const char *const name[] = {NULL, "counters", "tags"};
    return name[models[table].pairs];
}
