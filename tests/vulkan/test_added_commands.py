"""What the layer adds to an application's submissions, compared with the same queries by hand: the fake driver counts
what runs."""
import os
import re

from harness import equal, fail, main
from layer import LayerLab

NAMES = ("buffers", "resets", "timestamps", "queries", "copies", "draws")
FRAMES = 20 + 8       # frames that are measured, and warm-up frames
SLOTS = 2             # command buffers of the load, which alternate
BIAS = 2 * 101        # timestamps of empty brackets, once for each device


def totals(out):
    """Numbers of executed commands by name, from the driver."""
    found = re.search("fake: totals: " + ", ".join(r"(\d+) " + name for name in NAMES), out)
    if not found or "VIOLATION" in out:
        fail(out)
    return dict(zip(NAMES, map(int, found.groups())))


def case_load(lab):
    """The load of bench/, which can make the same queries by hand."""
    lab.fake_driver()
    load = [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "42", "--passes", "4", "--frames", "20"]
    for level in "pass", "draw":
        by_hand = totals(lab.run(load + ["--query", level], FAKE_VK="totals"))
        ours = totals(lab.run(load, "s-" + level, FAKE_VK="totals", PASSPROBE_LEVEL=level,
                              PASSPROBE_EVENTS="time,pipeline"))
        equal(by_hand["buffers"], FRAMES, "command buffers by hand")
        equal(ours["draws"], by_hand["draws"], level + ": draws")
        equal(ours["queries"], by_hand["queries"], level + ": statistics queries")
        equal(ours["timestamps"], by_hand["timestamps"] + BIAS, level + ": timestamps")
        equal(ours["copies"], 0, level + ": copies by the GPU")
        # The second recording knows how many queries a command buffer takes: from then on the buffer resets its queries
        # itself.
        equal(ours["buffers"], FRAMES + SLOTS, level + ": command buffers")
        if ours["resets"] > by_hand["resets"] + 2 * SLOTS + 1:
            fail("%s: %d resets, %d by hand" % (level, ours["resets"], by_hand["resets"]))
        rows = lab.rows("s-" + level, {"pass": "passes", "draw": "draws"}[level])
        equal(len(rows), FRAMES * (4 if level == "pass" else 42), level + ": rows")
        equal([row for row in rows if not row["gpu_time_ns"]], [], level + ": rows without a time")


def case_shared(lab):
    """Times of passes and draws without statistics. Where two brackets meet, one timestamp does for both: that is less than by
    hand."""
    lab.fake_driver()
    load = [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "42", "--passes", "4", "--frames", "20"]
    for level, shared in ("pass", 3), ("draw", 3 + 42 - 4):
        by_hand = totals(lab.run(load + ["--query", level + "-time"], FAKE_VK="totals"))
        added = totals(lab.run(load, "t-" + level, FAKE_VK="totals", PASSPROBE_LEVEL=level, PASSPROBE_EVENTS="time"))
        equal(added["timestamps"], by_hand["timestamps"] + BIAS - FRAMES * shared, level + ": timestamps")
        equal((added["queries"], added["copies"]), (0, 0), level + ": statistics queries, and copies by the GPU")
        equal(added["buffers"], FRAMES + SLOTS, level + ": command buffers")
        rows = lab.rows("t-" + level, {"pass": "passes", "draw": "draws"}[level])
        equal(len(rows), FRAMES * (4 if level == "pass" else 42), level + ": rows")
        equal([row for row in rows if not row["gpu_time_ns"]], [], level + ": rows without a time")


def case_frames(lab):
    """At level frame a command buffer has the two timestamps that are written by hand, and nothing is submitted around it but
    the empty brackets of the first submission."""
    lab.fake_driver()
    load = [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "42", "--passes", "4", "--frames", "20"]
    for more in [], ["--keepable"]:
        by_hand = totals(lab.run(load + more + ["--query", "frame"], FAKE_VK="totals"))
        added = totals(lab.run(load + more, "f", FAKE_VK="totals", PASSPROBE_LEVEL="frame"))
        equal(added["timestamps"], by_hand["timestamps"] + BIAS, "timestamps")
        equal(added["resets"], by_hand["resets"] + 1, "resets")
        equal((added["queries"], added["copies"]), (0, 0), "statistics queries, and copies by the GPU")
        equal(added["buffers"], FRAMES + 1, "command buffers")
        equal([row for row in lab.rows("f", "frames") if not row["gpu_time_ns"]], [], "frames without a time")


if __name__ == "__main__":
    main(globals(), LayerLab)
