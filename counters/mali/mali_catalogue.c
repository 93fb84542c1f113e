/** @file
 * Counters and metrics of Mali GPUs as a catalogue (metric/catalogue.h): two sets per GPU. */
#include "counters/mali/mali.h"
#include "counters/mali_count.h"
#include "counters/metric/catalogue.h"

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
