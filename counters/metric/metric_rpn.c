/** @file
 * The parser of Intel's reverse Polish: "A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV".
 * Operators as in Intel's OA descriptions; an operator whose name begins with U works on integers modulo
 * 2^64, one with F on doubles. Mixed operands follow the C code that Intel's own generators make of the
 * descriptions: U operators other than UDIV compute in double when an operand is one, and truncate the
 * result. */
#include "counters/metric/metric_rpn.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

enum {
    MAX_STACK = 64,
};

/* One item of the stack, with the text that it came from. */
struct item {
    uint32_t node;   /* PP_NODE_NONE: a bare word, which only READ takes */
    uint32_t offset; /* first byte of its text */
    uint32_t length;
    bool is_integer; /* a plain integer literal, as READ's second operand must be */
    uint64_t integer;
};

struct stack {
    struct item item[MAX_STACK];
    unsigned count;
};

/* The operators. `mixed` is the operation in double for mixed operands; PP_OP_CONST: operands are truncated
 * first. */
static const struct rpn_operator {
    const char *name;
    uint8_t op;
    uint8_t mixed;
    bool swap; /* x OP y is y op x */
} operators[] = {
    {"UADD", PP_OP_UADD, PP_OP_FADD, false},  {"USUB", PP_OP_USUB, PP_OP_FSUB, false},
    {"UMUL", PP_OP_UMUL, PP_OP_FMUL, false},  {"UDIV", PP_OP_UDIV, PP_OP_CONST, false},
    {"UMIN", PP_OP_UMIN, PP_OP_FMIN, false},  {"UMAX", PP_OP_UMAX, PP_OP_FMAX, false},
    {"FADD", PP_OP_FADD, PP_OP_FADD, false},  {"FSUB", PP_OP_FSUB, PP_OP_FSUB, false},
    {"FMUL", PP_OP_FMUL, PP_OP_FMUL, false},  {"FDIV", PP_OP_FDIV0, PP_OP_FDIV0, false},
    {"FMIN", PP_OP_FMIN, PP_OP_FMIN, false},  {"FMAX", PP_OP_FMAX, PP_OP_FMAX, false},
    {"<<", PP_OP_SHL, PP_OP_CONST, false},    {">>", PP_OP_SHR, PP_OP_CONST, false},
    {"AND", PP_OP_AND, PP_OP_CONST, false},   {"OR", PP_OP_OR, PP_OP_CONST, false},
    {"XOR", PP_OP_XOR, PP_OP_CONST, false},   {"ULT", PP_OP_ULT, PP_OP_CONST, false},
    {"ULTE", PP_OP_ULTE, PP_OP_CONST, false}, {"UGT", PP_OP_ULT, PP_OP_CONST, true},
    {"UGTE", PP_OP_ULTE, PP_OP_CONST, true},  {"&&", PP_OP_LAND, PP_OP_CONST, false},
    {"||", PP_OP_LOR, PP_OP_CONST, false},
};

static const size_t operator_count = PP_ARRAY_SIZE(operators);

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const struct rpn_operator *
find_operator(const char *word, size_t length)
{
    for (size_t i = 0; i < operator_count; i++)
        if (strlen(operators[i].name) == length && memcmp(operators[i].name, word, length) == 0)
            return &operators[i];
    return NULL;
}

static int
digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Read a decimal or 0x integer below 2^64. */
static bool
read_integer(const char *word, size_t length, uint64_t *ret)
{
    uint64_t base = 10, value = 0;
    size_t i = 0;
    if (length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
        base = 16;
        i = 2;
    }
    for (; i < length; i++) {
        uint64_t digit = (uint64_t)digit_of(word[i]);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret = value;
    return length > 0;
}

static uint32_t
word_fail(struct pp_text *text, size_t offset, size_t length)
{
    const char *word = text->text + offset;
    if (isdigit((unsigned char)word[0]))
        return pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_RPN_INTEGER,
                            (int)(length < 40 ? length : 40), word);
    struct pp_nearest nearest = pp_nearest_begin(word, length);
    for (size_t i = 0; i < operator_count; i++)
        pp_nearest_offer(&nearest, operators[i].name, strlen(operators[i].name));
    if (nearest.found)
        return pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_RPN_NEAR,
                            (int)(length < 40 ? length : 40), word, (int)nearest.found_length, nearest.found);
    return pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_RPN_WORD, (int)(length < 40 ? length : 40),
                        word);
}

/* Replace the two topmost items by one that spans their text and the operator's. */
static bool
replace_two(struct stack *stack, uint32_t node, size_t end)
{
    struct item *a = &stack->item[stack->count - 2];
    a->node = node;
    a->length = (uint32_t)end - a->offset;
    a->is_integer = false;
    stack->count--;
    return node != PP_NODE_NONE;
}

static bool
apply_read(struct pp_text *text, struct stack *stack, size_t offset)
{
    if (stack->count < 2) {
        pp_text_fail(text, -EINVAL, offset, 4, PP_TEXT_RPN_READ);
        return false;
    }
    const struct item *kind = &stack->item[stack->count - 2];
    const struct item *number = &stack->item[stack->count - 1];
    if (kind->node != PP_NODE_NONE || !number->is_integer) {
        pp_text_fail(text, -EINVAL, kind->offset, offset + 4 - kind->offset, PP_TEXT_RPN_READ_EXAMPLE);
        return false;
    }
    uint32_t node = pp_text_read(text, text->text + kind->offset, kind->length, number->integer, kind->offset,
                                 offset + 4 - kind->offset);
    return replace_two(stack, node, offset + 4);
}

static uint32_t
apply(struct pp_graph *graph, const struct rpn_operator *op, uint32_t a, uint32_t b)
{
    if (op->swap) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    bool mixed = graph->node[a].type == PP_METRIC_F64 || graph->node[b].type == PP_METRIC_F64;
    if (op->op >= PP_OP_FIRST_F || !mixed || op->mixed == PP_OP_CONST)
        return pp_graph_binary(graph, op->op, a, b);
    return pp_graph_convert(graph, pp_graph_binary(graph, op->mixed, a, b), PP_METRIC_U64);
}

static bool
apply_operator(struct pp_text *text, struct stack *stack, const struct rpn_operator *op, size_t offset)
{
    size_t length = strlen(op->name);
    if (stack->count < 2) {
        pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_RPN_OPERANDS, op->name);
        return false;
    }
    for (unsigned i = stack->count - 2; i < stack->count; i++) {
        const struct item *item = &stack->item[i];
        if (item->node == PP_NODE_NONE) {
            word_fail(text, item->offset, item->length);
            return false;
        }
    }
    uint32_t node = apply(&text->compiler->graph, op, stack->item[stack->count - 2].node,
                          stack->item[stack->count - 1].node);
    return replace_two(stack, node, offset + length);
}

static bool
push(struct pp_text *text, struct stack *stack, size_t offset, size_t length)
{
    const char *word = text->text + offset;
    struct item item = {.node = PP_NODE_NONE, .offset = (uint32_t)offset, .length = (uint32_t)length};
    if (stack->count == MAX_STACK) {
        pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_RPN_STACK, MAX_STACK);
        return false;
    }
    if (word[0] == '$') {
        item.node = pp_text_resolve(text, word + 1, length - 1, offset, length);
        if (item.node == PP_NODE_NONE)
            return false;
    } else if (read_integer(word, length, &item.integer)) {
        item.is_integer = true;
        item.node = pp_graph_u64(&text->compiler->graph, item.integer);
    } else if (length == 4 && memcmp(word, "true", 4) == 0) {
        item.node = pp_graph_u64(&text->compiler->graph, 1);
    } else if (!isalpha((unsigned char)word[0])) {
        word_fail(text, offset, length);
        return false;
    }
    stack->item[stack->count++] = item;
    return text->compiler->graph.error == 0;
}

static bool
take_word(struct pp_text *text, struct stack *stack, size_t offset, size_t length)
{
    const char *word = text->text + offset;
    if (length == 4 && memcmp(word, "READ", 4) == 0)
        return apply_read(text, stack, offset);
    const struct rpn_operator *op = find_operator(word, length);
    if (op)
        return apply_operator(text, stack, op, offset);
    return push(text, stack, offset, length);
}

uint32_t
pp_text_parse_rpn(struct pp_text *text)
{
    struct stack stack = {.count = 0};
    for (;;) {
        while (is_space(text->text[text->pos]))
            text->pos++;
        size_t offset = text->pos;
        while (text->text[text->pos] && !is_space(text->text[text->pos]))
            text->pos++;
        if (text->pos == offset)
            break;
        if (!take_word(text, &stack, offset, text->pos - offset))
            return PP_NODE_NONE;
    }
    if (stack.count == 0)
        return pp_text_fail(text, -EINVAL, 0, 0, PP_TEXT_FORMULA_EMPTY);
    for (unsigned i = 0; i < stack.count; i++)
        if (stack.item[i].node == PP_NODE_NONE)
            return word_fail(text, stack.item[i].offset, stack.item[i].length);
    if (stack.count > 1)
        return pp_text_fail(text, -EINVAL, stack.item[1].offset, stack.item[1].length, PP_FORMAT_RPN_LEFT,
                            stack.count);
    return stack.item[0].node;
}
