/** @file
 * GPUs that a metrics file defines: the tables of the GPU they are like, with the file's own counters and
 * metrics in place of those of the same name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/metrics_private.h"

static struct pp_metrics_gpu **
gpus_of(const struct pp_metrics_file *file)
{
    return file->gpus.data;
}

static void
free_gpu(struct pp_metrics_gpu *gpu)
{
    if (!gpu)
        return;
    free(gpu->counter);
    free(gpu->metric);
    free(gpu);
}

void
pp_metrics_free_gpus(struct pp_metrics_file *file)
{
    for (size_t i = 0; i < file->gpus.length; i++)
        free_gpu(gpus_of(file)[i]);
    free(file->gpus.data);
}

/* Earlier GPUs of the file first, so that they can build on each other. */
static const struct pp_mali_gpu *
find_base(const struct pp_metrics_file *file, const char *name)
{
    for (size_t i = file->gpus.length; i-- > 0;)
        if (strcmp(gpus_of(file)[i]->gpu.name, name) == 0)
            return &gpus_of(file)[i]->gpu;
    return pp_mali_gpu_find(name);
}

/* Copies with @p more elements of room behind them. */
static void *
copy_table(const void *table, size_t length, size_t more, size_t size)
{
    void *copy = calloc(length + more + 1, size);
    if (copy && length)
        memcpy(copy, table, length * size);
    return copy;
}

static void
put_counter(struct pp_metrics_gpu *own, const struct pp_mali_counter *counter)
{
    uint32_t i = 0;
    while (i < own->gpu.counters && strcmp(own->counter[i].symbol, counter->symbol) != 0)
        i++;
    own->counter[i] = *counter;
    own->gpu.counters += i == own->gpu.counters;
}

static void
put_metric(struct pp_metrics_gpu *own, const struct pp_metrics_item *item)
{
    uint32_t i = 0;
    while (i < own->gpu.metrics && strcmp(own->metric[i].symbol, item->name) != 0)
        i++;
    own->metric[i] = (struct pp_mali_metric){.section = "",
                                             .symbol = item->name,
                                             .title = item->name,
                                             .description = item->description,
                                             .unit = item->unit,
                                             .formula = item->formula,
                                             .unit_id = (uint8_t)item->unit_id};
    own->gpu.metrics += i == own->gpu.metrics;
}

static void
fill_gpu(struct pp_metrics_gpu *own, const struct pp_metrics_file *file, uint32_t section)
{
    const struct pp_metrics_section *s = &pp_metrics_sections(file)[section];
    const struct pp_metrics_counter *counter = file->counters.data;
    const struct pp_metrics_entry *entry = file->entries.data;
    own->gpu.name = own->gpu.title = s->gpu;
    own->gpu.counter = own->counter;
    own->gpu.metric = own->metric;
    if (s->product)
        own->gpu.product_id = s->product;
    if (s->config.core_mask)
        own->gpu.assumed.core_mask = s->config.core_mask;
    if (s->config.l2_slices)
        own->gpu.assumed.l2_slices = s->config.l2_slices;
    if (s->config.bus_width_bits)
        own->gpu.assumed.bus_width_bits = s->config.bus_width_bits;
    for (size_t i = 0; i < file->counters.length; i++)
        if (counter[i].section == section)
            put_counter(own, &counter[i].counter);
    for (size_t i = 0; i < file->entries.length; i++)
        if (entry[i].section == section)
            put_metric(own, &entry[i].item);
}

/* The item of the section that a metric of the GPU came from; NULL: from the GPU it is like. */
static const struct pp_metrics_item *
origin_of(const struct pp_metrics_file *file, uint32_t section, const char *formula)
{
    const struct pp_metrics_entry *entry = file->entries.data;
    for (size_t i = 0; i < file->entries.length; i++)
        if (entry[i].section == section && entry[i].item.formula == formula)
            return &entry[i].item;
    return NULL;
}

static int
check_gpu(const struct pp_metrics_file *file, uint32_t section, const struct pp_mali_gpu *gpu,
          struct pp_metrics_error *error)
{
    const struct pp_metrics_section *s = &pp_metrics_sections(file)[section];
    struct pp_mali_decoder *decoder = NULL;
    struct pp_metric_error why = {.message = ""};
    if (gpu->counters > PP_MALI_MAX_COUNTERS)
        return pp_metrics_fail(file, -EINVAL, s->line, s->column, s->length, error, "more than %d counters",
                               PP_MALI_MAX_COUNTERS);
    if (pp_mali_config_check(&gpu->assumed))
        return pp_metrics_fail(file, -EINVAL, s->line, s->column, s->length, error,
                               "l2 is not 1 to 16, or bus not 8 to 4096");
    int r = pp_mali_decoder_create(gpu, &gpu->assumed, &decoder, &why);
    pp_mali_decoder_destroy(decoder);
    if (!r || r == -ENOMEM)
        return r;
    const struct pp_metrics_item *item = origin_of(file, section, gpu->metric[why.def].formula);
    if (item)
        return pp_metrics_fail_formula(file, r, item, &why, error);
    return pp_metrics_fail(file, r, s->line, s->column, s->length, error, "%s: %s",
                           gpu->metric[why.def].symbol, why.message);
}

static int
make_gpu(struct pp_metrics_file *file, uint32_t section, struct pp_metrics_error *error)
{
    const struct pp_metrics_section *s = &pp_metrics_sections(file)[section];
    const struct pp_mali_gpu *base = find_base(file, s->like);
    if (!base)
        return pp_metrics_fail(file, -ENOENT, s->line, s->column, s->length, error, "no GPU '%.60s' is known",
                               s->like);
    struct pp_metrics_gpu **slot = pp_metrics_append(&file->gpus, sizeof(*slot));
    struct pp_metrics_gpu *own = slot ? calloc(1, sizeof(*own)) : NULL;
    if (!own) {
        file->gpus.length -= slot != NULL;
        return -ENOMEM;
    }
    *slot = own;
    own->gpu = *base;
    own->gpu.name = "";
    own->counter = copy_table(base->counter, base->counters, file->counters.length, sizeof(*own->counter));
    own->metric = copy_table(base->metric, base->metrics, file->entries.length, sizeof(*own->metric));
    if (!own->counter || !own->metric)
        return -ENOMEM;
    fill_gpu(own, file, section);
    return check_gpu(file, section, &own->gpu, error);
}

int
pp_metrics_make_gpus(struct pp_metrics_file *file, struct pp_metrics_error *error)
{
    int r = 0;
    for (uint32_t i = 0; i < file->sections.length && !r; i++)
        if (pp_metrics_sections(file)[i].like)
            r = make_gpu(file, i, error);
    return r;
}

const struct pp_mali_gpu *
pp_metrics_file_gpu(const struct pp_metrics_file *file, size_t index)
{
    return index < file->gpus.length ? &gpus_of(file)[index]->gpu : NULL;
}

int
pp_metrics_file_mali(const struct pp_metrics_file *file, const char *text, const struct pp_mali_gpu **ret_gpu,
                     struct pp_mali_config *ret_config, char *message, size_t size)
{
    size_t length = text ? strcspn(text, ":") : 0;
    for (size_t i = 0; file && i < file->gpus.length; i++) {
        const struct pp_mali_gpu *gpu = &gpus_of(file)[i]->gpu;
        if (strlen(gpu->name) != length || memcmp(gpu->name, text, length) != 0)
            continue;
        text += length;
        int r = pp_mali_settings_parse(gpu, *text ? text + 1 : text, ret_config, message, size);
        if (!r)
            *ret_gpu = gpu;
        return r;
    }
    return pp_mali_config_parse(text, ret_gpu, ret_config, message, size);
}
