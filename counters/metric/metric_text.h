/** @file
 * Inside of metric.h: a formula that is being parsed, and the compilation that it belongs to: errors with
 * their place, and the meaning of names. The parsers are of Arm's infix formulas and users' formulas, and of
 * Intel's reverse Polish formulas. */
#ifndef PP_COUNTERS_METRIC_METRIC_TEXT_H
#define PP_COUNTERS_METRIC_METRIC_TEXT_H

#include "counters/metric/metric.h"
#include "counters/metric/metric_graph.h"
#include "counters/util/name_table.h"

/** Kinds of names: pp_name.kind. */
enum pp_text_name {
    PP_TEXT_METRIC,
    PP_TEXT_VARIABLE,
    PP_TEXT_INPUT,
};

/** How far the compilation of a definition is. */
enum pp_def_state {
    PP_DEF_WAITING,
    PP_DEF_OPEN,
    PP_DEF_DONE,
};

/** A compilation of several metrics. */
struct pp_compiler {
    const struct pp_metric_scope *scope;
    const struct pp_metric_def *def;
    size_t defs;
    unsigned flags;
    struct pp_graph graph;
    struct pp_name_table names;
    uint8_t *state;   /**< per definition: enum pp_def_state */
    uint32_t *result; /**< per definition: its node */
    unsigned depth;   /**< parentheses and references around the current place */
    int code;         /**< 0 or the first error */
    struct pp_metric_error error;

    /** Compile a waiting definition. @return Its node. */
    uint32_t (*compile_def)(struct pp_compiler *compiler, size_t def);
};

/** A formula that is being parsed. */
struct pp_text {
    struct pp_compiler *compiler;
    size_t def;        /**< whose formula */
    bool availability; /**< the text is the definition's availability */
    const char *text;
    size_t pos;
};

/** Record an error, unless there is one already. @return PP_NODE_NONE. */
__attribute__((format(printf, 5, 6))) uint32_t pp_text_fail(struct pp_text *text, int code, size_t offset,
                                                            size_t length, const char *format, ...);

/** Go one level deeper. Leave with compiler->depth--. @return False, with an error recorded: too deep. */
bool pp_text_enter(struct pp_text *text, size_t offset, size_t length);

/**
 * Find the node of a name.
 *
 * @param text         Where the name is used.
 * @param name         The name without $ or braces, inside the text.
 * @param length       Length of the name.
 * @param offset,shown What to underline if the name is unknown.
 */
uint32_t pp_text_resolve(struct pp_text *text, const char *name, size_t length, size_t offset, size_t shown);

/** Find the node of input @p kind @p number of Intel's READ: "A", 7. */
uint32_t pp_text_read(struct pp_text *text, const char *kind, size_t length, uint64_t number, size_t offset,
                      size_t shown);

/** Parse a whole formula. @return Its node; PP_NODE_NONE after pp_text_fail() or an error of the graph. */
uint32_t pp_text_parse_infix(struct pp_text *text);

/** Parse a whole formula. @return Its node; PP_NODE_NONE after pp_text_fail() or an error of the graph. */
uint32_t pp_text_parse_rpn(struct pp_text *text);

#endif
