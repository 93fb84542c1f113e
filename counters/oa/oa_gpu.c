/** @file
 * Intel's compiled-in descriptions as GPUs and as a catalogue; see oa_gpu.h, metric/catalogue.h, oa_table.h.
 */
#include "counters/oa/oa_gpu.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_table.h"
#include "counters/oa_count.h" /* generated */

static const char *
text(uint32_t offset)
{
    return pp_oa_text + offset;
}

static void
intel_set(uint32_t set, struct pp_catalogue_set *ret)
{
    const struct pp_oa_set_row *row = &pp_oa_set[set];
    *ret = (struct pp_catalogue_set){
        .gpu = text(pp_oa_gpu_table[row->gpu].name),
        .symbol = text(row->symbol),
        .name = text(row->name),
        .guid = text(row->guid),
        .metrics = row->metrics,
    };
}

static void
intel_metric(uint32_t set, uint32_t metric, struct pp_catalogue_metric *ret)
{
    const struct pp_oa_metric_row *row =
        &pp_oa_metric[pp_oa_set_metric[pp_oa_set[set].first_metric + metric]];
    *ret = (struct pp_catalogue_metric){
        .symbol = text(row->symbol),
        .name = text(row->name),
        .description = text(row->description),
        .unit = text(row->unit),
        .formula = text(row->equation),
        .max_formula = text(row->max_equation),
        .availability = text(row->availability),
        .group = text(row->group),
        .unit_id = (enum pp_unit)row->unit_id,
        .type = (enum pp_metric_type)row->type,
    };
}

const struct pp_catalogue pp_catalogue_intel = {
    .vendor = "intel",
    .lang = PP_METRIC_RPN,
    .sets = PP_OA_SETS, /* oa_count.h */
    .set = intel_set,
    .metric = intel_metric,
};

int
pp_oa_gpu_at(uint32_t index, struct pp_oa_gpu *ret)
{
    if (index >= pp_oa_gpus)
        return -ENOENT;
    const struct pp_oa_gpu_row *row = &pp_oa_gpu_table[index];
    *ret = (struct pp_oa_gpu){
        .name = text(row->name),
        .gen = row->gen,
        .layout = pp_layout_find(text(row->layout)),
        .first_set = row->first_set,
        .sets = row->sets,
        .index = index,
    };
    return ret->layout ? 0 : -ENOENT;
}

int
pp_oa_gpu_find(const char *name, struct pp_oa_gpu *ret)
{
    for (uint32_t i = 0; i < pp_oa_gpus; i++) {
        if (strcasecmp(text(pp_oa_gpu_table[i].name), name) == 0)
            return pp_oa_gpu_at(i, ret);
    }
    return -ENOENT;
}

int
pp_oa_gpu_by_pci(uint32_t pci, struct pp_oa_gpu *ret)
{
    for (uint32_t i = 0; i < pp_oa_pcis; i++) {
        if (pp_oa_pci[i].id == pci)
            return pp_oa_gpu_at(pp_oa_pci[i].gpu, ret);
    }
    return -ENOENT;
}

size_t
pp_oa_gpu_variables(const struct pp_oa_gpu *gpu, struct pp_metric_variable *variable)
{
    const struct pp_oa_gpu_row *row = &pp_oa_gpu_table[gpu->index];
    size_t count = 0;
    for (size_t i = 0; i < PP_OA_GPU_VARIABLES; i++) {
        if (row->variable[i] == UINT64_MAX)
            continue;
        variable[count++] = (struct pp_metric_variable){
            .name = text(pp_oa_gpu_variable[i]),
            .type = PP_METRIC_U64,
            .value = {.u = row->variable[i]},
        };
    }
    return count;
}
