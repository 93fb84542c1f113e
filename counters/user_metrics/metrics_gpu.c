/** @file
 * GPUs that a metrics file defines; see metrics_gpu.h. Their tables are those of the GPU that they are like;
 * the file's counters and metrics replace those of the same name. */
#include "counters/user_metrics/metrics_gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/user_metrics/metrics_file.h"
#include "pp_texts.h"

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

/* Find the GPU that a new GPU is like: an earlier GPU of the file, else a compiled-in one. */
static const struct pp_mali_gpu *
find_base(const struct pp_metrics_file *file, const char *name)
{
    for (size_t i = file->gpus.length; i-- > 0;)
        if (strcmp(gpus_of(file)[i]->gpu.name, name) == 0)
            return &gpus_of(file)[i]->gpu;
    return pp_mali_gpu_find(name);
}

/* Copy a table, with @p more free elements after it. */
static void *
copy_table(const void *table, size_t length, size_t more, size_t size)
{
    void *copy = calloc(length + more + 1, size);
    if (copy && length)
        memcpy(copy, table, length * size);
    return copy;
}

static bool
same_name(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static void
put_counter(struct pp_metrics_gpu *own, const struct pp_mali_counter *counter)
{
    uint32_t i = 0;
    while (i < own->gpu.counters && !same_name(own->counter[i].symbol, counter->symbol))
        i++;
    own->counter[i] = *counter;
    own->gpu.counters += i == own->gpu.counters;
}

static void
put_metric(struct pp_metrics_gpu *own, const struct pp_metrics_item *item)
{
    uint32_t i = 0;
    while (i < own->gpu.metrics && !same_name(own->metric[i].symbol, item->name))
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
    own->gpu.name = own->gpu.title = s->gpu;
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
}

/* Add the metrics of the section that defines the GPU, or (section 0) of all sections that apply to its name.
 */
static void
fill_metrics(struct pp_metrics_gpu *own, const struct pp_metrics_file *file, uint32_t section)
{
    const struct pp_metrics_entry *entry = file->entries.data;
    for (size_t i = 0; i < file->entries.length; i++) {
        const struct pp_metrics_section *s = &pp_metrics_sections(file)[entry[i].section];
        bool here = section ? entry[i].section == section
                            : entry[i].section && pp_metrics_section_applies(s, own->gpu.name);
        if (here)
            put_metric(own, &entry[i].item);
    }
}

/* Find the item of the file that a metric came from. @return NULL: the metric belongs to the GPU that this
 * one is like.
 */
static const struct pp_metrics_item *
origin_of(const struct pp_metrics_file *file, const char *formula)
{
    const struct pp_metrics_entry *entry = file->entries.data;
    for (size_t i = 0; i < file->entries.length; i++)
        if (entry[i].item.formula == formula)
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
        return pp_metrics_fail(file, -EINVAL, s->line, s->column, s->length, error,
                               PP_FORMAT_METRICS_COUNTERS, PP_MALI_MAX_COUNTERS);
    if (pp_mali_config_check(&gpu->assumed))
        return pp_metrics_fail(file, -EINVAL, s->line, s->column, s->length, error, PP_TEXT_METRICS_CONFIG);
    int r = pp_mali_decoder_create(gpu, &gpu->assumed, &decoder, &why);
    pp_mali_decoder_destroy(decoder);
    if (!r || r == -ENOMEM || r == -E2BIG)
        return r;
    const struct pp_metrics_item *item = origin_of(file, gpu->metric[why.def].formula);
    if (item)
        return pp_metrics_file_error(file, r, item, &why, error);
    return pp_metrics_fail(file, r, s->line, s->column, s->length, error, "%s: %s",
                           gpu->metric[why.def].symbol, why.message);
}

/* Copy @p base, with free elements for all metrics and counters of the file. */
static int
copy_gpu(struct pp_metrics_file *file, const struct pp_mali_gpu *base, struct pp_metrics_gpu **ret)
{
    struct pp_metrics_gpu **slot = pp_metrics_append(&file->gpus, sizeof(void *));
    struct pp_metrics_gpu *own = slot ? calloc(1, sizeof(*own)) : NULL;
    if (!own) {
        file->gpus.length -= slot != NULL;
        return -ENOMEM;
    }
    *slot = own;
    own->gpu = *base;
    own->counter = copy_table(base->counter, base->counters, file->counters.length, sizeof(*own->counter));
    own->metric = copy_table(base->metric, base->metrics, file->entries.length, sizeof(*own->metric));
    if (!own->counter || !own->metric)
        return -ENOMEM;
    own->gpu.counter = own->counter;
    own->gpu.metric = own->metric;
    *ret = own;
    return 0;
}

static int
make_gpu(struct pp_metrics_file *file, uint32_t section, struct pp_metrics_error *error)
{
    const struct pp_metrics_section *s = &pp_metrics_sections(file)[section];
    const struct pp_mali_gpu *base = find_base(file, s->like);
    struct pp_metrics_gpu *own = NULL;
    if (!base)
        return pp_metrics_fail(file, -ENOENT, s->line, s->column, s->length, error, PP_FORMAT_MALI_UNKNOWN,
                               s->like);
    int r = copy_gpu(file, base, &own);
    if (r)
        return r;
    fill_gpu(own, file, section);
    fill_metrics(own, file, section);
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

/* Find a GPU that the file defines, by the text before the colon. */
static const struct pp_mali_gpu *
find_own(const struct pp_metrics_file *file, const char *text, size_t length)
{
    for (size_t i = 0; i < file->gpus.length; i++) {
        const struct pp_mali_gpu *gpu = &gpus_of(file)[i]->gpu;
        if (strlen(gpu->name) == length && memcmp(gpu->name, text, length) == 0)
            return gpu;
    }
    return NULL;
}

/* Extend a compiled-in GPU by the metrics of the file's sections for it. The new GPU stays in the file, so
 * that it is made only once. */
static int
extend(struct pp_metrics_file *file, const struct pp_mali_gpu **gpu, struct pp_metrics_error *error)
{
    struct pp_metrics_gpu *own = NULL;
    bool any = false;
    for (size_t i = 1; i < file->sections.length && !any; i++)
        any = pp_metrics_section_applies(&pp_metrics_sections(file)[i], (*gpu)->name);
    int r = any ? copy_gpu(file, *gpu, &own) : 0;
    if (!any || r)
        return r;
    fill_metrics(own, file, 0);
    r = check_gpu(file, 0, &own->gpu, error);
    if (!r) {
        *gpu = &own->gpu;
        return 0;
    }
    file->gpus.length--;
    free_gpu(own);
    return r;
}

int
pp_metrics_file_mali(struct pp_metrics_file *file, const char *text, const struct pp_mali_gpu **ret_gpu,
                     struct pp_mali_config *ret_config, struct pp_metrics_error *error)
{
    *error = (struct pp_metrics_error){.text = PP_TEXT_OUT_OF_MEMORY};
    size_t length = text ? strcspn(text, ":") : 0;
    const struct pp_mali_gpu *gpu = file && length ? find_own(file, text, length) : NULL;
    int r;
    if (gpu) {
        text += length;
        r = pp_mali_settings_parse(gpu, *text ? text + 1 : text, ret_config, error->text,
                                   sizeof(error->text));
    } else {
        r = pp_mali_config_parse(text, &gpu, ret_config, error->text, sizeof(error->text));
        if (!r && file)
            r = extend(file, &gpu, error);
    }
    if (!r)
        *ret_gpu = gpu;
    return r;
}
