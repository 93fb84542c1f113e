#!/usr/bin/env python3
"""docs/options.yaml -> the options of each command as C (members of a struct, rows that say how they are filled),
--help texts, man pages; and the tables in docs/reference.md and docs/env_vars.md.

    gen_options.py OPTIONS --out DIR              write DIR/pp_options.h, DIR/pp_config_options.h, DIR/options-COMMAND.inc (man)
    gen_options.py OPTIONS --check FILE...        exit 1 if a table between the marks of FILE is not what OPTIONS says
    gen_options.py OPTIONS --update FILE...       write those tables

A table is between the lines `<!-- options: NAME -->` and `<!-- end of options -->`; NAME is record, runs, sets or variables.
The file is a flat list of flat maps, so this script reads it line by line and needs no YAML library."""
import argparse
import os
import re
import sys
import textwrap

from doc_tables import check_or_update, quoted

REQUIRED = ("name", "command", "summary", "text")
FIELDS = REQUIRED + ("letter", "arg", "default", "not_of", "type", "least", "most", "unit", "words", "enum", "ends",
                     "expected", "given", "into", "times", "not_with", "needs")
# type -> the C type of the member, and how its name ends.
MEMBERS = {"flag": ("bool ", ""), "text": ("const char *", ""), "number": ("uint64_t ", ""), "time": ("uint64_t ", "_ns"),
           "bytes": ("uint64_t ", "_bytes"), "percent": ("double ", "_percent"), "words": ("", "")}
UNITS = {"time": {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}, "bytes": {"K": 2**10, "M": 2**20, "G": 2**30}}
# Commands that take the options of `record`.
LIKE_RECORD = ("record", "stat", "doctor", "compare", "top")
# Options of several commands that have no variable: the name in `command`, and the commands.
GROUPS = {"runs": ("record", "stat", "compare"), "sets": ("record",)}
# Options of `diff` that `compare` hands on to it: all but those of the same name as one of `record`.
HANDED_ON = {"compare": "diff"}
HELP_INDENT = 30
HELP_WIDTH = 80


def read(path):
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            match = re.fullmatch(r"(- |  )(\w+): (.+)", line)
            if not match or match.group(2) not in FIELDS or (not rows and match.group(1) != "- "):
                sys.exit(f"{path}:{number}: expected '- name: NAME' or '  FIELD: TEXT'")
            if match.group(1) == "- ":
                rows.append({"line": number, "text": []})
            value = match.group(3)
            if len(value) > 1 and value[0] == value[-1] == '"':  # as in YAML, where a text has ": " in it
                value = value[1:-1]
            if match.group(2) == "text":
                rows[-1]["text"].append(value)
            elif match.group(2) in rows[-1]:
                sys.exit(f"{path}:{number}: field '{match.group(2)}' is given twice")
            else:
                rows[-1][match.group(2)] = value
    seen = set()
    for row in rows:
        missing = [field for field in REQUIRED if not row.get(field)]
        if missing:
            sys.exit(f"{path}:{row['line']}: no '{missing[0]}'")
        if not re.fullmatch(r"[a-z]+(-[a-z]+)*", row["name"]) or len(row.get("letter", "x")) != 1:
            sys.exit(f"{path}:{row['line']}: a name has lower-case words joined by '-', a letter is one character")
        key = (row["command"], row["name"])
        if key in seen:
            sys.exit(f"{path}:{row['line']}: option --{row['name']} of {row['command']} is defined twice")
        seen.add(key)
    return rows


def only_on_command_line(row, command):
    """Is this an option of a command that runs an application, without a variable?"""
    if row.get("not_of") == command:
        return False
    return command in GROUPS.get(row["command"], ()) or row["command"] == command != "record"


def handed_on(rows, command):
    """The options that a command hands on to another one."""
    taken = {row["name"] for row in rows if row["command"] in ("record", "runs", command)} | {"pairs", "time", "trend"}
    return [row for row in rows if row["command"] == HANDED_ON.get(command) and row["name"] not in taken]


def of_command(rows, command):
    """The options that --help and the man page of a command show."""
    tables = {"record", command} if command in LIKE_RECORD else {command}
    tables.update(group for group, commands in GROUPS.items() if command in commands)
    return [row for row in rows if row["command"] in tables and row.get("not_of") != command] + handed_on(rows, command)


def with_variable(rows):
    """The options that also have a variable and a configuration key."""
    return [row for row in rows if row["command"] == "record"]


def with_argument(row, join):
    """A long option with its argument: an argument in brackets may be left out."""
    arg = row.get("arg")
    if not arg:
        return f"--{row['name']}"
    return f"--{row['name']}[={arg[1:]}" if arg.startswith("[") else f"--{row['name']}{join}{arg}"


def help_lines(row, command):
    """The lines of one option in --help."""
    launches = command in LIKE_RECORD
    letter = f"-{row['letter']}, " if "letter" in row else "    "
    left = f"  {letter}{with_argument(row, ' ')}"
    text = row["summary"] + (f" [{row['default']}]" if row["command"] == "record" and "default" in row else "")
    right = textwrap.wrap(text, HELP_WIDTH - HELP_INDENT - launches, break_long_words=False, break_on_hyphens=False)
    lines = []
    if len(left) > HELP_INDENT - 2 + launches:
        lines.append(left)
        left = ""
    for text in right:
        lines.append(left.ljust(HELP_INDENT) + text)
        left = ""
    return lines


def kind(row):
    return row.get("type") or ("text" if "arg" in row else "flag")


def words(row):
    return row.get("words") or row["arg"]


def c_name(row):
    return row["name"].replace("-", "_")


def member_name(row):
    """The member that has the value; None: a function of the option's own stores it."""
    if kind(row) == "own":
        return None
    return row.get("into") or c_name(row) + MEMBERS[kind(row)][1]


def given_name(row):
    return c_name(row) + "_given" if "given" in row else None


def is_list(row):
    return int(row.get("times", 0)) > 1


def member_lines(row):
    """The members of an option in the struct of its command."""
    name, about = member_name(row), f"/**< --{row['name']}"
    out = []
    if name and "into" not in row:
        ctype = "struct pp_option_texts " if is_list(row) else MEMBERS[kind(row)][0]
        if kind(row) == "words":
            each = ", ".join(f"PP_{row['command']}_{c_name(row)}_{word}".upper() for word in words(row).split("|"))
            ctype = f"enum {row['enum']} " if "enum" in row else f"enum {{ {each} }} "
        none = "; NULL: not given" if kind(row) == "text" and "default" not in row and not is_list(row) else ""
        out.append(f"    {ctype}{name}; {about}{none} */")
    if given_name(row):
        out.append(f"    bool {given_name(row)}; {about} was given */")
    return out


def limit(row, text):
    """A limit in the unit of the row's value."""
    if kind(row) == "percent":
        return round(float(text) * 10**6)
    number, unit = re.fullmatch(r"(\d+)(\w*)", text).groups()
    return int(number) * (UNITS[kind(row)][unit] if unit else 1)


def expected(row):
    """What a good value is, for the message of a bad one."""
    least, most = row.get("least"), row.get("most")
    bounds = {(True, True): f" from {least} to {most}", (True, False): f", {least} or more",
              (False, True): f", {most} at most", (False, False): ""}[least is not None, most is not None]
    usual = {"flag": "the value is 1 or 0", "number": "the value is a number" + bounds,
             "percent": "the value is a percentage" + bounds, "bytes": "the value is a number of bytes" + bounds,
             "time": "the value is a time with its unit" + bounds}
    return row.get("expected") or usual.get(kind(row)) or (
        "the value is " + " or ".join(words(row).rsplit("|", 1)).replace("|", ", ") if kind(row) == "words" else "")


def c_row(row, command):
    """A row of core/config/option.h, as a command has it; T is the struct."""
    said = {"name": quoted(row["name"]), "letter": f"'{row['letter']}'" if "letter" in row else None,
            "arg": quoted(row["arg"]) if "arg" in row else None,
            "help": "".join(quoted(line)[:-1] + '\\n"' for line in help_lines(row, command)),
            "not_of": quoted(row["not_of"]) if "not_of" in row else None,
            "preset": quoted(row["default"]) if "default" in row else None,
            "expected": quoted(expected(row)) if expected(row) else None,
            "type": f"PP_OPTION_{kind(row).upper()}",
            "at": f"offsetof(T, {member_name(row)})" if member_name(row) else None,
            "given_at": f"offsetof(T, {given_name(row)})" if given_name(row) else None}
    for field in ("least", "most"):
        said[field] = f"UINT64_C({limit(row, row[field])})" if field in row else None
    said["unit"] = f"UINT64_C({UNITS['time'][row['unit']]})" if "unit" in row else None
    one_of = words(row) if kind(row) == "words" else row.get("ends")
    said["one_of"] = quoted(one_of) if one_of else None
    said["times"] = row["times"] + "U" if "times" in row else None
    said["not_with"] = quoted(f" {row['not_with']} ") if "not_with" in row else None
    said["needs"] = quoted(row["needs"]) if "needs" in row else None
    said["set"] = f"set_{c_name(row)}" if kind(row) == "own" else None
    return "    {" + ", ".join(f".{field} = {value}" for field, value in said.items() if value) + "},"


def macro(head, lines):
    return [f"#define {head} \\"] + [line + " \\" for line in lines[:-1]] + [lines[-1], ""]


def command_macros(rows, command):
    """What the options of a command are in C: of one that runs an application, those without a variable."""
    own = [row for row in rows if only_on_command_line(row, command)]
    out = []
    if command not in LIKE_RECORD:
        out += [f"/* Members of a struct: the options of `passprobe {command}`. */"]
        out += macro(f"PP_{command.upper()}_OPTIONS", [line for row in own for line in member_lines(row)] or [""])
    if own:
        out += [f"/* The rows of these options; T is the struct. */", *macro(f"PP_{command.upper()}_ROWS(T)", [c_row(row, command) for row in own])]
    if handed_on(rows, command):
        out += [f"/* The options of `passprobe {HANDED_ON[command]}` that `passprobe {command}` has, too. */",
                *macro(f"PP_{command.upper()}_{HANDED_ON[command].upper()}_ROWS(T)",
                       [c_row(row, command) for row in handed_on(rows, command)])]
    return out


def file_of(guard, lines):
    return "\n".join(["/* DO NOT EDIT: made from docs/options.yaml by tools/gen_options.py */", f"#ifndef {guard}",
                      f"#define {guard}", "", *lines, "#endif", ""])


def config_header(rows):
    """The options that also have a variable: they are read in the application's process, too."""
    out = ["/* Members of struct pp_config. */"]
    out += macro("PP_CONFIG_OPTIONS", [line for row in with_variable(rows) for line in member_lines(row)])
    out += ["/* The rows of these options; T is the struct. */"]
    return file_of("PP_CONFIG_OPTIONS_H", out + macro("PP_CONFIG_ROWS(T)", [c_row(row, "record") for row in with_variable(rows)]))


def header(rows):
    """All others."""
    run = {}
    for command in LIKE_RECORD:
        for row in rows:
            if only_on_command_line(row, command):
                lines = run.setdefault(row["name"], member_lines(row))
                if lines != member_lines(row):
                    sys.exit(f"--{row['name']} of {row['command']} is another value than that of another command")
    out = ["/* Members of a struct: what commands that run an application have in addition. */"]
    out += macro("PP_RUN_OPTIONS", [line for lines in run.values() for line in lines])
    for command in sorted({row["command"] for row in rows}.difference(GROUPS).union(LIKE_RECORD)):
        out += command_macros(rows, command)
    return file_of("PP_OPTIONS_H", out)


def roff(text):
    """`literal` -> bold, _PLACEHOLDER_ -> italic; everything else as it is."""
    def escape(part):
        return part.replace("\\", "\\e").replace("-", "\\-")
    out = ""
    for part in re.split(r"(`[^`]*`|\b_[^_`]+_)", text):
        if part.startswith("`"):
            out += "\\fB" + escape(part[1:-1]) + "\\fR"
        elif re.fullmatch(r"_[^_`]+_", part):
            out += "\\fI" + escape(part[1:-1]) + "\\fR"
        else:
            out += part.replace("\\", "\\e")
    return "\\&" + out if out.startswith((".", "'")) else out


def man(rows, command):
    out = [".SH OPTIONS"]
    if command in LIKE_RECORD:
        own = ", ".join(f"\\fB\\-\\-{row['name']}\\fR" for row in rows if only_on_command_line(row, command) or row in handed_on(rows, command))
        out += ["Every long option" + (f" except {own}" if own else ""),
                "has an environment variable and a key in the configuration file; see", ".BR passprobe (1)."]
    for row in of_command(rows, command):
        head = f"\\fB\\-{row['letter']}\\fR, " if "letter" in row else ""
        head += "\\fB\\-\\-" + row["name"].replace("-", "\\-") + "\\fR"
        arg = row.get("arg")
        if arg:
            head += f"[=\\fI{arg[1:-1]}\\fR]" if arg.startswith("[") else f"=\\fI{arg}\\fR"
        out += [".TP", head]
        for number, text in enumerate(row["text"]):
            out += ([".IP"] if number else []) + textwrap.wrap(roff(text), 78, break_long_words=False,
                                                               break_on_hyphens=False)
        if "default" in row and not any("Default" in text for text in row["text"]):
            out.append(f"Default: \\fB{row['default']}\\fR.")
    return "\n".join(out) + "\n"


def option_table(rows, title="option of `stat` and `record`", choose=with_variable):
    out = [f"| {title} | meaning | default |", "| --- | --- | --- |"]
    for row in choose(rows):
        name = (f"`-{row['letter']}`, " if "letter" in row else "") + f"`{with_argument(row, ' ')}`"
        default = f"`{row['default']}`" if "default" in row else ""
        cells = [cell.replace("|", r"\|") for cell in (name, row["summary"], default)]
        out.append(f"| {' | '.join(cells)} |".replace("|  |", "| |"))
    return out


def variable_table(rows):
    out = ["| variable | option |", "| --- | --- |"]
    for row in with_variable(rows):
        out.append(f"| `PASSPROBE_{row['name'].replace('-', '_').upper()}` | `--{row['name']}` |")
    return out


def runs_table(rows):
    return option_table(rows, "option of `stat` and `record`",
                        lambda rows: [row for row in rows if row["command"] == "runs"])


def sets_table(rows):
    return option_table(rows, "option of `record`",
                        lambda rows: [row for row in rows if row["command"] == "sets"])


TABLES = {"record": option_table, "runs": runs_table, "sets": sets_table, "variables": variable_table}


def write_changed(path, text):
    """Write a header; one that stays the same is not touched, so that what includes it is not compiled again."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("options")
    parser.add_argument("--out")
    parser.add_argument("--check", nargs="+", default=[])
    parser.add_argument("--update", nargs="+", default=[])
    arguments = parser.parse_args()
    rows = read(arguments.options)
    if arguments.out:
        for name, text in (("pp_options.h", header(rows)), ("pp_config_options.h", config_header(rows))):
            write_changed(os.path.join(arguments.out, name), text)
        for command in sorted({row["command"] for row in rows}.union(LIKE_RECORD).difference(GROUPS)):
            with open(os.path.join(arguments.out, f"options-{command}.inc"), "w", encoding="utf-8") as file:
                file.write(man(rows, command))
    tables = {name: make(rows) for name, make in TABLES.items()}
    return check_or_update("options", tables, arguments.check, arguments.update)


if __name__ == "__main__":
    sys.exit(main())
