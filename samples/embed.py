#!/usr/bin/env python3
"""Write text files as C string literals: embed.py OUT.h NAME=FILE ...  The first line (#version) is left out,
since each program puts its own in front."""
import json
import sys


def main():
    out, *items = sys.argv[1:]
    lines = ["/* Made by samples/embed.py; do not edit. */"]
    for item in items:
        name, path = item.split("=", 1)
        with open(path, encoding="utf-8") as file:
            version, *text = file.read().splitlines()
        if not version.startswith("#version"):
            sys.exit(f"{path}:1: expected #version")
        lines.append(f"static const char {name}[] =")
        lines += ["    " + json.dumps(line + "\n") for line in text]
        lines[-1] += ";"
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


main()
