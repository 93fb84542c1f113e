"""Sessions that older versions wrote still read: sessions/schemaN is one of schema N, as passprobe wrote it then (20 frames of
passprobe-sample-gl; only names of the machine were changed)."""
import csv
import json
import os

from command import CommandTest
from harness import unit_main

SESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions")


class Schemas(CommandTest):
    def test_schema_1(self):
        """Here the names of device and surface stand in frames.csv."""
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


if __name__ == "__main__":
    unit_main()
