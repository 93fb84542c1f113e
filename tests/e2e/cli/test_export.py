"""`passprobe export`: each value of a database and of JSON lines is that of the session's files, with its type; indexes are
used; hostile names, damage, full disks and other files do no harm."""
import csv
import importlib.util
import json
import os
import pty
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from command import ABOUT, CommandTest, DRAW_HEADER, FRAME_HEADER, LABEL_HEADER, MS, PASS_HEADER, frames, passes
from harness import ROOT, Skip, unit_main

SESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions")
SCHEMA_2 = {**ABOUT, "schema": 2, "surfaces": [{"name": "window 1", "device": 0}],
            "marks": [{"at_ns": 7, "frame": 2, "label": "level \"loaded\"; DROP TABLE frames"}, {"at_ns": 9, "label": "late"}],
            "program": {"command": ["./game", "--fast"], "pid": 77, "start_realtime_ns": 1 << 60}}
TEXTS = {"api", "level", "bound_by", "pass_id", "kind", "name", "label", "queue", "attachments", "draw_id", "call",
         "pipeline", "app"}
GUIDE = os.path.join(ROOT, "docs", "guide", "sharing.md")
FILES = ("frames", "passes", "draws", "labels")


def rows_2(count, **more):
    """Frames of schema 2."""
    return frames(count, device=0, surface=0, app="game, the", pid=77, **more)


def draws(count):
    return [{"frame": i, "pass": i % 2, "draw": k, "draw_id": f"0{i % 3}{k:02}", "call": "glDrawArrays",
             "pipeline": "program-1", "vertices": 3 * k, "gpu_time_ns": k * MS if k else ""}
            for i in range(count) for k in range(3)]


def read_csv(path):
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def number(text):
    """What a cell of numbers means."""
    return int(text) if re.fullmatch("-?[0-9]+", text) and abs(int(text)) < 1 << 63 else float(text)


class Export(CommandTest):
    def full(self, count=5, name="made", about=SCHEMA_2, made_frames=None):
        """A session of all files."""
        made = self.session(made_frames or rows_2(count), passes(count), about=about, name=name)
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws(count))
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene/\"it's\"", "depth": 1, "gpu_inclusive_ns": 6 * MS} for i in range(count)])
        return made

    def export(self, *args, status=0, **more):
        run = self.run_command("export", *args, **more)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def database(self, session, *more, status=0):
        path = os.path.join(self.cwd, "out.sqlite")
        if os.path.exists(path):
            os.unlink(path)
        self.export("--as", "sqlite", "-o", path, session, *more, status=status)
        db = sqlite3.connect(path)
        self.addCleanup(db.close)
        self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        return db

    def lines(self, session, status=0):
        tables = {}
        for line in self.export("--as", "jsonl", "-o", "-", session, status=status).stdout.splitlines():
            row = json.loads(line)
            self.assertEqual(next(iter(row)), "table")
            tables.setdefault(row.pop("table"), []).append(row)
        return tables

    def assert_values(self, made, files=FILES):
        """All cells, in both formats."""
        db, lines = self.database(made), self.lines(made)
        cells = 0
        for name in files:
            header, rows = read_csv(os.path.join(made, name + ".csv"))
            cursor = db.execute(f"SELECT * FROM {name}")
            self.assertEqual([column[0] for column in cursor.description], header)
            found = cursor.fetchall()
            self.assertEqual((len(found), len(lines.get(name, []))), (len(rows), len(rows)))
            for row, in_sql, in_json in zip(rows, found, lines.get(name, [])):
                self.assertEqual(list(in_json), header)
                for column, text, one, other in zip(header, row, in_sql, in_json.values()):
                    is_text = column in TEXTS or (isinstance(one, str) and column in ("device", "surface"))
                    wanted = None if text == "" else text if is_text else number(text)
                    self.assertEqual((one, other), (wanted, wanted), f"{name}: {column}")
                    cells += wanted is not None
        self.assertGreater(cells, 100)
        return db, lines

    def test_values_and_types(self):
        made = self.full(made_frames=rows_2(5, **{"khr:even": "0.1", "khr:odd": "1e-07", "khr:load_percent": "-12.5",
                                                  "gpu_start_ns": (1 << 63) - 1, "app:x y": "2.5", "app:z": ""}))
        db, lines = self.assert_values(made)
        types = {name: kind for _, name, kind, *_ in db.execute("PRAGMA table_info(frames)")}
        self.assertEqual([types[name] for name in ("frame", "device", "surface", "frame_time_ns", "pid", "api", "bound_by",
                                                   "app", "pipeline:vertex_shader_invocations", "khr:even", "app:x y")],
                         ["INTEGER"] * 5 + ["TEXT"] * 3 + ["INTEGER", "REAL", "REAL"])
        kinds = db.execute('SELECT typeof(frame_time_ns), typeof("khr:odd"), typeof(api), typeof("app:z") FROM frames')
        self.assertEqual(set(kinds), {("integer", "real", "text", "null")})
        self.assertEqual(db.execute("SELECT max(frame_time_ns) FROM frames").fetchone(), (500 * MS,))
        self.assertEqual(db.execute("SELECT * FROM app_counters").fetchall(), [(i, "x y", 2.5) for i in range(5)])
        self.assertEqual(lines["app_counters"][0], {"frame": 0, "name": "x y", "value": 2.5})
        self.assertEqual(db.execute("PRAGMA user_version").fetchone(), (1,))

    def test_lists_of_session_json(self):
        made = self.full()
        db, lines = self.database(made), self.lines(made)
        self.assertEqual(db.execute("SELECT passprobe, schema, ended, command, pid, start_realtime_ns, level FROM session")
                         .fetchall(), [("0.1.0", 2, "exit", '["./game","--fast"]', 77, 1 << 60, None)])
        with open(os.path.join(made, "session.json"), encoding="utf-8") as file:
            about = json.load(file)
        self.assertEqual(json.loads(db.execute("SELECT json FROM session").fetchone()[0]), about)
        self.assertEqual(lines["session"][0]["json"], about)
        self.assertEqual(lines["session"][0]["command"], ["./game", "--fast"])
        self.assertEqual(db.execute("SELECT device, api, name, driver FROM devices").fetchall(), [(0, "gl", "llvmpipe", None)])
        self.assertEqual(json.loads(db.execute("SELECT json FROM devices").fetchone()[0]), about["devices"][0])
        self.assertEqual(db.execute("SELECT s.name, d.name, count(*) FROM frames JOIN surfaces AS s USING (surface)"
                                    " JOIN devices AS d ON d.device = s.device").fetchall(), [("window 1", "llvmpipe", 5)])
        self.assertEqual(db.execute("SELECT * FROM marks").fetchall(),
                         [(7, 2, about["marks"][0]["label"]), (9, None, "late")])
        self.assertEqual(lines["marks"][1], {"at_ns": 9, "frame": None, "label": "late"})

    def test_schema_1(self):
        """Names are in the rows of frames: the same joins work."""
        made = os.path.join(SESSIONS, "schema1")
        db, _ = self.assert_values(made, ("frames", "passes", "labels"))
        self.assertEqual(db.execute("SELECT s.name, d.name, count(*) FROM frames AS f JOIN surfaces AS s USING (surface)"
                                    " JOIN devices AS d ON d.device = f.device").fetchall(),
                         [("pbuffer 1", "llvmpipe (LLVM 15.0.6, 256 bits)", 20)])

    def test_without_session_json(self):
        """Nothing says which schema it is: numbers stay numbers, and names stay names."""
        for made, wanted in ((rows_2(300), ("integer", "integer")), (frames(300), ("text", "text"))):
            made = self.session(made, passes(300), name=wanted[0])
            db = self.database(made, status=125)
            self.assertEqual(set(db.execute("SELECT typeof(device), typeof(surface) FROM frames")), {wanted})

    def test_indexes(self):
        db = self.database(self.full())
        for query, index in (("frames WHERE frame = 3", "frames_by_frame"),
                             ("passes WHERE frame = 3 AND pass = 1", "passes_by_frame"),
                             ("passes WHERE pass_id = '00aa'", "passes_by_pass_id"),
                             ("draws WHERE frame = 3 AND pass = 1", "draws_by_frame"),
                             ("draws WHERE draw_id = '0101'", "draws_by_draw_id"),
                             ("labels WHERE frame = 3", "labels_by_frame"), ("labels WHERE label = ''", "labels_by_label"),
                             ("marks WHERE frame = 3", "marks_by_frame"), ("app_counters WHERE name = 'x'", "app_counters_by_name")):
            plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN SELECT * FROM {query}"))
            self.assertRegex(plan, rf"SEARCH \w+ USING INDEX {index} ")

    def test_views(self):
        rows = rows_2(6)
        rows[3].update(frame_time_ns=90 * MS)
        made = self.full(6, made_frames=rows)
        db = self.database(made)
        self.assertEqual(db.execute("SELECT frame FROM first_frames").fetchall(), [(0,)])
        self.assertEqual(db.execute("SELECT count(*) FROM frames_without_first").fetchone(), (5,))
        self.assertEqual(db.execute("SELECT frame, frame_ms, marks FROM slowest_frames LIMIT 2").fetchall()[0], (3, 90.0, None))
        self.assertEqual(db.execute("SELECT marks FROM slowest_frames WHERE frame = 2").fetchall(),
                         [(SCHEMA_2["marks"][0]["label"],)])
        self.assertEqual(db.execute("SELECT * FROM pass_times").fetchall(),
                         [("00bb", "render", "scene", "window", 5, 30.0, 6.0, 6.0, 1),
                          ("00aa", "render", None, "shadow map", 5, 15.0, 3.0, 3.0, 1)])
        made = self.session([], name="none")
        self.write_csv(made, "frames.csv", "frame,api", [{"frame": 1, "api": "gl"}])
        db = self.database(made)
        self.assertEqual(db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall(),
                         [("frames_without_first",), ("pass_times",)], "slowest_frames needs columns that are not there")

    def test_questions_of_the_guide(self):
        """The queries that docs/guide/sharing.md shows for SQL find rows."""
        rows = rows_2(6, **{"pipelines_created": 2, "pipeline_create_ns": MS})
        made = self.full(6, made_frames=rows)
        self.write_csv(made, "draws.csv", DRAW_HEADER, [{**row, "frame": 4, "pipeline:fragment_shader_invocations": 9}
                                                        for row in draws(6)])
        db = self.database(made)
        with open(GUIDE, encoding="utf-8") as file:
            section = file.read().split("## Questions in SQL")[1].split("\n#")[0]
        queries = " ".join(line.strip() for line in section.splitlines()
                           if line.startswith("    ") and not line.strip().startswith("--")).split(";")
        self.assertGreaterEqual(len(queries), 5)
        for query in filter(str.strip, queries):
            found = db.execute(query.replace("frame = 60", "frame = 4")).fetchall()
            self.assertTrue(found, query)
            self.assertFalse(any(value is None for value in found[0]), (query, found))

    def test_hostile_names(self):
        """Names of columns, files and folders are data."""
        header = ['frame', 'api', 'x"); DROP TABLE session; --', "a'b", "line\nbreak", "tab\tbell\a", "app:Load", "app:load",
                  "APP:LOAD", "", "table", "rowid", "select", "naïve 😀", "app:", "Frame"]
        made = os.path.join(self.top, "it's \"; DROP TABLE x; --\n")
        os.mkdir(made)
        with open(os.path.join(made, "frames.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, [1, "gl", *"abcd", 5, 6, 7, "e", "f", 8, 9, 10, 11, 12]])
        with open(os.path.join(made, "session.json"), "w", encoding="utf-8") as file:
            json.dump(SCHEMA_2, file)
        self.write_csv(made, "passes.csv", PASS_HEADER, ())
        self.write_csv(made, "labels.csv", LABEL_HEADER, ())
        db, lines = self.database(made), self.lines(made)
        cursor = db.execute("SELECT * FROM frames")
        names = header[:7] + ["app:load_2", "APP:LOAD_11", "column_10", "table_2"] + header[11:15] + ["Frame_2"]
        self.assertEqual([column[0] for column in cursor.description], names)
        self.assertEqual(cursor.fetchall(), [(1, "gl", *"abcd", 5.0, 6.0, 7.0, "e", "f", 8, 9, 10, 11.0, 12)])
        self.assertEqual(list(lines["frames"][0]), names)
        self.assertEqual(db.execute("SELECT name, value FROM app_counters").fetchall(),
                         [("Load", 5.0), ("load", 6.0), ("", 11.0)])
        self.assertEqual(db.execute("SELECT count(*) FROM session").fetchone(), (1,))
        for name in (":memory:", "file:x?mode=memory", "it's.db", "-x"):
            self.export("--as", "sqlite", "-o", name, made)
            with open(os.path.join(self.cwd, name), "rb") as file:
                self.assertEqual(file.read(15), b"SQLite format 3")

    def test_hostile_cells(self):
        """Broken UTF-8, numbers that are none, ids that look like numbers."""
        made = self.full()
        with open(os.path.join(made, "frames.csv"), "wb") as file:
            file.write(b"frame,api,frame_time_ns,khr:a,new,app:n\r\n1,g\xff\xc3l,0x1F,nan,007,\xfe\r\n"
                       b"2,\"l\ni\"\"ne\x07\",12 apples,9223372036854775808,1e5,1\r\n"
                       b"3,,99999999999999999999,1e999,12,2\r\n4,gl,\"\",-0.5,1.5,+3\r\n")
        db = self.database(made, status=125)
        self.assertEqual(db.execute("SELECT frame, api, frame_time_ns, \"khr:a\", new, \"app:n\" FROM frames").fetchall(),
                         [(1, "g??l", None, None, "007", None), (2, "l\ni\"ne\a", None, float(1 << 63), "1e5", 1.0),
                          (3, None, 1e20, None, 12, 2.0), (4, "gl", None, -0.5, 1.5, None)])
        lines = self.lines(made, status=125)
        self.assertEqual([list(row.values()) for row in lines["frames"]],
                         [[1, "g??l", None, None, "007", None], [2, "l\ni\"ne\a", None, 9223372036854775808, "1e5", 1],
                          [3, None, 10**20 - 1, None, 12, 2], [4, "gl", None, -0.5, 1.5, None]])
        run = self.export("--as", "sqlite", "-o", "again", made, status=125)
        self.assertIn("6 cells of columns of numbers hold no number; they became NULL", run.stderr)

    def test_many_columns(self):
        """A database takes 2,000 columns, and equal names take no time."""
        made = self.session(rows_2(3, passes=""), about=SCHEMA_2)
        self.write_csv(made, "passes.csv", "frame," + ",".join(["x"] * 4000), [{"frame": 1, "x": 5}])
        run = self.export("--as", "sqlite", made, status=125)
        self.assert_one_line(run.stderr, "passes has 4001 columns, and a database takes 2000; --as jsonl takes all")
        self.assertEqual(os.listdir(self.cwd), [])
        self.assertEqual(len(self.lines(made)["passes"][0]), 4001)

    def test_archive(self):
        made = self.full()
        self.assertEqual(self.run_command("archive", "--no-redact", made).returncode, 0)
        tmp = os.path.join(self.top, "tmp")
        os.mkdir(tmp)
        plain = self.export("--as", "jsonl", "-o", "-", made)
        packed = self.export("--as", "jsonl", "-o", "-", "made.tar.zst", env={"TMPDIR": tmp})
        self.assertEqual((packed.stdout, packed.stderr), (plain.stdout, ""))
        self.export("--as", "sqlite", "made.tar.zst", env={"TMPDIR": tmp})
        self.assertEqual(sorted(os.listdir(self.cwd)), ["made.sqlite", "made.tar.zst"])
        self.assertEqual(os.listdir(tmp), [])

    def test_damage_is_said(self):
        """What can be read is in the file; the message says what is lost."""
        made = self.full(50, about={**SCHEMA_2, "revision": 1, "revision_end": 1,
                                    "counts": {"frames": 50, "passes": 100, "draws": 150}})
        path = os.path.join(made, "passes.csv")
        os.truncate(path, os.path.getsize(path) // 2)
        run = self.export("--as", "sqlite", made, status=125)
        self.assertRegex(run.stderr, r"(?m)^passprobe: \S+ is damaged; the file lacks the lost data: passes.csv: \d+ rows missing$")
        with sqlite3.connect(os.path.join(self.cwd, "made.sqlite")) as db:
            passes_left, = db.execute("SELECT count(*) FROM passes").fetchone()
            self.assertEqual(db.execute("SELECT count(*) FROM draws").fetchone(), (150,))
        self.assertIn(f"{100 - passes_left} rows missing", run.stderr)
        self.assertEqual(passes_left, len(read_csv(path)[1]) - 1)
        os.unlink(path)
        self.assertIn("passes.csv: 100 rows missing", self.export("--as", "jsonl", made, status=125).stderr)

    def test_any_cut(self):
        """A file that is cut anywhere, or that has other bytes somewhere: no crash, and the file is a database."""
        made = self.full(20)
        choose = random.Random(8)
        for _ in range(30):
            copy = os.path.join(self.top, "copy")
            shutil.copytree(made, copy)
            path = os.path.join(copy, choose.choice(["frames.csv", "passes.csv", "draws.csv", "labels.csv", "session.json"]))
            with open(path, "r+b") as file:
                data = bytearray(file.read())
                at = choose.randrange(len(data))
                if choose.random() < 0.5:
                    data = data[:at]
                else:
                    data[at:at + 8] = choose.randbytes(8)
                file.seek(0)
                file.truncate()
                file.write(data)
            out = os.path.join(self.cwd, "out")
            run = self.run_command("export", "--as", "sqlite", "-o", out, copy)
            self.assertIn(run.returncode, (0, 125))
            self.assertNotIn("Sanitizer", run.stderr)
            if os.path.exists(out):
                with sqlite3.connect(out) as db:
                    self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                os.unlink(out)
            else:
                self.assertEqual(run.returncode, 125)
            self.assertEqual(os.listdir(self.cwd), [])
            shutil.rmtree(copy)

    def test_rows_of_other_frames_are_left_out(self):
        """A killed application leaves rows of frames that frames.csv does not have; rows of no frame stay."""
        made = self.session(rows_2(5), passes(7) + [{"pass": 0, "pass_id": "00cc"}], about={**SCHEMA_2, "ended": "running"})
        run = self.export("--as", "sqlite", made)
        self.assertIn("4 rows were left out: frames.csv does not have their frames", run.stderr)
        with sqlite3.connect(os.path.join(self.cwd, "made.sqlite")) as db:
            self.assertEqual(db.execute("SELECT count(*), max(frame), sum(frame IS NULL) FROM passes").fetchone(), (11, 4, 1))

    def test_a_file_that_cannot_be_read(self):
        made = self.full()
        os.unlink(os.path.join(made, "labels.csv"))
        os.mkfifo(os.path.join(made, "labels.csv"))
        run = self.export("--as", "jsonl", "-o", "-", made, status=125)
        self.assertIn("labels.csv: ", run.stderr)
        self.assertNotIn('"table":"labels"', run.stdout)

    def test_no_session(self):
        empty = os.path.join(self.top, "empty")
        os.mkdir(empty)
        for session, why in ((empty, "is not a session"), ("nowhere", "is not a session"), (__file__, "cannot read")):
            run = self.export("--as", "sqlite", session, status=125)
            self.assert_one_line(run.stderr, why)
            self.assertEqual(os.listdir(self.cwd), [])
        with open(os.path.join(empty, "frames.csv"), "w", encoding="utf-8") as file:
            file.write("\n")
        self.assert_one_line(self.export("--as", "sqlite", empty, status=125).stderr, "nothing to export: ")
        made = self.session(frames(3), about={**ABOUT, "passprobe": "9.8.7", "schema": 99})
        self.assert_one_line(self.export("--as", "sqlite", made, status=125).stderr, "passprobe 9.8.7 wrote it with schema 99")
        self.assertEqual(os.listdir(self.cwd), [])

    def test_other_files_stay(self):
        made = self.full()
        for path in ("made.sqlite", "made.sqlite.new", "made.jsonl"):
            os.symlink("/nowhere", os.path.join(self.cwd, path))
            run = self.export("--as", path.split(".")[1], made, status=125)
            self.assert_one_line(run.stderr, "made.sqlite.new exists" if path.endswith(".new") else "it exists already")
            self.assertEqual(os.listdir(self.cwd), [path])
            os.unlink(os.path.join(self.cwd, path))
        self.assert_one_line(self.export("--as", "jsonl", "-o", "no/where", made, status=125).stderr, "No such file")

    def test_full_disk(self):
        """Nothing is left of a file that could not be written."""
        made = self.full(3000)
        for kind in ("sqlite", "jsonl"):
            run = self.run_command("-c", f'ulimit -f 100; exec "$0" export --as {kind} "$1"', self.install, made, binary="sh")
            self.assertEqual(run.returncode, 125)
            self.assert_one_line(run.stderr, "cannot write made." + kind)
            self.assertEqual(os.listdir(self.cwd), [])
        with open("/dev/full", "wb") as full:
            run = subprocess.run([self.install, "export", "--as", "jsonl", "-o", "-", made], env=self.env, stdout=full,
                                 stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "cannot write stdout: No space left on device")

    def test_signals(self):
        """Ctrl-C deletes the unfinished file, and what was unpacked."""
        made = self.full(20_000)
        self.assertEqual(self.run_command("archive", made).returncode, 0)
        tmp = os.path.join(self.top, "tmp")
        os.mkdir(tmp)
        for session in (made, "made.tar.zst"):
            with subprocess.Popen([self.install, "export", "--as", "sqlite", session], cwd=self.cwd,
                                  env={**self.env, "TMPDIR": tmp}) as run:
                while not os.path.exists(os.path.join(self.cwd, "made.sqlite.new")):
                    self.assertEqual(run.poll(), None)
                    time.sleep(0.001)
                run.send_signal(signal.SIGINT)
                self.assertEqual(run.wait(60), -signal.SIGINT)
            self.assertEqual(os.listdir(self.cwd), ["made.tar.zst"])
            self.assertEqual(os.listdir(tmp), [])

    def test_memory_is_bounded(self):
        """Ten times as many draws take no more memory."""
        made = self.full(2)
        line = "1,0,{},00aa,glDrawElements,,program-1,,36,1,,,1000,,36,1024\r\n"
        peak = []
        env = {"ASAN_OPTIONS": self.env["ASAN_OPTIONS"] + ":quarantine_size_mb=1"}  # AddressSanitizer keeps what was freed
        for count in (30_000, 300_000):
            self.write_csv(made, "draws.csv", DRAW_HEADER, [line.format(i) for i in range(count)])
            # in a small process: the maximum of a process includes what the one before it used
            run = self.run_command("-c", "import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); "
                                   "_, status, usage = os.wait4(pid, 0); print(status, usage.ru_maxrss)", self.install,
                                   "export", "--as", "sqlite", "-o", f"out{count}", made, binary="python3", env=env)
            status, most = map(int, run.stdout.split())
            self.assertEqual(status, 0, run.stderr)
            peak.append(most)
        self.assertLess(peak[1], peak[0] + 48 * 1024)  # SQLite's cache has 32 MiB

    def test_parquet(self):
        """passprobe names DuckDB's line, and this line works."""
        run = self.export("--as", "parquet", status=125)
        self.assert_one_line(run.stderr, "passprobe does not write Parquet files, DuckDB does: duckdb -c \"COPY ")
        line = re.search('duckdb -c "(.*)"$', run.stderr.strip())[1]
        with open(GUIDE, encoding="utf-8") as file:
            self.assertIn(f'duckdb -c "{line}"', " ".join(file.read().split()))
        os.rename(self.full(name="passprobe.data"), os.path.join(self.cwd, "passprobe.data"))
        query = "SELECT count(*), sum(gpu_time_ns) FROM 'passes.parquet'"
        if importlib.util.find_spec("duckdb"):
            script = f"import duckdb; duckdb.sql({line!r}); print(*duckdb.sql({query!r}).fetchall())"
            run = self.run_command("-c", script, binary="python3")
        elif shutil.which("duckdb"):
            run = self.run_command("-noheader", "-list", "-c", f"{line}; {query}", binary="duckdb")
        else:
            raise Skip("neither duckdb nor its Python module is installed")
        self.assertEqual(re.findall(r"\d+", run.stdout), ["10", str(45 * MS)], run.stderr)

    def test_terminals_get_no_escape_sequences(self):
        """JSON lines on a terminal: what it obeys, or what hides text, is escaped; the values are the same."""
        label = "\x1b[31m \u009b31m \x7f \u202e \U000e0041 grün 😀"
        made = self.session(rows_2(2), passes(2), about={**SCHEMA_2, "marks": [{"at_ns": 1, "label": label}]})
        ours, theirs = pty.openpty()
        run = subprocess.Popen([self.install, "export", "--as", "jsonl", "-o", "-", made], env=self.env, stdin=subprocess.DEVNULL,
                               stdout=theirs)
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 65536):
                text += chunk
        except OSError:  # the other side was closed
            pass
        os.close(ours)
        self.assertEqual(run.wait(60), 0)
        for code in ("\x1b", "\u009b", "\x7f", "\u202e", "\U000e0041"):
            self.assertNotIn(code, text.decode())
        self.assertIn("grün 😀", text.decode())
        rows = [json.loads(line) for line in text.decode().splitlines()]
        self.assertEqual([row["label"] for row in rows if row["table"] == "marks"], [label])

    def test_command_line(self):
        made = self.full()
        for args, why in (((made,), "needs a format"), (("--as", "xml", made), "unknown format 'xml'"), (("--as",), "needs an argument"),
                          (("--as", "sqlite", "-o", "-", made), "a database needs a file"), (("--bad",), "unknown option '--bad'"),
                          (("--as", "jsonl", made, made), "one session")):
            self.assert_one_line(self.export(*args, status=125).stderr, why)
        run = self.export("--as", "sqlite", made + "/")
        self.assertRegex(run.stderr, r"^\[ passprobe export: \d+ rows of .*, \d.* KiB: made\.sqlite \]\n$")


if __name__ == "__main__":
    unit_main()
