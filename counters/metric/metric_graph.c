/** @file
 * Building the graph of operations: equal nodes are shared, operations on constants are folded; see
 * metric_graph.h. */
#include "counters/metric/metric_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NODES = 65535,
    FIRST_BUCKETS = 256,
};

void
pp_graph_finish(struct pp_graph *graph)
{
    free(graph->node);
    free(graph->bucket);
    memset(graph, 0, sizeof(*graph));
}

static uint32_t
hash_node(const struct pp_node *node)
{
    uint64_t h = node->imm.u ^ ((uint64_t)node->a << 32 | node->b) ^ ((uint64_t)node->op << 8 | node->type);
    h *= UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32);
}

/* Are two nodes equal in every bit? 0.0 and -0.0 stay two constants. */
static bool
same_node(const struct pp_node *x, const struct pp_node *y)
{
    return x->op == y->op && x->type == y->type && x->a == y->a && x->b == y->b && x->imm.u == y->imm.u;
}

static uint32_t
find_bucket(const struct pp_graph *graph, const struct pp_node *node)
{
    uint32_t i = hash_node(node) & (graph->buckets - 1);
    while (graph->bucket[i] && !same_node(&graph->node[graph->bucket[i] - 1], node))
        i = (i + 1) & (graph->buckets - 1);
    return i;
}

/* Grow for one more node if needed; the table stays at most half full. */
static int
make_room(struct pp_graph *graph)
{
    if (graph->nodes >= MAX_NODES)
        return -E2BIG;
    if (graph->nodes == graph->capacity) {
        uint32_t capacity = graph->capacity ? graph->capacity * 2 : FIRST_BUCKETS / 2;
        struct pp_node *node = realloc(graph->node, capacity * sizeof(*node));
        if (!node)
            return -ENOMEM;
        graph->node = node;
        graph->capacity = capacity;
    }
    if (graph->nodes * 2 < graph->buckets)
        return 0;
    uint32_t buckets = graph->buckets ? graph->buckets * 2 : FIRST_BUCKETS;
    uint32_t *bucket = calloc(buckets, sizeof(*bucket));
    if (!bucket)
        return -ENOMEM;
    free(graph->bucket);
    graph->bucket = bucket;
    graph->buckets = buckets;
    for (uint32_t i = 0; i < graph->nodes; i++)
        graph->bucket[find_bucket(graph, &graph->node[i])] = i + 1;
    return 0;
}

static uint32_t
intern(struct pp_graph *graph, const struct pp_node *node)
{
    int r = graph->error ? graph->error : make_room(graph);
    if (r) {
        graph->error = r;
        return PP_NODE_NONE;
    }
    uint32_t i = find_bucket(graph, node);
    if (!graph->bucket[i]) {
        graph->node[graph->nodes] = *node;
        graph->bucket[i] = ++graph->nodes;
    }
    return graph->bucket[i] - 1;
}

static uint32_t
leaf(struct pp_graph *graph, enum pp_metric_op op, enum pp_metric_type type, union pp_metric_number imm)
{
    struct pp_node node = {
        .op = (uint8_t)op, .type = (uint8_t)type, .a = PP_NODE_NONE, .b = PP_NODE_NONE, .imm = imm};
    return intern(graph, &node);
}

uint32_t
pp_graph_input(struct pp_graph *graph, uint64_t index, enum pp_metric_type type)
{
    return leaf(graph, PP_OP_INPUT, type, (union pp_metric_number){.u = index});
}

uint32_t
pp_graph_missing(struct pp_graph *graph)
{
    return leaf(graph, PP_OP_MISSING, PP_METRIC_U64, (union pp_metric_number){.u = 0});
}

uint32_t
pp_graph_u64(struct pp_graph *graph, uint64_t value)
{
    return leaf(graph, PP_OP_CONST, PP_METRIC_U64, (union pp_metric_number){.u = value});
}

uint32_t
pp_graph_f64(struct pp_graph *graph, double value)
{
    return leaf(graph, PP_OP_CONST, PP_METRIC_F64, (union pp_metric_number){.f = value});
}

static const struct pp_node *
constant(const struct pp_graph *graph, uint32_t node)
{
    return graph->node[node].op == PP_OP_CONST ? &graph->node[node] : NULL;
}

uint32_t
pp_graph_convert(struct pp_graph *graph, uint32_t node, enum pp_metric_type type)
{
    if (node == PP_NODE_NONE || type == PP_METRIC_AUTO || graph->node[node].type == (uint8_t)type)
        return node;
    return pp_graph_unary(graph, type == PP_METRIC_F64 ? PP_OP_U2F : PP_OP_F2U, node);
}

uint32_t
pp_graph_unary(struct pp_graph *graph, enum pp_metric_op op, uint32_t a)
{
    if (op == PP_OP_FLOOR)
        a = pp_graph_convert(graph, a, PP_METRIC_F64);
    if (a == PP_NODE_NONE)
        return a;
    const struct pp_node *k = constant(graph, a);
    if (k && op == PP_OP_F2U)
        return pp_graph_u64(graph, pp_op_f2u(k->imm.f));
    if (k && op == PP_OP_U2F)
        return pp_graph_f64(graph, pp_op_u2f(k->imm.u));
    if (k && op == PP_OP_FLOOR)
        return pp_graph_f64(graph, pp_op_floor(k->imm.f));
    struct pp_node node = {.op = (uint8_t)op,
                           .type = op == PP_OP_F2U ? PP_METRIC_U64 : PP_METRIC_F64,
                           .a = a,
                           .b = PP_NODE_NONE};
    return intern(graph, &node);
}

static uint64_t
fold_u64(enum pp_metric_op op, uint64_t a, uint64_t b)
{
    static uint64_t (*const fold[])(uint64_t, uint64_t) = {
        [PP_OP_UADD] = pp_op_uadd, [PP_OP_USUB] = pp_op_usub, [PP_OP_UMUL] = pp_op_umul,
        [PP_OP_UDIV] = pp_op_udiv, [PP_OP_UMIN] = pp_op_umin, [PP_OP_UMAX] = pp_op_umax,
        [PP_OP_AND] = pp_op_and,   [PP_OP_OR] = pp_op_or,     [PP_OP_XOR] = pp_op_xor,
        [PP_OP_SHL] = pp_op_shl,   [PP_OP_SHR] = pp_op_shr,   [PP_OP_ULT] = pp_op_ult,
        [PP_OP_ULTE] = pp_op_ulte, [PP_OP_LAND] = pp_op_land, [PP_OP_LOR] = pp_op_lor,
    };
    return fold[op](a, b);
}

static double
fold_f64(enum pp_metric_op op, double a, double b)
{
    static double (*const fold[])(double, double) = {
        [PP_OP_FADD] = pp_op_fadd,   [PP_OP_FSUB] = pp_op_fsub,   [PP_OP_FMUL] = pp_op_fmul,
        [PP_OP_FDIV0] = pp_op_fdiv0, [PP_OP_FDIVN] = pp_op_fdiv0, [PP_OP_FMIN] = pp_op_fmin,
        [PP_OP_FMAX] = pp_op_fmax,
    };
    return fold[op](a, b);
}

/* Does the right operand leave the left one unchanged (x + 0, x * 1)? Exact in both types. */
static bool
is_neutral(enum pp_metric_op op, const struct pp_node *right)
{
    if (!right)
        return false;
    if (op == PP_OP_UADD || op == PP_OP_USUB || op == PP_OP_SHL || op == PP_OP_SHR)
        return right->imm.u == 0;
    if (op == PP_OP_UMUL || op == PP_OP_UDIV)
        return right->imm.u == 1;
    return (op == PP_OP_FMUL || op == PP_OP_FDIV0 || op == PP_OP_FDIVN) && right->imm.f == 1.0;
}

uint32_t
pp_graph_binary(struct pp_graph *graph, enum pp_metric_op op, uint32_t a, uint32_t b)
{
    enum pp_metric_type type = op >= PP_OP_FIRST_F ? PP_METRIC_F64 : PP_METRIC_U64;
    a = pp_graph_convert(graph, a, type);
    b = pp_graph_convert(graph, b, type);
    if (a == PP_NODE_NONE || b == PP_NODE_NONE)
        return PP_NODE_NONE;
    const struct pp_node *x = constant(graph, a);
    const struct pp_node *y = constant(graph, b);
    bool no_value = op == PP_OP_FDIVN && y && y->imm.f == 0.0;
    if (x && y && !no_value)
        return type == PP_METRIC_F64 ? pp_graph_f64(graph, fold_f64(op, x->imm.f, y->imm.f))
                                     : pp_graph_u64(graph, fold_u64(op, x->imm.u, y->imm.u));
    if (is_neutral(op, y))
        return a;
    struct pp_node node = {.op = (uint8_t)op, .type = (uint8_t)type, .a = a, .b = b};
    return intern(graph, &node);
}
