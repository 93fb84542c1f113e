"""Session directories: where they are made, what stat and record print about them; torn, foreign and hostile files in
them."""
import fcntl
import json
import os
import re
import signal
import subprocess
import unittest

from command import ABOUT, CommandTest, DRAW_HEADER, MS, frames, passes
from harness import unit_main


class Output(CommandTest):
    def test_old_session_is_kept_once(self):
        first = self.session(frames(3), about=ABOUT, name="first")
        second = self.session(frames(4), about=ABOUT, name="second")
        third = self.session(frames(5), about=ABOUT, name="third")
        for made in (first, second, third):
            run = self.run_command("record", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
            self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stderr, "[ passprobe record: 5 frames, 0 passes in "
                         f"{self.cwd}/passprobe.data ]\n"
                         "passprobe: the previous session is kept as passprobe.data.old\n")
        self.assertEqual(sorted(os.listdir(self.cwd)), ["passprobe.data", "passprobe.data.old"])
        with open(os.path.join(self.cwd, "passprobe.data.old/frames.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 5)

    def test_nothing_moves_before_the_first_frame(self):
        """An application that is mistyped, or has no frame, moves no older session, also not while it runs."""
        made = self.session(frames(3), about=ABOUT)
        env = {"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}
        for _ in range(2):
            self.assertEqual(self.run_command("record", "true", env=env).returncode, 0)
        def state():
            return {name: sorted((file, os.stat(os.path.join(self.cwd, name, file)).st_ino)
                                 for file in os.listdir(os.path.join(self.cwd, name))) for name in os.listdir(self.cwd)}
        before = state()
        self.assertEqual(sorted(before), ["passprobe.data", "passprobe.data.old"])
        for command in ("stat", "record"):
            self.assertEqual(self.run_command(command, "--", "no-such-application").returncode, 127)
            self.assertEqual(state(), before)
            run = self.run_command(command, "--", "sh", "-c", "ls; ls passprobe.data.old; exit 3")
            self.assertEqual(run.returncode, 3)
            self.assertIn("frames.csv", run.stdout)
            self.assertEqual(state(), before)

    def test_a_session_takes_its_place_with_its_first_frame(self):
        """While the application still runs, its session is found under the name that was asked for."""
        first = self.session(frames(3), about=ABOUT, name="first")
        second = self.session(frames(4), about=ABOUT, name="second")
        env = {"FAKE_SESSION": first, "FAKE_PROGRAM": "true"}
        self.assertEqual(self.run_command("record", "true", env=env).returncode, 0)
        wait = "until [ -d passprobe.data.old ]; do sleep 0.02; done; wc -l < passprobe.data/frames.csv"
        run = self.run_command("record", "sh", "-c", wait, env={"FAKE_SESSION": second, "FAKE_PROGRAM": "sh"})
        self.assertEqual(run.stdout.strip(), "5")
        self.assertIn("the previous session is kept as passprobe.data.old", run.stderr)

    def test_sessions_of_other_processes_follow(self):
        made = self.session(frames(3), about=ABOUT)
        env = {"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}
        self.assertEqual(self.run_command("record", "true", env=env).returncode, 0)
        run = self.run_command("record", "sh", "-c", f'cp -r {made} "$PASSPROBE_OUTPUT.77"', env=env)
        self.assertEqual(sorted(os.listdir(self.cwd)), ["passprobe.data", "passprobe.data.77", "passprobe.data.old"])
        self.assertIn("/passprobe.data.77 ]", run.stderr)

    def test_a_process_that_follows_is_found_where_an_older_session_was(self):
        """The first process' session has taken its place, so that the path that processes were given is free again when the next
        one begins. It is found under its number, and the next run has the place."""
        old, launcher, game = (self.session(frames(n), about={**ABOUT, "program": {"pid": 4711}}, name=name)
                               for n, name in ((3, "old"), (4, "launcher"), (9, "game")))
        number = 4711
        self.assertEqual(self.run_command("record", "true", env={"FAKE_SESSION": old, "FAKE_PROGRAM": "true"}).returncode, 0)
        next_one = f'until [ -d passprobe.data.old ]; do sleep 0.02; done; cp -r {game} "$PASSPROBE_OUTPUT"'
        run = self.run_command("record", "sh", "-c", next_one, env={"FAKE_SESSION": launcher, "FAKE_PROGRAM": "sh"})
        self.assertEqual(sorted(os.listdir(self.cwd)), ["passprobe.data", f"passprobe.data.{number}", "passprobe.data.old"])
        self.assertIn(f"9 frames, 0 passes in {self.cwd}/passprobe.data.{number} ]", run.stderr)
        self.assertIn("recorded 2 processes", run.stderr)
        # a session of the run before, which ended a moment ago, is not of this one
        run = self.run_command("record", "true", env={"FAKE_SESSION": launcher, "FAKE_PROGRAM": "true"})
        self.assertIn(f"4 frames, 0 passes in {self.cwd}/passprobe.data ]", run.stderr)
        self.assertNotIn("processes", run.stderr)

    def test_a_killed_command_loses_nothing(self):
        """The command itself is killed: the new session is there, and the older one is kept."""
        first = self.session(frames(3), about=ABOUT, name="first")
        second = self.session(frames(4), about=ABOUT, name="second")
        env = {"FAKE_SESSION": first, "FAKE_PROGRAM": "true"}
        self.assertEqual(self.run_command("record", "true", env=env).returncode, 0)
        run = self.run_command("record", "sh", "-c", "kill -KILL $PPID; sleep 0.5",
                               env={"FAKE_SESSION": second, "FAKE_PROGRAM": "sh"})
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.assertEqual(self.run_command("record", "true", env=env).returncode, 0)
        with open(os.path.join(self.cwd, "passprobe.data.old/frames.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 5)

    def test_the_working_directory_is_refused(self):
        for name in (".", "./", "..", self.cwd + "/."):
            run = self.run_command("record", "-o", name, "--", "touch", "it-ran")
            self.assertEqual(run.returncode, 125, run)
            self.assert_one_line(run.stderr, f"cannot write to {name} itself; name a directory in it")
            self.assertEqual(os.listdir(self.cwd), [])

    def test_foreign_files_are_kept(self):
        """A file, a symbolic link, a directory with other files in place of the session directory: nothing is changed,
        and the application is not run."""
        os.mkdir(os.path.join(self.cwd, "foreign"))
        for name in ("file", "foreign/thesis.tex"):
            with open(os.path.join(self.cwd, name), "w", encoding="utf-8") as out:
                out.write("precious")
        os.mkdir(os.path.join(self.cwd, "empty"))
        os.symlink("empty", os.path.join(self.cwd, "link"))
        os.symlink("nowhere", os.path.join(self.cwd, "dangling"))
        before = sorted(os.listdir(self.cwd))
        for name, part in (("file", "not a directory"), ("foreign", "does not use it"), ("link", "symbolic link"),
                           ("dangling", "symbolic link"), (".", "."),
                           ("/", "/"), ("file/x", "Not a directory"), ("x" * 300, "too long"), ("", "directory")):
            for command in ("stat", "record"):
                run = self.run_command(command, "-o", name, "touch", "ran")
                self.assertEqual(run.returncode, 125, (name, run.stderr))
                self.assert_one_line(run.stderr, part)
        self.assertEqual(sorted(os.listdir(self.cwd)), before)
        with open(os.path.join(self.cwd, "foreign/thesis.tex"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_foreign_files_in_old_are_kept(self):
        made = self.session(frames(3), about=ABOUT)
        os.mkdir(os.path.join(self.cwd, "s.old"))
        with open(os.path.join(self.cwd, "s.old/thesis.tex"), "w", encoding="utf-8") as out:
            out.write("precious")
        env = {"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}
        self.assertEqual(self.run_command("record", "-o", "s", "true", env=env).returncode, 0)
        run = self.run_command("record", "-o", "s", "true", env=env)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "s.old")
        self.assertTrue(os.path.exists(os.path.join(self.cwd, "s.old/thesis.tex")))

    @unittest.skipUnless(os.getuid() == 0, "needs root to become somebody without write permission")
    def test_unwritable(self):
        made = self.session(frames(3), about=ABOUT)
        os.chmod(self.cwd, 0o555)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []}
        run = self.run_command("record", "true", **nobody)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "passprobe.data", "Permission denied")
        run = self.stat_of(made, "-o", "mine", **nobody)
        self.assertEqual(run.returncode, 125)
        # only the default directory may be replaced by another
        run = self.stat_of(made, env={"TMPDIR": self.top + "/prefix"}, **nobody)
        self.assertEqual(run.returncode, 125)
        tmp = os.path.join(self.top, "tmp")
        os.mkdir(tmp)
        os.chmod(tmp, 0o777)
        run = self.stat_of(made, env={"TMPDIR": tmp}, **nobody)
        self.assertEqual(run.returncode, 0)
        self.assertIn(f"this session goes to {tmp}/passprobe-", run.stderr.splitlines()[0])
        self.assertIn("\n true\n", run.stderr)

    def test_names_with_special_characters(self):
        made = self.session(frames(3), about=ABOUT)
        for name in ("with space", 'quote"comma,', "line\nbreak", "gr\u00fc\u00dfe", "-dash", "trailing/"):
            run = self.stat_of(made, "--output=" + name)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.cwd, name, "frames.csv")))
            self.assertIn("Session: " + self.cwd[:40], run.stderr)

    def test_directory_in_use(self):
        """A process that writes holds a lock: its directory is neither moved nor cut, and the new session is made next
        to it."""
        made = self.session(frames(3) + ["3,gl,llv"], about=ABOUT, name="live")
        fd = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX)
        source = self.session(frames(4), about=ABOUT, name="source")
        run = self.run_command("record", "-o", made, "true", env={"FAKE_SESSION": source, "FAKE_PROGRAM": "true"})
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stderr, r"is in use; this session goes to \S+/live-\d+\n.* 4 frames, .*/live-\d+ \]")
        with open(os.path.join(made, "frames.csv"), encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("3,gl,llv"))

    def test_two_commands_at_once(self):
        """Each command reads the session of its application, whichever application begins first. Each application waits
        for the other one's."""
        made = [self.session(frames(n), about=ABOUT, name=f"made{n}") for n in (3, 5)]
        meet = ': > "$0/$$"; while [ "$(ls "$0" | wc -l)" -lt 2 ]; do sleep 0.02; done'
        for turn in range(5):
            place = os.path.join(self.top, f"place{turn}")
            os.mkdir(place)
            both = [subprocess.Popen([self.install, "record", "-o", "same", "sh", "-c", meet, place], cwd=self.cwd,
                                     text=True, env={**self.env, "FAKE_SESSION": source, "FAKE_PROGRAM": "sh"},
                                     stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) for source in made]
            said = [child.communicate(timeout=100)[1] for child in both]
            self.assertEqual([child.returncode for child in both], [0, 0])
            self.assertIn(" 3 frames,", said[0])
            self.assertIn(" 5 frames,", said[1])
            self.assertEqual(sum("in use" in text for text in said), 1, said)


class Processes(CommandTest):
    def test_the_session_with_the_frames(self):
        """A launcher that probes the GPU takes the directory; the game that it starts writes next to it: the session of
        the game is shown."""
        probe = self.session(frames(2), about=ABOUT, name="probe")
        game = self.session(frames(90), about=ABOUT, name="game")
        os.mkdir(os.path.join(self.cwd, "passprobe.data.77"))  # a session of an earlier run
        with open(os.path.join(self.cwd, "passprobe.data.77/frames.csv"), "w", encoding="utf-8") as out:
            out.write("x" * 100_000)
        os.utime(os.path.join(self.cwd, "passprobe.data.77/frames.csv"), (1e9, 1e9))
        command = ("sh", "-c", f"mkdir passprobe.data.4242 passprobe.data.x; cp {game}/* passprobe.data.4242; "
                               f"cp {game}/frames.csv passprobe.data.x")
        run = self.stat_of(probe, command=command)
        self.assertIn("89 frames in", run.stderr)
        self.assertIn("/passprobe.data.4242\n", run.stderr)
        data = os.path.join(os.path.realpath(self.cwd), "passprobe.data")
        said = [line for line in run.stderr.splitlines() if line.startswith("passprobe: ")]
        self.assertEqual(said, ["passprobe: recorded 2 processes; showing the one with the most frames (90). Other:",
                                f"passprobe:   passprobe report {data} (2 frames)"])
        run = self.run_command(*said[1].split()[2:4])
        self.assertIn("   1 frame in 0.010 s", run.stdout)

    def test_session_with_most_frames_is_shown(self):
        """Sessions are chosen by their frames, not by the sizes of their files."""
        game = self.session(frames(20, device="g"), about=ABOUT, name="game")
        few = self.session(frames(10, device="x" * 900), about=ABOUT, name="few")
        command = ("sh", "-c", f"for i in 1 2 3 4 5 6 7 8 9 10; do cp -r {few} s.$i; done; cp -r {game} s.11")
        run = self.run_command("record", "-o", "s", "--", *command, env={"FAKE_SESSION": few, "FAKE_PROGRAM": "sh"})
        said = run.stderr.splitlines()
        self.assertIn(" 20 frames, ", said[0])
        self.assertIn("recorded 12 processes; showing the one with the most frames (20). Others:", said[1])
        self.assertEqual(len(said), 2 + 8 + 1)
        self.assertEqual(len(set(said)), len(said))
        self.assertEqual(said[-1], "passprobe:   and 3 more")


    def test_a_process_that_is_left_behind(self):
        """A daemon still runs when its launcher has ended: its session will come, so its directory is kept."""
        for command in ("stat", "record"):
            run = self.run_command(command, "-o", "s", "sh", "-c", "sleep 600 > /dev/null 2>&1 & echo $!; exit 3")
            pid = int(run.stdout)
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(run.returncode, 3)
            self.assert_one_line(run.stderr, "no data yet from 'sh ", f"process {pid}, which it started, still runs", "/s")
            self.assertEqual(os.listdir(os.path.join(self.cwd, "s")), [])

    def test_a_window_that_never_comes(self):
        """No frame is in the window of --frames, or none was chosen by --slower-than: stat and record say so."""
        options = {"level": "pass", "every": 1, "slower_than_ns": MS}
        window = {"options": "--frames 1000-", "begun": True, "first_frame": 1000, "last_frame": None}
        late = self.session(frames(20, level="frame"), about={**ABOUT, "options": options}, name="late")
        good = self.session(frames(20), about={**ABOUT, "options": options}, name="good")
        plain = self.session(frames(20, level="frame"), about={**ABOUT, "options": {**options, "slower_than_ns": 0}}, name="plain")
        missed = self.session(frames(20), about={**ABOUT, "options": options, "window": window}, name="missed")
        none, window = "of 20 frames none was at level pass", "no frame was in the window --frames 1000-; the session has 20 frames"
        for made, said in ((late, [none]), (good, []), (plain, []), (missed, [window])):
            for command in ("stat", "record"):
                run = self.run_command(command, "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
                self.assertEqual([text for text in (none, window) if text in " ".join(run.stderr.split())], said, run.stderr)


class Torn(CommandTest):
    def test_torn_rows_are_cut(self):
        made = self.session(frames(5) + ['5,gl,"a name\r\n'], passes(5) + ["5,0,00aa,pa"], about=ABOUT)
        run = self.run_command("record", "-o", "s", "sh", "-c", "kill -KILL $$",
                               env={"FAKE_SESSION": made, "FAKE_PROGRAM": "sh"})
        self.assertEqual(run.returncode, 128 + signal.SIGKILL)
        for name, rows in (("frames.csv", 6), ("passes.csv", 11)):
            with open(os.path.join(self.cwd, "s", name), "rb") as file:
                text = file.read()
            self.assertTrue(text.endswith(b"\r\n"))
            self.assertEqual(text.count(b"\r\n"), rows)

    def test_early_stop_is_reported(self):
        made = self.session(frames(5), about={**ABOUT, "ended": "the disk is full"})
        head = self.stat_of(made).stderr.split("in ms")[0]
        self.assertIn("stopped early, while the application went on: the disk is full", " ".join(head.split()))


class Summary(CommandTest):
    def test_long_commands_keep_the_name(self):
        made = self.session(frames(5), about=ABOUT)
        deep = os.path.join(self.cwd, "d" * 60)
        os.mkdir(deep)
        os.symlink("/bin/true", os.path.join(deep, "game"))
        self.assertIn("\n game -x\n", self.stat_of(made, command=(deep + "/game", "-x")).stderr)

    def test_one_frame_has_figures(self):
        text = " ".join(self.stat_of(self.session(frames(1), about=ABOUT, name="one")).stderr.split())
        self.assertIn(" 1 frame ", text)
        self.assertNotIn("1 frames", text)
        self.assertIn("frame time not measured", text)

    def test_levels_are_not_mixed(self):
        rows = frames(200, level="frame")
        for row in rows[50:60]:
            row.update(level="pass", frame_time_ns=90 * MS)
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("frame time 10.00 10.00 10.00 10.00 10.00 1 ", text)
        self.assertIn("CPU busy 2.000 2.000 2.000 2.000 2.000 1 ", text)
        self.assertIn("of frames at level frame; left out: 10 at a finer level", text)
        self.assertIn("189 frames in 1.890 s, at level frame", text)

    def test_a_few_frames_do_not_stand_for_all(self):
        """--slower-than is below every frame's time: one frame is at level frame, all others are finer."""
        rows = frames(200, level="pass")
        for row in rows[:3]:
            row.update(level="frame", frame_time_ns=4 * MS)
        about = {**ABOUT, "options": {"slower_than_ns": 5 * MS}}
        run = self.stat_of(self.session(rows, about=about))
        self.assert_narrow(run.stderr)
        text = " ".join(run.stderr.split())
        self.assertIn("100.0 FPS 1% low 100.0 0.1% low - 197 frames in 1.970 s, at level pass", text)
        self.assertIn("frame time 10.00 10.00 10.00 10.00 10.00 3 ", text)
        self.assertIn("of frames at level pass; left out: 2 at another", text)
        self.assertIn("--slower-than chose the levels: frames at level pass followed slow frames", text)

    def test_figures_of_a_window_name_their_frames(self):
        """--every 4: GPU parts, verdicts, passes and counters are those of the measured frames, and the summary says
        so."""
        rows = frames(201, level="frame", gpu_busy_ns="", gpu_wait_ns="", bound_by="", passes="",
                      **{"pipeline:vertex_shader_invocations": "", "cpu:task-clock_ns": 2_500_000})
        inside = []
        for row in rows[::4]:
            row.update(frames(1)[0], frame=row["frame"], frame_time_ns=row["frame_time_ns"],
                       gpu_time_ns=4 * MS, gpu_busy_ns=3 * MS)
            inside += passes(1)
            for made in inside[-2:]:
                made["frame"] = row["frame"]
        made = self.session(rows, inside, about=ABOUT)
        run = self.stat_of(made, "-v")
        self.assert_narrow(run.stderr)
        text = " ".join(run.stderr.split())
        for part in ("150 frames in 1.500 s, at level frame", "of all 201 frames, 51 are at level pass: the passes below are theirs",
                     "frame time 10.00 10.00 10.00 10.00 10.00 1 ", "GPU time 4.000 4.000 4.000 - 4.000 4 ",
                     "GPU busy 3.000 3.000 3.000 - 3.000 4 ", "bound by gpu 100.0%, of 50 frames",
                     "scene: window - 5.999 66.7 5.999 5.999 ", "1,200 pipeline:vertex_shader_invocations of 50 frames",
                     "GPU times and verdicts: frames at level pass"):
            self.assertIn(part, text)
        self.assertNotIn("unknown", text)
        report = self.run_command("report", made).stdout
        self.assertIn("of all 201 frames, 51 are at level pass: the passes below are theirs", " ".join(report.split()))

    def test_unknown_verdicts_are_explained(self):
        rows = frames(101)
        for row in rows[51:]:
            row.update(bound_by="", gpu_time_ns="", gpu_busy_ns="", gpu_wait_ns="")
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("bound by gpu 100.0% of 50 frames; the GPU times of 50 others are not known", text)
        for row in rows[61:]:
            row.update(draws=0, dispatches=0, copies=0)
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT, name="idle")).stderr.split())
        self.assertIn("the GPU times of 10 others are not known; 40 others had no work for the GPU", text)

    def test_rejected_times_scale_nothing(self):
        """Where GPU times are missing, rotated counters are not scaled, and the mean of a rotation is that of the timed
        frames."""
        rows = frames(401)
        for i, row in enumerate(rows):
            row.update({"khr:odd": 270} if i % 2 else {"khr:even": 270})
            if i > 200:
                row.update(gpu_time_ns="", gpu_busy_ns="", gpu_wait_ns="", bound_by="")
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("per frame, mean of 400 frames 1,200 pipeline:vertex_shader_invocations 270 khr:even scaled duty 50.0%, "
                      "+-0.0% 270 khr:odd scaled duty 50.0%, +-0.0%", text)

    def test_metrics_leave_the_first_frame_out_and_have_units(self):
        about = {**ABOUT, "metrics": [{"name": "metric:overdraw", "unit": "fragments/pixel"},
                                      {"name": "metric:tiny", "unit": ""},
                                      {"name": "metric:culled_percent", "unit": "percent"}]}
        rows, ranked = frames(101), passes(101)
        for i, row in enumerate(rows):
            row.update({"metric:overdraw": 99 if i == 0 else 1.25, "metric:tiny": 0.01234,
                        "metric:culled_percent": 24.5, "cpu:task-clock_ns": 9_000_000_000 if i == 0 else 2_500_000,
                        "pipeline:vertex_shader_invocations": 10 ** 9 if i == 0 else 1200})
        for row in ranked:
            row["metric:overdraw"] = 77 if row["frame"] == 0 else 1.5 + row["pass"]
        made = self.session(rows, ranked, about=about)
        run = self.stat_of(made)
        self.assert_narrow(run.stderr)
        text = " ".join(run.stderr.split())
        for part in ("per frame, mean of 100 frames 1,200 pipeline:vertex_shader_invocations 2.500 ms cpu:task-clock ",
                     "metrics, mean of 100 frames 1.250 fragments/pixel metric:overdraw 0.0123 metric:tiny "
                     "24.50 % metric:culled_percent "):
            self.assertIn(part, text)
        report = " ".join(self.run_command("report", made).stdout.split())
        for part in ("# Per frame, mean of 100 frames # 1,200 pipeline:vertex_shader_invocations",
                     "# Metrics, mean of 100 frames # 1.250 fragments/pixel metric:overdraw",
                     "# Metrics by pass: means of its rows without first frames # "
                     "scene: window 2.500 fragments/pixel metric:overdraw shadow map 1.500 fragments/pixel"):
            self.assertIn(part, report)

    def test_missing_is_not_zero(self):
        rows = frames(50, gpu_time_ns="", gpu_busy_ns="", gpu_wait_ns="", **{"pipeline:vertex_shader_invocations": ""})
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("GPU time not measured", text)
        self.assertNotIn("pipeline:", text)

    def test_reasons_are_printed(self):
        about = json.loads(json.dumps(ABOUT))
        about["devices"][0]["events_missing"] = [{"event": f"event{i}", "reason": "the driver lacks it"}
                                                 for i in range(5)] + [{"event": "other", "reason": "too old"}]
        text = " ".join(self.stat_of(self.session(frames(50), about=about), "-v").stderr.split())
        self.assertIn("not measured event0 and 4 more: the driver lacks it", text)
        self.assertIn("not measured other: too old", text)

    def test_long_reasons_are_wrapped_not_cut(self):
        about = json.loads(json.dumps(ABOUT))
        reason = " ".join(f"word{i}" for i in range(40))
        about["devices"][0]["events_missing"] = [{"event": "khr", "reason": reason}]
        about["devices"][0]["notes"] = [reason.replace("word", "note")]
        about["frames"] = {"events_got": [], "events_missing": [{"event": "hwmon", "reason": reason + " machine"}]}
        run = self.stat_of(self.session(frames(50), about=about), "-v")
        self.assert_narrow(run.stderr)
        text = " ".join(run.stderr.split())
        self.assertIn("not measured khr: " + reason, text)
        self.assertIn("not measured hwmon: " + reason + " machine", text)
        self.assertIn("note " + reason.replace("word", "note"), text)

    def test_dominating_overhead_is_printed_with_fps(self):
        def of(percent, name):
            total = 10 * MS
            about = {**ABOUT, "own_cost": {"hooks_cpu_ns": total * percent // 100, "collector_cpu_ns": 0,
                                           "frame_time_ns": total, "percent": float(percent)}}
            run = self.stat_of(self.session(frames(50), about=about, name=name))
            self.assert_narrow(run.stderr)
            return " ".join(run.stderr.split("in ms")[0].split())
        self.assertNotIn("is passprobe's overhead on the CPU", of(9, "little"))
        self.assertIn("30% of all frames' time is passprobe's overhead on the CPU: without passprobe the application may", of(30, "much"))
        self.assertIn("not the application's speed", of(70, "most"))

    def test_overhead_is_the_median(self):
        """Another process ran in the middle of a hook: the sum includes its time, the median does not."""
        def of(usual, total, name):
            about = {**ABOUT, "counts": {"frames": 50},
                     "own_cost": {"hooks_cpu_ns": total, "hooks_usual_ns": usual, "collector_cpu_ns": 50_000,
                                  "frame_time_ns": 50 * 10 * MS, "percent": 0.1}}
            run = self.stat_of(self.session(frames(50), about=about, name=name), "-v")
            self.assert_narrow(run.stderr)
            return " ".join(run.stderr.split())
        text = of(100_000, 300 * MS, "noisy")
        self.assertIn("overhead CPU: 2.0 us a frame in the application's threads, 1.00 us in other threads (together 0.1% of all frames' "
                      "time, without the GPU's); the first figure is a median, its mean is 6.00 ms (frames with much more work, and other "
                      "programs on the same CPU, raise the mean)", text)
        self.assertIn(" measuring cost 0.1 to 60 % of frame time, nothing lost", text)
        self.assertNotIn("is passprobe's overhead on the CPU", text)
        self.assertNotIn("its mean", of(100_000, 140_000, "quiet"))
        self.assertIn(" measuring cost 0.1 % of frame time, ", of(100_000, 10 * MS, "two percent"))

    def test_no_more_digits_than_are_known(self):
        """The precision of a median is a thirtieth; GPU overhead is estimated from empty brackets."""
        def of(level, name):
            about = {**ABOUT, "counts": {"frames": 50, "brackets": 650}, "options": {"level": level},
                     "own_cost": {"hooks_cpu_ns": 7_000_000, "hooks_usual_ns": 6_323_000, "collector_cpu_ns": 4_189_000,
                                  "frame_time_ns": 500 * MS, "percent": 13.4567}}
            run = self.stat_of(self.session(frames(50), passes(50), about=about, name=name), "-v")
            self.assert_narrow(run.stderr)
            return " ".join(run.stderr.split())
        text = of("pass", "pass")
        self.assertIn("overhead CPU: 130 us a frame in the application's threads, 83.8 us in other threads (together 13% of all "
                      "frames' time, without the GPU's) brackets", text)
        self.assertIn("busy of frames; estimated GPU overhead: 13.0 brackets a frame take 13 us; to see stalls that brackets "
                      "cause, compare with a --level frame run Percentiles", text)
        self.assertIn("13.0 brackets a frame take 13 us Percentiles", of("frame", "frame"))

    def test_refused_events_are_reported_at_the_end(self):
        """The application's driver did not know an event: the session has the reason and nothing else."""
        made = os.path.join(self.top, "refused")
        os.mkdir(made)
        why = "events: column 1: unknown event 'vrets'; did you mean 'verts'?"
        with open(os.path.join(made, "session.json"), "w", encoding="utf-8") as out:
            json.dump({**ABOUT, "ended": why, "devices": []}, out)
        for command in ("stat", "record"):
            run = self.run_command(command, "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
            self.assertEqual(run.returncode, 0)
            self.assert_one_line(run.stderr, "nothing was profiled of 'true': " + why)
            self.assertEqual(os.listdir(self.cwd), [], "no session is left, and no older one moved aside next time")

    def test_what_ends_a_frame_is_named_where_nothing_did(self):
        """passprobe saw draws and no end of a frame: the summary names what ends a frame, and does not suggest
        `doctor`."""
        made = os.path.join(self.top, "endless")
        os.mkdir(made)
        with open(os.path.join(made, "session.json"), "w", encoding="utf-8") as out:
            json.dump(ABOUT, out)
        for command in ("stat", "record"):
            for end, part in (("marker", "the application drew, but marked no frame (pp_frame_end()"),
                              ("present", "the application drew, but never presented; try --frame-on submit")):
                run = self.run_command(command, "--frame-on", end, "--", "true",
                                       env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
                self.assert_one_line(run.stderr, "no data from 'true': " + part)
        self.assert_one_line(self.run_command("stat", "--frame-on", "marker", "--", "true").stderr, "passprobe doctor")
        with open(os.path.join(made, "session.json"), "w", encoding="utf-8") as out:
            json.dump({**ABOUT, "counts": {"frame_marks": 7}}, out)
        run = self.run_command("record", "--frame-on=present", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
        self.assert_one_line(run.stderr, "It marks its frames itself (pp_frame_end()): use --frame-on marker")
        self.assertNotIn("try", run.stderr)

    def test_measured_zeros_are_printed(self):
        rows = frames(50, **{"pipeline:vertex_shader_invocations": 0, "pipeline:geometry_shader_primitives": 0})
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("per frame, mean of 49 frames 0 in every frame: all 2 ", text)
        rows = frames(50, **{"pipeline:geometry_shader_primitives": 0})
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT, name="one")).stderr.split())
        self.assertIn("0 in every frame: pipeline:geometry_shader_primitives ", text)

    def test_every_missing_event_is_counted(self):
        """Another device lacks another event for the same reason, and there are more reasons than lines."""
        about = json.loads(json.dumps(ABOUT))
        about["devices"][0]["events_missing"] = [{"event": "a", "reason": "the driver lacks it"}]
        about["devices"].append({"api": "gl", "name": "other", "events_missing": [
            {"event": "a", "reason": "the driver lacks it"}, {"event": "b", "reason": "the driver lacks it"},
            *({"event": f"e{i}", "reason": f"reason {i}"} for i in range(40))]})
        run = self.stat_of(self.session(frames(50), about=about), "-v")
        text = " ".join(run.stderr.split())
        self.assertIn("not measured a and 1 more: the driver lacks it", text)
        self.assertIn("not measured e30: reason 30", text)
        self.assertIn("not measured 9 further events: see session.json", text)

    def test_zeros_share_a_line(self):
        rows = frames(50, **{"pipeline:geometry_shader_primitives": 0, "pipeline:clipping_primitives": 0})
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("1,200 pipeline:vertex_shader_invocations 0 in every frame: the other 2", text)

    def turns_of(self, rows):
        """What stat prints, and its rotated counters: {name: (mean, duty, spread)}."""
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        return text, {name: (float(value.replace(",", "")), float(duty), float(spread)) for value, name, duty, spread in
                      re.findall(r" (-?[0-9.,]+) (\S+) scaled duty ([0-9.]+)%, \+-([0-9.]+)%", text)}

    def test_stated_spread_of_rotation_holds(self):
        """One frame is 30 times as long as the others, and no count follows the GPU time."""
        rows = frames(100)
        for i, row in enumerate(rows):
            row["gpu_time_ns"] = (900 if i == 0 else 30 if i == 50 else 1) * MS + i * 1000
            row["khr:odd" if i % 2 else "khr:even"] = 100 + i % 7
        _, found = self.turns_of(rows)
        self.assertEqual(set(found), {"khr:odd", "khr:even"})
        for name, (value, _, spread) in found.items():
            self.assertLessEqual(abs(value - 103), value * spread / 100, name)

    def test_constant_counts_are_exact_with_rotation(self):
        """205 vertices in each frame stay 205, however much the GPU times differ."""
        rows = frames(242)
        for i, row in enumerate(rows):
            row["gpu_time_ns"] = (1 + i * i % 37) * MS // 3
            row["khr:Vertices" if i * i % 5 % 2 else "khr:Instances"] = 205
        _, found = self.turns_of(rows)
        self.assertEqual({name: (value, spread) for name, (value, _, spread) in found.items()},
                         {"khr:Vertices": (205, 0), "khr:Instances": (205, 0)})

    def test_rotated_counters_follow_gpu_time(self):
        """A counter of 10 per ms is known for all frames from their times, in whichever frames it was measured."""
        rows = frames(201)
        for i, row in enumerate(rows):
            ms = 1 + i * i % 29
            row["gpu_time_ns"] = ms * MS
            row["khr:odd" if i * i % 5 % 2 else "khr:even"] = 10 * ms
            row["khr:load_percent"] = 30 if i % 2 else 50
            if i % 2:
                row["khr:part_percent"] = ms
        mean = sum(10 * (1 + i * i % 29) for i in range(1, 201)) / 200
        text, found = self.turns_of(rows)
        for name, duty in ("khr:even", 60), ("khr:odd", 40):
            self.assertAlmostEqual(found[name][0], mean, delta=0.06, msg=text)
            self.assertEqual(found[name][1:], (duty, 0), text)
        self.assertRegex(text, r"% khr:load mean")
        self.assertRegex(text, r"% khr:part mean duty 50.0%")
        self.assertNotIn("1,200 pipeline:vertex_shader_invocations scaled", text)

    def test_rotated_signed_counters_show_their_duty(self):
        rows = frames(201)
        for i, row in enumerate(rows):
            row["khr:Balance" if i % 2 else "khr:Other"] = -5 + i // 2 % 3
            row["khr:Zero" if i % 2 else "khr:Rest"] = -1 if i // 2 % 2 else 1
        text, found = self.turns_of(rows)
        for name in "khr:Balance", "khr:Other":
            self.assertAlmostEqual(found[name][0], -4, delta=0.1, msg=text)
            self.assertEqual(found[name][1], 50, text)
            self.assertLess(found[name][2], 10, text)
        # a mean of 0 has no spread in percent
        self.assertRegex(text, r" 0 khr:Zero scaled duty 50.0%, \+-0\.[0-9]+ ")

    def test_rotated_cpu_sets_show_their_duty(self):
        """session.json says which events rotate: the others are missing where another thread presented."""
        rows = frames(201)
        for i, row in enumerate(rows):
            row["cpu:cycles" if i % 2 else "cpu:branches"] = 1000 + i % 10 // 2
            if i % 3:
                row["cpu:page-faults"] = 7
        sets = [["cpu:cycles", "cpu:page-faults"], ["cpu:branches", "cpu:page-faults"]]
        text = " ".join(self.stat_of(self.session(rows, about={**ABOUT, "frames": {"event_sets": sets}})).stderr.split())
        self.assertRegex(text, r"1,00[0-9.]+ cpu:cycles scaled duty 50.0%, \+-0.1%")
        self.assertRegex(text, r"1,00[0-9.]+ cpu:branches scaled duty 50.0%, \+-0.1%")
        self.assertIn("7 cpu:page-faults of 134 frames", text)

    def test_changes_and_verdicts_are_printed(self):
        about = json.loads(json.dumps(ABOUT))
        about["devices"][0]["notes"] = ["the profiling lock pins the clocks"]
        about["options"] = {"serialize": True}
        rows = passes(50)
        for i, row in enumerate(rows):
            row["bound_by"] = "sampler" if i % 2 or i < 10 else "eu"
        run = self.stat_of(self.session(frames(50), rows, about=about), "-v")
        self.assert_narrow(run.stderr)
        text = " ".join(run.stderr.split())
        self.assertIn("note the profiling lock pins the clocks", text)
        self.assertIn("Serialized (see the note): do not compare these times with those of other runs.", text)
        self.assertTrue(text.startswith("true, serialized "), text)
        self.assertIn("shadow map [eu]", text)
        self.assertIn("scene: window [sampler]", text)

    def test_passes_of_the_first_frame_only(self):
        rows = passes(50) + [{"frame": 0, "pass": 9, "pass_id": "cc", "name": "start-up", "gpu_time_ns": 99 * MS}]
        made = self.session(frames(50), rows, about=ABOUT)
        self.assertNotIn("start-up", self.stat_of(made).stderr)
        text = " ".join(self.run_command("report", made).stdout.split())
        self.assertIn("- - - - - - - - start-up (pass 9, first frames only)", text)

    def test_the_first_frame_is_the_lowest_number(self):
        """Rows are written when frames are complete, so their order differs."""
        rows, ranked = frames(6), passes(6)
        rows[0].update({"gpu_time_ns": 900 * MS, "khr:load_percent": 99})
        for row in ranked[:2]:
            row["gpu_time_ns"] = 900 * MS
        order = [1, 2, 3, 0, 4, 5]
        made = self.session([rows[i] for i in order], [row for i in order for row in ranked[2 * i:2 * i + 2]], about=ABOUT)
        text = " ".join(self.stat_of(made).stderr.split())
        self.assertIn("5 frames in 0.050 s, without the first one (0.500 s)", text)
        self.assertIn("GPU busy 8.000 8.000", text)
        self.assertNotIn("khr:load", text)
        self.assertIn("66.7 5.999 5.999 5.999 5.999 5.999 0.000 5.999 1 5 - scene: window",
                      " ".join(self.run_command("report", "-v", made).stdout.split()))

    def test_too_many_passes_are_counted(self):
        """Labels have numbers in them, so that there are too many passes: every command counts those that it does not
        rank, and ends soon."""
        ranked = [{"frame": 1 + i // 35000, "pass": i % 35000, "pass_id": f"{i:x}", "name": f"step {i}",
                   "gpu_time_ns": MS} for i in range(70000)]
        made = self.session(frames(3), ranked, about=ABOUT)
        said = "passes.csv: 4464 rows were left out: too many different passes"
        self.assertIn(said, self.stat_of(made).stderr)
        run = self.run_command("record", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
        self.assertIn(said, run.stderr)
        self.assertIn("3 frames, 70000 passes in ", run.stderr)
        run = self.run_command("report", "-E1", made)
        self.assertEqual(run.returncode, 0)
        self.assertIn(said, run.stderr)
        self.assertIn("# and 65535 more passes: --entries 0\n", run.stdout)

    def test_rotated_fractions_are_means(self):
        rows = frames(201)
        for i, row in enumerate(rows):
            row["khr:odd" if i % 2 else "khr:even"] = 0.3
        text = " ".join(self.stat_of(self.session(rows, about=ABOUT)).stderr.split())
        self.assertIn("0.3000 khr:even scaled duty 50.0%, +-0.0%", text)

    def test_below_resolution(self):
        rows = passes(50)
        for row in rows:
            row["gpu_time_ns"] = 1500
        text = " ".join(self.stat_of(self.session(frames(50), rows, about=ABOUT)).stderr.split())
        self.assertRegex(text, r"shadow map - below resolution below ")
        self.assertNotIn("50.0 ", text)

    def test_how_the_recorded_process_ended(self):
        """The session has no end by exit handlers; the command knows how CMD itself ended."""
        path = os.path.join(self.top, "made")
        script = ("import os, shutil, signal, sys\n"
                  "out, made = os.environ['PASSPROBE_OUTPUT'], os.environ['MADE']\n"
                  "pid = os.fork() if sys.argv[1] == 'child' else 0\n"
                  "if pid: os.waitpid(pid, 0); sys.exit(int(sys.argv[2]))\n"
                  "for name in os.listdir(made):\n"
                  "    with open(os.path.join(made, name)) as file: text = file.read()\n"
                  "    with open(os.path.join(out, name), 'w') as file: file.write(text.replace('4242424242', str(os.getpid())))\n"
                  "if sys.argv[-1] == 'kill': os.kill(os.getpid(), signal.SIGKILL)\n"
                  "os._exit(int(sys.argv[2]))\n")
        self.assertEqual(self.session(frames(5), about={**ABOUT, "ended": "running", "program": {"pid": 4242424242}}), path)
        for args, code, part in ((("self", "0"), 0, "ended with status 0 without its exit handlers"),
                                 (("self", "3"), 3, "ended with status 3 without its exit handlers"),
                                 (("self", "0", "kill"), 137, "was killed by SIGKILL: up to the last second"),
                                 (("child", "0", "kill"), 0, "itself ended with status 0."),
                                 (("child", "7"), 7, "itself ended with status 7.")):
            run = self.run_command("stat", "-o", "s", "python3", "-c", script, *args, env={"MADE": path})
            self.assertEqual(run.returncode, code)
            text = " ".join(run.stderr.split("measuring cost")[1].split())
            self.assertIn(part, text)
            self.assertEqual("The recorded process, which" in text, args[0] == "child", text)
            self.assertNotIn("The program was killed", text)

    def test_no_division_by_zero_is_shown(self):
        about = {**ABOUT, "counts": {"frames": 0, "brackets": 5},
                 "own_cost": {"hooks_cpu_ns": 5, "collector_cpu_ns": 5, "frame_time_ns": 0}}
        made = self.session(frames(5, frame_time_ns=0, gpu_time_ns=0), passes(5), about=about)
        for text in (self.stat_of(made).stderr, self.run_command("report", made).stdout):
            self.assertNotRegex(text, r"\b(inf|nan)\b")

    def test_other_surfaces_are_named(self):
        rows = frames(50) + frames(2, surface="window 2")
        made = self.session(rows, about=ABOUT)
        run = self.stat_of(made)
        self.assert_narrow(run.stderr)
        self.assertIn(" 1 other surface with 2 frames, 2.0 % of the GPU time: passprobe report\n", run.stderr)
        self.assertNotIn("window 2", run.stderr)
        text = self.run_command("report", made).stdout
        self.assertIn("#   mean frame time 10.00 ms, mean GPU time 9.00 ms; 98.0 % of the GPU time of all surfaces\n", text)
        self.assertIn("# Counters of 1 other surface: --entries 0\n", text)
        self.assertIn("# Per frame of window 2, mean of 1 frame\n", self.run_command("report", "-E0", made).stdout)

    def test_means_of_surfaces_are_of_one_level(self):
        rows = frames(50) + frames(20, surface="window 2")
        for i, row in enumerate(rows):
            row["frame"] = i
            if i % 5 == 4:
                row.update(level="draw", frame_time_ns=60 * MS, gpu_time_ns=59 * MS)
        text = self.run_command("report", self.session(rows, about=ABOUT)).stdout
        self.assertEqual(text.count("#   mean frame time 10.00 ms, mean GPU time 9.00 ms"), 2, text)

    def test_surfaces_by_gpu_time(self):
        """Chromium: the compositor's window has most frames, WebGL's pbuffer most of the GPU time. Both have tables."""
        rows, ranked = [], []
        for i in range(200):
            window = i % 4 != 0
            rows += frames(1, frame=i, frame_time_ns=20 * MS, surface="window 1" if window else "pbuffer 2",
                           gpu_time_ns=(1 if window else 15) * MS)
            ranked.append({"frame": i, "pass": 0, "pass_id": "aa" if window else "bb", "kind": "render",
                           "name": "compositor" if window else "webgl", "gpu_time_ns": MS if window else 15 * MS})
        rows += frames(40, surface="hidden 3", gpu_time_ns="")  # 16 % of the frames have no GPU time
        rows += frames(3, surface="popup 4", gpu_time_ns=MS)
        ranked.append({"pass": 0, "pass_id": "cc", "name": "late upload", "gpu_time_ns": 8 * MS})
        run = self.stat_of(self.session(rows, ranked, about=ABOUT))
        self.assert_narrow(run.stderr)
        self.assertEqual(run.stderr.count("\n true\n"), 1)
        blocks = run.stderr.split("   OpenGL on llvmpipe (LLVM 15.0.6, 256 bits), ")
        self.assertEqual([block.split("\n")[0] for block in blocks[1:]], ["pbuffer 2", "window 1", "hidden 3"])
        self.assertIn("webgl", blocks[1])
        self.assertIn("late upload (of no frame)", blocks[1])
        self.assertNotIn("compositor", blocks[1])
        self.assertIn("compositor", blocks[2])
        self.assertNotIn("late upload", blocks[2])
        self.assertIn("149 frames in", blocks[2])
        self.assertIn("GPU busy ", blocks[3])
        self.assertIn(" 1 other surface with 3 frames, 0.2 % of the GPU time: passprobe report\n", blocks[3])

    def test_at_most_four_surfaces_have_tables(self):
        rows = [row for k in range(7) for row in frames(20, surface=f"window {k}")]
        run = self.stat_of(self.session(rows, about=ABOUT))
        self.assertEqual(run.stderr.count("OpenGL on llvmpipe"), 4)
        self.assertIn(" 3 other surfaces with 60 frames, 42.9 % of the GPU time: passprobe report\n", run.stderr)
        rows = [row for k in range(3) for row in frames(20 + k, surface=f"window {k}", gpu_time_ns="")]
        run = self.stat_of(self.session(rows, about=ABOUT, name="no-times"))
        self.assertEqual(run.stderr.count("OpenGL on llvmpipe"), 3)
        self.assertNotIn("other surface", run.stderr)

    def test_figures_belong_to_the_surface_shown(self):
        """Qt: a pbuffer and a window, whose frames alternate. No row divides passes of one surface by frames of the
        other."""
        rows, ranked, draws = frames(202), [], []
        for i, row in enumerate(rows):
            window = i % 2 == 0
            row.update(surface="window 5" if window else "offscreen 1", level="draw", frame_time_ns=20 * MS,
                       **{"pipeline:vertex_shader_invocations": 1000 if window else 10})
            for place in range(1 + window):
                ranked.append({"frame": i, "pass": place, "pass_id": "aa" if place else "bb", "kind": "render",
                               "name": "window" if place else "transfer", "gpu_time_ns": 4 * MS if window else MS})
                draws.append({"frame": i, "pass": place, "draw": place, "draw_id": f"d{place}", "call": "glDrawArrays",
                              "gpu_time_ns": 3 * MS if window else MS})
        rows += frames(1, frame=202, surface="window 5", level="draw", frame_time_ns=20 * MS,
                       **{"pipeline:vertex_shader_invocations": 1000})
        ranked += [{"frame": 202, "pass": place, "pass_id": "aa" if place else "bb", "kind": "render",
                    "name": "window" if place else "transfer", "gpu_time_ns": 4 * MS} for place in (0, 1)]
        ranked.append({"pass": 0, "pass_id": "cc", "name": "late upload", "gpu_time_ns": 8 * MS})
        made = self.session(rows, ranked, about=ABOUT)
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws)
        run = self.stat_of(made)
        text = " ".join(run.stderr.split())
        for part in ("101 frames in 2.020 s", "transfer - 3.999 49.5 3.999 3.999 window - 3.999 49.5 3.999 3.999",
                     "late upload (of no frame)", "per frame, mean of 101 frames 1,000 pipeline:vertex_shader_invocations",
                     "50.0 2.969 - 0 glDrawArrays in transfer"):
            self.assertIn(part, text.split(", offscreen 1 ")[0])
        other = text.split(", offscreen 1 ")[1]
        self.assertIn("transfer - 0.999 100.0 0.999 0.999", other)
        self.assertIn("per frame, mean of 100 frames 10 pipeline:vertex_shader_invocations", other)
        self.assertNotIn("other surface", text)
        text = " ".join(self.run_command("report", "-v", made).stdout.split())
        for part in (" 101 - transfer, window 5 (in 101 of 201 frames) ", " 101 - window 5 ", " 100 - transfer, offscreen 1 ",
                     "# Per frame of window 5, mean of 101 frames # 1,000 pipeline:"):
            self.assertIn(part, text)

    def test_passes_ahead_of_frames_are_left_out(self):
        """Killed application: each file has its own buffer, so passes.csv may be ahead of frames.csv."""
        made = self.session(frames(50), passes(60), about={**ABOUT, "ended": "running"})
        text = " ".join(self.stat_of(made).stderr.split())
        self.assertIn("scene: window - 5.999 66.7 5.999 5.999", text)
        text = self.run_command("report", "-v", made).stdout
        self.assertIn(" 49     -  scene: window\n", text)
        self.assertIn("# 20 rows of frames that frames.csv does not have are left out.\n", text)

    def test_record_reads_no_draws(self):
        """draws.csv may have gigabytes: `record` counts frames and passes, `stat` and `report` summarize the rest."""
        made = self.session(frames(5), passes(5), about=ABOUT)
        for name in ("draws.csv", "labels.csv"):
            self.write_csv(made, name, "of,others", [])
        run = self.run_command("record", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
        self.assertEqual(run.stderr, "[ passprobe record: 5 frames, 10 passes in "
                                     f"{os.path.join(self.cwd, 'passprobe.data')} ]\n")
        self.assertIn("labels.csv: not written by passprobe", self.stat_of(made).stderr)

    def test_locale_with_decimal_comma(self):
        made = self.session(frames(150), passes(150), about=ABOUT)
        plain = self.stat_of(made, "-o", "a").stderr
        comma = self.stat_of(made, "-o", "b", env={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}).stderr
        self.assertEqual(plain.replace("cwd/a", ""), comma.replace("cwd/b", ""))

    def test_hostile_names(self):
        rows = [{"frame": i, "pass_id": "1", "name": '\x1b]0;owned\x07\x1b[2J, "x" \r\nline' + "y" * 200,
                 "gpu_time_ns": MS} for i in range(20)]
        made = self.session(frames(20, device="dev\x1bice", surface="a\nb"), rows, about=ABOUT)
        run = self.stat_of(made)
        self.assert_narrow(run.stderr)
        report = self.run_command("report")
        for text in (run.stderr, report.stdout):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\x07", text)
            self.assertIn("?]0;owned??[2J", text)


if __name__ == "__main__":
    unit_main()
