/** @file
 * See mali_decode.h. A sample of kbase's kinstr_prfcnt interface is a list of metadata items in shared
 * memory. The items give the place of every block's values. Nothing in that memory is trusted. Source: kbase
 * uapi mali_kbase_hwcnt_reader.h. */
#include "counters/mali/mali_decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Decoding sums. */

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

/* Raw dumps. */

/* One dump or sample being added, block by block. */
struct dump {
    const struct pp_mali_gpu *gpu;
    uint64_t sum[PP_MALI_MAX_COUNTERS];
    uint8_t contributed[PP_MALI_MAX_COUNTERS]; /**< per counter: blocks that had it enabled */
    bool saturated[PP_MALI_MAX_COUNTERS];
    uint32_t blocks[PP_MALI_BLOCK_KINDS]; /**< blocks of each kind that are present */
};

enum {
    WORD_ENABLE = 2, /* PRFCNT_EN: bit n enables words 4n..4n+3 */
};

/* Begin a dump: nothing is added yet. */
static void
begin_dump(struct dump *dump, const struct pp_mali_gpu *gpu)
{
    memset(dump, 0, sizeof(*dump));
    dump->gpu = gpu;
}

/*
 * Add a block that is present.
 *
 * @param layout A layout of 64 words.
 * @param before As for pp_layout_delta(); NULL: @p after is the count.
 * @param after  The block's words; NULL: the block is off and contributes nothing.
 */
static void
add_block(struct dump *dump, enum pp_mali_block kind, const struct pp_layout *layout, const uint8_t *before,
          const uint8_t *after)
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

/* Add the dump to the sums of a pass or action. */
static void
end_dump(const struct dump *dump, struct pp_mali_sums *sums)
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

enum {
    BLOCK_BYTES = PP_MALI_BLOCK_WORDS * 4,
};

static int
add_raw(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config, const uint8_t *before,
        const uint8_t *after, size_t size, struct pp_mali_sums *sums)
{
    const uint32_t count[PP_MALI_BLOCK_KINDS] = {1, 1, config->l2_slices, pp_mali_core_positions(config)};
    const struct pp_layout *layout = pp_layout_find(before ? "mali-block-free-running" : "mali-block");
    struct dump dump;
    size_t offset = 0;
    if (size != pp_mali_dump_bytes(config))
        return -EMSGSIZE;
    begin_dump(&dump, gpu);
    for (unsigned kind = 0; kind < PP_MALI_BLOCK_KINDS; kind++) {
        for (uint32_t i = 0; i < count[kind]; i++, offset += BLOCK_BYTES) {
            bool present = kind != PP_MALI_SHADER_CORE || (config->core_mask >> i & 1);
            if (present)
                add_block(&dump, kind, layout, before ? before + offset : NULL, after + offset);
        }
    }
    end_dump(&dump, sums);
    return 0;
}

int
pp_mali_add_dump(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config, const uint8_t *dump,
                 size_t size, struct pp_mali_sums *sums)
{
    return add_raw(gpu, config, NULL, dump, size, sums);
}

int
pp_mali_add_difference(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                       const uint8_t *before, const uint8_t *after, size_t size, struct pp_mali_sums *sums)
{
    return add_raw(gpu, config, before, after, size, sums);
}

enum {
    ITEM_BYTES = 48, /* the smallest stride: a sample item */
    VALUES_BYTES = PP_MALI_BLOCK_WORDS * 8,
    ITEM_NONE = 0x0000,
    ITEM_SAMPLE = 0x2000,
    ITEM_CLOCK = 0x2001,
    ITEM_BLOCK = 0x2002,
};

enum {
    FLAG_STRETCHED = 1 << 0,
    FLAG_ERROR = 1 << 30,
    STATE_ON = 1 << 0,
    STATE_AVAILABLE = 1 << 2,
};

/* Indexes of fields, in the order of counters/snapshot/layouts/mali.csv. */
enum {
    HEADER_TYPE = 0,
    SAMPLE_START = 0,
    SAMPLE_END,
    SAMPLE_SEQUENCE,
    SAMPLE_USER_DATA,
    SAMPLE_FLAGS,
    CLOCK_DOMAINS = 0,
    CLOCK_CYCLES,
    BLOCK_TYPE = 0,
    BLOCK_STATE = 3,
    BLOCK_VALUES = 4,
};

/* A sample being read. */
struct reader {
    const struct pp_mali_kinstr *kinstr;
    const struct pp_layout *header, *sample, *clock, *block, *values;
    struct dump dump;
    struct pp_mali_sample out;
    size_t offset; /* of the current item */
    size_t
        stray; /* of the first block whose values are outside; 0: none, since a sample's item comes first */
};

static uint64_t
field(const struct reader *r, const struct pp_layout *layout, uint32_t index)
{
    return pp_field_read(&layout->field[index], r->kinstr->map + r->offset);
}

static int
take_sample(struct reader *r)
{
    uint64_t flags = field(r, r->sample, SAMPLE_FLAGS);
    r->out.start_ns = field(r, r->sample, SAMPLE_START);
    r->out.end_ns = field(r, r->sample, SAMPLE_END);
    r->out.sequence = field(r, r->sample, SAMPLE_SEQUENCE);
    r->out.user_data = field(r, r->sample, SAMPLE_USER_DATA);
    r->out.stretched = flags & FLAG_STRETCHED;
    return flags & FLAG_ERROR ? -EIO : 0;
}

static void
take_clock(struct reader *r)
{
    uint64_t domains = field(r, r->clock, CLOCK_DOMAINS);
    r->out.clocks = domains < 4 ? (uint32_t)domains : 4;
    for (uint32_t i = 0; i < r->out.clocks; i++)
        r->out.cycles[i] = field(r, r->clock, CLOCK_CYCLES + i);
}

/* Add the block of the current item. Firmware and CSG blocks are skipped. A block whose values are outside of
 * the mapping is noted: it is reported after the list has proved to be well formed. */
static void
take_block(struct reader *r)
{
    uint64_t type = field(r, r->block, BLOCK_TYPE);
    uint64_t state = field(r, r->block, BLOCK_STATE);
    uint64_t values = field(r, r->block, BLOCK_VALUES);
    size_t bytes = r->kinstr->map_bytes;
    if (type >= PP_MALI_BLOCK_KINDS)
        return;
    bool inside = values <= bytes && bytes - values >= VALUES_BYTES;
    bool gives = inside && (state == 0 || ((state & STATE_ON) && (state & STATE_AVAILABLE)));
    if (!inside && !r->stray)
        r->stray = r->offset;
    add_block(&r->dump, (enum pp_mali_block)type, r->values, NULL, gives ? r->kinstr->map + values : NULL);
}

static int
take_item(struct reader *r, uint64_t type, bool first)
{
    if (first != (type == ITEM_SAMPLE))
        return -EBADMSG;
    if (type == ITEM_SAMPLE)
        return take_sample(r);
    if (type == ITEM_CLOCK)
        take_clock(r);
    else if (type == ITEM_BLOCK)
        take_block(r);
    return 0;
}

/* Walk the list of items. Each step moves on by a stride: the walk ends at the end of the mapping at the
 * latest. */
static int
walk(struct reader *r)
{
    size_t bytes = r->kinstr->map_bytes, stride = r->kinstr->metadata_item_bytes;
    if (stride < ITEM_BYTES || r->kinstr->sample_offset > bytes)
        return -EBADMSG;
    r->offset = (size_t)r->kinstr->sample_offset;
    for (bool first = true;; first = false) {
        if (bytes - r->offset < r->header->size)
            return -EBADMSG;
        uint64_t type = field(r, r->header, HEADER_TYPE);
        if (type == ITEM_NONE && !first)
            return 0;
        if (bytes - r->offset < stride)
            return -EBADMSG;
        int result = take_item(r, type, first);
        if (result)
            return result;
        r->offset += stride;
    }
}

static int
check_blocks(struct reader *r, const struct pp_mali_config *config)
{
    const uint32_t expected[PP_MALI_BLOCK_KINDS] = {1, 1, config->l2_slices, pp_mali_cores(config)};
    if (memcmp(r->dump.blocks, expected, sizeof(expected)) != 0)
        return -EBADMSG;
    if (r->stray) {
        r->offset = r->stray;
        return -ERANGE;
    }
    return 0;
}

int
pp_mali_add_kinstr(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                   const struct pp_mali_kinstr *kinstr, struct pp_mali_sums *sums,
                   struct pp_mali_sample *ret_sample, size_t *ret_offset)
{
    struct reader r = {
        .kinstr = kinstr,
        .header = pp_layout_find("kinstr-header"),
        .sample = pp_layout_find("kinstr-sample"),
        .clock = pp_layout_find("kinstr-clock"),
        .block = pp_layout_find("kinstr-block"),
        .values = pp_layout_find("kinstr-values"),
    };
    begin_dump(&r.dump, gpu);
    int result = walk(&r);
    if (!result)
        result = check_blocks(&r, config);
    if (result) {
        if (ret_offset)
            *ret_offset = r.offset;
        return result;
    }
    end_dump(&r.dump, sums);
    sums->stretched |= r.out.stretched;
    if (ret_sample)
        *ret_sample = r.out;
    return 0;
}
