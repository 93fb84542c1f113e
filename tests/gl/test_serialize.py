"""--serialize with several contexts, and without queries: a row says that nothing overlapped only where that is true,
and no application hangs."""
import os

from harness import equal, main, true
from shim import preload

ISOLATED = "serialize:isolated"


def record(lab, program, **options):
    """@return the session of an application of tests/gl/reach, and its stderr."""
    words = [os.path.join(lab.build, "tests", "reach", word) if i == 0 else word for i, word in enumerate(program)]
    fake = {name: value for name, value in options.items() if name.startswith("FAKE_GL_")}
    settings = {name: value for name, value in options.items() if name not in fake}
    bare = lab.run(words, **fake)
    done = lab.run(words, **fake, **preload(lab, "data", serialize="1", **settings))
    equal(done.stdout, bare.stdout, f"{program}: {done.stderr}")
    return lab.session(), done.stderr


def about(session):
    """Reasons of missing events by name, and the notes."""
    devices = session.json["devices"]
    return ({it["event"]: it["reason"] for device in devices for it in device["events_missing"]},
            [note for device in devices for note in device["notes"]])


def contexts(session):
    """Rows of passes by context, the one with fewer first."""
    found = {}
    for row in session.passes:
        found.setdefault(row["queue"], []).append(row)
    return sorted(found.values(), key=len)


def case_sums(lab):
    """At level draw, the time of a pass is the sum of its actions: the waits between them are not in it. Pass and frame begin with
    the first action."""
    session, _ = record(lab, ["serialize", "waits"], level="draw")
    draws = session.table("draws.csv")
    checked = 0
    for row in session.passes:
        of = [it for it in draws if (it["frame"], it["pass"]) == (row["frame"], row["pass"])]
        if {it[ISOLATED] for it in of} == {"1"}:
            equal(int(row["gpu_time_ns"]), sum(int(it["gpu_time_ns"]) for it in of), f"pass {row['pass']}")
            equal(row["gpu_start_ns"], min((it["gpu_start_ns"] for it in of), key=int), f"begin of pass {row['pass']}")
            checked += 1
    true(checked > 0, session.passes)
    for frame in session.frames:
        rows = [row["gpu_start_ns"] for row in session.passes_of(frame["frame"])]
        true(not rows or min(map(int, rows)) >= int(frame["gpu_start_ns"]), f"passes begin at {rows}, the frame at {frame['gpu_start_ns']}")


def case_unused(lab):
    """Options that have no effect are noted, and no note says that something was isolated."""
    session, _ = record(lab, ["serialize", "leaves"], level="frame", indirect="1")
    notes = about(session)[1]
    true(any("--serialize has no effect at level frame" in note for note in notes), notes)
    true(any("--indirect has no effect" in note for note in notes), notes)
    true(not any("ran by itself" in note for note in notes), notes)


def case_both(lab):
    """Two threads that draw at the same time take turns."""
    for level in ("pass", "draw"):
        session, _ = record(lab, ["serialize", "both"], level=level)
        equal(len(session.frames), 24, "frames")
        rows = session.passes + (session.table("draws.csv") if level == "draw" else [])
        # on a machine that suspends a thread for 2 s, threads take no turns any more
        if "serialize" not in about(session)[0]:
            equal({row[ISOLATED] for row in rows}, {"1"}, f"level {level}")


def case_waits(lab):
    """A thread that waits for another thread within a pass is not waited for any longer than the limit; the rows of
    both say so."""
    session, _ = record(lab, ["serialize", "waits"])
    second, first = contexts(session)
    equal([row[ISOLATED] for row in first], ["0", "1"], "of the thread that waited, then was alone")
    equal([row[ISOLATED] for row in second], ["0"], "of the one that it waited for")
    true("after 2 s" in about(session)[0]["serialize"], about(session))


def case_leaves(lab):
    """A frame outside of the frame window waits for no turn: passes that are measured at the same time are overlapped.
    """
    session, _ = record(lab, ["serialize", "leaves"], frames="1-1000")
    rows = contexts(session)[-1]
    equal([row[ISOLATED] for row in rows], ["0"] * 3 + ["1"] * 3, "while the other's frame was open, and then")


def case_no_timer(lab):
    """Without timer queries nothing is measured, so no pass waits for a turn, and no row says that it ran by itself."""
    session, stderr = record(lab, ["driver_quirks", "finished"], FAKE_GL_VERSION="2.1.0 fake")
    equal({row[ISOLATED] for row in session.passes}, {"0"}, "rows")
    missing, notes = about(session)
    true("--serialize was not applied" in missing["serialize"], missing)
    equal(notes, [], "notes")
    true("finishes 0\n" in stderr, stderr)


def case_no_queries(lab):
    """A driver without query objects: no time is measured; rows say which passes ran by themselves."""
    session, stderr = record(lab, ["driver_quirks", "finished"], FAKE_GL_NAMES="0")
    equal({(row[ISOLATED], row["gpu_time_ns"]) for row in session.passes}, {("1", "")}, "rows")
    finishes = int(stderr.split("finishes ")[1].split()[0])
    equal(finishes, 2 * len(session.passes), "waits")


def case_columns(lab):
    """Only rows of passes and draws say whether they were serialized."""
    session, _ = record(lab, ["driver_quirks", "annotated"], level="draw")
    for rows in (session.passes, session.table("draws.csv")):
        equal({row[ISOLATED] for row in rows}, {"1"}, "rows")
    for rows in (session.frames, session.table("labels.csv")):
        true(rows and ISOLATED not in rows[0], f"columns {list(rows[0])}")


if __name__ == "__main__":
    main(globals())
