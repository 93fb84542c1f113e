"""Where the session goes: recording by variables without the command, output that cannot be written, several recordings
at once, names with special characters."""
import glob
import os
import re
import shutil
import stat
import subprocess
import time

import session_rules
from harness import Skip, equal, main, need, need_vulkan, true

WORDS = ("--frames", "6")


def shim(lab):
    """The OpenGL shim's path."""
    found = glob.glob(os.path.join(lab.build, "lib*", "**", "libpassprobe-gl.so"), recursive=True)
    true(found, "the shim lies in the build folder")
    return found[0]


def by_variables(lab, which):
    """Set variables as launchers do, without the command."""
    lab.run(lab.record(out="one") + lab.sample(which, *WORDS))
    env = {"PASSPROBE_OUTPUT": lab.path("two"), "PASSPROBE_QUIET": "1", "PASSPROBE_EVENTS": "time,pipeline"}
    if which == "gl":
        env["LD_PRELOAD"] = shim(lab)
    else:
        manifest = glob.glob(os.path.join(lab.build, "**", "implicit_layer.d", "*.json"), recursive=True)
        true(manifest, "the layer's manifest lies in the build folder")
        env["XDG_DATA_HOME"] = os.path.dirname(os.path.dirname(os.path.dirname(manifest[0])))
        lab.run(lab.sample(which, *WORDS), **env)
        equal(os.path.exists(lab.path("two")), False, "without PASSPROBE=1 nothing is written")
        env["PASSPROBE"] = "1"
    done = lab.run(lab.sample(which, *WORDS), **env)
    equal(done.stderr, "", "quiet")
    one, two = lab.session("one"), lab.session("two")
    for row, other in zip(one.passes, two.passes, strict=True):
        for column in ("frame", "pass", "pass_id", "name", "attachments", "draws",
                       "pipeline:vertex_shader_invocations"):
            equal(other[column], row[column], f"{column} by variables")
    last_line(lab, which, {name: value for name, value in env.items() if name != "PASSPROBE_QUIET"})


def last_line(lab, which, env):
    """Without the command, the application ends with one line: where its session is, or why there is none."""
    folder = os.path.join(lab.path("run"), "passprobe")
    os.makedirs(lab.path("run"), 0o700)

    def said(text, *words, **more):
        done = lab.run(words or lab.sample(which, *WORDS), check=False, **{**env, **more})
        lines = done.stderr.splitlines()
        true(len(lines) == 1 and re.search(text, lines[0]), f"{text}: {done.stderr}")

    said(rf"[67] frames in '{lab.path('three')}' \[PP-3475\]$", PASSPROBE_OUTPUT=lab.path("three"))
    said(r"nothing was recorded: it was paused from begin to end; .*`passprobe ctl start`", PASSPROBE_PAUSED="1",
         PASSPROBE_OUTPUT=lab.path("four"), XDG_RUNTIME_DIR=lab.path("run"))
    equal((os.path.exists(lab.path("four")), os.listdir(folder)), (False, []), "a paused application leaves nothing")
    said("nothing was recorded: no frame ended", PASSPROBE_FRAME_ON="marker", PASSPROBE_OUTPUT=lab.path("five"))
    quiet = {**env, "PASSPROBE_QUIET": "1", "PASSPROBE_OUTPUT": lab.path("six")}
    equal(lab.run(lab.sample(which, *WORDS), **quiet).stderr, "", "quiet")


def case_gl_variables(lab):
    """LD_PRELOAD."""
    by_variables(lab, "gl")


def case_vk_variables(lab):
    """PASSPROBE=1 and the manifest."""
    need_vulkan()
    by_variables(lab, "vk")


def threads_of(lab, command, enough, **env):
    """Names of the threads of a running process in which the driver's exist, and this many of passprobe's."""
    child = subprocess.Popen(command, env=lab.environment(**env), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline, names, seen = time.monotonic() + 150, [], 0
        while seen < 2:
            true(time.monotonic() < deadline and child.poll() is None, "the application runs")
            time.sleep(0.3)
            names = []
            for folder in glob.glob("/proc/[0-9]*"):
                try:
                    if os.getpgid(int(folder[6:])) != child.pid:
                        continue
                    for comm in glob.glob(folder + "/task/*/comm"):
                        with open(comm, encoding="utf-8") as file:
                            names.append(file.read().strip())
                except OSError:
                    continue
            seen += any(name.startswith("llvmpipe-") for name in names) and names.count("passprobe") >= enough
        return names
    finally:
        os.killpg(child.pid, 9)
        child.wait()


def case_threads(lab):
    """Enabled, passprobe has one thread, called passprobe. Disabled, it has none."""
    for which in "gl", "vk":
        if which == "vk":
            need_vulkan()
        command = lab.record() + lab.sample(which, "--frames", "100000000")
        launcher = 1  # the command itself has this name, and waits
        equal(threads_of(lab, command, 1 + launcher).count("passprobe"), 1 + launcher, f"{which}: threads called passprobe")
        shutil.rmtree(lab.path("data"))
        names = threads_of(lab, command, launcher, PASSPROBE_DISABLE="1")
        equal(names.count("passprobe"), launcher, f"{which}, disabled: threads called passprobe")
        wrote = os.listdir(lab.path("data")) if os.path.exists(lab.path("data")) else []
        equal(wrote, [], f"{which}, disabled: nothing is written")


def unprofiled(lab, which, **env):
    """The application runs as usual although it cannot be profiled: same stdout and exit status, one line on stderr."""
    command = lab.sample(which, *WORDS)
    bare = lab.run(command)
    done = lab.run(command, LD_PRELOAD=shim(lab), **env)
    equal(done.stdout, bare.stdout, "stdout")
    lines = done.stderr.splitlines()
    equal(len(lines), 1, f"lines on stderr: {lines}")
    true("passprobe" in lines[0], f"it says who speaks: {lines[0]}")
    return lines[0]


def case_unwritable(lab):
    """The output directory is below a file, or in a folder without write permission, or is a file."""
    with open(lab.path("file"), "w", encoding="utf-8") as file:
        file.write("mine")
    for place in lab.path("file/below"), "/proc/nothing":
        true(place in unprofiled(lab, "gl", PASSPROBE_OUTPUT=place), f"{place} is named")
    unprofiled(lab, "gl", PASSPROBE_OUTPUT=lab.path("file"))
    with open(lab.path("file"), encoding="utf-8") as file:
        equal(file.read(), "mine", "a file that lies in the way is left alone")


def case_bad_settings(lab):
    """An unknown key or a bad value is reported with its place; passprobe stays off."""
    for name, value in (("PASSPROBE_LEVEL", "deep"), ("PASSPROBE_EVENTS", "nothing:here"),
                        ("PASSPROBE_FRAMES", "9-3"), ("PASSPROBE_LEVLE", "pass")):
        line = unprofiled(lab, "gl", PASSPROBE_OUTPUT=lab.path("none"), **{name: value})
        true(name in line, f"{name} is named in {line!r}")
        equal(os.path.exists(lab.path("none")), False, "nothing is written")


def case_full_disk(lab):
    """The disk fills up: one message, the application continues, and the files are valid."""
    inside = lab.path("disk")
    os.mkdir(inside)
    mount = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
             'mount -t tmpfs -o size=400k none "$0" || exit 99; "$@"; rc=$?; cp -r "$0/data" "$0.copy"; exit $rc', inside]
    if lab.run(mount[:4] + ["sh", "-c", 'mount -t tmpfs none "$0"', inside], check=False).returncode:
        raise Skip("no mounts in a user namespace here")
    command = lab.sample("gl", "--frames", "3000", "--size", "64x64")
    bare = lab.run(command)
    done = lab.run(mount + lab.record(out="disk/data") + command, check=False)
    equal((done.returncode, done.stdout), (0, bare.stdout), "status and stdout")
    equal(len(done.stderr.splitlines()), 1, f"one line on stderr: {done.stderr!r}")
    session = lab.session("disk.copy")
    true(0 < len(session.frames) < 3000, f"{len(session.frames)} frames fitted")
    equal([int(row["frame"]) for row in session.frames], list(range(len(session.frames))), "frame numbers")
    true("No space left on device" in session.json["ended"], session.json["ended"])
    session_rules.check(lab.path("disk.copy"), clears=True)


def case_file_limit(lab):
    """The application has a limit for the size of files: one message, the application continues, and no file refers to
    rows that do not exist."""
    for level in "pass", "draw":
        program = lab.sample("gl", "--frames", "3000", "--size", "64x64")
        done = lab.run(lab.record("-l", level, out=level) + ["sh", "-c", 'ulimit -f 300; exec "$@"', "sh", *program], check=False)
        equal(done.returncode, 0, "exit status")
        equal(done.stderr.count("File too large"), 1, f"reported once: {done.stderr!r}")
        about, rows = session_rules.check(lab.path(level), clears=True)
        true(0 < len(rows) < 3000, f"{len(rows)} frames fitted")
        true("File too large" in about["ended"], about["ended"])


def planted(lab, name, plant):
    """Another process puts a file in place of session.json's spare while the application runs."""
    command = lab.record(out=name) + lab.sample("gl", "--frames", "1500", "--size", "64x64")
    spare, own = lab.path(f"{name}/session.json.new"), lab.path(f"{name}/session.json")
    child = subprocess.Popen(command, env=lab.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not os.path.exists(own):
            true(time.monotonic() < deadline and child.poll() is None, "the session begins")
        while True:  # the names may change in between
            if os.path.lexists(spare):
                os.unlink(spare)
            try:
                plant(spare)
                break
            except FileExistsError:
                continue
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    equal((child.returncode, said), (0, ""), "exit status and stderr")
    session = lab.session(name)
    equal((session.json["ended"], len(session.frames)), ("exit", 1500), "the session's end")
    return spare


def case_planted(lab):
    """A FIFO does not block the collector; a file of another owner is not written; a link is not followed."""
    true(stat.S_ISFIFO(os.lstat(planted(lab, "fifo", os.mkfifo)).st_mode), "the FIFO is left alone")

    def write(path):
        with open(path, "x", encoding="utf-8") as file:
            file.write("theirs")
    with open(planted(lab, "file", write), encoding="utf-8") as file:
        equal(file.read(), "theirs", "a foreign file")
    write(lab.path("target"))
    planted(lab, "link", lambda path: os.symlink(lab.path("target"), path))
    with open(lab.path("target"), encoding="utf-8") as file:
        equal(file.read(), "theirs", "the link's target")


def max_size(lab, which):
    """Profiling that ends in the middle of a frame leaves the application's context as it was. Repeated, because a
    fault shows in some runs only."""
    command = lab.sample(which, "--frames", "600", "--size", "64x64")
    bare = lab.run(command)
    for _ in range(6):
        done = lab.run(lab.record("--max-size", "150K") + command, check=False)
        equal((done.returncode, done.stdout, done.stderr), (0, bare.stdout, ""), "status, stdout and stderr")
        session = lab.session()
        true(0 < len(session.frames) < 600, f"{len(session.frames)} frames fitted")
        equal([int(row["frame"]) for row in session.frames], list(range(len(session.frames))), "frame numbers")
        true("max-size" in session.json["ended"], session.json["ended"])


def case_gl_max_size(lab):
    """OpenGL: no query of passprobe stays active."""
    max_size(lab, "gl")


def case_vk_max_size(lab):
    """Vulkan: command buffers that were recorded with queries can still be submitted."""
    need_vulkan()
    max_size(lab, "vk")


def case_two_at_once(lab):
    """Two recordings into one directory: both run, and no rows are mixed or lost."""
    command = lab.record() + lab.sample("gl", "--frames", "400", "--size", "64x64")
    both = [subprocess.Popen(command, env=lab.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [child.communicate(timeout=110) for child in both]
    equal([child.returncode for child in both], [0, 0], f"exit status: {told}")
    folders = sorted(name for name in os.listdir(lab.scratch) if name.startswith("data"))
    equal(len(folders), 2, f"two sessions: {folders}")
    for name in folders:
        equal(len(lab.session(name).frames), 400, f"frames of {name}")


def case_exec(lab):
    """A shell that becomes the application by exec, and a shell that runs two applications."""
    program = " ".join(lab.sample("gl", *WORDS))
    lab.run(lab.record() + ["sh", "-c", f"exec {program}"])
    equal(len(lab.session().frames), 6, "frames through exec")
    lab.run(lab.record(out="two") + ["sh", "-c", f"{program} && {program}"])
    folders = [name for name in os.listdir(lab.scratch) if name.startswith("two")]
    equal(sorted(len(lab.session(name).frames) for name in folders), [6, 6], f"frames of two applications: {folders}")


def case_names(lab):
    """Labels with all characters that are special in a CSV file are read back unchanged."""
    for prefix in 'a,b "c" ', "line\nbreak\r\n", "\u00fc\u2192\U0001f642;", "=1+1\t", "   ":
        for which in "gl", "vk":
            if which == "vk" and not os.path.exists("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"):
                continue
            words = [*WORDS, "--labels", "--label-prefix", prefix]
            lab.run(lab.record() + lab.sample(which, *words))
            want = [prefix + it["label"] for it in lab.expect(which, *words)["passes"]]
            session = lab.session()
            for frame in session.frames[1:]:
                equal([row["label"] for row in session.passes_of(frame["frame"])], want, f"{which} labels")
            equal(session.json["program"]["command"][-1], prefix, "the command line in session.json")


def case_locale(lab):
    """A locale with a decimal comma changes nothing in the files."""
    need("localedef")
    os.mkdir(lab.path("locale"))
    lab.run(["localedef", "-c", "-i", "de_DE", "-f", "UTF-8", lab.path("locale/de_DE.UTF-8")], check=False)
    env = {"LOCPATH": lab.path("locale"), "LC_ALL": "de_DE.UTF-8"}
    if not os.path.isdir(lab.path("locale/de_DE.UTF-8")) or "," not in lab.run(["printf", "%.1f", "0,5"], **env).stdout:
        raise Skip("no locale with a decimal comma can be made")
    lab.run(lab.record() + lab.sample("gl", *WORDS), **env)
    session = lab.session()
    equal(len(session.frames), 6, "frames")
    equal(session.json["devices"][0]["timestamp_tick_ns"], 1.0, "a number with decimals in session.json")


def case_default_folder(lab):
    """Without an option the session goes to the user's data folder. A percent sign in its name is no template."""
    data = lab.path("100%/x%t")
    done = lab.run(lab.sample("gl", *WORDS), LD_PRELOAD=shim(lab), XDG_DATA_HOME=data)
    names = os.listdir(data + "/passprobe")
    equal(len(names), 1, f"sessions: {names}, {done.stderr!r}")
    equal(len(lab.session(f"100%/x%t/passprobe/{names[0]}").frames), 6, "frames")


def case_folder_name(lab):
    """A session directory whose name has spaces, quotes and a comma."""
    name = "my data, \"the\" 'best'"
    lab.run(lab.record(out=name) + lab.sample("gl", *WORDS))
    equal(len(lab.session(name).frames), 6, "frames")
    lab.run(lab.record(out=name) + lab.sample("gl", *WORDS))
    equal(len(lab.session(name + ".old").frames), 6, "the older session became .old")


main(globals())
