"""A change of the render target, however small, splits passes, and actions have the name that their shader program has
at that time."""
import os

from harness import Skip, equal, main, true
from shim import preload


def run(lab, level):
    """@return expected lines of a frame, (attachments, draws) of passes and names; and the session."""
    program = [os.path.join(lab.build, "tests", "reach", "render_targets")]
    bare = lab.run(program, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    equal((bare.returncode, bare.stdout.splitlines()[-1]), (0, "error 0"), f"bare: {bare.stderr}")
    loaded = lab.run(program, **preload(lab, level, level=level, frame_on="finish"))
    equal(loaded.stdout, bare.stdout, f"{level}: {loaded.stderr}")
    lines = [line.split() for line in bare.stdout.splitlines()[:-1]]
    passes = [(line[1], line[2]) for line in lines if line[0] == "pass"]
    return passes, [line[1] for line in lines if line[0] == "name"], lab.session(level)


def check(session, passes):
    for frame in ("1", "2"):
        rows = session.passes_of(frame)
        equal([(row["attachments"].replace(" ", ","), row["draws"]) for row in rows], passes, f"frame {frame}")
        ids = [row["pass_id"] for row in rows]
        equal(len(set(ids)), len(ids), f"frame {frame}: each pass has an id of its own")


def case_passes(lab):
    for level in ("pass", "draw"):
        passes, _, session = run(lab, level)
        check(session, passes)


def case_names(lab):
    """Shader programs are renamed between draws."""
    _, names, session = run(lab, "draw")
    for frame in ("1", "2"):
        rows = [row["pipeline"] for row in session.table("draws.csv") if row["frame"] == frame]
        equal(rows[-len(names):], names, f"frame {frame}")


def case_alike(lab):
    """A pass that comes before passes on the same target does not take their ids, and it is the one that is blamed."""
    program = [os.path.join(lab.build, "tests", "reach", "passes_alike"), "60"]
    bare = lab.run(program, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    for level in ("pass", "draw"):
        equal(lab.run(program, **preload(lab, level, level=level, frame_on="finish")).stdout, "error 0\n", level)
        session = lab.session(level)
        usual = [row["pass_id"] for row in session.passes_of("1")]
        equal(len(usual), 3, f"{level}: passes of a frame")
        for frame in range(1, 60):
            ids = [row["pass_id"] for row in session.passes_of(str(frame))]
            if frame % 10 == 9:
                true(ids.pop(0) not in usual, f"{level}, frame {frame}: the heavy pass has an id of its own")
            equal(ids, usual, f"{level}, frame {frame}")


if __name__ == "__main__":
    main(globals())
