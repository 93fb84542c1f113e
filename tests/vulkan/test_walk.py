"""The walk under the layer: every pass has a row with exact counts, for every way to record and submit it; the
validation layer below or above reports nothing that it does not report without passprobe."""
import json
import os
import re
import subprocess

from harness import Skip, equal, fail, main, need_vulkan
from layer import VALIDATION, LayerLab, messages, need_validation
from walk_limits import check_limits

# label: rows of (kind, draws, dispatches, copies, input assembly vertices, compute invocations); None: must be empty
RENDER = "render"
EXPECT = {
    "transfer": [("transfer", 0, 0, 9, 0, 0)],
    "inherited": [(RENDER, 2, 0, 0, 6, 0)] * 2,
    "executed twice": [(RENDER, 2, 0, 0, None, None)],
    "primary": [(RENDER, 1, 0, 0, 3, 0), ("transfer", 0, 0, 1, 0, 0)],
    "primary/secondary": [("compute", 0, 1, 0, 0, 32), ("transfer", 0, 0, 1, 0, 0)],
    "across/open": [(RENDER, 1, 0, 0, 3, 0)] * 2,
    "across/more": [(RENDER, 2, 0, 0, 6, 0)] * 2,
    "across": [(RENDER, 3, 0, 0, 9, 0)] * 2,
    "behind": [(RENDER, 4, 0, 0, 12, 0)] * 2,
    "subpasses": [(RENDER, 2, 0, 0, 6, 0)],
    "suspended": [(RENDER, 6, 0, 0, 18, 0)] * 2,
    "multiview": [(RENDER, 1, 0, 0, 6, 0)],
    "inside": [(RENDER, 1, 0, 0, 3, 0), ("compute", 0, 2, 0, 0, 64)],
    "conditional": [(RENDER, 1, 0, 0, 0, 0)],
    "pushed": [("transfer", 0, 0, 1, 0, 0), (RENDER, 0, 0, 0, 0, 0), (RENDER, 0, 0, 0, 0, 0), (RENDER, 2, 0, 0, 6, 0)],
    "pushed to all": [("transfer", 0, 0, 1, 0, 0), (RENDER, 0, 0, 0, 0, 0), (RENDER, 0, 0, 0, 0, 0), (RENDER, 2, 0, 0, 6, 0)],
    "described": [("transfer", 0, 0, 1, 0, 0), (RENDER, 0, 0, 0, 0, 0), (RENDER, 1, 0, 0, 3, 0)],
    "cleared": [(RENDER, 0, 0, 0, 0, 0)],
    "resubmitted": [(RENDER, 1, 0, 0, 3, 0)] * 5,
    "simultaneous": [(RENDER, 2, 0, 0, 6, 0)] * 6,
    "between": [(RENDER, 1, 0, 0, 3, 0)],
    "anew": [(RENDER, n, 0, 0, 3 * n, 0) for n in (1, 2, 3, 4)],
    "timeline": [(RENDER, n, 0, 0, 3 * n, 0) for n in (1, 2)],
    "submit2": [(RENDER, n, 0, 0, 3 * n, 0) for n in (1, 2, 3)],
    "queue label": [(RENDER, 1, 0, 0, 3, 0)],
    "outer": [(RENDER, 1, 0, 0, 3, 0)] * 2,
    "outer/inner": [(RENDER, 1, 0, 0, 3, 0)],
    "shared": [(RENDER, 1, 0, 0, 3, 0)] * 2,
    "shared/plain": [("compute", 0, 1, 0, 0, 32)] * 2,
    "shared/one": [("compute", 0, 1, 0, None, None)] * 4,
    "shared/both": [("frame", 0, 1, 1, None, None)] * 2,
    "joined/buffer": [(RENDER, 2, 0, 0, 6, 0)] * 2,
    "joined/buffer/leaf": [("compute", 0, 1, 0, 0, 32)],
    "threads": [(RENDER, 40, 0, 0, 120, 0)] * 40,
}
# where a query would crash lavapipe
LAVAPIPE = {
    "pushed": [("transfer", 0, 0, 1, None, None)] + EXPECT["pushed"][1:],
    "pushed to all": [("transfer", 0, 0, 1, None, None)] + EXPECT["pushed to all"][1:],
    "described": [("transfer", 0, 0, 1, None, None)] + EXPECT["described"][1:],
}
LAVAPIPE_DRAWS = {label: rows[:-2] + [(RENDER, 0, 0, 0, None, None)] + rows[-1:] for label, rows in LAVAPIPE.items()}
LAVAPIPE_DRAWS["described"][-1] = (RENDER, 1, 0, 0, None, None)  # its clear has no counts
TIMED_AS_A_WHOLE = ("shared/one", "shared/both")
SUBMITS_WITH_WORK = 42
PIPELINES = 6


def cell(text):
    """A count, None if it is empty."""
    return int(text) if text else None


def describe(row):
    """A row in the form of EXPECT."""
    return (row["kind"], int(row["draws"]), int(row["dispatches"]), int(row["copies"]),
            cell(row["pipeline:input_assembly_vertices"]), cell(row["pipeline:compute_shader_invocations"]))


def check_passes(lab, session, level="pass"):
    """Every label has its rows, and every row has a time."""
    lavapipe = LAVAPIPE_DRAWS if level == "draw" else LAVAPIPE
    found = {}
    for row in lab.rows(session, "passes"):
        found.setdefault(row["label"], []).append(describe(row))
        if not row["gpu_time_ns"] or int(row["gpu_time_ns"]) <= 0:
            fail("%s: no time" % row["label"])
    for label, rows in {**EXPECT, **lavapipe}.items():
        equal(found.pop(label, []), rows, label)
    equal(found, {}, "labels beyond those")
    if "pipeline of secondary command buffers for simultaneous use" not in lab.text(session):
        fail("session.json does not say why some secondaries have no statistics")
    if "were bound before a pipeline" not in lab.text(session):
        fail("session.json does not say why some passes have no statistics")


def case_counts(lab, walk):
    """Level pass: all rows, and frames that are the sums of their passes."""
    lab.run([walk], "s")
    check_passes(lab, "s")
    check_coverage(lab, "s")
    frames = lab.rows("s", "frames")
    equal(len(frames), SUBMITS_WITH_WORK, "frames")
    equal(sum(int(f["draws"]) for f in frames),
          sum(row[1] for rows in EXPECT.values() for row in rows), "draws of all frames")
    made = [(int(f["pipelines_created"]), int(f["pipeline_create_ns"])) for f in frames]
    equal([count for count, _ in made], [PIPELINES] + [0] * (len(frames) - 1), "pipelines made")
    equal([ns > 0 for _, ns in made], [count > 0 for count, _ in made], "time of making them")
    passes = lab.rows("s", "passes")
    for frame in frames:
        mine = [p for p in passes if p["frame"] == frame["frame"]]
        for name in ("draws", "dispatches", "copies"):
            equal(sum(int(p[name]) for p in mine), int(frame[name]), "%s of frame %s" % (name, frame["frame"]))
        equal(len(mine), int(frame["passes"]), "passes of frame " + frame["frame"])
        if int(frame["gpu_busy_ns"]) > int(frame["gpu_time_ns"]):
            fail("frame %s: busy longer than its span" % frame["frame"])


def check_coverage(lab, session):
    """Where some passes and frames have no pipeline statistics, session.json and report have the numbers of those that
    have."""
    known = {table: [bool(row["pipeline:input_assembly_vertices"]) for row in lab.rows(session, table)]
             for table in ("passes", "frames")}
    want = {"passes": sum(known["passes"]), "of_passes": len(known["passes"]),
            "frames": sum(known["frames"]), "of_frames": len(known["frames"])}
    equal(json.loads(lab.text(session))["devices"][0]["statistics"], want, "statistics")
    text = lab.run([os.path.join(lab.build, "bin", "passprobe"), "report", "-v", lab.path(session)])
    line = "%d of %d passes have pipeline statistics" % (want["passes"], want["of_passes"])
    if not want["passes"] < want["of_passes"] or line not in re.sub(r"\n#? *", " ", text):
        fail("report -v does not say %r:\n%s" % (line, text[:1500]))


def check_joined(lab, session):
    """Labels of secondary command buffers are within those of the buffer that executes them, and these within those of
    the queue."""
    draws = [(r["label"], r["call"]) for r in lab.rows(session, "draws") if r["label"].startswith(("joined", "inherited/"))]
    leaf = "joined/buffer/leaf"
    equal(draws, [("inherited/inner", "vkCmdDraw")] * 4 + [(leaf, "vkCmdDispatch"), (leaf, "vkCmdDraw"),
          ("joined/buffer", "vkCmdDraw"), (leaf, "vkCmdDraw"), (leaf, "vkCmdDraw")], "joined labels, in order")


def label_times(lab, session):
    """Expected rows of labels.csv from the passes and draws of a session: frame, label -> inclusive, exclusive time. A
    pass counts as a whole for the regions around all of its actions; regions inside it have shares by action."""
    want = {}
    works = {}

    def put(frame, path, time, own):
        sums = want.setdefault((frame, "/".join(path)), [0, 0])
        for i in ((0, 1) if own == "both" else (1,) if own else (0,)):
            sums[i] = None if time is None or sums[i] is None else sums[i] + time

    fine = os.path.exists(os.path.join(lab.path(session), "draws.csv"))
    for row in lab.rows(session, "draws") if fine else []:
        works.setdefault((row["frame"], row["pass"]), []).append(row)
    for row in lab.rows(session, "passes"):
        mine = works.get((row["frame"], row["pass"]), [])
        paths = [part["label"].split("/") if part["label"] else [] for part in [row] + mine]
        whole = os.path.commonprefix(paths)
        alike = all(path == paths[0] for path in paths)
        for depth in range(1, len(whole) + 1):
            put(row["frame"], whole[:depth], cell(row["gpu_time_ns"]), "both" if alike and depth == len(whole) else False)
        for work, path in [] if alike else [(None, paths[0])] + list(zip(mine, paths[1:])):
            time = 0 if work is None else cell(work["gpu_time_ns"])
            for depth in range(len(whole) + 1, len(path) + 1):
                put(row["frame"], path[:depth], time, "both" if depth == len(path) else False)
            if path == whole and path:
                put(row["frame"], path, time, True)
    return want


def check_label_times(lab, session):
    """Inclusive and exclusive times of all labels."""
    found = {(r["frame"], r["label"]): [cell(r["gpu_inclusive_ns"]), cell(r["gpu_exclusive_ns"])]
             for r in lab.rows(session, "labels")}
    equal(found, label_times(lab, session), "times of labels")


def case_draws(lab, walk):
    """Level draw: counts of actions add up to the pass's counts, which are the same as at level pass."""
    lab.run([walk], "s", PASSPROBE_LEVEL="draw")
    check_passes(lab, "s", "draw")
    check_joined(lab, "s")
    check_label_times(lab, "s")
    draws = lab.rows("s", "draws")
    for row in lab.rows("s", "passes"):
        mine = [d for d in draws if (d["frame"], d["pass"]) == (row["frame"], row["pass"])]
        equal(sum(1 for d in mine if "Draw" in d["call"]), int(row["draws"]), "draws of " + row["label"])
        name = "pipeline:input_assembly_vertices"
        if row[name]:
            equal(sum(int(d[name]) for d in mine), int(row[name]), "vertices of " + row["label"])
    equal([(d["call"], d["pipeline:input_assembly_vertices"]) for d in draws if d["label"] == "described"][-2:],
          [("vkCmdClearAttachments", ""), ("vkCmdDraw", "3")], "a draw behind a clear that cannot be counted")
    calls = {d["call"] for d in draws}
    for call in ("vkCmdDraw", "vkCmdDrawIndirect", "vkCmdDispatch", "vkCmdDispatchIndirect", "vkCmdClearAttachments",
                 "vkCmdCopyBuffer", "vkCmdCopyImage", "vkCmdBlitImage", "vkCmdFillBuffer", "vkCmdUpdateBuffer",
                 "vkCmdCopyImageToBuffer", "vkCmdCopyBufferToImage", "vkCmdClearColorImage"):
        if call not in calls:
            fail("no row for " + call)
    for row in draws:
        if row["call"] == "vkCmdDraw":
            equal((row["vertices"], row["instances"]), ("3", "1"), "arguments of vkCmdDraw")
            if not row["pipeline"].startswith("graphics "):
                fail("a draw's pipeline: " + row["pipeline"])
            equal(row["gpu_time_ns"], "", "time of a draw in a pass, which lavapipe cannot tell")
        if row["call"] == "vkCmdClearAttachments":
            equal(row["pipeline"], "", "the pipeline of a clear")
        if row["call"] == "vkCmdDispatch" and bool(row["gpu_time_ns"]) == (row["label"] in TIMED_AS_A_WHOLE):
            fail("time of a dispatch: " + str(row))
        if "Indirect" in row["call"]:
            equal((row["vertices"], row["groups"]), ("", ""), "arguments of " + row["call"])
        if row["call"] == "vkCmdDispatch" and row["label"] == "inside":
            equal(row["groups"], "6", "groups of vkCmdDispatch")


    if "lavapipe processes a whole pass at once" not in lab.text("s"):
        fail("session.json does not say why draws have no time")
    lab.run([walk], "again", PASSPROBE_LEVEL="draw")
    named = [sorted((d["label"], d["call"], d["pipeline"]) for d in rows) for rows in (draws, lab.rows("again", "draws"))]
    equal([row for row in named[1] if row not in named[0]], [], "pipelines of a second run")
    equal(len(named[1]), len(named[0]), "draws of a second run")


def case_frames(lab, walk):
    """Level frame: every frame has its counts and times, and no pass is written."""
    lab.run([walk], "s", PASSPROBE_LEVEL="frame")
    frames = lab.rows("s", "frames")
    equal(len(frames), SUBMITS_WITH_WORK, "frames")
    equal(sum(int(f["draws"]) for f in frames),
          sum(row[1] for rows in EXPECT.values() for row in rows), "draws of all frames")
    for frame in frames:
        if not frame["gpu_time_ns"] or int(frame["gpu_time_ns"]) <= 0:
            fail("frame %s has no time" % frame["frame"])
    equal(len(lab.rows("s", "passes")), 0, "rows of passes.csv")


def case_labels(lab, walk):
    """Nested queue labels are regions of labels.csv; inserted labels are marks."""
    lab.run([walk], "s")
    check_label_times(lab, "s")
    rows = lab.rows("s", "labels")
    for label, depth, count in (("outer", "1", 3), ("outer/inner", "2", 1)):
        mine = [row for row in rows if row["label"] == label]
        equal([row["depth"] for row in mine], [depth] * count, "depths of " + label)
        for row in mine:
            equal((row["passes"], row["draws"], row["pipeline:input_assembly_vertices"]), ("1", "1", "3"), label)
            if not row["gpu_inclusive_ns"] or int(row["gpu_inclusive_ns"]) < int(row["gpu_exclusive_ns"]):
                fail("times of %s: %s" % (label, row))
    marks = sorted(mark["label"] for mark in json.loads(lab.text("s"))["marks"])
    equal(marks, ["mark of commands", "mark of queue"], "marks")


def case_boundaries(lab, walk):
    """VK_EXT_frame_boundary ends frames of two submissions each; with --frame-on=submit every submission is a frame."""
    lab.run([walk], "s", WALK_CASES="boundaries")
    # Before the first boundary, each submission is a frame.
    equal([int(f["draws"]) for f in lab.rows("s", "frames")], [1, 2] + [3] * 4, "draws of frames")
    lab.run([walk], "submit", WALK_CASES="boundaries", PASSPROBE_FRAME_ON="submit")
    equal([int(f["draws"]) for f in lab.rows("submit", "frames")], [1, 2] * 5, "draws of submissions")
    lab.run([walk], "marker", WALK_CASES="boundaries", PASSPROBE_FRAME_ON="marker")
    equal([int(f["draws"]) for f in lab.rows("marker", "frames")], [3] * 5, "draws between boundaries")


def case_two_devices(lab, walk):
    """Two instances and devices in one process, which alternate; then one of them after the other was destroyed."""
    lab.run([walk], "s", WALK_CASES="two devices")
    frames = lab.rows("s", "frames")
    surfaces = sorted({f["surface"] for f in frames})
    equal(len(surfaces), 2, "surfaces")
    labels = ("resubmitted", "simultaneous", "between", "anew", "timeline", "submit2", "queue label")
    for surface, rounds in zip(surfaces, (2, 3)):
        mine = {f["frame"] for f in frames if f["surface"] == surface}
        passes = [describe(p) for p in lab.rows("s", "passes") if p["frame"] in mine]
        equal(sorted(passes), sorted([row for label in labels for row in EXPECT[label]] * rounds), surface)


OWN = "pipeline of some passes and draws"


def check_own(lab, session):
    """Statistics are empty where the application's own query is active, also if it is active in a part of a pass; all
    other passes have them."""
    rows = lab.rows(session, "passes")
    mine = [describe(r) for r in rows if r["label"] == "app queries" and r["kind"] == RENDER]
    equal(mine, [(RENDER, 1, 0, 0, None, None), (RENDER, 3, 0, 0, None, None)], "passes with the application's queries")
    late = [describe(r) for r in rows if r["label"] == "late app queries"]
    equal(late, [(RENDER, 2, 0, 0, None, None)], "a pass with a query of a pool that was made in it")
    behind_queries = [describe(r) for r in rows if r["label"] == "next to app queries"]
    equal(behind_queries, [(RENDER, 2, 0, 0, 6, 0), ("compute", 0, 1, 0, 0, 32)], "passes in other threads")
    for row in rows:
        if not row["gpu_time_ns"]:
            fail("no time of %s" % row["kind"])
    if OWN not in lab.text(session) or "pipeline statistics query is active there" not in lab.text(session):
        fail("session.json gives no reason")


def check_own_draws(lab, session):
    """At level draw the draws before and after the application's query have statistics."""
    check_own(lab, session)
    draws = [r for r in lab.rows(session, "draws") if r["call"] == "vkCmdDraw"]
    equal([(r["label"], r["pipeline:input_assembly_vertices"]) for r in draws],
          [("late app queries", "3"), ("late app queries", "")] + [("app queries", count) for count in ("", "3", "", "3")] + [("next to app queries", "3")] * 2, "draws")


def case_app_queries(lab, walk):
    """The application's own statistics queries: their results are unchanged, passprobe's queries give way, and
    validation reports nothing."""
    env = {"layers": [VALIDATION], "WALK_CASES": "app queries"}
    equal(messages(lab.run([walk], "s", **env)), {}, "validation messages")
    check_own(lab, "s")
    equal(messages(lab.run([walk], "draws", PASSPROBE_LEVEL="draw", **env)), {}, "validation messages at level draw")
    check_own_draws(lab, "draws")


AGAIN = {"again": [3 * i for i in range(1, 7)], "again anew": [6], "turns": [3 * i for i in range(1, 21)],
         "again inside": [3 * i for i in range(1, 5)]}


def check_again(lab, session, two_queues=False, draws=False):
    """Every run of a command buffer has its own results, in order; a pass that one buffer may resume twice has none."""
    found, chains = {}, []
    for row in lab.rows(session, "passes"):
        if row["label"] in AGAIN or row["label"] == "at once":
            found.setdefault(row["label"], []).append(cell(row["pipeline:input_assembly_vertices"]))
            if not row["gpu_time_ns"]:
                fail("no time of " + row["label"])
        else:
            chains.append((row["kind"], int(row["draws"]), cell(row["pipeline:input_assembly_vertices"]),
                           bool(row["gpu_time_ns"])))
    equal(found.pop("at once", []), [3] * 400 if two_queues else [], "passes of two threads")
    equal(found, AGAIN, "vertices")
    # Where a command buffer for simultaneous use might run on two queues at once, the submission measures it.
    kind = "frame" if two_queues else RENDER
    equal(chains, [(kind, 8, None, True), (kind, 6, None, True)], "chains")
    if draws:
        for label, want in AGAIN.items():
            got = [cell(r["pipeline:input_assembly_vertices"]) for r in lab.rows(session, "draws")
                   if r["label"] == label]
            equal(got, want if label != "again anew" else [3, 3], "draws of " + label)
    if "simultaneous use" not in lab.text(session):
        fail("session.json does not say why the chain has no statistics")


def case_resubmit(lab, walk):
    """Command buffers are submitted again, or recorded anew as soon as a semaphore allows it, at levels pass and draw,
    with validation."""
    bare = messages(lab.run([walk], layers=[VALIDATION], WALK_CASES="resubmit"))
    for level in "pass", "draw":
        out = lab.run([walk], level, PASSPROBE_LEVEL=level, VK_INSTANCE_LAYERS=VALIDATION, WALK_CASES="resubmit")
        equal({k: n for k, n in messages(out).items() if n > bare.get(k, 0)}, {}, "new validation messages")
        check_again(lab, level, draws=level == "draw")


def case_by_host(lab, walk):
    """A submission waits for the host, and passprobe does not keep the host from going on: lavapipe's
    vkGetQueryPoolResults waits for everything that was submitted."""
    for cases in "by semaphore", "by event":
        lab.run([walk], WALK_CASES=cases)
        for level in "frame", "pass", "draw":
            lab.run([walk], "s", WALK_CASES=cases, PASSPROBE_LEVEL=level)
            if level != "frame":
                equal([describe(row) for row in lab.rows("s", "passes")],
                      [(RENDER, 1, 0, 0, 3, 0)] + [(RENDER, n, 0, 0, 3 * n, 0) for n in (2, 3)] * 4, "passes")
                equal([row["label"] for row in lab.rows("s", "passes") if not row["gpu_time_ns"]], [], "without times")


def check_group(lab, two_queues=False):
    """A batch with device masks is measured like any other, unless an unknown struct comes before them."""
    found = []
    for row in lab.rows("s", "passes"):
        whole = row["kind"] == "frame" and row["draws"] == "2"
        equal(bool(row["gpu_time_ns"]), row["kind"] != "frame" or whole, "time of a " + row["kind"])
        found.append((row["label"],) + describe(row))
    one, two = ("group", RENDER, 1, 0, 0, 3, 0), ("group", RENDER, 2, 0, 0, 6, 0)
    closed = ("", "frame", 1, 0, 0, None, None)
    # Where such a command buffer might run on another queue at the same time, the submission measures it.
    twice = [("", "frame", 2, 0, 0, None, None)] if two_queues else [("twice", RENDER, 1, 0, 0, 3, 0)] * 2
    equal(sorted(found, key=str), sorted([one, two] * 4 + [closed, two] + twice, key=str), "passes")
    if "device mask" not in lab.text("s"):
        fail("session.json gives no reason")


def case_group(lab, walk):
    """Device masks in a submission: each command buffer of passprobe has one, too; no query runs without a reset."""
    bare = messages(lab.run([walk], layers=[VALIDATION], WALK_CASES="group"))
    out = lab.run([walk], "s", VK_INSTANCE_LAYERS=VALIDATION, WALK_CASES="group")
    equal(messages(out), bare, "validation messages")
    check_group(lab)


def case_just_exit(lab, walk):
    """An application that waits for its own fences and then ends without destroying its device: nothing is missing."""
    lab.run([walk], "s", WALK_JUST_EXIT="1")
    check_passes(lab, "s")
    equal(len(lab.rows("s", "frames")), SUBMITS_WITH_WORK, "frames")


def case_gl_below(lab, walk):
    """OpenGL on Vulkan is measured once: by the OpenGL shim if it is loaded, else by the layer."""
    shim = os.path.join(lab.build, "lib", "libpassprobe-gl.so")
    if not os.path.exists(shim):
        raise Skip("the GL shim is not built here")
    with open(shim, "rb") as file:
        if b"libasan.so" in (data := file.read()) or b"libtsan.so" in data:
            raise Skip("a sanitizer's library cannot be preloaded")
    # the shim sees ANGLE that an application links to; it does not see ANGLE that the application opens by itself
    angle = lab.path("libEGL.so")
    with open(lab.path("egl.c"), "w", encoding="utf-8") as file:
        file.write("int eglInitialize(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", angle, lab.path("egl.c")], check=True)
    for engine, preload, measured in (("mesa zink", shim, False), ("ANGLE", f"{shim}:{angle}", False),
                                      ("ANGLE", shim, True), ("mesa zink", "", True), ("another", shim, True)):
        name = "s %s %d" % (engine, len(preload.split(":")) if preload else 0)
        lab.run([walk], name, WALK_ENGINE=engine, LD_PRELOAD=preload)
        equal(os.path.exists(lab.path(name)), measured, name)


INDIRECT = {
    "forms": [("3", "2", ""), ("3", "1", ""), ("12", "1", ""), ("6", "", ""), ("6", "1", ""), ("6", "1", ""),
              ("0", "0", "")],
    "written": [("", "", "4"), ("", "", "6")],
    "primary/inner": [(n, "1", "") for n in "336699"],
    "suspended": [("", "", ""), ("3", "2", "")],
    "same": [("3", "2", "")] * 2,
    "no source": [("", "", "")],
    "many": [("150", "1", "")] * 120,
}
INDIRECT_VERTICES = {"forms": [6, 3, 12, 9, 6, 6, 0], "many": [150] * 120, "same": [6] * 2, "no source": [3]}


def check_indirect(lab, session):
    """Arguments are those that the GPU read at that moment; where they must not be copied, cells are empty."""
    found = {}
    for row in lab.rows(session, "draws"):
        if "Draw" in row["call"] or "Dispatch" in row["call"]:
            found.setdefault(row["label"], []).append(row)
    for label, want in INDIRECT.items():
        equal([(r["vertices"], r["instances"], r["groups"]) for r in found.pop(label)], want, label)
    equal(found, {}, "more")
    for words in ("VK_BUFFER_USAGE_TRANSFER_SRC_BIT", "no command is allowed between the two"):
        if words not in lab.text(session):
            fail("session.json does not say: " + words)


def case_indirect(lab, walk):
    """--indirect, with validation below: copying is allowed, and the numbers equal the driver's own counts."""
    bare = messages(lab.run([walk], layers=[VALIDATION], WALK_CASES="indirect"))
    env = {"WALK_CASES": "indirect", "PASSPROBE_LEVEL": "draw"}
    out = lab.run([walk], "s", PASSPROBE_INDIRECT="1", VK_INSTANCE_LAYERS=VALIDATION, **env)
    equal({k: n for k, n in messages(out).items() if n > bare.get(k, 0)}, {}, "new validation messages")
    check_indirect(lab, "s")
    for label, want in INDIRECT_VERTICES.items():
        mine = [r for r in lab.rows("s", "draws") if r["label"] == label and "Draw" in r["call"]]
        equal([int(r["pipeline:input_assembly_vertices"]) for r in mine], want, "vertices drawn in " + label)
    lab.run([walk], "off", **env)
    for row in lab.rows("off", "draws"):
        if "Indirect" in row["call"]:
            equal((row["vertices"], row["instances"], row["groups"]), ("", "", ""), "without --indirect")


def case_limits(lab, walk):
    """--indirect with very many draws and command buffers, odd strides, counts, and secondaries that are used again."""
    bare = messages(lab.run([walk], layers=[VALIDATION], WALK_CASES="limits"))
    env = {"WALK_CASES": "limits", "PASSPROBE_LEVEL": "draw", "PASSPROBE_INDIRECT": "1"}
    out = lab.run([walk], "s", VK_INSTANCE_LAYERS=VALIDATION, **env)
    equal({k: n for k, n in messages(out).items() if n > bare.get(k, 0)}, {}, "new validation messages")
    check_limits(lab, "s")


def least_times(lab, walk, level, serialize):
    """Fractions of the time that the dispatch takes by itself, by (does the row include the dispatch?, kind, label, id)
    of passes, draws or frames."""
    env = {"PASSPROBE_LEVEL": level, "PASSPROBE_SERIALIZE": serialize, "WALK_CASES": "times"}
    out = lab.run([walk], "s", LP_NUM_THREADS="0", PASSPROBE_FRAME_ON="submit", **env)
    alone = int(re.search(r"^alone: (\d+) ns$", out, re.MULTILINE).group(1))
    times = {}
    # passes without a label or with two dispatches serve the application to find how long they take
    for row in lab.rows("s", "passes"):
        if row["label"]:
            key = row["kind"] == "compute", row["kind"], row["label"], row["pass_id"]
            times.setdefault(key, []).append(int(row["gpu_time_ns"]) / alone)
    for row in lab.rows("s", "draws") if level == "draw" else ():
        if row["label"] and row["gpu_time_ns"]:
            key = int(row["groups"] or 0) > 4, row["call"], row["label"], row["draw_id"]
            times.setdefault(key, []).append(int(row["gpu_time_ns"]) / alone)
    for row in lab.rows("s", "frames") if level == "frame" else ():
        if row["dispatches"] == "1":
            times.setdefault((True, "frame", "", ""), []).append(int(row["gpu_time_ns"]) / alone)
    least = {key: min(of) for key, of in times.items()}
    print("level %s, serialize %s: parts of %d ns: %s" % (level, serialize, alone, least))
    return least


def case_times(lab, walk):
    """A long dispatch has its time, and the passes before and after it have only their own, at all levels. These are
    least times, which other load hardly changes; noise gets three tries."""
    rows = {"frame": 1, "pass": 15, "draw": 15 + 14}
    for level, serialize in [(level, serialize) for level in ("frame", "pass", "draw") for serialize in ("0", "1")]:
        for left in 2, 1, 0:
            least = least_times(lab, walk, level, serialize)
            equal(len(least), rows[level], "kinds of passes and draws")
            if all((of > 0.25) == key[0] for key, of in least.items()):
                break
            if not left:
                fail("times are not those of the work: %s" % least)


def case_overlap(lab, _walk):
    """An application with two frames in flight waits in the driver, not in the layer: what it waited by its own clock is
    in cpu_sync_ns."""
    for level in ("pass", "draw"):
        out = lab.run([os.path.join(lab.build, "tests", "layer-overlap"), "100"], "s-" + level, PASSPROBE_LEVEL=level)
        waited = sum(int(line) for line in out.splitlines())
        known = sum(int(row["cpu_sync_ns"]) for row in lab.rows("s-" + level, "frames"))
        if not 0.75 * waited < known <= waited:
            fail("level %s: the application waited %d ns, cpu_sync_ns is %d ns" % (level, waited, known))


def case_off(lab, walk):
    """Profiling that cannot start: a bad option, an impossible directory, or switched off. At most one message, and
    nothing else."""
    bare = lab.run([walk])
    equal(lab.run([walk], "s", PASSPROBE_DISABLE="1"), bare, "output when disabled")
    for name, value in (("PASSPROBE_LEVEL", "bogus"), ("PASSPROBE_OUTPUT", "/proc/nowhere/at/all")):
        out = lab.run([walk], "s", **{name: value})
        lines = [line for line in out.splitlines() if line not in bare.splitlines()]
        equal(len(lines), 1, "lines about " + value)
        if "passprobe: " not in lines[0]:
            fail(lines[0])
    equal(os.path.exists(lab.path("s")), False, "a session")


def case_privileged(lab, walk):
    """A process with privileges runs as bare, also among other layers and below an OpenGL driver; no file, no message.
    """
    secure = os.path.join(lab.build, "tests", "libat_secure.so")
    with open(secure, "rb") as file:
        if b"libasan.so" in (data := file.read()) or b"libtsan.so" in data:
            raise Skip("a sanitizer's library cannot be preloaded")
    validation = [VALIDATION] if os.path.exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json") else []
    before = sorted(os.listdir(lab.scratch))
    for layers in ([], validation):
        for cases in ({}, {"WALK_CASES": "two devices"}, {"WALK_ENGINE": "mesa zink"}):
            bare = lab.run([walk], layers=layers, **cases)
            on = lab.run([walk], "s", layers=layers, LD_PRELOAD=secure, PASSPROBE_VERBOSE="1", **cases)
            equal(messages(on), messages(bare), "validation messages")
            if not layers:
                equal(on, bare, "output")
            out = lab.run([walk], "s", layers=layers, LD_PRELOAD=secure, PASSPROBE_NO_SUCH="1", **cases)
            equal("passprobe" in out, False, "a message")
    equal(sorted(os.listdir(lab.scratch)), before, "files")


def compare_validation(lab, walk, **environment):
    """No message that a bare run does not have, at any level. Synchronization validation is enabled: see
    tests/lib/layer.py."""
    bare = messages(lab.run([walk], layers=[VALIDATION]))
    for level in ("frame", "pass", "draw"):
        on = messages(lab.run([walk], "s" + level, PASSPROBE_LEVEL=level, **environment))
        for name, count in on.items():
            if count > bare.get(name, 0):
                fail("level %s: %s: %d times, bare %d" % (level, name, count, bare.get(name, 0)))


def case_below(lab, walk):
    """Validation below passprobe sees what passprobe adds."""
    compare_validation(lab, walk, VK_INSTANCE_LAYERS=VALIDATION)
    check_passes(lab, "spass")


def case_above(lab, walk):
    """Validation above passprobe: both are explicit layers, in the order in which the loader finds their manifests."""
    manifest = os.path.join(lab.build, "share/vulkan/implicit_layer.d")
    order = {"VK_LAYER_PATH": "/usr/share/vulkan/explicit_layer.d:" + manifest,
             "XDG_DATA_DIRS": "/usr/local/share:/usr/share",
             "VK_INSTANCE_LAYERS": VALIDATION + ":VK_LAYER_PASSPROBE_profile"}
    chain = lab.run([walk], "chain", VK_LOADER_DEBUG="layer", **order)
    chain = chain[chain.index("vkCreateDevice layer callstack"):]
    if not 0 < chain.find(VALIDATION) < chain.find("VK_LAYER_PASSPROBE_profile"):
        fail("the loader put validation below passprobe:\n" + chain[:1000])
    compare_validation(lab, walk, **order)
    check_passes(lab, "spass")


VALIDATED = ("app_queries", "group", "below", "above", "indirect", "limits", "resubmit")


def arguments(lab, case):
    need_vulkan()
    if case in VALIDATED:
        need_validation()
    return lab, os.path.join(lab.build, "tests", "layer-walk")


if __name__ == "__main__":
    main(globals(), LayerLab, arguments)
