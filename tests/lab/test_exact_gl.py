#!/usr/bin/env python3
"""What passprobe says of each pass and draw of an OpenGL program equals what the lab's GPU executed below iris, and below crocus on
Haswell: times, vertices, primitives and OA counters. The driver writes a timestamp for each end of a bracket, in the order of the program's calls.
It runs dispatches in another batch, which timestamps do not enclose: they have no times.

test_exact_gl.py --build DIR CASE DEVICE"""
import os
import re
import sys

from harness import Skip, equal, main, number, true
from simulated_gpu import TIMESTAMP_HZ, WRAPS, across_wrap, driver, left_out, log_of, simulated

DEVICE = sys.argv.pop() if len(sys.argv) > 1 else ""
FRAMES = 6
SCENE_TICKS = 40  # from the begin of the scene pass to one of its draws
BLIT_VERTICES = 4  # of the draw by which iris copies a texture in each frame, which the statistics count
DRIVER = "crocus" if DEVICE == "hsw" else "iris"
# Counters whose value is A[n] of the OA unit, which is (n + 1) times the vertices, by their names in the driver's and in the
# kernel's metric sets.
STAGES = ({"VS": 5, "TCS": 10, "TES": 15, "GS": 25, "FS": 30} if DEVICE == "hsw" else
          {"VS": 1, "HS": 2, "DS": 3, "GS": 5, "FS": 6})
INTEL = {stage + " Threads Dispatched": n for stage, n in STAGES.items()}
KERNEL = dict(zip(("VsThreads", "HsThreads", "DsThreads", "GsThreads", "PsThreads"), STAGES.values()))
KERNEL_SET_FRAMES = (60, 240, 720)  # on a busy machine, reports come late, and a set lasts longer
PERIODIC_FRAMES = 300  # some periods, and more frames than ever wait on other GPUs
MOST_READS = 8  # of the kernel's stream in a frame; waiting in the driver would read it thousands of times
TRIES = 3
SLOW_DRAWS_HZ = 1500  # a frame takes longer than the kernel lets a reader wait, 5 ms


def run_once(lab, level, events, options, frames, rejected, program, more):
    """Record. @return the session, the log, and what was lost but for counters that may be rejected."""
    env = simulated(lab, DEVICE, **driver(DRIVER), **more)
    done = lab.run([*lab.record(*options, "-l", level, "-e", ",".join(("time",) + events)),
                    *(program or lab.sample("gl", "--frames", str(frames)))], **env, timeout=60)
    true("lab:" not in done.stderr, f"no rule was broken: {done.stderr}")
    session = lab.session()
    missing = [row["event"] for row in session.json["devices"][0]["events_missing"]]
    lost = session.lost()
    if rejected and {name for name in missing if name.startswith("some ")} <= {f"some values of {name}" for name in rejected}:
        lost.pop("counters_rejected", None)
    return session, log_of(lab), lost


def record(lab, level, *events, options=(), frames=FRAMES, rejected=(), program=None, **more):
    """A session in which nothing was lost, and the log. A busy machine may stop the process while clocks are compared: then times
    are rejected, and another run is made."""
    for _ in range(TRIES):
        session, log, lost = run_once(lab, level, events, options, frames, rejected, program, more)
        if set(lost) != {"times_rejected"}:
            break
    equal(lost, {}, f"nothing was lost; {session.json['devices'][0]['events_missing']}")
    return session, log


class Timeline:
    """The timestamps of a run in their order, and the draws between them. The first ones belong to the calibration, which
    is before all rows."""

    def __init__(self, log, timestamps):
        self.lines = [line for line in log if line.name == "time" or (line.name == "draw" and line["counted"])]
        self.times = [i for i, line in enumerate(self.lines) if line.name == "time"]
        true(len(self.times) >= timestamps, f"{len(self.times)} timestamps, {timestamps} ends of brackets")
        self.next = len(self.times) - timestamps

    def take(self):
        """The place of the next timestamp."""
        self.next += 1
        return self.times[self.next - 1]

    def between(self, begin, end):
        """Ticks, vertices and primitives between two places."""
        draws = [line for line in self.lines[begin:end] if line.name == "draw"]
        return (self.lines[end]["clock"] - self.lines[begin]["clock"], sum(line["vertices"] for line in draws),
                sum(line["primitives"] for line in draws))


def same(row, executed, what, counters=()):
    ticks, vertices, primitives = executed
    want = ticks * 1_000_000_000 // TIMESTAMP_HZ[DEVICE]
    true(abs(number(row, "gpu_time_ns") - want) <= 1, f"{what}: {row['gpu_time_ns']} ns, the GPU took {want} ns")
    for column, count in (("pipeline:input_assembly_vertices", vertices),
                          ("pipeline:input_assembly_primitives", primitives)):
        if column in row:
            equal(number(row, column), count, f"{what}: {column}")
    for name, n in counters:
        equal(number(row, f"intel:{name}"), (n + 1) * vertices, f"{what}: {name}")


def timed(rows):
    """The rows that timestamps enclose; the others are dispatches, and say nothing."""
    apart = [row for row in rows if row.get("kind") == "compute" or row.get("call", "").startswith("glDispatch")]
    true(apart, "there are dispatches")
    for row in apart:
        for name in row:
            true(row[name] == "" or not name.startswith(("gpu_", "intel:", "bound_by")), f"{name} of a dispatch: {row}")
    return [row for row in rows if row not in apart]


def tells_reason(lab, session):
    """The user learns why dispatches have no times: in session.json, and in the report."""
    missing = {row["event"]: row["reason"] for row in session.json["devices"][0]["events_missing"]}
    true("in another queue" in missing.get("time of dispatches", ""), f"reasons: {missing}")
    cells = [row["reason"] for row in session.json["empty_cells"] if row["file"] == "passes.csv" and "gpu_time_ns" in row["columns"]]
    true(any("events_missing" in reason for reason in cells), f"reasons of empty cells: {cells}")
    shown = lab.run([lab.passprobe, "report", "-v", session.path]).stdout
    true(re.search(r"time of dispatches:\s+this driver executes dispatches in another queue", shown), shown[:3000])


def check_passes(session, log, counters=()):
    rows = timed(sorted(session.passes, key=lambda row: (int(row["frame"]), int(row["pass"]))))
    timeline = Timeline(log, 2 * len(rows))
    for row in rows:
        begin, end = timeline.take(), timeline.take()
        if row["kind"] == "render":
            same(row, timeline.between(begin, end), f"frame {row['frame']} pass {row['pass']}", counters)
    true(any(row["kind"] == "render" for row in rows), "there are render passes")


def case_statistics(lab):
    session, log = record(lab, "pass", "pipeline:input_assembly_vertices", "pipeline:input_assembly_primitives")
    check_passes(session, log)
    tells_reason(lab, session)


def case_late(lab):
    """The GPU begins milliseconds after a submission. The application waits once for each frame, as without passprobe, and
    does not read the kernel's stream again and again."""
    for source in ("intel", "amd"):
        session, log = record(lab, "pass", "pipeline:input_assembly_vertices", *(f"{source}:{name}" for name in INTEL),
                              LAB_MODE="late")
        if source == "intel":
            check_passes(session, log, () if left_out(session, DEVICE) else INTEL.items())
        for row in session.passes:
            if row["kind"] == "render":
                same_threads(row, source, INTEL, number(row, "pipeline:input_assembly_vertices"))
        true(left_out(session, DEVICE) or any(row[f"{source}:VS Threads Dispatched"] for row in session.passes), f"{source} has values")
        waits = len([line for line in log if line.name == "wait"])
        reads = len([line for line in log if line.name == "perf_read"])
        true(0 < waits <= FRAMES + 1, f"{source}: the application waited {waits} times in {FRAMES} frames")
        true(reads <= MOST_READS * FRAMES, f"{source}: the stream was read {reads} times in {FRAMES} frames")


def case_left(lab):
    """The application leaves its contexts to eglTerminate(), or destroys one while it is current, with queries that the GPU has not
    ended: the driver must not close the OA unit before."""
    for count, source, how in ((1, "intel", "leave"), (3, "intel", "leave"), (1, "amd", "leave"), (1, "intel", "destroy"),
                               (1, "amd", "destroy")):
        env = simulated(lab, DEVICE, LAB_MODE="late", **driver(DRIVER))
        done = lab.run([*lab.record("-l", "pass", "-e", f"time,{source}:*"),
                        os.path.join(lab.build, "tests", "lab_gl_contexts"), str(count), "6", how], **env, timeout=60)
        equal((done.stdout.strip(), "lab:" in done.stderr), ("0 errors, open", False), f"{how}, {count} contexts, {source}: {done.stderr[-500:]}")


def case_intel(lab):
    session, log = record(lab, "pass", "pipeline:input_assembly_vertices", *(f"intel:{name}" for name in INTEL))
    check_passes(session, log, () if left_out(session, DEVICE) else INTEL.items())


def case_periodic(lab):
    """Haswell has no reports of context switches, and crocus waits for the next periodic one: there is one in 168 ms. passprobe
    asks when it must be there: the counters of all frames come, and the driver does not read the stream again and again."""
    for source in ("intel", "amd"):
        session, log = record(lab, "pass", "pipeline:input_assembly_vertices", *(f"{source}:{name}" for name in INTEL),
                              frames=PERIODIC_FRAMES)
        if source == "intel":
            check_passes(session, log, INTEL.items())
        for row in session.passes:
            if row["kind"] == "render":
                true(row[f"{source}:VS Threads Dispatched"], f"a render pass has counters: {row}")
                same_threads(row, source, INTEL, number(row, "pipeline:input_assembly_vertices"))
        reads = len([line for line in log if line.name == "perf_read"])
        true(reads <= MOST_READS * PERIODIC_FRAMES, f"{source}: the stream was read {reads} times in {PERIODIC_FRAMES} frames")


def check_kernel(session, factors):
    """Columns of the kernel's stream are @p factors times the vertices. With --serialize the sums are exact, because one
    context is on the GPU. Only if a report of the timer falls between the switch to the context and the bracket, which is
    seldom, the value is an estimate."""
    found = [(number(row, column), factor * number(row, "pipeline:input_assembly_vertices"), row)
             for row in session.passes if row["kind"] == "render" for column, factor in factors.items() if row.get(column)]
    wrong = [(got, want, row) for got, want, row in found if got != want]
    for got, want, row in wrong:
        true(row["estimate:oa"] == "1" and abs(got - want) <= want // 4 + 1, f"{got} is no estimate of {want}: {row}")
    true(len(wrong) <= len(found) // 5, f"{len(wrong)} of {len(found)} values are not exact")
    return len(found)


def kernel(lab, **more):
    """The source `oa` reads the kernel's stream."""
    session, log = record(lab, "pass", "pipeline:input_assembly_vertices", "oa:VsThreads", "oa:HsThreads",
                          options=("--serialize",), **more)
    passes = sum(row["kind"] == "render" for row in session.passes)
    equal(check_kernel(session, {f"oa:{name}": KERNEL[name] + 1 for name in ("VsThreads", "HsThreads")}), 2 * passes, "values")
    executed = sum(line["vertices"] for line in log if line.name == "draw" and line["counted"])
    equal(sum(number(row, "pipeline:input_assembly_vertices") for row in session.passes), executed,
          "vertices of all passes")
    return log


def case_kernel(lab):
    """Counters A, B and C. On Skylake, L3Misses is C4, and GtiReadThroughput 64 bytes for each count of C6."""
    session, _ = record(lab, "pass", "pipeline:input_assembly_vertices", "oa:L3Misses", "oa:GtiReadThroughput",
                        options=("--serialize",))
    true(check_kernel(session, {"oa:L3Misses": 7, "oa:GtiReadThroughput_bytes": 64 * 9}), "there are values")
    kernel(lab)


def case_kernel_wraps(lab):
    """Mesa's nanoseconds jump where the ticks wrap, unless a second has 12.5 million ticks. Those of Mesa 25.0 also jump where the
    register's 36 bits wrap, because it keeps more bits of them."""
    frame = BLIT_VERTICES + sum(row["counts"]["input_assembly_vertices"] for row in lab.expect("gl")["passes"])
    wraps = set(WRAPS if TIMESTAMP_HZ[DEVICE] == 12500000 else ("iris",))
    for wrap in sorted(wraps - {"register"} if os.environ.get("LAB_MESA") else wraps):
        across_wrap(DEVICE, wrap, FRAMES // 2 * frame + 1, SCENE_TICKS, lambda more: kernel(lab, **more))


def case_draws(lab):
    session, log = record(lab, "draw", "pipeline:input_assembly_vertices", "pipeline:input_assembly_primitives")
    draws = timed(session.table("draws.csv"))
    passes = timed(sorted(session.passes, key=lambda row: (int(row["frame"]), int(row["pass"]))))
    timeline = Timeline(log, 2 * (len(passes) + len(draws)))
    for row in passes:
        whole = timeline.take()
        for draw in [one for one in draws if (one["frame"], one["pass"]) == (row["frame"], row["pass"])]:
            begin, end = timeline.take(), timeline.take()
            if draw["call"].startswith("glDraw"):
                same(draw, timeline.between(begin, end), f"frame {row['frame']} draw {draw['draw']}")
        end = timeline.take()
        if row["kind"] == "render":
            same(row, timeline.between(whole, end), f"frame {row['frame']} pass {row['pass']}")


STATISTICS = ("pipeline:input_assembly_vertices", "pipeline:input_assembly_primitives")


def immediate(lab, mode):
    """The program that draws by glBegin, and the rows of one of its frames: call, vertices, primitives; "-": not known."""
    program = [os.path.join(lab.build, "tests", "reach", "immediate_mode"), mode, str(FRAMES)]
    done = lab.run(program, **simulated(lab, DEVICE, **driver(DRIVER)), check=False)
    if done.returncode == 77:
        raise Skip(done.stdout)
    rows = [line.split()[1:] for line in done.stdout.splitlines()]
    equal(rows.pop(), ["0"], "error of the bare program")
    log_of(lab)
    return program, rows


def check_calls(session, rows):
    """Each call's row has its own counts and a time. @return the rows, in order."""
    found = session.table("draws.csv")
    equal(len(found), FRAMES * len(rows), "rows of draws")
    for draw, (call, *counts) in zip(found, FRAMES * rows):
        equal(draw["call"], call, f"frame {draw['frame']} draw {draw['draw']}")
        true(number(draw, "gpu_time_ns") > 0, f"time of {draw}")
        for column, count in zip(STATISTICS, counts):
            true(column not in draw or count in ("-", draw[column]), f"{column} is {draw.get(column)}, {call} has {count}")
    return found


def case_immediate(lab):
    """Mesa keeps the vertices of glBegin until state changes, and a timestamp changes none. Each row has the time and the counts of
    its own vertices nevertheless, whatever follows them."""
    threads = [f"intel:{name}" for name in INTEL]
    program, rows = immediate(lab, "plain")
    vertices = sum(int(row[1]) for row in rows)
    for events in ((), STATISTICS, threads):
        session, log = record(lab, "draw", *events, program=program)
        draws = check_calls(session, rows)
        timeline = Timeline(log, 2 * (len(session.passes) + len(draws)))
        for row in session.passes:
            whole = timeline.take()
            for draw in [one for one in draws if (one["frame"], one["pass"]) == (row["frame"], row["pass"])]:
                same(draw, timeline.between(timeline.take(), timeline.take()), f"{events} frame {row['frame']} draw {draw['draw']}")
            same(row, timeline.between(whole, timeline.take()), f"{events} frame {row['frame']}")
        session, log = record(lab, "pass", *events, program=program)
        counters = INTEL.items() if events is threads and not left_out(session, DEVICE) else ()
        timeline = Timeline(log, 2 * len(session.passes))
        equal([int(row["draws"]) for row in session.passes], [len(rows) - 1] * FRAMES, "draws of the passes, without the clear")
        for row in session.passes:
            executed = timeline.between(timeline.take(), timeline.take())
            equal(executed[1], vertices, f"{events}: vertices between the timestamps of frame {row['frame']}")
            same(row, executed, f"{events} frame {row['frame']}", counters)
    session, log = record(lab, "frame", *STATISTICS, program=program)
    timeline = Timeline(log, 2 * FRAMES)
    for row in session.frames:
        same(row, timeline.between(timeline.take(), timeline.take()), f"frame {row['frame']}")
        equal(number(row, STATISTICS[0]), vertices, f"vertices of frame {row['frame']}")
    program, rows = immediate(lab, "submits")
    check_calls(record(lab, "draw", *STATISTICS, program=program)[0], rows)


def pairs_of(log):
    """Clocks of the core and vertices between the two reports of each pair, and the metric set that the OA unit counted."""
    pairs, begin, config = [], None, None
    for line in log:
        if line.name in ("perf_open", "perf_config"):
            config = line.get("config", line.get("number"))
        elif line.name == "report" and begin:
            pairs.append((line["cycles"] - begin["cycles"], line["vertices"] - begin["vertices"], config))
            begin = None
        elif line.name == "report":
            begin = line
    return pairs


def same_threads(row, source, names, vertices):
    for name, n in names.items():
        if row.get(f"{source}:{name}"):
            equal(number(row, f"{source}:{name}"), (n + 1) * vertices,
                  f"frame {row['frame']} pass {row['pass']}: {name}")


def metric_sets(lab, source):
    """The driver's groups that are metric sets; the others are pipeline statistics."""
    shown = lab.run([lab.passprobe, "list"], **simulated(lab, DEVICE, **driver(DRIVER))).stdout
    part = re.search(rf"^  {source}  .*?(?=^  \S)", shown, re.MULTILINE | re.DOTALL)
    groups = re.findall(r"^    (\S.*): \d+ counters?$", part.group(), re.MULTILINE)
    return [name for name in groups if not name.startswith(("Pipeline Statistics", "Intel_Raw"))]


def check_sets(session, log, source, clocks):
    """@return the numbers of the sets that were measured."""
    rows = [row for row in sorted(session.passes, key=lambda row: (int(row["frame"]), int(row["pass"])))
            if any(row[name] for name in row if name.startswith(source + ":"))]
    (_, vertices, _), *pairs = pairs_of(log)
    equal(vertices, 0, "vertices in the query by which the driver opens the OA unit")
    equal(len(rows), len(pairs), "rows with values, and pairs of reports")
    for row, (cycles, vertices, config) in zip(rows, pairs):
        what = f"frame {row['frame']} pass {row['pass']} set {config}"
        if row.get(clocks):
            equal(number(row, clocks), cycles, f"{what}: {clocks}")
        if row["kind"] == "render":
            equal(number(row, "pipeline:input_assembly_vertices"), vertices, f"{what}: vertices")
        same_threads(row, source, INTEL, vertices)
    return {config for *_, config in pairs}


def measure_sets(lab, source, groups, clocks):
    """@return the session, and the numbers of the sets that were measured."""
    session, log = record(lab, "pass", "pipeline:input_assembly_vertices", *(f"{source}:{name}" for name in groups),
                          rejected=(f"{source}:LLC GPU Throughput",) if DEVICE == "hsw" else ())
    return session, check_sets(session, log, source, f"{source}:{clocks}")


def all_sets(lab, source, clocks):
    """One set is measured in a run, because the driver opens the OA unit anew for each. Haswell has a quotient that is infinite
    with the lab's counters."""
    groups = metric_sets(lab, source)
    if not groups:
        session, _ = record(lab, "pass", f"{source}:VS Threads Dispatched")
        true(left_out(session, DEVICE), "the driver has metric sets")
        return
    session, seen = measure_sets(lab, source, groups, clocks)
    equal(len(seen), 1, "sets in a run")
    told = [row["event"] for row in session.json["devices"][0]["events_missing"] if "one set is measured" in row["reason"]]
    true(len(told) > len(groups), f"the events of {len(groups) - 1} sets are missing: {told[:20]}")
    for group in groups[::max(1, len(groups) // 5)]:
        seen |= measure_sets(lab, source, [group], clocks)[1]
    true(len(seen) > 2, f"{len(seen)} of {len(groups)} sets")


def case_intel_sets(lab):
    all_sets(lab, "intel", "GPU Core Clocks_cycles")


def case_amd_sets(lab):
    all_sets(lab, "amd", "GPU Core Clocks")


def sets_of_frames(session):
    """For each frame with values: the columns of `oa` that its passes have."""
    frames = {}
    for row in timed(session.passes):  # one column has a value in each row
        frames.setdefault(row["frame"], []).append(frozenset(name for name in row if name.startswith("oa:") and row[name]))
    return {frame: rows for frame, rows in frames.items() if any(len(columns) > 1 for columns in rows)}


def case_kernel_sets(lab):
    """The sets that passprobe itself gives to the kernel. A set is changed when the reports of its frames have come, so that a
    frame has values in all passes that have times, or in none. Frames between are measured with no set."""
    for options in (("--serialize",), ()):
        for frames in KERNEL_SET_FRAMES:
            session, log = record(lab, "pass", "pipeline:input_assembly_vertices", "oa:*", options=options, frames=frames,
                                  LAB_DRAW_TICKS=str(TIMESTAMP_HZ[DEVICE] // SLOW_DRAWS_HZ))
            measured = sets_of_frames(session)
            torn = {frame: list(map(len, rows)) for frame, rows in measured.items() if len(set(rows)) > 1}
            equal(torn, {}, f"{options}: frames with values in some passes, of {len(measured)} with values")
            if len({rows[0] for rows in measured.values()}) > 3:
                break
        sets = len(session.json["devices"][0]["event_sets"])
        true(len({rows[0] for rows in measured.values()}) > 3, f"{options}: {len(measured)} measured frames, {sets} sets")
        opened = len({line["config"] for line in log if line.name == "perf_open" and "config" in line})
        true(3 < opened <= sets, f"{options}: {opened} of {sets} sets that the kernel was asked for")
        if options:
            check_kernel(session, {f"oa:{name}": n + 1 for name, n in KERNEL.items()})


def case_shared(lab):
    """Without statistics, one timestamp is the end of a pass and the begin of the next one, if that follows at once."""
    session, log = record(lab, "pass")
    rows = timed(sorted(session.passes, key=lambda row: (int(row["frame"]), int(row["pass"]))))
    places = {(row["frame"], int(row["pass"])) for row in rows}
    meets = [(row["frame"], int(row["pass"]) - 1) in places for row in rows]
    true(sum(meets) >= 2 * FRAMES, f"{sum(meets)} passes follow a timed pass")
    timeline, end = Timeline(log, 2 * len(rows) - sum(meets)), None
    for row, met in zip(rows, meets):
        begin = end if met else timeline.take()
        end = timeline.take()
        same(row, timeline.between(begin, end), f"frame {row['frame']} pass {row['pass']}")


def case_submissions(lab):
    """iris counts compute shaders in another batch than draws, and submits at each change. Statistics of draws make no
    change. A frame's statistic of compute shaders begins with its first dispatch: without dispatches there is no change."""
    def submissions(level, *events, program=None):
        session, log = record(lab, level, *events, program=program)
        return len([line for line in log if line.name == "exec"]), session
    timed, _ = submissions("pass")
    counted, session = submissions("pass", "pipeline")
    dispatches = [row for row in session.passes if row["kind"] != "render"]
    true(counted - timed <= 4 * len(dispatches), f"{counted} submissions with statistics, {timed} without; "
         f"{len(dispatches)} passes are not render passes")
    timed, _ = submissions("frame")
    counted, session = submissions("frame", "pipeline")
    invocations = lab.expect("gl")["passes"]
    equal({number(row, "pipeline:compute_shader_invocations") for row in session.frames},
          {sum(row["counts"]["compute_shader_invocations"] for row in invocations)}, "invocations of a frame")
    most = FRAMES * (2 if DEVICE == "hsw" else 1)
    true(counted - timed <= most, f"level frame: {counted} submissions with statistics, {timed} without")
    program, _ = immediate(lab, "plain")
    timed, _ = submissions("frame", program=program)
    counted, session = submissions("frame", "pipeline", program=program)
    equal(counted, timed, "level frame: submissions of frames without dispatches, with statistics and without")
    equal({row["pipeline:compute_shader_invocations"] for row in session.frames}, {"0"}, "invocations without dispatches")


main(globals())
