/** @file
 * `passprobe decode mali`: consecutive raw dumps; see decode_mali.h. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands/decode.h"
#include "cli/commands/decode_csv.h"
#include "cli/commands/decode_mali.h"
#include "cli/print/message.h"
#include "counters/mali/mali_decode.h"
#include "pp_texts.h"

/** One decoding. */
struct job {
    const struct pp_decode *decode;
    const struct pp_mali_gpu *gpu;
    struct pp_mali_config config;
    struct pp_mali_decoder *decoder;
    struct pp_mali_cell *cell;
    uint64_t rows;
};

static int
print_header(const struct job *job)
{
    pp_decode_text("dump");
    pp_decode_text("offset");
    for (size_t c = 0; c < pp_mali_decoder_columns(job->decoder); c++) {
        struct pp_mali_column column = pp_mali_decoder_column(job->decoder, c);
        pp_decode_name(column.symbol, column.unit, column.unit_id);
    }
    return pp_decode_row();
}

static int
print_dump(struct job *job, size_t offset)
{
    pp_decode_u64(job->rows++);
    pp_decode_u64(offset);
    for (size_t c = 0; c < pp_mali_decoder_columns(job->decoder); c++) {
        const struct pp_mali_cell *cell = &job->cell[c];
        if (pp_status_has_value((enum pp_status)cell->status))
            pp_decode_number(cell->value, (enum pp_metric_type)cell->type);
        else
            pp_decode_empty();
    }
    return pp_decode_row();
}

static int
decode_one(struct job *job, size_t offset, size_t size)
{
    const uint8_t *dump = job->decode->bytes + offset;
    struct pp_mali_sums sums;
    pp_mali_sums_begin(&sums);
    int rc = job->decode->differences
                 ? pp_mali_add_difference(job->gpu, &job->config, dump - size, dump, size, &sums)
                 : pp_mali_add_dump(job->gpu, &job->config, dump, size, &sums);
    if (rc < 0)
        return rc;
    pp_mali_decode_sums(job->decoder, &sums, job->cell);
    return print_dump(job, offset);
}

static int
decode_all(struct job *job)
{
    const struct pp_decode *decode = job->decode;
    size_t size = pp_mali_dump_bytes(&job->config), whole = decode->size / size * size;
    size_t first = decode->differences ? size : 0;
    if (whole < first + size)
        return pp_decode_fail(decode, whole, PP_FORMAT_DECODE_MALI_SHORT, decode->size,
                              decode->differences ? PP_TEXT_DECODE_TWO_DUMPS : PP_TEXT_DECODE_ONE_DUMP, size,
                              job->gpu->name, (unsigned long long)job->config.core_mask,
                              job->config.l2_slices);
    int rc = print_header(job);
    for (size_t offset = first; offset < whole && rc == 0; offset += size)
        rc = decode_one(job, offset, size);
    if (rc < 0)
        return pp_decode_finish();
    if (whole != decode->size)
        return pp_decode_fail(decode, whole, PP_FORMAT_DECODE_IN_DUMP, decode->size - whole, size);
    return pp_decode_finish();
}

int
pp_decode_mali(const struct pp_decode *decode)
{
    struct job job = {.decode = decode};
    struct pp_metrics_error error;
    if (decode->size == 0)
        return pp_decode_fail(decode, 0, PP_TEXT_DECODE_EMPTY);
    if (decode->set)
        return pp_fail(PP_TEXT_DECODE_MALI_SET);
    if (pp_metrics_file_mali(decode->metrics_file, decode->gpu, &job.gpu, &job.config, &error) < 0)
        return error.line ? pp_fail_text(error.text) : pp_fail(PP_FORMAT_DECODE_GPU, error.text);
    if (!decode->gpu)
        pp_message(PP_FORMAT_DECODE_MALI_DEFAULT, job.gpu->name, (unsigned long long)job.config.core_mask,
                   job.config.l2_slices);
    if (pp_mali_decoder_create(job.gpu, &job.config, &job.decoder, NULL) < 0)
        return pp_fail(PP_FORMAT_DECODE_COMPILE, job.gpu->name);
    job.cell = calloc(pp_mali_decoder_columns(job.decoder), sizeof(*job.cell));
    int rc = job.cell ? decode_all(&job) : pp_fail(PP_TEXT_OUT_OF_MEMORY);
    free(job.cell);
    pp_mali_decoder_destroy(job.decoder);
    return rc;
}
