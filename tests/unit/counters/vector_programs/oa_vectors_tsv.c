/** @file
 * The TSV half of vectors_intel_oa: cases in NAME.tsv, what they must give in NAME-deltas.tsv and
 * NAME-metrics.tsv. Columns are found by their names. */
#include "tests/unit/counters/vector_programs/oa_vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 16

/** A TSV file in memory, cut into cells. */
struct table {
    char *text;
    size_t columns, rows;
    char *head[MAX_COLUMNS];
    char **cell; /**< rows * columns */
};

static void
table_finish(struct table *table)
{
    free(table->text);
    free(table->cell);
}

static size_t
split(char *line, char **cell, size_t room)
{
    size_t count = 0;
    line[strcspn(line, "\r")] = '\0';
    for (char *at = line; at && count < room; count++) {
        cell[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static char *
slurp(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file && getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/** @return false when there is no such file. */
static bool
table_read(struct table *table, const char *directory, const char *name, const char *suffix)
{
    char path[4096], *rest, *line;
    snprintf(path, sizeof(path), "%s/%s%s.tsv", directory, name, suffix);
    *table = (struct table){.text = slurp(path)};
    if (!table->text)
        return false;
    size_t lines = 1;
    for (const char *at = table->text; *at; at++)
        lines += *at == '\n';
    line = strtok_r(table->text, "\n", &rest);
    table->columns = line ? split(line, table->head, MAX_COLUMNS) : 0;
    table->cell = calloc(lines * MAX_COLUMNS, sizeof(*table->cell));
    while (table->columns && (line = strtok_r(NULL, "\n", &rest))) {
        char **row = table->cell + table->rows * table->columns;
        if (split(line, row, table->columns) == table->columns)
            table->rows++;
    }
    return true;
}

static const char *
cell(const struct table *table, size_t row, const char *column)
{
    for (size_t c = 0; c < table->columns; c++) {
        if (strcmp(table->head[c], column) == 0)
            return table->cell[row * table->columns + c];
    }
    return "";
}

/** A case: what its reports give. */
struct one {
    const struct device *device;
    const struct pp_layout *layout;
    uint8_t *begin, *end, *stream;
    size_t stream_size;
    struct pp_oa_sum sum;
    bool error; /**< no numbers may be reported */
};

static void
one_finish(struct one *one)
{
    free(one->begin);
    free(one->end);
    free(one->stream);
}

static void
sum_one(struct tally *tally, const struct table *cases, size_t row, struct one *one)
{
    struct pp_oa_machine machine = {.layout = one->layout, .gen = one->device->gen};
    for (size_t i = 0; i < one->device->variables; i++) {
        if (strcmp(one->device->variable[i].name, "GpuTimestampFrequency") == 0)
            machine.timestamp_hz = one->device->variable[i].value.u;
    }
    if (pp_oa_sum_context(&machine, one->begin, one->end, one->stream, one->stream_size, &one->sum, NULL) <
        0) {
        miss(tally, "the stream could not be summed");
        return;
    }
    one->error = strcmp(cell(cases, row, "error"), "1") == 0;
    compare_u64(tally, "error", one->sum.buffer_lost, one->error);
    if (one->error)
        return;
    compare_u64(tally, "disjoint", one->sum.disjoint, strtoull(cell(cases, row, "disjoint"), NULL, 0));
    compare_u64(tally, "reports_accumulated", one->sum.segments,
                strtoull(cell(cases, row, "reports_accumulated"), NULL, 0));
    compare_u64(tally, "hw_id", one->sum.context, strtoull(cell(cases, row, "hw_id"), NULL, 0));
}

/** @return false after a miss that leaves nothing to compare. */
static bool
one_read(struct tally *tally, const struct table *cases, size_t row, bool sequences, struct one *one)
{
    const char *format = cell(cases, row, "report_format");
    const char *stream = cell(cases, row, "stream_hex");
    *one = (struct one){.device = find_device(tally, cell(cases, row, "device"))};
    if (!one->device)
        return false;
    if (!*format)
        format = one->device->gen < PP_OA_GEN8 ? "A45_B8_C8" : "A32u40_A4u32_B8_C8";
    one->layout = find_format(tally, format, one->device->gen);
    if (!one->layout)
        return false;
    one->begin = report_from_hex(tally, cell(cases, row, "begin_hex"), one->layout);
    one->end = report_from_hex(tally, cell(cases, row, "end_hex"), one->layout);
    if (sequences)
        one->stream = from_hex(tally, strcmp(stream, "-") == 0 ? "" : stream, &one->stream_size);
    if (!one->begin || !one->end || (sequences && !one->stream))
        return false;
    if (sequences)
        sum_one(tally, cases, row, one);
    else
        pp_layout_delta(one->layout, one->begin, one->end, one->sum.value, one->sum.status);
    return true;
}

static void
check_deltas(struct tally *tally, const struct table *deltas, const char *id, const struct one *one)
{
    for (size_t row = 0; row < deltas->rows; row++) {
        const char *name = cell(deltas, row, "counter");
        if (strcmp(cell(deltas, row, "id"), id) != 0)
            continue;
        int field = pp_layout_field(one->layout, name);
        if (one->error)
            miss(tally, "%s of a case that is an error", name);
        else if (field < 0)
            miss(tally, "%s is not in layout %s", name, one->layout->name);
        else
            compare_u64(tally, name, one->sum.value[field], strtoull(cell(deltas, row, "delta"), NULL, 0));
    }
}

static void
check_metric(struct tally *tally, const struct table *table, size_t row, struct metrics *metrics)
{
    const char *symbol = cell(table, row, "symbol"), *value = cell(table, row, "value");
    const char *bits = cell(table, row, "f32bits");
    if (strcmp(cell(table, row, "available"), "0") == 0) {
        compare_unavailable(tally, metrics, symbol);
        return;
    }
    struct expected expected = {.is_float = strcmp(cell(table, row, "type"), "float") == 0};
    expected.u = expected.is_float ? 0 : strtoull(value, NULL, 0);
    expected.f = strtod(value, NULL);
    expected.has_bits = *bits && strcmp(bits, "-") != 0;
    expected.f32 = expected.has_bits ? (uint32_t)strtoul(bits, NULL, 0) : 0;
    compare_metric(tally, metrics, symbol, false, &expected);
}

static void
check_metrics(struct tally *tally, const struct table *table, const char *id, const struct one *one,
              bool sequences)
{
    struct metrics *metrics = NULL;
    for (size_t row = 0; row < table->rows; row++) {
        const char *set = cell(table, row, "set");
        if (strcmp(cell(table, row, "id"), id) != 0)
            continue;
        if (!metrics || strcmp(metrics->about.symbol, set) != 0) {
            if (metrics)
                compare_rest(tally, metrics);
            metrics_destroy(metrics);
            metrics = metrics_create(tally, one->device, set, one->layout);
            if (!metrics)
                return;
            if (sequences)
                metrics_from_sum(metrics, &one->sum);
            else
                metrics_from_pair(metrics, one->begin, one->end);
        }
        check_metric(tally, table, row, metrics);
    }
    if (metrics)
        compare_rest(tally, metrics);
    metrics_destroy(metrics);
}

void
run_tsv(struct tally *tally, const char *directory, const char *name, bool sequences)
{
    struct table cases, deltas, metrics;
    char file[256];
    if (!table_read(&cases, directory, name, ""))
        return;
    table_read(&deltas, directory, name, "-deltas");
    table_read(&metrics, directory, name, "-metrics");
    snprintf(file, sizeof(file), "%s.tsv", name);
    for (size_t row = 0; row < cases.rows; row++) {
        const char *id = cell(&cases, row, "id");
        struct one one;
        case_begin(tally, file, id);
        if (one_read(tally, &cases, row, sequences, &one)) {
            check_deltas(tally, &deltas, id, &one);
            check_metrics(tally, &metrics, id, &one, sequences);
        }
        one_finish(&one);
        case_end(tally);
    }
    table_finish(&cases);
    table_finish(&deltas);
    table_finish(&metrics);
}
