"""Sessions of many machines in databases: makes them, pushes them, asks questions, and says what passprobe itself knows of
the same sessions."""
import json
import os
import subprocess
import sys

import duckdb_reader
from clickhouse import READER, question
from harness import ROOT, Lab, equal, true

SESSIONS, FRAMES, BUILDS = 144, 40, 12
QUESTIONS = os.path.join(ROOT, "cli/push/sql/clickhouse/questions")
LAKE_QUESTIONS = os.path.join(ROOT, "cli/push/sql/duckdb/questions")


class FleetLab(Lab):
    """Sessions of many machines, and a server that has them."""

    def __init__(self, build, scratch):
        super().__init__(build, scratch)
        self.oracle_program = os.path.join(build, "tests", "fleet_oracle")
        self.folder = self.path("sessions")

    def make(self, sessions=SESSIONS, frames=FRAMES, builds=BUILDS):
        """Write the sessions. @return their folders."""
        subprocess.run([sys.executable, "-B", os.path.join(ROOT, "bench/fleet_sessions"), "--out", self.folder, "--sessions",
                        str(sessions), "--frames", str(frames), "--builds", str(builds)], check=True, capture_output=True)
        with open(os.path.join(self.folder, "fleet.json"), encoding="utf-8") as file:
            self.truth = json.load(file)
        return [os.path.join(self.folder, name) for name in sorted(os.listdir(self.folder)) if name.startswith("session")]

    def push(self, server, paths, **more):
        """Push sessions as a user does."""
        return self.run([self.passprobe, "push", server.url(**more), *paths], timeout=300,
                        PASSPROBE_PUSH_PASSWORD=server.password)

    def about(self, paths):
        """What is known of each session: its tags and what `report --json` says of it."""
        ret = []
        for path in paths:
            with open(os.path.join(path, "session.json"), encoding="utf-8") as file:
                session = json.load(file)
            report = json.loads(self.run([self.passprobe, "report", "--json", path]).stdout)
            [device] = session["devices"]
            missing = [(device["name"], row["event"], row["reason"]) for row in device["events_missing"]]
            missing += [("frames", row["event"], row["reason"]) for row in session["frames"]["events_missing"]]
            missing += [(row["file"], name, row["reason"]) for row in session["empty_cells"] for name in row["columns"]]
            ret.append({"id": session["session_id"], **session["tags"], "gpu": device["name"], "driver": device["driver"],
                        "surface": report["surfaces"][0], "missing": missing})
        return ret

    def oracle(self, lines):
        """What passprobe's statistics answer, a list of words for each line."""
        done = subprocess.run([self.oracle_program], input="".join(line + "\n" for line in lines), capture_output=True,
                              text=True, check=True)
        return [line.split(" ") for line in done.stdout.splitlines()]

    def quantile(self, p, values):
        return float(self.oracle([f"quantile {p} " + " ".join(map(repr, values))])[0][0])


class Lake:
    """A folder with sessions, which DuckDB reads. @param engine DuckDB"""

    def __init__(self, folder, engine):
        self.folder, self.engine = folder, engine

    def ask(self, name, pairs):
        """@return the rows of the answer."""
        quoted = lambda text: "'" + text.replace("'", "''") + "'"
        table = ["CREATE TABLE ask (key VARCHAR, value VARCHAR)"]
        table += [f"INSERT INTO ask VALUES ({quoted(key)}, {quoted(value)})" for key, value in pairs]
        [text] = duckdb_reader.statements(os.path.join(LAKE_QUESTIONS, name + ".sql"))
        return self.engine.rows(self.folder, *duckdb_reader.statements(os.path.join(self.folder, "duckdb.sql")), *table, text)


def ask(server, name, *pairs, **more):
    """Ask a server or a lake a question: its rows as dictionaries."""
    if isinstance(server, Lake):
        return server.ask(name, pairs)
    text = question(os.path.join(QUESTIONS, name + ".sql")) + " FORMAT JSON"
    return json.loads(server.query(text, ask=pairs, **{"user": READER, **more}))["data"]


def near(got, want, what, share=1e-6, least=1e-3):
    """Demand that two numbers are equal but for rounding."""
    got = float("nan") if got is None else float(got)
    true(abs(got - want) <= max(least, share * abs(want)), f"{what}: got {got}, want {want}")


def by(rows, *keys):
    """Rows by the values of some columns, each once."""
    ret = {tuple(row[key] for key in keys): row for row in rows}
    equal(len(ret), len(rows), f"rows that differ in {keys}")
    return ret


def snippet(begin):
    """The lines of docs/fleet.md from one that begins so to the end of its block."""
    with open(os.path.join(ROOT, "docs/fleet.md"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    [at] = [i for i, line in enumerate(lines) if line.startswith("    ") and line.lstrip().startswith(begin)]
    indent = lines[at][:-len(lines[at].lstrip())]
    end = next(i for i in range(at, len(lines)) if not lines[i].startswith(indent))
    return "\n".join(line[len(indent):] for line in lines[at:end])
