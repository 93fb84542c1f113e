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


def rows():
    """(command, name, letter, commands without it) of each option. This function reads the table in another way than
    the generator does."""
    with open(OPTIONS, encoding="utf-8") as file:
        text = "\n".join(line for line in file.read().splitlines() if not line.startswith("#"))
    for block in re.split(r"^- ", text, flags=re.M)[1:]:
        field = dict(re.findall(r"^ *(name|command|letter|not_of): (.*)$", block, flags=re.M))
        yield field["command"], field["name"], field.get("letter"), field.get("not_of")


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
