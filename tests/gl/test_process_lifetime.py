"""Applications that fork, start threads and end in unusual ways: the same output and the same exit status, and every
frame is written."""
import os
import signal

from harness import XVFB, Skip, equal, main, need
from shim import preload


def live(lab, case):
    """@return by level, the draws of each frame of each of the application's sessions."""
    program = [os.path.join(lab.build, "tests", "reach", "process_lifetime"), case]
    bare = lab.run(program, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    found = {}
    for level in ("pass", "draw"):
        out = f"{case}-{level}"
        loaded = lab.run(program, check=False, **preload(lab, out, level=level))
        equal((loaded.returncode, loaded.stdout), (bare.returncode, bare.stdout), f"{case}, {level}: {loaded.stderr}")
        equal(loaded.stderr.count("was forked from a profiled process"), int(case == "fork_probe"), loaded.stderr)
        names = sorted(name for name in os.listdir(lab.scratch) if name.startswith(out))
        notes = [note for name in names for device in lab.session(name).json["devices"] for note in device["notes"]]
        equal(sum("was forked from this one drew" in note for note in notes), int(case == "fork_probe"), f"{case}: {notes}")
        found[level] = sorted(([int(row["draws"]) for row in lab.session(name).frames] for name in names), key=len)
    return found


def frames(lab, case, *want):
    for level, found in live(lab, case).items():
        equal(found, list(want), f"{case}, {level}: draws of each frame of each session")


def case_children(lab):
    frames(lab, "fork_exit", [2, 2, 2, 1, 2, 2])
    frames(lab, "fork_probe", [2] * 2)
    frames(lab, "fork_first", [2] * 4, [2] * 5)
    frames(lab, "daemon", [2] * 4)
    frames(lab, "vfork", [2, 2, 1, 2])
    frames(lab, "exec", [2] * 3, [2] * 5)


def case_threads(lab):
    frames(lab, "threads", [2] * 60)


def case_cleared(lab):
    """The application clears its environment: passprobe keeps the settings with which the process was started."""
    frames(lab, "cleared", [2] * 3)


def case_at_exit(lab):
    for case in ("at_exit", "at_exit_late", "destructor"):
        frames(lab, case, [2] * 7)


def case_ways_to_end(lab):
    frames(lab, "handler", [2] * 3)
    frames(lab, "thread_exits", [2] * 3)
    # no code of passprobe runs there: only what is on disk by then exists
    for case in ("quick", "abort"):
        live(lab, case)


def case_second_context(lab):
    """A context is destroyed while another is current: its last frames have their times and counts."""
    live(lab, "second")
    for level in ("pass", "draw"):
        session = lab.session(f"second-{level}")
        equal(sorted(int(row["draws"]) for row in session.frames), [1] * 6 + [2] * 30, f"{level}: draws of frames")
        equal(session.json["dropped"]["times_not_landed"], 0, f"{level}: times that were lost")
        equal([row["frame"] for row in session.frames if not row["gpu_time_ns"]], [], f"{level}: frames without a time")


def case_wine(lab):
    """A thread is killed as Wine does it, in pthread_cond_wait(): without passprobe, the process dies."""
    program = [os.path.join(lab.build, "tests", "reach", "process_lifetime"), "wine"]
    bare = lab.run(program, check=False)
    if bare.returncode >= 0:
        raise Skip(f"the C library calls no handlers of frames that were left: {bare.returncode} {bare.stdout}")
    loaded = lab.run(program, check=False, **preload(lab, "wine"))
    equal((loaded.returncode, loaded.stdout), (0, "ended\n"), loaded.stderr)
    equal([int(row["draws"]) for row in lab.session("wine").frames], [2] * 3, "draws of frames")


def case_wine_heap(lab):
    """A thread is killed as Wine does it, while it holds the lock of its heap. The process ends all the same."""
    program = [os.path.join(lab.build, "tests", "reach", "process_lifetime"), "wine_heap"]
    bare = lab.run(program, check=False)
    if bare.returncode:
        raise Skip(f"the process does not end without passprobe either: {bare.returncode} {bare.stdout}")
    loaded = lab.run(program, check=False, **preload(lab, "wine_heap"))
    equal((loaded.returncode, loaded.stdout), (0, "ended\n"), loaded.stderr)


def case_wine_display(lab):
    """A thread is killed as Wine does it, while it has the lock of an X display. Without passprobe, the destructor of libGLX
    waits for that lock until the test's alarm."""
    need("Xvfb")
    program = [XVFB, os.path.join(lab.build, "tests", "reach", "process_lifetime"), "wine_display"]
    bare = lab.run(program, check=False)
    if bare.returncode not in (-signal.SIGALRM, 128 + signal.SIGALRM):
        raise Skip(f"libGLX does not take the display's lock: {bare.returncode} {bare.stdout}")
    loaded = lab.run(program, check=False, **preload(lab, "wine_display"))
    equal((loaded.returncode, loaded.stdout), (0, "ended\n"), loaded.stderr)


if __name__ == "__main__":
    main(globals())
