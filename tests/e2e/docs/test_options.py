#!/usr/bin/env python3
"""docs/options.yaml is the one table of options: help texts, man pages, reference.md and env_vars.md agree with it, the
commands accept what it names, and mistakes in it are named with their line."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import ROOT, take_arguments, environment, unit_main

OPTIONS = os.path.join(ROOT, "docs", "options.yaml")
BUILD, = take_arguments(1)


def generate(*arguments):
    return subprocess.run([sys.executable, os.path.join(ROOT, "tools", "gen_options.py"), *arguments],
                          capture_output=True, text=True, check=False)


def table():
    """The fields of each option. This function reads the table in another way than the generator does."""
    with open(OPTIONS, encoding="utf-8") as file:
        text = "\n".join(line for line in file.read().splitlines() if not line.startswith("#"))
    for block in re.split(r"^- ", text, flags=re.M)[1:]:
        yield dict(re.findall(r"^ *(\w+): (.*)$", block, flags=re.M))


def rows():
    """(command, name, letter, commands without it) of each option."""
    for field in table():
        yield field["command"], field["name"], field.get("letter"), field.get("not_of")


LAUNCH = ("record", "stat", "doctor", "compare", "top")


def number(text):
    """The digits and the unit of a limit."""
    return re.fullmatch(r"([\d.]+)(\w*)", text).groups()


def wrong_values(field):
    """Values that the option must refuse: no value of its type, and one beyond each limit."""
    kind = field.get("type", "text" if "arg" in field else "flag")
    if kind in ("own", "flag") or (kind == "text" and "ends" not in field):
        return []
    wrong = ["", "-1", "no such value", "1" * 40]
    if "least" in field and float(number(field["least"])[0]) >= 1 and field["least"] != "1ns":
        digits, unit = number(field["least"])
        wrong.append(f"{int(digits) - 1}{unit}")
    elif "least" in field:
        wrong.append("0")
    if "most" in field:
        wrong.append(str(int(field["most"]) + 1))
    return wrong


def good(field):
    """The option with a value that it takes."""
    if "arg" not in field:
        return "--" + field["name"]
    words = field.get("words", field["arg"] if "|" in field["arg"] else "").split("|")[0]
    value = "x" + field["ends"].split("|")[0] if "ends" in field else words or number(field.get("least", "1"))[0]
    return f"--{field['name']}={value}"


def passprobe(*arguments):
    env = environment()
    return subprocess.run([os.path.join(BUILD, "bin", "passprobe"), *arguments], capture_output=True, text=True,
                          check=False, env=env)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Options(unittest.TestCase):
    def commands(self, command, without=None):
        every = {"record": ("record", "stat", "doctor", "compare"), "runs": ("record", "stat", "compare"),
                 "sets": ("record",)}.get(command, (command,))
        return [one for one in every if one != without]

    def test_help_names_each_option(self):
        for command, name, letter, without in rows():
            for one in self.commands(command, without):
                text = passprobe(one, "--help").stdout
                self.assertRegex(text, rf"(?m)^  {'-' + letter + ', ' if letter else '    '}--{name}\b", one)

    def test_help_names_no_other_option(self):
        for one in ("record", "stat", "doctor", "report", "archive", "export", "list", "decode"):
            known = {name for command, name, _, without in rows() if one in self.commands(command, without)} | {"help"}
            shown = set(re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", passprobe(one, "--help").stdout))
            self.assertEqual(shown, known, one)

    def test_compare_has_the_options_of_diff(self):
        """All but those that another option of compare has the name of, and those that make no sense there."""
        shown = set(re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", passprobe("compare", "--help").stdout))
        of_diff = {name for command, name, _, _ in rows() if command == "diff"} - {"pairs", "time", "trend"}
        self.assertGreater(len(of_diff), 8)
        self.assertEqual(of_diff - shown, set())
        own = {name for command, name, _, without in rows() if "compare" in self.commands(command, without)}
        self.assertEqual(shown, of_diff | own | {"help"})

    def test_commands_accept_each_option(self):
        for command, name, letter, without in rows():
            for one in self.commands(command, without if command == "runs" else None):
                for option in ["--" + name] + (["-" + letter] if letter else []):
                    said = passprobe(one, option, "--no-such-option").stderr
                    self.assertNotRegex(said, rf"unknown option '{option}'", one)

    def each(self):
        """Each option on the command line of each command that has it: (command, option, what follows)."""
        for field in table():
            for one in self.commands(field["command"], field.get("not_of")):
                yield one, field, ["true"] if one in LAUNCH else []
        for field in table():
            if field["command"] == "record":
                yield "top", field, ["true"]

    def refused(self, one, words, *parts):
        """The command ends with 125 and one line that has all parts."""
        run = passprobe(one, *words)
        self.assertEqual((run.returncode, run.stdout), (125, ""), (one, words))
        self.assertEqual(run.stderr.count("\n"), 1, (one, words, run.stderr))
        for part in parts:
            self.assertIn(part, run.stderr, (one, words))

    def test_unknown_options_are_refused(self):
        commands = {one for one, _, _ in self.each()}
        self.assertGreater(len(commands), 12)
        for one in sorted(commands):
            self.refused(one, ["--zzz-no-such"], f"unknown option '--zzz-no-such'; `passprobe {one} --help` shows the options")
            self.refused(one, ["--zzz=secret"], "unknown option '--zzz'")
            self.refused(one, ["-?"], "unknown option '-?'")

    def test_missing_and_needless_arguments_are_refused(self):
        checked = 0
        for one, field, _ in self.each():
            name, arg = field["name"], field.get("arg")
            for option in ["--" + name] + (["-" + field["letter"]] if "letter" in field else []):
                if arg and not arg.startswith("["):
                    self.refused(one, [option], f"option '{option}' needs an argument: {arg}\n")
                    checked += 1
            if not arg:
                self.refused(one, [f"--{name}=1"], f"option '--{name}' takes no argument\n")
        self.assertGreater(checked, 150)

    def test_wrong_values_are_refused(self):
        checked = 0
        for one, field, follows in self.each():
            wrong = wrong_values(field)
            if one != field["command"] and one in LAUNCH:
                wrong = wrong[-1:]  # all commands that have the option read it by one row
            for value in wrong:
                self.refused(one, [f"--{field['name']}={value}", *follows],
                             f"--{field['name']}: bad value '{value}': {field.get('expected', 'the value is ')}")
            checked += len(wrong)
        self.assertGreater(checked, 100)

    def test_limits_are_values(self):
        """The least and the largest value are taken: the message is another one, about what else is wrong."""
        for one, field, _ in self.each():
            if one != field["command"] and field["command"] == "record":
                continue
            for limit in (field.get("least"), field.get("most")):
                if limit:
                    said = passprobe(one, f"--{field['name']}={limit}", "--zzz-no-such").stderr
                    self.assertIn("unknown option '--zzz-no-such'", said, (one, field["name"], limit))

    def test_too_many_are_refused(self):
        """What may be given once is refused twice; of what has a bound, one more is. The last one of others counts."""
        checked = 0
        for one, field, follows in self.each():
            times = int(field.get("times", 0))
            if not times:
                continue
            why = "only one is possible" if times == 1 else f"at most {times} times"
            self.refused(one, [f"--{field['name']}=a=1"] * (times + 1) + follows, f"--{field['name']}: {why}\n")
            checked += 1
        self.assertGreater(checked, 6)
        self.refused("report", ["-E1", "-E2", "-Ex"], "--entries: bad value 'x'")
        self.refused("top", ["--pid=1", "--pid=2", "true"], "--pid")

    def test_what_does_not_go_together_is_refused(self):
        checked = 0
        every = list(self.each())
        for one, field, follows in every:
            of = {other["name"]: other for command, other, _ in every if command == one}
            for name in field.get("not_with", "").split():
                self.refused(one, [good(field), good(of[name]), *follows],
                             f"--{field['name']} and --{name} are not possible together\n")
                checked += 1
            if "needs" in field:
                self.refused(one, [good(field), *follows], f"--{field['name']} needs --{field['needs']}\n")
                checked += 1
        self.assertGreater(checked, 70)

    def test_man_pages_have_each_option(self):
        every = list(rows())
        for command, name, _, without in every:
            for one in self.commands(command):
                if without == one and any(other[:2] == (one, name) for other in every):
                    continue  # the command has an option of its own with this name
                page = read(os.path.join(BUILD, "share", "man", "man1", f"passprobe-{one}.1"))
                heading = "\\fB\\-\\-" + name.replace("-", "\\-") + "\\fR"
                self.assertEqual(heading in page, one != without, one + " " + heading)

    def test_tables_in_the_documents_are_current(self):
        done = generate(OPTIONS, "--check", os.path.join(ROOT, "docs", "reference.md"),
                        os.path.join(ROOT, "docs", "env_vars.md"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_stale_table_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write("<!-- options: record -->\n| old |\n<!-- end of options -->\n")
            self.assertEqual(generate(OPTIONS, "--check", path).returncode, 1)
            self.assertEqual(generate(OPTIONS, "--update", path).returncode, 0)
            self.assertEqual(generate(OPTIONS, "--check", path).returncode, 0)

    def test_mistakes_are_named_with_their_line(self):
        good = "- name: a\n  command: record\n  summary: s\n  text: t\n"
        for text, want in ((good + "  colour: x\n", ":5: expected"), ("  name: a\n", ":1: expected"),
                           (good.replace("  text: t\n", ""), ":1: no 'text'"), (good + good, ":5: option --a of record"),
                           (good + "  summary: x\n", ":5: field 'summary'"),
                           (good.replace("a\n", "A b\n", 1), ":1: a name has"),
                           (good + "  letter: xy\n", ":1: a name has")):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                done = generate(file.name)
                self.assertNotEqual(done.returncode, 0, text)
                self.assertIn(want, done.stderr, text)


if __name__ == "__main__":
    unit_main()
