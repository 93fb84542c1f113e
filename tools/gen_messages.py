#!/usr/bin/env python3
"""docs/messages.yaml -> pp_messages.h: enum pp_message and its table.

The file is a flat list of flat maps, so it is read line by line here and needs no YAML library."""
import re
import sys

FIELDS = ("id", "name", "level", "text", "help")
LEVELS = {"error": -1, "warning": 0, "note": 1}


def read(path):
    rows = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            m = re.fullmatch(r"(- |  )(\w+): (.+)", line)
            if not m or m.group(2) not in FIELDS:
                sys.exit(f"{path}:{number}: expected '- id: N' or '  field: text'")
            if m.group(1) == "- ":
                rows.append({})
            rows[-1][m.group(2)] = m.group(3)
    ids, names = set(), set()
    for row in rows:
        if set(row) != set(FIELDS) or row["level"] not in LEVELS:
            sys.exit(f"{path}: message {row.get('id')}: needs {', '.join(FIELDS)}")
        if row["id"] in ids or row["name"] in names:
            sys.exit(f"{path}: message {row['id']}: id or name used twice")
        ids.add(row["id"])
        names.add(row["name"])
    return rows


def main():
    rows = read(sys.argv[1])
    out = ["/* DO NOT EDIT: made from docs/messages.yaml by tools/gen_messages.py */", "#ifndef PP_MESSAGES_H",
           "#define PP_MESSAGES_H", "", "enum pp_message {"]
    out += [f"    PP_MSG_{r['name'].upper()}, /**< {r['text']} */" for r in rows]
    out += ["    PP_MESSAGE_COUNT", "};", "",
            "/* id, level (-1 error, 0 warning, 1 note), name */", "#define PP_MESSAGE_TABLE \\"]
    out += [f'    {{{r["id"]}, {LEVELS[r["level"]]}, "{r["name"]}"}}, \\' for r in rows]
    out += ["", "#endif", ""]
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write("\n".join(out))


main()
