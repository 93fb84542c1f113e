#!/usr/bin/env python3
"""The lab's DRM core: libdrm finds its device, memory and sync objects keep the kernel's rules, and a broken rule is
named on stderr and ends the process with a status of its own."""
import os

from harness import equal, main, true
from simulated_gpu import FAULT_STATUS, simulated


def run(lab, case, **more):
    return lab.run([os.path.join(lab.build, "tests", "lab_core_rules"), case], check=False,
                   **simulated(lab, "null", **more))


def obeys(lab, case, **more):
    done = run(lab, case, **more)
    equal((done.returncode, done.stderr), (0, ""), case)


def misuses(lab, case, text):
    done = run(lab, case)
    equal(done.returncode, FAULT_STATUS, "exit status of a program that breaks a rule")
    true(text in done.stderr, f"{text!r} in {done.stderr!r}")


def case_devices(lab):
    obeys(lab, "devices")


def case_memory(lab):
    obeys(lab, "memory")


def case_sync(lab):
    obeys(lab, "sync")
    obeys(lab, "sync", LAB_MODE="noop")
    obeys(lab, "sync", LAB_MODE="hang")


def case_misuse_handle(lab):
    misuses(lab, "misuse_handle", "GEM_CLOSE: no memory has the handle 77")


def case_misuse_map(lab):
    misuses(lab, "misuse_map", "8192 bytes at offset")


def case_misuse_ioctl(lab):
    misuses(lab, "misuse_ioctl", "null has no ioctl 0x49")


main(globals())
