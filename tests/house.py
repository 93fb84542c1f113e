"""Rules of CONTRIBUTING.md that a program can check: a README.md in every folder, a head comment in every C file, no file
that has grown beyond a module."""
import os
import re
import subprocess
import sys

DATA = ("counters/gpus", "counters/snapshot/layouts", "counters/data", "docs/man", ".ci")
# What prints a text as it is: names of applications, drivers and files hold what a terminal obeys.
RAW_PRINT = re.compile(r"\b(?:v?f?printf|v?dprintf|fwrite|f?putc|putchar|fputs)\s*\(|\bputs\s*\((?!\")")
RAW_PRINT_FILES = ("cli/print/print.c", "cli/commands/decode_csv.c")
FILE_LINES = 800


def tracked(top):
    listed = subprocess.run(["git", "-C", top, "ls-files"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True, check=False)
    if listed.returncode:
        print("skipped: not a git checkout")
        sys.exit(77)
    return [name for name in listed.stdout.splitlines() if os.path.exists(os.path.join(top, name))]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.readlines()


def main():
    top = sys.argv[1]
    faults = []
    names = tracked(top)
    folders = {os.path.dirname(name) for name in names if name.endswith((".c", ".h", ".py", ".S"))} - {""}
    for folder in sorted(folders):
        if folder.startswith(DATA) or "/include" in folder:
            continue
        if folder + "/README.md" not in names:
            faults.append(f"{folder}: no README.md")
    for name in names:
        path = os.path.join(top, name)
        if name.endswith((".c", ".h", ".py")) and not name.startswith(DATA):
            text = lines(path)
            if len(text) > FILE_LINES:
                faults.append(f"{name}: {len(text)} lines, at most {FILE_LINES}")
            if name.endswith((".c", ".h")) and (not text or not text[0].startswith("/** @file")):
                faults.append(f"{name}: no head comment")
            if name.startswith("cli/") and name.endswith(".c") and name not in RAW_PRINT_FILES:
                for number, line in enumerate(text, 1):
                    if RAW_PRINT.search(line) and not line.lstrip().startswith(("*", "/*")):
                        faults.append(f"{name}:{number}: prints by other ways than cli/print/print.h")
    print("\n".join(faults) if faults else f"{len(names)} files, {len(folders)} folders")
    return 1 if faults else 0


sys.exit(main())
