#!/usr/bin/env python3
"""Man pages: every command and format has one, man(1) reports no mistake, and the generator keeps each text."""
import glob
import os
import re
import subprocess
import unittest

from harness import ROOT, take_arguments, need, unit_main

BUILD, = take_arguments(1)
PAGES = {"passprobe-session.5": "docs/formats/session.md", "passprobe.conf.5": "docs/formats/configuration.md",
         "passprobe-annotate.3": "docs/formats/annotate.md"}


def rendered(path):
    env = dict(os.environ, MANWIDTH="100", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING="")
    return subprocess.run(["man", "--warnings", "-P", "cat", "-l", path], capture_output=True, text=True, check=False,
                          env=env)


def words(text):
    """The words of a text, without hyphenation and signs, for comparison."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


class Man(unittest.TestCase):
    def setUp(self):
        need("man")

    def pages(self):
        return sorted(glob.glob(os.path.join(BUILD, "share", "man", "man*", "passprobe*")))

    def test_each_command_has_a_page(self):
        listed = subprocess.run([os.path.join(BUILD, "bin", "passprobe"), "--help"], capture_output=True, text=True,
                                check=True).stdout
        names = re.findall(r"(?m)^  (?:passprobe )?([a-z]+) {2,}", listed)
        self.assertIn("stat", names)
        pages = [os.path.basename(page) for page in self.pages()]
        for name in names:
            if name != "help":
                self.assertIn(f"passprobe-{name}.1", pages)

    def test_man_has_no_warning(self):
        self.assertGreaterEqual(len(self.pages()), 10)
        for page in self.pages():
            done = rendered(page)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    @staticmethod
    def linked(match):
        """A link to a page names its man page, or its place below docs/."""
        name = os.path.basename(match.group(1))
        for page, source in PAGES.items():
            if os.path.basename(source) == name:
                return f"{page[:-2]}({page[-1]})"
        found = [os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "docs", "**", name), recursive=True)
                 if name.endswith(".md")]
        return found[0] if found else match.group(1)

    def test_prototypes_are_a_synopsis(self):
        page = rendered(os.path.join(BUILD, "share", "man", "man3", "passprobe-annotate.3")).stdout
        self.assertRegex(page, r"(?s)\nSYNOPSIS\n.*void pp_frame_end\(void\);.*\nDESCRIPTION\n")

    def test_pages_keep_the_whole_text(self):
        for page, source in PAGES.items():
            shown = words(re.sub(r"\u2010\n *|-\n *", "", rendered(os.path.join(BUILD, "share", "man", "man" + page[-1],
                                                                             page)).stdout))
            with open(os.path.join(ROOT, source), encoding="utf-8") as file:
                text = re.sub(r"\[([^\]]*)\]\([^)]*\)", self.linked, file.read())
            text = re.sub(r"(?m)^\|.*\n\| --- .*\n", "\n", text)  # a table's header: its first column is the term
            for paragraph in re.split(r"\n\s*\n|\n(?=[*|])", text)[1:]:
                for cell in re.split(r"(?<!\\)\|", paragraph):
                    self.assertTrue(words(cell.replace("\\|", "|")) in shown, f"{page} lacks: {cell}")


if __name__ == "__main__":
    unit_main()
