/** @file
 * Inside of metric.h: what the compilation of a set of formulas knows, and the two parsers. */
#ifndef PP_COUNTERS_METRIC_METRIC_PARSE_H
#define PP_COUNTERS_METRIC_METRIC_PARSE_H

#include "counters/metric/metric.h"
#include "counters/metric/metric_graph.h"
#include "counters/util/name_table.h"

/** A compilation. */
struct pp_compiler {
    const struct pp_metric_scope *scope;
    const struct pp_metric_def *def;
    size_t defs;
    unsigned flags;
    struct pp_graph graph;
    struct pp_name_table names;
    uint8_t *state;   /**< per definition: not begun, being compiled, done */
    uint32_t *result; /**< per definition: its node */
    unsigned depth;   /**< parentheses and references around the current place */
    int code;         /**< 0 or the first error */
    struct pp_metric_error error;
};

/** A formula being read. */
struct pp_text {
    struct pp_compiler *compiler;
    size_t def; /**< whose formula */
    bool availability;
    const char *text;
    size_t pos;
};

/** Read a whole formula. @return its node, or PP_NODE_NONE after pp_text_fail() or an error of the graph. */
uint32_t pp_text_parse_rpn(struct pp_text *text);
uint32_t pp_text_parse_infix(struct pp_text *text);

/** Record an error, unless there is one already. @return PP_NODE_NONE. */
__attribute__((format(printf, 5, 6))) uint32_t pp_text_fail(struct pp_text *text, int code, size_t offset,
                                                            size_t length, const char *format, ...);

/** One level deeper; false, and an error, if that is too deep. Leave with compiler->depth--. */
bool pp_text_enter(struct pp_text *text, size_t offset, size_t length);

/**
 * Node of a name.
 *
 * @param text       Where it is used.
 * @param name       The name without $ or braces, inside the text.
 * @param length     Its length.
 * @param offset,shown What to underline if nobody bears it.
 */
uint32_t pp_text_resolve(struct pp_text *text, const char *name, size_t length, size_t offset, size_t shown);

/** Node of input @p kind @p number of Intel's READ: "A", 7. */
uint32_t pp_text_read(struct pp_text *text, const char *kind, size_t length, uint64_t number, size_t offset,
                      size_t shown);

#endif
