#!/usr/bin/env python3
"""The version is in one place, CMakeLists.txt: `passprobe --version`, the man pages and NEWS.md agree with it, and no
other source file has it."""
import glob
import os
import re

from harness import ROOT, main, none, tracked

# Pages with examples of output, and NEWS.md, which has the history.
SHOWN = re.compile(r"\.md$|^tests/")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8", errors="replace") as file:
        return file.read()


def offences(lab):
    version = re.search(r"(?m)^project\(passprobe VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
    shown = lab.run([lab.passprobe, "--version"]).stdout
    if shown != f"passprobe version {version}\n":
        yield f"passprobe --version prints {shown!r}"
    pages = glob.glob(os.path.join(lab.build, "share", "man", "man*", "*"))
    yield from (f"{page} has another version" for page in pages if f"passprobe {version}" not in read(page))
    news = re.findall(r"(?m)^## (.*)$", read("NEWS.md"))
    released = [heading for heading in news if heading != "Not released"]
    if not pages or not released or released[0] != version or "Not released" in news[1:]:
        yield f"NEWS.md: the headings are {news}; the newest is {version}, or `Not released` before it"
    yield from (f"{name} has the version {version}" for name in sorted(tracked())
                if name != "CMakeLists.txt" and not SHOWN.search(name)
                and re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.])", read(name)))


def case_version(lab):
    none(offences(lab), "one version")


main(globals())
