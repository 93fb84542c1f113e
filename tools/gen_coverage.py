#!/usr/bin/env python3
"""What each test program shows, from the head of its file -> tests/COVERAGE.md.

    tools/gen_coverage.py [TOP]            write the page of the tree TOP
    tools/gen_coverage.py --check [TOP]    exit 1 if the file differs from what would be written

A test program is a Python file test_*.py, or a C file with cmocka tests or a fuzz target."""
import ast
import os
import re
import subprocess
import sys

HEAD = """# Which test shows what

`tools/gen_coverage.py` makes this page of the first lines of each test program, so a change belongs there.
`docs_coverage` checks that the page is up to date. The names of ctests begin with the module or with `lab_`, those of
unit tests of the command with `test_cli_`: `ctest --test-dir build/dev -N` lists them, `-R '^NAME$'` runs one.
"""
# Folders in the order of the page, with what their programs are.
FOLDERS = (("tests/unit", "Functions, one file at a time"), ("tests/gl", "OpenGL: applications below the shim"),
           ("tests/vulkan", "Vulkan: applications below the layer"), ("tests/lab", "Packaged drivers on simulated GPUs"),
           ("tests/e2e", "The command and sessions, as users have them"), ("tests/fuzz", "Readers of foreign bytes"))
C_TESTS = ("cmocka_run_group_tests", "LLVMFuzzerTestOneInput")


def files(top):
    """Paths of all files below tests/, as git knows them; without git, as they are there."""
    done = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard", "tests"], capture_output=True, text=True,
                          check=False)
    if done.returncode == 0:
        return [name for name in done.stdout.splitlines() if os.path.isfile(os.path.join(top, name))]
    return [os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(os.path.join(top, "tests"))
            for name in names]


def head(path, text):
    """The first paragraph of a test program's head; None: the file is none."""
    if os.path.basename(path).startswith("test_") and path.endswith(".py"):
        found = ast.get_docstring(ast.parse(text)) or ""
        # "test_x.py DIR VECTORS: what" names the arguments first
        found = re.sub(rf"^{re.escape(os.path.basename(path))}[^:]*:\s*", "", found)
    elif path.endswith(".c") and any(word in text for word in C_TESTS):
        found = re.match(r"/\*\* @file\s(.*?)\*/", text, re.DOTALL)
        found = re.sub(r"(?m)^ \* ?", "", found.group(1)).strip() if found else ""
    else:
        return None
    return " ".join(found.split("\n\n")[0].split())


def page(top):
    """The text of tests/COVERAGE.md."""
    rows = {}
    for path in sorted(files(top)):
        if path.endswith((".py", ".c")):
            with open(os.path.join(top, path), encoding="utf-8") as file:
                what = head(path, file.read())
            if what == "":
                raise SystemExit(f"gen_coverage.py: {path} does not say in its head what it shows")
            if what is not None:
                rows[path] = what
    ret = [HEAD]
    for folder, title in FOLDERS:
        ret.append(f"## {title}\n\n| program | what it shows |\n| --- | --- |")
        for path in [path for path in rows if path.startswith(folder + "/")]:
            what = rows.pop(path).replace("|", "\\|").replace("<", "&lt;")
            ret.append(f"| `{path.removeprefix(folder + '/')}` | {what} |")
        ret[-1] += "\n"
    if rows:
        raise SystemExit(f"gen_coverage.py: FOLDERS lacks the folder of {sorted(rows)[0]}")
    return "\n".join(ret).rstrip("\n") + "\n"


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    top = words[0] if words else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    place = os.path.join(top, "tests", "COVERAGE.md")
    made = page(top)
    if "--check" not in sys.argv:
        with open(place, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    with open(place, encoding="utf-8") as file:
        if file.read() == made:
            return 0
    print("tests/COVERAGE.md is not what tools/gen_coverage.py writes: run it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
