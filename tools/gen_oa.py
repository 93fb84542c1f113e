#!/usr/bin/env python3
"""Compile Intel's OA metric descriptions (counters/gpus/intel) into C tables; see counters/oa/oa_table.h.

usage: gen_oa.py OUT.c OUT_count.h devices.csv oa-NAME.xml...

The output depends on the files' contents only. Every description needs a row in devices.csv and the other way
round; what a table cannot hold (an unknown unit, register type, attribute) is an error, not a guess."""
import csv
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

VARIABLES = ("GpuTimestampFrequency", "EuCoresTotalCount", "EuSlicesTotalCount", "EuSubslicesTotalCount",
             "SliceMask", "SubsliceMask", "EuThreadsCount")
UNITS = {"ns": "NS", "bytes": "BYTES", "percent": "PERCENT", "hz": "HZ", "cycles": "CYCLES",
         "threads": "COUNT", "pixels": "COUNT", "messages": "COUNT", "texels": "COUNT", "events": "COUNT",
         "number": "COUNT", "us": "OTHER", "utilization": "OTHER", "eu sends to l3 cache lines": "OTHER",
         "eu requests to l3 cache lines": "OTHER", "eu bytes per l3 cache line": "OTHER",
         "eu atomic requests to l3 cache lines": "OTHER"}
TYPES = {"uint64": "PP_METRIC_U64", "float": "PP_METRIC_F64"}
KINDS = {"NOA": "PP_OA_REGISTER_MUX", "OA": "PP_OA_REGISTER_BOOLEAN", "FLEX": "PP_OA_REGISTER_FLEX"}


def quote(text):
    """A C string literal of UTF-8 text."""
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        out.append(char if 32 <= byte < 127 and char not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


class Pool:
    """Distinct items in the order of their first use."""

    def __init__(self):
        self.index, self.items = {}, []

    def add(self, item):
        if item not in self.index:
            self.index[item] = len(self.items)
            self.items.append(item)
        return self.index[item]


class Text:
    """All strings as one block; an offset each."""

    def __init__(self):
        self.offset, self.size = {}, 0
        self.add("")

    def add(self, text):
        if text not in self.offset:
            self.offset[text] = self.size
            self.size += len(text.encode("utf-8")) + 1
        return self.offset[text]


def fail(path, message):
    raise SystemExit(f"{path}: {message}")


def read_devices(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if line.strip() and not line.startswith("#")))
    if len({row["gpu"] for row in rows}) != len(rows):
        fail(path, "a GPU appears twice")
    ids = set()
    for row in rows:
        if not row["source"]:
            fail(path, f"{row['gpu']} has no source")
        for text in row["pci_ids"].split():
            if not re.fullmatch("0x[0-9a-f]{4}", text):
                fail(path, f"{row['gpu']}: '{text}' is not a PCI device id such as 0x5916")
            if text in ids:
                fail(path, f"{row['gpu']}: PCI device id {text} appears twice")
            ids.add(text)
    return rows


class Tables:
    def __init__(self):
        self.text = Text()
        self.metrics, self.lists, self.registers = Pool(), [], Pool()
        self.configs, self.sets, self.gpus, self.pci = [], [], [], []
        self.list_start, self.register_start, self.register_list = {}, {}, []

    def metric(self, path, counter):
        known = {"name", "symbol_name", "underscore_name", "description", "data_type", "units", "semantic_type",
                 "equation", "mdapi_group", "mdapi_usage_flags", "mdapi_supported_apis", "mdapi_hw_unit_type",
                 "max_equation", "availability", "low_watermark", "high_watermark"}
        symbol = counter.get("symbol_name")
        if set(counter.attrib) - known:
            fail(path, f"{symbol}: unknown attributes {sorted(set(counter.attrib) - known)}")
        unit, kind = counter.get("units"), counter.get("data_type")
        if unit not in UNITS or kind not in TYPES:
            fail(path, f"{symbol}: unknown unit '{unit}' or type '{kind}'")
        texts = tuple(self.text.add(re.sub(r"\s+", " ", counter.get(key) or "").strip())
                      for key in ("symbol_name", "name", "description", "units", "equation", "max_equation",
                                  "availability", "mdapi_group"))
        return self.metrics.add(texts + ("PP_UNIT_" + UNITS[unit], TYPES[kind]))

    def config(self, path, element):
        kind = element.get("type")
        if kind not in KINDS:
            fail(path, f"unknown register type '{kind}'")
        pairs = tuple((int(r.get("address"), 16), int(r.get("value"), 16)) for r in element.findall("register"))
        if pairs not in self.register_start:
            self.register_start[pairs] = len(self.register_list)
            self.register_list.extend(pairs)
        self.configs.append((self.text.add(element.get("availability") or ""), self.register_start[pairs],
                             len(pairs), KINDS[kind]))

    def set(self, path, element, gpu):
        indexes = tuple(self.metric(path, counter) for counter in element.findall("counter"))
        if indexes not in self.list_start:
            self.list_start[indexes] = len(self.lists)
            self.lists.extend(indexes)
        first_config = len(self.configs)
        for config in element.findall("register_config"):
            self.config(path, config)
        texts = tuple(self.text.add(element.get(key)) for key in ("symbol_name", "name", "hw_config_guid"))
        self.sets.append(texts + (self.list_start[indexes], first_config, len(indexes),
                                  len(self.configs) - first_config, gpu))

    def gpu(self, path, row):
        first = len(self.sets)
        for element in ElementTree.parse(path).getroot().findall("set"):
            self.set(path, element, len(self.gpus))
        self.pci += [(text, len(self.gpus)) for text in row["pci_ids"].split()]
        variables = [f"UINT64_C({int(row[name], 0)})" if row[name] else "UINT64_MAX" for name in VARIABLES]
        self.gpus.append((self.text.add(row["gpu"]), self.text.add(row["layout"]), first, len(self.sets) - first,
                          int(row["gen"]), "{" + ", ".join(variables) + "}"))


def table(out, declaration, rows):
    out.append(f"const {declaration} = {{")
    out += ["    {" + ", ".join(map(str, row)) + "}," for row in rows]
    out += ["};", ""]


def numbers(out, declaration, values):
    out.append(f"const {declaration} = {{")
    out += ["    " + ", ".join(map(str, values[i:i + 16])) + "," for i in range(0, len(values), 16)]
    out += ["};", ""]


def write_count(path, tables):
    with open(path, "w", encoding="utf-8") as file:
        file.write("/* Made by tools/gen_oa.py from counters/gpus/intel; do not edit. */\n"
                   f"#define PP_OA_SETS {len(tables.sets)}\n")


def write(path, tables):
    names = [tables.text.add(name) for name in VARIABLES]
    out = ["/* Made by tools/gen_oa.py from counters/gpus/intel; do not edit. */", '#include "counters/oa/oa_table.h"',
           "", '#include "counters/metric/metric.h"', '#include "counters/oa/oa_gpu.h"', '#include "counters/oa/oa_gpu.h"', '#include "counters/snapshot/value.h"', "",
           "static const struct {"]
    texts = list(tables.text.offset)
    out += [f"    char t{i}[{len(text.encode('utf-8')) + 1}];" for i, text in enumerate(texts)]
    out += ["} text = {"] + [f"    {quote(text)}," for text in texts] + ["};", ""]
    out += [f'_Static_assert(sizeof(text) == {tables.text.size}, "offsets");',
            "const char *const pp_oa_text = (const char *)&text;", ""]
    table(out, "struct pp_oa_metric_row pp_oa_metric[]", tables.metrics.items)
    numbers(out, "uint16_t pp_oa_set_metric[]", tables.lists)
    out.append("const uint32_t pp_oa_register[][2] = {")
    out += [f"    {{0x{address:x}, 0x{value:x}}}," for address, value in tables.register_list]
    out += ["};", ""]
    table(out, "struct pp_oa_config_row pp_oa_config[]", tables.configs)
    table(out, "struct pp_oa_set_row pp_oa_set[]", tables.sets)
    out += [f"const uint32_t pp_oa_sets = {len(tables.sets)};", ""]
    table(out, "struct pp_oa_gpu_row pp_oa_gpu_table[]", tables.gpus)
    out += [f"const uint32_t pp_oa_gpus = {len(tables.gpus)};", ""]
    table(out, "struct pp_oa_pci_row pp_oa_pci[]", tables.pci)
    out += [f"const uint32_t pp_oa_pcis = {len(tables.pci)};", ""]
    numbers(out, f"uint32_t pp_oa_gpu_variable[{len(names)}]", names)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


def main(arguments):
    if len(arguments) < 4:
        raise SystemExit(__doc__)
    files = {re.sub(r"^oa-|\.xml$", "", os.path.basename(path)): path for path in arguments[3:]}
    rows = read_devices(arguments[2])
    lonely = set(files) ^ {row["gpu"] for row in rows}
    if lonely:
        fail(arguments[2], f"{', '.join(sorted(lonely))}: a row without a description, or the other way round")
    tables = Tables()
    for row in rows:
        tables.gpu(files[row["gpu"]], row)
    write(arguments[0], tables)
    write_count(arguments[1], tables)


if __name__ == "__main__":
    main(sys.argv[1:])
