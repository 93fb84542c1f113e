"""The line of progress: commands that read for longer than two seconds show it on a terminal, and erase it."""
import os
import pty
import re
import subprocess
import threading

from command import ABOUT, CommandTest, DRAW_HEADER, MS, frames, passes
from harness import take_arguments, unit_main

SLOW_READ = os.path.abspath(*take_arguments(1))
SIZE = r"[\d.,]+ [KM]iB"
ERASED = "\r" + 78 * " " + "\r"


class ProgressLine(CommandTest):
    def setUp(self):
        super().setUp()
        rows = [{"frame": i % 100, "pass": 0, "draw": i // 100, "draw_id": f"{i // 100:016x}", "call": "glDrawElements" + 100 * "s",
                 "gpu_start_ns": i * MS, "gpu_time_ns": MS} for i in range(60_000)]
        self.made = self.session(frames(100), passes(100), about={**ABOUT, "counts": {"frames": 100}})
        self.write_csv(self.made, "draws.csv", DRAW_HEADER, rows)
        self.assertGreater(os.path.getsize(os.path.join(self.made, "draws.csv")), 8_000_000)

    def on_terminal(self, *words, status=(0,)):
        """Output of a command on a terminal, as it was written."""
        ours, its = pty.openpty()
        got = []

        def collect():
            try:
                while block := os.read(ours, 65536):
                    got.append(block)
            except OSError:  # the terminal has no writer any more
                pass
        child = subprocess.Popen([self.install, *words], stdin=subprocess.DEVNULL, stdout=its, stderr=its, cwd=self.cwd,
                                 env={**self.env, "LD_PRELOAD": SLOW_READ, "TERM": "dumb"})
        os.close(its)
        collector = threading.Thread(target=collect)
        collector.start()
        code = child.wait(timeout=240)
        collector.join()
        os.close(ours)
        text = b"".join(got).decode()
        self.assertIn(code, status, text)
        return text

    def assert_line(self, text, verb, file):
        """Lines of progress have the verb and the file, each is erased before anything else is printed."""
        lines = re.findall(rf"{verb} {re.escape(file)}: ({SIZE}) of ({SIZE})(.{{80}})", text, re.S)
        self.assertGreater(len(lines), 1, text)
        self.assertGreater(len({done for done, _, _ in lines}), 1, lines)
        for _, _, after in lines:
            self.assertEqual(after, ERASED)

    def test_commands(self):
        archive = os.path.join(self.top, "s.tar.zst")
        commands = ((("report", self.made), "reading", "draws.csv"), (("report", "--json", self.made), "reading", "draws.csv"),
                    (("report", "--html", "r.html", self.made), "reading", "draws.csv"),
                    (("report", "--trace", "r.pftrace", self.made), "reading", "draws.csv"),
                    (("export", "--as", "jsonl", "-o", "r.jsonl", self.made), "exporting", "draws.csv"),
                    (("export", "--as", "sqlite", "-o", "r.sqlite", self.made), "exporting", "draws.csv"),
                    (("diff", self.made, self.made), "reading", "draws.csv"),
                    (("archive", "-o", archive, self.made), "packing", "draws.csv"))
        texts = {}
        threads = [threading.Thread(target=lambda words=words: texts.setdefault(words, self.on_terminal(*words, status=(0, 2))))
                   for words, _, _ in commands]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for words, verb, file in commands:
            with self.subTest(words=words[:3]):
                self.assert_line(texts[words], verb, file)

    def test_no_line(self):
        """Rows on the same terminal, and output that is no terminal, get no line."""
        text = self.on_terminal("export", "--as", "jsonl", "-o", "-", self.made)
        self.assertNotIn("exporting", text)
        run = self.run_command("export", "--as", "jsonl", "-o", "r.jsonl", self.made, env={"LD_PRELOAD": SLOW_READ})
        self.assertNotIn("exporting", run.stderr)
        run = self.run_command("report", self.made, env={"LD_PRELOAD": SLOW_READ})
        self.assertNotIn("reading", run.stderr)


if __name__ == "__main__":
    unit_main()
