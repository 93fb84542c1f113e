#!/usr/bin/env python3
"""Compile a text file into the library, byte for byte, as a terminated array of char.

usage: gen_text.py OUT.c HEADER.h NAME FILE"""
import sys


def main(out, header, name, path):
    with open(path, "rb") as file:
        data = file.read()
    if b"\0" in data:
        raise SystemExit(f"{path}: a NUL byte")
    lines = [f"/* Made by tools/gen_text.py from {path.rsplit('/', 1)[-1]}; do not edit. */", f'#include "{header}"', "",
             f"const char {name}[] = {{"]
    signed = [byte - 256 if byte > 127 else byte for byte in data] + [0]
    for i in range(0, len(signed), 20):
        lines.append("    " + " ".join(f"{value}," for value in signed[i:i + 20]))
    lines += ["};", ""]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
