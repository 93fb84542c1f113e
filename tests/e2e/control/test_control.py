"""Applications that are steered while they run, by `passprobe ctl` and by their sockets: rows of the frames that were
recorded, and of no others; levels; marks; metrics; who may connect."""
import atexit
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import openmetrics
from harness import Skip, equal, main, need_vulkan, true

PATIENCE_S = 60
NOBODY = 65534


class Steered:
    """An application under `passprobe record`, and `passprobe ctl` for it."""

    def __init__(self, lab, command, *options, **env):
        self.lab = lab
        self.env = runtime(lab)
        self.process = subprocess.Popen(lab.record(*options) + command, env=lab.environment(**self.env, **env),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
        atexit.register(self.clean_up)
        self.until(lambda: os.path.isdir(folder(lab)) and sockets(lab), "a socket")
        self.pid = sockets(lab)[-1]

    def clean_up(self):
        """A test that fails leaves no endless application."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()

    def ctl(self, *words, check=True):
        """Run `passprobe ctl`. @return what it printed."""
        done = self.lab.run([self.lab.passprobe, "ctl", "--pid", str(self.pid), *words], check=check, **self.env)
        return done.stdout if check else done

    def status(self):
        """The status, as JSON."""
        return json.loads(self.ctl("status", "--json"))

    def until(self, condition, what):
        """Wait until a condition holds."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            if self.process.poll() is not None:
                raise AssertionError(f"{what}: the application has ended\n{self.process.stderr.read()}")
            true(time.monotonic() < end, f"{what} in time")
            time.sleep(0.02)

    def more_frames(self, count=20):
        """Wait until so many more frames have rows. @return the status then."""
        before = self.status()["frames"]
        self.until(lambda: self.status()["frames"] >= before + count, f"{count} more frames")
        return self.status()

    def end(self):
        """End profiling, then the application. @return the session."""
        self.ctl("quit")
        self.kill(signal.SIGTERM)
        return self.lab.session()

    def kill(self, how):
        """End the application."""
        os.kill(self.pid, how)
        self.process.communicate(timeout=PATIENCE_S)


def runtime(lab):
    """A private runtime folder."""
    path = lab.path("run")
    os.makedirs(path, 0o700, exist_ok=True)
    os.chmod(path, 0o700)
    return {"XDG_RUNTIME_DIR": path}


def folder(lab):
    """Where the sockets are."""
    return os.path.join(lab.path("run"), "passprobe")


def sockets(lab):
    """Processes that have a socket."""
    return sorted(int(name[:-len(".sock")]) for name in os.listdir(folder(lab)) if name.endswith(".sock"))


def endless(lab, which, *words):
    """A sample that does not end by itself."""
    if which == "vk":
        need_vulkan()
    return lab.sample(which, "--frames", "100000000", "--size", "64x64", *words)


def counts_are_right(lab, session, which):
    """Every frame with passes has the sample's counts."""
    want = lab.expect(which)["passes"]
    for row in session.frames[1:]:
        equal(int(row["draws"]), sum(one["draws"] for one in want), f"frame {row['frame']}: draws")
        if row["level"] != "frame":
            equal(int(row["passes"]), len(want), f"frame {row['frame']}: passes")


def steer(lab, which, *words, draws=True):
    """Levels, marks, and a time without recording."""
    it = Steered(lab, endless(lab, which, *words))
    status = it.more_frames()
    equal((status["state"], status["level"], status["pid"]), ("recording", "pass", it.pid), "status")
    equal(status["session"], lab.path("data"), "session directory")
    true(status["interval"]["fps"] > 0 and status["interval"]["gpu_busy_ns"]["max"] > 0, "figures")
    it.ctl("level", "draw")
    it.more_frames()
    answer = it.ctl("mark", "level", "two,", "loaded")
    marked = int(re.search(r"^  mark set in frame (\d+)$", answer, re.M)[1])
    true(" 1 mark, " in it.ctl("status"), "one mark")
    it.more_frames()
    stopped = it.ctl("stop")
    true("paused" in stopped, stopped)
    last = it.status()["next_frame"]
    it.until(lambda: it.status()["next_frame"] > last + 500, "frames that are not recorded")
    frames = it.status()["frames"]
    time.sleep(0.3)
    equal(it.status()["frames"], frames, "no frame is recorded")
    it.ctl("level", "frame")
    it.ctl("toggle")
    it.more_frames()
    session = it.end()
    levels = [row["level"] for row in sorted(session.frames, key=lambda row: int(row["frame"]))]
    change = [levels.index("pass"), levels.index("draw"), levels.index("frame")]
    equal(change, sorted(change), "order of levels")
    equal(levels, sorted(levels, key=["pass", "draw", "frame"].index), "each level once")
    counts_are_right(lab, session, which)
    fine = {int(row["frame"]) for row in session.frames if row["level"] == "draw"}
    with_draws = {int(row["frame"]) for row in session.table("draws.csv") if row["frame"]}
    equal(with_draws, fine if draws else set(), "frames with rows of draws")
    equal([mark["label"] for mark in session.json["marks"]], ["level two, loaded"], "marks")
    true(abs(session.json["marks"][0]["frame"] - marked) <= 1, f"frame {marked} has the mark: {session.json['marks']}")
    recording = session.json["recording"]
    equal([one["what"] for one in recording["changes"]], ["level", "stop", "level", "start"], "changes")
    numbers = [int(row["frame"]) for row in session.frames]
    missing = set(range(max(numbers))) - set(numbers)
    stop, start = recording["changes"][1]["next_frame"], recording["changes"][3]["next_frame"]
    true(min(missing) in (stop, stop + 1) and max(missing) <= start + 4, f"not recorded: {min(missing)} to {max(missing)}, "
         f"stopped at {stop}, started at {start}")
    equal(len(missing), max(missing) - min(missing) + 1, "one gap")
    true(session.json["counts"]["not_recorded_frames"] == len(missing), "they are counted")
    equal(session.json["dropped"]["frames"], 0, "none was dropped")
    equal(session.json["ended"], "the command quit of the control socket", "how it ended")
    true(session.json["own_cost"]["percent"] < 90, f"the pause is not in {session.json['own_cost']}")


def case_gl(lab):
    """OpenGL."""
    steer(lab, "gl")


def case_vk(lab):
    """Vulkan, with command buffers that were recorded once, at level pass."""
    steer(lab, "vk", draws=False)


def case_vk_rerecord(lab):
    """Vulkan, with command buffers that are recorded for each frame."""
    steer(lab, "vk", "--rerecord")


def paused(lab, which, *words):
    """Nothing is recorded until `start`."""
    it = Steered(lab, endless(lab, which, *words), "--paused")
    it.until(lambda: it.status()["next_frame"] > 200, "frames")
    status = it.status()
    equal((status["state"], status["frames"], status["interval"]), ("paused", 0, None), "paused")
    it.ctl("start")
    it.more_frames()
    session = it.end()
    true(min(int(row["frame"]) for row in session.frames) > 200, "the first frame with a row")
    counts_are_right(lab, session, which)
    true(session.json["options"]["paused"], "options")


def case_paused_gl(lab):
    """OpenGL."""
    paused(lab, "gl")


def case_paused_vk(lab):
    """Vulkan: the command buffers were recorded while nothing was."""
    paused(lab, "vk", "--rerecord")
    shutil.rmtree(lab.path("data"))
    paused(lab, "vk")


def fetch(path, request=b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"):
    """(status line, headers, content) of an answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(PATIENCE_S)
        client.connect(path)
        client.sendall(request)
        data = b""
        while piece := client.recv(65536):
            data += piece
    head, _, content = data.partition(b"\r\n\r\n")
    first, *headers = head.decode().split("\r\n")
    return first, dict(line.split(": ", 1) for line in headers), content


def value(page, family, **labels):
    """The value of a counter's or gauge's series."""
    return [number for _, has, number in page[family]["samples"] if has == labels][0]


def case_metrics(lab):
    """The page of --metrics-socket, by a reader of the format, and by the reference reader where it is installed."""
    path = lab.path("metrics-%p.sock")
    it = Steered(lab, endless(lab, "gl"), "--metrics-socket", path)
    path = path.replace("%p", str(it.pid))
    it.more_frames()
    first, headers, content = fetch(path)
    equal(first, "HTTP/1.0 200 OK", "status")
    equal(headers["Content-Type"], "application/openmetrics-text; version=1.0.0; charset=utf-8", "type")
    equal(int(headers["Content-Length"]), len(content), "length")
    page = openmetrics.parse(content.decode())
    frames = value(page, "passprobe_frames")
    true(frames >= 20, f"{frames} frames")
    draws = sum(one["draws"] for one in lab.expect("gl")["passes"])
    equal(value(page, "passprobe_draws"), frames * draws, "draws")
    equal(value(page, "passprobe_recording"), 1, "recording")
    equal(value(page, "passprobe_level", passprobe_level="pass"), 1, "level")
    equal(sum(number for *_, number in page["passprobe_bound_frames"]["samples"]), frames, "verdicts of all frames")
    try:
        from prometheus_client.openmetrics import parser
        equal({one.name for one in parser.text_string_to_metric_families(content.decode())}, set(page), "families")
    except ImportError:
        print("the reference reader of the format is not installed")
    it.ctl("stop")
    later = openmetrics.parse(fetch(path)[2].decode())
    equal((set(later), value(later, "passprobe_recording")), (set(page), 0), "stopped")
    equal([len(later[name]["samples"]) for name in page], [len(page[name]["samples"]) for name in page], "series")
    equal(fetch(path, b"HEAD / HTTP/1.0\r\n\r\n")[::2], ("HTTP/1.0 200 OK", b""), "HEAD")
    equal(fetch(path, b"GET /x HTTP/1.0\r\n\r\n")[0].split()[1], "404", "another path")
    equal(fetch(path, b"rubbish\r\n")[0].split()[1], "400", "rubbish")
    equal(os.stat(path).st_mode & 0o777, 0o600, "mode")
    it.end()
    true(not os.path.exists(path), "the socket is removed")


def case_never_started(lab):
    """An application that was paused all the time is not to blame: the messages say what to do."""
    command = lab.sample("gl", "--frames", "20", "--size", "64x64")
    for words in ("record", "stat"):
        done = lab.run([lab.passprobe, words, "--paused", "-o", lab.path("none"), "--", *command], **runtime(lab))
        true("paused from begin to end" in done.stderr and "passprobe ctl start" in done.stderr, done.stderr)
        true("doctor" not in done.stderr, done.stderr)
    shown = lab.run([lab.passprobe, "report", lab.path("none")], **runtime(lab)).stdout
    true("paused from begin to end" in shown, shown)
    done = lab.run([lab.passprobe, "doctor", "--", *command], check=False, **runtime(lab), PASSPROBE_PAUSED="1")
    true("paused from begin to end (PASSPROBE_PAUSED" in " ".join(done.stdout.split()), done.stdout)


def case_errors(lab):
    """What `ctl` says when it cannot do what it should."""
    def fails(*words, **env):
        done = lab.run([lab.passprobe, "ctl", *words], check=False, **env)
        equal((done.returncode, done.stdout, done.stderr.count("\n")), (125, "", 1), f"{words}: {done.stderr}")
        return done.stderr

    private = runtime(lab)
    true("no application" in fails("status", **private), "none runs")
    true("not set" in fails("status", XDG_RUNTIME_DIR=""), "no runtime folder")
    os.mkdir(lab.path("open"))
    os.chmod(lab.path("open"), 0o755)
    true("alone" in fails("status", XDG_RUNTIME_DIR=lab.path("open")), "an open folder")
    true("no control socket" in fails("--pid", str(os.getpid()), "status", **private), "not profiled")
    if os.geteuid():
        true("another user" in fails("--pid", "1", "status", **private), "another user's")
    true("no process" in fails("--pid", "2147483647", "status", **private), "no process")
    for words in ((), ("statu",), ("--pid", "0", "status"), ("--pid", "x", "status"), ("--rubbish",), ("start", "--json"),
                  ("status", "--watch", "5"), ("mark", "two\nlines")):
        fails(*words, **private)
    it = Steered(lab, endless(lab, "gl"))
    for words in (("level", "fine"), ("mark",), ("stop", "now"), ("mark", "x" * 1500)):
        done = it.ctl(*words, check=False)
        equal(done.returncode, 125, f"{words}: {done.stderr}")
    equal(it.status()["marks"], 0, "nothing was changed")
    it.end()
    true("no application" in fails("status", **private), "it has ended")


def case_several(lab):
    """The newest of several applications is taken."""
    first = Steered(lab, endless(lab, "gl"))
    second = Steered(lab, endless(lab, "gl"), "-o", lab.path("second"))
    second.until(lambda: len(sockets(lab)) == 2, "the second socket")
    second.pid = [pid for pid in sockets(lab) if pid != first.pid][0]
    done = lab.run([lab.passprobe, "ctl", "status", "--json"], **second.env)
    equal(json.loads(done.stdout)["pid"], second.pid, "the newest")
    true(str(first.pid) in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    for it in (first, second):
        it.kill(signal.SIGTERM)


def case_killed(lab):
    """The socket of a killed application is removed by the next `ctl`."""
    it = Steered(lab, endless(lab, "gl"))
    it.more_frames()
    it.kill(signal.SIGKILL)
    equal(sockets(lab), [it.pid], "left behind")
    done = lab.run([lab.passprobe, "ctl", "status"], check=False, **it.env)
    equal((done.returncode, sockets(lab)), (125, []), done.stderr)


def case_frozen(lab):
    """A process that stands still carries a command out when it goes on. The command that waits for it says so."""
    it = Steered(lab, endless(lab, "gl"))
    os.kill(it.pid, signal.SIGSTOP)
    done = it.ctl("stop", check=False)
    equal((done.returncode, "may carry out the command later" in done.stderr), (125, True), done.stderr)
    done = it.ctl("status", check=False)
    equal((done.returncode, "does not answer: " in done.stderr), (125, True), done.stderr)
    os.kill(it.pid, signal.SIGCONT)
    it.until(lambda: it.status()["state"] == "paused", "the command is carried out")
    it.end()


def case_watch(lab):
    """`status --watch` prints a line for each interval until the application ends."""
    it = Steered(lab, endless(lab, "gl"))
    it.more_frames()
    watch = subprocess.Popen([lab.passprobe, "ctl", "status", "--json", "--watch", "100"], env=lab.environment(**it.env),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = [json.loads(watch.stdout.readline()) for _ in range(4)]
    true(all(one["now_ns"] < next_one["now_ns"] for one, next_one in zip(lines, lines[1:])), "times")
    true(any(one["interval"] for one in lines), "figures")
    text = lab.run([lab.passprobe, "ctl", "status"], **it.env).stdout
    equal(len(text.splitlines()), 4, text)
    it.end()
    rest, errors = watch.communicate(timeout=PATIENCE_S)
    equal((watch.returncode, errors), (0, ""), "the end of the application")
    equal(json.loads(rest.splitlines()[-1])["state"], "ended", "the last line")


def case_other_user(lab):
    """Another user cannot connect, not even if the files' modes let it."""
    if os.geteuid() != 0:
        raise Skip("needs root, to become another user")
    it = Steered(lab, endless(lab, "gl"))
    path = os.path.join(folder(lab), f"{it.pid}.sock")
    code = ("import os, socket, sys\nos.setgid(65534)\nos.setuid(65534)\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(30)\n"
            "try:\n    s.connect(sys.argv[1])\n    s.sendall(b'status\\n')\n    print('got', len(s.recv(100)))\n"
            "except OSError as error:\n    print(type(error).__name__)\n")
    client = [sys.executable, "-c", code, path]
    equal(subprocess.run(client, capture_output=True, text=True, check=True).stdout, "PermissionError\n", "by the modes")
    for place in (lab.scratch, lab.path("run"), folder(lab), path):
        os.chmod(place, 0o777)
    answer = subprocess.run(client, capture_output=True, text=True, check=True).stdout
    true(answer in ("got 0\n", "ConnectionResetError\n", "BrokenPipeError\n"), f"by the process: {answer}")
    for place in (lab.scratch, lab.path("run"), folder(lab)):
        os.chmod(place, 0o700)
    equal(it.status()["state"], "recording", "its user can")
    it.end()


if __name__ == "__main__":
    main(globals())
