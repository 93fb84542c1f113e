"""Tables of entry points (hooks/entry_points.txt, layer/entry_points.txt) and the Khronos registries that they refer to.

gen_gl.py and gen_vk.py read both through this module. A table has one rule on each line; "#" begins a comment line:

    REGEX KIND [KEY=VALUE...]

REGEX matches whole names of commands. KIND is an action kind (enum pp_action_kind in lower case), or one of
  hand       passprobe has a hand-written function for the command
  through    the command reaches the driver untouched, on purpose
  handlers   the generated hook also calls handlers
  called     passprobe calls the command itself
A command has the kind of the first rule that matches it; all rules of kind `handlers` and `called` apply in addition.

VALUE is C over the parameters of the command. It has no blanks but inside of parentheses. Which keys a kind takes says
the generator (struct Language). Each mistake is reported as FILE:LINE: what is wrong. Standard library only.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

ACTIONS = ("draw", "mesh_tasks", "clear", "dispatch", "trace_rays", "build", "copy", "blit", "resolve", "fill", "upload",
           "readback", "mipmap")
ADDITIONAL = ("handlers", "called")


class Param(NamedTuple):
    """A parameter: "const GLfloat *", "value", "[4]"."""

    type: str
    name: str
    suffix: str

    @property
    def declaration(self):
        return f"{self.type} {self.name}{self.suffix}"


class Command:
    """An entry point: its C prototype, and the rules of the table that match it."""

    def __init__(self, name, returns, params):
        self.name = name
        self.returns = returns
        self.params = params
        self.rule = None  # the rule that gives the command its kind
        self.additional = []  # rules of the kinds ADDITIONAL, in the table's order

    @property
    def kind(self):
        return self.rule.kind if self.rule else None

    @property
    def declaration(self):
        return ", ".join(p.declaration for p in self.params) or "void"

    @property
    def arguments(self):
        return ", ".join(p.name for p in self.params)

    def has(self, name):
        return any(p.name == name for p in self.params)


def parse_param(text, name):
    """A parameter from its C text."""
    match = re.fullmatch(r"(.*?)\b" + re.escape(name) + r"\s*((?:\[.*\])?)", " ".join(text.split()))
    return Param(match.group(1).strip(), name, match.group(2))


def parse_command(node, wanted=lambda param: True):
    """(name, return type, parameters) of a <command> element of a registry."""
    proto = node.find("proto")
    name = proto.find("name").text
    returns = "".join(proto.itertext()).strip()[: -len(name)].strip()
    params = [parse_param("".join(p.itertext()), p.find("name").text) for p in node.findall("param") if wanted(p)]
    return name, returns, params


def read_registry(path):
    """The root element of a registry."""
    return ElementTree.parse(path).getroot()


class Language(NamedTuple):
    """What a generator understands of the tables: {kind: keys that it takes}; keys whose value is one F(ARGS)."""

    keys: dict
    names: tuple = ("ret", "ctx")  # besides the parameters, what an expression may name


class Rule:
    """A line of a table."""

    def __init__(self, place, pattern, kind, values):
        self.place = place  # FILE:LINE
        self.pattern = pattern
        self.kind = kind
        self.values = values  # [(key, text)]
        self.parts = [re.compile(part) for part in split_top(pattern, "|")]
        self.matches = set()  # indexes of the parts that match a command

    def get(self, key):
        """The text of @p key, or None."""
        return next((text for k, text in self.values if k == key), None)

    def match(self, name):
        found = [i for i, part in enumerate(self.parts) if part.fullmatch(name)]
        self.matches.update(found)
        return bool(found)

    def unused(self):
        """Mistakes: the alternatives of the pattern that match no command."""
        return [f"{self.place}: no command is named {part.pattern}" for i, part in enumerate(self.parts) if i not in self.matches]


def split_top(text, separator):
    """Parts of @p text between separators (one character, " ": any blanks) that no parenthesis or bracket encloses."""
    parts, depth, escaped = [""], 0, False
    for c in text:
        if not escaped:
            depth += (c in "([") - (c in ")]")
        if depth < 0:
            raise ValueError("a parenthesis too many is closed")
        if depth == 0 and not escaped and (c == separator or (separator == " " and c.isspace())):
            parts.append("")
        else:
            parts[-1] += c
        escaped = c == "\\" and not escaped
    if depth:
        raise ValueError("a parenthesis is open at the end")
    return [part for part in parts if part] if separator == " " else parts


def parse_rule(line, place, language):
    """A line as a Rule. Raises ValueError: what is wrong with it."""
    pattern, _, rest = line.partition(" ")
    words = split_top(rest, " ")
    if not words:
        raise ValueError(f"not REGEX KIND [KEY=VALUE...]: {line}")
    kind, values = words[0], []
    if kind not in language.keys:
        raise ValueError(f"no kind: {kind} (one of {', '.join(language.keys)})")
    for word in words[1:]:
        key, _, text = word.partition("=")
        if key not in language.keys[kind]:
            raise ValueError(f"{kind} has no key {key} (keys: {', '.join(language.keys[kind]) or 'none'})")
        if not text:
            raise ValueError(f"{key} has no value")
        values.append((key, text))
    if kind == "handlers" and not values:
        raise ValueError("names no handler")
    try:
        return Rule(place, pattern, kind, values)
    except (re.error, ValueError) as error:
        raise ValueError(f"{pattern}: {error}") from error


def read_table(path, language, errors):
    """The rules of a table. Appends mistakes to @p errors."""
    rules = []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            rules.append(parse_rule(line, f"{path}:{number}", language))
        except ValueError as error:
            errors.append(f"{path}:{number}: {error}")
    return rules


def variables(text):
    """Names in a C expression that are variables: no function, type, macro or member."""
    found = re.findall(r"(?<![\w.>])([a-z]\w*)\b(?!\s*\()", text)
    return [name for name in found if name not in ("true", "false", "sizeof") and not name.endswith("_t")]


def check_values(rule, command, language, errors):
    """Each variable in the rule's values is a parameter of @p command."""
    for key, text in rule.values:
        for name in variables(re.sub(r"^\w+$", "", text) if rule.kind in ("handlers", "hand") else text):
            if not command.has(name) and name not in language.names:
                errors.append(f"{rule.place}: {command.name} has no parameter {name} ({key}={text})")


def apply_table(rules, commands, language, errors):
    """Give each command its rule and its additional rules. Appends mistakes to @p errors."""
    for rule in rules:
        for command in commands:
            if not rule.match(command.name):
                continue
            if rule.kind in ADDITIONAL:
                command.additional.append(rule)
            elif command.rule is None:
                command.rule = rule
            else:
                continue
            check_values(rule, command, language, errors)


def leave(errors):
    """End the process with status 1 if there are mistakes."""
    if errors:
        sys.exit("\n".join(dict.fromkeys(errors)))


def write_files(folder, files):
    """Write {name: text} into a folder."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
