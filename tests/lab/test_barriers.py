#!/usr/bin/env python3
"""Barriers in which the packaged driver works are rows of their own, in every way to record them. Each row equals what the
lab's GPU executed, and no work is outside of all rows.

test_barriers.py --build DIR CASE DEVICE"""
import os
import sys

from harness import LAVAPIPE, equal, main, number, true
from layer import messages, need_validation, validation_around
from simulated_gpu import SHIFTED, TIMESTAMP_HZ, brackets_of_rows, driver, left_out, log_of, simulated

DEVICE = sys.argv.pop() if len(sys.argv) > 1 else ""
FRAMES = 3
IMAGE = "256x256 R16G16B16A16_SFLOAT changes layout"
# Of a frame: label, kind, name and copies of each row.
ROWS = [("submitted alone", "barrier", IMAGE, 0), ("one", "barrier", IMAGE, 0), ("named", "barrier", "light changes layout", 0),
        ("consecutive", "barrier", "2 images change layout", 0), ("between copies", "transfer", "transfer", 2),
        ("before a copy", "barrier", IMAGE, 0), ("before a copy", "transfer", "transfer", 1), ("event", "barrier", IMAGE, 0),
        ("event 2", "barrier", IMAGE, 0), ("barrier, then event", "barrier", IMAGE, 0),
        ("given away", "barrier", "256x256 R16G16B16A16_SFLOAT changes queue family", 0),
        ("both given away", "barrier", "2 images change queue family", 0)]
SECONDARIES = [("secondary", "barrier", IMAGE, 0), ("simultaneous secondary", "barrier", "light changes layout", 0)]


def command(lab, *words):
    return [os.path.join(lab.build, "tests", "layer-barriers"), str(FRAMES), *words]


def rows_of(session):
    return [(row["label"], row["kind"], row["name"], number(row, "copies")) for row in session.passes]


def check(lab, level, *words, events="time,pipeline", options=()):
    env = simulated(lab, DEVICE, **driver("anv"))
    done = lab.run([*lab.record("-l", level, "-e", events, *options), *command(lab, *words)], **env, timeout=60)
    true("lab:" not in done.stderr, f"no rule was broken: {done.stderr}")
    session = lab.session()
    equal(session.lost(), {}, "nothing was lost")
    equal(rows_of(session), (ROWS + SECONDARIES * ("secondary" in words)) * FRAMES, "rows")
    equal([row["frame"] for row in session.passes], [str(f) for f in range(FRAMES) for _ in range(len(session.passes) // FRAMES)],
          "a submission with only a barrier ends no frame")
    for row, bracket in zip(session.passes, brackets_of_rows(log_of(lab), session.passes, DEVICE)):
        what = f"frame {row['frame']} {row['label']}"
        true(bracket.work or "given away" in what or os.environ.get("LAB_MESA"), f"{what}: Mesa 22.3's GPU worked")
        same = bracket.ticks * 1_000_000_000 // TIMESTAMP_HZ[DEVICE] - number(row, "gpu_time_ns")
        true(abs(same) <= 1, f"{what}: {row['gpu_time_ns']} ns, {same} ns less than the GPU took")
        if row["label"] != "simultaneous secondary" and "pipeline" in events:
            equal(number(row, "pipeline:input_assembly_vertices"), 0, f"{what}: vertices of the application")
    return session


def case_pass(lab):
    """Recorded once, and submitted for each frame."""
    check(lab, "pass")


def case_simultaneous(lab):
    """Mesa 22.3 does not run an ordinary command buffer after one for simultaneous use."""
    check(lab, "pass", "simultaneous")


def case_times(lab):
    """Without statistics, a barrier begins with the timestamp that ends the pass before it."""
    check(lab, "pass", "secondary", events="time")


def case_rerecord(lab):
    check(lab, "pass", "rerecord", "secondary")


def case_draw(lab):
    check(lab, "draw", "secondary")


def case_serialize(lab):
    check(lab, "pass", "secondary", options=("--serialize",))


def case_counters(lab):
    """Counters of the OA unit have a value in each row of a barrier, also at level draw, where actions are measured in turn with
    passes."""
    for level in ("pass", "draw"):
        events = "time,khr:VS Threads Dispatched"
        if os.environ.get("LAB_MESA") and DEVICE in SHIFTED:
            true(left_out(check(lab, level, "rerecord", events=events + ",pipeline"), DEVICE), "the reason for having no counters")
            continue
        session = check(lab, level, "rerecord", events=events)
        values = [row["khr:VS Threads Dispatched"] for row in session.passes if row["kind"] == "barrier"]
        equal(values, ["0"] * len(values), f"level {level}: the driver's draws do not count vertices on this GPU")


def case_lavapipe(lab):
    """A driver that does nothing in barriers has no rows of them."""
    done = lab.run([*lab.record("-l", "pass"), *command(lab, "secondary")], VK_ICD_FILENAMES=LAVAPIPE)
    true("validation" not in done.stderr, done.stderr)
    equal(rows_of(lab.session()), [row for row in ROWS if row[1] == "transfer"] * FRAMES, "rows")


def case_validation(lab):
    """No message of the validation layer, neither below passprobe nor above it."""
    need_validation()
    places = validation_around(lab)
    hazard = lab.run(lab.sample("vk", "--frames", "1", "--hazard"), **simulated(lab, DEVICE, **driver("anv"), **places[0][1])).stdout
    true(messages(hazard), "validation is active: " + hazard[-2000:])
    for place, variables in places:
        for level, serialize in (("pass", ""), ("draw", ""), ("pass", "1")):
            env = simulated(lab, DEVICE, **driver("anv"), **variables, PASSPROBE="1", PASSPROBE_QUIET="1", PASSPROBE_LEVEL=level,
                         PASSPROBE_EVENTS="time,pipeline", PASSPROBE_OUTPUT=lab.path(out := f"{place}-{level}-{serialize}"))
            if serialize:
                env["PASSPROBE_SERIALIZE"] = "1"
            done = lab.run(command(lab, "rerecord", "secondary"), **env)
            equal(messages(done.stdout + done.stderr), {}, f"{out}: {done.stdout[-2000:]}")
            equal(len(lab.session(out).passes), FRAMES * len(ROWS + SECONDARIES), f"{out}: rows")


main(globals())
