"""Faults of known drivers, played by the fake GL below the shim: the application runs as without passprobe, what can be
measured is measured, and the session says what is not."""
import os

from harness import equal, main, true
from shim import preload


def both(lab, case, out, fake, **options):
    """Bare and loaded print the same. @return the session."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_faults"), case]
    env = {f"FAKE_GL_{name}": value for name, value in fake.items()}
    bare = lab.run(program, **env)
    loaded = lab.run(program, **{**preload(lab, out, **options), **env})
    equal(loaded.stdout, bare.stdout, f"{case}: {loaded.stderr}")
    return lab.session(out)


def case_dispatches(lab):
    """freedreno before Mesa 23.3 hangs where a query follows a dispatch: the dispatch is flushed first, and a note says so.
    A newer one is left alone."""
    fake = {"VENDOR": "freedreno", "RENDERER": "FD630"}
    for level in ("frame", "pass", "draw"):
        session = both(lab, "dispatches", level, {**fake, "VERSION": "4.5 (Core Profile) Mesa 22.3.6", "HANGS": "1"},
                       level=level)
        equal([int(row["dispatches"]) for row in session.frames], [3, 4] * 3, f"{level}: dispatches")
        true(all(row["gpu_time_ns"] for row in session.frames), f"{level}: times")
        true(any("query follows a dispatch" in note for note in session.json["devices"][0]["notes"]), "the note")
    session = both(lab, "dispatches", "fixed", {**fake, "VERSION": "4.5 (Core Profile) Mesa 23.3.0"})
    equal(session.json["devices"][0]["notes"], [], "notes of the fixed version")


main(globals())
