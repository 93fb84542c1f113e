#!/usr/bin/env python3
"""docs/formats/report.schema.json, diff.schema.json and report.md have the columns of the command's tables, in their
order."""
import json
import os
import subprocess
import sys

from harness import ROOT, equal, main

TOOL = os.path.join(ROOT, "tools", "gen_columns.py")
FILES = [os.path.join(ROOT, "docs", "formats", name) for name in ("report.schema.json", "report.md", "diff.schema.json")]


def generate(columns, *words):
    return subprocess.run([sys.executable, TOOL, *words], input=columns, capture_output=True, text=True, check=False)


def printed(lab):
    return lab.run([os.path.join(lab.build, "tests", "print_columns")]).stdout


def case_current(lab):
    done = generate(printed(lab), "--update" if os.environ.get("PP_UPDATE_GOLDEN") else "--check", *FILES)
    equal((done.returncode, done.stdout + done.stderr), (0, ""), "the files agree with the columns")


def case_stale(lab):
    """A column more makes both files stale; --update writes it."""
    tables = json.loads(printed(lab))
    tables[1]["columns"].append({**tables[1]["columns"][-1], "id": "new_ns", "csv": "new_ns", "type": "number", "doc": "what is new",
                                 "unit": "ns", "in_json": True, "in_csv": True, "optional": True})
    columns, copies = json.dumps(tables), []
    for path in FILES:
        copies.append(lab.path(os.path.basename(path)))
        with open(path, encoding="utf-8") as file, open(copies[-1], "w", encoding="utf-8") as copy:
            copy.write(file.read())
    done = generate(columns, "--check", *copies)
    equal((done.returncode, done.stdout.count("differs from the columns")), (1, 2), "stale files")
    equal(generate(columns, "--update", *copies).returncode, 0, "exit status of --update")
    equal(generate(columns, "--check", *copies).returncode, 0, "exit status of --check afterwards")
    with open(copies[0], encoding="utf-8") as file:
        equal(json.load(file)["$defs"]["pass"]["properties"]["new_ns"],
              {"type": ["number", "null"], "description": "what is new"}, "the member of the schema")
    with open(copies[1], encoding="utf-8") as file:
        equal(file.read().count("| `new_ns` | `new_ns` | ns | what is new |"), 1, "lines of the page")


main(globals())
