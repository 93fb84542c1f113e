"""`passprobe diff`: exact figures of made sessions, verdicts of one and of several runs per side, what is not comparable,
summaries, and what is damaged."""
import json
import os

from command import ABOUT, CommandTest, LABEL_HEADER, MS, frames, passes
from golden import golden
from harness import ROOT, Skip, unit_main

try:
    import jsonschema
except ImportError:
    jsonschema = None

COUNT = 61
OPTIONS = {"level": "pass", "events": "time,pipeline", "serialize": False}


def about(**more):
    return {**ABOUT, "options": OPTIONS, "host": {"name": "desk", "cpu": "Z80", "kernel": "6.1"},
            "program": {"executable": "/usr/bin/game", "start": "2026-01-31T12:00:00Z"}, **more}


def scaled(factor, shadow=1.0, count=COUNT):
    """Frames and passes whose times are this many times those of command.py; shadow: of the pass "shadow map" besides."""
    rows, ranked = frames(count), passes(count)
    for i, row in enumerate(rows):
        wave = 1 + 0.01 * (i % 5 - 2)
        for name in ("frame_time_ns", "cpu_busy_ns", "cpu_wait_ns", "gpu_time_ns", "gpu_busy_ns", "gpu_wait_ns"):
            row[name] = round(row[name] * factor * wave)
        extra = round(3 * MS * factor * wave * (shadow - 1))
        row["gpu_time_ns"] += extra
        row["gpu_busy_ns"] += extra
        row["frame_time_ns"] += extra
        for k, pass_row in enumerate(ranked[2 * i:2 * i + 2]):
            pass_row["gpu_time_ns"] = round(pass_row["gpu_time_ns"] * factor * wave * (1 if k else shadow))
            pass_row.update(draws=4, width=64, height=64)
    return rows, ranked


def scaled_rows(factor):
    """Makes each time of frames and passes this many times as long."""
    def change(rows, ranked):
        for row in rows:
            for column in ("frame_time_ns", "gpu_time_ns", "gpu_busy_ns"):
                row[column] = round(row[column] * factor)
        for row in ranked:
            row["gpu_time_ns"] = round(row["gpu_time_ns"] * factor)
        return rows, ranked
    return change


class Diff(CommandTest):
    def made(self, name, factor=1.0, shadow=1.0, more=None, change=None):
        rows, ranked = scaled(factor, shadow)
        if change:
            rows, ranked = change(rows, ranked)
        return self.session(rows, ranked, about=about(**(more or {})), name=name)

    def diff(self, *args, status=0):
        ran = self.run_command("diff", "--json", *args)
        self.assertEqual(ran.returncode, status, ran.stderr)
        return json.loads(ran.stdout)

    @staticmethod
    def row(diff, kind, name, stat=None):
        row, = [row for row in diff["surfaces"][0]["rows"]
                if (row["kind"], row["name"]) == (kind, name) and stat in (None, row["stat"])]
        return row

    def put(self, name, text):
        """A file in the folder in which the command runs."""
        with open(os.path.join(self.cwd, name), "w", encoding="utf-8") as file:
            file.write(text)

    def summary(self, session):
        return self.run_command("report", "--json", session).stdout

    def runs(self, factors, prefix, **more):
        return [self.made(f"{prefix}{i}", factor, **more) for i, factor in enumerate(factors)]

    def test_one_run_a_side_adds_up(self):
        """Old, new and change are exact, the passes and the rest add up to the frame's GPU time, and nothing decides
        that one run cannot decide."""
        old, new = self.made("old"), self.made("new", shadow=1.05)
        diff = self.diff(old, new)
        shadow = self.row(diff, "pass", "shadow map")
        self.assertEqual((shadow["old"], shadow["new"], shadow["change"]), (3 * MS - 1000, 3.15 * MS - 1000, 0.15 * MS))
        self.assertEqual((shadow["stat"], shadow["verdict"], shadow["interval_of_frames"], shadow["decides"]),
                         ("p50", "few_runs", True, False))
        frame = self.row(diff, "frame", "gpu_time", "p50")
        part = diff["surfaces"][0]
        self.assertEqual((part["old_gpu_ns"], part["new_gpu_ns"]), (frame["old"], frame["new"]))
        rows = [row for row in part["rows"] if row["kind"] in ("pass", "rest")]
        self.assertEqual(len(rows), 3)
        self.assertAlmostEqual(sum(row["change"] for row in rows), frame["change"], 3)
        self.assertAlmostEqual(sum(row["old"] for row in rows), frame["old"], 3)
        self.assertEqual(rows[-1]["kind"], "rest")
        self.assertEqual(diff["slower"], False)

    def test_one_run_a_side_guesses(self):
        """A change of the frame beyond 10 % and beyond what the run itself explains is called slower; 5 % is not."""
        old, large, small = self.made("old"), self.made("large", 1.2), self.made("small", 1.05)
        diff = self.diff(old, large, status=1)
        self.assertEqual(self.row(diff, "frame", "frame_time", "p50")["verdict"], "slower")
        self.assertEqual(self.row(diff, "frame", "fps")["verdict"], "slower")
        self.assertAlmostEqual(self.row(diff, "frame", "frame_time", "p50")["percent"], 20, 6)
        self.assertEqual(self.diff(old, small)["slower"], False)
        self.assertEqual(self.diff("--strict", old, small, status=1)["slower"], False)
        self.assertEqual(self.diff(large, old)["slower"], False)

    def test_one_run_a_side_says_what_would_tell(self):
        """Why a change cannot be judged, and how many runs of which spread would decide: sqrt(3 / 16) and sqrt(5 / 16) of it."""
        def noisy(rows, ranked):
            for i, row in enumerate(rows):
                for name in ("frame_time_ns", "gpu_time_ns"):
                    row[name] = round(row[name] * (0.5 + i * 37 % 61 / 40))
            return rows, ranked
        def hint(old, new):
            return " ".join(self.run_command("diff", old, new).stdout.split())
        old = self.made("old")
        tells = ("Record 3 runs per side: enough if runs of one build differ by at most 2.2 %. 5 runs: at most 2.8 %. "
                 "passprobe compare -n 3 -- CMD_OLD -- CMD_NEW")
        self.assertIn(f"frame time p50 +5.0 % cannot be judged from these runs: it is at most ten percent, and two runs of one build may differ so. {tells}",
                      hint(old, self.made("small", 1.05)))
        self.assertIn("cannot be judged from these runs: it is less than 3 times the interval within the runs. Record 3 runs",
                      hint(self.made("noisy", change=noisy), self.made("noisier", 1.3, change=noisy)))
        few = [self.session(*scaled(factor, count=6), about=about(), name=f"few{factor}") for factor in (1, 1.3)]
        self.assertIn("cannot be judged from these runs: the runs have too few frames for an interval. Record 3 runs", hint(*few))
        for new in (self.made("equal", 1.02), self.made("large", 1.3)):  # too small to judge, or large
            self.assertNotIn("cannot be judged", hint(old, new))

    def test_counts_explain_a_change(self):
        """With one run per side, a pass whose draws changed too may be called slower from the threshold on."""
        def more_draws(rows, ranked):
            for row in ranked[0::2]:
                row["draws"] = 9
            return rows, ranked
        old, new = self.made("old"), self.made("new", shadow=1.08, change=more_draws)
        shadow = self.row(self.diff(old, new), "pass", "shadow map")
        self.assertEqual(shadow["counts"], [{"name": "draws", "old": 4, "new": 9}])
        self.assertEqual(shadow["verdict"], "slower")
        same = self.row(self.diff(old, self.made("less", shadow=1.08)), "pass", "shadow map")
        self.assertEqual((same["counts"], same["verdict"]), ([], "few_runs"))

    def test_slow_frames_of_all_runs(self):
        """The rates of slow frames are those of all runs, as their ratio is; the median run of a side has none."""
        text = json.loads(self.summary(self.made("one")))
        part = text["surfaces"][0]
        minutes = 3 * part["times"]["frame_time"]["frames"] * part["times"]["frame_time"]["mean_ns"] / 60e9
        for side, slow in (("old", (0, 6, 0)), ("new", (0, 0, 3))):
            for i, frames_found in enumerate(slow):
                part["slow_frames_found"] = frames_found
                self.put(f"{side}{i}.json", json.dumps(text))
        row = self.row(self.diff(*[f"old{i}.json" for i in range(3)], "--", *[f"new{i}.json" for i in range(3)]),
                       "frame", "slow_frames")
        self.assertAlmostEqual(row["old"], 6 / minutes, 6)
        self.assertAlmostEqual(row["new"], 3 / minutes, 6)
        self.assertAlmostEqual(row["change"], -3 / minutes, 6)
        self.assertAlmostEqual(row["percent"], -50, 6)

    def test_slow_frames_of_mixed_levels(self):
        """Slow frames are looked for at the level that most frames have; their rate is over the time of these frames."""
        def mixed(rows, ranked):
            for i, row in enumerate(rows):
                row["level"] = "pass" if i < 11 else "draw"
                row["frame_time_ns"] = 80 * MS if i == 30 else 10 * MS
            return rows, ranked
        made = self.made("one", change=mixed)
        part = json.loads(self.summary(made))["surfaces"][0]
        count = part["frames"]
        self.assertEqual((part["cpu_level"], part["slow_frames_found"]), ("pass", 1))
        self.assertEqual(part["slow_frames_of_ns"], (count - 12) * 10 * MS + 80 * MS)
        row = self.row(self.diff(made, made), "frame", "slow_frames")
        self.assertAlmostEqual(row["old"], 60e9 / part["slow_frames_of_ns"], 6)

    def test_several_runs(self):
        """Five runs per side have a verdict for the pass that changed, and only for it."""
        old = self.runs((0.998, 1.0, 1.002, 1.001, 0.999), "old")
        new = self.runs((1.001, 0.999, 1.0, 0.998, 1.002), "new", shadow=1.3)
        diff = self.diff(*old, "--", *new, status=1)
        shadow, window = self.row(diff, "pass", "shadow map"), self.row(diff, "pass", "scene: window")
        self.assertEqual((shadow["verdict"], shadow["old_runs"], shadow["new_runs"], shadow["interval_of_frames"]),
                         ("slower", 5, 5, False))
        self.assertAlmostEqual(shadow["percent"], 30, 1)
        self.assertTrue(29.5 < shadow["low_percent"] < 30 < shadow["high_percent"] < 30.5, shadow)
        self.assertEqual(window["verdict"], "same")
        self.assertEqual(self.row(diff, "frame", "frame_time", "p50")["verdict"], "slower")
        self.assertEqual(diff["slower"], True)
        back = self.diff(*new, "--", *old)
        self.assertEqual(self.row(back, "pass", "shadow map")["verdict"], "faster")

    def test_one_of_many_rows_of_frames(self):
        """One of the many rows of frames that differs by chance is unclear; where all of them do, they are slower."""
        summary = json.loads(self.summary(self.made("one")))
        spread, words = (1.0, 1.026, 0.974, 1.013, 0.987), {}
        for which, change in ((("cpu_busy",), 1.035), (("cpu_busy", "frame_time", "gpu_time", "gpu_busy"), 1.05)):
            names = [f"{side}{i}.json" for side in ("old", "new") for i in range(5)]
            for name, factor in zip(names, [*spread, *(change * one for one in spread)]):
                made = json.loads(json.dumps(summary))
                for kind in which:
                    for stat in ("p50_ns",) if len(which) == 1 else ("p5_ns", "p50_ns", "p95_ns", "mean_ns"):
                        made["surfaces"][0]["times"][kind][stat] *= factor
                self.put(name, json.dumps(made))
            words[which] = self.row(self.diff(*names[:5], "--", *names[5:], status=int(len(which) > 1)), "frame", "cpu_busy", "p50")
            self.assertTrue(0.001 < words[which]["p"] < 0.03, words[which])
        self.assertEqual([row["verdict"] for row in words.values()], ["unclear", "slower"])
        self.assertEqual([row["q"] <= 0.05 for row in words.values()], [False, True])

    def passes_of_runs(self, prefix, machine, changed=None):
        """Summaries of runs with six passes. machine: by how much each run is slower in all passes; changed: factors of
        passes."""
        def more(rows, ranked):
            return rows, ranked + [{"frame": i, "pass": 2 + k, "pass_id": f"00d{k}", "level": "pass", "kind": "render",
                                    "name": f"blur {k}", "gpu_time_ns": (k + 1) * MS} for k in range(4) for i in range(COUNT)]
        summary = json.loads(self.summary(self.made(f"{prefix} six", change=more)))
        names = [f"{prefix}{i}.json" for i in range(len(machine))]
        for i, (name, factor) in enumerate(zip(names, machine)):
            made = json.loads(json.dumps(summary))
            for k, row in enumerate(made["surfaces"][0]["passes"]):
                own = 1 + 0.002 * ((i * 7 + k * 3) % 5 - 2)  # 0.3 % of its own, another one in each pass
                for stat in ("p5_ns", "p50_ns", "p95_ns", "mean_ns", "gpu_ns_per_frame"):
                    row[stat] *= factor * own * (changed or {}).get(row["name"], 1)
            self.put(name, json.dumps(made))
        return names

    def test_a_pass_relative_to_the_others(self):
        """A machine that is slower in some runs makes all passes of these longer. A pass that alone took 5 % more is found
        by the others of its runs; what changed together, and what took less time, is not."""
        machine = (1.0, 1.06, 0.95, 1.03, 0.97)
        old = self.passes_of_runs("old", machine)
        new = self.passes_of_runs("new", machine[::-1], {"blur 2": 1.05})
        diff = self.diff(*old, "--", *new, status=1)
        rows = {row["name"]: row for row in diff["surfaces"][0]["rows"] if row["kind"] == "pass"}
        row = rows["blur 2"]
        self.assertEqual((row["verdict"], row["relative"], row["decides"]), ("slower", True, True))
        self.assertTrue(4 < row["relative_low_percent"] < row["relative_percent"] < row["relative_high_percent"] < 6, row)
        self.assertTrue(row["low_percent"] < 0 < row["high_percent"] and row["q"] < 0.01, row)
        # the sign must show, too
        self.assertTrue(5 < row["relative_visible_percent"] < 6 < 12 < row["visible_percent"], row)
        self.assertEqual([(row["relative"], row["verdict"] in ("slower", "faster")) for name, row in rows.items()
                          if name != "blur 2"], 5 * [(False, False)])
        ran = self.run_command("diff", *old, "--", *new)
        self.assertRegex(ran.stdout, r"blur 2.* slower \(relative \+5\.\d %\)\n")
        self.assertRegex(ran.stdout, r"runs of one side differ by 4\.\d % in all passes")
        for limit, status in (("pass:blur 2 3%", 1), ("pass:blur 2 7%", 0), ("pass:blur 2 0.1ms", 1), ("pass:blur 2 0.3ms", 0)):
            self.assertEqual(self.run_command("diff", "--fail-above", limit, *old, "--", *new).returncode, status, limit)

        equal = self.passes_of_runs("equal", machine[::-1])
        all_new = self.passes_of_runs("all", machine, dict.fromkeys(rows, 1.05))
        most_new = self.passes_of_runs("most", [0.9 * one for one in machine], {"blur 2": 1.05})
        for side in (equal, all_new):
            found = [row for row in self.diff(*old, "--", *side)["surfaces"][0]["rows"] if row["kind"] == "pass"]
            self.assertEqual({row["relative"] for row in found}, {False})
        ran = self.diff(*old, "--", *most_new)
        self.assertEqual([row["name"] for row in ran["surfaces"][0]["rows"] if row["verdict"] == "slower"], [])
        paired = [row for row in self.diff("--pairs", *old, "--", *new, status=1)["surfaces"][0]["rows"] if row["kind"] == "pass"]
        self.assertEqual({row["relative_percent"] for row in paired}, {None})

    def test_blunt_relative_to_the_others(self):
        """Without limits, --fail-blunt takes what is smaller for a pass, because it looks at the whole GPU time, too. A limit of
        the pass must see a change of all passes by itself."""
        machine = (1.0, 1.027, 0.978, 1.013, 0.987)
        old, new = self.passes_of_runs("old", machine), self.passes_of_runs("new", machine[::-1])
        rows = self.diff(*old, "--", *new)["surfaces"][0]["rows"]
        whole = [row["visible_percent"] for row in rows if row["kind"] == "frame" and row["decides"]]
        passes = [row for row in rows if row["kind"] == "pass"]
        self.assertTrue(max(whole) < 5 < min(row["visible_percent"] for row in passes), (whole, passes))
        self.assertLess(max(row["relative_visible_percent"] for row in passes), 3)
        self.assertEqual(self.run_command("diff", "--fail-blunt", "5", *old, "--", *new).returncode, 0)
        limits = "--fail-above", "pass:blur 2 20%"
        self.assertEqual(self.run_command("diff", "--fail-blunt", "5", *limits, "--fail-above", "gpu-time 20%", *old, "--",
                                          *new).returncode, 0)
        ran = self.run_command("diff", "--fail-blunt", "5", *limits, *old, "--", *new)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"pass:blur 2:p50: these runs show only changes of 5\.\d %")
        # the frame time or the CPU's time show no change of the passes
        for other in "frame-time 20%", "cpu-busy 20%":
            ran = self.run_command("diff", "--fail-blunt", "5", *limits, "--fail-above", other, *old, "--", *new)
            self.assertEqual(ran.returncode, 1, other)
        # passes below 5 % of the GPU time, if a pattern matches no others
        pattern = "--fail-above", "pass:blur 0* 50%"
        self.assertEqual(self.run_command("diff", "--fail-blunt", "1", *pattern, *old, "--", *new).returncode, 1)
        self.assertEqual(self.run_command("diff", "--fail-blunt", "5", *pattern, old[0], "--", new[0]).returncode, 1)

    def test_unclear(self):
        """Runs that differ more than the sides: unclear, with the number of runs that would decide; --strict fails."""
        old = self.runs((0.9, 1.0, 1.1), "old")
        new = self.runs((1.0, 1.1, 0.95), "new")
        frame = self.row(self.diff(*old, "--", *new), "frame", "frame_time", "p50")
        self.assertEqual(frame["verdict"], "unclear")
        self.assertGreater(frame["runs_needed"], 3)
        ran = self.run_command("diff", "--strict", *old, "--", *new)
        self.assertEqual(ran.returncode, 1)
        self.assert_one_line(ran.stderr, "unclear")

    def test_pairs(self):
        """Runs in pairs cancel what drifts: each pair changed by 10 %, and the runs by a factor of two."""
        drift = (1.0, 1.2, 1.5, 1.8, 2.0)
        old = self.runs(drift, "old")
        new = self.runs([1.1 * factor for factor in drift], "new")
        self.assertEqual(self.row(self.diff(*old, "--", *new), "frame", "gpu_time", "p50")["verdict"], "unclear")
        paired = self.row(self.diff("--pairs", *old, "--", *new, status=1), "frame", "gpu_time", "p50")
        self.assertEqual(paired["verdict"], "slower")
        self.assertAlmostEqual(paired["percent"], 10, 3)

    def disturbed(self, prefix, shadow=1.0, device=None):
        """Five runs of which other programs slowed more than half of the frames, each run differently."""
        def slowed(share):
            def change(rows, ranked):
                for i, row in enumerate(rows):
                    row["device"] = device or row["device"]
                    slower = 1 if i % 10 < 3 else 1 + share
                    for at in ("frame_time_ns", "cpu_busy_ns", "gpu_time_ns", "gpu_busy_ns"):
                        row[at] = round(row[at] * slower)
                    for pass_row in ranked[2 * i:2 * i + 2]:
                        pass_row["gpu_time_ns"] = round(pass_row["gpu_time_ns"] * slower)
                return rows, ranked
            return change
        return [self.made(f"{prefix}{i}", shadow=shadow, change=slowed(share))
                for i, share in enumerate((0.1, 0.4, 0.2, 0.5, 0.3))]

    def test_disturbed_runs(self):
        """On a software driver, p5 is compared if only the median differs between runs, and says so. --stat has its way;
        other drivers get a hint."""
        sides = [*self.disturbed("old"), "--", *self.disturbed("new", shadow=1.05)]
        diff = self.diff(*sides, status=1)
        shadow = self.row(diff, "pass", "shadow map")
        self.assertEqual((shadow["stat"], shadow["verdict"]), ("p5", "slower"))
        self.assertEqual(self.row(diff, "pass", "scene: window")["verdict"], "same")
        self.assertEqual(self.row(diff, "frame", "gpu_time", "p5")["decides"], True)
        part = diff["surfaces"][0]
        total = sum(row["change"] for row in part["rows"] if row["kind"] in ("pass", "rest"))
        self.assertAlmostEqual(total, part["new_gpu_ns"] - part["old_gpu_ns"], 3)
        self.assertIn("are compared by p5", " ".join(note["text"] for note in diff["notes"]))
        # a limit without a statistic follows
        for limit, stat, status in (("pass:shadow* 3%", "p5", 1), ("pass:shadow*:mean 3%", "mean", 0)):
            diff = self.diff("--fail-above", limit, *sides, status=status)
            self.assertEqual(diff["limits"][0]["rows"][0]["stat"], stat)
            self.assertEqual(diff["limits"][0]["note"] is None, stat == "p5")
        self.diff("--fail-above", "gpu-time 1%", *sides, status=1)
        diff = self.diff("--stat", "p50", *sides)
        self.assertEqual(self.row(diff, "pass", "shadow map")["verdict"], "unclear")
        self.assertNotIn("p5 (the time", " ".join(note["text"] for note in diff["notes"]))
        sides = [*self.disturbed("gpu old", device="Arc A770"), "--", *self.disturbed("gpu new", 1.05, "Arc A770")]
        diff = self.diff(*sides)
        self.assertEqual(diff["options"]["stat"], "p50")
        self.assertIn("try --stat p5", " ".join(note["text"] for note in diff["notes"]))

    def test_each_row_has_its_statistic(self):
        """A run whose p5 differs from the others is left out where p5 is compared: p50 of the frames is not steadier for it."""
        def change(rows, ranked):
            for row in rows[:30]:  # a processor became free for half of this run
                for column in ("frame_time_ns", "gpu_time_ns", "gpu_busy_ns"):
                    row[column] //= 2
            return rows, ranked
        sides = [*self.disturbed("old"), "--", *self.disturbed("new")[:-1], self.made("apart", change=change)]
        diff = self.diff(*sides)
        time = self.row(diff, "frame", "gpu_time", "p5")
        self.assertEqual((time["chosen"], time["verdict"], time["old_runs"], time["new_runs"]), (True, "same", 5, 4))
        self.assertEqual(self.row(diff, "pass", "shadow map")["stat"], "p5")
        self.assertEqual(self.row(diff, "pass", "shadow map")["new_runs"], 5)
        self.assertRegex(" ".join(note["text"] for note in diff["notes"]), "rows that leave out a run .*: [1-9]")
        few = self.diff(*sides[1:5], "--", *sides[-4:])  # of four runs none is left out
        self.assertEqual(self.row(few, "frame", "gpu_time", "p5")["new_runs"], 4)
        # a machine with two speeds: such a run is on both sides, and none is left out
        two = self.diff(*sides[:4], self.made("apart too", change=change), *sides[5:])
        self.assertNotIn("leave out a run", " ".join(note["text"] for note in two["notes"]))

    def test_a_run_that_stands_apart_is_named(self):
        olds = [self.made(f"old{i}") for i in range(5)]
        sides = [*olds, "--", *[self.made(f"new{i}") for i in range(4)], self.made("alone", change=scaled_rows(1.4))]
        notes = " ".join(note["text"] for note in self.diff(*sides)["notes"])
        self.assertRegex(notes, r"alone differs from the other runs of its side: GPU time p50 \S+ ms, the others")
        self.assertNotIn("new1 differs from", notes)

    def test_tails_of_disturbed_runs_have_no_verdict(self):
        sides = [*self.disturbed("old"), "--", *self.disturbed("new", shadow=1.5)]
        diff = self.diff(*sides, status=1)
        for stat in ("p95",):
            row = self.row(diff, "frame", "frame_time", stat)
            self.assertTrue(row["disturbed"])
            self.assertNotIn(row["verdict"], ("slower", "faster"))
        self.assertIn("get no verdict", " ".join(note["text"] for note in diff["notes"]))

    def test_limits_of_disturbed_runs(self):
        """A limit that names a statistic and would fail by p5 says so, in each output; others say nothing."""
        sides = [*self.disturbed("old"), "--", *self.disturbed("new", shadow=1.05)]
        note = "the statistic whose runs differ least is above this limit: pass:shadow map:p5, 5.0 % longer"
        words = ("--junit", "out.xml", "--markdown", "out.md", "--fail-above")
        ran = self.run_command("diff", *words, "pass:shadow*:mean 3%", *sides)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(f"--fail-above 'pass:shadow*:mean 3%': {note}", ran.stderr)
        for name in "out.xml", "out.md":
            with open(os.path.join(self.cwd, name), encoding="utf-8") as file:
                self.assertIn(note, file.read())
        for limit, status in (("pass:shadow*:mean 7%", 0), ("pass:shadow*:p5 7%", 0), ("pass:shadow* 3%", 1), ("fps 50%", 0)):
            ran = self.run_command("diff", *words, limit, *sides)
            self.assertEqual((ran.returncode, ran.stderr), (status, ""), limit)

    def test_new_and_gone_passes(self):
        def bloom(rows, ranked):
            return rows, ranked + [{"frame": i, "pass": 2, "pass_id": "00cc", "level": "pass", "kind": "render",
                                    "name": "bloom", "gpu_time_ns": MS} for i in range(COUNT)]
        old, new = self.made("old"), self.made("new", change=bloom)
        row = self.row(self.diff(old, new), "pass", "bloom")
        self.assertEqual((row["verdict"], row["old"], row["new"], row["change"]), ("new", None, MS - 1000, MS - 1000))
        row = self.row(self.diff(new, old), "pass", "bloom")
        self.assertEqual((row["verdict"], row["new"], row["change"]), ("gone", None, 1000 - MS))

    def test_pass_of_some_frames(self):
        """A pass that does not run once in each frame is compared by its mean cost in a frame."""
        def half(rows, ranked):
            return rows, [row for row in ranked if row["pass_id"] != "00aa" or row["frame"] % 2]
        row = self.row(self.diff(self.made("old"), self.made("new", change=half)), "pass", "shadow map")
        self.assertEqual(row["stat"], "mean")
        self.assertAlmostEqual(row["new"] / row["old"], 0.5, 2)

    def test_summaries_are_sessions(self):
        """A summary of a few KB gives the same comparison as its session."""
        old, new = self.made("old"), self.made("new", 1.2)
        for made in (old, new):
            self.put(made + ".json", self.summary(made))
            self.assertLess(os.path.getsize(made + ".json"), 20_000)
        def without_names(diff):
            for run in diff["old"] + diff["new"]:
                del run["session"]
            # a summary has 12 digits of each number
            return json.loads(json.dumps(diff), parse_float=lambda text: float(f"{float(text):.9g}"))
        expected = without_names(self.diff(old, new, status=1))
        self.assertEqual(without_names(self.diff(old + ".json", new, status=1)), expected)
        self.assertEqual(without_names(self.diff(old, new + ".json", status=1)), expected)
        self.assertEqual(without_names(self.diff(old + ".json", new + ".json", status=1)), expected)
        self.run_command("archive", "--no-redact", "-o", "new.tar.zst", new)
        self.assertEqual(without_names(self.diff(old, "new.tar.zst", status=1)), expected)

    def test_frames_that_create_pipelines(self):
        """Figures are without such frames, and have a line of their own; a summary says the same."""
        def creating(every):
            def change(rows, ranked):
                for i, row in enumerate(rows):
                    if i > 1 and i % every == 0:
                        row.update(pipelines_created=2, pipeline_create_ns=5 * MS)
                        row["frame_time_ns"] *= 3
                        row["gpu_time_ns"] *= 2
                return rows, ranked
            return change
        old, new = self.made("old"), self.made("new", change=creating(10))
        diff = self.diff("--stat", "mean", old, new)
        for name in "frame_time", "gpu_time":
            self.assertAlmostEqual(self.row(diff, "frame", name, "mean")["percent"], 0, 0)
        self.assertAlmostEqual(self.row(diff, "frame", "fps")["percent"], 0, 0)
        self.assertEqual(self.row(diff, "frame", "pipeline_create")["new"], 6 * 5 * MS)
        ran = self.run_command("diff", old, new)
        self.assertIn("* frames that created shader programs or pipelines are left out: 0 (0.0 ms), now 6 (30.0 ms)",
                      " ".join(ran.stdout.split()).replace(" * ", " * "))
        self.put("new.json", self.summary(new))
        whole = self.diff("--stat", "mean", old, "new.json")
        self.assertEqual([row["new"] for row in whole["surfaces"][0]["rows"] if row["kind"] == "frame"],
                         [row["new"] for row in diff["surfaces"][0]["rows"] if row["kind"] == "frame"])
        most = self.diff("--stat", "mean", old, self.made("most", change=creating(1)), status=1)
        self.assertGreater(self.row(most, "frame", "frame_time", "mean")["percent"], 100)

    def test_not_comparable(self):
        """Exit status 2 with each reason in a line; --force compares nevertheless."""
        old = self.made("old")
        def resized(rows, ranked):
            for row in ranked:
                row["width"] = 128
            return rows, ranked
        def elsewhere(rows, ranked):
            for row in rows:
                row["device"] = "Radeon"
            return rows, ranked
        for name, text, more, change in (
                ("level", "another --level: pass, now draw", {"options": {**OPTIONS, "level": "draw"}}, None),
                ("events", "another --events: time,pipeline, now oa", {"options": {**OPTIONS, "events": "oa"}}, None),
                ("serialize", "--serialize", {"options": {**OPTIONS, "serialize": True}}, None),
                ("size", "another resolution: 64x64, now 128x64", None, resized),
                ("device", "another device: llvmpipe (LLVM 15.0.6, 256 bits), now Radeon", None, elsewhere)):
            with self.subTest(name):
                new = self.made(name, more=more, change=change)
                ran = self.run_command("diff", old, new)
                self.assertEqual((ran.returncode, ran.stdout), (2, ""))
                self.assertIn("not comparable: ", ran.stderr)
                self.assertIn(text, ran.stderr)
                self.assertIn("--force", ran.stderr)
                ran = self.run_command("diff", "--force", old, new)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("! another" if "another" in text else "!", ran.stdout)

    def test_versions_of_a_driver(self):
        """Two versions of a driver are compared, and named: in Mesa's names of devices, too."""
        def device(name):
            def change(rows, ranked):
                for row in rows:
                    row["device"] = name
                return rows, ranked
            return change
        names = [f"AMD Radeon RX 6800 (radeonsi, navi21, LLVM {llvm}, DRM 3.49, 6.1.0)" for llvm in ("15.0.6", "19.1.7")]
        drivers = ["radv Mesa 22.3.6", "radv Mesa 25.1.0"]
        made = [self.made(f"mesa{i}", change=device(name), more={"devices": [{"api": "gl", "name": name, "driver": driver}]})
                for i, (name, driver) in enumerate(zip(names, drivers))]
        ran = self.run_command("diff", *made)
        self.assertEqual((ran.returncode, ran.stderr.count("not comparable")), (0, 0))
        self.assertIn("* another driver: radv Mesa 22.3.6, now radv Mesa 25.1.0", ran.stdout)
        self.assertIn("* another device: AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.6,", ran.stdout)
        trend = json.loads(self.run_command("diff", "--trend", "--json", *made).stdout)
        self.assertEqual((len(trend["points"]), trend["left_out"]), (2, []))
        other = self.made("other", change=device("AMD Radeon RX 6900 (radeonsi, navi21, LLVM 15.0.6, DRM 3.49, 6.1.0)"))
        self.assertEqual(self.run_command("diff", made[0], other).returncode, 2)

    def test_a_folder_with_a_long_path(self):
        """The paths of its runs are not cut."""
        folder = "/".join(["d" * 200] * 20)
        path = os.path.join(self.cwd, folder)
        os.makedirs(path)
        for name in "run1", "run2":
            rows, ranked = scaled(1)
            self.session(rows, ranked, about=about(), name=os.path.join(path, name))
        with open(os.path.join(path, "runs.json"), "w", encoding="utf-8") as file:
            json.dump({"passprobe": "0", "schema": 1, "ended": "complete", "commands": [["game"]], "runs": [
                {"session": name, "command": 0, "number": 1, "status": 0, "frames": 10, "counts": True}
                for name in ("run1", "run2")]}, file)
        self.assertEqual(len(self.diff(folder, folder)["old"]), 2)

    def test_doubtful(self):
        """Another CPU or kernel makes a note, and is no refusal."""
        new = self.made("new", more={"host": {"name": "desk", "cpu": "6502", "kernel": "6.1"}})
        ran = self.run_command("diff", self.made("old"), new)
        self.assertEqual(ran.returncode, 0)
        self.assertIn("* another CPU: Z80, now 6502", ran.stdout)

    def test_labels_and_counters(self):
        def fewer(rows, ranked):
            for row in rows:
                row["pipeline:vertex_shader_invocations"] = 600
            return rows, ranked
        old, new = self.made("old"), self.made("new", change=fewer)
        for made, time in ((old, 6 * MS), (new, 9 * MS)):
            self.write_csv(made, "labels.csv", LABEL_HEADER, [
                {"frame": i, "label": "scene", "depth": 1, "passes": 1, "draws": 2, "gpu_inclusive_ns": time,
                 "gpu_exclusive_ns": 2 * MS} for i in range(COUNT)])
        diff = self.diff(old, new)
        label = self.row(diff, "label", "scene")
        self.assertEqual((label["old"], label["new"], label["verdict"]), (6 * MS - 1000, 9 * MS - 1000, "slower"))
        counter = self.row(diff, "counter", "pipeline:vertex_shader_invocations")
        self.assertEqual((counter["old"], counter["new"], counter["percent"], counter["verdict"]), (1200, 600, -50, "changed"))
        only = self.diff("--metric", "pipeline:*", old, new)
        self.assertEqual({row["kind"] for row in only["surfaces"][0]["rows"]}, {"counter"})
        ran = self.run_command("diff", "--metric", "nothing", old, new)
        self.assertEqual(ran.returncode, 125)
        self.assert_one_line(ran.stderr, "'nothing'")

    def test_passes_by_a_counter(self):
        """--metric compares passes by a counter of theirs."""
        def counted(value):
            def change(rows, ranked):
                for row in ranked:
                    row["pipeline:vertex_shader_invocations"] = value
                return rows, ranked
            return change
        diff = self.diff("--metric", "pipeline:vertex_shader_invocations", self.made("old", change=counted(30)),
                         self.made("new", change=counted(45)))
        row = self.row(diff, "pass", "shadow map")
        self.assertEqual((row["old"], row["new"], row["verdict"], row["unit"]), (30, 45, "changed", ""))

    def test_schema(self):
        if not jsonschema:
            raise Skip("python3-jsonschema is not installed")
        with open(os.path.join(ROOT, "docs", "formats", "diff.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        for made in (schema, *schema["$defs"].values()):
            made["additionalProperties"] = False
        jsonschema.validate(self.diff(self.made("old"), self.made("new", 1.2), status=1), schema)

    def test_hostile(self):
        """What is no session, no summary, or damaged: one line, exit status 125."""
        old = self.made("old")
        summary = json.loads(self.summary(old))
        def broken(**change):
            return json.dumps({**summary, **change})
        for name, text, part in (
                ("empty", "", "neither a session directory"), ("text", "hello", "neither a session directory"),
                ("cut", json.dumps(summary)[:400], "no valid JSON"), ("other", '{"a": 1}', "not of `report --json`"),
                ("list", "[1]", "not of `report --json`"), ("deep", "[" * 100_000, "no valid JSON"),
                ("twice", '{"format": 1, "format": 2}', "no valid JSON"),
                ("surfaces", broken(surfaces={}), "is damaged"), ("texts", broken(surfaces=[1]), "is damaged"),
                ("passes", broken(surfaces=[{**summary["surfaces"][0], "passes": [3]}]), "is damaged"),
                ("labels", broken(labels="x"), "is damaged"), ("none", broken(surfaces=[]), "no frames"),
                ("nul", '{"format": "a\\u0000b"}', "no valid JSON")):
            with self.subTest(name):
                self.put(name + ".json", text)
                for sides in ((old, name + ".json"), (name + ".json", old)):
                    ran = self.run_command("diff", *sides)
                    self.assertEqual((ran.returncode, ran.stdout), (125, ""), ran.stderr)
                    self.assert_one_line(ran.stderr, part)
        strange = broken(surfaces=[{**summary["surfaces"][0], "fps": None, "times": {"frame_time": 7}, "passes": [{}]}])
        self.put("strange.json", strange)
        self.assertNotEqual(self.run_command("diff", "--force", "strange.json", old).returncode, 125)
        os.mkfifo(os.path.join(self.cwd, "pipe"))
        self.assertEqual(self.run_command("diff", "pipe", old, timeout=60).returncode, 125)

    def test_names_are_made_safe(self):
        def escape(rows, ranked):
            for row in ranked[0::2]:
                row["name"] = "sha\x1b[31mdow\u202e"
            return rows, ranked
        ran = self.run_command("diff", self.made("old", change=escape), self.made("new", change=escape))
        self.assertEqual(ran.returncode, 0)
        self.assertNotIn("\x1b", ran.stdout)
        self.assertNotIn("\u202e", ran.stdout)

    def test_words(self):
        old, new = self.made("old"), self.made("new")
        for words, part in (((), "two sides"), ((old,), "two sides"), ((old, new, old), "two sides"),
                            (("--", new), "two sides"), ((old, "--"), "two sides"), (("--stat", "p51", old, new), "p51"),
                            (("--threshold", "x", old, new), "'x'"), (("--min-time", "5 years", old, new), "5 years"),
                            (("--nothing", old, new), "--nothing"), (("--frames", "b", old, new), "'b'"),
                            ((old, "no-such-session"), "no-such-session")):
            with self.subTest(words):
                ran = self.run_command("diff", *words)
                self.assertEqual((ran.returncode, ran.stdout), (125, ""))
                self.assert_one_line(ran.stderr, part)
        self.assertEqual(self.run_command("diff", "--threshold", "1%", "--min-time", "0.1ms", "--equivalence", "1", old,
                                          new).returncode, 0)
        self.assert_narrow(self.run_command("diff", old, new).stdout)
        ran = self.run_command("diff", "--all", old, new)  # names are whole
        self.assertNotIn(" \n", ran.stdout)

    def screen(self, name, *words):
        ran = self.run_command("diff", *words)
        text = f"exit status {ran.returncode}\n--- stdout\n{ran.stdout}--- stderr\n{ran.stderr}"
        golden(os.path.join(ROOT, "tests", "e2e", "cli", "golden", f"diff-{name}.txt"), text, [(self.top, "TOP")])
        self.assert_narrow(ran.stdout)

    def test_screens(self):
        """Whole screens: one run per side, several runs, passes that are new and aligned, sides that cannot be compared."""
        def bloom(rows, ranked):
            for row in rows:
                row.update(draws=9, **{"pipeline:vertex_shader_invocations": 1500})
            for row in ranked[0::2]:
                row["draws"] = 8
            return rows, ranked + [{"frame": i, "pass": 2, "pass_id": "00cc", "level": "pass", "kind": "render", "draws": 4,
                                    "label": "post", "name": "bloom 640x480", "gpu_time_ns": MS} for i in range(COUNT)]
        old = self.runs((0.998, 1.0, 1.002, 1.001, 0.999), "old")
        new = self.runs((1.001, 0.999, 1.0, 0.998, 1.002), "new", shadow=1.3, change=bloom)
        self.screen("one", old[0], new[0])
        self.screen("runs", *old, "--", *new)
        self.screen("same", *old, "--", *old)
        self.screen("unclear", *self.runs((0.9, 1.0, 1.1), "x"), "--", *self.runs((1.0, 1.1, 0.95), "y"))
        other = self.made("other", more={"options": {**OPTIONS, "level": "draw"}, "host": {"name": "lap", "cpu": "6502"}})
        self.screen("refused", old[0], other)
        self.screen("forced", "--force", old[0], other)

    def test_window(self):
        """Windows belong to both sides; a summary has none."""
        def late(rows, ranked):
            for row in rows[10:]:
                row["frame_time_ns"] *= 2
            return rows, ranked
        old, new = self.made("old"), self.made("new", change=late)
        self.assertEqual(self.row(self.diff(old, new), "frame", "frame_time", "p50")["percent"], 99)
        early = self.diff("--frames", "0-9", old, new)
        self.assertEqual(self.row(early, "frame", "frame_time", "p50")["percent"], 0)
        self.put("old.json", self.summary(old))
        ran = self.run_command("diff", "--frames", "0-9", "old.json", new)
        self.assertEqual(ran.returncode, 125)
        self.assert_one_line(ran.stderr, "is a summary")


if __name__ == "__main__":
    unit_main()
