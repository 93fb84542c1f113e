"""Where sessions go and how they are found again: names with %e, %p and %t, missing folders, `sessions`, `archive`, and
archives and sessions of unknown origin."""
import fcntl
import io
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import unittest
import zlib

from command import ABOUT, CommandTest, frames, passes
from harness import unit_main

PROGRAM = {"executable": "/opt/games/race", "command": ["race"], "pid": 7, "start": "2026-01-31T23:59:59Z",
           "start_monotonic_ns": 1}
SUM = "SCHILY.xattr.user.crc32"  # of a file in an archive


class Places(CommandTest):
    def record(self, output, *command, count=3, **env):
        made = self.session(frames(count), about=ABOUT, name=f"made{len(os.listdir(self.top))}")
        command = command or ("true",)
        return self.run_command("record", "-o", output, "--", *command,
                                env={"FAKE_SESSION": made, "FAKE_PROGRAM": os.path.basename(command[0]), **env})

    def test_templates(self):
        run = self.record("runs/%e-%p-%t/100%%", "/bin/true")
        self.assertEqual(run.returncode, 0, run.stderr)
        folders = os.listdir(os.path.join(self.cwd, "runs"))
        self.assertEqual(len(folders), 1)
        self.assertRegex(folders[0], r"^true-\d+-\d{8}-\d{6}$")
        self.assertEqual(os.listdir(os.path.join(self.cwd, "runs", folders[0])), ["100%"])
        self.assertEqual(self.record("%d").returncode, 125)
        self.assert_one_line(self.record("%d").stderr, "bad value '%d': only %e")

    def test_folders_without_a_session_are_removed(self):
        run = self.run_command("record", "-o", "a/b/c", "--", "true")
        self.assertEqual((run.returncode, os.listdir(self.cwd)), (0, []))
        self.assertEqual(self.record("a/b/c").returncode, 0)
        self.assertTrue(os.path.exists(os.path.join(self.cwd, "a/b/c/frames.csv")))

    def test_leftovers_of_a_killed_run_move_nothing(self):
        """A process of an earlier run left a session next to the directory that waits: it is not of this run."""
        made = self.session(frames(3), about=ABOUT)
        env = {"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}
        self.assertEqual(self.run_command("record", "true", env=env).returncode, 0)
        left = os.path.join(self.cwd, "passprobe.data.new.77")
        shutil.copytree(made, left)
        os.utime(os.path.join(left, "frames.csv"), (1e9, 1e9))
        self.assertEqual(self.run_command("record", "sh", "-c", "exit 3").returncode, 3)
        self.assertEqual(sorted(os.listdir(self.cwd)), ["passprobe.data", "passprobe.data.new.77"])

    def test_report_takes_the_newest(self):
        """Without an argument: of the place that PASSPROBE_OUTPUT names; else passprobe.data; else of the data folder."""
        for number, count in ((1, 3), (2, 5)):
            self.assertEqual(self.record(f"runs/%e-{number}", count=count).returncode, 0)
            os.utime(os.path.join(self.cwd, f"runs/true-{number}/frames.csv"), (1e9 + number, 1e9 + number))
        run = self.run_command("report", env={"PASSPROBE_OUTPUT": "runs/%e-%t"})
        self.assertIn("runs/true-2", run.stdout)
        run = self.run_command("report", env={"PASSPROBE_OUTPUT": "runs/true-1"})
        self.assertIn(" 2 frames in 0.020 s", run.stdout)
        run = self.run_command("report")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "passprobe.data")
        os.makedirs(os.path.join(self.top, "data"))
        os.rename(os.path.join(self.cwd, "runs"), os.path.join(self.top, "data/passprobe"))
        run = self.run_command("report", env={"XDG_DATA_HOME": self.top + "/data"})
        self.assertIn("data/passprobe/true-2", run.stdout)

    def test_percent_signs_of_a_place(self):
        """In PASSPROBE_OUTPUT, %% means a percent sign, for those who write a session and for those who read it."""
        for place in ("100%%.data", "50%%/%e", "50%%/plain"):
            self.assertEqual(self.record(place).returncode, 0)
            run = self.run_command("report", env={"PASSPROBE_OUTPUT": place})
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(place.replace("%%", "%").replace("%e", "true"), run.stdout)
        run = self.run_command("sessions", env={"PASSPROBE_OUTPUT": "50%%/%e"})
        self.assertIn("50%: 2 sessions", run.stdout)

    def test_sessions(self):
        about = {**ABOUT, "program": PROGRAM, "counts": {"frames": 1234}}
        made = self.session(frames(3), about=about, name="race-1")
        self.session(frames(3), about={**about, "ended": "running"}, name="\x1b[31mrace")
        writing = self.session(frames(3), about={**about, "ended": "running"}, name="writing")
        fd = os.open(writing, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX)
        run = self.run_command("sessions", self.top, env={"TZ": "UTC"})
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("\x1b", run.stdout)
        lines = run.stdout.splitlines()
        self.assertRegex(lines[0], r": 3 sessions, \d+\.\d KiB$")
        rows = {re.split("  +", line)[-1]: line for line in lines[2:]}
        self.assertRegex(rows["race-1"], r"2026-01-31 23:59:59 race +1,234 +\d+\.\d KiB  race-1$")
        # session.json is older than the rows here, so these are counted.
        self.assertRegex(rows["?[31mrace (killed)"], r" race +3 +\d")
        self.assertRegex(rows["writing (still written)"], r" race +3 +\d")
        self.assertTrue(os.path.isdir(made))
        run = self.run_command("sessions")
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assert_one_line(run.stderr, "there is no session in '.'")
        self.assertEqual(self.run_command("sessions", "nowhere").returncode, 125)

    def test_newer_schemas_are_refused(self):
        made = self.session(frames(3), about={**ABOUT, "passprobe": "9.8.7", "schema": 99})
        for command in ("report", "archive"):
            run = self.run_command(command, made)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, "passprobe 9.8.7 wrote it with schema 99")

    def test_schemas_that_do_not_exist_are_refused(self):
        """Else a session of schema 2 would be read as one of schema 1, whose columns mean something else."""
        for i, schema in enumerate((0, -1, "2", 1.5, [])):
            made = self.session(frames(3), about=None, name=f"made{i}")
            with open(os.path.join(made, "session.json"), "w", encoding="utf-8") as out:
                json.dump({**ABOUT, "schema": schema}, out)
            run = self.run_command("report", made)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, "a schema that does not exist")


class Archives(CommandTest):
    def tar(self, *members):
        """A tar file of members: (name, bytes or a function that changes the TarInfo)."""
        path = os.path.join(self.cwd, "made.tar")
        with tarfile.open(path, "w") as tar:
            for name, content in members:
                info = tarfile.TarInfo(name)
                data = content if isinstance(content, bytes) else b""
                info.size = len(data)
                if callable(content):
                    content(info)
                tar.addfile(info, io.BytesIO(data))
        return path

    def csv(self):
        with open(os.path.join(self.session(frames(3), name="rows"), "frames.csv"), "rb") as file:
            return file.read()

    def test_round_trip(self):
        made = self.session(frames(3), passes(3), about=ABOUT)
        with open(os.path.join(made, "thesis.tex"), "w", encoding="utf-8") as out:
            out.write("precious")
        os.symlink("/etc/passwd", os.path.join(made, "draws.csv"))
        run = self.run_command("archive", made)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "draws.csv")
        self.assertEqual(os.listdir(self.cwd), [], "nothing is left of an archive that failed")
        os.unlink(os.path.join(made, "draws.csv"))
        run = self.run_command("archive", made)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"^\[ passprobe archive: 3 files, .* KiB, packed into .*: made\.tar\.zst, .* \]\n$")
        with open(os.path.join(self.cwd, "made.tar.zst"), "rb") as file:
            self.assertEqual(file.read(4), b"\x28\xb5\x2f\xfd")  # RFC 8878
        tmp = os.path.join(self.top, "tmp")
        os.mkdir(tmp)
        plain = self.run_command("report", made).stdout.replace(made, "made.tar.zst")
        packed = self.run_command("report", "made.tar.zst", env={"TMPDIR": tmp})
        self.assertEqual((packed.returncode, packed.stderr), (0, ""))
        self.assertEqual(packed.stdout, plain)
        self.assertEqual(os.listdir(tmp), [], "what was unpacked is deleted")
        run = self.run_command("archive", made)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "made.tar.zst: it exists already")
        self.assertEqual(self.run_command("archive", "-o", "other", made).returncode, 0)
        self.assert_one_line(self.run_command("archive", "other").stderr, "is an archive already")

    def test_damage_is_said(self):
        """What is there is packed; the message says what is lost."""
        made = self.session(frames(20), passes(20), about={**ABOUT, "counts": {"frames": 20, "passes": 60, "draws": 0}})
        lost = 60 - len(passes(20))
        run = self.run_command("archive", made)
        self.assertEqual(run.returncode, 125)
        self.assertIn(f"passprobe: {made} is damaged: passes.csv: {lost} rows missing\n",
                      run.stderr)
        self.assertIn("[ passprobe archive: 3 files", run.stderr)
        self.assertEqual(self.run_command("report", "made.tar.zst").returncode, 125)

    def test_a_session_that_is_written_is_not_packed(self):
        made = self.session(frames(3), about=ABOUT)
        fd = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, fd)
        fcntl.flock(fd, fcntl.LOCK_EX)
        run = self.run_command("archive", made)
        self.assertEqual((run.returncode, os.listdir(self.cwd)), (125, []))
        self.assert_one_line(run.stderr, "is in use")

    def refused(self, why, *members):
        tmp = os.path.join(self.top, "tmp")
        os.makedirs(tmp, exist_ok=True)
        run = self.run_command("report", self.tar(*members), env={"TMPDIR": tmp})
        self.assertEqual((run.returncode, run.stdout), (125, ""), members)
        self.assert_one_line(run.stderr, why)
        self.assertEqual(os.listdir(tmp), [])

    def test_hostile_archives(self):
        """No member leaves the private folder, and links, devices and doubles are refused."""
        def kind(which, target=""):
            def change(info):
                info.type = which
                info.linkname = target
            return change
        csv = self.csv()
        victim = os.path.join(self.top, "frames.csv")
        self.refused("outside of its folder", ("s/../../frames.csv", csv))
        self.refused("outside of its folder", ("../frames.csv", csv))
        self.refused("outside of its folder", (victim, csv))
        self.refused("outside of its folder", ("s/..", kind(tarfile.DIRTYPE)))
        self.refused("a link or a device", ("s/frames.csv", kind(tarfile.SYMTYPE, "/etc/passwd")))
        self.refused("a link or a device", ("s/frames.csv", csv), ("s/passes.csv", kind(tarfile.LNKTYPE, "s/frames.csv")))
        self.refused("a link or a device", ("s/frames.csv", kind(tarfile.FIFOTYPE)))
        self.refused("a link or a device", ("s/frames.csv", kind(tarfile.CHRTYPE)))
        self.refused("has this file twice", ("s/frames.csv", csv), ("t/frames.csv", csv))
        self.refused("no file of a session", ("s/thesis.tex", b"precious"))
        self.assertFalse(os.path.exists(victim))

    def test_other_files_are_ignored(self):
        path = self.tar(("s", lambda info: setattr(info, "type", tarfile.DIRTYPE)), ("s/.profile", b"rm -r ~"),
                        ("s/frames.csv", self.csv()), ("s/session.json", json.dumps(ABOUT).encode()))
        tmp = os.path.join(self.top, "tmp")
        os.mkdir(tmp)
        run = self.run_command("report", path, env={"TMPDIR": tmp})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn(" 2 frames in 0.020 s", run.stdout)
        self.assertEqual(os.listdir(tmp), [])

    def test_bombs(self):
        """A small file with very much in it."""
        path = os.path.join(self.cwd, "bomb.tar.zst")
        make = "import sys\nw = sys.stdout.buffer.write\nimport tarfile\ni = tarfile.TarInfo('s/frames.csv')\n" \
               "i.size = 200 << 20\nw(i.tobuf())\nfor _ in range(200): w(bytes(1 << 20))\nw(bytes(10240))\n"
        run = self.run_command("-c", f"python3 -c \"$0\" | zstd -q -o {path}",
                               make, binary="sh")
        if run.returncode:
            self.skipTest("zstd is not installed")
        self.assertLess(os.path.getsize(path), 1 << 20)
        run = self.run_command("report", path, env={"TMPDIR": self.top})
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "much larger than those of a session")

    def test_bombs_of_other_members(self):
        """Members that are not unpacked are decompressed, too: one with very much in it, or very many."""
        data = "for _ in range(200): w(bytes(1 << 20))"
        for members, body in ((1, data), (200_000, "")):
            path = os.path.join(self.cwd, f"bomb{members}.tar.zst")
            make = "import sys\nw = sys.stdout.buffer.write\nimport tarfile\ni = tarfile.TarInfo('s/thesis.tex')\n" \
                   f"i.size = {200 << 20 if body else 0}\nw(i.tobuf() * {members})\n{body}\nw(bytes(10240))\n"
            run = self.run_command("-c", f"python3 -c \"$0\" | zstd -q -o {path}", make, binary="sh")
            if run.returncode:
                self.skipTest("zstd is not installed")
            run = self.run_command("report", path, env={"TMPDIR": self.top})
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, "much larger than those of a session")

    def test_nothing_unpacked_remains(self):
        """The reader of stdout has gone, as with `| head`, or no file may become so large."""
        made = self.session(frames(3000), about=ABOUT)
        self.assertEqual(self.run_command("archive", "-o", "whole", made).returncode, 0)
        tmp = os.path.join(self.top, "tmp")
        os.mkdir(tmp)
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run([self.install, "report", "whole"], cwd=self.cwd, env={**self.env, "TMPDIR": tmp},
                             stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60)
        os.close(writer)
        self.assertEqual(run.returncode, -signal.SIGPIPE, run.stderr)
        self.assertEqual(os.listdir(tmp), [])
        run = self.run_command("-c", 'ulimit -f 1; exec "$0" report whole', self.install, binary="sh", env={"TMPDIR": tmp})
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "frames.csv: File too large")
        self.assertEqual(os.listdir(tmp), [])

    def test_damaged_archives(self):
        made = self.session(frames(300), passes(300), about=ABOUT)
        self.assertEqual(self.run_command("archive", "-o", "whole", made).returncode, 0)
        with open(os.path.join(self.cwd, "whole"), "rb") as file:
            whole = file.read()
        path = os.path.join(self.cwd, "cut")
        for damaged in (whole[:len(whole) // 2], whole[:10], b"text", b"",
                        whole[:len(whole) // 2] + b"\xff" * 50 + whole[len(whole) // 2 + 50:]):
            with open(path, "wb") as file:
                file.write(damaged)
            run = self.run_command("report", path, env={"TMPDIR": self.top})
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, "cannot read " + path)

    def summed(self, made, sums, change=None):
        """A tar file of a session, with these sums; of the file `change` one bit is another."""
        path = os.path.join(self.cwd, "summed.tar")
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
            for name in sorted(os.listdir(made)):
                with open(os.path.join(made, name), "rb") as file:
                    content = bytearray(file.read())
                info = tarfile.TarInfo("made/" + name)
                info.size = len(content)
                if sums:
                    info.pax_headers = {SUM: f"{zlib.crc32(content) ^ (sums == 'wrong'):08x}"}
                if name == change:
                    content[len(content) // 2] ^= 1
                tar.addfile(info, io.BytesIO(content))
        return self.run_command("report", path)

    def test_sums(self):
        """A file whose content is not that of its sum is refused; an archive without sums is read."""
        made = self.session(frames(300), passes(300), about=ABOUT)
        for sums in (None, "right"):
            self.assertEqual(self.summed(made, sums).returncode, 0)
        self.assertIn("session.json", os.listdir(made))
        for name in os.listdir(made):
            if os.path.getsize(os.path.join(made, name)):
                run = self.summed(made, "right", name)
                self.assertEqual((run.returncode, run.stdout), (125, ""), name)
                self.assert_one_line(run.stderr, f"{name}: it is damaged")
        run = self.summed(made, "wrong")
        self.assertEqual((run.returncode, run.stdout), (125, ""))

    @unittest.skipUnless(shutil.which("zstd"), "zstd is missing")
    def test_each_file_has_its_sum(self):
        made = self.session(frames(300), passes(300), about=ABOUT)
        for name, options in (("redacted", ()), ("as-it-is", ("--no-redact",))):
            self.assertEqual(self.run_command("archive", *options, "-o", name, made).returncode, 0)
            plain = subprocess.run(["zstd", "-dcq", os.path.join(self.cwd, name)], check=True, capture_output=True)
            with tarfile.open(fileobj=io.BytesIO(plain.stdout)) as tar:
                members = tar.getmembers()
                self.assertEqual(len(members), 3)
                for member in members:
                    self.assertEqual(member.pax_headers[SUM], f"{zlib.crc32(tar.extractfile(member).read()):08x}", member.name)


if __name__ == "__main__":
    unit_main()
