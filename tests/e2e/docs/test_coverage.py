#!/usr/bin/env python3
"""tests/COVERAGE.md names tests that exist, one at least in each row, and every test that is about counters. Every
counter source is in COVERAGE.md, and in docs/kernel-sources.md where it is a source of the kernel.

Case `coverage` checks the page; `self_test` plants one offence of each kind in a copy of the page, and each must be
found."""
import os
import re
import subprocess

from harness import ROOT, equal, main, none

PREFIXES = "annotate|bench|core|docs|fuzz|hooks|lab|layer|samples|test|vectors"
TEST = re.compile(rf"`((?:{PREFIXES})_\w+)`")
# Tests of counters, which must be named.
COUNTERS = re.compile(r"(?:hooks_perf|test_source|samples_kernel_refused)(?:_\w+)?|test_fake_kernel_rules")
# Tests that measure counters to test something else.
ELSEWHERE = {"hooks_perf_frame", "hooks_perf_gles", "hooks_perf_late_results", "hooks_perf_serialize", "hooks_perf_window",
             "hooks_perf_side_effects"}
# Tests that exist only where a compiler or library is installed: (prefix, a test that shows that the others exist).
OPTIONAL = (("fuzz_", "fuzz_gl_perf"), ("hooks_perf", "hooks_perf_rules"), ("bench_brackets_gl", "hooks_perf_rules"))
FEWEST = 250


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def ctests(build):
    out = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"Test +#\d+: (\S+)", out))


def rows(text):
    """(line number, row) of each row of a table; headers and rules are left out."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        follows = lines[number] if number < len(lines) else ""
        if line.startswith("| ") and not line.startswith("| ---") and not follows.startswith("| ---"):
            yield number, line


def registry():
    """Names of all counter sources, and of those of the kernel: counters/sources/registry.c."""
    found = re.findall(r'\.name = "(\w+)".*?\.origin = (\w+)', read("counters", "sources", "registry.c"), re.DOTALL)
    return {name for name, _ in found}, {name for name, origin in found if origin == "PP_SOURCE_KERNEL"}


def listed(lab):
    """The sources that `passprobe list` shows."""
    out = lab.run([lab.passprobe, "list"]).stdout
    head, _, _ = out.partition("Hardware catalogues")
    return set(re.findall(r"^  ([a-z]+)(?: +\[| {2,}\S|:| no:)", head, re.MULTILINE)) | {"time", "pipeline"}


def offences(text, tests, sources, kernel_sources, kernel_text):
    there = lambda name: name in tests or any(name.startswith(prefix) and shown not in tests
                                              for prefix, shown in OPTIONAL)
    named = set(TEST.findall(text))
    for number, row in rows(text):
        if not TEST.search(row.rsplit("|", 2)[1]):
            yield f"tests/COVERAGE.md:{number}: a row without a test"
    for name in sorted(named):
        if not there(name):
            yield f"{name} is named and does not exist"
    for name in sorted(tests - named - ELSEWHERE):
        if COUNTERS.fullmatch(name):
            yield f"{name} exists and is not named"
    for name in sorted(ELSEWHERE):
        if not there(name):
            yield f"{name} of ELSEWHERE does not exist"
    if len(named) < FEWEST:
        yield f"only {len(named)} tests are named"
    for name in sorted(sources):
        if f"`{name}`" not in text:
            yield f"the source {name} is not in tests/COVERAGE.md"
    for name in sorted(kernel_sources):
        if f"`{name}`" not in kernel_text:
            yield f"the source {name} is not in docs/kernel-sources.md"


def facts(lab):
    """What offences() compares the page with: tests, counter sources, the kernel's sources, and the page about these.
    """
    names, kernel_names = registry()
    shown = listed(lab)
    if not kernel_names or not kernel_names <= shown:
        raise AssertionError(f"`passprobe list` shows the sources {sorted(shown)}")
    return ctests(lab.build), names | shown, kernel_names, read("docs", "kernel-sources.md")


def case_coverage(lab):
    text = read("tests", "COVERAGE.md")
    none(offences(text, *facts(lab)), f"{len(set(TEST.findall(text)))} tests")


def case_self_test(lab):
    """Each planted offence is found, in addition to those of the page."""
    text, given = read("tests", "COVERAGE.md"), facts(lab)
    name = sorted(name for name in TEST.findall(text) if name.startswith("test_source"))[0]
    planted = {"a row without a test": text + "\n| a | b |\n| --- | --- |\n| what | no test |\n",
               "a name that does not exist": text + "\n`hooks_no_such_test`\n",
               "a test that is not named": text.replace(f"`{name}`", "test_source"),
               "a source that is not named": text.replace("`hwmon`", "hwmon"),
               "an empty page": "# empty\n"}
    clean = set(offences(text, *given))
    equal([what for what, page in planted.items() if not set(offences(page, *given)) - clean], [], "not found")


main(globals())
