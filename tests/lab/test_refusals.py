#!/usr/bin/env python3
"""What a driver, a kernel or a GPU does not give: the application runs as without passprobe, and the session says what is
missing and why. Results that never come (LAB_MODE=noop), an OA unit that another profiler has or takes, in this process or
another one, a kernel that lets only privileged processes in, an OA unit that makes no reports.

test_refusals.py --build DIR CASE"""
import errno
import json
import os

from harness import equal, main, true
from simulated_gpu import driver, left_out, log_of, simulated

DEVICE = "kbl"
FRAMES = 5
REASONS = ("OA unit", "perf_stream_paranoid", "queue family", "no i915-perf", "metric set")


def record(lab, sample, name, events, device=DEVICE, **more):
    """The recorded session, after the application behaved as without passprobe."""
    env = simulated(lab, device, **driver(name), **more)
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


def reasons_of(session):
    told = session.json["devices"][0]
    return [entry["reason"] for entry in told["events_missing"]] + told["notes"]


def counters_are_refused(lab, source, device=DEVICE, **more):
    """No cell of the source is filled, the times are, and events_missing or notes give a reason."""
    session = record(lab, "vk", "anv", f"time,{source}:*", device, **more)
    for row in session.passes:
        true(row["gpu_time_ns"], "times are measured")
        equal([column for column in row if column.startswith(source + ":") and ".max" not in column and row[column]], [],
              "cells of " + source)
    true(left_out(session, device) or any(word in text for text in reasons_of(session) for word in REASONS),
         f"a reason in {json.dumps(reasons_of(session))}")


def case_quicker(lab):
    """Another process takes the OA unit between passprobe's own try and the driver's. Mesa 25.0 reports success then."""
    quicker = {"LAB_PERF_OPEN_ERRNO": f"{errno.EBUSY}:1"}
    for device in (DEVICE, "tgl"):
        counters_are_refused(lab, "khr", device, **quicker)
        record(lab, "vk", "anv", "time,oa:*", device, **quicker)  # the kernel's `oa` may have the one stream
    equal(devices(lab, 1, None, **quicker), "0000 open", "application with a device")


def devices(lab, count, events, *command, **more):
    """What lab_vk_devices prints under passprobe. It presents no frame, so its session is not read."""
    env = simulated(lab, "tgl", **driver("anv"), **more)
    done = lab.run([*lab.record("-l", "pass", *(("-e", events) if events else ())),
                    os.path.join(lab.build, "tests", "lab_vk_devices"), str(count), *command],
                   check=False, **env, timeout=60)
    true("lab:" not in done.stderr, f"no rule was broken: {done.stderr}")
    return done.stdout.strip()


def case_devices(lab):
    """Only the first of several devices in a process gets the OA unit, and none is lost."""
    for events in (None, "oa:*", "khr:*"):
        for count in (2, 5):
            equal(devices(lab, count, events), "0" * 4 * count + " open", f"{count} devices, {events}")
    equal(devices(lab, 2, None, LAB_PERF_OPEN_ERRNO=str(errno.EBUSY)), "00000000 open", "the unit is busy")


def case_queues(lab):
    """Two queues of a device share its stream. With several metric sets only the queue that changes them has values; with one set
    both have."""
    both = {"ANV_QUEUE_OVERRIDE": "gc=2"}
    for events, values in (("oa:RenderBasic,oa:ComputeBasic", [False, True]), ("oa:RenderBasic", [True, True])):
        env = simulated(lab, "tgl", **driver("anv"), **both)
        done = lab.run([*lab.record("-l", "pass", "--frame-on", "submit", "-e", f"time,{events}"),
                        os.path.join(lab.build, "tests", "lab_vk_devices"), "1", "queues"], **env, timeout=60)
        equal((done.stdout.strip(), "lab:" in done.stderr), ("0" * 40 + " open", False), f"{events}: {done.stderr[-500:]}")
        session = lab.session()
        queues = {}
        for row in session.passes:
            measured = any(row[column] for column in row if column.startswith("oa:") and ".max" not in column)
            queues[row["queue"]] = queues.get(row["queue"], False) or measured
        equal(len(queues), 2, f"queues: {queues}")
        if not os.environ.get("LAB_MESA"):
            continue  # with this Mesa, the kernel's source measures, and not the driver
        equal(sorted(queues.values()), values, f"{events}: queues with values: {queues}")
        equal(any("one set for all queues" in text for text in reasons_of(session)), not all(values), f"{events}: the reason")


def case_processes(lab):
    """A second process begins and ends in the middle of the first one. It finds the unit in use, and it does not remove the metric
    sets of the first one: Mesa would lose the device where the next submission changes to such a set."""
    share = {"LAB_SHARE": os.path.join(lab.scratch, "kernel")}
    second = os.path.join(lab.build, "tests", "lab_vk_devices") + " 1 >&2"
    for events in ("oa:*", "khr:*", None):
        for first in (1, 2):
            equal(devices(lab, first, events, second, **share), "0" * 4 * first + " open", f"{first} devices, {events}")
    env = simulated(lab, "tgl", **driver("iris"), **share)
    program = os.path.join(lab.build, "tests", "lab_gl_contexts")
    for events in ("intel:*", "amd:*", "oa:*"):
        done = lab.run([*lab.record("-l", "pass", "-e", f"time,{events}"), program, "1", "20", program + " 1 5 >&2"], check=False,
                       **env, timeout=60)
        equal((done.stdout.strip(), "lab:" in done.stderr), ("0 errors, open", False), f"{events}: {done.stderr[-500:]}")


def case_confined(lab):
    """The application sets a seccomp filter in the middle. From then on passprobe does not change the metric set, which would need
    a system call that a filter may forbid. Four submissions measure both sets two times, so one change is due after it."""
    for command in (), ("confine",):
        equal(devices(lab, 1, "oa:RenderBasic,oa:ComputeBasic", *command), "0000 open", f"application with a device {command}")
        log = log_of(lab)
        if not os.environ.get("LAB_MESA"):
            continue  # with this Mesa, the kernel's source measures, and not the driver
        work = [i for i, line in enumerate(log) if line.name == "exec" and line["buffers"] > 2]
        equal(len(work), 4, "submissions that measure")
        changes = [line.text for line in log[work[1]:] if line.name == "perf_config"]
        equal(bool(changes), not command, f"changes of the set after the second submission, {command}: {changes}")


# The calls of i915-perf, and after how many of them the kernel refuses them. Enabling, disabling and reading a stream that is open
# succeed on every kernel; a set that is removed from the kernel makes a change of the set fail.
CALLS = ("OPEN", "ENABLE", "CONFIG", "ADD_CONFIG", "REMOVE_CONFIG", "QUERY", "READ")
ERRORS = (errno.EBUSY, errno.EACCES, errno.EPERM, errno.ENODEV, errno.EINVAL, errno.EIO)
# (driver, device, program and arguments, events): what an application asks of the driver, and the user of passprobe.
VULKAN = tuple(("anv", "tgl", ("vk", "--rerecord"), events) for events in ("time,pipeline,khr:*", "time,pipeline,oa:*", None)) + (
    ("anv", "tgl", ("lab_vk_devices", "2"), None),)
OPENGL = tuple(("iris", "tgl", ("gl",), events) for events in ("time,pipeline,intel:*", "time,pipeline,amd:*", "time,pipeline,oa:*", None)) + tuple(
    ("crocus", "hsw", ("gl",), events) for events in ("time,pipeline,intel:*", "time,pipeline,amd:*", None)) + (
    ("iris", "tgl", ("lab_gl_contexts", "3", "8"), "time,intel:*"), ("iris", "tgl", ("lab_gl_contexts", "3", "8"), "time,amd:*"))
LEVELS = ("pass", "draw", "frame")
TRIES = 4  # of a run whose times were rejected
UNDISTURBED = 20  # most runs to compare with
bare_runs = {}
undisturbed_runs = {}
OF_TIME = ("_ns", "_cycles", "_hz", "_percent", " Clocks", " Frequency", " Time Elapsed", " Throughput")  # ends of names; AMD's have no units


def is_by_the_driver(row, call, after):
    """Not passprobe's to prevent, and measured on request only. With khr, Mesa itself changes the set in each submission. Mesa
    25.0's OpenGL drivers take descriptor 0 for the stream if another program takes the unit between passprobe's look, the second
    one in the first context, and their own open."""
    if call == "OPEN" and after == 2 and os.environ.get("LAB_MESA"):
        return row[0] != "anv" and bool(row[3]) and row[3] != "time,pipeline,oa:*"
    return call == "CONFIG" and row[3] == "time,pipeline,khr:*"


def command_of(lab, program):
    name, *words = program
    return lab.sample(name, "--frames", "8", *words) if name in ("vk", "gl") else [os.path.join(lab.build, "tests", name), *words]


def times_are_measured(session):
    """On a busy machine a time may be rejected, because the clocks could not be compared well. @return whether all of them
    are there; what is missing must be counted in the session."""
    work = [row for row in session.passes if row["kind"] == "render"]
    without, dropped = sum(not row["gpu_time_ns"] for row in work), session.json["dropped"]
    true(without <= dropped["times_not_landed"] + dropped["times_rejected"], f"{without} times are missing: {dropped}")
    return not without


def counts_of(session):
    """Values of statistics and counters: cells by their names, of each row of passes and draws. Maxima of a counter are of no
    work."""
    rows = session.passes + (session.table("draws.csv") if session.json["options"]["level"] == "draw" else [])
    return [{name: row[name] for name in row if ":" in name and ".max" not in name} for row in rows]


def run_once(lab, row, level, refusal, what):
    """@return the session; None of an application without frames."""
    name, device, program, events = row
    env = simulated(lab, device, **driver(name), LAB_DRAW_TICKS="200000")
    command = command_of(lab, program)
    if (name, program) not in bare_runs:
        bare = lab.run(command, **env, timeout=60)
        bare_runs[name, program] = (bare.returncode, bare.stdout)
    done = lab.run([*lab.record("-l", level, *(("-e", events) if events else ())), *command], check=False, timeout=60, **env, **refusal)
    equal((done.returncode, done.stdout), bare_runs[name, program], f"{what}: exit status and output: {done.stderr[-800:]}")
    true("lab:" not in done.stderr, f"{what}: no rule was broken: {done.stderr[-800:]}")
    return None if program[0] == "lab_vk_devices" else lab.session()


def differences(found, undisturbed):
    """Values that differ from those of the first undisturbed run: (name, value, its value there). A counter may be missing in one
    of the two, or its row says that it is an estimate. Counters that depend on time, or differ between undisturbed runs, are left
    out: by their names, or as a share of time with a fraction ("GPU Busy" of 99.998 in one run, and 100 in the next)."""
    shares = {name for rows in (found, *undisturbed) for row in rows for name, value in row.items() if "." in value}
    first = undisturbed[0]
    exact = {name for name in (first[0] if first else ()) if not name.endswith(OF_TIME) and name not in shares and
             all(one.get(name) == two.get(name) for rows in undisturbed for one, two in zip(first, rows))}
    for got, want in zip(found, first):
        for name in exact & set(got):
            measured = got[name] and want[name] and got.get("estimate:" + name.split(":")[0]) != "1"
            if (name.startswith("pipeline:") or measured) and got[name] != want[name]:
                yield name, got[name], want[name]


def values_stay(lab, row, level, session, what):
    """Statistics are those of a run in which nothing is refused. A counter has the same value there, or none here. On the simulated
    Haswell some counters are the core clock, so they count the time of passprobe's commands, too. Frames in which passes are
    measured and frames in which draws are measured have other commands, and they take turns in a random order. So if a value
    differs, more undisturbed runs are made, until two of them differ there, too."""
    runs, found = undisturbed_runs.setdefault((row, level), []), counts_of(session)
    for count in range(2, UNDISTURBED + 1):
        while len(runs) < count:
            runs.append(counts_of(run_once(lab, row, level, {}, what)))
            equal(len(runs[-1]), len(found), f"{what}: rows")
        different = next(differences(found, runs), None)
        if not different:
            return
    raise AssertionError(f"{what}: {different[0]}: got {different[1]}, want {different[2]} as in {UNDISTURBED} undisturbed runs")


def refused(lab, row, level, call, error, after):
    """The application behaves as without passprobe, whatever is refused. @return the session, if the application has frames."""
    refusal = f"{error}:{after}" if after else str(error)
    what = f"{row[0]} {row[2]} {row[3]}, level {level}, {call} gives {refusal}"
    for left in reversed(range(TRIES)):
        session = run_once(lab, row, level, {f"LAB_PERF_{call}_ERRNO": refusal}, what)
        if not session or not row[3] or row[0] == "crocus" or times_are_measured(session):
            break
        true(left, f"{what}: times were rejected in {TRIES} runs: {session.json['dropped']}")
    if session:
        values_stay(lab, row, level, session, what)
    return session


def is_told(session, source):
    """Has the source values, or does the session say why it has none?"""
    return any(row[column] for row in session.passes for column in row if column.startswith(source + ":")) or any(
        entry["event"].split(":")[0] == source or source in entry["event"] for entry in session.json["devices"][0]["events_missing"])


def matrix(lab, rows, calls, errors, afters, levels=LEVELS[:1]):
    """Levels take turns from run to run."""
    count = 0
    for row in rows:
        for call, error, after in ((c, e, a) for c in calls for e in errors for a in afters):
            if after and is_by_the_driver(row, call, after):
                continue
            level = levels[count % len(levels)]
            session = refused(lab, row, level, call, error, after)
            count += 1
            if session and row[3] and level != "frame" and not left_out(session, row[1]):
                source = row[3].split(",")[-1].split(":")[0]
                true(is_told(session, source), f"{row} {call} {error}:{after}: a reason in {json.dumps(reasons_of(session))}")
    print(f"{count} runs")


def case_vulkan(lab):
    """A refusal from the begin on, and one in the middle of the run."""
    matrix(lab, VULKAN[:3], ("OPEN", "CONFIG"), (errno.EBUSY,), (0, 2))
    matrix(lab, VULKAN[:1], ("ENABLE", "ADD_CONFIG", "QUERY"), (errno.EINVAL,), (0,))
    matrix(lab, VULKAN[1:3], ("REMOVE_CONFIG",), (errno.EBUSY,), (0,))


def case_opengl(lab):
    """The unit is taken before or after passprobe looked whether it is free, or in the middle of the run."""
    matrix(lab, OPENGL[:3] + OPENGL[-1:], ("OPEN",), (errno.EBUSY,), (0, 1, 2, 3))
    matrix(lab, OPENGL[4:6], ("OPEN",), (errno.EACCES,), (0,))


def case_reads(lab):
    """The stream gives an error in the middle of the run."""
    matrix(lab, OPENGL[:1] + OPENGL[2:3], ("READ",), (errno.EIO,), (2,))


def case_all(lab):
    """The whole matrix; it takes half an hour, and ctest does not run it."""
    matrix(lab, VULKAN + OPENGL, CALLS, ERRORS, (0,), LEVELS)
    matrix(lab, VULKAN + OPENGL, ("OPEN", "CONFIG", "ADD_CONFIG", "REMOVE_CONFIG", "QUERY", "READ"), (errno.EBUSY, errno.EIO), (1, 2, 4), LEVELS)


def case_paranoid(lab):
    counters_are_refused(lab, "oa", LAB_PERF_PARANOID="1")


def case_no_reports(lab):
    """iris reads the stream until it has a report that is young enough. Without one, the application's thread would not come
    back: the stream has no report, or only reports from before the first result. A stream of another owner is not stopped."""
    for events in ("intel:VS Threads Dispatched", "amd:VS Threads Dispatched"):
        for reports, more in (("0", {}), ("3", {}), ("0", {"LAB_OTHER_STREAM": "1"})):
            session = record(lab, "gl", "iris", f"time,{events}", LAB_PERF_REPORTS=reports, **more)
            equal(len(session.frames), FRAMES, "frames")
            if left_out(session, DEVICE):
                continue
            equal([row[events] for row in session.passes if row[events]], [], f"cells of {events}")
            true(all(row["gpu_time_ns"] for row in session.passes if row["kind"] == "render"), "times are measured")
            missing = {entry["event"]: entry["reason"] for entry in session.json["devices"][0]["events_missing"]}
            true("delivered no counter reports" in missing.get(events, ""), f"a reason in {missing}")


main(globals())
