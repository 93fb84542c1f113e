#!/usr/bin/env python3
"""Compile Mali counter and metric tables (counters/gpus/mali) into C tables; see counters/mali/mali_gpu.h.

usage: gen_mali.py OUT.c OUT_count.h devices.csv

The files named in devices.csv are in the same folder. The output depends on the files' contents only. What a table
cannot hold (an unknown block, a word outside its PRFCNT_EN group, a metric without a description) is an error with file
and line, not a guess."""
import csv
import os
import re
import sys

BLOCKS = {"JM": "PP_MALI_JM", "TILER": "PP_MALI_TILER", "L2": "PP_MALI_L2", "SC": "PP_MALI_SHADER_CORE"}
BLOCK_TEXT = {"JM": "front end", "TILER": "tiler", "L2": "L2 slices", "SC": "shader cores"}
AGGREGATIONS = {"single": "PP_MALI_SINGLE", "sum_slices": "PP_MALI_SUM", "avg_cores": "PP_MALI_AVERAGE"}
AGGREGATION_TEXT = {"single": "as it is", "sum_slices": "sum over slices", "avg_cores": "average over cores"}
CONSTANTS = {"MaliConstantsShaderCoreCount", "MaliConstantsL2SliceCount", "MaliConstantsBusWidthBits"}
# Ratios carry their unit in their name ("cycles_per_pixel"), events are plain counts.
UNITS = {"percent": "PERCENT", "bytes": "BYTES", "cycles": "CYCLES"}
PLAIN = re.compile(r"^[a-z]+(/[a-z]+)?$")


class Mistake(Exception):
    """Something a data file says that cannot be compiled."""


def quote(text):
    """A C string literal of UTF-8 text."""
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        out.append(char if 32 <= byte < 127 and char not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def rows(path):
    """The rows of a CSV file with the line each ends on."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for row in reader:
            if None in row or None in row.values():
                raise SystemExit(f"{path}:{reader.line_num}: wrong number of cells")
            yield reader.line_num, row


def unit_of(text):
    if not PLAIN.match(text):
        raise Mistake(f"unit '{text}' is not of the form word or word/word")
    return "PP_UNIT_" + UNITS.get(text, "COUNT")


def words_of(symbol):
    """"MaliCoreQuadsLateZSKilledQuads" -> "Core quads late ZS killed quads"."""
    parts = re.findall(r"\d+|[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+", symbol.removeprefix("Mali"))
    return " ".join([parts[0]] + [p if p.isupper() else p.lower() for p in parts[1:]])


def counter(row):
    block, word, aggregation = row["block"], int(row["index"]), row["aggregation"]
    if block not in BLOCKS or aggregation not in AGGREGATIONS or not 4 <= word < 64:
        raise Mistake(f"{row['symbol']}: block {block}, word {word}, aggregation {aggregation}")
    if int(row["enable_group"]) != word // 4:
        raise Mistake(f"{row['symbol']}: word {word} is not of group {row['enable_group']}")
    title = words_of(row["symbol"])
    description = (f"{title} ({row['hw_name']}): word {word} of the {BLOCK_TEXT[block]}, "
                   f"{AGGREGATION_TEXT[aggregation]}.")
    return (f"    {{{quote(row['symbol'])}, {quote(row['hw_name'])}, {quote(title)}, {quote(description)}, "
            f"{quote(row['unit'])}, {BLOCKS[block]}, {word}, {AGGREGATIONS[aggregation]}, {unit_of(row['unit'])}}},")


def metric(row, symbols, descriptions):
    used = set(re.findall(r"\$([A-Za-z0-9_]+)", row["expression"]))
    unknown = used - symbols
    if unknown:
        raise Mistake(f"{row['id']}: unknown {', '.join(sorted(unknown))}")
    if row["id"] not in descriptions:
        raise Mistake(f"{row['id']}: no description")
    return (f"    {{{quote(row['section'])}, {quote(row['id'])}, {quote(row['title'])}, "
            f"{quote(descriptions.pop(row['id']))}, {quote(row['unit'])}, {quote(row['expression'])}, "
            f"{unit_of(row['unit'])}}},")


def collect(path, convert):
    out = []
    for line, row in rows(path):
        try:
            text = convert(row)
        except (Mistake, ValueError) as mistake:
            raise SystemExit(f"{path}:{line}: {mistake}") from None
        if text:
            out.append(text)
    return out


def gpu(folder, row):
    """Tables of one GPU: its counters' and metrics' lines."""
    path = {key: os.path.join(folder, row[key]) for key in ("counters", "metrics", "descriptions")}
    symbols, descriptions = set(), {}
    for _, entry in rows(path["counters"]):
        if entry["symbol"] in symbols:
            raise SystemExit(f"{path['counters']}: {entry['symbol']} appears twice")
        if entry["kind"] == "constant" and entry["symbol"] not in CONSTANTS:
            raise SystemExit(f"{path['counters']}: unknown constant {entry['symbol']}")
        symbols.add(entry["symbol"])
    for _, entry in rows(path["descriptions"]):
        descriptions[entry["id"]] = entry["description"]
    counters = collect(path["counters"], lambda r: counter(r) if r["kind"] == "hw" else None)
    metrics = collect(path["metrics"], lambda r: metric(r, symbols, descriptions) if r["scope"] == "gpu" else None)
    if descriptions:
        raise SystemExit(f"{path['descriptions']}: no metric {', '.join(sorted(descriptions))}")
    return counters, metrics


def main(arguments):
    if len(arguments) != 3:
        raise SystemExit(__doc__)
    folder = os.path.dirname(arguments[2])
    out = ["/* Made by tools/gen_mali.py from counters/gpus/mali; do not edit. */", '#include "counters/mali/mali_gpu.h"', ""]
    table = []
    for _, row in rows(arguments[2]):
        counters, metrics = gpu(folder, row)
        name = re.sub(r"\W", "_", row["gpu"])
        out += [f"static const struct pp_mali_counter counter_{name}[] = {{", *counters, "};", "",
                f"static const struct pp_mali_metric metric_{name}[] = {{", *metrics, "};", ""]
        table.append(f"    {{{quote(row['gpu'])}, {quote(row['title'])}, {int(row['product_id'], 0):#x}, {len(counters)}, "
                     f"{len(metrics)}, counter_{name}, metric_{name}, {{{int(row['core_mask'], 0):#x}, "
                     f"{int(row['l2_slices'])}, {int(row['bus_width_bits'])}}}}},")
    out += ["const struct pp_mali_gpu pp_mali_table[] = {", *table, "};",
            f"const uint32_t pp_mali_table_length = {len(table)};", ""]
    with open(arguments[0], "w", encoding="ascii") as file:
        file.write("\n".join(out))
    with open(arguments[1], "w", encoding="ascii") as file:
        file.write("/* Made by tools/gen_mali.py; do not edit. */\n"
                   f"#define PP_MALI_GPUS {len(table)} /**< rows of counters/gpus/mali/devices.csv */\n")


if __name__ == "__main__":
    main(sys.argv[1:])
