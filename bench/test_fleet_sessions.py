"""bench/fleet_sessions writes sessions that `passprobe report` reads, with what it says was planted, and the same ones each
time. Arguments: the program, the command."""
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import take_arguments, unit_main

PROGRAM, COMMAND = sys.argv[1:3]


class FleetSessions(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="passprobe-test-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)

    def make(self, name, *words):
        """@return the folder of the sessions."""
        folder = os.path.join(self.top, name)
        subprocess.run([sys.executable, "-B", PROGRAM, "--out", folder, *words], check=True, capture_output=True)
        return folder

    def report(self, path):
        done = subprocess.run([COMMAND, "report", "--json", path], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def test_report_reads_them(self):
        folder = self.make("a", "--sessions", "24", "--frames", "30", "--builds", "4")
        reports = [self.report(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name != "fleet.json"]
        self.assertEqual(len(reports), 24)
        for report in reports:
            [surface] = report["surfaces"]
            self.assertEqual((surface["frames"], surface["first_frames"]), (30, 1))
            passes = 0 if report["options"]["level"] == "frame" else 12
            self.assertGreaterEqual(len(surface["passes"]), passes and passes - 1)
        self.assertGreater(len({report["surfaces"][0]["device"] for report in reports}), 2)
        self.assertTrue(any(report["not_measured"] for report in reports))
        self.assertTrue(any(report["ended"] != "exit" for report in reports))

    def test_same_options_give_the_same(self):
        words = ("--frames", "10", "--builds", "3", "--seed", "5")
        first, second = self.make("a", "--sessions", "6", *words), self.make("b", "--sessions", "3", "--first", "3", *words)
        for number in (3, 4, 5):
            name = f"session{number:06}"
            names = sorted(os.listdir(os.path.join(first, name)))
            self.assertEqual(sorted(os.listdir(os.path.join(second, name))), names)
            same, _, _ = filecmp.cmpfiles(os.path.join(first, name), os.path.join(second, name), names, shallow=False)
            self.assertEqual(same, names)

    def test_planted_changes_are_there(self):
        folder = self.make("a", "--sessions", "60", "--frames", "30", "--builds", "6")
        with open(os.path.join(folder, "fleet.json"), encoding="utf-8") as file:
            planted = json.load(file)["planted"][0]
        times = {}
        for name in sorted(os.listdir(folder)):
            if name == "fleet.json":
                continue
            with open(os.path.join(folder, name, "session.json"), encoding="utf-8") as file:
                tags = json.load(file)["tags"]
            [surface] = self.report(os.path.join(folder, name))["surfaces"]
            for row in surface["passes"]:
                if row["name"] == planted["pass"]:
                    key = surface["device"], tags["scene"]
                    times.setdefault(key, ([], []))[tags["build"] >= planted["since"]].append(row["p50_ns"])
        ratios = [sum(new) / len(new) / (sum(old) / len(old)) for old, new in times.values() if old and new]
        self.assertGreater(len(ratios), 3)
        self.assertAlmostEqual(sum(ratios) / len(ratios), planted["factor"], delta=0.04)


if __name__ == "__main__":
    take_arguments(2)
    unit_main()
