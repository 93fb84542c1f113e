"""Files of other users where passprobe reads and writes: directories and links in a shared folder, FIFOs, locks; and
files of the application in the session directory."""
import contextlib
import csv
import fcntl
import io
import json
import os
import re
import shutil
import socket
import threading
import unittest

from command import ABOUT, DRAW_HEADER, LABEL_HEADER, CommandTest, frames, passes
from harness import unit_main

NOBODY = 65534
IS_ROOT = os.geteuid() == 0


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Hostile(CommandTest):
    def setUp(self):
        super().setUp()
        self.made = self.session(frames(3), passes(3), about=ABOUT)

    def record(self, *command, env=None, **more):
        program = os.path.basename(command[0])
        return self.run_command("record", "-o", "s", "--", *command,
                                env={"FAKE_SESSION": self.made, "FAKE_PROGRAM": program, **(env or {})}, **more)

    def other_folder(self, name, count=90, owner=NOBODY):
        """A session directory of another user in the working directory."""
        path = os.path.join(self.cwd, name)
        shutil.copytree(self.session(frames(count), about=ABOUT, name="of-other-" + name.replace("/", "_")), path)
        for one in (path, *(os.path.join(path, file) for file in os.listdir(path))):
            os.utime(one, (4e9, 4e9))
            os.lchown(one, owner, owner)
        return path


@unittest.skipUnless(IS_ROOT, "needs root to make files of another user")
class OtherUsers(Hostile):
    def test_directory(self):
        """A directory of another user, empty or with a session, is neither recorded into nor moved."""
        for name in ("empty", "session"):
            path = os.path.join(self.cwd, name)
            if name == "empty":
                os.mkdir(path, 0o777)
                os.chown(path, NOBODY, NOBODY)
            else:
                self.other_folder(name)
            before = sorted(os.listdir(path))
            for command in ("record", "stat"):
                run = self.run_command(command, "-o", name, "--", "true",
                                       env={"FAKE_SESSION": self.made, "FAKE_PROGRAM": "true"})
                self.assertEqual(run.returncode, 125, run.stderr)
                self.assert_one_line(run.stderr, name + ": belongs to another user")
            self.assertEqual(sorted(os.listdir(path)), before)
            self.assertFalse(os.path.exists(path + ".old"))

    def test_default_directory(self):
        self.other_folder("passprobe.data")
        run = self.stat_of(self.made, env={"TMPDIR": self.top})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("belongs to another user", run.stderr.splitlines()[0])
        self.assertIn(f"this session goes to {self.top}/passprobe-", run.stderr.splitlines()[0])

    def test_old(self):
        self.assertEqual(self.record("true").returncode, 0)
        path = self.other_folder("s.old")
        run = self.record("true")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "s.old: belongs to another user")
        self.assertTrue(os.path.exists(os.path.join(path, "frames.csv")))

    def test_foreign_directory_is_no_session_of_this_run(self):
        """A directory DIR.PID that another user made is not shown as a session of this run."""
        self.other_folder("s.77")
        run = self.record("true")
        self.assertIn("3 frames", run.stderr)
        self.assertNotIn("90", run.stderr)

    def test_in_use_and_every_guess_taken(self):
        """The name that replaces a name in use can be guessed: a file or folder of that name is not changed."""
        os.mkdir(os.path.join(self.cwd, "s"))
        fd = os.open(os.path.join(self.cwd, "s"), os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX)
        run = self.run_command("-c", 'mkdir "s-$$" && chown 65534 "s-$$" && exec "$0" record -o s -- true', self.install,
                               binary="sh", env={"FAKE_SESSION": self.made, "FAKE_PROGRAM": "true"})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"in use; this session goes to \S+/s-\d+-1\n")
        self.assertIn("3 frames", run.stderr)

    def test_files_in_it(self):
        """Other users may write into the session directory: their files are not changed."""
        torn = b"frame,pass,draw,draw_id,call\r\n1,2"
        command = f"printf '%s' '{torn.decode()}' > s/draws.csv; chown 65534 s/draws.csv"
        self.assertEqual(self.record("sh", "-c", command).returncode, 0)
        self.assertEqual(content(os.path.join(self.cwd, "s/draws.csv")), torn)


class Links(Hostile):
    def victim(self):
        path = os.path.join(self.top, "victim")
        os.mkdir(path)
        for name in ("frames.csv", "session.json", "thesis.tex"):
            with open(os.path.join(path, name), "w", encoding="utf-8") as out:
                out.write("frame,api,device\r\n1,2,3\r\ntorn")
        return path

    def test_doctor_deletes_only_sessions(self):
        victim = self.victim()
        before = {name: content(os.path.join(victim, name)) for name in os.listdir(victim)}
        plant = f'ln -s {victim} "$PASSPROBE_OUTPUT.1"; mkdir "$PASSPROBE_OUTPUT.2"; echo x > "$PASSPROBE_OUTPUT.2/mine"; ' \
                'stat -c "mode %a %n" "$(dirname "$PASSPROBE_OUTPUT")"'
        run = self.run_command("doctor", "--", "sh", "-c", plant, env={"TMPDIR": self.top, "FAKE_PROGRAM": "sh",
                                                                       "FAKE_SESSION": self.made})
        self.assertEqual(before, {name: content(os.path.join(victim, name)) for name in os.listdir(victim)})
        modes = [line.split() for line in run.stdout.splitlines() if line.startswith("mode ")]
        self.assertEqual(len(modes), 1, run.stdout)
        self.assertEqual(modes[0][1], "700")
        folder = modes[0][2]
        self.assertTrue(os.path.dirname(folder) == self.top and os.path.basename(folder).startswith("passprobe-"))
        # nothing of passprobe is left
        self.assertEqual(sorted(os.listdir(folder)), ["passprobe.data.1", "passprobe.data.2"])

    def test_doctor_leaves_nothing(self):
        os.mkdir(os.path.join(self.top, "tmp"))
        self.run_command("doctor", "--", "true", env={"TMPDIR": self.top + "/tmp", "FAKE_PROGRAM": "true",
                                                      "FAKE_SESSION": self.made})
        self.assertEqual(os.listdir(os.path.join(self.top, "tmp")), [])

    def test_link_to_a_directory_is_not_followed(self):
        """A link DIR.PID is not followed."""
        victim = self.victim()
        before = content(os.path.join(victim, "frames.csv"))
        run = self.record("sh", "-c", f"ln -s {victim} s.1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("processes left", run.stderr)
        self.assertEqual(content(os.path.join(victim, "frames.csv")), before)

    def test_directory_becomes_a_link(self):
        victim = self.victim()
        before = content(os.path.join(victim, "frames.csv"))
        run = self.record("sh", "-c", f"mv s elsewhere; ln -s {victim} s")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(content(os.path.join(victim, "frames.csv")), before)
        self.assertEqual(sorted(os.listdir(victim)), ["frames.csv", "session.json", "thesis.tex"])
        self.assert_one_line(run.stderr, "no data: ", "/s was replaced while the application ran")

    def test_old_is_a_link(self):
        victim = self.victim()
        self.assertEqual(self.record("true").returncode, 0)
        os.symlink(victim, os.path.join(self.cwd, "s.old"))
        run = self.record("true")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "s.old: is not a directory")
        self.assertEqual(len(os.listdir(victim)), 3)


class Races(Hostile):
    def swap(self, victim, over):
        """Again and again, put a link to the victim in place of the session, the old session and another process's
        session, and remove it."""
        while not over.is_set():
            for name in ("s", "s.old", "s.1"):
                path, aside = os.path.join(self.cwd, name), os.path.join(self.cwd, "aside")
                with contextlib.suppress(OSError):
                    os.rename(path, aside)
                with contextlib.suppress(OSError):
                    os.symlink(victim, path)
                with contextlib.suppress(OSError):
                    os.unlink(path)
                with contextlib.suppress(OSError):
                    os.rename(aside, path)
                shutil.rmtree(aside, ignore_errors=True)

    def test_names_that_change_all_the_time(self):
        """Whatever happens to the session, the target of a link is not changed."""
        victim = os.path.join(self.top, "victim")
        shutil.copytree(self.session(frames(5) + ["5,gl,torn"], about=ABOUT, name="precious"), victim)
        before = {name: content(os.path.join(victim, name)) for name in os.listdir(victim)}
        over = threading.Event()
        attacker = threading.Thread(target=self.swap, args=(victim, over))
        attacker.start()
        try:
            for _ in range(40):
                self.assertIn(self.record("true").returncode, (0, 125))
        finally:
            over.set()
            attacker.join()
        self.assertEqual(before, {name: content(os.path.join(victim, name)) for name in os.listdir(victim)})


class OwnFiles(Hostile):
    def test_files_of_the_application(self):
        """CSV files that passprobe did not write keep their last row; passprobe's files lose a torn last row."""
        torn = "frame,pass,draw,draw_id,call\r\n1,2"
        other = os.path.join(self.top, "other.csv")
        with open(other, "w", encoding="utf-8") as out:
            out.write(torn)
        files = {"own.csv": "a,b\r\n1,2", "labels.csv": "label,count\r\nx,1"}
        write = "".join(f"printf '%s' '{text}' > s/{name}; " for name, text in files.items())
        run = self.record("sh", "-c", write + f"printf '1,0' >> s/passes.csv; ln {other} s/draws.csv")
        self.assertEqual(run.returncode, 0, run.stderr)
        for name, text in files.items():
            self.assertEqual(content(os.path.join(self.cwd, "s", name)), text.encode(), name)
        self.assertEqual(content(other), torn.encode())
        self.assertTrue(content(os.path.join(self.cwd, "s/passes.csv")).endswith(b"\r\n"))

    def test_labels_of_each_schema(self):
        """labels.csv begins differently in schema 1 and in schema 2: both lose a torn last row."""
        for header in ("frame,label,depth,passes", "frame,depth,passes,draws"):
            with self.subTest(header):
                run = self.record("sh", "-c", f"printf '%s\\r\\n' {header} > s/labels.csv; printf '1,2' >> s/labels.csv")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(content(os.path.join(self.cwd, "s/labels.csv")), header.encode() + b"\r\n")
                shutil.rmtree(os.path.join(self.cwd, "s"))


class NoWaiting(Hostile):
    """No command waits for another process: every command here has a time limit of a minute."""

    def plant(self, kind, path):
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "socket":
            here = os.getcwd()
            os.chdir(os.path.dirname(path))  # a socket's path is short
            self.addCleanup(os.chdir, here)
            made = socket.socket(socket.AF_UNIX)
            made.bind(os.path.basename(path))
            made.close()
            os.chdir(here)
        elif kind == "device":
            os.symlink("/dev/zero", path)
        else:
            os.mkdir(path)

    KINDS = ("fifo", "socket", "device", "folder")

    def test_record(self):
        for name in ("own.csv", "draws.csv", "labels.csv", "stacks.csv"):
            run = self.record("sh", "-c", f"mkfifo s/{name}")
            self.assertEqual(run.returncode, 0)
            self.assertIn("3 frames", run.stderr)
            shutil.rmtree(os.path.join(self.cwd, "s"))

    def test_record_of_nothing_else(self):
        run = self.run_command("record", "-o", "s", "--", "sh", "-c", "mkfifo s/frames.csv s/passes.csv s/session.json")
        self.assertEqual(run.returncode, 0)
        self.assertIn("no data", run.stderr)

    def test_report(self):
        for kind in self.KINDS:
            for name in ("frames.csv", "passes.csv", "draws.csv", "labels.csv", "session.json"):
                path = self.session(frames(3), passes(3), about=ABOUT, name=kind + name)
                if os.path.exists(os.path.join(path, name)):
                    os.remove(os.path.join(path, name))
                self.plant(kind, os.path.join(path, name))
                run = self.run_command("report", path)
                self.assertIn(run.returncode, (0, 125), run.stderr)

    def test_configuration(self):
        folder = os.path.join(self.env["HOME"], ".config/passprobe")
        os.makedirs(folder)
        path = os.path.join(folder, "passprobe.conf")
        for kind in self.KINDS:
            self.plant(kind, path)
            run = self.record("true")
            self.assertEqual(run.returncode, 125, (kind, run.stderr))
            self.assert_one_line(run.stderr, "passprobe.conf: " + ("Is a directory" if kind == "folder" else
                                                                   "not a regular file"))
            os.rmdir(path) if kind == "folder" else os.remove(path)

    def test_metrics(self):
        for kind in self.KINDS:
            path = os.path.join(self.top, "metrics" + kind)
            self.plant(kind, path)
            for run in (self.run_command("record", "--metrics", path, "true"),
                        self.run_command("record", "true", env={"PASSPROBE_METRICS": path})):
                self.assertEqual(run.returncode, 125, (kind, run.stderr))

    def test_decode(self):
        for kind in self.KINDS:
            path = os.path.join(self.top, "raw" + kind)
            self.plant(kind, path)
            run = self.run_command("decode", "intel-oa", path)
            self.assertEqual(run.returncode, 125, (kind, run.stderr))
        # a pipe of the shell belongs to the user
        run = self.run_command("-c", 'exec "$0" decode intel-oa <(exit 0)', self.install, binary="bash")
        self.assertNotIn("regular", run.stderr)

    def test_command(self):
        self.plant("fifo", os.path.join(self.top, "program"))
        run = self.run_command("doctor", "--", os.path.join(self.top, "program"))
        self.assertNotEqual(run.returncode, 0)

    def test_lock_on_the_parent(self):
        """Every user may lock a folder that he can read: no command asks for such a lock."""
        fd = os.open(self.cwd, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if not shutil.which("strace") or self.run_command("-o", "/dev/null", "true", binary="strace").returncode:
            self.skipTest("strace is not installed, or may not trace here")
        log = os.path.join(self.top, "calls")
        run = self.run_command("-f", "-y", "-o", log, "-e", "trace=flock,fcntl,nanosleep,clock_nanosleep", self.install,
                               "record", "-o", "s", "--", "true", binary="strace",
                               env={"FAKE_SESSION": self.made, "FAKE_PROGRAM": "true",
                                    "ASAN_OPTIONS": self.env["ASAN_OPTIONS"] + ":detect_leaks=0"})
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(log, encoding="utf-8") as file:
            calls = file.read()
        self.assertNotIn("nanosleep", calls)
        locked = [line for line in calls.splitlines() if "flock(" in line or "SETLK" in line]
        self.assertTrue(any(f"<{self.cwd}/s>" in line for line in locked), calls)
        self.assertFalse([line for line in locked if f"<{self.cwd}>" in line])

    def test_lock_on_the_directory(self):
        """Another user who can read the directory has locked it: the session goes to another directory at once."""
        os.mkdir(os.path.join(self.cwd, "s"))
        fd = os.open(os.path.join(self.cwd, "s"), os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_SH)
        run = self.record("true")
        self.assertRegex(run.stderr, r"in use; this session goes to \S+/s-\d+\n")
        self.assertIn("3 frames", run.stderr)


class ForgedNumbers(Hostile):
    """What is no finite number is an error that names the file and the place, and no figure. session.json and
    summaries have JSON, so that nan is no value there at all."""
    NOT_FINITE = ("nan", "inf", "-inf", "1e400", "1e300", "0x10")

    def command(self, *args):
        run = self.run_command(*args)
        self.assertNotRegex(run.stdout, r"(?i)(?<![a-z_'])(nan|inf)(?![a-z_])")
        return run

    def forge(self, file, change, name):
        path = os.path.join(self.top, name)
        shutil.copytree(self.made, path)
        with open(os.path.join(path, file), encoding="utf-8", newline="") as text:
            changed = change(text.read())
        with open(os.path.join(path, file), "w", encoding="utf-8", newline="") as text:
            text.write(changed)
        return path

    def test_cells(self):
        """Of frames.csv, passes.csv, draws.csv and labels.csv."""
        self.write_csv(self.made, "draws.csv", DRAW_HEADER, [
            {"frame": i, "pass": 0, "draw": 0, "draw_id": "0d", "call": "glDrawArrays", "gpu_time_ns": 5} for i in range(3)])
        self.write_csv(self.made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene", "passes": 1, "gpu_inclusive_ns": 5} for i in range(3)])
        for file, column in (("frames.csv", "frame_time_ns"), ("frames.csv", "draws"), ("frames.csv", "frame"),
                             ("frames.csv", "pipeline:vertex_shader_invocations"), ("passes.csv", "gpu_time_ns"),
                             ("passes.csv", "width"), ("draws.csv", "gpu_time_ns"), ("draws.csv", "groups"), ("labels.csv", "gpu_inclusive_ns")):
            for number, value in enumerate(self.NOT_FINITE):
                with self.subTest(file=file, column=column, value=value):
                    at, at_column = [], column.replace(":", "-")

                    def change(text, column=column, value=value, at=at):
                        rows = list(csv.reader(text.splitlines()))
                        at.append(rows[0].index(column))
                        rows[2][at[0]] = value
                        text = io.StringIO()
                        csv.writer(text).writerows(rows)
                        return text.getvalue()
                    forged = self.forge(file, change, f"{file[:-4]}-{at_column}-{number}")
                    place = f"in {file}, line 3, column {at[0] + 1}"
                    for command in (("report",), ("report", "--json"), ("diff", self.made)):
                        run = self.command(*command, forged)
                        self.assertEqual(run.returncode, 125, (command, run.stderr))
                        self.assertIn(place, run.stderr)
                    run = self.command("export", "--as", "jsonl", "-o", "-", forged)
                    self.assertEqual(run.returncode, 125, run.stderr)

    def test_frame_number(self):
        """No frame has the number -1, which rows of no frame have inside passprobe."""
        forged = self.forge("frames.csv", lambda text: text.replace("\r\n1,", "\r\n-1,"), "negative")
        run = self.command("report", forged)
        self.assertEqual(run.returncode, 125)
        self.assertIn("without a frame number", run.stderr)

    def test_session_json(self):
        for number, value in enumerate(('"nan"', "NaN", "Infinity", "1e400", "1e300", "true")):
            about = json.dumps({"passprobe": "0.1.0", "counts": {"frames": "@"}}).replace('"@"', value)
            forged = self.forge("session.json", lambda _, about=about: about, f"json-{number}")
            for command in (("report",), ("diff", self.made)):
                run = self.command(*command, forged)
                self.assertEqual(run.returncode, 125, (value, run.stderr))
                self.assertRegex(run.stderr, r"session\.json: ('counts\.frames' is no number|line 1)")
        lost = json.dumps({"passprobe": "0.1.0", "dropped": {"times_rejected": "nan"}})
        forged = self.forge("session.json", lambda _: lost, "json-dropped")
        self.assertIn("'dropped.times_rejected' is no number", self.run_command("report", forged).stderr)
        about = {"passprobe": "0.1.0", "tags": {"frames": "nan", "a:b": "inf"}}  # texts of the user
        forged = self.forge("session.json", lambda _: json.dumps(about), "tags")
        self.assertNotIn("is no number", self.run_command("report", forged).stderr)

    def test_summary(self):
        """A summary that diff reads."""
        whole = json.loads(self.run_command("report", "--json", self.made).stdout)
        good = self.script("good.json", json.dumps(whole), 0o644)
        self.assertEqual(self.run_command("diff", good, good).returncode, 0)
        for path in (("surfaces", 0, "times", "frame_time", "p50_ns"), ("surfaces", 0, "frames"),
                     ("surfaces", 0, "passes", 0, "mean_ns"), ("surfaces", 0, "width")):
            for value in ('"nan"', "NaN", "-Infinity", "1e400", "1e300", '"1e400"'):
                forged = json.loads(json.dumps(whole))
                at = forged
                for key in path[:-1]:
                    at = at[key]
                at[path[-1]] = "@"
                bad = self.script("bad.json", json.dumps(forged, indent=1).replace('"@"', value), 0o644)
                for sides in ((bad, good), (good, bad)):
                    run = self.command("diff", *sides)
                    self.assertEqual(run.returncode, 125, (path, value))
                    key = "".join(f"[{k}]" if isinstance(k, int) else "." + k for k in path)[1:]
                    self.assertIn("bad.json", run.stderr)
                    self.assertRegex(run.stderr, re.escape(f"'{key}' is no number") + "|line [0-9]+")


if __name__ == "__main__":
    unit_main()
