"""Expected values of --indirect for the walk's case `limits`, used by test_walk.py and test_fake.py."""
from harness import equal, fail

KNOWN = ("3", "1", "")
EMPTY = ("", "", "")
LIMITS = {
    # one draw of a hundred has an instance
    "very many": [KNOWN] * 1000,
    "few": [KNOWN],
    "largest": [KNOWN, EMPTY],
    "strides": [KNOWN, ("9", "1", ""), ("12", "1", ""), ("18", "1", ""), KNOWN, ("0", "0", "")],
    "counts": [("6", "1", ""), ("24", "1", ""), ("0", "0", ""), ("0", "0", ""), EMPTY],
    # one draw and two draws alternate; then three draws, twice three
    "reuse": [(str(3 * (i + 1)), "1", "") for i in (0, 1, 1, 2, 3, 3)] +
             [(str(3 * (i + 1)), "1", "") for i in (4, 4, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, 7)],
}
BUFFERS = 1100
REASON = "there was no memory to copy some arguments to"


def read_limits(lab, session):
    """Arguments of indirect draws by label, in order."""
    found = {}
    for row in lab.rows(session, "draws"):
        if "Draw" in row["call"]:
            found.setdefault(row["label"], []).append((row["vertices"], row["instances"], row["groups"]))
    return found


def check_limits(lab, session, buffers=BUFFERS, refused=False):
    """Every argument for which there was memory is known, for @p buffers command buffers at once; with @p refused none
    is. Checked twice, because freed memory is used again."""
    found = read_limits(lab, session)
    for label, want in LIMITS.items():
        # no draws need no memory
        blank = [row if label == "strides" and row[0] == "0" else EMPTY for row in want]
        equal(found.pop(label), blank if refused else want, label)
    got = found.pop("buffers")
    equal(len(got), 2 * BUFFERS, "draws of very many buffers")
    for half in got[:BUFFERS], got[BUFFERS:]:
        equal([half.count(KNOWN), half.count(EMPTY)], [buffers, BUFFERS - buffers], "known and unknown arguments")
    equal(found, {}, "more")
    text = lab.text(session)
    equal(REASON in text, buffers < BUFFERS, "missing memory is reported")
    if not refused and "larger than 1 MiB" not in text:
        fail("session.json does not say what was too large")
    for row in lab.rows(session, "frames"):
        if not row["gpu_time_ns"]:
            fail("frame %s has no time" % row["frame"])
