"""`passprobe annotate`, and the lines in `report`: functions and lines of stacked.cpp, and of sessions that are made up."""
import csv
import io
import json
import os
import re
import shutil
import subprocess

from command import ABOUT, frames
from harness import unit_main
from stacked import DRAWN, HERE, LIBRARY, MODULES, QUIET, StackedTest, marks


class Annotate(StackedTest):
    def test_functions(self):
        session = self.recorded(*self.build("-g", "-O0"))
        rows = {row["name"]: row for row in self.rows(session)["rows"]}
        space = "(anonymous namespace)::"
        for name, own, total in ((space + "Renderer<int>::draw_all", 3000, 3000), (space + "recursive", 64000, 64000),
                                 (space + "outer", 0, 16000), (space + "draw_inlined", 16000, 16000),
                                 ("library_draw", 256000, 256000), (space + "in_library", 0, 256000),
                                 ("main", 0, DRAWN - 128000)):
            self.assertEqual((rows[name]["self_ns"], rows[name]["total_ns"]), (own, total), name)
        self.assertTrue(rows[space + "draw_inlined"]["inlined"])
        self.assertFalse(rows[space + "outer"]["inlined"])
        self.assertTrue(any("main" in name and name.endswith("operator()") and row["self_ns"] == 32000
                            for name, row in rows.items()), rows.keys())
        self.assertEqual([(caller["name"], caller["gpu_time_ns"]) for caller in rows[space + "in_library"]["callers"]],
                         [("main", 256000)])
        self.assertEqual([callee["name"] for callee in rows[space + "in_library"]["callees"]], ["library_draw"])
        self.assertEqual(rows["main"]["callers"], [{"name": None, "gpu_time_ns": DRAWN - 128000}])
        self.assertEqual({caller["name"] for caller in rows[space + "recursive"]["callers"]}, {"main", space + "recursive"})
        modules = {row["name"]: row["self_ns"] for row in self.rows(session, "--by=module")["rows"]}
        self.assertEqual((modules["app"], modules["app.so"]), (DRAWN - 256000, 256000))
        files = {row["name"]: row["self_ns"] for row in self.rows(session, "--by=file")["rows"]}
        self.assertEqual(files["stacked_library.c"], 256000)
        # work of a toolkit belongs to its caller
        skipped = {row["name"]: row["self_ns"] for row in self.rows(session, "--skip-module=app.s*")["rows"]}
        self.assertEqual((skipped["library_draw"], skipped[space + "in_library"]), (0, 256000))
        # and work of a wrapper to those who call it
        skipped = {row["name"]: row["self_ns"] for row in self.rows(session, "--skip-function=draw_*inlined")["rows"]}
        self.assertEqual((skipped[space + "draw_inlined"], skipped[space + "outer"]), (0, 16000))

    def test_lines_in_report(self):
        """`report` has the line of each draw after its name, and --csv and --json have its file, from symbols.csv only."""
        app, library = self.build("-g", "-O2")
        played = self.recorded(app, library, "played")
        target = os.path.join(self.cwd, "out")
        run = self.run_command("record", "-o", target, "--", "true", env={"FAKE_SESSION": played, "FAKE_PROGRAM": "true"})
        self.assertEqual(run.returncode, 0, run.stderr)
        at = marks()
        text = self.run_command("report", target, env={"COLUMNS": "80"}).stdout
        self.assert_narrow("\n".join(line for line in text.splitlines() if "glDrawArrays" in line))
        for name in ("leaf", "inlined", "library", "lambda", "coroutine"):
            self.assertRegex(text, rf"\d glDrawArrays[^\n]* at {at[name][0]}:{at[name][1]}\n")
        rows = list(csv.DictReader(io.StringIO(self.run_command("report", "--csv", "--by=draw", target).stdout)))
        self.assertIn((f"{LIBRARY}:{at['library'][1]}", "256000"), [(row["at"], row["gpu_ns_per_frame"]) for row in rows])
        for session in (target, played):  # played has no symbols.csv, and a pass without a stack
            passes = [row for surface in json.loads(self.run_command("report", "--json", session).stdout)["surfaces"]
                      for row in surface["passes"]]
            self.assertEqual([row.get("at") for row in passes], [None])
        self.assertRegex(self.run_command("report", played).stdout, r"\d glDrawArrays[^\n]* at app\+0x[0-9a-f]+\n")
        # in other frames, another line had issued it
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        draws = [{**self.draw(0, 1, 5), "draw_id": "same"}, {**self.draw(1, 2, 5), "draw_id": "same"}, self.draw(2, 2, 7)]
        several = self.played("1,,0+0x10\r\n2,,0+0x20;0+0x30\r\n", module, draws, [self.render(20, stack=2)], name="several")
        text = self.run_command("report", several).stdout
        self.assertRegex(text, r"glDrawArrays[^\n]* at app\+0x10 \.\.\.\n")
        self.assertRegex(text, r"glDrawArrays[^\n]* at app\+0x20\n")
        passes = json.loads(self.run_command("report", "--json", several).stdout)["surfaces"][0]["passes"]
        self.assertEqual([row["at"] for row in passes], ["/nowhere/app+0x20"])

    def test_lost_files(self):
        """Files of call stacks that are lost are damage in `report`, `annotate` and `export`; symbols.csv need not be there."""
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        about = {**QUIET, "schema": 2, "stacks": {"count": 2}, "ended": "exit"}
        whole = self.played("1,,0+0x10\r\n2,,0+0x20\r\n", module, [self.draw(0, 1, 5)], [self.render(5)], about=about, name="whole")

        def losses(session):
            """What each command says of call stacks."""
            found = []
            for words in (("report",), ("annotate",), ("export", "--as=jsonl", "-o", os.path.join(self.top, "out.jsonl"))):
                told = self.run_command(*words, session)
                found.append(re.findall(r"(?:stacks|modules)\.csv: [\w ]+", told.stderr))
                if os.path.exists(os.path.join(self.top, "out.jsonl")):
                    os.unlink(os.path.join(self.top, "out.jsonl"))
            return found

        self.assertEqual(losses(whole), [[]] * 3)
        absent = "No such file or directory"
        for name, lost in (("stacks.csv", [["stacks.csv: 2 rows missing"], [f"stacks.csv: {absent}"], ["stacks.csv: 2 rows missing"]]),
                           ("modules.csv", [[f"modules.csv: {absent}"]] * 3)):
            shutil.copytree(whole, less := f"{whole}-without-{name[:2]}")
            os.unlink(os.path.join(less, name))
            self.assertEqual(losses(less), lost)
        shutil.copytree(whole, cut := whole + "-cut")
        with open(os.path.join(cut, "stacks.csv"), "r+", encoding="utf-8", newline="") as file:
            file.truncate(len(file.read()) - len("2,,0+0x20\r\n"))
        self.assertEqual(losses(cut), [["stacks.csv: 1 row missing"]] * 3)
        export = os.path.join(self.top, "typed.jsonl")  # texts that look like numbers stay texts
        self.write_csv(whole, "symbols.csv", "module,offset,function,file,line,column,inlined,start",
                       [{"module": 0, "offset": "0x10", "function": "1e5", "file": "7", "line": 12, "inlined": 0}])
        self.write_csv(whole, "modules.csv", MODULES.strip(), [{"module": 0, "path": "/1", "build_id": "12345678901234567890"}])
        self.run_command("export", "--as=jsonl", "-o", export, whole)
        with open(export, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        module, symbol = ([row for row in rows if row["table"] == table][0] for table in ("modules", "symbols"))
        self.assertEqual((module["module"], module["path"], module["build_id"]), (0, "/1", "12345678901234567890"))
        self.assertEqual((symbol["module"], symbol["offset"], symbol["function"], symbol["file"], symbol["line"], symbol["inlined"]),
                         (0, "0x10", "1e5", "7", 12, 0))
        os.rename(os.path.join(whole, "modules.csv"), os.path.join(whole, "modules.csv.new"))  # as after a kill
        self.assertEqual(losses(whole)[:2], [[]] * 2)

    def test_empty_brackets(self):
        """A pass holds the brackets of its actions. What an empty bracket takes belongs to no code, not to the code that begins
        the pass."""
        stacks = "1,0,0+0x10\r\n2,0,0+0x20\r\n"
        modules = "0,/nowhere/app,,0,0,4096,0,,\r\n"
        for rest in (0, 3000):  # --serialize: the pass is the sum of its actions; else it has time of its own
            session = self.played(stacks, modules, [self.draw(i, 2, 1500) for i in range(20)], [self.render(20 * 1500 + rest, stack=1)],
                                  about=ABOUT, name=f"brackets{rest}")
            report = self.rows(session, "--by=function")
            self.assertEqual(ABOUT["devices"][0]["bracket_bias"][0]["median_ns"], 1000)
            self.assertEqual(report["gpu_time_ns"], 20 * 500 + max(rest - 1000, 0))
            self.assertEqual(sorted(row["self_ns"] for row in report["rows"] if row["self_ns"]), sorted({20 * 500, rest - 1000} - {-1000}))

    def test_short_times(self):
        """Times that vary around the bias add up to what is above it: each of them is not cut at 0."""
        modules = "0,/nowhere/app,,0,0,4096,0,,\r\n"
        draws = [self.draw(i, 2, (400, 1800)[i % 2]) for i in range(40)]
        session = self.played("1,0,0+0x10\r\n2,0,0+0x20\r\n", modules, draws, [self.render(99000, stack=1)], about=ABOUT)
        report = self.rows(session, "--by=function")
        self.assertEqual([row["self_ns"] for row in report["rows"] if row["name"] == "app+0x20"], [40 * 100])
        passes = [self.render((400, 1800)[i % 2], stack=1, **{"pass": i}) for i in range(40)]
        report = self.rows(self.played("1,0,0+0x10\r\n", modules, [], passes, about=ABOUT, name="passes"), "--by=function")
        self.assertEqual(([row["self_ns"] for row in report["rows"]], report["gpu_time_ns"]), ([40 * 100], 40 * 100))

    def test_screen(self):
        session = self.recorded(*self.build("-g", "-O2"))
        text = self.run_command("annotate", session).stdout
        self.assert_narrow(text.split("\n\n")[0])
        line = marks()["library"][1]
        self.assertIn(f"  library_draw  stacked_library.c:{line}", text)
        self.assertRegex(text, rf"\n +50\.\d+% +50\.\d+% +{line} \|     return draw\(time_ns\) \+ 1;")
        self.assertRegex(text, r"\n +\d\.\d\d% +\d\.\d\d% +5\.0 +0  \[no stack\]\n")
        self.assertIn("(inlined)", text)
        text = self.run_command("annotate", session, "outer").stdout
        self.assertRegex(text, r"3\.\d\d% +called by main\n +3\.\d\d% +calls draw_twice_inlined\n")
        self.assertNotIn("recursive  ", text)
        text = self.run_command("annotate", session, f"stacked.cpp:{marks()['leaf'][1]}").stdout
        self.assertIn("return api_draw(64000) + 1; /* at: leaf */", text)
        self.assertNotIn("at: outer", text)
        # the session is the configured one
        text = self.run_command("annotate", "library_draw", env={"PASSPROBE_OUTPUT": session}).stdout
        self.assertIn("stacked_library.c", text)
        run = self.run_command("annotate", session, "nothing_of_this_name")
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "no function or source file", "nothing_of_this_name")
        self.assertTrue(run.stderr.endswith("'nothing_of_this_name'\n"), run.stderr)  # no symbols are missing
        # the words in the wrong order
        run = self.run_command("annotate", "library_draw", session)
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, f"the session comes first: passprobe annotate {session} library_draw")
        run = self.run_command("annotate", "library_draw", self.top)  # the folder is no session
        self.assert_one_line(run.stderr, "library_draw' is not a session")

    def test_sources(self):
        """A source that moved, that changed, or that is not here."""
        copy = os.path.join(self.top, "old")
        os.mkdir(copy)
        shutil.copy(LIBRARY, copy)
        library = os.path.join(self.top, "app.so")
        app, _ = self.build("-g", "-O2")
        subprocess.run(["gcc", "-g", "-fPIC", "-shared", os.path.join(copy, "stacked_library.c"), "-o", library], check=True)
        session = self.recorded(app, library, about={**QUIET, "program": {"start": "2040-01-01T00:00:00Z"}})
        self.assertIn("at: library", self.run_command("annotate", session, "library_draw").stdout)
        os.rename(copy, moved := os.path.join(self.top, "new"))
        text = self.run_command("annotate", session, "library_draw").stdout
        self.assertIn("# The source is not here: --prefix-map", text)
        self.assertRegex(text, rf"50\.\d+% +{marks()['library'][1]} \|\n")
        text = self.run_command("annotate", session, "library_draw", f"--prefix-map={copy}={moved}").stdout
        self.assertIn("at: library", text)
        self.assertNotIn("was changed after", text)
        os.utime(os.path.join(moved, "stacked_library.c"), (3e9, 3e9))
        text = self.run_command("annotate", session, "library_draw", f"--prefix-map={copy}={moved}").stdout
        self.assertIn("# The source was changed after the session was recorded", text)

    def test_sources_of_foreign_sessions(self):
        """symbols.csv of somebody else may name any file of this machine: only --prefix-map lets it be read."""
        app, library = self.build("-g", "-O2")
        folder = os.path.dirname(LIBRARY)
        session = self.recorded(app, library, about={**QUIET, "host": {"name": "not-" + os.uname().nodename}})
        for words in ((session,), (self.archive(session),)):
            text = self.run_command("annotate", *words, "library_draw").stdout
            self.assertIn("# The session is an archive or from another machine", text)
            self.assertNotIn("at: library", text)
            self.assertIn("at: library", self.run_command("annotate", *words, "library_draw", f"--prefix-map={folder}={folder}").stdout)

    def archive(self, session):
        """An archive of a session, with the machine's name."""
        path = os.path.join(self.top, "kept.tar.gz")
        done = self.run_command("archive", "--no-redact", "-o", path, session)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def test_rows_by_plural_names(self):
        app, library = self.build("-g", "-O2")
        session = self.recorded(app, library)
        one, many = (self.run_command("annotate", session, "--by", by) for by in ("function", "functions"))
        self.assertEqual((many.returncode, many.stdout), (0, one.stdout), many.stderr)

    def test_sums_stay_whole(self):
        """Draws without times, draws that overlap, passes without a stack, stacks that are not in stacks.csv."""
        module = "0,/nowhere/app,,0x1000,0x1000,0x9000,0,,\r\n"
        two = "1,,0+0x10\r\n2,,0+0x20;0+0x30\r\n"
        cases = {
            "no times of draws": ([self.draw(0, 2), self.draw(1, 2)], [self.render(9000, stack=1)], {"app+0x20": (None, 2)}, 0),
            "a time of one": ([self.draw(0, 2), self.draw(1, 1, 6000)], [self.render(9000, stack=1)],
                              {"app+0x10": (6000, 1), "app+0x20": (None, 1)}, 6000),
            "no times of most": ([self.draw(0, 2), self.draw(1, 2), self.draw(2, 1, 1000)], [self.render(9000, stack=1)],
                                 {"app+0x10": (None, 1), "app+0x20": (None, 2)}, 0),
            "overlapped": ([self.draw(0, 1, 6000), self.draw(1, 2, 12000)], [self.render(9000)],
                           {"app+0x10": (3000, 1), "app+0x20": (6000, 1)}, 9000),
            "a rest": ([self.draw(0, 1, 6000)], [self.render(9000, stack=2)],
                       {"app+0x10": (6000, 1), "app+0x20": (3000, 0)}, 9000),
            "unknown stacks": ([self.draw(0, 77, 6000), self.draw(1, 78, 1000)], [self.render(9000, stack=1)],
                               {"app+0x10": (2000, 0)}, 2000)}
        for name, (draws, passes, wanted, stacked) in cases.items():
            with self.subTest(name):
                report = self.rows(self.played(two, module, draws, passes, name=name.replace(" ", "-")))
                found = {row["name"]: (row["self_ns"], row["self_actions"]) for row in report["rows"]
                         if row["self_ns"] or row["self_actions"]}
                text = self.run_command("annotate", name.replace(" ", "-"), cwd=self.top).stdout
                self.assertEqual("The driver has no GPU time of single draws" in text, "no times" in name)
                self.assertEqual("actions a frame have no time of their own" in text, "a time of one" in name)
                if "a time" in name:
                    self.assertRegex(text, r"\n +- +- +- +1  app\+0x20")
                    self.assertRegex(text, r"\n +33.33% +33.33% +3\.0+ +-  \[actions without a time of their own\]\n")
                    self.assertEqual(report["gpu_time_undivided_ns"], 3000)
                elif name == "no times of draws":
                    self.assertRegex(text, r"\n +100.00% +100.00% +- +2  app\+0x20")
                elif name == "no times of most":
                    self.assertRegex(text, r"\n +66.67% +66.67% +- +2  app\+0x20 < app\+0x30\n +33.33% +33.33% +- +1  app\+0x10\n")
                self.assertEqual((found, report["gpu_time_ns"], report["gpu_time_with_stack_ns"]), (wanted, 9000, stacked))

    def test_level_pass(self):
        """Without actions, all of the time is at the calls that began passes: the head says so, and the column of actions is "-"."""
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        passes = [self.render(9000, stack=1), {**self.render(1000), "pass": 1}]
        text = "# level pass: a pass's time is at the call that began it. `record -g -l draw`\n"
        session = self.played("1,,0+0x10;0+0x20\r\n", module, [], passes, level="pass")
        os.unlink(os.path.join(session, "draws.csv"))
        shown = self.run_command("annotate", session).stdout
        self.assert_narrow(shown)
        self.assertIn(text, shown)
        self.assertRegex(shown, r"\n +90\.00% +90\.00% +\d+\.\d+ +-  app\+0x10 < app\+0x20\n")
        self.assertRegex(shown, r"\n +90\.00% +0\.00% +0\.\d+ +-  app\+0x20\n")
        self.assertRegex(shown, r"\n +10\.00% +10\.00% +\d+\.\d+ +-  \[no stack\]\n")
        self.assertEqual([(row["self_ns"], row["self_actions"], row["total_actions"]) for row in self.rows(session)["rows"]],
                         [(9000, None, None), (0, None, None)])
        # at level draw, a pass need not have actions
        drawn = self.played("1,,0+0x10\r\n", module, [], passes, name="drawn")
        self.assertNotIn("level pass", self.run_command("annotate", drawn).stdout)
        self.assertEqual([row["self_actions"] for row in self.rows(drawn)["rows"]], [0])

    def test_mixed_levels(self):
        """The level changed while the application ran: figures come from the frames whose draws were measured."""
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        draws = [{**self.draw(0, 2, ns=8000), "frame": i} for i in (1, 2)]
        passes = [{**self.render(9000, stack=1), "frame": i, "level": "draw" if i < 3 else "pass", "draws": 1}
                  for i in range(1, 6)]
        session = self.played("1,,0+0x10\r\n2,,0+0x20\r\n", module, draws, passes)
        rows = frames(6, level="draw", draws=1)
        for row in rows[3:]:
            row["level"] = "pass"
        self.write_csv(session, "frames.csv", ",".join(rows[0]), rows)
        report = self.rows(session)
        self.assertEqual((report["frames"], report["gpu_time_ns"], [(row["name"], row["self_ns"]) for row in report["rows"]]),
                         (2, 18000, [("app+0x20", 16000), ("app+0x10", 2000)]))

    def test_buffers_of_an_older_level(self):
        """Vulkan: a command buffer keeps its level. Frames at level draw without rows of draws are left out, too."""
        draws = [{**self.draw(0, 2, ns=8000), "frame": i} for i in (5, 6)]
        passes = [{**self.render(9000, stack=1), "frame": i, "level": "pass" if i < 3 else "draw", "draws": 1}
                  for i in range(1, 8)]
        rows = frames(8, api="vulkan", level="draw", draws=1)
        for row in rows[:3]:
            row["level"] = "pass"
        for name, order in (("ordered", passes), ("late", passes[4:] + passes[:4])):
            session = self.played("1,,0+0x10\r\n2,,0+0x20\r\n", "0,/nowhere/app,,0,0,0,0,,\r\n", draws, order, name=name)
            self.write_csv(session, "frames.csv", ",".join(rows[0]), rows)
            report = self.rows(session)
            self.assertEqual((report["frames"], report["gpu_time_ns"], [(row["name"], row["self_ns"]) for row in report["rows"]]),
                             (2, 18000, [("app+0x20", 16000), ("app+0x10", 2000)]), name)

    def test_without_times(self):
        """Draws without times are ranked by invocations, vertices or their number. No time is at the line that began the pass."""
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        stacks = "1,,0+0x10;0+0x20;0+0x90\r\n2,,0+0x10;0+0x30;0+0x90\r\n3,,0+0x40;0+0x90\r\n"
        draws = [self.draw(0, 1), *(self.draw(place, 2) for place in range(1, 4))]
        counted = "pipeline:fragment_shader_invocations"
        for measure, more, shares, what in (
                ("invocations", lambda i: {counted: 600 if i == 0 else 100, "vertices": 3}, (66.67, 33.33), "Invocations of shaders"),
                ("vertices", lambda i: {"vertices": 9 if i == 0 else 3, "instances": 3 if i == 0 else 1}, (75, 25), "Vertices"),
                ("draws", lambda i: {}, (25, 75), "Draws")):
            made = [{**draw, **more(i)} for i, draw in enumerate(draws)]
            session = self.played(stacks, module, made, [self.render(9000, stack=3)], name=measure)
            shown = self.run_command("annotate", "--callers", "--callees", session).stdout
            self.assert_narrow(shown)
            self.assertTrue(shown.startswith(f"# {what} by function (1 frame)\n# The driver has no GPU time of single draws"), shown)
            self.assertIn("# Passes took 9.00 us a frame: `record -g -l draw --serialize` may divide it.\n", shown)
            self.assertRegex(shown, r"\n +100\.00% +100\.00% +- +4  app\+0x10\n")
            for caller, share in zip(("20", "30"), shares):
                self.assertRegex(shown, rf"\n +{share:.2f}% +called by app\+0x{caller}\n")
                self.assertRegex(shown, rf"\n +{share:.2f}% +0\.00% +- +0  app\+0x{caller}\n +{share:.2f}% +called by app\+0x90\n")
            self.assertRegex(shown, r"\n +0\.00% +0\.00% +- +0  app\+0x40\n")
            report = self.rows(session)
            rows = {row["name"]: row for row in report["rows"]}
            self.assertEqual((report["measure"], report["gpu_time_ns"], report["gpu_time_with_stack_ns"]), (measure, 9000, 0))
            self.assertEqual({(row["self_ns"], row["total_ns"]) for row in rows.values()}, {(None, None)})
            self.assertAlmostEqual(rows["app+0x20"]["total_work"], report["work"] * shares[0] / 100, delta=0.1)
            self.assertEqual({one["gpu_time_ns"] for one in rows["app+0x10"]["callers"]}, {None})
            self.assertEqual(report["rows"][0]["name"], "app+0x10")
        some = [self.draw(0, 1, 8000), {**self.draw(1, 2), counted: 100}, {**self.draw(2, 3), counted: 600}]
        mixed = self.played("1,,0+0x10\r\n2,,0+0x20\r\n3,,0+0x30\r\n", module, some, [self.render(9000, stack=2)], name="mixed")
        self.assertEqual([(row["name"], row["self_ns"]) for row in self.rows(mixed)["rows"]],
                         [("app+0x10", 8000), ("app+0x30", None), ("app+0x20", None)])
        serialized = self.played(stacks, module, draws, [self.render(9000, stack=3)], name="serialized",
                                 about={**QUIET, "options": {"serialize": True}})
        self.assertNotIn("--serialize", self.run_command("annotate", serialized).stdout)
        nowhere = self.played("1,,0+0x10\r\n", module, [self.draw(0, "")], [self.render("", stack=1)], name="nowhere")
        self.assertRegex(self.run_command("annotate", nowhere).stdout, r"\n +100\.00% +100\.00% +- +1  \[no stack\]\n")

    def test_wrapper(self):
        """Where all draws go through one function, its callers are shown, and --skip-function gives the work to them."""
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        names = {"0x10": "submit", "0x20": "gfx::Device::draw", "0x30": "shadows", "0x40": "water", "0x50": "main"}
        stacks = "1,,0+0x10;0+0x20;0+0x30;0+0x50\r\n2,,0+0x10;0+0x20;0+0x40;0+0x50\r\n3,,0+0x40;0+0x50\r\n"
        draws = [self.draw(0, 1, 3000), self.draw(1, 2, 6000), self.draw(2, 2, 500)]
        session = self.played(stacks, module, draws, [self.render(10000, stack=3)])
        self.write_csv(session, "symbols.csv", "module,offset,function,file,line,column,inlined,start",
                       [{"module": 0, "offset": offset, "function": name, "file": "/nowhere/app.c", "line": i + 1, "inlined": 0}
                        for i, (offset, name) in enumerate(names.items())])
        shown = self.run_command("annotate", session).stdout
        self.assert_narrow(shown.split("\n\n")[0])
        self.assertRegex(shown, r"  submit  app\.c:1\n +95\.00% +called by gfx::Device::draw\n")
        self.assertIn("# gfx::Device::draw() draws for its callers: --skip-function names them.\n", shown)
        self.assertRegex(shown, r"  gfx::Device::draw  app\.c:2\n +65\.00% +called by water\n +30\.00% +called by shadows\n")
        skipped = self.run_command("annotate", session, "--skip-function=draw").stdout
        self.assertNotIn("--skip-function", skipped)
        self.assertRegex(skipped, r"  water  app\.c:4 < main\n")
        for pattern in ("draw", "gfx::Device::*", "dr?w"):
            rows = {row["name"]: (row["self_ns"], row["self_actions"]) for row in self.rows(session, f"--skip-function={pattern}")["rows"]}
            self.assertEqual(rows, {"shadows": (3000, 1), "water": (7000, 2), "gfx::Device::draw": (0, 0), "submit": (0, 0),
                                    "main": (0, 0)}, pattern)
        lines = {row["name"]: row["self_ns"] for row in self.rows(session, "--by=line", "--skip-function=draw")["rows"]}
        self.assertEqual((lines["app.c:3"], lines["app.c:4"], lines["app.c:2"]), (3000, 7000, 0))
        both = self.rows(session, "--skip-function=draw", "--skip-function=water")["rows"]
        self.assertEqual({row["name"]: row["self_ns"] for row in both if row["self_ns"]}, {"shadows": 3000, "main": 7000})
        every = self.rows(session, "--skip-function=*")["rows"]
        self.assertEqual({row["name"]: row["self_ns"] for row in every if row["self_ns"]}, {"main": 10000})
        run = self.run_command("annotate", session, "--skip-function=nothing")
        self.assertEqual(run.returncode, 0)
        self.assert_one_line(run.stderr, "--skip-function: no function is named 'nothing'")

    def test_counters(self):
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        draws = [self.draw(0, 1, 1000, **{"oa:Hits": 7, "oa:Busy_percent": 10}),
                 self.draw(1, 2, 3000, **{"oa:Hits": 5, "oa:Busy_percent": 50}),
                 self.draw(2, 2, 1000, **{"oa:Hits": 1, "oa:Busy_percent": 90})]
        session = self.played("1,,0+0x10\r\n2,,0+0x20\r\n", module, draws, [self.render(5000)])
        for counter, values in (("oa:Hits", [("app+0x10", 7), ("app+0x20", 6)]),
                                ("oa:Busy_percent", [("app+0x20", 60), ("app+0x10", 10)])):
            report = self.rows(session, "--sort", counter)
            self.assertEqual([(row["name"], row["value"]) for row in report["rows"]], values)
            self.assertIn(f"# Value: {counter}, ", self.run_command("annotate", session, "--sort", counter).stdout)
        run = self.run_command("annotate", session, "--sort=oa:None")
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "--sort", "oa:None")

    def test_first_frames_and_windows(self):
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        passes = [{**self.render(1000 * (i + 1), stack=1), "frame": i} for i in range(2)]
        session = self.played("1,,0+0x10\r\n", module, [], passes)
        self.assertEqual(self.rows(session)["gpu_time_ns"], 2000)  # frame 0 includes loading
        run = self.run_command("annotate", "--frames=9-", session)
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, session, "no frame is in the window that was asked for")
        with open(os.path.join(session, "session.json"), "w", encoding="utf-8") as out:
            json.dump({"passprobe": ABOUT["passprobe"], **QUIET, "window": {"options": "--frames 9-", "first_frame": 9}}, out)
        run = self.run_command("annotate", session)
        self.assert_one_line(run.stderr, session, "--frames 9-")
        run = self.run_command("annotate", self.played("1,,0+0x10\r\n", module, name="nothing"))
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "has no passes")

    def test_hostile_files(self):
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        for what, stacks, modules, parts in (
                ("offset", "1,,0+0x10\r\n2,,0+zz\r\n", module, ("stacks.csv", "row 3", "'frames'", "'0+zz'")),
                ("module", "1,,7+0x10\r\n", module, ("stacks.csv", "row 2", "'frames'", "'7+0x10'")),
                ("number", "x,,0+0x10\r\n", module, ("stacks.csv", "row 2", "'stack'", "'x'")),
                ("overflow", "1,,0+0x10000000000000000\r\n", module, ("stacks.csv", "row 2", "'frames'")),
                ("twice", "1,,0+0x10\r\n1,,0+0x20\r\n", module, ("stacks.csv", "the number 1 occurs twice")),
                ("deep", "1,," + ";".join(["0+0x10"] * 1025) + "\r\n", module, ("stacks.csv", "row 2", "too many")),
                ("bias", "", "0,/nowhere/app,,minus,0,0,0,,\r\n", ("modules.csv", "row 2", "'load_bias'", "'minus'")),
                ("build id", "", "0,/nowhere/app,../../etc,0,0,0,0,,\r\n", ("modules.csv", "row 2", "'build_id'")),
                ("same module", "", module + module, ("modules.csv", "the number 0 occurs twice"))):
            with self.subTest(what):
                run = self.run_command("annotate", self.played(stacks, modules, [], [self.render(1)], name=what))
                self.assertEqual((run.returncode, run.stdout), (125, ""))
                self.assert_one_line(run.stderr, *parts)
        for file, text in (("stacks.csv", "stack,frames\r\n"), ("modules.csv", "module\r\n"), ("symbols.csv", "a\r\n")):
            with self.subTest(file):
                session = self.played("1,,0+0x10\r\n", module, [], [self.render(1)], name=file)
                with open(os.path.join(session, file), "w", encoding="utf-8") as out:
                    out.write(text)
                run = self.run_command("annotate", session)
                self.assert_one_line(run.stderr, file, "column", "is missing")
        # after a kill, the newer file of modules may be the spare
        session = self.played("1,,7+0x10\r\n", module, [], [self.render(1)], name="spare")
        with open(os.path.join(session, "modules.csv.new"), "w", encoding="utf-8", newline="") as out:
            out.write(MODULES + module + module.replace("0,", "7,", 1))
        self.assertEqual(self.run_command("annotate", session).returncode, 0)
        # paths that lead elsewhere than to a file, and characters that a terminal obeys
        paths = ["/dev/zero", "/proc/self/mem", "/", "/etc/passwd", "relative", "/nowhere/\x1b[2J\u202e", "[vdso]"]
        modules = "".join(f"{i},{path},,0,0,0,0,,\r\n" for i, path in enumerate(paths))
        frames_ = ";".join(f"{i}+0x10" for i in range(len(paths))) + ";?0xffff"
        session = self.played(f"1,,{frames_}\r\n", modules, [self.draw(0, 1, 5)], [self.render(5)])
        for words in ((), ("--json",), ("--by=module",), ("--by=file",), ("--callers", "--callees")):
            run = self.run_command("annotate", *words, session)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            if words != ("--json",):
                self.assertNotIn("\x1b", run.stdout)
                self.assertNotIn("\u202e", run.stdout)

    def test_without_stacks(self):
        run = self.run_command("annotate", self.session(frames(2), [self.render(5)], about=QUIET))
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "has no call stacks")
        run = self.run_command("annotate", os.path.join(self.top, "nowhere"), "main")
        self.assertEqual(run.returncode, 125)
        for words, part in ((("--by=word",), "the value is function, line, file or module"),
                            (("--by=linez",), "--by: bad value 'linez'; did you mean 'line'?"),
                            (("--prefix-map=a",), "--prefix-map"), (("a", "b", "c"), "too many"),
                            (("--bogus",), "unknown option '--bogus'; `passprobe annotate --help`"),
                            (("--skip-modlue=x",), "did you mean 'skip-module'?"), (("--calers",), "did you mean 'callers'?"), (("--sort",), "needs an argument"), (("-E", "x"), "x"),
                            (["--skip-module=x"] * 17, "at most 16")):
            run = self.run_command("annotate", *words)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, part)

    def test_schema(self):
        try:
            import jsonschema  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        with open(os.path.join(HERE, "../../../docs/formats/annotate.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        session = self.recorded(*self.build("-g", "-O2"))
        for words in ((), ("--by=line",), ("--by=module",), ("--sort=total",)):
            jsonschema.validate(self.rows(session, *words), schema)
        for level, draws in (("pass", []), ("draw", [self.draw(0, 1)])):  # nulls: no actions; no times of actions
            session = self.played("1,,0+0x10;0+0x20\r\n", "0,/nowhere/app,,0,0,0,0,,\r\n", draws, [self.render(5)],
                                  level=level, name="nulls-" + level)
            jsonschema.validate(self.rows(session), schema)


if __name__ == "__main__":
    unit_main()
