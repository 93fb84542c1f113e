"""What a push writes: each value at its place, empty cells as NULL, whatever the order of a file's columns and whatever
texts a session holds. Roll-ups agree with the rows."""
import csv
import json
import os
import statistics
import subprocess
import sys

from clickhouse import Server
from fleet import ask, near
from harness import equal, main, true
from pushing import DAY_NS, PASSES, Pusher, id_of, make_session, write_csv

ODD = ["a,b", 'q"q', "it's", "tab\there", "line\nbreak", "cr\rlf\r\n", "back\\slash \\N \\t", "=cmd|' /C calc'!A0", "@SUM(1)",
       "); DROP TABLE stored_frames; --", "\u00e4\U0001f600", "]['x',", "\x01\x7f"]

# Runs a command, and prints its exit status and the most memory that it had, in KiB. A process of its own, because the
# figure begins with the size of the process that starts the command.
PEAK = "import os, sys; pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:]); s = os.wait4(pid, 0); print(s[1], s[2].ru_maxrss)"


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path, rows):
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])


def case_values(lab):
    """Every value of every table, with NULL where the cell is empty."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        equal(pusher.run("--draws", session).returncode, 0, "push")
        null = lambda cell: "\\N" if cell == "" else cell
        for file, columns in (("frames", "frame api level cpu_start_ns frame_time_ns gpu_time_ns bound_by draws"),
                              ("passes", "frame pass pass_id level kind width draws gpu_time_ns bound_by queue"),
                              ("labels", "frame depth passes gpu_inclusive_ns label"),
                              ("draws", "frame pass draw draw_id call vertices gpu_time_ns pipeline label")):
            want = [[null(row.get(name, "")) if name != "queue" else "" for name in columns.split()]
                    for row in read(os.path.join(session, file + ".csv"))]
            got = pusher.rows(f"SELECT {', '.join(columns.split())} FROM {file}")
            equal(sorted(got), sorted(want), file)
        equal(pusher.rows("SELECT DISTINCT gpu, build, toString(day), bias_ns FROM passes"),
              [["GPU one", "1234", "2023-11-14", "100"]], "facts of each pass")
        equal(pusher.value("SELECT groupArray(frame) FROM frames WHERE counted = 0"), "[0]", "first frames")
        equal(pusher.value("SELECT sum(counted) FROM passes"), "57", "passes of other frames")
        equal(pusher.rows("SELECT at_ns, frame, label FROM marks"), [["5", "3", "boss\\tfight"]], "marks")
        equal(pusher.rows("SELECT place, event, reason, gpu FROM counters_missing"),
              [["GPU one", "khr:a", "the driver has none", "GPU one"]], "missing counters")
        equal(pusher.rows("SELECT start_realtime_ns, program, build, scene, gpu, driver, api, os, cpu, level, events, passprobe,"
                          " session_schema, ended, dropped_frames, own_cost_percent, pass_bias_ns FROM sessions"),
              [[str(DAY_NS + 1), "game", "1234", "town", "GPU one", "driver, Mesa 22.3.6", "gl", "Debian", "CPU", "draw", "time", "0.1.0",
                "2", "exit", "2", "0.5", "100"]], "the session")
        equal(pusher.rows("SELECT tags.name, tags.value FROM sessions"), [["['build','scene']", "['1234','town']"]], "tags")
        equal(pusher.rows("SELECT counters.name, counters.value FROM frames WHERE frame IN (4, 5) ORDER BY frame"),
              [["['pipeline:vertex_shader_invocations']", "[36]"],
               ["['pipeline:vertex_shader_invocations','app:hit, points']", "[36,0.5]"]], "counters")
        equal(pusher.rows("SELECT pass_id, kind, name, label FROM pass_names ORDER BY pass_id"),
              [[PASSES[i], "render", f"pass {i}", "scene/sun"] for i in range(3)], "names of passes")
        kept = make_session(lab.path("kept"), id_of(2), json_more={
            "options": {"level": "draw", "events": "time", "keep_slower_than_ns": 5, "keep_around": 1}})
        equal(pusher.run("--draws", kept).returncode, 0, "push of a session with --keep-slower-than")
        for table, counts in (("frames", "19"), ("passes", "0"), ("labels", "0"), ("draws", "0")):
            equal(pusher.value(f"SELECT sum(counted) FROM {table} WHERE session_id = '{id_of(2)}'"), counts, "kept " + table)


def case_columns(lab):
    """Columns are found by name: another order, unknown and missing columns do no harm."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        pusher.run(session)
        query = "SELECT frame, frame_time_ns, gpu_time_ns, bound_by, draws, level, api, counters.value FROM frames ORDER BY frame"
        want = pusher.rows(query + " LIMIT 20")
        for file in ("frames.csv", "passes.csv"):
            path = os.path.join(session, file)
            write(path, [{**dict(reversed(row.items())), "new_column": "x"} for row in read(path)])
        about = os.path.join(session, "session.json")
        with open(about, encoding="utf-8") as file:
            text = json.load(file)
        text["session_id"] = id_of(2)
        with open(about, "w", encoding="utf-8") as file:
            json.dump(text, file)
        equal(pusher.run(session).returncode, 0, "push")
        got = pusher.rows(query.replace("FROM frames", f"FROM frames WHERE session_id = '{id_of(2)}'"))
        strip = lambda rows: [[*row[:7], sorted(row[7])] for row in rows]
        equal(strip(got), strip(want), "frames")


def case_texts(lab):
    """Texts arrive as they are, and none of them is ever a part of a statement."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        for number, text in enumerate(ODD, 1):
            session = make_session(lab.path("odd"), id_of(number), label=text, draws=False,
                                   json_more={"tags": {"build": text, text: text}, "ended": text})
            path = os.path.join(session, "frames.csv")
            rows = read(path)
            write(path, [{key.replace("app:hit, points", "app:" + text): cell for key, cell in row.items()} for row in rows])
            done = pusher.run(session)
            equal(done.returncode, 0, f"{text!r}: {done.stderr}")
            of = f"WHERE session_id = '{id_of(number)}'"
            hexed = text.encode().hex().upper()
            for what in (f"any(label) FROM labels {of}", f"any(label) FROM pass_names {of}", f"any(build) FROM passes {of}",
                         f"any(build) FROM sessions {of}", f"any(ended) FROM sessions {of}",
                         f"any(tags.value[1]) FROM sessions {of}"):
                name, rest = what.split(" FROM ")
                equal(pusher.value(f"SELECT hex({name}) FROM {rest}"), hexed, f"{text!r}: {what}")
            equal(pusher.value(f"SELECT hex(any(counters.name[2])) FROM frames {of} AND length(counters.name) = 2"),
                  ("app:" + text).encode().hex().upper(), f"{text!r}: name of a counter")
        equal(pusher.value("SELECT count() FROM frames"), str(20 * len(ODD)), "frames")


def case_tags(lab):
    """A push gives tags to the sessions that lack them; what a session has stays."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        given = ("--tag", "build=77", "--tag", "scene=dock,branch=fix 'x'", "--tag", "place=/home/ann/level")
        sessions = [make_session(lab.path(f"s{i}"), id_of(i), json_more={"tags": tags})
                    for i, tags in enumerate(({"build": "1234", "scene": "dock", "old": "yes"}, {}, None, {"build": 7}), 1)]
        done = pusher.run(*given, *sessions)
        equal(done.returncode, 0, done.stderr)
        kept = [line for line in done.stderr.splitlines() if "keeps its tag" in line]
        true(len(kept) == 1 and sessions[0] in kept[0] and kept[0].endswith("build=1234"), done.stderr)
        tables = ("sessions", "frames", "passes", "labels", "counters_missing", "pass_rollup", "frame_rollup")
        for i, build in enumerate(("1234", "77", "77", "77"), 1):
            for table in tables:
                equal(pusher.rows(f"SELECT DISTINCT build FROM {table} WHERE session_id = '{id_of(i)}'"), [[build]], f"{table} of {i}")
        tags = lambda i: pusher.rows("SELECT scene, arraySort(arrayMap((n, v) -> concat(n, '=', v), tags.name, tags.value))"
                                     f" FROM sessions WHERE session_id = '{id_of(i)}'")
        more = "'branch=fix \\'x\\'','build={}',{}'place=~/level','scene=dock'"
        equal(tags(1), [["dock", "[" + more.format("1234", "'old=yes',") + "]"]], "tags of the first one")
        for i in (2, 3, 4):
            equal(tags(i), [["dock", "[" + more.format("77", "") + "]"]], f"tags of {i}")
        done = pusher.run("--tag", "build=78", sessions[1])
        equal((done.returncode, "is there already" in done.stderr), (0, True), done.stderr)
        equal(pusher.rows(f"SELECT build FROM sessions WHERE session_id = '{id_of(2)}'"), [["77"]], "tags of a session that is there")
        for words in (["--tag", "build"], ["--tag", "a=1,a=2"], ["--tag", "a=1", "--tag", "a=2"], ["--tag", ""]):
            done = pusher.run(*words, sessions[1])
            equal((done.returncode, len(done.stderr.splitlines()), "KEY=VALUE" in done.stderr), (125, 1, True), done.stderr)


def case_hostile(lab):
    """Sessions that are no good: refused, or only their good rows are taken, and each time a line says so."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("one"), id_of(1))
        path = os.path.join(session, "passes.csv")
        rows = read(path)
        rows[3].update(pass_id="'; DROP TABLE x")
        rows[4].update(gpu_time_ns="-5")
        rows[5].update(gpu_time_ns="99999999999999999999999")
        rows[6].update(width="4294967296")
        rows[7].update(gpu_time_ns="nan")
        rows[2].update(label="l" * 500000)
        write(path, rows)
        done = pusher.run(session)
        equal((done.returncode, "frame: 1; cells that are no numbers: 4; texts that were cut, and tags left out: 1" in done.stderr), (0, True), done.stderr)
        equal(pusher.value("SELECT count() FROM passes"), "59", "passes")
        equal(pusher.value("SELECT count() FROM passes WHERE gpu_time_ns IS NULL"), "9", "times: 6 were empty, 3 are none")
        equal(pusher.value("SELECT count() FROM passes WHERE width IS NULL"), "1", "widths")
        equal(pusher.value("SELECT max(length(label)) <= 4096 FROM pass_names"), "1", "length of labels")
        for number, (what, more) in enumerate((
                ("session_id is not one", {"session_id": "x' OR 1=1 --"}), ("session_id is not one", {"session_id": 7}),
                ("begins in the future", {"program": {"start_realtime_ns": 9 * 10**18}}),
                ("does not say when it began", {"program": {}})), 2):
            done = pusher.run(make_session(lab.path(f"bad{number}"), id_of(number), json_more=more))
            equal((done.returncode, what in done.stderr), (125, True), f"{more}: {done.stderr}")
        wide = make_session(lab.path("wide"), id_of(7))
        with open(os.path.join(wide, "passes.csv"), "a", encoding="utf-8") as file:
            file.write("1," + "x" * 2000000 + "\r\n")
        done = pusher.run(wide)
        equal((done.returncode, "passes.csv" in done.stderr), (125, True), done.stderr)
        os.remove(os.path.join(wide, "frames.csv"))
        done = pusher.run(wide)
        equal((done.returncode, "frames.csv" in done.stderr), (125, True), done.stderr)
        equal(pusher.value("SELECT count() FROM sessions"), "1", "sessions")


def case_large(lab):
    """More rows than one request has: all arrive, and a push of them needs hardly more memory than a small one."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        peaks = []
        for number, frames in ((1, 1000), (2, 100000)):
            session = make_session(lab.path("large"), id_of(number), frames=frames, draws=False)
            done = subprocess.run([sys.executable, "-c", PEAK, *pusher.command(session)], env=pusher.environment(),
                                  check=True, text=True, capture_output=True)
            status, peak = done.stdout.split()
            equal(status, "0", done.stderr)
            peaks.append(int(peak))
            for table in ("passes", "labels"):
                want = str(frames * (3 if table == "passes" else 1))
                equal(pusher.value(f"SELECT count() FROM {table} WHERE session_id = '{id_of(number)}'"), want, table)
                equal(pusher.value(f"SELECT {table} FROM sessions WHERE session_id = '{id_of(number)}'"), want, "counted " + table)
        true(peaks[1] < peaks[0] + 30000, f"KiB for 4,000 and for 400,000 rows: {peaks}")


def case_rollups(lab):
    """The roll-ups have the same counts, sums and medians as the rows, less the bias of brackets."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        sessions = [make_session(lab.path(f"s{i}"), id_of(i), frames=50 + i, seed=i) for i in (1, 2, 3)]
        equal(pusher.run(*sessions).returncode, 0, "push")
        times = {name: [] for name in PASSES}
        for session in sessions:
            for row in read(os.path.join(session, "passes.csv")):
                if row["gpu_time_ns"] and row["frame"] != "0":
                    times[row["pass_id"]].append(int(row["gpu_time_ns"]) - 100)
        for name, count, total, squares, quantiles in pusher.rows(
                "SELECT pass_id, countMerge(passes), sumMerge(gpu_time_ns_sum), sumMerge(gpu_time_ns_squares),"
                " quantilesTDigestMerge(0.5, 0.9, 0.95, 0.99)(gpu_time_ns_quantiles) FROM pass_rollup GROUP BY pass_id"):
            equal(int(count), len(times[name]), f"{name}: count")
            equal(float(total), sum(times[name]), f"{name}: sum")
            equal(float(squares), sum(ns * ns for ns in times[name]), f"{name}: squares")
            median, want = json.loads(quantiles)[0], statistics.median(times[name])
            true(abs(median - want) < 0.02 * want, f"{name}: median {median}, want {want}")
        equal(pusher.value("SELECT countMerge(frames) FROM frame_rollup"), str(sum(50 + i - 1 for i in (1, 2, 3))), "frames")


def case_short_times(lab):
    """Times that vary around the bias add up to what is above it: the sum is cut at 0, not each time."""
    with Server(lab.path("server")) as server:
        pusher = Pusher(lab, server)
        session = make_session(lab.path("short"), id_of(1), frames=29, seed=0)  # the times of a pass are 10, 20, 30 ...
        equal(pusher.run(session).returncode, 0, "push")
        times = [int(row["gpu_time_ns"]) - 100 for row in read(os.path.join(session, "passes.csv"))
                 if row["pass"] == "0" and row["frame"] != "0" and row["gpu_time_ns"]]
        true(min(times) < 0 < sum(times), "some times are below the bias")
        cost, = [row["frame_ns"] for row in ask(server, "slowest_passes", database=pusher.database) if row["pass_id"] == PASSES[0]]
        near(cost, sum(times) / 28, "cost of a pass in a frame", least=0.51)


if __name__ == "__main__":
    main(globals())
