/** @file
 * Column of a metric's maximum in the outputs of pp_oa_set: maxima follow the metrics, in the catalogue's
 * order. */
#ifndef PP_TESTS_UNIT_COUNTERS_OA_MAXIMUM_H
#define PP_TESTS_UNIT_COUNTERS_OA_MAXIMUM_H

#include <stdint.h>

#include "counters/metric/catalogue.h"

/** @param index Set in pp_catalogue_intel. @return -1: the metric has no maximum. */
static inline int64_t
oa_maximum_column(uint32_t index, uint32_t metric)
{
    struct pp_catalogue_set about;
    struct pp_catalogue_metric one;
    pp_catalogue_intel.set(index, &about);
    int64_t column = about.metrics;
    for (uint32_t i = 0; i < metric; i++) {
        pp_catalogue_intel.metric(index, i, &one);
        column += one.max_formula[0] != '\0';
    }
    pp_catalogue_intel.metric(index, metric, &one);
    return one.max_formula[0] ? column : -1;
}

#endif
