"""What gen_options.py and gen_hardware.py share: texts in C, and the tables that they write into Markdown files.

A table is between the lines `<!-- KIND: NAME -->` and `<!-- end of KIND -->`."""
import re
import sys


def quoted(text):
    """A string literal of C."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rewritten(text, kind, tables, path):
    """The text with all tables of a kind as they should be. `tables` has the lines of each table, by name."""
    def table(match):
        if match.group(1) not in tables:
            sys.exit(f"{path}: no table is called '{match.group(1)}'")
        return "\n".join([match.group(0).split("\n", 1)[0], *tables[match.group(1)], f"<!-- end of {kind} -->"])
    new, count = re.subn(rf"<!-- {kind}: (\w+) -->\n.*?<!-- end of {kind} -->", table, text, flags=re.S)
    if count == 0:
        sys.exit(f"{path}: no '<!-- {kind}: NAME -->'")
    return new


def check_or_update(kind, tables, check, update):
    """Write the tables into the files of `update`, and compare those of `check`. Returns the exit status: 1 if a table of
    `check` is not as it should be."""
    stale = False
    for path in check + update:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        new = rewritten(text, kind, tables, path)
        if new != text and path in update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        elif new != text:
            stale = True
            print(f"{path}: the table of {kind} differs from docs/{kind}.yaml; run tools/gen_{kind}.py "
                  f"docs/{kind}.yaml --update {path}")
    return 1 if stale else 0
