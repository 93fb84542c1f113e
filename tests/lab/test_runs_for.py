#!/usr/bin/env python3
"""`record --runs-for` on the lab's GPU, with the packaged drivers: all counter sets that the driver or the kernel offers, one in
each run. Every counter of every frame, pass and draw is that of the run of its set, and those whose value is known from
the GPU's work are exact.

test_runs_for.py --build DIR CASE DEVICE"""
import os
import shutil
import sys

from harness import equal, main, number, true
from simulated_gpu import driver, left_out, simulated

DEVICE = sys.argv.pop() if len(sys.argv) > 1 else ""
# Counters whose raw value is A[n] of the OA unit, which is (n + 1) times the vertices.
KNOWN = {"khr": {"VS Threads Dispatched": 1, "HS Threads Dispatched": 2, "DS Threads Dispatched": 3, "GS Threads Dispatched": 5},
         "intel": {"VS Threads Dispatched": 1, "HS Threads Dispatched": 2, "DS Threads Dispatched": 3, "GS Threads Dispatched": 5},
         "oa": {"VsThreads": 1, "HsThreads": 2}}


def record(lab, name, sample, source, events, level, *options):
    """@return the merged session and those of the runs."""
    env = simulated(lab, DEVICE, **driver(name))
    shutil.rmtree(lab.path("data.runs"), ignore_errors=True)
    done = lab.run([*lab.record("-l", level, "--runs-for", events, "--keep-runs", *options), *sample], **env, timeout=110)
    true("lab:" not in done.stderr, f"no rule was broken: {done.stderr}")
    session = lab.session()
    runs = [lab.session(f"data.runs/set{i}") for i in range(len(os.listdir(lab.path("data.runs"))))]
    about = session.json["runs_for"]
    equal((about["wanted_runs"], about["ended"]), (len(runs), None), "runs")
    if left_out(session, DEVICE) and source != "oa":
        return None, None
    for of in about["agreement"].values():
        equal(of["agree"], of["rows"], "rows that agree in all runs")
    return session, runs


def tables(session):
    rows = {"frames.csv": session.frames, "passes.csv": session.passes}
    if session.json["options"]["level"] == "draw":
        rows["draws.csv"] = session.table("draws.csv")
    return rows


def key(row):
    return tuple(row.get(name) for name in ("frame", "pass_id", "draw_id"))


def same_as_runs(session, runs, source):
    """Each counter is that of the first run that has it. @return how many counters passes with draws have, at least."""
    of_runs = [{name: {key(row): row for row in rows} for name, rows in tables(run).items()} for run in runs]
    least = sys.maxsize
    for name, rows in tables(session).items():
        for row in rows:
            found = {column: text for column, text in row.items() if column.startswith(source + ":") and text}
            want = {}
            for run in reversed(of_runs):
                want.update({column: text for column, text in run[name][key(row)].items()
                             if column.startswith(source + ":") and text})
            equal(found, want, f"{name} {key(row)}")
            equal(row["runs:differ"], "0", f"{name} {key(row)}: runs that differ")
            if name == "passes.csv" and row["draws"] != "0":
                least = min(least, len(found))
    return least


def known_values(session, source):
    """@return how many cells were compared."""
    compared = 0
    for name, rows in tables(session).items():
        for row in rows:
            if row.get("estimate:oa") == "1":
                continue  # docs/formats/session.md, "estimate:oa"
            for counter, n in KNOWN[source].items():
                text = row.get(f"{source}:{counter}")
                if text and row["pipeline:input_assembly_vertices"]:
                    equal(int(text), (n + 1) * number(row, "pipeline:input_assembly_vertices"), f"{name} {key(row)}: {counter}")
                    compared += 1
    return compared


def check(lab, name, sample, source, events, level, *options):
    session, runs = record(lab, name, sample, source, events, level, *options)
    if session is None:
        return
    true(len(runs) > 2, f"{len(runs)} runs")
    least = same_as_runs(session, runs, source)
    most = max(len([name for name in run.json["devices"][0]["events_got"] if name.startswith(source)]) for run in runs)
    true(least > most, f"a pass has {least} counters, and the largest set {most}")
    compared = known_values(session, source)
    true(compared >= 2 * len(session.passes), f"{compared} known cells of {len(session.passes)} passes")


def case_khr(lab):
    """All counters of VK_KHR_performance_query, around passes and around draws."""
    check(lab, "anv", lab.sample("vk", "--frames", "3"), "khr", "khr:*", "pass")
    check(lab, "anv", lab.sample("vk", "--frames", "3", "--rerecord"), "khr", "khr:?S*,khr:*Sampler*,khr:*L3*",
          "draw")


def case_kernel(lab):
    """Metric sets of the kernel's stream, which distinguishes submissions."""
    check(lab, "anv", lab.sample("vk", "--frames", "4", "--rerecord"), "oa", "oa:RenderBasic,oa:ComputeBasic,oa:RenderPipeProfile",
          "pass", "--serialize")


def case_intel(lab):
    """Queries of GL_INTEL_performance_query."""
    check(lab, "iris", lab.sample("gl", "--frames", "4"), "intel", "intel", "pass")


main(globals())
