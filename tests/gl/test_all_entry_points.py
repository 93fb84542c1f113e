"""Every entry point that makes the GPU work, by name from gl.xml: each has a row of draws.csv, and the sums are the
same at every level."""
import os

from harness import equal, main, true
from shim import preload

FRAMES = 2


def calls(lab, out=None, **options):
    """(name, kind of pass) of each call of a frame, in order. With `out`, the calls are recorded into that session."""
    env = preload(lab, out, **options) if out else {}
    lines = lab.run([os.path.join(lab.build, "tests", "reach", "all_entry_points")], **env).stdout.splitlines()
    equal(lines[-1], "error 0", "the driver's view")
    return [tuple(line.split()) for line in lines[:-1]]


def case_draw(lab):
    """A row for each call, in order, in a pass of its kind."""
    want = calls(lab)
    true(len(want) > 300, f"{len(want)} entry points")
    equal(calls(lab, "data", level="draw"), want, "output")
    session = lab.session()
    rows = session.table("draws.csv")
    for frame in range(FRAMES):
        kinds = {row["pass"]: row["kind"] for row in session.passes_of(str(frame))}
        got = [(row["call"], kinds[row["pass"]]) for row in rows if row["frame"] == str(frame)]
        equal([name for name, _ in got], [name for name, _ in want], f"frame {frame}: calls")
        # commands that load buffers stay in the pass in which they happen
        wrong = [(name, kind, it) for (name, kind), (_, it) in zip(got, want) if it not in ("any", kind)]
        equal(wrong, [], f"frame {frame}: kinds of passes")
    ids = [[row["draw_id"] for row in rows if row["frame"] == str(frame)] for frame in range(FRAMES)]
    equal(ids[1], ids[0], "ids from frame to frame")
    equal(len(set(ids[0])), len(want), "all different")


def case_levels(lab):
    """Draws, dispatches and copies of a frame are the same at every level."""
    sums = {}
    for level in ("frame", "pass", "draw"):
        calls(lab, level, level=level)
        sums[level] = [tuple(row[name] for name in ("draws", "dispatches", "copies"))
                       for row in lab.session(level).frames]
    equal(len(sums["draw"]), FRAMES, "frames")
    equal(sums["pass"], sums["draw"], "level pass")
    equal(sums["frame"], sums["draw"], "level frame")


if __name__ == "__main__":
    main(globals())
