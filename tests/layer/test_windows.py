"""Windows on one device: each has its own frames, and every submission counts in the right one.

usage: test_windows.py BUILD CASE    on the fake driver; CASE_x11 on lavapipe under Xvfb"""
import os
import shutil
import sys

from lab import LAVAPIPE, VALIDATION, Lab, equal, fail, messages, skip

XVFB = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "with-xvfb")
FRAMES = 6


def run(lab, case, x11, **more):
    """The program under the layer; bare, its output is the same."""
    program = [os.path.join(lab.build, "tests", "layer-windows"), case]
    if x11:
        if not os.path.exists(LAVAPIPE) or shutil.which("Xvfb") is None:
            skip("lavapipe or Xvfb is not installed")
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
    """Frames of a window follow each other without a gap and without overlap."""
    end = {}
    for row in sorted(lab.rows("s", "frames"), key=lambda r: int(r["frame"])):
        start = int(row["cpu_start_ns"])
        if row["surface"] in end:
            equal(start, end[row["surface"]], "start of frame %s of %s" % (row["frame"], row["surface"]))
        end[row["surface"]] = start + int(row["frame_time_ns"])


def one(number, passes):
    """A frame of one window in the program's terms."""
    return sorted(["before %d" % number] + ["window %d" % number] * passes)


def case_alternate(lab, x11):
    """By turns: even what is submitted before the image is acquired goes where it belongs."""
    run(lab, "alternate", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * FRAMES, "window 2": [one(1, 2)] * FRAMES}, "frames")
    check_times(lab)


def case_transfer(lab, x11):
    """No render pass names a window's image: the semaphore of its acquisition does."""
    run(lab, "transfer", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * FRAMES, "window 2": [one(1, 1)] * FRAMES}, "frames")


def case_together(lab, x11):
    """One submission and one present for both: each buffer counts for the window that it renders to."""
    run(lab, "together", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * FRAMES, "window 2": [["window 1"] * 2] * FRAMES}, "frames")
    check_times(lab)


def case_threads(lab, x11):
    """A thread a window."""
    run(lab, "threads", x11)
    found = sorted(frames_by(lab).values(), key=lambda frames: frames[0])
    equal(found, [[one(0, 1)] * FRAMES, [one(1, 2)] * FRAMES], "frames")


def case_reopened(lab, x11):
    """A window that is closed and opened again goes on with its series."""
    run(lab, "reopened", x11)
    equal(frames_by(lab), {"window 1": [one(0, 1)] * 2 * FRAMES, "window 2": [one(1, 2)] * 2 * FRAMES}, "frames")


def case_submit(lab, x11):
    """Told that submissions are frames, windows are not."""
    run(lab, "transfer", x11, PASSPROBE_FRAME_ON="submit")
    frames = frames_by(lab)
    equal({name: len(rows) for name, rows in frames.items()}, {"window 1": 4 * FRAMES}, "frames")


def case_never(lab, x11):
    """A device that could present and never does: after 256 submissions, each is a frame; nothing vanishes."""
    run(lab, "never", x11)
    frames = lab.rows("s", "frames")
    equal([int(f["copies"]) for f in frames], [256] + [1] * 44, "copies of frames")


def case_old(lab, x11):
    """Labels of VK_EXT_debug_marker; a command that the registry does not know reaches the driver untouched."""
    out = run(lab, "old", x11, PASSPROBE_FRAME_ON="submit")
    equal([(r["label"], r["copies"]) for r in lab.rows("s", "passes")], [("outer/old", "1"), ("outer", "1")], "passes")
    if '"old mark"' not in lab.text("s"):
        fail("no mark")
    equal([line for line in out.splitlines() if ":" in line], ["newer: 42", "unknown: 0"], "commands by name")


def case_late(lab, x11):
    """A command of an extension that was not enabled, which the loader gives out: it does what it does without us."""
    out = run(lab, "late", x11)
    if "offered: 1" in out and "named: 0" not in out:
        fail(out)


def case_marks(lab, x11):
    """pp_frame_end() ends the frame there: what was submitted before it is in it, with its counters."""
    for on in ("marker", None):
        run(lab, "marks", x11, **({"PASSPROBE_FRAME_ON": on} if on else {}))
        equal(frames_by(lab), {"window 1": [["first", "last"]] * 5}, "frames on %s" % on)
        equal([float(f["app:mark"]) for f in lab.rows("s", "frames")], [0, 1, 2, 3, 4], "counters on %s" % on)


def main():
    """Run one case."""
    lab = Lab(sys.argv[1])
    name, _, x11 = sys.argv[2].partition("_")
    globals()["case_" + name](lab, x11 == "x11")


if __name__ == "__main__":
    main()
