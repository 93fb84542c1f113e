"""Applications that wait between their actions, and between the last action and the swap, and that hand actions to the
GPU in every possible way: no GPU time includes such a wait; passes, actions and counts are the same as without waits.
"""
import os

from harness import Skip, equal, main, number, true
from shim import preload

WAYS = ("none", "flush", "finish", "fence", "fence_flush", "ask", "poll", "map", "map_whole", "read_pixels", "read_buffer",
        "blit", "blit_finish", "upload", "egl_wait", "egl_fence", "release")
RUNS = 6


def wait(lab, way, fake=False, level="pass", **options):
    """@return the session, and the two waits of each frame in ns as the application measured them."""
    program = [os.path.join(lab.build, "tests", "reach", "app_waits_fake" if fake else "app_waits"), way]
    out = f"{way}-{level}"
    env = {"FAKE_GL_DEFER": "1"} if fake else {}
    done = lab.run(program, check=False, **preload(lab, out, level=level, frame_on="present", **options), **env)
    if done.returncode == 77:
        raise Skip(done.stdout)
    lines = done.stdout.splitlines()
    equal((done.returncode, lines[-1]), (0, "error 0"), f"{way}: {done.stdout}{done.stderr}")
    return lab.session(out), [tuple(map(int, line.split()[1:])) for line in lines[:-1]]


def figures(session, waits, where):
    """Each figure from the frame that the machine disturbed least, as a fraction of the wait: a wait inside a figure is
    in all frames."""
    least = min(min(pair) for pair in waits)
    equal(len(session.frames), len(waits), f"{where}: frames")
    rest = [number(row, "gpu_time_ns") - pair[0] for row, pair in zip(session.frames, waits)]
    found = {"frames' GPU times but for the wait between their work": min(rest) / least}
    if session.passes:
        found.update(of_passes(session, least, where))
    return found


def of_passes(session, least, where):
    verdicts = [row["bound_by"] for row in session.frames]
    shapes = {len(session.passes_of(row["frame"])) for row in session.frames[1:]}
    equal(len(shapes), 1, f"{where}: passes of each frame")
    found = {"GPU busy": min(number(row, "gpu_busy_ns") for row in session.frames) / least,
             "no frame is bound by the application": 0 if {"cpu", "sleep"} & set(verdicts) else 1}
    for i in range(shapes.pop()):
        times = [number(session.passes_of(row["frame"])[i], "gpu_time_ns") for row in session.frames]
        found[f"pass {i}"] = min(times) / least
    return found


def check(lab, way, of=figures, **options):
    """A busy machine disturbs some frames of every run, but not the same figure in all runs. @return the last session.
    """
    where = f"{way}, {options}"
    best = {}
    for _ in range(RUNS):
        session, waits = wait(lab, way, **options)
        for name, part in of(session, waits, where).items():
            best[name] = min(part, best.get(name, part))
        if max(best.values()) < 0.5:
            return session
    raise AssertionError(f"{where}: in parts of the wait, the least of {RUNS} runs: {best}")


def case_llvmpipe(lab):
    """A deferred renderer, which renders a framebuffer's actions at once; every way to hand over."""
    for way in WAYS:
        check(lab, way)


def case_llvmpipe_levels(lab):
    for level in ("frame", "draw"):
        for way in ("none", "flush", "fence", "read_pixels", "blit", "upload"):
            check(lab, way, level=level)


def exact(session, way, parts):
    """On the fake driver a bracket that is handed over as a whole takes a nanosecond."""
    for row in session.frames[1:]:
        times = [number(it, "gpu_time_ns") for it in session.passes_of(row["frame"])]
        equal(times, parts, f"{way}: passes of frame {row['frame']}")
        equal(number(row, "gpu_busy_ns"), sum(parts), f"{way}: frame {row['frame']}")


def case_deferred(lab):
    """A driver that hands commands over as late as possible: exact to the nanosecond, where the CPU need not know the
    time."""
    for way in (*WAYS, "read_unbound"):
        session = check(lab, way, fake=True)
        if way in ("none", "flush", "finish", "fence", "fence_flush", "ask", "poll", "egl_wait", "egl_fence"):
            # a clear and a draw are one part, the second draw is another, unless nothing came between; a part includes
            # the application's own timestamp if the application writes one
            exact(session, way, [{"none": 1, "ask": 4, "poll": 4}.get(way, 2)])


def case_deferred_levels(lab):
    for level in ("frame", "draw"):
        for way in ("none", "flush", "fence", "read_pixels", "map", "blit_finish"):
            check(lab, way, fake=True, level=level)


def case_serialize(lab):
    """Each action is handed over and waited for: a pass has the sum of its actions' times, without the application's
    waits."""
    for fake in (False, True):
        for level in ("pass", "draw"):
            for way in ("none", "flush", "blit"):
                check(lab, way, lambda session, waits, where: of_passes(session, min(map(min, waits)), where),
                      fake=fake, level=level, serialize="1")


def rows(lab, way, level):
    """Values that must not depend on how actions are handed over."""
    session, _ = wait(lab, way, level=level)
    passes = [{name: text for name, text in row.items() if name not in ("gpu_start_ns", "gpu_time_ns")}
              for row in session.passes]
    draws = []
    if level == "draw":
        draws = [{name: text for name, text in row.items() if not name.startswith("gpu_")}
                 for row in session.table("draws.csv")]
    frames = [(row["draws"], row["dispatches"], row["copies"], row["passes"]) for row in session.frames]
    return frames, passes, draws


def case_same(lab):
    """Handing actions over splits no pass: ids, counts and statistics of all rows are the same."""
    for level in ("pass", "draw"):
        want = rows(lab, "none", level)
        true(len(want[1]) == 6 and (level == "pass" or len(want[2]) == 18), f"{want}")
        for way in ("flush", "finish", "fence", "egl_fence"):
            for got, wanted in zip(rows(lab, way, level), want):
                equal(got, wanted, f"{way}, level {level}")


def case_asked(lab):
    """A query of a fence, or of something that is no fence, leaves a pass in one part: as many brackets as without."""
    for fake in (True, False):
        brackets = {}
        for way in ("none", "asked", "egl_asked", "egl_reusable", "egl_fence"):
            session, _ = wait(lab, way, fake=fake)
            brackets[way] = session.json["counts"]["brackets"]
        want = brackets["none"]
        equal(want, 6, f"one a frame: {brackets}")
        # the first frame makes the fence
        equal((brackets["asked"], brackets["egl_asked"]), (want + 1, want + 1), f"fences asked: {brackets}")
        equal(brackets["egl_reusable"], want, f"what only the CPU signals: {brackets}")
        equal(brackets["egl_fence"], 2 * want, f"waiting hands over: {brackets}")


def parts_of_dispatch(lab, level):
    """Least times of the passes of a frame with a long dispatch between a long pass and a short one, and of the frame,
    as fractions of the time of the dispatch alone."""
    out = f"computes-{level}"
    program = os.path.join(lab.build, "tests", "reach", "compute_overlap")
    done = lab.run([program], check=False, **preload(lab, out, level=level, frame_on="present"))
    if done.returncode == 77:
        raise Skip(done.stdout)
    alone, error = (line.split()[1] for line in done.stdout.splitlines())
    equal((done.returncode, error), (0, "0"), f"{done.stdout}{done.stderr}")
    frames = [row for row in lab.session(out).frames if int(row["draws"]) > 1]
    equal(len(frames), 12, "frames")
    rows = [lab.session(out).passes_of(row["frame"])[-3:] for row in frames]
    columns = list(zip(*rows)) + [frames]
    return [min(number(row, "gpu_time_ns") for row in column) / int(alone) for column in columns]


def case_compute_overlap(lab):
    """The dispatch has its time, and the passes around it have only theirs, although the renderer overlaps them."""
    for level in ("frame", "pass", "draw"):
        for left in range(RUNS - 1, -1, -1):
            parts = parts_of_dispatch(lab, level)
            print(f"level {level}: {parts}")
            want = [True] if level == "frame" else [True, False, True]
            if [part > 0.25 for part in parts[-len(want):]] == want:
                break
            true(left, f"level {level}: parts of the dispatch's time: {parts}")


if __name__ == "__main__":
    main(globals())
