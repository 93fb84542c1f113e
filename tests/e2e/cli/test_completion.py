"""Completion of the command line, by running bash's, with a `passprobe list` that this test makes. The scripts of zsh and
fish are read by their shells, where these are installed."""
import os
import shutil
import subprocess
import tempfile
import unittest

from harness import take_arguments, unit_main

BINARY, FOLDER = take_arguments(2)
LIST = """Contexts of this machine:

  [1]  OpenGL (EGL)  card

Events:                                                   [1]

  time                                                    yes
  pipeline:vertex_shader_invocations                      yes
  pipeline:clipping_primitives                            no(1)
  khr:cycles                                              yes
"""


class Bash(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="passprobe-test-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        with open(os.path.join(self.top, "passprobe"), "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\n[ \"$*\" = list ] || exit 1\necho asked >> '{self.top}/asked'\ncat << 'END'\n{LIST}END\n")
        os.chmod(os.path.join(self.top, "passprobe"), 0o755)
        os.mkdir(os.path.join(self.top, "folder"))

    def complete(self, *lines):
        """What TAB offers at the end of each line, in one shell."""
        script = f"source '{FOLDER}/passprobe'; " + " ".join(
            f"COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; _passprobe; printf '%s\\n' \"${{COMPREPLY[*]}}\";" for line in lines)
        run = subprocess.run(["bash", "--norc", "-c", "set -u; " + script], cwd=self.top, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, check=False, timeout=60,
                             env={**os.environ, "PATH": self.top + ":" + os.environ["PATH"], "LC_ALL": "C"})
        self.assertEqual(run.stderr, "", lines)
        answers = run.stdout.splitlines()
        self.assertEqual(len(answers), len(lines), run.stdout)
        return [answer.split() for answer in answers]

    def test_commands(self):
        help_text = subprocess.run([BINARY, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        offered = self.complete("passprobe ", "passprobe st", "passprobe help re")
        for line in help_text.split("\n\n")[2].splitlines():
            self.assertIn(line.split()[0], offered[0])
        self.assertEqual(offered[1:], [["stat"], ["record", "report"]])

    def test_every_option_is_offered(self):
        for command in ("stat", "record", "report", "list", "doctor", "decode", "archive", "sessions"):
            text = subprocess.run([BINARY, command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
            known = {word.rstrip(",").partition("[")[0] for line in text.splitlines() if line.startswith("  ") and "-" in line[:8]
                     for word in line.split()[:2] if word.startswith("--")}
            self.assertTrue(known, command)
            self.assertLessEqual(known, set(self.complete(f"passprobe {command} -")[0]), command)

    def test_values(self):
        offered = self.complete("passprobe stat -l ", "passprobe stat --level p", "passprobe stat --level=d",
                                "passprobe stat -l pass --frame-on m", "passprobe record -o fol", "passprobe stat -l pass --se")
        self.assertEqual(offered, [["frame", "pass", "draw"], ["pass"], ["draw"], ["marker"], ["folder"], ["--serialize"]])

    def test_events(self):
        """Events of the machine, in lists and groups; a colon ends a word of readline."""
        offered = self.complete("passprobe stat -e pi", "passprobe stat -e pipeline:c", "passprobe stat -e time,k",
                                "passprobe stat -e {khr:cycles,ti", "passprobe record --events=time,khr:")
        self.assertEqual(offered, [["pipeline:vertex_shader_invocations", "pipeline:clipping_primitives"],
                                   ["clipping_primitives"], ["time,khr:cycles"], ["cycles,time"], ["cycles"]])
        with open(os.path.join(self.top, "asked"), encoding="utf-8") as file:
            asked = file.read().splitlines()
        self.assertLessEqual(len(asked), 5)

    def test_the_application_has_its_own_completion(self):
        offered = self.complete("passprobe stat -- ls -", "passprobe stat ls --lev", "passprobe stat -l pass ls --lev")
        self.assertEqual(offered, [[], [], []])


class Others(unittest.TestCase):
    def test_syntax(self):
        found = 0
        for shell, name in (("zsh", "_passprobe"), ("fish", "passprobe.fish")):
            if shutil.which(shell):
                found += 1
                run = subprocess.run([shell, "-n", os.path.join(FOLDER, name)], stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((run.returncode, run.stderr), (0, ""), shell)
        if not found:
            self.skipTest("neither zsh nor fish is installed")


if __name__ == "__main__":
    unit_main()
