/** @file
 * See mali_gpu.h. The table of Mali GPUs, configurations, and the counters and metrics as a catalogue
 * (metric/catalogue.h): two sets per GPU. */
#include "counters/mali/mali_gpu.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/mali/mali_decode.h"
#include "counters/mali_count.h"
#include "counters/metric/catalogue.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

enum {
    BLOCK_BYTES = PP_MALI_BLOCK_WORDS * 4,
    PRODUCT_MASK = 0xf00f, /* the other bits of GPU_PROD_ID are a minor revision */
};

const struct pp_mali_gpu *
pp_mali_gpu_at(size_t index)
{
    return index < pp_mali_table_length ? &pp_mali_table[index] : NULL;
}

const struct pp_mali_gpu *
pp_mali_gpu_find(const char *name)
{
    for (uint32_t i = 0; i < pp_mali_table_length; i++)
        if (strcmp(pp_mali_table[i].name, name) == 0)
            return &pp_mali_table[i];
    return NULL;
}

const struct pp_mali_gpu *
pp_mali_gpu_by_product(uint32_t product_id)
{
    for (uint32_t i = 0; i < pp_mali_table_length; i++)
        if (pp_mali_table[i].product_id == (product_id & PRODUCT_MASK))
            return &pp_mali_table[i];
    return NULL;
}

int
pp_mali_config_check(const struct pp_mali_config *config)
{
    bool good = config->core_mask != 0 && config->l2_slices >= 1 && config->l2_slices <= 16 &&
                config->bus_width_bits >= 8 && config->bus_width_bits <= 4096;
    return good ? 0 : -EINVAL;
}

int
pp_mali_config_from_registers(uint64_t shader_present, uint32_t mem_features, uint32_t l2_features,
                              struct pp_mali_config *ret)
{
    uint32_t log2_bus = l2_features >> 24;
    const struct pp_mali_config config = {
        .core_mask = shader_present,
        .l2_slices = (mem_features >> 8 & 0xf) + 1,
        .bus_width_bits = log2_bus < 32 ? UINT32_C(1) << log2_bus : 0,
    };
    int r = pp_mali_config_check(&config);
    if (!r)
        *ret = config;
    return r;
}

/* Read one "key=value" of a configuration. */
static int
parse_setting(const char *text, size_t length, struct pp_mali_config *config, char *message, size_t size)
{
    static const char *const keys[] = {"cores=", "l2=", "bus="};
    for (size_t i = 0; i < PP_ARRAY_SIZE(keys); i++) {
        size_t key = strlen(keys[i]);
        if (length <= key || memcmp(text, keys[i], key) != 0 || text[key] < '0' || text[key] > '9')
            continue;
        char *end;
        errno = 0;
        uint64_t value = strtoull(text + key, &end, 0);
        if (errno || end != text + length || (i > 0 && value > UINT32_MAX))
            break;
        if (i == 0)
            config->core_mask = value;
        else if (i == 1)
            config->l2_slices = (uint32_t)value;
        else
            config->bus_width_bits = (uint32_t)value;
        return 0;
    }
    snprintf(message, size, PP_FORMAT_MALI_KEY, (int)(length < 60 ? length : 60), text);
    return -EINVAL;
}

static const struct pp_mali_gpu *
find_prefix(const char *text, size_t length)
{
    for (uint32_t i = 0; i < pp_mali_table_length; i++)
        if (strlen(pp_mali_table[i].name) == length && memcmp(pp_mali_table[i].name, text, length) == 0)
            return &pp_mali_table[i];
    return NULL;
}

int
pp_mali_settings_parse(const struct pp_mali_gpu *gpu, const char *text, struct pp_mali_config *ret_config,
                       char *message, size_t size)
{
    struct pp_mali_config config = gpu->assumed;
    while (*text) {
        size_t length = strcspn(text, ",");
        int r = parse_setting(text, length, &config, message, size);
        if (r)
            return r;
        text += length;
        text += *text == ',';
    }
    if (pp_mali_config_check(&config)) {
        snprintf(message, size, PP_FORMAT_MALI_BAD_CONFIG, (unsigned long long)config.core_mask,
                 config.l2_slices, config.bus_width_bits);
        return -EINVAL;
    }
    *ret_config = config;
    return 0;
}

int
pp_mali_config_parse(const char *text, const struct pp_mali_gpu **ret_gpu, struct pp_mali_config *ret_config,
                     char *message, size_t size)
{
    text = text && *text ? text : pp_mali_table[0].name;
    size_t length = strcspn(text, ":");
    const struct pp_mali_gpu *gpu = find_prefix(text, length);
    if (!gpu) {
        snprintf(message, size, PP_FORMAT_MALI_GPU_NAME, (int)(length < 60 ? length : 60), text);
        return -ENOENT;
    }
    text += length;
    int r = pp_mali_settings_parse(gpu, *text ? text + 1 : text, ret_config, message, size);
    if (!r)
        *ret_gpu = gpu;
    return r;
}

uint32_t
pp_mali_cores(const struct pp_mali_config *config)
{
    return (uint32_t)__builtin_popcountll(config->core_mask);
}

uint32_t
pp_mali_core_positions(const struct pp_mali_config *config)
{
    return config->core_mask ? 64 - (uint32_t)__builtin_clzll(config->core_mask) : 0;
}

size_t
pp_mali_dump_bytes(const struct pp_mali_config *config)
{
    return (2 + (size_t)config->l2_slices + pp_mali_core_positions(config)) * BLOCK_BYTES;
}

enum {
    SET_METRICS,
    SET_COUNTERS,
    SETS_PER_GPU,
};

static void
describe_set(uint32_t set, struct pp_catalogue_set *ret)
{
    const struct pp_mali_gpu *gpu = pp_mali_gpu_at(set / SETS_PER_GPU);
    bool metrics = set % SETS_PER_GPU == SET_METRICS;
    *ret = (struct pp_catalogue_set){
        .gpu = gpu->name,
        .symbol = metrics ? "Derived" : "Hardware",
        .name = metrics ? "Metrics of Arm's reference guide" : "Hardware counters",
        .guid = "",
        .metrics = metrics ? gpu->metrics : gpu->counters,
    };
}

static void
describe_metric(uint32_t set, uint32_t index, struct pp_catalogue_metric *ret)
{
    static const char *const block[] = {"Front end", "Tiler", "L2 cache", "Shader core"};
    const struct pp_mali_gpu *gpu = pp_mali_gpu_at(set / SETS_PER_GPU);
    *ret = (struct pp_catalogue_metric){.max_formula = "", .availability = ""};
    if (set % SETS_PER_GPU == SET_METRICS) {
        const struct pp_mali_metric *metric = &gpu->metric[index];
        ret->symbol = metric->symbol;
        ret->name = metric->title;
        ret->description = metric->description;
        ret->unit = metric->unit;
        ret->formula = metric->formula;
        ret->group = metric->section;
        ret->unit_id = metric->unit_id;
        ret->type = PP_METRIC_F64;
        return;
    }
    const struct pp_mali_counter *counter = &gpu->counter[index];
    ret->symbol = counter->symbol;
    ret->name = counter->title;
    ret->description = counter->description;
    ret->unit = counter->unit;
    ret->formula = counter->symbol;
    ret->group = block[counter->block];
    ret->unit_id = counter->unit_id;
    ret->type = counter->aggregation == PP_MALI_AVERAGE ? PP_METRIC_F64 : PP_METRIC_U64;
}

const struct pp_catalogue pp_catalogue_mali = {
    .vendor = "mali",
    .lang = PP_METRIC_INFIX,
    .sets = PP_MALI_GPUS * SETS_PER_GPU,
    .set = describe_set,
    .metric = describe_metric,
};
