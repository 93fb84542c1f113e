/** @file
 * See metric_text.h. Names, references between metrics, and errors with their place;
 *
 * The parser of Arm's and users' formulas: + - * / with the usual precedence, parentheses, min, max, clamp,
 * div0, floor; all in double. A formula that only names a value keeps that value's type. Grammar:
 *
 *     sum     = product { ("+" | "-") product }
 *     product = factor { ("*" | "/") factor }
 *     factor  = "-" factor | "(" sum ")" | number | function "(" sum { "," sum } ")" | name
 *     name    = [ "$" ] word | "${" any text "}"
 *     word    = letter or _, then letters, digits, _ and, between two of those, "." or ":"
 *
 * The parser of Intel's reverse Polish: "A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV".
 * Operators as in Intel's OA descriptions; an operator whose name begins with U works on integers modulo
 * 2^64, one with F on doubles. Mixed operands follow the C code that Intel's own generators make of the
 * descriptions: U operators other than UDIV compute in double when an operand is one, and truncate the
 * result. */
#include "counters/metric/metric_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

enum {
    MAX_DEPTH = 200, /* parentheses and references around one place */
};

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
        pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_FORMULA_DEEP, MAX_DEPTH);
        return false;
    }
    text->compiler->depth++;
    return true;
}

/* The length of a name in a message, for printf(): at most 60. */
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
        return pp_text_fail(text, -ENOENT, offset, shown, PP_FORMAT_FORMULA_NAME_NEAR, shown_length(length),
                            name, shown_length(nearest.found_length), nearest.found);
    return pp_text_fail(text, -ENOENT, offset, shown, PP_FORMAT_FORMULA_NAME, shown_length(length), name);
}

static uint32_t
resolve_metric(struct pp_text *text, size_t def, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (c->state[def] == PP_DEF_OPEN)
        return pp_text_fail(text, -ELOOP, offset, shown, PP_FORMAT_FORMULA_LOOP, c->def[def].name);
    if (c->state[def] == PP_DEF_DONE)
        return c->result[def];
    if (!pp_text_enter(text, offset, shown))
        return PP_NODE_NONE;
    uint32_t node = c->compile_def(c, def);
    c->depth--;
    return node;
}

static uint32_t
resolve_found(struct pp_text *text, const struct pp_name *found, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (found->kind == PP_TEXT_METRIC)
        return resolve_metric(text, found->index, offset, shown);
    if (found->kind == PP_TEXT_INPUT)
        return pp_graph_input(&c->graph, found->index, c->scope->input[found->index].type);
    const struct pp_metric_variable *variable = &c->scope->variable[found->index];
    return variable->type == PP_METRIC_F64 ? pp_graph_f64(&c->graph, variable->value.f)
                                           : pp_graph_u64(&c->graph, variable->value.u);
}

/* Is the name a counter `source:counter` of a source that the scope does not have? */
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
            return pp_text_fail(text, -ENOENT, offset, shown, PP_TEXT_FORMULA_SELF);
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
    if (found && found->kind == PP_TEXT_INPUT)
        return resolve_found(text, found, offset, shown);
    if (c->flags & PP_METRIC_MISSING_OK)
        return pp_graph_missing(&c->graph);
    return fail_unknown(text, name, (size_t)n, offset, shown);
}

static uint32_t parse_sum(struct pp_text *text);

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

static char
peek(struct pp_text *text)
{
    while (strchr(" \t\r\n", text->text[text->pos]) && text->text[text->pos])
        text->pos++;
    return text->text[text->pos];
}

/* Report what was found instead of what was expected. */
static uint32_t
unexpected(struct pp_text *text, const char *expected)
{
    char c = peek(text);
    if (!c)
        return pp_text_fail(text, -EINVAL, text->pos, 0, PP_FORMAT_FORMULA_ENDS, expected);
    if (c < ' ' || c > '~')
        return pp_text_fail(text, -EINVAL, text->pos, 1, PP_FORMAT_FORMULA_BYTE, expected, (unsigned char)c);
    return pp_text_fail(text, -EINVAL, text->pos, 1, PP_FORMAT_FORMULA_EXPECTED, expected, c);
}

static size_t
word_end(const char *text, size_t pos)
{
    while (is_word(text[pos]) || ((text[pos] == '.' || text[pos] == ':') && is_word(text[pos + 1])))
        pos++;
    return pos;
}

static uint32_t
parse_name(struct pp_text *text)
{
    const char *s = text->text;
    size_t offset = text->pos;
    size_t begin = offset + (s[offset] == '$'), end;
    if (s[begin] == '{' && begin > offset) {
        begin++;
        const char *brace = strchr(s + begin, '}');
        if (!brace)
            return pp_text_fail(text, -EINVAL, offset, 2, PP_TEXT_FORMULA_BRACE);
        end = (size_t)(brace - s);
        text->pos = end + 1;
    } else {
        end = word_end(s, begin);
        text->pos = end;
        if (end == begin || !is_letter(s[begin]))
            return pp_text_fail(text, -EINVAL, offset, 1, PP_TEXT_FORMULA_DOLLAR);
    }
    return pp_text_resolve(text, s + begin, end - begin, offset, text->pos - offset);
}

/* 10^exponent. Powers 0 to 22 are exact in a double. */
static double
power_of_ten(unsigned exponent)
{
    double power = 1.0;
    while (exponent--)
        power *= 10.0;
    return power;
}

/* The digits of a number, as an integer below 2^53, and the number of digits after the point. */
struct digits {
    uint64_t mantissa;
    unsigned behind;
    bool any;
    bool too_many;
};

static void
take_digits(struct pp_text *text, struct digits *digits, bool behind)
{
    for (; is_digit(text->text[text->pos]); text->pos++) {
        digits->mantissa = digits->mantissa * 10 + (uint64_t)(text->text[text->pos] - '0');
        digits->too_many |= digits->mantissa > UINT64_C(9007199254740992);
        if (digits->too_many)
            digits->mantissa = 0;
        digits->behind += behind;
        digits->any = true;
    }
}

/* Read the exponent after an e, or 0. @return -1000 if the exponent is malformed. */
static int
take_exponent(struct pp_text *text)
{
    const char *s = text->text + text->pos;
    if (s[0] != 'e' && s[0] != 'E')
        return 0;
    size_t i = 1;
    bool negative = s[i] == '-';
    i += s[i] == '-' || s[i] == '+';
    if (!is_digit(s[i]))
        return -1000;
    int exponent = 0;
    for (; is_digit(s[i]); i++)
        exponent = exponent < 100 ? exponent * 10 + (s[i] - '0') : exponent;
    text->pos += i;
    return negative ? -exponent : exponent;
}

/* Read a number. strtod() would follow the application's locale. Mantissa and power of ten are exact doubles,
 * so that the one operation rounds correctly. */
static uint32_t
parse_number(struct pp_text *text)
{
    size_t offset = text->pos;
    struct digits digits = {0};
    take_digits(text, &digits, false);
    if (text->text[text->pos] == '.') {
        text->pos++;
        take_digits(text, &digits, true);
    }
    int exponent = take_exponent(text);
    size_t length = text->pos - offset;
    if (!digits.any || exponent == -1000 || is_word(text->text[text->pos]) || text->text[text->pos] == '.')
        return pp_text_fail(text, -EINVAL, offset, length + 1, PP_TEXT_FORMULA_MALFORMED);
    int scale = exponent - (int)digits.behind;
    if (digits.too_many || scale > 22 || scale < -22)
        return pp_text_fail(text, -EINVAL, offset, length, PP_TEXT_FORMULA_NUMBER);
    double mantissa = (double)digits.mantissa;
    double value =
        scale < 0 ? mantissa / power_of_ten((unsigned)-scale) : mantissa * power_of_ten((unsigned)scale);
    return pp_graph_f64(&text->compiler->graph, value);
}

/* The functions; a fold takes two or more arguments, from left to right. */
static const struct function {
    const char *name;
    uint8_t op;
    uint8_t arguments; /* 0: two or more */
} functions[] = {
    {"min", PP_OP_FMIN, 0},   {"max", PP_OP_FMAX, 0},    {"clamp", PP_OP_CONST, 3},
    {"div0", PP_OP_FDIV0, 2}, {"floor", PP_OP_FLOOR, 1},
};

static const size_t function_count = PP_ARRAY_SIZE(functions);

static const struct function *
find_function(struct pp_text *text, size_t offset, size_t length)
{
    const char *word = text->text + offset;
    struct pp_nearest nearest = pp_nearest_begin(word, length);
    for (size_t i = 0; i < function_count; i++) {
        if (strlen(functions[i].name) == length && memcmp(functions[i].name, word, length) == 0)
            return &functions[i];
        pp_nearest_offer(&nearest, functions[i].name, strlen(functions[i].name));
    }
    int shown = (int)(length < 40 ? length : 40);
    if (nearest.found)
        pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_FORMULA_FUNCTION_NEAR, shown, word,
                     nearest.found);
    else
        pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_FORMULA_FUNCTION, shown, word);
    return NULL;
}

static uint32_t
apply_function(struct pp_graph *graph, const struct function *function, uint32_t value, uint32_t argument,
               unsigned position)
{
    if (function->op != PP_OP_CONST)
        return pp_graph_binary(graph, function->op, value, argument);
    /* clamp(x, low, high) */
    return pp_graph_binary(graph, position == 1 ? PP_OP_FMAX : PP_OP_FMIN, value, argument);
}

static uint32_t
parse_call(struct pp_text *text, size_t offset, size_t length)
{
    const struct function *function = find_function(text, offset, length);
    if (!function)
        return PP_NODE_NONE;
    text->pos++; /* the parenthesis */
    uint32_t value = parse_sum(text);
    unsigned arguments = 1;
    if (function->op == PP_OP_FLOOR)
        value = pp_graph_unary(&text->compiler->graph, PP_OP_FLOOR, value);
    for (; value != PP_NODE_NONE && peek(text) == ','; arguments++) {
        text->pos++;
        uint32_t argument = parse_sum(text);
        if (function->op != PP_OP_FLOOR)
            value = apply_function(&text->compiler->graph, function, value, argument, arguments);
        else if (argument == PP_NODE_NONE)
            value = argument;
    }
    if (value == PP_NODE_NONE)
        return value;
    if (peek(text) != ')')
        return unexpected(text, PP_TEXT_FORMULA_COMMA);
    text->pos++;
    bool wrong = function->arguments ? arguments != function->arguments : arguments < 2;
    if (wrong && function->arguments)
        return pp_text_fail(text, -EINVAL, offset, text->pos - offset, PP_FORMAT_FORMULA_ARGUMENTS,
                            function->name, function->arguments, function->arguments == 1 ? "" : "s",
                            arguments);
    if (wrong)
        return pp_text_fail(text, -EINVAL, offset, text->pos - offset, PP_FORMAT_FORMULA_TWO_ARGUMENTS,
                            function->name);
    return value;
}

static uint32_t
parse_parenthesis(struct pp_text *text)
{
    text->pos++;
    uint32_t value = parse_sum(text);
    if (value == PP_NODE_NONE)
        return value;
    if (peek(text) != ')')
        return unexpected(text, PP_TEXT_FORMULA_OPERATOR_OR_CLOSE);
    text->pos++;
    return value;
}

static uint32_t
parse_primary(struct pp_text *text, char c)
{
    if (c == '(')
        return parse_parenthesis(text);
    if (c == '-') {
        text->pos++;
        struct pp_graph *graph = &text->compiler->graph;
        char next = peek(text);
        if (!pp_text_enter(text, text->pos, 1))
            return PP_NODE_NONE;
        uint32_t value = parse_primary(text, next);
        text->compiler->depth--;
        return pp_graph_binary(graph, PP_OP_FSUB, pp_graph_f64(graph, 0.0), value);
    }
    if (is_digit(c) || c == '.')
        return parse_number(text);
    if (is_letter(c)) {
        size_t offset = text->pos, end = word_end(text->text, offset);
        text->pos = end;
        if (peek(text) == '(')
            return parse_call(text, offset, end - offset);
        text->pos = offset;
    }
    if (is_letter(c) || c == '$')
        return parse_name(text);
    return unexpected(text, PP_TEXT_FORMULA_OPERAND);
}

static uint32_t
parse_factor(struct pp_text *text)
{
    char c = peek(text);
    if (!pp_text_enter(text, text->pos, 1))
        return PP_NODE_NONE;
    uint32_t value = parse_primary(text, c);
    text->compiler->depth--;
    return value;
}

static uint32_t
parse_product(struct pp_text *text)
{
    uint32_t value = parse_factor(text);
    for (;;) {
        char c = value == PP_NODE_NONE ? 0 : peek(text);
        if (c != '*' && c != '/')
            return value;
        text->pos++;
        uint32_t right = parse_factor(text);
        value = pp_graph_binary(&text->compiler->graph, c == '*' ? PP_OP_FMUL : PP_OP_FDIVN, value, right);
    }
}

static uint32_t
parse_sum(struct pp_text *text)
{
    uint32_t value = parse_product(text);
    for (;;) {
        char c = value == PP_NODE_NONE ? 0 : peek(text);
        if (c != '+' && c != '-')
            return value;
        text->pos++;
        uint32_t right = parse_product(text);
        value = pp_graph_binary(&text->compiler->graph, c == '+' ? PP_OP_FADD : PP_OP_FSUB, value, right);
    }
}

uint32_t
pp_text_parse_infix(struct pp_text *text)
{
    if (!peek(text))
        return pp_text_fail(text, -EINVAL, text->pos, 0, PP_TEXT_FORMULA_EMPTY);
    uint32_t value = parse_sum(text);
    if (value == PP_NODE_NONE)
        return value;
    return peek(text) ? unexpected(text, PP_TEXT_FORMULA_OPERATOR) : value;
}

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
