/** @file
 * Users' peak tables: any bytes either give a mistake with its place, or a table from which verdicts can be
 * made. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/speed_of_light/bottleneck.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of the text, at least 1. */
static uint32_t
lines_of(const uint8_t *data, size_t size)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    return lines;
}

static void
judge(const struct pp_peak_table *table)
{
    static const struct pp_peak_variable variable[] = {{"EuSubslicesTotalCount", 3}, {"N", 0}};
    static struct pp_bottleneck verdict;
    struct pp_workload action = {.amounts = 0};
    for (size_t i = 0; i < table->rows; i++) {
        int err = pp_workload_add(&action, table->row[i].id, (double)(i * 1000), i % 3 == 0);
        assert(err == 0 || err == -28 || err == -22);
        err = pp_workload_add_of(&action, table->row[i].quantity, 5, 7);
        assert(err == 0 || err == -28 || err == -22);
    }
    if (pp_bottleneck_judge(table, &action, 1e6, 1e9, variable, 2, &verdict))
        return;
    assert(verdict.bound <= verdict.units && verdict.units <= PP_BOTTLENECK_UNITS);
    for (size_t i = 0; i < verdict.units; i++) {
        const struct pp_bottleneck_unit *unit = &verdict.unit[i];
        assert((unit->seen == PP_BOTTLENECK_SEEN) == !isnan(unit->clocks));
        assert(!(unit->clocks < 0) && memchr(unit->name, 0, sizeof(unit->name)));
        if (unit->seen == PP_BOTTLENECK_SEEN && verdict.bound < verdict.units)
            assert(unit->clocks <= verdict.unit[verdict.bound].clocks * (1 + 1e-8));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_peak_table table;
    struct pp_peak_error error = {0};
    int err = pp_peak_table_parse((const char *)data, size, &table, &error);
    if (err) {
        assert(err == -22 && error.line >= 1 && error.line <= lines_of(data, size) && error.column >= 1);
        assert(*error.message);
        return 0;
    }
    judge(&table);
    pp_peak_table_destroy(&table);
    return 0;
}
