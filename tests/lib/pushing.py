"""Sessions that tests push, and what a server has of them."""
import csv
import json
import os
import re
import subprocess
import time

from harness import environment

DAY_NS = 1699920000 * 10**9  # 2023-11-14
PASSES = ("f00dfeed00000001", "f00dfeed00000002", "f00dfeed00000003")
TABLES = ("sessions", "frames", "passes", "pass_names", "labels", "marks", "draws", "counters_missing", "pass_rollup",
          "frame_rollup")


def write_csv(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as out:
        csv.writer(out, lineterminator="\r\n").writerows([header, *rows])


def make_session(folder, session_id, frames=20, label="scene/sun", seed=1, json_more=None, draws=True):
    """Write a session as passprobe does, without draws at level pass. Every tenth frame has no GPU time. @return the
    folder."""
    level = "draw" if draws else "pass"
    os.makedirs(folder, exist_ok=True)
    start = DAY_NS + seed
    about = {"revision": 1, "passprobe": "0.1.0", "schema": 2, "session_id": session_id, "ended": "exit",
             "program": {"executable": "/home/ann/bin/game", "command": ["game", "--token", "hush"], "pid": 7,
                         "start": "2023-11-14T00:00:00Z", "start_realtime_ns": start, "start_monotonic_ns": 0},
             "host": {"name": "anns-laptop", "kernel": "6.1", "os": "Debian", "cpu": "CPU", "cpus": 2},
             "options": {"level": level, "events": "time"}, "window": None,
             "devices": [{"api": "gl", "name": "GPU one", "driver": "driver", "api_version": "4.5 (Core Profile) Mesa 22.3.6",
                          "events_missing": [{"event": "khr:a", "reason": "the driver has none"}],
                          "bracket_bias": [{"scope": "pass", "count": 9, "min_ns": 10, "median_ns": 100, "iqr_ns": 3}]}],
             "frames": {"events_missing": []}, "surfaces": [{"name": "window 1", "device": 0}],
             "marks": [{"at_ns": 5, "frame": 3, "label": "boss\tfight"}], "states": [], "empty_cells": [],
             "counts": {"frames": frames, "passes": 3 * frames}, "dropped": {"frames": 2},
             "own_cost": {"percent": 0.5}, "messages": [], "tags": {"build": "1234", "scene": "town"}, "revision_end": 1}
    about.update(json_more or {})
    with open(os.path.join(folder, "session.json"), "w", encoding="utf-8") as out:
        json.dump(about, out)
    time_of = lambda frame, place: 1000 * seed + 10 * frame + 1000 * place
    write_csv(os.path.join(folder, "frames.csv"),
              ["frame", "api", "device", "surface", "level", "cpu_start_ns", "frame_time_ns", "gpu_time_ns", "bound_by",
               "draws", "pipeline:vertex_shader_invocations", "app:hit, points"],
              [[i, "gl", 0, 0, level, 1000 * i, 16000000 + i, "" if i % 10 == 9 else time_of(i, 3),
                "" if i % 10 == 9 else "gpu", 3, 36, 0.5 if i % 2 else ""] for i in range(frames)])
    write_csv(os.path.join(folder, "passes.csv"),
              ["frame", "pass", "pass_id", "level", "kind", "width", "draws", "gpu_time_ns", "bound_by",
               "pipeline:vertex_shader_invocations", "id:by_place", "name", "label"],
              [[i, p, PASSES[p], level, "render", 640, 1, "" if i % 10 == 9 else time_of(i, p), "", 12, 0, f"pass {p}",
                label] for i in range(frames) for p in range(3)])
    write_csv(os.path.join(folder, "labels.csv"), ["frame", "depth", "passes", "gpu_inclusive_ns", "label"],
              [[i, 1, 3, time_of(i, 6), label] for i in range(frames)])
    if draws:
        write_csv(os.path.join(folder, "draws.csv"),
                  ["frame", "pass", "draw", "draw_id", "call", "vertices", "gpu_time_ns", "pipeline", "label"],
                  [[i, p, p, "d00d000000000000"[:-1] + str(p), "glDrawArrays", 36, time_of(i, p), "p", label]
                   for i in range(frames) for p in range(3)])
    return folder


def id_of(number):
    """The id of a session."""
    return f"{number:032x}"


class Pusher:
    """Runs `passprobe push` against a server."""

    def __init__(self, lab, server, database="fleet"):
        self.lab, self.server, self.database = lab, server, database

    def url(self, port=None, tls=False):
        address = self.server.url(self.database, tls=tls)
        return re.sub(r":\d+/", f":{port}/", address) if port else address

    def command(self, *words, port=None, tls=False):
        return [self.lab.passprobe, "push", self.url(port, tls), *words]

    def environment(self, **more):
        return {**environment(), "PASSPROBE_PUSH_PASSWORD": self.server.password, **more}

    def run(self, *words, port=None, tls=False, **more):
        """Run a push to its end."""
        return subprocess.run(self.command(*words, port=port, tls=tls), env=self.environment(**more), check=False,
                              text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)

    def start(self, *words, port=None):
        """Start a push."""
        return subprocess.Popen(self.command(*words, port=port), env=self.environment(), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def value(self, text):
        return self.server.value(text, database=self.database)

    def rows(self, text):
        return self.server.rows(text, database=self.database)

    def count(self, table, session_id):
        return int(self.value(f"SELECT count() FROM {table} WHERE session_id = '{session_id}'"))

    def counts(self, tables, session_id):
        query = " UNION ALL ".join(f"SELECT '{table}', count() FROM {prefix}{table} WHERE session_id = '{session_id}'"
                                   for prefix, table in tables)
        return {name: int(count) for name, count in self.rows(f"SELECT * FROM ({query})")}

    def seen(self, session_id):
        """Rows of a session in each view."""
        return self.counts([("", table) for table in TABLES], session_id)

    def stored(self, session_id):
        """Rows of a session in each table, whether they count or not."""
        return self.counts([("stored_", table) for table in TABLES], session_id)

    def wait_for(self, condition, what, seconds=60):
        """Wait until the server has done what it does later."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not in {seconds} s: {what}")
            time.sleep(0.1)


def whole(frames=20, passes=3):
    """What Pusher.seen() gives for a session of make_session()."""
    return {"sessions": 1, "frames": frames, "passes": passes * frames, "pass_names": passes, "labels": frames, "marks": 1,
            "draws": 0, "counters_missing": 1, "pass_rollup": passes, "frame_rollup": 1}


