#!/usr/bin/env python3
"""The version stands once, in CMakeLists.txt: `passprobe --version`, the man pages and NEWS.md agree with it, and no
other source file has it.

    test_version.py --build BUILD"""
import argparse
import glob
import os
import re
import subprocess
import sys

from harness import ROOT

# Pages show it in examples of output, and NEWS.md has the history.
SHOWN = re.compile(r"\.md$|^tests/")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = parser.parse_args().build
    version = re.search(r"(?m)^project\(passprobe VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
    faults = []
    shown = subprocess.run([os.path.join(build, "bin", "passprobe"), "--version"], capture_output=True, text=True,
                           check=True).stdout
    if shown != f"passprobe version {version}\n":
        faults.append(f"passprobe --version prints {shown!r}")
    pages = glob.glob(os.path.join(build, "share", "man", "man*", "*"))
    faults += [f"{page} has another version" for page in pages if f"passprobe {version}" not in read(page)]
    news = re.findall(r"(?m)^## (.*)$", read("NEWS.md"))
    released = [heading for heading in news if heading != "Not released"]
    if not pages or not released or released[0] != version or "Not released" in news[1:]:
        faults.append(f"NEWS.md: the headings are {news}; the newest is {version}, or `Not released` before it")
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False).stdout
    faults += [f"{name} has the version {version}" for name in listed.splitlines()
               if name != "CMakeLists.txt" and not SHOWN.search(name) and os.path.isfile(os.path.join(ROOT, name))
               and re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.])", read(name))]
    print("\n".join(faults) or f"version {version}")
    return bool(faults)


sys.exit(main())
