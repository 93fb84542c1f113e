"""`passprobe report`, and the tables of draws that it shares with stat: rankings, rows, damaged sessions."""
import csv
import fcntl
import json
import os
import re
import subprocess

from command import ABOUT, CommandTest, DRAW_HEADER, LABEL_HEADER, MS, frames, passes
from harness import unit_main


class Draws(CommandTest):
    """Level draw shows which draw costs what."""

    def draws(self, count, **times):
        rows = []
        for i in range(count):
            first = 1000 if i == 0 else 1
            rows += [{"frame": i, "pass": 0, "draw": 0, "draw_id": "d0", "call": "glDrawArrays", "pipeline": "depth only",
                      "vertices": 300, "instances": 2, "gpu_time_ns": times.get("d0", ""),
                      "pipeline:vertex_shader_invocations": 600 * first, "pipeline:fragment_shader_invocations": 0},
                     {"frame": i, "pass": 1, "draw": 1, "draw_id": "d1", "call": "glDrawElements", "pipeline": "lit",
                      "label": "scene/opaque", "vertices": 36, "instances": 1, "gpu_time_ns": times.get("d1", ""),
                      "pipeline:vertex_shader_invocations": 24, "pipeline:fragment_shader_invocations": 5376 * first},
                     {"frame": i, "pass": 1, "draw": 2, "draw_id": "d2", "call": "glClear",
                      "gpu_time_ns": times.get("d2", "")}]
        return rows

    def make(self, count, rows, labels=(), name="made", about=ABOUT):
        made = self.session(frames(count, level="draw", draws=2), passes(count), about=about, name=name)
        self.write_csv(made, "draws.csv", DRAW_HEADER, rows)
        self.write_csv(made, "labels.csv", LABEL_HEADER, labels)
        return made

    def test_ids_by_place(self):
        """A draw whose id comes from its place alone in most of its rows is marked. Without the column no draw is
        marked."""
        def rows(marked):
            return [{"frame": i, "pass": 0, "draw": k, "draw_id": f"d{k}", "call": f"glDraw{k}", "gpu_time_ns": MS,
                     **({"id:by_place": int(k == 1 or (k == 2 and i < 3))} if marked else {})}
                    for i in range(12) for k in range(3)]
        for marked in (True, False):
            made = self.make(12, rows(marked), name=f"marked {marked}")
            text = self.run_command("report", made).stdout
            self.assertEqual([" (by place)" in line for line in text.splitlines() if "glDraw" in line].count(True),
                             int(marked))
            self.assertEqual("# By place: only the place" in text, marked)

    def test_draws_without_times_rank_by_counts(self):
        """Means leave out the first frame, whose numbers are a thousand times as large."""
        made = self.make(101, self.draws(101))
        text = " ".join(self.stat_of(made).stderr.split())
        self.assertIn("draws without GPU time, by shader invocations share a frame vertices draw "
                      "90.0 5,400 36 1 glDrawElements lit, opaque in scene: window "
                      "10.0 600 300x2 0 glDrawArrays depth only in shadow map and 1 more draw: passprobe report", text)
        text = " ".join(self.run_command("report", made).stdout.split())
        self.assertIn("90.0 5,400 36 1 glDrawElements lit, opaque in scene: window", text)
        self.assertIn("0.0 0 - 2 glClear in scene: window", text)
        self.assertIn("draws.csv has 3.0 rows a frame: 2.0 draws, 1.0 clears (counted here only)", text)
        rows = self.draws(20)
        for row in rows:
            for key in ("pipeline:vertex_shader_invocations", "pipeline:fragment_shader_invocations"):
                row.pop(key, None)
        text = " ".join(self.run_command("report", self.make(20, rows, name="plain")).stdout.split())
        self.assertIn("Draws without GPU time, by vertices x instances", text)
        self.assertIn("94.3 600 300x2 0 glDrawArrays", text)

    def test_both_tables(self):
        """Dispatches have times where draws inside a pass have none: both have a table."""
        made = self.make(50, self.draws(50, d2=4 * MS))
        text = self.run_command("report", made).stdout
        timed, work = text.split("# Draws with GPU time")[1].split("# Draws without GPU time, by shader invocations")
        self.assertIn("2 glClear in scene: window", timed)
        self.assertNotIn("glDrawElements", timed)
        self.assertIn("1 glDrawElements lit", work)
        self.assertNotIn("glClear", work)

    def test_foreign_numbers(self):
        """Numbers as large as a number can be: lines of tables stay narrow."""
        huge = "1" + 99 * "0"
        about = {**ABOUT, "own_cost": {"hooks_cpu_ns": 1e99, "hooks_usual_ns": 1, "collector_cpu_ns": 1,
                                       "percent": 1e99}}
        rows = frames(3, level="draw", draws=huge, dispatches=huge, copies=huge, gpu_time_ns=huge)
        made = self.session(rows, passes(3), about=about, name="huge")
        self.write_csv(made, "draws.csv", DRAW_HEADER, [
            {"frame": i, "pass": 0, "draw": 0, "draw_id": "d0", "vertices": huge, "instances": huge, "gpu_time_ns": huge,
             "pipeline:vertex_shader_invocations": huge} for i in range(3)])
        run = self.run_command("report", made)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        run = self.stat_of(made, "-v")
        self.assertEqual(run.returncode, 0)
        self.assertIn("rows/frame", run.stderr)
        self.assertIn("overhead", run.stderr)

    def test_cells_that_passprobe_does_not_write(self):
        """The figures are those of a session in which these cells are empty, and the session is damaged."""
        found = {}
        for number, text in enumerate(("", "nan", "-nan", "inf", "0x10", "1e308", "-1e300", "1_0", "1e", "--5")):
            rows = frames(30)
            for row in rows[10:12]:
                row.update(frame_time_ns=text, gpu_busy_ns=text, draws=text)
            made = self.session(rows, passes(30), about=ABOUT, name=f"made-{number}")
            run = self.run_command("report", "--json", made)
            found[text] = (run.returncode, json.loads(run.stdout)["surfaces"])
        self.assertEqual(found[""][0], 0)
        for text, (status, figures) in found.items():
            self.assertEqual((status, figures), (125 if text else 0, found[""][1]), text)

    def test_tables_have_20_draws_by_default(self):
        rows = [{"frame": i, "pass": 0, "draw": k, "draw_id": f"d{k:03}", "call": "glDrawArrays",
                 "gpu_time_ns": (200 - k) * 10_000} for i in range(3) for k in range(150)]
        made = self.make(3, rows)
        text = self.run_command("report", made).stdout
        text = text.split("# Draws with GPU time")[1]
        self.assertEqual(text.count("glDrawArrays"), 20)
        self.assertIn("glDrawArrays, 150 actions", text)
        self.assertIn("  18 glDrawArrays", text)
        self.assertNotIn("  19 glDrawArrays", text)
        self.assertIn("--entries 0\n", text)
        self.assertEqual(self.run_command("report", "-E0", made).stdout.split("# Draws with")[1].count("glDrawArrays"), 150)

    def test_labels(self):
        rows = [{"frame": i, "label": label, "depth": 1, "passes": 2 if label == "scene" else 1, "draws": 2,
                 "gpu_inclusive_ns": whole * (99 if i == 0 else 1),
                 "gpu_exclusive_ns": own} for i in range(51)
                for label, whole, own in (("scene", 6 * MS, 2 * MS), ("scene/opaque", 4 * MS, 4 * MS), ("ui", "", ""))]
        for row in rows:
            if row["label"] == "ui":
                row["gpu_inclusive_ns"] = ""
        text = " ".join(self.run_command("report", self.make(51, self.draws(51), rows)).stdout.split())
        self.assertIn("# GPU % ms/frame self p95 p99 max frame label # 66.7 5.998 1.999 5.998 5.998 5.998 1 scene "
                      "44.4 3.999 3.999 3.999 3.999 3.999 1 scene/opaque - - - - - - - ui", text)


class Report(CommandTest):
    def test_marks(self):
        """`report -v` lists the marks in order, the first 20 of them; `--entries` says another number."""
        marks = [{"at_ns": 5_000_000_000 + i * 1_500_000_000, "frame": i + 1, "label": f"level {i}"} for i in range(24)]
        del marks[1]["frame"]
        about = {**ABOUT, "marks": marks, "program": {**ABOUT.get("program", {}), "start_monotonic_ns": 5_000_000_000}}
        made = self.session(frames(30), passes(30), about=about, name="marked")
        text = self.run_command("report", "-v", made).stdout
        self.assertIn(" # Marks\n   frame   seconds  text\n       1     0.000  level 0\n       -     1.500  level 1\n"
                      "       3     3.000  level 2\n", text)
        self.assertIn("level 19\n   and 4 more marks: --entries 0\n", text)
        text = self.run_command("report", "-v", "-E0", made).stdout
        self.assertIn("level 23\n", text)
        self.assertNotIn("more mark", text)
        self.assertNotIn("# Marks", self.run_command("report", made).stdout)
        none = self.session(frames(30), passes(30), about=ABOUT, name="unmarked")
        self.assertNotIn("# Marks", self.run_command("report", "-v", none).stdout)

    def test_what_an_option_needs(self):
        """A message about a missing argument calls it what --help calls it."""
        for command, least in (("report", 12), ("diff", 8), ("annotate", 5)):
            words = re.findall(r"(?m)^ +(?:(-[A-Za-z]), )?(--[a-z-]+) ([A-Z]\S*)", self.run_command(command, "--help").stdout)
            self.assertGreaterEqual(len(words), least, command)
            for short, option, argument in words:
                for word in filter(None, (short, option)):
                    run = self.run_command(command, word)
                    self.assertEqual(run.returncode, 125, run.stderr)
                    self.assertIn(f"option '{word}' needs an argument: {argument}\n", run.stderr)

    def test_rows_limit(self):
        made = self.session(frames(100), passes(100), about=ABOUT)
        run = self.run_command("report", "-E", "1", made)
        self.assertIn("scene: window\n", run.stdout)
        self.assertNotIn("shadow map", run.stdout)
        self.assertIn("# and 1 more pass: --entries 0\n", run.stdout)
        self.assertIn("shadow map", self.run_command("report", "--entries=0", made).stdout)
        for bad in ("", "x", "-1", "1x", " -3", " 3", "+3", "99999999999999999999"):
            run = self.run_command("report", "--entries=" + bad, made)
            self.assertEqual(run.returncode, 125, bad)
            self.assert_one_line(run.stderr, "--entries: bad value '" + bad)

    def test_equal_names_are_distinguished(self):
        rows = []
        for i in range(50):
            rows += [{"frame": i, "pass": 0, "pass_id": "aa", "name": "window", "gpu_time_ns": 3 * MS},
                     {"frame": i, "pass": 4, "pass_id": "bb", "name": "window", "gpu_time_ns": 2 * MS}]
        rows += [{"frame": 0, "pass": 4, "pass_id": "cc", "name": "window", "gpu_time_ns": MS}]
        made = self.session(frames(50), rows, about=ABOUT)
        for text in (self.stat_of(made).stderr, self.run_command("report", made).stdout):
            self.assertRegex(text, r" window \(pass 0\)[ \n]")
            self.assertRegex(text, r" window \(pass 4\)[ \n]")
        # two passes that alternate at one place, and the windows of an application
        rows = [{"frame": i, "pass": 0, "pass_id": "aa" if i % 2 else "bb", "name": "window", "gpu_time_ns": 3 * MS}
                for i in range(50)]
        text = self.run_command("report", self.session(frames(50), rows, about=ABOUT, name="turns")).stdout
        self.assertIn(" window (pass 0, id aa) (in 25 of 49 frames)\n", text)
        self.assertIn(" window (pass 0, id bb) (in 24 of 49 frames)\n", text)
        both = frames(100)
        for i, row in enumerate(both):
            row["surface"] = f"window {1 + i % 2}"
        rows = [{"frame": i, "pass": 0, "pass_id": "ab"[i % 2], "name": "window", "gpu_time_ns": 3 * MS}
                for i in range(100)]
        text = self.run_command("report", self.session(both, rows, about=ABOUT, name="windows")).stdout
        self.assertIn("  window 1 (in 49 of 98 frames)\n", text)
        self.assertIn("  window 2 (in 49 of 98 frames)\n", text)

    def test_long_names_keep_both_ends(self):
        rows = [{"frame": i, "pass": 0, "pass_id": "aa", "name": "target", "label": "scene/" + "x" * 300 + "/opaque",
                 "gpu_time_ns": MS} for i in range(20)]
        made = self.session(frames(20), rows, about=ABOUT)
        self.assertRegex(self.stat_of(made).stderr, r"  scene/\.\.\. opaque: target ")
        self.assertRegex(self.run_command("report", made).stdout, r"  scene/\.\.\. opaque: target\n")

    def test_missing_events_have_reasons(self):
        about = json.loads(json.dumps(ABOUT))
        about["devices"][0]["events_missing"] = [{"event": f"event{i}", "reason": "the driver lacks it"}
                                                 for i in range(5)]
        about["devices"].append({"api": "gl", "name": "twin", "events_missing":
                                 about["devices"][0]["events_missing"] + [{"event": "other", "reason": "too old"}]})
        about["frames"] = {"events_got": [], "events_missing": [{"event": "hwmon", "reason": "no sensor " * 30}]}
        made = self.session(frames(20), passes(20), about=about)
        run = self.run_command("report", made)
        self.assertIn("\n not measured: event0, other, hwmon and 4 more (reasons: -v)\n", run.stdout)
        run = self.run_command("report", "-v", made)
        text = " ".join(run.stdout.split())
        for part in ("not measured event0 and 4 more: the driver lacks it", "not measured other: too old",
                     "not measured hwmon: no sensor no sensor"):
            self.assertIn(part, text)
        self.assert_narrow("\n".join(line for line in run.stdout.splitlines() if "sensor" in line))
        run = self.run_command("record", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
        self.assertIn("passprobe: not measured: event0 and 4 more: the driver lacks it\n", run.stderr)
        self.assertIn("passprobe: not measured: other: too old\n", run.stderr)
        run = self.run_command("record", "-q", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
        self.assertEqual(run.stderr, "")
        text = " ".join(self.stat_of(made, "-v").stderr.split())
        self.assertIn("not measured event0 and 4 more: the driver lacks it", text)
        self.assertIn("not measured other: too old", text)

    def test_statistics_of_no_pass_are_not_measured(self):
        """If passes have no pipeline statistics, they are not measured; if some have, they are measured in part."""
        for known, of_record, in_block in (
                (0, "passprobe: not measured: pipeline statistics: none of 25 passes has them\n",
                 "not measured pipeline statistics: none of 25 passes has them"),
                (7, "passprobe: measured in part: 7 of 25 passes have pipeline statistics;",
                 "measured in part: 7 of 25 passes have pipeline statistics;")):
            statistics = {"passes": known, "of_passes": 25, "frames": 0, "of_frames": 5}
            about = {**ABOUT, "devices": [{**ABOUT["devices"][0], "statistics": statistics}]}
            made = self.session(frames(20), passes(20), about=about, name=f"known-{known}")
            self.assertIn("\n not measured: some pipeline statistics (reasons: -v)\n", self.run_command("report", made).stdout)
            self.assertIn(in_block, " ".join(self.run_command("report", "-v", made).stdout.split()))
            run = self.run_command("record", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
            self.assertIn(of_record, run.stderr)
            self.assertIn(in_block, " ".join(self.stat_of(made, "-v").stderr.split()))

    def test_default_session(self):
        run = self.run_command("report")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "passprobe.data", "not a session")
        os.rename(self.session(frames(5), passes(5), about=ABOUT), os.path.join(self.cwd, "passprobe.data"))
        self.assertEqual(self.run_command("report").returncode, 0)

    def test_work_without_frames_has_no_table(self):
        """At level frame passes.csv has only the work without a frame, as one pass: no table is printed."""
        rows = [{"pass": 0, "pass_id": "ff", "kind": "frame", "name": "frame", "gpu_time_ns": MS}]
        made = self.session(frames(20, level="frame"), rows, about=ABOUT)
        self.assertNotIn("of no frame", self.stat_of(made).stderr)
        self.assertNotIn("GPU %", self.stat_of(made).stderr)
        text = self.run_command("report", made).stdout
        self.assertNotIn("of no frame", text)
        self.assertIn("# No passes: recorded at level frame", text)
        made = self.session(frames(20), passes(20) + rows, about=ABOUT, name="beside")
        self.assertIn("frame (of no frame)", self.run_command("report", made).stdout)

    def test_work_of_no_frame_has_no_frame_number(self):
        """The maximum of passes, draws and labels that belong to no frame: no number represents it."""
        made = self.session(frames(20), passes(20) + [{"pass": 0, "pass_id": "ff", "kind": "render", "name": "late",
                                                       "gpu_time_ns": 9 * MS}], about=ABOUT)
        self.write_csv(made, "draws.csv", DRAW_HEADER, [{"pass": 0, "draw": 0, "draw_id": "0d", "call": "glClear",
                                                         "gpu_time_ns": MS}])
        self.write_csv(made, "labels.csv", LABEL_HEADER, [{"label": "scene", "passes": 1, "gpu_inclusive_ns": MS}])
        table = self.run_command("report", made).stdout
        self.assertRegex(table, r" none +- +late \(of no frame\)\n")
        self.assertRegex(table, r" none +scene\n")
        for by, name in (("pass", "late"), ("draw", "glClear"), ("label", "scene")):
            rows = list(csv.DictReader(self.run_command("report", "--csv", "--by", by, made).stdout.splitlines()))
            row = next(row for row in rows if name in row.values())
            self.assertEqual(row["max_frame"], "", row)
            self.assertNotEqual(row["max_ns"], "", row)
        self.run_command("report", "--html", "page.html", made)
        with open(os.path.join(self.cwd, "page.html"), encoding="utf-8") as page:
            self.assertNotIn('"max_frame":-1', page.read())
        surface = json.loads(self.run_command("report", "--json", made).stdout)["surfaces"][0]
        self.assertEqual([row["max_frame"] for row in surface["passes"] if row["name"] == "late"], [None])

    def test_labels_as_they_were_written(self):
        r"""A '/' in a name has a '\' in front in the files. Tables print the '\' only where the path of another label
        would look the same."""
        labels = ["textures\\/hero", "C:\\\\data", "scene", "scene/a\\/b", "scene/c\\/d", "scene/c", "scene/c/d"]
        rows = [{"frame": i, "pass": k, "pass_id": f"p{k}", "kind": "render", "name": "target", "label": label,
                 "gpu_time_ns": (9 - k) * MS} for i in range(20) for k, label in enumerate(labels)]
        made = self.session(frames(20, level="draw"), rows, about=ABOUT)
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": label, "depth": 1, "passes": 1, "draws": 2, "gpu_inclusive_ns": (9 - k) * MS}
            for i in range(20) for k, label in enumerate(labels)])
        self.write_csv(made, "draws.csv", DRAW_HEADER, [
            {"frame": i, "pass": k, "draw": k, "draw_id": f"d{k}", "call": "glDrawArrays", "label": label + "/w\\/h"
             if label == "scene" else label, "vertices": 9 - k} for i in range(20) for k, label in enumerate(labels)])
        shown = ["textures/hero", "C:\\data", "scene", "scene/a/b", "scene/c\\/d", "scene/c", "scene/c/d"]
        report = self.run_command("report", made).stdout
        self.assertEqual([line.split("  ")[-1] for line in report.split("# Labels")[1].split("\n#\n")[2].splitlines() if line[:1] == " "], shown)
        self.assertEqual([line.split("  ")[-1] for line in report.split("# Draws")[0].split("# GPU %")[1].splitlines()[2:] if line[:1] == " "],
                         [name + ": target" for name in shown])
        self.assertIn("glDrawArrays in textures/hero: target\n", report)
        self.assertIn("w\\/h in scene: target\n", report, "no region of labels.csv: as it stands")

    def test_without_passes(self):
        run = self.run_command("report", self.session(frames(5), about=ABOUT))
        self.assertEqual(run.returncode, 0)
        self.assertIn("No passes", run.stdout)

    def test_not_a_session(self):
        for path in (self.cwd, os.path.join(self.top, "nothing"), "/dev/null", "/proc/self/mem"):
            run = self.run_command("report", path)
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, "session directory")

    def test_damaged(self):
        """Files are cut or changed at random places: an exit status, at most a few lines, no crash."""
        made = self.session(frames(20), passes(20), about=ABOUT)
        originals = {}
        for name in os.listdir(made):
            with open(os.path.join(made, name), "rb") as file:
                originals[name] = file.read()
        damages = [("cut", lambda b, n: b[:len(b) * n // 7]),
                   ("zeros", lambda b, n: b[:n * 40] + b"\0" * 100 + b[n * 40:]),
                   ("quotes", lambda b, n: b[:n * 50] + b'"' + b[n * 50:]),
                   ("noise", lambda b, n: bytes((c * 7 + n) % 256 if i % 5 == 0 else c for i, c in enumerate(b)))]
        for name, original in originals.items():
            for title, damage in damages:
                for n in range(7):
                    with self.subTest(file=name, damage=title, n=n):
                        with open(os.path.join(made, name), "wb") as out:
                            out.write(damage(original, n))
                        run = subprocess.run([self.install, "report", made], env=self.env, check=False, timeout=100,
                                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                        self.assertIn(run.returncode, (0, 125), run.stderr)
                        self.assertEqual(run.stderr.count(b"\n"), 1 if run.returncode else 0, run.stderr)
            with open(os.path.join(made, name), "wb") as out:
                out.write(original)

    def test_damaged_rows_fail_the_command(self):
        """Rows that were lost after they were written are reported once, after the tables. Rows that a kill lost are
        no damage."""
        whole = {**ABOUT, "counts": {"frames": 20}}
        made = self.session(frames(20), passes(20), about=whole)
        self.assertEqual(self.run_command("report", made).returncode, 0)
        def damaged(file, rows, part):
            path = os.path.join(made, file)
            with open(path, "rb") as old:
                before = old.read()
            with open(path, "wb") as out:
                out.write(b"".join(line for i, line in enumerate(before.splitlines(True)) if i in rows))
            run = self.run_command("report", made)
            self.assertEqual(run.returncode, 125)
            self.assertIn("  scene: window", run.stdout)
            self.assert_one_line(run.stderr, f"{made} is damaged; the report lacks the lost data: {part}")
            self.assertIn(f" is damaged: {part}", self.stat_of(made, "-o", "s" + file + part[-3:]).stderr)
            with open(path, "wb") as out:
                out.write(before)
        damaged("session.json", [], "session.json: line 1: ")

        damaged("frames.csv", range(0, 20), "frames.csv: 1 row missing; the other files: 2 rows of frames that frames.csv lacks")
        self.write_csv(made, "labels.csv", "of,others", [])
        damaged("labels.csv", range(0, 20), "labels.csv: not written by passprobe")
        os.unlink(os.path.join(made, "labels.csv"))
        killed = self.session(frames(18), passes(19), about={**whole, "ended": "running"}, name="killed")
        run = self.run_command("report", killed)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_fewer_rows_than_counted(self):
        """passes.csv or draws.csv has lost rows or is missing: session.json counts more rows than there are."""
        rows = len(passes(20))
        counts = {"frames": 20, "passes": rows, "draws": 40}
        made = self.session(frames(20), passes(20), about={**ABOUT, "counts": counts}, name="fewer")
        run = self.run_command("report", made)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, f"{made} is damaged; the report lacks the lost data: draws.csv: 40 rows missing")
        made = self.session(frames(20), passes(20)[:-7], about={**ABOUT, "counts": {**counts, "draws": 0}}, name="cut")
        run = self.run_command("report", made)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "is damaged; the report lacks the lost data: passes.csv: 7 rows missing")
        self.assertIn("scene: window (in 15 of 19 frames)\n", run.stdout)
        text = " ".join(run.stdout.split())
        self.assertIn("; the session is damaged: passes.csv: 7 rows missing", text)
        self.assertNotIn("nothing lost", text)
        page_file = os.path.join(os.path.dirname(made), "page.html")
        self.assertEqual(self.run_command("report", "--html", page_file, made).returncode, 125)
        with open(page_file, encoding="utf-8") as file:
            page = file.read()
        self.assertNotIn("Nothing was lost", page)
        self.assertIn("<li>the session is damaged: passes.csv: 7 rows missing</li>", page)
        os.unlink(os.path.join(made, "passes.csv"))
        run = self.run_command("report", made)
        self.assertEqual(run.returncode, 125)
        self.assertIn("# No passes: passes.csv is missing or damaged.\n", run.stdout)
        self.assert_one_line(run.stderr, "is damaged; the report lacks the lost data: passes.csv: " + str(rows) + " rows missing")

    def test_nul_bytes(self):
        """Blocks that a file system never wrote: a header with NUL bytes is no header, rows with NUL bytes are left
        out, and both are reported."""
        made = self.session(frames(20), passes(20), about=ABOUT, name="nul")
        self.assertEqual(self.run_command("report", made).returncode, 0)
        path = os.path.join(made, "passes.csv")
        with open(path, "rb") as old:
            before = old.read()
        for place, part in ((before.index(b"pass_id") + 2, "passes.csv: not written by passprobe"),
                            (before.index(b"\n") + 3, "*.csv: 1 row with NUL bytes"),
                            (len(before) - 6, "*.csv: 1 row with NUL bytes")):
            with open(path, "wb") as out:
                out.write(before[:place] + b"\0\0" + before[place + 2:])
            run = self.run_command("report", made)
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, f"is damaged; the report lacks the lost data: {part}")

    def test_larger_rows_than_passprobe_writes(self):
        """passprobe writes no cell or row without end. The message does not blame the size of the file, nor another
        file."""
        made = self.session(frames(20), passes(20), about=ABOUT, name="large")
        for file in "frames.csv", "passes.csv":
            path = os.path.join(made, file)
            with open(path, "rb") as old:
                lines = old.read().splitlines(True)
            large = lines[:9] + [b"x" * 30000000 + lines[9]] + lines[10:]
            with open(path, "wb") as out:
                out.write(b"".join(large))
            run = self.run_command("report", made)
            self.assertEqual(run.returncode, 125)
            self.assertIn("  scene: window", run.stdout)
            self.assert_one_line(run.stderr, f"{made} is damaged; the report lacks the lost data: {file}: a row is larger "
                                 "than any that passprobe writes; this row and the rows after it are not read\n")
            with open(path, "wb") as out:
                out.write(b"".join(lines))

    def test_running(self):
        """A process that writes a session holds a lock on its directory. Without the lock it was killed."""
        made = self.session(frames(20), passes(20), about={**ABOUT, "ended": "running"})
        killed, runs = "# The recorded process ended without its exit handlers", "# The recorded process still runs"
        lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            text = self.run_command("report", made).stdout
            self.assertEqual((killed in text, runs in text), (False, True))
        finally:
            os.close(lock)
        text = self.run_command("report", made).stdout
        self.assertEqual((killed in text, runs in text), (True, False))

    def test_killed_before_the_first_session_json(self):
        """A session that is only short is not damaged."""
        for name, rows in ("first", frames(3)), ("header", []):
            made = self.session(rows, name=name)
            run = self.run_command("report", made)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("# The recorded process was killed before session.json was written.\n", run.stdout)
            self.assertNotIn("damaged", self.stat_of(made, "-o", "stat-" + name).stderr)
        with open(os.path.join(made, "frames.csv"), "w", encoding="utf-8"):
            pass
        run = self.run_command("report", made)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "nothing to report: the application was killed before its first frame was written")
        run = self.run_command("report", self.session(frames(900), passes(900), name="removed"))
        self.assert_one_line(run.stderr, "is damaged", "session.json: No such file")

    def test_frames_that_were_removed(self):
        """Frames are missing: the session is kept, and the message says what happened."""
        made = self.session(frames(20), passes(20), about={**ABOUT, "counts": {"frames": 20}}, name="without")
        os.unlink(os.path.join(made, "frames.csv"))
        for command in "record", "stat":
            run = self.run_command(command, "-o", command, "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
            self.assertIn(f"{command}/frames.csv was removed; session.json counts 20 frames in it\n", run.stderr)
            self.assertNotIn("doctor", run.stderr)
            self.assertTrue(os.path.exists(os.path.join(self.cwd, command, "session.json")))

    def test_newer_whole_file_is_read(self):
        """Of session.json and its spare, and of frames.csv and its spare, the newer whole file counts: see "Files that
        are replaced"."""
        def write(name, text):
            with open(os.path.join(made, name), "w", encoding="utf-8", newline="") as out:
                out.write(text)

        def about(revision, end, ended):
            return json.dumps({"revision": revision, **ABOUT, "ended": ended, "revision_end": end})

        made = self.session(frames(20), passes(20), name="spares")
        for main, spare, ended in ((about(7, 7, "seven"), about(8, 8, "eight"), "eight"),
                                   (about(9, 9, "nine"), about(8, 8, "eight"), "nine"),
                                   (about(9, 9, "nine"), about(10, 8, "torn"), "nine"),
                                   (about(9, 8, "torn"), about(8, 8, "eight"), "eight"),
                                   (about(9, 9, "nine"), about(10, 10, "torn")[:-9], "nine"),
                                   ("", about(1, 1, "one"), "one")):
            write("session.json", main)
            write("session.json.new", spare)
            run = self.run_command("report", made)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(f"# Stopped early: {ended}\n", run.stdout)
        os.unlink(os.path.join(made, "session.json.new"))
        write("session.json", about(9, 8, "torn"))
        self.assert_one_line(self.run_command("report", made).stderr, "is damaged", "session.json: torn")
        write("session.json", about(9, 9, "exit"))
        with open(os.path.join(made, "frames.csv"), encoding="utf-8", newline="") as old:
            lines = old.read().splitlines(True)
        wider = "".join(line[:-2] + (",app:x" if i == 0 else ",5") + "\r\n" for i, line in enumerate(lines[:11]))
        for spare, count in ((wider, 10), ("\0" + wider[1:], 20), ("".join(lines[:6]), 5), ("", 20),
                             (lines[0].replace(",api", "", 1), 20), (lines[0][:-2], 20)):
            write("frames.csv.new", spare)
            self.assertIn(f"   {count - 1} frames in ", self.run_command("report", made).stdout)

    def test_huge_cells_and_rows(self):
        made = self.session(frames(2), about=ABOUT)
        for text in ("frame," + "x" * 3_000_000 + "\r\n1,2\r\n", "frame" + ",c" * 100_000 + "\r\n",
                     '"' * 3_000_001):
            with open(os.path.join(made, "frames.csv"), "w", encoding="utf-8") as out:
                out.write(text)
            run = self.run_command("report", made)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assertIn("frames.csv", run.stderr)
            self.assertIn("nothing to report", run.stderr)

    def test_missing_parts_are_reported(self):
        about = {**ABOUT, "ended": "the session reached its --max-size",
                 "dropped": {"frames": 3, "times_not_landed": 0, "times_rejected": 0}}
        run = self.run_command("report", self.session(frames(20), passes(20), about=about, name="early"))
        self.assertIn("# Stopped early: the session reached its --max-size\n", run.stdout)
        self.assertIn("; 3 frames were dropped\n", run.stdout)
        run = self.run_command("report", self.session([], about=ABOUT, name="none"))
        self.assertEqual(run.returncode, 0)
        self.assertIn("# No frames.\n", run.stdout)
        made = self.session(frames(20), passes(20), about=about, name="recorded")
        run = self.run_command("record", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
        self.assertIn("passprobe: 3 frames were dropped", run.stderr)
        self.assertIn("passprobe: profiling ended before the application did: the session reached its --max-size", run.stderr)

    def test_every_loss_is_reported(self):
        lost = {"frames": 1, "frames_incomplete": 2, "brackets": 30, "times_not_landed": 22, "times_rejected": 1,
                "counters_lost": 5, "counters_rejected": 6}
        words = ("1 frame was dropped", "2 frames lack GPU results that did not arrive",
                 "30 GPU brackets were not measured because memory was short (--max-memory), 30 % of them",
                 "22 GPU times did not arrive, 22 % of them", "1 GPU time was rejected: it contradicts the CPU's clock",
                 "5 results of counters did not arrive", "6 results of counters were rejected")
        made = self.session(frames(20), passes(20), about={**ABOUT, "dropped": lost, "counts": {"brackets": 100}},
                            name="lost")
        report = " ".join(self.run_command("report", made).stdout.split())
        record = self.run_command("record", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}).stderr
        stat = " ".join(self.run_command("stat", "--", "true", env={"FAKE_SESSION": made, "FAKE_PROGRAM": "true"})
                        .stderr.split())
        for text in words:
            self.assertIn(f"; {text}", report)
            self.assertIn(f"passprobe: {text}", record)
            self.assertIn(f"; {text}", stat)

    def test_full_disk(self):
        """The message says what the system said."""
        session = self.session(frames(2000), passes(2000), about=ABOUT)
        for words in (["--json"], ["--csv"], ["--json", "--frame=5"], ["--worst=3"], [], ["--folded"], ["--trace=chrome", "-"]):
            with open("/dev/full", "wb") as full:
                run = subprocess.run([self.install, "report", *words, session], env=self.env, stdout=full, stderr=subprocess.PIPE,
                                     text=True, check=False, timeout=60)
            self.assertEqual(run.returncode, 125, words)
            self.assertIn("No space left on device", run.stderr, words)

    def test_special_files(self):
        """A pipe or a file without end in place of a file does not hang the reader."""
        made = self.session(frames(2), about=ABOUT)
        os.unlink(os.path.join(made, "passes.csv"))
        os.mkfifo(os.path.join(made, "passes.csv"))
        run = self.run_command("report", made, timeout=100)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "is damaged", "passes.csv: ")
        os.unlink(os.path.join(made, "passes.csv"))
        path = os.path.join(made, "session.json")
        for make, part in ((os.mkfifo, "not a file"), (lambda p: os.symlink("/dev/zero", p), "not a file"),
                           (lambda p: os.symlink("session.json", p), "Too many levels"), (os.mkdir, "not a file")):
            os.unlink(path)
            make(path)
            run = self.run_command("report", made, timeout=100)
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, "session.json: " + part)


if __name__ == "__main__":
    unit_main()
