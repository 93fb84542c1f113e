"""SIGKILL at a random moment: every file is valid and complete up to at most the last second."""
import os
import random
import signal
import subprocess
import time

from harness import equal, main, need_vulkan, number, true

RUNS = 4


def clock_ns():
    """CLOCK_MONOTONIC, the axis of all times in the files."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def kill_at(lab, which, seconds, out):
    """Start recording, kill passprobe and program together after some time. Returns when that was."""
    command = lab.record("-e", "time,pipeline", out=out) + lab.sample(which, "--frames", "100000000", "--labels")
    child = subprocess.Popen(command, env=lab.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while not os.path.exists(os.path.join(lab.path(out), "session.json")):  # the last file to appear
            true(child.poll() is None, "the program runs")
            true(time.monotonic() < deadline, "the session appears")
            time.sleep(0.01)
        time.sleep(seconds)
        true(child.poll() is None, "the program still runs")
    finally:
        when = clock_ns()
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    return when


def check(session, when, seconds):
    """Frames without gaps, complete up to a second before the kill; passes of each; session.json readable."""
    numbers = [int(row["frame"]) for row in session.frames]
    equal(numbers, list(range(len(numbers))), "frames without gaps")
    age = 0
    if seconds > 1.2:
        true(numbers, "there are frames after more than a second")
        last = session.frames[-1]
        age = when - (number(last, "cpu_start_ns") + number(last, "frame_time_ns"))
        print(f"the last frame ended {age / 1e9:.2f} s before the kill")
        true(age < 10e9, f"the last frame ended {age / 1e9:.2f} s before the kill")
    of_frame = {}
    for row in session.passes:
        of_frame.setdefault(row["frame"], []).append(row["pass"])
    for row in session.frames[:-1]:
        wanted = [str(i) for i in range(number(row, "passes"))]
        equal(of_frame.get(row["frame"], []), wanted, f"passes of frame {row['frame']}")
    return age


def kill(lab, which):
    """Several moments, among them right at the start."""
    moments = random.Random(2026)
    ages = []
    for i in range(RUNS):
        seconds = 0.0 if i == 0 else moments.uniform(0.1, 2.6)
        when = kill_at(lab, which, seconds, f"data{i}")
        ages.append(check(lab.session(f"data{i}"), when, seconds))
    # a machine that is busy with other things may stop all of us for a second once, not every time
    true(sorted(ages)[-2] < 1.2e9, f"the last frames ended {ages} ns before the kills")


def case_gl(lab):
    """OpenGL."""
    kill(lab, "gl")


def case_vk(lab):
    """Vulkan."""
    need_vulkan()
    kill(lab, "vk")


main(globals())
