"""Every cell of the samples' passes and frames has exactly the expected value, where a value can be expected."""
import os

from harness import STATISTICS, Skip, attachments, equal, main, need_vulkan, number, true

FRAMES = 12
SWIFTSHADER = "/usr/lib/chromium/vk_swiftshader_icd.json"


def counts(row, suffix=""):
    """The pipeline statistics of a row, empty cells as None."""
    return {name: int(row["pipeline:" + name]) if row.get("pipeline:" + name) else None for name in STATISTICS}


def check_pass(row, want, statistics):
    """Compare one pass with what the sample expects."""
    where = f"frame {row['frame']} pass {row['pass']} ({want['name']})"
    equal(row["kind"], want["kind"], f"{where}: kind")
    for column in "draws", "dispatches", "copies":
        equal(number(row, column), want[column], f"{where}: {column}")
    if want["kind"] == "render":
        size = [number(row, column) for column in ("width", "height", "layers", "samples")]
        equal(size, [want["width"], want["height"], 1, 1], f"{where}: size")
        equal(attachments(row["attachments"]), want["attachments"], f"{where}: attachments")
    equal(row["label"], want["label"], f"{where}: label")
    true(row["name"], f"{where}: has a name")
    true(row["pass_id"], f"{where}: has a pass_id")
    if statistics:
        equal(counts(row), want["counts"], f"{where}: statistics")
    else:
        equal(set(counts(row).values()), {None}, f"{where}: no statistics, so cells are empty")
    true(number(row, "gpu_time_ns") > 0, f"{where}: took time")


def check_frame(row, passes, want, statistics):
    """Compare a frame's row with its passes' rows: sums, and times that enclose each other."""
    where = f"frame {row['frame']}"
    equal(number(row, "passes"), len(passes), f"{where}: passes")
    for column in "draws", "dispatches", "copies":
        equal(number(row, column), sum(number(it, column) for it in passes), f"{where}: sum of {column}")
    for name in STATISTICS if statistics else ():
        total = sum(want[i]["counts"][name] for i in range(len(want)))
        equal(counts(row)[name], total, f"{where}: sum of {name}")
    start, length, busy = (number(row, column) for column in ("gpu_start_ns", "gpu_time_ns", "gpu_busy_ns"))
    spans = sorted((number(it, "gpu_start_ns"), number(it, "gpu_start_ns") + number(it, "gpu_time_ns"))
                   for it in passes)
    equal(start, spans[0][0], f"{where}: the GPU starts with the first pass")
    equal(start + length, max(end for _, end in spans), f"{where}: and ends with the last one")
    union, until = 0, 0
    for begin, end in spans:
        union += max(0, end - max(begin, until))
        until = max(until, end)
    equal(busy, union, f"{where}: busy while a pass ran")
    equal(length, number(row, "gpu_busy_ns") + number(row, "gpu_wait_ns"), f"{where}: time = busy + wait")
    equal(number(row, "frame_time_ns"), number(row, "cpu_busy_ns") + number(row, "cpu_wait_ns"),
          f"{where}: frame time = busy + wait")
    latency = start - number(row, "cpu_start_ns")
    equal(row["gpu_latency_ns"], str(latency) if latency >= 0 else "", f"{where}: latency")
    true(row["bound_by"] in ("cpu", "gpu", "present", "sync", "sleep"), f"{where}: bound by {row['bound_by']!r}")


def check_order(frames):
    """Frame numbers count up from 0; frames follow each other on the CPU without gaps."""
    equal([int(row["frame"]) for row in frames], list(range(len(frames))), "frame numbers")
    for before, after in zip(frames, frames[1:]):
        equal(number(after, "cpu_start_ns"), number(before, "cpu_start_ns") + number(before, "frame_time_ns"),
              f"frame {after['frame']} starts where the one before ended")


def take_uploads(passes, uploads):
    """Remove the pass that uploads from the first frame's passes; this pass must be exact, too."""
    if not uploads:
        return passes
    first = passes[0]
    equal([first["kind"], number(first, "draws"), number(first, "dispatches"), number(first, "copies")],
          ["transfer", 0, 0, uploads], "uploads before the first frame")
    return passes[1:]


def check_ids(session):
    """A pass has the same id in all frames, and no other pass has this id. Uploads, which are transfers too, come first
    in the first frame."""
    ids = {}
    for row in session.passes:
        if row["frame"] != "0":
            ids.setdefault(row["pass"], set()).add(row["pass_id"])
    for place, found in ids.items():
        equal(len(found), 1, f"ids of pass {place}")
    equal(len(set().union(*ids.values())), len(ids), "different passes have different ids")
    return [ids[place] for place in sorted(ids, key=int)]


def exact(lab, which, *words, statistics=True, options=(), **env):
    """Record a sample and check everything in the session. Returns the ids of its passes."""
    words = ["--frames", str(FRAMES), *words]
    want = lab.expect(which, *words)
    lab.run(lab.record("--level", "pass", "-e", "time,pipeline", *options) + lab.sample(which, *words), **env)
    session = lab.session()
    equal(len(session.frames), FRAMES, "frames")
    check_order(session.frames)
    for row in session.frames:
        every = session.passes_of(row["frame"])
        passes = take_uploads(every, want["uploads"] if row["frame"] == "0" else 0)
        equal((row["api"], row["level"]), (want["api"], "pass"), f"frame {row['frame']}: api, level")
        equal(len(passes), len(want["passes"]), f"frame {row['frame']}: passes")
        equal([it["pass"] for it in every], [str(i) for i in range(len(every))], "numbers of passes")
        for it, expected in zip(passes, want["passes"]):
            check_pass(it, expected, statistics)
        check_frame(row, every, want["passes"], statistics)
    equal(len(session.passes), FRAMES * len(want["passes"]) + bool(want["uploads"]), "no pass outside the frames")
    equal(session.lost(), {}, "nothing was lost")
    return check_ids(session)


def case_gl(lab):
    """OpenGL: two sizes; ids are the same in the next run."""
    first = exact(lab, "gl")
    equal(exact(lab, "gl"), first, "ids from run to run")
    exact(lab, "gl", "--size", "640x384")


def case_gl_labels(lab):
    """Debug groups become labels."""
    exact(lab, "gl", "--labels")


def annotated(session, frames):
    """The values that samples/annotated.c sets, in frames.csv: unchanged, and empty before the first call."""
    names = ("frame squared", "tenths", "passes begun", 'late, "quoted"')
    equal([name for name in session.frames[0] if name.startswith("app:")], ["app:" + name for name in names],
          "columns, in the order of their first calls")
    equal(list(session.frames[0])[-len(names):], ["app:" + name for name in names], "they are the last")
    for row in session.frames:
        i = int(row["frame"])
        got = [float(row["app:" + name]) if row["app:" + name] else None for name in names]
        equal(got, [i * i, i / 10, 5, -0.5 if i >= 5 else None], f"frame {i}: user counters")
    equal(len(session.frames), frames, "frames")
    equal([mark["label"].split("/")[-1] for mark in session.json["marks"]], ["first frame"], "marks")
    for mark in session.json["marks"]:
        inside = [int(row["frame"]) for row in session.frames if
                  0 <= mark["at_ns"] - int(row["cpu_start_ns"]) < int(row["frame_time_ns"])]
        equal([mark["frame"]], inside, "the frame of a mark")
    equal(os.path.exists(os.path.join(session.path, "frames.csv.new")), False, "a leftover file")


def annotate(lab, which, *words, options=()):
    """The annotate API in a sample: regions and counters. The output is the same as without passprobe; the summary has
    the counters."""
    words = ["--frames", str(FRAMES), "--annotate", *words]
    lab.run(lab.record("-e", "time", *options) + lab.sample(which, *words))
    session = lab.session()
    annotated(session, FRAMES)
    names = [it["name"] for it in lab.expect(which, *words)["passes"]]
    for row in session.frames[1:]:
        parity = "odd frame" if int(row["frame"]) % 2 else "even frame"
        equal([it["label"] for it in session.passes_of(row["frame"])], [f"{parity}/{name}" for name in names],
              f"frame {row['frame']}: regions")
    bare = lab.run(lab.sample(which, *words))
    plain = lab.run(lab.sample(which, *(word for word in words if word != "--annotate")))
    equal((bare.stdout, bare.stderr), (plain.stdout, plain.stderr), "what it says where passprobe is not")
    done = lab.run([lab.passprobe, "stat", "-o", lab.path("stat"), "-e", "time", *options, "--",
                    *lab.sample(which, *words)])
    # figures leave out the first frame; a counter begins at the frame of its first call
    squares = sum(i * i for i in range(1, FRAMES)) / (FRAMES - 1)
    for name, mean, few in (("passes begun", 5, ""), ("frame squared", squares, ""),
                            ('late, "quoted"', -0.5, f"  of {FRAMES - 5} frames")):
        line = [it for it in done.stderr.splitlines() if it.endswith("app:" + name + few)]
        equal(len(line), 1, f"lines of the summary for {name}: {done.stderr}")
        equal(float(line[0].split()[0]), mean, f"{name}: mean a frame")


def case_gl_annotate(lab):
    """Counters where presents end frames; a name that comes late makes frames.csv wider."""
    annotate(lab, "gl")


def case_gl_annotate_marks(lab):
    """pp_frame_end() ends frames. OpenGL sees the end at the next action: the counters are those of the call, although
    the application has already set the next frame's."""
    words = ["--frames", str(FRAMES), "--annotate", "--surfaceless"]
    lab.run(lab.record("-e", "time", "--frame-on", "marker") + lab.sample("gl", *words))
    session = lab.session()
    annotated(session, FRAMES)
    equal(session.json["counts"]["frame_marks"], FRAMES, "marks")
    said = lab.run(lab.record("-e", "time", "--frame-on", "present") + lab.sample("gl", *words)).stderr
    true("It marks its frames itself (pp_frame_end())" in said, "the message where presents should end frames: " + said)


def case_vk_annotate(lab):
    """Counters where submissions end frames."""
    need_vulkan()
    annotate(lab, "vk", "--rerecord", options=["--frame-on", "submit"])


def case_gl_surfaceless(lab):
    """Without a surface glFinish ends the frame, with --frame-on=finish."""
    exact(lab, "gl", "--surfaceless", options=["--frame-on", "finish"])


def case_gles(lab):
    """GLES has timestamps and no statistics."""
    exact(lab, "gl", "--es", "--labels", statistics=False)


def case_vk(lab):
    """Vulkan: command buffers recorded once and submitted many times."""
    need_vulkan()
    first = exact(lab, "vk")
    equal(exact(lab, "vk"), first, "ids from run to run")
    exact(lab, "vk", "--size", "640x384")


def case_vk_rerecord(lab):
    """Command buffers are recorded anew for each frame."""
    need_vulkan()
    exact(lab, "vk", "--rerecord", "--labels")


def case_vk_renderpass2(lab):
    """vkCmdBeginRenderPass2."""
    need_vulkan()
    exact(lab, "vk", "--renderpass", "2", "--labels")


def case_vk_dynamic(lab):
    """Dynamic rendering and vkQueueSubmit2."""
    need_vulkan()
    exact(lab, "vk", "--renderpass", "dynamic", "--labels")


def case_vk_swiftshader(lab):
    """SwiftShader has no statistics and no calibrated timestamps."""
    if not os.path.exists(SWIFTSHADER):
        raise Skip("SwiftShader (Debian's chromium-common) is not installed")
    exact(lab, "vk", "--labels", statistics=False, VK_ICD_FILENAMES=SWIFTSHADER)
    exact(lab, "vk", "--renderpass", "2", "--rerecord", statistics=False, VK_ICD_FILENAMES=SWIFTSHADER)


def frame_level(lab, which, *options):
    """Level frame: one bracket around all actions; the frame's sums are the same as at level pass."""
    expected = lab.expect(which, "--frames", str(FRAMES))
    want = expected["passes"]
    lab.run(lab.record("--level", "frame", "-e", "time,pipeline", *options)
            + lab.sample(which, "--frames", str(FRAMES)))
    session = lab.session()
    equal(len(session.frames), FRAMES, "frames")
    check_order(session.frames)
    for row in session.frames:
        where = f"frame {row['frame']}"
        equal(row["level"], "frame", f"{where}: level")
        for column in "draws", "dispatches", "copies":
            more = expected["uploads"] if column == "copies" and row["frame"] == "0" else 0
            equal(number(row, column), sum(it[column] for it in want) + more, f"{where}: {column}")
        total = {name: sum(it["counts"][name] for it in want) for name in STATISTICS}
        if any(it["event"] == "pipeline" for it in session.json["devices"][0]["events_missing"]):
            total = dict.fromkeys(STATISTICS)
        equal(counts(row), total, f"{where}: statistics, or empty cells and a reason")
        true(number(row, "gpu_time_ns") > 0, f"{where}: took time")
    equal(session.lost(), {}, "nothing was lost")


def case_gl_frame(lab):
    """OpenGL at level frame."""
    frame_level(lab, "gl")


def case_vk_frame(lab):
    """Vulkan at level frame."""
    need_vulkan()
    frame_level(lab, "vk")


def case_vk_secondary(lab):
    """A pass from a secondary command buffer: its draws are counted. Its statistics are right, or empty where the
    driver cannot inherit queries (lavapipe)."""
    need_vulkan()
    words = ["--frames", str(FRAMES), "--secondary"]
    want = lab.expect("vk", *words)["passes"]
    for way in "1", "2", "dynamic":
        lab.run(lab.record("-e", "time,pipeline") + lab.sample("vk", "--renderpass", way, *words))
        session = lab.session()
        equal(len(session.frames), FRAMES, "frames")
        for row in session.frames:
            for it, expected in zip(session.passes_of(row["frame"]), want):
                has = counts(it)
                if expected["name"] == "scene" and set(has.values()) == {None}:
                    equal(set(counts(row).values()), {None}, "a sum with a part missing is missing")
                    expected = {**expected, "counts": has}
                check_pass(it, expected, True)


def window(lab, which):
    """--frames 3-5 and --every: frames outside the window are at level frame or have no bracket, and all frames have
    rows."""
    want = lab.expect(which, "--frames", str(FRAMES))["passes"]
    lab.run(lab.record("--level", "pass", "-e", "time,pipeline", "--frames", "3-8", "--every", "2")
            + lab.sample(which, "--frames", str(FRAMES)))
    session = lab.session()
    equal(len(session.frames), FRAMES, "frames")
    for row in session.frames:
        inside = int(row["frame"]) in (3, 5, 7)
        equal(row["level"], "pass" if inside else "frame", f"frame {row['frame']}: level")
        passes = session.passes_of(row["frame"])
        if inside:
            for it, expected in zip(passes, want):
                check_pass(it, expected, True)
            equal(len(passes), len(want), f"frame {row['frame']}: passes")
        equal(number(row, "draws"), sum(it["draws"] for it in want), f"frame {row['frame']}: draws")


def case_gl_window(lab):
    """A window of frames in OpenGL."""
    window(lab, "gl")


def case_vk_window(lab):
    """A window of frames in Vulkan, with command buffers recorded before it opens."""
    need_vulkan()
    window(lab, "vk")


def own_queries(lab, which):
    """An application that has statistics queries active keeps them; its timestamps do not disturb."""
    want = lab.expect(which, "--frames", str(FRAMES))["passes"]
    bare = lab.run(lab.sample(which, "--frames", str(FRAMES), "--query"))
    done = lab.run(lab.record("-e", "time,pipeline") + lab.sample(which, "--frames", str(FRAMES), "--query"))
    equal(done.stdout, bare.stdout, "the application's own results")
    session = lab.session()
    equal(len(session.frames), FRAMES, "frames")
    for row in session.frames:
        for it, expected in zip(session.passes_of(row["frame"]), want):
            has = counts(it)
            for name, value in has.items():
                true(value in (None, expected["counts"][name]), f"{name} of {expected['name']}: {value}")


def case_gl_app_queries(lab):
    """OpenGL allows one active query of each kind."""
    own_queries(lab, "gl")


def case_vk_app_queries(lab):
    """Vulkan allows one active query of each kind."""
    need_vulkan()
    own_queries(lab, "vk")


main(globals())
