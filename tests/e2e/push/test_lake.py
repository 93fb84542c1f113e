"""`passprobe push FOLDER`: sessions as files for DuckDB and others. Each session is there once, says nothing of a person,
and an engine reads what the session has, whatever its texts are."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import time

from clickhouse import Server
from clickhouse import statements as clickhouse_statements
from command import ABOUT, CommandTest, frames, passes
from duckdb_reader import DuckDB, statements
from fleet import snippet
from harness import Skip, unit_main

HERE = os.path.dirname(os.path.abspath(__file__))
SQL = os.path.normpath(os.path.join(HERE, "../../../cli/push/sql/duckdb"))
ENGINE = os.environ.get("PP_DUCKDB", "")
PROGRAM = {"executable": "/home/bob/games/race", "command": ["race", "--token", "s3cret"], "pid": 7,
           "start_realtime_ns": 1769903999000000000, "start_monotonic_ns": 1}
HOSTILE = ["=cmd|'/c calc'!A0", "a,\"b\"\r\nc;\t'd'", "\\N", "\\", "'); DROP TABLE sessions; --", "\u202e\u00fc\U0001f600",
           "../../../etc/passwd", "/home/bob/level"]
TABLES = ("frames", "passes", "pass_names", "labels", "marks", "draws", "counters_missing", "sessions")


class Lake(CommandTest):
    def made(self, name="made", build="1/2 'x'", count=8, **about):
        rows = passes(count)
        for i, row in enumerate(rows[:len(HOSTILE)]):
            row.update({"pass_id": f"{i:016x}", "label": HOSTILE[i], "khr:cycles": i + 0.5})
        for row in rows[len(HOSTILE):]:
            row["pass_id"] = f"{99:016x}"
        rows[1]["gpu_time_ns"] = ""
        rows[2]["gpu_time_ns"] = 0
        times = [{**frame, "app:it's \\ [odd]": 2} for frame in frames(count)]
        return self.session(times, rows, name=name, about={
            **ABOUT, "program": PROGRAM, "host": {"name": "deck", "kernel": "6.1", "os": "deck OS"},
            "tags": {"build": build, "scene": "town"}, "session_id": f"{len(name):032x}", **about})

    def push(self, *args, status=0):
        run = self.run_command("push", *args)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def files(self):
        """All files of the lake, except its lock: {path: content}, uncompressed."""
        ret = {}
        for folder, _, names in os.walk(os.path.join(self.cwd, "lake")):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    content = file.read()
                if name.endswith(".zst"):
                    content = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
                if name != "lock":
                    ret[os.path.relpath(path, os.path.join(self.cwd, "lake"))] = content
        return ret

    def test_each_session_is_there_once(self):
        made = self.made()
        run = self.push("lake", made)
        self.assertIn("rows pushed", run.stderr)
        before = self.files()
        self.assertEqual({path.split("/")[0] for path in before},
                         {*TABLES, ".passprobe", "duckdb.sql", "clickhouse.sql", "pandas.json"})
        self.assertIn("day=2026-01-31/build=1%2F2%20%27x%27/", " ".join(before))
        self.assertIn("is there already", self.push("lake", made).stderr)
        self.assertEqual(self.files(), before)
        self.assertIn("is there already", self.push("--no-redact", "lake", made).stderr)
        other = self.made("more", session_id=f"{4:032x}", count=9)
        self.assertIn("other content", self.push("lake", other, status=125).stderr)
        self.assertEqual(self.files(), before)
        self.push("lake", made, self.made("third"))
        self.assertEqual(len([path for path in self.files() if path.startswith("sessions/")]), 2)

    def test_nothing_says_who(self):
        made = self.made(tags={"build": "1/2 'x'", "/home/bob/tag": "1"})
        path = os.path.join(self.cwd, made, "frames.csv")
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().splitlines()
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write("".join(f"{line},{'3' if i else 'app:/home/bob/hp'}\r\n" for i, line in enumerate(lines)))
        self.push("lake", made)
        self.assertTrue(any(b"app:~/hp" in content for content in self.files().values()))
        for path, content in self.files().items():
            for secret in (b"bob", b"deck", b"s3cret", b"--token"):
                self.assertNotIn(secret, content, path)
        shown = self.push("--show", "nowhere", made).stdout
        for secret in ("bob", "deck", "s3cret"):
            self.assertNotIn(secret, shown)
        for part in ("    build: 1/2 'x'\n", "    os: HOST OS\n", "column label:\n", "    ~/level\n", "    redacted: 1\n"):
            self.assertIn(part, shown)
        self.assertFalse(os.path.exists(os.path.join(self.cwd, "nowhere")))
        shutil.rmtree(os.path.join(self.cwd, "lake"))
        self.push("--no-redact", "lake", made)
        content = b"".join(self.files().values())
        for part in (b"deck OS", b"/home/bob/level", b'"deck"'):
            self.assertIn(part, content)
        self.assertNotIn(b"s3cret", content)

    def test_all_tags_come_along(self):
        """As many as --tag takes. Of more, the user learns."""
        def names(session):
            _, content = next(item for item in self.files().items() if item[0].startswith("sessions/") and session in item[0])
            row = next(csv.DictReader(io.StringIO(content.decode(), newline="")))
            return set(row["tags.name"].strip("[]").replace("'", "").split(","))

        tags = {f"t{i}": "x" for i in range(250)}
        self.assertNotIn("tags left out", self.push("lake", self.made(tags=tags)).stderr)
        self.assertEqual(names(f"{4:032x}"), set(tags))
        many = {**{f"t{i}": "x" for i in range(300)}, "build": "7"}
        self.assertIn("tags left out: 45", self.push("lake", self.made("third", tags=many)).stderr)
        self.assertEqual(len(names(f"{5:032x}")), 256)

    def test_an_archive_is_the_session(self):
        made = self.made()
        self.push("lake", made)
        self.assertEqual(self.run_command("archive", made).returncode, 0)
        self.assertIn("is there already", self.push("lake", "made.tar.zst").stderr)

    def test_watch(self):
        """Sessions and archives that come into a folder are pushed, what is refused is put aside, and while the lake cannot
        be written they wait."""
        spool = os.path.join(self.top, "spool")
        os.mkdir(spool)

        def come(name, path):
            for file in [path] if os.path.isfile(path) else [os.path.join(path, file) for file in os.listdir(path)]:
                os.utime(file, (time.time() - 60,) * 2)  # what changed a moment ago is left alone
            os.rename(path, os.path.join(spool, name))

        def wait_for(*path):
            end = time.monotonic() + 60
            while not os.path.exists(os.path.join(spool, *path)):
                self.assertLess(time.monotonic(), end, os.listdir(spool))
                time.sleep(0.1)

        self.assertEqual(self.run_command("archive", self.made("packed")).returncode, 0)
        come("packed.tar.zst", os.path.join(self.cwd, "packed.tar.zst"))
        come("one", self.made("one"))
        come("bad", self.made("bad", session_id="x"))
        with subprocess.Popen([self.install, "push", "--watch", spool, "--tag", "branch=fix", "lake"], cwd=self.cwd, env=self.env,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as watch:
            self.addCleanup(watch.kill)
            for name in (("pushed", "one"), ("pushed", "packed.tar.zst"), ("refused", "bad")):
                wait_for(*name)
            passes_folder = os.path.join(self.cwd, "lake/passes")
            os.rename(passes_folder, passes_folder + ".old")
            os.symlink("/tmp", passes_folder)
            come("later", self.made("later"))
            lines = [watch.stderr.readline()]
            while "a link" not in lines[-1]:
                self.assertTrue(lines[-1], lines)
                lines.append(watch.stderr.readline())
            self.assertIn("later", os.listdir(spool))
            os.unlink(passes_folder)
            os.rename(passes_folder + ".old", passes_folder)
            wait_for("pushed", "later")
            watch.send_signal(signal.SIGTERM)
            text = watch.communicate(timeout=60)[1]
        self.assertEqual(watch.returncode, 0, text)
        self.assertEqual(sorted(os.listdir(spool)), ["pushed", "refused"])
        sessions = [content for path, content in self.files().items() if path.startswith("sessions/")]
        self.assertEqual(len(sessions), 3)
        self.assertTrue(all(b"'branch'" in content and b"'fix'" in content for content in sessions), sessions)

    def test_folders_that_are_refused(self):
        made = self.made()
        os.mkdir(os.path.join(self.cwd, "papers"))
        with open(os.path.join(self.cwd, "papers/thesis.tex"), "w", encoding="utf-8"):
            pass
        self.assert_one_line(self.push("papers", made, status=125).stderr, "papers", "other files")
        self.assert_one_line(self.push(made + "/frames.csv", made, status=125).stderr, "no folder")
        self.assert_one_line(self.push("--clean-up", "lake", status=125).stderr, "for servers")
        for typo in ("clickhouse:/db/fleet", "ClickHouses:db"):
            self.assert_one_line(self.push(typo, made, status=125).stderr, "clickhouse://USER@HOST:PORT/DATABASE")
            self.assertFalse(os.path.exists(os.path.join(self.cwd, typo.split("/", maxsplit=1)[0])))
        self.push("lake", made)
        shutil.rmtree(os.path.join(self.cwd, "lake/passes"))
        os.symlink("/tmp", os.path.join(self.cwd, "lake/passes"))
        self.assertIn("a link", self.push("lake", self.made("third"), status=125).stderr)

    def duckdb(self, *asked):
        if not ENGINE:
            raise Skip("PP_DUCKDB names no folder")
        lake = os.path.join(self.cwd, "lake")
        return DuckDB(ENGINE).rows(lake, *statements(os.path.join(lake, "duckdb.sql")), *asked)

    def test_duckdb_reads_what_the_session_has(self):
        made = self.made()
        self.push("lake", made, self.made("third", build=""))
        self.assertEqual(self.duckdb("SELECT session_id, build, scene, \"tags.name\" AS n FROM sessions ORDER BY session_id"),
                         [{"session_id": f"{i:032x}", "build": build, "scene": "town",
                           "n": ["build", "scene"]} for i, build in ((4, "1/2 'x'"), (5, ""))])
        labels = self.duckdb("SELECT label FROM pass_names WHERE session_id LIKE '%4' ORDER BY pass_id")
        self.assertEqual([row["label"] for row in labels][:len(HOSTILE)],
                         [text.replace("/home/bob", "~") for text in HOSTILE])
        with open(os.path.join(made, "passes.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        times = [int(row["gpu_time_ns"]) for row in rows if row["gpu_time_ns"]]
        got = self.duckdb("SELECT count(*)::INT AS n, count(gpu_time_ns)::INT AS known, sum(gpu_time_ns)::DOUBLE AS sum,"
                          " min(gpu_time_ns)::INT AS least FROM passes WHERE build <> ''")
        self.assertEqual(got, [{"n": len(rows), "known": len(times), "sum": sum(times), "least": 0}])
        self.assertEqual(len(times), len(rows) - 1, "one cell is empty, and not 0")
        self.assertEqual(self.duckdb('SELECT DISTINCT "counters.name" AS n, "counters.value" AS v FROM frames'),
                         [{"n": ["pipeline:vertex_shader_invocations", "app:it_s _ [odd]"], "v": [1200, 2]}])
        self.assertEqual(self.duckdb('SELECT sum("counters.value"[1])::DOUBLE AS s FROM passes WHERE build <> \'\''),
                         [{"s": sum(i + 0.5 for i in range(len(HOSTILE)))}])
        plan = json.dumps(self.duckdb("EXPLAIN ANALYZE FROM passes WHERE build = '1/2 ''x'''"))
        self.assertIn("Scanning Files: 1/2", plan)

    def test_half_a_push_is_not_seen(self):
        self.push("lake", self.made(), self.made("third"))
        path = next(path for path in self.files() if path.startswith("sessions/") and f"{4:032x}" in path)
        os.unlink(os.path.join(self.cwd, "lake", path))  # as if the push of one session was killed before its last step
        for table in TABLES:
            self.assertEqual(self.duckdb(f"SELECT count(*)::INT AS n FROM {table} WHERE session_id LIKE '%4'"), [{"n": 0}])

    def test_duckdb_makes_parquet(self):
        self.push("lake", self.made())
        lake = os.path.join(self.cwd, "lake")
        os.mkdir(os.path.join(lake, "parquet"))
        got = self.duckdb(*statements(os.path.join(SQL, "to_parquet.sql")),
                          "SELECT count(*)::INT AS n, count(gpu_time_ns)::INT AS known, any_value(build) AS build"
                          " FROM read_parquet('parquet/passes/*/*.parquet')")
        self.assertEqual(got, [{"n": 16, "known": 15, "build": "1/2 'x'"}])

    def test_pandas_reads_the_rows(self):
        """With the lines of docs/fleet.md, and types from pandas.json."""
        try:
            import pandas  # pylint: disable=import-outside-toplevel
            import zstandard  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        except ImportError as error:
            raise Skip(f"{error.name} is not installed (Debian's packages python3-pandas and python3-zstandard)") from error
        self.push("lake", self.made(), self.made("third", build="1.10"))
        half = next(path for path in self.files() if path.startswith("sessions/") and f"{5:032x}" in path)
        here = os.getcwd()
        names = {}
        try:
            os.chdir(os.path.join(self.cwd, "lake"))
            exec(snippet("import glob, json, pandas"), names)  # pylint: disable=exec-used
            both = names["frames"]
            os.unlink(half)  # as if the push of one session was killed before its last step
            exec(snippet("import glob, json, pandas"), names)  # pylint: disable=exec-used
            tables = {name: names["table"](name) for name in TABLES}
        finally:
            os.chdir(here)
        self.assertEqual([set(both.build), set(names["frames"].build)], [{"1/2 'x'", "1.10"}, {"1/2 'x'"}])
        with open(os.path.join(self.cwd, "lake/pandas.json"), encoding="utf-8") as file:
            types = json.load(file)
        self.assertEqual(set(types), set(TABLES))
        for name, table in tables.items():
            self.assertEqual({column: str(kind) for column, kind in table.dtypes.items()}, types[name], name)
        passes_of = tables["passes"][tables["passes"].build == "1/2 'x'"]
        self.assertEqual([len(passes_of), int(passes_of.gpu_time_ns.count()), int(passes_of.gpu_time_ns.min())], [16, 15, 0])
        self.assertEqual(tables["sessions"].start_realtime_ns.iloc[0], PROGRAM["start_realtime_ns"])
        labels = list(tables["pass_names"][tables["pass_names"].session_id == f"{4:032x}"].sort_values("pass_id").label)
        self.assertEqual([None if pandas.isna(text) else text for text in labels[:len(HOSTILE)]],
                         [None if text == "\\N" else text.replace("/home/bob", "~") for text in HOSTILE])

    def test_clickhouse_reads_the_rows(self):
        """Version 18.16 cannot read zstd files itself: the rows come uncompressed, with the types of clickhouse.sql."""
        self.push("lake", self.made())
        with open(os.path.join(self.cwd, "lake/clickhouse.sql"), encoding="utf-8") as file:
            views = clickhouse_statements(file.read())
        with Server(os.path.join(self.top, "server")) as server:
            for table, view in zip(("sessions", *TABLES), views):
                # else newer versions take the encoded `build` of the path for the column
                self.assertTrue(view.endswith("SETTINGS use_hive_partitioning = 0"), view)
                columns = view.split("'CSVWithNames', '")[1].rsplit("')", 1)[0]
                server.query(f"CREATE TABLE {table} ({columns}) ENGINE = Memory")
                rows = b"".join(content for path, content in self.files().items() if path.startswith(table + "/"))
                server.query(f"INSERT INTO {table} FORMAT CSVWithNames", data=rows)
            self.assertEqual(server.rows("SELECT count(), count(gpu_time_ns), min(gpu_time_ns) FROM passes"),
                             [["16", "15", "0"]])
            self.assertEqual(server.rows("SELECT build, `tags.name`, `tags.value` FROM sessions"),
                             [["1/2 \\'x\\'", "['build','scene']", "['1/2 _x_','town']"]])
            self.assertEqual(server.value("SELECT count() FROM pass_names WHERE label = '=cmd|\\'/c calc\\'!A0'"), "1")

    def test_rows_are_csv(self):
        """Any reader of CSV finds as many cells in each row as in the header."""
        self.push("lake", self.made())
        for path, content in self.files().items():
            if path.endswith(".zst"):
                rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
                self.assertEqual({len(row) for row in rows}, {len(rows[0])}, path)


if __name__ == "__main__":
    unit_main()
