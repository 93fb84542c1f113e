"""`passprobe top` on a terminal of tmux: screens, keys, sizes, what it does to the terminal, and a started application."""
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading

from command import ABOUT, CommandTest, DRAW_HEADER, FRAME_HEADER, LABEL_HEADER, MS, PASS_HEADER
from golden import golden
from harness import unit_main
from tmux import open_terminal, wait_for

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
FIRST_NS = 1_000_000_000  # long ago: the machine runs for longer
VOLATILE = [(r"pid \d+\)", "pid N)"), (r"no new frame for [\d.]+ s", "no new frame for N s")]


class Top(CommandTest):
    def setUp(self):
        super().setUp()
        self.runtime = os.path.join(self.top, "runtime")
        os.mkdir(self.runtime, 0o700)
        self.env.update(XDG_RUNTIME_DIR=self.runtime, LC_ALL="C.UTF-8", TERM="screen-256color")
        self.env.pop("NO_COLOR", None)

    @staticmethod
    def frame_rows(first, count, **more):
        """Frames of 16 ms; each 50th takes 40 ms. 3 of 4 are bound by the GPU."""
        rows, at = [], FIRST_NS + first * 17 * MS
        for i in range(first, first + count):
            took = 40 * MS if i % 50 == 49 else 16 * MS
            rows.append({"frame": i, "api": "gl", "device": 0, "surface": 0, "level": "pass", "cpu_start_ns": at,
                         "frame_time_ns": took, "bound_by": "cpu" if i % 4 == 0 else "gpu", "passes": 2, **more})
            at += took
        return rows

    @staticmethod
    def pass_rows(first, count):
        rows = []
        for i in range(first, first + count):
            rows.append({"frame": i, "pass": 0, "pass_id": "00aa", "level": "pass", "kind": "render", "name": "shadow map",
                         "label": "shadows", "width": 1024, "height": 1024, "draws": 4, "gpu_time_ns": (9 + i % 2) * MS})
            rows.append({"frame": i, "pass": 1, "pass_id": "00bb", "level": "pass", "kind": "render", "name": "window",
                         "label": "Stra\u00dfe", "width": 320, "height": 240, "draws": 1, "gpu_time_ns": MS // 2})
        return rows

    def running(self, frames=600, name="live", level="pass", labels=(), draws=(), about=None, write_passes=True):
        """A session that this process seems to write: it has a file of it open, and the lock of its directory."""
        path = self.session(self.frame_rows(0, frames, level=level), self.pass_rows(0, frames) if write_passes else (),
                            about={**ABOUT, "ended": "running", **(about or {}),
                                   "program": {"executable": "/usr/bin/racing", "pid": os.getpid(),
                                               "start_realtime_ns": 1_700_000_000_000_000_000}}, name=name)
        self.write_csv(path, "labels.csv", LABEL_HEADER, labels)
        self.write_csv(path, "draws.csv", DRAW_HEADER, draws)
        lock = os.open(path, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = os.open(os.path.join(path, "frames.csv"), os.O_RDONLY)
        self.fds = [lock, file]
        for fd in self.fds:
            self.addCleanup(self.release, fd)
        return path

    def release(self, fd):
        if fd in self.fds:
            self.fds.remove(fd)
            os.close(fd)

    def open(self, *words, env=None, **more):
        return open_terminal(self, [self.install, "top", *words], {**self.env, **(env or {})}, self.cwd, **more)

    def attached(self, *words, **more):
        terminal = self.open("--pid", str(os.getpid()), *words, **more)
        terminal.wait_text("racing (pid", "GPU %")
        return terminal

    def quit(self, terminal, key="q", has_screens=True):
        """Quits, and demands that the terminal is as before. @p has_screens: it has a second screen."""
        terminal.keys(key)
        status = terminal.wait_end()
        self.assert_given_back(terminal, has_screens)
        return status

    def assert_given_back(self, terminal, has_screens=True):
        self.assertEqual(terminal.read("before"), terminal.read("after"))
        self.assertEqual((terminal.state("alternate_on"), terminal.state("cursor_flag")), ("0", "1"))
        if has_screens:
            self.assertIn("line before", terminal.history())
            self.assertNotIn("? help", terminal.history())

    def assert_screen(self, name, text):
        golden(os.path.join(GOLDEN, f"top-{name}.txt"), text, VOLATILE)

    def test_screens(self):
        """Tables of passes, label regions and shader programs of the last 10 s."""
        programs = [{"frame": i, "pass": 0, "draw": d, "draw_id": f"0{d}", "call": "glDrawElements", "gpu_time_ns": (d + 1) * MS,
                     "pipeline": ("terrain", "water", "terrain", "")[d]} for i in range(690, 700) for d in range(4)]
        regions = [{"frame": i, "depth": 1, "label": label, "draws": 3, "gpu_exclusive_ns": ns}
                   for i in range(700) for label, ns in (("shadows", 9 * MS), ("a\\/b/c", 2 * MS), ("untimed", ""))]
        self.running(700, labels=regions, draws=programs)
        terminal = self.attached()
        self.assert_screen("pass", terminal.wait_text("shadows: shadow map 1024x1024", "Stra\u00dfe: window 320x240"))
        terminal.keys("s")
        terminal.wait_text("p95*")
        terminal.keys("s")
        terminal.wait_text("draws*")
        terminal.keys("s", "p")
        self.assert_screen("label", terminal.wait_text("label*", "a/b/c", "untimed"))
        terminal.keys("p")
        self.assert_screen("program", terminal.wait_text("shader program*", "terrain", "10 of 606"))
        terminal.keys("?")
        self.assert_screen("help", terminal.wait_text("page up"))
        terminal.keys("?", "Space")
        terminal.wait_text("frozen: space continues", "terrain")
        self.assertEqual(self.quit(terminal), 0)

    def test_mixed_levels(self):
        """The level changed in the last 10 s: the passes are of the frames at the new level."""
        path = self.running(600)
        rows, ranked = self.frame_rows(0, 600), self.pass_rows(0, 600)
        for row in rows[400:]:
            row["level"] = "draw"
        for row in ranked[800:]:
            row.update(level="draw", gpu_time_ns=20 * MS if row["pass"] == 0 else MS // 2)
        self.write_csv(path, "frames.csv", FRAME_HEADER, rows)
        self.write_csv(path, "passes.csv", PASS_HEADER, ranked)
        terminal = self.attached()
        self.assertRegex(terminal.wait_text("shadows: shadow map", "200 of 600"), r"97\.6 +20\.00 +20\.00 +4 +shadows: shadow map")
        self.assertEqual(self.quit(terminal), 0)

    def test_paused(self):
        """What is not recorded is no fault of the application."""
        changes = [{"at_ns": 1, "next_frame": 1, "what": "start"}, {"at_ns": 2, "next_frame": 9, "what": "stop"},
                   {"at_ns": 3, "next_frame": 9, "what": "level", "level": "draw"}]
        for frames, paused, recording in ((0, True, []), (20, True, changes), (20, False, changes[1:])):
            about = {"options": {"paused": paused}, "recording": {"count": len(recording), "changes": recording}}
            self.running(frames, about=about, name=f"paused-{frames}-{paused}")
            terminal = self.open("--pid", str(os.getpid()))
            terminal.wait_text("paused: `passprobe ctl start`")
            self.assertEqual(self.quit(terminal), 0)
            for fd in list(self.fds):
                self.release(fd)

    def test_real_gpu(self):
        """Only of a software driver the screen says that it is one."""
        self.running(700, about={"devices": [{"api": "gl", "name": "AMD Radeon", "driver": "Mesa"}]})
        self.assertNotIn("software", self.attached().wait_text("606 frames"))

    def test_sizes(self):
        self.running()
        terminal = self.attached()
        terminal.resize(130, 30)
        wait_for(lambda: max(map(len, terminal.screen().splitlines())) > 120, terminal.screen)
        terminal.resize(50, 6)
        screen = wait_for(lambda: (lambda text: text if max(map(len, text.splitlines())) <= 50 and "and 2 more" in text
                                   else None)(terminal.screen()), terminal.screen)
        self.assertEqual(len(screen.splitlines()), 6)
        terminal.resize(4, 2)
        terminal.resize(1, 1)
        terminal.resize(80, 24)
        terminal.wait_text("Stra\u00dfe: window 320x240")
        self.assertEqual(self.quit(terminal), 0)

    def test_scrolls(self):
        path = self.running(write_passes=False)
        self.write_csv(path, "passes.csv", PASS_HEADER,
                       [{"frame": i, "pass": p, "pass_id": f"{p:04}", "kind": "render", "name": f"pass number {p}",
                         "gpu_time_ns": (100 - p) * MS / 100} for i in range(600) for p in range(40)])
        terminal = self.attached()
        text = terminal.wait_text("pass number 0", "pass number 17", "and 22 more")
        self.assertNotIn("pass number 18", text)
        terminal.keys("Down")
        terminal.wait_text("pass number 18", "and 21 more")
        terminal.keys("NPage", "NPage", "NPage")
        terminal.wait_text("pass number 39")
        terminal.keys("PPage", "PPage", "PPage", "Up")
        terminal.wait_text("pass number 0", "pass number 17")
        self.quit(terminal)

    def test_colours(self):
        self.running()
        colour = r"\x1b\[[0-9;]*3[0-7]m"
        terminal = self.attached()
        self.assertRegex(terminal.screen("-e"), colour)
        self.quit(terminal)
        for env in ({"NO_COLOR": "1"}, {"TERM": "vt220"}):
            terminal = self.attached(env=env)
            text = terminal.screen("-e")
            self.assertNotRegex(text, colour)
            self.assertRegex(text, r"\x1b\[[0-9;]*7m")  # the heading is in reverse
            self.quit(terminal, has_screens="TERM" not in env)

    def test_other_character_sets(self):
        self.running()
        terminal = self.attached(env={"LC_ALL": "C"})
        text = terminal.wait_text("shadows: shadow map 1024x1024", "Stra?e")
        self.assertTrue(text.isascii(), text)
        self.assertIn("##########", text)
        self.quit(terminal)

    def test_live(self):
        """New frames move the window on; a new column in a file that was written anew is no obstacle."""
        path = self.running(frames=100)
        terminal = self.attached()
        terminal.wait_text("100 frames", "max 40.0 ms")
        with open(os.path.join(path, "passes.csv"), "a", encoding="utf-8", newline="") as out:
            out.write("".join(f"{i},0,00cc,pass,render,new pass,,,,,,,,,,,,{30 * MS},,\r\n" for i in range(100, 110)))
        header = FRAME_HEADER.split(",")
        with open(os.path.join(path, "frames.csv"), "a", encoding="utf-8", newline="") as out:
            for row in self.frame_rows(100, 10, frame_time_ns=200 * MS):
                row["cpu_start_ns"] += (row["frame"] - 100) * 184 * MS
                out.write(",".join(str(row.get(name, "")) for name in header) + "\r\n")
        terminal.wait_text("110 frames", "max 200.0 ms", "new pass")
        self.write_csv(path, "frames.csv.new", FRAME_HEADER + ",app:late", self.frame_rows(0, 50))
        os.replace(os.path.join(path, "frames.csv.new"), os.path.join(path, "frames.csv"))
        terminal.wait_text(" 50 frames", "max 40.0 ms")
        for fd in list(self.fds):
            self.release(fd)
        terminal.wait_text("the application has ended")
        self.assertEqual(self.quit(terminal, "Q"), 0)

    def test_hostile_names(self):
        path = self.running(write_passes=False)
        self.write_csv(path, "passes.csv", PASS_HEADER,
                       [{"frame": i, "pass_id": "0a", "name": "evil\x1b[2J\x9b31m\r\nname", "gpu_time_ns": MS} for i in range(600)])
        terminal = self.attached()
        self.assertRegex(terminal.wait_text("evil"), r"evil\?\[2J\?31m\?\?name")
        self.quit(terminal)

    def test_same_names(self):
        """Passes of the same name have their place after it, and their id where the place is the same, too; label regions
        that look the same have their paths as labels.csv has them."""
        passes = [{"frame": i, "pass": place, "pass_id": key, "level": "pass", "kind": "transfer", "name": "transfer",
                   "gpu_time_ns": MS} for i in range(600) for place, key in ((2, "00aa1"), (5, "00bb2"), (5, "00cc3"))]
        labels = [{"frame": i, "label": label, "depth": 1, "gpu_exclusive_ns": MS} for i in range(600)
                  for label in ("a/b", "a\\/b", "c")]
        path = self.running(write_passes=False, labels=labels)
        self.write_csv(path, "passes.csv", PASS_HEADER, passes)
        terminal = self.attached()
        screen = terminal.wait_text("transfer")
        for which in ("(pass 2)", "(pass 5, id 00bb2)", "(pass 5, id 00cc3)"):
            self.assertEqual(len(re.findall(rf"  transfer {re.escape(which)}(?= |$)", screen, re.M)), 1, screen)
        terminal.keys("p")
        screen = terminal.wait_text("a/b") # the last line has "label" on each screen
        self.assertEqual(sorted(re.findall(r"  (a\S+|c)(?: |$)", screen, re.M)), ["a/b", "a\\/b", "c"], screen)
        self.quit(terminal)

    def test_not_measured(self):
        self.running(level="frame", write_passes=False, about={})
        terminal = self.attached()
        terminal.wait_text("passes: not measured in these frames (level frame)", "level frame")
        terminal.keys("p")
        terminal.wait_text("no label regions in these frames")
        terminal.keys("p")
        terminal.wait_text("shader programs: measured at level draw only")
        self.quit(terminal)

    def serve(self, answer):
        """The control socket of this process. Returns the lines that it got."""
        os.mkdir(os.path.join(self.runtime, "passprobe"), 0o700)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(os.path.join(self.runtime, "passprobe", f"{os.getpid()}.sock"))
        server.listen()
        got = []

        def run():
            connection, _ = server.accept()
            with connection:
                got.append(connection.makefile("r").readline())
                if answer is not None:
                    connection.sendall(answer.encode())
                connection.recv(1)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(server.close)
        return got

    def test_level(self):
        for answer, shown in ((json.dumps({"ok": True, "level": "draw"}) + "\n", "level draw from the next frame on"),
                              (json.dumps({"ok": False, "error": "ended", "text": "profiling has ended"}) + "\n",
                               "the level did not change: profiling has ended"),
                              ("garbage\n", "the application did not answer"), (None, "the application did not answer")):
            with self.subTest(answer=answer):
                self.setUp()
                self.running()
                terminal = self.attached()
                terminal.keys("l")
                terminal.wait_text("no control socket")
                got = self.serve(answer)
                terminal.keys("l")
                terminal.wait_text(shown)
                self.assertEqual(got, ["level draw\n"])
                self.quit(terminal)
                self.doCleanups()

    def pid_of_top(self, terminal):
        """The process of passprobe in the terminal."""
        shell = int(terminal.state("pane_pid"))
        children = wait_for(lambda: subprocess.run(["ps", "-o", "pid=", "--ppid", str(shell)], stdout=subprocess.PIPE, text=True,
                                                   check=False).stdout.split(), "the process")
        return int(children[0])

    def test_signals_give_the_terminal_back(self):
        self.running()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT):
            with self.subTest(signal=number):
                terminal = self.attached()
                os.kill(self.pid_of_top(terminal), number)
                self.assertEqual(terminal.wait_end(), 128 + number)
                self.assert_given_back(terminal)
        terminal = self.attached()
        terminal.keys("C-c")
        self.assertEqual(terminal.wait_end(), 128 + signal.SIGINT)
        self.assert_given_back(terminal)

    def test_newest_session(self):
        """Without --pid, the session of the process that began last."""
        code = ("import fcntl, os, sys, time\npath = sys.argv[1]\nlock = os.open(path, os.O_RDONLY)\n"
                "fcntl.flock(lock, fcntl.LOCK_EX)\nfile = os.open(path + '/frames.csv', os.O_RDONLY)\n"
                "print('ready', flush=True)\ntime.sleep(600)\n")
        for name, start in (("newer", 4_000_000_000_000_000_001), ("older", 4_000_000_000_000_000_000)):
            path = self.session(self.frame_rows(0, 20), about={**ABOUT, "ended": "running", "program": {
                "executable": f"/bin/{name}", "pid": 1, "start_realtime_ns": start}}, name=name)
            writer = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True)
            self.addCleanup(writer.stdout.close)
            self.addCleanup(writer.wait)
            self.addCleanup(writer.kill)
            self.assertEqual(writer.stdout.readline(), "ready\n")
        terminal = self.open()
        terminal.wait_text("newer (pid", "20 frames")
        self.quit(terminal)

    def test_mistakes(self):
        def refused(*words, env=None):
            terminal = self.open(*words, env=env)
            self.assertEqual(terminal.wait_end(), 125)
            return " ".join(terminal.screen().split())
        self.assertIn(f"process {os.getpid()} writes no session", refused("-p", str(os.getpid())))
        self.assertIn("there is no process 4194304", refused("--pid", "4194304"))
        self.assertIn("--pid: bad value '1x'", refused("--pid=1x"))
        self.assertIn("--pid or a command, not both", refused("--pid", "1", "--", "true"))
        self.assertIn("--level needs a command", refused("-l", "draw"))
        self.running()
        for term in ("no-such-terminal", "dumb", ""):
            self.assertIn(f"a terminal of type '{term}'", refused("-p", str(os.getpid()), env={"TERM": term}))
        run = self.run_command("top", "-p", str(os.getpid()))
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "needs a terminal")

    def start(self, script, *words, frames=30, ended="exit"):
        """top -- an application that leaves a session and runs this script of sh."""
        made = self.session(self.frame_rows(0, frames), self.pass_rows(0, frames), about={**ABOUT, "counts": {"frames": frames}, "ended": ended,
                            "program": {"executable": "/bin/sleep", "pid": 77}})
        return self.open("-o", os.path.join(self.top, "out"), *words, "--", "sh", "-c", script,
                         env={"FAKE_SESSION": made, "FAKE_PROGRAM": "sleep"})

    def wait_file(self, name):
        wait_for(lambda: os.path.exists(os.path.join(self.top, name)), name)

    def test_application(self):
        """The output of the application does not reach the screen, and is shown afterwards, before the summary of the
        session, as `stat` prints it."""
        terminal = self.start(f"echo first words; echo complaint >&2; sleep 0.1; touch {self.top}/ran; read word || echo no input; "
                              f"while ! test -e {self.top}/go; do /bin/true; done; exit 3")
        text = terminal.wait_text("sh (pid 77)", "30 frames", "shadows: shadow map")
        self.wait_file("ran")
        self.assertNotRegex(text + terminal.screen(), "words|complaint")
        with open(os.path.join(self.top, "go"), "w", encoding="utf-8"):
            pass
        self.assertEqual(terminal.wait_end(), 3)
        self.assert_given_back(terminal)
        text = terminal.history()
        self.assertRegex(text, r"first words\ncomplaint\nno input\n")
        summary = " ".join(text.split("no input\n")[1].split())
        self.assertRegex(summary, rf"62.50 FPS .* shadows: shadow map 1024x1024 .* Session: {re.escape(self.top)}/out")
        self.assertTrue(os.path.exists(os.path.join(self.top, "out", "frames.csv")))

    def test_dying_application(self):
        terminal = self.start("sleep 0.1; echo last words; kill -SEGV $$")
        self.assertEqual(terminal.wait_end(), 128 + signal.SIGSEGV)
        self.assert_given_back(terminal)
        self.assertIn("last words", terminal.history())
        self.assertIn("SIGSEGV", terminal.history().replace("\n", ""))

    def test_quiet(self):
        """With -q, the summary is left out."""
        terminal = self.start("sleep 0.1; echo only words", "-q")
        self.assertEqual(terminal.wait_end(), 0)
        self.assert_given_back(terminal)
        self.assertIn("only words\nline after", terminal.history())

    def test_quit_ends_the_application(self):
        terminal = self.start(f"trap 'echo ended >{self.top}/ended; exit 9' TERM; sleep 0.1; while :; do sleep 0.05; done", ended="running")
        terminal.wait_text("30 frames")
        self.assertEqual(self.quit(terminal), 0)
        self.wait_file("ended")
        self.assertIn("was ended, because you quit.", terminal.history())
        terminal = self.open("--", "sh", "-c", "trap : TERM; while :; do sleep 0.1; done")
        terminal.wait_text("no frame yet")
        terminal.keys("q")
        terminal.wait_text("ending the application")
        self.assertEqual(terminal.wait_end(), 0)
        self.assert_given_back(terminal)

    def test_long_output(self):
        terminal = self.start("sleep 0.1; i=0; while test $i -lt 60000; do i=$((i+1)); "
                              "echo $i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
        self.assertEqual(terminal.wait_end(), 0)
        text = terminal.history()
        self.assertIn("60000 xxx", text)
        self.assertIn("the last 1.0 MiB of the output are above", " ".join(text.split()))

    def test_application_that_cannot_run(self):
        terminal = self.open("--", "/no/such/program")
        self.assertEqual(terminal.wait_end(), 127)
        self.assert_given_back(terminal)
        self.assertIn("/no/such/program", terminal.screen())
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "passprobe.data")))


if __name__ == "__main__":
    unit_main()
