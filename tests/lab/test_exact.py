#!/usr/bin/env python3
"""What passprobe says of each frame, pass and draw equals what the lab's GPU executed below the packaged driver: times, vertices,
primitives, invocations and OA counters. The lab's log has the truth: the timestamps that passprobe's brackets write
enclose the work of a bracket.

test_exact.py --build DIR CASE DEVICE"""
import os
import sys

from harness import equal, main, number, true
from simulated_gpu import TIMESTAMP_HZ, across_wrap, brackets_of, brackets_of_rows, driver, left_out, log_of, simulated

DEVICE = sys.argv.pop() if len(sys.argv) > 1 else ""
FRAMES = 6
SCENE_TICKS = 115  # from the begin of a submission to its scene pass, with some brackets
SCENE_ALONE_TICKS = 60  # from the begin of a scene pass's own submission to its large draw
PASS_BUFFERS = 24  # a submission of a pass has this many buffers; those between passes have fewer
# Counters of khr whose raw value is A[n] of the OA unit, which is (n + 1) times the vertices.
KHR = {"VS Threads Dispatched": 1, "HS Threads Dispatched": 2, "DS Threads Dispatched": 3, "GS Threads Dispatched": 5,
       "FS Threads Dispatched": 6}
OA_SOURCES = {"khr": KHR, "oa": {"VsThreads": 1, "HsThreads": 2}}


def record(lab, name, level, events, *words, options=(), **more):
    """The session and the log of a run of the Vulkan sample, recorded with @p options of passprobe."""
    env = simulated(lab, DEVICE, **driver(name), **more)
    done = lab.run([*lab.record("-l", level, "-e", events, *options), *lab.sample("vk", "--frames", str(FRAMES), *words)],
                   **env, timeout=60)
    true("lab:" not in done.stderr, f"no rule was broken: {done.stderr}")
    session = lab.session()
    equal(session.lost(), {}, "nothing was lost")
    return session, log_of(lab)


def columns_of(source):
    return {f"{source}:{name}": n for name, n in OA_SOURCES.get(source, {}).items()}


def same_time(row, ticks, what):
    """Both ends of a bracket are rounded to nanoseconds."""
    want = ticks * 1_000_000_000 // TIMESTAMP_HZ[DEVICE]
    true(abs(number(row, "gpu_time_ns") - want) <= 1, f"{what}: {row['gpu_time_ns']} ns, the GPU took {want} ns")


def same_counts(row, bracket, source, what):
    """@return how many counters of @p source were compared."""
    for column, want in (("pipeline:input_assembly_vertices", bracket.vertices),
                         ("pipeline:input_assembly_primitives", bracket.primitives),
                         ("pipeline:clipping_primitives", bracket.primitives),
                         ("pipeline:compute_shader_invocations", bracket.invocations)):
        equal(number(row, column), want, f"{what}: {column}")
    filled = {column: n for column, n in columns_of(source).items() if row.get(column)}
    for column, n in filled.items():
        equal(number(row, column), (n + 1) * bracket.vertices, f"{what}: {column}")
    return len(filled)


def check_passes(session, log, source):
    """@return the outer brackets, one for each pass. All work is in one of them."""
    outer = brackets_of_rows(log, session.passes, DEVICE)
    compared = 0
    for row, bracket in zip(session.passes, outer):
        what = f"frame {row['frame']} pass {row['pass']}"
        same_time(row, bracket.ticks, what)
        compared += same_counts(row, bracket, source, what)
    if source == "khr" and left_out(session, DEVICE):
        equal(compared, 0, "cells of khr")
    else:
        true(source == "time" or compared >= len(columns_of(source)) * len(outer), f"{compared} cells of {source}")
    return outer


def check_draws(session, outer):
    """Draws are in the brackets of their passes, in the same order."""
    draws = session.table("draws.csv")
    inner = [bracket for one in outer for bracket in one.inner]
    equal(len(inner), len(draws), "brackets inside of passes, and rows of draws")
    for row, bracket in zip(draws, inner):
        what = f"frame {row['frame']} draw {row['draw']}"
        same_time(row, bracket.ticks, what)
        same_counts(row, bracket, "time", what)


def check(lab, name, source, *words, **more):
    events = ",".join(["time", "pipeline"] + list(f"{source}:{counter}" for counter in OA_SOURCES.get(source, {})))
    session, log = record(lab, name, "pass", events, *words, **more)
    check_passes(session, log, source)
    session, log = record(lab, name, "draw", events, *words, **more)
    check_draws(session, check_passes(session, log, source))
    return log


def check_frames(lab, name, source):
    """At level frame, one bracket encloses a frame: the sample submits each frame once."""
    events = ",".join(["time"] + [f"{source}:{counter}" for counter in OA_SOURCES[source]])
    session, log = record(lab, name, "frame", events)
    outer = brackets_of(log)
    equal(len(outer), FRAMES, "brackets of frames")
    for row, bracket in zip(session.frames, outer):
        same_time(row, bracket.ticks, f"frame {row['frame']}")
        for column, n in columns_of(source).items():
            if not left_out(session, DEVICE):
                equal(number(row, column), (n + 1) * bracket.vertices, f"frame {row['frame']}: {column}")


def case_khr(lab):
    check(lab, "anv", "khr")
    check_frames(lab, "anv", "khr")


def case_rerecord(lab):
    check(lab, "anv", "khr", "--rerecord")


def case_secondary(lab):
    check(lab, "anv", "khr", "--secondary")


def case_renderpass2(lab):
    check(lab, "anv", "khr", "--renderpass", "2")


def case_dynamic(lab):
    check(lab, "anv", "khr", "--renderpass", "dynamic", "--rerecord")


def check_shared(lab, name):
    """Where passes meet, one timestamp is the end of one and the begin of the next. Each pass has a counted draw for each of its
    draws."""
    frames, passes = 4, 5
    env = simulated(lab, DEVICE, **driver(name))
    load = [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "10", "--passes", str(passes), "--frames", str(frames)]
    lab.run([*lab.record("-l", "pass", "-e", "time"), *load], **env, timeout=60)
    session, log = lab.session(), log_of(lab)
    outer = brackets_of(log)
    equal(len(outer), len(session.passes), "brackets that the GPU executed, and rows of passes")
    true(len(outer) >= frames * passes, f"{len(outer)} passes")
    for row, bracket in zip(session.passes, outer):
        same_time(row, bracket.ticks, f"frame {row['frame']} pass {row['pass']}")
        equal(bracket.vertices, 3 * number(row, "draws"), "vertices in the bracket of a pass")
    ends = {bracket.begin + bracket.ticks for bracket in outer}
    shared = sum(bracket.begin in ends for bracket in outer)
    equal(shared, len(outer) * (passes - 1) // passes, "begins that are the end of the pass before")


def case_time(lab):
    """GPUs for which the driver has no metrics."""
    name = "hasvk" if DEVICE in ("hsw", "chv") else "anv"
    check(lab, name, "time")
    check_shared(lab, name)


def case_hasvk(lab):
    check(lab, "hasvk", "khr")


def case_late(lab):
    """The GPU begins milliseconds after a submission. The application waits once for each frame, as without passprobe, and
    a few times where devices are created and destroyed."""
    waits = len([line for line in check(lab, "anv", "khr", LAB_MODE="late") if line.name == "wait"])
    true(0 < waits < FRAMES + 5, f"the application waited {waits} times in {FRAMES} frames")


def case_queues(lab):
    """Queues of two families, and two queues of one family, take turns. Counters are measured in the first family only."""
    program = os.path.join(lab.build, "tests", "layer-walk")
    for walk in ("unwaited", "held overlapped"):
        env = simulated(lab, DEVICE, **driver("anv"), ANV_QUEUE_OVERRIDE="gc=2,c=1", WALK_CASES=walk)
        lab.run([*lab.record("-l", "pass", "-e", ",".join(["time", "pipeline", *columns_of("khr")])), program], **env,
                timeout=60)
        session, outer = lab.session(), brackets_of(log_of(lab))
        equal(session.lost(), {}, "nothing was lost")
        rows = sorted(session.passes, key=lambda row: int(row["gpu_start_ns"]))
        equal(len(outer), len(rows), f"{walk}: brackets that the GPU executed, and rows of passes")
        for row, bracket in zip(rows, outer):
            what = f"{walk}: frame {row['frame']} on {row['queue']}"
            same_time(row, bracket.ticks, what)
            measured = row["queue"].startswith("graphics") and not left_out(session, DEVICE)
            equal(same_counts(row, bracket, "khr", what), len(KHR) if measured else 0,
                  f"{what}: counters")
        equal(len({row["queue"] for row in rows}), 2, f"{walk}: queues")


def kernel(lab, *words, **more):
    """The source `oa` reads the kernel's stream, which distinguishes submissions. With --serialize each pass is a submission of its
    own, and has exactly what the GPU counted. Only if a report of the timer falls between the switch to the context and
    the bracket, which is seldom, the value is an estimate, and the row says so. Where the driver itself offers `oa` (Mesa 23.3
    and later), no value is an estimate."""
    events = ",".join(["time", "pipeline", *columns_of("oa")])
    session, log = record(lab, "anv", "pass", events, *words, options=("--serialize",), **more)
    check_passes(session, log, "time")
    exact = [row for row in session.passes if row.get("estimate:oa", "0") == "0"]
    true(len(exact) >= 0.8 * len(session.passes), f"{len(exact)} of {len(session.passes)} passes are exact")
    for row in exact:
        for column, n in columns_of("oa").items():
            equal(number(row, column), (n + 1) * number(row, "pipeline:input_assembly_vertices"),
                  f"frame {row['frame']} pass {row['pass']}: {column}")
    return log


def case_kernel(lab):
    kernel(lab)
    kernel(lab, "--rerecord")


def khr_passes(lab, **more):
    session, log = record(lab, "anv", "pass", ",".join(["time", "pipeline", *columns_of("khr")]), **more)
    check_passes(session, log, "khr")
    return log


def case_wraps(lab):
    """A submission is in progress at the wrap of the reports' 32 bits, and of the timestamp's 36: a frame, or, with --serialize,
    the scene pass."""
    passes = [row["counts"]["input_assembly_vertices"] for row in lab.expect("vk")["passes"]]
    frames = FRAMES // 2 * sum(passes)
    for wrap in ("report", "register"):
        across_wrap(DEVICE, wrap, frames, SCENE_TICKS, lambda more: khr_passes(lab, **more))
        across_wrap(DEVICE, wrap, frames + passes[0], SCENE_ALONE_TICKS, lambda more: kernel(lab, **more), PASS_BUFFERS)


main(globals())
