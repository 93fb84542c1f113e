"""A session may end at every point: the process is killed before each call that changes a file or in the middle of each
write, or the disk is full from that call on. The files keep the rules of docs/formats/session.md, and report reads
them.

PP_CRASH_SECONDS is the time for each case (10); `all` tests every point."""
import concurrent.futures
import os
import random
import shutil
import subprocess
import time

from session_rules import check
from harness import Skip, equal, main, true

MOST = 100000


def run(lab, name, mode, at, words, **more):
    """Run the application once, in a folder of its own."""
    program = os.path.join(lab.build, "tests", "core_crash_program")
    env = lab.environment(PASSPROBE_OUTPUT=lab.path(name), PASSPROBE_LEVEL="draw", PASSPROBE_QUIET="1", **more)
    return subprocess.run([program, mode, str(at), *words], env=env, capture_output=True, text=True, timeout=60, check=False)


def judge(lab, mode, at, words):
    """Run until the n-th call and check what is left."""
    name = f"{mode}-{at}"
    where = f"{mode} at call {at} {' '.join(words)}"
    done = run(lab, name, mode, at, words)
    if done.returncode == 77:
        raise Skip("the kernel has no seccomp filters")
    # On a loaded machine the collector wakes less often and makes fewer calls, so the last points are not reached.
    if mode != "full" and done.returncode == 0 and int(done.stdout or at) < at:
        shutil.rmtree(lab.path(name))
        return
    # the disk may be full before the session exists
    wanted = (-9,) if mode != "full" else (0, 3)
    true(done.returncode in wanted, f"{where}: exit status {done.returncode} {done.stderr}")
    folder = lab.path(name)
    if not os.path.isdir(folder):
        return
    try:
        about, frames = check(folder)
        if mode == "full" and about:
            true(about["ended"] in ("running", "exit") or "No space left on device" in about["ended"] or
                 "session.json" in about["ended"], about["ended"])
        told = lab.run([lab.passprobe, "report", folder], check=False)
        if about or frames:
            equal((told.returncode, told.stderr), (0, ""), "report's exit status and stderr")
        else:
            true(told.returncode in (0, 125) and "damaged" not in told.stderr, f"report: {told.returncode} {told.stderr}")
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from error
    shutil.rmtree(folder)


def points(last):
    """All points, in an order that is the same each time. The first points are spread over all of them."""
    order = list(range(1, last + 1))
    random.Random(2026).shuffle(order)
    return order


def crash(lab, mode, *words, frames_written=12):
    """As many points as there is time for, several at a time."""
    calls = run(lab, "whole", mode, MOST, words)
    if calls.returncode == 77:
        raise Skip("the kernel has no seccomp filters")
    equal(calls.returncode, 0, f"undisturbed: {calls.stderr}")
    about, frames = check(lab.path("whole"))
    equal((about["ended"], len(frames), about["counts"]["frames"]), ("exit", frames_written, frames_written), "undisturbed")
    true(about["revision"] > 12, f"revision {about['revision']}")
    last = int(run(lab, "count", mode, MOST, [it for it in words if it != "confined"]).stdout)
    true(last > 60, f"{last} calls")
    seconds = os.environ.get("PP_CRASH_SECONDS", "10")
    deadline = time.monotonic() + (float(seconds) if seconds != "all" else 1e9)
    tried = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        order = points(last)
        while order and (time.monotonic() < deadline or not tried):
            batch, order = order[:8], order[8:]
            for it in [pool.submit(judge, lab, mode, at, words) for at in batch]:
                it.result()
            tried += len(batch)
    print(f"{tried} of {last} points")


def case_kill(lab):
    """SIGKILL before the call."""
    crash(lab, "kill")


def case_half(lab):
    """SIGKILL in the middle of a write, or after another call."""
    crash(lab, "half")


def case_full(lab):
    """The disk is full from the call on."""
    crash(lab, "full")


def case_confined_half(lab):
    """A confined application, so that files are replaced in place: SIGKILL in the middle of a write."""
    crash(lab, "half", "confined")


def case_confined_full(lab):
    """A confined application: the disk is full."""
    crash(lab, "full", "confined")


def case_waits_half(lab):
    """Waits end frames, so drafts are written: SIGKILL in the middle of a write."""
    crash(lab, "half", "waits")


def case_waits_full(lab):
    """Waits end frames, so drafts are written: the disk is full."""
    crash(lab, "full", "waits")


def case_late_half(lab):
    """The application presents late, so its waits are one frame with the first present: SIGKILL in the middle of a
    write."""
    crash(lab, "half", "late", frames_written=6)


def case_late_full(lab):
    """The application presents late: the disk is full."""
    crash(lab, "full", "late", frames_written=6)


def fits(lab, size, words):
    """Run with --max-size; the files are no larger, and session.json counts what they hold."""
    name = f"size-{size}-{'-'.join(words)}"
    done = run(lab, name, "kill", MOST, words, PASSPROBE_MAX_SIZE=str(size))
    equal(done.returncode, 0, f"{name}: {done.stderr}")
    about, frames = check(lab.path(name))
    equal(about["counts"]["frames"], len(frames), f"{name}: frames of session.json and of frames.csv")
    size_now = sum(os.path.getsize(os.path.join(lab.path(name), file)) for file in os.listdir(lab.path(name)))
    true(size_now <= size, f"{name}: {size_now} bytes")
    true(about["ended"] == "exit" or "--max-size" in about["ended"], about["ended"])


def case_max_size(lab):
    """--max-size is reached at any frame, with and without drafts."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:  # the application waits for most of its time
        for it in [pool.submit(fits, lab, size, words) for words in ((), ("waits",), ("late",))
                   for size in range(65536, 100000, 512)]:
            it.result()


main(globals())
