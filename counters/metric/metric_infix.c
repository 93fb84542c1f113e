/** @file
 * The parser of Arm's and users' formulas: + - * / with the usual precedence, parentheses, min, max, clamp,
 * div0, floor; all in double. A formula that only names a value keeps that value's type. Grammar:
 *
 *     sum     = product { ("+" | "-") product }
 *     product = factor { ("*" | "/") factor }
 *     factor  = "-" factor | "(" sum ")" | number | function "(" sum { "," sum } ")" | name
 *     name    = [ "$" ] word | "${" any text "}"
 *     word    = letter or _, then letters, digits, _ and, between two of those, "." or ":"
 */
#include "counters/metric/metric_infix.h"

#include <errno.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

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
