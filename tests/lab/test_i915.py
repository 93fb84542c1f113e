#!/usr/bin/env python3
"""The lab's Intel GPU: it executes what a driver submits, its OA unit keeps the kernel's rules, and each broken rule is named
on stderr and ends the process with a status of its own."""
import os

from harness import equal, main, true
from simulated_gpu import FAULT_STATUS, simulated

# What breaks a rule, and words of the line that says so.
MISUSES = {
    "unknown_handle": "no memory has the handle 99",
    "bad_flags": "flags (0x10000000801)",
    "overlap": "two buffers overlap",
    "unaligned_report": "not aligned to 64 bytes (0x200020)",
    "report_while_off": "while the OA unit is off",
    "write_outside": "no buffer of the submission is at the address (0x202000)",
    "no_command": "not a command (0xffffffff)",
}
RELOCATION_MISUSES = {
    "left_out": "left out a relocation that is needed (0x8)",
    "no_target": "no buffer is a relocation's target (0x2)",
}


def run(lab, case, device="kbl", **more):
    return lab.run([os.path.join(lab.build, "tests", "lab_i915_rules"), case], check=False, **simulated(lab, device, **more))


def case_rules(lab):
    """What a driver may do, works."""
    for case, more in (("executes", {}), ("streams", {}), ("refused", {"LAB_PERF_OPEN_ERRNO": "16"}),
                       ("relocates", {"device": "hsw"})):
        done = run(lab, case, **more)
        equal((done.returncode, done.stderr), (0, ""), case)


def case_misuse(lab):
    """Each broken rule is named once, with the place, and the process does not end with 0."""
    for case, text in {**MISUSES, **RELOCATION_MISUSES}.items():
        done = run(lab, case, "hsw" if case in RELOCATION_MISUSES else "kbl")
        true(text in done.stderr, f"{case}: {text!r} in {done.stderr!r}")
        equal(done.stderr.count("\nlab: 1 rules broken"), 1, f"{case}: {done.stderr}")
        equal(done.returncode, FAULT_STATUS, case)


main(globals())
