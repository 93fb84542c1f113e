"""The layer's memory for results counts against --max-memory, and is freed after a peak."""
import json
import os
import re

from harness import equal, fail, main
from layer import LayerLab

FRAMES = 28
PEAK = 6000


def run(lab, how, **more):
    """Run the application on the fake driver. Returns what exists in the driver after few draws, after the peak and
    after few draws again, as lists of bytes of memory, queries and command pools, and session.json."""
    plays = "held delay=%d" % (1000 if how == "many" else 3)
    out = lab.run([os.path.join(lab.build, "tests", "layer-burst"), how], "s", FAKE_VK=plays, PASSPROBE_LEVEL="draw", **more)
    if "VIOLATION" in out:
        fail(out)
    held = [[int(n) for n in found] for found in
            re.findall(r"fake: held: (\d+) bytes, (\d+) queries, (\d+) pools", out)]
    equal(len(held), 3, "lines of the fake driver")
    return held, json.loads(lab.text("s"))


def less(got, than, what):
    """Expect @p got to be less than @p than."""
    if not got < than:
        fail("%s: %r, not less than %r" % (what, got, than))


def check_rows(lab, session):
    """All frames are there, with all their draws."""
    draws = [int(row["draws"]) for row in lab.rows("s", "frames")]
    equal(draws, [3] * 4 + [PEAK] * 4 + [3] * 20, "draws of all frames")
    equal(session["dropped"]["frames"], 0, "frames dropped")


def case_once(lab):
    """The CPU reads the results."""
    (first, peak, last), session = run(lab, "once")
    less(2 * PEAK * 3, peak[1], "queries of the peak")
    less(last[1], peak[1] / 8, "queries afterwards")
    memory = session["memory"]
    less(PEAK * 3 * 2 * 16, memory["queries_most_bytes"] - peak[1] * 800, "results count against the limit")
    less(memory["queries_bytes"], memory["queries_most_bytes"] / 8, "bytes afterwards")
    less(last[2], first[2] + 2, "command pools")
    check_rows(lab, session)


def case_kept(lab):
    """The GPU copies the results into memory of the driver."""
    (first, peak, last), session = run(lab, "kept")
    less(PEAK * 3 * 2 * 16, peak[0], "bytes of the peak")
    less(last[0], first[0] + 1, "bytes afterwards")
    less(last[1], peak[1] / 8, "queries afterwards")
    memory = session["memory"]
    less(peak[0] + peak[1] * 800, memory["queries_most_bytes"], "memory counts against the limit")
    less(memory["queries_bytes"], memory["queries_most_bytes"] / 8, "bytes afterwards")
    check_rows(lab, session)


def case_many(lab):
    """A frame with many submissions."""
    (first, peak, last), session = run(lab, "many")
    less(100, peak[2], "command pools of the peak")
    less(last[2], first[2] + 8, "command pools afterwards")
    less(last[1], peak[1] / 8, "queries afterwards")
    less(session["memory"]["queries_bytes"], session["memory"]["queries_most_bytes"] / 8, "bytes afterwards")


def case_limit(lab):
    """No more memory is taken than --max-memory allows; brackets that are not measured are counted; small frames are
    measured again."""
    for how in ("once", "kept"):
        held, session = run(lab, how, PASSPROBE_MAX_MEMORY="64M")
        memory, lost = session["memory"], session["dropped"]
        less(memory["queries_most_bytes"], (56 << 20) + 1, "bytes held")
        less(held[1][0] + held[1][1] * 800, (56 << 20) + 1, "bytes that the driver holds")
        less(0, lost["brackets"], "brackets left out")
        check_rows(lab, session)
        last = [row for row in lab.rows("s", "draws") if int(row["frame"]) >= FRAMES - 3]
        equal([row["pipeline:input_assembly_vertices"] != "" for row in last], [True] * 9, "counts of the last frames")


if __name__ == "__main__":
    main(globals(), LayerLab, lambda lab, _: (lab.fake_driver(),))
