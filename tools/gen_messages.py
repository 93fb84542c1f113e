#!/usr/bin/env python3
"""docs/messages.yaml -> two headers. pp_messages.h: ids and formats of messages and notes, and the table of
core/util/log.c. pp_texts.h: texts that are parts of others, or that the command prints.

    tools/gen_messages.py docs/messages.yaml FOLDER

The file is a flat list of flat maps, so it is read here without a YAML library. A map that begins with id is a message,
one that does not is a text: its name and itself. A value may continue on lines that are indented by four columns. A value
that begins with | keeps its lines."""
import json
import os
import re
import sys

FIELDS = {"id", "name", "level", "event", "format", "text", "help"}
LEVELS = {"error": -1, "warning": 0, "note": 1, "session": 2}
TEXT = "text"  # level of a row that is no message
CONVERSION = re.compile(r"%(?:%|[-#0]?(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:ll|l|z)?[sudxcfg]|(.))")


def scalar(value, place):
    if value.startswith("|"):
        return value[1:].rstrip("\n") + "\n"
    if not value.startswith('"'):
        return value
    try:
        return json.loads(value)
    except ValueError:
        sys.exit(f"{place}: a quoted value must end with a quote")


def place_of(row):
    return f"text {row['name']}" if row.get("level") == TEXT else f"message {row.get('id')}"


def read(path):
    rows, last = [], None
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line and last and rows[-1][last].startswith("|"):
                rows[-1][last] += "\n"
            if not line.strip() or line.startswith("#"):
                continue
            m = re.fullmatch(r"(- |  )(\w+): (\S.*)", line)
            if m and m.group(1) == "- " and m.group(2) not in FIELDS:
                rows.append({"name": m.group(2), "level": TEXT, "text": m.group(3)})
                last = "text"
            elif m and m.group(2) in FIELDS:
                if m.group(1) == "- ":
                    rows.append({})
                last = m.group(2)
                if not rows or last in rows[-1]:
                    sys.exit(f"{path}:{number}: '{last}' occurs twice, or before '- id'")
                rows[-1][last] = m.group(3)
            elif last and rows[-1][last].startswith("|") and line.startswith("    "):
                rows[-1][last] += line[4:] + "\n"
            elif last and re.match(r"    \S", line):
                rows[-1][last] += " " + line.strip()
            else:
                sys.exit(f"{path}:{number}: expected '- id: N', '- name: text', '  field: text' or a continuation")
    return [{field: scalar(value, f"{path}: {place_of(row)}") for field, value in row.items()} for row in rows]


def check(path, rows):
    ids, names = set(), set()
    for row in rows:
        place = f"{path}: {place_of(row)}"
        message = row.get("level") != TEXT
        needed = {"id", "name", "level", "text", "help"}
        if message and (not needed <= set(row) or row["level"] not in LEVELS or not row["id"].isdigit()):
            sys.exit(f"{place}: needs {', '.join(sorted(needed))}; level is one of {', '.join(LEVELS)}")
        if row.get("id") in ids or row["name"] in names:
            sys.exit(f"{place}: id or name used twice")
        ids |= {row["id"]} if message else set()
        names.add(row["name"])
        if message and "format" not in row and "%" in row["text"]:
            sys.exit(f"{place}: a text with '%' needs a format")
        for text in (row.get("format", "") if message else row["text"], row.get("event", "")):
            bad = [m.group(0) for m in CONVERSION.finditer(text) if m.group(1)]
            if bad:
                sys.exit(f"{place}: the conversion {bad[0]} is not among the allowed ones")


def macro(row):
    """PP_TEXT_x: a text as it is. PP_FORMAT_x: one for printf."""
    text = row.get("format", row.get("text"))
    return ("FORMAT" if "%" in text else "TEXT"), row["name"].upper(), json.dumps(text, ensure_ascii=False)


def messages(rows):
    """Messages of stderr come first, so that core/util/log.c keeps texts for those only."""
    rows = sorted((row for row in rows if row["level"] in LEVELS), key=lambda row: row["level"] == "session")
    logged = sum(row["level"] != "session" for row in rows)
    out = ["/* DO NOT EDIT: made from docs/messages.yaml by tools/gen_messages.py */", "#ifndef PP_MESSAGES_H",
           "#define PP_MESSAGES_H", "", "/** A row of docs/messages.yaml. */", "enum pp_message {"]
    out += [f"    PP_ID_{row['name'].upper()}," for row in rows]
    out += ["    PP_MESSAGE_COUNT,", f"    PP_LOG_COUNT = {logged} /**< the first ones are those of stderr */", "};", "",
            "/* PP_MSG_x: id and format, for pp_log() and its like. PP_FORMAT_x: the format, if it has conversions.",
            " * PP_TEXT_x: the text, if it has none. PP_EVENT_x: the name of the reason in events_missing. */"]
    for row in rows:
        kind, name, text = macro(row)
        out += [f"#define PP_{kind}_{name} {text}", f"#define PP_MSG_{name} PP_ID_{name}, PP_{kind}_{name}"]
        if "event" in row:
            out.append(f"#define PP_EVENT_{name} {json.dumps(row['event'], ensure_ascii=False)}")
    out += ["", "/* id, level (-1 error, 0 warning, 1 note, 2 session.json only) */", "#define PP_MESSAGE_TABLE \\"]
    out += [f'    {{{row["id"]}, {LEVELS[row["level"]]}}}, \\' for row in rows[:logged]]
    return out + ["", "#endif", ""]


def texts(rows):
    """Texts that are in other texts or on a screen: nothing counts or repeats them, so they have no enumerator."""
    out = ["/* DO NOT EDIT: made from docs/messages.yaml by tools/gen_messages.py */", "#ifndef PP_TEXTS_H",
           "#define PP_TEXTS_H", "", "/* PP_FORMAT_x: the format, if it has conversions. PP_TEXT_x: the text, if it has none. */"]
    for row in [row for row in rows if row["level"] == TEXT]:
        kind, name, text = macro(row)
        out.append(f"#define PP_{kind}_{name} {text}")
    return out + ["", "#endif", ""]


def main():
    rows = read(sys.argv[1])
    check(sys.argv[1], rows)
    for name, lines in (("pp_messages.h", messages(rows)), ("pp_texts.h", texts(rows))):
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines))


if __name__ == "__main__":
    main()
