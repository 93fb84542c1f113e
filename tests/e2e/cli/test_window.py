"""`report --frames`, `--time` and `--between`, and windows that were recorded: every figure describes these frames only."""
import json

from command import ABOUT, CommandTest, DRAW_HEADER, LABEL_HEADER, MS, frames, passes
from harness import unit_main


class Window(CommandTest):
    def made(self, window=None, name="made"):
        """100 frames of 10 ms after the first one of 500 ms; frames 40 to 59 take 20 ms, and their passes ten times as long."""
        rows, ranked, draws, labels, start = frames(101, level="draw"), passes(101), [], [], 7_000 * MS
        for i, row in enumerate(rows):
            slow = 40 <= i < 60
            row.update(cpu_start_ns=start, frame_time_ns=20 * MS if slow else row["frame_time_ns"])
            row["pipeline:vertex_shader_invocations"] = 5000 if slow else 1200
            start += row["frame_time_ns"]
            for one in ranked[2 * i:2 * i + 2]:
                one["gpu_time_ns"] *= 10 if slow else 1
            draws.append({"frame": i, "pass": 0, "draw": 0, "draw_id": "d", "call": "glDrawArrays", "vertices": 3,
                          "gpu_time_ns": 2 * MS * (10 if slow else 1)})
            labels.append({"frame": i, "label": "scene", "passes": 1, "draws": 1, "gpu_exclusive_ns": MS,
                           "gpu_inclusive_ns": 6 * MS * (10 if slow else 1)})
        ranked.append({"pass": 0, "pass_id": "cc", "name": "late upload", "gpu_time_ns": 8 * MS})
        about = {**ABOUT, "window": window, "counts": {"frames": 101, "passes": 203}, "marks": [
            {"at_ns": rows[60]["cpu_start_ns"], "label": "end, of it"}, {"at_ns": rows[3]["cpu_start_ns"], "label": "end, of it"},
            {"at_ns": rows[40]["cpu_start_ns"], "label": "level"}, {"at_ns": rows[70]["cpu_start_ns"], "label": "level"}]}
        made = self.session(rows, ranked, about=about, name=name)
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws)
        self.write_csv(made, "labels.csv", LABEL_HEADER, labels)
        return made

    def test_every_figure_is_of_the_window(self):
        made = self.made()
        begin = 0.5 + 39 * 0.01  # of frame 40, seconds after the first frame
        for words in (("--frames", "40-59"), ("--time", f"{begin:.3f}-{begin + 0.4:.3f}"), ("--between", "level,end, of it"),
                      ("--frames", "30-59", "--time", f"{begin:.3f}-")):
            with self.subTest(words=words):
                run = self.run_command("report", *words, made)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                text = " ".join(run.stdout.split())
                self.assertIn("only frames 40-59 of 101: " + " ".join(words), text)
                self.assertIn("% of frame time of the whole session", text)
                for part in ("50.00 FPS", "20 frames in 0.400 s ", "frame time 20.00 20.00 20.00 - 20.00",
                             "66.7 60.00 60.00 60.00 60.00 60.00 40 - scene: window",
                             "5,000 pipeline:vertex_shader_invocations", "100.0 20.00 20.00 3 0 glDrawArrays in", "60.00 0.999 60.00 60.00 60.00 40 scene"):
                    self.assertIn(part, text)
                for part in ("without the first one", "late upload", "are left out", "10.00"):
                    self.assertNotIn(part, text)
                surface, = json.loads(self.run_command("report", "--json", *words, made).stdout)["surfaces"]
                self.assertEqual((surface["frames"], surface["first_frame_ns"], surface["passes"][0]["count"]), (20, None, 20))

    def test_the_first_frame_stays_the_first(self):
        """A window that begins at frame 0 leaves the first frame out as always; one that begins later has no such frame."""
        made = self.made()
        self.assertIn("9 frames in 0.090 s, without the first one (0.500 s)", self.run_command("report", "--frames", "0-9", made).stdout)
        self.assertIn("   1 frame in 0.010 s\n", self.run_command("report", "--frames", "7", made).stdout)
        self.assertIn("   41 frames in 0.410 s\n", self.run_command("report", "--frames", "60-", made).stdout)

    def test_mistakes(self):
        made = self.made()
        for words, part in ((("--frames", "9-3"), "--frames: bad value '9-3'"), (("--frames", "x"), "--frames: bad value 'x'"),
                            (("--frames", "3-x"), "bad value"), (("--frames", "1.5"), "bad value"), (("--frames", "-3"), "bad value"),
                            (("--time", "1"), "--time: bad value '1'"), (("--time", "2-1"), "bad value"),
                            (("--time", "nan-"), "bad value"), (("--between", "level"), "--between: bad value 'level'"),
                            (("--between", "level,nothing"), "has no two marks 'level,nothing'"),
                            (("--between", "end, of it,nothing"), "has no two marks"),
                            (("--frames", "500-"), "no frame is in the window"), (("--time", "60-"), "no frame is in the window")):
            with self.subTest(words=words):
                run = self.run_command("report", *words, made)
                self.assertEqual((run.returncode, run.stdout), (125, ""))
                self.assert_one_line(run.stderr, part)

    COST = {"frames": 20, "brackets": 60, "hooks_cpu_ns": 100, "hooks_usual_ns": 100, "collector_cpu_ns": 100,
            "frame_time_ns": 400 * MS, "percent": 7.5}
    OPEN = {"begun": True, "first_frame": 0, "last_frame": None, "from_ns": None, "to_ns": None, "own_cost": COST}

    def test_a_recorded_window(self):
        """stat and report: every figure describes the frames that were recorded at the requested level, whatever says which."""
        from_ns = 7_000 * MS + 500 * MS + 39 * 10 * MS  # frame 40
        windows = ({**self.OPEN, "options": "--frames 40-59", "first_frame": 40, "last_frame": 59},
                   {**self.OPEN, "options": "--delay 0.89 --duration 0.4", "from_ns": from_ns, "to_ns": from_ns + 400 * MS},
                   {**self.OPEN, "options": "--between level,end, of it", "from_ns": from_ns, "to_ns": from_ns + 400 * MS})
        for number, window in enumerate(windows):
            made = self.made(window, f"made-{number}")
            for run in (self.run_command("report", made), self.stat_of(made)):
                self.assertEqual(run.returncode, 0, run)
                text = " ".join((run.stdout or run.stderr).split())
                for part in (f"only frames 40-59 of 101: {window['options']}", "50.00 FPS", "20 frames in 0.400 s ",
                             "frame time 20.00 20.00 20.00 - 20.00", "5,000 pipeline:vertex_shader_invocations",
                             "scene: window", "60.00", "measuring cost 7.5 % of frame time, nothing lost"):
                    self.assertIn(part, text)
                for part in ("without the first one", "late upload", "at level frame", "10.00"):
                    self.assertNotIn(part, text)
            report = json.loads(self.run_command("report", "--json", made).stdout)
            self.assertEqual({name: report["window"][name] for name in ("frames", "of_frames", "first_inside", "last_inside", "recorded")},
                             {"frames": 20, "of_frames": 101, "first_inside": 40, "last_inside": 59, "recorded": window["options"]})
            self.assertEqual((report["surfaces"][0]["frames"], report["own_cost"]["percent"]), (20, 7.5))

    def test_all_frames_of_a_recorded_window(self):
        """A window of report replaces the recorded one; a frame can be shown wherever it is."""
        made = self.made({**self.OPEN, "options": "--frames 40-59", "first_frame": 40, "last_frame": 59})
        text = " ".join(self.run_command("report", "--frames", "0-", made).stdout.split())
        self.assertIn("only frames 0-100 of 101: --frames 0-", text)
        self.assertIn("100 frames in 1.200 s, without the first one (0.500 s)", text)
        self.assertIn("9 frames in 0.090 s, without the first one", self.run_command("report", "--frames", "0-9", made).stdout)
        self.assertIn("only frame 7 of 101: --frames 7", self.run_command("report", "--frames", "7", made).stdout)
        self.assertIn("frame 80 of window 1", self.run_command("report", "--frame", "80", made).stdout)

    def test_frames_that_never_came(self):
        """The window has no frame: a message says so, and no figure represents it. --require-frames counts all frames."""
        for number, window in enumerate(({**self.OPEN, "options": "--frames 500-", "first_frame": 500},
                                         {**self.OPEN, "options": "--between a,b", "begun": False})):
            made = self.made(window, f"made-{number}")
            run = self.run_command("report", made)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, f"no frame was in the window that was recorded, {window['options']}",
                                 "to see all 101 frames: passprobe report --frames 0-")
            run = self.stat_of(made, "--require-frames", "101", "--json", "out.json")
            self.assertEqual(run.returncode, 0)
            self.assertIn(f"no frame of 101 is in the window: {window['options']}", run.stderr)
            self.assertIn(f"passprobe: no frame was in the window {window['options']}; the session has 101 frames", run.stderr)
            self.assertNotIn("FPS", run.stderr)
            with open(f"{self.cwd}/out.json", encoding="utf-8") as out:
                report = json.load(out)
            self.assertEqual((report["window"]["frames"], report["surfaces"][0]["fps"]), (0, None))


if __name__ == "__main__":
    unit_main()
