#!/usr/bin/env python3
"""Write one Intel metric set out as straight C: what a hand would write for this set, this layout and no other.
The bench compares the metric language with it.

usage: gen_straight_oa.py OUT.c OUT.h oa-NAME.xml SET LAYOUT FILE.csv..."""
import re
import sys
import xml.etree.ElementTree as ElementTree

import gen_layouts

UINT = {"UADD": "+", "USUB": "-", "UMUL": "*", "AND": "&", "<<": "<<", ">>": ">>", "ULT": "<", "ULTE": "<=",
        "UGT": ">", "UGTE": ">="}
FLOAT = {"FADD": "+", "FSUB": "-", "FMUL": "*"}
CALLS = {"UDIV": ("u", "udiv"), "UMIN": ("u", "umin"), "FDIV": ("f", "quotient"), "FMAX": ("f", "fmax_")}


def cast(item, kind):
    code, own = item
    if own == kind:
        return code
    return f"(double)({code})" if kind == "f" else f"(uint64_t)({code})"


def compile_rpn(text, symbols, inputs, variables):
    """(C expression, 'u' or 'f') of a formula; fills in what it reads."""
    stack = []
    for token in text.split():
        if token == "READ":
            index, kind = stack.pop()[0], stack.pop()[0]
            number = int(re.search(r"\((\w+)\)", index).group(1), 0)
            name = kind if kind.startswith("GPU_") else kind + str(number)
            inputs.add(name)
            stack.append((name, "u"))
        elif token in UINT or token in FLOAT or token in CALLS:
            right, left = stack.pop(), stack.pop()
            kind = "u" if token in UINT else "f" if token in FLOAT else CALLS[token][0]
            right, left = cast(right, kind), cast(left, kind)
            if token in CALLS:
                stack.append((f"{CALLS[token][1]}({left}, {right})", kind))
            else:
                stack.append((f"({left} {UINT.get(token) or FLOAT.get(token)} {right})", kind))
        elif token.startswith("$"):
            if token[1:] in symbols:
                stack.append(("m_" + token[1:], symbols[token[1:]]))
            else:
                variables.add(token[1:])
                stack.append(("v->" + token[1:], "u"))
        elif token[0].isdigit():
            stack.append((f"UINT64_C({token})", "u"))
        else:
            stack.append((token, "u"))
    return stack.pop()


def read_part(part, pointer):
    offset, shift, bits = part
    if shift or bits not in (8, 32, 64):
        raise SystemExit(f"a part of {bits} bits above {shift} is not written out")
    return f"read{bits}({pointer} + {offset})"


def read_field(field, pointer):
    _, low, high, _, _ = field
    if not high[2]:
        return read_part(low, pointer)
    return f"({read_part(low, pointer)} | {read_part(high, pointer)} << {low[2]})"


PROLOGUE = """
#include <string.h>

static inline __attribute__((unused)) uint64_t
read8(const uint8_t *at)
{
    return *at;
}

static inline __attribute__((unused)) uint64_t
read32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

static inline __attribute__((unused)) uint64_t
udiv(uint64_t a, uint64_t b)
{
    return b ? a / b : 0;
}

static inline __attribute__((unused)) uint64_t
umin(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline __attribute__((unused)) double
quotient(double a, double b)
{
    return b != 0.0 ? a / b : 0.0;
}

static inline __attribute__((unused)) double
fmax_(double a, double b)
{
    return a > b ? a : b;
}
"""


def main(arguments):
    if len(arguments) < 6:
        raise SystemExit(__doc__)
    out_c, out_h, xml, set_name, layout_name = arguments[:5]
    layouts = {}
    for path in sorted(arguments[5:]):
        gen_layouts.read(path, layouts)
    fields = {field[0]: field for field in layouts[layout_name][1]}
    element = next(s for s in ElementTree.parse(xml).getroot().findall("set") if s.get("symbol_name") == set_name)
    symbols, inputs, variables, body = {}, set(), set(), []
    for counter in element.findall("counter"):
        symbol, kind = counter.get("symbol_name"), "f" if counter.get("data_type") == "float" else "u"
        code = cast(compile_rpn(counter.get("equation"), symbols, inputs, variables), kind)
        body.append(f"        const {'double' if kind == 'f' else 'uint64_t'} m_{symbol} = {code};")
        body.append(f"        OUT({len(symbols)}).{kind} = m_{symbol};")
        symbols[symbol] = kind
    decode = []
    for name in sorted(inputs, key=lambda name: list(fields).index(name)):
        low, high = fields[name][1][2], fields[name][2][2]
        mask = f" & UINT64_C({hex((1 << (low + high)) - 1)})" if low + high < 64 else ""
        decode.append(f"        const uint64_t {name} = ({read_field(fields[name], 'e')} - "
                      f"{read_field(fields[name], 'b')}){mask};")
    banner = "/* Made by tools/gen_straight_oa.py; do not edit. */"
    parameters = "const uint8_t *begin, const uint8_t *end, size_t stride, size_t pairs,"
    columns = f"straight_columns({parameters}\n                 const struct straight_variables *v, NUMBERS *const *result)"
    rows = f"straight_rows({parameters}\n              const struct straight_variables *v, NUMBERS *result)"
    columns, rows = (text.replace("NUMBERS", "union pp_metric_number") for text in (columns, rows))
    with open(out_h, "w", encoding="utf-8") as file:
        file.write("\n".join([
            banner, "#ifndef PP_STRAIGHT_OA_H", "#define PP_STRAIGHT_OA_H", "", "#include <stddef.h>",
            "#include <stdint.h>", '#include "counters/metric/metric.h"', "", f"#define PP_STRAIGHT_METRICS {len(symbols)}",
            f'#define PP_STRAIGHT_SET "{set_name}"', f'#define PP_STRAIGHT_LAYOUT "{layout_name}"', "",
            "struct straight_variables {"] + [f"    uint64_t {name};" for name in sorted(variables)] + [
            "};", "", "/* result[metric][pair] */", f"void {columns};", "", "/* result[pair * PP_STRAIGHT_METRICS + metric] */",
            f"void {rows};", "", "#endif", ""]))
    loop = ["{", "    const struct straight_variables copy = *v;", "    v = &copy;",
            "    for (size_t i = 0; i < pairs; i++) {", "        const uint8_t *b = begin + i * stride;",
            "        const uint8_t *e = end + i * stride;"] + decode + body + ["    }", "}", ""]
    with open(out_c, "w", encoding="utf-8") as file:
        file.write("\n".join(
            [banner, '#include "straight_oa.h"', PROLOGUE, "#define OUT(metric) result[metric][i]", "void", columns] +
            loop + ["#undef OUT", "#define OUT(metric) result[i * PP_STRAIGHT_METRICS + metric]", "void", rows] + loop))


if __name__ == "__main__":
    main(sys.argv[1:])
