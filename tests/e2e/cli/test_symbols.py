"""Functions and lines of addresses: each way to build an application, and each place where debug information can be."""
import http.server
import json
import os
import re
import shutil
import struct
import subprocess
import threading

from command import ABOUT
from harness import unit_main
from stacked import DRAWN, LIBRARY, QUIET, StackedTest, marks


class Symbols(StackedTest):
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
        for words, part in ((("--call-graph", "dwarf", "--", "true"), "--call-graph takes its value after '=': --call-graph=unwind;"),
                            (("--call-graph", "fp", "true"), "--call-graph=fp;"), (("--call-graph=dwarf", "true"), "it is unwind"),
                            (("-g", "--", "dwarf"), "cannot run 'dwarf'")):
            run = self.run_command("record", *words)
            self.assertEqual(run.returncode, 127 if words[0] == "-g" else 125)
            self.assert_one_line(run.stderr, part)

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

    def jit_record(self, kind, body):
        """A record of a jitdump file."""
        return struct.pack("<IIQ", kind, 16 + len(body), 7) + body

    def jit_load(self, start, size, number, name):
        return self.jit_record(0, struct.pack("<IIQQQQ", 1, 1, start, start, size, number) + name + b"\0" + bytes(size))

    def jit_lines(self, start, lines):
        """@param lines [(address, line, file)]."""
        return self.jit_record(2, struct.pack("<QQ", start, len(lines)) +
                               b"".join(struct.pack("<QII", at, line, 0) + file + b"\0" for at, line, file in lines))

    def test_jit_dump(self):
        """Names and lines of functions that a just-in-time compiler made, from jitdump; code that was moved or replaced."""
        pid = 500_000_000 + os.getpid()  # no process has this number
        path = f"/tmp/jit-{pid}.dump"
        self.addCleanup(lambda: os.path.lexists(path) and os.unlink(path))
        about = {**QUIET, "program": {"pid": pid, "start": "2020-01-01T00:00:00Z"}, "host": {"name": os.uname().nodename}}
        stacks = "".join(f"{i},,?{at:#x}\r\n" for i, at in enumerate((0x5010, 0x5030, 0x7018, 0x9000), 1))
        session = self.played(stacks, "", [self.draw(i, i + 1, 10 + i) for i in range(4)], [self.render(60)], about=about)

        def write(content):
            """Write the file when the session ended: on a busy machine this test lasts longer than files may come late."""
            with open(path, "wb") as out:
                out.write(content)
            ended = os.stat(os.path.join(self.cwd, session, "session.json")).st_mtime
            os.utime(path, (ended, ended))

        def found():
            return {row["name"]: (row["file"], row["line"]) for row in self.rows(session, "--by=line")["rows"] if row["self_ns"]}

        unnamed = {name: (None, None) for name in ("0x5010", "0x5030", "0x7018", "0x9000")}
        self.assertEqual(found(), unnamed)
        head = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, pid, 0, 0)
        lines = [(0x5000, 3, b"/js/a.js"), (0x5010, 5, b"\xff"), (0x5020, 9, b"/js/inc.js")]
        whole = [head, self.jit_load(0x5000, 0x100, 1, b"old"), self.jit_lines(0x5000, lines), self.jit_load(0x5000, 0x40, 2, b"draw \x1b[1m"),
                 self.jit_lines(0x8000, [(0x8000, 1, b"/js/b.js"), (0x8018, 2, b"\xff")]), self.jit_load(0x8000, 0x40, 3, b"moved"),
                 self.jit_record(1, struct.pack("<IIQQQQQ", 1, 1, 0x8000, 0x8000, 0x7000, 0x40, 3)),
                 self.jit_record(1, struct.pack("<IIQQQQQ", 1, 1, 0x8000, 0x8000, 0x9000, 0x40, 77)),  # of no function
                 self.jit_record(4, b"unwinding"), self.jit_record(99, b"newer")]
        write(b"".join(whole))
        named = {"a.js:5": ("/js/a.js", 5), "inc.js:9": ("/js/inc.js", 9), "b.js:2": ("/js/b.js", 2), "0x9000": (None, None)}
        self.assertEqual(found(), named)
        self.assertEqual({row["name"] for row in self.rows(session)["rows"] if row["self_ns"]}, {"draw ?[1m", "moved", "0x9000"})
        for broken in (b"", head[:39], b"".join(whole)[1:], head + struct.pack("<IIQ", 0, 15, 0), head + self.jit_record(0, bytes(40)),
                       head + self.jit_record(2, bytes(15)), head + struct.pack("<IIQ", 0, 0xffffffff, 0)):
            write(broken)
            self.assertEqual(found(), unnamed)
        write(b"".join(whole[:4]) + struct.pack("<IIQ", 0, 100, 0))  # the application was killed
        self.assertEqual(found(), {"a.js:5": ("/js/a.js", 5), "inc.js:9": ("/js/inc.js", 9), "0x7018": (None, None),
                                   "0x9000": (None, None)})
        os.utime(path, (4e9, 4e9))  # of a later process with the same number
        self.assertEqual(found(), unnamed)

    def jit_session(self):
        """A session with 20,000 addresses of code that a just-in-time compiler made, and the number of its process."""
        pid = 500_000_000 + os.getpid()  # no process has this number
        about = {**QUIET, "program": {"pid": pid, "start": "2020-01-01T00:00:00Z"}, "host": {"name": os.uname().nodename}}
        stacks = "".join(f"{i},,?{0x10000 + i:#x}\r\n" for i in range(1, 20_001))
        return self.played(stacks, "", [self.draw(i, i + 1, 10) for i in range(3)], [self.render(60)], about=about), pid

    def names_by(self, session, path, *content):
        """The names of functions, if a compiler left this file."""
        self.addCleanup(lambda: os.path.lexists(path) and os.unlink(path))
        with open(path, "wb") as out:
            for part in content:
                out.write(part)
        shutil.copystat(os.path.join(session, "session.json"), path)  # whatever time this took
        names = {row["name"] for row in self.rows(session)["rows"] if row["self_ns"]}
        os.unlink(path)
        return names

    def test_forged_files_of_a_compiler_take_no_time(self):
        """Each of a million functions has all addresses; a function has millions of lines; a name has megabytes. Such files
        are read in seconds; without bounds each would take longer than the time that a command has in these tests."""
        session, pid = self.jit_session()
        dump, everything = f"/tmp/jit-{pid}.dump", struct.pack("<IIQQQQ", 1, 1, 0, 0, 2**64 - 1, 7)
        head = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, pid, 0, 0)
        load = self.jit_record(0, everything + b"f\0")
        self.assertEqual(self.names_by(session, dump, head, load * 1_000_000), {"f"})
        lines = struct.pack("<QII", 0, 1, 0) + b"a.js\0" + (struct.pack("<QII", 0, 2, 0) + b"\xff\0") * 2_000_000
        self.assertEqual(self.names_by(session, dump, head, self.jit_record(2, struct.pack("<QQ", 0, 1) + lines), load), {"f"})
        (name,) = self.names_by(session, dump, head, self.jit_record(0, everything + b"n" * 100_000_000 + b"\0"))
        self.assertEqual(set(name[:1000]), {"n"})
        self.assertEqual(self.names_by(session, f"/tmp/perf-{pid}.map", b"0 ffffffffffffffff f\n" * 3_000_000), {"f"})

    def test_what_is_no_file_of_a_compiler(self):
        """A FIFO, a link, a directory, a file of another user: it is not read, and nothing waits."""
        session, pid = self.jit_session()
        dump, other = f"/tmp/jit-{pid}.dump", os.path.join(self.top, "other.dump")
        whole = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, pid, 0, 0) + self.jit_load(0x10000, 0x8000, 1, b"f")
        self.assertEqual(self.names_by(session, dump, whole), {"f"})
        unnamed = self.names_by(session, dump, b"")
        self.assertEqual(unnamed, {"0x10001", "0x10002", "0x10003"})
        with open(other, "wb") as out:
            out.write(whole)
        makers = [lambda: os.mkfifo(dump), lambda: os.symlink(other, dump), lambda: os.mkdir(dump)]
        if os.geteuid() == 0:
            makers.append(lambda: (shutil.copy(other, dump), os.chown(dump, 65534, 65534)))
        for make in makers:
            make()
            self.addCleanup(lambda: os.path.lexists(dump) and os.unlink(dump))
            if not os.path.islink(dump):
                shutil.copystat(os.path.join(session, "session.json"), dump)
            self.assertEqual({row["name"] for row in self.rows(session)["rows"] if row["self_ns"]}, unnamed)
            (os.rmdir if os.path.isdir(dump) and not os.path.islink(dump) else os.unlink)(dump)

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


if __name__ == "__main__":
    unit_main()
