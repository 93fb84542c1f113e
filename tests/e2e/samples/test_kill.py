"""SIGKILL at a random moment, and right after session.json was rewritten: every file is valid and complete up to at
most the last second, and no file refers to rows that do not exist (session_rules.py)."""
import glob
import os
import random
import signal
import subprocess
import time

import session_rules
from harness import equal, main, need_vulkan, number, true

RUNS = 4


def clock_ns():
    """CLOCK_MONOTONIC, the clock of all times in the files."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def version(path):
    """Values that change when a file is rewritten."""
    try:
        found = os.stat(path)
    except FileNotFoundError:  # the file is being renamed
        return None
    return found.st_ino, found.st_mtime_ns


def waited_ns(group):
    """Time for which the threads of a process group have waited for a processor. On a machine that does nothing else it is
    next to nothing."""
    total = 0
    for path in glob.glob("/proc/[0-9]*/task/*/schedstat"):
        try:
            if os.getpgid(int(path.split("/")[2])) == group:
                with open(path, encoding="ascii") as file:
                    total += int(file.read().split()[1])
        except OSError:  # it has ended
            continue
    return total


def kill_at(lab, which, seconds, out, level="pass", targeted=False):
    """Start recording; kill passprobe and the application together after some time. targeted: and then when
    session.json is rewritten. Returns the moment of the kill, and for how long they waited for a processor."""
    command = lab.record("-e", "time,pipeline", "-l", level, out=out) + lab.sample(which, "--frames", "100000000", "--labels")
    child = subprocess.Popen(command, env=lab.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline = time.monotonic() + 150
        while not os.path.exists(os.path.join(lab.path(out), "session.json")):  # this file appears last
            true(child.poll() is None, "the application runs")
            true(time.monotonic() < deadline, "the session appears")
            time.sleep(0.01)
        waited = waited_ns(child.pid)
        time.sleep(seconds)
        path = os.path.join(lab.path(out), "session.json")
        before = version(path)
        while targeted and version(path) == before:
            true(time.monotonic() < deadline, "session.json is rewritten")
        true(child.poll() is None, "the application still runs")
        waited = waited_ns(child.pid) - waited
    finally:
        when = clock_ns()
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return when, waited


def check(lab, out, when, seconds, waited=0):
    """Frames have no gaps; the rows that a row refers to exist. @return the time from the end of the last frame to the kill,
    without that for which a processor was missing."""
    _, frames = session_rules.check(lab.path(out), clears=True)
    numbers = [int(row["frame"]) for row in frames]
    equal(numbers, list(range(len(numbers))), "frames without gaps")
    age = 0
    if seconds - waited / 1e9 > 1.2:
        true(numbers, "there are frames after more than a second")
        age = when - (number(frames[-1], "cpu_start_ns") + number(frames[-1], "frame_time_ns")) - waited
    told = lab.run([lab.passprobe, "report", lab.path(out)], check=False)
    equal((told.returncode, told.stderr), (0, ""), "report's exit status and stderr")
    return age


def kill(lab, which):
    """Kill at several moments, some right at the start."""
    moments = random.Random(2026)
    ages = []
    for i in range(RUNS):
        seconds = 0.0 if i == 0 else moments.uniform(0.1, 2.6)
        when, waited = kill_at(lab, which, seconds, f"data{i}")
        ages.append(check(lab, f"data{i}", when, seconds, waited))
    true(max(ages) < 1.2e9, f"the last frames ended {ages} ns before the kills")


def targeted(lab, which):
    """The rows that session.json counts are in the files already, at each level."""
    for i, level in enumerate(("frame", "pass", "draw", "draw")):
        when, _ = kill_at(lab, which, 0.3 * i, f"data{i}", level, True)
        check(lab, f"data{i}", when, 0)


def case_gl_targeted(lab):
    """OpenGL."""
    targeted(lab, "gl")


def case_vk_targeted(lab):
    """Vulkan."""
    need_vulkan()
    targeted(lab, "vk")


def case_gl(lab):
    """OpenGL."""
    kill(lab, "gl")


def case_vk(lab):
    """Vulkan."""
    need_vulkan()
    kill(lab, "vk")


main(globals())
