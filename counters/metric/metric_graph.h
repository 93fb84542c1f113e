/** @file
 * Inside of metric.h: formulas as a graph of operations in which equal parts are one node. The parsers build
 * the graph, metric_compile.c turns it into a program. */
#ifndef PP_COUNTERS_METRIC_METRIC_GRAPH_H
#define PP_COUNTERS_METRIC_METRIC_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/metric/metric_ops.h"

/** No node: an error was recorded, in the graph or in the compilation. */
#define PP_NODE_NONE UINT32_MAX

/** One operation; operands are older nodes. */
struct pp_node {
    uint8_t op;                 /**< enum pp_metric_op */
    uint8_t type;               /**< PP_METRIC_U64 or PP_METRIC_F64 */
    uint32_t a, b;              /**< operands; PP_NODE_NONE where the operation has none */
    union pp_metric_number imm; /**< of INPUT and CONST */
};

/** A graph. */
struct pp_graph {
    struct pp_node *node;
    uint32_t nodes;
    uint32_t capacity;
    uint32_t *bucket; /**< open-addressing table of node indexes + 1; 0: free */
    uint32_t buckets; /**< power of two */
    int error;        /**< 0, -ENOMEM or -E2BIG; sticky */
};

/** Free what the graph holds. */
void pp_graph_finish(struct pp_graph *graph);

/** Make the node of input @p index. */
uint32_t pp_graph_input(struct pp_graph *graph, uint64_t index, enum pp_metric_type type);

/** Make the node of an input that the scope lacks. */
uint32_t pp_graph_missing(struct pp_graph *graph);

/** Make the node of a constant. */
uint32_t pp_graph_u64(struct pp_graph *graph, uint64_t value);
/** Make the node of a constant. */
uint32_t pp_graph_f64(struct pp_graph *graph, double value);

/** Convert a node to @p type. @return The same node where it has the type. */
uint32_t pp_graph_convert(struct pp_graph *graph, uint32_t node, enum pp_metric_type type);

/** Make the node of an operation. The operand is converted to the operation's type, a constant is folded.
 * @return PP_NODE_NONE if the operand is PP_NODE_NONE. */
uint32_t pp_graph_unary(struct pp_graph *graph, enum pp_metric_op op, uint32_t a);

/** Make the node of an operation. Operands are converted to the operation's type, constants are folded.
 * @return PP_NODE_NONE if an operand is PP_NODE_NONE. */
uint32_t pp_graph_binary(struct pp_graph *graph, enum pp_metric_op op, uint32_t a, uint32_t b);

#endif
