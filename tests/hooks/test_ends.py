"""Ends of frames: a wait of the application behind one belongs to no time of the GPU, and a program that presents has as
many frames as presents."""
import os

from chain import Skip, equal, main, need, number, preload

XVFB = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "with-xvfb")
RUNS = 6


def run(lab, how, steps, level="pass", out="data", **options):
    """`how` is window system, API and surface, `steps` BEFORE, FRAME, COUNT and AFTER of ends.c. @return the session, and the
    program's waits in ns."""
    program = [os.path.join(lab.build, "tests", "reach", "ends"), *how.split(), *map(str, steps)]
    words = [f"{name}={value}" for name, value in preload(lab, out, level=level, **options).items()]
    before = []
    if how.startswith("glx"):
        need("Xvfb")
        before = [XVFB]
    # with-xvfb is a shell script: the variables go to the program alone
    done = lab.run([*before, "env", *words, *program], check=False)
    if done.returncode == 77:
        raise Skip(done.stdout)
    lines = done.stdout.splitlines()
    equal((done.returncode, lines[-1]), (0, "error 0"), f"{how} {steps}: {done.stdout}{done.stderr}")
    return lab.session(out), [int(line.split()[1]) for line in lines[:-1]]


def part_of_wait(lab, how, frame, level, **options):
    """The longest GPU time of the frames that follow a wait and are followed by one, in parts of the wait: the figures of
    the frame that the machine disturbed least."""
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
    """A pbuffer's swap hands nothing over: what was drawn is not on the GPU while the application sleeps behind it."""
    for api in ("gl", "es"):
        check(lab, f"egl {api} pbuffer", "dsw")
        check(lab, f"egl {api} pbuffer", "odsw", levels=("draw",))
        check(lab, f"egl {api} pbuffer", "dfsw", levels=("draw",), frame_on="present")
        check(lab, f"egl {api} none", "ofw", levels=("draw",))
        check(lab, f"egl {api} none", "olw", levels=("draw",))
        check(lab, f"egl {api} none", "omw", levels=("pass", "draw"))


def case_waits_glx(lab):
    for surface in ("pbuffer", "pixmap", "window"):
        check(lab, f"glx gl {surface}", "dsw", levels=("pass", "draw"))
        check(lab, f"glx gl {surface}", "odsw", levels=("draw",))
    check(lab, "glx gl pbuffer", "dlw", levels=("draw",))


if __name__ == "__main__":
    main(globals())
