#!/usr/bin/env python3
"""Compile a text file into the library, byte for byte, as a terminated array of char.

usage: gen_text.py OUT.c HEADER.h NAME FILE"""
import sys


def c_array(header, name, source, data):
    """The C file that defines the array. @p source: the file's name, for the first line."""
    if b"\0" in data:
        raise SystemExit(f"{source}: a NUL byte")
    lines = [f"/* Made by tools from {source}; do not edit. */", f'#include "{header}"', "", f"const char {name}[] = {{"]
    signed = [byte - 256 if byte > 127 else byte for byte in data] + [0]
    for i in range(0, len(signed), 20):
        lines.append("    " + " ".join(f"{value}," for value in signed[i:i + 20]))
    return "\n".join(lines + ["};", ""])


def main(out, header, name, path):
    with open(path, "rb") as file:
        data = file.read()
    with open(out, "w", encoding="ascii") as file:
        file.write(c_array(header, name, path.rsplit("/", 1)[-1], data))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
