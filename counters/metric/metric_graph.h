/** @file
 * Inside of metric.h: formulas as a graph of operations in which equal parts are one node. Parsers build it,
 * metric_emit.c turns it into a program. */
#ifndef PP_COUNTERS_METRIC_METRIC_GRAPH_H
#define PP_COUNTERS_METRIC_METRIC_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/metric/metric_ops.h"

/** No node: an error was recorded in the graph or in the error of the compilation. */
#define PP_NODE_NONE UINT32_MAX

/** One operation; operands are older nodes. */
struct pp_node {
    uint8_t op;                 /**< enum pp_metric_op */
    uint8_t type;               /**< PP_METRIC_U64 or PP_METRIC_F64 */
    uint32_t a, b;              /**< operands; PP_NODE_NONE where the operation has none */
    union pp_metric_number imm; /**< of INPUT and CONST */
};

/** The graph. */
struct pp_graph {
    struct pp_node *node;
    uint32_t nodes;
    uint32_t room;
    uint32_t *bucket; /**< open-addressing table of node indexes + 1; 0: free */
    uint32_t buckets; /**< power of two */
    int error;        /**< 0, -ENOMEM or -E2BIG; sticky */
};

/** Free what the graph holds. */
void pp_graph_finish(struct pp_graph *graph);

/** Node of input @p index. */
uint32_t pp_graph_input(struct pp_graph *graph, uint64_t index, enum pp_metric_type type);

/** Node of an input that does not exist. */
uint32_t pp_graph_missing(struct pp_graph *graph);

/** Node of a constant. */
uint32_t pp_graph_u64(struct pp_graph *graph, uint64_t value);
uint32_t pp_graph_f64(struct pp_graph *graph, double value);

/** Node of @p node converted to @p type; the same node where it has it already. */
uint32_t pp_graph_convert(struct pp_graph *graph, uint32_t node, enum pp_metric_type type);

/** Node of an operation. Operands are converted to the operation's type, constants are folded. Any operand
 * may be PP_NODE_NONE, then the result is. */
uint32_t pp_graph_unary(struct pp_graph *graph, enum pp_metric_op op, uint32_t a);
uint32_t pp_graph_binary(struct pp_graph *graph, enum pp_metric_op op, uint32_t a, uint32_t b);

#endif
