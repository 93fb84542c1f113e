"""Several windows on one device: each has its own frames, and every submission counts for the right window."""
import os
import shutil

from harness import LAVAPIPE, XVFB, Skip, equal, fail, main
from layer import VALIDATION, LayerLab, messages

FRAMES = 6


def run(lab, case, x11, **more):
    """Run the application under the layer; its output is the same as bare."""
    program = [os.path.join(lab.build, "tests", "layer-windows"), case]
    if x11:
        if not os.path.exists(LAVAPIPE) or shutil.which("Xvfb") is None:
            raise Skip("lavapipe or Xvfb is not installed")
        lab.driver = LAVAPIPE
        more = {**more, "WINDOWS_X11": "1"}
        program = [XVFB] + program
    else:
        lab.driver = os.path.join(lab.build, "tests", "fake-vulkan.json")
    validation = os.path.exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
    below = {"VK_INSTANCE_LAYERS": VALIDATION} if x11 and validation and case != "late" else {}
    before = lab.run(program, **below, **more)
    bare = messages(before)
    out = lab.run(program, "s", **below, **more)
    if not below:
        equal(out, before, "output")
    if "VIOLATION" in out or "passprobe: " in out:
        fail(out[:3000])
    equal({k: n for k, n in messages(out).items() if n > bare.get(k, 0)}, {}, "new validation messages")
    return out


def frames_by(lab):
    """Surface -> labels of each of its frames, in order, sorted within a frame."""
    labels = {}
    for row in lab.rows("s", "passes"):
        labels.setdefault(row["frame"], []).append(row["label"])
    found = {}
    for frame in sorted(lab.rows("s", "frames"), key=lambda row: int(row["frame"])):
        found.setdefault(frame["surface"], []).append(sorted(labels.pop(frame["frame"], [])))
    equal(labels, {}, "passes of no frame")
    return found


def check_times(lab):
    """Frames of a window follow each other without gaps and without overlap."""
    end = {}
    for row in sorted(lab.rows("s", "frames"), key=lambda r: int(r["frame"])):
        start = int(row["cpu_start_ns"])
        if row["surface"] in end:
            equal(start, end[row["surface"]], "start of frame %s of %s" % (row["frame"], row["surface"]))
        end[row["surface"]] = start + int(row["frame_time_ns"])


def one(number, passes):
    """Labels of one frame of a window."""
    return sorted(["before %d" % number] + ["window %d" % number] * passes)


def case_alternate(lab, x11):
    """Two windows alternate: a submission before the image is acquired counts for its window, too."""
    run(lab, "alternate", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * FRAMES, "window 2": [one(1, 2)] * FRAMES}, "frames")
    check_times(lab)


def case_transfer(lab, x11):
    """No render pass names a window's image: the semaphore of its acquisition shows the window."""
    run(lab, "transfer", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * FRAMES, "window 2": [one(1, 1)] * FRAMES}, "frames")


def case_one_present(lab, x11):
    """One submission and one present for both windows: each command buffer counts for the window to which it renders.
    """
    run(lab, "together", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * FRAMES, "window 2": [["window 1"] * 2] * FRAMES}, "frames")
    check_times(lab)


def case_threads(lab, x11):
    """One thread for each window."""
    run(lab, "threads", x11)
    found = sorted(frames_by(lab).values(), key=lambda frames: frames[0])
    equal(found, [[one(0, 1)] * FRAMES, [one(1, 2)] * FRAMES], "frames")


def case_reopened(lab, x11):
    """A window that is closed is gone; one that is opened afterwards is another."""
    run(lab, "reopened", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * 2 * FRAMES, "window 2": [one(1, 2)] * FRAMES,
                           "window 3": [one(1, 2)] * FRAMES}, "frames")
    check_times(lab)


def run_reused(lab, case, x11):
    """On a driver that reuses freed handles; the fake driver always does."""
    out = run(lab, case, x11, FAKE_VK="reuse", WINDOWS_REUSED="1")
    if not x11 and "reused: 1" not in out:
        fail("no handle came again: " + out)


def sizes_by(lab):
    """Surface -> sizes of its render passes, in order."""
    surface = {row["frame"]: row["surface"] for row in lab.rows("s", "frames")}
    found = {}
    for row in sorted(lab.rows("s", "passes"), key=lambda row: int(row["frame"])):
        if row["kind"] == "render":
            found.setdefault(surface[row["frame"]], []).append((int(row["width"]), int(row["height"])))
    return found


def case_resized(lab, x11):
    """Windows are resized, by a new swapchain and from the old swapchain: passes have the new size, and frames keep
    their window."""
    run_reused(lab, "resized", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * 5 * FRAMES, "window 2": [one(1, 2)] * 5 * FRAMES}, "frames")
    equal(sizes_by(lab),
          {"window 1": ([(64, 64)] * FRAMES + [(80, 80)] * FRAMES) * 2 + [(64, 64)] * FRAMES,
           "window 2": ([(96, 96)] * 2 * FRAMES + [(128, 128)] * 2 * FRAMES) * 2 + [(96, 96)] * 2 * FRAMES}, "sizes")
    check_times(lab)


def case_recreated(lab, x11):
    """Swapchains are made again with each other's handles; a window without a swapchain has no actions."""
    run_reused(lab, "recreated", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * 5 * FRAMES, "window 2": [one(1, 2)] * 4 * FRAMES}, "frames")
    check_times(lab)


def check_another(lab, x11, gone):
    """The window that stays keeps its series, also when it is resized; the new window has a series of its own, which
    begins with it."""
    run_reused(lab, ("first", "second")[gone], x11)
    names = ["window 1", "window 2"]
    kept, passes = names[1 - gone], 2 - gone
    equal(frames_by(lab), {names[gone]: [one(gone, gone + 1)] * FRAMES, kept: [one(1 - gone, passes)] * 4 * FRAMES,
                           "window 3": [one(gone, gone + 1)] * FRAMES}, "frames")
    check_times(lab)
    sizes = [(64, 64), (96, 96)][1 - gone], [(80, 80), (128, 128)][1 - gone]
    equal(sizes_by(lab)[kept], [sizes[0]] * 2 * FRAMES * passes + [sizes[1]] * 2 * FRAMES * passes, "sizes")
    rows = {name: [row for row in lab.rows("s", "frames") if row["surface"] == name] for name in (kept, "window 3")}
    begin = min(int(row["cpu_start_ns"]) for row in rows["window 3"])
    ends = sorted(int(row["cpu_start_ns"]) + int(row["frame_time_ns"]) for row in rows[kept])
    if begin < ends[3 * FRAMES - 1]:
        fail("a new window's first frame began before there was the window")


def case_first_closes(lab, x11):
    """The first window is closed."""
    check_another(lab, x11, 0)


def case_second_closes(lab, x11):
    """The second window is closed."""
    check_another(lab, x11, 1)


def case_submit(lab, x11):
    """--frame-on=submit: windows do not end frames."""
    run(lab, "transfer", x11, PASSPROBE_FRAME_ON="submit")
    frames = frames_by(lab)
    equal({name: len(rows) for name, rows in frames.items()}, {"window 1": 4 * FRAMES}, "frames")


def case_never_presents(lab, x11):
    """A device that could present and never does, with 256 submissions or more: each submission is a frame, and nothing
    is missing."""
    run(lab, "never", x11)
    frames = lab.rows("s", "frames")
    equal([int(f["copies"]) for f in frames], [1] * 300, "copies of frames")


def case_seldom(lab, x11):
    """A device that could present and never does, with 5 submissions: they are frames, because nothing else ends one.
    """
    run(lab, "seldom", x11)
    equal([int(f["copies"]) for f in lab.rows("s", "frames")], [1] * 5, "copies of frames")


def case_loads_before_windows(lab, x11):
    """300 submissions before the first window: the frame of the first present has them all."""
    run(lab, "loads", x11)
    frames = lab.rows("s", "frames")
    equal({f["surface"] for f in frames}, {"window 1"}, "surfaces")
    equal(len(frames), FRAMES, "as many as presents")
    copies = [int(f["copies"]) for f in frames]
    equal((copies[0] >= 300, max(copies[1:]) <= 1), (True, True), f"copies of frames: {copies}")


def case_debug_marker(lab, x11):
    """Labels of VK_EXT_debug_marker; a command that the registry lacks reaches the driver unchanged."""
    out = run(lab, "old", x11, PASSPROBE_FRAME_ON="submit")
    equal([(r["label"], r["copies"]) for r in lab.rows("s", "passes")], [("outer/old", "1"), ("outer", "1")], "passes")
    if '"old mark"' not in lab.text("s"):
        fail("no mark")
    equal([line for line in out.splitlines() if ":" in line], ["newer: 42", "unknown: 0"], "commands by name")


def case_command_not_enabled(lab, x11):
    """A command of an extension that was not enabled, which the loader gives out, works as without passprobe."""
    out = run(lab, "late", x11)
    if "offered: 1" in out and "named: 0" not in out:
        fail(out)


def case_marks(lab, x11):
    """pp_frame_end() ends a frame: earlier submissions are in it, with its counters."""
    for on in ("marker", None):
        run(lab, "marks", x11, **({"PASSPROBE_FRAME_ON": on} if on else {}))
        equal(frames_by(lab), {"window 1": [["first", "last"]] * 5}, "frames on %s" % on)
        equal([float(f["app:mark"]) for f in lab.rows("s", "frames")], [0, 1, 2, 3, 4], "counters on %s" % on)


CASES = {name: case for name, case in globals().items() if name.startswith("case_")}

if __name__ == "__main__":
    main({**CASES, **{name + "_x11": case for name, case in CASES.items()}}, LayerLab,
         lambda lab, case: (lab, case.endswith("_x11")))
