"""`compare`: two commands in balanced order, and the comparison of their runs."""
import json
import os
import signal
import subprocess
import time

from command import ABOUT, CommandTest, MS, frames, passes
from harness import unit_main

# The application's first argument is the side; its session has the next of the planned frame times.
GAME = """#!/bin/sh
echo "on stdout"
n=$(($(cat count-$1 2>/dev/null || echo 0) + 1))
echo $n > count-$1
echo "$1 $(basename "$PASSPROBE_OUTPUT")" >> order
{also}
[ -e made-$1-$n ] || exit 9
FAKE_SESSION=$PWD/made-$1-$n FAKE_PROGRAM=true /bin/true
"""


class Compare(CommandTest):
    def plan(self, a, b, also="", **more):
        """Make an application whose runs have these frame times in ms: those with the argument x, those with y."""
        for side, times in (("x", a), ("y", b)):
            for number, ms in enumerate(times, 1):
                made = frames(20, **(more if side == "y" else {}))
                for row in made:
                    row["frame_time_ns"] = round(ms * MS)
                    row["gpu_time_ns"] = row["gpu_busy_ns"] = round(ms * MS * 0.9)
                self.session(made, passes(20), about={**ABOUT, "counts": {"frames": 20}}, name=f"cwd/made-{side}-{number}")
        return self.script("game", GAME.format(also=also))

    def compare(self, game, *words, **more):
        return self.run_command("compare", *words, "--", game, "x", "--", game, "y", **more)

    def order(self):
        with open(os.path.join(self.cwd, "order"), encoding="utf-8") as file:
            return [line.split()[0] for line in file]

    def sessions(self, folder="passprobe.data"):
        path = os.path.join(self.cwd, folder)
        return sorted(name for name in os.listdir(path) if os.path.isdir(os.path.join(path, name)))

    def test_balanced_order(self):
        game = self.plan([10] * 4, [10] * 4)
        run = self.compare(game, "-n", "4")
        self.assertEqual(run.returncode, 0, run)
        self.assertEqual("".join(self.order()), "xyyxxyyx")
        self.assertEqual(self.sessions(), ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"])
        with open(os.path.join(self.cwd, "passprobe.data", "runs.json"), encoding="utf-8") as file:
            runs = json.load(file)
        self.assertEqual([(one["session"], one["command"], one["number"]) for one in runs["runs"]],
                         [("a1", 0, 1), ("b1", 1, 1), ("b2", 1, 2), ("a2", 0, 2), ("a3", 0, 3), ("b3", 1, 3), ("b4", 1, 4), ("a4", 0, 4)])
        self.assertEqual(runs["commands"], [[game, "x"], [game, "y"]])

    def test_warm_up_runs_of_both(self):
        game = self.plan([50, 10, 10], [50, 10, 10])
        self.assertEqual(self.compare(game, "-n", "2", "--warm-up", "1").returncode, 0)
        self.assertEqual(("".join(self.order()), self.sessions()), ("xyxyyx", ["a1", "a2", "b1", "b2"]))

    def test_slower_and_the_output_of_the_commands(self):
        """The table alone is on stdout; the exit status is that of diff."""
        game = self.plan([10, 10.1, 10, 9.9], [12, 12.1, 12, 11.9])
        run = self.compare(game, "-n", "4")
        self.assertEqual(run.returncode, 1, run)
        self.assertNotIn("on stdout", run.stdout)
        self.assertEqual(run.stderr.count("on stdout"), 8)
        self.assertRegex(run.stdout, r"frame time p50 +10\.00 +12\.00 +\+20\.0 .* slower")
        run = self.run_command("diff", "--pairs", *(f"passprobe.data/a{n}" for n in range(1, 5)), "--",
                               *(f"passprobe.data/b{n}" for n in range(1, 5)))
        self.assertRegex(run.stdout, r"frame time p50 +10\.00 +12\.00 +\+20\.0 .* slower")

    def test_drift_cancels(self):
        """The machine becomes 10 % slower with each run, far more than the sides differ: B takes 5 % more."""
        drift = [1.1 ** n for n in range(12)]
        place = {"x": (0, 3, 4, 7, 8, 11), "y": (1, 2, 5, 6, 9, 10)}
        game = self.plan([10 * drift[n] for n in place["x"]], [10.5 * drift[n] for n in place["y"]])
        run = self.compare(game, "--json")
        self.assertEqual(self.order(), ["x", "y", "y", "x"] * 3)
        surface = json.loads(run.stdout)["surfaces"][0]
        found = [row for row in surface["rows"] if (row["name"], row["stat"]) == ("frame_time", "p50")]
        self.assertAlmostEqual(found[0]["percent"], 5, delta=0.01)

    def test_options_of_diff_are_handed_on(self):
        game = self.plan([10] * 3, [10.4] * 3)
        self.assertEqual(self.compare(game, "-n", "3").returncode, 1)
        game = self.plan_again([10] * 3, [10.4] * 3)
        run = self.compare(game, "-n", "3", "--threshold", "10%", "--all")
        self.assertEqual(run.returncode, 0, run)
        self.assertIn("dispatches", run.stdout)  # a row that only --all shows

    def test_limits_of_diff(self):
        game = self.plan([10] * 3, [10.1] * 3)
        run = self.compare(game, "-n", "3", "--fail-above", "frame-time:p50 0.5%", "--fail-above", "gpu-busy:p50 5%")
        self.assertEqual(run.returncode, 1, run)

    def plan_again(self, a, b):
        for name in os.listdir(self.cwd):
            if name.startswith(("made", "count", "order")):
                subprocess.run(["rm", "-r", os.path.join(self.cwd, name)], check=True)
        return self.plan(a, b)

    def test_options_are_checked_before_anything_runs(self):
        game = self.plan([10], [10])
        for words, want in ((("--threshold", "x"), "threshold"), (("-n", "0"), "--runs: bad value '0'"), (("--until", "x"), "--until"),
                            (("--separator", "++"), "a second command is missing after '++'"),
                            (("--fail-above", "fpss 3"), "did you mean 'fps'?"), (("--html", "page"), "--html"),
                            (("--html", "no/page.html"), "cannot write no/page.html: No such file"),
                            (("--junit", "no/junit.xml"), "cannot write no/junit.xml: No such file"),
                            (("--markdown", ".."), "cannot write ..: Is a directory"),
                            (("--markdown", "out", "--junit", "out"), "cannot write out: it is"),
                            (("--markdown", "made-x-1/frames.csv"), "cannot write made-x-1/frames.csv: the folder is a session"),
                            (("--html", "made-x-1/page.html"), "cannot write made-x-1/page.html: the folder is a session")):
            run = self.compare(game, *words)
            self.assertEqual(run.returncode, 125, run)
            self.assert_one_line(run.stderr, want)
        for words in ((game, "--", "/no/such"), ("/no/such", "--", game)):
            run = self.run_command("compare", "-n", "2", "--", *words)
            self.assertEqual(run.returncode, 125, run)
            self.assert_one_line(run.stderr, "cannot run /no/such")
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "order")))
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "passprobe.data")))

    def test_commands_with_two_hyphens(self):
        game = self.plan([10] * 2, [10] * 2)
        run = self.run_command("compare", "-n", "2", "--", game, "x", "--", "1", "--", game, "y")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "there is more than one '--' between the commands; choose another word: --separator WORD")
        run = self.run_command("compare", "-n", "2", "--separator", "+++", "--", game, "x", "--", "1", "+++", game, "y", "--")
        self.assertEqual((run.returncode, self.sessions()), (0, ["a1", "a2", "b1", "b2"]), run)
        for words in ((), ("--",), ("--", game), ("--", game, "--"), ("--", "--", game)):
            run = self.run_command("compare", *words)
            self.assertEqual(run.returncode, 125, run)
            self.assertEqual(run.stderr.count("\n"), 1)

    def test_a_run_that_fails(self):
        """The pairs that were complete are compared, but the exit status says that something failed."""
        game = self.plan([10] * 3, [10] * 2)
        run = self.compare(game, "-n", "3")
        self.assertEqual(run.returncode, 125, run)
        self.assertIn("run 3 of B failed with status 9", run.stderr)
        self.assertIn("2 runs, 38 frames", run.stdout)
        run = self.compare(self.plan_again([10], []), "-n", "3", "-o", "none")
        self.assertEqual((run.returncode, run.stdout), (125, ""), run)
        self.assertIn("no pair of runs was complete", run.stderr)

    def test_sides_that_cannot_be_compared(self):
        """The first pair shows it, so there is no second one."""
        game = self.plan([10] * 3, [10] * 3, device="another GPU")
        run = self.compare(game, "-n", "3")
        self.assertEqual((run.returncode, self.sessions()), (2, ["a1", "b1"]), run)
        self.assertIn("not comparable", run.stderr)
        game = self.plan_again([10] * 3, [10] * 3)
        run = self.compare(game, "-n", "3", "--force", "-o", "forced")
        self.assertEqual(len(self.sessions("forced")), 6)

    def test_until_the_change_is_known(self):
        """Four pairs: an even number of them, and the first that is narrow enough."""
        game = self.plan([10, 10.4, 10, 10.1, 10, 10], [11, 11, 11, 11, 11, 11])
        run = self.compare(game, "--until", "4")
        self.assertEqual((run.returncode, len(self.sessions())), (1, 8), run)
        game = self.plan_again([10, 13] * 2, [11, 11, 11, 11])
        run = self.compare(game, "--until", "1", "--max-runs", "4", "-o", "capped")
        self.assertEqual(len(self.sessions("capped")), 8)
        self.assertIn("after 4 pairs of runs the frame's change is known within", run.stderr)

    def test_a_signal_ends_the_runs(self):
        out, said = self.interrupt("x3", "-n", "3")
        self.assertIn("2 runs, 38 frames", out)
        self.assertIn("Interrupt: 4 of 6 runs were complete", said)

    def test_a_signal_with_until(self):
        """How many runs there would have been is not known."""
        self.assertIn("passprobe: Interrupt: 4 runs were complete; --until was not reached\n", self.interrupt("x3", "--until", "1")[1])

    def test_a_signal_in_the_first_run(self):
        """What was measured is kept as by `record`: in DIR, and what was there before in DIR.old."""
        self.run_command("record", "--", self.plan([10] * 2, []), "x")
        before = os.listdir(os.path.join(self.cwd, "passprobe.data"))
        self.interrupt("x1", "-n", "3")
        self.assertEqual(self.sessions(), ["a1"])
        self.assertEqual(os.listdir(os.path.join(self.cwd, "passprobe.data.old")), before)
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "passprobe.data.new")))

    def interrupt(self, run, *words):
        """Send SIGINT in one of the runs. @return What passprobe prints."""
        subprocess.run(["sh", "-c", "rm -rf made-* count-*"], cwd=self.cwd, check=True)
        game = self.plan([10] * 3, [10] * 3, also=f"""
            [ $1$n = {run} ] && {{ trap got=1 INT; > now; until [ "$got" ]; do sleep 0.02; done; }}""")
        with subprocess.Popen([self.install, "compare", *words, "--", game, "x", "--", game, "y"], cwd=self.cwd, env=self.env,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while not os.path.exists(os.path.join(self.cwd, "now")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, said = process.communicate()
        self.assertEqual(process.returncode, 130, said)
        return out, said


if __name__ == "__main__":
    unit_main()
