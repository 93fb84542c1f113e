/** @file
 * Users' metrics over rows; see derive.h. */
#include "core/collect/user_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/collect/user_metric_names.h"

struct pp_derive {
    struct pp_derive_names names;
    uint16_t counter[PP_DERIVE_MAX_COUNTERS]; /* column of the session behind the fixed names */
    struct pp_metrics_file *file;
    const struct pp_metrics_item **item; /* one per output */
    size_t items;
    struct pp_metric_program *program;
    void *workspace;
    /* rows being evaluated */
    uint32_t rows, room;
    uint64_t *value; /* inputs x room */
    uint8_t *status;
    union pp_metric_number *out; /* items x room */
    uint8_t *out_status;
    struct pp_metric_column column[PP_DERIVE_MAX];
    struct pp_metric_result *result;
};

void
pp_derive_destroy(struct pp_derive *derive)
{
    if (!derive)
        return;
    pp_metric_destroy(derive->program);
    free(derive->item);
    pp_metrics_file_destroy(derive->file);
    free(derive->workspace);
    free(derive->value);
    free(derive->status);
    free(derive->out);
    free(derive->out_status);
    free(derive->result);
    free(derive);
}

static int
compile(struct pp_derive *derive, const char *gpu, struct pp_metrics_error *error)
{
    const struct pp_metric_scope scope = {.input = derive->names.input, .inputs = derive->names.inputs};
    int r = pp_metrics_file_select(derive->file, gpu, false, &derive->item, &derive->items);
    if (!r)
        r = pp_metrics_file_compile(derive->file, gpu, &scope, PP_METRIC_MISSING_SOURCES, &derive->program,
                                    error);
    if (r)
        return r;
    size_t bytes = (pp_metric_workspace_bytes(derive->program) + 63) / 64 * 64;
    derive->workspace = aligned_alloc(64, bytes);
    derive->result = calloc(derive->items + 1, sizeof(*derive->result));
    return derive->workspace && derive->result ? 0 : -ENOMEM;
}

int
pp_derive_create(const struct pp_session *session, const char *gpu, struct pp_derive **ret_derive,
                 struct pp_metrics_error *error)
{
    *ret_derive = NULL;
    *error = (struct pp_metrics_error){.text = ""};
    if (!session->config.metrics[0])
        return 0;
    struct pp_derive *derive = calloc(1, sizeof(*derive));
    if (!derive)
        return -ENOMEM;
    struct pp_derive_counter *shown = calloc(PP_DERIVE_MAX_COUNTERS, sizeof(*shown));
    if (!shown) {
        pp_derive_destroy(derive);
        return -ENOMEM;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < session->columns && count < PP_DERIVE_MAX_COUNTERS; i++) {
        const struct pp_column *column = &session->column[i];
        if (column->hidden)
            continue;
        derive->counter[count] = (uint16_t)i;
        shown[count++] = (struct pp_derive_counter){
            column->name, column->number == PP_NUMBER_F64 ? PP_METRIC_F64 : PP_METRIC_U64};
    }
    pp_derive_names_make(&derive->names, shown, count);
    free(shown);
    int r = pp_metrics_file_open(session->config.metrics, &derive->file, error);
    if (!r)
        r = compile(derive, gpu, error);
    if (r)
        pp_derive_destroy(derive);
    else
        *ret_derive = derive;
    return r;
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

void
pp_derive_header(const struct pp_derive *derive, struct pp_csv *csv)
{
    char name[256];
    for (size_t i = 0; derive && i < derive->items; i++) {
        column_name(derive->item[i], name, sizeof(name));
        pp_csv_column(csv, name);
    }
}

/* Room for the rows, all of them without values. */
static int
begin_rows(struct pp_derive *derive, uint32_t rows)
{
    size_t inputs = derive->names.measured, items = derive->items;
    if (rows > derive->room) {
        uint32_t room = rows + rows / 2 + 64;
        free(derive->value);
        free(derive->status);
        free(derive->out);
        free(derive->out_status);
        derive->value = calloc(inputs * room, sizeof(*derive->value));
        derive->status = malloc(inputs * room);
        derive->out = calloc(items * room + 1, sizeof(*derive->out));
        derive->out_status = calloc(items * room + 1, 1);
        derive->room = derive->value && derive->status && derive->out && derive->out_status ? room : 0;
        if (!derive->room)
            return -ENOMEM;
    }
    derive->rows = rows;
    memset(derive->status, PP_UNSUPPORTED, inputs * derive->room);
    return 0;
}

static void
put(struct pp_derive *derive, size_t input, uint32_t row, struct pp_value value)
{
    derive->value[input * derive->room + row] = value.value;
    derive->status[input * derive->room + row] = (uint8_t)value.status;
}

static void
put_number(struct pp_derive *derive, enum pp_derive_input input, uint32_t row, uint64_t number)
{
    put(derive, input, row, pp_value_ok(number));
}

static void
put_counters(struct pp_derive *derive, uint32_t row, const struct pp_value *counter)
{
    for (size_t i = 0; i < derive->names.measured - PP_DERIVE_FIXED; i++)
        put(derive, PP_DERIVE_FIXED + i, row, counter[derive->counter[i]]);
}

static void
evaluate(struct pp_derive *derive)
{
    for (size_t i = 0; i < derive->names.measured; i++) /* the others stay without a column */
        derive->column[i] =
            (struct pp_metric_column){derive->value + i * derive->room, derive->status + i * derive->room};
    for (size_t i = 0; i < derive->items; i++)
        derive->result[i] =
            (struct pp_metric_result){derive->out + i * derive->room, derive->out_status + i * derive->room};
    pp_metric_eval(derive->program, derive->column, derive->result, derive->rows, derive->workspace);
}

int
pp_derive_frame(struct pp_derive *derive, const struct pp_frame_row *frame)
{
    int r = derive ? begin_rows(derive, 1) : 0;
    if (!derive || r)
        return r;
    put(derive, PP_DERIVE_FRAME_TIME, 0, frame->frame_time_ns);
    put(derive, PP_DERIVE_CPU_BUSY, 0, frame->cpu_busy_ns);
    put(derive, PP_DERIVE_CPU_WAIT, 0, frame->cpu_wait_ns);
    put(derive, PP_DERIVE_GPU_LATENCY, 0, frame->gpu_latency_ns);
    put(derive, PP_DERIVE_GPU_TIME, 0, frame->gpu_time_ns);
    put(derive, PP_DERIVE_GPU_BUSY, 0, frame->gpu_busy_ns);
    put(derive, PP_DERIVE_GPU_WAIT, 0, frame->gpu_wait_ns);
    if (frame->level != PP_LEVEL_FRAME)
        put_number(derive, PP_DERIVE_PASSES, 0, frame->passes);
    put_number(derive, PP_DERIVE_DRAWS, 0, frame->draws);
    put_number(derive, PP_DERIVE_DISPATCHES, 0, frame->dispatches);
    put_number(derive, PP_DERIVE_COPIES, 0, frame->copies);
    put_number(derive, PP_DERIVE_PIPELINES, 0, frame->pipelines_created);
    put_number(derive, PP_DERIVE_PIPELINE_TIME, 0, frame->pipeline_create_ns);
    put_counters(derive, 0, frame->counter);
    evaluate(derive);
    return 0;
}

static void
put_target(struct pp_derive *derive, uint32_t row, const struct pp_shape *shape)
{
    if (!shape)
        return;
    put_number(derive, PP_DERIVE_WIDTH, row, shape->width);
    put_number(derive, PP_DERIVE_HEIGHT, row, shape->height);
    put_number(derive, PP_DERIVE_LAYERS, row, shape->layers);
    put_number(derive, PP_DERIVE_SAMPLES, row, shape->samples);
}

int
pp_derive_passes(struct pp_derive *derive, struct pp_session *session, const struct pp_frame_row *frame)
{
    int r = derive ? begin_rows(derive, frame->passes) : 0;
    if (!derive || r)
        return r;
    for (uint32_t i = 0; i < frame->passes; i++) {
        const struct pp_pass_row *pass = &frame->pass[i];
        put(derive, PP_DERIVE_GPU_TIME, i, pass->gpu_time_ns);
        put_number(derive, PP_DERIVE_DRAWS, i, pass->draws);
        put_number(derive, PP_DERIVE_DISPATCHES, i, pass->dispatches);
        put_number(derive, PP_DERIVE_COPIES, i, pass->copies);
        put_target(derive, i, pp_session_shape_get(session, pass->shape));
        put_counters(derive, i, pass->counter);
    }
    evaluate(derive);
    return 0;
}

static void
put_work(struct pp_derive *derive, uint32_t row, const struct pp_work *work)
{
    if (work->indirect == 1)
        return;
    if (work->kind == PP_WORK_DRAW) {
        if (work->indirect != PP_INDIRECT_VERTICES)
            put_number(derive, PP_DERIVE_VERTICES, row, work->vertices);
        if (work->indirect != PP_INDIRECT_INSTANCES)
            put_number(derive, PP_DERIVE_INSTANCES, row, work->instances);
    } else if (work->kind == PP_WORK_DISPATCH || work->kind == PP_WORK_MESH_TASKS ||
               work->kind == PP_WORK_TRACE_RAYS) {
        put_number(derive, PP_DERIVE_GROUPS, row, work->groups);
    }
}

int
pp_derive_works(struct pp_derive *derive, struct pp_session *session, const struct pp_frame_row *frame)
{
    int r = derive ? begin_rows(derive, frame->works) : 0;
    if (!derive || r)
        return r;
    for (uint32_t i = 0; i < frame->works; i++) {
        const struct pp_work_row *row = &frame->work[i];
        put(derive, PP_DERIVE_GPU_TIME, i, row->gpu_time_ns);
        put_work(derive, i, row->work);
        if (row->pass < frame->passes && frame->pass[row->pass].number == row->pass)
            put_target(derive, i, pp_session_shape_get(session, frame->pass[row->pass].shape));
        put_counters(derive, i, row->counter);
    }
    evaluate(derive);
    return 0;
}

void
pp_derive_cells(const struct pp_derive *derive, struct pp_csv *csv, uint32_t row)
{
    for (size_t i = 0; derive && i < derive->items; i++) {
        const union pp_metric_number *number = &derive->out[i * derive->room + row];
        if (!pp_status_has_value(derive->out_status[i * derive->room + row]))
            pp_csv_empty(csv, PP_WHY_FORMULA);
        else if (pp_metric_output_type(derive->program, i) == PP_METRIC_U64)
            pp_csv_u64(csv, number->u);
        else
            pp_csv_f64(csv, number->f);
    }
}

void
pp_derive_json(const struct pp_derive *derive, struct pp_json *json)
{
    char name[256];
    pp_json_open(json, "metrics", '[');
    for (size_t i = 0; derive && i < derive->items; i++) {
        const struct pp_metrics_item *item = derive->item[i];
        column_name(item, name, sizeof(name));
        pp_json_open(json, NULL, '{');
        pp_json_text(json, "name", name);
        pp_json_text(json, "unit", item->unit);
        pp_json_text(json, "formula", item->formula);
        pp_json_text(json, "description", item->description);
        pp_json_close(json, '}');
    }
    pp_json_close(json, ']');
}
