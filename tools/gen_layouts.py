#!/usr/bin/env python3
"""Compile layout data files (counters/snapshot/layouts/*.csv) into C tables of struct pp_layout.

usage: gen_layouts.py OUT.c FILE.csv...

The output depends on the files' contents only. Mistakes are named with file and line. See
counters/snapshot/layouts/README.md for the columns."""
import csv
import sys

MODES = {"wraps": "PP_FIELD_WRAPS", "saturates": "PP_FIELD_SATURATES", "clears": "PP_FIELD_CLEARS",
         "delta": "PP_FIELD_DELTA", "gauge": "PP_FIELD_GAUGE"}
UNITS = {name: "PP_UNIT_" + name.upper()
         for name in ("count", "ns", "bytes", "percent", "hz", "cycles", "ticks", "other")}
COLUMNS = {"layout", "size", "field", "first", "count", "offset", "stride", "bits", "shift", "high_offset",
           "high_stride", "high_bits", "high_shift", "mode", "unit", "source"}
REQUIRED = ("layout", "size", "field", "offset", "bits", "mode", "unit", "source")


class Mistake(Exception):
    """Something a data file says that cannot be compiled."""


def number(row, name, default=0):
    text = (row.get(name) or "").strip()
    if not text:
        return default
    try:
        value = int(text, 0)
    except ValueError:
        raise Mistake(f"{name}: '{text}' is not a number") from None
    if not 0 <= value < 1 << 31:
        raise Mistake(f"{name}: {value} is out of range")
    return value


def part(offset, bits, shift, size):
    if not bits:
        return (0, 0, 0)
    if shift > 7:
        offset, shift = offset + shift // 8, shift % 8
    if shift + bits > 64:
        raise Mistake(f"{bits} bits above {shift} do not fit 64")
    if offset + (shift + bits + 7) // 8 > size:
        raise Mistake(f"bytes {offset}.. are outside a snapshot of {size}")
    return (offset, shift, bits)


def fields(row, size):
    """The fields one row represents, as (name, low part, high part, mode, unit)."""
    for name in REQUIRED:
        if not (row.get(name) or "").strip():
            raise Mistake(f"column '{name}' is empty")
    count = number(row, "count", 1)
    name = row["field"]
    if ("#" in name) != (count > 1 or bool(row.get("first"))):
        raise Mistake(f"field '{name}': an array has '#' in its name, and only an array")
    for key, table in (("mode", MODES), ("unit", UNITS)):
        if row[key] not in table:
            raise Mistake(f"{key} '{row[key]}' is none of {', '.join(sorted(table))}")
    for i in range(count):
        low = part(number(row, "offset") + i * number(row, "stride"), number(row, "bits"), number(row, "shift"), size)
        high = part(number(row, "high_offset") + i * number(row, "high_stride"), number(row, "high_bits"),
                    number(row, "high_shift"), size)
        if not 1 <= low[2] + high[2] <= 64 or low[2] == 0:
            raise Mistake(f"field '{name}' has {low[2]} + {high[2]} bits")
        yield (name.replace("#", str(number(row, "first") + i)), low, high, MODES[row["mode"]], UNITS[row["unit"]])


def read(path, layouts):
    with open(path, newline="", encoding="utf-8") as file:
        lines = [(n, line) for n, line in enumerate(file, 1) if line.strip() and not line.startswith("#")]
    if not lines:
        return
    numbers = [n for n, _ in lines]
    reader = csv.DictReader(line for _, line in lines)
    unknown = set(reader.fieldnames) - COLUMNS
    if unknown:
        raise SystemExit(f"{path}:{numbers[0]}: unknown column {', '.join(sorted(unknown))}")
    here = set()
    for index, row in enumerate(reader, 1):
        try:
            if None in row:
                raise Mistake("more cells than columns")
            name, size = row["layout"], number(row, "size")
            if name in layouts and name not in here:
                raise Mistake(f"layout '{name}' is defined in another file too")
            here.add(name)
            first, list_ = layouts.setdefault(name, (size, []))
            if first != size:
                raise Mistake(f"layout '{name}' is {size} bytes here and {first} above")
            taken = {field[0] for field in list_}
            for field in fields(row, size):
                if field[0] in taken:
                    raise Mistake(f"field '{field[0]}' appears twice")
                taken.add(field[0])
                list_.append(field)
        except Mistake as mistake:
            raise SystemExit(f"{path}:{numbers[index] if index < len(numbers) else numbers[-1]}: {mistake}") from None


def identifier(name):
    return "".join(c if c.isalnum() else "_" for c in name)


def main(arguments):
    if len(arguments) < 2:
        raise SystemExit(__doc__)
    layouts = {}
    for path in sorted(arguments[1:]):
        read(path, layouts)
    out = ["/* Made by tools/gen_layouts.py from counters/snapshot/layouts; do not edit. */",
           '#include "counters/snapshot/layout.h"', '#include "counters/snapshot/layout.h"', ""]
    for name, (_, list_) in sorted(layouts.items()):
        out.append(f"static const struct pp_field field_{identifier(name)}[] = {{")
        for field, low, high, mode, unit in list_:
            parts = f"{{{low[0]}, {low[1]}, {low[2]}}}, {{{high[0]}, {high[1]}, {high[2]}}}"
            out.append(f'    {{"{field}", {{{parts}}}, {mode}, {unit}, PP_NUMBER_U64, false}},')
        out += ["};", ""]
    out.append("const struct pp_layout pp_layout_table[] = {")
    for name, (size, list_) in sorted(layouts.items()):
        out.append(f'    {{"{name}", {size}, {len(list_)}, field_{identifier(name)}}},')
    out += ["};", f"const uint32_t pp_layout_table_length = {len(layouts)};", ""]
    with open(arguments[0], "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main(sys.argv[1:])
