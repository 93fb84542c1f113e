/** @file
 * The JSON half of vectors_intel_oa. What a vector holds decides how it is checked, not its file's name. */
#include "tests/unit/counters/vector_programs/oa_vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/oa/oa_report.h"

/** Formats without a "report_format" are this one. */
#define USUAL_FORMAT "A32u40_A4u32_B8_C8"

static const char *
text(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static uint64_t
number(json_t *value)
{
    if (json_is_string(value))
        return strtoull(json_string_value(value), NULL, 0);
    return json_is_boolean(value) ? json_is_true(value) : (uint64_t)json_integer_value(value);
}

static bool
as_expected(json_t *value, struct expected *ret)
{
    *ret = (struct expected){.is_float = json_is_object(value) || json_is_number(value)};
    if (json_is_object(value)) {
        const char *bits = text(value, "f32");
        json_t *f64 = json_object_get(value, "f64");
        ret->f = json_is_string(f64) ? strtod(json_string_value(f64), NULL) : json_number_value(f64);
        ret->has_bits = bits != NULL;
        ret->f32 = bits ? (uint32_t)strtoul(bits, NULL, 0) : 0;
    } else {
        ret->u = number(value);
        ret->f = json_number_value(value);
    }
    return json_is_object(value) || json_is_number(value) || json_is_string(value);
}

static void
check_field(struct tally *tally, const struct pp_layout *layout, const uint64_t *got, const char *name,
            json_t *expected)
{
    int field = pp_layout_field(layout, name);
    if (json_is_null(expected)) {
        tally->id_values++;
        if (field >= 0)
            miss(tally, "%s is there, but should not be", name);
    } else if (field < 0) {
        miss(tally, "%s is not in layout %s", name, layout->name);
    } else {
        compare_u64(tally, name, got[field], number(expected));
    }
}

static void
check_deltas(struct tally *tally, const struct pp_layout *layout, const uint64_t *got, json_t *deltas)
{
    const char *key;
    json_t *value;
    json_object_foreach(deltas, key, value)
    {
        if (!json_is_array(value)) {
            check_field(tally, layout, got, key, value);
            continue;
        }
        for (size_t i = 0; i < json_array_size(value); i++) {
            char name[48];
            snprintf(name, sizeof(name), "%.16s%zu", key, i);
            check_field(tally, layout, got, name, json_array_get(value, i));
        }
    }
}

static void
check_set(struct tally *tally, struct metrics *metrics, json_t *values, json_t *maxima, json_t *unavailable)
{
    const char *symbol;
    json_t *value;
    struct expected expected;
    json_object_foreach(values, symbol, value)
    {
        if (as_expected(value, &expected))
            compare_metric(tally, metrics, symbol, false, &expected);
        else
            miss(tally, "%s: not a number", symbol);
    }
    json_object_foreach(maxima, symbol, value)
    {
        if (as_expected(value, &expected))
            compare_metric(tally, metrics, symbol, true, &expected);
        else
            miss(tally, "maximum of %s: not a number", symbol);
    }
    for (size_t i = 0; i < json_array_size(unavailable); i++)
        compare_unavailable(tally, metrics, json_string_value(json_array_get(unavailable, i)));
    compare_rest(tally, metrics);
}

/** Where metrics come from: a pair or a sum. */
struct origin {
    const struct pp_layout *layout;
    const uint8_t *begin, *end;
    const struct pp_oa_sum *sum;
};

static void
check_metrics(struct tally *tally, const struct device *device, const struct origin *origin, json_t *vector)
{
    const char *name;
    json_t *values;
    json_object_foreach(json_object_get(vector, "metrics"), name, values)
    {
        struct metrics *metrics = metrics_create(tally, device, name, origin->layout);
        if (!metrics)
            continue;
        if (origin->sum)
            metrics_from_sum(metrics, origin->sum);
        else
            metrics_from_pair(metrics, origin->begin, origin->end);
        check_set(tally, metrics, values, json_object_get(json_object_get(vector, "max"), name),
                  json_object_get(json_object_get(vector, "unavailable"), name));
        metrics_destroy(metrics);
    }
}

static void
check_header(struct tally *tally, const struct pp_layout *layout, const uint8_t *report, json_t *header)
{
    static const char *const names[][2] = {
        {"rpt_id", "RPT_ID"}, {"timestamp", "GPU_TIME"}, {"ctx_id", "CTX_ID"}, {"gpu_ticks", "GPU_CLOCK"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *value = json_object_get(header, names[i][0]);
        int field = pp_layout_field(layout, names[i][1]);
        if (value && field < 0)
            miss(tally, "no %s in %s", names[i][1], layout->name);
        else if (value)
            compare_u64(tally, names[i][0], pp_field_read(&layout->field[field], report), number(value));
    }
}

static void
check_reasons(struct tally *tally, unsigned gen, uint8_t reason, json_t *reasons)
{
    const char *name;
    size_t i = 0;
    for (; (name = pp_oa_reason_next(gen, &reason)); i++) {
        const char *expected = json_string_value(json_array_get(reasons, i));
        tally->id_values++;
        if (!expected || strcmp(name, expected) != 0)
            miss(tally, "reason %zu is %s, not %s", i, name, expected ? expected : "absent");
    }
    compare_u64(tally, "number of reasons", i, json_array_size(reasons));
}

/* A clock ratio in whole MHz, as IGT and MDAPI have it. */
static uint32_t
ratio_mhz(uint16_t ratio)
{
    return (uint32_t)ratio * 16666 / 1000;
}

static void
check_rpt_id(struct tally *tally, unsigned gen, uint32_t rpt_id, json_t *expected)
{
    struct pp_oa_report_id id;
    pp_oa_report_id_decode(gen, rpt_id, &id);
    const struct {
        const char *name;
        uint64_t got;
    } known[] = {
        {"reason_bits", id.reason},
        {"start_trigger_event", id.start_trigger},
        {"threshold_enable", id.threshold},
        {"ctx_valid", id.context_valid},
        {"timer_enabled", id.timer_enabled},
        {"unslice_ratio", id.unslice_ratio},
        {"slice_ratio", id.slice_ratio},
        {"unslice_hz", pp_oa_ratio_hz(id.unslice_ratio)},
        {"slice_hz", pp_oa_ratio_hz(id.slice_ratio)},
        {"unslice_mhz_int", ratio_mhz(id.unslice_ratio)},
        {"slice_mhz_int", ratio_mhz(id.slice_ratio)},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        json_t *value = json_object_get(expected, known[i].name);
        if (value)
            compare_u64(tally, known[i].name, known[i].got, number(value));
    }
    if (json_object_get(expected, "reasons"))
        check_reasons(tally, gen, id.reason, json_object_get(expected, "reasons"));
}

static void
check_pair_header(struct tally *tally, const struct device *device, const struct origin *origin,
                  json_t *vector)
{
    static const char *const side[] = {"begin", "end"};
    json_t *decode = json_object_get(vector, "rpt_id_decode");
    json_t *header = json_object_get(vector, "header");
    int id = pp_layout_field(origin->layout, "RPT_ID");
    for (int i = 0; i < 2; i++) {
        const uint8_t *report = i ? origin->end : origin->begin;
        check_header(tally, origin->layout, report, json_object_get(header, side[i]));
        if (decode && id >= 0 && device)
            check_rpt_id(tally, device->gen, (uint32_t)pp_field_read(&origin->layout->field[id], report),
                         json_object_get(decode, side[i]));
    }
}

static void
check_context(struct tally *tally, const struct device *device, const struct origin *origin, json_t *vector)
{
    json_t *hw_id = json_object_get(vector, "hw_id");
    struct pp_oa_machine machine = {.layout = origin->layout, .gen = device->gen, .timestamp_hz = 12000000};
    struct pp_oa_sum sum;
    if (!hw_id)
        return;
    if (pp_oa_sum_context(&machine, origin->begin, origin->end, NULL, 0, &sum, NULL) < 0)
        miss(tally, "the pair could not be summed");
    else if (sum.status[0] != PP_NOT_AVAILABLE)
        compare_u64(tally, "hw_id", sum.context, number(hw_id));
}

static void
run_pair(struct tally *tally, json_t *vector, json_t *root)
{
    const char *device_name = text(vector, "device");
    const struct device *device = device_name ? find_device(tally, device_name) : NULL;
    const char *format = text(vector, "report_format");
    if (!format)
        format = text(root, "report_format");
    const struct pp_layout *layout =
        find_format(tally, format ? format : USUAL_FORMAT, device ? device->gen : PP_OA_GEN9);
    if (!layout || (device_name && !device))
        return;
    uint8_t *begin = report_from_hex(tally, text(vector, "begin"), layout);
    uint8_t *end = report_from_hex(tally, text(vector, "end"), layout);
    if (begin && end) {
        uint64_t got[PP_OA_FIELDS];
        uint8_t status[PP_OA_FIELDS];
        struct origin origin = {.layout = layout, .begin = begin, .end = end};
        pp_layout_delta(layout, begin, end, got, status);
        check_deltas(tally, layout, got, json_object_get(vector, "deltas"));
        check_pair_header(tally, device, &origin, vector);
        if (device) {
            check_context(tally, device, &origin, vector);
            check_metrics(tally, device, &origin, vector);
        }
    }
    free(begin);
    free(end);
}

static void
check_records(struct tally *tally, const struct pp_layout *layout, const uint8_t *stream, size_t size,
              json_t *records)
{
    struct pp_oa_record record;
    size_t offset = 0, count = 0;
    int rc;
    while ((rc = pp_oa_stream_next(stream, size, layout->size, &offset, &record)) > 0) {
        json_t *expected = json_array_get(records, count++);
        const char *hex = text(expected, "report");
        compare_u64(tally, "record type", record.type, number(json_object_get(expected, "type")));
        uint8_t *report = hex ? report_from_hex(tally, hex, layout) : NULL;
        if (report && (!record.report || memcmp(report, record.report, layout->size) != 0))
            miss(tally, "record %zu holds another report", count - 1);
        free(report);
    }
    compare_u64(tally, "end of stream", rc == 0, 1);
    compare_u64(tally, "number of records", count, json_array_size(records));
}

static void
check_sum(struct tally *tally, const struct device *device, const struct pp_layout *layout,
          const struct pp_oa_sum *sum, json_t *expected)
{
    bool error = json_is_true(json_object_get(expected, "error"));
    compare_u64(tally, "error", sum->buffer_lost, error);
    if (error) {
        for (uint32_t i = 0; i < layout->fields; i++)
            compare_u64(tally, "a value after a lost buffer",
                        pp_status_has_value((enum pp_status)sum->status[i]), false);
        return;
    }
    compare_u64(tally, "query_disjoint", sum->disjoint, number(json_object_get(expected, "query_disjoint")));
    compare_u64(tally, "reports_accumulated", sum->segments,
                number(json_object_get(expected, "reports_accumulated")));
    compare_u64(tally, "hw_id", sum->context, number(json_object_get(expected, "hw_id")));
    check_deltas(tally, layout, sum->value, json_object_get(expected, "deltas"));
    struct origin origin = {.layout = layout, .sum = sum};
    check_metrics(tally, device, &origin, expected);
}

static uint64_t
timestamp_hz(const struct device *device)
{
    for (size_t i = 0; i < device->variables; i++) {
        if (strcmp(device->variable[i].name, "GpuTimestampFrequency") == 0)
            return device->variable[i].value.u;
    }
    return 0;
}

static void
run_sequence(struct tally *tally, json_t *vector, json_t *root)
{
    const struct device *device = find_device(tally, text(vector, "device"));
    const char *format = text(root, "report_format");
    const struct pp_layout *layout =
        device ? find_format(tally, format ? format : USUAL_FORMAT, device->gen) : NULL;
    if (!layout)
        return;
    size_t size;
    struct pp_oa_machine machine = {
        .layout = layout, .gen = device->gen, .timestamp_hz = timestamp_hz(device)};
    struct pp_oa_sum sum;
    uint8_t *begin = report_from_hex(tally, text(vector, "begin"), layout);
    uint8_t *end = report_from_hex(tally, text(vector, "end"), layout);
    uint8_t *stream = from_hex(tally, text(vector, "stream"), &size);
    if (begin && end && stream) {
        if (json_object_get(vector, "records"))
            check_records(tally, layout, stream, size, json_object_get(vector, "records"));
        if (pp_oa_sum_context(&machine, begin, end, stream, size, &sum, NULL) < 0)
            miss(tally, "the stream could not be summed");
        else
            check_sum(tally, device, layout, &sum, json_object_get(vector, "expected"));
    }
    free(begin);
    free(end);
    free(stream);
}

static const struct pp_layout *
mdapi_layout(struct tally *tally, const struct device *device, size_t size)
{
    const struct pp_layout *layout = pp_layout_find(device->gen < PP_OA_GEN8   ? "mdapi-gfx7"
                                                    : device->gen < PP_OA_GEN9 ? "mdapi-gfx8"
                                                                               : "mdapi-gfx9");
    if (layout && layout->size == size)
        return layout;
    miss(tally, "%zu bytes are no result of MDAPI's", size);
    return NULL;
}

static void
check_mdapi(struct tally *tally, const struct device *device, const struct pp_layout *layout,
            const uint8_t *result, json_t *vector)
{
    static const char *const names[][2] = {
        {"total_time_ns", "TotalTime"},
        {"begin_timestamp_ns", "BeginTimestamp"},
        {"slice_frequency", "SliceFrequency"},
        {"unslice_frequency", "UnsliceFrequency"},
        {"report_id", "ReportId"},
        {"reports_count", "ReportsCount"},
    };
    uint64_t got[PP_OA_FIELDS];
    uint8_t status[PP_OA_FIELDS];
    pp_layout_delta(layout, NULL, result, got, status);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_t *value = json_object_get(vector, names[i][0]);
        if (value)
            check_field(tally, layout, got, names[i][1], value);
    }
    json_t *deltas = json_copy(json_object_get(vector, "deltas"));
    int time = pp_layout_field(layout, "TotalTime");
    json_t *ticks = json_object_get(deltas, "GPU_TIME");
    if (ticks && time >= 0)
        compare_u64(tally, "GPU_TIME", pp_oa_ns_to_ticks(got[time], timestamp_hz(device)), number(ticks));
    json_object_del(deltas, "GPU_TIME");
    check_deltas(tally, layout, got, deltas);
    json_decref(deltas);
    struct origin origin = {.layout = layout, .end = result};
    check_metrics(tally, device, &origin, vector);
}

static void
run_mdapi(struct tally *tally, json_t *vector, json_t *root)
{
    const struct device *device = find_device(tally, text(vector, "device"));
    size_t size;
    uint8_t *result = device ? from_hex(tally, text(vector, "mdapi"), &size) : NULL;
    const struct pp_layout *layout = result ? mdapi_layout(tally, device, size) : NULL;
    if (layout)
        check_mdapi(tally, device, layout, result, vector);
    if (result && text(vector, "begin"))
        run_pair(tally, vector, root);
    free(result);
}

static void
run_rpt_id(struct tally *tally, json_t *vector)
{
    uint32_t rpt_id = (uint32_t)number(json_object_get(vector, "rpt_id"));
    const char *key;
    json_t *value;
    json_object_foreach(vector, key, value)
    {
        if (strncmp(key, "gen", 3) == 0 && json_is_object(value))
            check_rpt_id(tally, (unsigned)(strtod(key + 3, NULL) * 10.0 + 0.5), rpt_id, value);
    }
}

void
run_json(struct tally *tally, const char *file, json_t *root)
{
    json_t *vectors = json_object_get(root, "vectors");
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        json_t *vector = json_array_get(vectors, i);
        const char *id = text(vector, "id");
        case_begin(tally, file, id ? id : "(no id)");
        if (json_object_get(vector, "expected"))
            run_sequence(tally, vector, root);
        else if (json_object_get(vector, "mdapi"))
            run_mdapi(tally, vector, root);
        else if (json_object_get(vector, "rpt_id"))
            run_rpt_id(tally, vector);
        else
            run_pair(tally, vector, root);
        case_end(tally);
    }
}
