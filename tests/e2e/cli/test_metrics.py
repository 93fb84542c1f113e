#!/usr/bin/env python3
"""test_metrics.py PASSPROBE VECTORS: `--metrics FILE` in list, decode and record. Values are computed again from the
CSV; mistakes are printed with file, line, column and the underlined text before anything runs."""
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

from harness import take_arguments, environment, unit_main

PASSPROBE, VECTORS = map(os.path.abspath, take_arguments(2))


class Metrics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def run_here(self, *arguments):
        env = environment()
        done = subprocess.run([PASSPROBE, *arguments], cwd=self.folder, capture_output=True, timeout=100, check=False, env=env)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def rows(self, *arguments):
        status, out, err = self.run_here(*arguments)
        self.assertEqual(status, 0, err)
        return list(csv.DictReader(io.StringIO(out, newline="")))

    def refused(self, place, words, *arguments):
        """Expect one message: the place, the line, and a caret under the words."""
        status, out, err = self.run_here(*arguments)
        self.assertEqual(status, 125, err)
        lines = [line for line in err.splitlines() if "no --gpu" not in line]
        self.assertEqual(len(lines), 3, err)
        self.assertTrue(lines[0].startswith(f"passprobe: {place}: "), lines[0])
        begin = lines[1].index(words)
        self.assertEqual(lines[2][begin:], "^" + "~" * (len(words) - 1))
        return out

    def mali_dump(self):
        with open(os.path.join(VECTORS, "mali", "12c-pass.json"), encoding="utf-8") as file:
            vector = json.load(file)
        self.write("dump", bytes.fromhex(vector["dumps"][0]))

    def oa_pair(self):
        with open(os.path.join(VECTORS, "intel-oa", "pairs.json"), encoding="utf-8") as file:
            pairs = json.load(file)["vectors"]
        busy = next(v for v in pairs if v["device"] == "kblgt2" and int(v["deltas"]["A"][7]) > 1000)
        self.write("pair", bytes.fromhex(busy["begin"]) + bytes.fromhex(busy["end"]))

    def test_mali_metrics_of_a_section(self):
        self.mali_dump()
        self.write("m", "session_only = gpu_time_ns\n[gpu mali-*]\nhalf [cycles] = $MaliGPUCyclesGPUActive / 2\n"
                        "again = half * 2 - gpu_active_cycles + 1 / (half - half)\n[gpu other]\nno = 1\n")
        row = self.rows("decode", "mali", "--metrics", "m", "dump")[0]
        self.assertEqual(float(row["half_cycles"]), int(row["MaliGPUCyclesGPUActive_cycles"]) / 2)
        self.assertEqual(row["again"], "")
        self.assertNotIn("no", row)
        self.assertNotIn("session_only", row)

    def test_a_file_defines_a_gpu(self):
        self.mali_dump()
        self.write("m", "[gpu mine like mali-g76]\ncounter Twin [cycles] = JM 6 single\n"
                        "same = Twin - $MaliGPUCyclesGPUActive\n")
        row = self.rows("decode", "mali", "-g", "mine", "--metrics", "m", "dump")[0]
        self.assertEqual(row["Twin_cycles"], row["MaliGPUCyclesGPUActive_cycles"])
        self.assertEqual(row["same"], "0")

    def test_intel_metrics_of_a_section(self):
        self.oa_pair()
        self.write("m", "[gpu kbl*]\nactive_clocks [cycles] = A7 / EuCoresTotalCount\nboth [percent] = EuActive + EuStall\n")
        row = self.rows("decode", "intel-oa", "--pairs", "--metrics", "m", "pair")[0]
        self.assertAlmostEqual(float(row["both_percent"]), float(row["EuActive_percent"]) + float(row["EuStall_percent"]))
        clocks = float(row["GpuCoreClocks_cycles"]) * float(row["EuActive_percent"]) / 100
        self.assertLess(abs(float(row["active_clocks_cycles"]) - clocks), 1)

    def test_mistakes_are_underlined(self):
        self.mali_dump()
        self.oa_pair()
        self.write("m", "[gpu *]\nok = 1\n\nx [percent] = 100 * GpuCoreClock / 3 # no\n")
        self.refused("m:4:21", "GpuCoreClock", "decode", "mali", "--metrics", "m", "dump")
        self.refused("m:4:21", "GpuCoreClock", "decode", "intel-oa", "--pairs", "--metrics", "m", "pair")
        self.write("m", "fine = gpu_time_ns\nx = gpu_time_ns / (drows + 1)\n")
        for command in ("record", "stat"):
            out = self.refused("m:2:20", "drows", command, "--metrics", "m", "--", "echo", "ran")
            self.assertEqual(out, "")
        self.refused("m:2:20", "drows", "list", "-e", "metric:", "--metrics", "m")

    def test_unreadable_files_are_refused(self):
        for path in ("nowhere", "."):
            status, _, err = self.run_here("record", "--metrics", path, "--", "true")
            self.assertEqual(status, 125)
            self.assertEqual(len(err.splitlines()), 1)
            self.assertIn(path, err)

    def test_list_shows_user_metrics(self):
        self.write("m", "[gpu llvmpipe*]\nshare [percent] = 100 * gpu_busy_ns / frame_time_ns # How busy\n")
        status, out, err = self.run_here("list", "-e", "metric:*", "--metrics", "m")
        self.assertEqual(status, 0, err)
        for text in ("metric:overdraw [fragments/pixel]", "metric:share [percent]  for llvmpipe*", "How busy",
                     "= 100 * gpu_busy_ns / frame_time_ns"):
            self.assertIn(text, out)

    def test_list_shows_all_of_mali(self):
        status, out, err = self.run_here("list", "-e", "mali")
        self.assertEqual(status, 0, err)
        self.assertEqual(out.count("\n          = "), 85 + 63)
        self.assertIn("fpk_killed_quad_percentage [percent]", out)


if __name__ == "__main__":
    unit_main()
