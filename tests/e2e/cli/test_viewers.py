"""`passprobe export --as presentmon|mangohud`: each time is that of frames.csv, and the rules of the programs that read
these files hold, whatever names and cells a session has."""
import csv
import importlib.util
import io
import json
import os
import shutil
import subprocess
from decimal import Decimal

from command import ABOUT, CommandTest, MS, frames, passes
from harness import Skip, unit_main

START = 5 * 10**9
SCHEMA_2 = {**ABOUT, "schema": 2, "surfaces": [{"name": "window 1", "device": 0}, {"name": "window 2", "device": 0}],
            "devices": [{"api": "gl", "name": "llvmpipe", "driver": "Mesa"}],
            "host": {"os": "Debian", "cpu": "CPU 9", "kernel": "6.1", "memory_bytes": 1 << 34},
            "program": {"executable": "/usr/lib/wine/wine64", "pid": 99, "start_monotonic_ns": START}}
# The documentation of PresentMon 1.9.2; FrameId: its PresentMon/CsvOutput.cpp; then the documentation of 2.3.1
PRESENTMON = ["Application", "ProcessID", "SwapChainAddress", "Runtime", "SyncInterval", "PresentFlags", "Dropped",
              "TimeInSeconds", "msInPresentAPI", "msBetweenPresents", "AllowsTearing", "PresentMode",
              "msUntilRenderComplete", "msUntilDisplayed", "msBetweenDisplayChange", "msFlipDelay", "msUntilRenderStart",
              "msGPUActive", "FrameId", "MsCPUBusy", "MsCPUWait", "MsGPULatency", "MsGPUTime", "MsGPUBusy", "MsGPUWait"]
# src/logging.cpp of MangoHud 0.8
SYSTEM = "os,cpu,gpu,ram,kernel,driver,cpuscheduler"
MANGOHUD = ["fps", "frametime", "cpu_load", "cpu_power", "gpu_load", "cpu_temp", "gpu_temp", "gpu_core_clock",
            "gpu_mem_clock", "gpu_vram_used", "gpu_power", "ram_used", "swap_used", "process_rss", "cpu_mhz", "elapsed"]
MORE = ["frame", "cpu_busy_ms", "cpu_wait_ms", "gpu_latency_ms", "gpu_time_ms", "gpu_busy_ms", "gpu_wait_ms", "bound_by"]
HOSTILE = "a,b\r\n\"c\",\x1b[31m\u2028\u202e\x85;=d\t,"
CLEAN = "a b c [31m ;=d"


def rows_2(count, **more):
    """Frames of schema 2 with all times, none like another."""
    rows = frames(count, device=0, surface=0, app="game.exe", pid=77, **more)
    for i, row in enumerate(rows):
        start = START + i * 10 * MS + 123
        made = {"cpu_start_ns": start, "frame_time_ns": 10 * MS + i, "cpu_busy_ns": 2 * MS + i, "cpu_wait_ns": 8 * MS,
                "gpu_start_ns": start + MS + i, "gpu_latency_ns": MS + i, "gpu_time_ns": 9 * MS + 2 * i,
                "gpu_busy_ns": 8 * MS + i, "gpu_wait_ns": MS + i}
        row.update({name: value for name, value in made.items() if name not in more})
    return rows


def ms(ns):
    return str((Decimal(ns) / MS).quantize(Decimal("0.000001")))


class Viewers(CommandTest):
    def export(self, kind, *args, status=0, **more):
        run = self.run_command("export", "--as", kind, *args, **more)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def text(self, kind, session, status=0):
        return self.export(kind, "-o", "-", session, status=status).stdout

    def presentmon(self, session, status=0):
        header, *rows = csv.reader(io.StringIO(self.text("presentmon", session, status)))
        self.assertEqual(header, PRESENTMON)
        return [dict(zip(header, row, strict=True)) for row in rows]

    def mangohud(self, session, status=0):
        first, system, header, *rows = csv.reader(io.StringIO(self.text("mangohud", session, status)))
        self.assertEqual((",".join(first), header), (SYSTEM, MANGOHUD + MORE))
        self.assertEqual(len(system), len(first))
        return system, [dict(zip(header, row, strict=True)) for row in rows]

    def test_presentmon_values(self):
        """Each time of each frame, without the first one."""
        made = self.session(rows_2(30), about=SCHEMA_2)
        rows = self.presentmon(made)
        self.assertEqual(len(rows), 29)
        for i, row in enumerate(rows, 1):
            start, busy = 10 * i * MS + 123, 2 * MS + i
            self.assertEqual(row, {
                "Application": "game.exe", "ProcessID": "77", "SwapChainAddress": "0x0000000000000000", "Runtime": "OpenGL",
                "SyncInterval": "-1", "PresentFlags": "0", "Dropped": "0", "FrameId": str(i),
                "TimeInSeconds": str((Decimal(start + busy) / 10**9).quantize(Decimal("0.000000001"))),
                "msInPresentAPI": "8.000000", "msBetweenPresents": ms(10 * MS + i), "AllowsTearing": "0",
                "PresentMode": "Other", "msUntilRenderComplete": ms(MS + i + 9 * MS + 2 * i - busy),
                "msUntilDisplayed": "NA", "msBetweenDisplayChange": "NA", "msFlipDelay": "NA",
                "msUntilRenderStart": ms(MS + i - busy), "msGPUActive": ms(8 * MS + i), "MsCPUBusy": ms(busy),
                "MsCPUWait": "8.000000", "MsGPULatency": ms(MS + i), "MsGPUTime": ms(9 * MS + 2 * i),
                "MsGPUBusy": ms(8 * MS + i), "MsGPUWait": ms(MS + i)})
        self.assertEqual(rows[0]["msUntilRenderStart"], "-1.000000")
        self.assertEqual(rows[2]["msBetweenPresents"], "10.000003")

    def test_mangohud_values(self):
        made = self.session(rows_2(30), about=SCHEMA_2)
        system, rows = self.mangohud(made)
        self.assertEqual(system, ["Debian", "CPU 9", "llvmpipe", str(1 << 24), "6.1", "Mesa", ""])
        self.assertEqual(len(rows), 29)
        for i, row in enumerate(rows, 1):
            wanted = dict.fromkeys(MANGOHUD, "")
            wanted.update({
                "fps": str((Decimal(10**9) / (10 * MS + i)).quantize(Decimal("0.000001"))), "frametime": ms(10 * MS + i),
                "gpu_load": "80", "elapsed": str(10 * i * MS + 123 + 10 * MS + i), "frame": str(i),
                "cpu_busy_ms": ms(2 * MS + i), "cpu_wait_ms": "8.000000", "gpu_latency_ms": ms(MS + i),
                "gpu_time_ms": ms(9 * MS + 2 * i), "gpu_busy_ms": ms(8 * MS + i), "gpu_wait_ms": ms(MS + i),
                "bound_by": "gpu"})
            self.assertEqual(row, wanted)

    def test_not_measured(self):
        """NA in PresentMon's columns, an empty cell in MangoHud's, and never 0."""
        names = ("cpu_start_ns", "cpu_busy_ns", "cpu_wait_ns", "gpu_start_ns", "gpu_latency_ns", "gpu_time_ns",
                 "gpu_busy_ns", "gpu_wait_ns", "bound_by")
        rows = frames(3, device=0, surface=0, **dict.fromkeys(names, ""))
        made = self.session(rows, about={**ABOUT, "schema": 2})
        for row in self.presentmon(made):
            for name in PRESENTMON[7:9] + PRESENTMON[12:18] + PRESENTMON[19:]:
                self.assertEqual(row[name], "NA", name)
            self.assertEqual((row["Application"], row["ProcessID"], row["msBetweenPresents"]), ("<unknown>", "NA", "10.000000"))
        system, rows = self.mangohud(made)
        self.assertEqual(system, ["", "", "llvmpipe", "", "", "", ""])
        self.assertEqual([{name for name in row if row[name]} for row in rows], [{"fps", "frametime", "frame"}] * 2)

    def test_gpu_load_is_not_above_100(self):
        made = self.session(rows_2(3, gpu_busy_ns=11 * MS), about=SCHEMA_2)
        self.assertEqual([row["gpu_load"] for row in self.mangohud(made)[1]], ["100"] * 2)

    def test_order_and_unknown_begin(self):
        """Rows are by frame; without session.json the time begins with the first frame of the file."""
        rows = self.presentmon(self.session(rows_2(9)[::-1]), status=125)
        self.assertEqual([row["FrameId"] for row in rows], [str(i) for i in range(1, 9)])
        self.assertEqual(rows[0]["TimeInSeconds"], "0.002000001")
        self.assertEqual((rows[0]["Application"], rows[0]["ProcessID"]), ("game.exe", "77"))

    def test_the_frames_are_those_of_stat(self):
        """First frames, other levels, a recorded window, other surfaces, frames without a time."""
        rows = rows_2(100)
        for i, row in enumerate(rows):
            row["frame_time_ns"] = (10 + i % 7) * MS
            row["level"] = "draw" if i in (30, 31) else "pass"
            row["surface"] = int(i in (50, 51, 52))
        rows[70]["frame_time_ns"] = ""
        about = {**SCHEMA_2, "window": {"options": "--frames 0-89", "begun": True, "first_frame": 0, "last_frame": 89,
                                        "from_ns": None, "to_ns": None}}
        made = self.session(rows, passes(100), about=about)
        left_out = ("made: left out: 2 first frames, 10 frames outside of the recorded window, 2 frames at other levels, "
                    "1 frame without a frame time")
        run = self.export("presentmon", "-o", "-", made)
        self.assert_one_line(run.stderr, left_out)
        times = [float(row["msBetweenPresents"]) for row in csv.DictReader(io.StringIO(run.stdout))]
        self.assertEqual(len(times), 90 - 2 - 2 - 1)
        run = self.export("mangohud", "-o", "-", made)
        self.assert_one_line(run.stderr, left_out + ", 2 frames of other surfaces")
        rows = list(csv.DictReader(run.stdout.splitlines()[2:]))
        self.assertEqual({row["frame"] for row in rows} & {"0", "30", "31", "50", "51", "52", "70", "90"}, set())
        run = self.run_command("report", "--json", made)
        surface = json.loads(run.stdout)["surfaces"][0]
        shown = surface["times"]["frame_time"]
        times = sorted(float(row["frametime"]) for row in rows)
        self.assertEqual(len(times), shown["frames"])
        self.assertAlmostEqual(sum(times) / len(times), shown["mean_ns"] / MS, 6)
        self.assertAlmostEqual(times[-1], shown["max_ns"] / MS, 6)

    def test_surfaces(self):
        """PresentMon's file has all of them, MangoHud's the one with the most frames."""
        rows = rows_2(40)
        for row in rows[12:]:
            row.update(surface=1, api="vulkan")
        made = self.session(rows, about=SCHEMA_2)
        found = [(row["SwapChainAddress"][-1], row["Runtime"]) for row in self.presentmon(made)]
        self.assertEqual(found, [("0", "OpenGL")] * 11 + [("1", "Vulkan")] * 27)
        self.assertEqual([row["frame"] for row in self.mangohud(made)[1]], [str(i) for i in range(13, 40)])

    def test_hostile_texts(self):
        """Commas, quotes, line breaks and escape sequences of names leave the rows and columns as they are."""
        host = dict.fromkeys(("os", "cpu", "kernel"), HOSTILE)
        about = {**SCHEMA_2, "host": {**host, "memory_bytes": -5}, "devices": [{"api": "gl", "name": HOSTILE, "driver": HOSTILE}]}
        made = self.session([{**row, "app": HOSTILE} for row in rows_2(30)], about=about)
        for kind, lines in (("presentmon", 30), ("mangohud", 32)):
            text = self.text(kind, made)
            self.assertEqual(len(text.splitlines()), lines, "Python ends lines at more characters than \\n")
            self.assertEqual(text.count("\n"), lines)
            self.assertFalse(set(text) & set("\"\r\x1b\t\u202e"))
        self.assertEqual({row["Application"] for row in self.presentmon(made)}, {CLEAN})
        self.assertEqual(self.mangohud(made)[0], [CLEAN, CLEAN, CLEAN, "", CLEAN, CLEAN, ""])
        broken = os.path.join(made, "frames.csv")
        with open(broken, encoding="utf-8") as file:
            text = file.read()
        with open(broken, "wb") as file:
            file.write(text.encode().replace(b";=d", b"\xff\xfe"))
        self.assertEqual({row["Application"] for row in self.presentmon(made)}, {"a b c [31m"})

    def test_hostile_cells(self):
        """Numbers that are none, too large or negative count as not measured, and the command says so."""
        rows = rows_2(9)
        for row, value in zip(rows[1:], ("", "x", "-5", str(1 << 62), "99999999999999999999", "1.5", "nan", "0x10")):
            row.update(cpu_busy_ns=value, api=HOSTILE, bound_by=HOSTILE, surface=HOSTILE)
        made = self.session(rows, about=SCHEMA_2)
        run = self.export("presentmon", "-o", "-", made, status=125)
        self.assertIn("made: left out: 2 first frames\n", run.stderr)
        self.assertIn("7 cells of columns of numbers hold no usable number; they count as not measured", run.stderr)
        rows = list(csv.DictReader(io.StringIO(run.stdout)))
        self.assertEqual([(row["MsCPUBusy"], row["TimeInSeconds"], row["Runtime"]) for row in rows], [("NA", "NA", "Other")] * 7)

    def test_no_frames(self):
        for name, rows, why in (("none", [], "the application was killed before its first frame was written"),
                                ("untimed", frames(5, frame_time_ns=""), "statistics use none of its frames")):
            made = self.session(rows, about={**ABOUT, "ended": "running"}, name=name)
            for kind in ("presentmon", "mangohud"):
                self.assert_one_line(self.export(kind, made, status=125).stderr, "nothing to export: " + why)
        empty = os.path.join(self.top, "empty")
        os.mkdir(empty)
        self.assert_one_line(self.export("mangohud", empty, status=125).stderr, "is not a session")
        self.assertEqual(os.listdir(self.cwd), [])

    def test_files(self):
        """The name, an archive, files that exist, and disks that are full. Other CSV files are not read."""
        made = self.session(rows_2(3000), passes(20), about={**SCHEMA_2, "revision": 1, "revision_end": 1,
                                                             "counts": {"frames": 3000, "passes": 99, "draws": 9}})
        os.truncate(os.path.join(made, "passes.csv"), 0)
        self.assertEqual(self.run_command("archive", made).returncode, 125)  # damaged, and packed
        for kind in ("presentmon", "mangohud"):
            run = self.export(kind, "made.tar.zst")
            name = f"made.{kind}.csv"
            self.assertRegex(run.stderr, rf"^\[ passprobe export: 2,999 rows of made\.tar\.zst, .* KiB: {name} \]\n"
                                         r"passprobe: made\.tar\.zst: left out: 1 first frame\n$")
            with open(os.path.join(self.cwd, name), encoding="utf-8") as file:
                self.assertEqual(file.read(), self.text(kind, made))
            self.assert_one_line(self.export(kind, made, status=125).stderr, "it exists already")
            os.unlink(os.path.join(self.cwd, name))
            run = self.run_command("-c", f'ulimit -f 100; exec "$0" export --as {kind} "$1"', self.install, made, binary="sh")
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, f"cannot write {name}")
            with open("/dev/full", "wb") as full:
                run = subprocess.run([self.install, "export", "--as", kind, "-o", "-", made], env=self.env, stdout=full,
                                     stderr=subprocess.PIPE, text=True, check=False, timeout=60)
            self.assert_one_line(run.stderr, "cannot write stdout: No space left on device")
        self.assertEqual(os.listdir(self.cwd), ["made.tar.zst"])

    def test_rules_of_readers(self):
        """What readers were seen to want, which split lines at commas and know no quotes."""
        made = self.session(rows_2(60), about=SCHEMA_2)
        lines = self.text("presentmon", made).split("\n")[:-1]
        # CapFrameX: first line, case-insensitive names, more than 20 lines, Dropped is a number, times parse
        self.assertTrue(lines[0].startswith("Application"))
        for name in ("application", "dropped", "timeinseconds", "msbetweenpresents", "msbetweendisplaychange"):
            self.assertIn(name, lines[0].lower().split(","))
        self.assertNotIn("PresentRuntime", lines[0])
        columns = lines[0].split(",")
        times = [line.split(",") for line in lines[1:]]
        self.assertEqual({(len(row), row[columns.index("Dropped")]) for row in times}, {(len(columns), "0")})
        begins = [float(row[columns.index("TimeInSeconds")]) for row in times]
        self.assertEqual(begins, sorted(begins))
        lines = self.text("mangohud", made).split("\n")[:-1]
        # flightlesssomething: this very first line; CapFrameX: the memory is a number; FlightlessMango: by place
        self.assertEqual(lines[0], SYSTEM)
        self.assertGreater(float(lines[1].split(",")[3]), 0)
        for line in lines[3:]:
            self.assertAlmostEqual(float(line.split(",")[0]), 1000 / float(line.split(",")[1]), 3)
        # mangoplot: the first row with a cell "fps" is the header, and no name occurs twice
        at = next(i for i, row in enumerate(csv.reader(lines)) if "fps" in row)
        self.assertEqual(at, 2)
        self.assertEqual(len(set(lines[at].split(","))), len(lines[at].split(",")))

    def test_mangoplot(self):
        """mangoplot draws the file. It wants 10,000 frames, and leaves out the first row."""
        plot = shutil.which("mangoplot")
        if not plot:
            raise Skip("mangoplot is not installed")
        if not importlib.util.find_spec("matplotlib"):
            raise Skip("mangoplot needs Python's matplotlib, which is not installed")
        made = self.session(rows_2(10_002), about=SCHEMA_2)
        self.export("mangohud", made)
        run = self.run_command(self.cwd, binary=plot, env={"MPLBACKEND": "Agg"}, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Loading 1 benchmark files", run.stdout)
        self.assertNotIn("long enough", run.stdout)
        self.assertNotIn("Nothing to plot", run.stdout)


if __name__ == "__main__":
    unit_main()
