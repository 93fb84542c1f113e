/** @file
 * See mali_decode.h. From sums to values of counters and metrics, a column at a time;
 *
 * Adding up blocks; */
#include "counters/mali/mali_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "pp_texts.h"

struct pp_mali_decoder {
    const struct pp_mali_gpu *gpu;
    struct pp_mali_config config;
    struct pp_metric_program *program;
    void *workspace;
    struct pp_metric_column *column; /* per counter */
    union pp_metric_number *value;   /* of one row: counters, then metrics */
    uint8_t *status;
    struct pp_metric_result *cell; /* pointers into both */
};

void
pp_mali_decoder_destroy(struct pp_mali_decoder *decoder)
{
    if (!decoder)
        return;
    pp_metric_destroy(decoder->program);
    free(decoder->workspace);
    free(decoder->column);
    free(decoder->value);
    free(decoder->status);
    free(decoder->cell);
    free(decoder);
}

size_t
pp_mali_decoder_columns(const struct pp_mali_decoder *decoder)
{
    return (size_t)decoder->gpu->counters + decoder->gpu->metrics;
}

static enum pp_metric_type
counter_type(const struct pp_mali_counter *counter)
{
    return counter->aggregation == PP_MALI_AVERAGE ? PP_METRIC_F64 : PP_METRIC_U64;
}

static int
compile(struct pp_mali_decoder *decoder, struct pp_metric_error *error)
{
    const struct pp_mali_gpu *gpu = decoder->gpu;
    const struct pp_metric_variable variable[] = {
        {"MaliConstantsShaderCoreCount", PP_METRIC_U64, {.u = pp_mali_cores(&decoder->config)}},
        {"MaliConstantsL2SliceCount", PP_METRIC_U64, {.u = decoder->config.l2_slices}},
        {"MaliConstantsBusWidthBits", PP_METRIC_U64, {.u = decoder->config.bus_width_bits}},
    };
    struct pp_metric_input *input = calloc((size_t)gpu->counters + 1, sizeof(*input));
    struct pp_metric_def *def = calloc((size_t)gpu->metrics + 1, sizeof(*def));
    int r = input && def ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < gpu->counters && !r; i++)
        input[i] = (struct pp_metric_input){gpu->counter[i].symbol, (uint8_t)counter_type(&gpu->counter[i])};
    for (uint32_t i = 0; i < gpu->metrics && !r; i++)
        def[i] = (struct pp_metric_def){.name = gpu->metric[i].symbol,
                                        .formula = gpu->metric[i].formula,
                                        .lang = PP_METRIC_INFIX,
                                        .type = PP_METRIC_F64};
    const struct pp_metric_scope scope = {input, gpu->counters, variable, PP_ARRAY_SIZE(variable)};
    if (!r)
        r = pp_metric_compile(&scope, def, gpu->metrics, PP_METRIC_MISSING_SOURCES, &decoder->program, error);
    free(input);
    free(def);
    return r;
}

static int
allocate(struct pp_mali_decoder *decoder)
{
    size_t columns = pp_mali_decoder_columns(decoder);
    size_t workspace = pp_metric_workspace_bytes(decoder->program);
    decoder->workspace = aligned_alloc(64, (workspace + 63) / 64 * 64);
    decoder->column = calloc((size_t)decoder->gpu->counters + 1, sizeof(*decoder->column));
    decoder->value = calloc(columns + 1, sizeof(*decoder->value));
    decoder->status = calloc(columns + 1, sizeof(*decoder->status));
    decoder->cell = calloc(columns + 1, sizeof(*decoder->cell));
    if (!decoder->workspace || !decoder->column || !decoder->value || !decoder->status || !decoder->cell)
        return -ENOMEM;
    for (size_t i = 0; i < columns; i++)
        decoder->cell[i] = (struct pp_metric_result){&decoder->value[i], &decoder->status[i]};
    return 0;
}

int
pp_mali_decoder_create(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                       struct pp_mali_decoder **ret, struct pp_metric_error *error)
{
    int r = pp_mali_config_check(config);
    if (r || gpu->counters > PP_MALI_MAX_COUNTERS) {
        if (error)
            *error = (struct pp_metric_error){.message = PP_TEXT_MALI_IMPOSSIBLE};
        return -EINVAL;
    }
    struct pp_mali_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder)
        return -ENOMEM;
    decoder->gpu = gpu;
    decoder->config = *config;
    r = compile(decoder, error);
    if (!r)
        r = allocate(decoder);
    if (r)
        pp_mali_decoder_destroy(decoder);
    else
        *ret = decoder;
    return r;
}

struct pp_mali_column
pp_mali_decoder_column(const struct pp_mali_decoder *decoder, size_t column)
{
    const struct pp_mali_gpu *gpu = decoder->gpu;
    if (column < gpu->counters) {
        const struct pp_mali_counter *counter = &gpu->counter[column];
        return (struct pp_mali_column){counter->symbol, counter->unit, counter->unit_id, false};
    }
    const struct pp_mali_metric *metric = &gpu->metric[column - gpu->counters];
    return (struct pp_mali_column){metric->symbol, metric->unit, metric->unit_id, true};
}

/* Compute the value of a counter: exact for sums, a quotient for averages. */
static union pp_metric_number
counter_value(const struct pp_mali_decoder *decoder, const struct pp_mali_sums *sums, uint32_t counter)
{
    uint64_t sum = sums->sum[counter];
    if (counter_type(&decoder->gpu->counter[counter]) == PP_METRIC_U64)
        return (union pp_metric_number){.u = sum};
    return (union pp_metric_number){.f = (double)sum / pp_mali_cores(&decoder->config)};
}

void
pp_mali_decode_columns(struct pp_mali_decoder *decoder, size_t rows, const struct pp_mali_sums *sums,
                       const struct pp_metric_result *input, const struct pp_metric_result *result)
{
    for (uint32_t i = 0; i < decoder->gpu->counters; i++) {
        unsigned char *value = input[i].value;
        for (size_t row = 0; row < rows; row++) {
            union pp_metric_number number = counter_value(decoder, &sums[row], i);
            memcpy(value + row * sizeof(number), &number, sizeof(number));
            input[i].status[row] = (uint8_t)pp_mali_status(&sums[row], i);
        }
        decoder->column[i] = (struct pp_metric_column){input[i].value, input[i].status};
    }
    pp_metric_eval(decoder->program, decoder->column, result, rows, decoder->workspace);
}

/* Collect the remarks of all counters that a metric is computed from. */
static uint8_t
metric_remark(const struct pp_mali_decoder *decoder, const struct pp_mali_sums *sums, size_t metric)
{
    uint8_t remark = 0;
    for (uint32_t i = 0; i < decoder->gpu->counters; i++)
        if (sums->remark[i] && pp_metric_output_reads(decoder->program, metric, i))
            remark |= sums->remark[i];
    return remark;
}

void
pp_mali_decode_sums(struct pp_mali_decoder *decoder, const struct pp_mali_sums *sums,
                    struct pp_mali_cell *cell)
{
    uint32_t counters = decoder->gpu->counters;
    pp_mali_decode_columns(decoder, 1, sums, decoder->cell, decoder->cell + counters);
    for (size_t i = 0; i < pp_mali_decoder_columns(decoder); i++) {
        cell[i].value = decoder->value[i];
        cell[i].status = decoder->status[i];
        if (i < counters) {
            cell[i].type = (uint8_t)counter_type(&decoder->gpu->counter[i]);
            cell[i].remark = sums->remark[i];
        } else {
            cell[i].type = (uint8_t)pp_metric_output_type(decoder->program, i - counters);
            cell[i].remark = metric_remark(decoder, sums, i - counters);
        }
    }
}

enum {
    WORD_ENABLE = 2, /* PRFCNT_EN: bit n enables words 4n..4n+3 */
};

void
pp_mali_dump_begin(struct pp_mali_dump *dump, const struct pp_mali_gpu *gpu)
{
    memset(dump, 0, sizeof(*dump));
    dump->gpu = gpu;
}

void
pp_mali_dump_block(struct pp_mali_dump *dump, enum pp_mali_block kind, const struct pp_layout *layout,
                   const uint8_t *before, const uint8_t *after)
{
    uint64_t word[PP_MALI_BLOCK_WORDS];
    uint8_t status[PP_MALI_BLOCK_WORDS];
    dump->blocks[kind]++;
    if (!after)
        return;
    pp_layout_delta(layout, before, after, word, status);
    uint64_t enabled = word[WORD_ENABLE];
    if (before)
        enabled &= pp_field_read(&layout->field[WORD_ENABLE], before);
    for (uint32_t i = 0; i < dump->gpu->counters; i++) {
        const struct pp_mali_counter *counter = &dump->gpu->counter[i];
        if (counter->block != (uint8_t)kind || !(enabled >> (counter->word / 4) & 1))
            continue;
        dump->sum[i] += word[counter->word];
        dump->contributed[i]++;
        dump->saturated[i] |= status[counter->word] == PP_SATURATED;
    }
}

void
pp_mali_dump_end(const struct pp_mali_dump *dump, struct pp_mali_sums *sums)
{
    for (uint32_t i = 0; i < dump->gpu->counters; i++) {
        uint32_t blocks = dump->blocks[dump->gpu->counter[i].block];
        sums->sum[i] += dump->sum[i];
        if (!dump->contributed[i])
            sums->remark[i] |= PP_MALI_UNAVAILABLE;
        else if (dump->contributed[i] < blocks)
            sums->remark[i] |= PP_MALI_PARTIAL;
        if (dump->saturated[i])
            sums->remark[i] |= PP_MALI_SATURATED;
    }
    sums->dumps++;
}

void
pp_mali_sums_begin(struct pp_mali_sums *sums)
{
    memset(sums, 0, sizeof(*sums));
}

enum pp_status
pp_mali_status(const struct pp_mali_sums *sums, uint32_t counter)
{
    uint8_t remark = sums->remark[counter];
    if (!sums->dumps)
        return PP_NOT_AVAILABLE;
    if (remark & PP_MALI_UNAVAILABLE)
        return PP_DISABLED;
    if (remark & PP_MALI_PARTIAL)
        return PP_PARTIAL;
    return remark & PP_MALI_SATURATED ? PP_SATURATED : PP_OK;
}
