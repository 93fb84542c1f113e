"""Other people's readers of CSV files read a session without traps: awk that splits at commas, SQLite's .import, Python's csv
module, pandas, DuckDB."""
import csv
import importlib.util
import os
import re
import shutil
import subprocess
import time

from harness import ROOT, Skip, equal, main, true

FILES = ("frames.csv", "passes.csv", "draws.csv", "labels.csv")


def record(lab, *words):
    """A session of level draw, and the moments before and after it."""
    before = time.time_ns()
    lab.run(lab.record("-l", "draw") + lab.sample("gl", "--frames", "12", *words))
    return lab.session(), (before, time.time_ns())


def raw(session, name):
    """Header and rows of a file, as they are there."""
    with open(os.path.join(session.path, name), encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, strict=True)
    return header, rows


def numeric(header, rows):
    """Places of the columns whose cells are numbers or empty, in front of the first text with a comma."""
    comma = [any("," in row[i] for row in rows) for i in range(len(header))]
    end = comma.index(True) if True in comma else len(header)
    return [i for i in range(end) if all(not row[i] or row[i].replace(".", "", 1).isdigit() for row in rows)]


def total(rows, column):
    """Sum of a column's numbers."""
    return sum(float(row[column] or 0) for row in rows)


def tool(name):
    """The path of a program that the test needs."""
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


def module(name):
    """A Python module that the test needs."""
    if not importlib.util.find_spec(name):
        raise Skip(f"the Python module {name} is not installed")
    return importlib.import_module(name)


def case_awk(lab):
    """`awk -F,` finds every number in its column."""
    awk = tool("awk")
    session, _ = record(lab, "--labels")
    equal(any("," in device["name"] for device in session.json["devices"]), True, "the name of llvmpipe has a comma")
    for name in FILES:
        header, rows = raw(session, name)
        places = numeric(header, rows)
        true(set(header[i] for i in places) >= NUMBERS[name], f"{name}: {NUMBERS[name]} are numbers: {header}")
        sums = "; ".join(f"s[{i}] += ${i + 1}" for i in places)
        ends = " ".join(f'printf "%.17g ", s[{i}];' for i in places)
        done = subprocess.run([awk, "-F,", f"NR > 1 {{ {sums} }} END {{ {ends} }}", os.path.join(session.path, name)],
                              capture_output=True, text=True, check=True)
        found = [float(text) for text in done.stdout.split()]
        equal(found, [float(f"{total(rows, i):.17g}") for i in places], f"{name}: sums by awk")


def case_awk_guide(lab):
    """The line of docs/guide/sharing.md prints the frames that it says."""
    tool("awk")
    session, _ = record(lab)
    with open(os.path.join(ROOT, "docs", "guide", "sharing.md"), encoding="utf-8") as file:
        line, = re.findall(r"^    (awk -F, .* frames\.csv)$", file.read(), re.MULTILINE)
    busy = sorted(int(row["gpu_busy_ns"]) for row in session.frames)
    limit = (busy[5] + busy[6]) // 2
    done = subprocess.run(["sh", "-c", line.replace("2e6", str(limit))], cwd=session.path, capture_output=True, text=True,
                          check=True)
    equal(done.stdout.split(), [row["frame"] for row in session.frames if int(row["gpu_busy_ns"]) > limit], line)


def case_sqlite(lab):
    """`.import --csv` of SQLite makes text of everything: with `+ 0` the maximum is the right one."""
    sqlite = tool("sqlite3")
    session, _ = record(lab)
    header, rows = raw(session, "frames.csv")
    at = header.index("cpu_start_ns"), header.index("surface")
    done = subprocess.run([sqlite, ":memory:", ".import --csv frames.csv frames",
                           "select max(cpu_start_ns + 0), max(surface + 0), count(*) from frames"],
                          cwd=session.path, capture_output=True, text=True, check=True)
    equal(done.stdout.strip(), f"{max(int(row[at[0]]) for row in rows)}|{max(int(row[at[1]]) for row in rows)}|{len(rows)}",
          "SQLite's maxima")


def case_python(lab):
    """Numbers of devices and surfaces are places in session.json; application, process and time of day are there."""
    session, (before, after) = record(lab)
    header, rows = raw(session, "frames.csv")
    program = session.json["program"]
    offset = program["start_realtime_ns"] - program["start_monotonic_ns"]
    true(before <= program["start_realtime_ns"] <= after, f"{before} <= {program['start_realtime_ns']} <= {after}")
    seconds = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(program["start_realtime_ns"] // 10**9))
    equal(program["start"], seconds, "time of day")
    for row in (dict(zip(header, row)) for row in rows):
        surface = session.json["surfaces"][int(row["surface"])]
        equal((surface["name"], surface["device"]), ("pbuffer 1", int(row["device"])), "surface")
        equal(session.json["devices"][surface["device"]]["api"], row["api"], "device")
        equal((row["app"], int(row["pid"])), ("passprobe-sample-gl", program["pid"]), "application")
        equal(int(row["cpu_start_realtime_ns"]), int(row["cpu_start_ns"]) + offset, "time of day of a frame")
        true(before <= int(row["cpu_start_realtime_ns"]) <= after, "time of day of a frame")


def case_pandas(lab):
    """pandas gives each column of numbers a type of numbers."""
    pandas = module("pandas")
    session, _ = record(lab, "--labels")
    for name in FILES:
        table = pandas.read_csv(os.path.join(session.path, name))
        for column in sorted(NUMBERS[name]):
            true(table[column].dtype.kind in "iuf", f"{name}: {column} is {table[column].dtype}")


def case_duckdb(lab):
    """DuckDB gives each column of numbers a type of numbers."""
    duckdb = module("duckdb")
    session, _ = record(lab, "--labels")
    for name in FILES:
        table = duckdb.read_csv(os.path.join(session.path, name))
        types = dict(zip(table.columns, map(str, table.types)))
        for column in sorted(NUMBERS[name]):
            true(types[column] in ("BIGINT", "DOUBLE"), f"{name}: {column} is {types[column]}")


# Columns that are sums or places for every reader.
NUMBERS = {
    "frames.csv": {"frame", "device", "surface", "cpu_start_ns", "frame_time_ns", "gpu_busy_ns", "passes", "draws",
                   "cpu_acquire_ns", "pipeline:vertex_shader_invocations", "pid"},
    "passes.csv": {"frame", "pass", "width", "draws", "copies", "gpu_time_ns", "pipeline:vertex_shader_invocations",
                   "id:by_place"},
    "draws.csv": {"frame", "pass", "draw", "vertices", "instances", "gpu_start_ns", "pipeline:vertex_shader_invocations",
                  "id:by_place"},
    "labels.csv": {"frame", "depth", "draws", "gpu_inclusive_ns", "pipeline:vertex_shader_invocations"},
}

if __name__ == "__main__":
    main(globals())
