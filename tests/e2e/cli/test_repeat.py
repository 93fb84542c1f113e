"""`-r` of stat and record: runs one after another into the sessions of a folder; warm-up runs; runs that fail; signals."""
import json
import os
import signal
import subprocess
import time

from command import ABOUT, CommandTest, MS, frames
from harness import ROOT, Skip, unit_main

try:
    import jsonschema
except ImportError:
    jsonschema = None

GAME = """#!/bin/sh
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n > count
echo "$PASSPROBE_OUTPUT|$PASSPROBE_FRAMES|$PASSPROBE_DELAY" >> seen
[ -e made-$n ] || exit 9
{also}
FAKE_SESSION=$PWD/made-$n FAKE_PROGRAM=true /bin/true
exit $(cat status-$n 2>/dev/null || echo 0)
"""


class Repeat(CommandTest):
    def plan(self, *runs, also=""):
        """Make an application that leaves a session with these frame times in ms in its runs, one after another. A run is
        (ms, exit status, number of frames); no frames: the run leaves none."""
        for number, run in enumerate(runs, 1):
            ms, status, count = (*run, 0, 20)[:2] + (*run, 20)[2:3] if isinstance(run, tuple) else (run, 0, 20)
            made = frames(count)
            for row in made:
                row["frame_time_ns"] = round(ms * MS)
            self.session(made, about={**ABOUT, "counts": {"frames": count}}, name=f"cwd/made-{number}")
            with open(os.path.join(self.cwd, f"status-{number}"), "w", encoding="utf-8") as out:
                out.write(str(status))
        return self.script("game", GAME.format(also=also))

    def seen(self):
        """What each run saw: the name of its session directory, and its options."""
        with open(os.path.join(self.cwd, "seen"), encoding="utf-8") as lines:
            return [os.path.relpath(line.rstrip("\n"), self.cwd) for line in lines]

    def sessions(self, folder="passprobe.data"):
        path = os.path.join(self.cwd, folder)
        return sorted(name for name in os.listdir(path) if os.path.isdir(os.path.join(path, name))) if os.path.isdir(path) else []

    def test_runs_of_record(self):
        """Each run has a session of its own, and says so as a single run does."""
        game = self.plan(10, 11, 12)
        run = self.run_command("record", "-r", "3", "--", game)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run)
        self.assertEqual(self.sessions(), ["run1", "run2", "run3"])
        lines = run.stderr.splitlines()
        self.assertEqual(len(lines), 3, run.stderr)
        for number, line in enumerate(lines, 1):
            self.assertRegex(line, rf"^\[ passprobe record: 20 frames.*/passprobe.data/run{number} \]$")
        self.assertEqual([name.split("|")[0] for name in self.seen()], [f"passprobe.data/run{n}" for n in (1, 2, 3)])
        self.assertNotIn("run 1 of", run.stderr)  # progress is for terminals

    def test_names_sort_in_order_of_the_runs(self):
        game = self.plan(*[10] * 10)
        self.assertEqual(self.run_command("record", "-q", "-r", "10", "-o", "a/b%%", "--", game).returncode, 0)
        self.assertEqual(self.sessions("a/b%"), [f"run{n:02}" for n in range(1, 11)])

    def test_a_run_that_fails_is_the_last_one(self):
        game = self.plan(10, (10, 7), 10)
        run = self.run_command("record", "-r", "3", "--", game)
        self.assertEqual(run.returncode, 7, run)
        self.assertEqual(run.stderr.splitlines()[-1],
                         "passprobe: run 2 failed with status 7, so there are no more runs; "
                         "to continue after such a run, give --ignore-failure")
        self.assertEqual(self.sessions(), ["run1", "run2"])

    def test_failures_that_are_ignored(self):
        game = self.plan((10, 7), (10, 124))
        run = self.run_command("record", "-r", "2", "--ignore-failure", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (0, ["run1", "run2"]), run)

    def test_a_crash(self):
        game = self.plan(10, 10, also="[ $n = 2 ] && kill -SEGV $$")
        run = self.run_command("record", "-r", "3", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (139, ["run1"]), run)
        self.assertIn("was killed by SIGSEGV", run.stderr)
        self.assertIn("passprobe: run 2 failed with status 139", run.stderr)

    def test_a_run_without_frames_is_the_last_one(self):
        for words in ((), ("--ignore-failure",)):
            game = self.plan(10, (10, 0, 0), 10)
            run = self.run_command("record", *words, "-r", "3", "-o", "d" + str(len(words)), "--", game)
            self.assertEqual(run.returncode, 125, run)
            self.assertEqual(run.stderr.splitlines()[-1], "passprobe: run 2 left no frames, so there are no more runs")
            self.assertEqual(self.sessions("d" + str(len(words))), ["run1", "run2"])  # the reason is in run2
            for name in os.listdir(self.cwd):
                if name.startswith(("made", "count")):
                    subprocess.run(["rm", "-r", os.path.join(self.cwd, name)], check=True)

    def test_frames_are_required_of_each_run(self):
        game = self.plan(10, (10, 0, 5), 10)
        run = self.run_command("record", "-r", "3", "--ignore-failure", "--require-frames", "20", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (125, ["run1", "run2"]), run)
        self.assertIn("run 2 failed with status 125, so there are no more runs", run.stderr.splitlines()[-1])

    def test_warm_up_runs_are_not_kept(self):
        game = self.plan(50, 50, 10, 11)
        run = self.run_command("record", "--warm-up", "2", "-r", "2", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (0, ["run1", "run2"]), run)
        self.assertEqual([name.split("|")[0] for name in self.seen()],
                         ["passprobe.data/" + name for name in ("warm-up", "warm-up", "run1", "run2")])
        self.assertEqual(len(run.stderr.splitlines()), 2, run.stderr)

    def test_a_warm_up_run_that_fails(self):
        game = self.plan((50, 3), 10)
        run = self.run_command("record", "--warm-up", "1", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (3, []), run)
        self.assert_one_line(run.stderr, "warm-up run 1 failed with status 3")
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "passprobe.data")))

    def test_an_application_that_does_not_exist(self):
        run = self.run_command("record", "-r", "3", "--", "./missing")
        self.assertEqual((run.returncode, os.listdir(self.cwd)), (127, []), run)
        self.assert_one_line(run.stderr, "missing")

    def test_discard_becomes_a_window(self):
        game = self.plan(10, 10)
        self.assertEqual(self.run_command("record", "--discard", "100", "-o", "a", "--", game).returncode, 0)
        self.assertEqual(self.run_command("record", "--discard", "1.5s", "-o", "b", "--", game).returncode, 0)
        self.assertEqual(self.seen(), ["a|100-|", "b||1.5s"])

    def test_discard_of_all_frames(self):
        """No figure is left, so the run failed; the message names the option. The session is kept."""
        window = {"options": "--frames 100-", "first_frame": 100}
        self.session(frames(20), about={**ABOUT, "window": window, "counts": {"frames": 20}}, name="made")
        game = self.script("game", f"#!/bin/sh\necho x >> runs\nFAKE_SESSION={self.top}/made FAKE_PROGRAM=true /bin/true\n")
        for words in (("record",), ("record", "-q"), ("stat", "-q"), ("record", "-q", "-r", "3"), ("stat", "-q", "-r", "3")):
            run = self.run_command(*words, "--discard", "100", "-o", "d", "--", game)
            self.assertEqual(run.returncode, 125, run)
            self.assertIn("passprobe: --discard 100 leaves out all frames: the run had only 20 frames\n", run.stderr)
            self.assertNotIn("no frame was in the window", run.stderr)
            if "-r" in words:
                self.assertIn("--discard left no frames of run 1, so there are no more runs\n", run.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.cwd, "d")))
        with open(os.path.join(self.cwd, "runs"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 5)
        self.assertEqual(self.run_command("record", "--frames", "100-", "-o", "d", "--", game).returncode, 0)

    def test_values_that_are_wrong(self):
        for words, want in ((("-r", "0"), "--repeat: bad value '0': a number of runs from 1 to 999"),
                            (("--repeat=1000",), "--repeat: bad value '1000': a number of runs from 1 to 999"),
                            (("-r", "3x"), "--repeat: bad value '3x': a number of runs from 1 to 999"),
                            (("--warm-up", "-1"), "--warm-up: bad value '-1': a number of runs from 0 to 999"),
                            (("--discard", ""), "--discard: bad value '': a number of frames, or a time"),
                            (("--discard", "2h"), "--discard: bad value '2h': a number of frames, or a time"),
                            (("--discard", "5", "--frames", "1-2"), "--discard 5 and --frames say different things"),
                            (("--until", "0"), "--until: bad value '0': a percentage from 0.001 to 100"),
                            (("--until", "1 %%"), "--until: bad value '1 %%'"),
                            (("--max-runs", "5"), "--max-runs needs --until"),
                            (("--until", "1", "--max-runs", "2"), "--max-runs: bad value '2': a number of runs from 3 to 999"),
                            (("--until", "1", "--max-runs", "4", "-r", "5"), "--max-runs 4 is less than --repeat 5"),
                            (("--delay", "1", "--discard", "5s"), "--discard 5s and --delay say different things")):
            run = self.run_command("record", *words, "--", "true")
            self.assertEqual(run.returncode, 125, words)
            self.assert_one_line(run.stderr, want)
        self.assertEqual(os.listdir(self.cwd), [])

    def listed(self, folder="passprobe.data"):
        with open(os.path.join(self.cwd, folder, "runs.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_the_list_of_the_runs(self):
        game = self.plan(10, (10, 7), 10)
        self.run_command("record", "-r", "3", "--", game, "a b", "\udcff")
        runs = self.listed()
        self.assertEqual(list(runs)[0], "passprobe")  # the file is known by it
        self.assertEqual((runs["schema"], runs["ended"], runs["commands"]), (1, "failed", [[game, "a b", "?"]]))
        row = {"session": "run1", "command": 0, "number": 1, "status": 0, "frames": 20, "counts": True}
        self.assertEqual(runs["runs"], [row, {**row, "session": "run2", "number": 2, "status": 7, "counts": False}])
        self.assertEqual(sorted(os.listdir(os.path.join(self.cwd, "passprobe.data"))), ["run1", "run2", "runs.json"])

    def test_runs_replace_a_session_and_a_session_replaces_runs(self):
        """What was there before becomes DIR.old, and the paths that are printed are the last ones."""
        game = self.plan(*[10] * 9)
        self.run_command("record", "--", game)
        run = self.run_command("record", "-r", "2", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (0, ["run1", "run2"]), run)
        self.assertIn("/passprobe.data/run1 ]", run.stderr)
        self.assertNotIn(".new", run.stderr)
        self.assertIn("passprobe.data.old", run.stderr.splitlines()[-1])
        self.assertTrue(os.path.exists(os.path.join(self.cwd, "passprobe.data.old", "frames.csv")))
        self.run_command("record", "-r", "3", "--", game)
        self.assertEqual((self.sessions(), self.sessions("passprobe.data.old")), (["run1", "run2", "run3"], ["run1", "run2"]))
        self.run_command("record", "--", game)
        self.assertEqual((self.sessions(), self.sessions("passprobe.data.old")), ([], ["run1", "run2", "run3"]))
        self.assertEqual(sorted(name for name in os.listdir(self.cwd) if name.startswith("passprobe")),
                         ["passprobe.data", "passprobe.data.old"])

    def test_older_runs_stay_until_there_is_a_frame(self):
        game = self.plan(10, 10)
        self.run_command("record", "-r", "2", "--", game)
        run = self.run_command("record", "-r", "2", "--", game)  # the application leaves no session any more
        self.assertEqual((run.returncode, self.sessions()), (9, ["run1", "run2"]), run)
        self.assertEqual(sorted(name for name in os.listdir(self.cwd) if name.startswith("passprobe")), ["passprobe.data"])

    def test_a_folder_of_the_user_is_kept(self):
        os.makedirs(os.path.join(self.cwd, "mine"))
        with open(os.path.join(self.cwd, "mine", "thesis.tex"), "w", encoding="utf-8"):
            pass
        run = self.run_command("record", "-r", "2", "-o", "mine", "--", "true")
        self.assertEqual((run.returncode, os.listdir(os.path.join(self.cwd, "mine"))), (125, ["thesis.tex"]), run)
        self.assert_one_line(run.stderr, "mine: contains files that are not a passprobe session")

    def test_report_and_archive_take_the_last_run_that_counts(self):
        game = self.plan(10, 11, (12, 7))
        self.run_command("record", "-r", "3", "--", game)
        for folder in ((), ("passprobe.data/",)):
            run = self.run_command("report", *folder)
            self.assertEqual(run.returncode, 0, run)
            self.assertRegex(run.stderr, r"^passprobe: passprobe.data/? has 3 runs; this is the last one that counts: passprobe.data/run2\n$")
            self.assertIn("11.00", run.stdout)
        self.assertEqual(self.run_command("archive").returncode, 0)
        self.assertTrue(os.path.exists(os.path.join(self.cwd, "run2.tar.zst")))
        self.assertIn("10.00", self.run_command("report", "passprobe.data/run1").stdout)

    def test_sessions_lists_runs_as_one_row(self):
        game = self.plan(10, 11, 12)
        self.run_command("record", "-r", "2", "--", game)
        self.run_command("record", "-o", "single", "--", game)
        lines = self.run_command("sessions").stdout.splitlines()
        row = [line for line in lines if "passprobe.data" in line]
        self.assertEqual(len(row), 1, lines)
        self.assertRegex(row[0], r" 40 .*  passprobe.data \(2 runs\)$")
        found = json.loads(self.run_command("sessions", "--json").stdout)["folders"][0]["sessions"]
        self.assertEqual({one["name"]: (one.get("runs"), one["frames"]) for one in found if "made" not in one["name"]},
                         {"passprobe.data": (2, 40), "single": (None, 20)})
        inside = self.run_command("sessions", "passprobe.data").stdout
        self.assertRegex(inside, r"(?s) 20 .*run2.* 20 .*run1")

    def test_lists_that_are_damaged(self):
        """One error, and nothing outside of the folder is read."""
        game = self.plan(10)
        self.run_command("record", "-r", "1", "--", game)
        path = os.path.join(self.cwd, "passprobe.data", "runs.json")
        good = self.listed()
        for change, want in ((lambda runs: runs.update(schema=2), "a newer passprobe wrote it (schema 2, known: 1)"),
                             (lambda runs: runs.pop("runs"), "not a list of runs"),
                             (lambda runs: runs.update(runs={}), "not a list of runs"),
                             (lambda runs: runs["runs"][0].update(session="../made-1"), "run 1: a member is missing or wrong"),
                             (lambda runs: runs["runs"][0].update(session=".."), "run 1: a member is missing or wrong"),
                             (lambda runs: runs["runs"][0].update(command=2), "run 1: a member is missing or wrong"),
                             (lambda runs: runs["runs"][0].update(frames=-1), "run 1: a member is missing or wrong"),
                             (lambda runs: runs["runs"].append(7), "run 2: a member is missing or wrong"),
                             (lambda runs: runs["runs"][0].update(counts=False), "no run has a session"),
                             (lambda runs: runs["runs"][0].update(session="gone"), "no run has a session")):
            runs = json.loads(json.dumps(good))
            change(runs)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(runs, file)
            run = self.run_command("report")
            self.assertEqual(run.returncode, 125, run)
            self.assert_one_line(run.stderr, want)
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"passprobe": ')
        self.assert_one_line(self.run_command("report").stderr, "passprobe.data: runs.json: line 1:")

    def test_stat_shows_the_spread_between_runs(self):
        """Runs of 9, 10 and 11 ms: the numbers are computed by hand from Student's t (4.302653 for two degrees)."""
        game = self.plan(9, 10, 11)
        run = self.run_command("stat", "-r", "3", "--json", "j", "--", game)
        self.assertEqual((run.returncode, run.stdout), (0, ""), run)
        self.assertRegex(run.stderr, r"Summary of 3 runs of '.*game' \(60 frames in all\)")
        self.assertRegex(run.stderr, r"(?m)^ frame time +10\.00 +24\.8% +10\.0% +9\.00\d? +11\.00")
        self.assertNotIn("FPS with", run.stderr)  # no summary of each run
        self.assert_narrow(run.stderr)
        with open(os.path.join(self.cwd, "j"), encoding="utf-8") as file:
            found = json.load(file)
        self.assertEqual((found["format"], found["schema"], len(found["reports"])), ("passprobe-runs", 1, 3))
        row = {one["name"]: one for one in found["figures"]}["frame_time"]
        self.assertEqual((row["values"], row["of_a_run"], row["unit"]), ([9 * MS, 10 * MS, 11 * MS], "mean", "ns"))
        between = row["between_runs"]
        self.assertEqual((between["runs"], between["mean"], between["least"], between["most"], between["deviation"]),
                         (3, 10 * MS, 9 * MS, 11 * MS, MS))
        self.assertAlmostEqual(between["half_95_percent"], 4.302652729911275 * MS / 3 ** 0.5, places=0)
        self.assertEqual(row["within_a_run"]["p50"], 10 * MS)

    def test_the_json_fits_its_schema(self):
        if not jsonschema:
            raise Skip("python3-jsonschema is not installed")
        game = self.plan(9, 10)
        found = json.loads(self.run_command("stat", "-r", "2", "--json", "-", "--", game).stdout)
        with open(os.path.join(ROOT, "docs", "formats", "runs.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        for made in (schema, *schema["$defs"].values()):
            made["additionalProperties"] = False
        jsonschema.validate(found, schema)
        with open(os.path.join(self.cwd, "one.json"), "w", encoding="utf-8") as file:
            json.dump(found["reports"][1], file)
        run = self.run_command("diff", "passprobe.data/run2", "one.json")  # each report is a side of diff
        self.assertEqual((run.returncode, "slower" in run.stdout), (0, False), run)

    def test_diff_takes_the_runs_of_a_folder(self):
        game = self.plan(10, 10.1, 9.9, (10, 3), 12, 12.1, 11.9)
        self.assertEqual(self.run_command("record", "-q", "-r", "4", "-o", "old", "--", game).returncode, 3)
        self.assertEqual(self.run_command("record", "-q", "-r", "3", "-o", "new", "--", game).returncode, 0)
        run = self.run_command("diff", "old", "new/")
        self.assertEqual(run.returncode, 1, run)
        self.assertEqual(run.stdout.count(": 3 runs, 57 frames"), 2, run.stdout)
        self.assertRegex(run.stdout, r"frame time p50 +10\.00 +12\.00 +\+20\.0 .* slower")
        for folder in ("old", "old/"):  # a baseline has the runs that count, too
            lines = self.run_command("report", "--baseline", folder)
            self.assertEqual((lines.returncode, lines.stderr, lines.stdout.count("\n")), (0, "", 3))
            with open(os.path.join(self.cwd, "base.json"), "w", encoding="utf-8") as file:
                file.write(lines.stdout)
            again = self.run_command("diff", "base.json", "new")
            self.assertEqual((again.returncode, again.stdout.split("\n")[2:]), (1, run.stdout.split("\n")[2:]))
        runs = self.listed("old")
        for change, want in ((lambda: runs["runs"][1].update(command=1), "old: has runs of two commands"),
                             (lambda: [one.update(command=0, counts=False) for one in runs["runs"]], "old: no run counts: run 1 has 20 frames"),
                             (lambda: runs.update(runs=3), "old: runs.json: not a list of runs")):
            change()
            with open(os.path.join(self.cwd, "old", "runs.json"), "w", encoding="utf-8") as file:
                json.dump(runs, file)
            run = self.run_command("diff", "old", "new")
            self.assertEqual(run.returncode, 125, run)
            self.assert_one_line(run.stderr, want)

    def test_stat_after_a_run_that_failed(self):
        """The figures come from the runs that count."""
        game = self.plan(10, 12, (99, 7))
        run = self.run_command("stat", "-r", "5", "--summary", "s", "--", game)
        self.assertEqual(run.returncode, 7, run)
        self.assertIn("run 3 failed with status 7", run.stderr)
        with open(os.path.join(self.cwd, "s"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r"Summary of 2 runs of [^\n]*(?s:.*)\n frame time +11\.00 ")

    def test_until_the_mean_is_known(self):
        """Three runs at least; the fourth makes the interval narrow enough."""
        game = self.plan(10, 10.2, 10.1, 10.1, 10, 10)
        run = self.run_command("record", "--until", "1.3%", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (0, ["run01", "run02", "run03", "run04"]), run)

    def test_until_has_a_bound(self):
        game = self.plan(10, 20, 10, 20, 10)
        run = self.run_command("stat", "--until", "1", "--max-runs", "4", "--", game)
        self.assertEqual((run.returncode, self.sessions()), (0, ["run1", "run2", "run3", "run4"]), run)
        self.assertIn("passprobe: after 4 runs the mean is known within +-61 %, not 1 % (--until)", run.stderr)

    def interrupt(self, number, *words, also):
        """Send a signal to passprobe during the run that makes the file `now`."""
        game = self.plan(10, 10, 10, also=also)
        with subprocess.Popen([self.install, "record", *words, "--", game], cwd=self.cwd, env=self.env, text=True,
                              stderr=subprocess.PIPE) as process:
            while not os.path.exists(os.path.join(self.cwd, "now")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(number)
            return process.communicate()[1], process.returncode

    def test_signals_end_the_runs(self):
        """CMD gets the signal, too; here it survives. The run that was interrupted is kept, and does not count."""
        for number, name in ((signal.SIGINT, "Interrupt"), (signal.SIGTERM, "Terminated"), (signal.SIGHUP, "Hangup")):
            said, status = self.interrupt(number, "-r", "3", "-o", name, also="""
                trap 'got=1' INT TERM HUP
                [ $n = 2 ] && { > now; until [ "$got" ]; do sleep 0.02; done; rm now; }""")
            self.assertEqual((status, self.sessions(name)), (128 + number, ["run1", "run2"]), said)
            self.assertEqual(said.splitlines()[-1], f"passprobe: {name}: 1 of 3 runs were complete")
            for made in os.listdir(self.cwd):
                if made.startswith(("made", "count")):
                    subprocess.run(["rm", "-r", os.path.join(self.cwd, made)], check=True)

    def test_a_signal_that_was_ignored_stays_ignored(self):
        """nohup: SIGHUP does not end the runs."""
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            said, status = self.interrupt(signal.SIGHUP, "-r", "3", also="[ $n = 1 ] && { > now; sleep 0.2; }")
        finally:
            signal.signal(signal.SIGHUP, before)
        self.assertEqual((status, self.sessions()), (0, ["run1", "run2", "run3"]), said)


if __name__ == "__main__":
    unit_main()
