"""Sources that count the whole GPU, in Vulkan: read around serialized submissions that hold one pass, and exact there; of
submissions that hold more, and without --serialize, nothing is said."""
import os

from harness import Skip, equal, main, true

ACTIVE = 123457
COLUMN = "mali:MaliGPUCyclesGPUActive_cycles"
FRAMES = 12


def record(lab, *words, level, passes, draws):
    preload = os.path.join(lab.build, "tests", "libfake-kernel.so")
    load = os.path.join(lab.build, "bin", "passprobe-load-vk")
    if not os.path.exists(preload):
        raise Skip("the stand-in is not built with sanitizers")
    if not os.path.exists(load):
        raise Skip("the load of the bench is not built")
    done = lab.run(lab.record("-l", level, "-e", "time,mali:MaliGPUCyclesGPUActive", "--frame-on", "submit", *words) +
                   [load, "--passes", str(passes), "--draws", str(draws), "--frames", str(FRAMES)],
                   LD_PRELOAD=preload, FAKE_MALI_ACTIVE=str(ACTIVE))
    equal(done.returncode, 0, done.stderr)
    return lab.session()


def measured(rows):
    return [int(float(row[COLUMN])) for row in rows if row[COLUMN]]


def case_passes(lab):
    session = record(lab, "--serialize", level="pass", passes=1, draws=3)
    values = measured(session.passes)
    true(len(values) >= FRAMES, f"{len(values)} of {len(session.passes)} passes were measured")
    equal(set(values), {ACTIVE}, "clocks of passes")
    equal(set(measured(session.frames)), {ACTIVE}, "clocks of frames, which are one pass each")


def case_draws(lab):
    session = record(lab, "--serialize", level="draw", passes=1, draws=1)
    values = measured(session.table("draws.csv"))
    true(len(values) >= FRAMES, f"{len(values)} draws were measured")
    equal(set(values), {ACTIVE}, "clocks of draws")
    equal(set(measured(session.passes)), {ACTIVE}, "clocks of passes, which are one draw each")


def case_several(lab):
    """Of a pass's several draws the pass alone is known; of a submission's several passes none."""
    session = record(lab, "--serialize", level="draw", passes=1, draws=3)
    equal(measured(session.table("draws.csv")), [], "clocks of draws")
    equal(set(measured(session.passes)), {ACTIVE}, "clocks of passes")
    session = record(lab, "--serialize", level="draw", passes=2, draws=4)
    equal(measured(session.passes) + measured(session.table("draws.csv")), [], "clocks of passes that share a submission")


def case_held(lab):
    """A submission that waits for the host ends after the layer gave up waiting: its clocks are lost, those before stay."""
    preload = os.path.join(lab.build, "tests", "libfake-kernel.so")
    if not os.path.exists(preload):
        raise Skip("the stand-in is not built with sanitizers")
    lab.run(lab.record("-l", "pass", "-e", "time,mali:MaliGPUCyclesGPUActive", "--frame-on", "submit", "--serialize") +
            [os.path.join(lab.build, "tests", "layer-walk")], LD_PRELOAD=preload, FAKE_MALI_ACTIVE=str(ACTIVE), WALK_CASES="held")
    session = lab.session()
    equal([row[COLUMN] and int(float(row[COLUMN])) for row in session.passes], [ACTIVE, "", ""], "clocks of passes")
    said = [missing for device in session.json["devices"] for missing in device["events_missing"]]
    true(any(missing["event"] == "serialize" for missing in said), f"the session says so: {said}")


def case_needs_serialize(lab):
    session = record(lab, level="pass", passes=1, draws=3)
    equal(measured(session.passes), [], "clocks while other work may run")


main(globals())
