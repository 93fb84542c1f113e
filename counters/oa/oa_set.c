/** @file
 * Intel metric sets over reports; see oa_set.h. Reports are decoded a block at a time, into columns that fit
 * the cache. Only the fields that some metric reads are decoded. */
#include "counters/oa/oa_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_report.h"

/** Pairs that are decoded at a time: some 50 columns of a block fit into a second-level cache. */
#define BLOCK 256

/** Elements from one column to the next. The additional cache line spreads the columns over the cache sets.
 */
#define STRIDE (BLOCK + 8)

struct pp_oa_set {
    const struct pp_layout *layout;
    struct pp_metric_program *program;
    uint64_t timestamp_hz;      /**< 0: unknown */
    struct pp_layout_plan plan; /**< the fields that are read */
    struct pp_layout_run *run;  /**< of plan */
    uint32_t inputs;            /**< of the program: the layout's fields, and ticks */
    uint32_t metrics;           /**< of the set */
    int time_ns;                /**< field from which ticks, the last input, are recovered; -1: none */
    bool reads_ticks;
};

/** The arguments of pp_metric_compile(), while they are collected. */
struct recipe {
    struct pp_metric_input *input;
    struct pp_metric_variable *variable;
    struct pp_metric_def *def;
    uint8_t *wanted; /**< per field */
    size_t variables, defs;
    const struct pp_metric_def *more; /**< further metrics, after those of the set */
    size_t more_count;
};

static const struct pp_metric_variable *
find_variable(const struct recipe *recipe, const char *name)
{
    for (size_t i = 0; i < recipe->variables; i++) {
        if (strcmp(recipe->variable[i].name, name) == 0)
            return &recipe->variable[i];
    }
    return NULL;
}

/* Add the variables that have a default. The array has two more elements. */
static void
default_variables(struct recipe *recipe)
{
    const struct pp_metric_variable *mask = find_variable(recipe, "SubsliceMask");
    if (!find_variable(recipe, "QueryMode"))
        recipe->variable[recipe->variables++] =
            (struct pp_metric_variable){.name = "QueryMode", .type = PP_METRIC_U64};
    if (mask && !find_variable(recipe, "DualSubsliceMask")) {
        recipe->variable[recipe->variables] = *mask;
        recipe->variable[recipe->variables++].name = "DualSubsliceMask";
    }
}

static void
add_metrics(uint32_t index, const struct pp_catalogue_set *about, struct recipe *recipe)
{
    for (uint32_t i = 0; i < about->metrics; i++) {
        struct pp_catalogue_metric metric;
        pp_catalogue_intel.metric(index, i, &metric);
        recipe->def[recipe->defs++] = (struct pp_metric_def){
            .name = metric.symbol,
            .formula = metric.formula,
            .availability = metric.availability[0] ? metric.availability : NULL,
            .lang = PP_METRIC_RPN,
            .type = (uint8_t)metric.type,
        };
    }
}

static void
add_maxima(uint32_t index, const struct pp_catalogue_set *about, struct recipe *recipe)
{
    for (uint32_t i = 0; i < about->metrics; i++) {
        struct pp_catalogue_metric metric;
        pp_catalogue_intel.metric(index, i, &metric);
        if (!metric.max_formula[0])
            continue;
        recipe->def[recipe->defs++] = (struct pp_metric_def){
            .formula = metric.max_formula,
            .availability = metric.availability[0] ? metric.availability : NULL,
            .self = metric.symbol,
            .lang = PP_METRIC_RPN,
            .type = (uint8_t)metric.type,
        };
    }
}

static int
compile(const struct recipe *recipe, struct pp_oa_set *set, struct pp_metric_error *error)
{
    struct pp_metric_scope scope = {.input = recipe->input,
                                    .inputs = set->inputs,
                                    .variable = recipe->variable,
                                    .variables = recipe->variables};
    const struct pp_metric_variable *hz = find_variable(recipe, "GpuTimestampFrequency");
    set->timestamp_hz = hz && hz->type == PP_METRIC_U64 ? hz->value.u : 0;
    return pp_metric_compile(&scope, recipe->def, recipe->defs, PP_METRIC_MISSING_OK, &set->program, error);
}

static bool
is_read(const struct pp_oa_set *set, size_t input)
{
    size_t outputs = pp_metric_outputs(set->program);
    for (size_t o = 0; o < outputs; o++) {
        if (pp_metric_output_reads(set->program, o, input))
            return true;
    }
    return false;
}

static int
fill(uint32_t index, const struct pp_catalogue_set *about, const struct pp_metric_variable *variable,
     size_t variables, unsigned flags, struct recipe *recipe, struct pp_oa_set *set,
     struct pp_metric_error *error)
{
    for (uint32_t i = 0; i < set->layout->fields; i++)
        recipe->input[i] =
            (struct pp_metric_input){.name = set->layout->field[i].name, .type = PP_METRIC_U64};
    if (set->time_ns >= 0)
        recipe->input[set->layout->fields] =
            (struct pp_metric_input){.name = "GPU_TIME", .type = PP_METRIC_U64};
    if (variables)
        memcpy(recipe->variable, variable, variables * sizeof(*variable));
    recipe->variables = variables;
    default_variables(recipe);
    add_metrics(index, about, recipe);
    if (flags & PP_OA_SET_MAXIMA)
        add_maxima(index, about, recipe);
    for (size_t i = 0; i < recipe->more_count; i++) {
        recipe->def[recipe->defs] = recipe->more[i];
        recipe->def[recipe->defs++].strict = true;
    }
    int rc = compile(recipe, set, error);
    if (rc < 0)
        return rc;
    set->reads_ticks = set->time_ns >= 0 && set->timestamp_hz && is_read(set, set->layout->fields);
    for (uint32_t i = 0; i < set->layout->fields; i++)
        recipe->wanted[i] = is_read(set, i) || (set->reads_ticks && set->time_ns == (int)i);
    set->plan.run = set->run;
    pp_layout_plan(set->layout, recipe->wanted, &set->plan);
    return 0;
}

static int
find_time_ns(const struct pp_layout *layout)
{
    if (pp_layout_field(layout, "GPU_TIME") >= 0)
        return -1;
    int field = pp_layout_field(layout, "TotalTime");
    return field >= 0 && layout->field[field].unit == PP_UNIT_NS ? field : -1;
}

int
pp_oa_set_create(uint32_t index, const struct pp_layout *layout, const struct pp_metric_variable *variable,
                 size_t variables, const struct pp_metric_def *more, size_t more_count, unsigned flags,
                 struct pp_oa_set **ret_set, struct pp_metric_error *error)
{
    if (index >= pp_catalogue_intel.sets || layout->fields == 0)
        return -EINVAL;
    struct pp_catalogue_set about;
    pp_catalogue_intel.set(index, &about);
    int rc = -ENOMEM;
    struct pp_oa_set *set = calloc(1, sizeof(*set));
    struct recipe recipe = {
        .input = calloc(layout->fields + 1, sizeof(*recipe.input)),
        .variable = calloc(variables + 2, sizeof(*recipe.variable)),
        .def = calloc(2 * (size_t)about.metrics + more_count + 1, sizeof(*recipe.def)),
        .wanted = calloc(layout->fields, 1),
        .more = more,
        .more_count = more_count,
    };
    if (set) {
        set->layout = layout;
        set->metrics = about.metrics;
        set->time_ns = find_time_ns(layout);
        set->inputs = layout->fields + (set->time_ns >= 0);
        set->run = calloc(layout->fields, sizeof(*set->run));
    }
    if (set && set->run && recipe.input && recipe.variable && recipe.def && recipe.wanted)
        rc = fill(index, &about, variable, variables, flags, &recipe, set, error);
    free(recipe.input);
    free(recipe.variable);
    free(recipe.def);
    free(recipe.wanted);
    if (rc < 0) {
        pp_oa_set_destroy(set);
        return rc;
    }
    *ret_set = set;
    return 0;
}

void
pp_oa_set_destroy(struct pp_oa_set *set)
{
    if (!set)
        return;
    pp_metric_destroy(set->program);
    free(set->run);
    free(set);
}

size_t
pp_oa_set_outputs(const struct pp_oa_set *set)
{
    return pp_metric_outputs(set->program);
}

enum pp_metric_type
pp_oa_set_output_type(const struct pp_oa_set *set, size_t output)
{
    return pp_metric_output_type(set->program, output);
}

static size_t
round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/** The parts of the caller's workspace. */
struct work {
    struct pp_metric_column *column; /**< per input */
    struct pp_metric_result *result; /**< per output */
    uint64_t *value;                 /**< a column per planned field, then ticks */
    void *decode;                    /**< pp_layout_plan_scratch_bytes() */
    void *metric;                    /**< pp_metric_workspace_bytes() */
};

/** Offsets of the parts of a workspace, in bytes. */
struct parts {
    size_t result, value, decode, metric, end;
};

static struct parts
divide(const struct pp_oa_set *set)
{
    struct parts part;
    part.result = round_up(set->inputs * sizeof(struct pp_metric_column));
    part.value = part.result + round_up(pp_metric_outputs(set->program) * sizeof(struct pp_metric_result));
    part.decode = part.value + ((size_t)set->plan.columns + 1) * STRIDE * sizeof(uint64_t);
    part.metric = part.decode + round_up(pp_layout_plan_scratch_bytes(&set->plan));
    part.end = part.metric + pp_metric_workspace_bytes(set->program);
    return part;
}

size_t
pp_oa_set_workspace_bytes(const struct pp_oa_set *set)
{
    return divide(set).end;
}

static struct work
begin_work(const struct pp_oa_set *set, uint8_t *workspace)
{
    struct parts part = divide(set);
    memset(workspace, 0, set->inputs * sizeof(struct pp_metric_column));
    return (struct work){
        .column = (struct pp_metric_column *)(void *)workspace,
        .result = (struct pp_metric_result *)(void *)(workspace + part.result),
        .value = (uint64_t *)(void *)(workspace + part.value),
        .decode = workspace + part.decode,
        .metric = workspace + part.metric,
    };
}

static void
recover_ticks(const struct pp_oa_set *set, struct work *work, const uint64_t *ns, size_t rows)
{
    uint64_t *ticks = work->value + set->plan.columns * (size_t)STRIDE;
    for (size_t i = 0; i < rows; i++)
        ticks[i] = pp_oa_ns_to_ticks(ns[i], set->timestamp_hz);
    work->column[set->layout->fields].value = ticks;
}

/* Hand the decoded columns to the metrics. Without begin reports, fields that wrap have no column. */
static void
hand_out_columns(const struct pp_oa_set *set, bool has_begin, struct work *work)
{
    for (uint32_t r = 0; r < set->plan.runs; r++) {
        const struct pp_layout_run *run = &set->plan.run[r];
        for (uint32_t i = 0; i < run->fields; i++) {
            uint32_t field = run->field + i;
            if (has_begin || set->layout->field[field].mode != PP_FIELD_WRAPS)
                work->column[field].value = work->value + (run->column + i) * (size_t)STRIDE;
        }
    }
}

static void
decode_block(const struct pp_oa_set *set, const struct pp_snapshot_pairs *pairs, size_t row, size_t rows,
             struct work *work)
{
    struct pp_snapshot_pairs block = *pairs;
    block.begin =
        pairs->begin ? pairs->begin + row * pairs->begin_stride : pairs->end + row * pairs->end_stride;
    block.begin_stride = pairs->begin ? pairs->begin_stride : pairs->end_stride;
    block.end = pairs->end + row * pairs->end_stride;
    block.pairs = rows;
    block.following = pairs->pairs - row - rows + pairs->following;
    pp_layout_plan_decode(&set->plan, &block, work->value, STRIDE, work->decode);
    if (set->reads_ticks) {
        int64_t ns = pp_layout_plan_column(&set->plan, (uint32_t)set->time_ns);
        recover_ticks(set, work, work->value + (size_t)ns * STRIDE, rows);
    }
}

void
pp_oa_set_eval_pairs(const struct pp_oa_set *set, const struct pp_snapshot_pairs *pairs,
                     const struct pp_metric_result *result, void *workspace)
{
    struct work work = begin_work(set, workspace);
    hand_out_columns(set, pairs->begin != NULL, &work);
    size_t outputs = pp_metric_outputs(set->program);
    for (size_t row = 0; row < pairs->pairs; row += BLOCK) {
        size_t rows = pairs->pairs - row < BLOCK ? pairs->pairs - row : BLOCK;
        decode_block(set, pairs, row, rows, &work);
        for (size_t o = 0; o < outputs; o++) {
            work.result[o].value = (uint64_t *)result[o].value + row;
            work.result[o].status = result[o].status + row;
        }
        pp_metric_eval(set->program, work.column, work.result, rows, work.metric);
    }
}

void
pp_oa_set_eval_fields(const struct pp_oa_set *set, const uint64_t *value, const uint8_t *status,
                      const struct pp_metric_result *result, void *workspace)
{
    struct work work = begin_work(set, workspace);
    for (uint32_t i = 0; i < set->layout->fields; i++) {
        work.column[i].value = &value[i];
        work.column[i].status = &status[i];
    }
    if (set->reads_ticks) {
        recover_ticks(set, &work, &value[set->time_ns], 1);
        work.column[set->layout->fields].status = &status[set->time_ns];
    }
    pp_metric_eval(set->program, work.column, result, 1, work.metric);
}
