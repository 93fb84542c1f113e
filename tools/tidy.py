#!/usr/bin/env python3
"""Runs clang-tidy over files of a build, each once, and remembers which were clean.

    tools/tidy.py [--quick] BUILD-DIR FILE...      exit status 1 if there is a finding

A file is checked again only if the preprocessed text (with its headers and comments), .clang-tidy or the version of
clang-tidy has changed. BUILD-DIR/tidy holds the names of what was clean."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The analyzer looks at this many states of a function, of which a few functions have hundreds of thousands. With --quick it
# takes less than a third of the time. Of 20 findings in the history of passprobe it then reports 17, and all 3 faults.
STATES, QUICK_STATES = 75000, 10000
NOISE = re.compile(r"^clang-tidy|warnings? generated\.$|^Suppressed|^Use -header", re.M)


def commands(build):
    """{path: entry of compile_commands.json}: the first one where several targets compile a file."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        found.setdefault(os.path.normpath(os.path.join(entry["directory"], entry["file"])), entry)
    return found


def depth(states):
    """Arguments of clang-tidy."""
    return ["--extra-arg=-Xclang", "--extra-arg=-analyzer-config", "--extra-arg=-Xclang", f"--extra-arg=max-nodes={states}"]


def digest(entry, base):
    """Names what clang-tidy would read. None: the file cannot be preprocessed; then clang-tidy runs and says why."""
    words = [word for word in shlex.split(entry["command"]) if os.path.basename(word) != "ccache"]
    out = words.index("-o")
    words = ["clang", *(word for i, word in enumerate(words) if i not in (0, out, out + 1) and word != "-c")]
    done = subprocess.run([*words, "-E", "-CC"], cwd=entry["directory"], capture_output=True, check=False)
    if done.returncode:
        return None
    return hashlib.sha256(base + " ".join(words).encode() + done.stdout).hexdigest()


def check(path, entry, database, clean, base, states):
    """Check a file. Returns (was the result remembered?, findings, exit status)."""
    name = digest(entry, base)
    mark = os.path.join(clean, name) if name else None
    if mark and os.path.exists(mark):
        return True, "", 0
    done = subprocess.run(["clang-tidy", "-quiet", "-p", database, *depth(states), path], capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    found = "\n".join(line for line in lines if line.strip() and not NOISE.search(line))
    if mark and done.returncode == 0 and not found:
        with open(mark, "w", encoding="utf-8"):
            pass
    return False, found, done.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("build")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    build, states = options.build, QUICK_STATES if options.quick else STATES
    known = commands(build)
    wanted = {path: known[path] for path in map(os.path.abspath, options.paths) if path in known}
    clean = os.path.join(build, "tidy")
    os.makedirs(clean, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    with open(os.path.join(TOP, ".clang-tidy"), "rb") as file:
        base = version + file.read() + str(states).encode()
    with tempfile.TemporaryDirectory() as database:
        with open(os.path.join(database, "compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump(list(wanted.values()), file)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = list(pool.map(lambda item: check(*item, database, clean, base, states), wanted.items()))
    findings = [text for _, text, _ in done if text]
    print("\n".join([*findings, f"{len(wanted)} files, {sum(known for known, _, _ in done)} unchanged since they were clean"]))
    return 1 if findings or any(status for _, _, status in done) or not wanted else 0


sys.exit(main())
