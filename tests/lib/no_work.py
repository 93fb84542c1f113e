"""Recording on a device of tests/lab whose GPU executes nothing: what passprobe may and must say of it."""
import glob
import os
import re
import signal
import subprocess
import time

from harness import equal, true
from simulated_gpu import simulated

LEVELS = ("frame", "pass", "draw")
STILL_S = 0.7  # an application that waits for the GPU still does so after this time
HANG_S = 1  # the same for a driver that waits without asking the kernel (nouveau)
KILLED = 128 + signal.SIGTERM  # passprobe's exit status if SIGTERM killed the application


def waits(log):
    """Does a process wait for the GPU, as its log says?"""
    for path in glob.glob(log + ".*"):
        with open(path, encoding="utf-8") as file:
            if any(line.rstrip() == "wait" for line in file):
                return True
    return False


class Device:
    """A device of tests/lab and the application's driver on top of it."""

    def __init__(self, lab, name, **more):
        self.lab, self.name = lab, name
        self.more = {"DISPLAY": "", "EGL_PLATFORM": "surfaceless", "LAB_MODE": "noop", **more}

    def variables(self, **more):
        return simulated(self.lab, self.name, **{**self.more, **more})

    def run(self, command, **more):
        """Run to the end; the exit status is 0."""
        return self.lab.run(command, **self.variables(**more))

    def record(self, command, *options, **more):
        """Run bare, then under `passprobe record`: same exit status and output. Returns what passprobe says on stderr,
        the session, and the seconds that both took."""
        begin = time.monotonic()
        bare = self.run(command, **more)
        middle = time.monotonic()
        done = self.run(self.recording(*options) + command, **more)
        end = time.monotonic()
        equal(done.stdout, bare.stdout, "what the application prints")
        said = [line for line in done.stderr.splitlines() if line.startswith("passprobe: ")]
        rest = [line for line in done.stderr.splitlines() if not line.startswith(("passprobe: ", "[ passprobe "))]
        equal(rest, bare.stderr.splitlines(), "what application and driver say on stderr")
        return "\n".join(said), self.lab.session(), (middle - begin, end - middle)

    def recording(self, *options):
        """The words in front of an application: `passprobe record`, which says what is missing."""
        return [self.lab.passprobe, "record", "-o", self.lab.path("data"), *options, "--"]

    def never_ends(self, command, status=-signal.SIGTERM, **more):
        """The command, whose GPU never finishes anything, does not end, and ends by SIGTERM with @p status. Returns what was
        said on stderr."""
        variables = self.variables(LAB_MODE="hang", **more)
        env = self.lab.environment(**variables)
        for path in glob.glob(variables["LAB_LOG"] + ".*"):
            os.remove(path)
        # a process group of its own: passprobe and the application both get the signal, as from a terminal
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        begin = time.monotonic()
        while process.poll() is None and time.monotonic() - begin < HANG_S and not waits(variables["LAB_LOG"]):
            time.sleep(0.05)
        try:
            process.wait(STILL_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
        try:
            text = process.communicate(timeout=30)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        equal(process.returncode, status, f"end of {command}: {text}")
        return text


def measured_columns(rows):
    """Columns that a GPU must fill."""
    columns = [name for name in rows[0] if name.split("_ns")[0] in ("gpu_start", "gpu_time", "gpu_busy", "gpu_wait")]
    return columns + [name for name in rows[0] if name.startswith(("pipeline:", "khr:", "amd:", "intel:"))]


def nothing_measured(rows, what):
    """No cell says that the GPU did or counted something, not even 0."""
    true(rows, f"{what}: there are rows")
    columns = measured_columns(rows)
    true("gpu_time_ns" in columns, f"{what}: {columns}")
    for row in rows:
        equal({name: row[name] for name in columns if row[name] != ""}, {}, f"{what}: cells of a GPU that did nothing")


def all_levels(device, command, frames, *options, lost):
    """Frame, pass and draw: rows without values of the GPU, and as many lost times as @p lost says for each level."""
    for level in LEVELS:
        said, session, _ = device.record(command, "-l", level, *options)
        nothing_measured(session.frames, f"{level}: frames.csv")
        equal(len(session.frames), frames, f"{level}: frames")
        if level != "frame":
            nothing_measured(session.passes, f"{level}: passes.csv")
        if level == "draw":
            nothing_measured(session.table("draws.csv"), "draws.csv")
        lost(level, said, session)


def lost_times(level, said, session):
    """All GPU times are reported as missing: they did not arrive, or were 0, which contradicts the CPU's clock."""
    lost = session.lost()
    times = lost.get("times_not_landed", 0) + lost.get("times_rejected", 0)
    brackets = {"frame": len(session.frames), "pass": len(session.passes)}.get(level)
    true(times >= (brackets or len(session.passes)), f"{level}: {lost}")
    true(re.search(rf"{times} GPU times (did not arrive|were rejected).*, 100 % of them", said), f"{level}: {said}")


def lost_all(level, said, session):
    """All GPU times, and of passes and draws also all pipeline statistics."""
    lost_times(level, said, session)
    if level != "frame":
        true(session.lost().get("counters_lost", 0) >= len(session.passes), f"{level}: {session.lost()}")
        true("results of counters did not arrive" in said, f"{level}: {said}")
