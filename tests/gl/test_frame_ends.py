"""Ends of frames: a wait of the application after a frame is in no GPU time, and an application that presents has as
many frames as presents."""
import os

from harness import XVFB, Skip, equal, main, need, number
from shim import preload

RUNS = 6


def run(lab, how, steps, level="pass", out="data", **options):
    """`how` is window system, API and surface, `steps` is BEFORE, FRAME, COUNT and AFTER of frame_ends.c. @return the
    session, and the application's waits in ns."""
    program = [os.path.join(lab.build, "tests", "reach", "frame_ends"), *how.split(), *map(str, steps)]
    words = [f"{name}={value}" for name, value in preload(lab, out, level=level, **options).items()]
    before = []
    if how.startswith("glx"):
        need("Xvfb")
        before = [XVFB]
    # with-xvfb is a shell script: only the application gets the variables
    done = lab.run([*before, "env", *words, *program], check=False)
    if done.returncode == 77:
        raise Skip(done.stdout)
    lines = done.stdout.splitlines()
    equal((done.returncode, lines[-1]), (0, "error 0"), f"{how} {steps}: {done.stdout}{done.stderr}")
    return lab.session(out), [int(line.split()[1]) for line in lines[:-1]]


def part_of_wait(lab, how, frame, level, **options):
    """The longest GPU time of frames between two waits, as a fraction of the wait, from the frame that the machine
    disturbed least."""
    session, waits = run(lab, how, ["", frame, 6, ""], level, out=f"{how}-{level}-{frame}".replace(" ", "-"), **options)
    rows = session.frames[1:-1]
    equal(len(rows) >= 4, True, f"{how} {frame} {level}: frames")
    found = []
    for row in rows:
        times = [number(row, "gpu_time_ns")]
        times += [number(it, "gpu_time_ns") for it in session.passes_of(row["frame"])] if session.passes else []
        found.append(max(times) / min(waits))
    return min(found)


def check(lab, how, frame, levels=("frame", "pass", "draw"), **options):
    for level in levels:
        parts = []
        while not parts or parts[-1] > 0.5:
            equal(len(parts) < RUNS, True, f"{how} {frame} {level}: GPU times in parts of the wait, in {RUNS} runs: {parts}")
            parts.append(part_of_wait(lab, how, frame, level, **options))


def case_waits_egl(lab):
    """A swap of a pbuffer hands nothing over: the draws are not on the GPU while the application sleeps after it."""
    for api in ("gl", "es"):
        check(lab, f"egl {api} pbuffer", "dsw")
        check(lab, f"egl {api} pbuffer", "odsw", levels=("draw",))
        check(lab, f"egl {api} pbuffer", "dfsw", levels=("draw",))
        check(lab, f"egl {api} none", "ofw", levels=("draw",))
        check(lab, f"egl {api} none", "olw", levels=("draw",))
        check(lab, f"egl {api} none", "omw", levels=("pass", "draw"))


def draws_of(lab, how, steps, level="pass", rest=False, **options):
    """Draws of each frame. Frame numbers have no gap, and no action is without a frame, except for a `rest`."""
    session, _ = run(lab, how, steps, level, out="frames", **options)
    equal([row["frame"] for row in session.frames], [str(i) for i in range(len(session.frames))], f"{how} {steps}: numbers")
    of_none = {row["frame"] for row in session.passes} - {row["frame"] for row in session.frames}
    equal(of_none, {""} if rest else set(), f"{how} {steps}: rows without a frame")
    for row in session.frames:
        equal(row["passes"], str(len(session.passes_of(row["frame"]))), f"{how} {steps}: passes of frame {row['frame']}")
    return [int(row["draws"]) for row in session.frames]


PRESENTED = (
    (("", "dfs", 70, ""), [1] * 70),        # the application waits after each swap
    (("dfdf", "ds", 5, ""), [3, 1, 1, 1, 1]),  # an application that loads and waits
    (("", "df", 130, "ds"), [131]),         # one present after many waits
    (("", "df", 150, "dsds"), [151, 1]),
    (("dfdm", "ds", 3, ""), [3, 1, 1]),     # marks end frames only if nothing presents
)


def case_frames_egl(lab):
    """A pbuffer that is swapped, even once, has as many frames as swaps, and they contain all actions. A pbuffer that
    is never swapped has as many frames as waits."""
    how = "egl gl pbuffer"
    for steps, want in PRESENTED:
        if "m" not in steps[0]:
            equal(draws_of(lab, how, steps), want, f"{how} {steps}")
    equal(draws_of(lab, how, ("", "dlfdls", 10, "")), [2] * 10, "handed over, waited for, swapped")
    equal(draws_of(lab, how, ("", "df", 1000, "s")), [1000], "a thousand waits and a swap")
    equal(draws_of(lab, how, ("", "dfs", 20, ""), level="draw"), [1] * 20, "level draw")
    equal(draws_of(lab, "egl es pbuffer", ("df", "dfs", 20, "")), [2] + [1] * 19, "OpenGL ES")
    equal(draws_of(lab, how, ("", "df", 20, "")), [1] * 20, "never swapped")
    equal(draws_of(lab, how, ("", "dl", 20, "")), [1] * 20, "never swapped, nor waited for")
    equal(draws_of(lab, how, ("", "df", 5000, "")), [1] * 5000, "more than may be held, and never swapped")
    equal(draws_of(lab, "egl gl none", ("", "of", 20, "")), [1] * 20, "surfaceless")


def case_frame_on(lab):
    """The end of a frame that the user chooses ends frames."""
    how = "egl gl pbuffer"
    equal(draws_of(lab, how, ("", "dfds", 10, ""), rest=True, frame_on="finish"), [1] + [2] * 9, "finish")
    equal(draws_of(lab, how, ("", "dfds", 10, ""), rest=True, frame_on="submit"), [1] + [2] * 9, "submit")
    equal(draws_of(lab, how, ("", "dfds", 10, ""), frame_on="present"), [2] * 10, "present")


def case_frames_levels(lab):
    """Frames of an application that never presents have the level that the user asked for by number, from the first
    frame on."""
    session, _ = run(lab, "egl gl pbuffer", ("", "df", 10, ""), frames="3-5")
    equal([row["level"] for row in session.frames], ["frame"] * 3 + ["pass"] * 3 + ["frame"] * 4, "--frames 3-5")
    session, _ = run(lab, "egl gl pbuffer", ("", "dfs", 10, ""), frames="3-5", out="swapped")
    equal([row["level"] for row in session.frames], ["frame"] * 3 + ["pass"] * 3 + ["frame"] * 4, "--frames 3-5, swapped")


def case_frames_glx(lab):
    """Windows follow the same rules; each wait ends a frame of a window that is never swapped."""
    for surface in ("window", "pbuffer"):
        for steps, want in PRESENTED:
            if surface == "window" or "m" not in steps[0]:
                equal(draws_of(lab, f"glx gl {surface}", steps), want, f"GLX {surface} {steps}")
    equal(draws_of(lab, "glx gl window", ("", "df", 130, "")), [1] * 130, "a window never swapped")
    session, _ = run(lab, "glx gl window", ("", "df", 20, ""))
    equal((len(session.frames), len(session.passes), session.json["counts"]["unattributed_passes"]), (20, 20, 0), "few waits")


def case_waits_glx(lab):
    for surface in ("pbuffer", "pixmap", "window"):
        check(lab, f"glx gl {surface}", "dsw", levels=("pass", "draw"))
        check(lab, f"glx gl {surface}", "odsw", levels=("draw",))
    check(lab, "glx gl pbuffer", "dlw", levels=("draw",))


if __name__ == "__main__":
    main(globals())
