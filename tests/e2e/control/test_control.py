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
from harness import Skip, equal, main, need, need_vulkan, true

PATIENCE_S = 150
NOBODY = 65534


class Steered:
    """An application under `passprobe record`, and `passprobe ctl` for it."""

    def __init__(self, lab, command, *options, **env):
        self.lab = lab
        self.env = runtime(lab)
        lab.environment()  # makes the folder that is used without a runtime folder
        self.place = os.path.join(lab.path("tmp"), f"passprobe-{os.geteuid()}") if "XDG_RUNTIME_DIR" in env else folder(lab)
        self.process = subprocess.Popen(lab.record(*options) + command, env=lab.environment(**{**self.env, **env}),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
        atexit.register(self.clean_up)
        found = sleepers if "--paused" in options and "--metrics-socket" not in options else sockets
        self.until(lambda: os.path.isdir(self.place) and found(self.place), "a socket or a page")
        self.pid = found(self.place)[-1]

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
        """Wait until this many more frames have rows. @return the status then."""
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


def sockets(place):
    """Processes that have a socket in a folder."""
    return sorted(int(name[:-len(".sock")]) for name in os.listdir(place) if name.endswith(".sock"))


def sleepers(place):
    """Processes that have the file of a page in a folder."""
    return sorted(int(name[:-len(".asleep")]) for name in os.listdir(place) if name.endswith(".asleep"))


def threads(pid):
    """Names of a process's threads."""
    names = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as file:
            names.append(file.read().strip())
    return names


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


def figures(it):
    """Has the last interval frames, and times of the GPU?"""
    interval = it.status()["interval"]
    return interval and interval["fps"] > 0 and (interval["gpu_busy_ns"] or {"max": 0})["max"] > 0


def no_rows(it):
    """Do 500 more frames pass without a row? Results of earlier frames may come late."""
    before = it.status()
    it.until(lambda: it.status()["next_frame"] > before["next_frame"] + 500, "500 more frames")
    return it.status()["frames"] == before["frames"]


def steer(lab, which, *words, draws=True):
    """Levels, marks, and a time without recording."""
    it = Steered(lab, endless(lab, which, *words))
    status = it.more_frames()
    equal((status["state"], status["level"], status["pid"]), ("recording", "pass", it.pid), "status")
    equal(status["session"], lab.path("data"), "session directory")
    it.until(lambda: figures(it), "figures")
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
    it.until(lambda: no_rows(it), "500 frames of which none is recorded")
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
    # on a busy machine frames end between the mark and the count that the answer has
    true(-1 <= marked - session.json["marks"][0]["frame"] <= 10, f"frame {marked} has the mark: {session.json['marks']}")
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


def case_marks(lab):
    """`ctl mark` names the frame that has the mark. A frame may end between the two, so not each time."""
    it = Steered(lab, lab.sample("gl", "--frames", "100000000", "--size", "1024x1024"))
    it.more_frames(3)
    named = []
    for i in range(9):
        named.append(int(re.search(r"^  mark set in frame (\d+)$", it.ctl("mark", f"mark {i}"), re.M)[1]))
        it.more_frames(1)
    marks = [mark["frame"] for mark in it.end().json["marks"] if "frame" in mark]
    exact = sum(a == b for a, b in zip(named, marks))
    true(exact >= 5, f"frames that were named: {named}, frames with the marks: {marks}")


def case_vk(lab):
    """Vulkan, with command buffers that were recorded once, at level pass."""
    steer(lab, "vk", draws=False)


def case_vk_rerecord(lab):
    """Vulkan, with command buffers that are recorded for each frame."""
    steer(lab, "vk", "--rerecord")


def paused(lab, which, *words, start=("start",)):
    """Nothing is recorded until `start`."""
    it = Steered(lab, endless(lab, which, *words), "--paused")
    status = it.status()
    equal((status["state"], status["level"], status["pid"], "frames" in status), ("asleep", "pass", it.pid, False), "asleep")
    equal(it.ctl("status").strip(), f"{status['application']} (pid {it.pid}): asleep, level pass", "its line")
    it.ctl("stop")
    listing = lab.run([lab.passprobe, "ctl", "status", "--json"], **it.env).stdout
    equal(json.loads(listing), status, "it is found without its number")
    true("asleep" in lab.run(["script", "-qec", f"{lab.passprobe} top --pid {it.pid}", "/dev/null"], check=False,
                             **it.env).stdout, "top says that it has nothing to show")
    time.sleep(0.5)
    true("passprobe" not in threads(it.pid) and not sockets(it.place), "nothing of that has waked it")
    equal(os.listdir(lab.path("data")), [], "nothing is written")
    it.ctl(*start)
    true("passprobe" in threads(it.pid) and not sleepers(it.place), "it is awake")
    it.more_frames()
    equal(it.status()["state"], "recording", "state")
    session = it.end()
    first = min(int(row["frame"]) for row in session.frames)
    true(first > 1, "the first frame with a row")
    equal(session.json["counts"]["not_recorded_frames"], first, "frames that were not recorded")
    counts_are_right(lab, session, which)
    true(session.json["options"]["paused"], "options")


def case_paused_gl(lab):
    """OpenGL."""
    paused(lab, "gl")


def case_paused_vk(lab):
    """Vulkan: the command buffers were recorded while nothing was."""
    paused(lab, "vk", "--rerecord")
    shutil.rmtree(lab.path("data"))
    paused(lab, "vk", start=("toggle",))


def case_asleep_frozen(lab):
    """A process that presents no frame wakes when it does, and the command that waits for it says so."""
    it = Steered(lab, endless(lab, "gl"), "--paused")
    os.kill(it.pid, signal.SIGSTOP)
    equal(it.status()["state"], "asleep", "its status is known")
    done = it.ctl("start", check=False)
    equal((done.returncode, "begins to record when it presents" in done.stderr), (125, True), done.stderr)
    done = it.ctl("mark", "here", check=False)
    equal((done.returncode, "repeat the command then" in done.stderr), (125, True), done.stderr)
    os.kill(it.pid, signal.SIGCONT)
    it.until(lambda: it.status()["state"] == "recording", "the order is carried out")
    it.end()


def case_asleep_name(lab):
    """The name of the application is in no encoding that JSON has."""
    program, *words = endless(lab, "gl")
    name = lab.path("caf\udce9")
    os.symlink(program, name)
    it = Steered(lab, [name, *words], "--paused")
    equal((it.status()["state"], it.status()["application"]), ("asleep", "caf?"), "its status")
    it.kill(signal.SIGKILL)


def case_asleep_watch(lab):
    """`status --watch` prints lines while the application sleeps, and its figures after it has waked."""
    it = Steered(lab, endless(lab, "gl"), "--paused")
    with subprocess.Popen([lab.passprobe, "ctl", "--pid", str(it.pid), "status", "--watch", "100"], stdout=subprocess.PIPE,
                          text=True, env={**os.environ, **it.env}) as watch:
        for _ in range(3):
            true("asleep" in watch.stdout.readline(), "a line of an application that sleeps")
        it.ctl("start")
        line = ""
        while "FPS" not in line:
            line = watch.stdout.readline()
            true(line, "figures of the application after it has waked")
        it.kill(signal.SIGKILL)
        watch.communicate(timeout=PATIENCE_S)
        equal(watch.returncode, 0, "exit status")


def case_asleep_other_commands(lab):
    """Other commands wake a process, too; recording stays paused."""
    it = Steered(lab, endless(lab, "gl"), "--paused")
    it.ctl("level", "draw")
    status = it.status()
    equal((status["state"], status["level"], status["frames"]), ("paused", "draw", 0), "after the level")
    it.end()


def case_asleep_killed(lab):
    """What a killed process leaves is removed by the next `ctl`, and `record` says why there is no frame."""
    it = Steered(lab, endless(lab, "gl"), "--paused")
    os.kill(it.pid, signal.SIGKILL)
    _, errors = it.process.communicate(timeout=PATIENCE_S)
    true("paused from begin to end" in errors, errors)
    equal(sleepers(it.place), [it.pid], "left behind")
    done = lab.run([lab.passprobe, "ctl", "status"], check=False, **it.env)
    equal((done.returncode, "no application" in done.stderr, sleepers(it.place)), (125, True, []), done.stderr)


def case_asleep_container(lab):
    """A process in another IPC namespace, which the command cannot wake, and whose file it does not remove."""
    need("unshare")
    if lab.run(["unshare", "--ipc", "true"], check=False).returncode:
        raise Skip("no namespace of its own is allowed here")
    it = Steered(lab, ["unshare", "--ipc", *endless(lab, "gl")], "--paused")
    for words in ("start",), ("status",):
        done = it.ctl(*words, check=False)
        equal((done.returncode, "another container" in done.stderr), (125, True), done.stderr)
    equal(sleepers(it.place), [it.pid], "its file stays")
    inside = ["nsenter", f"--ipc=/proc/{it.pid}/ns/ipc", lab.passprobe, "ctl", "--pid", str(it.pid), "start"]
    lab.run(inside, **it.env)
    it.more_frames()
    it.end()


def calls(lab, command, frames, **env):
    """System calls of a program's first thread by name, without those of locks, which depend on other threads."""
    log = lab.path("calls")
    lab.run(["strace", "-c", "-U", "calls,name", "-o", log, *command, "--frames", str(frames)], **env)
    with open(log, encoding="utf-8") as file:
        rows = [line.split() for line in file]
    return {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] not in ("futex", "total")}


def no_calls(lab, which, env):
    """More frames of a process that is asleep make no more system calls than more frames without passprobe do."""
    need("strace")
    few, many = 500, 2500
    command = lab.sample(which, "--size", "64x64")
    if lab.run(["strace", "-c", "-o", "/dev/null", "true"], check=False).returncode:
        raise Skip("strace is not allowed here")
    bare = {frames: calls(lab, command, frames) for frames in (few, many)}
    asleep = {frames: calls(lab, command, frames, **env, **runtime(lab), PASSPROBE_PAUSED="1") for frames in (few, many)}
    equal(os.listdir(folder(lab)), [], "it was asleep, and has left no file")
    for name in sorted({*asleep[many], *bare[many]}):
        own = [one[many].get(name, 0) - one[few].get(name, 0) for one in (asleep, bare)]
        true(own[0] <= own[1] + (many - few) / 50, f"{name}: {own[0]} more calls asleep, {own[1]} bare")


def case_no_calls_gl(lab):
    """OpenGL."""
    no_calls(lab, "gl", {"LD_PRELOAD": os.path.join(lab.build, "lib", "libpassprobe-gl.so"), "PASSPROBE": "1"})


def case_no_calls_vk(lab):
    """Vulkan."""
    need_vulkan()
    no_calls(lab, "vk", {"XDG_DATA_DIRS": os.path.join(lab.build, "share") + ":/usr/share", "PASSPROBE": "1"})


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
    true("no application of this user" in fails("status", XDG_RUNTIME_DIR=""), "no runtime folder")
    os.mkdir(lab.path("open"))
    os.chmod(lab.path("open"), 0o755)
    said = fails("status", XDG_RUNTIME_DIR=lab.path("open"))
    true("alone" in said and lab.path("open") + "/passprobe" in said, f"an open folder: {said}")
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


def case_no_runtime(lab):
    """Applications without XDG_RUNTIME_DIR (ssh, sudo, cron, containers) are found, also by a command that has it, and the
    other way round."""
    it = Steered(lab, endless(lab, "gl"), "--paused", **{"XDG_RUNTIME_DIR": ""})
    equal(it.place, os.path.join(lab.path("tmp"), f"passprobe-{os.geteuid()}"), "folder")
    equal(os.stat(it.place).st_mode & 0o777, 0o700, "mode")
    it.ctl("start")
    it.more_frames()
    it.end()
    true(not os.listdir(it.place), "the socket is removed")


def case_no_folder(lab):
    """A paused application that nothing can start says so at its start."""
    lab.environment()  # makes the folder
    os.chmod(lab.path("tmp"), 0o777)
    done = lab.run([lab.passprobe, "record", "-q", "-o", lab.path("none"), "--paused", "--",
                    *lab.sample("gl", "--frames", "5", "--size", "64x64")])
    os.chmod(lab.path("tmp"), 0o700)
    if not os.path.exists("/run/user"):
        true("nothing can start it" in done.stderr and lab.path("tmp") in done.stderr, done.stderr)


def case_several(lab):
    """The newest of several applications is taken, but not by a command that cannot be undone."""
    first = Steered(lab, endless(lab, "gl"))
    second = Steered(lab, endless(lab, "gl"), "-o", lab.path("second"))
    second.until(lambda: len(sockets(folder(lab))) == 2, "the second socket")
    second.pid = [pid for pid in sockets(folder(lab)) if pid != first.pid][0]
    done = lab.run([lab.passprobe, "ctl", "status", "--json"], **second.env)
    equal(json.loads(done.stdout)["pid"], second.pid, "the newest")
    true(str(first.pid) in done.stderr and done.stderr.count("\n") == 1, done.stderr)
    done = lab.run([lab.passprobe, "ctl", "quit"], check=False, **second.env)
    equal((done.returncode, done.stdout), (125, ""), "quit")
    true(f"choose one by --pid: {second.pid} {first.pid}\n" in done.stderr, done.stderr)
    equal(second.status()["state"], "recording", "nothing was sent")
    lab.run([lab.passprobe, "ctl", "--pid", str(first.pid), "quit"], **second.env)
    done = lab.run([lab.passprobe, "ctl", "quit"], **second.env)
    equal(done.stderr, "", "the only one that is left")
    for it in (first, second):
        it.kill(signal.SIGTERM)


def case_killed(lab):
    """The socket of a killed application is removed by the next `ctl`."""
    it = Steered(lab, endless(lab, "gl"))
    it.more_frames()
    it.kill(signal.SIGKILL)
    equal(sockets(folder(lab)), [it.pid], "left behind")
    done = lab.run([lab.passprobe, "ctl", "status"], check=False, **it.env)
    equal((done.returncode, sockets(folder(lab))), (125, []), done.stderr)


def case_frozen(lab):
    """A stopped process executes a command when it continues. The command that waits for it says so."""
    it = Steered(lab, endless(lab, "gl"))
    os.kill(it.pid, signal.SIGSTOP)
    done = it.ctl("stop", check=False)
    equal((done.returncode, "may carry out the command later" in done.stderr), (125, True), done.stderr)
    done = it.ctl("status", check=False)
    equal((done.returncode, "does not answer: " in done.stderr), (125, True), done.stderr)
    os.kill(it.pid, signal.SIGCONT)
    it.until(lambda: it.status()["state"] == "paused", "the command is carried out")
    it.end()


def case_drips(lab):
    """A process that answers byte by byte and never ends its line does not keep `ctl`."""
    env = runtime(lab)
    os.makedirs(folder(lab), 0o700)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.join(folder(lab), f"{os.getpid()}.sock"))
        server.listen()
        ctl = subprocess.Popen([lab.passprobe, "ctl", "--pid", str(os.getpid()), "status"], env=lab.environment(**env),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        client = server.accept()[0]
        with client:
            for _ in range(PATIENCE_S):
                try:
                    client.sendall(b" ")
                except BrokenPipeError: # it does not listen any more
                    break
                time.sleep(1)
    try:
        errors = ctl.communicate(timeout=PATIENCE_S)[1]
    except subprocess.TimeoutExpired:
        ctl.kill()
        errors = ctl.communicate()[1]
    equal((ctl.returncode, "does not answer: " in errors), (125, True), errors)


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
