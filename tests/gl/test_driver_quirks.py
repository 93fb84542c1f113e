"""A fake GL driver that does what Mesa's software drivers never do: results that come late or never, lost contexts,
thousands of surfaces, and swaps and labels of extensions that Mesa lacks."""
import os

from harness import FRAME_COLUMNS, equal, fake_library, main, number, read_csv, true
from shim import preload


def both(lab, case, out="data", fake=None, **options):
    """The output is the same bare and loaded. @return the session and what the driver saw."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_quirks"), case]
    env = {f"FAKE_GL_{name}": value for name, value in (fake or {}).items()}
    bare = lab.run(program, **env)
    loaded = lab.run(program, **{**preload(lab, out, **options), **env})
    equal(loaded.stdout, bare.stdout, f"{case}: {loaded.stderr}")
    return lab.session(out), loaded.stderr


def draws_of(session):
    return [int(row["draws"]) for row in session.frames]


def noted(stderr, text):
    """Numbers on the lines that begin with a text."""
    return [int(line[len(text):]) for line in stderr.splitlines() if line.startswith(text)]


def case_late_results(lab):
    """4,000 frames whose results come 1,200 frames late: the results are given up, and their queries are used again."""
    session, stderr = both(lab, "late", fake={"LAG": "1200"}, level="draw")
    equal(len(session.frames), 4000, "frames")
    names = noted(stderr, "names ")[0]
    # each frame asks once for the oldest open query and once for those given up; the empty brackets of the beginning
    # come on top
    true(noted(stderr, "asked early ")[0] <= 2.2 * 4000, f"{stderr}: queries that had not timed were asked too often")
    # a frame has 3 brackets with 13 names; results of 1,201 frames are open, and the pool doubles
    true(3000 < names <= 4096 * 13, f"{names} query names after 4,000 frames")
    true(session.json["dropped"], "lost results are counted")
    equal({row["gpu_time_ns"] for row in session.frames}, {""}, "no time came in time")


def case_in_time(lab):
    """4,000 frames whose results come 800 frames late: all results are used."""
    session, stderr = both(lab, "late", fake={"LAG": "800"}, level="draw")
    timed = [row for row in session.frames if row["gpu_time_ns"]]
    true(len(timed) >= 3100, f"{len(timed)} of 4,000 frames have their time")
    true(noted(stderr, "names ")[0] <= 4096 * 13, f"{stderr} of some 2,400 slots")


def case_threaded(lab):
    """A driver whose thread is late at every frame's end: results are read while the next frame is drawn. No result is
    lost or given to another query, and passprobe does not wait for the thread any more."""
    # a thread that is descheduled while it draws has a long frame, next to which no other time is long
    for left in range(5, -1, -1):
        session, stderr = both(lab, "threaded", out=f"run{left}", fake={"THREAD": "5", "ORDINAL": "1"}, level="draw")
        check_threaded(session)
        if noted(stderr, "caught up ")[0] <= 40:
            break
        true(left, f"{stderr}of 80 frames, in each of six runs")


def check_statistics(row, counters, ordinal):
    """A draw has statistics of its own; it cannot invoke compute shaders."""
    equal({row[name] for name in counters if "compute" not in name}, {str(ordinal)}, f"statistics of draw {ordinal}")
    equal(row["pipeline:compute_shader_invocations"], "0", f"compute shader invocations of draw {ordinal}")


def check_threaded(session):
    draws = [row for row in session.table("draws.csv") if row["call"] == "glDrawArrays"]
    counters = [name for name in draws[0] if name.startswith("pipeline:")]
    equal(len(draws), 10 * (40 + 40 + 70 + 10 + 1 + 40 + 40), "draws")
    equal(len(counters), 11, "statistics")
    for ordinal, row in enumerate(draws, 1):
        check_statistics(row, counters, ordinal)
    true(all(row["gpu_time_ns"] for row in draws), "times")


def case_endless(lab):
    """A frame of 60,000 draws; the driver keeps results of a third of them. Available results are read before the frame
    ends, and belong to their draws. Where none is available before, the other draws go without, and the driver is not
    asked again and again."""
    session, stderr = both(lab, "endless", fake={"ORDINAL": "1"}, level="draw")
    draws = [row for row in session.table("draws.csv") if row["call"] == "glDrawArrays"]
    counters = [name for name in draws[0] if name.startswith("pipeline:")]
    equal(len(draws), 60009, "draws")
    for ordinal, row in enumerate(draws, 1):
        check_statistics(row, counters, ordinal)
    true(all(row["gpu_time_ns"] for row in draws), "times")
    true(noted(stderr, "names ")[0] <= 16384 * 13, f"{stderr}of a frame whose results land at once")
    session, stderr = both(lab, "endless", out="lagging", fake={"ORDINAL": "1", "LAG": "1"}, level="draw")
    draws = [row for row in session.table("draws.csv") if row["call"] == "glDrawArrays"]
    measured = [ordinal for ordinal, row in enumerate(draws, 1) if row["gpu_time_ns"]]
    true(16000 < len(measured) < 60000, f"{len(measured)} draws measured")
    for ordinal in measured:
        check_statistics(draws[ordinal - 1], counters, ordinal)
    true(noted(stderr, "asked early ")[0] < 100, stderr)


ES = {"VERSION": "OpenGL ES 3.0 fake", "EXTENSIONS": "GL_EXT_disjoint_timer_query"}


def case_disjoint(lab):
    """Reading GL_GPU_DISJOINT_EXT resets it, so only the application reads it."""
    for level in ("pass", "draw"):
        session, stderr = both(lab, "disjoint", out=level, level=level, fake=ES)
        equal({row["api"] for row in session.frames}, {"gles"}, "api")
        true(all(number(row, "gpu_time_ns") >= 0 for row in session.frames), f"{level}: GPU times are there")
        true(noted(stderr, "names ")[0] > 0, f"queries were used: {stderr}")


def case_no_bits(lab):
    """The extension exists with timestamps of 0 bits, or is missing, in OpenGL, too: CPU times only, with the reason,
    and no query."""
    for number_of, fake in enumerate(({**ES, "BITS": "0"}, {**ES, "EXTENSIONS": ""}, {"BITS": "0"},
                                      {"VERSION": "3.2.0 fake"})):
        session, stderr = both(lab, "disjoint", out=f"run{number_of}", fake=fake, level="draw")
        equal(noted(stderr, "names "), [0], f"{fake}: queries made")
        equal({row["gpu_time_ns"] for row in session.frames}, {""}, f"{fake}: no GPU times")
        true(all(number(row, "frame_time_ns") > 0 for row in session.frames), f"{fake}: CPU times")
        missing = {m["event"]: m["reason"] for d in session.json["devices"] for m in d["events_missing"]}
        true("no bits" in missing["time"], f"{fake}: {missing}")


def case_release(lab):
    """Releasing a context reads the results that are available, but not where a release must not flush the context."""
    for keeps in ("0", "1"):
        session, stderr = both(lab, "release", out=f"keeps{keeps}", fake={"RELEASE_KEEPS": keeps})
        equal(noted(stderr, "asked at releases ")[0] > 0, keeps == "0", f"keeps {keeps}: {stderr}")
        equal(draws_of(session), [2] + [3] * 5, f"keeps {keeps}: frames")
        true(all(row["gpu_time_ns"] for row in session.frames), f"keeps {keeps}: GPU times")


def case_query_names(lab):
    """A driver that gives the lowest free names; the application's own TIME_ELAPSED query spans frames."""
    for level in ("frame", "pass", "draw"):
        session, _ = both(lab, "query_names", out=level, level=level)
        equal(draws_of(session), [201, 1] * 8, f"{level}: frames")
        true(all(row["gpu_time_ns"] for row in session.frames), f"{level}: GPU times")


def case_terminated(lab):
    """Contexts that eglTerminate destroys are forgotten, and their results are read before."""
    session, _ = both(lab, "terminated")
    equal([(row["surface"], row["draws"]) for row in session.frames],
          [(f"window {i}", str(i)) for i in (1, 2, 3) for _ in range(3)], "frames")
    true(all(row["gpu_time_ns"] for row in session.frames), "GPU times")
    equal([row["gpu_time_ns"] != "" for row in session.passes_of("")], [True] * 3, "times of what no frame followed")


def case_errno(lab):
    """A driver that changes errno, as a driver does that makes system calls: errno is unchanged where passprobe alone
    called it."""
    ways = {"draw": {}, "pass": {}, "frame": {}, "serialize": {"level": "draw", "serialize": "1"},
            "finish": {"level": "pass", "frame_on": "finish"}, "marker": {"level": "draw", "frame_on": "marker"}}
    for way, options in ways.items():
        for renderer in ("fake", "llvmpipe"):
            both(lab, "errno", out=way + renderer, fake={"ERRNO": "1", "RENDERER": renderer}, **(options or {"level": way}))


def case_killed(lab):
    """SIGKILL while frames.csv is made wider for a counter that came late: the file is whole."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_quirks"), "counted"]
    killer = os.path.join(lab.build, "tests", "reach", "libkill_while_rewriting.so")
    for moment in ("read", "before", "after"):
        env = preload(lab, moment)
        env["LD_PRELOAD"] += ":" + killer
        done = lab.run(program, check=False, **env, KILLED=moment)
        equal(done.returncode, -9, f"{moment}: {done.stderr}")
        # session.json may not exist yet
        frames = read_csv(os.path.join(lab.path(moment), "frames.csv"), FRAME_COLUMNS)
        equal([row["frame"] for row in frames], [str(i) for i in range(400)], f"{moment}: frames before the counter came")
        equal("app:late" in frames[0], moment == "after", f"{moment}: the wider file takes its place at once")
        equal([float(row["app:early"]) for row in frames], list(range(400)), f"{moment}: counter")


def case_hung(lab):
    """Results never come: the application continues, and its frames have rows without GPU times."""
    session, _ = both(lab, "hung", fake={"LAG": "1000000000"})
    equal(draws_of(session), [2] * 20, "draws of each frame")
    equal({row["gpu_time_ns"] for row in session.frames}, {""}, "times")
    equal(session.json["ended"], "exit", "how it ended")


def case_paused(lab):
    """The process is stopped while the context's release waits for results: the time of a stop does not count as
    waiting. The results come after 300 questions, and the clock moves forward by 15 s whenever the collector sleeps."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_quirks"), "paused"]
    env = preload(lab, "data", level="draw")
    env["LD_PRELOAD"] = ":".join([fake_library(lab, "libfake-clock.so"), env["LD_PRELOAD"]])
    lab.run(program, FAKE_GL_LAG="1000000000", FAKE_GL_LAG_ASKS="300", FAKE_CLOCK_NAP_S="15", **env)
    session = lab.session()
    equal(draws_of(session), [2] * 3, "draws of each frame")
    true(all(row["gpu_time_ns"] for row in session.frames), "GPU times")
    equal(session.json["dropped"]["times_not_landed"], 0, "times that did not come")


def case_lost(lab):
    """After the application has learnt of the loss, passprobe does not ask about queries; a new context is measured
    again."""
    for level in ("pass", "draw"):
        session, stderr = both(lab, "lost", out=level, level=level)
        calls = noted(stderr, "query calls after the loss ")
        equal((len(calls), set(calls)), (10, {0}), f"{level}: {stderr}")
        draws = draws_of(session)
        equal((draws[:5], draws[-5:]), ([3] * 5, [3] * 5), f"{level}: frames before and on the new context")
        true(all(number(row, "gpu_time_ns") >= 0 for row in session.frames[-5:]), f"{level}: GPU times are back")
        queues = [row["queue"] for row in session.passes if row["kind"] == "render"]
        equal(sorted(set(queues)), ["context 1", "context 2"], f"{level}: contexts")


def case_lost_late(lab):
    """The driver reports the reset status once, to the application. Of what the context lost it gives results of 0: these are
    no values."""
    for level in ("pass", "draw"):
        session, _ = both(lab, "lost_late", out=level, level=level)
        rows = [row for row in session.passes + (session.table("draws.csv") if level == "draw" else []) if row.get("draws", "1") != "0"]
        for row in rows:
            values = {value for name, value in row.items() if name.startswith("pipeline:") or name in ("gpu_time_ns", "gpu_start_ns")}
            equal("" in values, len(values) == 1, f"{level}: all values or none: {row}")
            true("0" not in values or len(values) > 1, f"{level}: values of lost work: {row}")
        true(any(row["gpu_time_ns"] for row in rows) and any(not row["gpu_time_ns"] for row in rows), f"{level}: both kinds are there")


def case_many_surfaces(lab):
    session, _ = both(lab, "many")
    equal(draws_of(session)[-1], 4, "the window that outlived its display's closing and opening")
    equal(sum(draws_of(session)), 1500 + 15 + 4, "frames of windows, and of contexts without surface that finished")
    equal(sum(int(row["draws"]) for row in session.passes), 1500 * 2 + 30 + 4, "no draw vanished")
    true(len(session.frames) > 1500, f"{len(session.frames)} frames")


def case_forgotten(lab):
    """Destroying a surface and a context frees everything."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_quirks"), "forgotten"]
    loaded = lab.run(program, **preload(lab, "data"))
    true(all(used < 64 for used in noted(loaded.stderr, "bytes a task ")), loaded.stderr)


def case_swaps_egl(lab):
    session, _ = both(lab, "swaps_egl")
    equal(draws_of(session), [1, 2, 3, 4, 5, 6, 7], "one frame for each swap that succeeded")
    equal({row["surface"] for row in session.frames}, {"window 1"}, "surface")


def case_swaps_glx(lab):
    session, _ = both(lab, "swaps_glx")
    equal([(row["surface"], row["draws"]) for row in session.frames],
          [("window 1", "1"), ("window 1", "2"), ("window 1", "3"), ("window 1", "9")], "frames")


def case_frame_on(lab):
    """--frame-on decides what ends a frame of an application that never presents."""
    for what, want in (("auto", None), ("finish", [2, 8, 9, 10]), ("marker", None), ("submit", [1, 1, 7, 1, 8, 1, 9, 1]),
                       ("present", [])):
        options = {} if what == "auto" else {"frame_on": what}
        session, _ = both(lab, "unpresented", out=what, **options)
        if want is not None:
            equal(draws_of(session), want, f"--frame-on {what}")
            continue
        # the terminator ends a frame at once; the annotate API's end takes effect at the next action
        marked = {"marker": [4, 3, 5, 3, 6, 3, 7], "auto": [1, 1, 2, 3, 5, 3, 6, 3, 7]}[what]
        equal(draws_of(session)[:len(marked)], marked, f"--frame-on {what}")


def case_unswapped(lab):
    """A window that the application waits for, even more than a hundred times, and then swaps: its swaps are its
    frames."""
    session, _ = both(lab, "unswapped")
    equal(draws_of(session), [153, 3, 3], "draws of each frame")
    session, _ = both(lab, "loading")
    equal(draws_of(session), [53, 3, 3], "draws of each frame, behind a load")
    session, _ = both(lab, "unswapped", frame_on="present")
    equal(draws_of(session), [153, 3, 3], "draws of each frame, of those that are presented")


def case_few_waits(lab):
    """A window that the application waits for three times and never swaps: each wait ends a frame."""
    session, _ = both(lab, "seldom")
    equal(draws_of(session), [1, 2, 3], "draws of each frame")


def case_terminator(lab):
    """From the first glFrameTerminatorGREMEDY on, each one ends a frame; two in a row end two frames."""
    session, _ = both(lab, "terminator")
    equal(draws_of(session), [1, 1, 3, 0, 4, 5], "draws of each frame")


def case_annotated(lab):
    session, _ = both(lab, "annotated")
    equal(draws_of(session)[-2:], [3, 4], "frames end where the application marks them")
    equal({row["label"] for row in session.passes}, {"frame"}, "regions")
    session, _ = both(lab, "annotated_released", out="released")
    equal(draws_of(session), [1, 2, 3, 4], "frames that end before the context is released")


def case_labels(lab):
    """Groups, markers and names of KHR_debug, EXT_debug_marker, EXT_debug_label, GREMEDY_string_marker."""
    session, _ = both(lab, "labels", level="draw")
    work = session.table("draws.csv")
    frame = [(row["call"], row["label"], row["pipeline"]) for row in work if row["frame"] == "1"]
    draw = "glDrawArrays"
    clear = "glClear"
    equal([row for row in frame if row[0] == draw],
          [(draw, "", "program 3"), (draw, "khr", "by KHR_debug"), (draw, "khr/marker", "by EXT_debug_lab"),
           (draw, "khr/marker", "by EXT_debug_lab"), (draw, "khr/marker/cut", "by EXT_debug_lab")], "draws")
    equal([row[1] for row in frame if row[0] == clear], ["", "khr", "khr/marker", "khr/marker/cut"], "clears")
    rows = {row["label"]: row for row in session.table("labels.csv") if row["frame"] == "1"}
    equal({label: (row["depth"], row["draws"]) for label, row in rows.items()},
          {"khr": ("1", "4"), "khr/marker": ("2", "3"), "khr/marker/cut": ("3", "1")}, "labels.csv")
    for inside, outside in (("khr/marker", "khr"), ("khr/marker/cut", "khr/marker")):
        true(number(rows[inside], "gpu_inclusive_ns") <= number(rows[outside], "gpu_inclusive_ns"), f"{rows} nest")
    for row in rows.values():
        true(number(row, "gpu_exclusive_ns") <= number(row, "gpu_inclusive_ns"), f"{row}: exclusive")
    marks = session.json["marks"]
    equal(marks, sorted(marks, key=lambda mark: mark["at_ns"]), "in the order of their times")
    equal([mark["label"] for mark in marks][:3], ["event", "gremedy", "stri"], "marks")


def case_regions(lab):
    """A pass has the region in which it begins, whatever begins it; so it has the same id at every level."""
    ids = {}
    for level in ("pass", "draw"):
        session, _ = both(lab, "regions", out=level, level=level)
        rows = session.passes_of("1")
        equal([(row["kind"], row["label"]) for row in rows],
              [("render", "shadow"), ("transfer", "shadow"), ("render", "light"), ("transfer", "light"),
               ("render", "light/inner"), ("transfer", ""), ("render", "")], f"level {level}")
        ids[level] = [row["pass_id"] for row in session.passes]
    equal(ids["pass"], ids["draw"], "ids at both levels")


def case_nested(lab):
    """Regions and groups nest in the order in which they were opened, in whatever order and context they are closed."""
    session, _ = both(lab, "nested", level="draw")
    want = ["R/G", "R/G/S", "R/G/S/H", "R/G/H", "G/H", "G/H/R", "G/R", "G/there", "G", ""]
    for frame in ("0", "1", "2"):
        got = [row["label"] for row in session.table("draws.csv") if row["frame"] == frame]
        equal(got, want, f"frame {frame}")
    rows = {row["label"]: row for row in session.table("labels.csv") if row["frame"] == "1"}
    equal({label: (row["depth"], row["draws"]) for label, row in rows.items()},
          {"R": ("1", "4"), "R/G": ("2", "4"), "R/G/S": ("3", "2"), "R/G/S/H": ("4", "1"), "R/G/H": ("3", "1"),
           "G": ("1", "5"), "G/H": ("2", "2"), "G/H/R": ("3", "1"), "G/R": ("2", "1"), "G/there": ("2", "1")},
          "labels.csv")


def case_slashes(lab):
    """Different paths have different texts and ids, even if names contain the separator."""
    session, _ = both(lab, "slashes", level="draw")
    want = ["a/b", "a\\/b", "a\\\\/b", "a\\\\\\/b", "(no name)/b", "\\/b", "(no name)", "a/(no name)", "a\\/",
            "\\(no name)"]
    render = [row for row in session.passes_of("1") if row["kind"] == "render"]
    equal([row["label"] for row in render], want, "labels of passes")
    equal(len({row["pass_id"] for row in render}), len(want), "ids")
    depths = {row["label"]: row["depth"] for row in session.table("labels.csv") if row["frame"] == "1"}
    equal(depths, {**dict.fromkeys(["a", "a\\\\", *want], "1"),
                   **dict.fromkeys(["a/b", "a\\\\/b", "(no name)/b", "a/(no name)"], "2")}, "labels.csv")


def case_ext_labels(lab):
    """A driver with EXT_debug_label alone: names are read by the function of that extension."""
    session, _ = both(lab, "labels", level="draw", fake={
        "VERSION": "3.3.0 fake", "EXTENSIONS": "GL_ARB_timer_query GL_EXT_debug_label GL_EXT_debug_marker"})
    names = {row["pipeline"] for row in session.table("draws.csv")}
    true("by EXT_debug_lab" in names, names)


if __name__ == "__main__":
    main(globals())
