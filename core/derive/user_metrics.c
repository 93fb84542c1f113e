/** @file
 * User metrics over rows; see user_metrics.h. */
#include "core/derive/user_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/user_metric_names.h"

struct pp_user_metrics {
    struct pp_user_metrics_names names;
    uint16_t counter[PP_USER_METRIC_MAX_COUNTERS]; /* column of the session after the fixed names */
    struct pp_metrics_file *file;
    const struct pp_metrics_item **item; /* one per output */
    size_t items;
    struct pp_metric_program *formula_program;
    void *workspace;
    /* rows being evaluated */
    uint32_t rows, capacity;
    uint64_t *value; /* inputs x capacity in rows */
    uint8_t *status;
    union pp_metric_number *out; /* items x capacity in rows */
    uint8_t *out_status;
    struct pp_metric_column column[PP_USER_METRIC_MAX];
    struct pp_metric_result *result;
    struct pp_column *shown; /* columns of the session directory, one per output */
};

void
pp_user_metrics_destroy(struct pp_user_metrics *user_metrics)
{
    if (!user_metrics)
        return;
    pp_metric_destroy(user_metrics->formula_program);
    free(user_metrics->item);
    pp_metrics_file_destroy(user_metrics->file);
    free(user_metrics->workspace);
    free(user_metrics->value);
    free(user_metrics->status);
    free(user_metrics->out);
    free(user_metrics->out_status);
    free(user_metrics->result);
    for (size_t i = 0; user_metrics->shown && i < user_metrics->items; i++)
        free(user_metrics->shown[i].name);
    free(user_metrics->shown);
    free(user_metrics);
}

/* "metric:busy_percent" */
static void
column_name(const struct pp_metrics_item *item, char *name, size_t size)
{
    const char *suffix = pp_unit_suffix(item->unit_id);
    size_t length = strlen(item->name), tail = strlen(suffix);
    bool has_it = length >= tail && strcmp(item->name + length - tail, suffix) == 0;
    snprintf(name, size, "metric:%s%s", item->name, has_it ? "" : suffix);
}

static int
make_columns(struct pp_user_metrics *user_metrics)
{
    char name[256];
    user_metrics->shown = calloc(user_metrics->items + 1, sizeof(*user_metrics->shown));
    for (size_t i = 0; user_metrics->shown && i < user_metrics->items; i++) {
        bool whole = pp_metric_output_type(user_metrics->formula_program, i) == PP_METRIC_U64;
        column_name(user_metrics->item[i], name, sizeof(name));
        user_metrics->shown[i].number = whole ? PP_NUMBER_U64 : PP_NUMBER_F64;
        user_metrics->shown[i].name = strdup(name);
        if (!user_metrics->shown[i].name)
            return -ENOMEM;
    }
    return user_metrics->shown ? 0 : -ENOMEM;
}

static int
compile(struct pp_user_metrics *user_metrics, const char *gpu, struct pp_metrics_error *error)
{
    const struct pp_metric_scope scope = {.input = user_metrics->names.input,
                                          .inputs = user_metrics->names.inputs};
    int r = pp_metrics_file_select(user_metrics->file, gpu, false, &user_metrics->item, &user_metrics->items);
    if (!r)
        r = pp_metrics_file_compile(user_metrics->file, gpu, &scope, PP_METRIC_MISSING_SOURCES,
                                    &user_metrics->formula_program, error);
    if (r)
        return r;
    size_t bytes = (pp_metric_workspace_bytes(user_metrics->formula_program) + 63) / 64 * 64;
    user_metrics->workspace = aligned_alloc(64, bytes);
    user_metrics->result = calloc(user_metrics->items + 1, sizeof(*user_metrics->result));
    return user_metrics->workspace && user_metrics->result ? make_columns(user_metrics) : -ENOMEM;
}

int
pp_user_metrics_create(const struct pp_session *session, const char *gpu,
                       struct pp_user_metrics **ret_user_metrics, struct pp_metrics_error *error)
{
    *ret_user_metrics = NULL;
    *error = (struct pp_metrics_error){.text = ""};
    if (!session->config.metrics[0])
        return 0;
    struct pp_user_metrics *user_metrics = calloc(1, sizeof(*user_metrics));
    if (!user_metrics)
        return -ENOMEM;
    struct pp_user_metrics_counter *shown = calloc(PP_USER_METRIC_MAX_COUNTERS, sizeof(*shown));
    if (!shown) {
        pp_user_metrics_destroy(user_metrics);
        return -ENOMEM;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < session->rows.columns && count < PP_USER_METRIC_MAX_COUNTERS; i++) {
        const struct pp_column *column = &session->rows.column[i];
        if (column->hidden)
            continue;
        user_metrics->counter[count] = (uint16_t)i;
        shown[count++] = (struct pp_user_metrics_counter){
            column->name, column->number == PP_NUMBER_F64 ? PP_METRIC_F64 : PP_METRIC_U64};
    }
    pp_user_metrics_names_make(&user_metrics->names, shown, count);
    free(shown);
    int r = pp_metrics_file_open(session->config.metrics, &user_metrics->file, error);
    if (!r)
        r = compile(user_metrics, gpu, error);
    if (r)
        pp_user_metrics_destroy(user_metrics);
    else
        *ret_user_metrics = user_metrics;
    return r;
}

/* Make the arrays large enough for the rows. All values begin as missing. */
static int
begin_rows(struct pp_user_metrics *user_metrics, uint32_t rows)
{
    size_t inputs = user_metrics->names.measured, items = user_metrics->items;
    if (rows > user_metrics->capacity) {
        uint32_t capacity = rows + rows / 2 + 64;
        free(user_metrics->value);
        free(user_metrics->status);
        free(user_metrics->out);
        free(user_metrics->out_status);
        user_metrics->value = calloc(inputs * capacity, sizeof(*user_metrics->value));
        user_metrics->status = malloc(inputs * capacity);
        user_metrics->out = calloc(items * capacity + 1, sizeof(*user_metrics->out));
        user_metrics->out_status = calloc(items * capacity + 1, 1);
        user_metrics->capacity =
            user_metrics->value && user_metrics->status && user_metrics->out && user_metrics->out_status
                ? capacity
                : 0;
        if (!user_metrics->capacity)
            return -ENOMEM;
    }
    user_metrics->rows = rows;
    memset(user_metrics->status, PP_UNSUPPORTED, inputs * user_metrics->capacity);
    return 0;
}

static void
put(struct pp_user_metrics *user_metrics, size_t input, uint32_t row, struct pp_value value)
{
    user_metrics->value[input * user_metrics->capacity + row] = value.value;
    user_metrics->status[input * user_metrics->capacity + row] = (uint8_t)value.status;
}

static void
put_number(struct pp_user_metrics *user_metrics, enum pp_user_metrics_input input, uint32_t row,
           uint64_t number)
{
    put(user_metrics, input, row, pp_value_ok(number));
}

static void
put_counters(struct pp_user_metrics *user_metrics, uint32_t row, const struct pp_value *counter)
{
    for (size_t i = 0; i < user_metrics->names.measured - PP_USER_METRIC_FIXED; i++)
        put(user_metrics, PP_USER_METRIC_FIXED + i, row, counter[user_metrics->counter[i]]);
}

static void
evaluate(struct pp_user_metrics *user_metrics)
{
    for (size_t i = 0; i < user_metrics->names.measured; i++) /* the others stay without a column */
        user_metrics->column[i] =
            (struct pp_metric_column){user_metrics->value + i * user_metrics->capacity,
                                      user_metrics->status + i * user_metrics->capacity};
    for (size_t i = 0; i < user_metrics->items; i++)
        user_metrics->result[i] =
            (struct pp_metric_result){user_metrics->out + i * user_metrics->capacity,
                                      user_metrics->out_status + i * user_metrics->capacity};
    pp_metric_eval(user_metrics->formula_program, user_metrics->column, user_metrics->result,
                   user_metrics->rows, user_metrics->workspace);
}

/* Put the results for row number @p row after the row's counters. */
static void
take(const struct pp_user_metrics *user_metrics, const struct pp_session *session, uint32_t row,
     struct pp_value *counter)
{
    struct pp_value *to = counter + session->rows.columns;
    for (size_t i = 0; i < user_metrics->items; i++) {
        size_t at = i * user_metrics->capacity + row;
        memcpy(&to[i].value, &user_metrics->out[at], sizeof(to[i].value));
        to[i].status = (enum pp_status)user_metrics->out_status[at];
    }
}

static int
fill_frame(struct pp_user_metrics *user_metrics, const struct pp_session *session, struct pp_frame_row *frame)
{
    int r = begin_rows(user_metrics, 1);
    if (r)
        return r;
    put(user_metrics, PP_USER_METRIC_FRAME_TIME, 0, frame->frame_time_ns);
    put(user_metrics, PP_USER_METRIC_CPU_BUSY, 0, frame->cpu_busy_ns);
    put(user_metrics, PP_USER_METRIC_CPU_WAIT, 0, frame->cpu_wait_ns);
    put(user_metrics, PP_USER_METRIC_GPU_LATENCY, 0, frame->gpu_latency_ns);
    put(user_metrics, PP_USER_METRIC_GPU_TIME, 0, frame->gpu_time_ns);
    put(user_metrics, PP_USER_METRIC_GPU_BUSY, 0, frame->gpu_busy_ns);
    put(user_metrics, PP_USER_METRIC_GPU_WAIT, 0, frame->gpu_wait_ns);
    if (frame->level != PP_LEVEL_FRAME)
        put_number(user_metrics, PP_USER_METRIC_PASSES, 0, frame->passes);
    put_number(user_metrics, PP_USER_METRIC_DRAWS, 0, frame->draws);
    put_number(user_metrics, PP_USER_METRIC_DISPATCHES, 0, frame->dispatches);
    put_number(user_metrics, PP_USER_METRIC_COPIES, 0, frame->copies);
    put_number(user_metrics, PP_USER_METRIC_PIPELINES, 0, frame->pipelines_created);
    put_number(user_metrics, PP_USER_METRIC_PIPELINE_TIME, 0, frame->pipeline_create_ns);
    put_counters(user_metrics, 0, frame->counter);
    evaluate(user_metrics);
    take(user_metrics, session, 0, frame->counter);
    return 0;
}

static void
put_target(struct pp_user_metrics *user_metrics, uint32_t row, const struct pp_render_target *render_target)
{
    if (!render_target)
        return;
    put_number(user_metrics, PP_USER_METRIC_WIDTH, row, render_target->width);
    put_number(user_metrics, PP_USER_METRIC_HEIGHT, row, render_target->height);
    put_number(user_metrics, PP_USER_METRIC_LAYERS, row, render_target->layers);
    put_number(user_metrics, PP_USER_METRIC_SAMPLES, row, render_target->samples);
}

static int
fill_passes(struct pp_user_metrics *user_metrics, struct pp_session *session, struct pp_frame_row *frame)
{
    int r = begin_rows(user_metrics, frame->passes);
    if (r)
        return r;
    for (uint32_t i = 0; i < frame->passes; i++) {
        const struct pp_pass_row *pass = &frame->pass[i];
        put(user_metrics, PP_USER_METRIC_GPU_TIME, i, pass->gpu_time_ns);
        put_number(user_metrics, PP_USER_METRIC_DRAWS, i, pass->draws);
        put_number(user_metrics, PP_USER_METRIC_DISPATCHES, i, pass->dispatches);
        put_number(user_metrics, PP_USER_METRIC_COPIES, i, pass->copies);
        put_target(user_metrics, i, pp_session_render_target_get(session, pass->render_target));
        put_counters(user_metrics, i, pass->counter);
    }
    evaluate(user_metrics);
    for (uint32_t i = 0; i < frame->passes; i++)
        take(user_metrics, session, i, frame->pass[i].counter);
    return 0;
}

static void
put_action(struct pp_user_metrics *user_metrics, uint32_t row, const struct pp_action *action)
{
    if (action->indirect == 1)
        return;
    if (action->kind == PP_ACTION_DRAW) {
        if (action->indirect != PP_INDIRECT_VERTICES)
            put_number(user_metrics, PP_USER_METRIC_VERTICES, row, action->vertices);
        if (action->indirect != PP_INDIRECT_INSTANCES)
            put_number(user_metrics, PP_USER_METRIC_INSTANCES, row, action->instances);
    } else if (action->kind == PP_ACTION_DISPATCH || action->kind == PP_ACTION_MESH_TASKS ||
               action->kind == PP_ACTION_TRACE_RAYS) {
        put_number(user_metrics, PP_USER_METRIC_GROUPS, row, action->groups);
    }
}

static int
fill_actions(struct pp_user_metrics *user_metrics, struct pp_session *session, struct pp_frame_row *frame)
{
    int r = begin_rows(user_metrics, frame->actions);
    if (r)
        return r;
    for (uint32_t i = 0; i < frame->actions; i++) {
        const struct pp_action_row *row = &frame->action[i];
        put(user_metrics, PP_USER_METRIC_GPU_TIME, i, row->gpu_time_ns);
        put_action(user_metrics, i, row->action);
        if (row->pass < frame->passes && frame->pass[row->pass].number == row->pass)
            put_target(user_metrics, i,
                       pp_session_render_target_get(session, frame->pass[row->pass].render_target));
        put_counters(user_metrics, i, row->counter);
    }
    evaluate(user_metrics);
    for (uint32_t i = 0; i < frame->actions; i++)
        take(user_metrics, session, i, frame->action[i].counter);
    return 0;
}

struct pp_column *
pp_user_metrics_columns(struct pp_user_metrics *user_metrics, uint32_t *ret_columns)
{
    *ret_columns = user_metrics ? (uint32_t)user_metrics->items : 0;
    return user_metrics ? user_metrics->shown : NULL;
}

int
pp_user_metrics_fill(struct pp_user_metrics *user_metrics, struct pp_session *session,
                     struct pp_frame_row *frame)
{
    int r = user_metrics && frame->is_frame ? fill_frame(user_metrics, session, frame) : 0;
    if (user_metrics && !r)
        r = fill_passes(user_metrics, session, frame);
    return user_metrics && !r ? fill_actions(user_metrics, session, frame) : r;
}

void
pp_user_metrics_json(const struct pp_user_metrics *user_metrics, struct pp_json *json)
{
    pp_json_open(json, "metrics", '[');
    for (size_t i = 0; user_metrics && i < user_metrics->items; i++) {
        const struct pp_metrics_item *item = user_metrics->item[i];
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "name", user_metrics->shown[i].name);
        pp_json_text(json, "unit", item->unit);
        pp_json_text(json, "formula", item->formula);
        pp_json_text(json, "description", item->description);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}
