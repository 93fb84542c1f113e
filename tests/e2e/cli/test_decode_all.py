#!/usr/bin/env python3
"""Every metric of every set of every Intel GPU, on random reports, against a second implementation in this file: it
evaluates Intel's reverse Polish notation as Mesa and IGT translate it to C."""
import csv
import io
import math
import os
import random
import re
import struct
import xml.etree.ElementTree as ElementTree

from harness import ROOT, equal, main, true

DIRECTORY = os.path.join(ROOT, "counters", "gpus", "intel")
MASK = (1 << 64) - 1
REPORTS = 5


def u64(value):
    """A value that is assigned to a uint64_t. Where C leaves the result undefined, the nearest limit is taken
    (docs/formats/metric-language.md)."""
    return min(max(math.trunc(value), 0), MASK) if isinstance(value, float) else value & MASK


def shift(a, b, left):
    a, b = u64(a), u64(b)
    return (a << b & MASK if left else a >> b) if b < 64 else 0


OPERATORS = {
    "UADD": lambda a, b: u64(a + b), "USUB": lambda a, b: u64(a - b), "UMUL": lambda a, b: u64(a * b),
    "UDIV": lambda a, b: u64(a) // u64(b) if u64(b) else 0, "UMIN": lambda a, b: min(u64(a), u64(b)),
    "AND": lambda a, b: u64(a) & u64(b), "<<": lambda a, b: shift(a, b, True), ">>": lambda a, b: shift(a, b, False),
    "ULT": lambda a, b: int(u64(a) < u64(b)), "ULTE": lambda a, b: int(u64(a) <= u64(b)),
    "UGT": lambda a, b: int(u64(a) > u64(b)), "UGTE": lambda a, b: int(u64(a) >= u64(b)),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "FADD": lambda a, b: float(a) + float(b), "FSUB": lambda a, b: float(a) - float(b),
    "FMUL": lambda a, b: float(a) * float(b), "FDIV": lambda a, b: float(a) / float(b) if float(b) else 0.0,
    "FMAX": lambda a, b: max(float(a), float(b)),
}


class Missing(Exception):
    """An unknown name."""


def evaluate(text, names, deltas):
    stack = []
    for token in text.split():
        if token == "READ":
            index, kind = stack.pop(), stack.pop()
            if (kind, index) not in deltas:
                raise Missing(kind)
            stack.append(deltas[kind, index])
        elif token in OPERATORS:
            right, left = stack.pop(), stack.pop()
            stack.append(OPERATORS[token](left, right))
        elif token.startswith("$"):
            if token[1:] not in names:
                raise Missing(token)
            stack.append(names[token[1:]])
        elif token == "true":
            stack.append(1)
        else:
            stack.append(int(token, 0) if token[0].isdigit() else token)
    equal(len(stack), 1, text)
    return stack[0]


def dword(report, offset):
    return struct.unpack_from("<I", report, offset)[0]


def counters(report, haswell):
    """(value, bits) of every counter of a report."""
    out = {("GPU_TIME", 0): (dword(report, 4), 32)}
    if haswell:
        out.update({("A", i): (dword(report, 12 + 4 * i), 32) for i in range(45)})
    else:
        out["GPU_CLOCK", 0] = dword(report, 12), 32
        out.update({("A", i): (dword(report, 16 + 4 * i) | report[0xA0 + i] << 32, 40) for i in range(32)})
        out.update({("A", i): (dword(report, 16 + 4 * i), 32) for i in range(32, 36)})
    for kind, start in (("B", 0xC0), ("C", 0xE0)):
        out.update({(kind, i): (dword(report, start + 4 * i), 32) for i in range(8)})
    return out


def expected(element, variables, deltas):
    """Symbol to value, or to None where there is none."""
    names, out = dict(variables), {}
    for counter in element.findall("counter"):
        symbol = counter.get("symbol_name")
        try:
            value = evaluate(counter.get("equation"), names, deltas)
            names[symbol] = out[symbol] = float(value) if counter.get("data_type") == "float" else u64(value)
            if counter.get("availability") and not evaluate(counter.get("availability"), variables, {}):
                out[symbol] = None
        except Missing:
            out[symbol] = None
    return out


def decode(lab, gpu, name, variables):
    options = [f"--var={key}={value}" for key, value in variables.items()]
    done = lab.run([lab.passprobe, "decode", "intel-oa", "-g", gpu, "-s", name, *options, lab.path("dump")])
    return list(csv.reader(io.StringIO(done.stdout, newline="")))


def check(gpu, element, row, head, wanted):
    values = row[head.index("unslice_clock_hz") + 1:]
    equal(len(values), len(wanted), f"values of {gpu}.{element.get('symbol_name')}")
    for cell, (symbol, value) in zip(values, wanted.items()):
        got = None if cell == "" else float(cell) if isinstance(value, float) else int(cell)
        equal(got, value, f"{gpu}.{element.get('symbol_name')}.{symbol}")
    return sum(value is not None for value in wanted.values())


def check_set(lab, gpu, element, variables, reports):
    """How many values of a set are equal, and how many are missing in both."""
    known = dict(variables, QueryMode=0, DualSubsliceMask=variables["SubsliceMask"])
    head, *rows = decode(lab, gpu, element.get("hw_config_guid"), variables)
    equal(len(rows), REPORTS - 1, "rows")
    values = empty = 0
    for i, row in enumerate(rows):
        begin, end = (counters(report, gpu == "hsw") for report in reports[i:i + 2])
        deltas = {key: end[key][0] - begin[key][0] & (1 << end[key][1]) - 1 for key in begin}
        wanted = expected(element, known, deltas)
        values += check(gpu, element, row, head, wanted)
        empty += sum(value is None for value in wanted.values())
    return values, empty


def case_all(lab):
    source, values, empty, sets = random.Random(20), 0, 0, 0
    for file in sorted(name for name in os.listdir(DIRECTORY) if re.fullmatch(r"oa-\w+\.xml", name)):
        variables = {"EuCoresTotalCount": source.randrange(1, 97), "EuSlicesTotalCount": source.randrange(1, 4),
                     "EuSubslicesTotalCount": source.randrange(1, 9), "EuThreadsCount": source.randrange(6, 9),
                     "SliceMask": source.randrange(1, 8), "SubsliceMask": source.randrange(1, 512),
                     "GpuTimestampFrequency": source.choice((12000000, 12500000, 19200000))}
        reports = [source.randbytes(256) for _ in range(REPORTS)]
        with open(lab.path("dump"), "wb") as dump:
            dump.write(b"".join(reports))
        for element in ElementTree.parse(os.path.join(DIRECTORY, file)).getroot().findall("set"):
            more, missing = check_set(lab, file[3:-4], element, variables, reports)
            values, empty, sets = values + more, empty + missing, sets + 1
    print(f"{sets} sets, {values} values equal, {empty} without a value in both")
    true(sets > 0 and values > 0, "there are sets and values")


main(globals())
