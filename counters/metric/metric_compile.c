/** @file
 * See metric_compile.h. Compiles a set of formulas to a graph of operations, and the graph to a program:
 * which operations are needed, in which slot each result is, and which inputs and divisions every output
 * depends on. Operands are older nodes than the operations that use them. The order of the nodes is therefore
 * an order of evaluation. */
#include "counters/metric/metric_compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void
pp_metric_destroy(struct pp_metric_program *program)
{
    if (!program)
        return;
    free(program->insn);
    free(program->output);
    free(program->depends);
    free(program->divide);
    free(program->magic);
    free(program);
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

/* State of one emission; all arrays are per node. */
struct emitter {
    const struct pp_graph *graph;
    struct pp_metric_program *program;
    uint32_t *slot;     /* slot of the result; PP_NODE_NONE: none yet */
    uint32_t *last_use; /* the youngest node that uses the result; 0: none */
    uint32_t *stamp;    /* 1 + the last output that was found to depend on the node */
    uint32_t *stack;
    uint8_t *needed;
    uint32_t *free_slot; /* temporaries that are free again */
    uint32_t free_readbacks;
    uint32_t divides; /* entries of program->divide used */
    uint32_t depends;
};

static bool
is_leaf(const struct pp_node *node)
{
    return node->op == PP_OP_INPUT || node->op == PP_OP_CONST || node->op == PP_OP_MISSING;
}

static void
emitter_finish(struct emitter *e)
{
    free(e->slot);
    free(e->last_use);
    free(e->stamp);
    free(e->stack);
    free(e->needed);
    free(e->free_slot);
}

static int
emitter_init(struct emitter *e, const struct pp_graph *graph, struct pp_metric_program *program)
{
    size_t n = (size_t)graph->nodes + 1;
    *e = (struct emitter){.graph = graph, .program = program};
    e->slot = malloc(n * sizeof(*e->slot));
    e->last_use = calloc(n, sizeof(*e->last_use));
    e->stamp = calloc(n, sizeof(*e->stamp));
    e->stack = malloc(2 * n * sizeof(*e->stack));
    e->needed = calloc(n, sizeof(*e->needed));
    e->free_slot = malloc(n * sizeof(*e->free_slot));
    if (!e->slot || !e->last_use || !e->stamp || !e->stack || !e->needed || !e->free_slot)
        return -ENOMEM;
    memset(e->slot, 0xff, n * sizeof(*e->slot));
    return 0;
}

/* Mark the nodes that the outputs need, and note the last user of each. */
static void
mark_needed(struct emitter *e, const struct pp_emit_output *output, size_t outputs)
{
    for (size_t i = 0; i < outputs; i++)
        e->needed[output[i].node] = 1;
    for (uint32_t i = e->graph->nodes; i-- > 0;) {
        const struct pp_node *node = &e->graph->node[i];
        const uint32_t operand[2] = {node->a, node->b};
        for (unsigned k = 0; k < 2 && e->needed[i]; k++) {
            if (operand[k] == PP_NODE_NONE)
                continue;
            e->needed[operand[k]] = 1;
            if (e->last_use[operand[k]] < i)
                e->last_use[operand[k]] = i;
        }
    }
}

static uint32_t
first_output_slot(const struct pp_metric_program *program)
{
    return program->inputs;
}

static uint32_t
zeros_slot(const struct pp_metric_program *program)
{
    return program->inputs + program->outputs;
}

static uint32_t
new_temporary(struct emitter *e)
{
    if (e->free_readbacks)
        return e->free_slot[--e->free_readbacks];
    return zeros_slot(e->program) + 1 + e->program->temporaries++;
}

static void
release(struct emitter *e, uint32_t node, uint32_t user)
{
    if (node == PP_NODE_NONE || e->last_use[node] != user || e->slot[node] <= zeros_slot(e->program))
        return;
    if (e->slot[node] != PP_NODE_NONE)
        e->free_slot[e->free_readbacks++] = e->slot[node];
    e->slot[node] = PP_NODE_NONE;
}

static struct pp_insn *
append(struct emitter *e, enum pp_metric_op op, enum pp_insn_mode mode, uint32_t dst)
{
    struct pp_insn *insn = &e->program->insn[e->program->insns++];
    *insn = (struct pp_insn){.op = (uint8_t)op, .mode = (uint8_t)mode, .dst = dst};
    return insn;
}

static struct pp_magic
magic_of(uint64_t divisor)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    unsigned bits = divisor > 1 ? 64U - (unsigned)__builtin_clzll(divisor - 1) : 0; /* ceil(log2) */
    wide power = (wide)1 << bits;
    wide magic = ((power - divisor) << 64) / divisor + 1;
    return (struct pp_magic){
        .magic = (uint64_t)magic, .shift1 = bits > 0, .shift2 = (uint8_t)(bits > 0 ? bits - 1 : 0)};
#else
    return (struct pp_magic){.magic = divisor};
#endif
}

static void
set_operands(struct emitter *e, struct pp_insn *insn, const struct pp_node *node)
{
    struct pp_metric_program *program = e->program;
    const struct pp_node *a = &e->graph->node[node->a];
    const struct pp_node *b = node->b == PP_NODE_NONE ? NULL : &e->graph->node[node->b];
    insn->a = e->slot[node->a];
    insn->mode = PP_INSN_V;
    if (!b)
        return;
    insn->b = e->slot[node->b];
    insn->mode = PP_INSN_VV;
    if (b->op == PP_OP_CONST) {
        insn->mode = PP_INSN_VC;
        insn->constant = b->imm;
    } else if (a->op == PP_OP_CONST) {
        insn->mode = PP_INSN_CV;
        insn->constant = a->imm;
    }
    if (node->op == PP_OP_FDIVN)
        insn->extra = program->divides_total++;
    if (node->op == PP_OP_UDIV && insn->mode == PP_INSN_VC && insn->constant.u) {
        insn->extra = program->magics;
        program->magic[program->magics++] = magic_of(insn->constant.u);
    }
}

/* Emit the first operand of "constant / 0" as a column: it is the only operation with two constant operands.
 */
static void
emit_constant_column(struct emitter *e, uint32_t node)
{
    e->slot[node] = new_temporary(e);
    append(e, PP_OP_CONST, PP_INSN_C, e->slot[node])->constant = e->graph->node[node].imm;
}

static void
emit_node(struct emitter *e, uint32_t i)
{
    const struct pp_node *node = &e->graph->node[i];
    if (node->op == PP_OP_INPUT)
        e->slot[i] = (uint32_t)node->imm.u;
    else if (node->op == PP_OP_MISSING)
        e->slot[i] = zeros_slot(e->program);
    if (is_leaf(node))
        return;
    bool both = node->b != PP_NODE_NONE && e->graph->node[node->a].op == PP_OP_CONST &&
                e->graph->node[node->b].op == PP_OP_CONST;
    if (both && e->slot[node->a] == PP_NODE_NONE)
        emit_constant_column(e, node->a);
    if (e->slot[i] == PP_NODE_NONE)
        e->slot[i] = new_temporary(e);
    set_operands(e, append(e, node->op, PP_INSN_VV, e->slot[i]), node);
    release(e, node->a, i);
    if (node->b != node->a)
        release(e, node->b, i);
}

/* Copy results of which several outputs have the value: the first of these outputs is the result's slot. */
static void
emit_copies(struct emitter *e, const struct pp_emit_output *output)
{
    struct pp_metric_program *program = e->program;
    for (uint32_t i = 0; i < program->outputs; i++) {
        uint32_t dst = first_output_slot(program) + i;
        const struct pp_node *node = &e->graph->node[output[i].node];
        if (node->op == PP_OP_CONST)
            append(e, PP_OP_CONST, PP_INSN_C, dst)->constant = node->imm;
        else if (e->slot[output[i].node] != dst)
            append(e, PP_OP_COPY, PP_INSN_V, dst)->a = e->slot[output[i].node];
    }
}

static int
compare_u32(const void *x, const void *y)
{
    uint32_t a, b;
    memcpy(&a, x, sizeof(a));
    memcpy(&b, y, sizeof(b));
    return (a > b) - (a < b);
}

static int
reserve(uint32_t **array, uint32_t used, uint32_t more)
{
    /* Grow to the next power of two, so that growing is rare. */
    size_t capacity = 16;
    while (capacity < (size_t)used + more)
        capacity *= 2;
    uint32_t *bigger = realloc(*array, capacity * sizeof(*bigger));
    if (!bigger)
        return -ENOMEM;
    *array = bigger;
    return 0;
}

/* Collect the inputs and divisions that one output depends on. `number`: as set_operands() numbered the
 * divisions. */
static int
collect(struct emitter *e, uint32_t output, uint32_t root, const uint32_t *number)
{
    struct pp_metric_program *program = e->program;
    struct pp_output *out = &program->output[output];
    uint32_t depth = 0;
    out->first_input = e->depends;
    out->first_divide = e->divides;
    e->stack[depth++] = root;
    e->stamp[root] = output + 1;
    while (depth) {
        uint32_t i = e->stack[--depth];
        const struct pp_node *node = &e->graph->node[i];
        if (reserve(&program->depends, e->depends, 1) || reserve(&program->divide, e->divides, 1))
            return -ENOMEM;
        if (node->op == PP_OP_INPUT)
            program->depends[e->depends++] = (uint32_t)node->imm.u;
        if (node->op == PP_OP_FDIVN)
            program->divide[e->divides++] = number[i];
        out->missing |= node->op == PP_OP_MISSING;
        const uint32_t operand[2] = {node->a, node->b};
        for (unsigned k = 0; k < 2; k++) {
            if (operand[k] == PP_NODE_NONE || e->stamp[operand[k]] == output + 1)
                continue;
            e->stamp[operand[k]] = output + 1;
            e->stack[depth++] = operand[k];
        }
    }
    out->inputs = e->depends - out->first_input;
    out->divides = e->divides - out->first_divide;
    if (out->divides)
        qsort(&program->divide[out->first_divide], out->divides, sizeof(*program->divide), compare_u32);
    return 0;
}

static int
collect_all(struct emitter *e, const struct pp_emit_output *output)
{
    uint32_t *number = malloc(((size_t)e->graph->nodes + 1) * sizeof(*number));
    uint32_t divides = 0;
    int r = number ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < e->graph->nodes && !r; i++)
        number[i] = e->needed[i] && e->graph->node[i].op == PP_OP_FDIVN ? divides++ : 0;
    for (uint32_t i = 0; i < e->program->outputs && !r; i++)
        r = collect(e, i, output[i].node, number);
    free(number);
    return r;
}

static void
describe_outputs(struct emitter *e, const struct pp_emit_output *output)
{
    for (uint32_t i = 0; i < e->program->outputs; i++) {
        struct pp_output *out = &e->program->output[i];
        out->type = e->graph->node[output[i].node].type;
        out->available = output[i].available;
        out->check_finite = output[i].infix && out->type == PP_METRIC_F64;
        bool leaf = is_leaf(&e->graph->node[output[i].node]);
        if (!leaf && e->slot[output[i].node] == PP_NODE_NONE)
            e->slot[output[i].node] = first_output_slot(e->program) + i;
    }
}

static int
emit(struct emitter *e, const struct pp_emit_output *output)
{
    struct pp_metric_program *program = e->program;
    /* At most one instruction and one constant column per node, and one copy per output. */
    size_t capacity = 2 * (size_t)e->graph->nodes + program->outputs + 1;
    program->insn = malloc(capacity * sizeof(*program->insn));
    program->magic = malloc(((size_t)e->graph->nodes + 1) * sizeof(*program->magic));
    if (!program->insn || !program->magic)
        return -ENOMEM;
    mark_needed(e, output, program->outputs);
    describe_outputs(e, output);
    for (uint32_t i = 0; i < e->graph->nodes; i++)
        if (e->needed[i])
            emit_node(e, i);
    emit_copies(e, output);
    return collect_all(e, output);
}

int
pp_metric_emit(const struct pp_graph *graph, size_t inputs, const struct pp_emit_output *output,
               size_t outputs, struct pp_metric_program **ret)
{
    struct pp_metric_program *program = calloc(1, sizeof(*program));
    struct emitter e;
    int r = program ? emitter_init(&e, graph, program) : -ENOMEM;
    if (!program)
        return r;
    program->inputs = (uint32_t)inputs;
    program->outputs = (uint32_t)outputs;
    program->output = calloc(outputs + 1, sizeof(*program->output));
    if (!program->output)
        r = -ENOMEM;
    if (!r)
        r = emit(&e, output);
    emitter_finish(&e);
    if (r)
        pp_metric_destroy(program);
    else
        *ret = program;
    return r;
}
