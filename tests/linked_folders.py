#!/usr/bin/env python3
"""Folders are walls for the linker, too: an object file uses only what its own folder and the folders that CONTRIBUTING.md
lists before it define. Includes alone do not show a function that is declared in one folder and defined in another.

    tests/linked_folders.py BUILD-DIR    list what uses a folder above its own; exit 1 if there is anything"""
import json
import os
import shlex
import subprocess
import sys

from conventions_folders import Files, orders

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# core/load has its own form of the core's functions, for the shim and the layer. It is in no program with the core.
APART = {"core/load"}
# Tables of functions, and rows of lists, which a folder declares and a folder above it fills in.
FILLED_ABOVE = {"pp_session_parts", "pp_serialize", "pp_catalogue_mali", "pp_catalogue_intel"}
# Called by the generated stubs of hooks/reach, as the hooks themselves are.
CALLED_BY_STUBS = {"pp_pick_pthread_exit"}


def objects(build, module):
    """{object file: the folder of its source}, of the targets that the build has now; made sources belong to no folder."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), TOP)
        output = shlex.split(entry["command"])
        output = output[output.index("-o") + 1]
        if source.split("/")[0] == module and output.startswith(module + "/"):
            found[os.path.join(build, output)] = os.path.dirname(source)
    return found


def symbols(path):
    """(names that the file defines, names that it uses)."""
    done = subprocess.run(["nm", "-P", path], capture_output=True, text=True, check=True)
    defined, used = set(), set()
    for line in done.stdout.splitlines():
        name, kind = line.split()[:2]
        if kind == "U":
            used.add(name)
        elif kind in "TDBRVWC":
            defined.add(name)
    return defined, used


def against(build, module, listed):
    """Yield (how many objects, None), then (object, use of a folder above its own)."""
    place = {os.path.normpath(os.path.join(module, folder)): i for i, folder in enumerate(listed)}
    found = {path: folder for path, folder in objects(build, module).items() if folder in place and folder not in APART}
    yield len(found), None
    table = {path: symbols(path) for path in found}
    home = {name: found[path] for path in found for name in table[path][0]}
    for path in sorted(found):
        for name in sorted(table[path][1] - FILLED_ABOVE - CALLED_BY_STUBS):
            if place[home.get(name, found[path])] > place[found[path]]:
                yield os.path.basename(path), f"{found[path]} uses {name}() of {home[name]}"


def main():
    build, wrong = sys.argv[1], 0
    for module, listed in orders(Files(TOP)).items():
        uses = list(against(build, module, listed))
        if uses[0][0] < len(listed):
            print(f"{module}: only {uses[0][0]} object files in {build}")
            wrong += 1
        for name, use in uses[1:]:
            print(f"{name}: {use}")
            wrong += 1
        print(f"{module}: {uses[0][0]} object files, {len(uses) - 1} uses of a folder above")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
