"""Debian's nouveau OpenGL driver on a simulated Maxwell GPU that executes nothing: it comes up, passprobe finds its counters,
and results that never come leave the application alone and are reported as missing."""
import re

from harness import equal, main, need_file, true
from no_work import KILLED, Device, all_levels, lost_all, lost_times, nothing_measured

DRI = "/usr/lib/x86_64-linux-gnu/dri/nouveau_dri.so"
FRAMES = 4
# The driver offers OpenGL 4.3. The sample needs functions of 4.5, which the driver has.
GL45 = {"MESA_GL_VERSION_OVERRIDE": "4.5", "MESA_GLSL_VERSION_OVERRIDE": "450"}
COUNTERS = ("active_warps", "inst_executed", "active_cycles")


def nouveau(lab, **more):
    need_file(DRI, "nouveau's OpenGL driver")
    return Device(lab, "gm204", NOUVEAU_DISABLE_FENCES="true", **GL45, **more)


def gl(lab, *words):
    return lab.sample("gl", "--frames", str(FRAMES), *words)


def case_list(lab):
    shown = nouveau(lab).run([lab.passprobe, "list"]).stdout
    true(re.search(r"OpenGL \(EGL\) +NV124$", shown, re.MULTILINE), shown)
    true(re.search(r"^    MP counters: 36 counters, \d+ at a time$", shown, re.MULTILINE), shown)


def case_levels(lab):
    all_levels(nouveau(lab), gl(lab), FRAMES, lost=lost_all)
    all_levels(nouveau(lab), gl(lab, "--es"), FRAMES, lost=lost_times)


def case_amd(lab):
    """Counters of the shader processors: planned, and each is reported as missing."""
    events = ",".join("amd:" + name for name in COUNTERS)
    for level in ("pass", "draw"):
        said, session, _ = nouveau(lab).record(gl(lab), "-l", level, "-e", events)
        got = [event for event in session.json["devices"][0]["events_got"] if event.startswith("amd:")]
        equal(sorted(got), sorted(events.split(",")), "planned events")
        nothing_measured(session.passes, "passes.csv")
        true("not measured: some results of amd: the driver did not deliver the results in time" in said, said)
        true(session.lost().get("counters_lost", 0) > 0, str(session.lost()))


def case_hang(lab):
    """Fences that never signal: the application waits for ever, bare and under passprobe, and both end by SIGTERM."""
    device = nouveau(lab)
    device.never_ends(gl(lab), NOUVEAU_DISABLE_FENCES="false")
    said = device.never_ends(device.recording() + gl(lab), KILLED, NOUVEAU_DISABLE_FENCES="false")
    true("was killed by SIGTERM" in said and "no data from" in said, said)


if __name__ == "__main__":
    main(globals())
