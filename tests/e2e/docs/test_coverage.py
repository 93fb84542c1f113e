#!/usr/bin/env python3
"""tests/COVERAGE.md is what tools/gen_coverage.py makes of the heads of all test programs. docs/kernel-sources.md names every
counter source of the kernel.

Case `coverage` checks both; `self_test` plants offences in a copy of the tree, and each must be found."""
import os
import re
import shutil
import subprocess
import sys

from harness import ROOT, equal, main, none, true

GENERATOR = os.path.join(ROOT, "tools", "gen_coverage.py")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def check(top):
    """(exit status, output) of the generator's check."""
    done = subprocess.run([sys.executable, GENERATOR, "--check", top], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def registry():
    """Names of all counter sources, and of those of the kernel: counters/sources/registry.c."""
    found = re.findall(r'\.name = "(\w+)".*?\.origin = (\w+)', read("counters", "sources", "registry.c"), re.DOTALL)
    return {name for name, _ in found}, {name for name, origin in found if origin == "PP_SOURCE_KERNEL"}


def listed(lab):
    """The sources that `passprobe list` shows."""
    out = lab.run([lab.passprobe, "list"]).stdout
    head, _, _ = out.partition("Hardware catalogues")
    return set(re.findall(r"^  ([a-z]+)(?: +\[| {2,}\S|:| no:)", head, re.MULTILINE)) | {"time", "pipeline"}


def case_coverage(lab):
    equal(check(ROOT), (0, ""), "tests/COVERAGE.md")
    names, kernel_names = registry()
    shown = listed(lab)
    true(kernel_names and kernel_names <= shown <= names | {"time", "pipeline"} | shown, f"`passprobe list` shows {sorted(shown)}")
    text = read("docs", "kernel-sources.md")
    none([name for name in sorted(kernel_names) if f"`{name}`" not in text], "sources in docs/kernel-sources.md")


def case_self_test(lab):
    """A head that changed, a program that is new, and one that is gone are found; the copy itself is in order."""
    top = lab.path("tree")
    shutil.copytree(os.path.join(ROOT, "tests"), os.path.join(top, "tests"), ignore=shutil.ignore_patterns("__pycache__"))
    equal(check(top), (0, ""), "the copy")
    some = os.path.join(top, "tests", "e2e", "docs", "test_links.py")
    text = read("tests", "e2e", "docs", "test_links.py")
    planted = {"a head": text.replace("Relative links", "All links"), "a new program": text, "no program": None}
    for what, content in planted.items():
        path = some.replace("links", "more") if what == "a new program" else some
        if content is None:
            os.remove(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        equal(check(top)[0], 1, what)
        with open(some, "w", encoding="utf-8") as file:
            file.write(text)
        if path != some:
            os.remove(path)
    equal(check(top), (0, ""), "the copy afterwards")


main(globals())
