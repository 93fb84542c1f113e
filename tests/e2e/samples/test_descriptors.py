"""Applications that use any descriptor number for their own files, close all descriptors, or fork, while they are profiled:
each of their files keeps its bytes, its position and its number. Where the collector has a table of descriptors of its own,
the session is whole; where that is refused, it may end early, and says so."""
import os

from harness import Skip, equal, main, need_vulkan, true

FRAMES = 1000
WAYS = "all", "reopen", "fork"
CPU = "cpu:task-clock,cpu:context-switches,cpu:run-delay,cpu:cpu-migrations"


def taken(lab, which, way, level="pass", refused=False, events=(), out="data", more=None):
    """Run a sample whose numbers are taken. Its files are unharmed. Returns its session. On a busy machine the sample may
    have drawn all its frames before; then the test repeats the run with more frames."""
    frames = FRAMES
    while True:
        name = f"{out}-{frames}"
        folder, session = lab.path("own-" + name), lab.path(name)
        os.mkdir(folder)
        program = lab.sample(which, "--frames", str(frames), "--size", "64x64")
        refuse = [os.path.join(lab.build, "tests", "refuse")] if refused else []
        preload = os.path.join(lab.build, "tests", "libfake-take.so")
        done = lab.run([*refuse, *lab.record("-l", level, *events, out=name), *program], check=False,
                       LD_PRELOAD=":".join([preload, *([more["LD_PRELOAD"]] if more else [])]),
                       **{key: value for key, value in (more or {}).items() if key != "LD_PRELOAD"},
                       PP_TEST_TAKE=str(way), PP_TEST_TAKE_SESSION=session, PP_TEST_TAKE_FOLDER=folder,
                       PP_TEST_TAKE_PROGRAM=os.path.basename(program[0]))
        if done.returncode == 77:
            raise Skip(f"no filters of system calls: {done.stderr}")
        equal(done.returncode, 0, f"{out}: exit status: {done.stderr[-2000:]}")
        true("take:" not in done.stderr, f"{out}: {done.stderr[-2000:]}")
        if os.path.exists(os.path.join(folder, "result")):
            for own in os.listdir(folder):
                with open(os.path.join(folder, own), "rb") as file:
                    equal(file.read(), b"kept" if own == "result" else b"MINE\n", f"{out}: {own}")
            return lab.session(name), frames
        frames *= 4
        true(frames < 1 << 19, "the sample ends before its numbers are taken")


def whole(lab, which, way, **options):
    """All frames have rows."""
    session, frames = taken(lab, which, way, **options)
    equal(session.json["ended"], "exit", f"{way}: how it ended")
    true(len(session.frames) >= frames - 1, f"{way}: {len(session.frames)} frames of {frames}")
    return session


def honest(lab, which, way, **options):
    """The session is whole, or says what is missing."""
    session, frames = taken(lab, which, way, refused=True, **options)
    report = lab.run([lab.passprobe, "report", session.path], check=False)
    ended = session.json["ended"]
    if report.returncode == 0 and ended == "exit":
        true(len(session.frames) >= frames - 1, f"{way}: {len(session.frames)} frames of {frames}")
    else:
        true(ended != "exit", f"{way}: {len(session.frames)} frames of {frames}, {report.stderr}")
    return session


def each(lab, check, which):
    """Each way, at each level."""
    for level in "frame", "pass", "draw":
        for way in WAYS:
            check(lab, which, way, level=level, out=f"{level}-{way}")


def case_gl(lab):
    """OpenGL."""
    each(lab, whole, "gl")


def case_vk(lab):
    """Vulkan."""
    need_vulkan()
    each(lab, whole, "vk")


def case_one_by_one(lab):
    """Each number that passprobe could have."""
    for number in range(512, 532):
        whole(lab, "gl", number, out=str(number))


def case_refused_gl(lab):
    """OpenGL, in a container whose filter refuses a table of its own."""
    each(lab, honest, "gl")


def case_refused_vk(lab):
    """Vulkan, where a table of its own is refused."""
    need_vulkan()
    each(lab, honest, "vk")


def case_refused_one_by_one(lab):
    """Each number that passprobe has: one file is lost, and the session ends."""
    ends = {honest(lab, "gl", number, level="draw", out=str(number)).json["ended"] for number in range(512, 532)}
    true(len(ends) > 1, f"none of passprobe's numbers was taken: {ends}")


def case_cpu(lab):
    """Events of the CPU, whose descriptors are in the application's table."""
    for way in WAYS:
        whole(lab, "gl", way, level="draw", events=("-e", "time," + CPU), out=way)


def case_refused_cpu(lab):
    """Events of the CPU, with a shared table."""
    for way in WAYS:
        honest(lab, "gl", way, level="draw", events=("-e", "time," + CPU), out=way)



main(globals())
