"""Sessions of --keep-slower-than: tables of passes, draws and labels show the kept frames, and the command says so."""
import json

from command import ABOUT, CommandTest, DRAW_HEADER, MS, frames, passes
from harness import unit_main

OPTIONS = {"level": "draw", "every": 1, "keep_slower_than_ns": 50 * MS, "keep_around": 1}
SLOW = 60


class Kept(CommandTest):
    def made(self, kept, name="made", **more):
        """100 frames of 10 ms after the first one; frame 60 takes 110 ms, because the pass "scene" takes 106 ms."""
        rows, start = frames(101, level="draw"), 7_000 * MS
        for row in rows:
            if row["frame"] == SLOW:
                row.update(frame_time_ns=110 * MS, gpu_time_ns=109 * MS, gpu_busy_ns=109 * MS, cpu_wait_ns=108 * MS)
            row["cpu_start_ns"] = start
            start += row["frame_time_ns"]
        fine = [row for row in passes(101) if row["frame"] in kept]
        for row in fine:
            row["draws"] = row["pass"]
            if row["frame"] == SLOW and row["pass"] == 1:
                row["gpu_time_ns"] = 106 * MS
        draws = [{"frame": frame, "pass": 1, "draw": 0, "draw_id": "d", "call": "glDrawArrays", "vertices": 3,
                  "gpu_time_ns": 2 * MS} for frame in kept]
        about = {**ABOUT, "options": {**OPTIONS, **more},
                 "counts": {"frames": 101, "passes": len(fine), "draws": len(draws), "kept_frames": len(kept)}}
        made = self.session(rows, fine, about=about, name=name)
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws)
        return made

    def test_tables_are_of_the_kept_frames(self):
        """A frame's share of passes and draws: three frames have rows, not 100."""
        made = self.made((59, 60, 61))
        for run in (self.run_command("report", made), self.stat_of(made)):
            self.assertEqual(run.returncode, 0, run)
            text = " ".join((run.stdout or run.stderr).split())
            self.assertIn("kept 3 frames: those slower than 50 ms, and 1 before and after each; the tables of passes", text)
            self.assertIn("100 frames in 1.100 s", text)
            self.assertRegex(text, r"(rows/frame 1\.0|1\.0 rows a frame): 1\.0 draws")  # frames.csv says 5 draws, the pass says 1
            self.assertIn("39.33", text)  # scene, ms a frame: (6 + 106 + 6) / 3
            self.assertNotIn("damage", text)
            self.assertNotIn("missing", text)
        report = json.loads(self.run_command("report", "--json", made).stdout)
        self.assertEqual(report["kept"], {"slower_than_ns": 50 * MS, "around": 1, "frames": 3})
        scene, = (row for row in report["surfaces"][0]["passes"] if row["name"] == "window")
        self.assertEqual((scene["count"], scene["per_frame"]), (3, 1))
        self.assertEqual(report["surfaces"][0]["frames"], 101)

    def test_the_first_frame_does_not_count(self):
        report = json.loads(self.run_command("report", "--json", self.made((0, 59, 60, 61))).stdout)
        self.assertEqual(report["kept"]["frames"], 3)
        window = json.loads(self.run_command("report", "--json", "--frames", "60-", self.made((59, 60, 61), "two")).stdout)
        self.assertEqual((window["kept"]["frames"], window["surfaces"][0]["passes"][0]["count"]), (2, 2))

    def test_the_cause_is_compared_with_frames_that_are_not_slow(self):
        text = " ".join(self.run_command("report", self.made((59, 60, 61))).stdout.split())
        self.assertIn("gpu: scene 106 ms, usually 6.00 ms", text)

    def test_no_pass_is_blamed_where_only_slow_frames_have_rows(self):
        """Nothing says how long the pass usually is; the GPU's time of the frame is known."""
        text = " ".join(self.run_command("report", self.made((60,), keep_around=0)).stdout.split())
        self.assertIn("gpu: all work together 109 ms, usually 8.00 ms", text)
        self.assertNotIn("gpu: scene", text)
        self.assertIn("kept 1 frame: those slower than 50 ms; the tables", text)

    def test_a_frame_without_rows(self):
        made = self.made((59, 60, 61))
        self.assertIn("passes       rows are kept of slow frames", self.run_command("report", "--frame", "80", made).stdout)
        shown = self.run_command("report", "--frame", "60", made).stdout
        self.assertNotIn("rows are kept", shown)
        self.assertIn("scene: window", shown)

    def test_doctor(self):
        run = self.run_command("doctor", "true", env={"FAKE_SESSION": self.made((59, 60, 61)), "FAKE_PROGRAM": "true"})
        self.assertIn("of 3 frames only, because of --keep-slower-than", " ".join(run.stdout.split()))

    def test_no_frame_was_slow(self):
        run = self.run_command("report", self.made((), keep_slower_than_ns=500 * MS))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("kept         no frame was slower than 500 ms", run.stdout)
        self.assertIn("# no passes: no frame was slower than --keep-slower-than asks for", run.stdout)
        self.assertEqual(self.stat_of(self.made((), "other", keep_slower_than_ns=500 * MS)).returncode, 0)


if __name__ == "__main__":
    unit_main()
