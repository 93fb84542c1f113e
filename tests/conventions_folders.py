"""Rules about folders and headers: inside a module, files include only files of folders that CONTRIBUTING.md lists before
their own, and few headers have only one or two functions.

    tests/conventions_folders.py [TOP]    print for each module: files, lines, medians, small headers, circles of folders"""
import collections
import os
import re
import statistics
import subprocess
import sys

from conventions_text import PRODUCT, masked_code

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
# The row of a module in CONTRIBUTING.md: | `core/` | `util`, `config`, ... |
ROW = re.compile(r"^\| `(\w+)/` \| ((?:`[\w/.]+`(?:, )?)+) \|$", re.M)
# At most this share of a module's headers may have only one or two functions, in percent.
SMALL_PERCENT = 10


def sources(tree, module):
    """The C files of a module."""
    return [name for name in tree.every if name.startswith(module + "/") and name.endswith((".c", ".h", ".S"))]


def includes(tree, module):
    """(file, included file) for each include of a file of the same module in another folder."""
    there = set(tree.every)
    for name in sources(tree, module):
        for path in INCLUDE.findall(tree.read(name)):
            if path not in there:
                path = os.path.normpath(os.path.join(os.path.dirname(name), path))
            if path in there and path.startswith(module + "/") and os.path.dirname(path) != os.path.dirname(name):
                yield name, path


def reached(edges, start):
    """Folders that a folder includes, directly or by others."""
    found, open_ones = set(), [start]
    while open_ones:
        for folder in edges.get(open_ones.pop(), ()):
            if folder not in found:
                found.add(folder)
                open_ones.append(folder)
    return found


def circles(tree, module):
    """Pairs (folder, folder that it includes) that are in a circle, each with an include."""
    edges, example = collections.defaultdict(set), {}
    for name, path in includes(tree, module):
        pair = os.path.dirname(name), os.path.dirname(path)
        edges[pair[0]].add(pair[1])
        example.setdefault(pair, (name, path))
    return {pair: example[pair] for pair in example if pair[0] in reached(edges, pair[1])}


def orders(tree):
    """{module: its folders, lowest first} of CONTRIBUTING.md."""
    if "CONTRIBUTING.md" not in tree.every:
        return {}
    return {module: re.findall(r"`([\w/.]+)`", row) for module, row in ROW.findall(tree.read("CONTRIBUTING.md"))}


def rule_folders(tree):
    """Inside a module, a file includes only files of folders that CONTRIBUTING.md lists before its own."""
    listed = orders(tree)
    for module in [module[:-1] for module in PRODUCT]:
        found = circles(tree, module)
        for pair in sorted(found):
            yield f"{found[pair][0]}: includes {found[pair][1]}: {pair[0]} and {pair[1]} are in a circle"
        if module not in listed:
            continue
        place = {os.path.normpath(os.path.join(module, folder)): i for i, folder in enumerate(listed[module])}
        for folder in sorted({os.path.dirname(name) for name in sources(tree, module)} - set(place)):
            yield f"CONTRIBUTING.md: the order of {module}/ lacks {folder}"
        for name, path in includes(tree, module):
            if place.get(os.path.dirname(name), 0) < place.get(os.path.dirname(path), 0):
                yield f"{name}: includes {path}, whose folder comes later in the order of CONTRIBUTING.md"


def functions_of_header(text):
    """Number of functions that a header declares or defines."""
    code = re.sub(r"(?m)^[ \t]*#.*(?:\\\n.*)*$", "", masked_code(text))
    flat, depth = [], 0
    for sign in code:
        depth += sign == "{"
        if depth == 0:
            flat.append(sign)
        depth -= sign == "}"
        if sign == "}" and depth == 0:
            flat.append(";")
    attribute = re.compile(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)")
    parts = [attribute.sub("", part).strip() for part in "".join(flat).split(";")]
    return sum(bool(re.match(r"(?s)[A-Za-z_][\w\s*]*?\b\w+\s*\([^*]", part)) and not part.startswith("typedef") and
               "=" not in part for part in parts)


def headers(tree, module):
    """{header: number of its functions}."""
    return {name: functions_of_header(tree.read(name)) for name in sources(tree, module) if name.endswith(".h")}


def rule_small_headers(tree):
    """Few headers of a module have only one or two functions: such a header needs a reason."""
    for module in [module[:-1] for module in PRODUCT]:
        count = headers(tree, module)
        small = sorted(name for name in count if 1 <= count[name] <= 2)
        most = len(count) * SMALL_PERCENT // 100
        if len(small) > most:
            yield f"{module}/: {len(small)} of {len(count)} headers have only one or two functions, at most {most}: join " \
                  f"them with what they belong to ({', '.join(small[:5])} ...)"


def figures(tree):
    """One line for each module."""
    for module in [module[:-1] for module in PRODUCT]:
        lines = {name: tree.read(name).count("\n") for name in sources(tree, module)}
        files = [lines[name] for name in lines if name.endswith(".c")], [lines[name] for name in lines if name.endswith(".h")]
        count = headers(tree, module)
        small = sum(1 <= number <= 2 for number in count.values())
        medians = [f"{statistics.median(part):5.0f}" if part else "    -" for part in files]
        folders = {os.path.dirname(name) for name in lines}
        yield f"{module:9} {len(files[0]) + len(files[1]):4} files {sum(lines.values()):6} lines  median .c {medians[0]} .h " \
              f"{medians[1]}  headers with one or two functions {small:3} of {len(count):3}  folders {len(folders):2}, " \
              f"{len({folder for pair in circles(tree, module) for folder in pair}):2} in circles"


class Files:
    """The C files of a checkout, for figures()."""

    def __init__(self, top):
        listed = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE, text=True,
                                check=True)
        self.top = top
        self.every = [name for name in listed.stdout.splitlines() if os.path.isfile(os.path.join(top, name))]

    def read(self, name):
        with open(os.path.join(self.top, name), encoding="utf-8") as file:
            return file.read()


if __name__ == "__main__":
    print("\n".join(figures(Files(sys.argv[1] if len(sys.argv) > 1 else "."))))
