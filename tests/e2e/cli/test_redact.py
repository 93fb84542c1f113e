"""What leaves the machine in an archive: nothing that names a person or a machine, unless it is asked for."""
import io
import json
import os
import shutil
import stat
import subprocess
import tarfile

from command import ABOUT, CommandTest, frames, passes
from harness import unit_main

SECRETS = (b"bob", b"deck", b"s3cret", b"--token")
PROGRAM = {"executable": "/home/bob/games/race", "command": ["/home/bob/games/race", "--token", "s3cret"], "pid": 7,
           "start": "2026-01-31T23:59:59Z", "start_realtime_ns": 1769903999000000000, "start_monotonic_ns": 1}
MODULES = "module,path,build_id,load_bias,start,end,loaded_ns,unloaded_ns,debuglink"


class Redact(CommandTest):
    def made(self, name="made", **about):
        rows = passes(3)
        rows[0]["label"] = "=cmd|'/c calc'!A0, \"/home/bob/level\""
        made = self.session(frames(3), rows, name=name, about={
            **ABOUT, "program": PROGRAM, "host": {"name": "deck", "kernel": "6.1"}, "revision": 2,
            "messages": [{"text": "deck: cannot open /srv/bob/x", "count": 1}], **about, "revision_end": 2})
        self.write_csv(made, "modules.csv", MODULES, [{"module": 0, "path": "/home/bob/games/race"},
                                                      {"module": 1, "path": "/mnt/deck/bob/lib.so"}])
        shutil.copy(os.path.join(made, "session.json"), os.path.join(made, "session.json.new"))
        return made

    def unpacked(self, name="made.tar.zst"):
        """The files of an archive."""
        plain = subprocess.run(["zstd", "-dcq", os.path.join(self.cwd, name)], stdout=subprocess.PIPE, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
            return {os.path.basename(member.name): tar.extractfile(member).read() for member in tar}

    def test_an_archive_has_no_names(self):
        made = self.made()
        run = self.run_command("archive", made)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("without arguments and names", run.stderr)
        files = self.unpacked()
        self.assertEqual(sorted(files), ["frames.csv", "modules.csv", "passes.csv", "session.json"])
        for name, content in files.items():
            for secret in SECRETS:
                self.assertNotIn(secret, content, name)
        about = json.loads(files["session.json"])
        self.assertEqual(about["program"]["command"], ["~/games/race"])
        self.assertEqual(about["program"]["arguments_removed"], 2)
        self.assertEqual(about["messages"][0]["text"], "HOST: cannot open /srv/USER/x")
        self.assertEqual(len(about["session_id"]), 32)
        self.assertIn(b"/mnt/HOST/USER/lib.so", files["modules.csv"])
        self.assertIn(b"=cmd|'/c calc'!A0, \"\"~/level\"\"", files["passes.csv"])  # the cell is still a cell
        with open(os.path.join(made, "frames.csv"), "rb") as file:
            self.assertEqual(files["frames.csv"], file.read())
        with open(os.path.join(made, "session.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["host"]["name"], "deck", "the session itself stays as it is")
        report = self.run_command("report", "made.tar.zst")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn(about["host"]["id"], report.stdout)

    def test_a_machine_keeps_its_number(self):
        for name in ("one", "two"):
            self.assertEqual(self.run_command("archive", self.made(name)).returncode, 0)
        number = [json.loads(self.unpacked(f"{name}.tar.zst")["session.json"])["host"]["id"] for name in ("one", "two")]
        self.assertEqual(number[0], number[1])
        self.assertRegex(number[0], "^[0-9a-f]{16}$")
        salt = os.path.join(self.env["HOME"], ".local/state/passprobe/salt")
        self.assertEqual(stat.S_IMODE(os.stat(salt).st_mode), 0o600)
        os.chmod(salt, 0o644)  # others could read it: the machine has no number then
        self.assertEqual(self.run_command("archive", "-o", "three", self.made("three")).returncode, 0)
        self.assertEqual(json.loads(self.unpacked("three")["session.json"])["host"], {"kernel": "6.1"})

    def test_everything_can_be_kept(self):
        made = self.made()
        self.assertEqual(self.run_command("archive", "--no-redact", made).returncode, 0)
        for name, content in self.unpacked().items():
            with open(os.path.join(made, name), "rb") as file:
                self.assertEqual(content, file.read(), name)

    def test_show(self):
        made = self.made()
        run = self.run_command("archive", "--show", made)
        self.assertEqual((run.returncode, run.stderr, os.listdir(self.cwd)), (0, "", []))
        for secret in SECRETS:
            self.assertNotIn(secret.decode(), run.stdout)
        self.assertIn("passes.csv, column label:\n    =cmd|'/c calc'!A0, \"~/level\"\n    scene\n", run.stdout)
        self.assertIn("modules.csv, column path:\n    ~/games/race\n    /mnt/HOST/USER/lib.so\n", run.stdout)
        self.assertIn("s3cret", self.run_command("archive", "--show", "--no-redact", made).stdout)

    def test_what_cannot_be_redacted_is_not_packed(self):
        made = self.made()
        for name in ("session.json", "session.json.new"):
            with open(os.path.join(made, name), "w", encoding="utf-8") as out:
                out.write('{"program": {"command": ["--token", "s3cret"]')
        run = self.run_command("archive", made)
        self.assertEqual((run.returncode, os.listdir(self.cwd)), (125, []))
        self.assert_one_line(run.stderr, "session.json cannot be read", "--no-redact")
        run = self.run_command("archive", "--no-redact", made)
        self.assertEqual((run.returncode, os.listdir(self.cwd)), (125, ["made.tar.zst"]))
        self.assertIn("is damaged: session.json: ", run.stderr)


if __name__ == "__main__":
    unit_main()
