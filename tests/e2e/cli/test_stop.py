"""`--stop` of stat and record: the application ends when the window of --frames, --duration or --between has ended, not before."""
import os
import time

from command import ABOUT, CommandTest, MS, frames
from harness import unit_main

SENT = "passprobe: the window has ended: sent SIGTERM to 'sleep' (--stop)"


class Stop(CommandTest):
    def made(self, begin_ns, count=30, window=None):
        """Frames of 10 ms from this time on; the application was killed."""
        rows, start = frames(count), begin_ns
        for row in rows:
            row.update(cpu_start_ns=start, frame_time_ns=10 * MS)
            start += 10 * MS
        return self.session(rows, about={**ABOUT, "ended": "running", "window": window, "counts": {"frames": count}}, name=f"made-{begin_ns}-{count}")

    def stop(self, command, made, *words, seconds="60", **more):
        return self.run_command(command, "--stop", *words, "--", "sleep", seconds,
                                env={"FAKE_SESSION": made, "FAKE_PROGRAM": "sleep"}, **more)

    def test_a_frame_behind_the_window_ends_the_application(self):
        """The application sleeps for a minute; all times are long ago."""
        made = self.made(7_000 * MS)
        for command in ("stat", "record"):
            for words in (("--frames", "0-28"), ("--duration", "0.29"), ("--delay", "100ms", "--duration", "190ms")):
                begin = time.monotonic()
                run = self.stop(command, made, *words)
                self.assertLess(time.monotonic() - begin, 50, words)
                self.assertEqual(run.returncode, 0, run)
                self.assertEqual(run.stderr.splitlines()[0], SENT)
                self.assertNotIn("was killed", run.stderr)
                if command == "stat":
                    self.assertIn("'sleep 60' was ended after its window (--stop).", run.stderr)
            self.assertNotIn("SIGTERM", self.stop(command, made, "--frames", "0-28", "-q").stderr)

    def test_the_second_mark(self):
        """session.json has the end of the window as soon as the mark comes: then a frame that begins after it was written."""
        ends = {"options": "--between a,b", "begun": True, "first_frame": 0, "last_frame": None, "from_ns": 7_010 * MS}
        made = self.made(7_000 * MS, window={**ends, "to_ns": 7_250 * MS})
        run = self.stop("record", made, "--between", "a,b")
        self.assertEqual((run.returncode, run.stderr.splitlines()[0]), (0, SENT))
        made = self.made(8_000 * MS, window={**ends, "to_ns": None})
        self.assertNotIn("SIGTERM", self.stop("record", made, "--between", "a,b", seconds="1").stderr)

    def test_a_session_that_replaces_another(self):
        """The directory gets its path first; the session is followed all the same."""
        made = self.made(7_000 * MS)
        for _ in range(2):
            run = self.stop("record", made, "--frames", "0-9")
            self.assertEqual((run.returncode, run.stderr.splitlines()[0]), (0, SENT))
        self.assertEqual(sorted(os.listdir(self.cwd)), ["passprobe.data", "passprobe.data.old"])

    def test_a_window_that_has_not_ended(self):
        """The last frame of the window may still be incomplete, so its own row is not enough."""
        far = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + 3600 * 1000 * MS
        for begin, words in ((7_000 * MS, ("--frames", "0-29")), (far, ("--duration", "0.3"))):
            run = self.stop("record", self.made(begin), *words, seconds="1")
            self.assertEqual((run.returncode, "SIGTERM" in run.stderr), (0, False), run)

    def test_a_window_without_frames_behind_it(self):
        """No frame comes any more: the clock ends the window of --duration."""
        run = self.stop("stat", self.made(time.clock_gettime_ns(time.CLOCK_MONOTONIC), 3), "--duration", "1.5")
        self.assertEqual((run.returncode, run.stderr.splitlines()[0]), (0, SENT))

    def test_the_status_of_an_application_that_handles_the_signal(self):
        made = self.made(7_000 * MS)
        game = self.script("game", "#!/bin/sh\ntrap 'exit 3' TERM\nwhile :; do sleep 0.1; done\n")
        run = self.run_command("record", "--stop", "--frames", "0-9", "--", game,
                               env={"FAKE_SESSION": made, "FAKE_PROGRAM": "sh"})
        self.assertEqual(run.returncode, 3, run)

    def test_an_application_that_ignores_the_signal(self):
        """passprobe kills the application after five seconds, which is no failure."""
        made = self.made(7_000 * MS)
        game = self.script("game", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n")
        begin = time.monotonic()
        run = self.run_command("stat", "--stop", "--frames", "0-9", "--", game,
                               env={"FAKE_SESSION": made, "FAKE_PROGRAM": "sh"})
        self.assertGreater(time.monotonic() - begin, 5)
        self.assertEqual(run.returncode, 0, run)
        self.assertEqual(run.stderr.splitlines()[:2],
                         ["passprobe: the window has ended: sent SIGTERM to 'game' (--stop)",
                          "passprobe: 'game' goes on 5 s after SIGTERM: sent SIGKILL (--stop)"])
        self.assertIn("was ended after its window (--stop).", run.stderr)
        self.assertNotIn("was killed", run.stderr)

    def test_a_window_must_end(self):
        for words in ((), ("--frames", "5-"), ("--delay", "3")):
            run = self.run_command("record", "--stop", *words, "true")
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, "--stop needs a window that ends: --frames A-B, --duration or --between")
        self.assertEqual(self.run_command("record", "--frames", "5", "true", env={"PASSPROBE_STOP": "1"}).returncode, 0)


if __name__ == "__main__":
    unit_main()
