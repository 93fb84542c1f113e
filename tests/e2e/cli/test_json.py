"""`report --json`, `stat --json` and `sessions --json`: what the schemas in docs/formats describe, and the same figures
that the text has."""
import copy
import json
import os
import statistics
import subprocess

from command import ABOUT, CommandTest, DRAW_HEADER, LABEL_HEADER, MS, frames, passes
from harness import ROOT, Skip, unit_main

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = os.path.join(ROOT, "docs", "formats", "report.schema.json")


def closed(schema):
    """The schema, but without further members: a member that it does not describe is an error."""
    if isinstance(schema, dict):
        made = {key: closed(value) for key, value in schema.items()}
        if "properties" in made:
            made["additionalProperties"] = False
        return made
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


class Json(CommandTest):
    def setUp(self):
        super().setUp()
        if not jsonschema:
            raise Skip("python3-jsonschema is not installed")
        with open(SCHEMA, encoding="utf-8") as file:
            self.schema = closed(json.load(file))

    def valid(self, text, schema=None):
        report = json.loads(text)
        if schema:
            with open(os.path.join(ROOT, "docs", "formats", schema), encoding="utf-8") as file:
                jsonschema.validate(report, closed(json.load(file)))
            return report
        jsonschema.validate(report, self.schema)
        return report

    def test_bias_of_each_device(self):
        """Times are less what an empty bracket measures on the device that ran the work."""
        devices = [{"api": "gl", "name": name, "bracket_bias": [{"scope": "pass", "median_ns": ns, "iqr_ns": 1}]}
                   for name, ns in (("one", 1000), ("two", 5000))]
        rows = frames(40)
        for i, row in enumerate(rows):
            row.update(device=("one", "two")[i % 2], surface=("window 1", "window 2")[i % 2], frame_time_ns=10 * MS)
        about = {**ABOUT, "devices": devices}
        made = self.session(rows, [{"frame": i, "pass": 0, "pass_id": f"0{i % 2}", "name": "a pass", "kind": "render",
                                    "level": "draw", "gpu_time_ns": MS} for i in range(40)], about=about)
        self.write_csv(made, "draws.csv", DRAW_HEADER, [
            {"frame": i, "pass": 0, "draw": 0, "draw_id": f"d{i % 2}", "call": f"glDraw{i % 2}", "gpu_time_ns": MS}
            for i in range(40)])
        surfaces = self.valid(self.run_command("report", "--json", made).stdout)["surfaces"]
        self.assertEqual({s["device"]: s["passes"][0]["p50_ns"] for s in surfaces}, {"one": MS - 1000, "two": MS - 5000})
        self.assertEqual({s["device"]: s["passes"][0]["mean_ns"] for s in surfaces}, {"one": MS - 1000, "two": MS - 5000})

    def test_bias_of_regions_in_a_shared_pass(self):
        """A region that shares a pass has the times of its actions, each with a bracket of its own."""
        made = self.session(frames(41, level="draw"), passes(41), about=ABOUT)
        inner = {"passes": 0, "draws": 2, "dispatches": 1, "copies": 1}
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene" + path, "depth": depth, **more} for i in range(41) for path, depth, more in (
                ("", 1, {"passes": 1, "draws": 9, "gpu_inclusive_ns": 6 * MS + 1000, "gpu_exclusive_ns": 1 * MS + 1000}),
                ("/a", 2, {**inner, "draws": 5, "gpu_inclusive_ns": 5 * MS + 7000, "gpu_exclusive_ns": 2 * MS + 3000}),
                ("/a/b", 3, {**inner, "gpu_inclusive_ns": 3 * MS + 4000, "gpu_exclusive_ns": 3 * MS + 4000}))])
        rows = self.valid(self.run_command("report", "--json", made).stdout)["labels"]
        self.assertEqual([(row["label"], row["inclusive_ns"], row["p50_ns"], row["exclusive_ns"]) for row in rows],
                         [("scene", 6 * MS, 6 * MS, 1 * MS), ("scene/a", 5 * MS, 5 * MS, 2 * MS), ("scene/a/b", 3 * MS, 3 * MS, 3 * MS)])

    def test_passes_of_one_level(self):
        """The level changed while the application ran: 30 frames at level pass, 70 at level draw, whose passes contain the
        brackets of their draws. Passes and regions are of level pass."""
        rows = frames(101)
        for row in rows[31:]:
            row["level"] = "draw"
        time = lambda i, ns: ns + 1000 if i < 31 else 3 * ns
        ranked = [{"frame": i, "pass": 0, "pass_id": "0a", "name": "a", "kind": "render", "draws": 4,
                   "gpu_time_ns": time(i, 2 * MS)} for i in range(101)]
        ranked += [{"frame": i, "pass": 1, "pass_id": "0b", "name": "late", "kind": "render", "gpu_time_ns": MS}
                   for i in range(60, 101)]
        made = self.session(rows, sorted(ranked, key=lambda row: row["frame"]), about=ABOUT)
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene", "depth": 1, "passes": 1, "draws": 4, "gpu_inclusive_ns": time(i, 2 * MS),
             "gpu_exclusive_ns": time(i, 2 * MS)} for i in range(101)])
        report = self.valid(self.run_command("report", "--json", made).stdout)
        surface, = report["surfaces"]
        self.assertEqual((surface["pass_level"], surface["pass_frames_left_out"]), ("pass", 70))
        row = surface["passes"][0]
        self.assertEqual([row[name] for name in ("count", "frames", "per_frame", "draws_per_frame", "p5_ns", "p95_ns", "gpu_ns_per_frame")],
                         [30, 30, 1, 4, 2 * MS, 2 * MS, 2 * MS])
        row, = report["labels"]
        self.assertEqual([row[name] for name in ("count", "p95_ns", "gpu_ns_per_frame")], [30, 2 * MS, 2 * MS])
        text = " ".join(self.run_command("report", made).stdout.split())
        self.assertIn("Passes and label regions: of frames at level pass; left out: 70 at level draw.", text)
        self.assertIn("late (pass 1, at another level only)", text)
        same = self.valid(self.run_command("report", "--json", self.session(frames(9), passes(9), about=ABOUT, name="one")).stdout)
        self.assertNotIn("pass_level", same["surfaces"][0])

    def test_lost_times(self):
        """A run whose time was lost costs as much as the others: in a frame, and in shares."""
        lost = lambda i, ns: "" if i % 4 == 3 else ns
        rows = [row for i in range(41) for row in (
            {"frame": i, "pass": 0, "pass_id": "0a", "name": "a", "kind": "render", "gpu_time_ns": lost(i, 4 * MS + 1000)},
            {"frame": i, "pass": 1, "pass_id": "0b", "name": "b", "kind": "render", "gpu_time_ns": 4 * MS + 1000})]
        made = self.session(frames(41, level="draw"), rows, about=ABOUT)
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene", "depth": 1, "passes": 1, "draws": 2, "gpu_inclusive_ns": lost(i, 4 * MS + 1000),
             "gpu_exclusive_ns": lost(i, 4 * MS + 1000)} for i in range(41)])
        self.write_csv(made, "draws.csv", DRAW_HEADER, [
            {"frame": i, "pass": k, "draw": k, "draw_id": f"d{k}", "call": f"glDraw{k}", "pipeline": f"p{k}",
             "gpu_time_ns": 3 * MS + 1000 if k else lost(i, 3 * MS + 1000)} for i in range(41) for k in range(2)])
        report = self.valid(self.run_command("report", "--json", made).stdout)
        surface, = report["surfaces"]
        self.assertEqual([(row["name"], row["gpu_ns_per_frame"], row["mean_ns"], row["gpu_share_percent"])
                          for row in surface["passes"]], [("a", 4 * MS, 4 * MS, 50), ("b", 4 * MS, 4 * MS, 50)])
        self.assertEqual([(row["label"], row["gpu_ns_per_frame"], row["inclusive_ns"], row["gpu_share_percent"])
                          for row in report["labels"]], [("scene", 4 * MS, 4 * MS, 50)])
        self.assertEqual([(row["name"], row["measure_per_frame"]) for row in surface["draw_groups"]], [("p0", 3 * MS), ("p1", 3 * MS)])

    def test_figures(self):
        rows = frames(119)
        rows[60].update(frame_time_ns=170 * MS, gpu_busy_ns=169 * MS)
        about = {**ABOUT, "program": {"command": ["./game"]}, "host": {"name": "desk"}, "options": {"level": "pass"}}
        made = self.session(rows, passes(119), about=about)
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene", "depth": 1, "passes": 1, "draws": 2, "gpu_inclusive_ns": 6 * MS,
             "gpu_exclusive_ns": 2 * MS} for i in range(119)])
        report = self.valid(self.run_command("report", "--json", made).stdout)
        self.assertEqual((report["format"], report["schema"], report["session"]), ("passprobe-report", 7, made))
        self.assertEqual(report["program"]["command"], ["./game"])
        surface, = report["surfaces"]
        self.assertEqual(surface["software"], True)
        self.assertEqual((surface["times"]["frame_time"]["max_ns"], surface["times"]["frame_time"]["max_frame"]),
                         (170 * MS, 60))
        self.assertEqual((surface["first_frame_ns"], surface["first_frames"]), (500 * MS, 1))
        self.assertAlmostEqual(surface["fps"], 118 / 1.34, 6)
        self.assertAlmostEqual(surface["low_1_percent_fps"], 1 / 0.17, 6)
        self.assertEqual(surface["low_01_percent_fps"], None)
        self.assertEqual([row["frames"] for row in surface["histogram"]], [0, 117, 0, 0, 1])
        self.assertEqual(surface["bound_by"], {"cpu": 0, "gpu": 118, "present": 0, "sync": 0, "sleep": 0, "unknown": 0})
        self.assertEqual([(row["id"], row["label"], row["name"], row["mean_ns"], row["count"])
                          for row in surface["passes"]],
                         [("00bb", "scene", "window", 6 * MS - 1000, 118), ("00aa", "", "shadow map", 3 * MS - 1000, 118)])
        self.assertEqual(surface["counters"], [{"name": "pipeline:vertex_shader_invocations", "mean": 1200, "frames": 118,
                                                "additive": True}])
        label, = report["labels"]
        self.assertAlmostEqual(label.pop("gpu_share_percent"), 100 * 5.999 / 8.998, 6)
        self.assertEqual(label, {"label": "scene", "count": 118, "gpu_ns_per_frame": 6 * MS - 1000, "inclusive_ns": 6 * MS - 1000,
                                 "exclusive_ns": 2 * MS - 1000, "p5_ns": 6 * MS - 1000, "p50_ns": 6 * MS - 1000,
                                 "within_run": {"p5_half_ns": 0, "p50_half_ns": 0, "p95_half_ns": 0, "p99_half_ns": 0,
                                                "mean_half_ns": 0, "block": 10, "too_correlated": False},
                                 "p95_ns": 6 * MS - 1000, "p99_ns": 6 * MS - 1000,
                                 "max_ns": 6 * MS - 1000, "max_frame": 1, "below_resolution": False})

    def test_median_distance(self):
        """The median absolute deviation is that of Python's statistics, for an odd and an even number of times."""
        for count in (118, 119):
            rows, ranked = frames(count + 1), passes(count + 1)
            for i, row in enumerate(ranked):
                row["gpu_time_ns"] = (i * 7919 % 104729) * 1000
            made = self.session(rows, ranked, about=ABOUT, name=f"made-{count}")
            report = self.valid(self.run_command("report", "--json", made).stdout)
            got = {row["id"]: row["mad_ns"] for row in report["surfaces"][0]["passes"]}
            for which in sorted({row["pass_id"] for row in ranked}):
                times = [row["gpu_time_ns"] for row in ranked if row["pass_id"] == which and row["frame"] > 0]
                middle = statistics.median(times)
                self.assertEqual(got[which], statistics.median(abs(time - middle) for time in times))

    def test_merged_runs(self):
        """Which runs were merged, as session.json says it; null for one run."""
        runs_for = {"events": "oa:*", "wanted_runs": 3, "ended": None, "runs": [{"number": 0, "left_out": None}]}
        for number, about in enumerate(({**ABOUT, "runs_for": runs_for}, ABOUT)):
            made = self.session(frames(20), passes(20), about=about, name=f"made-{number}")
            report = self.valid(self.run_command("report", "--json", made).stdout)
            self.assertEqual(report["runs_for"], about.get("runs_for"))

    def test_baseline(self):
        """One line, and no other output with it."""
        made = self.session(frames(20), passes(20), about=ABOUT)
        run = self.run_command("report", "--baseline", made)
        self.assertEqual((run.returncode, run.stderr, run.stdout.count("\n")), (0, "", 1))
        whole = json.loads(self.run_command("report", "--json", made).stdout)
        short = json.loads(run.stdout)
        self.assertEqual(short["surfaces"][0]["times"]["frame_time"]["p50_ns"], whole["surfaces"][0]["times"]["frame_time"]["p50_ns"])
        self.assertEqual(short.keys() & {"format", "schema", "session", "surfaces", "not_measured", "own_cost"},
                         {"format", "schema", "session", "surfaces"})
        for other in ("--json", "--csv", "--html=x.html", "--frame=3", "-v"):
            run = self.run_command("report", "--baseline", other, made)
            self.assertEqual((run.returncode, run.stdout), (125, ""), other)
        with open("/dev/full", "wb") as full:
            run = subprocess.run([self.install, "report", "--baseline", made], env=self.env, stdout=full, stderr=subprocess.PIPE,
                                 text=True, check=False, timeout=60)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "No space left on device")

    def test_slow_frames_and_their_causes(self):
        """JSON has the frames and causes that the text has; the window says which frames the figures describe."""
        rows, ranked, start = frames(119), passes(119), 7_000 * MS
        for row in rows:
            row.update(cpu_start_ns=start, pipelines_created=0, pipeline_create_ns=0)
            start += row["frame_time_ns"]
        rows[60].update(frame_time_ns=170 * MS, gpu_busy_ns=169 * MS, gpu_time_ns=169 * MS)
        ranked[121].update(gpu_time_ns=166 * MS)
        rows[90].update(frame_time_ns=130 * MS, cpu_busy_ns=122 * MS, pipelines_created=7, pipeline_create_ns=120 * MS)
        about = {**ABOUT, "marks": [{"at_ns": rows[60]["cpu_start_ns"] + MS, "label": "level loaded"}]}
        made = self.session(rows, ranked, about=about)
        report = self.valid(self.run_command("report", "--json", made).stdout)
        self.assertEqual(report["window"], None)
        surface, = report["surfaces"]
        self.assertEqual(surface["slow_frames_found"], 2)
        first, second = surface["slow_frames"]
        self.assertEqual((first["frame"], first["frame_time_ns"], first["usual_ns"], first["mark"]),
                         (60, 170 * MS, 10 * MS, "level loaded"))
        self.assertAlmostEqual(first["at_s"], 0.5 + 59 * 0.01)
        cause = first["causes"][0]
        self.assertEqual((cause["kind"], cause["pass_id"], cause["pass"], cause["value"], cause["usual"], cause["unit"]),
                         ("pass", "00bb", "window", 166 * MS, 6 * MS, "ns"))
        self.assertEqual((second["frame"], second["mark"]), (90, None))
        self.assertEqual([(cause["kind"], cause["value"], cause["pipelines"], cause["explains_time"])
                          for cause in second["causes"]], [("pipelines", 120 * MS, 7, True)])
        report = self.valid(self.run_command("report", "--json", "--frames", "70-", made).stdout)
        self.assertEqual([row["frame"] for row in report["surfaces"][0]["slow_frames"]], [90])
        self.assertEqual(report["window"], {"first_frame": 70, "last_frame": None, "from_ns": None, "to_ns": None, "frames": 49,
                                            "of_frames": 119, "first_inside": 70, "last_inside": 118, "recorded": None})

    def test_one_frame(self):
        """The frame that --frame prints, with the same neighbours and causes."""
        rows, ranked = frames(119), passes(119)
        rows[60].update(frame_time_ns=170 * MS, gpu_busy_ns=169 * MS, gpu_time_ns=169 * MS)
        ranked[121].update(gpu_time_ns=166 * MS)
        made = self.session(rows, ranked, about=ABOUT)
        frame = self.valid(self.run_command("report", "--json", "--frame", "60", made).stdout, "frame.schema.json")
        self.assertEqual((frame["format"], frame["session"], frame["surface"], frame["level"], frame["frame"], frame["is_slow"]),
                         ("passprobe-frame", made, "window 1", "pass", 60, True))
        self.assertEqual((frame["frame_time_ns"], frame["usual_ns"]), (170 * MS, 10 * MS))
        self.assertEqual([(cause["kind"], cause["pass_id"]) for cause in frame["causes"]], [("pass", "00bb")])
        cells = {cell["name"]: (cell["value"], cell["usual"]) for cell in frame["cells"]}
        self.assertEqual((cells["gpu_time_ns"], cells["draws"]), ((169 * MS, 9 * MS), (5, 5)))
        self.assertEqual(cells["pipeline:vertex_shader_invocations"], (1200, 1200))
        self.assertNotIn("cpu_sync_ns", cells, "not measured")
        self.assertEqual([(row["id"], row["label"], row["gpu_time_ns"], row["usual_ns"]) for row in frame["passes"]],
                         [("00aa", "", 3 * MS, 3 * MS), ("00bb", "scene", 166 * MS, 6 * MS)])
        frame = self.valid(self.run_command("report", "--json", "--frame", "61", made).stdout, "frame.schema.json")
        self.assertEqual((frame["is_slow"], frame["causes"]), (False, []))
        run = self.run_command("report", "--json", "--frame", "999", made)
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "frames.csv has no frame 999")

    def test_every_session_is_valid(self):
        """Level frame, several surfaces, nothing measured, killed, rotated counters, hostile names, no session.json."""
        turns = frames(101)
        for i, row in enumerate(turns):
            row["khr:odd" if i % 2 else "khr:even"] = 270
        missing = {**ABOUT, "devices": [{**ABOUT["devices"][0], "events_missing": [{"event": "khr", "reason": "no \x1b"}]}]}
        names = [{"frame": i, "pass": 0, "pass_id": "x", "name": "\x1b[2J\"\\ \r\n", "gpu_time_ns": MS} for i in range(9)]
        for name, rows, ranked, about in (("frame", frames(50, level="frame", gpu_busy_ns=""), (), ABOUT),
                                          ("two", frames(50) + frames(40, surface="other"), passes(50), ABOUT),
                                          ("bare", frames(9, gpu_time_ns="", gpu_busy_ns="", bound_by=""), (), None),
                                          ("turns", turns, passes(101), missing), ("names", frames(9), names, ABOUT),
                                          ("one", frames(1), passes(1), {**ABOUT, "ended": "running"})):
            with self.subTest(session=name):
                run = self.run_command("report", "--json", self.session(rows, ranked, about=about, name=name))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.valid(run.stdout)
        missing = self.valid(self.run_command("report", "--json", os.path.join(self.top, "turns")).stdout)
        self.assertEqual(missing["not_measured"], [{"event": "khr", "reason": "no \x1b", "events": 1}])
        self.assertEqual({row["name"]: round(row["duty"], 2) for row in missing["surfaces"][0]["counters"] if "duty" in row},
                         {"khr:even": 0.5, "khr:odd": 0.5})

    def test_the_schema_finds_mistakes(self):
        made = self.session(frames(50), passes(50), about=ABOUT)
        good = self.valid(self.run_command("report", "--json", made).stdout)
        for change in (lambda r: r.pop("surfaces"), lambda r: r["surfaces"][0].update(fps="60"),
                       lambda r: r["surfaces"][0]["passes"][0].update(mean_ms=1), lambda r: r.update(schema=0)):
            bad = copy.deepcopy(good)
            change(bad)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(bad, self.schema)

    def test_cost_leaves_out_first_frames(self):
        """Loading takes long: with it, the share would be too small."""
        later = {"frames": 49, "brackets": 490, "hooks_cpu_ns": 6_000_000, "hooks_usual_ns": 4_900_000,
                 "collector_cpu_ns": 4_900_000, "frame_time_ns": 490 * MS, "percent": 2.0}
        about = {**ABOUT, "counts": {"frames": 50, "brackets": 650},
                 "own_cost": {"hooks_cpu_ns": 7_000_000, "hooks_usual_ns": 6_000_000, "collector_cpu_ns": 4_000_000,
                              "frame_time_ns": 9000 * MS, "percent": 0.1, "without_first": later}}
        made = self.session(frames(50), passes(50), about=about)
        text = " ".join(self.run_command("report", "-v", made).stdout.split())
        self.assertIn("measuring cost 2.0 % of frame time", text)
        self.assertIn("CPU: 100 us a frame in the application's threads, 100 us in other threads (together 2.0% ", text)
        self.assertIn("10.0 brackets a frame", text)
        self.assertEqual(json.loads(self.run_command("report", "--json", made).stdout)["own_cost"], later)

    def test_stat_writes_the_same(self):
        made = self.session(frames(50), passes(50), about=ABOUT)
        run = self.stat_of(made, "--json", "out.json", "--summary=out.txt")
        self.assertEqual(run.stderr, "")
        with open(os.path.join(self.cwd, "out.json"), encoding="utf-8") as file:
            written = self.valid(file.read())
        report = json.loads(self.run_command("report", "--json").stdout)
        written["session"] = report["session"]
        self.assertEqual(written, report)
        with open(os.path.join(self.cwd, "out.txt"), encoding="utf-8") as file:
            self.assertIn("\n true\n", file.read())
        run = self.stat_of(made, "--json", "-", command=("echo", "from the application"))
        first, rest = run.stdout.split("\n", 1)
        self.assertEqual(first, "from the application")
        self.valid(rest)
        run = self.stat_of(made, "--json", "/nowhere/x", command=("sh", "-c", "exit 7"))
        self.assertEqual(run.returncode, 7)
        self.assertIn("passprobe: cannot write /nowhere/x: No such file or directory\n", run.stderr)

    def test_sessions(self):
        about = {**ABOUT, "program": {"executable": "/usr/games/ann", "start": "2026-01-02T03:04:05Z"}, "counts": {"frames": 50}}
        self.session(frames(50), passes(50), about=about, name="old")
        self.session(frames(9), passes(9), name="no \x1b json")
        made = self.valid(self.run_command("sessions", "--json", self.top).stdout, "sessions.schema.json")
        folder, = made["folders"]
        self.assertEqual((folder["folder"], folder["bounded"]), (self.top, False))
        new, old = folder["sessions"]
        size = sum(os.path.getsize(os.path.join(self.top, "old", name)) for name in os.listdir(os.path.join(self.top, "old")))
        self.assertEqual(old, {"name": "old", "path": os.path.join(self.top, "old"), "program": "ann", "frames": 50,
                               "start": "2026-01-02T03:04:05Z", "bytes": size, "ended": "exit"})
        self.assertEqual((new["name"], new["program"], new["frames"], new["ended"]), ("no \x1b json", None, None, "unknown"))
        empty = self.run_command("sessions", "--json", self.cwd)
        self.assertEqual((empty.returncode, empty.stderr), (0, ""))
        self.assertEqual(self.valid(empty.stdout, "sessions.schema.json")["folders"], [])
        self.assertEqual(self.run_command("sessions", "--json", "nowhere").returncode, 125)

    def test_list(self):
        """What the text has, as test_screens has it, from a machine without drivers; a pattern chooses."""
        no_drivers = {"VK_ICD_FILENAMES": "/nonexistent", "VK_DRIVER_FILES": "/nonexistent", "DISPLAY": "",
                      "__EGL_VENDOR_LIBRARY_FILENAMES": "/nonexistent"}

        def listed(*words):
            run = self.run_command("list", "--json", *words, env=no_drivers)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            return self.valid(run.stdout, "list.schema.json")

        made = listed()
        self.assertEqual((made["format"], made["pattern"]), ("passprobe-list", None))
        self.assertTrue(made["contexts"])
        for context in made["contexts"]:
            self.assertEqual((context["available"], bool(context["reason"])), (False, True))
        self.assertEqual([event["event"] for event in made["events"]][:2], ["time", "pipeline:input_assembly_vertices"])
        self.assertEqual(len(made["events"]), 12)
        text = self.run_command("list", env=no_drivers).stdout
        for catalogue in made["catalogues"]:
            self.assertRegex(text, rf"  {catalogue['catalogue']} +{catalogue['sets']} sets for {catalogue['gpus']} GPU")
        kernel = {source["source"]: source for source in made["kernel"]}
        self.assertEqual(sorted(kernel), ["cpu", "drm", "hwmon", "mali", "oa"])
        for source in kernel.values():
            self.assertEqual(source["available"], bool(source["events"]), source)
        clock, = (event for event in kernel["cpu"]["events"] if event["event"] == "cpu:task-clock")
        self.assertEqual((clock["unit"], clock["available"], clock["reason"]), ("ns", True, None))
        made = listed("-e", "task-clock")
        self.assertEqual(([event["event"] for source in made["kernel"] for event in source["events"]], made["pattern"]),
                         (["cpu:task-clock"], "task-clock"))
        self.assertEqual((made["events"], made["catalogues"], made["metrics"]), ([], [], []))
        made = listed("intel:kblgt2:RenderBasic")
        self.assertEqual((made["contexts"], made["events"], made["kernel"]), (None, [], []))
        self.assertEqual({metric["set"] for metric in made["metrics"]}, {"intel:kblgt2:RenderBasic"})
        busy, = (metric for metric in made["metrics"] if metric["metric"] == "GpuBusy")
        self.assertEqual((busy["name"], busy["unit"], bool(busy["formula"]), busy["file"]), ("GPU Busy", "percent", True, None))
        with open(os.path.join(self.cwd, "m"), "w", encoding="utf-8") as file:
            file.write("ratio [percent] = gpu_busy_ns / frame_time_ns * 100\n")
        made = listed("-e", "metric:ratio", "--metrics", "m")
        self.assertEqual([(metric["metric"], metric["file"], metric["unit"]) for metric in made["metrics"]],
                         [("metric:ratio", "m", "percent")])
        made = listed("-e", "{time,cpu:task-clock}")
        self.assertEqual([event["event"] for event in made["events"]], ["time"])
        self.assertEqual([event["event"] for source in made["kernel"] for event in source["events"]], ["cpu:task-clock"])
        run = self.run_command("list", "--json", "-e", "nosuchevent", env=no_drivers)
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "nosuchevent")

    def test_damage_fails_the_command(self):
        made = self.session(frames(50), passes(50), about={**ABOUT, "counts": {"frames": 60}})
        run = self.run_command("report", "--json", made)
        self.assertEqual(run.returncode, 125)
        self.valid(run.stdout)


if __name__ == "__main__":
    unit_main()
