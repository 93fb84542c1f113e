"""Applications that set a seccomp filter while they are profiled: the collector makes no system calls but those that
docs/sandboxes.md lists, and the session continues to its end."""
import os

from harness import ROOT, Skip, equal, fake_kernel, main, need_vulkan, true

DOCS = os.path.join(ROOT, "docs")


def confined(lab, which, frames, record=(), preload="", out="data", **env):
    """Run a sample that is confined as soon as the session has some rows. On a busy machine the sample may have drawn
    all its frames before; then the test repeats the run with more frames. Returns its session."""
    while True:
        session = try_confined(lab, which, ("--frames", str(frames), "--size", "64x64"), record, preload, out, **env)
        if session:
            return session
        true(frames < 1 << 20, "the sample ends before its filter comes")
        frames *= 4


def try_confined(lab, which, sample, record, preload, out, **env):
    """Run the sample once. None: it was confined only when its session was complete, or not at all."""
    log, program = lab.path("log-" + out), lab.sample(which)[0]
    library = os.path.join(lab.build, "tests", "libfake-sandbox.so")
    env.update(PP_TEST_SANDBOX_LOG=log, PP_TEST_SANDBOX_SESSION=lab.path(out), PP_TEST_SANDBOX_THREAD="passprobe",
               PP_TEST_SANDBOX_PROGRAM=os.path.basename(program), PP_TEST_SANDBOX_LIST=os.path.join(DOCS, "sandboxes.md"),
               LD_PRELOAD=":".join(filter(None, (preload, library))))
    done = lab.run(lab.record(*record, out=out) + [program, *sample], check=False, **env)
    seen = []
    if os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            seen = file.read().splitlines()
    if seen == ["refused"]:
        raise Skip("the kernel has no seccomp filters that notify")
    if not seen and done.returncode == 0:
        return None
    equal(seen, ["begun"], f"the collector's calls that are not listed; exit status {done.returncode}, {done.stderr[-500:]}")
    equal(done.returncode, 0, f"exit status: {done.stderr[-500:]}")
    session = lab.session(out)
    # Only an application that is not confined removes its spare files when it ends.
    return session if os.path.exists(os.path.join(session.path, "session.json.new")) else None


def check(lab, which, frames=600, level="pass", **more):
    """All frames and passes have rows; the files are those of an application that is not confined."""
    session = confined(lab, which, frames, ("-l", level, *more.pop("record", ())), **more)
    command = session.json["program"]["command"]
    frames = int(command[command.index("--frames") + 1])
    equal(session.json["ended"], "exit", "how it ended")
    equal(session.json["counts"]["frames"], len(session.frames), "frames that session.json counts")
    equal(session.json["counts"]["passes"], len(session.passes), "passes that session.json counts")
    true(len(session.frames) >= frames - 1, f"{len(session.frames)} frames of {frames}")
    for name in "session.json.new", "frames.csv.new":
        equal(os.path.getsize(os.path.join(session.path, name)), 0, f"{name} stays behind, empty")
    return session


def case_gl(lab):
    """OpenGL, at each level."""
    for level in "frame", "pass", "draw":
        check(lab, "gl", level=level, out=level)


def case_vk(lab):
    """Vulkan, at each level."""
    need_vulkan()
    for level in "frame", "pass", "draw":
        check(lab, "vk", level=level, out=level)


def case_counters(lab):
    """Counters of the CPU and of sensors."""
    card = lab.path("root/sys/class/drm/card0/device/hwmon/hwmon1")
    os.makedirs(card)
    with open(os.path.join(card, "temp1_input"), "w", encoding="utf-8") as file:
        file.write("41500\n")
    session = check(lab, "gl", record=("-e", "time,hwmon,cpu:task-clock,cpu:page-faults,cpu:context-switches,cpu:run-delay"),
                    preload=fake_kernel(lab), FAKE_KERNEL_ROOT=lab.path("root"), FAKE_I915="alone")
    last = session.frames[-1]
    equal(last["hwmon:temperature_millicelsius"], "41500", "a sensor")
    true(last["cpu:task-clock_ns"] != "", f"the thread's time: {last}")


def case_max_size(lab):
    """The session ends before the application does."""
    session = confined(lab, "gl", 3000, ("--max-size", "400K"))
    true("max-size" in session.json["ended"], session.json["ended"])
    equal(session.json["counts"]["frames"], len(session.frames), "frames that session.json counts")


main(globals())
