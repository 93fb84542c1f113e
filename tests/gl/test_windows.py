"""GLX under Xvfb: several surfaces, their sizes, the calls that end frames, contexts without timer queries, --frame-on.
"""
import os

from harness import XVFB, Skip, equal, main, need, true
from shim import preload



def both(lab, case, **env):
    """The output is the same bare and loaded. @return session and output."""
    need("Xvfb")
    command = [XVFB, os.path.join(lab.build, "tests", "reach", "windows"), case]
    bare = lab.run(command, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    equal(bare.returncode, 0, f"{case} bare: {bare.stderr}")
    # with-xvfb is a shell script: only the application gets the variables
    words = [f"{name}={value}" for name, value in {**preload(lab, "data"), **env}.items()]
    loaded = lab.run([XVFB, "env", *words, *command[1:]], check=False)
    equal((loaded.returncode, loaded.stdout), (0, bare.stdout), f"{case}: {loaded.stderr}")
    return lab.session(), bare.stdout


def frames_of(session):
    """Draws of each frame, by surface."""
    found = {}
    for row in session.frames:
        found.setdefault(row["surface"], []).append(row["draws"])
    return found


def sizes(session):
    """(surface, width, height) of render passes, in the order of frames. In the file frames have the order in which
    results became available."""
    surface = {row["frame"]: row["surface"] for row in session.frames}
    found = []
    for row in sorted(session.passes, key=lambda row: int(row["frame"] or -1)):
        item = (surface.get(row["frame"]), row["width"], row["height"])
        if row["kind"] == "render" and item not in found:
            found.append(item)
    return found


def case_two(lab):
    session, _ = both(lab, "two")
    equal(frames_of(session), {"window 1": ["2"] * 6, "window 2": ["1"] * 6}, "frames of each window")
    equal(sizes(session), [("window 1", "200", "100"), ("window 2", "50", "60")], "their sizes")
    attachments = {row["attachments"] for row in session.passes}
    true(all("color0=RGB" in a and "8:clear" in a and "DEPTH" in a.upper() for a in attachments), attachments)


def case_resize(lab):
    session, _ = both(lab, "resize")
    equal(len(session.frames), 60, "frames")
    equal(sizes(session), [("window 1", "100", "80"), ("window 1", "160", "120")], "the size follows")


def case_single(lab):
    session, _ = both(lab, "single")
    equal(frames_of(session), {"window 1": ["3"] * 5}, "glFlush after an action ends a frame")


def case_drawables(lab):
    """Drawables of each kind are numbered in the order of their first draws: a window without draws has no number."""
    session, _ = both(lab, "drawables")
    equal(frames_of(session), {"window 1": ["1"] * 4, "pbuffer 1": ["1"] * 4, "pixmap 1": ["1"] * 4}, "frames")
    equal(sizes(session), [("window 1", "70", "40"), ("pbuffer 1", "96", "48"), ("pixmap 1", "33", "44")], "sizes")


def case_swaps(lab):
    session, output = both(lab, "swaps")
    equal(len(session.frames), int(output.split()[1]), f"every kind of swap: {output}")


def case_left_open(lab):
    session, _ = both(lab, "leave")
    equal(len(session.frames), 4, "frames that ended")
    equal((session.lost(), {bool(row["gpu_time_ns"]) for row in session.frames}), ({}, {True}), "what waited was read")


def case_reopened(lab):
    """Closing a display forgets its surfaces, although the next display has the same address."""
    session, _ = both(lab, "reopened")
    equal(frames_of(session), {f"window {i}": [str(i)] * 3 for i in (1, 2, 3)}, "frames of each window")


def case_forgotten(lab):
    """Windows that only X destroys are searched for when new windows come. The driver's memory may differ by some
    bytes."""
    need("Xvfb")
    command = [XVFB, os.path.join(lab.build, "tests", "reach", "windows"), "forgotten"]
    each = []
    for words in ([], ["env", *(f"{name}={value}" for name, value in preload(lab, "data").items())]):
        done = lab.run([XVFB, *words, *command[1:]], check=False)
        if done.returncode == 77:
            raise Skip(done.stdout)
        equal((done.returncode, done.stdout), (0, "error 0\n"), done.stderr)
        each.append([int(line.split()[2]) for line in done.stderr.splitlines() if line.startswith("bytes each ")])
    for bare, loaded in zip(*each):
        # in some runs the bare application frees more than it allocated
        true(loaded - max(bare, 0) < 256, f"bytes of a window and a pbuffer, bare and with passprobe: {each}")


def case_thread_ends(lab):
    """Actions of a thread that ended belong to the frame that the next thread of its context ends."""
    session, _ = both(lab, "heir")
    equal(frames_of(session), {f"window {i}": ["2", "4", "2"] for i in range(1, 7)}, "frames of each window")


def case_frame_on_finish(lab):
    session, _ = both(lab, "single", PASSPROBE_FRAME_ON="finish")
    equal(frames_of(session), {"window 1": ["15"]}, "only glFinish ends a frame")


def case_frame_on_present(lab):
    session, _ = both(lab, "single", PASSPROBE_FRAME_ON="present")
    equal(session.frames, [], "nothing is presented")


def case_frame_on_submit(lab):
    session, _ = both(lab, "two", PASSPROBE_FRAME_ON="submit")
    equal(session.frames, [], "swaps do not count, and it never flushes")


def case_no_timer(lab):
    """A context without timer queries: CPU times only, with the reason; everything else is measured."""
    session, _ = both(lab, "two", MESA_GL_VERSION_OVERRIDE="2.1", MESA_EXTENSION_OVERRIDE="-GL_ARB_timer_query")
    equal(frames_of(session), {"window 1": ["2"] * 6, "window 2": ["1"] * 6}, "frames of each window")
    equal({row["gpu_time_ns"] for row in session.frames}, {""}, "no GPU times")
    true(all(row["frame_time_ns"] for row in session.frames), "CPU times")
    missing = {m["event"]: m["reason"] for d in session.json["devices"] for m in d["events_missing"]}
    true("timer_query" in missing["time"], missing)


def case_probed(lab):
    """A window that is never swapped and waits once, as Wine's before Direct3D begins, makes no frame of its own."""
    session, _ = both(lab, "probed")
    equal(frames_of(session), {"window 2": ["1"] * 60}, "draws of each frame")
    equal([row["draws"] for row in session.passes_of("")], ["2"], "the work of the other window has no frame")


def case_destroyed(lab):
    """An application that swaps a window which it has destroyed gets the same X errors as without passprobe."""
    session, output = both(lab, "destroyed")
    true(output.startswith("X errors "), output)
    equal(len(session.frames), 81, "frames")


def case_swap_by_other_thread(lab):
    """One thread draws, another one swaps: each frame has its draws."""
    session, _ = both(lab, "foreign")
    equal(frames_of(session), {"window 1": [str(1 + frame % 3) for frame in range(120)]}, "draws of each frame")


def case_indirect(lab):
    """OpenGL through the X server, as over a network, has no timer queries."""
    session, _ = both(lab, "two", LIBGL_ALWAYS_INDIRECT="1")
    equal(frames_of(session), {"window 1": ["2"] * 6, "window 2": ["1"] * 6}, "frames of each window")
    equal({row["gpu_time_ns"] for row in session.frames}, {""}, "no GPU times")
    missing = {m["event"]: m["reason"] for d in session.json["devices"] for m in d["events_missing"]}
    true("timer_query" in missing["time"], missing)


if __name__ == "__main__":
    main(globals())
