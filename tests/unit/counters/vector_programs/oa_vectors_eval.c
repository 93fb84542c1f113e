/** @file
 * Machines, evaluating and comparing for vectors_intel_oa; see oa_vectors.h. */
#include "tests/unit/counters/oa_maximum.h"
#include "tests/unit/counters/vector_programs/oa_vectors.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/counters/vector_programs/status_name.h"

/** Misses printed per case. */
#define MISSES_SHOWN 5

void
case_begin(struct tally *tally, const char *file, const char *id)
{
    tally->file = file;
    tally->id = id;
    tally->id_values = 0;
    tally->misses = 0;
}

void
case_end(struct tally *tally)
{
    if (tally->id_values == 0 && tally->misses == 0)
        miss(tally, "nothing in it could be compared");
    tally->cases++;
    tally->failed += tally->misses != 0;
    tally->values += tally->id_values;
    if (tally->misses)
        printf("FAIL %s %s: %u of %lu values\n", tally->file, tally->id, tally->misses, tally->id_values);
    else
        printf("ok   %s %s: %lu values\n", tally->file, tally->id, tally->id_values);
}

void
miss(struct tally *tally, const char *format, ...)
{
    va_list arguments;
    if (++tally->misses > MISSES_SHOWN)
        return;
    printf("miss %s %s: ", tally->file, tally->id);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

void
compare_u64(struct tally *tally, const char *what, uint64_t got, uint64_t expected)
{
    tally->id_values++;
    if (got != expected)
        miss(tally, "%s is %llu, not %llu", what, (unsigned long long)got, (unsigned long long)expected);
}

void
metrics_destroy(struct metrics *metrics)
{
    if (!metrics)
        return;
    pp_oa_set_destroy(metrics->set);
    free(metrics->value);
    free(metrics->status);
    free(metrics->result);
    free(metrics->workspace);
    free(metrics->seen);
    free(metrics);
}

struct metrics *
metrics_create(struct tally *tally, const struct device *device, const char *set,
               const struct pp_layout *layout)
{
    struct pp_metric_error error = {.message = "no such set"};
    int64_t index = device->gpu.name ? pp_catalogue_find_set(&pp_catalogue_intel, device->gpu.name, set) : -1;
    struct pp_oa_set *compiled = NULL;
    if (index < 0 || pp_oa_set_create((uint32_t)index, layout, device->variable, device->variables, NULL, 0,
                                      PP_OA_SET_MAXIMA, &compiled, &error) < 0) {
        miss(tally, "set %s of %s: %s", set, device->name, error.message);
        return NULL;
    }
    size_t outputs = pp_oa_set_outputs(compiled);
    struct metrics *metrics = calloc(1, sizeof(*metrics));
    metrics->set = compiled;
    metrics->index = (uint32_t)index;
    pp_catalogue_intel.set(metrics->index, &metrics->about);
    metrics->value = calloc(outputs, sizeof(*metrics->value));
    metrics->status = calloc(outputs, 1);
    metrics->result = calloc(outputs, sizeof(*metrics->result));
    metrics->seen = calloc(outputs, sizeof(*metrics->seen));
    metrics->workspace = aligned_alloc(64, (pp_oa_set_workspace_bytes(compiled) + 63) / 64 * 64);
    for (size_t o = 0; o < outputs; o++)
        metrics->result[o] =
            (struct pp_metric_result){.value = &metrics->value[o], .status = &metrics->status[o]};
    return metrics;
}

void
metrics_from_pair(struct metrics *metrics, const uint8_t *begin, const uint8_t *end)
{
    struct pp_snapshot_pairs pairs = {.begin = begin, .end = end, .pairs = 1};
    pp_oa_set_eval_pairs(metrics->set, &pairs, metrics->result, metrics->workspace);
}

void
metrics_from_sum(struct metrics *metrics, const struct pp_oa_sum *sum)
{
    pp_oa_set_eval_fields(metrics->set, sum->value, sum->status, metrics->result, metrics->workspace);
}

static int64_t
find_metric(const struct metrics *metrics, const char *symbol)
{
    for (uint32_t i = 0; i < metrics->about.metrics; i++) {
        struct pp_catalogue_metric metric;
        pp_catalogue_intel.metric(metrics->index, i, &metric);
        if (strcmp(metric.symbol, symbol) == 0)
            return i;
    }
    return -1;
}

static bool
float_matches(double got, const struct expected *expected)
{
    double limit = 1e-6 * fmax(1.0, fabs(expected->f));
    if (fabs(got - expected->f) <= limit)
        return true;
    float single = (float)got;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    return expected->has_bits && bits == expected->f32;
}

void
compare_metric(struct tally *tally, struct metrics *metrics, const char *symbol, bool maximum,
               const struct expected *expected)
{
    const char *what = maximum ? "maximum of " : "";
    int64_t index = find_metric(metrics, symbol);
    int64_t column = maximum && index >= 0 ? oa_maximum_column(metrics->index, (uint32_t)index) : index;
    tally->id_values++;
    if (column < 0) {
        miss(tally, "%s%s.%s is not known", what, metrics->about.symbol, symbol);
        return;
    }
    metrics->seen[index] = true;
    if (!pp_status_has_value((enum pp_status)metrics->status[column])) {
        miss(tally, "%s%s.%s has no value (%s)", what, metrics->about.symbol, symbol,
             status_name((enum pp_status)metrics->status[column]));
        return;
    }
    bool is_float = pp_oa_set_output_type(metrics->set, (size_t)column) == PP_METRIC_F64;
    union pp_metric_number got = metrics->value[column];
    tally->floats += is_float;
    tally->exact += is_float && got.f == expected->f;
    if (is_float != expected->is_float)
        miss(tally, "%s%s.%s is %s", what, metrics->about.symbol, symbol,
             is_float ? "a float" : "an integer");
    else if (is_float && !float_matches(got.f, expected))
        miss(tally, "%s%s.%s is %.17g, not %.17g", what, metrics->about.symbol, symbol, got.f, expected->f);
    else if (!is_float && got.u != expected->u)
        miss(tally, "%s%s.%s is %llu, not %llu", what, metrics->about.symbol, symbol,
             (unsigned long long)got.u, (unsigned long long)expected->u);
}

void
compare_unavailable(struct tally *tally, struct metrics *metrics, const char *symbol)
{
    int64_t index = find_metric(metrics, symbol);
    tally->id_values++;
    if (index < 0) {
        miss(tally, "%s.%s is not known", metrics->about.symbol, symbol);
        return;
    }
    metrics->seen[index] = true;
    if (pp_status_has_value((enum pp_status)metrics->status[index]))
        miss(tally, "%s.%s has a value, but does not exist there", metrics->about.symbol, symbol);
}

void
compare_rest(struct tally *tally, const struct metrics *metrics)
{
    for (uint32_t i = 0; i < metrics->about.metrics; i++) {
        struct pp_catalogue_metric metric;
        if (metrics->seen[i] || !pp_status_has_value((enum pp_status)metrics->status[i]))
            continue;
        pp_catalogue_intel.metric(metrics->index, i, &metric);
        miss(tally, "%s.%s has a value, but is not expected", metrics->about.symbol, metric.symbol);
    }
}

const struct device *
find_device(struct tally *tally, const char *name)
{
    if (!name)
        name = "(none)";
    for (size_t i = 0; i < tally->devices; i++) {
        if (strcmp(tally->device[i].name, name) == 0)
            return &tally->device[i];
    }
    struct device *device = &tally->device[tally->devices];
    if (tally->devices < MAX_DEVICES && strlen(name) < sizeof(device->name) &&
        pp_oa_gpu_find(name, &device->gpu) == 0) {
        snprintf(device->name, sizeof(device->name), "%s", name);
        device->gen = device->gpu.gen;
        device->variables = pp_oa_gpu_variables(&device->gpu, device->variable);
        tally->devices++;
        return device;
    }
    miss(tally, "device '%s' is not described", name);
    return NULL;
}

static unsigned
gen_times_ten(const json_t *gen)
{
    double value = json_is_string(gen) ? strtod(json_string_value(gen), NULL) : json_number_value(gen);
    return (unsigned)lround(value * 10.0);
}

static void
read_variables(struct device *device, json_t *vars)
{
    const char *key;
    json_t *value;
    json_object_foreach(vars, key, value)
    {
        if (device->variables == MAX_VARIABLES || strlen(key) >= sizeof(device->variable_name[0]))
            continue;
        char *name = device->variable_name[device->variables];
        snprintf(name, sizeof(device->variable_name[0]), "%s", key);
        uint64_t number = json_is_string(value) ? strtoull(json_string_value(value), NULL, 0)
                                                : (uint64_t)json_integer_value(value);
        device->variable[device->variables++] =
            (struct pp_metric_variable){.name = name, .type = PP_METRIC_U64, .value = {.u = number}};
    }
}

void
read_devices(struct tally *tally, json_t *root)
{
    const char *name;
    json_t *entry;
    json_object_foreach(json_object_get(root, "devices"), name, entry)
    {
        struct device *device = &tally->device[tally->devices];
        char gpu[64] = "";
        bool known = strlen(name) >= sizeof(device->name) || tally->devices == MAX_DEVICES;
        for (size_t i = 0; i < tally->devices && !known; i++)
            known = strcmp(tally->device[i].name, name) == 0;
        if (known)
            continue;
        snprintf(device->name, sizeof(device->name), "%s", name);
        const char *xml = json_string_value(json_object_get(entry, "xml"));
        if (!xml || sscanf(xml, "oa-%63[^.]", gpu) != 1 || pp_oa_gpu_find(gpu, &device->gpu) < 0)
            memset(&device->gpu, 0, sizeof(device->gpu));
        device->gen = gen_times_ten(json_object_get(entry, "gen"));
        if (device->gen == 0)
            device->gen = device->gpu.gen;
        read_variables(device, json_object_get(entry, "vars"));
        tally->devices++;
    }
}

const struct pp_layout *
find_format(struct tally *tally, const char *format, unsigned gen)
{
    char name[96];
    int length = snprintf(name, sizeof(name), gen == PP_OA_GEN7_5 ? "oa-gen75-%.64s" : "oa-%.64s", format);
    for (int i = 0; i < length; i++)
        name[i] = (char)(name[i] == '_' ? '-' : tolower((unsigned char)name[i]));
    const struct pp_layout *layout = pp_layout_find(name);
    if (!layout)
        miss(tally, "no layout for format %s", format);
    return layout;
}

uint8_t *
from_hex(struct tally *tally, const char *hex, size_t *ret_size)
{
    size_t digits = hex ? strlen(hex) : 1;
    uint8_t *bytes = digits % 2 ? NULL : calloc(1, digits / 2 + 1);
    for (size_t i = 0; bytes && i < digits / 2; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'}, *rest;
        bytes[i] = (uint8_t)strtoul(pair, &rest, 16);
        if (*rest) {
            free(bytes);
            bytes = NULL;
        }
    }
    *ret_size = digits / 2;
    if (!bytes)
        miss(tally, "not a hex string");
    return bytes;
}

uint8_t *
report_from_hex(struct tally *tally, const char *hex, const struct pp_layout *layout)
{
    size_t size;
    uint8_t *bytes = from_hex(tally, hex, &size);
    if (bytes && size != layout->size) {
        miss(tally, "a report of %zu bytes, but %s has %u", size, layout->name, layout->size);
        free(bytes);
        return NULL;
    }
    return bytes;
}
