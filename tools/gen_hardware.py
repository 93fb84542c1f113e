#!/usr/bin/env python3
"""docs/hardware.yaml -> the tables in docs/hardware.md and README.md, and the rows that `passprobe doctor` knows.

    gen_hardware.py HARDWARE --out FILE.h        write the C table
    gen_hardware.py HARDWARE --check FILE...     exit 1 if a table between the marks of FILE is not what HARDWARE says
    gen_hardware.py HARDWARE --update FILE...    write those tables

A table is between the lines `<!-- hardware: NAME -->` and `<!-- end of hardware -->`; NAME is full or short. The file
is a flat list of flat maps, so this script reads it line by line and needs no YAML library."""
import argparse
import re
import sys

from doc_tables import check_or_update, quoted

FIELDS = ("driver", "api", "version", "device", "how", "gpus", "offered", "checked", "not_checked")
OPTIONAL = ("says",)
HOW = {
    "software": "software driver",
    "executed": "simulated GPU, executing",
    "no work": "simulated GPU, no-op",
    "real GPU": "real GPU",
}


def read(path):
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            match = re.fullmatch(r"(- |  )(\w+): (.+)", line)
            more = re.fullmatch(r"    (\S.*)", line)
            if more and rows:
                rows[-1][field] += " " + more.group(1)
                continue
            if not match or match.group(2) not in FIELDS + OPTIONAL or (not rows and match.group(1) != "- "):
                sys.exit(f"{path}:{number}: expected '- driver: NAME' or '  FIELD: TEXT'")
            field = match.group(2)
            if match.group(1) == "- ":
                rows.append({"line": number})
            if field in rows[-1]:
                sys.exit(f"{path}:{number}: field '{field}' is given twice")
            rows[-1][field] = match.group(3)
    for row in rows:
        for field in FIELDS:
            if field not in row:
                sys.exit(f"{path}:{row['line']}: no '{field}'")
        if row["how"] not in HOW:
            sys.exit(f"{path}:{row['line']}: how is one of {', '.join(HOW)}")
        if row["api"] not in ("OpenGL", "Vulkan"):
            sys.exit(f"{path}:{row['line']}: api is OpenGL or Vulkan")
    return rows


def header(rows):
    """The C table. A narrower pattern is first: the first row that fits is taken."""
    out = ["/* DO NOT EDIT: made from docs/hardware.yaml by tools/gen_hardware.py */", "#ifndef PP_HARDWARE_H",
           "#define PP_HARDWARE_H", "", "/* X(driver, API, checked version, that version as the driver says it, pattern of the device's name, how, GPUs) */",
           "#define PP_HARDWARE_TABLE(X) \\"]
    for row in sorted(rows, key=lambda row: -len(row["device"])):
        cells = (row["driver"], row["api"], row["version"], row.get("says", row["version"]), row["device"], HOW[row["how"]], row["gpus"])
        out.append(f"    X({', '.join(map(quoted, cells))}) \\")
    return "\n".join(out + ["", "#endif", ""])


def full(rows):
    """For docs/hardware.md: a paragraph of lines for each driver, because the texts are too long for a table."""
    out = []
    for row in rows:
        out += ["", f"### {row['driver']} {row['version']} ({row['api']})", "", "| | |", "| --- | --- |",
                f"| how | {HOW[row['how']]} |"]
        out += [f"| {name} | {row[field]} |" for name, field in
                (("GPUs", "gpus"), ("offered", "offered"), ("checked", "checked"), ("not checked", "not_checked"))]
    return out + [""]


def short(rows):
    """For README.md: how the drivers were checked, a row for each kind."""
    out = ["| how | drivers (Mesa, of Debian 12 and its backports) |", "| --- | --- |"]
    for how, text in HOW.items():
        names = [f"{row['driver']} {row['version']}" for row in rows if row["how"] == how]
        out.append(f"| {text} | {', '.join(names) or 'none yet'} |")
    return out


TABLES = {"full": full, "short": short}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hardware")
    parser.add_argument("--out")
    parser.add_argument("--check", nargs="+", default=[])
    parser.add_argument("--update", nargs="+", default=[])
    arguments = parser.parse_args()
    rows = read(arguments.hardware)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            file.write(header(rows))
    tables = {name: make(rows) for name, make in TABLES.items()}
    return check_or_update("hardware", tables, arguments.check, arguments.update)


if __name__ == "__main__":
    sys.exit(main())
