#!/usr/bin/env python3
"""docs/options.yaml -> core's option table, --help texts, man pages; and the tables in docs/reference.md and
docs/env_vars.md.

    gen_options.py OPTIONS --out DIR              write DIR/pp_options.h and DIR/options-COMMAND.inc (man)
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
FIELDS = REQUIRED + ("letter", "arg", "default", "not_of")
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


def help_lines(row):
    """The lines of one option in --help, as core's own table prints them (cli's option printer)."""
    letter = f"-{row['letter']}, " if "letter" in row else "    "
    left = f"  {letter}{with_argument(row, ' ')}"
    right = textwrap.wrap(row["summary"], HELP_WIDTH - HELP_INDENT, break_long_words=False, break_on_hyphens=False)
    lines = []
    if len(left) > HELP_INDENT - 2:
        lines.append(left)
        left = ""
    for text in right:
        lines.append(left.ljust(HELP_INDENT) + text)
        left = ""
    return lines


def header(rows):
    out = ["/* DO NOT EDIT: made from docs/options.yaml by tools/gen_options.py */", "#ifndef PP_OPTIONS_H",
           "#define PP_OPTIONS_H", "",
           "/* X(setter, name, letter, argument or NULL, summary, default, command without this option) */",
           "#define PP_OPTION_TABLE(X) \\"]
    for row in with_variable(rows):
        letter = f"'{row['letter']}'" if "letter" in row else "0"
        arg = quoted(row["arg"]) if "arg" in row else "NULL"
        out.append(f"    X({row['name'].replace('-', '_')}, {quoted(row['name'])}, {letter}, {arg}, "
                   f"{quoted(row['summary'])}, {quoted(row.get('default', ''))}, {quoted(row.get('not_of', ''))}) \\")
    out += ["", "/* X(command, name, letter, argument or NULL, summary, handed on to another command): options without a variable */",
            "#define PP_OWN_OPTION_TABLE(X) \\"]
    for command in LIKE_RECORD:
        own = [row for row in rows if only_on_command_line(row, command)]
        further = handed_on(rows, command)
        for row in own + further:
            arg = quoted(row["arg"]) if "arg" in row else "NULL"
            letter = f"'{row['letter']}'" if "letter" in row else "0"
            out.append(f"    X({quoted(command)}, {quoted(row['name'])}, {letter}, {arg}, {quoted(row['summary'])}, "
                       f"{'true' if row in further else 'false'}) \\")
    out.append("")
    for command in sorted({row["command"] for row in rows}.difference(LIKE_RECORD, GROUPS)):
        out.append(f"/** The options of `passprobe {command}`, as its --help shows them. */")
        out.append(f"#define PP_HELP_{command.upper()} \\")
        lines = [line for row in of_command(rows, command) for line in help_lines(row)]
        lines.append("  -h, --help".ljust(HELP_INDENT) + "show this text")
        out += [f'    {quoted(line)[:-1]}\\n" \\' for line in lines[:-1]] + [f"    {quoted(lines[-1])}", ""]
    return "\n".join(out + ["#endif", ""])


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("options")
    parser.add_argument("--out")
    parser.add_argument("--check", nargs="+", default=[])
    parser.add_argument("--update", nargs="+", default=[])
    arguments = parser.parse_args()
    rows = read(arguments.options)
    if arguments.out:
        with open(os.path.join(arguments.out, "pp_options.h"), "w", encoding="utf-8") as file:
            file.write(header(rows))
        for command in sorted({row["command"] for row in rows}.union(LIKE_RECORD).difference(GROUPS)):
            with open(os.path.join(arguments.out, f"options-{command}.inc"), "w", encoding="utf-8") as file:
                file.write(man(rows, command))
    tables = {name: make(rows) for name, make in TABLES.items()}
    return check_or_update("options", tables, arguments.check, arguments.update)


if __name__ == "__main__":
    sys.exit(main())
