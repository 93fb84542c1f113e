#!/usr/bin/env python3
"""The vector programs find wrong values: each expected value of their cases is made wrong, one at a time, and each
mistake must be found."""
import copy
import json
import os
import random
import re
import subprocess
import tempfile

from harness import TESTS, main, none, true

VECTORS = os.path.join(TESTS, "unit", "counters", "vectors")
EXPECTED = ("expected", "published_scaled", "checks", "expect")
LABELS = {"name", "note"}
# Values that are no results: parameters of a statistic, and published figures whose counts were not published.
PARAMETERS = {"period_ms", "k", "factor", "lo", "width", "B", "block", "seed", "digits", "computed"}
A_CASE = 60  # number of values to make wrong in a case, chosen with a fixed seed
PROGRAMS = {"statistics": "statistics", "speed_of_light": "speed-of-light", "mali": "mali"}
FEW = {"mali": 5}  # number of cases to test of programs with many cases


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in LABELS | PARAMETERS:
                yield from leaves(item, path + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, path + (i,))
    else:
        yield path


def wrong(value):
    if isinstance(value, str):
        return value + "x"
    if value is None:
        return 1
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value + 1e-6 * max(1, abs(value))


def status(program, folder):
    return subprocess.run([program, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode


def unnoticed(program, case, count):
    """Paths of values whose mistakes were not found. Each value has a case of its own; one run of the program reads all
    cases."""
    with open(case, encoding="utf-8") as file:
        root = json.load(file)
    paths = [path for key in EXPECTED if key in root for path in leaves(root[key], (key,))]
    random.Random(1).shuffle(paths)
    with tempfile.TemporaryDirectory() as folder:
        made = {}
        for number, path in enumerate(paths[:count]):
            bad = copy.deepcopy(root)
            place = bad
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = wrong(place[path[-1]])
            made[f"{number}.json"] = path
            with open(os.path.join(folder, f"{number}.json"), "w", encoding="utf-8") as file:
                json.dump(bad, file)
        done = subprocess.run([program, folder], capture_output=True, text=True, check=False)
    judged = dict(reversed(match) for match in re.findall(r"(?m)^(ok|MISS) +(\S+): \d+ of \d+ values$", done.stdout))
    if sorted(judged) != sorted(made):
        raise AssertionError(f"{program} read {len(judged)} of {len(made)} cases\n{done.stderr}")
    return [path for name, path in made.items() if judged[name] == "ok"]


def cases(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".json"))


def offences(lab):
    for name, folder in PROGRAMS.items():
        program = os.path.join(lab.build, "tests", "vectors_" + name)
        folder = os.path.join(VECTORS, folder)
        if status(program, lab.scratch) == 0 or status(program, lab.path("none")) == 0:
            yield f"{name}: a folder without cases passes"
        for case in cases(folder):
            for path in unnoticed(program, os.path.join(folder, case), FEW.get(name, A_CASE)):
                yield f"{name}/{case}: {'.'.join(map(str, path))} can be wrong"


def case_wrong(lab):
    for folder in PROGRAMS.values():
        true(cases(os.path.join(VECTORS, folder)), f"{folder} has cases")
    none(offences(lab), "each wrong value is noticed")


main(globals())
