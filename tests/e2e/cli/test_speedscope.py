"""`report --trace=chrome` and `report --folded` in Speedscope: it says nothing of broken slices, and its sums are those of
the files."""
import os

from command import ABOUT, CommandTest, MS, frames
from harness import unit_main
from speedscope import Speedscope

START = 60_281_166_216_746  # after 16 hours, microseconds with three digits are no doubles
FRAMES = 100


class InSpeedscope(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.viewer = Speedscope(os.environ["PP_SPEEDSCOPE"])

    @classmethod
    def tearDownClass(cls):
        cls.viewer.__exit__()

    def made(self):
        """Frames that meet, of odd lengths, and in each two passes that meet."""
        rows, ranked, at = frames(FRAMES, device=0, surface=0), [], START
        for i, row in enumerate(rows):
            row.update({"cpu_start_ns": at, "frame_time_ns": 3 * MS + 77 * i, "gpu_start_ns": at, "gpu_time_ns": 3 * MS})
            for k, name in enumerate(("shadow map", "window")):
                ranked.append({"frame": i, "pass": k, "pass_id": f"00{k}", "level": "pass", "kind": "render", "name": name,
                               "queue": "graphics 0", "gpu_start_ns": at + k * (MS + i), "gpu_time_ns": MS + i if k == 0 else MS})
            at += row["frame_time_ns"]
        return self.session(rows, ranked, about={
            **ABOUT, "schema": 2, "surfaces": [{"name": "window 1", "device": 0}],
            "program": {"executable": "/opt/game", "pid": 99, "start_monotonic_ns": START, "start_boottime_ns": START,
                        "start_realtime_ns": 10**18}})

    def test_chrome(self):
        path, made = os.path.join(self.top, "trace.json"), self.made()
        self.assertEqual(self.run_command("report", "--trace=chrome", path, made).returncode, 0)
        self.assertEqual(self.viewer.load(path), ["console: speedscope v1.25.0", "console: Importing as Trace Event Format profile"])
        longest, first = self.viewer.table()[0], 3 * MS + 77 * (FRAMES - 1)
        self.assertEqual(longest[0].split()[0], longest[1].split()[0])  # nothing is inside of a frame
        self.assertEqual(longest[0].split()[0], f"{first / MS:.2f}ms")
        self.assertTrue(longest[2].startswith(f"frame {FRAMES - 1} "), longest)

    def test_folded(self):
        path, made = os.path.join(self.top, "folded.txt"), self.made()
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.run_command("report", "--folded", made).stdout)
        said = self.viewer.load(path)
        self.assertEqual([text for text in said if not text.startswith("console: ")], [])
        self.assertEqual({row[2] for row in self.viewer.table()}, {"shadow map", "window"})


unit_main()
