"""`passprobe annotate`: functions and lines of real executables, whose stacks stacked.cpp writes down."""
import csv
import http.server
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import xml.etree.ElementTree

from command import ABOUT, CommandTest, frames
from harness import unit_main

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE, LIBRARY = (os.path.join(HERE, name) for name in ("stacked.cpp", "stacked_library.c"))
QUIET = {**ABOUT, "devices": []}
PASS_HEADER = "frame,pass,pass_id,level,kind,name,label,queue,draws,gpu_start_ns,gpu_time_ns,bound_by,stack"
DRAW_HEADER = "frame,pass,draw,draw_id,call,label,pipeline,stack,vertices,instances,groups,gpu_start_ns,gpu_time_ns,bound_by"
MODULES = "module,path,build_id,load_bias,start,end,loaded_ns,unloaded_ns,debuglink\r\n"
STACKS = "stack,truncated,frames\r\n"
# GPU time that stacked.cpp gives to the calls at its marks, by the line that issued the work.
SELF = {"method": 3000, "inlined": 16000, "lambda": 32000, "leaf": 64000, "coroutine": 128000, "library": 256000}
# and by further lines that asked for it
TOTAL = {"middle": 16000, "outer": 16000, "caller of the library": 256000, "main of the method": 3000}
DRAWN = sum(SELF.values())


def marks():
    """Line of each mark "at: NAME": {NAME: (file, line)}."""
    found = {}
    for path in (SOURCE, LIBRARY):
        with open(path, encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                match = re.search(r"/\* at: ([\w ]+) \*/", line)
                if match:
                    found[match.group(1)] = (os.path.basename(path), number)
    return found


class Annotate(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="passprobe-built-")
        cls.addClassCleanup(shutil.rmtree, cls.built, ignore_errors=True)

    def build(self, *flags, compiler="g++", name="app"):
        """Build the application and its library with these flags, once for all tests. @return Paths of copies."""
        kept = os.path.join(self.built, "".join([compiler, *flags]).replace("/", ""))
        if not os.path.exists(kept + ".so"):
            plain = "gcc" if compiler == "g++" else "clang"
            for command in ([compiler, *flags, SOURCE, "-o", kept, "-ldl"],
                            [plain, *(flag for flag in flags if flag != "-no-pie"), "-fPIC", "-shared", LIBRARY, "-o", kept + ".so"]):
                subprocess.run(command, check=True, cwd=self.built, stdin=subprocess.DEVNULL)
        app = os.path.join(self.top, name)
        shutil.copy(kept, app)
        shutil.copy(kept + ".so", app + ".so")
        return app, app + ".so"

    def recorded(self, app, library, name="made", about=None):
        """A session that the application wrote. Its pass also has 5 us that no draw has."""
        path = self.session(frames(2, level="draw"), about=about or QUIET, name=name)
        subprocess.run([app, path, library], check=True, cwd=self.top, stdin=subprocess.DEVNULL)
        self.write_csv(path, "passes.csv", PASS_HEADER,
                       [{"frame": 1, "pass": 0, "pass_id": "aa", "kind": "render", "name": "window",
                         "gpu_time_ns": DRAWN + 5000}])
        return path

    def rows(self, session, *words, env=None):
        run = self.run_command("annotate", "--json", *words, session, env=env)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return json.loads(run.stdout)

    def lines(self, session, *words):
        """({(file, line): self_ns}, {(file, line): total_ns}) by line."""
        report = self.rows(session, "--by=line", *words)
        self.assertEqual(report["gpu_time_ns"], DRAWN + 5000)
        self.assertEqual(sum(row["self_ns"] for row in report["rows"]), DRAWN)
        known = [row for row in report["rows"] if row["line"]]
        return tuple({(os.path.basename(row["file"]), row["line"]): row[key] for row in known if row[key]}
                     for key in ("self_ns", "total_ns"))

    def assert_exact(self, session, *words):
        at = marks()
        own, total = self.lines(session, *words)
        for name, ns in SELF.items():
            self.assertEqual(own.get(at[name]), ns, name)
        self.assertEqual(len(own), len(SELF))
        for name, ns in TOTAL.items():
            self.assertEqual(total.get(at[name]), ns, name)

    def test_lines_are_exact(self):
        """Each way to build gives the line of each call, and times by line add up."""
        for compiler, *flags in (("g++", "-O0"), ("g++", "-O2"), ("g++", "-O2", "-fno-omit-frame-pointer", "-gdwarf-4"),
                                 ("g++", "-O2", "-no-pie"), ("clang++", "-O0"), ("clang++", "-O2"),
                                 ("clang++", "-O2", "-no-pie", "-fno-omit-frame-pointer"),
                                 ("g++", "-O2", "-gsplit-dwarf"), ("g++", "-O2", "-gz")):
            with self.subTest(compiler=compiler, flags=flags):
                if not shutil.which(compiler):
                    self.skipTest(f"{compiler} is not installed")
                name = "-".join([compiler.rstrip("+"), *(flag.strip("-") for flag in flags)])
                session = self.recorded(*self.build("-g", *flags, compiler=compiler, name=name), name=name + ".data")
                self.assert_exact(session)

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

    def test_debug_files(self):
        """Stripped files: debug files in the same folder, in a build-id folder, in another folder, or nowhere."""
        app, library = self.build("-g", "-O2")
        kept = os.path.join(self.top, "kept")
        shutil.copy(app, kept)
        for path in (app, library):
            subprocess.run(["objcopy", "--only-keep-debug", path, path + ".debug"], check=True)
            subprocess.run(["objcopy", "--strip-all", "--add-gnu-debuglink=" + path + ".debug", path], check=True)
        session = self.recorded(app, library)
        self.assert_exact(session)
        shutil.copytree(session, moved := session + ".moved")
        for path in (app, library):
            os.rename(path + ".debug", path + ".moved")
        report = self.rows(session)
        self.assertTrue(all(not row["function"] for row in report["rows"] if row["module"] == app))
        self.assertIn("stripped", [one["symbols"] for one in report["modules"] if one["path"] == app])
        self.assertIn(f"# {app}: no lines; functions without a symbol have their first address", self.run_command("annotate", session).stdout)
        self.assert_first_addresses(session, kept)
        folder = os.path.join(self.top, "debug")
        for path in (app, library):
            note = subprocess.run(["readelf", "-n", path], check=True, stdout=subprocess.PIPE, text=True).stdout
            number = re.search(r"Build ID: (\w+)", note).group(1)
            os.makedirs(os.path.join(folder, ".build-id", number[:2]), exist_ok=True)
            shutil.copy(path + ".moved", os.path.join(folder, ".build-id", number[:2], number[2:] + ".debug"))
        self.assert_exact(session, "--debug-dir", folder)
        # on another machine: only the debug files are there
        os.unlink(app)
        os.unlink(library)
        self.assertIn("no functions: the file is not here", self.run_command("annotate", moved).stdout)
        self.assert_exact(moved, "--debug-dir", folder)
        flat = os.path.join(self.top, "flat")
        os.mkdir(flat)
        for path in (app, library):
            shutil.copy(path + ".moved", os.path.join(flat, os.path.basename(path) + ".debug"))
        self.assert_exact(moved, "--debug-dir", flat)

    def build_units(self, *flags, library):
        """A library of two units whose debug information is alike: the same offsets, other names."""
        objects = []
        for name, function, call in (("first", "library_draw", "second"), ("other", "second", "third"), ("last", "third", "")):
            source = os.path.join(self.top, name + ".cpp")
            arguments = "(int (*draw)(int), int ns)"
            with open(source, "w", encoding="utf-8") as out:
                out.write(f'extern "C" int {call or "unused"}{arguments};\nextern "C" int {function}{arguments};\n')
                if call:
                    out.write(f"namespace {{ __attribute__((noinline)) int {name}_draw(int (*draw)(int)) {{ return draw(128000) + 1; }} }}\n"
                              f"int {function}{arguments} {{ return {name}_draw(draw) + {call}(draw, ns); }}\n")
                else:
                    out.write(f"int {function}(int (*)(int), int) {{ return 0; }}\n")
            objects.append(source[:-4] + ".o")
            subprocess.run(["g++", *(("-g", *flags) if call else ()), "-O1", "-fPIC", "-c", source, "-o", objects[-1]],
                           check=True, cwd=self.top)
        subprocess.run(["g++", "-shared", *objects, "-o", library], check=True, cwd=self.top)

    def test_debug_information_in_several_files(self):
        """Names of two units whose entries have the same offsets: split debug information, as files and as a package, and
        what dwz took out of several files."""
        def names():
            return {row["name"]: (os.path.basename(row["file"] or ""), row["self_ns"])
                    for row in self.rows(session)["rows"] if row["module"] == library and row["self_ns"]}

        wanted = {f"(anonymous namespace)::{name}_draw": (name + ".cpp", 128000) for name in ("first", "other")}
        app, library = self.build("-g", "-O2")
        for flags in ((), ("-gsplit-dwarf",), ("-gsplit-dwarf", "-gdwarf-4")):
            self.build_units(*flags, library=library)
            session = self.recorded(app, library, name="units" + "".join(flags))
            self.assertEqual(names(), wanted, flags)
        if shutil.which("dwp"):
            subprocess.run(["dwp", "-e", library, "-o", library + ".dwp"], check=True, cwd=self.top)
            for name in ("first", "other"):
                os.rename(os.path.join(self.top, name + ".dwo"), os.path.join(self.top, name + ".moved"))
            self.assertEqual(names(), wanted, "package")

    def test_dwz(self):
        """What several files have in common is in a file of its own."""
        if not shutil.which("dwz"):
            self.skipTest("dwz is not installed")
        app, library = self.build("-g", "-O2")
        self.build_units(library=library)
        for again in (app, library):
            shutil.copy(again, again + ".again")
        subprocess.run(["dwz", "-m", os.path.join(self.top, "common.debug"), app, library, app + ".again", library + ".again"],
                       check=True, cwd=self.top)
        self.assertIn("gnu_debugaltlink", subprocess.run(["readelf", "-SW", app], check=True, stdout=subprocess.PIPE, text=True).stdout)
        session = self.recorded(app, library)
        own = {row["name"].split("::")[-1]: row["self_ns"] for row in self.rows(session)["rows"] if row["self_ns"]}
        self.assertEqual({name: own.get(name) for name in ("first_draw", "other_draw", "recursive", "draw_all", "coroutine")},
                         {"first_draw": 128000, "other_draw": 128000, "recursive": 64000, "draw_all": 3000, "coroutine": 128000})

    def assert_first_addresses(self, session, symbols):
        """Without symbols, a function has one row, with its first address; what called main() is left out."""
        table = subprocess.run(["nm", "-C", symbols], check=True, stdout=subprocess.PIPE, text=True).stdout
        first = {re.sub(r"\((int|char const\*)\).*", "", name): int(at, 16)
                 for at, name in re.findall(r"^(\w+) [tT] (.*)$", table, re.M) if ".cold" not in name}
        report = self.rows(session)
        rows = {row["name"]: (row["self_ns"], row["total_ns"]) for row in report["rows"]}
        space = "(anonymous namespace)::"
        for name, own, total in (("recursive", 64000, 64000), ("outer", 16000, 16000), ("in_library", 0, 256000)):
            self.assertEqual(rows[f"app+0x{first[space + name]:x}"], (own, total), name)
        self.assertEqual(rows[f"app+0x{first['main']:x}"][1], DRAWN - 128000)
        self.assertNotIn(f"app+0x{first['_start']:x}", rows)

    def test_what_calls_main(self):
        """Without a symbol of main(), the C library's functions in front of it are left out, named or not."""
        session = self.played("1,,0+0x10;0+0x20;1+0x30;1+0x40;0+0x50\r\n2,,1+0x30;1+0x40;0+0x50\r\n",
                              "0,/nowhere/app,,0,0,0,0,,\r\n1,/nowhere/libc.so.6,,0,0,0,0,,\r\n",
                              [self.draw(0, 1, 5), self.draw(1, 2, 3)], [self.render(8)])
        with open(os.path.join(session, "symbols.csv"), "w", encoding="utf-8") as out:
            out.write("module,offset,function,file,line,column,inlined,start\r\n1,0x40,__libc_start_main,,,,0,\r\n0,0x20,,,,,0,0x1c\r\n")
        self.assertEqual({row["name"]: row["total_ns"] for row in self.rows(session)["rows"] if row["total_ns"]},
                         {"app+0x10": 5, "app+0x1c": 5, "libc.so.6+0x30": 3})
        self.assertEqual({row["name"] for row in self.rows(session, "--by=line")["rows"] if row["total_ns"]},
                         {"app+0x10", "app+0x20", "libc.so.6+0x30"})

    def test_relative_sources(self):
        """A source that was named from another folder: its path is whole, and without "..". """
        folder = os.path.join(self.top, "a", "b")
        os.makedirs(folder)
        shutil.copy(LIBRARY, os.path.join(self.top, "a"))
        app, library = self.build("-g", "-O2")
        for version in ("-gdwarf-4", "-gdwarf-5"):
            subprocess.run(["gcc", version, "-fPIC", "-shared", "../stacked_library.c", "-o", library], check=True, cwd=folder)
            session = self.recorded(app, library, version)
            row, = [row for row in self.rows(session)["rows"] if row["name"] == "library_draw"]
            self.assertEqual(row["file"], os.path.join(self.top, "a", "stacked_library.c"))

    def test_another_build(self):
        """A file that was built anew gives no line, whatever it has at the same addresses."""
        app, library = self.build("-g", "-O2")
        session = self.recorded(app, library)
        self.build("-g", "-O2", "-DANOTHER=1", "-fno-inline")
        report = self.rows(session)
        self.assertTrue(all(not row["function"] and not row["line"] for row in report["rows"] if row["module"] == app))
        self.assertIn("other_build", [one["symbols"] for one in report["modules"] if one["path"] == app])
        why = f"{app}: no functions: the file is another build than the recorded one"
        self.assertIn(f"# {why}\n", self.run_command("annotate", session).stdout)
        run = self.run_command("annotate", session, "recursive")
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "is named 'recursive'; " + why)

    def test_no_build_id(self):
        """Without build ids, only a file that is older than the session gives lines."""
        app, library = self.build("-g", "-O2", "-Wl,--build-id=none")
        later = {**QUIET, "program": {"start": "2040-01-01T00:00:00Z"}}
        self.assert_exact(self.recorded(app, library, about=later))
        earlier = {**QUIET, "program": {"start": "2001-01-01T00:00:00Z"}}
        changed = self.recorded(app, library, "changed", about=earlier)
        self.assertFalse(any(row["line"] for row in self.rows(changed)["rows"] if row["module"] == app))
        self.assertIn("the file was changed since, and has no build id", self.run_command("annotate", changed).stdout)

    def test_symbols_file(self):
        """symbols.csv gives lines without any other file; where it lacks them, files are read."""
        app, library = self.build("-g", "-O2")
        session = self.recorded(app, library)
        with open(os.path.join(session, "stacks.csv"), encoding="utf-8", newline="") as text:
            first = text.read().split("\r\n")[1].split(",")[2].strip('"').split(";")[0]
        module, offset = first.split("+")
        os.unlink(app)
        with open(os.path.join(session, "symbols.csv"), "w", encoding="utf-8") as out:
            out.write("module,offset,function,file,line,column,inlined\r\n"
                      f"{module},{offset},deep,/src/a.c,12,3,1\r\n{module},{offset},\"shallow, too\",/src/b.c,34,,0\r\n"
                      f"{module},0x999999,unused,,,,0\r\n")
        rows = {row["name"]: row for row in self.rows(session)["rows"]}
        self.assertEqual((rows["deep"]["file"], rows["deep"]["line"], rows["deep"]["inlined"]), ("/src/a.c", 12, True))
        self.assertEqual(rows["shallow, too"]["total_ns"], 3000)
        self.assertEqual(rows["library_draw"]["self_ns"], 256000)

    def test_kept_symbols(self):
        """`record` writes symbols.csv: then no other file is needed, also in an archive."""
        app, library = self.build("-g", "-O2")
        played = self.recorded(app, library, "played")
        for words, kept in ((("--symbols=now",), True), (("--symbols=later",), False), ((), True)):
            target = os.path.join(self.cwd, "out" + "".join(words))
            run = self.run_command("record", "-o", target, *words, "--", "true", env={"FAKE_SESSION": played, "FAKE_PROGRAM": "true"})
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(os.path.exists(os.path.join(target, "symbols.csv")), kept)
            self.assertFalse(os.path.exists(os.path.join(target, "symbols.csv.new")))
        for path in (app, library):
            os.unlink(path)
        self.assertEqual(self.run_command("archive", "-o", "x.tar.zst", target).returncode, 0)
        for session in (target, os.path.join(self.cwd, "x.tar.zst")):
            self.assert_exact(session)
        self.assertFalse(any(row["line"] for row in self.rows(os.path.join(self.cwd, "out--symbols=later"))["rows"]
                             if row["module"] == app))
        # a session with it can be replaced
        self.assertEqual(self.run_command("record", "-o", target, "--", "true", env={"FAKE_SESSION": played, "FAKE_PROGRAM": "true"}).returncode, 0)
        run = self.run_command("record", "--symbols=soon", "--", "true")
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "symbols", "now or later")
        # the words of perf
        for words, part in ((("--call-graph", "dwarf", "--", "true"), "--call-graph takes its value behind '=': --call-graph=unwind;"),
                            (("--call-graph", "fp", "true"), "--call-graph=fp;"), (("--call-graph=dwarf", "true"), "it is unwind"),
                            (("-g", "--", "dwarf"), "cannot run 'dwarf'")):
            run = self.run_command("record", *words)
            self.assertEqual(run.returncode, 127 if words[0] == "-g" else 125)
            self.assert_one_line(run.stderr, part)

    def test_lines_in_report(self):
        """`report` has the line of each draw behind its name, and --csv and --json have its file, from symbols.csv only."""
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

    def test_debuginfod(self):
        """Servers are asked only on request."""
        app, library = self.build("-g", "-O2")
        asked, kept = [], os.path.join(self.top, "kept")
        shutil.copy(app, kept)
        subprocess.run(["strip", app], check=True)
        session = self.recorded(app, library)

        class Server(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                asked.append(self.path)
                if not self.path.endswith("/debuginfo"):
                    self.send_error(404)
                    return
                with open(kept, "rb") as file:
                    body = file.read()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):  # pylint: disable=arguments-differ
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        env = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}/",
               "DEBUGINFOD_CACHE_PATH": os.path.join(self.top, "cache")}
        self.rows(session, env=env)
        self.assertEqual(asked, [])
        found = self.rows(session, "--debuginfod", "--by=line", env=env)
        if not asked:
            self.skipTest("this libdw has no debuginfod client")
        self.assertIn((*marks()["leaf"], 64000), [(os.path.basename(row["file"] or ""), row["line"], row["self_ns"])
                                                  for row in found["rows"]])

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

    def played(self, stacks, modules="", draws=(), passes=(), level="draw", about=None, **more):
        """A session whose stacks and modules are these rows."""
        path = self.session(frames(2, level=level), about=about or QUIET, **more)
        for name, text in (("stacks.csv", STACKS + stacks), ("modules.csv", MODULES + modules)):
            with open(os.path.join(path, name), "w", encoding="utf-8", newline="") as out:
                out.write(text)
        self.write_csv(path, "passes.csv", PASS_HEADER, passes)
        self.write_csv(path, "draws.csv", DRAW_HEADER, draws)
        return path

    @staticmethod
    def render(ns, **more):
        return {"frame": 1, "pass": 0, "pass_id": "aa", "kind": "render", "name": "window", "gpu_time_ns": ns, **more}

    @staticmethod
    def draw(place, stack, ns="", **more):
        return {"frame": 1, "pass": 0, "draw": place, "draw_id": f"d{place}", "call": "glDrawArrays", "stack": stack,
                "gpu_time_ns": ns, **more}

    def test_sums_stay_whole(self):
        """Draws without times, draws that overlap, passes without a stack, stacks that are not in stacks.csv."""
        module = "0,/nowhere/app,,0x1000,0x1000,0x9000,0,,\r\n"
        two = "1,,0+0x10\r\n2,,0+0x20;0+0x30\r\n"
        cases = {
            "no times of draws": ([self.draw(0, 2), self.draw(1, 2)], [self.render(9000, stack=1)],
                                  {"app+0x10": (9000, 0), "app+0x20": (None, 2)}, 9000),
            "overlapped": ([self.draw(0, 1, 6000), self.draw(1, 2, 12000)], [self.render(9000)],
                           {"app+0x10": (3000, 1), "app+0x20": (6000, 1)}, 9000),
            "a rest": ([self.draw(0, 1, 6000)], [self.render(9000, stack=2)],
                       {"app+0x10": (6000, 1), "app+0x20": (3000, 0)}, 9000),
            "unknown stacks": ([self.draw(0, 77, 6000), self.draw(1, "x", 1000)], [self.render(9000, stack=1)],
                               {"app+0x10": (2000, 0)}, 2000)}
        for name, (draws, passes, wanted, stacked) in cases.items():
            with self.subTest(name):
                report = self.rows(self.played(two, module, draws, passes, name=name.replace(" ", "-")))
                found = {row["name"]: (row["self_ns"], row["self_actions"]) for row in report["rows"]
                         if row["self_ns"] or row["self_actions"]}
                text = self.run_command("annotate", name.replace(" ", "-"), cwd=self.top).stdout
                self.assertEqual("actions a frame have no GPU time: " in text, "no times" in name)
                if "no times" in name:
                    self.assertRegex(text, r"\n +- +- +- +2  app\+0x20")
                self.assertEqual((found, report["gpu_time_ns"], report["gpu_time_with_stack_ns"]), (wanted, 9000, stacked))

    def test_level_pass(self):
        """Without actions, all of the time is at the calls that began passes: the head says so, and "-" stands for actions."""
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

    def test_without_times(self):
        """Draws without times: the caller is the one with the most actions, and what was not measured is no 0."""
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        stacks = "1,,0+0x10;0+0x20;0+0x90\r\n2,,0+0x10;0+0x30;0+0x90\r\n3,,0+0x30;0+0x90\r\n"
        draws = [self.draw(0, 1), *(self.draw(place, 2) for place in range(1, 4)), self.draw(4, 1)]
        session = self.played(stacks, module, draws, [self.render(9000, stack=3)])
        shown = self.run_command("annotate", session).stdout
        self.assertRegex(shown, r"\n +- +- +- +5  app\+0x10 < app\+0x30 < app\+0x90\n")
        self.assertRegex(shown, r"\n +- +- +- +0  app\+0x20 < app\+0x90\n")
        self.assertRegex(shown, r"\n +100\.00% +0\.00% +0\.\d+ +0  app\+0x90\n")
        shown = self.run_command("annotate", "--callers", "--callees", session).stdout
        self.assertRegex(shown, r"  app\+0x10\n +- +called by app\+0x30\n +- +called by app\+0x20\n +- +calls \[graphics API\]\n")
        self.assertRegex(shown, r"  app\+0x20\n +- +called by app\+0x90\n +- +calls app\+0x10\n")
        self.assertRegex(shown, r"  app\+0x30\n +100\.00% +called by app\+0x90\n +100\.00% +calls \[graphics API\]\n"
                                r" +- +calls app\+0x10\n")
        rows = {row["name"]: row for row in self.rows(session)["rows"]}
        self.assertEqual([(one["name"], one["gpu_time_ns"]) for one in rows["app+0x10"]["callers"]],
                         [("app+0x30", None), ("app+0x20", None)])
        self.assertEqual([(row["self_ns"], row["total_ns"]) for row in (rows["app+0x20"], rows["app+0x90"])],
                         [(None, None), (0, 9000)])
        nowhere = self.played("1,,0+0x10\r\n", module, [self.draw(0, "")], [self.render("", stack=1)], name="nowhere")
        self.assertRegex(self.run_command("annotate", nowhere).stdout, r"\n +- +- +- +1  \[no stack\]\n")

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

    def test_perf_map(self):
        """Names of functions that a just-in-time compiler made: only from a map of this session, of this user."""
        pid = 500_000_000 + os.getpid()  # no process has this number
        path = f"/tmp/perf-{pid}.map"
        about = {**QUIET, "program": {"pid": pid, "start": "2020-01-01T00:00:00Z"}, "host": {"name": os.uname().nodename}}
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        session = self.played("1,,?0x5010;0+0x10\r\n2,,?0x5040\r\n", module, [self.draw(0, 1, 5), self.draw(1, 2, 3)],
                              [self.render(8)])

        def names(**more):
            with open(os.path.join(session, "session.json"), "w", encoding="utf-8") as out:
                json.dump({"passprobe": ABOUT["passprobe"], **about, **more}, out)
            return {row["name"]: row["self_ns"] for row in self.rows(session)["rows"] if row["self_ns"]}

        unnamed = {"0x5010": 5, "0x5040": 3}
        self.addCleanup(lambda: os.path.lexists(path) and os.unlink(path))
        self.assertEqual(names(), unnamed)
        with open(path, "w", encoding="utf-8") as out:
            out.write("4000 2000 replaced later\nnonsense\n5000 30 lua:draw \x1b[1m(x)\n5030 10 too short\n6000\n")
        self.assertEqual(names(), {"lua:draw ?[1m(x)": 5, "replaced later": 3})
        self.assertEqual(names(host={"name": "another machine"}), unnamed)
        self.assertEqual(names(program={"pid": pid, "start": "2040-01-01T00:00:00Z"}), unnamed)
        os.utime(path, (4e9, 4e9))  # of a later process with the same number
        self.assertEqual(names(), unnamed)
        os.utime(path)
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
            self.assertEqual(names(), unnamed)
            os.chown(path, 0, 0)
        os.rename(path, real := path + ".real")
        self.addCleanup(os.unlink, real)
        os.symlink(real, path)
        self.assertEqual(names(), unnamed)

    def test_hostile_files(self):
        module = "0,/nowhere/app,,0,0,0,0,,\r\n"
        for what, stacks, modules, parts in (
                ("offset", "1,,0+0x10\r\n2,,0+zz\r\n", module, ("stacks.csv", "row 3", "'frames'", "'0+zz'")),
                ("module", "1,,7+0x10\r\n", module, ("stacks.csv", "row 2", "'frames'", "'7+0x10'")),
                ("number", "x,,0+0x10\r\n", module, ("stacks.csv", "row 2", "'stack'", "'x'")),
                ("overflow", "1,,0+0x10000000000000000\r\n", module, ("stacks.csv", "row 2", "'frames'")),
                ("twice", "1,,0+0x10\r\n1,,0+0x20\r\n", module, ("stacks.csv", "the number 1 stands twice")),
                ("deep", "1,," + ";".join(["0+0x10"] * 1025) + "\r\n", module, ("stacks.csv", "row 2", "too many")),
                ("bias", "", "0,/nowhere/app,,minus,0,0,0,,\r\n", ("modules.csv", "row 2", "'load_bias'", "'minus'")),
                ("build id", "", "0,/nowhere/app,../../etc,0,0,0,0,,\r\n", ("modules.csv", "row 2", "'build_id'")),
                ("same module", "", module + module, ("modules.csv", "the number 0 stands twice"))):
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

    def test_broken_executables(self):
        """Executables with wrong bytes do no harm. The same bytes are wrong in each run."""
        app, library = self.build("-g", "-O1")
        session = self.recorded(app, library)
        with open(app, "rb") as file:
            whole = file.read()
        state, known = 12345, 0
        for attempt in range(24):
            broken = bytearray(whole)
            for _ in range(1 << attempt % 12):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                at = (state >> 33) % len(broken)
                if at >= 0x400:  # the first KiB has the build id
                    broken[at] ^= 1 << (state >> 20) % 8
            os.unlink(app)
            with open(app, "wb") as file:
                file.write(broken if attempt % 6 else broken[:len(broken) // 2])
            report = self.rows(session)
            self.assertEqual(report["gpu_time_ns"], DRAWN + 5000)
            known += any(row["function"] for row in report["rows"] if row["module"] == app)
        self.assertGreater(known, 3)  # the command did read broken files

    def test_without_stacks(self):
        run = self.run_command("annotate", self.session(frames(2), [self.render(5)], about=QUIET))
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "has no call stacks")
        run = self.run_command("annotate", os.path.join(self.top, "nowhere"), "main")
        self.assertEqual(run.returncode, 125)
        for words, part in ((("--by=word",), "the value is function, line, file or module"),
                            (("--by=lines",), "--by: bad value 'lines'; did you mean 'line'?"),
                            (("--prefix-map=a",), "--prefix-map"), (("a", "b", "c"), "too many"),
                            (("--bogus",), "unknown option '--bogus'; `passprobe annotate --help`"),
                            (("--skip-modlue=x",), "did you mean '--skip-module'?"), (("--calers",), "did you mean '--callers'?"), (("--sort",), "needs an argument"), (("-E", "x"), "x"),
                            (["--skip-module=x"] * 17, "at most 16")):
            run = self.run_command("annotate", *words)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, part)

    def folded(self, *words):
        """{"a;b;c": nanoseconds} of `report --folded`."""
        run = self.run_command("report", "--folded", *words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        found = {}
        for line in run.stdout.splitlines():
            path, _, value = line.rpartition(" ")
            self.assertNotIn(path, found)
            found[path] = int(value)
        return found

    def test_folded(self):
        """The functions of the application, then label, pass and call; times add up."""
        session = self.recorded(*self.build("-g", "-O2"))
        found = self.folded(session)
        space = "(anonymous namespace)::"
        self.assertEqual(sum(found.values()), DRAWN + 5000)
        self.assertEqual(found["[no stack];window"], 5000)
        self.assertEqual(found[f"main;{space}outer;{space}draw_twice_inlined;{space}draw_inlined;window;glDrawArrays"], 16000)
        self.assertEqual(found[f"main;{space}in_library;library_draw;window;glDrawArrays"], 256000)
        plain = self.session(frames(3), [{"frame": i, "pass": 0, "pass_id": "aa", "kind": "render", "name": "a;b",
                                          "label": r"sc\/ene/<script>", "gpu_time_ns": 1000 * i} for i in range(3)], about=QUIET,
                             name="plain")
        self.assertEqual(self.folded(plain), {"sc/ene;<script>;a:b": 3000})
        self.assertEqual(self.folded("--frames=2", plain), {"sc/ene;<script>;a:b": 2000})

    def test_flame(self):
        session = self.recorded(*self.build("-g", "-O2"))
        picture = os.path.join(self.top, "out.svg")
        self.assertEqual(self.run_command("report", "--flame", picture, session).returncode, 0)
        root = xml.etree.ElementTree.parse(picture).getroot()
        space = "{http://www.w3.org/2000/svg}"
        boxes = {box.find(space + "title").text.split("\n")[0]: box for box in root.findall(space + "g")}
        self.assertAlmostEqual(float(boxes["library_draw"].get("data-w")), 256000 / (DRAWN + 5000), 5)
        self.assertEqual((boxes["GPU time"].get("data-x"), boxes["GPU time"].get("data-w")), ("0.000000", "1.000000"))
        self.assertEqual(boxes["library_draw"].get("class"), "f")
        root_y, library_y = (float(boxes[name].find(space + "rect").get("y")) for name in ("GPU time", "library_draw"))
        self.assertGreater(root_y, library_y)  # what is called stands above
        for text in ("256.00 us a frame", "50.79 %"):
            self.assertIn(text, boxes["library_draw"].find(space + "title").text)
        run = self.run_command("report", "--flame", picture, session)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "cannot write", "exists")
        hostile = self.session(frames(2), [{"frame": 1, "pass": 0, "pass_id": "aa", "kind": "render", "name": "</script>\x1b]]>&",
                                            "label": "<b onclick='x'>", "gpu_time_ns": 1000}], about=QUIET, name="hostile")
        for name in ("hostile.html", "hostile.svg"):
            self.assertEqual(self.run_command("report", "--flame", name, hostile).returncode, 0)
            with open(os.path.join(self.cwd, name), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual((text.count("</script>"), text.count("<b"), text.count("\x1b")), (1, int("<body>" in text), 0))
            self.assertIn("&lt;b onclick='x'&gt;", text)
        for words in (("--flame=out.png",), ("--flame=.svg",), ("--folded", "--json"), ("--folded", "--flame=a.svg"),
                      ("--flame=a.svg", "--pass=x")):
            run = self.run_command("report", *words, hostile)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, "--")
        full = self.run_command("report", "--flame=/dev/full/x.svg", hostile)
        self.assert_one_line(full.stderr, "cannot write /dev/full/x.svg")
        run = self.run_command("report", "--folded", self.session(frames(2), about=QUIET, name="none"))
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "has no passes whose GPU time was measured")

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
