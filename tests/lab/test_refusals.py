#!/usr/bin/env python3
"""What a driver, a kernel or a GPU does not give: the application runs as without passprobe, and the session says what is
missing and why. Results that never come (LAB_MODE=noop), an OA unit that another profiler has, a kernel that lets only
privileged processes in, an OA unit that makes no reports.

test_refusals.py --build DIR CASE"""
import json

from harness import equal, main, true
from played_gpu import driver, left_out, played

DEVICE = "kbl"
FRAMES = 5
EBUSY = "16"


def record(lab, sample, name, events, **more):
    """The recorded session, after the application behaved as without passprobe."""
    env = played(lab, DEVICE, **driver(name), **more)
    command = lab.sample(sample, "--frames", str(FRAMES))
    bare = lab.run(command, **env, timeout=60)
    done = lab.run([*lab.record("-l", "pass", "-e", events), *command], **env, timeout=60)
    equal((done.returncode, done.stdout), (bare.returncode, bare.stdout), "exit status and output of the application")
    true("lab:" not in done.stderr, f"no rule was broken: {done.stderr}")
    return lab.session()


def passes_of_work(session):
    return sum(row["kind"] in ("render", "compute") for row in session.passes)


def results_never_come(lab, sample, name):
    session = record(lab, sample, name, "time,pipeline", LAB_MODE="noop")
    true(passes_of_work(session) >= 4 * FRAMES, "all passes have rows")
    equal(session.json["dropped"]["times_not_landed"], len(session.passes), "times that never came")
    for row in session.passes:
        equal((row["gpu_time_ns"], row["pipeline:input_assembly_vertices"]), ("", ""), "cells without a result")


def case_noop_vk(lab):
    results_never_come(lab, "vk", "anv")


def case_noop_gl(lab):
    results_never_come(lab, "gl", "iris")


def counters_are_refused(lab, source, **more):
    """No cell of the source is filled, the times are, and events_missing or notes give a reason."""
    session = record(lab, "vk", "anv", f"time,{source}:*", LAB_PERF_CONFIG="mesa", **more)
    for row in session.passes:
        true(row["gpu_time_ns"], "times are measured")
        equal([column for column in row if column.startswith(source + ":") and row[column]], [], "cells of " + source)
    device = session.json["devices"][0]
    missing = [entry["reason"] for entry in device["events_missing"]] + device["notes"]
    true(left_out(session, DEVICE) or any("OA unit" in text or "perf_stream_paranoid" in text or "queue family" in text for text in missing),
         f"a reason in {json.dumps(missing)}")


def case_busy(lab):
    counters_are_refused(lab, "khr", LAB_PERF_OPEN_ERRNO=EBUSY)
    counters_are_refused(lab, "oa", LAB_PERF_OPEN_ERRNO=EBUSY)


def case_paranoid(lab):
    counters_are_refused(lab, "oa", LAB_PERF_PARANOID="1")


def case_no_reports(lab):
    """iris reads the stream until it has a report that is young enough. Without one, the application's thread would not come
    back: the stream has no report, or only reports from before the first result."""
    for events in ("intel:VS Threads Dispatched", "amd:VS Threads Dispatched"):
        for reports in ("0", "3"):
            session = record(lab, "gl", "iris", f"time,{events}", LAB_PERF_REPORTS=reports)
            equal(len(session.frames), FRAMES, "frames")
            if left_out(session, DEVICE):
                continue
            equal([row[events] for row in session.passes if row[events]], [], f"cells of {events}")
            true(all(row["gpu_time_ns"] for row in session.passes if row["kind"] == "render"), "times are measured")
            missing = {entry["event"]: entry["reason"] for entry in session.json["devices"][0]["events_missing"]}
            true("delivered no counter reports" in missing.get(events, ""), f"a reason in {missing}")


main(globals())
