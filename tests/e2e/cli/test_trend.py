"""`passprobe diff --trend`: series with known changes, series without any, what is a point, and what is left out."""
import json
import os
import random
import re

from command import CommandTest
from harness import ROOT, unit_main
from test_diff import about, scaled

try:
    import jsonschema
except ImportError:
    jsonschema = None

TIMES = ("mean_ns", "p5_ns", "p50_ns", "p95_ns", "p99_ns", "gpu_ns_per_frame")


class Trend(CommandTest):
    def setUp(self):
        super().setUp()
        rows, ranked = scaled(1)
        self.base = self.run_command("report", "--json", self.session(rows, ranked, about=about(), name="base")).stdout

    def point(self, name, day, frame=1.0, shadow=1.0, change=None):
        """Write the summary of a build: times of frames and of the pass "shadow map" times a factor."""
        summary = json.loads(self.base)
        summary["program"]["start"] = f"2026-11-{day:02d}T09:00:00Z"
        summary["program"]["start_realtime_ns"] = 1_790_000_000_000_000_000 + day * 86_400 * 10**9
        surface = summary["surfaces"][0]
        for pass_row in surface["passes"]:
            self.scale(pass_row, frame * (shadow if pass_row["name"] == "shadow map" else 1))
        for times in surface["times"].values():
            self.scale(times or {}, frame)
        if change:
            change(summary)
        path = os.path.join(self.cwd, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(summary, file)

    @staticmethod
    def scale(times, factor):
        for name in TIMES:
            if times.get(name):
                times[name] *= factor

    def builds(self, count=20, at=None, frame=1.0, shadow=1.0, seed=1):
        """A folder of builds with a spread of 1 %; from build @p at on, times have other levels."""
        noise = random.Random(seed)
        for i in range(count):
            later = at is not None and i >= at
            self.point(f"builds/build-{i:02d}.json", i + 1, (frame if later else 1) * (1 + noise.gauss(0, 0.01)),
                       (shadow if later else 1) * (1 + noise.gauss(0, 0.005)))

    def trend(self, *args):
        ran = self.run_command("diff", "--trend", "--json", *args)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return json.loads(ran.stdout)

    def changes(self, trend):
        """{figure: [names of the points since which it has another level]}, of those that changed."""
        return {row["name"]: [change["since"] for change in row["changes"]] for row in trend["series"] if row["changes"]}

    def test_a_pass_and_the_frame_change_at_their_builds(self):
        self.builds(at=12, frame=1.06)
        trend = self.trend("builds")
        self.assertEqual(len(trend["points"]), 20)
        self.assertEqual(set(map(tuple, self.changes(trend).values())), {("build-12.json",)})
        frame, = [row for row in trend["series"] if row["name"] == "frame_time"]
        change, = frame["changes"]
        self.assertEqual((change["index"], change["from"], change["to"]), (12, 0, 20))
        self.assertAlmostEqual(change["percent"], 6, delta=1)
        self.assertLess(change["p"], 0.001)
        self.assertTrue(change["first_suspect"] <= 12 <= change["last_suspect"])
        self.assertEqual(len(frame["values"]), 20)
        if jsonschema:
            with open(os.path.join(ROOT, "docs", "formats", "trend.schema.json"), encoding="utf-8") as file:
                jsonschema.validate(trend, json.load(file))

    def test_only_the_pass_that_changed_is_named(self):
        self.builds(at=8, shadow=1.3)
        self.assertEqual(self.changes(self.trend("builds")), {"shadow map": ["build-08.json"]})

    def test_series_without_a_change(self):
        for seed in range(8):
            self.builds(seed=seed)
            self.assertEqual(self.changes(self.trend("builds")), {})
        ran = self.run_command("diff", "--trend", "builds")
        self.assertIn("No figure changed its level.", ran.stdout)

    def test_threshold(self):
        self.builds(at=10, frame=1.06)
        self.assertEqual(self.changes(self.trend("--threshold", "10%", "builds")), {})

    def test_text_names_the_build_and_the_one_before(self):
        self.builds(at=12, frame=1.06)
        ran = self.run_command("diff", "--trend", "builds")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("20 points, build-00.json (2026-11-01 09:00:00) .. build-19.json (2026-11-20 09:00:00)", ran.stdout)
        self.assertIn("since build-12.json (2026-11-13 09:00:00); the point before is build-11.json", " ".join(ran.stdout.split()))

    def shown_points(self, text):
        """The rows of the table of points: {name: [value, ...]}; "..." represents points that are not shown."""
        lines = text[text.index("\n point "):].split("\n\n")[0].splitlines()[2:]
        return {line.split()[0]: re.findall(r"\d+\.\d+ ms\*?", line) for line in lines}

    def test_values_of_the_points(self):
        """Each point with its value of the figures that changed, as in JSON; a star is at the first one of a level."""
        self.builds(at=12, frame=1.06)
        text = self.run_command("diff", "--trend", "builds").stdout
        self.assertRegex(text, r"(?m)^ point +first run began +frame time p50 +GPU time p50$")
        rows, series = self.shown_points(text), self.trend("builds")["series"]
        self.assertEqual(len(rows), 20)
        for i, (name, values) in enumerate(rows.items()):
            self.assertEqual(name, f"build-{i:02d}.json")
            star = "*" if i == 12 else ""
            self.assertEqual(values, [f"{figure['values'][i] / 1e6:.2f} ms{star}" for figure in series[:2]])
        for line in text[text.index("\n point "):].splitlines():
            self.assertLessEqual(len(line), 80, line)
        self.assertRegex(text, r"2 more figures: a wider terminal")
        self.assertIn("shadow map p50", text)  # which number of a pass
        change, = series[0]["changes"]
        self.assertEqual((change["since"], change["point_before"]), ("build-12.json", "build-11.json"))

    def test_values_of_many_points(self):
        """Of more points than --entries, those around the change, the first and the last."""
        self.builds(at=12, frame=1.06)
        text = self.run_command("diff", "--trend", "--entries", "5", "builds").stdout
        self.assertEqual(list(self.shown_points(text)),
                         ["build-00.json", "...", "build-10.json", "build-11.json", "build-12.json", "build-13.json", "build-19.json"])
        self.assertIn("\n ... (9 points; --all shows all)\n", text)
        self.assertEqual(len(self.shown_points(self.run_command("diff", "--trend", "--all", "builds").stdout)), 20)
        self.builds()
        self.assertNotIn("\n point ", self.run_command("diff", "--trend", "builds").stdout)

    def test_points_of_the_same_minute(self):
        """The second distinguishes them."""
        def start(summary):
            summary["program"]["start"] = "2026-11-01T09:00:07Z"
        self.builds(at=12, frame=1.06)
        self.point("builds/build-12.json", 13, 1.06, change=start)
        self.assertIn("since build-12.json (2026-11-01 09:00:07)", self.run_command("diff", "--trend", "builds").stdout)

    def disturbed(self, device=None):
        """Builds on a machine that other programs use, too: the medians differ by 4 %, p5 by 0.3 %. From build 12 on, p5
        is 5 % longer."""
        noise = random.Random(3)
        def change(summary, factor):
            surface = summary["surfaces"][0]
            surface["device"] = device or "llvmpipe (LLVM 15.0.6, 256 bits)"
            surface["software"] = not device
            for times in (surface["times"]["frame_time"], surface["times"]["gpu_time"]):
                times["p5_ns"] = 9e6 * factor
            surface.pop("plain", None)
        for i in range(20):
            least = (1.05 if i >= 12 else 1) * (1 + noise.gauss(0, 0.003))
            self.point(f"builds/build-{i:02d}.json", i + 1, 1 + noise.gauss(0, 0.04),
                       change=lambda summary, factor=least: change(summary, factor))

    def test_p5_of_disturbed_points(self):
        """As diff does: on a software driver p5 is compared if the medians differ and p5 does not; others get a hint, and
        --stat has its way."""
        self.disturbed()
        trend = self.trend("builds")
        self.assertEqual((trend["stat"], {row["stat"] for row in trend["series"] if row["kind"] == "frame"}), ("p5", {"p5"}))
        self.assertEqual(self.changes(trend)["frame_time"], ["build-12.json"])
        self.assertGreater(trend["p50_spread_percent"], 2)
        self.assertLess(trend["p5_spread_percent"], 1)
        self.assertIn("So p5 is compared", " ".join(self.run_command("diff", "--trend", "builds").stdout.split()))
        trend = self.trend("--stat", "p50", "builds")
        self.assertEqual((trend["stat"], trend["p50_spread_percent"]), ("p50", None))
        self.disturbed("Arc A770")
        self.assertEqual(self.trend("builds")["stat"], "p50")
        self.assertIn("try --stat p5", " ".join(self.run_command("diff", "--trend", "builds").stdout.split()))

    def test_order_is_that_of_time(self):
        """Names say nothing about the order; a point of several runs is their median."""
        for i in range(12):
            self.point(f"builds/{'zyxwvutsrqpo'[i]}.json", i + 1, 1.1 if i >= 6 else 1 + 0.001 * (i % 3))
        trend = self.trend("builds")
        self.assertEqual([point["session"][0] for point in trend["points"]], list("zyxwvutsrqpo"))
        self.assertEqual(self.changes(trend)["frame_time"], ["t.json"])

    def test_a_point_is_the_median_of_its_runs(self):
        for i in range(8):
            runs = []
            for factor in (1, 1.002, 5):
                self.point("one.json", i + 1, factor)
                with open(os.path.join(self.cwd, "one.json"), encoding="utf-8") as file:
                    runs.append(json.load(file))
            os.makedirs(os.path.join(self.cwd, "builds"), exist_ok=True)
            with open(os.path.join(self.cwd, "builds", f"{i}.json"), "w", encoding="utf-8") as file:
                json.dump(runs, file)
        trend = self.trend("builds")
        self.assertEqual({point["runs"] for point in trend["points"]}, {3})
        frame, = [row for row in trend["series"] if row["name"] == "frame_time"]
        one, = [row for row in json.loads(self.base)["surfaces"]]
        for value in frame["values"]:
            self.assertAlmostEqual(value / (one["times"]["frame_time"]["p50_ns"] * 1.002), 1, 6)

    def test_sessions_and_folders_of_repeated_runs_are_points(self):
        for i in range(2):
            rows, ranked = scaled(1 + i)
            for name in f"plain{i}", f"repeated{i}/run-1", f"repeated{i}/run-2":
                os.makedirs(os.path.dirname(os.path.join(self.cwd, "builds", name)), exist_ok=True)
                self.session(rows, ranked, about=about(), name=os.path.join(self.cwd, "builds", name))
        os.makedirs(os.path.join(self.cwd, "builds", "something else"))
        trend = self.trend("builds")
        self.assertEqual([(point["session"], point["runs"]) for point in trend["points"]],
                         [("plain0", 1), ("plain1", 1), ("repeated0", 2), ("repeated1", 2)])
        named = self.trend("builds/plain0", "builds/repeated1")
        self.assertEqual([point["runs"] for point in named["points"]], [1, 2])

    def list_runs(self, folder, runs):
        """Write runs.json of a folder. @p runs: (session, number of the command, whether it counts)."""
        rows = [{"session": name, "command": command, "number": 1, "status": 0, "frames": 10, "counts": counts}
                for name, command, counts in runs]
        with open(os.path.join(self.cwd, folder, "runs.json"), "w", encoding="utf-8") as file:
            json.dump({"passprobe": "0", "schema": 1, "ended": "complete", "commands": [["game"]], "runs": rows}, file)

    def test_a_list_of_runs_says_which_runs_count(self):
        rows, ranked = scaled(1)
        for folder in "listed", "nothing", "two":
            for name in "run1", "run2", "run3":
                path = os.path.join(self.cwd, "builds", folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                self.session(rows, ranked, about=about(), name=path)
        self.list_runs("builds/listed", [("run1", 0, True), ("run2", 0, False), ("run3", 0, True)])
        self.list_runs("builds/nothing", [("run1", 0, False)])
        self.list_runs("builds/two", [("run1", 0, True), ("run2", 1, True)])
        trend = self.trend("builds")
        self.assertEqual([(point["session"], point["runs"]) for point in trend["points"]], [("listed", 2)])
        self.assertEqual([out["session"] for out in trend["left_out"]], ["nothing", "two"])
        self.assertIn("no run counts: run 1 has 10 frames, but ended with exit status", trend["left_out"][0]["reason"])
        self.assertIn("two commands", trend["left_out"][1]["reason"])

    def test_passes_that_only_other_runs_have(self):
        """A pass of the second run only has a series; a run of a point that lacks it costs 0 there."""
        for i in range(4):
            runs = []
            for run in range(3):
                self.point("one.json", i + 1)
                with open(os.path.join(self.cwd, "one.json"), encoding="utf-8") as file:
                    runs.append(json.load(file))
                if run == 0 or (i == 1 and run == 1) or i == 2:
                    rows = runs[-1]["surfaces"][0]["passes"]
                    rows[:] = [row for row in rows if row["name"] != "shadow map"]
            os.makedirs(os.path.join(self.cwd, "builds"), exist_ok=True)
            with open(os.path.join(self.cwd, "builds", f"{i}.json"), "w", encoding="utf-8") as file:
                json.dump(runs, file)
        shadow, = [row for row in self.trend("builds")["series"] if row["name"] == "shadow map"]
        usual = shadow["values"][0]
        self.assertGreater(usual, 0)
        self.assertEqual(shadow["values"], [usual, 0, None, usual])

    def test_a_folder_of_repeated_runs_is_one_point(self):
        rows, ranked = scaled(1)
        for name in "run1", "run2":
            path = os.path.join(self.cwd, "repeated", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self.session(rows, ranked, about=about(), name=path)
        self.list_runs("repeated", [("run1", 0, True), ("run2", 0, True)])
        ran = self.run_command("diff", "--trend", "repeated")
        self.assertEqual((ran.returncode, ran.stdout), (125, ""))
        self.assert_one_line(ran.stderr, "'repeated' has the repeated runs of one command")
        self.assertEqual([point["runs"] for point in self.trend("repeated", "repeated")["points"]], [2, 2])

    def test_all_and_entries(self):
        self.builds(at=12, frame=1.2)
        text = self.run_command("diff", "--trend", "--entries", "1", "builds").stdout
        self.assertEqual(text.count("since build-12.json"), 1)
        self.assertRegex(text, r"\d more figures changed: --all shows all")
        whole = self.run_command("diff", "--trend", "--all", "builds").stdout
        self.assertGreater(whole.count("since build-12.json"), 1)
        self.assertNotIn("no change", whole)
        self.builds()
        self.assertIn("no change", self.run_command("diff", "--trend", "--all", "builds").stdout)
        self.assertNotIn("no change", self.run_command("diff", "--trend", "builds").stdout)

    def test_other_devices_and_damage_are_left_out(self):
        def other(summary):
            summary["surfaces"][0]["device"] = "another GPU"
        self.builds(10)
        self.point("builds/early.json", 1, change=other)
        with open(os.path.join(self.cwd, "builds", "damaged.json"), "w", encoding="utf-8") as file:
            file.write('{"format": ')
        trend = self.trend("builds")
        self.assertEqual(len(trend["points"]), 10)
        self.assertEqual([out["session"] for out in trend["left_out"]], ["damaged.json", "early.json"])
        self.assertIn("device", trend["left_out"][1]["reason"])
        text = self.run_command("diff", "--trend", "builds").stdout
        self.assertIn("left out: early.json: another device than that of the newest point", text)

    def test_metric(self):
        self.builds(at=12, frame=1.06)
        trend = self.trend("--metric", "gpu_*", "builds")
        self.assertEqual([row["name"] for row in trend["series"]], ["gpu_time", "gpu_busy"])

    def test_wrong_command_lines(self):
        self.builds(4)
        for words, expected in ((["--trend"], "--trend needs"), (["--trend", "--pairs", "builds"], "--pairs are not possible together"),
                                (["--trend", "--fail-above", "fps 2", "builds"], "--fail-above are not possible"),
                                (["--trend", "--html", "out.html", "builds"], "--html are not possible"),
                                (["--trend", "nowhere"], "nowhere"), (["--trend", "builds", "nowhere"], "builds has no"),
                                (["--trend", "--metric", "nothing", "builds"], "nothing")):
            ran = self.run_command("diff", *words)
            self.assertEqual((ran.returncode, ran.stdout), (125, ""), words)
            self.assertIn(expected, ran.stderr)
            self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)


if __name__ == "__main__":
    unit_main()
