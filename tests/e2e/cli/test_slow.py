"""Slow frames and their causes, as `stat`, `report`, `report --worst` and `report --frame` print them. test_slow_frames.c
has the rules."""
import os

from command import ABOUT, CommandTest, MS, frames, passes
from harness import unit_main


class Slow(CommandTest):
    @staticmethod
    def rows():
        """200 frames of 10 ms after the first one of 500 ms. Frame 60 takes 170 ms, because of the pass "shadow map"."""
        rows, ranked = frames(201), passes(201)
        rows[60].update(frame_time_ns=170 * MS, gpu_busy_ns=169 * MS, gpu_time_ns=169 * MS)
        rows[100].update(frame_time_ns=11 * MS)
        ranked[120].update(gpu_time_ns=163 * MS)
        return rows, ranked

    def made(self):
        return self.session(*self.rows(), about=ABOUT)

    def test_the_summary_lists_them(self):
        made = self.made()
        for run in (self.run_command("report", made).stdout, self.stat_of(made).stderr):
            text = " ".join(run.split())
            self.assertIn("slow frames: 1 of 200, at least 17.0x as long as the frames around them frame at s ms because "
                          "60 - 170.0 gpu: shadow map 163 ms, usually 3.00 ms", text)
        self.assertNotIn("slow frames", self.run_command("report", self.session(frames(201), passes(201), name="even")).stdout)

    def test_frames_around_are_of_its_level(self):
        """The level changed again and again while the application ran: a frame is compared with frames of its level."""
        rows, ranked = self.rows()
        for i, row in enumerate(rows):
            row["level"] = "draw" if i % 6 == 0 else "pass"
            ranked[2 * i]["gpu_time_ns"] += 2 * MS if i % 6 == 0 else 0
        text = " ".join(self.run_command("report", "--frame", "60", self.session(rows, ranked, about=ABOUT)).stdout.split())
        self.assertIn("gpu: shadow map 165 ms, usually 5.00 ms", text)

    def test_hint_names_the_session(self):
        """Unless `report` reads this session by itself."""
        rows = frames(401)
        for i in range(40, 400, 22):
            rows[i].update(frame_time_ns=170 * MS)
        made = self.session(rows, passes(401), about=ABOUT, name="a session")
        hint = "the 12 longest, in order of time; 5 more: passprobe report --worst 64"
        self.assertIn(f"{hint} '{made}'\n", self.run_command("report", made).stdout)
        os.symlink(made, os.path.join(self.cwd, "passprobe.data"))
        self.assertIn(f"{hint}\n", self.run_command("report").stdout)
        self.assertIn(f"{hint}\n", self.run_command("report", "../a session").stdout)

    def test_worst(self):
        """Frames need not be slow for --worst; only they are printed."""
        run = self.run_command("report", "--worst", "2", self.made())
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        text = " ".join(run.stdout.split())
        self.assertTrue(text.startswith("the 2 longest frames, in order of time frame at s ms because 60 - 170.0 gpu: shadow map"), text)
        self.assertIn(" 100 - 11.0 ", text)
        self.assertNotIn("FPS", text)

    def test_worst_says_that_no_frame_is_slow(self):
        rows = frames(201)
        rows[100].update(frame_time_ns=11 * MS)
        text = self.run_command("report", "--worst", "2", self.session(rows, passes(201), about=ABOUT)).stdout
        self.assertIn("\n   none of them is slow: a slow frame is much longer than the frames around it\n", text)
        self.assertTrue(text.startswith("\n   the 1 longest frame, in order of time\n"), text)
        self.assertIn(" 100 ", text)
        text = self.run_command("report", "--worst", "2", self.session(frames(201), passes(201), name="even")).stdout
        self.assertEqual(text, "\n   no frame is longer than the frames around it\n")
        self.assertNotIn("none of them", self.run_command("report", "--worst=2", self.session(*self.rows(), name="one")).stdout)

    def test_worst_names_the_window(self):
        """If there are several, each has a list."""
        rows = frames(402)
        for i, row in enumerate(rows):
            row.update(surface=f"window {1 + i % 2}", frame_time_ns=(500 if i < 2 else 170 if i == 61 else 10) * MS)
        text = self.run_command("report", "--worst", "1", self.session(rows, about=ABOUT)).stdout
        first, second = text.split("\n   frames of window 1:\n")
        first, second = (second, first) if "frames of window 2" in first else second.split("\n   frames of window 2:\n")
        self.assertIn("no frame is longer", first)
        self.assertIn(" 61 ", second)

    def test_one_frame(self):
        made = self.made()
        run = self.run_command("report", "--frame", "60", made)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        text = " ".join(run.stdout.split())
        for part in ("frame 60 of window 1, ", "frame time 170 ms, usually 10.0 ms", "because gpu: shadow map 163 ms",
                     "shadow map 163.00 ms 3.00 ms scene: window 6.00 ms 6.00 ms", "draws 5 5"):
            self.assertIn(part, text)
        self.assertNotIn("FPS", text)
        self.assertIn("not slow", self.run_command("report", "--frame", "61", made).stdout)

    def test_a_frame_that_is_not_slow_has_causes_too(self):
        """Each 8th frame takes 30 ms, so a frame of 40 ms is not in the list: --frame says why, and shows its cause."""
        rows, ranked = frames(201), passes(201)
        for i in range(8, 201, 8):
            rows[i].update(frame_time_ns=30 * MS)
        rows[60].update(frame_time_ns=40 * MS)
        ranked[120].update(gpu_time_ns=33 * MS)
        made = self.session(rows, ranked, about=ABOUT)
        text = " ".join(self.run_command("report", "--frame", "60", made).stdout.split())
        self.assertIn("frame time 40.0 ms, usually 10.0 ms not slow slow frames begin at 45.0 ms here: a tenth of the frames "
                      "around takes 30.0 ms or more, so such times are common because gpu: shadow map 33.0 ms, usually 3.00 ms "
                      "times", text)
        text = " ".join(self.run_command("report", "--frame", "120", made).stdout.split())
        self.assertIn("because no cause in what was measured every 8th frame", text)

    def test_parts_of_a_time_stand_below_it(self):
        """Creating pipelines is a part of CPU busy; the head and the table know one usual frame time."""
        rows, ranked = self.rows()
        for i, row in enumerate(rows):
            row.update(pipeline_create_ns=0)
            if i:
                row["frame_time_ns"] += i * 37 % 211 * MS
        text = self.run_command("report", "--frame", "60", self.session(rows, ranked, about=ABOUT)).stdout
        self.assertLess(text.index("CPU busy"), text.index("creating pipelines"))
        self.assertLess(text.index("creating pipelines"), text.index("CPU wait"))
        usual = [line.split("usually ")[1] for line in text.splitlines() if "frame time" in line and "usually" in line]
        table, = (line.split()[-2] for line in text.splitlines() if line.startswith("   frame time  ") and "usually" not in line)
        self.assertEqual(float(usual[0].split()[0]), float(table))

    def test_mistakes(self):
        made = self.made()
        for words, part in ((("--frame", "x"), "--frame: bad value 'x'"), (("--frame", "-1"), "--frame: bad value '-1'"),
                            (("--frame", "999"), "frames.csv has no frame 999"),
                            (("--worst", "0"), "--worst: bad value '0'"), (("--worst", "65"), "--worst: bad value '65'"),
                            (("--worst", "2x"), "--worst: bad value '2x'")):
            with self.subTest(words=words):
                run = self.run_command("report", *words, made)
                self.assertEqual((run.returncode, run.stdout), (125, ""))
                self.assert_one_line(run.stderr, part)


if __name__ == "__main__":
    unit_main()
