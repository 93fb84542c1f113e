"""The walk on the fake driver, which does what hardware may do and reports what no application may do."""
import json
import os

from harness import equal, fail, main
from layer import LayerLab
from walk_limits import BUFFERS, check_limits
from test_walk import (EXPECT, TIMED_AS_A_WHOLE, check_again, check_group, check_indirect, check_joined, check_label_times,
                       check_own, check_own_draws, describe)

LIMITS = {"WALK_CASES": "limits", "PASSPROBE_LEVEL": "draw", "PASSPROBE_INDIRECT": "1"}
# row: settings of the driver, more of the environment, exit status of the walk
ROWS = {
    "plain": ("", {}, 0),
    "draws": ("", {"PASSPROBE_LEVEL": "draw"}, 0),
    "frames": ("", {"PASSPROBE_LEVEL": "frame"}, 0),
    "bits36_wrap": ("bits=36 start=0xfffffff00", {}, 0),
    "bits0": ("bits=0", {}, 0),
    "exact_times": ("", {"PASSPROBE_EVENTS": "time"}, 0),
    "families": ("families=3", {}, 0),
    "families_draws": ("families=3 delay=7", {"PASSPROBE_LEVEL": "draw"}, 0),
    "no_statistics": ("nostats", {}, 0),
    "refused_feature": ("refuse", {}, 0),
    "delay3": ("delay=3", {}, 0),
    "delay1000": ("delay=1000 families=3", {}, 0),
    "lost_first": ("lost=1", {}, 1),
    "lost_later": ("lost=12", {}, 1),
    "lost_delayed": ("lost=20 delay=100", {}, 1),
    "lost_undisturbed": ("lost=7 totals", {"WALK_CASES": "lost"}, 0),
    "out_of_memory": ("oom=9", {}, 0),
    "out_of_memory_twice": ("oom=9 ooms=3", {}, 1),
    "many_under_way": ("delay=100000", {"WALK_CASES": "many"}, 0),
    "indirect": ("delay=3", {"WALK_CASES": "indirect", "PASSPROBE_LEVEL": "draw", "PASSPROBE_INDIRECT": "1"}, 0),
    "limits": ("allocations=64", LIMITS, 0),
    "limits_full": ("allocations=16", LIMITS, 0),
    "limits_refused": ("largest=2000000", LIMITS, 0),
    "boundary_ext": ("", {"WALK_CASES": "boundaries"}, 0),
    "boundary_label": ("", {"WALK_CASES": "boundary label"}, 0),
    "boundary_marker": ("", {"WALK_CASES": "boundary marker"}, 0),
    "boundary_secondary": ("", {"WALK_CASES": "boundary secondary"}, 0),
    "boundary_queue": ("", {"WALK_CASES": "boundary queue"}, 0),
    "boundary_android": ("android", {"WALK_CASES": "boundary android"}, 0),
    "nested": ("delay=3", {"WALK_CASES": "nested", "PASSPROBE_LEVEL": "draw", "PASSPROBE_INDIRECT": "1"}, 0),
    "group": ("delay=3", {"WALK_CASES": "group"}, 0),
    "reuse": ("reuse delay=3", {}, 0),
    "protected": ("protected sparse", {}, 0),
    "video": ("families=4", {}, 0),
    "out_of_order": ("families=2 lag=20", {"WALK_CASES": "unwaited"}, 0),
    "thousand_frames": ("delay=1000", {"WALK_CASES": "thousand unwaited"}, 0),
    "app_queries": ("", {"WALK_CASES": "app queries"}, 0),
    "app_queries_draws": ("delay=3", {"WALK_CASES": "app queries", "PASSPROBE_LEVEL": "draw"}, 0),
    "resubmit": ("", {"WALK_CASES": "resubmit"}, 0),
    "resubmit_single": ("single", {"WALK_CASES": "resubmit"}, 0),
    "resubmit_draws": ("single", {"WALK_CASES": "resubmit", "PASSPROBE_LEVEL": "draw"}, 0),
    "crossed": ("behind=9", {"WALK_CASES": "crossed"}, 0),
    "crossed_draws": ("behind=9", {"WALK_CASES": "crossed", "PASSPROBE_LEVEL": "draw"}, 0),
    "in_flight": ("single delay=100", {"WALK_CASES": "in flight"}, 0),
    "in_flight_draws": ("single delay=100", {"WALK_CASES": "in flight", "PASSPROBE_LEVEL": "draw"}, 0),
    "views": ("", {"WALK_CASES": "views"}, 0),
    "views_draws": ("delay=3", {"WALK_CASES": "views", "PASSPROBE_LEVEL": "draw"}, 0),
    "device_group": ("", {"WALK_CASES": "device group"}, 0),
    "meets": ("", {"WALK_CASES": "meets", "PASSPROBE_EVENTS": "time"}, 0),
    "meets_draws": ("", {"WALK_CASES": "meets", "PASSPROBE_EVENTS": "time", "PASSPROBE_LEVEL": "draw"}, 0),
    "meets_frames": ("", {"WALK_CASES": "meets", "PASSPROBE_LEVEL": "frame"}, 0),
    "meets_counted": ("", {"WALK_CASES": "meets", "PASSPROBE_EVENTS": "time,pipeline"}, 0),
}
NO_STATISTICS = ("bits0", "no_statistics", "refused_feature")
# Each family has two queues here, so such buffers are measured by the submission.
BY_SUBMISSION = ("simultaneous", "between", "two queues")


def check_row(row, have_statistics, have_times):
    """Check one pass: which cells have values and which are empty."""
    if have_times != bool(row["gpu_time_ns"]):
        fail("%s: gpu_time_ns is %r" % (row["label"], row["gpu_time_ns"]))
    if have_times and not 0 < int(row["gpu_time_ns"]) < 1000000:
        fail("%s: gpu_time_ns is %s" % (row["label"], row["gpu_time_ns"]))
    if not have_statistics and any(v for k, v in row.items() if k.startswith("pipeline:")):
        fail("%s: statistics from nowhere" % row["label"])


def check_passes(lab, name):
    """Check all passes of the walk that this driver supports."""
    found, guarded = {}, 0
    for row in lab.rows("s", "passes"):
        on_transfers = row["queue"].startswith("transfer")
        is_protected = row["kind"] == "frame" and row["draws"] == "5"
        counted_only = on_transfers or row["queue"].startswith("other") or is_protected
        check_row(row, name not in NO_STATISTICS and row["kind"] != "frame", name != "bits0" and not counted_only)
        guarded += is_protected
        if row["label"] in BY_SUBMISSION or (row["kind"] == "frame" and row["label"] != "shared/both"):
            continue
        found.setdefault(row["label"], []).append(describe(row))
    equal(guarded, 2 if name == "protected" else 0, "protected submissions")
    more = {"bound": [("render", 1, 0, 0, 3, 0)]} if name == "protected" else {}
    for label, rows in {**EXPECT, **more}.items():
        if label in BY_SUBMISSION or label == "conditional":
            continue
        if label == "multiview":
            rows = [(kind, draws, 0, 0, 3, 0) for kind, draws, *_ in rows]  # the fake driver counts a draw once
        if label == "shared/both" and name == "bits0":  # without times there are no shares
            rows = [("compute", 0, 1, 0, None, None), ("transfer", 0, 0, 1, None, None)] * 2
        if name in NO_STATISTICS:
            rows = [row[:4] + (None, None) for row in rows]
        equal(found.get(label), rows, label)
    if name.startswith("families") or name in ("delay1000", "video"):
        transfers = 6 if name == "video" else 3
        equal(found.get(""), [("compute", 0, 1, 0, 0, 24)] * 3 + [("transfer", 0, 0, 1, 0, 0)] * transfers,
              "other families")
        text = lab.text("s")
        for reason in ("neither graphics nor compute", "two queues at once"):
            if reason not in text:
                fail("session.json does not say: " + reason)


TICK = 10  # nanoseconds of a command on the fake driver


def check_exact_times(lab):
    """Every command takes 10 ns, so each pass's time is known: its begin, draws, end, and passprobe's timestamp at its
    end. Commands between two passes (passprobe's timestamp at a begin, the application's barrier) belong to neither
    pass. The sum of all commands is the time in which the queue was busy."""
    passes = lab.rows("s", "passes")
    for row in passes:
        if row["kind"] == "render" and row["label"] in ("anew", "resubmitted", "threads", "between"):
            equal(int(row["gpu_time_ns"]), TICK * (int(row["draws"]) + 3), "time of a pass of " + row["label"])
    found = 0
    for frame in lab.rows("s", "frames"):
        mine = [row for row in passes if row["frame"] == frame["frame"]]
        busy = sum(int(row["gpu_time_ns"]) for row in mine)
        equal(int(frame["gpu_busy_ns"]), busy, "busy time of frame " + frame["frame"])
        equal(int(frame["gpu_wait_ns"]), int(frame["gpu_time_ns"]) - busy, "wait of frame " + frame["frame"])
        if {row["label"] for row in mine} == {"threads"}:
            bare = 40 * TICK * (1 + 1 + 40 + 1)  # barrier, begin, draws, end of 40 buffers
            ours = 40 * TICK * 2                 # two timestamps for each of them
            # The span leaves out the commands before the first pass: a barrier and passprobe's first timestamp.
            equal(int(frame["gpu_time_ns"]), bare + ours - 2 * TICK, "span of 40 passes")
            found += 1
    equal(found, 1, "frames of 40 passes")


# Two passes with a command between them: ticks of each pass, from its begin to passprobe's timestamp after it, and ticks
# from the begin of the first pass to the end of the last.
# On the fake driver events take no time.
APART = {"barrier": 1, "set event": 0, "wait event": 0, "app timestamp": 1}
MEETS = {"meets": {"nothing": ([4, 4], 8), "state": ([4, 4], 8), "dispatches": ([4, 3, 4], 11), "several draws": ([6, 4], 10),
                   **{label: ([4, 4], 9 + took) for label, took in APART.items()}},
         "meets_draws": {"nothing": ([6, 6], 12), "state": ([6, 6], 12), "dispatches": ([6, 4, 6], 16),
                         "several draws": ([10, 6], 16), **{label: ([6, 6], 13 + took) for label, took in APART.items()}},
         # A statistics query begins after the timestamp, and ends after the next one.
         "meets_counted": {"nothing": ([5, 5], 12), "state": ([5, 5], 12), "dispatches": ([5, 4, 5], 18),
                           "several draws": ([7, 5], 14), **{label: ([5, 5], 12 + took) for label, took in APART.items()}}}


def check_meets(lab, name):
    """Where a pass or a draw follows another and no command is between, one timestamp is the end of one and the begin of
    the other. Where a command is between, each has a timestamp, and the command belongs to neither."""
    passes, found = lab.rows("s", "passes"), {}
    for frame in lab.rows("s", "frames"):
        mine = [row for row in passes if row["frame"] == frame["frame"]]
        if mine:
            found[mine[0]["label"]] = ([int(row["gpu_time_ns"]) // TICK for row in mine], int(frame["gpu_time_ns"]) // TICK)
    equal(found, MEETS[name], "ticks of each pass, and from the first begin to the last end")
    if name == "meets_draws":
        equal({row["gpu_time_ns"] for row in lab.rows("s", "draws")}, {str(2 * TICK)}, "times of draws and dispatches")
        equal(len(lab.rows("s", "draws")), 7 * 2 + 2 + 4, "draws and dispatches")


def check_whole_frames(lab):
    """A frame lasts from its first command to passprobe's timestamp after its last one: nothing else of passprobe is in it."""
    ticks = [int(row["gpu_time_ns"]) // TICK for row in sorted(lab.rows("s", "frames"), key=lambda row: int(row["frame"]))]
    equal(ticks, [7, 7, 8, 7, 7, 8, 9, 9], "ticks of each frame")


def check_wraps(lab, walk):
    """A counter of 36 bits wraps after each command of some passes, one command in each run: all times stay the same.
    """
    for back in range(30):
        start = (1 << 36) - 20000 - TICK * back
        plays = "bits=36 start=%d" % start
        out = lab.run([walk], "s%d" % back, FAKE_VK=plays, WALK_CASES="varied", PASSPROBE_EVENTS="time")
        if "VIOLATION" in out or "passprobe: " in out:
            fail(out[:3000])
        rows = lab.rows("s%d" % back, "passes")
        equal(len(rows), 240, plays + ": passes")
        for row, frame in zip(rows, sorted(lab.rows("s%d" % back, "frames"), key=lambda frame: int(frame["frame"]))):
            want = str(TICK * (int(row["draws"]) + 3))
            equal((row["frame"], row["gpu_time_ns"]), (frame["frame"], want), plays + ": time of a pass")
            equal((frame["gpu_time_ns"], frame["gpu_busy_ns"]), (want, want), plays + ": times of its frame")


def check_many(lab, out):
    """Measured values are right, and all others are reported as missing."""
    equal(out.count("passprobe: "), 0, "lines of passprobe in:\n" + out)
    rows = [describe(row) for row in lab.rows("s", "passes") if row["gpu_time_ns"]]
    equal(set(rows), {("render", 1, 0, 0, 3, 0)}, "rows")
    equal(len(rows), 2 * 512, "submissions that were measured, of two rounds")
    equal(sum(int(frame["draws"]) for frame in lab.rows("s", "frames")), 2 * 700, "draws of all frames")
    if "more than 512 submissions were pending at once" not in lab.text("s"):
        fail("session.json does not say that some were not measured")


def check_unwaited(lab, name):
    """Many submissions that the application does not wait for: each is a complete frame; those that run at the same
    time are measured up to the limit."""
    count = 100 if name == "out_of_order" else 1500
    queues = 2 if name == "out_of_order" else 1
    frames = sorted(lab.rows("s", "frames"), key=lambda frame: int(frame["frame"]))
    rows = {label: [r for r in lab.rows("s", "passes") if r["label"] == label] for label in ("many", "second family")}
    timed = sum(1 for row in rows["many"] + rows["second family"] if row["gpu_time_ns"])
    if name == "out_of_order":
        equal([(f["draws"], f["dispatches"]) for f in frames], [("1", "0"), ("0", "1")] * count, "frames")
        equal([len(rows["many"]), len(rows["second family"]), timed], [count, count, queues * count], "passes, all, timed")
    elif not 512 <= timed <= count or timed != len(rows["many"]):
        fail("%d passes, %d with a time" % (len(rows["many"]), timed))
    equal(sum(int(frame["draws"]) for frame in frames), count, "draws of all frames")


def check_boundaries(lab, walk, name, out, plays, environment):
    """Frames of two submissions each, which the application marks: its marks end frames by default and with
    --frame-on=marker, and do not with other settings. These marks are no user markers."""
    # Before the first mark, submissions are frames.
    equal([int(f["draws"]) for f in lab.rows("s", "frames")], [1, 2] + [3] * 4, "draws of frames")
    for on, frames in (("marker", [3] * 5), ("submit", [1, 2] * 5)):
        again = lab.run([walk], on, FAKE_VK=plays, PASSPROBE_FRAME_ON=on, **environment)
        equal([int(f["draws"]) for f in lab.rows(on, "frames")], frames, "draws of frames on a " + on)
        equal(again, out, "what the driver saw")
    equal(json.loads(lab.text("s"))["marks"], [], "marks")
    equal(out.count("fake: a frame ends, image 1, semaphore 0"), 5 if name == "boundary_android" else 0, "calls passed on")


def check_crossed(lab, draws):
    """Every run of a command buffer on two queues has its own results, in the order of submission, in whatever order
    the runs end."""
    name = "pipeline:input_assembly_vertices"
    frames = sorted(lab.rows("s", "frames"), key=lambda frame: int(frame["frame"]))
    want, rows = [], lab.rows("s", "passes")
    for turn in range(24):
        want += [[("other queue", "3")], [("crossed", str(3 * (turn + 1)))] * 2]
    found = [[(r["label"], r[name]) for r in rows if r["frame"] == frame["frame"]] for frame in frames]
    equal(found, want, "passes of each frame")
    equal([row["label"] for row in rows if not row["gpu_time_ns"]], [], "passes without a time")
    queues = [row["queue"] for row in rows if row["label"] == "crossed"]
    equal([queues.count("graphics 0"), queues.count("graphics 1")], [16, 32], "queues")
    if draws:
        works = sorted(lab.rows("s", "draws"), key=lambda row: int(row["frame"]))  # the sort is stable
        equal([(r["label"], r[name]) for r in works], [row for frame in want for row in frame], "draws")


def check_in_flight(lab, draws):
    """Every run of a command buffer that runs several times at once has its own results, although no result is read
    before the last run."""
    for table in ("passes", "draws") if draws else ("passes",):
        rows = [row for row in lab.rows("s", table) if row["label"] == "in flight"]
        equal([row["pipeline:input_assembly_vertices"] for row in rows], [str(3 * i) for i in range(1, 9)], table)
        equal([row for row in rows if not row["gpu_time_ns"]], [], table + " without a time")


def check_left_alone(lab, walk, out, plays, environment):
    """A lost device gets only what the application gives it."""
    def since(text):
        return [line for line in text.splitlines() if line.startswith("fake: since the loss: ")]
    bare = since(lab.run([walk], FAKE_VK=plays, **environment))
    equal(len(bare), 1, "losses")
    if not bare[0].startswith("fake: since the loss: 10 submissions, 10 buffers, ") or bare[0].endswith(" 0 commands"):
        fail("the application's own: " + bare[0])
    equal(since(out), bare, "what came since the loss")
    equal(out.count("passprobe: "), 1, "lines about the loss in:\n" + out)


def check_views(lab, draws):
    """Secondary command buffers take as many queries as the render pass that they inherit has views: the driver reports
    one query too few."""
    equal([describe(row) for row in lab.rows("s", "passes")], [("render", 4, 0, 0, 15, 0)] * 3, "passes of views")
    equal([row for row in lab.rows("s", "passes") if not row["gpu_time_ns"]], [], "passes without a time")
    if draws:
        values = [row["pipeline:input_assembly_vertices"] for row in lab.rows("s", "draws")]
        equal(values, ["3", "3", "3", "6"] * 3, "draws of views")


def check_device_group(lab, out):
    """A group of devices is not measured, and one message says so."""
    equal(os.path.exists(lab.path("s")), False, "a session")
    equal(out.count("device groups are not profiled"), 1, "lines about it in:\n" + out)


def check_refused(lab, walk):
    """The driver refuses submissions, and the application may see the error and submit again: every pass has one row,
    with its counts, and nothing is missing where the application saw every error."""
    told, whole = 0, 0
    for level, firsts in ("pass", range(1, 34, 2)), ("draw", range(2, 34, 4)):
        for first in firsts:
            session = "%s-%u" % (level, first)
            out = lab.run([walk], session, FAKE_VK="oom=%u ooms=%u" % (first, 1 + first % 3), WALK_CASES="refused",
                          PASSPROBE_LEVEL=level)
            if "VIOLATION" in out or "passprobe: " in out:
                fail(out[:3000])
            rows = lab.rows(session, "passes")
            equal([row["draws"] for row in rows], [str(i) for i in range(1, 13)], session)
            values = [row["pipeline:input_assembly_vertices"] for row in rows]
            equal([v for i, v in enumerate(values) if v and v != str(3 * (i + 1))], [], session + ": vertices")
            refused = "walk: refused 0" not in out
            told += refused
            whole += refused and "" not in values
            if level == "draw":
                measured = sum(int(row["draws"]) for row in rows if row["kind"] == "render")
                equal(len(lab.rows(session, "draws")), measured, session + ": draws")
    if not told or not whole:
        fail("the application got the error %d times, and everything was measured %d times" % (told, whole))


LEFT_OUT = {"once": 1 + 4, "anew": 24 + 4, "ahead": 2 + 4, "far ahead": 24 + 5, "secondary": 24 + 4,
            "simultaneous": 60, "kept": 60, "turned": 24}


def check_frame_window(lab, walk):
    """--frames 40-42 of 60: command buffers that are recorded for one frame have queries in those frames and in the few
    before them, as soon as their use is known (eight recordings that ran once, in a ring of three), and in all frames
    of the window. Command buffers whose use is unknown always have queries. A command buffer that was taken for single
    use and is submitted again has only the frame's row, with the reason."""
    for how, queries in LEFT_OUT.items():
        out = lab.run([walk], how, FAKE_VK="single totals", WALK_CASES="frame window " + how, PASSPROBE_FRAMES="40-42")
        equal(int(out.split(" queries, ")[0].split()[-1]), queries, how + ": queries that ran")
        equal([row["level"] for row in lab.rows(how, "frames")], ["frame"] * 40 + ["pass"] * 3 + ["frame"] * 17, how)
        found = [(row["frame"],) + describe(row)[:2] + describe(row)[4:5] for row in lab.rows(how, "passes")]
        rows = [("render", n, 3 * n) for n in ((1, 1, 1) if how == "kept" else (41, 42, 43))]
        if how == "turned":
            rows = [("frame", 30, None)] * 3
        equal(found, [(str(40 + i),) + row for i, row in enumerate(rows)], how + ": passes")
        equal([row["frame"] for row in lab.rows(how, "frames") if not row["gpu_time_ns"]], [], how + ": no time")
        equal("recorded for a frame that --frames" in lab.text(how), how == "turned", how + ": the reason is given")
    for how in "once", "turned":
        out = lab.run([walk], "draws " + how, FAKE_VK="single totals", WALK_CASES="frame window " + how, PASSPROBE_LEVEL="draw",
                      PASSPROBE_SLOWER_THAN="100000")
        equal(int(out.split(" queries, ")[0].split()[-1]), 1 if how == "once" else 300, how + ": queries of slow frames")


BY_THEMSELVES = {"refused": check_refused, "wraps": check_wraps, "frame_window": check_frame_window}


def run_row(lab, name):
    """Run one row."""
    if name in BY_THEMSELVES:
        BY_THEMSELVES[name](lab, os.path.join(lab.build, "tests", "layer-walk"))
        return
    plays, environment, status = ROWS[name]
    walk = os.path.join(lab.build, "tests", "layer-walk")
    lab.run([walk], status=1 if name in ("out_of_memory", "lost_undisturbed") else status, FAKE_VK=plays)
    out = lab.run([walk], "s", status=status, FAKE_VK=plays, **environment)
    if "VIOLATION" in out:
        fail(out[:3000])
    if name == "out_of_memory_twice":
        return
    if name == "exact_times":
        check_exact_times(lab)
        return
    if name == "meets_frames":
        check_whole_frames(lab)
        return
    if name in MEETS:
        check_meets(lab, name)
        return
    if name == "nested":
        middle, inner = "primary/middle", "primary/middle/inner"
        want = [(middle, "30", "1"), (inner, "3", "1"), (inner, "3", "1"),
                (middle, "60", "1"), (inner, "6", "2"), (inner, "6", "2")]
        equal([(r["label"], r["vertices"], r["instances"]) for r in lab.rows("s", "draws")], want, "nested draws")
        equal([r["draws"] for r in lab.rows("s", "passes")], ["3", "3"], "draws of each pass")
        check_label_times(lab, "s")
        return
    if name == "indirect":
        check_indirect(lab, "s")
        return
    if name.startswith("boundary"):
        check_boundaries(lab, walk, name, out, plays, environment)
        return
    if name.startswith("limits"):
        # Two blocks hold 1024 of the smallest parts; command buffers of other cases keep 255 (in nine parts), 256 and
        # 4.
        few = {"limits_full": 1024 - 255 - 256 - 4, "limits_refused": 0}
        check_limits(lab, "s", few.get(name, BUFFERS), refused=name == "limits_refused")
        return
    if name == "group":
        check_group(lab, two_queues=True)
        return
    if name in ("app_queries", "app_queries_draws"):
        (check_own_draws if name == "app_queries_draws" else check_own)(lab, "s")
        return
    if name.startswith("resubmit"):
        check_again(lab, "s", two_queues=name == "resubmit", draws=name == "resubmit_draws")
        return
    if name.startswith("crossed"):
        check_crossed(lab, name == "crossed_draws")
        return
    if name.startswith("in_flight"):
        check_in_flight(lab, name == "in_flight_draws")
        return
    if name.startswith("views"):
        check_views(lab, name == "views_draws")
        return
    if name == "device_group":
        check_device_group(lab, out)
        return
    if name in ("out_of_order", "thousand_frames"):
        check_unwaited(lab, name)
        return
    if name == "many_under_way":
        check_many(lab, out)
        return
    if name == "lost_undisturbed":
        check_left_alone(lab, walk, out, plays, environment)
        return
    if name.startswith("lost"):
        equal(out.count("passprobe: "), 1, "lines about the loss in:\n" + out)
        if name != "lost_first":
            for row in lab.rows("s", "frames"):
                int(row["draws"])
        return
    equal(out.count("passprobe: "), 0, "lines of passprobe in:\n" + out)
    if environment.get("PASSPROBE_LEVEL") == "frame":
        for frame in lab.rows("s", "frames"):
            if not frame["gpu_time_ns"]:
                fail("frame %s has no time" % frame["frame"])
    elif name != "out_of_memory":
        check_passes(lab, name)
    if name == "draws":
        check_joined(lab, "s")
    if environment.get("PASSPROBE_LEVEL") != "frame" and name != "out_of_memory":
        check_label_times(lab, "s")
    if environment.get("PASSPROBE_LEVEL") == "draw":
        # Nothing is timed in command buffers that are measured by the submission, on transfer queues, and in a
        # secondary that runs twice in one submission.
        label = {(p["frame"], p["pass"]): p["label"] for p in lab.rows("s", "passes")}
        for draw in lab.rows("s", "draws"):
            passed = label[draw["frame"], draw["pass"]]
            if passed and passed not in BY_SUBMISSION + ("executed twice",) + TIMED_AS_A_WHOLE and not draw["gpu_time_ns"]:
                fail("no time of %s in %s" % (draw["call"], passed))
    dropped = json.loads(lab.text("s"))["dropped"]
    if dropped["times_not_landed"] or dropped["frames"]:
        fail(lab.text("s")[-1500:])


if __name__ == "__main__":
    main({"case_" + row: run_row for row in [*ROWS, *BY_THEMSELVES]}, LayerLab, lambda lab, row: (lab.fake_driver(), row))
