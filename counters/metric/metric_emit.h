/** @file
 * Inside of metric.h: from a graph of operations to a program. */
#ifndef PP_COUNTERS_METRIC_METRIC_EMIT_H
#define PP_COUNTERS_METRIC_METRIC_EMIT_H

#include "counters/metric/metric_graph.h"
#include "counters/metric/metric_types.h"

/** One output of the program. */
struct pp_emit_output {
    uint32_t node;  /**< its result in the graph */
    bool available; /**< false: all its rows are PP_UNSUPPORTED */
    bool infix;     /**< the formula's language is PP_METRIC_INFIX: results must be finite */
};

/**
 * Make a program of a graph.
 *
 * @param inputs Number of inputs of the scope.
 * @retval 0       *ret is the caller's, for pp_metric_destroy().
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_metric_emit(const struct pp_graph *graph, size_t inputs,
                                                       const struct pp_emit_output *output, size_t outputs,
                                                       struct pp_metric_program **ret);

#endif
