"""Hardware counters of OpenGL on the fake driver: every value of every pass and draw is the driver's value, in each of
its modes, and the application notices nothing."""
import csv
import os
import re
import statistics

from harness import XVFB, equal, main, need, true
from shim import preload
from fake_gl_counters import columns, driver, exact

FRAMES = 24

def read(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def record(lab, events, *sample, plays="", level="pass", options=(), lost=None):
    """Record the sample on the fake driver; `lost` results must be missing. @return the session and its draws."""
    words = ["--frames", str(FRAMES), *sample]
    done = lab.run(lab.record("--level", level, "-e", events, *options) + lab.sample("gl", *words),
                   **driver(lab, plays))
    true("fake:" not in done.stderr, f"the driver complains: {done.stderr[:1500]}")
    session = lab.session()
    equal(set(session.lost()), {lost} - {None}, "what was lost")
    equal(any(event.startswith(("some results of ", "some values of ")) for event in missing(session)), lost is not None, "lost results are reported")
    equal(len(session.frames), FRAMES, "frames")
    return session, read(lab.path("data/draws.csv")) if level == "draw" else []


def missing(session):
    """Events that are not measured, with the reason."""
    return {it["event"]: it["reason"] for device in session.json["devices"] for it in device["events_missing"]}


def truth(lab, session, *sample):
    """Draws and vertices of every pass, from a run without the fake driver."""
    words = [word for word in sample if word != "--es"]  # without statistics; the scene is the same
    want = lab.expect("gl", "--frames", str(FRAMES), *words)
    for frame in session.frames:
        passes = session.passes_of(frame["frame"])
        uploads = len(passes) - len(want["passes"])
        for row, it in zip(passes[uploads:], want["passes"]):
            cells = {**columns(row, "amd"), **columns(row, "intel")}
            where = f"frame {row['frame']} {it['name']}"
            for name in "draw calls", "Draw Calls":
                if name in cells:
                    equal(int(cells[name]), int(row["draws"]), f"{where}: {name}")
            for name in "vertices", "Vertices":
                if name in cells:
                    equal(int(cells[name]), it["counts"]["input_assembly_vertices"], f"{where}: {name}")
            for name in "dispatches", "Dispatches":
                if name in cells:
                    equal(int(cells[name]), int(row["dispatches"]), f"{where}: {name}")


def check(lab, events, *sample, extensions=("amd", "intel"), **how):
    session, draws = record(lab, events, *sample, **how)
    for extension in extensions:
        exact(lab, session, draws, extension)
    truth(lab, session, *sample)
    return session, draws


def case_amd_pass(lab):
    session, _ = check(lab, "time,amd", extensions=["amd"])
    equal(missing(session), {}, "nothing is missing")
    # 11 counters of groups that measure 2, 3 and 1 at once: two sets, each in its share of the frames
    sets = session.json["devices"][0]["event_sets"]
    equal(len(sets), 2, f"sets of {sets}")
    for row in session.frames:
        true(columns(row, "amd"), f"frame {row['frame']} has counters")
    for name in "amd:vertices", "amd:Front End.cycles", "amd:Shader Array.cycles":
        frames = [row[name] for row in session.frames[1:] if row[name]]
        true(len(frames) >= FRAMES // 4, f"{name} was measured in {len(frames)} frames")
        equal(len(set(frames)), 1, f"{name}: each frame of the sample does the same work")


def case_amd_draw(lab):
    session, draws = check(lab, "time,pipeline,amd:draw calls,amd:vertices,amd:busy,amd:workgroups",
                           extensions=["amd"], level="draw")
    works = {row["frame"] for row in draws if columns(row, "amd")}
    true(0 < len(works) < FRAMES, f"actions were measured in {len(works)} frames, passes in the others")
    for row in draws:
        cells = columns(row, "amd")
        equal(bool(cells), row["frame"] in works, f"frame {row['frame']} draw {row['draw']}: measured or not")
        if cells and row["vertices"]:
            equal(int(cells["vertices"]), int(row["vertices"]) * int(row["instances"]), "vertices of a draw")
    for row in session.passes:
        true(columns(row, "amd"), f"frame {row['frame']} pass {row['pass']}: its own or the sum of its work")
    total = {row["amd:vertices"] for row in session.frames}
    equal(len(total), 1, "a frame's sum is the same, however it was measured")


def case_draws_turns(lab):
    """Sets rotate at level draw: whichever set a frame's draws have, passes are the sums of their draws."""
    for source in "amd", "intel":
        session, draws = check(lab, source, extensions=[source], level="draw")
        true(len(session.json["devices"][0]["event_sets"]) > 1, f"{source}: sets")
        seen = set()
        for row in session.passes:
            mine = [columns(one, source) for one in draws if (one["frame"], one["pass"]) == (row["frame"], row["pass"])]
            cells = columns(row, source)
            true(cells, f"{source}, frame {row['frame']} pass {row['pass']}: its own or the sum of its work")
            if mine and mine[0]:
                seen.add(tuple(mine[0]))
                for name in "vertices", "Vertices":
                    if name in mine[0]:
                        equal(int(cells[name]), sum(int(one[name]) for one in mine), f"{name} of a pass")
        true(len(seen) > 1, f"{source}: draws were measured with {len(seen)} sets")


def case_runs_for(lab):
    """`record --runs-for`: each draw and pass has all counters of both sources, and each value is that of the run that measured
    this set."""
    done = lab.run(lab.record("-l", "draw", "--runs-for", "amd,intel", "--keep-runs") + lab.sample("gl", "--frames", "4"),
                   **driver(lab))
    true("fake:" not in done.stderr, f"the driver complains: {done.stderr[:1500]}")
    session = lab.session()
    runs = session.json["runs_for"]
    sets = runs["wanted_runs"] - 1
    true(sets >= 4 and sets % 2 == 0, f"{sets} runs with counters: two for each set")
    for of in runs["agreement"].values():
        equal(of["agree"], of["rows"], "rows that agree in all runs")
    names = {"amd": 11, "intel": 6}
    for table, key in (("passes.csv", "pass_id"), ("draws.csv", "draw_id")):
        rows = read(lab.path("data/" + table))
        every = [{(row["frame"], row[key]): row for row in read(lab.path(f"data.runs/set{i}/{table}"))} for i in range(sets + 1)]
        for row in rows:
            for source, least in names.items():
                cells = columns(row, source)
                true(len(cells) >= least, f"{table}: {len(cells)} counters of {source} in {row['frame']} {row[key]}")
                for name, value in cells.items():
                    first = [columns(run[row["frame"], row[key]], source) for run in every]
                    equal(value, next(it[name] for it in first if name in it), f"{table} {row['frame']} {row[key]}: {name}")
            equal(row["gpu_time_ns"], every[0][row["frame"], row[key]]["gpu_time_ns"], "the time of the first run")
    truth(lab, session)


def case_intel_pass(lab):
    session, _ = check(lab, "intel", extensions=["intel"])
    equal(len(session.json["devices"][0]["event_sets"]), 2, "one set a query")
    true(all(row["intel:GPU Time Elapsed_ns"] for row in session.passes), "a counter of both queries is always there")
    # the bottleneck of a pass, where the set has its counters: a share of the clocks from 60 % on is the bottleneck
    judged = {row["bound_by"] for row in session.passes if row["bound_by"]}
    for row in session.passes:
        share = row["intel:EU Active_percent"] if row["intel:GPU Core Clocks_cycles"] not in ("", "0") else ""
        want = "" if not share else "eu" if float(share) >= 60 else "under-used"
        equal(row["bound_by"], want, f"frame {row['frame']} pass {row['pass']}: bound_by at {share} %")
    equal(judged, {"eu", "under-used"}, "verdicts")


def case_driver_faults(lab):
    """A version of Mesa that gives each counter its neighbour's value is not measured with, and says so without -e. A version that
    harms the application where another program is quicker is measured with on request only, and the session says why."""
    for version, renderer, faulty, on_request in (("25.0.7-2~bpo12+1", "HD Graphics 620 (KBL GT2)", True, True),
                                                  ("25.0.7", "Xe Graphics (TGL GT2)", False, True),
                                                  ("24.0.5", "HD Graphics 620 (KBL GT2)", False, False)):
        env = driver(lab, "onehardware")
        env.update(FAKE_GL_VERSION="4.5 (Core Profile) Mesa " + version, FAKE_GL_RENDERER="Mesa Intel(R) " + renderer)
        for options in [], ["-e", "time,intel,amd"]:
            lab.run(lab.record("--level", "pass", *options) + lab.sample("gl", "--frames", "2"), **env)
            session = lab.session()
            reasons = {event: reason for event, reason in missing(session).items() if event in ("intel", "amd")}
            wanted = {"intel", "amd"} if options else {"intel"}
            # this machine has no kernel's oa to measure in its place
            equal(set(reasons), wanted if faulty or (on_request and not options) else set(), f"{version}, {renderer}, {options}: reasons")
            words = "value of another counter" if faulty else "on request only"
            true(all(words in reason for reason in reasons.values()), f"the reason is {reasons}")
            measured = any(columns(row, source) for row in session.passes for source in ("intel", "amd"))
            equal(measured, not faulty and (bool(options) or not on_request), f"{version}, {renderer}, {options}: measured")
            noted = any("standard input" in note for note in session.json["devices"][0]["notes"])
            equal(noted, measured and on_request, f"{version}, {renderer}, {options}: the note")
        done = lab.run([os.path.join(lab.build, "bin", "passprobe"), "list", "-e", "intel"], **env)
        equal("value of another counter" in " ".join(done.stdout.split()), faulty, "list says so")


def case_contradictions(lab):
    """A driver whose clock does not advance: what it counts is empty from the frame on in which that is proved."""
    lab.run(lab.record("--level", "pass", "-e", 'time,intel:"Render Basic"') + lab.sample("gl", "--frames", str(FRAMES)),
            **driver(lab, "hostile=clock"))
    session = lab.session()
    reason = missing(session).get("intel", "")
    true("frequency that no GPU has" in reason, f"the reason is {missing(session)}")
    first = int(re.search("empty from frame ([0-9]+) on", reason).group(1))
    true(first < FRAMES // 2, f"found in frame {first}")
    for row in session.passes + session.frames:
        if int(row["frame"]) >= first:
            equal(columns(row, "intel"), {}, f"frame {row['frame']}")
            true(row["gpu_time_ns"], "times are measured on")


def case_intel_metrics(lab):
    """User metrics of driver counters whose names have blanks: for frames, passes and draws."""
    with open(lab.path("own.metrics"), "w", encoding="utf-8") as file:
        file.write("each = ${intel:Vertices} / ${intel:Draw Calls}\n"
                   "busy [percent] = ${intel:EU Active_percent} * 2\nboth = ${intel:Vertices} + ${amd:draw calls}\n")
    session, draws = check(lab, 'time,intel:"Render Basic",amd:draw calls', level="draw",
                           options=["--metrics", lab.path("own.metrics")])
    seen = 0
    for row in session.frames + session.passes + draws:
        cells = {name: float(row[name]) if row[name] else None
                 for name in ("intel:Vertices", "intel:Draw Calls", "intel:EU Active_percent", "amd:draw calls")}
        vertices, calls, share, amd = cells.values()
        want = {"metric:each": vertices / calls if calls else None, "metric:busy_percent": share * 2 if share is not None else None,
                "metric:both": None if None in (vertices, amd) else vertices + amd}
        for name, value in want.items():
            got = float(row[name]) if row[name] else None
            true(got == value or (None not in (got, value) and abs(got - value) <= 1e-6 * abs(value)), f"{name} of {row}: {value}")
            seen += value is not None
    true(seen > 100, f"{seen} metrics")


def case_intel_draw(lab):
    check(lab, 'intel:"Render Basic"', extensions=["intel"], level="draw")


def case_frame(lab):
    session, _ = record(lab, "amd,intel", level="frame")
    true(all(columns(row, "amd") or columns(row, "intel") for row in session.frames), "frames have counters")
    for row in session.frames[1:]:
        if row["amd:vertices"]:
            equal(row["amd:vertices"], "205", "vertices of a frame")


def case_both(lab):
    check(lab, "amd:vertices,amd:copies,intel:Draw Calls,intel:Vertices")


def case_gles(lab):
    check(lab, "time,amd,intel", "--es")
    check(lab, "time,amd:vertices,intel:Vertices", "--es", level="draw")


def case_default(lab):
    """Without -e the driver's default set is measured in addition to time and statistics."""
    lab.run(lab.record() + lab.sample("gl", "--frames", "8"), **driver(lab))
    session = lab.session()
    true(all(row["intel:Vertices"] and row["pipeline:vertex_shader_invocations"] for row in session.passes),
         "Render Basic in every pass")
    true("amd:vertices" not in session.passes[0], "the other extension only if it is asked for")


def case_one_of_many(lab):
    """Drivers that promise more than they can do, or that accept only one group at a time."""
    session, _ = check(lab, "amd", extensions=["amd"], plays="real=1")
    equal(missing(session), {}, "everything is measured, one at a time")
    # passprobe does not know this driver; it finds before the first frame that the driver refuses a mixed set
    session, _ = record(lab, "{amd:draw calls,amd:busy}", plays="onegroup")
    true("refuses" in missing(session)["amd:busy"], missing(session))
    true(not any(columns(row, "amd") for row in session.passes), "then there is nothing")


def case_late_results(lab):
    check(lab, "amd,intel", plays="latency=9")


def case_no_timer(lab):
    """v3d has counters and no timer queries: the counters are measured, and times are empty, with the reason."""
    for level in "pass", "draw", "frame":
        session, draws = record(lab, "time,pipeline,amd:draw calls,amd:vertices", plays="notimer", level=level)
        if level != "frame":
            exact(lab, session, draws, "amd")
        true(any(columns(row, "amd") for row in session.frames), f"{level}: frames have counters")
        equal({row["gpu_time_ns"] for row in session.frames + session.passes + draws}, {""}, f"{level}: times")
        true("no bits" in missing(session)["time"], missing(session))
        true("amd" not in missing(session), missing(session))
    text = lab.run([lab.passprobe, "list"], **driver(lab, "notimer")).stdout
    true("  amd    [1]" in text, f"amd in {text}")


def case_reports(lab):
    """Intel's drivers of Mesa wait for the kernel's reports when they are asked too early: they are asked when the reports
    are there. Nothing is lost, and one set is measured."""
    for source in "intel", "amd:Shader Array":
        session, _ = check(lab, source, extensions=[source.split(":", maxsplit=1)[0]], plays="reports=5 onegroup")
        true(any(columns(row, source.split(":", maxsplit=1)[0]) for row in session.passes), f"{source}: passes have counters")
    lab.run(lab.record("-e", "intel") + lab.sample("gl", "--frames", "400"), **driver(lab, "reports=5"))
    session = lab.session()
    equal(session.lost(), {}, "nothing is lost")
    names = {"intel:EU Active_percent", "intel:Copies"}  # of two sets
    measured = names & set(session.passes[0])
    equal(len(measured), 1, f"one set of Intel's GPUs is measured: {measured}")
    true(sum(row[min(measured)] != "" for row in session.passes) > 3, f"{measured}: is measured")
    true(any("one set is measured" in why for why in missing(session).values()), f"the other set: {missing(session)}")


def case_reports_late(lab):
    """Reports that come much later than the kernel should pass them on: after one long wait the driver is not asked again,
    and the reason is given. On a busy machine a question may come so late that it waits for a moment only."""
    done = lab.run(lab.record("-e", "time,intel:Vertices") + lab.sample("gl", "--frames", "100"),
                   **driver(lab, "reports=400"))
    waits = [int(ms) for ms in re.findall(r"fake: waits (\d+) ms", done.stderr)]
    equal([ms >= 50 for ms in waits].count(True), 1, f"long waits of the application: {waits}")
    true(waits[-1] >= 50 and len(waits) <= 4, f"the long one is the last: {waits}")
    session = lab.session()
    equal(len(session.frames), 100, "frames")
    true("until the kernel delivers its reports" in missing(session)["intel:Vertices"], missing(session))


def case_refused(lab):
    """Begins fail now and then: those brackets are empty, all others are exact."""
    session, _ = check(lab, "amd:vertices,intel:Vertices", plays="refuse=4", lost="counters_lost")
    empty = [row for row in session.passes if not row["amd:vertices"] or not row["intel:Vertices"]]
    true(FRAMES <= len(empty) < len(session.passes), f"{len(empty)} of {len(session.passes)} rows are empty")
    # seven failures in a row: the set continues; eight: it is given up, and the driver is not called any more
    for times in 7, 8:
        session, _ = record(lab, "amd:vertices", plays=f"from=20 times={times}", lost="counters_lost")
        cells = [row["amd:vertices"] != "" for row in session.passes]
        empty = cells.index(False)
        equal(cells[:empty].count(False) + cells[empty:empty + times].count(True), 0, f"{times}: in a row")
        equal(set(cells[empty + times:]), {times == 7}, f"{times} in a row: what follows")
        truth(lab, session)
        equal(session.lost()["counters_lost"], times, "each is counted")
        equal("again and again" in missing(session).get("amd:vertices", ""), times == 8, f"{times}: {missing(session)}")
    # always refused: no values, with the reason
    session, _ = record(lab, "amd:vertices", plays="refuse=1")
    true("refuses" in missing(session)["amd:vertices"], missing(session))


def case_lost(lab):
    """Results never come: nothing waits for them."""
    session, _ = record(lab, "amd:vertices,intel:Vertices,time", plays="lost=7", lost="counters_lost")
    empty = [row for row in session.passes if not row["amd:vertices"] or not row["intel:Vertices"]]
    true(10 < len(empty) < len(session.passes), f"{len(empty)} of {len(session.passes)} rows are empty")
    truth(lab, session)
    true(all(row["gpu_time_ns"] for row in session.passes), "times are there")


def case_deferred(lab):
    """Mesa reports that a query had not begun when its result is read."""
    session, _ = record(lab, "intel:Vertices", plays="deferred=5", lost="counters_lost")
    true(any(not row["intel:Vertices"] for row in session.passes), "those are empty")
    truth(lab, session)


REJECTED = "short", "group", "counter", "twice", "long", "bytes"


def case_hostile(lab):
    bare = record(lab, "time")[0]
    for what in "short", "group", "counter", "twice", "long", "bytes", "outside", "many", "names":
        session, _ = record(lab, "time,amd,intel", plays=f"hostile={what}",
                            lost="counters_rejected" if what in REJECTED else None)
        equal([row["draws"] for row in session.passes], [row["draws"] for row in bare.passes], f"{what}: passes")
        true(all(row["gpu_time_ns"] for row in session.passes), f"{what}: times")
        if what in REJECTED:
            true(not any(columns(row, "amd") for row in session.passes if what != "short"), f"{what}: refused")


    session, _ = record(lab, "time,amd", plays="hostile=nan", lost="counters_rejected")
    true("finite" in missing(session)["some values of amd:vertices per draw"], missing(session))
    true(not any(row["amd:vertices per draw"] for row in session.passes), "no number")
    true(any(row["amd:busy_percent"] for row in session.passes), "the others are there")


def case_one_hardware(lab):
    """The second extension is not measured where both use the same hardware."""
    session, _ = record(lab, "{amd:vertices,amd:busy},{intel:Vertices,intel:Draw Calls}", plays="onehardware",
                        lost="counters_lost")
    true(any(columns(row, "intel") for row in session.passes), "one of them measures")
    truth(lab, session)


def case_few_objects(lab):
    """A driver that offers few query objects."""
    for event in "intel:Vertices", "amd:vertices":
        session, _ = check(lab, event, extensions=[event.split(":", maxsplit=1)[0]], plays="instances=3")
        frames = [row[event] for row in session.passes if int(row["frame"]) >= FRAMES - 4]
        true(any(frames) and not all(frames), f"to the end some passes are measured: {frames}")
        true("too few objects" in missing(session)[event], missing(session))


def case_no_extension(lab):
    for plays, source in (("noamd", "amd"), ("nointel", "intel")):
        session, _ = record(lab, "time,amd,intel", plays=plays)
        true("lacks" in missing(session)[source], missing(session))
        true(any(columns(row, {"amd": "intel", "intel": "amd"}[source]) for row in session.passes), "the other works")


def case_serialize(lab):
    """The GPU is idle around each bracket: the counts are the same, and times of draws become true."""
    session, draws = check(lab, "time,amd:vertices,intel:Vertices", level="draw", options=["--serialize"])
    true(all(row["gpu_time_ns"] for row in draws), "draws have times")
    for row in session.passes:
        inner = sum(int(it["gpu_time_ns"]) for it in draws if (it["frame"], it["pass"]) == (row["frame"], row["pass"]))
        true(inner <= int(row["gpu_time_ns"]), f"frame {row['frame']} pass {row['pass']}: its draws lie in it")
    true(session.json["options"]["serialize"], "the session says so")
    equal({row["serialize:isolated"] for row in session.passes + draws}, {"1"}, "and so does every row")
    true(any("--serialize" in note for note in session.json["devices"][0]["notes"]), "and what it changes")


def case_whole_gpu(lab):
    """A query of the whole GPU is measured only with --serialize, as other sources of the whole GPU are."""
    session, _ = record(lab, "intel:Vertices,intel:Copies", plays="global")
    true("needs --serialize" in missing(session)["intel:Copies"], missing(session))
    true("intel:Copies" not in session.passes[0] and any(row["intel:Vertices"] for row in session.passes), "the other")
    session, _ = check(lab, "intel:Copies", plays="global", extensions=["intel"], options=["--serialize"])
    true(any(row["intel:Copies"] for row in session.passes), "serialized it is measured")
    true(any("the whole GPU" in note for note in session.json["devices"][0]["notes"]), "a note says so")
    session, _ = record(lab, "intel:Copies", plays="global", level="frame", options=["--serialize"])
    true("--level pass" in missing(session)["intel:Copies"], missing(session))


def case_turns(lab):
    """Sets rotate over frames that differ: measured values are exact, and their mean is as near to the mean of all
    frames as a sample of that size and spread allows."""
    program = [os.path.join(lab.build, "tests", "reach", "app_perf_queries"), "vary"]
    done = lab.run(lab.record("--level", "pass", "-e", "time,amd") + program, **driver(lab))
    true("fake:" not in done.stderr, done.stderr[:1000])
    session = lab.session()
    exact(lab, session, [], "amd")
    draws = [int(row["draws"]) for row in session.frames]
    for name, times in ("amd:draw calls", 1), ("amd:vertices", 4):
        found = [(i, int(row[name])) for i, row in enumerate(session.frames) if row[name]]
        equal([value for _, value in found], [times * draws[i] for i, _ in found], f"{name}: exact where measured")
        values = [value / times for _, value in found]
        true(len(values) >= len(draws) // 3, f"{name}: measured in {len(values)} of {len(draws)} frames")
        error = statistics.stdev(values) / len(values) ** 0.5
        off = abs(statistics.mean(values) - statistics.mean(draws))
        true(off <= 5 * error, f"{name}: the mean is off by {off}, with a standard error of {error}")


def case_list(lab):
    """`passprobe list` shows the sources with groups, units and reasons."""
    def shown(*pattern, plays=""):
        return lab.run([lab.passprobe, "list", *pattern], **driver(lab, plays)).stdout

    text = shown()
    for line in ("  amd    [1] [2]", "Shader Array: 5 counters, 3 at a time", "Render Basic: 9 counters", "drains"):
        true(line in text, f"{line} in {text}")
    text = shown("-e", "amd:Shader Array")
    true("amd:busy [percent]" in text and "amd:Shader Array.cycles" in text and "draw calls" not in text, text)
    true("Time that the work took." in shown("-e", "GPU Time"), "descriptions")
    # what `record -e` accepts: the group in front, groups, lists, names in quotes
    for item, wanted in (("amd:Shader Array.vertices", ["amd:vertices"]),
                         ("{amd:vert*,intel:Draw*}", ["amd:vertices", "intel:Draw Calls"]),
                         ('intel:"Draw Calls",amd:vertices,time', ["intel:Draw Calls", "amd:vertices", "  time "])):
        text = shown("-e", item)
        true(all(name in text for name in wanted) and "amd:busy" not in text, f"{item}: {text}")
        equal(text.count("Contexts of this machine"), 1, item)
    done = lab.run([lab.passprobe, "list", "-e", "amd:vertices,amd:vertces"], check=False, **driver(lab))
    equal(done.returncode, 125, "an item that nothing matches")
    true("amd:vertices" in done.stdout and "no event matches 'amd:vertces'" in done.stderr, done.stdout + done.stderr)
    true("no: the driver reports an offset outside of the query" in shown("-e", "intel:GPU Core Clocks",
                                                                    plays="hostile=outside"), "reasons")
    true("no: the driver lacks GL_AMD_performance_monitor" in shown("-e", "amd", plays="noamd"), "absence")
    for wrong, near in (("amd:vertces", "amd:vertices"), ("intel:Rendr Basic", "intel:Render Basic"), ("amdd", "amd"),
                        ("intel:Draw Cals", "intel:Draw Calls")):
        said = lab.run([lab.passprobe, "list", "-e", wrong], check=False, **driver(lab)).stderr
        true(f"no event matches '{wrong}'; did you mean '{near}'?" in said, said)
    for wrong, near in (("amd:vertces", "amd:vertices"), ("time,intel:Rendr Basic", "intel:Render Basic")):
        done = lab.run(lab.record("-e", wrong) + lab.sample("gl", "--frames", "2"), check=False, **driver(lab))
        true(f"did you mean '{near}'?" in done.stderr, done.stderr)


def case_window(lab):
    """GLX: an application with windows."""
    need("Xvfb")
    env = driver(lab)
    program = [XVFB, os.path.join(lab.build, "tests", "reach", "windows"), "two"]
    bare = lab.run(program, **env)
    done = lab.run(program, **env, **preload(lab, "data", events="time,amd:draw calls,intel:Draw Calls"))
    equal(done.stdout, bare.stdout, "what the application prints")
    true("fake:" not in done.stderr, done.stderr[:1000])
    session = lab.session()
    for row in session.passes:
        equal(row["amd:draw calls"] or row["draws"], row["draws"], "draws")
    true(any(row["amd:draw calls"] for row in session.passes), "passes were measured")


def same(lab, program, plays=""):
    """The output of an application is the same bare and measured at every level. @return the sessions."""
    env = driver(lab, plays)
    bare = lab.run(program, **env)
    true("fake:" not in bare.stderr, f"bare: {bare.stderr[:1000]}")
    sessions = {}
    for level in "frame", "pass", "draw":
        out = f"data-{level}"
        done = lab.run(program, **env, **preload(lab, out, events="time,pipeline,amd,intel", level=level))
        for want, got in zip(bare.stdout.splitlines(), done.stdout.splitlines()):
            equal(got, want, f"{level}: {done.stderr[:500]}")
        equal(done.stdout, bare.stdout, level)
        true("fake:" not in done.stderr, f"{level}: {done.stderr[:1000]}")
        sessions[level] = lab.session(out)
    return sessions


def case_app_queries(lab):
    """The application's own monitors and queries work as without passprobe; passprobe's are measured again when the
    application's have ended."""
    sessions = same(lab, [os.path.join(lab.build, "tests", "reach", "app_perf_queries")], plays="mistakes")
    session = sessions["pass"]
    frames = {row["frame"]: [] for row in session.frames}
    for row in session.passes:
        frames[row["frame"]].append(bool(columns(row, "amd")) or bool(columns(row, "intel")))
    for frame in "0", "1", "2", "3", "25", "26", "27":
        true(all(frames[frame]), f"frame {frame}: {frames[frame]}")
    for frame in "5", "6", "9", "10":
        equal(frames[frame], [False, False], f"frame {frame} is the application's")
    for frame in "12", "13", "14", "15":
        equal(frames[frame], [False, False], f"frame {frame}: from one to the next")
    reasons = missing(session)
    true("application used GL_AMD_performance_monitor" in reasons["amd"], reasons)
    true("application used GL_INTEL_performance_query" in reasons["intel"], reasons)


def case_app_queries_refused(lab):
    """The application has monitors and queries, and begins of passprobe fail: the application sees no error."""
    for program in ("begin_end", "queries", "debug", "contexts"):
        same(lab, [os.path.join(lab.build, "tests", "reach", "side_effects"), program], plays="refuse=3")


def case_side_effects(lab):
    for program in ("begin_end", "lists", "queries", "query_buffer", "framebuffers", "conditional", "debug",
                    "no_error", "contexts", "surfaceless"):
        same(lab, [os.path.join(lab.build, "tests", "reach", "side_effects"), program])


main(globals())
