"""Whole screens of the command against tests/e2e/cli/golden/: what each command prints for fixed sessions, its help,
and what it prints on a machine without drivers. Golden files are updated by

    PP_UPDATE_GOLDEN=1 ctest --test-dir build/dev -R test_cli_screens"""
import os
import re

from command import ABOUT, CommandTest, DRAW_HEADER, LABEL_HEADER, MS, frames, passes
from golden import golden, self_test
from harness import unit_main

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
COMMANDS = ("list", "stat", "record", "report", "doctor", "decode")
PROGRAM = {"command": ["./game", "--level", "two words"], "start": "2026-11-22T12:18:07Z"}
HOST = {"name": "desk", "kernel": "6.1.0-28-amd64"}
NO_DRIVERS = {"VK_ICD_FILENAMES": "/nonexistent", "VK_DRIVER_FILES": "/nonexistent", "DISPLAY": "", "XDG_DATA_DIRS": "/x",
              "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"}


def draws(count, timed):
    """A draw in the shadow map's pass; a draw and a clear in the window's pass."""
    for i in range(count):
        yield {"frame": i, "pass": 0, "draw": 0, "draw_id": "00d0", "call": "glDrawArrays", "pipeline": "depth only",
               "vertices": 300, "instances": 2, "gpu_time_ns": 2 * MS + 1000 if timed else "",
               "pipeline:vertex_shader_invocations": 600, "pipeline:fragment_shader_invocations": 0}
        yield {"frame": i, "pass": 1, "draw": 1, "draw_id": "00d1", "call": "glDrawElements", "pipeline": "lit",
               "label": "scene/opaque", "vertices": 36, "instances": 1, "gpu_time_ns": 6 * MS + 1000 if timed else "",
               "pipeline:vertex_shader_invocations": 24, "pipeline:fragment_shader_invocations": 5376}
        yield {"frame": i, "pass": 1, "draw": 2, "draw_id": "00d2", "call": "glClear",
               "gpu_time_ns": 1100 if timed else ""}


def labels(count):
    for i in range(count):
        for label, depth, whole, own in (("scene", 1, 6 * MS, 2 * MS), ("scene/opaque", 2, 4 * MS, 4 * MS),
                                         ("ui", 1, "", "")):
            yield {"frame": i, "label": label, "depth": depth, "passes": 1, "draws": 2, "gpu_inclusive_ns": whole,
                   "gpu_exclusive_ns": own}


class Screens(CommandTest):
    def screen(self, name, run, *replace):
        """Both streams and the exit status of a finished command."""
        version = self.run_command("--version").stdout.split()[-1]
        text = f"exit status {run.returncode}\n--- stdout\n{run.stdout}--- stderr\n{run.stderr}"
        golden(os.path.join(FOLDER, name + ".txt"), text,
               [(re.escape(self.top), "TOP"), (rf"(?<![\d.]){re.escape(version)}(?![\d.])", "VERSION"), *replace])

    def made(self, name, level="pass", timed=True, about=None, count=201):
        """A session of a level, made by the test: the same on every machine."""
        rows = frames(count, level=level, draws=2)
        if level == "frame":
            for row in rows:
                row.update(passes="", gpu_busy_ns="", gpu_wait_ns="")
        made = self.session(rows, passes(count) if level != "frame" else (), name=name,
                            about={**ABOUT, "program": PROGRAM, "host": HOST, "options": {"level": level}, **(about or {})})
        if level == "draw":
            self.write_csv(made, "draws.csv", DRAW_HEADER, list(draws(count, timed)))
            self.write_csv(made, "labels.csv", LABEL_HEADER, list(labels(count)))
        return made

    def test_sessions(self):
        """stat and report of each level."""
        missing = {"devices": [{**ABOUT["devices"][0], "events_missing": [
            {"event": "khr", "reason": "the driver lacks VK_KHR_performance_query"}]}]}
        sessions = {"pass": {}, "frame": {"level": "frame"}, "draw": {"level": "draw"},
                    "draw-untimed": {"level": "draw", "timed": False}, "few": {"count": 30},
                    "running": {"about": {"ended": "running"}}, "missing": {"about": missing},
                    "lost": {"about": {"dropped": {"frames": 7, "times_not_landed": 12, "times_rejected": 3}}}}
        for name, how in sessions.items():
            with self.subTest(session=name):
                made = self.made(name, **how)
                shown = self.stat_of(made, command=("true", "--c", "200"))
                self.screen("stat-" + name, shown)
                if name != "lost":  # the line about rejected times has 89 columns
                    self.assert_narrow(shown.stderr)
                self.screen("report-" + name, self.run_command("report", made))
        self.screen("report-entries", self.run_command("report", "--entries", "1", os.path.join(self.top, "draw")))

    def test_record(self):
        made = self.made("recorded")
        self.screen("record", self.run_command("record", "-o", "data", "--", "true",
                                               env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}))

    def test_help(self):
        self.screen("help", self.run_command("--help"))
        for command in COMMANDS:
            with self.subTest(command=command):
                self.screen("help-" + command, self.run_command(command, "--help"))

    def test_mistakes(self):
        for name, words in {"no-command": (), "unknown-command": ("repotr",), "unknown-option": ("stat", "--levle", "x"),
                            "bad-value": ("record", "-l", "fine", "--", "true"), "no-session": ("report", "nowhere")}.items():
            with self.subTest(mistake=name):
                self.screen("mistake-" + name, self.run_command(*words))

    def test_machine(self):
        """A machine without drivers. What depends on the kernel and the C library is replaced."""
        for command in ("list", "doctor"):
            with self.subTest(command=command):
                self.screen(command, self.run_command(command, env=NO_DRIVERS),
                            (r"\b\d+ of (\d+) events", r"N of \1 events"),
                            # the reasons why the kernel has no counters, and the GPU devices
                            (r"(?m)^ {10}no: .*\n(?: {14}.*\n)*", ""),
                            (r"(?m)^  (drm|hwmon|oa|mali) +(?! |\d+ sets).*\n(?: {4}.*\n)*", r"  \1 ...\n"),
                            (r"(?m)^ \S+ +/dev/dri .*$", " ...   /dev/dri ..."))

    def test_golden_finds_differences(self):
        self_test(self.top)


if __name__ == "__main__":
    unit_main()
