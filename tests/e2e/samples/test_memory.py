"""--max-memory limits the memory of passprobe in the application. Memory that is no longer needed is freed. What is
lost for lack of memory is counted, and record, stat and report print it."""
import os
import re
import shutil
import sys

from harness import Skip, equal, fake_library, main, number, true
from shim import preload

LONG = 12000
QUERIES = 13
FRAMES = 402


def record(lab, *words, program=("long_frames", str(LONG)), **env):
    """Run an application of tests/e2e/samples."""
    return lab.run([lab.passprobe, "record", "-o", lab.path("data"), "-l", "draw", *words, "--",
                    os.path.join(lab.build, "tests", program[0]), *program[1:]], EGL_PLATFORM="surfaceless", **env)


def counts(lab, session):
    """Counts need no memory: they are right whatever is lost."""
    # on a loaded machine the collector may be late and drop whole frames
    frames = len(session.frames) + session.json["dropped"]["frames"]
    true(FRAMES - 3 <= frames <= FRAMES, f"{frames} frames")
    for row in session.frames:
        if row["draws"] or int(row["frame"]) < FRAMES - 5: # results of the last frames may still be missing at the end
            equal(number(row, "draws"), LONG if int(row["frame"]) < 2 else 5, f"draws of frame {row['frame']}")


def case_given_back(lab):
    """After a burst the query objects are freed; a fast clock makes minutes of seconds."""
    record(lab, LD_PRELOAD=fake_library(lab, "libfake-clock.so"), FAKE_CLOCK_NAP_S="3")
    session = lab.session()
    counts(lab, session)
    memory = session.json["memory"]
    true(memory["queries_most_bytes"] > LONG * QUERIES * 200, memory)
    true(memory["queries_bytes"] * 4 < memory["queries_most_bytes"], memory)
    equal(session.json["dropped"]["brackets"], 0, "brackets lost for want of memory")
    equal(session.json["dropped"]["times_not_landed"], 0, "times lost")


def case_bounded(lab):
    """OpenGL takes no more memory than --max-memory allows; what is lost is reported."""
    done = record(lab, "--max-memory", "64M")
    session = lab.session()
    counts(lab, session)
    memory, lost = session.json["memory"], session.json["dropped"]
    true(0 < memory["queries_most_bytes"] <= 56 << 20, memory)
    true(memory["waiting_most_bytes"] <= 64 << 20, memory)
    true(0 < lost["brackets"] < LONG * 2, lost)
    text = re.compile(str(lost["brackets"]) + r" GPU brackets were not measured because memory was short \(--max-memory\)")
    true(text.search(done.stderr), done.stderr)
    report = " ".join(lab.run([lab.passprobe, "report", lab.path("data")]).stdout.split())
    true(text.search(report), report)
    equal(session.json["options"]["max_memory_bytes"], 64 << 20, "option in session.json")


def case_bounded_vk(lab):
    """Vulkan takes no more memory than --max-memory allows; what is lost is reported."""
    lab.run(lab.record("-l", "draw", "--max-memory", "16M") +
            [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "20000", "--frames", "4"])
    session = lab.session()
    memory, lost = session.json["memory"], session.json["dropped"]
    true(0 < memory["queries_most_bytes"] <= 14 << 20, memory)
    true(lost["brackets"] > 0, lost)
    equal({number(row, "draws") for row in session.frames[1:]}, {20000}, "draws of frames")


def load(lab, which, draws, frames):
    """The command of an application with many draws a frame."""
    return [os.path.join(lab.build, "bin", f"passprobe-load-{which}"), "--draws", str(draws), "--frames", str(frames)]


def profiled(lab, which, limit):
    """Variables that profile an application at level draw, without the command."""
    env = preload(lab, "data", level="draw", max_memory=limit)
    if which == "vk":
        del env["LD_PRELOAD"]
        env["XDG_DATA_DIRS"] = os.path.join(lab.build, "share") + ":/usr/share"
    return env


def peak(lab, command, **env):
    """The greatest number of bytes that a process had in memory."""
    text = "import os, resource, sys; os.spawnvp(os.P_WAIT, sys.argv[1], sys.argv[1:]) and sys.exit('failed'); " \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    shim = env.pop("LD_PRELOAD", None)
    words = ["env", f"LD_PRELOAD={shim}", *command] if shim else command
    return int(lab.run([sys.executable, "-c", text, *words], EGL_PLATFORM="surfaceless", **env).stdout.split()[-1]) << 10


def resident(lab, which):
    """A process has at most --max-memory and 16 MB more than the same one without passprobe, however many draws a frame
    has. The queries of the driver count as passprobe's here, so that it is less than what the same queries would leave.
    Drivers hold more when the processor has other work, so the least of some runs counts."""
    for draws, frames in (6000, 20), (100000, 4):
        bare = peak(lab, load(lab, which, draws, frames))
        for _ in range(4):
            shutil.rmtree(lab.path("data"), ignore_errors=True)
            more = peak(lab, load(lab, which, draws, frames), **profiled(lab, which, "16M")) - bare
            if more <= 32 << 20:
                break
        session = lab.session()
        true(more <= 32 << 20, f"{draws} draws: {more} bytes more, {session.json['memory']}")
        true(session.json["memory"]["heap_most_bytes"] <= 16 << 20, session.json["memory"])
        lost = session.json["dropped"]
        true(0 < lost["coarser_frames"], lost)
        # counts of draws are whole
        equal({number(row, "draws") for row in session.frames[4:-1]}, {draws}, "draws of frames")
        equal({row["level"] for row in session.frames[4:-1]}, {"pass"}, "levels of frames")
        report = " ".join(lab.run([lab.passprobe, "report", lab.path("data")]).stdout.split())
        true("at level pass instead of draw because memory was short (--max-memory)" in report, report)


def counted(lab, which):
    """session.json has what malloc() gave, within a tenth, much or little."""
    for draws, limit in (6000, "2G"), (6000, "16M"), (10, "16M"):
        shutil.rmtree(lab.path("data"), ignore_errors=True)
        env = profiled(lab, which, limit)
        library = fake_library(lab, "libfake-memory.so")
        env["LD_PRELOAD"] = ":".join([library] + ([env["LD_PRELOAD"]] if "LD_PRELOAD" in env else []))
        lab.run(load(lab, which, draws, 20), EGL_PLATFORM="surfaceless", FAKE_MEMORY_BYTES=lab.path("count"), **env)
        with open(lab.path("count"), encoding="utf-8") as file:
            most = int(file.read().split()[-1])
        told = lab.session().json["memory"]["heap_most_bytes"]
        true(abs(told - most) < most / 10, f"{draws} draws, {limit}: {told} bytes in session.json, malloc() gave {most}")


def own_allocator(lab, which, frames, *words, **env):
    """An application whose own allocator lacks malloc_usable_size() and aligned_alloc(): passprobe does not ask the C
    library's about blocks that are not its own, has no blocks that the application's free() does not know, and does not
    say how much it holds."""
    program = (f"own-allocator-{which}", *words)
    command = [os.path.join(lab.build, "tests", program[0]), *words]
    bare = lab.run(command, check=False, EGL_PLATFORM="surfaceless", PASSPROBE_DISABLE="1", **env)
    if bare.returncode == 77:
        raise Skip(bare.stdout.strip())
    equal(bare.returncode, 0, "without passprobe")
    record(lab, "-g", *(["--frame-on", "submit"] if which == "vk" else []), program=program, **env)
    session = lab.session()
    true(len(session.frames) >= frames, f"{len(session.frames)} frames")
    equal(sorted(session.json["memory"]), sorted(["queries_bytes", "queries_most_bytes", "waiting_bytes", "waiting_most_bytes"]),
          "what session.json knows")


def case_own_allocator_gl(lab):
    """OpenGL."""
    own_allocator(lab, "gl", 5)


def case_own_allocator_vk(lab):
    """Vulkan."""
    own_allocator(lab, "vk", 6, "6", VK_ICD_FILENAMES=os.path.join(lab.build, "tests", "fake-vulkan.json"), FAKE_VK="totals")


def case_resident_gl(lab):
    """OpenGL."""
    resident(lab, "gl")


def case_resident_vk(lab):
    """Vulkan."""
    resident(lab, "vk")


def case_counted_gl(lab):
    """OpenGL."""
    counted(lab, "gl")


def case_counted_vk(lab):
    """Vulkan."""
    counted(lab, "vk")


if __name__ == "__main__":
    main(globals())
