#!/usr/bin/env python3
"""A page of docs/formats -> a man page.

    gen_man.py PAGE.md --section N --version VERSION > PAGE.N

The first heading is `# NAME: what it is`. The rest is the Markdown that docs/ uses: headings, paragraphs, lists with
`*` or numbers, tables (the first column becomes the term) and indented code. Anything else is printed as a paragraph.
A link to a page of docs/formats names its man page, or, if it has none, its place in the documentation.

A page that begins with the heading Synopsis has its own sections SYNOPSIS and DESCRIPTION."""
import argparse
import os
import re
import sys

# The mark of an item of a list: "* " or "1. ".
ITEM = r"(\*|\d+\.) "

# Pages of docs/formats that are man pages.
MAN_PAGES = {"annotate.md": "passprobe-annotate(3)", "configuration.md": "passprobe.conf(5)",
             "session.md": "passprobe-session(5)"}


def linked(match):
    """The text of a link. If it is a file's name, the man page or the file below the documentation's folder."""
    text, target = match.groups()
    name = os.path.basename(text)
    if not name.endswith(".md"):
        return text
    return MAN_PAGES.get(name, os.path.normpath(os.path.join("docs/formats", target)))


def roff(text):
    """`code` and **strong** -> bold, links -> what linked() says; everything else as it is."""
    text = re.sub(r"\[([^\]]*)\]\(([^)]*)\)", linked, text).replace(r"\|", "|")
    out = ""
    for part in re.split(r"(`[^`]*`|\*\*[^*]+\*\*)", text):
        literal = part.startswith("`")
        body = part.strip("`") if literal else part.strip("*") if part.startswith("**") else part
        body = body.replace("\\", "\\e")
        body = body.replace("-", "\\-") if literal else body
        out += f"\\fB{body}\\fR" if literal or part.startswith("**") else body
    return "\\&" + out if out.startswith((".", "'")) else out


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def blocks(lines):
    """(kind, lines) of each block; kind is heading, code, table, item or text."""
    kind, block = None, []
    for line in lines + [""]:
        if re.match(r"#+ ", line):
            new = "heading"
        elif line.startswith("    ") and kind not in ("item", "text"):
            new = "code"
        elif line.startswith("|"):
            new = "table"
        elif re.match(ITEM, line):
            new = "item"
        elif line.strip():
            new = kind if kind in ("item", "text") else "text"
        else:
            new = "code" if kind == "code" else None
        if new != kind or new in ("heading",) or re.match(ITEM, line):
            if block:
                yield kind, block
            block = []
        kind = new
        if new:
            block.append(line)
    if block:
        yield kind, block


def body(text):
    out = []
    for kind, lines in blocks(text.splitlines()):
        joined = roff(" ".join(line.strip() for line in lines))
        if kind == "heading":
            level = ".SH " if lines[0].startswith("## ") else ".SS "
            out.append(level + roff(lines[0].lstrip("# ")).upper() if level == ".SH " else level + joined.lstrip("# "))
        elif kind == "code":
            code = "\n".join(line[4:] for line in lines).rstrip()
            out += [".PP", ".nf", ".RS", *(("\\&" if line[:1] in (".", "'") else "") + line.replace("\\", "\\e")
                                           .replace("-", "\\-") for line in code.splitlines()), ".RE", ".fi"]
        elif kind == "table":
            for line in lines[2:]:
                term, *rest = cells(line)
                out += [".TP", roff(term), roff("; ".join(cell for cell in rest if cell)) or "\\&"]
        elif kind == "item":
            mark, text = " ".join(line.strip() for line in lines).split(" ", 1)
            out += [".IP \\(bu 2" if mark == "*" else f".IP {mark} 4", roff(text)]
        else:
            out += [".PP", joined]
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--section", required=True)
    parser.add_argument("--version", required=True)
    arguments = parser.parse_args()
    with open(arguments.page, encoding="utf-8") as file:
        text = file.read()
    match = re.match(r"# ([\w.-]+): (.+)\n", text)
    if not match:
        sys.exit(f"{arguments.page}:1: expected '# NAME: what it is'")
    name, what = match.groups()
    page = text[match.end():]
    out = [f'.TH {name.upper()} {arguments.section} "" "passprobe {arguments.version}" "passprobe"', ".SH NAME",
           f"{name} \\- {roff(what)}", *([] if page.lstrip().startswith("## Synopsis\n") else [".SH DESCRIPTION"]),
           *body(page), ".SH SEE ALSO",
           ".BR passprobe (1),", ".BR passprobe\\-record (1)"]
    print("\n".join(out))


main()
