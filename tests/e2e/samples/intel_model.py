"""What the Intel GPU of tests/fake/kernel counts (machines.c), and the metrics of a metric set, whose formulas are
evaluated here. All counts grow with the OA unit's ticks, so the ticks of a bracket determine its metrics."""
import math
import operator
import os
import re
import xml.etree.ElementTree

from harness import ROOT

HZ = 12000000
SLOT = 8192  # ticks
PERIOD = 2048  # ticks between two reports of the timer
VARIABLES = {"EuCoresTotalCount": 24, "EuSlicesTotalCount": 1, "EuSubslicesTotalCount": 3, "SliceMask": 1,
             "SubsliceMask": 7, "EuThreadsCount": 7, "GpuTimestampFrequency": HZ, "GpuMinFrequency": 300000000,
             "GpuMaxFrequency": 1050000000}
MASK = (1 << 64) - 1
UNITS = {"ns": "_ns", "cycles": "_cycles", "hz": "_hz", "percent": "_percent", "bytes": "_bytes"}


def over(x, y):
    return x / y if y else 0.0


OPERATORS = {"UADD": lambda x, y: (int(x) + int(y)) & MASK, "USUB": lambda x, y: (int(x) - int(y)) & MASK,
             "UMUL": lambda x, y: (int(x) * int(y)) & MASK, "UDIV": lambda x, y: int(x) // int(y) if y else 0,
             "UMIN": min, "FADD": operator.add, "FSUB": operator.sub, "FMUL": operator.mul, "FDIV": over, "FMAX": max,
             "AND": operator.and_, "&&": lambda x, y: bool(x) and bool(y), ">>": operator.rshift,
             "<<": operator.lshift}


def rate(kind, number, config, times=1):
    """Counts per tick of a counter; `config` is the first byte of the second group of the metric set's GUID."""
    base = {"A": 1000003 + 1009 * number if number < 32 else 40009 + 101 * number,
            "B": 30011 + 211 * number + 1000 * config, "C": 20011 + 307 * number + 1000 * config,
            "GPU_CLOCK": 88}[kind]
    return base * times


class MetricSet:
    """A metric set of Intel's XML, and the values of its metrics after a number of ticks."""

    def __init__(self, name):
        tree = xml.etree.ElementTree.parse(os.path.join(ROOT, "counters/gpus/intel/oa-kblgt2.xml"))
        found = next(it for it in tree.getroot().iter("set") if it.get("symbol_name") == name)
        self.config = int(found.get("hw_config_guid")[9:11], 16)
        self.metrics = {it.get("symbol_name"): it for it in found.iter("counter")}

    def evaluate(self, formula, ticks, times, own=None):
        """Evaluate a formula in reverse Polish notation."""
        stack = []
        words = formula.split()
        while words:
            word = words.pop(0)
            if word in ("A", "B", "C", "GPU_TIME", "GPU_CLOCK"):
                number = int(words.pop(0))
                assert words.pop(0) == "READ"
                stack.append(ticks if word == "GPU_TIME" else rate(word, number, self.config, times) * ticks)
            elif word == "$Self":
                stack.append(own)
            elif word[0] == "$":
                name = word[1:]
                stack.append(VARIABLES[name] if name in VARIABLES else self.value(name, ticks, times))
            elif word in OPERATORS:
                y, x = stack.pop(), stack.pop()
                stack.append(OPERATORS[word](x, y))
            else:
                stack.append(int(word, 0))
        assert len(stack) == 1, formula
        return stack[0]

    def value(self, name, ticks, times):
        metric = self.metrics[name]
        value = self.evaluate(metric.get("equation"), ticks, times)
        return float(value) if metric.get("data_type") == "float" else int(value)

    def available(self, name):
        condition = self.metrics[name].get("availability")
        return not condition or bool(self.evaluate(condition, 0, 1))

    def check(self, row, times, where):
        """Check every metric of the set that a row has. @return ticks, or None if all cells are empty; and the number
        of metrics."""
        ticks, seen = ticks_of(row), 0
        for name in self.metrics:
            column = next((it for it in row if re.fullmatch(rf"oa:{name}(_[a-z]+)?", it)), None)
            assert (column is not None) == self.available(name), f"{where}: column of {name}"
            if column is None or not row[column]:
                assert column is None or ticks is None, f"{where}: {column} is empty"
                continue
            want, got = self.value(name, ticks, times), float(row[column])
            if isinstance(want, int):
                assert int(row[column]) == want, f"{where}: {column} is {row[column]}, not {want} ({ticks} ticks)"
            else:
                assert math.isclose(got, want, rel_tol=1e-12), f"{where}: {column} is {got}, not {want}"
            seen += 1
        return ticks, seen


def ticks_of(row):
    """The ticks that GpuTime was made from; GpuTime is rounded down to nanoseconds."""
    text = row.get("oa:GpuTime_ns", "")
    return -(-int(text) * HZ // 1000000000) if text else None


def ticks_at(ns):
    """The OA unit's time at a moment."""
    return ns // 1000 * 12 + ns % 1000 * 12 // 1000


def is_theirs(tick):
    """The last of every four time slots belongs to another context."""
    return tick // SLOT % 4 == 3


def is_lost(begin, end, near):
    """Was a buffer lost between two moments? None: the moments are too close to the loss to know."""
    at = end // (16 * SLOT) * (16 * SLOT)
    after = at + 2 * PERIOD  # the report between the buffers is lost, too
    if min(abs(begin - after), abs(end - at), abs(end - at - 16 * SLOT), abs(begin - at)) <= near:
        return None
    return begin < after and end > at


def of_context(begin, end, theirs):
    """Ticks between two moments that belong to one of the two contexts."""
    total, at = 0, begin
    while at < end:
        until = min(end, (at // SLOT + 1) * SLOT)
        total += until - at if is_theirs(at) == theirs else 0
        at = until
    return total
