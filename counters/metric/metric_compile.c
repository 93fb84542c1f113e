/** @file
 * Compiling a set of formulas: names, references between metrics, availability, errors with their place. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/metric/metric_parse.h"
#include "counters/metric/metric_program.h"

enum {
    MAX_DEPTH = 200, /* parentheses and references around one place */
};

enum name_kind {
    NAME_METRIC,
    NAME_VARIABLE,
    NAME_INPUT,
};

enum def_state {
    DEF_WAITING,
    DEF_OPEN,
    DEF_DONE,
};

static uint32_t compile_def(struct pp_compiler *c, size_t def);

uint32_t
pp_text_fail(struct pp_text *text, int code, size_t offset, size_t length, const char *format, ...)
{
    struct pp_compiler *c = text->compiler;
    if (c->code)
        return PP_NODE_NONE;
    size_t rest = strlen(text->text);
    offset = offset < rest ? offset : rest;
    rest -= offset;
    c->code = code;
    c->error = (struct pp_metric_error){.def = text->def,
                                        .availability = text->availability,
                                        .offset = (uint32_t)offset,
                                        .length = (uint32_t)(length < rest ? length : rest)};
    va_list args;
    va_start(args, format);
    vsnprintf(c->error.message, sizeof(c->error.message), format, args);
    va_end(args);
    return PP_NODE_NONE;
}

bool
pp_text_enter(struct pp_text *text, size_t offset, size_t length)
{
    if (text->compiler->depth >= MAX_DEPTH) {
        pp_text_fail(text, -EINVAL, offset, length, "nested more than %d deep", MAX_DEPTH);
        return false;
    }
    text->compiler->depth++;
    return true;
}

/* Lengths as printf() wants them, short enough for a message. */
static int
shown_length(size_t length)
{
    return (int)(length < 60 ? length : 60);
}

static uint32_t
fail_unknown(struct pp_text *text, const char *name, size_t length, size_t offset, size_t shown)
{
    struct pp_nearest nearest = pp_nearest_begin(name, length);
    pp_nearest_offer_table(&nearest, &text->compiler->names);
    if (nearest.found)
        return pp_text_fail(text, -ENOENT, offset, shown, "unknown name '%.*s'; did you mean '%.*s'?",
                            shown_length(length), name, shown_length(nearest.found_length), nearest.found);
    return pp_text_fail(text, -ENOENT, offset, shown, "unknown name '%.*s'", shown_length(length), name);
}

static uint32_t
resolve_metric(struct pp_text *text, size_t def, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (c->state[def] == DEF_OPEN)
        return pp_text_fail(text, -ELOOP, offset, shown, "'%s' is computed from itself here",
                            c->def[def].name);
    if (c->state[def] == DEF_DONE)
        return c->result[def];
    if (!pp_text_enter(text, offset, shown))
        return PP_NODE_NONE;
    uint32_t node = compile_def(c, def);
    c->depth--;
    return node;
}

static uint32_t
resolve_found(struct pp_text *text, const struct pp_name *found, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (found->kind == NAME_METRIC)
        return resolve_metric(text, found->index, offset, shown);
    if (found->kind == NAME_INPUT)
        return pp_graph_input(&c->graph, found->index, c->scope->input[found->index].type);
    const struct pp_metric_variable *variable = &c->scope->variable[found->index];
    return variable->type == PP_METRIC_F64 ? pp_graph_f64(&c->graph, variable->value.f)
                                           : pp_graph_u64(&c->graph, variable->value.u);
}

/* Is this a counter of a source that nobody in the scope has? */
static bool
is_of_unknown_source(const struct pp_compiler *c, const char *name, size_t length)
{
    const char *colon = memchr(name, ':', length);
    size_t prefix = colon ? (size_t)(colon - name) + 1 : 0;
    for (size_t i = 0; i < c->scope->inputs && colon; i++)
        if (strncmp(c->scope->input[i].name, name, prefix) == 0)
            return false;
    return colon != NULL;
}

static bool
may_miss(const struct pp_text *text, const char *name, size_t length)
{
    const struct pp_compiler *c = text->compiler;
    if ((c->flags & PP_METRIC_MISSING_OK) && !c->def[text->def].strict)
        return true;
    return (c->flags & (PP_METRIC_MISSING_OK | PP_METRIC_MISSING_SOURCES)) &&
           is_of_unknown_source(c, name, length);
}

uint32_t
pp_text_resolve(struct pp_text *text, const char *name, size_t length, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (length == 4 && memcmp(name, "Self", 4) == 0) {
        name = c->def[text->def].self;
        if (!name)
            return pp_text_fail(text, -ENOENT, offset, shown, "'$Self' has no meaning here");
        length = strlen(name);
    }
    const struct pp_name *found = pp_name_table_find(&c->names, name, length);
    if (found)
        return resolve_found(text, found, offset, shown);
    if (may_miss(text, name, length))
        return pp_graph_missing(&c->graph);
    return fail_unknown(text, name, length, offset, shown);
}

uint32_t
pp_text_read(struct pp_text *text, const char *kind, size_t length, uint64_t number, size_t offset,
             size_t shown)
{
    struct pp_compiler *c = text->compiler;
    char name[64];
    int n = snprintf(name, sizeof(name), "%.*s%llu", (int)(length < 30 ? length : 30), kind,
                     (unsigned long long)number);
    const struct pp_name *found = pp_name_table_find(&c->names, name, (size_t)n);
    if (!found && number == 0)
        found = pp_name_table_find(&c->names, kind, length);
    if (found && found->kind == NAME_INPUT)
        return resolve_found(text, found, offset, shown);
    if (c->flags & PP_METRIC_MISSING_OK)
        return pp_graph_missing(&c->graph);
    return fail_unknown(text, name, (size_t)n, offset, shown);
}

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
    c->state[def] = DEF_OPEN;
    uint32_t node = parse(c, def, false);
    node = pp_graph_convert(&c->graph, node, c->def[def].type);
    c->state[def] = DEF_DONE;
    c->result[def] = node;
    return node;
}

/* Is the metric there at all on this machine? */
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
        pp_text_fail(&text, -EINVAL, 0, SIZE_MAX, "an availability may use variables only");
        return false;
    }
    *ret = node->type == PP_METRIC_F64 ? node->imm.f != 0.0 : node->imm.u != 0;
    return true;
}

static int
fail_duplicate(struct pp_compiler *c, size_t def)
{
    struct pp_text text = {.compiler = c, .def = def, .text = c->def[def].formula};
    pp_text_fail(&text, -EINVAL, 0, SIZE_MAX, "there are two metrics named '%.*s'",
                 shown_length(strlen(c->def[def].name)), c->def[def].name);
    return c->code;
}

static int
add_names(struct pp_compiler *c)
{
    int r = 0;
    for (size_t i = 0; i < c->defs && !r; i++)
        if (c->def[i].name) {
            r = pp_name_table_add(&c->names, c->def[i].name, strlen(c->def[i].name), NAME_METRIC,
                                  (uint32_t)i);
            if (r == -EEXIST)
                r = fail_duplicate(c, i);
        }
    for (size_t i = 0; i < c->scope->variables && !r; i++) {
        const char *name = c->scope->variable[i].name;
        r = pp_name_table_add(&c->names, name, strlen(name), NAME_VARIABLE, (uint32_t)i);
        r = r == -EEXIST ? 0 : r;
    }
    for (size_t i = 0; i < c->scope->inputs && !r; i++) {
        const char *name = c->scope->input[i].name;
        r = pp_name_table_add(&c->names, name, strlen(name), NAME_INPUT, (uint32_t)i);
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
    *c = (struct pp_compiler){.scope = scope, .def = def, .defs = defs, .flags = flags};
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
        if (c->state[i] == DEF_WAITING)
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
        return -EDOM; /* nothing but x / 0 stays unfolded, and what depends on it */
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

size_t
pp_metric_outputs(const struct pp_metric_program *program)
{
    return program->outputs;
}

enum pp_metric_type
pp_metric_output_type(const struct pp_metric_program *program, size_t output)
{
    return program->output[output].type;
}

bool
pp_metric_output_reads(const struct pp_metric_program *program, size_t output, size_t input)
{
    const struct pp_output *out = &program->output[output];
    for (uint32_t i = 0; i < out->inputs; i++)
        if (program->depends[out->first_input + i] == input)
            return true;
    return false;
}
