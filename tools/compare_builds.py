#!/usr/bin/env python3
"""Runs both samples in two builds, at every level, and compares what passprobe wrote: everything but times must be equal.

    tools/compare_builds.py BUILD_A BUILD_B [--frames N]

Use it before and after a change that must not change behaviour. The samples run on Mesa's software drivers, without a
display. Compared are frames.csv, passes.csv, draws.csv and labels.csv cell by cell, and session.json value by value.
Not compared: times and rates, process ids, paths, and verdicts that follow from times. Exit status 0: equal."""
import argparse
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

LEVELS = ("frame", "pass", "draw")
SAMPLES = ("gl", "vk")
FILES = ("frames.csv", "passes.csv", "draws.csv", "labels.csv")
# Columns and keys whose values differ from run to run.
VARYING = re.compile(r"(_ns|_hz|_percent|_bytes|_seconds)$|^(pid|bound_by|path|output|build|start|end|time|hash|load)"
                     r"|realtime|spread|bias|median|samples|calls|duration|rate|cost|overhead|clock|command")


def environment():
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("PASSPROBE") and key not in ("LD_PRELOAD", "DISPLAY")}
    env.update(LIBGL_ALWAYS_SOFTWARE="1", GALLIUM_DRIVER="llvmpipe", XDG_CONFIG_HOME="/nonexistent")
    icd = glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
    if icd:
        env.update(VK_ICD_FILENAMES=icd[0], VK_DRIVER_FILES=icd[0])
    return env


def record(build, sample, level, frames, out):
    tool = os.path.join(build, "bin", "passprobe")
    done = subprocess.run([tool, "record", "-q", "-o", out, "-l", level, "--",
                           os.path.join(build, "bin", f"passprobe-sample-{sample}"), "--frames", str(frames)],
                          env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{build}: sample {sample} at level {level} ended with {done.returncode}: {done.stdout}")


def rows(path):
    """Rows of a CSV file without their varying cells; None: there is no such file."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    keep = [i for i, name in enumerate(table[0]) if not VARYING.search(name)]
    filled = [i for i, name in enumerate(table[0]) if VARYING.search(name) and name != "bound_by"]
    # Of a time only this is compared: is there one?
    out = [table[0]] + [[row[i] for i in keep] + [str(bool(row[i])) for i in filled] for row in table[1:]]
    return out


def steady(value, folders):
    """session.json without its varying values, and without the names of the folders that differ."""
    if isinstance(value, dict):
        return {key: steady(one, folders) for key, one in value.items() if not VARYING.search(key)}
    if isinstance(value, list):
        return [steady(one, folders) for one in value]
    if isinstance(value, str):
        for folder in folders:
            value = value.replace(folder, "FOLDER")
    return value


def differences(left, right, place):
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            yield from differences(left.get(key, "(absent)"), right.get(key, "(absent)"), f"{place}.{key}")
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield f"{place}: {len(left)} against {len(right)} elements"
        for i, (one, other) in enumerate(zip(left, right)):
            yield from differences(one, other, f"{place}[{i}]")
    elif left != right:
        yield f"{place}: {left!r} against {right!r}"


def compare(builds, one, other, name):
    found = []
    for file in FILES:
        found += differences(rows(os.path.join(one, file)), rows(os.path.join(other, file)), f"{name}/{file}")
    sessions = []
    for build, folder in zip(builds, (one, other)):
        with open(os.path.join(folder, "session.json"), encoding="utf-8") as file:
            sessions.append(steady(json.load(file), (folder, build)))
    found += differences(*sessions, f"{name}/session.json")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs=2)
    parser.add_argument("--frames", type=int, default=20)
    arguments = parser.parse_args()
    found = []
    builds = [os.path.abspath(build) for build in arguments.build]
    with tempfile.TemporaryDirectory() as scratch:
        for sample in SAMPLES:
            for level in LEVELS:
                out = [os.path.join(scratch, f"{side}-{sample}-{level}") for side in ("a", "b")]
                for build, folder in zip(builds, out):
                    record(build, sample, level, arguments.frames, folder)
                found += compare(builds, *out, f"{sample}, level {level}")
    print("\n".join(found[:40]) if found else
          f"equal: {len(SAMPLES)} samples, {len(LEVELS)} levels, {arguments.frames} frames each")
    if len(found) > 40:
        print(f"{len(found) - 40} more differences")
    return 1 if found else 0


sys.exit(main())
