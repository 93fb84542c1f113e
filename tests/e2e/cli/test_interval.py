"""`stat -I MS`: a line for each interval while the application runs, and one for the rest at its end."""
import re

from command import ABOUT, CommandTest, MS, frames, passes
from harness import unit_main

LINE = re.compile(r" *(\d+\.\d) s +(\d+\.\d FPS   p99 .*|no frames)")


class Interval(CommandTest):
    def made(self):
        """120 frames: 20 ms, each second one with 14 ms of GPU work; frame 60 takes 90 ms. One more window has 10 frames."""
        rows = frames(130)
        for i, row in enumerate(rows):
            row.update(frame_time_ns=90 * MS if i == 60 else 20 * MS, cpu_start_ns=i * 20 * MS, gpu_busy_ns=14 * MS if i % 2 else "",
                       surface="window 2" if i >= 120 else "window 1")
            if i >= 120:
                row.update(frame_time_ns=1000 * MS, gpu_busy_ns=900 * MS)
        ranked = passes(130)
        for one in ranked[::2]:
            one["name"] = "shadow"
        return self.session(rows, ranked, about={**ABOUT, "counts": {"frames": 130}})

    def lines(self, *words, command=("true",), made=None):
        run = self.stat_of(made or self.made(), *words, command=command)
        self.assertEqual(run.returncode, 0, run)
        self.assert_narrow(run.stderr)
        return [line for line in run.stderr.splitlines() if LINE.fullmatch(line)]

    def test_the_rest_has_a_line(self):
        """The application ends before the first interval, so one line has all frames. 120 frames in 2.47 s; p99 is between
        the two longest of them: 119 * 0.99 = 117.81."""
        for words in (("-I", "60s"), ("--interval-print", "60000"), ("-I60000",), ("--interval-print=60000",)):
            line, = self.lines(*words, made=self.made() if words[0] == "-I" else self.top + "/made")
            self.assertRegex(line, r"^ +\d+\.\d s +48\.6 FPS   p99 20\.0   GPU 14\.0   slow 1   scene 67 %  shadow 33 %$")

    def test_no_passes_where_only_slow_frames_have_rows(self):
        line, = self.lines("-I", "60s", "--keep-slower-than", "50")
        self.assertRegex(line, r"GPU 14\.0   slow 1$")

    def test_lines_come_while_the_application_runs(self):
        lines = self.lines("-I", "200", command=("sleep", "1.5"))
        self.assertGreater(len(lines), 2)
        times = [float(LINE.fullmatch(line).group(1)) for line in lines]
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(times[0], 0.2)
        self.assertIn("no frames", lines[-1])

    def test_no_lines_without_the_option(self):
        self.assertEqual(self.lines(), [])

    def test_mistakes(self):
        for value in ("100", "0", "x", "-5", "", "0.1s"):
            run = self.run_command("stat", "-I", value, "--", "true")
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, f"--interval-print: bad value '{value}'")
        run = self.run_command("record", "-I", "1000", "--", "true")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "-I")


if __name__ == "__main__":
    unit_main()
