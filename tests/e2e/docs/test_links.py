#!/usr/bin/env python3
"""Relative links in Markdown files are not dead: the file exists, and so does the heading that the link names. Pages
that are installed link only to pages that are installed with them. Paths in `code` that name a page exist, and so do
the files that a README.md names.

Case `links` looks for offences; `self_test` plants an offence of each kind, and each must be found."""
import os
import re
import subprocess

from harness import ROOT, equal, main, none, tracked

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PAGE = re.compile(r"(?<![\w/.<$-])((?:docs|tests|core|counters|hooks|layer|cli|annotate|bench|samples|tools)/[\w./-]+\.md)")
# A file in `code`; NAME represents any.
FILE = re.compile(r"`((?:\w+/)*(?!\w*NAME)[a-z]\w*\.(?:c|h|py|S))`")
INSTALLED = ("docs/", "README.md", "NEWS.md")
# Files with names of pages that do not exist, as examples.
PLANTED = ("tests/e2e/docs/test_links.py", "tests/conventions_planted.py")


def read(top, name):
    with open(os.path.join(top, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def anchors(text):
    """The names by which headings can be linked to, as GitHub and GitLab make them."""
    found = set()
    for heading in re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text)):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def files_of_readme(name, text, names):
    """Files that a README.md names and that are nowhere in the tree."""
    for number, line in enumerate(text.splitlines(), 1):
        for file in FILE.findall(line):
            ends = "/" + file
            if not any(("/" + other).endswith(ends) for other in names):
                yield f"{name}:{number}: {file} does not exist"


def offences(top):
    names = tracked(top)
    for name in sorted(names):
        if os.path.basename(name) == "README.md":
            yield from files_of_readme(name, read(top, name), names)
    for name in sorted(names):
        if not name.endswith((".md", ".c", ".h", ".py", ".txt", ".yaml", ".sh")):
            continue
        text = read(top, name)
        for number, line in enumerate(text.splitlines(), 1):
            if name not in PLANTED:
                yield from (f"{name}:{number}: {page} does not exist" for page in PAGE.findall(line)
                            if page not in names)
            if name.endswith(".md"):
                yield from links_of_line(top, names, name, number, line)


def links_of_line(top, names, name, number, line):
    for url in LINK.findall(re.sub(r"`[^`]*`", "`", line)):
        if re.match(r"[a-z]+:", url):
            continue
        path, _, anchor = url.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if target not in names and not os.path.isdir(os.path.join(top, target)):
            yield f"{name}:{number}: dead link {url}"
        elif anchor and anchor not in anchors(read(top, target)):
            yield f"{name}:{number}: {target} has no heading #{anchor}"
        elif name.startswith(INSTALLED) and not target.startswith(INSTALLED):
            yield f"{name}:{number}: {target} is not installed with this page; name it in `code`, without a link"


def case_links(_lab):
    none(offences(ROOT), "no dead link")


def case_self_test(lab):
    planted = {"dead file": "[a](no.md)", "dead heading": "[a](b.md#no)", "not installed": "[a](../core/c.md)",
               "dead page in code": "`docs/no.md`", "dead link of code": "[`a`](no.md)", "dead file in code": "`a/no.c`"}
    clean = "[a](b.md#b-c) [b](../README.md) `docs/b.md` `a/code.c` `NAME.c` [c](https://example.org)"
    subprocess.run(["git", "init", "-q", lab.scratch], check=True)
    for path, text in (("docs/b.md", "# B c\n"), ("core/c.md", "# C\n"), ("README.md", "# R\n"),
                       ("core/a/code.c", "")):
        os.makedirs(os.path.dirname(lab.path(path)), exist_ok=True)
        with open(lab.path(path), "w", encoding="utf-8") as file:
            file.write(text)
    for what, text in {"": clean, **planted}.items():
        with open(lab.path("docs/README.md"), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        equal(bool(list(offences(lab.scratch))), bool(what), f"offences on a page with {what or 'good links only'}")


main(globals())
