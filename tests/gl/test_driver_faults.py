"""Faults of known drivers, simulated by the fake GL below the shim: the application runs as without passprobe, what can be
measured is measured, and the session says what is not. And a fault of Mesa's llvmpipe itself."""
import os
import re

from harness import Skip, equal, fake_library, main, true
from shim import preload


ASKS_MORE_THAN_1S = "12000"  # passprobe asks, and sleeps for 0.1 ms


def both(lab, case, out, fake, **options):
    """Bare and loaded print the same. @return the session and what the driver says."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_faults"), case]
    env = {f"FAKE_GL_{name}": value for name, value in fake.items()}
    bare = lab.run(program, **env)
    loaded = lab.run(program, **{**preload(lab, out, **options), **env})
    equal(loaded.stdout, bare.stdout, f"{case}: {loaded.stderr}")
    return lab.session(out), loaded.stderr


def case_dispatches(lab):
    """freedreno before Mesa 23.3 hangs where a query follows a dispatch: the dispatch is flushed first, and a note says so.
    A newer one is left alone."""
    fake = {"VENDOR": "freedreno", "RENDERER": "FD630"}
    for level in ("frame", "pass", "draw"):
        session, _ = both(lab, "dispatches", level, {**fake, "VERSION": "4.5 (Core Profile) Mesa 22.3.6", "HANGS": "1"},
                          level=level)
        equal([int(row["dispatches"]) for row in session.frames], [3, 4] * 3, f"{level}: dispatches")
        true(all(row["gpu_time_ns"] for row in session.frames), f"{level}: times")
        true(any("query follows a dispatch" in note for note in session.json["devices"][0]["notes"]), "the note")
    session, _ = both(lab, "dispatches", "fixed", {**fake, "VERSION": "4.5 (Core Profile) Mesa 23.3.0"})
    equal(session.json["devices"][0]["notes"], [], "notes of the fixed version")


def case_statistics(lab):
    """Of a dispatch only the compute statistic is queried, of other work only the other ten. What is not queried is 0."""
    for level, compute, vertex in (("frame", 6, 6), ("pass", 15, 12), ("draw", 21, 18)):
        session, stderr = both(lab, "dispatches", level, {}, level=level)
        true(f"compute queries {compute}\n" in stderr and f"vertex queries {vertex}\n" in stderr, f"{level}: {stderr}")
        rows = {"frame": session.frames, "pass": session.passes}.get(level) or session.table("draws.csv")
        for row in rows:
            counts = {name: row[name] for name in row if name.startswith("pipeline:")}
            equal(len(counts), 11, "statistics")
            dispatch = row.get("kind") == "compute" or row.get("call") == "glDispatchCompute"
            for name, count in counts.items():
                true(count == "3" if level == "frame" or dispatch == ("compute" in name) else count == "0", f"{level}: {row}")


def case_dispatches_apart(lab):
    """iris executes dispatches in another queue than timestamps: their times are empty, never 0, and the reason is given."""
    fake = {"VENDOR": "Intel", "RENDERER": "Mesa Intel(R) HD Graphics 630 (KBL GT2)",
            "VERSION": "4.6 (Core Profile) Mesa 22.3.6"}
    for level in ("pass", "draw"):
        session, _ = both(lab, "dispatches", level, fake, level=level)
        rows = session.passes + (session.table("draws.csv") if level == "draw" else [])
        for row in rows:
            apart = row.get("kind") == "compute" or row.get("call") == "glDispatchCompute"
            equal(row["gpu_time_ns"] == "", apart, f"{level}: {row}")
            equal(row["gpu_start_ns"] == "", apart, f"{level}: {row}")
            true(row["pipeline:compute_shader_invocations"] != "", "counts are there")
        for row in session.frames:
            true(row["gpu_time_ns"] != "", f"{level}: time of the other passes of {row}")
            equal((row["gpu_busy_ns"], row["gpu_wait_ns"], row["bound_by"]), ("", "", ""), f"{level}: not known")
        reasons = {it["event"]: it["reason"] for it in session.json["devices"][0]["events_missing"]}
        true("in another queue" in reasons["time of dispatches"], f"{reasons}")


def case_no_results(lab):
    """Results never come, although the GPU has finished all work: passprobe waits once for 0.1 s, not at each release, and
    says so. While the GPU works, it waits longer."""
    asked = {}
    for idle in "0", "1":
        session, stderr = both(lab, "released", f"idle{idle}", {"LAG": "1000000000", "IDLE": idle})
        asked[idle] = int(stderr.split("asked early ")[1].split()[0])
        reasons = {it["event"]: it["reason"] for it in session.json["devices"][0]["events_missing"]}
        equal("results of queries" in reasons, idle == "1", f"idle {idle}: {reasons}")
        equal("results of the last frames" in reasons, idle == "0", f"idle {idle}: {reasons}")
        equal(session.json["dropped"]["times_not_landed"] > 0, True, "what did not come is counted")
    # a question in each step of a wait: three waits of a second, or one of a tenth
    true(asked["1"] * 5 < asked["0"], f"questions: {asked}")


def case_ends(lab):
    """The process ends while its last frames still run, for longer than a second. The threads of a software renderer end what
    they have begun: their results are waited for. Of a GPU this is not known: they are lost, and the reason is given."""
    for renderer, lost in (("llvmpipe (LLVM 15)", 0), ("GPU", 3)):
        session, _ = both(lab, "ends", renderer.split()[0], {"RENDERER": renderer, "LAG": "1000000000", "LAG_ASKS": ASKS_MORE_THAN_1S})
        equal(session.json["dropped"]["times_not_landed"], lost, f"{renderer}: times that did not come")
        reasons = {it["event"]: it["reason"] for it in session.json["devices"][0]["events_missing"]}
        equal("results of the last frames" in reasons, lost > 0, f"{renderer}: {reasons}")
        equal([bool(row["gpu_time_ns"]) for row in session.frames], [lost == 0] * 3, f"{renderer}: frames have times")


def case_freed_fences(lab):
    """llvmpipe frees the fence of a scene while a thread of it still has to unlock it, if the last query of that scene begins
    again just then, or if no query ended in the scene: the thread would write into freed memory. Queries that were read rest,
    and passprobe submits no scene without a query."""
    if lab.cached("PP_SANITIZE"):
        raise Skip("a sanitizer has its own pthread_mutex_unlock()")
    program, freed = [os.path.join(lab.build, "tests", "reach", "tiny_frames")], 0
    for run in range(12):
        env = {**preload(lab, f"data{run}", level=("frame", "pass", "draw")[run % 3]), "LP_NUM_THREADS": "2"}
        env["LD_PRELOAD"] += ":" + fake_library(lab, "libfake-unlock.so")
        done = lab.run(program, **env)
        equal(done.stdout, "300 frames\n", done.stderr)
        freed += int(re.search(r"fake: (\d+) mutexes of freed memory", done.stderr)[1])
    true(freed <= 2, f"{freed} fences were freed while they were locked")


main(globals())
