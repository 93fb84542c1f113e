/** @file
 * Availability of metrics and registers of metric sets; see oa_registers.h. */
#include "counters/oa/oa_registers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/oa/oa_table.h"

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
