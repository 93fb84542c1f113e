#!/usr/bin/env python3
"""Compile the page of `report --html` into the command: the template with its style, its script, their hashes for the
Content-Security-Policy, and the licences of libraries in it.

usage: gen_page.py OUT.c HEADER.h NAME TEMPLATE.html --style FILE... --script FILE... [--library NAME.js LICENCE STYLE.css]

The script is the library's, then ours in the given order; so is the style. In the template, <!--style-->, <!--script-->,
<!--policy--> and <!--licences--> are replaced; the other places are left for the command."""
import argparse
import base64
import hashlib
import html
import re
import sys

from gen_text import c_array


def read(path):
    """A text without what would end the element that it is put into, and without a reference to a file that is not there."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if re.search(r"</(script|style)|<!--", text, re.I):
        raise SystemExit(f"{path}: would end its element")
    return re.sub(r"(?m)^//# sourceMappingURL=.*$|/\*# sourceMappingURL=.*?\*/", "", text)


def hash_of(text):
    """The source expression that permits exactly this text."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page_of(template, style, script, licences):
    """The template with all that is the same in every page."""
    policy = (f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; img-src data:; "
              "base-uri 'none'; form-action 'none'")
    places = {"policy": f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
              "style": f"<style>{style}</style>", "script": f"<script>{script}</script>",
              "licences": html.escape(licences)}
    for name, text in places.items():
        if template.count(f"<!--{name}-->") != 1:
            raise SystemExit(f"the template needs one <!--{name}-->")
        template = template.replace(f"<!--{name}-->", text)
    return template


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    for name in ("out", "header", "name", "template"):
        parser.add_argument(name)
    parser.add_argument("--style", nargs="+", default=[])
    parser.add_argument("--script", nargs="+", default=[])
    parser.add_argument("--library", nargs=3, default=[])
    given = parser.parse_args()
    library, licence, library_style = given.library or (None, None, None)
    licences = ""
    if library:
        with open(licence, encoding="utf-8") as file:
            licences = file.read()
    script = "\n".join(read(path) for path in ([library] if library else []) + given.script)
    style = "\n".join(read(path) for path in ([library_style] if library else []) + given.style)
    with open(given.template, encoding="utf-8") as file:
        page = page_of(file.read(), style, script, licences)
    with open(given.out, "w", encoding="ascii") as file:
        file.write(c_array(given.header, given.name, given.template.rsplit("/", 1)[-1], page.encode()))


if __name__ == "__main__":
    sys.exit(main())
