"""Counters of the kernel's device files, through everything: a Mali behind a stand-in of kbase in the sample's process,
read at each serialized bracket's ends, in passes.csv and draws.csv as the stand-in counted."""
import os

from harness import Skip, equal, main, true

ACTIVE = 123457


def record(lab, *words, level):
    preload = os.path.join(lab.build, "tests", "libfake-kernel.so")
    if not os.path.exists(preload):
        raise Skip("the stand-in is not built with sanitizers")
    events = "time,mali:MaliGPUCyclesGPUActive,mali:fragment_queue_utilization"
    done = lab.run(lab.record("-l", level, "-e", events, *words) + lab.sample("gl", "--frames", "12"), LD_PRELOAD=preload,
                   FAKE_MALI_ACTIVE=str(ACTIVE))
    equal(done.returncode, 0, done.stderr)
    return lab.session()


def mali(row):
    return {name: value for name, value in row.items() if name.startswith("mali:MaliGPUCyclesGPUActive")}


def case_mali(lab):
    session = record(lab, "--serialize", level="pass")
    measured = 0
    for row in session.passes:
        for name, value in mali(row).items():
            if value:
                equal(int(float(value)), ACTIVE, f"frame {row['frame']}, pass {row['pass']}: {name}")
                measured += 1
    true(measured >= 12, f"{measured} of {len(session.passes)} passes were measured")


def case_mali_draws(lab):
    """The stand-in counts between any two samples: once for a draw; for a pass also between its draws' samples."""
    session = record(lab, "--serialize", level="draw")
    draws = [value for row in session.table("draws.csv") for value in mali(row).values() if value]
    passes = [value for row in session.passes for value in mali(row).values() if value]
    true(draws and passes, f"{len(draws)} draws and {len(passes)} passes were measured")
    equal({int(float(value)) for value in draws}, {ACTIVE}, "clocks of draws")
    equal({int(float(value)) % (2 * ACTIVE) for value in passes}, {ACTIVE}, "clocks of passes")


def case_mali_needs_serialize(lab):
    session = record(lab, level="pass")
    true(not any(value for row in session.passes for value in mali(row).values()),
         "nothing is measured while other work may run")


main(globals())
