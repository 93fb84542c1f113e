#!/usr/bin/env python3
"""The driver's own decoder (INTEL_DEBUG=bat) shows what is in the batches. With counters at level pass: one pair of
MI_REPORT_PERF_COUNT for each pass, the first before the pass's work, the second after it, and no work of another pass
between. All else is as without passprobe: the same work and the same state in the same order.

test_batches.py --build DIR CASE DEVICE"""
import os
import re
import sys

from harness import equal, main, true
from simulated_gpu import SHIFTED, driver, simulated

DEVICE = sys.argv.pop() if len(sys.argv) > 1 else ""
FRAMES = 2
# A counter that needs reports. passprobe leaves khr out where a newer Mesa's counters are wrong.
COUNTER = "oa:VsThreads" if os.environ.get("LAB_MESA") and DEVICE in SHIFTED else "khr:VS Threads Dispatched"
COMMAND = re.compile(r"0x(?:ffff)?([0-9a-f]+):\s+0x[0-9a-f]{8}:\s+(\w+)")
WORD = re.compile(r"0x[0-9a-f]+:\s+0x([0-9a-f]{8}) : Dword (\d+)")
WORK = ("3DPRIMITIVE", "GPGPU_WALKER", "COMPUTE_WALKER")
# What begins a command buffer: passprobe submits one of its own with the application's.
BEGIN = ("PIPELINE_SELECT", "STATE_BASE_ADDRESS")
# Work of each pass of the sample, from its first draw to its last. Clears, copies and resolves are draws of the driver. The
# first, third, fifth and eighth pass are barriers, in which the driver does something or not: Mesa 22.3, and Mesa 25.0.
BARRIERS = {"kbl": (4, 0, 1, 0), "tgl": (0, 0, 0, 0)} if os.environ.get("LAB_MESA") else {"kbl": (4, 0, 1, 1), "tgl": (3, 0, 0, 0)}


def passes():
    first, second, third, fourth = ({"3DPRIMITIVE": n} if n else {} for n in BARRIERS[DEVICE])
    return [first, {"3DPRIMITIVE": 1}, second, {"3DPRIMITIVE": 4}, third, {"walk": 1}, {"3DPRIMITIVE": 1}, fourth,
            {"3DPRIMITIVE": 2}]


class Command:
    """A decoded command: its name and its words."""

    def __init__(self, name):
        self.name, self.words = name, []


def commands(lab, *words):
    """What the driver submitted while the sample ran, decoded. Mesa 25.0 prints a command buffer twice if another one of its
    submission jumps to it: once up to the end of the buffer's memory, and once as a whole."""
    env = simulated(lab, DEVICE, **driver("anv"), INTEL_DEBUG="bat")
    done = lab.run([*words, *lab.sample("vk", "--frames", str(FRAMES))], **env, timeout=60)
    found, printed, current = [], set(), None  # addresses of this submission's commands; the command whose words come
    for line in re.sub(r"\x1b\[[0-9;]*m", "", done.stderr).splitlines():
        begin, word = COMMAND.match(line), WORD.match(line)
        if begin:
            current = None if begin.group(1) in printed else Command(begin.group(2))
            printed.add(begin.group(1))
        if begin and current:
            found.append(current)
        elif word and current and int(word.group(2)) == len(current.words):
            current.words.append(int(word.group(1), 16))
        if begin and begin.group(2) == "MI_BATCH_BUFFER_END":
            printed = set()
    true(len(found) > 100, "the driver prints its batches")
    return found


def is_state(command):
    """State and work of the pipelines: neither a command of the streamer itself nor a flush."""
    return not command.name.startswith("MI_") and command.name != "PIPE_CONTROL"


def same_work(bare, measured):
    """The measured run has the bare run's state and work, in its order; only the beginnings of command buffers are more. Draws
    and walkers are equal in each word that is no address."""
    want, got = [c for c in bare if is_state(c)], [c for c in measured if is_state(c)]
    at = 0
    for command in got:
        if at < len(want) and command.name == want[at].name:
            if command.name == "3DPRIMITIVE":
                equal(command.words, want[at].words, f"words of draw {at}")
            at += 1
        else:
            true(command.name in BEGIN, f"{command.name} was not there without passprobe; next is "
                 + (want[at].name if at < len(want) else "the end"))
    equal(at, len(want), "state and work of the bare run that the measured run has")


def pairs_of(measured):
    """The work between the reports of each pair, and the work outside of all pairs."""
    pairs, outside, current = [], 0, None
    for command in measured:
        kind = "walk" if command.name.endswith("_WALKER") else command.name
        if command.name == "MI_REPORT_PERF_COUNT":
            if current is None:
                current = {}
            else:
                pairs.append(current)
                current = None
        elif command.name in WORK:
            if current is None:
                outside += 1
            else:
                current[kind] = current.get(kind, 0) + 1
    true(current is None, "each report has its partner")
    return pairs, outside


def record(lab, level, *events):
    return commands(lab, *lab.record("-l", level, "-e", ",".join(("time", "pipeline") + events)))


def case_pass(lab):
    bare = commands(lab)
    measured = record(lab, "pass", COUNTER)
    same_work(bare, measured)
    pairs, outside = pairs_of(measured)
    equal(pairs, passes() * FRAMES, "work between the two reports of each pass")
    total = len([c for c in bare if c.name in WORK])
    equal((sum(sum(pair.values()) for pair in pairs), outside), (total, 0), "work inside and outside of brackets")


def case_frame(lab):
    bare = commands(lab)
    measured = record(lab, "frame", COUNTER)
    same_work(bare, measured)
    pairs, outside = pairs_of(measured)
    equal(len(pairs), FRAMES, "pairs of reports, one for each frame")
    equal((sum(sum(pair.values()) for pair in pairs), outside), (len([c for c in bare if c.name in WORK]), 0),
          "work inside and outside of the frames' brackets")


def case_draw(lab):
    """Without counters of the OA unit there is no report; draws are bracketed by queries."""
    bare = commands(lab)
    measured = record(lab, "draw")
    same_work(bare, measured)
    equal(pairs_of(measured)[0], [], "reports without a counter that needs them")


main(globals())
