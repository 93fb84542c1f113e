"""Sessions that older versions wrote still read: sessions/schemaN is one of schema N, as passprobe wrote it then (20 frames of
passprobe-sample-gl; only names of the machine were changed)."""
import csv
import json
import os

from command import ABOUT, CommandTest, frames, passes
from harness import unit_main

SESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions")


class Schemas(CommandTest):
    def test_schema_1(self):
        """Here the names of device and surface are in frames.csv."""
        made = os.path.join(SESSIONS, "schema1")
        with open(os.path.join(made, "session.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], 1)
        with open(os.path.join(made, "frames.csv"), encoding="utf-8", newline="") as file:
            times = [int(row["frame_time_ns"]) for row in csv.DictReader(file)][1:]
        run = self.run_command("report", "--json", made)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        surface, = json.loads(run.stdout)["surfaces"]
        self.assertEqual((surface["api"], surface["device"], surface["surface"]),
                         ("gl", "llvmpipe (LLVM 15.0.6, 256 bits)", "pbuffer 1"))
        self.assertEqual((surface["frames"], len(surface["passes"])), (20, 6))
        self.assertAlmostEqual(surface["fps"], 1e9 * len(times) / sum(times), 6)
        self.assertEqual(surface["times"]["frame_time"]["max_ns"], max(times))
        text = self.run_command("report", made)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("llvmpipe (LLVM 15.0.6, 256 bits), pbuffer 1", " ".join(text.stdout.split()))

    def test_schema_2(self):
        """frames.csv has numbers, session.json their names. A number without a name is shown as such."""
        devices = [{**ABOUT["devices"][0], "name": "first"}, {**ABOUT["devices"][0], "name": "second, 256 bits"}]
        rows = frames(20, device=1, surface=0) + frames(20, device=7, surface=1)
        for i, row in enumerate(rows):
            row["frame"] = i
        for name, about, expected in (
                ("named", {**ABOUT, "schema": 2, "devices": devices, "surfaces": [{"name": "left", "device": 1}]},
                 [("second, 256 bits", "left"), ("device 7", "surface 1")]),
                ("nameless", None, [("device 1", "surface 0"), ("device 7", "surface 1")])):
            with self.subTest(name):
                made = self.session(rows, passes(40), about=about, name=name)
                run = self.run_command("report", "--json", made)
                found = [(it["device"], it["surface"]) for it in json.loads(run.stdout)["surfaces"]]
                self.assertEqual((run.returncode, sorted(found)), (0, sorted(expected)))


if __name__ == "__main__":
    unit_main()
