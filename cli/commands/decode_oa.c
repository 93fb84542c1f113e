/** @file
 * `passprobe decode intel-oa`: bare reports, i915-perf streams and MDAPI's results; see decode.h. */
#include "cli/commands/decode.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/format.h"
#include "cli/text/message.h"
#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/oa/oa_set.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/** Rows evaluated at a time. */
#define PP_DECODE_OA_BATCH 1024

/** One decoding. */
struct pp_decode_oa_job {
    const struct pp_decode *decode;
    struct pp_oa_gpu gpu;
    const struct pp_layout *layout;
    struct pp_catalogue_set about;
    uint32_t index; /**< of the set in the catalogue */
    struct pp_metric_variable variable[PP_OA_GPU_VARIABLES + PP_OPTION_TEXTS];
    size_t variables;
    struct pp_oa_set *set;
    struct pp_metric_result *result;     /**< PP_DECODE_OA_BATCH rows each */
    struct pp_metric_result *one;        /**< a row of them */
    const struct pp_metrics_item **item; /**< of --metrics, columns after those of the set */
    size_t items;
    void *workspace;
    int id, context; /**< fields RPT_ID and CTX_ID; negative: none */
    bool is_stream;  /**< reports of the OA buffer: RPT_ID says why and at which clock */
    bool counted;    /**< every snapshot is a complete result (MDAPI) */
    bool header_done;
    uint64_t rows;
};

static void decode_oa_job_finish(struct pp_decode_oa_job *job);

#define DEFAULT_GPU "kblgt2"
#define DEFAULT_SET "RenderBasic"

static int
pick_set(struct pp_decode_oa_job *job)
{
    const char *set = job->decode->set ? job->decode->set : DEFAULT_SET;
    int64_t index = pp_catalogue_find_set(&pp_catalogue_intel, job->gpu.name, set);
    if (index < 0)
        return pp_fail(PP_FORMAT_DECODE_SET, set, job->gpu.name, job->gpu.name);
    job->index = (uint32_t)index;
    pp_catalogue_intel.set(job->index, &job->about);
    return 0;
}

static int
pick_gpu(struct pp_decode_oa_job *job)
{
    const char *gpu = job->decode->gpu ? job->decode->gpu : DEFAULT_GPU;
    if (pp_oa_gpu_find(gpu, &job->gpu) < 0)
        return pp_fail(PP_FORMAT_DECODE_OA_GPU, gpu);
    if (!job->decode->gpu)
        pp_message(PP_FORMAT_DECODE_OA_DEFAULT, DEFAULT_GPU,
                   job->decode->set ? job->decode->set : DEFAULT_SET);
    job->layout = job->gpu.layout;
    if (job->decode->layout) {
        job->layout = pp_layout_find(job->decode->layout);
        if (!job->layout || job->layout->fields > PP_OA_FIELDS)
            return pp_fail(PP_FORMAT_DECODE_LAYOUT, job->decode->layout);
    }
    job->id = pp_layout_field(job->layout, "RPT_ID");
    job->context = pp_layout_field(job->layout, "CTX_ID");
    job->counted = true;
    for (uint32_t i = 0; i < job->layout->fields; i++)
        job->counted &= job->layout->field[i].mode != PP_FIELD_WRAPS;
    return 0;
}

/** Collect the GPU's variables. Variables of the command line replace those of the same name. */
static void
pick_variables(struct pp_decode_oa_job *job)
{
    job->variables = pp_oa_gpu_variables(&job->gpu, job->variable);
    for (size_t i = 0; i < job->decode->variables; i++) {
        const struct pp_metric_variable *mine = &job->decode->variable[i];
        size_t k = 0;
        while (k < job->variables && strcmp(job->variable[k].name, mine->name) != 0)
            k++;
        job->variable[k] = *mine;
        job->variables += k == job->variables;
    }
}

static int
allocate(struct pp_decode_oa_job *job)
{
    size_t outputs = pp_oa_set_outputs(job->set);
    job->result = calloc(outputs, sizeof(*job->result));
    job->one = calloc(outputs, sizeof(*job->one));
    job->workspace = aligned_alloc(64, (pp_oa_set_workspace_bytes(job->set) + 63) / 64 * 64);
    bool ok = job->result && job->one && job->workspace;
    for (size_t o = 0; ok && o < outputs; o++) {
        job->result[o].value = calloc(PP_DECODE_OA_BATCH, sizeof(uint64_t));
        job->result[o].status = calloc(PP_DECODE_OA_BATCH, 1);
        ok = job->result[o].value && job->result[o].status;
    }
    return ok ? 0 : pp_fail(PP_TEXT_OUT_OF_MEMORY);
}

/** Make the metric set, and the metrics of --metrics for this GPU. */
static int
create_set(struct pp_decode_oa_job *job)
{
    struct pp_metric_error why = {.message = PP_TEXT_OUT_OF_MEMORY};
    struct pp_metrics_error error;
    struct pp_metrics_file *file = job->decode->metrics_file;
    if (file && pp_metrics_file_select(file, job->gpu.name, true, &job->item, &job->items) < 0)
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    struct pp_metric_def *def = calloc(job->items + 1, sizeof(*def));
    for (size_t i = 0; i < job->items && def; i++)
        def[i] = (struct pp_metric_def){
            .name = job->item[i]->name, .formula = job->item[i]->formula, .lang = PP_METRIC_INFIX};
    int rc = def ? pp_oa_set_create(job->index, job->layout, job->variable, job->variables, def, job->items,
                                    0, &job->set, &why)
                 : -ENOMEM;
    free(def);
    if (rc == 0)
        return 0;
    if (rc == -ENOMEM || why.def < job->about.metrics || why.def - job->about.metrics >= job->items)
        return pp_fail("%s.%s: %s", job->gpu.name, job->about.symbol, why.message);
    pp_metrics_file_error(file, rc, job->item[why.def - job->about.metrics], &why, &error);
    return pp_fail_text(error.text);
}

/* Prepare a decoding. @p job Zeroed, except for `decode`. @retval 0, else the exit status; a message was
 * printed. Call decode_oa_job_finish() in both cases. */
static int
decode_oa_job_init(struct pp_decode_oa_job *job)
{
    int rc = pick_gpu(job);
    if (rc == 0)
        rc = pick_set(job);
    if (rc)
        return rc;
    pick_variables(job);
    rc = create_set(job);
    return rc ? rc : allocate(job);
}

/* Free the memory of a decoding. */
static void
decode_oa_job_finish(struct pp_decode_oa_job *job)
{
    for (size_t o = 0; job->result && o < pp_oa_set_outputs(job->set); o++) {
        free(job->result[o].value);
        free(job->result[o].status);
    }
    free(job->result);
    free(job->one);
    free(job->workspace);
    pp_oa_set_destroy(job->set);
    free(job->item);
}

/** Evenly spaced snapshots: row i ends with the snapshot at end + i * stride. */
struct run {
    size_t begin, end, stride, rows;
};

static int
print_header(struct pp_decode_oa_job *job)
{
    pp_decode_text("report");
    pp_decode_text("offset");
    if (!job->counted) {
        pp_decode_text("reason");
        pp_decode_text("context");
        pp_decode_text("slice_clock_hz");
        pp_decode_text("unslice_clock_hz");
    }
    for (uint32_t m = 0; m < job->about.metrics; m++) {
        struct pp_catalogue_metric metric;
        pp_catalogue_intel.metric(job->index, m, &metric);
        pp_decode_name(metric.symbol, metric.unit, metric.unit_id);
    }
    for (size_t i = 0; i < job->items; i++)
        pp_decode_name(job->item[i]->name, job->item[i]->unit, job->item[i]->unit_id);
    job->header_done = true;
    return pp_decode_row();
}

static void
print_reason(const struct pp_decode_oa_job *job, uint8_t reason)
{
    char text[128] = "";
    const char *name;
    while ((name = pp_oa_reason_next(job->gpu.gen, &reason)))
        pp_format_append(text, sizeof(text), "%s%s", *text ? "+" : "", name);
    pp_decode_text(text);
}

/** Print why the report was written, for which context, and how fast the clocks ran. Only reports of the OA
 * buffer say so. */
static void
print_flags(const struct pp_decode_oa_job *job, const uint8_t *report)
{
    struct pp_oa_report_id id = {.context_valid = !job->is_stream};
    char context[24] = "";
    if (job->is_stream && job->id >= 0) {
        pp_oa_report_id_decode(job->gpu.gen, (uint32_t)pp_field_read(&job->layout->field[job->id], report),
                               &id);
        print_reason(job, id.reason);
    } else {
        pp_decode_empty();
    }
    if (id.context_valid && job->context >= 0)
        snprintf(context, sizeof(context), "0x%08llx",
                 (unsigned long long)pp_field_read(&job->layout->field[job->context], report));
    pp_decode_text(context);
    if (id.has_ratios) {
        pp_decode_u64(pp_oa_ratio_hz(id.slice_ratio));
        pp_decode_u64(pp_oa_ratio_hz(id.unslice_ratio));
    } else {
        pp_decode_empty();
        pp_decode_empty();
    }
}

static int
print_rows(struct pp_decode_oa_job *job, const struct run *run)
{
    size_t outputs = pp_oa_set_outputs(job->set);
    int rc = job->header_done ? 0 : print_header(job);
    for (size_t i = 0; i < run->rows && rc == 0; i++) {
        const uint8_t *report = job->decode->bytes + run->end + i * run->stride;
        pp_decode_u64(job->rows++);
        pp_decode_u64((uint64_t)(report - job->decode->bytes));
        if (!job->counted)
            print_flags(job, report);
        for (size_t o = 0; o < outputs; o++) {
            union pp_metric_number value;
            memcpy(&value, (const uint64_t *)job->result[o].value + i, sizeof(value));
            if (pp_status_has_value((enum pp_status)job->result[o].status[i]))
                pp_decode_number(value, pp_oa_set_output_type(job->set, o));
            else
                pp_decode_empty();
        }
        rc = pp_decode_row();
    }
    return rc;
}

static uint64_t
find_variable(const struct pp_decode_oa_job *job, const char *name)
{
    for (size_t i = 0; i < job->variables; i++) {
        if (strcmp(job->variable[i].name, name) == 0)
            return job->variable[i].value.u;
    }
    return 0;
}

/** Where counters may have wrapped more than once between two reports, their metrics lose their value. This
 * is checked only if the fastest clock is known. */
static void
mark_wraps(struct pp_decode_oa_job *job, const struct run *run)
{
    size_t outputs = pp_oa_set_outputs(job->set);
    struct pp_oa_machine machine = {
        .layout = job->layout,
        .gen = job->gpu.gen,
        .timestamp_hz = find_variable(job, "GpuTimestampFrequency"),
        .max_clock_hz = find_variable(job, "GpuMaxFrequency"),
        .eus = (uint32_t)find_variable(job, "EuCoresTotalCount"),
    };
    if (!machine.max_clock_hz || !machine.timestamp_hz || job->counted)
        return;
    for (size_t i = 0; i < run->rows; i++) {
        struct pp_oa_sum sum;
        const uint8_t *begin = job->decode->bytes + run->begin + i * run->stride;
        const uint8_t *end = job->decode->bytes + run->end + i * run->stride;
        if (pp_oa_sum_context(&machine, begin, end, NULL, 0, &sum, NULL) < 0 ||
            !memchr(sum.status, PP_WRAPPED, job->layout->fields))
            continue;
        for (size_t o = 0; o < outputs; o++) {
            job->one[o].value = (uint64_t *)job->result[o].value + i;
            job->one[o].status = job->result[o].status + i;
        }
        pp_oa_set_eval_fields(job->set, sum.value, sum.status, job->one, job->workspace);
    }
}

static int
evaluate(struct pp_decode_oa_job *job, struct run run)
{
    int rc = 0;
    while (run.rows && rc == 0) {
        struct run some = run;
        some.rows = run.rows < PP_DECODE_OA_BATCH ? run.rows : PP_DECODE_OA_BATCH;
        struct pp_snapshot_pairs pairs = {
            .begin = job->counted ? NULL : job->decode->bytes + some.begin,
            .begin_stride = some.stride,
            .end = job->decode->bytes + some.end,
            .end_stride = some.stride,
            .pairs = some.rows,
        };
        pp_oa_set_eval_pairs(job->set, &pairs, job->result, job->workspace);
        mark_wraps(job, &some);
        rc = print_rows(job, &some);
        run.begin += some.rows * run.stride;
        run.end += some.rows * run.stride;
        run.rows -= some.rows;
    }
    return rc;
}

static int
decode_bare(struct pp_decode_oa_job *job)
{
    const struct pp_decode *decode = job->decode;
    size_t size = job->layout->size, reports = decode->size / size, whole = reports * size;
    struct run run = {.begin = 0, .end = size, .stride = size, .rows = reports ? reports - 1 : 0};
    if (job->counted)
        run = (struct run){.begin = 0, .end = 0, .stride = size, .rows = reports};
    else if (decode->pairs)
        run = (struct run){.begin = 0, .end = size, .stride = 2 * size, .rows = reports / 2};
    if (reports < (job->counted ? 1 : 2))
        return pp_decode_fail(decode, whole, PP_FORMAT_DECODE_OA_SHORT, decode->size,
                              job->counted ? PP_TEXT_DECODE_ONE_RESULT : PP_TEXT_DECODE_TWO_REPORTS, size);
    int rc = evaluate(job, run);
    if (rc < 0)
        return pp_decode_finish();
    if (whole != decode->size)
        return pp_decode_fail(decode, whole, PP_FORMAT_DECODE_IN_REPORT, decode->size - whole, size);
    if (decode->pairs && reports % 2)
        return pp_decode_fail(decode, whole - size, PP_TEXT_DECODE_NO_END);
    return pp_decode_finish();
}

/** Runs of evenly spaced reports on their way through a stream. */
struct reader {
    struct run run;
    size_t last; /**< offset of the report before; meaningless unless has_last */
    bool has_last;
};

static int
add_report(struct pp_decode_oa_job *job, struct reader *reader, size_t offset)
{
    int rc = 0;
    size_t stride = offset - reader->last;
    bool fits = reader->run.rows && stride == reader->run.stride;
    if (reader->has_last && !fits) {
        rc = evaluate(job, reader->run);
        reader->run = (struct run){.begin = reader->last, .end = offset, .stride = stride};
    }
    if (reader->has_last)
        reader->run.rows++;
    reader->last = offset;
    reader->has_last = true;
    return rc;
}

static int
add_record(struct pp_decode_oa_job *job, struct reader *reader, const struct pp_oa_record *record)
{
    if (record->type == PP_OA_RECORD_SAMPLE)
        return add_report(job, reader, record->offset + PP_OA_RECORD_HEADER);
    if (record->type != PP_OA_RECORD_BUFFER_LOST)
        return 0;
    /* A difference across a lost buffer is not valid: begin again after it. */
    int rc = evaluate(job, reader->run);
    *reader = (struct reader){.has_last = false};
    return rc;
}

static int
decode_stream(struct pp_decode_oa_job *job)
{
    const struct pp_decode *decode = job->decode;
    struct reader reader = {.has_last = false};
    struct pp_oa_record record;
    size_t offset = 0;
    int rc, out = 0;
    while (out == 0 &&
           (rc = pp_oa_stream_next(decode->bytes, decode->size, job->layout->size, &offset, &record)) > 0)
        out = add_record(job, &reader, &record);
    if (out == 0)
        out = evaluate(job, reader.run);
    if (out < 0)
        return pp_decode_finish();
    if (rc == -ENODATA)
        return pp_decode_fail(decode, offset, PP_TEXT_DECODE_IN_RECORD);
    if (rc < 0)
        return pp_decode_fail(decode, offset, PP_FORMAT_DECODE_NO_RECORD, job->layout->name,
                              job->layout->size);
    if (!job->header_done)
        return pp_decode_fail(decode, offset, PP_TEXT_DECODE_NO_PAIR);
    return pp_decode_finish();
}

/** Does the file begin with an i915-perf record? The second dword of a bare report is a time, which is never
 * as small as the size of a record. */
static bool
begins_with_record(const struct pp_decode *decode)
{
    if (decode->size < PP_OA_RECORD_HEADER)
        return false;
    const uint8_t *b = decode->bytes;
    unsigned size = (unsigned)b[6] | (unsigned)b[7] << 8;
    bool sample = b[0] == PP_OA_RECORD_SAMPLE && size > PP_OA_RECORD_HEADER && size < 1024;
    bool lost =
        (b[0] == PP_OA_RECORD_REPORT_LOST || b[0] == PP_OA_RECORD_BUFFER_LOST) && size == PP_OA_RECORD_HEADER;
    return (sample || lost) && !b[1] && !b[2] && !b[3] && !b[4] && !b[5];
}

/** Is the file text, or in one of the usual container formats? Bare reports have no mark by which they could
 * be recognized. @return What the file is; NULL: it may hold reports. */
static const char *
foreign(const struct pp_decode *decode)
{
    static const struct {
        const char *magic, *what;
    } known[] = {{"\x7f"
                  "ELF",
                  PP_TEXT_DECODE_IS_ELF},
                 {"\x89PNG", PP_TEXT_DECODE_IS_PNG},
                 {"\x1f\x8b", PP_TEXT_DECODE_IS_GZIP},
                 {"PK\x03\x04", PP_TEXT_DECODE_IS_ZIP},
                 {"\xfd"
                  "7zXZ",
                  "XZ data"},
                 {"\x28\xb5\x2f\xfd", "Zstandard data"}};
    size_t text = 0, look = decode->size < 256 ? decode->size : 256;
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++) {
        if (look >= strlen(known[i].magic) &&
            memcmp(decode->bytes, known[i].magic, strlen(known[i].magic)) == 0)
            return known[i].what;
    }
    while (text < look &&
           (decode->bytes[text] >= ' ' || strchr("\t\r\n", decode->bytes[text] ? decode->bytes[text] : 'x')))
        text++;
    return look && text == look ? "text" : NULL;
}

int
pp_decode_oa(const struct pp_decode *decode)
{
    struct pp_decode_oa_job job = {.decode = decode};
    const char *what = decode->size ? foreign(decode) : NULL;
    if (decode->size == 0)
        return pp_decode_fail(decode, 0, PP_TEXT_DECODE_EMPTY);
    if (what)
        return pp_decode_fail(decode, 0, PP_FORMAT_DECODE_IS, what);
    int rc = decode_oa_job_init(&job);
    if (rc == 0) {
        job.is_stream = !job.counted && begins_with_record(decode);
        rc = job.is_stream ? decode_stream(&job) : decode_bare(&job);
    }
    decode_oa_job_finish(&job);
    return rc;
}
