/** @file
 * See oa_gpu.h. Intel's compiled-in descriptions as GPUs and as a catalogue; metric/catalogue.h, oa_table.h.
 *
 * Faults of Mesa's Intel drivers; The versions come from Mesa's sources as Debian and Ubuntu
 * have them. A version between the last good and the first bad one that were read counts as bad.
 *
 * Availability of metrics and registers of metric sets; */
#include "counters/oa/oa_gpu.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "counters/metric/catalogue.h"
#include "counters/metric/metric_compile.h"
#include "counters/oa/oa_table.h"
#include "counters/oa_count.h" /* generated */
#include "counters/util/array_size.h"
#include "pp_texts.h"

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

static const struct {
    enum pp_oa_mesa_way way;
    uint32_t first, last; /* versions of Mesa with the fault */
    unsigned first_gen, last_gen;
    const char *reason;
} fault[] = {
    /* intel_perf.c, i915_query_perf_config_data(): the driver reads the kernel's answer 4 bytes too early,
     * and takes 4 characters of a UUID for the number of registers, for which it allocates and clears 13 GB.
     * Bad in 22.3.6 and 23.1.0, good in 23.3.6, 24.0.5 and 25.0.7. Delete this row when Mesa 23 is no longer
     * used. */
    {PP_OA_MESA_REPORTS, 0, PP_MESA_VERSION(23, 3, 5), 0, UINT32_MAX, PP_TEXT_OA_MESA_MEMORY},
    /* intel_perf.c, intel_perf_query_result_accumulate(): reports from Broadwell to Ice Lake are read as
     * those of Haswell, so that counter A[n] has the value of A[n - 1] and A[0] that of the clock. Good
     * in 22.3.6, 23.3.6 and 24.0.5, bad in 25.0.7, 25.2.8 and the sources of 26.0. End this row with the last
     * bad version. */
    {PP_OA_MESA_METRICS, PP_MESA_VERSION(24, 1, 0), UINT32_MAX, PP_OA_GEN8, PP_OA_GEN11,
     PP_TEXT_OA_MESA_SHIFTED},
    /* i915_perf_stream_open(): where the kernel refuses, the stream is descriptor 0. Good
     * in 22.3.6, bad in 25.0.7 and the sources of 2026. The function is of 2024, so versions from 24.1 on
     * count as bad. End this row with the last bad version. */
    {PP_OA_MESA_OPEN, PP_MESA_VERSION(24, 1, 0), UINT32_MAX, 0, UINT32_MAX, PP_TEXT_OA_MESA_OPEN},
};

const char *
pp_oa_mesa_fault(enum pp_oa_mesa_way way, uint32_t version, unsigned gen)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(fault); i++)
        if (fault[i].way == way && version >= fault[i].first && version <= fault[i].last &&
            gen >= fault[i].first_gen && gen <= fault[i].last_gen)
            return fault[i].reason;
    return NULL;
}

uint32_t
pp_oa_mesa_version(const char *gl_version)
{
    unsigned major = 0, minor = 0, patch = 0;
    const char *at = strstr(gl_version, "Mesa ");
    if (!at || sscanf(at, "Mesa %4u.%3u.%3u", &major, &minor, &patch) < 2)
        return 0;
    return PP_MESA_VERSION(major, minor, patch);
}

unsigned
pp_oa_mesa_gen(const char *gl_renderer)
{
    /* First words in the last brackets: the names of include/pci_ids/{crocus,iris}_pci_ids.h of 22.3.6. */
    static const struct {
        char name[4];
        unsigned gen;
    } known[] = {
        {"BDW", PP_OA_GEN8},  {"CHV", PP_OA_GEN8},  {"BSW", PP_OA_GEN8},  {"SKL", PP_OA_GEN9},
        {"BXT", PP_OA_GEN9},  {"APL", PP_OA_GEN9},  {"KBL", PP_OA_GEN9},  {"AML", PP_OA_GEN9},
        {"GLK", PP_OA_GEN9},  {"CFL", PP_OA_GEN9},  {"WHL", PP_OA_GEN9},  {"CML", PP_OA_GEN9},
        {"ICL", PP_OA_GEN11}, {"EHL", PP_OA_GEN11}, {"JSL", PP_OA_GEN11},
    };
    const char *open = strrchr(gl_renderer, '(');
    for (size_t i = 0; open && i < PP_ARRAY_SIZE(known); i++)
        if (strncmp(open + 1, known[i].name, 3) == 0)
            return known[i].gen;
    return 0;
}

int
pp_oa_register_config_at(uint32_t set, uint32_t index, struct pp_oa_register_config *ret)
{
    if (set >= pp_oa_sets || index >= pp_oa_set[set].configs)
        return -ENOENT;
    const struct pp_oa_config_row *row = &pp_oa_config[pp_oa_set[set].first_config + index];
    *ret = (struct pp_oa_register_config){
        .kind = (enum pp_oa_register_kind)row->kind,
        .availability = pp_oa_text + row->availability,
        .pair = &pp_oa_register[row->first],
        .pairs = row->registers,
    };
    return 0;
}

bool
pp_oa_is_available(const struct pp_metric_variable *variable, size_t variables, const char *availability)
{
    const struct pp_metric_scope scope = {.variable = variable, .variables = variables};
    enum pp_metric_type type = PP_METRIC_AUTO;
    union pp_metric_number value = {.u = 0};
    return !*availability ||
           (pp_metric_constant(&scope, PP_METRIC_RPN, availability, &type, &value, NULL) == 0 &&
            value.u != 0);
}

/* Registers of one kind. @param to NULL: only count them. */
static uint32_t
collect(uint32_t set, enum pp_oa_register_kind kind, const struct pp_metric_variable *variable,
        size_t variables, uint32_t (*to)[2])
{
    struct pp_oa_register_config config;
    uint32_t count = 0;
    for (uint32_t i = 0; pp_oa_register_config_at(set, i, &config) == 0; i++) {
        if (config.kind != kind || !pp_oa_is_available(variable, variables, config.availability))
            continue;
        if (to)
            memcpy(to + count, config.pair, config.pairs * sizeof(*to));
        count += config.pairs;
    }
    return count;
}

int
pp_oa_registers_init(struct pp_oa_registers *ret, uint32_t set, const struct pp_metric_variable *variable,
                     size_t variables)
{
    uint32_t total = 0;
    for (unsigned kind = 0; kind < PP_OA_REGISTER_KINDS; kind++) {
        ret->first[kind] = total;
        ret->count[kind] = collect(set, (enum pp_oa_register_kind)kind, variable, variables, NULL);
        total += ret->count[kind];
    }
    ret->pair = calloc((size_t)total + 1, sizeof(*ret->pair));
    if (!ret->pair)
        return -ENOMEM;
    for (unsigned kind = 0; kind < PP_OA_REGISTER_KINDS; kind++)
        (void)collect(set, (enum pp_oa_register_kind)kind, variable, variables, ret->pair + ret->first[kind]);
    return 0;
}

void
pp_oa_registers_finish(struct pp_oa_registers *registers)
{
    free(registers->pair);
    *registers = (struct pp_oa_registers){.pair = NULL};
}
