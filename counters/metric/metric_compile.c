/** @file
 * Compiling a set of formulas; see metric_compile.h. */
#include "counters/metric/metric_compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/metric/metric_emit.h"
#include "counters/metric/metric_infix.h"
#include "counters/metric/metric_rpn.h"
#include "counters/metric/metric_text.h"
#include "pp_texts.h"

static uint32_t
parse(struct pp_compiler *c, size_t def, bool availability)
{
    const struct pp_metric_def *d = &c->def[def];
    struct pp_text text = {.compiler = c,
                           .def = def,
                           .availability = availability,
                           .text = availability ? d->availability : d->formula};
    return d->lang == PP_METRIC_RPN ? pp_text_parse_rpn(&text) : pp_text_parse_infix(&text);
}

static uint32_t
compile_def(struct pp_compiler *c, size_t def)
{
    c->state[def] = PP_DEF_OPEN;
    uint32_t node = parse(c, def, false);
    node = pp_graph_convert(&c->graph, node, c->def[def].type);
    c->state[def] = PP_DEF_DONE;
    c->result[def] = node;
    return node;
}

/* Evaluate the availability of a metric on this machine. @return False, with an error recorded. */
static bool
compile_availability(struct pp_compiler *c, size_t def, bool *ret)
{
    *ret = true;
    if (!c->def[def].availability)
        return true;
    uint32_t i = parse(c, def, true);
    if (i == PP_NODE_NONE)
        return false;
    const struct pp_node *node = &c->graph.node[i];
    if (node->op != PP_OP_CONST && node->op != PP_OP_MISSING) {
        struct pp_text text = {
            .compiler = c, .def = def, .availability = true, .text = c->def[def].availability};
        pp_text_fail(&text, -EINVAL, 0, SIZE_MAX, PP_TEXT_FORMULA_AVAILABILITY);
        return false;
    }
    *ret = node->type == PP_METRIC_F64 ? node->imm.f != 0.0 : node->imm.u != 0;
    return true;
}

static int
fail_duplicate(struct pp_compiler *c, size_t def)
{
    struct pp_text text = {.compiler = c, .def = def, .text = c->def[def].formula};
    pp_text_fail(&text, -EINVAL, 0, SIZE_MAX, PP_FORMAT_FORMULA_TWICE, c->def[def].name);
    return c->code;
}

static int
add_names(struct pp_compiler *c)
{
    int r = 0;
    for (size_t i = 0; i < c->defs && !r; i++)
        if (c->def[i].name) {
            r = pp_name_table_add(&c->names, c->def[i].name, strlen(c->def[i].name), PP_TEXT_METRIC,
                                  (uint32_t)i);
            if (r == -EEXIST)
                r = fail_duplicate(c, i);
        }
    for (size_t i = 0; i < c->scope->variables && !r; i++) {
        const char *name = c->scope->variable[i].name;
        r = pp_name_table_add(&c->names, name, strlen(name), PP_TEXT_VARIABLE, (uint32_t)i);
        r = r == -EEXIST ? 0 : r;
    }
    for (size_t i = 0; i < c->scope->inputs && !r; i++) {
        const char *name = c->scope->input[i].name;
        r = pp_name_table_add(&c->names, name, strlen(name), PP_TEXT_INPUT, (uint32_t)i);
        r = r == -EEXIST ? 0 : r;
    }
    return r;
}

static void
compiler_finish(struct pp_compiler *c)
{
    pp_graph_finish(&c->graph);
    pp_name_table_finish(&c->names);
    free(c->state);
    free(c->result);
}

static int
compiler_init(struct pp_compiler *c, const struct pp_metric_scope *scope, const struct pp_metric_def *def,
              size_t defs, unsigned flags)
{
    *c = (struct pp_compiler){
        .scope = scope, .def = def, .defs = defs, .flags = flags, .compile_def = compile_def};
    c->state = calloc(defs + 1, sizeof(*c->state));
    c->result = calloc(defs + 1, sizeof(*c->result));
    if (!c->state || !c->result)
        return -ENOMEM;
    return add_names(c);
}

static int
compiler_error(const struct pp_compiler *c)
{
    return c->code ? c->code : c->graph.error;
}

static int
compile_all(struct pp_compiler *c, struct pp_emit_output *output, size_t *ret_outputs)
{
    size_t outputs = 0;
    for (size_t i = 0; i < c->defs; i++) {
        bool available = true;
        if (c->state[i] == PP_DEF_WAITING)
            compile_def(c, i);
        if (compiler_error(c) || !compile_availability(c, i, &available))
            return compiler_error(c);
        if (!c->def[i].hidden)
            output[outputs++] = (struct pp_emit_output){
                .node = c->result[i], .available = available, .infix = c->def[i].lang == PP_METRIC_INFIX};
    }
    *ret_outputs = outputs;
    return 0;
}

int
pp_metric_compile(const struct pp_metric_scope *scope, const struct pp_metric_def *def, size_t defs,
                  unsigned flags, struct pp_metric_program **ret_program, struct pp_metric_error *error)
{
    struct pp_compiler c;
    size_t outputs = 0;
    struct pp_emit_output *output = calloc(defs + 1, sizeof(*output));
    if (!output)
        return -ENOMEM;
    int r = compiler_init(&c, scope, def, defs, flags);
    if (!r)
        r = compile_all(&c, output, &outputs);
    if (!r)
        r = pp_metric_emit(&c.graph, scope->inputs, output, outputs, ret_program);
    if (c.code && error)
        *error = c.error;
    compiler_finish(&c);
    free(output);
    return r;
}

static int
constant_result(struct pp_compiler *c, enum pp_metric_type *ret_type, union pp_metric_number *ret)
{
    uint32_t i = compile_def(c, 0);
    if (compiler_error(c))
        return compiler_error(c);
    const struct pp_node *node = &c->graph.node[i];
    if (node->op != PP_OP_CONST)
        return -EDOM; /* only x / 0, and what depends on it, is not folded to a constant */
    if (node->type == PP_METRIC_F64 && !(node->imm.f - node->imm.f == 0.0))
        return -EDOM;
    *ret_type = node->type;
    *ret = node->imm;
    return 0;
}

int
pp_metric_constant(const struct pp_metric_scope *scope, enum pp_metric_lang lang, const char *formula,
                   enum pp_metric_type *ret_type, union pp_metric_number *ret, struct pp_metric_error *error)
{
    const struct pp_metric_scope variables = {.variable = scope->variable, .variables = scope->variables};
    const struct pp_metric_def def = {.formula = formula, .lang = (uint8_t)lang};
    struct pp_compiler c;
    int r = compiler_init(&c, &variables, &def, 1, 0);
    if (!r)
        r = constant_result(&c, ret_type, ret);
    if (c.code && error)
        *error = c.error;
    compiler_finish(&c);
    return r;
}
